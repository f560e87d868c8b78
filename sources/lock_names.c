// SPDX-License-Identifier: GPL-2.0-only
#include "sources/lock_names.h"

#include <inttypes.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"

#define STACKS	     32768 /* when there are more, all are forgotten */
#define CPU_STACKS   1024  /* for each CPU, where memory is little */
#define LOCKS	     65536 /* likewise */
#define LOCK_BYTES   56	   /* the C library's largest: a rwlock */
#define COMM_KEPT_NS (5 * NSEC_PER_SEC)

void lock_names__init(struct lock_names *n, const struct address_names *names)
{
	*n = (struct lock_names){
		.names = names, .most_stacks = memory__entries(STACKS, CPU_STACKS)};
}

static void forget_stacks(struct lock_names *n)
{
	for (u32 i = 0; i < n->nstacks; i++)
		free(n->stacks[i].where);
	n->nstacks = 0;
	hidx__clear(&n->by_hash);
}

void lock_names__fini(struct lock_names *n)
{
	forget_stacks(n);
	free(n->stacks);
	free(n->locks);
	hidx__fini(&n->by_hash);
	hidx__fini(&n->by_lock);
}

/* --- memory of processes --- */

bool lock_names__read(u32 tgid, u64 at, void *buf, size_t size)
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

/* Of the lock's process, which may count its threads in a namespace of its own, or of any that maps it. */
static bool is_thread(const struct lock_seen *l, u32 tid)
{
	char path[64];

	if (l->file)
		snprintf(path, sizeof(path), "/proc/%u", tid);
	else
		snprintf(path, sizeof(path), "/proc/%u/task/%u", l->tgid, tid);
	return tid && !access(path, F_OK);
}

/* --- stacks --- */

struct stack_seen *lock_names__stack(struct lock_names *n, u64 hash)
{
	u32 at;

	HIDX_FIND(at, &n->by_hash, hash, pos, n->stacks[pos].hash == hash);
	return at == HIDX_NONE ? NULL : &n->stacks[at];
}

void lock_names__take_stack(struct lock_names *n, u64 hash, u32 tgid, const u64 *ips, u32 nips)
{
	struct stack_seen *s;

	if (!nips || lock_names__stack(n, hash))
		return;
	if (n->nstacks >= n->most_stacks)
		forget_stacks(n);
	n->stacks = xgrow(n->stacks, n->nstacks, &n->stacks_cap, sizeof(*n->stacks));
	hidx__add(&n->by_hash, hash, n->nstacks);
	s = &n->stacks[n->nstacks++];
	*s = (struct stack_seen){.hash = hash, .tgid = tgid, .n = MIN(nips, (u32)LOCK_FRAMES)};
	memcpy(s->ips, ips, s->n * sizeof(*s->ips));
}

/* Return addresses lie behind the call. */
static bool function_at(const struct lock_names *n, u32 tgid, const u64 *ips, u32 i,
			struct address_name *name)
{
	return n->names && n->names->find(n->names, tgid, ips[i] - (i > 0), name) && name->symbol;
}

void lock_names__see_stack(const struct lock_names *n, struct lock_seen *l, u32 tgid, const u64 *ips, u32 nips)
{
	struct address_name name;

	for (u32 i = 0; !l->kind && i < nips; i++) {
		if (!function_at(n, tgid, ips, i, &name))
			continue;
		l->kind = lock_kind__of_function(name.text);
		l->inner = strstr(name.text, "pthread_") != NULL;
		l->parks = lock_kind__parks(name.text);
	}
}

/* The function that is behind those of libraries. */
void lock_names__name_where(const struct lock_names *n, u32 tgid, const u64 *ips, u32 nips,
			     char *buf, size_t size)
{
	struct address_name name;

	*buf = '\0';
	for (u32 i = 0; !*buf && i < nips; i++)
		if (function_at(n, tgid, ips, i, &name) && !lock_kind__is_library(name.text))
			copy_str(buf, size, name.text);
}

/* Who took it, or let go of it. */
const char *lock_names__where(struct lock_names *n, struct stack_seen *s)
{
	char where[192];

	if (s->where)
		return s->where;
	lock_names__name_where(n, s->tgid, s->ips, s->n, where, sizeof(where));
	s->where = xstrdup(where);
	return s->where;
}

/* --- locks --- */

struct lock_seen *lock_names__find(struct lock_names *n, u64 lock)
{
	u32 at;

	HIDX_FIND(at, &n->by_lock, lock, pos, n->locks[pos].lock == lock);
	return at == HIDX_NONE ? NULL : &n->locks[at];
}

struct lock_seen *lock_names__add(struct lock_names *n, const struct lock_seen *fresh)
{
	if (n->nlocks == LOCKS) {
		n->nlocks = 0;
		hidx__clear(&n->by_lock);
	}
	n->locks = xgrow(n->locks, n->nlocks, &n->locks_cap, sizeof(*n->locks));
	hidx__add(&n->by_lock, fresh->lock, n->nlocks);
	n->locks[n->nlocks] = *fresh;
	return &n->locks[n->nlocks++];
}

