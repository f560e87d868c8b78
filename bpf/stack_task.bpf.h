/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks at the scheduler's events, where the kernel's own walk would cost more than all the
 * rest. The two parts are captured apart, each with its own hash:
 *
 * User frames are walked here, by frame pointers, hashing as it goes.
 *
 * Kernel frames are walked by the kernel only when they are new. Whether they are is told by
 * a shape: the words of the kernel stack, by their distance from its end, that could be
 * return addresses and were the same each time the same frames were found by a walk. The
 * true return addresses are among them: what is dropped from a shape had differed while the
 * frames were equal. And unwinding goes from one return address to the place of the next by
 * the first alone (only the outermost system call frame is of varying size, and what called
 * it is always the same), so a stack that has all words of a shape has its frames. A share of
 * the stacks found this way is walked all the same and compared: stack_work.differed.
 */
#ifndef BPF_STACK_TASK_BPF_H
#define BPF_STACK_TASK_BPF_H

#include "bpf/loop.bpf.h"
#include "bpf/stack.bpf.h"

#define KERNEL_STACK_SIZE 16384 /* x86-64 and arm64; stacks are aligned to it */
#define SHAPE_WORDS	  256	/* of a stack that are looked at; deeper ones are always walked */
#define SHAPE_HEAD	  32	/* of those, read before a shape is chosen */
#define SHAPE_SLOTS	  64
#define SHAPE_WAYS	  8
#define SHAPE_SETS	  512
#define SHAPE_CHECK	  256 /* one in so many is walked all the same */

enum { STACK_KIND_SLEEPING, STACK_KIND_RUNNING, STACK_KIND_INTERRUPT };

struct stack_words {
	u64 w[2 * SHAPE_WORDS]; /* only the first half is used: so the verifier sees its end */
};

struct stack_shape {
	u64 hash;   /* of the frames; 0: free */
	u32 seq;    /* odd: being written */
	u16 n, len; /* slots; words they are in */
	u8 at[SHAPE_SLOTS];
	u64 word[SHAPE_SLOTS];
};

PERCPU_MAP(stack_words, STACK_SLOTS, struct stack_words);

/* Emptied by user space together with stacks_seen: a shape stands for a stack that was sent. */
ARRAY_MAP(stack_shapes, SHAPE_SETS *SHAPE_WAYS, struct stack_shape);

/* Where the kernel's and its modules' code lies; length 0: not known, each stack is walked. */
const volatile u64 text_start = 0, text_length = 0;

static __always_inline u64 stack__base(u64 address)
{
	return address & ~(u64)(KERNEL_STACK_SIZE - 1);
}

static __always_inline bool is_text(u64 word)
{
	return word - text_start < text_length;
}

static __always_inline struct stack_words *words__of(u32 slot)
{
	return bpf_map_lookup_elem(&stack_words, &slot);
}

static __always_inline struct stack_shape *shape__of(u32 set, u32 way)
{
	u32 i = (set & (SHAPE_SETS - 1)) * SHAPE_WAYS + way;

	return bpf_map_lookup_elem(&stack_shapes, &i);
}

/* Reads words [begin, end) of the stack at `from`. */
static __always_inline bool words__read(struct stack_words *words, u64 from, u32 begin, u32 end)
{
	u32 n = end - begin;

	if (begin > end || end > SHAPE_WORDS)
		return false;
	/* What the compiler knows of n the verifier does not: keep it from leaving the mask out. */
	barrier_var(n);
	n &= SHAPE_WORDS - 1;
	return !bpf_probe_read_kernel(&words->w[begin & (SHAPE_WORDS - 1)], n * sizeof(u64),
				      (void *)(from + begin * sizeof(u64)));
}

/*
 * Some functions from here on are global, so that the verifier looks at each
 * once and not wherever it is called; therefore they take numbers and find things themselves.
 */

/* Whether the words have the shape. */
__noinline bool shape__fits(u32 set, u32 way, u32 slot)
{
	struct stack_shape *shape = shape__of(set, way & (SHAPE_WAYS - 1));
	struct stack_words *words = words__of(slot);
	u32 n;

	if (!shape || !words)
		return false;
	n = shape->n;
	for (u32 i = 0; i < SHAPE_SLOTS && i < n; i++) {
		u32 at = shape->at[i];

		if (words->w[at & (SHAPE_WORDS - 1)] == shape->word[i])
			continue;
		return false;
	}
	return true;
}

/* Takes the entry for writing; false: somebody else has it. */
static __always_inline bool shape__lock(struct stack_shape *shape)
{
	u32 seq = shape->seq;

	return !(seq & 1) && __sync_val_compare_and_swap(&shape->seq, seq, seq + 1) == seq;
}

