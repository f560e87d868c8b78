// SPDX-License-Identifier: GPL-2.0-only
/*
 * The smallest program of each kind, for the doctor: loaded alone, attached, taken away.
 * They do as little as the verifier lets them and keep nothing. Maps are created only with
 * the program that needs them.
 */
#include "bpf/maps.bpf.h"

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} probe_ring SEC(".maps");

HASH_MAP(probe_hash, 4, u32, u64);

TASK_MAP(probe_storage, u64);

/* It has no entries made beforehand. */
SPARSE_HASH_MAP(probe_sparse_hash, 4, u32, u64);

SEC("perf_event")
int probe_perf_event(void *ctx)
{
	return 0;
}

SEC("raw_tp/sched_switch")
int probe_raw_tp(void *ctx)
{
	return 0;
}

SEC("tp_btf/sched_switch")
int probe_tp_btf(void *ctx)
{
	return 0;
}

SEC("tracepoint/sched/sched_switch")
int probe_tracepoint(void *ctx)
{
	return 0;
}

SEC("fentry/vfs_read")
int probe_fentry(void *ctx)
{
	return 0;
}

SEC("kprobe/vfs_read")
int probe_kprobe(void *ctx)
{
	return 0;
}

SEC("uprobe")
int probe_uprobe(void *ctx)
{
	return 0;
}

SEC("iter/task")
int probe_iter(void *ctx)
{
	return 0;
}

SEC("iter/bpf_map_elem")
int probe_map_iter(void *ctx)
{
	return 0;
}

SEC("raw_tp/sched_switch")
int probe_ringbuf(void *ctx)
{
	u64 *slot = bpf_ringbuf_reserve(&probe_ring, sizeof(*slot), 0);

	if (slot)
		bpf_ringbuf_discard(slot, 0);
	return 0;
}

SEC("raw_tp/sched_switch")
int probe_batch(void *ctx)
{
	u32 key = 0;

	bpf_map_lookup_elem(&probe_hash, &key);
	return 0;
}

SEC("perf_event")
int probe_sparse(void *ctx)
{
	u32 key = 0;

	bpf_map_lookup_elem(&probe_sparse_hash, &key);
	return 0;
}

/* On its own stack, so that it has no map. */
SEC("raw_tp/sched_switch")
int probe_atomics(void *ctx)
{
	u64 value = bpf_get_smp_processor_id();

	return __sync_val_compare_and_swap(&value, 1, 2) == 1;
}

static long nothing(u32 index, void *ctx)
{
	return 1;
}

SEC("raw_tp/sched_switch")
int probe_loop(void *ctx)
{
	bpf_loop(1, nothing, NULL, 0);
	return 0;
}

SEC("tp_btf/sched_switch")
int probe_task_storage(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();

	bpf_task_storage_get(&probe_storage, task, NULL, 0);
	return 0;
}

/* The registers with which a task entered the kernel. On a raw tracepoint, as the kernel's types, which
 * take long to read, are not needed for that. */
SEC("raw_tp/sched_switch")
int probe_unwind(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();

	return !bpf_task_pt_regs(task);
}
