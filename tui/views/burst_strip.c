// SPDX-License-Identifier: GPL-2.0-only
#include "tui/views/burst_strip.h"

#include <stdio.h>
#include <string.h>

#include "tui/views/headline.h"
#include "widgets/text.h"

#define LABEL_W	  8
#define WIDTH_MAX 512
#define CPUS_MAX  16
#define LEAST_H	  8 /* lines below which the table has them all */

struct slots {
	u64 every_ns, end; /* end: number of the last column's slot, since the clock began */
	u32 width, ncpus, cpus[CPUS_MAX];
	u64 counts[CPUS_MAX][WIDTH_MAX], most;
	const struct ask_line_row *at; /* the row of the cursor; NULL: it was not moved */
};

static u64 number_of(const struct slots *s, const struct ask_line_row *r)
{
	return r->line->t_ns / s->every_ns;
}

/* Those with the lowest numbers, in their order; of more than there is room for the cursor's is one. */
static void add_cpu(struct slots *s, u32 cpu, u32 room)
{
	u32 i = s->ncpus;

	for (u32 k = 0; k < s->ncpus; k++)
		if (s->cpus[k] == cpu)
			return;
	if (s->ncpus < room)
		s->ncpus++;
	else if (cpu > s->cpus[--i])
		return;
	for (; i && s->cpus[i - 1] > cpu; i--)
		s->cpus[i] = s->cpus[i - 1];
	s->cpus[i] = cpu;
}

static void add_count(struct slots *s, const struct ask_line_row *r)
{
	u64 back = s->end - number_of(s, r);

	if (number_of(s, r) > s->end || back >= s->width)
		return;
	for (u32 i = 0; i < s->ncpus; i++) {
		u64 *n = &s->counts[i][s->width - 1 - back];

		if (s->cpus[i] != r->line->cpu)
			continue;
		*n = MAX(*n, r->count);
		s->most = MAX(s->most, *n);
	}
}

/* The column of the row under the cursor is in the middle, unless the last slot is nearer. */
static void place(struct slots *s, u64 last)
{
	s->end = last;
	if (s->at)
		s->end = MIN(last, number_of(s, s->at) + s->width / 2);
}

static void draw_cpu(const struct slots *s, u32 cpu, struct canvas *c, struct rect r)
{
	u64 at = s->at && s->at->line->cpu == s->cpus[cpu] ? s->end - number_of(s, s->at) : UINT64_MAX;
	char text[5];

	draw__textf(c, r.x, r.y, LABEL_W - 1, ROLE_DIM, "CPU %u", s->cpus[cpu]);
	for (u32 i = 0; i < s->width; i++) {
		u64 n = s->counts[cpu][i];
		bool is_at = s->width - 1 - i == at;

		memset(text, 0, sizeof(text));
		utf8__encode(n ? 0x2580 + (u32)MAX((n * 8 + s->most / 2) / s->most, 1ULL) : 0xb7, text);
		draw__text(c, r.x + LABEL_W + (int)i, r.y, 1, is_at ? ROLE_HOT : n ? ROLE_COOL : ROLE_DIM, text);
	}
}

static void draw_head(const struct slots *s, struct canvas *c, struct rect r)
{
	struct headline line = {c, {r.x, r.y, r.w, 1}, r.x};
	char every[16], all[16], most[16];

	format__ns(every, sizeof(every), s->every_ns);
	format__ns(all, sizeof(all), s->every_ns * s->width);
	format__count(most, sizeof(most), s->most);
	headline__addf(&line, ROLE_TITLE, "%s %s by %s", s->at ? "around the row," : "the last", all, every);
	headline__addf(&line, ROLE_DIM, " · full height %s events", most);
}

int burst_strip__draw(const struct listing *l, const struct ask_form *form,
		      const struct ask_line_row *(*line)(const struct listing *l, u32 row), struct canvas *c,
		      struct rect area)
{
	u32 n = l->result ? l->result->table.nrows : 0, room = (u32)CLAMP(area.h / 4, 1, CPUS_MAX);
	struct listing_place at;
	struct slots *s;
	u64 last = 0;

	if (form->lists != ASK_SLOTS || !form->slot_us || !n || area.h < LEAST_H || area.w <= LABEL_W)
		return 0;
	s = xcalloc(1, sizeof(*s));
	s->every_ns = form->slot_us * 1000ULL;
	s->width = (u32)MIN(area.w - LABEL_W, WIDTH_MAX);
	if (l->table.user_moved && listing__at(l, &at))
		s->at = line(l, at.row);
	for (u32 i = 0; i < n; i++) {
		const struct ask_line_row *r = line(l, i);

		add_cpu(s, r->line->cpu, room);
		last = MAX(last, number_of(s, r));
	}
	if (s->at && s->at->line->cpu > s->cpus[s->ncpus - 1])
		s->cpus[s->ncpus - 1] = s->at->line->cpu;
	place(s, last);
	for (u32 i = 0; i < n; i++)
		add_count(s, line(l, i));
	draw_head(s, c, area);
	for (u32 i = 0; i < s->ncpus && s->most; i++)
		draw_cpu(s, i, c, (struct rect){area.x, area.y + 1 + (int)i, area.w, 1});
	n = s->most ? s->ncpus : 0;
	free(s);
	return 1 + (int)n;
}
