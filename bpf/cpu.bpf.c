// SPDX-License-Identifier: GPL-2.0-only
/*
 * On-CPU sampler: runs at each sample of a perf event and counts (stack, task, cgroup, CPU)
 * in the kernel. Two maps take turns: user space flips `active`, waits until no program runs
 * that saw the old value, and drains the other in peace, so no count is lost or doubled.
 */
#include "bpf/kernel.bpf.h"
#include "bpf/cpu.h"
#include "bpf/moment.bpf.h"
#define SOURCE_STATS cpu_stats
#include "bpf/source.bpf.h"
#include "bpf/stack.bpf.h"

char LICENSE[] SEC("license") = "GPL";

volatile u32 count_idle = 0;
const volatile u64 watched_since = 0; /* since when the sideband tells of new processes */
volatile u32 armed = 0;	      /* samples before every CPU is on do not count */
volatile u32 stack_flags = 0; /* STACK_KERNEL | STACK_USER */

HALVES(counts, 1024, struct cpu_key, struct cpu_count);

/* Processes that user space was told of: tgid | exec id << 32. */
HASH_MAP(tasks_seen, 8192, u64, u8);

/* Processes older than proftop are known from /proc only, which must be read before they end;
 * the sideband tells of younger ones in time, so nobody has to be woken for them. */
static __always_inline bool must_hurry(const struct cpu_key *key)
{
	return key->start_ns < watched_since;
}

static __always_inline void announce(const struct cpu_key *key, struct cpu_stats *st, u64 now)
{
	u64 id = key->tgid | ((u64)key->exec_id << 32);
	struct task_record r = {
		.type = RECORD_TASK, .tgid = key->tgid, .tid = key->tid, .t_ns = now};
	u8 one = 1;

	if (bpf_map_lookup_elem(&tasks_seen, &id))
		return;
	bpf_get_current_comm(r.comm, sizeof(r.comm));
	if (bpf_ringbuf_output(&records, &r, sizeof(r), ring_flags(must_hurry(key))))
		st->tasks_lost++;
	else
		bpf_map_update_elem(&tasks_seen, &id, &one, BPF_ANY);
}

static __always_inline void add(struct cpu_count *c, u64 period, u64 now)
{
	__sync_fetch_and_add(&c->count, 1);
	__sync_fetch_and_add(&c->weight, period);
	c->last_ns = now;
}

static __always_inline bool count(void *map, const struct cpu_key *key, struct task_struct *leader,
				  u64 period, u64 now)
{
	struct cpu_count *c = bpf_map_lookup_elem(map, key);
	struct cpu_count fresh = {.count = 1, .weight = period, .first_ns = now, .last_ns = now};

	if (c) {
		add(c, period, now);
		return true;
	}
	bpf_get_current_comm(fresh.comm, sizeof(fresh.comm));
	bpf_probe_read_kernel_str(fresh.process, sizeof(fresh.process), leader->comm);
	if (!bpf_map_update_elem(map, key, &fresh, BPF_NOEXIST))
		return true;
	c = bpf_map_lookup_elem(map, key);
	if (c)
		add(c, period, now);
	return c != NULL;
}

/* Where user code was interrupted, as exactly as the event knows; 0: it was the kernel's. */
static __always_inline u64 user_ip(struct bpf_perf_event_data *ctx)
{
	u64 ip = PT_REGS_IP(&ctx->regs);

	return (s64)ip < 0 ? 0 : ip;
}

static __always_inline void sample(struct bpf_perf_event_data *ctx, struct cpu_stats *st, u64 now)
{
	u64 id = bpf_get_current_pid_tgid();
	struct cpu_key key = {.tgid = id >> 32, .tid = id, .cpu = bpf_get_smp_processor_id()};
	struct task_struct *task = (void *)bpf_get_current_task(), *leader;
	u32 flags = stack_flags;

	if (!key.tid && !count_idle)
		return;
	if (!scope__passes(task, key.tgid, key.tid, key.cpu) || !moment__passes(ctx, task, MOMENT_REGISTERS))
		return;
	st->samples++;
	key.cgroup = bpf_get_current_cgroup_id();
	key.exec_id = BPF_CORE_READ(task, self_exec_id);
	leader = BPF_CORE_READ(task, group_leader);
	key.start_ns = BPF_CORE_READ(leader, start_time);
	if (key.tid)
		announce(&key, st, now);
	if (flags)
		key.stack = stack__capture(ctx, STACK_SLOT_PERF, flags, user_ip(ctx), now);
	if (flags && !key.stack)
		st->stacks_lost++;
	if (!count(half__of(counts, active), &key, leader, ctx->sample_period,
		   now))
		st->map_full++;
}

SEC("perf_event")
int cpu_sample(struct bpf_perf_event_data *ctx)
{
	u64 begin = bpf_ktime_get_ns();
	struct cpu_stats *st = stats__get();

	if (!st || !armed)
		return 0;
	sample(ctx, st, begin);
	st->runs++;
	st->run_ns += bpf_ktime_get_ns() - begin;
	return 0;
}