static __always_inline void shape__unlock(struct stack_shape *shape)
{
	__sync_fetch_and_add(&shape->seq, 1);
}

/* Counts in memory, where the verifier does not follow it through each loop. */
static __always_inline void shape__reset(struct stack_shape *shape)
{
	*(volatile u16 *)&shape->n = 0;
	*(volatile u16 *)&shape->len = 0;
}

static __always_inline void shape__add(struct stack_shape *shape, u32 at, u64 word)
{
	u16 n = *(volatile u16 *)&shape->n;

	if (n < SHAPE_SLOTS) {
		shape->at[n & (SHAPE_SLOTS - 1)] = at;
		shape->word[n & (SHAPE_SLOTS - 1)] = word;
	}
	*(volatile u16 *)&shape->n = n + 1;
	*(volatile u16 *)&shape->len = at + 1;
}

struct shape_round {
	struct stack_shape *shape;
	const struct stack_words *words;
	u32 len;
};

static long shape__keep(u32 i, struct shape_round *r)
{
	u32 at = r->shape->at[i & (SHAPE_SLOTS - 1)];
	u64 word = r->shape->word[i & (SHAPE_SLOTS - 1)];

	if (at < r->len && r->words->w[at & (SHAPE_WORDS - 1)] == word)
		shape__add(r->shape, at, word);
	return 0;
}

static long shape__take(u32 i, struct shape_round *r)
{
	u64 word = r->words->w[i & (SHAPE_WORDS - 1)];

	if (is_text(word))
		shape__add(r->shape, i, word);
	return 0;
}

/* The same frames once more: keeps the slots that are the same too. */
__noinline int shape__narrow(u32 set, u32 way, u32 slot, u32 len)
{
	struct stack_shape *shape = shape__of(set, way & (SHAPE_WAYS - 1));
	struct shape_round round = {shape, words__of(slot), len};
	u32 n;

	if (!shape || !round.words || !shape__lock(shape))
		return 0;
	n = shape->n;
	shape__reset(shape);
	loop(n, SHAPE_SLOTS, shape__keep, &round);
	shape__unlock(shape);
	return 0;
}

/* A new one: every word that could be a return address. Too many: none. */
__noinline int shape__make(u32 set, u32 way, u32 slot, u32 len, u64 hash)
{
	struct stack_shape *shape = shape__of(set, way & (SHAPE_WAYS - 1));
	struct shape_round round = {shape, words__of(slot), len};

	if (!shape || !round.words || !shape__lock(shape))
		return 0;
	shape__reset(shape);
	loop(len, SHAPE_WORDS, shape__take, &round);
	shape->hash = *(volatile u16 *)&shape->n <= SHAPE_SLOTS ? hash : 0;
	shape__unlock(shape);
	return 0;
}

/* The hash of the stack at `from`, of `all` words of which some are read; 0: its shape is not
 * known. */
__noinline u64 shapes__find(u32 set, u32 slot, u64 from, u32 have, u64 all)
{
	struct stack_words *words = words__of(slot);

	for (u32 way = 0; way < SHAPE_WAYS; way++) {
		struct stack_shape *shape = shape__of(set, way);
		u64 hash;
		u32 seq, len;

		if (!shape || !words)
			return 0;
		seq = *(volatile u32 *)&shape->seq;
		hash = shape->hash;
		len = shape->len;
		if (!hash || (seq & 1) || len > all || shape->word[0] != words->w[shape->at[0]])
			continue;
		if (len > have) {
			if (!words__read(words, from, have, len))
				return 0;
			have = len;
		}
		if (shape__fits(set, way, slot) && *(volatile u32 *)&shape->seq == seq)
			return hash;
	}
	return 0;
}

/* After a walk found `hash`. */
__noinline int shapes__learn(u32 set, u32 slot, u32 len, u64 hash)
{
	u32 free_way = SHAPE_WAYS;

	for (u32 way = 0; way < SHAPE_WAYS; way++) {
		struct stack_shape *shape = shape__of(set, way);

		if (!shape)
			return 0;
		/* It may fit by now, or have been written to while it was looked at. */
		if (shape->hash == hash)
			return shape__fits(set, way, slot) || shape__narrow(set, way, slot, len);
		if (!shape->hash)
			free_way = way;
	}
	if (free_way == SHAPE_WAYS)
		free_way = bpf_get_prandom_u32() & (SHAPE_WAYS - 1);
	return shape__make(set, free_way, slot, len, hash);
}

