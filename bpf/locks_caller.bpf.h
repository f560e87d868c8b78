/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who takes a lock of the kernel: the first frame behind the code that is there for all locks. To
 * have it the kernel would walk some ten frames at each contention, which is most of what one
 * costs. From an event up to who takes the lock there are few paths, though, and each lies on the
 * stack in the same way: a return address alone tells where the next one is. So a walk is done for
 * each path a few times, to learn where its return addresses are, and afterwards they are compared
 * with the words of the stack, and the caller is the word behind them. One in PATH_CHECK is walked
 * all the same, and a path that was wrong is forgotten and counted.
 *
 * Of each CPU by itself, and only one program of this file runs on one (cpu__enter()).
 */
#ifndef BPF_LOCKS_CALLER_BPF_H
#define BPF_LOCKS_CALLER_BPF_H

#include "bpf/locks_state.bpf.h"

/* Where the code lies that takes locks: .spinlock.text and .sched.text. */
const volatile u64 lock_text[4] = {};

#define PAGE	     4096
#define CALLERS	     14	 /* frames that are walked */
#define CALLERS_ROOM 16	 /* a power of two, so that the verifier sees an index bounded */
#define PATH_FRAMES  8	 /* between an event and who takes the lock */
#define PATH_WORDS   128 /* of the stack, from the event on, that they lie in */
#define PATH_WAYS    8	 /* paths that are kept of each kind of lock */
#define PATH_SETS    16
#define PATH_TRUSTED 4 /* walks that agree before one is believed */
#define PATH_CHECK   256

struct lock_path {
	u8 n;	   /* frames; 0: free */
	u8 walks;  /* that agreed */
	u8 caller; /* which word is who takes the lock */
	u8 at[PATH_FRAMES];
	u64 ips[PATH_FRAMES];
};

struct lock_paths {
	u64 here;	       /* where the arguments are */
	u32 times, place;      /* of a return address in the words */
	u64 words[PATH_WORDS]; /* of the stack, from where the event's arguments are on */
	u64 ips[CALLERS_ROOM]; /* that a walk found */
	struct lock_path paths[PATH_SETS * PATH_WAYS];
};

PERCPU_MAP(lock_paths, 1, struct lock_paths);

static __always_inline bool is_lock_text(u64 ip)
{
	return (ip >= lock_text[0] && ip < lock_text[1]) ||
	       (ip >= lock_text[2] && ip < lock_text[3]);
}

static __always_inline struct lock_path *path__of(struct lock_paths *p, u32 set, u32 way)
{
	return &p->paths[(set & (PATH_SETS - 1)) * PATH_WAYS + (way & (PATH_WAYS - 1))];
}

static __always_inline bool path__fits(const struct lock_paths *p, const struct lock_path *path)
{
	if (!path->n)
		return false;
	for (u32 i = 0; i < PATH_FRAMES && i < path->n; i++)
		if (p->words[path->at[i] & (PATH_WORDS - 1)] != path->ips[i])
			return false;
	return true;
}

/* Global functions, so that the verifier looks at each once. */

/* Which path the words are of, and one; 0: none that is known. */
__noinline u32 path__find(u32 set)
{
	struct lock_paths *p = map__only(&lock_paths);

	for (u32 way = 0; p && way < PATH_WAYS; way++)
		if (path__fits(p, path__of(p, set, way)))
			return way + 1;
	return 0;
}

/* Which word is the return address, and one; 0: none, or it is there twice. Counts in memory, where
 * the verifier does not follow it through the loop. */
__noinline u32 words__place(u64 ip)
{
	struct lock_paths *p = map__only(&lock_paths);
	volatile struct lock_paths *found = p;

	if (!p)
		return 0;
	found->times = found->place = 0;
	for (u32 i = 0; i < PATH_WORDS; i++) {
		if (p->words[i] != ip)
			continue;
		found->times++;
		found->place = i + 1;
	}
	return found->times == 1 ? found->place : 0;
}

/* Where in the frames of the walk who takes the lock is; 0: nowhere. The first ones are the
 * tracer's. */
__noinline u32 walk__caller(u32 n)
{
	struct lock_paths *p = map__only(&lock_paths);
	bool inside = false;

	for (u32 i = 0; p && i < CALLERS && i < n; i++) {
		if (is_lock_text(p->ips[i]))
			inside = true;
		else if (inside)
			return i;
	}
	return 0;
}

/* Learns the path to a frame of the walk. Frames of the tracer's own lie before the words. */
__noinline int path__learn(u32 set, u32 caller)
{
	struct lock_paths *p = map__only(&lock_paths);
	struct lock_path *path;
	u32 last = 0, n = 0;

	if (!p)
		return 0;
	path = path__of(p, set, bpf_get_prandom_u32());
	path->n = path->walks = 0;
	for (u32 i = 0; i < CALLERS && i <= caller; i++) {
		u32 at = words__place(p->ips[i]);

		if (!at && !last)
			continue;
		if (at <= last || at > PATH_WORDS)
			return 0;
		last = at;
		path->caller = at - 1;
		if (i == caller)
			break;
		if (n == PATH_FRAMES)
			return 0;
		path->at[n & (PATH_FRAMES - 1)] = at - 1;
		path->ips[n & (PATH_FRAMES - 1)] = p->ips[i];
		n++;
	}
	path->n = n;
	return 0;
}

/* The words from ctx on. A stack that is not deep has fewer: it ends with a page, and what is
 * behind is read as 0. */
static __always_inline void words__read_all(struct lock_paths *p, void *ctx)
{
	u32 first;

	p->here = (u64)ctx;
	barrier_var(p);
	first = (PAGE - (*(volatile u64 *)&p->here & (PAGE - 1))) / sizeof(u64);
	if (first >= PATH_WORDS) {
		bpf_probe_read_kernel(p->words, sizeof(p->words), ctx);
		return;
	}
	barrier_var(first);
	first &= PATH_WORDS - 1;
	bpf_probe_read_kernel(p->words, first * sizeof(u64), ctx);
	bpf_probe_read_kernel(&p->words[first], (PATH_WORDS - first) * sizeof(u64),
			      ctx + first * sizeof(u64));
}

/* ctx: of a tp_btf program, whose arguments lie on the kernel's stack. set: what tells events and
 * kinds of locks apart. 0: not known. */
static __noinline u64 lock__caller(void *ctx, u32 set, struct measure_stats *st)
{
	struct lock_paths *p = map__only(&lock_paths);
	struct lock_path *path = NULL;
	u64 known = 0, found;
	u32 way, at;
	long bytes;

	if (!p)
		return 0;
	words__read_all(p, ctx);
	way = path__find(set);
	if (way) {
		path = path__of(p, set, way - 1);
		known = p->words[path->caller & (PATH_WORDS - 1)];
		if (path->walks >= PATH_TRUSTED && !is_lock_text(known) &&
		    bpf_get_prandom_u32() % PATH_CHECK)
			return known;
	}
	bytes = bpf_get_stack(ctx, p->ips, CALLERS * sizeof(u64), 0);
	at = walk__caller(bytes > 0 ? (u64)bytes / sizeof(u64) : 0);
	barrier_var(at);
	found = at ? p->ips[at & (CALLERS_ROOM - 1)] : 0;
	/* One whose next frame takes locks, too, is the beginning of a longer one. */
	if (!path || is_lock_text(known)) {
		if (found)
			path__learn(set, at);
	} else if (known != found) {
		st->notes[LOCKS_PATHS] += path->walks >= PATH_TRUSTED;
		path->n = 0;
	} else if (path->walks < PATH_TRUSTED) {
		path->walks++;
	}
	return found;
}

#endif
