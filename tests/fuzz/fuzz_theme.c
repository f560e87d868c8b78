/* SPDX-License-Identifier: GPL-2.0-only */
/* Any file: looks that a terminal can show, or an error and the theme as it was. */
#include "tests/fuzz/fuzz.h"
#include "tui/theme.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int colors[] = {8, 16, 88, 256, 1 << 24};
	struct theme t, before;
	struct status st = {0};
	bool right;

	theme__base(&t, "default");
	before = t;
	right = !theme__parse(&t, (const char *)data, size, "fuzz", &st);
	if (!right && (memcmp(&t, &before, sizeof(t)) || !st.msg[0]))
		abort();
	for (u32 i = 0; i < ARRAY_SIZE(colors); i++)
		for (int role = 0; role < ROLES; role++) {
			struct look look = theme__look(&t, (enum role)role, role & 1, colors[i]);

			if (look.fg < -1 || look.fg >= colors[i] || look.bg < -1 ||
			    look.bg >= colors[i])
				abort();
		}
	return fuzz__through(right);
}
