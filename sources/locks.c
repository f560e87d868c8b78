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
#include "bpf/stack.h"
#include "sources/lock_names.h"
#include "sources/lock_sleepers.h"
#include "sources/locks_taken.h"
#include "sources/measure.h"
#include "sources/sleeping_stack.h"

_Static_assert(ORDER_GUARDS <= MEASURE_GUARDS, "a sample has room for a record's guards");

#define TRIES	     10		     /* until a lock of which nothing says what it is is a futex */
#define WALKS	     64		     /* stacks that are copied each interval */
#define OWNERS	     512 /* mutexes that are looked into each interval */

struct ctx {
	struct lock_names base;
	struct locks_taken *taken; /* NULL: orders are those of waits */
	const struct stack_walker *walker;
	int kinds_fd;
	u32 owners, walks; /* looked at in this interval */
	struct lock_sleepers sleepers;
};

/* Those of who waits in the kernel are nobody's lock. */
static void take_stack(void *ctx, const struct stack_record *r)
{
	struct ctx *c = ctx;

	if (!r->nkernel)
		lock_names__take_stack(&c->base, r->hash, r->tgid, (const u64 *)r->ips, r->nuser);
}

/* --- locks of user space --- */

static void publish_kind(struct ctx *c, struct lock_seen *l)
{
	u32 kind = l->kind | (l->parks ? LOCK_PARKS : 0);

	if (l->kind && !l->kind_known)
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

	if (!c->base.names || l->value || (l->address & 7) ||
	    !c->base.names->find(c->base.names, l->tgid, ip, &name) || name.symbol ||
	    strncmp(name.text, "libc.so", 7) || !lock_names__read(l->tgid, l->address, &sem, sizeof(sem)))
		return false;
	return sem.waiters && sem.waiters < 65536 && !(sem.private & ~128u);
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
	u64 now = clock__monotonic_ns(), ips[LOCK_FRAMES];
	struct stack_space *space;
	u8 stack[SLEEPING_STACK_BYTES];
	enum walk_end end;
	struct stack_copy copy = {
		.tgid = l->tgid, .t_ns = now, .regs = l->regs, .stack = stack};
	u32 n;

	c->walks++;
	l->regs.ip = 0;
	copy.nstack = sleeping_stack__copy(l->tgid, copy.regs.sp, stack);
	if (!c->walker || !copy.nstack || !still_waits(l))
		return;
	space = c->walker->space(c->walker, l->tgid, now);
	if (!space)
		return;
	n = c->walker->walk(c->walker, space, &copy, ips, LOCK_FRAMES, &end);
	c->walker->put_space(c->walker, space);
	if (!l->kind)
		lock_names__see_stack(&c->base, l, l->tgid, ips, n);
	if (!*l->taken_in)
		lock_names__name_where(&c->base, l->tgid, ips, n, l->taken_in, sizeof(l->taken_in));
	if (!l->kind && n && is_semaphore(c, l, ips[0]))
		l->kind = LOCK_KIND_SEMAPHORE;
	publish_kind(c, l);
}

/* Those that there was no time for. */
static void look_at_sleepers(struct ctx *c)
{
	for (u32 i = 0; i < c->base.nlocks && c->walks < WALKS; i++)
		if (c->base.locks[i].regs.ip && !c->base.locks[i].kind)
			look_at_sleeper(c, &c->base.locks[i]);
}

static void on_lock(struct ctx *c, const struct lock_record *r)
{
	struct lock_seen *l = lock_names__find(&c->base, r->lock);
	struct stack_seen *s = r->stack ? lock_names__stack(&c->base, r->stack) : NULL;

	if (!l)
		l = lock_names__add(&c->base, &(struct lock_seen){.lock = r->lock,
								  .address = r->address,
								  .file = r->file,
								  .tgid = r->tgid,
								  .op = r->op,
								  .value = r->value});
	l->tid = r->tid;
	l->regs = (struct user_regs){r->ip, r->sp, r->fp, r->lr};
	lock_names__learn(&c->base, l, s);
	if ((!l->kind || !(s || *l->taken_in)) && c->walks < WALKS)
		look_at_sleeper(c, l);
	if (!l->kind && s && is_semaphore(c, l, s->ips[0]))
		l->kind = LOCK_KIND_SEMAPHORE;
	if (!l->kind && ++l->tries == TRIES)
		l->kind = LOCK_KIND_FUTEX;
	l->kind_known = false;
	publish_kind(c, l);
}

