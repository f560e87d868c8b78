/* SPDX-License-Identifier: GPL-2.0-only */
/* Locks: words of labels, and what programs and user space tell each other; shared by both. */
#ifndef BPF_LOCKS_H
#define BPF_LOCKS_H

#include <linux/types.h>

#include "bpf/measure.h"

/*
 * LOCK: of a user's lock a hash that names it, told of by a struct lock_record; of a kernel's
 * LOCK_KERNEL and what follows. ERROR: errno. HOLDER: process and thread that let go of it, or held it
 * (LOCK_HOLDER); 0: not known. AT: hash of the stack where it did; 0: none was taken.
 */
enum { LOCK_LABEL_LOCK, LOCK_LABEL_ERROR, LOCK_LABEL_HOLDER, LOCK_LABEL_AT };

#define LOCK_HOLDER(tgid, tid) ((__u64)(tgid) << 32 | (tid))

#define LOCK_KERNEL	   (1ULL << 63)
#define LOCK_HOW_SHIFT	   56 /* 2 bits: enum lock_how */
#define LOCK_TYPE_SHIFT	   48 /* 8 bits: LOCK_x */
#define LOCK_ADDRESS_MASK  ((1ULL << LOCK_TYPE_SHIFT) - 1)
#define LOCK_ADDRESS_UPPER (~LOCK_ADDRESS_MASK) /* of kernel addresses */

/* What the address in a kernel's lock is: the lock's own, or who takes it. */
enum lock_how { LOCK_STATIC, LOCK_OF_CALLER, LOCK_OF_MM };

/* LCB_F_x of include/trace/events/lock.h. */
#define LOCK_IS_SPIN   1
#define LOCK_IS_READ   2
#define LOCK_IS_WRITE  4
#define LOCK_IS_RT	    8
#define LOCK_IS_PERCPU 16
#define LOCK_IS_MUTEX  32

/* As JSON has them, but for NONE: not known yet. */
enum lock_kind {
	LOCK_KIND_NONE, LOCK_KIND_MUTEX, LOCK_KIND_RWLOCK, LOCK_KIND_CONDITION, LOCK_KIND_SEMAPHORE,
	LOCK_KIND_FUTEX, LOCK_KIND_KERNEL, LOCK_KINDS,
};

/* Beside a kind: the word is a thread's own, in which it waits for any lock (parking_lot's). Which one it
 * waits for is told by where: its stack stands for the lock. */
#define LOCK_PARKS 0x100

/* In the ring: a lock whose kind user space has not told yet is waited for. */
#define RECORD_LOCK 24

struct lock_record {
	__u32 type; /* RECORD_LOCK */
	__u32 tgid;
	__u64 lock, address;
	__u64 file;  /* hash of the file that it lies in, where others map it, too; 0: of the process */
	__u64 stack; /* where it is waited for; 0: not known */
	__u32 op;    /* FUTEX_x, without flags */
	__u32 value; /* that the word is expected to have */
	__u32 tid, pad;	      /* of who waits, and its registers */
	__u64 ip, sp, fp, lr;
};

/* In the ring: a thread waited for a lock while it had another one. */
#define RECORD_ORDER 25

#define ORDER_GUARDS 4

struct order_record {
	__u32 type; /* RECORD_ORDER */
	__u32 pad;
	__u64 t_ns;
	__u64 first, second; /* as struct lock_record has them */
	__u64 stack;	     /* where it waited for the second one; 0: not known */
	struct measure_who who;
	__u64 guards[ORDER_GUARDS]; /* other mutexes that it had; 0: no more */
};

/* In the ring: a thread that sleeps and is in lock_wanted, or waits for a lock itself. */
#define RECORD_HOLDER 26
#define RECORD_WAITER 27

struct sleeper_record {
	__u32 type;
	__u32 tgid, tid, pad;
	__u64 ip, sp, fp, lr;
	__u64 begin_ns; /* of the wait of a RECORD_WAITER */
};

