/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cells of the engine of measures (bpf/measure.bpf.h): the maps, whose events count, filters by labels, and the
 * cell that an event is counted in.
 */
#ifndef BPF_MEASURE_CELLS_BPF_H
#define BPF_MEASURE_CELLS_BPF_H

#include "bpf/measure_base.bpf.h"

#define CELL_PROBES 16

/* Both halves: half * (cell_mask + 1) + slot. Sized by user space. */
SHARED_ARRAY_MAP(cells, 2, struct measure_cell);

/* Which of them are in use, as far as nused says, so that nobody looks at all of them. */
SHARED_ARRAY_MAP(used, 2, u32);

/* What found no cell, a half each. */
PERCPU_MAP(rest, 2, struct measure_cell);

const volatile u32 cell_mask = 0;
const volatile u32 value_shift = 0; /* of buckets: MEASURE_NS_SHIFT of durations */
volatile u32 nused[2];

/* Filters by labels: which of them there are, and which values pass. */
const volatile struct measure_place label_places[MEASURE_OWN_LABELS];
volatile u32 label_filters = 0;
volatile u64 label_passes[MEASURE_OWN_LABELS][MEASURE_FILTERED / 64];

/* A thread's cell that was counted in last: most events are like the one before. */
struct measure_last {
	u64 id, labels[MEASURE_LABELS];
	u32 at, exec_id;
};

/* What is known of a thread, in its own storage. */
struct measure_task {
	u64 scope; /* the state that `watched` was decided under */
	u32 watched;
	u32 inside;   /* a span goes on */
	u64 begin_ns; /* of the span, or of watching when it began before */
	u64 labels[MEASURE_LABELS];
	struct measure_last last;
	u64 own[4]; /* the measure's */
};

TASK_MAP(tasks, struct measure_task);

/* --- who --- */

/* Whether it is watched; decided anew when the scope has changed. */
static __always_inline bool task__watched(struct measure_task *t, struct task_struct *task)
{
	u64 scope = task__scope_version(task);

	/* A task's priority may change at any time. */
	if (t->scope != scope || ((u32)scope_state & SCOPE_BPF_SCHED)) {
		t->watched = task__in_scope(task);
		t->scope = scope;
		if (!t->watched)
			t->inside = 0;
	}
	return t->watched;
}

/* Made where it is not known yet; NULL: there is no memory. */
static __always_inline struct measure_task *task__known(struct task_struct *task, struct measure_stats *st)
{
	struct measure_task *t = bpf_task_storage_get(&tasks, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!t)
		st->tasks_full++;
	return t;
}

/* Of the current task; NULL: it is out of scope, or there is no memory. */
static __always_inline struct measure_task *measure__task(struct task_struct *task,
							  struct measure_stats *st)
{
	struct measure_task *t = task__known(task, st);

	return t && task__watched(t, task) ? t : NULL;
}

/* --- filters by labels --- */

__noinline u32 labels__are_wanted(u64 a, u64 b, u64 c, u64 d)
{
	u64 words[MEASURE_LABELS] = {a, b, c, d};

	for (u32 i = 0; i < MEASURE_OWN_LABELS; i++) {
		u64 v;

		if (!(label_filters & (1u << i)))
			continue;
		v = words[label_places[i].word & (MEASURE_LABELS - 1)] >>
		    (label_places[i].shift & 63);
		v &= label_places[i].mask;
		if (v < MEASURE_FILTERED && !(label_passes[i][v / 64] & (1ULL << (v & 63))))
			return 0;
	}
	return 1;
}

static __always_inline bool labels__pass(const u64 *labels)
{
	return !label_filters || labels__are_wanted(labels[0], labels[1], labels[2], labels[3]);
}

/* --- cells --- */

/* Threads that execute are another program's from then on; while names are asked for, those that
 * rename themselves are apart, too. task NULL: it is of no thread, and labels tell the CPU. */
static __always_inline u64 cell__id(struct task_struct *task, const u64 *labels, u64 stack)
{
	u64 h = 0;

	if (task) {
		h = hash_step(task->start_time, (u32)task->pid);
		h = hash_step(h, task->self_exec_id);
	}
	for (int i = 0; i < MEASURE_LABELS; i++)
		h = hash_step(h, labels[i]);
	if (task && (u32)scope_state & SCOPE_BPF_COMMS) {
		u64 comm[2];

		bpf_get_current_comm(comm, sizeof(comm));
		h = hash_step(hash_step(h, comm[0]), comm[1]);
	}
	return hash_finish(hash_step(h, stack));
}

