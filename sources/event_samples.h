/* SPDX-License-Identifier: GPL-2.0-only */
/* What the fields of an event were in a few of its records, for people who write a question about it. */
#ifndef SOURCES_EVENT_SAMPLES_H
#define SOURCES_EVENT_SAMPLES_H

#include "base/base.h"

#define EVENT_SAMPLE_VALUES 8

/* Values as text, each once, in the order they came; strings have quotes, as in a question. */
struct event_field_samples {
	char name[64];
	char values[EVENT_SAMPLE_VALUES][32];
	u32 n;
};

struct event_samples {
	struct event_field_samples *fields;
	u32 nfields;
};

/* All 0 to begin with. Records of every CPU for so long, as many as small rings hold: of tracepoints, software
 * events, functions of programs and of the kernel, static probes, raw tracepoints (of those what is in registers and
 * arguments, and strings that these are addresses of). Sleeps; any thread but the
 * UI's. */
void event_samples__take(struct event_samples *s, const char *event, u64 ns);
/* NULL: nothing is known of it. Borrowed. */
const struct event_field_samples *event_samples__of(const struct event_samples *s, const char *field);
void event_samples__free(struct event_samples *s);

#endif
