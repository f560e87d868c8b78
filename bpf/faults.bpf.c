// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page faults, counted where the kernel counts them for a process: perf's software events for minor
 * and major ones. Each is of the mapping that its address is in; the path of its file is sent when
 * it is new.
 */
#include "bpf/faults.h"
/* Files are distinguished when threads are not any more. */
#define MEASURE_KEPT FAULTS_LABEL_FILE
#define MEASURE_MOMENT MOMENT_REGISTERS
/* Each fault has its own stack until there are many of one thread in one range. */
#define STACK_EVERY_SHIFT 12
#include "bpf/measure.bpf.h"
#include "bpf/measure_names.bpf.h"
#include "bpf/path.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define NAMED_FILE   (1ULL << 63)
#define NAME_KEEP_NS (10ULL * 1000 * 1000 * 1000)

struct mm_struct___areas {
	unsigned long start_brk, brk, start_stack;
} KERNEL_TYPE;

struct mm_struct___owned {
	struct task_struct *owner;
} KERNEL_TYPE;

struct super_block___faults {
	unsigned long s_magic;
} KERNEL_TYPE;

struct inode___faults {
	struct super_block___faults *i_sb;
} KERNEL_TYPE;

struct file___faults {
	struct inode___faults *f_inode;
} KERNEL_TYPE;

/* Of pages whose size is that of a mapping of the page table's next level. */
const volatile u32 huge_order = 9;

/* A fault that a thread is in. */
struct begun {
	u64 ns;
	u64 error; /* as the processor has it */
	u64 huge;  /* it got a huge page */
	u64 swapped; /* its page was in swap */
};

TASK_MAP(begins, struct begun);

/* What the stack has no room for. Programs on these events do not interrupt each other. */
struct work {
	u64 pivots[MAPLE_PIVOTS];
	struct vma vma;
	u64 file; /* the struct file's address, 0: none */
	u64 flags; /* of the mapping */
	u64 labels[MEASURE_LABELS];
};

PERCPU_MAP(works, 1, struct work);

static __always_inline struct work *work__get(void)
{
	return map__only(&works);
}

/* --- what is mapped --- */

/* Sends the path, or the name of what is in no directory. */
static __noinline int file__name(u64 value, u64 dentry, u64 vfsmount, u64 now)
{
	struct path_walk *w = path_walk__get(NAME_OF_TASK);
	struct measure_name *n = name__begin(NAME_OF_TASK);
	struct measure_stats *st = stats__get();
	u32 start, len;

	if (!w || !n || !st)
		return 0;
	if (mount__is_internal(vfsmount)) {
		long got = bpf_probe_read_kernel_str(
			n->text, PATH_NAME_MAX,
			BPF_CORE_READ((struct dentry *)dentry, d_name.name));

		len = got > 0 ? (u32)got - 1 : 0;
	} else {
		path_walk__run(NAME_OF_TASK, dentry, vfsmount, PATH_BYTES);
		start = w->start;
		len = PATH_BYTES - start;
		barrier_var(len);
		if (start > PATH_BYTES || len >= MEASURE_NAME_MAX)
			return 0;
		bpf_probe_read_kernel(n->text, len, w->text + start);
	}
	if (len < MEASURE_NAME_MAX)
		name__send(n, FAULTS_LABEL_FILE, value, len, now, st);
	return 0;
}

/* A global function, as the verifier looks at it once. */
__noinline u64 file__label(u64 address, u64 now)
{
	struct file *f = (void *)address;
	u64 dentry = (u64)BPF_CORE_READ(f, f_path.dentry);
	u64 vfsmount = (u64)BPF_CORE_READ(f, f_path.mnt);
	struct dentry *d = (void *)dentry;
	u64 h = hash_step(hash_step(dentry, vfsmount), (u64)BPF_CORE_READ(d, d_parent));

	h = hash_finish(hash_step(h, BPF_CORE_READ(d, d_name.hash_len))) | NAMED_FILE;
	if (name__is_due(FAULTS_LABEL_FILE, h, now, NAME_KEEP_NS))
		file__name(h, dentry, vfsmount, now);
	return h;
}

