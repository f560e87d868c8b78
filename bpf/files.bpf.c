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
/* Operations are distinguished when files and threads are not any more. */
#define MEASURE_KEPT FILES_LABEL_OP
#include "bpf/measure.bpf.h"
#include "bpf/measure_names.bpf.h"
#include "bpf/path.bpf.h"

char LICENSE[] SEC("license") = "GPL";

const volatile struct file_call calls[2 * SYSCALLS_MAX];

#define NAME_KEEP_NS (10ULL * 1000 * 1000 * 1000)
#define NAMED_FILE   (1ULL << 63)
#define DELETED	     " (deleted)"

#define NO_COPY	     (~0ULL) /* in own[1], where the descriptor is that a copy writes */

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

/* What a look at a file found; FILES_WAITS in flags: to read it is to wait for something new. Here
 * is what the stack has no room for, too. */
struct found {
	u64 file, fs, sb;
	u32 flags;
	u32 fresh; /* its name was sent just now */
	u32 created, pad;
	u64 args[MEASURE_ARGS];	 /* of the call */
	struct object_head head; /* of what is in hand */
};

PERCPU_MAP(founds, NAME_SLOTS, struct found);

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

/* "ext4 sda1", if it is due. */
static __noinline int fs__name(u32 slot, u64 now)
{
	struct measure_name *n = name__begin(slot);
	struct measure_stats *st = stats__get();
	struct found *f = found__get(slot);
	struct super_block *sb;
	u32 len;

	if (!n || !st || !f || !name__is_due(FILES_LABEL_FS, f->fs, now, 0))
		return 0;
	sb = (void *)f->sb;
	len = text__append(n, 0, BPF_CORE_READ(sb, s_type, name));
	if (len >= 64)
		return 0;
	n->text[len] = ' ';
	len = text__append(n, len + 1, (void *)sb + bpf_core_field_offset(struct super_block, s_id));
	name__send(n, FILES_LABEL_FS, f->fs, len, now, st);
	return 0;
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
static __always_inline u64 placed__look(u64 dentry, u64 vfsmount, u32 slot, u64 now)
{
	struct path_walk *w = path_walk__get(slot);
	struct found *f = found__get(slot);
	struct object_head *h;
	u32 start = PATH_BYTES;
	bool deleted;
	u64 file, up;

	if (!w || !f)
		return FILES_NONE;
	h = &f->head;
	if (bpf_probe_read_kernel(h, sizeof(*h), (void *)dentry))
		return FILES_NONE;
	up = (u64)HEAD_FIELD(h, dentry, struct dentry, d_parent);
	deleted = !HEAD_FIELD(h, dentry, struct dentry, d_hash.pprev) && up != dentry;
	file = hash_step(hash_step(dentry, vfsmount), up);
	file = hash_step(file, HEAD_FIELD(h, dentry, struct dentry, d_name.hash_len));
	file = hash_finish(hash_step(file, deleted)) | NAMED_FILE;
	if (!name__is_due(FILES_LABEL_FILE, file, now, NAME_KEEP_NS))
		return file;
	if (deleted) {
		start -= sizeof(DELETED) - 1;
		__builtin_memcpy(w->text + start, DELETED, sizeof(DELETED) - 1);
	}
	path_walk__run(slot, dentry, vfsmount, start);
	walk__send(w, slot, file, PATH_BYTES, now);
	f->fresh = 1;
	return file;
}

/* Whether to read it is to wait for something new: a pipe, a socket, a terminal, an event. */
static __always_inline bool inode__waits(u32 mode, u32 device, bool internal, u64 magic)
{
	u32 type = mode & S_IFMT;

	if (type == S_IFIFO || type == S_IFSOCK || (internal && magic == ANON_INODE_MAGIC))
		return true;
	return type == S_IFCHR && device >> DEV_MAJOR_SHIFT != MEM_MAJOR;
}

/* Fills what depends on the inode of a file. Returns the superblock's magic number. */
static __always_inline u64 inode__look(u64 inode, bool internal, struct found *to)
{
	struct object_head *h = &to->head;
	u32 mode, device;
	u64 magic;

	if (bpf_probe_read_kernel(h, sizeof(*h), (void *)inode))
		return 0;
	mode = HEAD_FIELD(h, inode, struct inode, i_mode);
	device = HEAD_FIELD(h, inode, struct inode, i_rdev);
	to->sb = (u64)HEAD_FIELD(h, inode, struct inode, i_sb);
	if (bpf_probe_read_kernel(h, sizeof(*h), (void *)to->sb))
		return 0;
	to->fs = HEAD_FIELD(h, to->sb, struct super_block, s_dev);
	magic = HEAD_FIELD(h, to->sb, struct super_block, s_magic);
	to->flags = inode__waits(mode, device, internal, magic) ? FILES_WAITS : 0;
	return magic;
}

/* Fills founds[slot]. address: of a struct file. Global, so that the verifier looks at it once. */
__noinline int file__look(u64 address, u32 slot, u64 now)
{
	struct found *to = found__get(slot);
	u64 dentry, vfsmount, inode, magic;
	struct object_head *h;
	bool internal;

	if (!to || !address)
		return 0;
	h = &to->head;
	if (bpf_probe_read_kernel(h, sizeof(*h), (void *)address))
		return 0;
	inode = (u64)HEAD_FIELD(h, address, struct file, f_inode);
	dentry = (u64)HEAD_FIELD(h, address, struct file, f_path.dentry);
	vfsmount = (u64)HEAD_FIELD(h, address, struct file, f_path.mnt);
	to->created = (HEAD_FIELD(h, address, struct file, f_mode) & FMODE_CREATED) ||
		      (HEAD_FIELD(h, address, struct file, f_flags) & O_TMPFILE_BIT);
	internal = mount__is_internal(vfsmount);
	magic = inode__look(inode, internal, to);
	to->fresh = internal;
	to->file = internal ? internal__look(address, magic, slot, now)
			    : placed__look(dentry, vfsmount, slot, now);
	if (to->fresh)
		fs__name(slot, now);
	return 1;
}

/* --- what a path names --- */

/* Where a path begins. */
static __always_inline void base__get(struct path *base, s32 dirfd, bool absolute)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct fs_struct *fs = ((struct task_struct___files *)task)->fs;
	struct file *file;

	if (absolute) {
		bpf_core_read(base, sizeof(*base), &fs->root);
	} else if (dirfd == AT_FDCWD) {
		bpf_core_read(base, sizeof(*base), &fs->pwd);
	} else {
		file = (void *)fd__file(task, (u32)dirfd);
		bpf_core_read(base, sizeof(*base), &file->f_path);
	}
}

