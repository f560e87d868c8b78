/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Slots: one for each source that could be open, whichever models it serves. Opening,
 * closing, filters and counters of sources; who is fed by which source is decided in
 * pipeline/feeds.c. Collector thread only.
 */
#ifndef PIPELINE_SLOTS_H
#define PIPELINE_SLOTS_H

#include "base/status.h"
#include "sources/source.h"

/* What a source counts since it was opened and the user reads since start or zero. */
struct counts {
	u64 samples, lost, map_full, stacks_lost;
};

struct slot {
	const struct source_ops *ops;
	struct source *src; /* NULL: closed */
	u64 models;	    /* bit per model it serves */
	int tier;
	int fd;		    /* in the epoll set; -1 none */
	bool stale;	    /* the CPUs changed, and it does not see all of them */
	u64 muted_until_ns; /* its fd is not listened to before; 0: it is */
	struct counts base; /* of the open source when counting was last zeroed */
	struct counts past; /* of its earlier openings since then */
};

struct slots {
	struct slot *v;
	u32 n, nmuted;
	int epoll_fd;
	u32 epoll_tag; /* data.u32 of slot i is epoll_tag + i */
	struct sampling how;
	struct scope *scope; /* a reference, never NULL */
};

/* One slot for each distinct ops of the rows. The scope's reference is taken over. */
void slots__init(struct slots *s, const struct source_row *rows, u32 nrows, int epoll_fd,
		 u32 epoll_tag, const struct sampling *how, struct scope *scope);
void slots__fini(struct slots *s); /* closes all */
struct slot *slots__of(const struct slots *s, const struct source_ops *ops);

/* Opens the source as slots.how and slots.scope say and listens to its fd. */
int slot__open(struct slots *s, struct slot *slot, struct status *st);
/* Keeps its counts. Fine when it is closed. */
void slot__close(struct slots *s, struct slot *slot);

/* Which models it serves from now on; an open source is told. */
void slot__set_models(struct slot *slot, u64 models);

/* Its fd was readable and has been drained: silent for a while, so that a flood of urgent
 * records costs a bounded number of wakeups. */
void slot__mute(struct slots *s, struct slot *slot, u64 now_ns);
/* Listens again where the time is over. */
void slots__unmute(struct slots *s, u64 now_ns);
/* How long; longer where nobody looks at a screen. */
u64 slots__mute_ns(void);

/*
 * Gives an open source a new filter or rate: in place, or by closing and opening it again
 * where it cannot; then `salvage` drains what it has gathered first. A source of tier 0 that
 * has no such call does not depend on it and is left alone. On failure the source goes on
 * with the old one and st says so; when not even that opens again, the slot is closed.
 * slots.how and slots.scope are still the old ones.
 */
int slot__set_scope(struct slots *s, struct slot *slot, const struct scope *scope,
		    const struct sample_sink *salvage, struct status *st);
int slot__set_sampling(struct slots *s, struct slot *slot, const struct sampling *how,
		       const struct sample_sink *salvage, struct status *st);

/* CPUs came or went, or were away: opens what the source has on each of them anew. On failure the
 * slot is stale: to be tried again. */
int slot__renew(struct slots *s, struct slot *slot, struct status *st);

/* Fills *h as the source has it (its tier's name where it set none) and *c with the counts
 * since zero. The counters in *h are not to be used. */
void slot__health(const struct slot *slot, struct health *h, struct counts *c);
void slot__zero(struct slot *slot);

#endif
