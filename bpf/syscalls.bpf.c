// SPDX-License-Identifier: GPL-2.0-only
/*
 * System calls: a span from sys_enter to sys_exit, by thread, call and error. A failed call that
 * names a path has the path as a label, too. Calls that do not return (exit) end with their thread;
 * those that a thread is in when watching begins are found by the iterator and counted from then on.
 * An interrupted call that is restarted is two, as it enters the kernel twice.
 */
#include "bpf/measure.bpf.h"
#include "bpf/syscalls.h"

char LICENSE[] SEC("license") = "GPL";

const volatile struct syscall_setting settings[2 * SYSCALLS_MAX];

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, u64);
	__type(value, u8);
} names_seen SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct measure_name);
} name_scratch SEC(".maps");

/* --- the call --- */

#if defined(__TARGET_ARCH_x86)
struct thread_info___x86 {
	u32 status;
} KERNEL_TYPE;
struct task_struct___info {
	struct thread_info___x86 thread_info;
} KERNEL_TYPE;
#define TS_COMPAT 2

static __always_inline bool is_compat(struct task_struct *task)
{
	return ((struct task_struct___info *)task)->thread_info.status & TS_COMPAT;
}

struct pt_regs___compat {
	u64 bx, cx, dx, si, di, bp;
} KERNEL_TYPE;

static __always_inline void read_args(REGS_TYPE *r, bool compat, u64 *args)
{
	struct pt_regs___compat *c = (void *)r;

	if (compat) {
		args[0] = (u32)c->bx, args[1] = (u32)c->cx, args[2] = (u32)c->dx;
		args[3] = (u32)c->si, args[4] = (u32)c->di, args[5] = (u32)c->bp;
	} else {
		args[0] = r->di, args[1] = r->si, args[2] = r->dx;
		args[3] = r->r10, args[4] = r->r8, args[5] = r->r9;
	}
}
#elif defined(__TARGET_ARCH_arm64)
struct thread_info___arm64 {
	unsigned long flags;
} KERNEL_TYPE;
struct task_struct___info {
	struct thread_info___arm64 thread_info;
} KERNEL_TYPE;
#define TIF_32BIT 22

static __always_inline bool is_compat(struct task_struct *task)
{
	return ((struct task_struct___info *)task)->thread_info.flags & (1UL << TIF_32BIT);
}

struct pt_regs___first {
	u64 orig_x0;
} KERNEL_TYPE;

static __always_inline void read_args(REGS_TYPE *r, bool compat, u64 *args)
{
	args[0] = ((struct pt_regs___first *)r)->orig_x0;
	for (int i = 1; i < MEASURE_ARGS; i++)
		args[i] = compat ? (u32)r->regs[i] : r->regs[i];
}
#endif

static __always_inline u64 call__label(u32 nr, bool compat)
{
	return (nr & 0xffff) | (u64)compat << SYSCALL_ABI_SHIFT;
}