/* The first one has its owner's number where a mutex has it: its kind may not be known yet. */
static void on_order(struct ctx *c, const struct order_record *r, const struct sample_sink *sink)
{
	struct lock_seen *locks[2] = {lock_names__find(&c->base, r->first), lock_names__find(&c->base, r->second)};
	struct measure_order_sample out = {.head.type = SAMPLE_MEASURE_ORDER,
					   .nkeys = 2,
					   .who = r->who,
					   .t_ns = r->t_ns,
					   .stack = r->stack};
	struct stack_seen *s = r->stack ? lock_names__stack(&c->base, r->stack) : NULL;
	struct measure_key keys[2];

	if (!locks[0] || locks[0]->kind > LOCK_KIND_MUTEX || !locks[1] ||
	    locks[1]->kind != LOCK_KIND_MUTEX || locks_taken__has(c->taken, r->who.tgid))
		return;
	for (u32 i = 0; i < 2; i++) {
		lock_names__name(&c->base, locks[i]);
		keys[i] = (struct measure_key){locks[i]->lock, locks[i]->name};
	}
	out.keys = keys;
	for (u32 i = 0; i < ORDER_GUARDS; i++)
		if (r->guards[i] && r->guards[i] != r->first)
			out.guards[out.nguards++] = r->guards[i];
	if (s)
		copy_str(out.where, sizeof(out.where), lock_names__where(&c->base, s));
	sink__put(sink, &out.head);
}

static void on_thread(struct ctx *c, const struct thread_record *r)
{
	lock_names__set_comm(&c->base, r->tgid, r->tid, r->comm);
}

static void take_record(void *ctx, const void *data, size_t size, const struct sample_sink *sink)
{
	u32 type = *(const u32 *)data;
	struct ctx *c = ctx;

	if (type == RECORD_LOCK && size >= sizeof(struct lock_record))
		on_lock(c, data);
	else if (type == RECORD_ORDER && size >= sizeof(struct order_record))
		on_order(c, data, sink);
	else if (type == RECORD_HOLDER && size >= sizeof(struct sleeper_record))
		lock_sleepers__take_holder(&c->sleepers, data, sink);
	else if (type == RECORD_WAITER && size >= sizeof(struct sleeper_record))
		lock_sleepers__take_waiter(&c->sleepers, data, sink);
	else if (type == RECORD_THREAD && size >= sizeof(struct thread_record))
		on_thread(c, data);
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
	if (!address || !c->base.names ||
	    !c->base.names->find(c->base.names, 0, address | LOCK_ADDRESS_UPPER, &name)) {
		copy_str(buf, size, type);
		return;
	}
	copy_str(text, sizeof(text), name.text);
	if (how == LOCK_STATIC) {
		lock_names__add_offset(text, sizeof(text), name.offset);
		snprintf(buf, size, "%s %s", text, type);
	} else {
		snprintf(buf, size, "%s in %s", type, text);
	}
}

/* --- holders --- */

static void holder_text(struct ctx *c, u64 holder, char *buf, size_t size)
{
	const struct comm_seen *s = lock_names__comm(&c->base, (u32)holder);

	snprintf(buf, size, "%s/%u", *s->comm ? s->comm : "[gone]", (u32)holder);
}

/* --- what the measure's source asks --- */

static void *begin(const struct measure *m, const struct sampling *how)
{
	struct ctx *c = xcalloc(1, sizeof(*c));

	(void)m;
	lock_names__init(&c->base, how->names);
	c->taken = locks_taken__new(how);
	c->walker = c->sleepers.walker = how->walker;
	c->kinds_fd = -1;
	return c;
}

static void end(void *ctx)
{
	struct ctx *c = ctx;

	locks_taken__free(c->taken);
	lock_names__fini(&c->base);
	lock_sleepers__fini(&c->sleepers);
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
	locks_taken__prepare(c->taken, obj);
	for (u32 i = 0; c->base.names && i < ARRAY_SIZE(code); i++)
		text[i] = c->base.names->kernel(c->base.names, code[i]);
	first = c->base.names ? c->base.names->kernel(c->base.names, "_stext") : 0;
	last = c->base.names ? c->base.names->kernel(c->base.names, "_end") : 0;
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

	c->kinds_fd = bpf_object__find_map_fd_by_name(obj, "lock_kinds");
	c->sleepers.wanted_fd = bpf_object__find_map_fd_by_name(obj, "lock_wanted");
	return locks_taken__attach(c->taken, obj, st);
}

static void detach(void *ctx)
{
	locks_taken__detach(((struct ctx *)ctx)->taken);
}

static int follow_scope(void *ctx, const struct scope *scope, struct status *st)
{
	return locks_taken__scope(((struct ctx *)ctx)->taken, scope, st);
}

