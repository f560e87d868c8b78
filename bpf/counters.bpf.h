/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters of perf events that run on each CPU all the time: what each has gone on by since the last
 * look is the thread's that has had the CPU. A CPU looks where it switches threads, and when
 * user space has it do so at the end of an interval. Interrupts are off both times. A program defines
 * COUNTERS_TOGETHER as how many of them, one behind the other, are one row's, and includes this once.
 */
#ifndef BPF_COUNTERS_BPF_H
#define BPF_COUNTERS_BPF_H

#include "bpf/counters.h"
#include "bpf/measure.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* Of each CPU one behind the other: counter * counters_cpus + cpu. Sized by user space. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, COUNTERS_MAX);
	__type(key, u32);
	__type(value, u32);
} counters SEC(".maps");

const volatile u32 counters_n = 0, counters_cpus = 0;
/* Which one is counted here: the kernel counts switches after they are looked at. */
const volatile u32 counters_switches = COUNTERS_MAX;

struct counted {
	u64 n, enabled, running;
	u64 known;
};

PERCPU_MAP(before, COUNTERS_MAX, struct counted);

/* *since: what it went on by since the last look; false: nothing, which is said once an interval
 * (zeros), so that an event that did not happen has a row. */
static __always_inline bool counter__look(u32 i, u32 cpu, bool zeros, struct counted *since)
{
	struct counted *last = bpf_map_lookup_elem(&before, &i);
	struct bpf_perf_event_value now = {};

	if (!last || bpf_perf_event_read_value(&counters, i * counters_cpus + cpu, &now, sizeof(now)))
		return false;
	since->n = now.counter - last->n;
	since->enabled = now.enabled - last->enabled;
	since->running = now.running - last->running;
	since->known = last->known;
	last->n = now.counter;
	last->enabled = now.enabled;
	last->running = now.running;
	last->known = 1;
	return since->known && (zeros || since->n || since->running < since->enabled);
}

/* A global function, so that it is checked once. task: its address. */
__noinline int charge(u32 i, struct measure_stats *st, const struct counted *c)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u32 half = active != 0, at;
	u64 labels[MEASURE_LABELS] = {i / COUNTERS_TOGETHER + 1, bpf_get_smp_processor_id()};
	struct measure_cell *cell;

	if (!st || !c)
		return 0;
	cell = cell__find(task, half, labels, 0, room_for_threads(), &at);
	if (!cell)
		cell = cell__elsewhere(labels, half, st);
	if (!cell)
		return 0;
	if (i % COUNTERS_TOGETHER) {
		cell->sums[COUNTERS_SECOND] += c->n;
		return 0;
	}
	cell->count += c->n;
	cell->sums[COUNTERS_ENABLED] += c->enabled;
	cell->sums[COUNTERS_RUNNING] += c->running;
	return 0;
}

static __always_inline void look(bool switches)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct measure_stats *st = stats__get();
	u32 cpu = bpf_get_smp_processor_id();
	bool wanted;
	u64 now;

	if (!st)
		return;
	now = run__begin(st);
	wanted = (!(u32)scope_state || scope__cpu(cpu)) && task__in_scope(task);
	st->count += wanted;
	for (u32 i = 0; i < COUNTERS_MAX && i < counters_n; i++) {
		struct counted since = {.n = switches, .enabled = 1, .running = 1};

		if (i == counters_switches || counter__look(i, cpu, !switches, &since))
			if (wanted)
				charge(i, st, &since);
	}
	run__end(st, now);
}

SEC("tp_btf/sched_switch")
int counters_switch(u64 *ctx)
{
	look(true);
	return 0;
}

/* User space runs it on each CPU. */
SEC("raw_tp")
int counters_flush(struct bpf_raw_tracepoint_args *ctx)
{
	look(false);
	return 0;
}

#endif
