/* SPDX-License-Identifier: GPL-2.0-only */
/* What values of labels are called, as the programs of a measure sent it. Bounded: when there are
 * too many those that were not asked for lately go. Collector thread only. */
#ifndef SOURCES_MEASURE_NAMES_H
#define SOURCES_MEASURE_NAMES_H

#include "base/hidx.h"

struct measure_names {
	struct hidx index;
	struct measure_name_slot *v;
	u32 n, cap;
	u64 round; /* of asking */
};

void measure_names__set(struct measure_names *m, u32 word, u64 value, const char *text);
/* NULL: it is not known. */
const char *measure_names__get(struct measure_names *m, u32 word, u64 value);
/* Ends an interval: true when old ones went, so that programs have to send them again. */
bool measure_names__trim(struct measure_names *m);
void measure_names__fini(struct measure_names *m);

#endif
