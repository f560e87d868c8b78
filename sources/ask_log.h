/* SPDX-License-Identifier: GPL-2.0-only */
/* What comes within the spans of a question (bpf/question_log.bpf.h): its programs, and what they send.
 * Collector thread only. */
#ifndef SOURCES_ASK_LOG_H
#define SOURCES_ASK_LOG_H

#include "samples/measure.h"

struct ask;
struct bpf_object;
struct bpf_program;
struct perf_links;

/* The last one that came, until its span does. Zeroed there is none. */
struct ask_log {
	u64 begin_ns, end_ns;
	u32 n, came;
	struct measure_moment v[MEASURE_MOMENTS];
};

/* Before the programs are loaded: those that are needed, and room. */
void ask_log__prepare(const struct ask *a, struct bpf_object *obj);
#define ASK_LOG_TRACEPOINTS 2
/* The i-th that goes on a tracepoint; NULL: it is not loaded. */
struct bpf_program *ask_log__tracepoint(struct bpf_object *obj, u32 i);
/* The others, on all CPUs. 0 or -errno. */
int ask_log__attach(const struct ask *a, struct bpf_object *obj, struct perf_links *links);
/* False: the record is something else. Texts are the question's. */
bool ask_log__keep(struct ask_log *l, const struct ask *a, const void *data, size_t size);
/* To the span that it is of; what is added lasts until the next one is kept. */
void ask_log__add(struct ask_log *l, struct measure_slow_sample *out);

#endif
