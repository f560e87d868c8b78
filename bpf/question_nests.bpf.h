/* SPDX-License-Identifier: GPL-2.0-only */
/* Pairs that are in each other on a thread. Of bpf/question.bpf.c. */
#ifndef BPF_QUESTION_NESTS_BPF_H
#define BPF_QUESTION_NESTS_BPF_H

HASH_MAP(nests, 1, u64, struct question_nest); /* QUESTION_SPANS where it is needed */

static const struct question_nest no_nest;

static __always_inline struct question_nest *nest__of(u64 key, struct measure_stats *st)
{
	struct question_nest *n = bpf_map_lookup_elem(&nests, &key);

	if (n)
		return n;
	bpf_map_update_elem(&nests, &key, &no_nest, BPF_NOEXIST);
	n = bpf_map_lookup_elem(&nests, &key);
	if (!n)
		st->full++;
	return n;
}

/* What is deeper than there is room for is not followed, nor is its end. */
static __always_inline void run__enter(const struct run *r)
{
	struct question_level *l;
	struct question_nest *n;
	u64 outer = 0;
	u32 at;

	if (!evaluate(r))
		return;
	n = nest__of(span__key(r), r->st);
	if (!n)
		return;
	at = n->depth;
	if (at >= QUESTION_DEPTH) {
		r->st->notes[QUESTION_NOTE_AGAIN]++;
		return;
	}
	if (at)
		outer = n->levels[(at - 1) & (QUESTION_DEPTH - 1)].path;
	l = &n->levels[at & (QUESTION_DEPTH - 1)];
	l->path = outer << QUESTION_PATH_BITS | (r->slot->step + 1);
	l->inner_ns = 0;
	l->begin_ns = bpf_ktime_get_ns();
	n->depth = at + 1;
}

/* The innermost of the pair; those within that did not end are over. QUESTION_DEPTH: there is none. */
static __always_inline u32 nest__find(const struct question_nest *n, u32 pair)
{
	u32 found = QUESTION_DEPTH;

	for (u32 i = 0; i < QUESTION_DEPTH; i++)
		if (i < n->depth &&
		    (n->levels[i].path & ((1 << QUESTION_PATH_BITS) - 1)) == pair + 1)
			found = i;
	return found;
}

static __always_inline void run__leave(const struct run *r)
{
	struct measure_span s = {.task = r->task, .of = r->t, .now = bpf_ktime_get_ns()};
	u64 *labels = r->made->labels, stack, ns, inner, key;
	struct measure_cell *cell = NULL;
	struct question_nest *n;
	u32 at;

	if (!evaluate(r))
		return;
	key = span__key(r);
	n = bpf_map_lookup_elem(&nests, &key);
	at = n ? nest__find(n, r->slot->step) : QUESTION_DEPTH;
	if (at >= QUESTION_DEPTH) {
		r->st->notes[QUESTION_NOTE_UNMATCHED]++;
		return;
	}
	s.begin_ns = n->levels[at].begin_ns;
	labels[0] = n->levels[at].path;
	for (u32 i = 1; i < MEASURE_LABELS; i++)
		labels[i] = 0;
	inner = n->levels[at].inner_ns;
	ns = s.now - s.begin_ns;
	n->depth = at;
	if (at)
		n->levels[(at - 1) & (QUESTION_DEPTH - 1)].inner_ns += ns;
	else
		bpf_map_delete_elem(&nests, &key);
	if (!r->t)
		return;
	s.labels = labels;
	measure__end(r->ctx, &s, r->st, &stack, &cell);
	if (cell)
		cell__add_to(&cell->sums[0], ns > inner ? ns - inner : 0);
}

/* What the thread was in ends with it. */
SEC("raw_tp/sched_process_exit")
int question_exit(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (void *)ctx->args[0];
	u64 key = BPF_CORE_READ(task, pid);

	bpf_map_delete_elem(&spans, &key);
	bpf_map_delete_elem(&nests, &key);
	return 0;
}

#endif
