// SPDX-License-Identifier: GPL-2.0-only
#include "samples/system.h"

const struct figure_row figure_rows[FIGURES] = {
#define FIGURE(id, kind, name) [FIGURE_##id] = {name, FIGURE_##kind},
#include "samples/figures.def"
#undef FIGURE
};
bool notice__crash(const char *text, u32 *pid, char comm[COMM_LEN])
{
	static const char *const what[] = {"segfault at ", "general protection fault ", "trap ", "bad frame in "};
	const char *from = !strncmp(text, "traps: ", 7) ? text + 7 : text, *open, *close;

	for (open = strchr(from, '['); open; open = strchr(open + 1, '[')) {
		*pid = (u32)strtoul(open + 1, (char **)&close, 10);
		if (!*pid || *close != ']')
			continue;
		close += close[1] == ':' ? 2 : 1;
		for (u32 i = 0; i < ARRAY_SIZE(what); i++)
			if (*close == ' ' && !strncmp(close + 1, what[i], strlen(what[i]))) {
				copy_str(comm, MIN((size_t)(open - from) + 1, (size_t)COMM_LEN), from);
				return true;
			}
	}
	return false;
}