/* Of the current task. Fills founds[NAME_OF_TASK]; 0: the path is not to be had; 2: it is empty. */
__noinline int path__look(u64 user, s32 dirfd, u64 now)
{
	struct path_walk *w = path_walk__get(NAME_OF_TASK);
	struct found *to = found__get(NAME_OF_TASK);
	u64 h = 0, *words, dentry, vfsmount;
	struct path base = {};
	long len;

	if (!w || !to)
		return 0;
	__builtin_memset(w->text + GIVEN_AT, 0, GIVEN_BYTES);
	len = bpf_probe_read_user_str(w->text + GIVEN_AT, GIVEN_BYTES, (void *)user);
	if (len < 0)
		return 0;
	if (!len)
		len = 1; /* so older kernels say of an empty one */
	if (len == 1 && dirfd != AT_FDCWD)
		return 2;
	base__get(&base, dirfd, w->text[GIVEN_AT] == '/');
	dentry = (u64)base.dentry;
	vfsmount = (u64)base.mnt;
	words = (u64 *)(w->text + GIVEN_AT);
	for (int i = 0; i < GIVEN_BYTES / 8 && i * 8 < len; i++)
		h = hash_step(h, words[i]);
	h = hash_finish(hash_step(hash_step(h, dentry), vfsmount)) | NAMED_FILE;
	to->file = h;
	to->fs = to->flags = to->created = 0;
	if (!name__is_due(FILES_LABEL_FILE, h, now, NAME_KEEP_NS))
		return 1;
	w->text[GIVEN_AT - 1] = '/';
	path_walk__run(NAME_OF_TASK, dentry, vfsmount,
		       w->text[GIVEN_AT] == '/' ? GIVEN_AT : GIVEN_AT - 1);
	walk__send(w, NAME_OF_TASK, h, GIVEN_AT + (u32)(len - 1), now);
	return 1;
}