/* How full a half may be for a cell of a kind to be begun. Beyond a half CELL_PROBES are not enough
 * for all that come: that is left to what many threads of one name did, and stacks that stand for it. */
static __always_inline u32 room_for_stacks(void)
{
	return (cell_mask >> 2) + (cell_mask >> 3);
}

static __always_inline u32 room_for_threads(void)
{
	return cell_mask >> 1;
}

static __always_inline u32 room_for_many(void)
{
	return (cell_mask >> 1) + (cell_mask >> 2);
}

/* Notes that a cell is in use. */
static __always_inline void cell__use(u32 half, u32 slot)
{
	u32 n = __sync_fetch_and_add(&nused[half & 1], 1);
	u32 at = half * (cell_mask + 1) + (n & cell_mask);
	u32 *place = bpf_map_lookup_elem(&used, &at);

	if (place)
		*place = slot;
}

/* Where the i-th probe looks: double hashing. */
static __always_inline u32 cell__slot(u64 id, u32 i)
{
	return ((u32)id + i * ((u32)(id >> 32) | 1)) & cell_mask;
}

#define CELL_BEGUN (1ULL << 32)

/* The place of a cell in the map and one; 0: there is none, and it is not begun when more than
 * `room` are in use. CELL_BEGUN: it is the caller's to fill. Global, as many places ask. */
__noinline u64 cell__place(u64 id, u32 half, u32 room)
{
	for (u32 i = 0; i < CELL_PROBES; i++) {
		u32 slot = cell__slot(id, i);
		u32 at = half * (cell_mask + 1) + slot;
		struct measure_cell *c = bpf_map_lookup_elem(&cells, &at);

		if (!c)
			return 0;
		if (c->id == id)
			return at + 1ULL;
		if (!c->id) {
			if (nused[half & 1] > room)
				return 0;
			if (!__sync_val_compare_and_swap(&c->id, 0, id)) {
				cell__use(half, slot);
				return (at + 1ULL) | CELL_BEGUN;
			}
		}
	}
	return 0;
}

/* NULL: as cell__place(). *where: its place in the map. */
static __always_inline struct measure_cell *cell__at(u64 id, u32 half, u32 room, u32 *where,
						     bool *begun)
{
	u64 place = cell__place(id, half, room);

	*begun = place & CELL_BEGUN;
	*where = (u32)place - 1;
	return place ? bpf_map_lookup_elem(&cells, where) : NULL;
}

static __always_inline struct measure_cell *cell__find(struct task_struct *task, u32 half,
						       const u64 *labels, u64 stack, u32 room,
						       u32 *where)
{
	struct measure_cell *c;
	bool begun;

	c = cell__at(cell__id(task, labels, stack), half, room, where, &begun);
	if (!c || !begun)
		return c;
	for (int i = 0; i < MEASURE_LABELS; i++)
		c->labels[i] = labels[i];
	c->stack = stack;
	if (task)
		who__fill(&c->who, task);
	return c;
}

/* Of a thread that need not be the one that runs, nor be there any more. */
static __always_inline struct measure_cell *cell__of_whom(const struct measure_who *who, const u64 *labels,
						     u32 half, u32 room)
{
	u64 h = hash_step(who->start_ns, who->tid);
	struct measure_cell *cell;
	bool begun;
	u32 at;

	for (int i = 0; i < MEASURE_LABELS; i++)
		h = hash_step(h, labels[i]);
	cell = cell__at(hash_finish(h), half, room, &at, &begun);
	if (!cell || !begun)
		return cell;
	for (int i = 0; i < MEASURE_LABELS; i++)
		cell->labels[i] = labels[i];
	cell->who = *who;
	return cell;
}

/* The word of labels that is known where threads of one name are one and nothing else is; the
 * declaration's .kept. */
#ifndef MEASURE_KEPT
#define MEASURE_KEPT 0
#endif

