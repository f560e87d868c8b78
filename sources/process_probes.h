/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes on functions of what single processes map: each process in a scope, each file that it maps to run, once.
 * Processes are looked at when they are found, and once an interval. Collector thread only; bounded.
 */
#ifndef SOURCES_PROCESS_PROBES_H
#define SOURCES_PROCESS_PROBES_H

#include "scope/scope.h"
#include "sources/probe_links.h"

/* A file that a process maps to run. */
struct probed_file {
	u64 dev, ino;
	const char *path; /* where it can be read */
	const char *name; /* as it is mapped */
};

struct process_probes_ops {
	/* Attaches what there is to attach to; adds nothing to `links` where there is nothing. 0 or -errno. */
	int (*attach)(void *ctx, const struct probed_file *f, u32 pid, struct probe_links *links);
	/* Optional: a process is found; it has ended, or is not looked at any more. */
	void (*begins)(void *ctx, u32 pid);
	void (*ends)(void *ctx, u32 pid);
};

/* Of one process and one file. */
struct process_probe {
	u64 dev, ino;
	struct probe_links links;
};

struct probed_process {
	u32 pid;
	u32 own; /* the user's */
	u64 start_ticks;
	bool ended; /* it is still there for an interval */
	struct process_probe *probes;
	u32 nprobes, probes_cap;
};

struct process_probes {
	const struct process_probes_ops *ops;
	void *ctx;
	const struct scope *scope; /* a reference */
	struct probed_process *v;
	u32 n, cap, most;
	u32 nrefused, ntoo_many;
	int err; /* of the last one that was refused */
	bool without; /* nothing is attached to */
};

/* most: processes at once. */
void process_probes__init(struct process_probes *p, const struct process_probes_ops *ops, void *ctx, u32 most);
void process_probes__fini(struct process_probes *p);
void process_probes__set_scope(struct process_probes *p, const struct scope *scope);

/* NULL: it is not looked at. Valid until the next look. */
struct probed_process *process_probes__find(const struct process_probes *p, u32 pid);
/* One that may be new, or may have mapped more. */
void process_probes__look(struct process_probes *p, u32 pid);
/* All that are in scope. */
void process_probes__look_at_all(struct process_probes *p);
/* Once an interval: those that have ended are marked, and gone with the next one. */
void process_probes__tick(struct process_probes *p);
void process_probes__detach(struct process_probes *p);

#endif
