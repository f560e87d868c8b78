// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names and kinds of locks. The programs tell of a lock when it is waited for and its kind is not
 * known; who waits says by its call and its stack what kind it is, and that is told to them. Of a thread
 * whose stack they could not take, as it sleeps since before it was watched or its program is new to them,
 * the stack is copied and walked while it lies still.
 *
 * Who has a mutex, or writes under a rwlock, that is waited for at the moment is read from its owner's
 * memory: the C library writes it there.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/hidx.h"
#include "bpf/stack.h"
#include "sources/lock_kinds.h"
#include "sources/measure.h"
#include "sources/stack_table.h"

_Static_assert(ORDER_GUARDS <= MEASURE_GUARDS, "a sample has room for a record's guards");

#define FRAMES	     12		     /* of a stack that are looked at */
#define STACKS	     (2 * LOCKS_MAX) /* when there are more, all are forgotten */
#define LOCK_BYTES   56		     /* the C library's largest: a rwlock */
#define TRIES	     10		     /* until a lock of which nothing says what it is is a futex */
#define WALKS	     64		     /* stacks that are copied each interval */
#define COPY_BYTES   16384
#define OWNERS	     512 /* mutexes that are looked into each interval */
#define COMMS	     1024
#define HOLDER_FRAMES 64
#define COMM_KEPT_NS (5 * NSEC_PER_SEC)

/* A user stack, by its hash. */
struct stack_seen {
	u64 hash;
	u32 tgid, n;
	u64 ips[FRAMES];
	char *where; /* the function that is behind those of libraries; NULL: not asked yet */
};

/* A lock of user space. */
struct lock_seen {
	u64 lock, address, file;
	u32 tgid, op, value, tries;
	enum lock_kind kind;
	bool kind_known; /* the programs know its kind */
	bool named;
	bool inner; /* the C library's: words of some kinds lie within the lock */
	u64 same; /* of all words of it */
	u32 tid;	       /* who was seen to wait last, and its registers; ip 0: was looked at */
	struct user_regs regs;
	char taken_in[64]; /* the function that waits for it; "": not known yet */
	char name[192];
};

struct comm_seen {
	u32 tid, tgid;
	u64 at_ns;
	char comm[COMM_LEN];
};

struct ctx {
	const struct address_names *names;
	const struct stack_walker *walker;
	int kinds_fd;
	struct stack_seen *stacks;
	u32 nstacks, stacks_cap;
	struct hidx by_hash;
	struct lock_seen *locks;
	u32 nlocks, locks_cap;
	struct hidx by_lock;
	struct comm_seen comms[COMMS];
	u32 owners, walks; /* looked at in this interval */
	int wanted_fd;
	u64 wanted[2][HOLDERS_WANTED]; /* of the last interval, and of this one: as the map has them */
	u32 nwanted[2];
	struct holder_seen {
		u32 tid;
		u64 stack; /* hash */
	} held_at[HOLDERS_WANTED]; /* where holders sleep, by a hash of their tid */
};

/* --- memory of processes --- */