/* --- cold and cached --- */

/* What the task has had read from disks; 0 where the kernel does not account it. */
static __always_inline u64 disk_bytes(struct task_struct *task)
{
	return bpf_core_field_exists(task->ioac.read_bytes) ? task->ioac.read_bytes : 0;
}

/* For the label; op: the word of labels that has the operation. Global: one path for the verifier. */
__noinline u64 cache__label(u64 file, u64 op, s64 read)
{
	if ((u8)op != FILE_OP_READ || op & FILES_WAITS || op >> FILES_ERROR_SHIFT ||
	    !(file & NAMED_FILE))
		return 0;
	return (u64)(read ? FILES_COLD : FILES_CACHED) << FILES_CACHE_SHIFT;
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
					    const volatile struct file_call *call, struct found *f,
					    u64 now, struct measure_stats *st)
{
	bool at = call->by == FILE_BY_AT;
	s32 dirfd = at ? (s32)arg__at(f->args, call->arg) : AT_FDCWD;
	u64 user = arg__at(f->args, call->arg + at);
	u32 op = labels[FILES_LABEL_OP];
	int how = user || !at ? path__look(user, dirfd, now) : 2;

	if (op == FILE_OP_UNLINK && at && f->args[2] & AT_REMOVEDIR)
		labels[FILES_LABEL_OP] = op = FILE_OP_RMDIR;
	if (how == 2)
		labels__by_fd(labels, task, op, (u32)dirfd, NAME_OF_TASK, now);
	else if (how)
		labels__set(labels, op, f);
	else
		labels[FILES_LABEL_FILE] =
			file__special(FILES_UNKNOWN, "unknown", NAME_OF_TASK, now);
	if (!how)
		st->notes[FILES_NAMES_LOST]++;
}

/* At the begin of a call, and where the iterator finds a task in one. */
static __always_inline void labels__begin(u64 *labels, struct task_struct *task,
					  const volatile struct file_call *call, u32 slot, u64 now)
{
	struct found *f = found__get(slot);

	labels[FILES_LABEL_FILE] = FILES_UNKNOWN;
	labels[FILES_LABEL_OP] = call->op;
	labels[FILES_LABEL_FS] = 0;
	if (f && (call->by == FILE_BY_FD || call->by == FILE_BY_COPY))
		labels__by_fd(labels, task, call->op, (u32)arg__at(f->args, call->arg), slot, now);
}

/* --- programs --- */

