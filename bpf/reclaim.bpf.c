// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that is made free: a span of the thread that has to reclaim pages before it gets some, that
 * is kswapd, or that compacts memory; and processes that the kernel kills as that was not enough.
 * None of these begins within another one.
 */
#include "bpf/reclaim.h"
#include "bpf/measure.bpf.h"
#include "bpf/measure_names.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define STACKS (STACK_KERNEL | STACK_USER | STACK_TRACED)

/* The same in all kernels since 5.14. */
#define GFP_MOVABLE 0x8
#define GFP_IO	    0x40
#define GFP_FS	    0x80

static __always_inline u64 flags_of(u64 gfp)
{
	return (gfp & GFP_MOVABLE ? RECLAIM_MOVABLE : 0) | (gfp & GFP_IO ? RECLAIM_IO : 0) |
	       (gfp & GFP_FS ? RECLAIM_FS : 0);
}

static __always_inline u64 why(u32 kind, u32 order, u64 flags)
{
	return kind | (u64)(order & 0xff) << RECLAIM_ORDER_SHIFT | flags << RECLAIM_FLAGS_SHIFT;
}

/* --- spans --- */

/* kswapd is told to go on by what it began with. */
static __always_inline int begins(u64 why)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct measure_stats *st = stats__get();
	struct measure_task *t;

	if (!st)
		return 0;
	t = measure__task(task, st);
	if (!t || (t->inside && (u8)why == RECLAIM_KSWAPD))
		return 0;
	t->labels[RECLAIM_LABEL_KIND] = (u8)why;
	t->labels[RECLAIM_LABEL_WHY] = why;
	t->begin_ns = bpf_ktime_get_ns();
	t->inside = 1;
	for (int i = 0; i < MEASURE_SPAN_SUMS; i++)
		t->own[i] = 0;
	return 0;
}

/* Of the current thread, when it is in a span; else NULL. */
static __always_inline struct measure_task *inside(void)
{
	struct measure_task *t = bpf_task_storage_get(&tasks, bpf_get_current_task_btf(), 0, 0);

	return t && t->inside ? t : NULL;
}

/* A function of its own: ends of all kinds do the same. */
static __noinline int span_ends(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct measure_stats *st = stats__get();
	struct measure_span s = {.task = task, .stack = STACKS};
	u64 labels[MEASURE_LABELS] = {}, stack;
	struct measure_task *t = inside();
	struct measure_cell *cell;

	if (!st || !t || !task__watched(t, task))
		return 0;
	t->inside = 0;
	s.now = run__begin(st);
	s.of = t;
	s.begin_ns = t->begin_ns;
	s.labels = labels;
	labels[RECLAIM_LABEL_KIND] = t->labels[RECLAIM_LABEL_KIND];
	labels[RECLAIM_LABEL_WHY] = t->labels[RECLAIM_LABEL_WHY];
	for (int i = 0; i < MEASURE_SPAN_SUMS; i++)
		s.sums[i] = t->own[i];
	if (measure__end(ctx, &s, st, &stack, &cell) & MEASURE_IS_SLOW)
		slow__report(&s, stack);
	run__end(st, s.now);
	return 0;
}

/* What slabs gave is in this number, too. */
static __always_inline int reclaim_ends(void *ctx, u64 reclaimed)
{
	struct measure_task *t = inside();

	if (t)
		t->own[RECLAIM_SUM_RECLAIMED] = reclaimed;
	return span_ends(ctx);
}

SEC("raw_tp/mm_vmscan_direct_reclaim_begin")
int reclaim_direct_begins(struct bpf_raw_tracepoint_args *ctx)
{
	return begins(why(RECLAIM_DIRECT, ctx->args[0], flags_of(ctx->args[1])));
}

SEC("raw_tp/mm_vmscan_direct_reclaim_end")
int reclaim_direct_ends(struct bpf_raw_tracepoint_args *ctx)
{
	return reclaim_ends(ctx, ctx->args[0]);
}

SEC("raw_tp/mm_vmscan_memcg_reclaim_begin")
int reclaim_cgroup_begins(struct bpf_raw_tracepoint_args *ctx)
{
	return begins(why(RECLAIM_CGROUP, ctx->args[0], flags_of(ctx->args[1])));
}

SEC("raw_tp/mm_vmscan_memcg_reclaim_end")
int reclaim_cgroup_ends(struct bpf_raw_tracepoint_args *ctx)
{
	return reclaim_ends(ctx, ctx->args[0]);
}