static __always_inline u64 anonymous__label(const struct vma *v)
{
	struct mm_struct___areas *mm = (void *)current_mm();
	u64 stack = BPF_CORE_READ(mm, start_stack);

	if (v->start <= stack && stack <= v->end)
		return FAULTS_STACK;
	if (v->start <= BPF_CORE_READ(mm, brk) && v->end >= BPF_CORE_READ(mm, start_brk))
		return FAULTS_HEAP;
	return FAULTS_ANON;
}

/* Ranges of files are counted in the file, those of the heap from its begin, others by address. */
__noinline int mapping__look(u64 address, u64 now)
{
	struct work *w = work__get();
	struct vm_area_struct___vma *vma;
	u64 base = 0;

	if (!w)
		return 0;
	w->labels[FAULTS_LABEL_FILE] = FAULTS_UNKNOWN;
	w->labels[FAULTS_LABEL_RANGE] = 0;
	w->flags = w->file = 0;
	w->vma.at = vma__find(address, w->pivots);
	vma = (void *)w->vma.at;
	if (!vma)
		return 0;
	w->vma.start = BPF_CORE_READ(vma, vm_start);
	w->vma.end = BPF_CORE_READ(vma, vm_end);
	if (address - w->vma.start >= w->vma.end - w->vma.start)
		return 0;
	w->file = (u64)BPF_CORE_READ(vma, vm_file);
	w->flags = BPF_CORE_READ(vma, vm_flags);
	if (w->file) {
		w->labels[FAULTS_LABEL_FILE] = file__label(w->file, now);
		address = address - w->vma.start + (BPF_CORE_READ(vma, vm_pgoff) << 12);
	} else {
		w->labels[FAULTS_LABEL_FILE] = anonymous__label(&w->vma);
		if (w->labels[FAULTS_LABEL_FILE] == FAULTS_STACK)
			return 0;
		if (w->labels[FAULTS_LABEL_FILE] == FAULTS_HEAP)
			base = w->vma.start;
	}
	w->labels[FAULTS_LABEL_RANGE] = ((address - base) >> FAULTS_RANGE_SHIFT) + 1;
	return 0;
}

/* --- why --- */

#define ERROR_PRESENT 1 /* of the processor's error */
#define ERROR_WRITE   2
#define AREA_SHARED	0x8 /* flags of mappings */
#define AREA_USER	0x200
#define AREA_USER_WRITE 0x1000
#define AREA_HUGE	0x400000

#define TMPFS_MAGIC 0x01021994

/* Memory that is shared, and files of tmpfs: there is nothing but swap that they are read from. */
static __always_inline bool is_shared_memory(u64 file)
{
	return file && BPF_CORE_READ((struct file___faults *)file, f_inode, i_sb, s_magic) == TMPFS_MAGIC;
}

static __always_inline u32 cause_of(const struct work *w, const struct begun *b, u32 kind)
{
	bool present = b->error & ERROR_PRESENT, write = b->error & ERROR_WRITE;
	bool shared = w->flags & AREA_SHARED;

	if (w->flags & (present && write ? AREA_USER_WRITE : AREA_USER) && !(present && !write))
		return FAULTS_USER;
	if (w->flags & AREA_HUGE || (b->huge && !w->file))
		return FAULTS_HUGE;
	if (b->swapped)
		return FAULTS_SWAP;
	if (present)
		return !write ? FAULTS_OTHER : shared ? FAULTS_PROTECT : FAULTS_COPY;
	if (kind == FAULTS_MAJOR && is_shared_memory(w->file))
		return FAULTS_SWAP;
	if (w->file)
		return write && !shared ? FAULTS_COPY : FAULTS_MAP;
	return kind == FAULTS_MAJOR ? FAULTS_SWAP : FAULTS_TOUCH;
}

static __always_inline int fault_begins(u64 error)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct measure_stats *st = stats__get();
	struct begun *b;

	if (!st || !measure__task(task, st))
		return 0;
	b = bpf_task_storage_get(&begins, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!b)
		return 0;
	b->ns = bpf_ktime_get_ns();
	b->error = error;
	b->huge = b->swapped = 0;
	return 0;
}

SEC("tp_btf/page_fault_user")
int faults_user(u64 *ctx)
{
	return fault_begins(ctx[2]);
}

