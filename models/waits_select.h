/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all queries over waits share: which entries count, what they wait for, whether that is
 * idle, and what their frames are called. One selection serves one query on one thread.
 */
#ifndef MODELS_WAITS_SELECT_H
#define MODELS_WAITS_SELECT_H

#include "models/profile_select.h"
#include "models/wait_place.h"

/* Two stacks as one, without the frames that are in every wait. */
struct picked_place {
	const struct callstack *kstack, *ustack;
	bool whole; /* joined with them, after all */
	struct wait_place wait;
	u32 filtered; /* in names.hits */
	u64 key; /* stable: of the names of its frames */
};

struct picked_wait {
	const struct wait_entry *entry;
	u32 place;
	u32 stay; /* the thread at that place */
	struct wait_verdict is;
};

/* All waits of one thread at one place. */
struct thread_at_site {
	const struct wait_entry *entry; /* one of them */
	u32 place;
	/* Since start, of those that ended: how many by whom, how long in all and at most. */
	u64 ends[WAIT_ENDS], full_ns, max_ns;
};

/* What the kernel's frames of places tell: few of them are distinct. */
struct kernel_place {
	const struct callstack *kstack;
	struct wait_place wait;
	enum wait_end by_interrupt, by_thread; /* where it is a waker's */
};

/* What threads of a process wait on: a futex. */
struct wait_object {
	u32 tgid, host;
	u64 object;
	u32 threads;
	u64 inside, outside; /* waits ended by threads that wait there too, and by others */
};

struct waits_selection {
	const struct waits_snap *snap;
	enum time_window window;
	const struct scope *scope; /* NULL everything */
	struct scope ids;	   /* what of it can be told from ids: borrowed sets */
	struct profile_query names_query;
	struct selection names;
	struct arena scratch; /* joined stacks */
	struct kernel_place *kernels;
	u32 nkernels, kernels_cap;
	struct hidx kernel_index;
	struct picked_place *places;
	u32 nplaces, places_cap;
	struct hidx place_index;
	struct picked_wait *waits;
	u32 nwaits, waits_cap;
	struct thread_at_site *stays;
	u32 nstays, stays_cap;
	struct hidx stay_index;
	struct wait_object *objects;
	u32 nobjects, objects_cap;
	struct rule_names rule_names;
	struct hidx object_index, object_threads; /* the latter: set of their threads */
};

/* arena: of the result; names made for it live there. */
void waits_selection__init(struct waits_selection *s, struct arena *arena,
			   const struct waits_snap *snap, enum time_window window,
			   bool caller_first, const struct scope *scope);
void waits_selection__fini(struct waits_selection *s);

/* Takes the entries that have something in the window and pass; tgid 0: of all processes, tid
 * 0: of all its threads. */
void waits_selection__fill(struct waits_selection *s, u32 tgid, u32 tid);

/* The place of two stacks, which are joined from its first frame that says something; whole:
 * with all of them, as for wakers. */
u32 waits_selection__place(struct waits_selection *s, const struct callstack *kstack,
			   const struct callstack *ustack, bool whole);
/* Interrupts that came while user code ran look like its thread: their frames tell. */
enum waker_kind waits_selection__waker(struct waits_selection *s, const struct wait_entry *e);
/* What ended a wait; END_ANY: it goes on, or was not seen to end. */
enum wait_end waits_selection__end(struct waits_selection *s, const struct wait_entry *e);
/* How many frames of a kernel stack, from the leaf, are the tracer's own. */
u32 waits_selection__tracer(struct waits_selection *s, const struct callstack *kstack);
/* What a place is called: the function that a thread waits in. */
const char *waits_selection__leaf(const struct waits_selection *s, u32 place);
/* Names are missing. */
bool waits_selection__pending(const struct waits_selection *s);

static inline const struct wait_sums *picked_wait__sums(const struct waits_selection *s,
							const struct picked_wait *w)
{
	return &w->entry->sums[s->window];
}

static inline bool wait_sums__any(const struct wait_sums *s)
{
	return s->off_ns || s->count || s->open;
}

/* Of the thread of an entry; tids are used again. */
static inline u64 task_ident__key(const struct task_ident *t)
{
	return mix64_pair(t->tgid | (u64)t->tid << 32, t->start_ns) ^ t->host;
}

static inline bool task_ident__same(const struct task_ident *a, const struct task_ident *b)
{
	return a->tid == b->tid && a->tgid == b->tgid && a->start_ns == b->start_ns && a->host == b->host;
}

#endif