struct words_round {
	const struct stack_words *words;
	u64 ip;
	u32 found;
};

static long words__look(u32 i, struct words_round *r)
{
	r->found = r->words->w[i & (SHAPE_WORDS - 1)] == r->ip;
	return r->found;
}

/* Whether a frame lies within the words: then so do all that it called. */
__noinline bool words__reach(u32 slot, u32 len, u64 ip)
{
	struct words_round round = {words__of(slot), ip, 0};

	if (!round.words)
		return false;
	loop(len, SHAPE_WORDS, words__look, &round);
	return round.found;
}

static __always_inline struct stack_record *record__of(u32 slot)
{
	return bpf_map_lookup_elem(&stack_scratch, &slot);
}

static __always_inline struct stack_stats *stack__stats(void)
{
	return map__only(&stack_stats);
}

static __always_inline u64 stack__finish(struct stack_record *s, u32 nkernel, u32 nuser, u64 hash)
{
	struct stack_stats *stats;

	if (stack__is_known(hash))
		return hash;
	stats = stack__stats();
	if (!stats)
		return 0;
	s->type = RECORD_STACK;
	s->nkernel = nkernel;
	s->nuser = nuser;
	s->t_ns = bpf_ktime_get_ns();
	s->hash = hash;
	if (nkernel == STACK_DEPTH || nuser == STACK_DEPTH)
		stats->cut++;
	return stack__send(s, stats) ? hash : 0;
}

struct frames_round {
	const struct stack_words *words;
	struct stack_record *s;
	u32 n;
};

static long frames__keep(u32 i, struct frames_round *r)
{
	u32 kept = r->s->nkernel;

	if (kept >= r->n)
		return 1;
	if (r->words->w[i & (SHAPE_WORDS - 1)] == r->s->ips[kept & STACK_DEPTH])
		r->s->nkernel = kept + 1;
	return 0;
}

/* What an interrupt interrupted is not on its stack: keeps the frames that are. */
__noinline int frames__cut(u32 slot, u32 len)
{
	struct frames_round round = {words__of(slot), record__of(slot), 0};

	if (!round.words || !round.s)
		return 0;
	round.n = round.s->nkernel;
	round.s->nkernel = 0;
	loop(len, SHAPE_WORDS, frames__keep, &round);
	return 0;
}

/* The hash of the kernel stack between two addresses; 0: it has to be walked, perhaps to see
 * whether it is the one that it was taken for. */
__noinline u64 stack__known(u64 key, u32 slot, u64 from, u64 to)
{
	struct stack_words *words = words__of(slot);
	struct stack_stats *stats = stack__stats();
	u64 left = (to - from) / sizeof(u64), hash;
	u32 have = left < SHAPE_HEAD ? left : SHAPE_HEAD;

	if (!words || !stats || !text_length || !words__read(words, from, 0, have))
		return 0;
	hash = shapes__find(key, slot, from, have, left);
	if (!hash || ++stats->reused % SHAPE_CHECK)
		return hash;
	stats->suspect = hash;
	return 0;
}

/* Sends the frames that a walk has put into the scratch, and learns to know them again. */
__noinline u64 stack__walked(u64 key, u32 slot, u64 from, u64 to, s64 bytes)
{
	u32 n = bytes <= 0 ? 0 : (bytes / sizeof(u64)) & STACK_DEPTH, outer;
	u64 left = (to - from) / sizeof(u64), hash, suspect;
	u32 len = left < SHAPE_WORDS ? left : SHAPE_WORDS - 1;
	struct stack_words *words = words__of(slot);
	struct stack_record *s = record__of(slot);
	struct stack_stats *stats = stack__stats();

	if (!s || !words || !stats)
		return 0;
	stats->walks++;
	suspect = stats->suspect;
	stats->suspect = 0;
	if (!n)
		return 0;
	s->nkernel = n;
	s->nuser = 0;
	s->tgid = 0;
	if (!words__read(words, from, 0, len))
		len = 0;
	if ((s->flags & STACK_RECORD_INTERRUPT) && len) {
		frames__cut(slot, len);
		n = s->nkernel & STACK_DEPTH;
	}
	s->nkernel = n;
	hash = stack__finish(s, n, 0, stack__hash(s, slot));
	if (suspect) {
		stats->checked++;
		stats->differed += hash && hash != suspect;
	}
	if (!hash || !text_length || n == STACK_DEPTH || !len)
		return hash;
	outer = n > 2 ? n - 2 : 0;
	barrier_var(outer);
	if ((s->flags & STACK_RECORD_INTERRUPT) ||
	    words__reach(slot, len, s->ips[outer & STACK_DEPTH]))
		shapes__learn(key, slot, len, hash);
	return hash;
}

