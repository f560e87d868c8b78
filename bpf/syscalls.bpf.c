// SPDX-License-Identifier: GPL-2.0-only
/*
 * System calls: a span from sys_enter to sys_exit, by thread, call and error. A failed call that
 * names a path has the path as a label, too. Calls that do not return (exit) end with their thread;
 * those that a thread is in when watching begins are found by the iterator and counted from then on.
 * An interrupted call that is restarted is two, as it enters the kernel twice.
 */
#include "bpf/call.bpf.h"
#include "bpf/measure.bpf.h"
#include "bpf/measure_names.bpf.h"
#include "bpf/syscalls.h"
#include "bpf/vfs_kernel.bpf.h"

char LICENSE[] SEC("license") = "GPL";

const volatile struct syscall_setting settings[2 * SYSCALLS_MAX];

static __always_inline const volatile struct syscall_setting *setting__of(u64 label)
{
	return &settings[call__index(label)];
}

/* --- paths --- */

/* The index of the first argument of a set; MEASURE_ARGS: none. */
static __always_inline u32 first_of(u32 set)
{
	u32 i = 0;

	while (i < MEASURE_ARGS && !(set & (1u << i)))
		i++;
	return i;
}

/* The hash of a path, by which it is a label; its text is sent when it is new. 0: not to be had. */
static __noinline u64 path__label(u64 address)
{
	struct measure_name *n = name__begin(NAME_OF_TASK);
	struct measure_stats *st = stats__get();
	u64 h = 0, *w;

	if (!n || !st)
		return 0;
	__builtin_memset(n->text, 0, MEASURE_TEXT);
	if (bpf_probe_read_user_str(n->text, MEASURE_TEXT, (void *)address) < 0) {
		st->notes[SYSCALLS_PATHS_LOST]++;
		return 0;
	}
	w = (u64 *)n->text;
	for (int i = 0; i < MEASURE_TEXT / 8; i++)
		h = hash_step(h, w[i]);
	h = hash_finish(h);
	if (name__is_due(SYSCALL_LABEL_PATH, h, 0, 0))
		name__send(n, SYSCALL_LABEL_PATH, h, MEASURE_TEXT, 0, st);
	return h;
}

/* --- slow ones --- */

/* The last part of the name of the file behind a descriptor. */
static __always_inline void read_fd_name(struct task_struct *task, u32 fd, char *to)
{
	struct file *file = (void *)fd__file(task, fd);

	if (file)
		bpf_probe_read_kernel_str(to, MEASURE_TEXT - 1,
					  BPF_CORE_READ(file, f_path.dentry, d_name.name));
}

static __noinline int call__report(struct measure_span *s, u64 stack, void *regs)
{
	struct measure_slow *r = slow__begin(s, stack);
	struct measure_stats *st = stats__get();
	const volatile struct syscall_setting *set = setting__of(s->labels[0]);
	bool compat = (s->labels[0] >> SYSCALL_ABI_SHIFT) & 1;
	u32 path = first_of(set->paths), fd = first_of(set->fds);

	if (!r || !st)
		return 0;
	__builtin_memset(r->args, 0, sizeof(r->args));
	if (regs && !(set->flags & SYSCALL_EXECS)) {
		read_args(regs, compat, r->args);
		if (path < MEASURE_ARGS &&
		    bpf_probe_read_user_str(r->texts[0].text, sizeof(r->texts[0].text),
					    (void *)arg__at(r->args, path)) > 0)
			r->texts[0].arg = path;
		if (fd < MEASURE_ARGS) {
			read_fd_name(s->task, (u32)arg__at(r->args, fd), r->texts[1].text);
			r->texts[1].arg = fd;
		}
	}
	slow__send(r, st);
	return 0;
}

/* --- programs --- */

SEC("tp_btf/sys_enter")
int syscalls_enter(u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct measure_stats *st = stats__get();
	struct measure_task *t;

	if (!st)
		return 0;
	t = measure__task(task, st);
	if (!t)
		return 0;
	t->labels[0] = call__label((u32)ctx[1], is_compat(task));
	t->begin_ns = run__begin(st);
	t->inside = 1;
	run__end(st, t->begin_ns);
	return 0;
}

SEC("tp_btf/sys_exit")
int syscalls_exit(u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct measure_stats *st = stats__get();
	u64 labels[MEASURE_LABELS] = {}, stack;
	struct measure_span s = {
		.task = task, .labels = labels, .result = ctx[1], .stack = STACK_USER};
	const volatile struct syscall_setting *set;
	struct measure_cell *cell;
	struct measure_task *t;
	u64 args[MEASURE_ARGS];
	u32 path;

	if (!st)
		return 0;
	t = bpf_task_storage_get(&tasks, task, 0, 0);
	if (!t || !t->inside || !task__watched(t, task))
		return 0;
	s.now = run__begin(st);
	s.of = t;
	t->inside = 0;
	s.begin_ns = t->begin_ns;
	s.error = is_error(s.result);
	labels[0] = t->labels[0];
	set = setting__of(labels[0]);
	s.class = set->waits ? MEASURE_WAITS : MEASURE_WORKS;
	if (s.error) {
		path = first_of(set->paths);
		/* When many different paths fill the cells, failed calls are counted without. */
		if (path < MEASURE_ARGS && !cells__are_scarce(active)) {
			read_args((void *)ctx[0], (labels[0] >> SYSCALL_ABI_SHIFT) & 1, args);
			labels[SYSCALL_LABEL_PATH] = path__label(arg__at(args, path));
		}
		labels[0] |= (u64)(u32)-s.result << SYSCALL_ERROR_SHIFT;
		if (s.result <= -512 && s.result >= -516)
			st->notes[SYSCALLS_RESTARTED]++;
	}
	if (measure__end(ctx, &s, st, &stack, &cell) & MEASURE_IS_SLOW)
		call__report(&s, stack, (void *)ctx[0]);
	run__end(st, s.now);
	return 0;
}

/* A call that does not return ends with its thread. */
SEC("tp_btf/sched_process_exit")
int syscalls_gone(u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct measure_stats *st = stats__get();
	struct measure_task *t = bpf_task_storage_get(&tasks, task, 0, 0);
	u64 labels[MEASURE_LABELS] = {};

	if (!st || !t || !t->inside || !task__watched(t, task))
		return 0;
	t->inside = 0;
	labels[0] = t->labels[0];
	if (!(setting__of(labels[0])->flags & SYSCALL_NO_RETURN) || !measure__is_here(NULL))
		return 0;
	measure__count_ended(task, labels, bpf_ktime_get_ns() - t->begin_ns, false, 0, st);
	return 0;
}

SEC("iter/task")
int measure_visit(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct measure_stats *st = stats__get();
	struct measure_task *t;
	u64 label;
	u32 nr;

	if (!task || !st || task->exit_state || !has_user_part(task))
		return 0;
	t = visit__task(task, st);
	if (!t)
		return 0;
	if (sleeps_in_call(task, &nr)) {
		label = call__label(nr, is_compat(task));
		if (!t->inside || t->labels[0] != label) {
			t->labels[0] = label;
			t->begin_ns = bpf_ktime_get_ns();
			t->inside = 1;
		}
	}
	visit__open(ctx, task, t);
	return 0;
}
