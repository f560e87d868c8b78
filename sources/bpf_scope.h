/* SPDX-License-Identifier: GPL-2.0-only */
/* Puts a scope in force in programs that include bpf/scope.bpf.h. Collector thread only. */
#ifndef SOURCES_BPF_SCOPE_H
#define SOURCES_BPF_SCOPE_H

#include "bpf/scope.h"
#include "scope/scope.h"

struct bpf_object;
struct bpf_program;
struct bpf_link;

struct bpf_scope {
	int ids_fd, comms_fd, levels_fd; /* borrowed: maps scope_ids, scope_comms and scope_levels */
	volatile u64 *state;	   /* the program's scope_state */
	const struct scope *scope; /* the one in force, a reference */
	u32 generation;
	struct scope_bpf_key *keys; /* in force, to be deleted by the next change */
	u32 nkeys;
	struct scope_bpf_comm *comms; /* judged so far */
	u32 ncomms;
	u64 since_ns; /* when it came into force; what was counted before is judged here */
	struct bpf_program *fork, *end;
	struct bpf_link *fork_link, *end_link; /* while children are followed */
};

/* Of a loaded object that includes bpf/scope.bpf.h. Its programs scope_fork and scope_end follow
 * children, and are attached only while that is wanted. Nothing is in force yet: everything passes. */
void bpf_scope__init(struct bpf_scope *b, struct bpf_object *obj);
void bpf_scope__fini(struct bpf_scope *b);
/* Takes effect at once and as a whole; on failure the old scope stays in force. */
int bpf_scope__set(struct bpf_scope *b, const struct scope *s, struct status *st);

/* Whether who is in scope may change while a thread lives: names and cgroups are looked at. */
bool bpf_scope__may_change(const struct bpf_scope *b);

/* A drained entry. */
#define CPU_JUDGED UINT32_MAX /* the programs let pass what is on CPUs in scope alone */

struct bpf_scope_entry {
	u32 tgid, tid, cpu;
	u64 cgroup;
	u64 first_ns; /* when counting began */
	const char *comm;
};

/* What the kernel cannot tell, could not yet, or judged by an older scope: true when a drained
 * entry is in scope. A name out of scope is remembered, so that the kernel drops it from now
 * on. */
bool bpf_scope__passes(struct bpf_scope *b, const struct bpf_scope_entry *e);
/* Of threads of which no more is known than their name. */
bool bpf_scope__comm(struct bpf_scope *b, const char *comm);

#endif
