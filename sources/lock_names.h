/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Locks of user space as sources see them wait: what they are called, of which kind they are, who has
 * them at the moment. By their memory, and by the stacks of who waits. Collector thread only; bounded.
 */
#ifndef SOURCES_LOCK_NAMES_H
#define SOURCES_LOCK_NAMES_H

#include "base/hidx.h"
#include "samples/address_names.h"
#include "samples/sample.h"
#include "samples/walk.h"
#include "sources/lock_kinds.h"

#define LOCK_FRAMES 12	 /* of a stack that are looked at */
#define LOCK_COMMS  1024 /* names of threads that are kept */

/* A user stack, by its hash. */
struct stack_seen {
	u64 hash;
	u32 tgid, n;
	u64 ips[LOCK_FRAMES];
	char *where; /* the function that is behind those of libraries; NULL: not asked yet */
};

/* A lock of user space. */
struct lock_seen {
	u64 lock, address, file;
	u32 tgid, op, value, tries;
	enum lock_kind kind;
	bool kind_known; /* the programs know its kind */
	bool named;
	bool parks; /* LOCK_PARKS: where it is waited for is its name */
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

struct lock_names {
	const struct address_names *names; /* NULL: none can be found */
	struct stack_seen *stacks;
	u32 nstacks, stacks_cap, most_stacks;
	struct hidx by_hash;
	struct lock_seen *locks;
	u32 nlocks, locks_cap;
	struct hidx by_lock;
	struct comm_seen comms[LOCK_COMMS];
};

void lock_names__init(struct lock_names *n, const struct address_names *names);
void lock_names__fini(struct lock_names *n);

/* Stacks of user space, before the waits that name them. */
void lock_names__take_stack(struct lock_names *n, u64 hash, u32 tgid, const u64 *ips, u32 nips);
struct stack_seen *lock_names__stack(struct lock_names *n, u64 hash);
/* The function of the program itself that is in it; "": not known. */
const char *lock_names__where(struct lock_names *n, struct stack_seen *s);
void lock_names__name_where(const struct lock_names *n, u32 tgid, const u64 *ips, u32 nips, char *buf, size_t size);

/* NULL: it was not seen yet. Both are valid until the next one is added. */
struct lock_seen *lock_names__find(struct lock_names *n, u64 lock);
struct lock_seen *lock_names__add(struct lock_names *n, const struct lock_seen *fresh);
/* What a wait says of its kind and of who takes it: its call, the stack (NULL: not known), its memory. */
void lock_names__learn(struct lock_names *n, struct lock_seen *l, struct stack_seen *s);
/* The stack's part of that, of a process's. */
void lock_names__see_stack(const struct lock_names *n, struct lock_seen *l, u32 tgid, const u64 *ips, u32 nips);
/* Fills l->name and l->same. */
void lock_names__name(struct lock_names *n, struct lock_seen *l);
/* The thread that has it now, as its memory says; 0: nobody, or it does not say. */
u32 lock_seen__owner(const struct lock_seen *l);

/* The programs told a thread's name. */
void lock_names__set_comm(struct lock_names *n, u32 tgid, u32 tid, const char *comm);
/* The name of a thread of this machine and its process; "" and 0: it is gone, and nobody told. */
const struct comm_seen *lock_names__comm(struct lock_names *n, u32 tid);

/* Of another process's memory, whole. */
bool lock_names__read(u32 tgid, u64 at, void *buf, size_t size);
/* "+0x2a0"; none of 0. */
void lock_names__add_offset(char *buf, size_t size, u64 offset);

#endif
