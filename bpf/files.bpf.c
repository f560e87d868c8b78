// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files: a span from sys_enter to sys_exit of the calls that work on files, by thread, file,
 * operation, error and file system. What a descriptor stands for is looked up when the call begins,
 * as it may be closed when it ends; a path is read when it ends, as its memory is there then.
 *
 * A file is told by its place: dentry, name, directory and mount. So a renamed or deleted one is
 * another from then on; names of directories above may change, so all are sent again after a while.
 */
#include "bpf/files.h"
#include "bpf/call.bpf.h"
/* Operations are told apart when files and threads are not any more. */
#define MEASURE_KEPT FILES_LABEL_OP
#include "bpf/measure.bpf.h"
#include "bpf/measure_names.bpf.h"
#include "bpf/path.bpf.h"

char LICENSE[] SEC("license") = "GPL";

const volatile struct file_call calls[2 * SYSCALLS_MAX];

#define NAME_KEEP_NS (10ULL * 1000 * 1000 * 1000)
#define NAMED_FILE   (1ULL << 63)
#define DELETED	     " (deleted)"

#define GIVEN_BYTES 512 /* of a path as a call takes it: the second half of the text */
#define GIVEN_AT    (PATH_BYTES - GIVEN_BYTES)

#define PIPEFS_MAGIC	 0x50495045
#define SOCKFS_MAGIC	 0x534F434B
#define ANON_INODE_MAGIC 0x09041934
#define TMPFS_MAGIC	 0x01021994

#define S_IFMT		0170000
#define S_IFIFO		0010000
#define S_IFCHR		0020000
#define S_IFSOCK	0140000
#define MEM_MAJOR	1
#define DEV_MAJOR_SHIFT 20

#define FMODE_CREATED  (1u << 20)
#define O_TMPFILE_BIT  020000000
#define AT_FDCWD       -100
#define AT_REMOVEDIR   0x200

/* What a look at a file found; FILES_WAITS in flags: to read it is to wait for something new. */
struct found {
	u64 file, fs;
	u32 flags, created;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, NAME_SLOTS);
	__type(key, u32);
	__type(value, struct found);
} founds SEC(".maps");

static __always_inline struct found *found__get(u32 slot)
{
	return bpf_map_lookup_elem(&founds, &slot);
}

static __always_inline const volatile struct file_call *call__of(u64 label)
{
	return &calls[call__index(label)];
}

/* --- names --- */

static __always_inline u32 text__append(struct measure_name *n, u32 at, const void *text)
{
	long len;

	barrier_var(at);
	if (at > 64)
		return at;
	len = bpf_probe_read_kernel_str(n->text + at, 64, text);
	return len > 0 ? at + (u32)len - 1 : at;
}

/* "ext4 sda1" */
static __always_inline void fs__name(struct super_block *sb, u64 dev, u32 slot, u64 now)
{
	struct measure_name *n = name__begin(slot);
	struct measure_stats *st = stats__get();
	u32 len;

	if (!n || !st || !name__is_due(FILES_LABEL_FS, dev, now, 0))
		return;
	len = text__append(n, 0, BPF_CORE_READ(sb, s_type, name));
	if (len >= 64)
		return;
	n->text[len] = ' ';
	len = text__append(n, len + 1, (void *)sb + bpf_core_field_offset(struct super_block, s_id));
	name__send(n, FILES_LABEL_FS, dev, len, now, st);
}

/* Sends what a walk has written, up to `end`. */
static __always_inline void walk__send(const struct path_walk *w, u32 slot, u64 file, u32 end,
				       u64 now)
{
	struct measure_name *n = name__begin(slot);
	struct measure_stats *st = stats__get();
	u32 start = w->start, len = end - start;

	barrier_var(len);
	if (!n || !st || start > PATH_BYTES || len >= MEASURE_NAME_MAX)
		return;
	bpf_probe_read_kernel(n->text, len, w->text + start);
	if (!len) {
		n->text[0] = '/';
		len = 1;
	}
	name__send(n, FILES_LABEL_FILE, file, len, now, st);
}