static bool other(const struct sampling *was, const struct sampling *wanted)
{
	return was->lock_orders != wanted->lock_orders;
}

static void more(void *ctx, const struct sample_sink *sink)
{
	struct ctx *c = ctx;

	locks_taken__put(c->taken, &c->base, sink);
}

static void health(void *ctx, struct health *h)
{
	locks_taken__health(((struct ctx *)ctx)->taken, h);
}

static void tick(void *ctx, struct bpf_object *obj)
{
	struct ctx *c = ctx;

	(void)obj;
	c->owners = c->walks = 0;
	lock_sleepers__tick(&c->sleepers);
	look_at_sleepers(c);
	locks_taken__tick(c->taken);
}

/* Labels by their place in measures/locks.c. */
enum { BY_LOCK, BY_KIND, BY_ERROR, BY_HOLDER, BY_AT, BY_ADDRESS };

static const char *kind_text(struct ctx *c, u64 lock)
{
	const struct lock_seen *l = lock_names__find(&c->base, lock);

	return lock_kind_names[lock & LOCK_KERNEL ? LOCK_KIND_KERNEL : l ? l->kind : LOCK_KIND_NONE];
}

static bool lock_text(struct ctx *c, u64 lock, char *buf, size_t size)
{
	struct lock_seen *l;

	if (lock & LOCK_KERNEL) {
		name_kernel(c, lock, buf, size);
		return true;
	}
	l = lock_names__find(&c->base, lock);
	if (!l)
		return false;
	lock_names__name(&c->base, l);
	copy_str(buf, size, l->name);
	return true;
}

static void at_text(struct ctx *c, u64 hash, char *buf, size_t size)
{
	struct stack_seen *s = hash ? lock_names__stack(&c->base, hash) : NULL;

	copy_str(buf, size, s ? lock_names__where(&c->base, s) : "");
}

static void address_text(struct ctx *c, u64 lock, char *buf, size_t size)
{
	const struct lock_seen *l = lock_names__find(&c->base, lock);

	if (l && !l->file)
		snprintf(buf, size, "0x%" PRIx64, l->address);
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
	case BY_ADDRESS:
		address_text(c, value, buf, size);
		return true;
	default:
		return false;
	}
}

static u64 same(void *ctx, u32 label, u64 value)
{
	const struct lock_seen *l = label == BY_LOCK ? lock_names__find(&((struct ctx *)ctx)->base, value) : NULL;

	return l && l->same ? l->same : value;
}

static bool waits(void *ctx, const __u64 *words)
{
	const struct lock_seen *l = lock_names__find(&((struct ctx *)ctx)->base, words[LOCK_LABEL_LOCK]);

	return l && l->kind == LOCK_KIND_CONDITION;
}

static void put_holder(struct ctx *c, struct measure_holder_sample *out, u32 tid,
		       const struct sample_sink *sink)
{
	const struct comm_seen *s = lock_names__comm(&c->base, tid);

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

static u64 where(void *ctx, const struct measure_open *o)
{
	return lock_sleepers__where(&((struct ctx *)ctx)->sleepers, o->who.tid, o->begin_ns);
}

static void goes_on(void *ctx, const struct measure_open *o, const struct measure_key *keys, u32 n,
		    const struct sample_sink *sink)
{
	u64 now = clock__monotonic_ns(), known = o->labels[LOCK_LABEL_HOLDER];
	const struct lock_seen *l = lock_names__find(&((struct ctx *)ctx)->base, o->labels[LOCK_LABEL_LOCK]);
	struct measure_holder_sample out = {.keys = keys,
					    .nkeys = n,
					    .waiter = o->who,
					    .begin_ns = o->begin_ns,
					    .ns = now - MIN(o->begin_ns, now)};
	struct ctx *c = ctx;
	u32 tid = (u32)known;

	if (!tid && l && (l->kind == LOCK_KIND_MUTEX || l->kind == LOCK_KIND_RWLOCK) &&
	    c->owners++ < OWNERS)
		tid = lock_seen__owner(l);
	if (!tid)
		return;
	out.stack = lock_sleepers__held_at(&c->sleepers, tid);
	put_holder(c, &out, tid, sink);
	lock_sleepers__want(&c->sleepers, out.tgid, tid);
}

const struct measure_hooks locks_hooks = {
	.begin = begin,
	.end = end,
	.prepare = prepare,
	.attach = attach,
	.detach = detach,
	.scope = follow_scope,
	.other = other,
	.more = more,
	.health = health,
	.tick = tick,
	.text = text,
	.record = take_record,
	.stack = take_stack,
	.same = same,
	.waits = waits,
	.counted = counted,
	.where = where,
	.goes_on = goes_on,
};
