/* SPDX-License-Identifier: GPL-2.0-only */
/* What keeps programs on functions attached: one link for all places of a set where the kernel has
 * such (sources/uprobe.h), an event for each elsewhere. Collector thread only. */
#ifndef SOURCES_PROBE_LINKS_H
#define SOURCES_PROBE_LINKS_H

#include "sources/uprobe.h"

struct bpf_link;
struct bpf_program;

/* All 0 to begin with. */
struct probe_links {
	int *fds;
	u32 nfds, fds_cap;
	struct bpf_link **links; /* of libbpf */
	u32 nlinks, links_cap;
};

/* Whether the kernel has links of the kind uprobe_multi. Any thread after the first call. */
bool probe_links__are_multi(void);
/* Before it is loaded: it will be attached here, and not by itself. multi: as above. */
void probe_links__prepare(struct bpf_program *prog, bool multi);
/* 0 or -errno, when some of the set may be attached. */
int probe_links__add(struct probe_links *l, struct bpf_program *prog, bool multi,
		     const struct uprobe_set *set);
bool probe_links__any(const struct probe_links *l);
/* Detaches; more may be added again. */
void probe_links__close(struct probe_links *l);
void probe_links__fini(struct probe_links *l);

#endif