/* Of values that stand for no single file. */
static __always_inline u64 file__special(u64 file, const char *text, u32 slot, u64 now)
{
	struct measure_name *n = name__begin(slot);
	struct measure_stats *st = stats__get();

	if (n && st && name__is_due(FILES_LABEL_FILE, file, now, 0))
		name__send(n, FILES_LABEL_FILE, file, text__append(n, 0, text), now, st);
	return file;
}

/* --- what a descriptor stands for --- */

/* In no directory: told by what it is. "memfd:NAME" is the name of each memfd. */
static __noinline u64 internal__look(u64 address, u64 magic, u32 slot, u64 now)
{
	struct file *f = (void *)address;
	const void *text;
	u64 name = 0;

	if (magic == PIPEFS_MAGIC)
		return file__special(NAMED_FILE | magic, "pipe", slot, now);
	if (magic == SOCKFS_MAGIC)
		return file__special(NAMED_FILE | magic, "socket", slot, now);
	if (magic == ANON_INODE_MAGIC || magic == TMPFS_MAGIC) {
		text = BPF_CORE_READ(f, f_path.dentry, d_name.name);
		bpf_probe_read_kernel_str(&name, sizeof(name), text);
		if (magic == TMPFS_MAGIC)
			name &= 0xffffffff;
	} else {
		text = BPF_CORE_READ(f, f_inode, i_sb, s_type, name);
	}
	return file__special(NAMED_FILE | hash_finish(hash_step(magic, name)), text, slot, now);
}

/* In a directory, or deleted from there. */
static __noinline u64 placed__look(u64 dentry, u64 vfsmount, u32 slot, u64 now)
{
	struct path_walk *w = path_walk__get(slot);
	struct dentry *d = (void *)dentry, *up = BPF_CORE_READ(d, d_parent);
	bool deleted = !BPF_CORE_READ(d, d_hash.pprev) && up != d;
	u32 start = PATH_BYTES;
	u64 file;

	file = hash_step(hash_step(dentry, vfsmount), (u64)up);
	file = hash_step(hash_step(file, BPF_CORE_READ(d, d_name.hash_len)), deleted);
	file = hash_finish(file) | NAMED_FILE;
	if (!w || !name__is_due(FILES_LABEL_FILE, file, now, NAME_KEEP_NS))
		return file;
	if (deleted) {
		start -= sizeof(DELETED) - 1;
		__builtin_memcpy(w->text + start, DELETED, sizeof(DELETED) - 1);
	}
	path_walk__run(w, slot, dentry, vfsmount, start);
	walk__send(w, slot, file, PATH_BYTES, now);
	return file;
}

/* Whether to read it is to wait for something new: a pipe, a socket, a terminal, an event. */
static __always_inline bool file__waits(struct inode *inode, bool internal, u64 magic)
{
	u32 type = BPF_CORE_READ(inode, i_mode) & S_IFMT;

	if (type == S_IFIFO || type == S_IFSOCK || (internal && magic == ANON_INODE_MAGIC))
		return true;
	return type == S_IFCHR && BPF_CORE_READ(inode, i_rdev) >> DEV_MAJOR_SHIFT != MEM_MAJOR;
}

