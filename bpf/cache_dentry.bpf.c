// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names that are looked up, as far as system calls tell: those that take a path, and how many
 * of them found that there is no such name. Lookups within the kernel are told by no tracepoint.
 * It is run at the end of every system call, so it is attached only while it is looked at.
 */
#include "bpf/cache_dentry.h"
#include "bpf/kernel.bpf.h"
#define SOURCE_STATS dentry_stats
#include "bpf/source.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define ENOENT	      2
#define ENOTDIR	      20
#define AT_EMPTY_PATH 0x1000

const volatile u64 path_calls[DENTRY_CALLS / 64] = {};	    /* a bit each: takes a path */
const volatile u32 call_newfstatat = ~0u, call_statx = ~0u; /* may have an empty one */

#if defined(__TARGET_ARCH_x86)
struct pt_regs___path {
	u64 si, dx, r10;
} KERNEL_TYPE;
#define REGS_PATH(r)  (((struct pt_regs___path *)(r))->si)
#define REGS_THIRD(r) (((struct pt_regs___path *)(r))->dx)
#define REGS_LAST(r)  (((struct pt_regs___path *)(r))->r10)
#elif defined(__TARGET_ARCH_arm64)
#define REGS_PATH(r)  ((r)->regs[1])
#define REGS_THIRD(r) ((r)->regs[2])
#define REGS_LAST(r)  ((r)->regs[3])
#endif

HALVES(names, 8192, struct dentry_key, struct dentry_sum);

/* fstat() is a call with an empty path, too. */
static __always_inline bool is_empty(REGS_TYPE *regs, u32 call)
{
	u64 flags = call == call_newfstatat ? REGS_LAST(regs)
		    : call == call_statx    ? REGS_THIRD(regs)
					    : 0;
	char first = 1;

	return (flags & AT_EMPTY_PATH) &&
	       !bpf_probe_read_user(&first, 1, (void *)REGS_PATH(regs)) && !first;
}

static __always_inline struct dentry_sum *sum__of(const struct dentry_key *key)
{
	void *map = half__of(names, active);
	struct dentry_sum *sum = bpf_map_lookup_elem(map, key), fresh = {};

	if (sum)
		return sum;
	fresh.tid = (u32)bpf_get_current_pid_tgid();
	fresh.cpu = bpf_get_smp_processor_id();
	bpf_get_current_comm(fresh.comm, sizeof(fresh.comm));
	bpf_map_update_elem(map, key, &fresh, BPF_NOEXIST);
	return bpf_map_lookup_elem(map, key);
}

/* Names of threads are judged by user space: while it has to, they are counted apart. */
static __always_inline u64 name__hash(void)
{
	u64 w[2] = {};

	if (!((u32)scope_state & SCOPE_BPF_COMMS))
		return 0;
	bpf_get_current_comm(w, sizeof(w));
	return ((w[0] * 0x9fb21c651e98df25ULL) ^ w[1]) * 0xd6e8feb86659fd93ULL;
}

static __always_inline void count(struct task_struct *task, s64 result, struct dentry_stats *st)
{
	struct dentry_key key = {};
	struct dentry_sum *sum;

	if (!scope__passes(task, task->tgid, task->pid, bpf_get_smp_processor_id()))
		return;
	key.cgroup = bpf_get_current_cgroup_id();
	key.name = name__hash();
	key.tgid = task->tgid;
	st->lookups++;
	sum = sum__of(&key);
	if (!sum) {
		st->full++;
		return;
	}
	__sync_fetch_and_add(&sum->lookups, 1);
	if (result == -ENOENT || result == -ENOTDIR)
		__sync_fetch_and_add(&sum->negative, 1);
	sum->last_ns = bpf_ktime_get_ns();
}

SEC("tp_btf/sys_exit")
int dentry_call(u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	REGS_TYPE *regs = (void *)ctx[0];
	u32 call = REGS_SYSCALL(regs);
	struct dentry_stats *st = stats__get();
	u64 begin_ns;

	if (!st)
		return 0;
	begin_ns = ++st->runs & 255 ? 0 : bpf_ktime_get_ns();
	if (call < DENTRY_CALLS && (path_calls[call / 64] & (1ULL << (call & 63))) &&
	    !is_empty(regs, call))
		count(task, ctx[1], st);
	if (begin_ns) {
		st->timed++;
		st->run_ns += bpf_ktime_get_ns() - begin_ns;
	}
	return 0;
}