/* In the ring: who has had what others wait for, as it may have ended before its name is looked up. */
#define RECORD_THREAD 28

struct thread_record {
	__u32 type; /* RECORD_THREAD */
	__u32 tgid, tid, pad;
	char comm[16];
};

#define LOCKS_MAX    16384
#define NAMED_MAX    4096 /* threads whose names were told */
#define HOLDERS_WANTED 64
#define WAITERS_MAX    4096 /* whose stacks are known */
#define WAITERS_ROUND  64   /* that are reported by one visit */
#define WAITERS_NS     20000000ULL /* that a wait lasts before it is */

/* measure_stats.notes */
enum { LOCKS_OWN, LOCKS_DEEP, LOCKS_ORDERS_FULL, LOCKS_PATHS };

/* --- each lock that is taken, by probes of the processes that are looked at (bpf/locks_taken.bpf.h) --- */

/* A probe's cookie: what its function does, from TAKEN_WORD_SHIFT on where in the lock it says that somebody has it,
 * and what the lock is. */
enum taken_call {
	TAKEN_LOCK,	 /* waits for its lock */
	TAKEN_TRY,	 /* has it or has it not, at once or after a time: that is no order */
	TAKEN_READ,	 /* waits for it, to read under it */
	TAKEN_CONDITION, /* waits for the lock that is its second argument, which it has */
	TAKEN_ANEW,	 /* it is made, or ends: what was known of its memory is of another lock */
	TAKEN_RELEASE,	 /* lets go of it */
};
#define TAKEN_CALL_MASK	 7
#define TAKEN_WORD_SHIFT 8
#define TAKEN_WORD_MASK	 255
#define TAKEN_RWLOCK	 (1U << 16) /* it is one; else a mutex */
#define TAKEN_UNNAMED	 (1U << 17) /* its word is not its owner's number: it is had until it is let go of */
#define TAKEN_MUSL	 (1U << 18) /* it is musl's; else glibc's */
#define TAKEN_READS	 (1U << 19) /* of what a thread has or waits for: it reads */
#define TAKEN_HOW_MASK	 (TAKEN_RWLOCK | TAKEN_UNNAMED | TAKEN_MUSL)
#define TAKEN_COOKIE(call, word, how) ((call) | (word) << TAKEN_WORD_SHIFT | (how))
#define TAKEN_OWN	 (1ULL << 32) /* proftop's own function, whose calls are timed */

/* What the programs do: `taken_does`. */
enum { TAKEN_IDLE, TAKEN_COUNT, TAKEN_NOTE };

/* A thread took, or waited for, one lock while it had another one and those beside it. */
struct taken_order_key {
	__u64 first, second; /* addresses, as long as they are of the same lock */
	__u64 beside;	     /* a hash of the others, and of whether it reads under these two */
	__u32 tgid, exec_id;
};

/* Of locks in orders: how often their memory became another lock's. */
struct taken_lock_key {
	__u64 address;
	__u32 tgid, exec_id;
};

struct taken_order {
	__u64 count;
	__u64 t_ns;	      /* of the first time */
	__u64 first, second;  /* as struct lock_record has them */
	__u64 first_address, second_address;
	__u64 first_file, second_file;
	__u64 first_stack, stack; /* where both were taken; 0: not known */
	__u64 guards[ORDER_GUARDS]; /* others that it had: as first and second; 0: no more */
	struct measure_who who;	  /* who did so first */
	__u64 first_times, second_times; /* as taken_locks had them */
	__u32 by_several;	  /* others did, too */
	__u32 how[2];		  /* TAKEN_RWLOCK, TAKEN_READS */
	__u32 pad;
};

#define TAKEN_ORDERS 8192
#define TAKEN_SITES  16384 /* places where locks are taken, with their stacks */
#define TAKEN_WALKS  2048  /* stacks of such that are taken between two visits of user space */

struct taken_counts {
	__u64 hits; /* calls of what is probed */
};

#endif