/* Fills founds[slot]. address: of a struct file. Global, so that the verifier looks at it once. */
__noinline int file__look(u64 address, u32 slot, u64 now)
{
	struct file *f = (void *)address;
	struct found *to = found__get(slot);
	u64 dentry, vfsmount, magic;
	struct super_block *sb;
	struct inode *inode;
	bool internal;

	if (!to || !f)
		return 0;
	inode = BPF_CORE_READ(f, f_inode);
	sb = BPF_CORE_READ(inode, i_sb);
	magic = BPF_CORE_READ(sb, s_magic);
	dentry = (u64)BPF_CORE_READ(f, f_path.dentry);
	vfsmount = (u64)BPF_CORE_READ(f, f_path.mnt);
	internal = mount__is_internal(vfsmount);
	to->fs = BPF_CORE_READ(sb, s_dev);
	to->flags = file__waits(inode, internal, magic) ? FILES_WAITS : 0;
	to->created = (BPF_CORE_READ(f, f_mode) & FMODE_CREATED) ||
		      (BPF_CORE_READ(f, f_flags) & O_TMPFILE_BIT);
	to->file = internal ? internal__look(address, magic, slot, now)
			    : placed__look(dentry, vfsmount, slot, now);
	fs__name(sb, to->fs, slot, now);
	return 1;
}

/* --- what a path names --- */

struct base {
	u64 dentry, vfsmount;
};

/* Where a path begins. */
static __always_inline struct base base__of(s32 dirfd, bool absolute)
{
	struct task_struct___files *task = (void *)bpf_get_current_task_btf();
	struct fs_struct *fs = BPF_CORE_READ(task, fs);
	struct file *file;

	if (absolute)
		return (struct base){(u64)BPF_CORE_READ(fs, root.dentry),
				     (u64)BPF_CORE_READ(fs, root.mnt)};
	if (dirfd == AT_FDCWD)
		return (struct base){(u64)BPF_CORE_READ(fs, pwd.dentry),
				     (u64)BPF_CORE_READ(fs, pwd.mnt)};
	file = (void *)fd__file((void *)task, (u32)dirfd);
	if (!file)
		return (struct base){};
	return (struct base){(u64)BPF_CORE_READ(file, f_path.dentry),
			     (u64)BPF_CORE_READ(file, f_path.mnt)};
}

/* Of the current task. Fills founds[NAME_OF_TASK]; 0: the path is not to be had; 2: it is empty. */
__noinline int path__look(u64 user, s32 dirfd, u64 now)
{
	struct path_walk *w = path_walk__get(NAME_OF_TASK);
	struct found *to = found__get(NAME_OF_TASK);
	u64 h = 0, *words;
	struct base base;
	long len;

	if (!w || !to)
		return 0;
	__builtin_memset(w->text + GIVEN_AT, 0, GIVEN_BYTES);
	len = bpf_probe_read_user_str(w->text + GIVEN_AT, GIVEN_BYTES, (void *)user);
	if (len <= 0)
		return 0;
	if (len == 1 && dirfd != AT_FDCWD)
		return 2;
	base = base__of(dirfd, w->text[GIVEN_AT] == '/');
	words = (u64 *)(w->text + GIVEN_AT);
	for (int i = 0; i < GIVEN_BYTES / 8 && i * 8 < len; i++)
		h = hash_step(h, words[i]);
	h = hash_finish(hash_step(hash_step(h, base.dentry), base.vfsmount)) | NAMED_FILE;
	*to = (struct found){.file = h};
	if (!name__is_due(FILES_LABEL_FILE, h, now, NAME_KEEP_NS))
		return 1;
	w->text[GIVEN_AT - 1] = '/';
	path_walk__run(w, NAME_OF_TASK, base.dentry, base.vfsmount,
		       w->text[GIVEN_AT] == '/' ? GIVEN_AT : GIVEN_AT - 1);
	walk__send(w, NAME_OF_TASK, h, GIVEN_AT + (u32)(len - 1), now);
	return 1;
}

/* --- labels of a call --- */

static __always_inline void labels__set(u64 *labels, u32 op, const struct found *f)
{
	bool waits = op == FILE_OP_READ || op == FILE_OP_OPEN;

	labels[FILES_LABEL_FILE] = f->file;
	labels[FILES_LABEL_OP] = op | (waits ? f->flags : 0);
	labels[FILES_LABEL_FS] = f->fs;
}

