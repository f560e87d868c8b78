/* SPDX-License-Identifier: GPL-2.0-only */
/* What a process maps, by /proc/PID/maps. Collector thread only. */
#ifndef SOURCES_WATCH_MAPS_H
#define SOURCES_WATCH_MAPS_H

#include "base/base.h"

/* One mapping of code or data that has a name. */
struct watch_mapping {
	u64 start, end, offset, dev, ino;
	char *path;
};

/* Zero-initialized. */
struct watch_maps {
	struct watch_mapping *v;
	u32 n, cap;
};

/* Of a process that has ended what was known stays. */
void watch_maps__read(struct watch_maps *m, u32 pid);
void watch_maps__fini(struct watch_maps *m);

#endif
