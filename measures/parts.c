// SPDX-License-Identifier: GPL-2.0-only
#include "measures/parts.h"

#include <stdio.h>

static void add(char *buf, size_t size, const char *what, u64 ns)
{
	size_t len = strlen(buf);
	bool is_small = ns < NSEC_PER_MSEC;

	if (ns && len < size)
		snprintf(buf + len, size - len, "%s%s %.1f %s", len ? ", " : "", what,
			 (double)ns / (is_small ? 1e3 : 1e6), is_small ? "us" : "ms");
}

void parts__text(const struct measure_slow *slow, char *buf, size_t size)
{
	static const char *const names[PARTS] = {"on-CPU", "run queue", "lock", "disk", "network", "sleep"};
	u64 known = 0;

	*buf = '\0';
	for (u32 i = 0; i < PARTS; i++) {
		add(buf, size, names[i], slow->args[i]);
		known += slow->args[i];
	}
	if (known)
		add(buf, size, "other waits", slow->ns - MIN(known, slow->ns));
}
