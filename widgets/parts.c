// SPDX-License-Identifier: GPL-2.0-only
#include "widgets/parts.h"

static const struct part_look {
	char letter;
	enum role role;
	const char *glyph;
} looks[] = {
	/* In the colours that the overview has for them. */
	{'u', ROLE_USER, "█"},	 {'k', ROLE_KERNEL, "█"}, {'q', ROLE_WARM, "▓"},
	{'d', ROLE_COOL, "▒"},	 {'l', ROLE_HOT, "▚"},	  {'w', ROLE_DIM, "░"},
	{'s', ROLE_BORDER, "·"},
};

static const struct part_look *look_of(char letter)
{
	for (u32 i = 0; i < ARRAY_SIZE(looks); i++)
		if (looks[i].letter == letter)
			return &looks[i];
	return &looks[ARRAY_SIZE(looks) - 1];
}

void parts__mark(struct canvas *c, int x, int y, char letter)
{
	const struct part_look *look = look_of(letter);
	char text[2] = {letter == 's' ? '.' : letter, '\0'};

	draw__text(c, x, y, 1, look->role, c->ascii || c->edges ? text : look->glyph);
}

/* Takes cells from the largest until they fit, or gives it what is left. */
static void fill(const float *shares, u32 n, u32 w, u32 *cells)
{
	u32 sum = 0, most = 0;

	for (u32 i = 0; i < n; i++) {
		sum += cells[i];
		if (shares[i] > shares[most])
			most = i;
	}
	while (sum > w) {
		u32 widest = 0;

		for (u32 i = 1; i < n; i++)
			if (cells[i] > cells[widest])
				widest = i;
		cells[widest]--;
		sum--;
	}
	if (sum && sum < w)
		cells[most] += w - sum;
}

void parts__cells(const float *shares, u32 n, u32 w, u32 *cells)
{
	for (u32 i = 0; i < n; i++) {
		bool shows = shares[i] >= PARTS_LEAST;

		cells[i] = shows ? MAX((u32)(MIN(shares[i], 1.0f) * (float)w + 0.5f), 1u) : 0;
	}
	fill(shares, n, w, cells);
}

#define PARTS_MAX 16

u32 parts__at(const float *shares, u32 n, u32 w, u32 x)
{
	u32 cells[PARTS_MAX], end = 0;

	parts__cells(shares, MIN(n, (u32)PARTS_MAX), w, cells);
	for (u32 i = 0; i < MIN(n, (u32)PARTS_MAX); i++) {
		end += cells[i];
		if (x < end)
			return i;
	}
	return n;
}

void parts__draw(struct canvas *c, struct rect r, const float *shares, u32 n, const char *letters)
{
	u32 cells[PARTS_MAX], parts = MIN(n, (u32)ARRAY_SIZE(cells));
	int x = r.x;

	if (r.w <= 0)
		return;
	parts__cells(shares, parts, (u32)r.w, cells);
	for (u32 i = 0; i < parts && letters[i]; i++)
		for (u32 k = 0; k < cells[i] && x < r.x + r.w; k++)
			parts__mark(c, x++, r.y, letters[i]);
}
