// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names that are looked up, as far as system calls tell: those that take a path, and how many
 * of them found that there is no such name. Lookups within the kernel are told by no tracepoint.
 */
#include "bpf/lookups.h"
#include "bpf/call.bpf.h"
#include "bpf/measure.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define ENOENT	      2
#define ENOTDIR	      20
#define AT_EMPTY_PATH 0x1000

const volatile struct lookups_setting settings[2 * SYSCALLS_MAX];

/* fstat() is a call with an empty path, too. Those that may have one have it in their second argument. */
static __always_inline bool is_empty(REGS_TYPE *regs, bool compat, u32 flags)
{
	u64 args[MEASURE_ARGS];
	char first = 1;

	if (!flags)
		return false;
	read_args(regs, compat, args);
	return (arg__at(args, flags - 1) & AT_EMPTY_PATH) &&
	       !bpf_probe_read_user(&first, 1, (void *)args[1]) && !first;
}

SEC("tp_btf/sys_exit")
int lookups_exit(u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	REGS_TYPE *regs = (void *)ctx[0];
	s64 result = ctx[1];
	bool compat = is_compat(task), absent = result == -ENOENT || result == -ENOTDIR;
	u64 labels[MEASURE_LABELS] = {call__label(REGS_SYSCALL(regs), compat), absent}, began;
	const volatile struct lookups_setting *set = &settings[call__index(labels[0])];
	struct measure_stats *st;
	struct measure_cell *c = NULL;
	struct measure_task *t;

	if (!set->path)
		return 0;
	st = stats__get();
	if (!st)
		return 0;
	began = run__begin(st);
	t = measure__task(task, st);
	if (t && !is_empty(regs, compat, set->empty))
		c = measure__count(ctx, task, t, labels, 0, false, st);
	if (c && absent)
		cell__add_to(&c->sums[LOOKUPS_NEGATIVE], 1);
	run__end(st, began);
	return 0;
}