SEC("raw_tp/mm_vmscan_kswapd_wake")
int reclaim_kswapd_wakes(struct bpf_raw_tracepoint_args *ctx)
{
	return begins(why(RECLAIM_KSWAPD, ctx->args[2], 0));
}

SEC("raw_tp/mm_vmscan_kswapd_sleep")
int reclaim_kswapd_sleeps(struct bpf_raw_tracepoint_args *ctx)
{
	return span_ends(ctx);
}

SEC("raw_tp/mm_compaction_begin")
int reclaim_compaction_begins(struct bpf_raw_tracepoint_args *ctx)
{
	bool sync = (u8)ctx->args[3];

	return begins(why(RECLAIM_COMPACTION, 0, sync ? RECLAIM_SYNC : 0));
}

SEC("raw_tp/mm_compaction_end")
int reclaim_compaction_ends(struct bpf_raw_tracepoint_args *ctx)
{
	return span_ends(ctx);
}

/* --- what comes within them --- */

SEC("raw_tp/mm_vmscan_lru_shrink_inactive")
int reclaim_scans(struct bpf_raw_tracepoint_args *ctx)
{
	struct measure_task *t = inside();

	if (!t)
		return 0;
	t->own[RECLAIM_SUM_SCANNED] += ctx->args[1];
	t->own[RECLAIM_SUM_RECLAIMED] += ctx->args[2];
	return 0;
}

SEC("raw_tp/mm_vmscan_write_folio")
int reclaim_writes(struct bpf_raw_tracepoint_args *ctx)
{
	struct measure_task *t = inside();

	if (t)
		t->own[RECLAIM_SUM_WRITTEN]++;
	return 0;
}

/* It has slept already, for so many us. */
SEC("raw_tp/mm_vmscan_throttled")
int reclaim_throttled(struct bpf_raw_tracepoint_args *ctx)
{
	struct measure_task *t = inside();

	if (!t)
		return 0;
	t->own[RECLAIM_SUM_THROTTLED] += (u64)(u32)ctx->args[2] * 1000;
	t->labels[RECLAIM_LABEL_KIND] = (u8)t->labels[RECLAIM_LABEL_KIND] |
					((ctx->args[3] & 0x7f) + 1) << RECLAIM_THROTTLED_SHIFT;
	return 0;
}

/* --- kills --- */

#define VICTIM_NAME_MAX 64

/* Before 6.8 its pid is all that the event has. */
static __always_inline u32 victim__pid(u64 arg)
{
	return arg >> 63 ? (u32)BPF_CORE_READ((struct task_struct *)arg, pid) : (u32)arg;
}

/* A pid may be another one's soon: its name is sent with each kill. */
static __always_inline void victim__name(u64 arg, u32 pid, struct measure_stats *st)
{
	struct measure_name *n = name__begin(NAME_OF_TASK);
	u64 words[2] = {pid, 0};

	if (!n)
		return;
	__builtin_memset(n->text, 0, VICTIM_NAME_MAX);
	if (arg >> 63) {
		char comm[16];

		BPF_CORE_READ_STR_INTO(&comm, (struct task_struct *)arg, comm);
		words[1] = (u64)comm;
		bpf_snprintf(n->text, VICTIM_NAME_MAX, "%d %s", words, sizeof(words));
	} else {
		bpf_snprintf(n->text, VICTIM_NAME_MAX, "%d", words, sizeof(u64));
	}
	name__send(n, RECLAIM_LABEL_VICTIM, pid, VICTIM_NAME_MAX - 1, 0, st);
}

/* Who asked for memory reclaimed some right before: at a limit of its control group, or for the machine. */
SEC("raw_tp/mark_victim")
int reclaim_kills(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct measure_stats *st = stats__get();
	u64 labels[MEASURE_LABELS] = {}, now, last;
	u32 pid = victim__pid(ctx->args[0]);
	struct measure_task *t;

	if (!st)
		return 0;
	t = measure__task(task, st);
	if (!t)
		return 0;
	now = run__begin(st);
	last = t->labels[RECLAIM_LABEL_WHY];
	labels[RECLAIM_LABEL_KIND] = (u8)last == RECLAIM_CGROUP ? RECLAIM_CGROUP_OOM : RECLAIM_OOM;
	labels[RECLAIM_LABEL_WHY] = last;
	labels[RECLAIM_LABEL_VICTIM] = pid;
	victim__name(ctx->args[0], pid, st);
	measure__count(ctx, task, t, labels, 0, false, st);
	run__end(st, now);
	return 0;
}

MEASURE_VISIT_OPEN