SEC("tp_btf/sys_enter")
int files_enter(u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 label = call__label((u32)ctx[1], is_compat(task));
	const volatile struct file_call *call = call__of(label);
	struct found *f = found__get(NAME_OF_TASK);
	struct measure_stats *st = stats__get();
	struct measure_task *t;

	if (!call->op || !st || !f)
		return 0;
	t = measure__task(task, st);
	if (!t)
		return 0;
	t->own[0] = label;
	t->begin_ns = run__begin(st);
	read_args((void *)ctx[0], (label >> SYSCALL_ABI_SHIFT) & 1, f->args);
	t->own[2] = disk_bytes(task);
	labels__begin(t->labels, task, call, NAME_OF_TASK, t->begin_ns);
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

static __always_inline u64 bytes__of(u64 op, s64 result)
{
	return result > 0 && ((u8)op == FILE_OP_READ || (u8)op == FILE_OP_WRITE) ? (u64)result : 0;
}

/* What a copy wrote; in `labels` is what it read. */
static __noinline int copy__count(struct measure_span *s, struct measure_stats *st, u64 *labels,
				  u32 fd, u64 stack)
{
	struct measure_cell *c;

	labels[FILES_LABEL_OP] = FILE_OP_WRITE;
	labels__by_fd(labels, s->task, FILE_OP_WRITE, fd, NAME_OF_TASK, s->now);
	if (s->error)
		labels[FILES_LABEL_OP] |= (u64)(u32)-s->result << FILES_ERROR_SHIFT;
	labels__bound(labels, s->task, s->now);
	c = measure__count_ended(s->task, labels, s->now - s->begin_ns, s->error, stack, st);
	if (c)
		cell__add_sum(c, 0, bytes__of(FILE_OP_WRITE, s->result));
	return 0;
}

/* What a call that ends is about. Returns the limit that says whether it is slow. */
static __always_inline u32 labels__end(struct measure_task *t, const struct measure_span *s,
				       const volatile struct file_call *call, struct found *f,
				       struct measure_stats *st)
{
	u64 *labels = t->labels;
	u32 class;

	if (call->op == FILE_OP_OPEN && !s->error)
		labels__by_fd(labels, s->task, FILE_OP_OPEN, (u32)s->result, NAME_OF_TASK, s->now);
	else if (call->by == FILE_BY_PATH || call->by == FILE_BY_AT)
		labels__by_path(labels, s->task, call, f, s->now, st);
	class = labels[FILES_LABEL_OP] & FILES_WAITS ? MEASURE_WAITS : MEASURE_WORKS;
	if (s->error)
		labels[FILES_LABEL_OP] |= (u64)(u32)-s->result << FILES_ERROR_SHIFT;
	if (bpf_core_field_exists(s->task->ioac.read_bytes))
		labels[FILES_LABEL_OP] |=
			cache__label(labels[FILES_LABEL_FILE], labels[FILES_LABEL_OP],
				     (s64)(disk_bytes(s->task) - t->own[2]));
	labels__bound(labels, s->task, s->now);
	t->own[1] = call->by == FILE_BY_COPY ? (u32)arg__at(f->args, call->to) : NO_COPY;
	return class;
}

SEC("tp_btf/sys_exit")
int files_exit(u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 label = call__label(REGS_SYSCALL((REGS_TYPE *)ctx[0]), is_compat(task)), stack;
	const volatile struct file_call *call = call__of(label);
	struct measure_span s = {.task = task, .result = ctx[1], .stack = STACK_USER};
	struct found *f = found__get(NAME_OF_TASK);
	struct measure_stats *st = stats__get();
	struct measure_cell *cell = NULL;
	struct measure_task *t;

	if (!call->op || !st || !f)
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
	read_args((void *)ctx[0], (label >> SYSCALL_ABI_SHIFT) & 1, f->args);
	s.class = labels__end(t, &s, call, f, st);
	s.sums[0] = bytes__of(t->labels[FILES_LABEL_OP], s.result);
	if (measure__end(ctx, &s, st, &stack, &cell) & MEASURE_IS_SLOW)
		slow__report(&s, stack);
	if (t->own[1] != NO_COPY)
		copy__count(&s, st, t->labels, (u32)t->own[1], stack);
	run__end(st, s.now);
	return 0;
}

/* A task that sleeps in a call since before it was watched. */
static __always_inline void visit__begin(struct task_struct *task, struct measure_task *t)
{
	struct found *f = found__get(NAME_OF_VISIT);
	const volatile struct file_call *call;
	u64 label;
	u32 nr;

	if (!f || !sleeps_in_call(task, &nr))
		return;
	label = call__label(nr, is_compat(task));
	call = call__of(label);
	if (!call->op || (t->inside && t->own[0] == label))
		return;
	read_args((void *)bpf_task_pt_regs(task), (label >> SYSCALL_ABI_SHIFT) & 1, f->args);
	t->own[2] = disk_bytes(task);
	t->begin_ns = bpf_ktime_get_ns();
	t->own[0] = label;
	labels__begin(t->labels, task, call, NAME_OF_VISIT, t->begin_ns);
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
	t = visit__task(task, st);
	if (!t)
		return 0;
	visit__begin(task, t);
	file__special(FILES_UNKNOWN, "unknown", NAME_OF_VISIT, bpf_ktime_get_ns());
	visit__open(ctx, task, t);
	return 0;
}