static __always_inline u64 stack__key(struct task_struct *task, u32 kind, u32 syscall)
{
	u64 h = hash_step(kind, syscall);

	/* Kernel threads make no calls that would tell their stacks apart. */
	return hash_finish(hash_step(h, task->flags & PF_KTHREAD ? task->pid : 0));
}

/* Which function a return address is of a call of; 0: that was no direct call. */
static __always_inline u64 stack__called(u64 ip)
{
#if defined(__TARGET_ARCH_x86)
	struct {
		u8 op;
		s32 to;
	} __attribute__((packed)) call = {};

	if (bpf_probe_read_kernel(&call, sizeof(call), (void *)(ip - sizeof(call))) || call.op != 0xe8)
		return 0;
	return ip + (s64)call.to;
#else
	s32 call = 0;

	if (bpf_probe_read_kernel(&call, sizeof(call), (void *)(ip - sizeof(call))) ||
	    (u32)call >> 26 != 0x25)
		return 0;
	return ip - sizeof(call) + (s64)((call << 6) >> 4);
#endif
}

/* Walks of other tasks leave out the scheduler's own functions, those that take locks among them: the outermost
 * of these is who the first frame called. */
static __always_inline s64 stack__walk_sleeping(struct task_struct *task, struct stack_record *s)
{
	s64 bytes = bpf_get_task_stack(task, s->ips + 1, (STACK_DEPTH - 1) * sizeof(u64), 0);
	u64 called = bytes > 0 ? stack__called(s->ips[1]) : 0;

	if (!called)
		return bpf_get_task_stack(task, s->ips, STACK_DEPTH * sizeof(u64), 0);
	s->ips[0] = called + 1; /* as a return address: within it */
	return bytes + sizeof(u64);
}

/* The kernel frames of a task that does not run; syscall: the one it is in, -1 none. */
static __always_inline u64 stack__sleeping(struct task_struct *task, u32 syscall, u32 slot)
{
	u64 from = SAVED_SP(task), to = stack__base(from) + KERNEL_STACK_SIZE;
	u64 key = stack__key(task, STACK_KIND_SLEEPING, syscall);
	u64 known = stack__known(key, slot, from, to);
	struct stack_record *s = record__of(slot);

	if (known || !s)
		return known;
	s->flags = 0;
	return stack__walked(key, slot, from, to, stack__walk_sleeping(task, s));
}

/* Interrupts of the kernel have a stack of their own. */
static __always_inline bool stack__is_own(u64 here, struct task_struct *task)
{
	return stack__base(here) != stack__base(SAVED_SP(task));
}

/* The kernel frames of what runs now. here: an address on its stack, the place of the event;
 * key: what tells such stacks apart. An interrupt's own stack ends with a page. */
static __always_inline u64 stack__running(void *ctx, u64 here, bool own, u64 key, u32 slot)
{
	u64 from = here & ~7ULL,
	    to = own ? (from | 4095) + 1 : stack__base(from) + KERNEL_STACK_SIZE;
	u64 known = stack__known(key, slot, from, to);
	struct stack_record *s = record__of(slot);

	if (known || !s)
		return known;
	s->flags = own ? STACK_RECORD_INTERRUPT : 0;
	return stack__walked(key, slot, from, to,
			     bpf_get_stack(ctx, s->ips, STACK_DEPTH * sizeof(u64), TRACER_FRAMES));
}

/* Hashes and sends what a walk has put into the scratch; space: hash of what addresses mean. */
__noinline u64 stack__hash_user(u32 slot, u32 n, u64 space)
{
	struct stack_record *s = record__of(slot);

	if (!s || !n || n > STACK_DEPTH)
		return 0;
	return stack__finish(s, 0, n, stack__hash_frames(slot, n, space));
}

/* The user frames of the current task, which must have some. */
static __always_inline u64 stack__user(struct task_struct *task, REGS_TYPE *regs, u32 slot, u64 now)
{
	u64 space = hash_step(task->tgid, task->group_leader->start_time);
	struct unwind_state *state = unwind__state(slot);
	struct stack_record *s = record__of(slot);
	u32 n;

	if (!s || !state || !unwind__begin(task, regs, slot, now))
		return 0;
	state->still = 1;
	n = unwind__frames(slot, 0);
	s->tgid = task->tgid;
	s->flags = state->whole ? STACK_RECORD_WHOLE : 0;
	return stack__hash_user(slot, n, hash_step(space, task->self_exec_id));
}

#endif