/* One that is waited for until a time: by its words, of which one is the thread that has it. */
static bool is_mutex(const struct lock_seen *l)
{
	struct mutex_words m;

	return l->value == 2 && lock_names__read(l->tgid, l->address, &m, sizeof(m)) && m.lock == 2 &&
	       m.users && m.users < 65536 && is_thread(l, m.owner);
}

#define FRAME_BYTES 512

/* Who waits for a condition of musl does so in a word of its own frame. */
static bool is_on_stack(const struct lock_seen *l)
{
	return l->op == FUTEX_WAIT && l->value == 2 && l->regs.sp && l->address - l->regs.sp < FRAME_BYTES;
}

void lock_names__learn(struct lock_names *n, struct lock_seen *l, struct stack_seen *s)
{
	if (!l->kind && is_on_stack(l) && !is_mutex(l))
		l->kind = LOCK_KIND_CONDITION;
	if (!l->kind)
		l->kind = lock_kind__of_call(l->op, l->value);
	if (!l->kind && s)
		lock_names__see_stack(n, l, s->tgid, s->ips, s->n);
	if (s && !*l->taken_in)
		copy_str(l->taken_in, sizeof(l->taken_in), lock_names__where(n, s));
	if (!l->kind && is_mutex(l))
		l->kind = LOCK_KIND_MUTEX;
}

void lock_names__add_offset(char *buf, size_t size, u64 offset)
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

/* "parking_lot in take_order" */
static void name_by_place(struct lock_seen *l)
{
	l->same = mix64_pair(mix64_pair(l->tgid, l->kind), hash_bytes(l->taken_in, strlen(l->taken_in)));
	copy_str(l->name, sizeof(l->name), "parking_lot");
	add_function(l);
	l->named = true;
}

/* A word that is waited on lies within its lock. */
void lock_names__name(struct lock_names *n, struct lock_seen *l)
{
	u64 at = l->address - (l->inner ? lock_kind__offset(l->kind, l->address) : 0);
	struct address_name name;
	u64 last = l->same;

	if (l->named)
		return;
	if (l->parks) {
		name_by_place(l);
		return;
	}
	l->same = mix64_pair(mix64_pair(l->file, l->file ? 0 : l->tgid), at);
	if (l->file)
		l->same = l->lock;
	if (!n->names || !n->names->find(n->names, l->tgid, at, &name)) {
		snprintf(l->name, sizeof(l->name), "0x%" PRIx64, at);
		l->named = last != 0; /* perhaps it was mapped just now */
		return;
	}
	copy_str(l->name, sizeof(l->name), name.text);
	if (name.symbol && name.size <= LOCK_BYTES) /* it is all there is */
		l->same = l->file ? l->lock : mix64_pair(mix64_pair(0, l->tgid), at - name.offset);
	else
		lock_names__add_offset(l->name, sizeof(l->name), name.offset);
	if (!name.symbol)
		add_function(l);
	/* Until its kind is known it may begin elsewhere. */
	l->named = l->kind != LOCK_KIND_NONE;
}

/* --- who has them --- */

static u32 number_behind(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? (u32)strtoul(at + strlen(key), NULL, 10) : 0;
}

void lock_names__set_comm(struct lock_names *n, u32 tgid, u32 tid, const char *comm)
{
	struct comm_seen *s = &n->comms[mix64(tid) % LOCK_COMMS];

	*s = (struct comm_seen){.tid = tid, .tgid = tgid, .at_ns = clock__monotonic_ns()};
	copy_str(s->comm, sizeof(s->comm), comm);
}

/* The name of a thread of this machine; "": it is gone. */
const struct comm_seen *lock_names__comm(struct lock_names *n, u32 tid)
{
	struct comm_seen *s = &n->comms[mix64(tid) % LOCK_COMMS];
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

/* Who writes under a rwlock of the GNU C library; 0: readers have it, or nobody. */
static u32 writer_of(const struct lock_seen *l)
{
	u64 at = l->address - (l->inner ? lock_kind__offset(l->kind, l->address) : 0);
	struct rwlock_words w;

	if (!l->inner || !lock_names__read(l->tgid, at, &w, sizeof(w)) || !is_thread(l, w.writer))
		return 0;
	return w.writer;
}

/* Who has a lock; 0: nobody, or it does not say. */
u32 lock_seen__owner(const struct lock_seen *l)
{
	bool inherits = l->op == FUTEX_LOCK_PI || l->op == 13;
	struct mutex_words m;
	u32 tid;

	if (l->parks)
		return 0;
	if (l->kind == LOCK_KIND_RWLOCK)
		return writer_of(l);
	if (l->kind != LOCK_KIND_MUTEX || !lock_names__read(l->tgid, l->address, &m, sizeof(m)) || !m.lock)
		return 0;
	tid = inherits ? m.lock & FUTEX_TID_MASK : m.owner;
	return is_thread(l, tid) ? tid : 0;
}