static __always_inline void labels__by_fd(u64 *labels, struct task_struct *task, u32 op, u32 fd,
					  u32 slot, u64 now)
{
	struct found *f = found__get(slot);

	if (f && file__look(fd__file(task, fd), slot, now))
		labels__set(labels, f->created && op == FILE_OP_OPEN ? FILE_OP_CREATE : op, f);
	else
		labels[FILES_LABEL_FILE] = file__special(FILES_NONE, "no file", slot, now);
}

/* By a path, and when that is empty by the descriptor before it. */
static __always_inline void labels__by_path(u64 *labels, struct task_struct *task,
					    const volatile struct file_call *call, const u64 *args,
					    u64 now, struct measure_stats *st)
{
	bool at = call->by == FILE_BY_AT;
	s32 dirfd = at ? (s32)arg__at(args, call->arg) : AT_FDCWD;
	u64 user = arg__at(args, call->arg + at);
	u32 op = labels[FILES_LABEL_OP];
	struct found *f = found__get(NAME_OF_TASK);
	int how = user || !at ? path__look(user, dirfd, now) : 2;

	if (op == FILE_OP_UNLINK && at && arg__at(args, 2) & AT_REMOVEDIR)
		labels[FILES_LABEL_OP] = op = FILE_OP_RMDIR;
	if (how == 2)
		labels__by_fd(labels, task, op, (u32)dirfd, NAME_OF_TASK, now);
	else if (how && f)
		labels__set(labels, op, f);
	else
		labels[FILES_LABEL_FILE] =
			file__special(FILES_UNKNOWN, "unknown", NAME_OF_TASK, now);
	if (!how)
		st->notes[FILES_NAMES_LOST]++;
}

/* At the begin of a call, and where the iterator finds a task in one. */
static __always_inline void labels__begin(u64 *labels, struct task_struct *task,
					  const volatile struct file_call *call, const u64 *args,
					  u32 slot, u64 now)
{
	labels[FILES_LABEL_FILE] = FILES_UNKNOWN;
	labels[FILES_LABEL_OP] = call->op;
	labels[FILES_LABEL_FS] = 0;
	if (call->by == FILE_BY_FD || call->by == FILE_BY_COPY)
		labels__by_fd(labels, task, call->op, (u32)arg__at(args, call->arg), slot, now);
}

/* --- programs --- */

SEC("tp_btf/sys_enter")
int files_enter(u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 label = call__label((u32)ctx[1], is_compat(task));
	const volatile struct file_call *call = call__of(label);
	struct measure_stats *st = stats__get();
	u64 args[MEASURE_ARGS];
	struct measure_task *t;

	if (!call->op || !st)
		return 0;
	t = measure__task(task, st);
	if (!t)
		return 0;
	t->own[0] = label;
	t->begin_ns = run__begin(st);
	read_args((void *)ctx[0], (label >> SYSCALL_ABI_SHIFT) & 1, args);
	labels__begin(t->labels, task, call, args, NAME_OF_TASK, t->begin_ns);
	t->inside = 1;
	run__end(st, t->begin_ns);
	return 0;
}

/* A name that is new finds no cell when these are scarce. */
static __always_inline void labels__bound(u64 *labels, struct task_struct *task, u64 now)
{
	u32 half = active != 0;

	if (cells__are_scarce(half) && !cell__is_there(task, half, labels))
		labels[FILES_LABEL_FILE] =
			file__special(FILES_OTHERS, "other files", NAME_OF_TASK, now);
}

static __always_inline void bytes__add(struct measure_cell *c, u64 op, s64 result)
{
	if (c && result > 0 && ((u8)op == FILE_OP_READ || (u8)op == FILE_OP_WRITE))
		c->sums[0] += (u64)result;
}