static bool read_memory(u32 tgid, u64 at, void *buf, size_t size)
{
	struct iovec local = {buf, size}, remote = {(void *)at, size};

	return process_vm_readv((pid_t)tgid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

/* Of struct pthread_mutex_t of the GNU C library. */
struct mutex_words {
	u32 lock, count, owner, users;
};

/* Of struct pthread_rwlock_t likewise; on both machines. */
struct rwlock_words {
	u32 readers, writers, wrphase_futex, writers_futex, pad[2], writer;
};

static bool is_thread(u32 tid)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/%u", tid);
	return tid && !access(path, F_OK);
}

/* --- stacks --- */

static struct stack_seen *stack_of(struct ctx *c, u64 hash)
{
	u32 at;

	HIDX_FIND(at, &c->by_hash, hash, pos, c->stacks[pos].hash == hash);
	return at == HIDX_NONE ? NULL : &c->stacks[at];
}

static void forget_stacks(struct ctx *c)
{
	for (u32 i = 0; i < c->nstacks; i++)
		free(c->stacks[i].where);
	c->nstacks = 0;
	hidx__clear(&c->by_hash);
}

/* Those of who waits in the kernel are nobody's lock. */
static void take_stack(void *ctx, const struct stack_record *r)
{
	struct stack_seen *s;
	struct ctx *c = ctx;

	if (r->nkernel || !r->nuser || stack_of(c, r->hash))
		return;
	if (c->nstacks == STACKS)
		forget_stacks(c);
	c->stacks = xgrow(c->stacks, c->nstacks, &c->stacks_cap, sizeof(*c->stacks));
	hidx__add(&c->by_hash, r->hash, c->nstacks);
	s = &c->stacks[c->nstacks++];
	*s = (struct stack_seen){
		.hash = r->hash, .tgid = r->tgid, .n = MIN((u32)r->nuser, (u32)FRAMES)};
	memcpy(s->ips, r->ips, s->n * sizeof(*s->ips));
}

/* Return addresses lie behind the call. */
static bool function_at(const struct ctx *c, u32 tgid, const u64 *ips, u32 i, struct address_name *name)
{
	return c->names && c->names->find(c->names, tgid, ips[i] - (i > 0), name) && name->symbol;
}

static enum lock_kind kind_by_frames(const struct ctx *c, u32 tgid, const u64 *ips, u32 n, bool *inner)
{
	struct address_name name;
	enum lock_kind kind;

	for (u32 i = 0; i < n; i++) {
		if (!function_at(c, tgid, ips, i, &name))
			continue;
		kind = lock_kind__of_function(name.text);
		*inner = strstr(name.text, "pthread_") != NULL;
		if (kind)
			return kind;
	}
	return LOCK_KIND_NONE;
}

/* The function that is behind those of libraries. */
static void name_where(const struct ctx *c, u32 tgid, const u64 *ips, u32 n, char *buf, size_t size)
{
	struct address_name name;

	*buf = '\0';
	for (u32 i = 0; !*buf && i < n; i++)
		if (function_at(c, tgid, ips, i, &name) && !lock_kind__is_library(name.text))
			copy_str(buf, size, name.text);
}

/* Who took it, or let go of it. */
static const char *where_of(struct ctx *c, struct stack_seen *s)
{
	char where[192];

	if (s->where)
		return s->where;
	name_where(c, s->tgid, s->ips, s->n, where, sizeof(where));
	s->where = xstrdup(where);
	return s->where;
}

/* --- locks of user space --- */

static struct lock_seen *lock_of(struct ctx *c, u64 lock)
{
	u32 at;

	HIDX_FIND(at, &c->by_lock, lock, pos, c->locks[pos].lock == lock);
	return at == HIDX_NONE ? NULL : &c->locks[at];
}

static struct lock_seen *new_lock(struct ctx *c, const struct lock_record *r)
{
	struct lock_seen *l;

	if (c->nlocks == 4 * LOCKS_MAX) {
		c->nlocks = 0;
		hidx__clear(&c->by_lock);
	}
	c->locks = xgrow(c->locks, c->nlocks, &c->locks_cap, sizeof(*c->locks));
	hidx__add(&c->by_lock, r->lock, c->nlocks);
	l = &c->locks[c->nlocks++];
	*l = (struct lock_seen){.lock = r->lock,
				.address = r->address,
				.file = r->file,
				.tgid = r->tgid,
				.op = r->op,
				.value = r->value};
	return l;
}

static void publish_kind(struct ctx *c, struct lock_seen *l)
{
	u32 kind = l->kind;

	if (kind && !l->kind_known)
		l->kind_known = !bpf_map_update_elem(c->kinds_fd, &l->lock, &kind, BPF_ANY);
}

/* Where the C library has no symbols of its own a wait for a semaphore has no name: it is told by its
 * words, the number that is there and the number of those that wait. */
static bool is_semaphore(const struct ctx *c, const struct lock_seen *l, u64 ip)
{
	struct address_name name;
	struct {
		u32 value, waiters, private;
	} sem;

	if (!c->names || l->value || (l->address & 7) ||
	    !c->names->find(c->names, l->tgid, ip, &name) || name.symbol ||
	    strncmp(name.text, "libc.so", 7) || !read_memory(l->tgid, l->address, &sem, sizeof(sem)))
		return false;
	return sem.waiters && sem.waiters < 65536 && !(sem.private & ~128u);
}

/* Where those sleep who did before they were watched. */
static u32 copy_stack(u32 tgid, u64 sp, u8 *buf)
{
	struct iovec local = {buf, COPY_BYTES}, remote[COPY_BYTES / 4096 + 1];
	u32 n = 0;
	ssize_t got;

	for (u64 at = sp; at < sp + COPY_BYTES && n < ARRAY_SIZE(remote); n++) {
		u64 end = MIN((at | 4095) + 1, sp + COPY_BYTES);

		remote[n] = (struct iovec){(void *)at, end - at};
		at = end;
	}
	got = process_vm_readv((pid_t)tgid, &local, 1, remote, n, 0);
	return got > 0 ? (u32)got & ~7u : 0;
}

/* After its stack was copied: whether it has not gone on. */
static bool still_waits(const struct lock_seen *l)
{
	char path[40], text[256];
	unsigned long long nr, address;

	snprintf(path, sizeof(path), "/proc/%u/syscall", l->tid);
	return file__read(AT_FDCWD, path, text, sizeof(text)) > 0 &&
	       sscanf(text, "%llu 0x%llx", &nr, &address) == 2 && nr == SYS_futex && address == l->address;
}

static void look_at_sleeper(struct ctx *c, struct lock_seen *l)
{
	u64 now = clock__monotonic_ns(), ips[FRAMES];
	struct stack_space *space;
	u8 stack[COPY_BYTES];
	enum walk_end end;
	struct stack_copy copy = {
		.tgid = l->tgid, .t_ns = now, .regs = l->regs, .stack = stack};
	u32 n;

	c->walks++;
	l->regs.ip = 0;
	copy.nstack = copy_stack(l->tgid, copy.regs.sp, stack);
	if (!c->walker || !copy.nstack || !still_waits(l))
		return;
	space = c->walker->space(c->walker, l->tgid, now);
	if (!space)
		return;
	n = c->walker->walk(c->walker, space, &copy, ips, FRAMES, &end);
	c->walker->put_space(c->walker, space);
	if (!l->kind)
		l->kind = kind_by_frames(c, l->tgid, ips, n, &l->inner);
	if (!*l->taken_in)
		name_where(c, l->tgid, ips, n, l->taken_in, sizeof(l->taken_in));
	if (!l->kind && n && is_semaphore(c, l, ips[0]))
		l->kind = LOCK_KIND_SEMAPHORE;
	publish_kind(c, l);
}

/* Those that there was no time for. */
static void look_at_sleepers(struct ctx *c)
{
	for (u32 i = 0; i < c->nlocks && c->walks < WALKS; i++)
		if (c->locks[i].regs.ip && !c->locks[i].kind)
			look_at_sleeper(c, &c->locks[i]);
}

/* One that is waited for until a time: by its words, of which one is the thread that has it. */
static bool is_mutex(const struct lock_seen *l)
{
	struct mutex_words m;

	return l->value == 2 && read_memory(l->tgid, l->address, &m, sizeof(m)) && m.lock == 2 &&
	       m.users && m.users < 65536 && is_thread(m.owner);
}

static void on_lock(struct ctx *c, const struct lock_record *r)
{
	struct lock_seen *l = lock_of(c, r->lock);
	struct stack_seen *s = r->stack ? stack_of(c, r->stack) : NULL;

	if (!l)
		l = new_lock(c, r);
	l->tid = r->tid;
	l->regs = (struct user_regs){r->ip, r->sp, r->fp, r->lr};
	if (!l->kind)
		l->kind = lock_kind__of_call(r->op, r->value);
	if (!l->kind && s)
		l->kind = kind_by_frames(c, s->tgid, s->ips, s->n, &l->inner);
	if (s && !*l->taken_in)
		copy_str(l->taken_in, sizeof(l->taken_in), where_of(c, s));
	if (!l->kind && is_mutex(l))
		l->kind = LOCK_KIND_MUTEX;
	if ((!l->kind || !(s || *l->taken_in)) && c->walks < WALKS)
		look_at_sleeper(c, l);
	if (!l->kind && s && is_semaphore(c, l, s->ips[0]))
		l->kind = LOCK_KIND_SEMAPHORE;
	if (!l->kind && ++l->tries == TRIES)
		l->kind = LOCK_KIND_FUTEX;
	l->kind_known = false;
	publish_kind(c, l);
}

static void add_offset(char *buf, size_t size, u64 offset)
{
	size_t len = strlen(buf);

	if (offset && len < size)
		snprintf(buf + len, size - len, "+0x%" PRIx64, offset);
}

/* "heap+0x2a0 in take_order": of what has no symbol who waits for it says what it is for. */
static void add_function(struct lock_seen *l)
{
	size_t len = strlen(l->name);

	if (*l->taken_in)
		snprintf(l->name + len, sizeof(l->name) - len, " in %s", l->taken_in);
}

/* A word that is waited on lies within its lock. */
static void name_lock(struct ctx *c, struct lock_seen *l)
{
	u64 at = l->address - (l->inner ? lock_kind__offset(l->kind, l->address) : 0);
	struct address_name name;
	u64 last = l->same;

	if (l->named)
		return;
	l->same = mix64_pair(mix64_pair(l->file, l->file ? 0 : l->tgid), at);
	if (l->file)
		l->same = l->lock;
	if (!c->names || !c->names->find(c->names, l->tgid, at, &name)) {
		snprintf(l->name, sizeof(l->name), "0x%" PRIx64, at);
		l->named = last != 0; /* perhaps it was mapped just now */
		return;
	}
	copy_str(l->name, sizeof(l->name), name.text);
	if (name.symbol && name.size <= LOCK_BYTES) /* it is all there is */
		l->same = l->file ? l->lock : mix64_pair(mix64_pair(0, l->tgid), at - name.offset);
	else
		add_offset(l->name, sizeof(l->name), name.offset);
	if (!name.symbol)
		add_function(l);
	/* Until its kind is known it may begin elsewhere. */
	l->named = l->kind != LOCK_KIND_NONE;
}

/* The first one has its owner's number where a mutex has it: its kind may not be known yet. */
static void on_order(struct ctx *c, const struct order_record *r, const struct sample_sink *sink)
{
	struct lock_seen *locks[2] = {lock_of(c, r->first), lock_of(c, r->second)};
	struct measure_order_sample out = {.head.type = SAMPLE_MEASURE_ORDER,
					   .nkeys = 2,
					   .who = r->who,
					   .t_ns = r->t_ns,
					   .stack = r->stack};
	struct stack_seen *s = r->stack ? stack_of(c, r->stack) : NULL;
	struct measure_key keys[2];

	if (!locks[0] || locks[0]->kind > LOCK_KIND_MUTEX || !locks[1] ||
	    locks[1]->kind != LOCK_KIND_MUTEX)
		return;
	for (u32 i = 0; i < 2; i++) {
		name_lock(c, locks[i]);
		keys[i] = (struct measure_key){locks[i]->lock, locks[i]->name};
	}
	out.keys = keys;
	for (u32 i = 0; i < ORDER_GUARDS; i++)
		if (r->guards[i] && r->guards[i] != r->first)
			out.guards[out.nguards++] = r->guards[i];
	if (s)
		copy_str(out.where, sizeof(out.where), where_of(c, s));
	sink__put(sink, &out.head);
}

/* --- where those are that have what is waited for --- */

static struct holder_seen *held_at(struct ctx *c, u32 tid)
{
	return &c->held_at[mix64(tid) % HOLDERS_WANTED];
}

/* After its stack was copied: whether it has not gone on. */
static bool still_sleeps(const struct holder_record *r)
{
	char path[40], text[256], *sp;

	snprintf(path, sizeof(path), "/proc/%u/syscall", r->tid);
	if (file__read(AT_FDCWD, path, text, sizeof(text)) <= 0)
		return false;
	sp = strrchr(text, ' ');
	if (!sp)
		return false;
	*sp = '\0'; /* behind it is where it goes on */
	sp = strrchr(text, ' ');
	return sp && strtoull(sp, NULL, 16) == r->sp;
}

static u32 walk_holder(struct ctx *c, const struct holder_record *r, u64 now, u64 *ips, enum walk_end *end)
{
	struct stack_space *space;
	u8 stack[COPY_BYTES];
	struct stack_copy copy = {.tgid = r->tgid, .t_ns = now, .stack = stack,
				  .regs = {r->ip, r->sp, r->fp, r->lr}};
	u32 n;

	copy.nstack = copy_stack(r->tgid, r->sp, stack);
	space = c->walker && copy.nstack && still_sleeps(r) ? c->walker->space(c->walker, r->tgid, now)
							    : NULL;
	if (!space)
		return 0;
	n = c->walker->walk(c->walker, space, &copy, ips, HOLDER_FRAMES, end);
	c->walker->put_space(c->walker, space);
	return n;
}

static void on_holder(struct ctx *c, const struct holder_record *r, const struct sample_sink *sink)
{
	struct holder_seen *h = held_at(c, r->tid);
	u64 now = clock__monotonic_ns(), ips[HOLDER_FRAMES];
	struct stack_def def = {.head.type = SAMPLE_STACK_DEF, .tgid = r->tgid, .t_ns = now, .ips = ips};
	enum walk_end end;
	u32 n = walk_holder(c, r, now, ips, &end);

	*h = (struct holder_seen){.tid = r->tid};
	if (!n)
		return;
	def.nuser = (u16)n;
	def.whole = end == WALK_WHOLE;
	def.cut = end == WALK_CUT;
	def.hash = h->stack = stack_hash(ips, 0, n, r->tgid);
	sink__put(sink, &def.head);
}

static bool is_wanted(const struct ctx *c, u64 key)
{
	for (u32 i = 0; i < c->nwanted[1]; i++)
		if (c->wanted[1][i] == key)
			return true;
	return false;
}

static void want_holder(struct ctx *c, u32 tgid, u32 tid)
{
	u64 key = LOCK_HOLDER(tgid, tid);
	u32 yes = 1;

	if (c->nwanted[1] == HOLDERS_WANTED || is_wanted(c, key) || bpf_map_update_elem(c->wanted_fd, &key, &yes, BPF_ANY))
		return;
	c->wanted[1][c->nwanted[1]++] = key;
}

/* Those that nobody waits for any more. */
static void forget_holders(struct ctx *c)
{
	for (u32 i = 0; i < c->nwanted[0]; i++)
		if (!is_wanted(c, c->wanted[0][i]))
			bpf_map_delete_elem(c->wanted_fd, &c->wanted[0][i]);
	memcpy(c->wanted[0], c->wanted[1], sizeof(c->wanted[0]));
	c->nwanted[0] = c->nwanted[1];
	c->nwanted[1] = 0;
}

static void take_record(void *ctx, const void *data, size_t size, const struct sample_sink *sink)
{
	u32 type = *(const u32 *)data;

	if (type == RECORD_LOCK && size >= sizeof(struct lock_record))
		on_lock(ctx, data);
	else if (type == RECORD_ORDER && size >= sizeof(struct order_record))
		on_order(ctx, data, sink);
	else if (type == RECORD_HOLDER && size >= sizeof(struct holder_record))
		on_holder(ctx, data, sink);
}

/* --- locks of the kernel --- */

static const char *type_of(u32 flags)
{
	if (flags & LOCK_IS_MUTEX)
		return "mutex";
	if (flags & LOCK_IS_PERCPU)
		return flags & LOCK_IS_WRITE ? "percpu-rwsem:W" : "percpu-rwsem:R";
	if (flags & LOCK_IS_SPIN)
		return flags & LOCK_IS_READ    ? "rwlock:R"
		       : flags & LOCK_IS_WRITE ? "rwlock:W"
					    : "spinlock";
	if (flags & LOCK_IS_RT)
		return flags & LOCK_IS_READ ? "rt:R" : flags & LOCK_IS_WRITE ? "rt:W" : "rt-mutex";
	if (flags & (LOCK_IS_READ | LOCK_IS_WRITE))
		return flags & LOCK_IS_WRITE ? "rwsem:W" : "rwsem:R";
	return "lock";
}

/* "mmap_lock rwsem:W"; of one that has no name of its own, who takes it: "rwsem:W in open_last_lookups" */
static void name_kernel(const struct ctx *c, u64 lock, char *buf, size_t size)
{
	const char *type = type_of((lock >> LOCK_TYPE_SHIFT) & 0xff);
	enum lock_how how = (lock >> LOCK_HOW_SHIFT) & 3;
	u64 address = lock & LOCK_ADDRESS_MASK;
	struct address_name name;
	char text[176];

	if (how == LOCK_OF_MM) {
		snprintf(buf, size, "mmap_lock %s", type);
		return;
	}
	if (!address || !c->names ||
	    !c->names->find(c->names, 0, address | LOCK_ADDRESS_UPPER, &name)) {
		copy_str(buf, size, type);
		return;
	}
	copy_str(text, sizeof(text), name.text);
	if (how == LOCK_STATIC) {
		add_offset(text, sizeof(text), name.offset);
		snprintf(buf, size, "%s %s", text, type);
	} else {
		snprintf(buf, size, "%s in %s", type, text);
	}
}

/* --- holders --- */

static u32 number_behind(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? (u32)strtoul(at + strlen(key), NULL, 10) : 0;
}

/* The name of a thread of this machine; "": it is gone. */
static const struct comm_seen *comm_of(struct ctx *c, u32 tid)
{
	struct comm_seen *s = &c->comms[mix64(tid) % COMMS];
	u64 now = clock__monotonic_ns();
	char path[40], text[512];

	if (s->tid == tid && now - s->at_ns < COMM_KEPT_NS)
		return s;
	snprintf(path, sizeof(path), "/proc/%u/status", tid);
	if (file__read(AT_FDCWD, path, text, sizeof(text)) <= 0) {
		if (s->tid != tid)
			*s = (struct comm_seen){.tid = tid, .at_ns = now};
		return s;
	}
	*s = (struct comm_seen){.tid = tid, .at_ns = now, .tgid = number_behind(text, "\nTgid:\t")};
	sscanf(text, "Name:\t%15[^\n]", s->comm);
	return s;
}

static void holder_text(struct ctx *c, u64 holder, char *buf, size_t size)
{
	const struct comm_seen *s = comm_of(c, (u32)holder);

	snprintf(buf, size, "%s/%u", *s->comm ? s->comm : "[gone]", (u32)holder);
}

/* Who writes under a rwlock of the GNU C library; 0: readers have it, or nobody. */
static u32 writer_of(const struct lock_seen *l)
{
	u64 at = l->address - (l->inner ? lock_kind__offset(l->kind, l->address) : 0);
	struct rwlock_words w;

	if (!l->inner || !read_memory(l->tgid, at, &w, sizeof(w)) || !is_thread(w.writer))
		return 0;
	return w.writer;
}

/* Who has a lock; 0: nobody, or it does not say. */
static u32 owner_of(const struct lock_seen *l)
{
	bool inherits = l->op == FUTEX_LOCK_PI || l->op == 13;
	struct mutex_words m;
	u32 tid;

	if (l->kind == LOCK_KIND_RWLOCK)
		return writer_of(l);
	if (l->kind != LOCK_KIND_MUTEX || !read_memory(l->tgid, l->address, &m, sizeof(m)) || !m.lock)
		return 0;
	tid = inherits ? m.lock & FUTEX_TID_MASK : m.owner;
	return is_thread(tid) ? tid : 0;
}

/* --- what the measure's source asks --- */

static void *begin(const struct measure *m, const struct sampling *how)
{
	struct ctx *c = xcalloc(1, sizeof(*c));

	(void)m;
	c->names = how->names;
	c->walker = how->walker;
	c->kinds_fd = -1;
	return c;
}

static void end(void *ctx)
{
	struct ctx *c = ctx;

	forget_stacks(c);
	free(c->stacks);
	free(c->locks);
	hidx__fini(&c->by_hash);
	hidx__fini(&c->by_lock);
	free(c);
}

static int prepare(void *ctx, struct bpf_object *obj, struct status *st)
{
	static const char *const code[] = {"__lock_text_start", "__lock_text_end", "__sched_text_start",
					   "__sched_text_end"};
	const u32 futex = SYS_futex, waitv = 449;
	struct ctx *c = ctx;
	u64 text[4] = {0}, first, last;

	(void)st;
	for (u32 i = 0; c->names && i < ARRAY_SIZE(code); i++)
		text[i] = c->names->kernel(c->names, code[i]);
	first = c->names ? c->names->kernel(c->names, "_stext") : 0;
	last = c->names ? c->names->kernel(c->names, "_end") : 0;
	measure_programs__set(obj, "lock_text", text, sizeof(text));
	measure_programs__set(obj, "static_begin", &first, sizeof(first));
	measure_programs__set(obj, "static_end", &last, sizeof(last));
	measure_programs__set(obj, "futex_call", &futex, sizeof(futex));
	measure_programs__set(obj, "waitv_call", &waitv, sizeof(waitv));
	return 0;
}

static int attach(void *ctx, struct bpf_object *obj, struct status *st)
{
	struct ctx *c = ctx;

	(void)st;
	c->kinds_fd = bpf_object__find_map_fd_by_name(obj, "lock_kinds");
	c->wanted_fd = bpf_object__find_map_fd_by_name(obj, "lock_wanted");
	return 0;
}

static void tick(void *ctx, struct bpf_object *obj)
{
	struct ctx *c = ctx;

	(void)obj;
	c->owners = c->walks = 0;
	forget_holders(c);
	look_at_sleepers(c);
}

/* Labels by their place in measures/locks.c. */
enum { BY_LOCK, BY_KIND, BY_ERROR, BY_HOLDER, BY_AT };

static const char *kind_text(struct ctx *c, u64 lock)
{
	const struct lock_seen *l = lock_of(c, lock);

	return lock_kind_names[lock & LOCK_KERNEL ? LOCK_KIND_KERNEL : l ? l->kind : LOCK_KIND_NONE];
}

static bool lock_text(struct ctx *c, u64 lock, char *buf, size_t size)
{
	struct lock_seen *l;

	if (lock & LOCK_KERNEL) {
		name_kernel(c, lock, buf, size);
		return true;
	}
	l = lock_of(c, lock);
	if (!l)
		return false;
	name_lock(c, l);
	copy_str(buf, size, l->name);
	return true;
}

static void at_text(struct ctx *c, u64 hash, char *buf, size_t size)
{
	struct stack_seen *s = hash ? stack_of(c, hash) : NULL;

	copy_str(buf, size, s ? where_of(c, s) : "");
}

static bool text(void *ctx, u32 label, const struct measure_value *v, char *buf, size_t size)
{
	struct ctx *c = ctx;
	u64 value = v->value;

	*buf = '\0';
	switch (label) {
	case BY_LOCK:
		return lock_text(c, value, buf, size);
	case BY_KIND:
		copy_str(buf, size, kind_text(c, value));
		return true;
	case BY_HOLDER:
		if (value)
			holder_text(c, value, buf, size);
		return true;
	case BY_AT:
		at_text(c, value, buf, size);
		return true;
	default:
		return false;
	}
}

static u64 same(void *ctx, u32 label, u64 value)
{
	const struct lock_seen *l = label == BY_LOCK ? lock_of(ctx, value) : NULL;

	return l && l->same ? l->same : value;
}

static bool waits(void *ctx, const __u64 *words)
{
	const struct lock_seen *l = lock_of(ctx, words[LOCK_LABEL_LOCK]);

	return l && l->kind == LOCK_KIND_CONDITION;
}

static void put_holder(struct ctx *c, struct measure_holder_sample *out, u32 tid,
		       const struct sample_sink *sink)
{
	const struct comm_seen *s = comm_of(c, tid);

	out->head.type = SAMPLE_MEASURE_HOLDER;
	out->tid = tid;
	if (!out->tgid)
		out->tgid = s->tgid ? s->tgid : tid;
	copy_str(out->comm, sizeof(out->comm), s->comm);
	sink__put(sink, &out->head);
}

static void counted(void *ctx, const struct measure_cell *cell, const struct measure_key *keys, u32 n,
		    const struct sample_sink *sink)
{
	u64 holder = cell->labels[LOCK_LABEL_HOLDER];
	struct measure_holder_sample out = {.keys = keys,
					    .nkeys = n,
					    .tgid = (u32)(holder >> 32),
					    .stack = cell->labels[LOCK_LABEL_AT],
					    .ns = cell->sum};

	if (holder)
		put_holder(ctx, &out, (u32)holder, sink);
}

static void goes_on(void *ctx, const struct measure_open *o, const struct measure_key *keys, u32 n,
		    const struct sample_sink *sink)
{
	u64 now = clock__monotonic_ns(), known = o->labels[LOCK_LABEL_HOLDER];
	const struct lock_seen *l = lock_of(ctx, o->labels[LOCK_LABEL_LOCK]);
	struct measure_holder_sample out = {.keys = keys,
					    .nkeys = n,
					    .waiter = o->who,
					    .begin_ns = o->begin_ns,
					    .ns = now - MIN(o->begin_ns, now)};
	struct ctx *c = ctx;
	u32 tid = (u32)known;

	if (!tid && l && (l->kind == LOCK_KIND_MUTEX || l->kind == LOCK_KIND_RWLOCK) &&
	    c->owners++ < OWNERS)
		tid = owner_of(l);
	if (!tid)
		return;
	if (held_at(c, tid)->tid == tid)
		out.stack = held_at(c, tid)->stack;
	put_holder(c, &out, tid, sink);
	want_holder(c, out.tgid, tid);
}

const struct measure_hooks locks_hooks = {
	.begin = begin,
	.end = end,
	.prepare = prepare,
	.attach = attach,
	.tick = tick,
	.text = text,
	.record = take_record,
	.stack = take_stack,
	.same = same,
	.waits = waits,
	.counted = counted,
	.goes_on = goes_on,
};