SEC("tp_btf/page_fault_kernel")
int faults_kernel(u64 *ctx)
{
	return fault_begins(ctx[2]);
}

SEC("raw_tp/mm_page_alloc")
int faults_pages(struct bpf_raw_tracepoint_args *ctx)
{
	struct begun *b;

	if ((u32)ctx->args[1] < huge_order)
		return 0;
	b = bpf_task_storage_get(&begins, bpf_get_current_task_btf(), 0, 0);
	if (b && b->ns)
		b->huge = 1;
	return 0;
}

/* --- swap --- */

#define COUNTER_SWAP 2 /* MM_SWAPENTS */

/* Of whomever the page was. Several may reclaim at a time, so the cell is apart from those of faults. */
static __always_inline int swapped_out(struct mm_struct___owned *mm)
{
	u64 labels[MEASURE_LABELS] = {FAULTS_MAJOR | FAULTS_SWAP << FAULTS_CAUSE_SHIFT, FAULTS_UNKNOWN};
	struct task_struct *owner = bpf_core_field_exists(mm->owner) ? mm->owner : NULL;
	struct measure_stats *st = stats__get();
	struct measure_who who = {};
	struct measure_cell *c;
	u64 began;

	if (!st || !owner || !task__in_scope(owner) || !labels__pass(labels))
		return 0;
	if ((u32)scope_state && !scope__here(IRQS_UNREAD, MODE_KERNEL))
		return 0;
	began = run__begin(st);
	who__fill(&who, owner);
	c = cell__of_whom(&who, labels, active != 0, room_for_threads());
	if (!c)
		c = cell__elsewhere(labels, active != 0, st);
	if (c)
		__sync_fetch_and_add(&c->sums[FAULTS_SWAPPED_OUT], 1);
	run__end(st, began);
	return 0;
}

/* The number of a process's pages in swap changes, by one. What reclaims says so of itself: it puts them there. */
SEC("tp_btf/rss_stat")
int faults_swap(u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct begun *b;

	if ((u32)ctx[1] != COUNTER_SWAP)
		return 0;
	if (task->flags & PF_MEMALLOC)
		return swapped_out((void *)ctx[0]);
	b = bpf_task_storage_get(&begins, task, 0, 0);
	if (b && b->ns)
		b->swapped = 1;
	return 0;
}

/* --- counting --- */

static __always_inline int fault(struct bpf_perf_event_data *ctx, u32 kind)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct measure_stats *st = stats__get();
	struct work *w = work__get();
	struct measure_cell *c;
	struct measure_task *t;
	struct begun *b;
	u64 now, ns = 0;
	u32 cause = 0;

	if (!st || !w)
		return 0;
	t = measure__task(task, st);
	if (!t)
		return 0;
	now = run__begin(st);
	mapping__look(ctx->addr, now);
	b = bpf_task_storage_get(&begins, task, 0, 0);
	if (b && b->ns) {
		ns = bpf_ktime_get_ns() - b->ns;
		cause = cause_of(w, b, kind);
		b->ns = 0;
	}
	w->labels[FAULTS_LABEL_KIND] = kind | cause << FAULTS_CAUSE_SHIFT |
				       bpf_get_numa_node_id() << FAULTS_NODE_SHIFT;
	if (cells__are_scarce(active != 0))
		w->labels[FAULTS_LABEL_RANGE] = 0;
	c = measure__count(ctx, task, t, w->labels, ns, false, st);
	if (c) {
		c->sums[kind]++;
		c->sums[FAULTS_FIRST] += cause == FAULTS_TOUCH;
		c->sums[FAULTS_FIRST_HUGE] += cause == FAULTS_HUGE;
		c->sums[FAULTS_SWAPPED_IN] += cause == FAULTS_SWAP;
	}
	run__end(st, now);
	return 0;
}

SEC("perf_event")
int faults_minor(struct bpf_perf_event_data *ctx)
{
	return fault(ctx, FAULTS_MINOR);
}

SEC("perf_event")
int faults_major(struct bpf_perf_event_data *ctx)
{
	return fault(ctx, FAULTS_MAJOR);
}
