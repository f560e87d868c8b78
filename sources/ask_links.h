/* SPDX-License-Identifier: GPL-2.0-only */
/* The links of a question's programs with its events. Collector thread only. */
#ifndef SOURCES_ASK_LINKS_H
#define SOURCES_ASK_LINKS_H

#include "sources/ask_plan.h"
#include "sources/perf_link.h"
#include "sources/source.h"

struct bpf_link;
struct bpf_object;

/* Zero-initialized but for the first four. */
struct ask_links {
	const struct ask *ask;
	u64 period, freq; /* of clocks and counters, as in struct sampling */
	u32 only; /* the process that functions are probed in; 0: in all */
	struct bpf_object *attached; /* NULL: not yet */
	struct bpf_link **links;
	u32 nlinks, links_cap;
	struct perf_links perf;
	int *link_fds; /* links that libbpf does not know */
	u32 nlink_fds, link_fds_cap;
};

/* Before objects of such programs are opened. */
void ask_load__register(void);
/* Before programs are loaded, with the question's code in the place that they have for it. */
void ask_load__prepare(const struct ask *a, struct bpf_object *obj);
/* After they are loaded. */
int ask_links__attach(struct ask_links *l, struct bpf_object *obj, struct status *st);
void ask_links__detach(struct ask_links *l);

#endif