/* What a copy wrote. */
static __noinline int copy__count(struct measure_span *s, struct measure_stats *st, u32 fd,
				  u64 stack)
{
	u64 labels[MEASURE_LABELS] = {[FILES_LABEL_OP] = FILE_OP_WRITE};

	labels__by_fd(labels, s->task, FILE_OP_WRITE, fd, NAME_OF_TASK, s->now);
	if (s->error)
		labels[FILES_LABEL_OP] |= (u64)(u32)-s->result << FILES_ERROR_SHIFT;
	labels__bound(labels, s->task, s->now);
	bytes__add(measure__count_ended(s->task, labels, s->now - s->begin_ns, s->error, stack, st),
		   FILE_OP_WRITE, s->result);
	return 0;
}

static __noinline int slow__report(struct measure_span *s, u64 stack)
{
	struct measure_slow *r = slow__begin(s, stack);
	struct measure_stats *st = stats__get();

	if (r && st)
		slow__send(r, st);
	return 0;
}

SEC("tp_btf/sys_exit")
int files_exit(u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 label = call__label(REGS_SYSCALL((REGS_TYPE *)ctx[0]), is_compat(task));
	const volatile struct file_call *call = call__of(label);
	struct measure_stats *st = stats__get();
	u64 args[MEASURE_ARGS], stack;
	struct measure_span s = {.task = task, .result = (s64)ctx[1]};
	struct measure_cell *cell = NULL;
	struct measure_task *t;
	u32 counted;

	if (!call->op || !st)
		return 0;
	t = bpf_task_storage_get(&tasks, task, 0, 0);
	if (!t || !t->inside || !task__watched(t, task))
		return 0;
	t->inside = 0;
	if (t->own[0] != label)
		return 0;
	s.now = run__begin(st);
	s.begin_ns = t->begin_ns;
	s.of = t;
	s.labels = t->labels;
	s.error = is_error(s.result);
	read_args((void *)ctx[0], (label >> SYSCALL_ABI_SHIFT) & 1, args);
	if (call->op == FILE_OP_OPEN && !s.error)
		labels__by_fd(t->labels, task, FILE_OP_OPEN, (u32)s.result, NAME_OF_TASK, s.now);
	else if (call->by == FILE_BY_PATH || call->by == FILE_BY_AT)
		labels__by_path(t->labels, task, call, args, s.now, st);
	s.class = t->labels[FILES_LABEL_OP] & FILES_WAITS ? MEASURE_WAITS : MEASURE_WORKS;
	if (s.error)
		t->labels[FILES_LABEL_OP] |= (u64)(u32)-s.result << FILES_ERROR_SHIFT;
	labels__bound(t->labels, task, s.now);
	counted = measure__end(ctx, &s, st, &stack, &cell);
	if (counted)
		bytes__add(cell, t->labels[FILES_LABEL_OP], s.result);
	if (counted & MEASURE_IS_SLOW)
		slow__report(&s, stack);
	if (call->by == FILE_BY_COPY)
		copy__count(&s, st, (u32)arg__at(args, call->to), stack);
	run__end(st, s.now);
	return 0;
}

/* A task that sleeps in a call since before it was watched. */
static __always_inline void visit__begin(struct task_struct *task, struct measure_task *t)
{
	const volatile struct file_call *call;
	u64 args[MEASURE_ARGS], label;
	u32 nr;

	if (!sleeps_in_call(task, &nr))
		return;
	label = call__label(nr, is_compat(task));
	call = call__of(label);
	if (t->inside && t->own[0] == label)
		return;
	t->inside = 0;
	if (!call->op)
		return;
	read_args((void *)bpf_task_pt_regs(task), (label >> SYSCALL_ABI_SHIFT) & 1, args);
	t->begin_ns = bpf_ktime_get_ns();
	t->own[0] = label;
	labels__begin(t->labels, task, call, args, NAME_OF_VISIT, t->begin_ns);
	t->inside = 1;
}

SEC("iter/task")
int measure_visit(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct measure_stats *st = stats__get();
	struct measure_task *t;

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
	visit__begin(task, t);
	file__special(FILES_UNKNOWN, "unknown", NAME_OF_VISIT, bpf_ktime_get_ns());
	visit__open(ctx, task, t);
	return 0;
}
