// SPDX-License-Identifier: GPL-2.0-only
/* Locks that are waited for: which, by whom, how long, and who had them. */
#include "bpf/locks.h"
#include "measures/syscall_args.h"
#include "samples/measure.h"

enum {
	BY_LOCK, BY_KIND, BY_ERROR, BY_HOLDER, BY_AT, BY_ADDRESS, BY_PID, BY_TID, BY_COMM, BY_CGROUP, BY_STACK,
	LABELS,
};

static const struct measure_label labels[LABELS] = {
	[BY_LOCK] = {.name = "lock", .title = "Lock", .width = 24,
		     .help = "symbol of the lock's memory, or heap, stack, anon and how far in it; of the "
			     "kernel's: its symbol, or its type and who takes it",
		     .word = LOCK_LABEL_LOCK, .bits = 64, .exact = true},
	[BY_KIND] = {.name = "kind", .title = "Kind", .width = 9,
		     .help = "mutex, rwlock, condition, semaphore, futex (none of those, or not "
			     "known), kernel",
		     .word = LOCK_LABEL_LOCK, .bits = 64, .implied_by = 1u << BY_LOCK},
	[BY_ERROR] = {.name = "error", .title = "Error", .width = 10, .kind = LABEL_ERROR,
		      .help = "why it ended without: ETIMEDOUT; EAGAIN: it had changed already; EINTR: a "
			      "signal",
		      .word = LOCK_LABEL_ERROR, .bits = 32, .text = errno__text},
	[BY_HOLDER] = {.name = "holder", .title = "Holder", .width = 15,
		       .help = "who woke the waiters: it had the lock and let go of it; of the kernel's "
			       "mutexes and semaphores, and of mutexes waited for now, who has them",
		       .word = LOCK_LABEL_HOLDER, .bits = 64, .holder = true},
	[BY_AT] = {.name = "held_at", .title = "Held at", .width = 20,
		   .help = "function that let go of it; its stack is looked at 1000 times a second at most",
		   .word = LOCK_LABEL_AT, .bits = 64},
	[BY_ADDRESS] = {.name = "address", .title = "Address", .width = 14, .address = true,
			.help = "where it is in the process; of what several processes have in common and of the "
				"kernel's it is not told",
			.word = LOCK_LABEL_LOCK, .bits = 64, .implied_by = 1u << BY_LOCK},
	[BY_PID] = {.name = "pid", .title = "PID", .kind = LABEL_PID, .help = "process that waits",
		    .implied_by = 1u << BY_LOCK},
	[BY_TID] = {.name = "tid", .title = "TID", .kind = LABEL_TID, .help = "thread that waits"},
	[BY_COMM] = {.name = "comm", .title = "Command", .width = 15, .kind = LABEL_COMM,
		     .help = "name of the process, or of the thread, that waits",
		     .implied_by = 1u << BY_LOCK},
	[BY_CGROUP] = {.name = "cgroup", .title = "Cgroup", .width = 16, .kind = LABEL_CGROUP,
		       .help = "cgroup v2, path below its mount point"},
	[BY_STACK] = {.name = "stack", .title = "Waits in", .width = 24, .kind = LABEL_STACK,
		      .help = "where it is waited for; what took 50 us (in the kernel: 1 ms) has its own stack, and of "
			      "the rest one stands for those since the last"},
};

/* The source knows better (sources/locks.c). */
static bool waits(const __u64 *words)
{
	return false;
}

const struct measure measure_locks = {
	MEASURE_HERE,
	.name = "locks",
	.noun = "waits",
	.event = "futex calls, contention_begin",
	.shape = MEASURE_SHAPE_SPAN,
	.labels = labels,
	.nlabels = LABELS,
	.by = 1u << BY_LOCK,
	.waits = waits,
	.kept = LOCK_LABEL_LOCK,
	.cold = 2048, /* pairs of threads, at each lock, by stack */
	.drills = (const u32[]){1u << BY_TID, 1u << BY_HOLDER | 1u << BY_AT, 0},
	.narrow = "lock kind rate wall_pct unfinished max_ns holder",
	.optional = "contention_begin contention_end",
	.notes = {[LOCKS_OWN] = "contentions within proftop's own programs are left out",
		  [LOCKS_DEEP] = "locks were taken by who had 32 others already",
		  [LOCKS_ORDERS_FULL] = "orders of locks found no room",
		  [LOCKS_PATHS] = "callers of the kernel's locks were read from the wrong place"},
	.unseen = "locks that are taken at once are not counted (--lock-orders has their orders); 32-bit programs "
		  "are not seen",
};