/* Threads of one name on one CPU. known: who.tid of MEASURE_MANY. */
static __noinline struct measure_cell *cell__of_many(const u64 *labels, u32 half, u32 room, u32 known)
{
	u64 comm[2], h = hash_step(bpf_get_smp_processor_id(), known);
	struct measure_cell *c;
	bool begun;
	u32 at;

	bpf_get_current_comm(comm, sizeof(comm));
	for (int i = 0; i < MEASURE_LABELS; i++)
		h = hash_step(h, labels[i]);
	h = hash_finish(hash_step(hash_step(h, comm[0]), comm[1]));
	c = cell__at(h, half, room, &at, &begun);
	if (!c || !begun)
		return c;
	for (int i = 0; i < MEASURE_LABELS; i++)
		c->labels[i] = labels[i];
	c->who.tgid = MEASURE_MANY;
	c->who.tid = known;
	__builtin_memcpy(c->who.comm, comm, sizeof(comm));
	return c;
}

/* Of all stacks. A cell that was drained since has another id, or none. */
static __always_inline struct measure_cell *cell__find_again(struct measure_last *l,
							     struct task_struct *task, u32 half,
							     const u64 *labels)
{
	u32 exec_id = task->self_exec_id, at = l->at;
	struct measure_cell *c;

	/* Nothing was counted before: id 0, which free cells have, too. */
	if (l->id && l->exec_id == exec_id && l->labels[0] == labels[0] && l->labels[1] == labels[1] &&
	    l->labels[2] == labels[2] && l->labels[3] == labels[3] &&
	    !((u32)scope_state & SCOPE_BPF_COMMS) && (at > cell_mask) == half) {
		c = bpf_map_lookup_elem(&cells, &at);
		if (c && c->id == l->id)
			return c;
	}
	c = cell__find(task, half, labels, 0, room_for_threads(), &at);
	if (!c)
		return NULL;
	l->at = at;
	l->id = c->id;
	l->exec_id = exec_id;
	for (int i = 0; i < MEASURE_LABELS; i++)
		l->labels[i] = labels[i];
	return c;
}

/* A global function, so that its many paths are verified once. */
__noinline u32 value__bucket(u64 value)
{
	return loglin__bucket(value >> value_shift, MEASURE_SUB_SHIFT, MEASURE_BUCKETS);
}

/* Whether programs may interrupt one another on events of one thread: what is known when they are loaded. */
#ifndef MEASURE_ATOMIC
#define MEASURE_ATOMIC 0
#endif
#define cell__add_to(place, n) cell__add_as(MEASURE_ATOMIC, place, n)
#define cell__add_as(atomic, place, n)                                                             \
	do {                                                                                       \
		if (atomic)                                                                        \
			__sync_fetch_and_add(place, n);                                            \
		else                                                                               \
			*(place) += (n);                                                           \
	} while (0)

static __always_inline void cell__add_one(struct measure_cell *c, u64 value, u32 bucket, bool error, bool atomic)
{
	if (!c->count || value < c->min)
		c->min = value;
	if (value > c->max)
		c->max = value;
	cell__add_as(atomic, &c->count, 1);
	cell__add_as(atomic, &c->sum, value);
	cell__add_as(atomic, &c->errors, error);
	cell__add_as(atomic, &c->hist[bucket & (MEASURE_BUCKETS - 1)], 1);
}

static __always_inline void cell__add(struct measure_cell *c, u64 value, u32 bucket, bool error)
{
	cell__add_one(c, value, bucket, error, MEASURE_ATOMIC);
}

__noinline bool cell__is_kept(u64 id, u32 half)
{
	for (u32 i = 0; i < CELL_PROBES; i++) {
		u32 at = half * (cell_mask + 1) + cell__slot(id, i);
		struct measure_cell *c = bpf_map_lookup_elem(&cells, &at);

		if (c && c->id == id)
			return true;
	}
	return false;
}

/* Whether what agrees in these has a cell already. */
static __always_inline bool cell__is_there(struct task_struct *task, u32 half, const u64 *labels)
{
	return cell__is_kept(cell__id(task, labels, 0), half);
}

/* Whether a half is so full that what makes many cells, such as names, should make no more. */
static __always_inline bool cells__are_scarce(u32 half)
{
	return nused[half & 1] > room_for_stacks();
}

#endif