static __always_inline const volatile struct syscall_setting *setting__of(u64 label)
{
	u32 nr = label & 0xffff;

	if (nr >= SYSCALLS_MAX)
		nr = SYSCALLS_MAX - 1; /* nobody's */
	if ((label >> SYSCALL_ABI_SHIFT) & 1)
		nr += SYSCALLS_MAX;
	return &settings[nr & (2 * SYSCALLS_MAX - 1)];
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

static __always_inline u64 arg__at(const u64 *args, u32 i)
{
	return i == 0 ? args[0] : i == 1 ? args[1] : i == 2 ? args[2] : i == 3 ? args[3] : args[4];
}

/* The hash of a path, by which it is a label; its text is sent when it is new. 0: not to be had. */
static __noinline u64 path__label(u64 address)
{
	u32 zero = 0, at = MEASURE_NAME_MAX - MEASURE_TEXT;
	struct measure_name *n = bpf_map_lookup_elem(&name_scratch, &zero);
	struct measure_stats *st = stats__get();
	u64 h = 0, *w;
	u8 one = 1;

	if (!n || !st)
		return 0;
	__builtin_memset(n->text + at, 0, MEASURE_TEXT);
	if (bpf_probe_read_user_str(n->text + at, MEASURE_TEXT, (void *)address) < 0) {
		st->notes[SYSCALLS_PATHS_LOST]++;
		return 0;
	}
	w = (u64 *)(n->text + at);
	for (int i = 0; i < MEASURE_TEXT / 8; i++)
		h = hash_step(h, w[i]);
	h = hash_finish(h);
	if (bpf_map_lookup_elem(&names_seen, &h))
		return h;
	n->type = RECORD_MEASURE_NAME;
	n->label = SYSCALL_LABEL_PATH;
	n->value = h;
	n->start = at;
	n->cut = 0;
	if (bpf_ringbuf_output(&records, n, sizeof(*n), ring_flags(false)))
		st->names_lost++;
	else
		bpf_map_update_elem(&names_seen, &h, &one, BPF_ANY);
	return h;
}

/* When many different paths fill the cells, failed calls are counted without. */
static __always_inline bool has_room_for_paths(void)
{
	return nused[active & 1] <= room_for_stacks();
}

/* --- slow ones --- */

struct file___named;
struct dentry___named {
	struct {
		u32 len;
		const unsigned char *name;
	} d_name;
} KERNEL_TYPE;
struct path___named {
	struct dentry___named *dentry;
} KERNEL_TYPE;
struct file___named {
	struct path___named f_path;
} KERNEL_TYPE;
struct fdtable___named {
	unsigned int max_fds;
	struct file___named **fd;
} KERNEL_TYPE;
struct files_struct___named {
	struct fdtable___named *fdt;
} KERNEL_TYPE;
struct task_struct___named {
	struct files_struct___named *files;
} KERNEL_TYPE;

/* The last part of the name of the file behind a descriptor. */
static __always_inline void read_fd_name(struct task_struct *task, u32 fd, char *to)
{
	struct fdtable___named *fdt = BPF_CORE_READ((struct task_struct___named *)task, files, fdt);
	struct file___named **table, *file = NULL;

	if (!fdt || fd >= BPF_CORE_READ(fdt, max_fds))
		return;
	table = BPF_CORE_READ(fdt, fd);
	bpf_probe_read_kernel(&file, sizeof(file), table + fd);
	if (file)
		bpf_probe_read_kernel_str(to, MEASURE_TEXT - 1,
					  BPF_CORE_READ(file, f_path.dentry, d_name.name));
}

static __noinline int slow__report(struct measure_span *s, u64 stack, void *regs)
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
	return 0;
}

static __always_inline bool is_error(s64 result)
{
	return result < 0 && result >= -4095;
}

SEC("tp_btf/sys_exit")
int syscalls_exit(u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct measure_stats *st = stats__get();
	u64 labels[MEASURE_LABELS] = {}, stack;
	struct measure_span s = {.task = task, .labels = labels, .result = ctx[1]};
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
		if (path < MEASURE_ARGS && has_room_for_paths()) {
			read_args((void *)ctx[0], (labels[0] >> SYSCALL_ABI_SHIFT) & 1, args);
			labels[SYSCALL_LABEL_PATH] = path__label(arg__at(args, path));
		}
		labels[0] |= (u64)(u32)-s.result << SYSCALL_ERROR_SHIFT;
		if (s.result <= -512 && s.result >= -516)
			st->notes[SYSCALLS_RESTARTED]++;
	}
	if (measure__end(ctx, &s, st, &stack, &cell) & MEASURE_IS_SLOW)
		slow__report(&s, stack, (void *)ctx[0]);
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
	struct measure_cell *c;
	u32 at;
	u64 ns;

	if (!st || !t || !t->inside || !task__watched(t, task))
		return 0;
	t->inside = 0;
	labels[0] = t->labels[0];
	if (!(setting__of(labels[0])->flags & SYSCALL_NO_RETURN))
		return 0;
	ns = bpf_ktime_get_ns() - t->begin_ns;
	if ((s64)ns < 0 || ns < min_ns || (max_ns && ns > max_ns))
		return 0;
	if ((u32)scope_state && !scope__cpu(bpf_get_smp_processor_id()))
		return 0;
	st->count++;
	c = cell__find(task, active != 0, labels, 0, room_for_threads(), &at);
	if (c) {
		c->unsampled++;
		c->unsampled_sum += ns;
	} else {
		c = cell__otherwise(labels[0], active != 0, st);
	}
	if (c)
		cell__add(c, ns, value__bucket(ns), false);
	return 0;
}

/* Whether it sleeps in a call, and which; others may be on their way out of it. */
static __always_inline bool sleeps_in_call(struct task_struct *task, u32 *nr)
{
	if (task->on_cpu || !(task__state(task) & (TASK_INTERRUPTIBLE | TASK_UNINTERRUPTIBLE)))
		return false;
	*nr = task__syscall(task);
	return *nr != ~0u;
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
	t = bpf_task_storage_get(&tasks, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!t) {
		st->tasks_full++;
		return 0;
	}
	if (look_again)
		t->scope = 0;
	if (!task__watched(t, task))
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
