/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What comes within a span, in time order: the question's own events, and what its thread or its CPU does
 * meanwhile. A span that took long is sent with it. Of a key the log stays from one span to the next, so
 * nothing is allocated for most of them. Behind bpf/question_run.bpf.h.
 */
#ifndef BPF_QUESTION_LOG_BPF_H
#define BPF_QUESTION_LOG_BPF_H

const volatile u32 log_by = QUESTION_LOG_NONE;

LRU_MAP(logs, 1, u64, struct question_log); /* QUESTION_LOGS where it is needed */

static const struct question_log no_log;

/* Spans of a thread; the idle threads of all CPUs have one number. */
static __always_inline u64 thread__key(u32 tid)
{
	return tid ?: 1ULL << 32 | bpf_get_smp_processor_id();
}

static __always_inline void log__begin(u64 key, u64 now)
{
	struct question_log *log;

	if (!log_by)
		return;
	log = bpf_map_lookup_elem(&logs, &key);
	if (!log) {
		bpf_map_update_elem(&logs, &key, &no_log, BPF_NOEXIST);
		log = bpf_map_lookup_elem(&logs, &key);
	}
	if (!log)
		return;
	log->n = 0;
	log->end_ns = 0;
	log->begin_ns = now;
}

/* Of a span that goes on, with room; NULL: there is none. */
static __always_inline struct question_log *log__open(u64 key)
{
	struct question_log *log = bpf_map_lookup_elem(&logs, &key);

	if (!log || !log->begin_ns || log->end_ns)
		return NULL;
	if (log->n < MEASURE_MOMENTS)
		return log;
	__sync_fetch_and_add(&log->n, 1);
	return NULL;
}

static __always_inline void log__add(struct question_log *log, u32 what, u32 tid, u64 value, u64 stack)
{
	u32 at = __sync_fetch_and_add(&log->n, 1);
	struct question_moment *m;

	if (at >= MEASURE_MOMENTS)
		return;
	m = &log->moments[at];
	m->stack = stack;
	m->value = value;
	m->tid = tid;
	m->cpu = bpf_get_smp_processor_id();
	m->what = what;
	m->t_ns = bpf_ktime_get_ns();
}

/* An event of the question's own. */
static __always_inline void log__event(u64 key, u32 event, u32 tid, u64 value)
{
	struct question_log *log = log_by ? log__open(key) : NULL;

	if (log)
		log__add(log, event, tid, value, 0);
}

/* Nothing is added any more. */
static __always_inline void log__end(u64 key, u64 now)
{
	struct question_log *log = log_by ? bpf_map_lookup_elem(&logs, &key) : NULL;

	if (log)
		log->end_ns = now;
}

static __noinline int log__send(u64 key, u64 begin_ns)
{
	struct question_log *log = bpf_map_lookup_elem(&logs, &key);
	struct measure_stats *st = stats__get();
	u32 n;

	if (!log || !st || log->begin_ns != begin_ns)
		return 0;
	n = log->n;
	if (n > MEASURE_MOMENTS)
		n = MEASURE_MOMENTS;
	log->type = RECORD_QUESTION_LOG;
	if (bpf_ringbuf_output(&records, log,
			       offsetof(struct question_log, moments) + n * sizeof(log->moments[0]),
			       ring_flags(false)))
		st->slow_lost++;
	return 0;
}

/* --- what its thread or its CPU does --- */

static __always_inline u64 log__key(u32 tid)
{
	return log_by == QUESTION_LOG_CPU ? bpf_get_smp_processor_id() : thread__key(tid);
}

/* Its stacks have a slot of their own: programs on functions may be preempted. */
SEC("raw_tp/sched_switch")
int question_switch(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *prev = bpf_get_current_task_btf(), *next = (void *)ctx->args[2];
	struct question_log *log = log__open(log__key(prev->pid));
	u32 tid = BPF_CORE_READ(next, pid);

	if (log)
		log__add(log, QUESTION_MOMENT_OUT, prev->pid, ctx->args[0] ? 0 : task__state(prev),
			 stack__capture(ctx, STACK_SLOT_OWN, STACK_KERNEL | STACK_USER | STACK_TRACED,
					0, bpf_ktime_get_ns()));
	log = log__open(log__key(tid));
	if (log)
		log__add(log, QUESTION_MOMENT_IN, tid, 0, 0);
	return 0;
}

SEC("raw_tp/sched_wakeup")
int question_wakeup(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (void *)ctx->args[0];
	u32 tid = BPF_CORE_READ(task, pid);
	struct question_log *log = log__open(thread__key(tid));

	if (log)
		log__add(log, QUESTION_MOMENT_WAKEUP, tid, bpf_get_current_task_btf()->pid, 0);
	return 0;
}

static __always_inline int log__sampled(void *ctx, u32 what, u64 value)
{
	u32 tid = bpf_get_current_task_btf()->pid;
	struct question_log *log = log__open(log__key(tid));

	if (log)
		log__add(log, what, tid, value,
			 stack__capture(ctx, STACK_SLOT_PERF, STACK_KERNEL | STACK_USER, 0,
					bpf_ktime_get_ns()));
	return 0;
}

SEC("perf_event")
int question_sample(struct bpf_perf_event_data *ctx)
{
	return log__sampled(ctx, QUESTION_MOMENT_SAMPLE, 0);
}

SEC("perf_event")
int question_fault(struct bpf_perf_event_data *ctx)
{
	return log__sampled(ctx, QUESTION_MOMENT_FAULT, ctx->addr);
}

#endif
