/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames of interpreted functions, CPython's, PHP's, Ruby's and Perl's, put into a user stack that was walked, in
 * the place of the interpreter's own frames (bpf/script.h).
 *
 * The thread's state is found in the interpreter's list of threads by what the thread library calls
 * the thread, which is where the thread pointer points to: neither the layout of a C library's
 * thread-local storage nor numbers within a pid namespace have to be known. The place in the list is
 * remembered, and checked when it is used.
 *
 * Which frame of the C stack runs which functions is told by an address: each run of the evaluation
 * function has something in its own frame that the interpreter's list of frames leads to. So the
 * evaluation function need not be recognised, in stripped programs neither. Up to 3.10 there is nothing
 * of the kind; there each run of it is one function, and they are counted. So are those of the others, of
 * several.
 *
 * What is read is checked, and where there is doubt the stack stays as it was: counted.
 */
#ifndef BPF_SCRIPT_BPF_H
#define BPF_SCRIPT_BPF_H

#include "bpf/perl.bpf.h"
#include "bpf/ruby.bpf.h"

#define SHIM 3 /* FRAME_OWNED_BY_CSTACK */
#define OUTERMOST_SIZE (1ULL << 16) /* of the last frame of a walk, about */

/* A thread's state; 0: it had none when it was looked for. newest: the interpreter that was begun last. */
struct script_thread {
	u64 state, at_ns, newest;
};

LRU_MAP(script_threads, 8192, u64, struct script_thread);

/* --- the thread's state --- */

#if defined(__TARGET_ARCH_x86)
struct thread_struct___script {
	unsigned long fsbase;
} KERNEL_TYPE;
struct task_struct___script {
	struct thread_struct___script thread;
} KERNEL_TYPE;
#define THREAD_POINTER(task) BPF_CORE_READ((struct task_struct___script *)(task), thread.fsbase)
#define THREAD_ABOVE	     1 /* the thread's name is its thread pointer */
#else
struct thread_uw___script {
	unsigned long tp_value;
} KERNEL_TYPE;
struct thread_struct___script {
	struct thread_uw___script uw;
} KERNEL_TYPE;
struct task_struct___script {
	struct thread_struct___script thread;
} KERNEL_TYPE;
#define THREAD_POINTER(task) BPF_CORE_READ((struct task_struct___script *)(task), thread.uw.tp_value)
#define THREAD_ABOVE	     4096 /* or is below it by the library's own data */
#endif

static __always_inline bool is_thread(const struct script_state *x, u64 state, u64 pointer)
{
	u64 id = 0;

	return script_read(&id, state + x->rt.thread_id) && pointer - id < THREAD_ABOVE;
}

/* Whether states lead to a list of calls, which are on the C stack: of the thread that runs them, whichever one the
 * state was made for. */
static __always_inline bool has_calls(const struct script_state *x)
{
	return x->rt.how == SCRIPT_ENTRIES || x->rt.how == SCRIPT_SHIMS;
}

/* The innermost first, of those that are kept by where their last call is; else in the order that they come in. */
static __always_inline void keep_state(struct script_state *x, u64 state, u64 call)
{
	struct script_at kept = {state, has_calls(x) ? call : 0};

	for (u32 i = 0; i < SCRIPT_STATES && kept.state; i++) {
		struct script_at other = x->states[i];

		if (other.state && other.call <= kept.call)
			continue;
		x->states[i] = kept;
		kept = other;
	}
}

/* Of several interpreters; false: the thread runs nothing in this one. */
static __always_inline bool runs_here(const struct script_state *x, u64 state, u64 pointer, u64 call)
{
	if (has_calls(x))
		return call - x->low < x->high - x->low;
	return call && is_thread(x, state, pointer);
}

#define SCRIPT_THREADS 256 /* that are looked at */

/* One state of a thread further, or one interpreter; false: it is found, or there are no more. Of its own,
 * so that verifiers look at it once and not in each turn. */
__noinline int script__next_thread(u32 slot, u64 pointer)
{
	struct script_state *x = script__state(slot);
	u64 state, interp, call = 0;

	if (!x)
		return 0;
	state = x->thread;
	interp = x->interp;
	if (state == interp + x->rt.interp_threads)
		state = 0; /* once around */
	if (state)
		script_read(&call, state + x->rt.thread_frame);
	if (state && x->several) {
		if (runs_here(x, state, pointer, call))
			keep_state(x, state, call);
	} else if (state && is_thread(x, state, pointer)) {
		x->states[0].state = state;
		if (call)
			return 0;
	}
	if (state && script_read(&x->thread, state + x->rt.thread_next))
		return 1;
	return interp && script_read(&x->thread, interp + x->rt.interp_threads) &&
	       script_read(&x->interp, interp + x->rt.interp_next);
}

/* Of several interpreters the newest is the first: what it runs was called by what the others do. */
__noinline int script__find_threads(u32 slot, u64 pointer)
{
	struct script_state *x = script__state(slot);
	u64 second = 0;

	if (!x)
		return 0;
	x->thread = 0;
	if (!script_read(&x->interp, x->rt.interpreters))
		return 0;
	/* Ruby has one, in a ring. */
	x->several = x->rt.how != SCRIPT_STACK && script_read(&second, x->interp + x->rt.interp_next) && second;
	for (u32 i = 0; i < SCRIPT_THREADS; i++)
		if (!script__next_thread(slot, pointer))
			break;
	return 0;
}

#define SCRIPT_AGAIN_NS (50ULL * 1000 * 1000)

/* Whether what is known of a thread holds: there is no interpreter more. */
static __always_inline bool still_known(const struct script_state *x, const struct script_thread *known, u64 newest,
					u64 pointer, u64 now)
{
	if (known->newest != newest)
		return false;
	return known->state ? is_thread(x, known->state, pointer) : now - known->at_ns < SCRIPT_AGAIN_NS;
}

/* Puts the thread's states into x->states. */
__noinline int script__threads(u32 slot)
{
	struct script_state *x = script__state(slot);
	struct unwind_state *s = unwind__state(slot);
	struct task_struct *task = (void *)bpf_get_current_task();
	u64 pointer = THREAD_POINTER(task);
	u64 key = (u32)bpf_get_current_pid_tgid();
	struct script_thread fresh = {}, *known;

	if (!x || !s)
		return 0;
	__builtin_memset(x->states, 0, sizeof(x->states));
	x->several = 0;
	if (x->rt.how == SCRIPT_CALLS)
		x->states[0].state = (u32)key == s->tgid ? x->rt.interpreters : 0;
	else if (x->rt.how == SCRIPT_CONTEXTS)
		x->states[0].state = perl_interpreter(x, pointer);
	if (x->rt.how == SCRIPT_CALLS || x->rt.how == SCRIPT_CONTEXTS)
		return 0;
	key |= (u64)s->maps_id << 32;
	script_read(&fresh.newest, x->rt.interpreters);
	known = bpf_map_lookup_elem(&script_threads, &key);
	if (known && still_known(x, known, fresh.newest, pointer, s->now)) {
		x->states[0].state = known->state;
		return 0;
	}
	script__find_threads(slot, pointer);
	fresh.state = x->states[0].state;
	fresh.at_ns = s->now;
	/* In which of several interpreters it is may change; and one that has just begun has its state soon. */
	if (!x->several && (fresh.state || s->now - BPF_CORE_READ(task, start_time) > SCRIPT_AGAIN_NS))
		bpf_map_update_elem(&script_threads, &key, &fresh, BPF_ANY);
	return 0;
}

/* --- its frames --- */

static __always_inline u32 frame_owner(const struct script_state *x)
{
	u32 at = x->rt.frame_owner;

	return (u8)(frame_word(x, at) >> (8 * (at & 7)));
}

static __always_inline bool is_internal(const struct script_state *x)
{
	return x->rt.how == SCRIPT_CALLS && (u8)x->c[0] == SCRIPT_PHP_INTERNAL;
}

/* The line that an instruction has. */
static __always_inline s64 instr_line(const struct script_state *x, u64 instr)
{
	u32 line = 0;

	if (!is_internal(x))
		bpf_probe_read_user(&line, sizeof(line), (void *)(instr + x->rt.code_start));
	return line;
}

static __always_inline u64 frame_unit(const struct script_state *x, u64 code)
{
	u64 instr = frame_word(x, x->rt.frame_instr);
	s64 unit;

	if (x->rt.how == SCRIPT_CALLS)
		unit = instr_line(x, instr);
	else if (x->rt.how == SCRIPT_OBJECTS)
		unit = (s64)(s32)instr >> (x->rt.instr_shift & 1);
	else
		unit = (s64)(instr - code - x->rt.code_start) >> 1;
	return script_unit(unit);
}

static __always_inline bool is_code(const struct script_state *x)
{
	u8 type = x->c[0];

	if (x->rt.how == SCRIPT_CALLS)
		return type == SCRIPT_PHP_INTERNAL || type == SCRIPT_PHP_USER ||
		       type == SCRIPT_PHP_EVAL;
	return x->c[1] == x->rt.code_type;
}

/* Reads the code object and sums up what tells it from others; false: it is none. */
static __always_inline bool code_read(struct script_state *x, u64 code, u64 *print)
{
	u32 bytes = x->rt.code_bytes;
	u64 name, hash = 0, h;

	barrier_var(bytes);
	if (bytes > sizeof(x->c) || (code & 7) || code >> (SCRIPT_CODE_BITS + 3) ||
	    bpf_probe_read_user(x->c, bytes, (void *)code) || !is_code(x))
		return false;
	name = code_word(x, x->rt.code_name);
	/* PHP's files have none. */
	if (!script_read(&hash, name + x->rt.text_hash) && (name || x->rt.how != SCRIPT_CALLS))
		return false;
	if (is_internal(x)) {
		*print = script_sum(name, hash);
		return true;
	}
	h = script_code_sum(code_word(x, x->rt.code_file), name, code_word(x, x->rt.code_lines),
			    code_word(x, x->rt.code_line));
	*print = script_sum(h, hash);
	return true;
}

static __always_inline bool ends_run(struct script_state *x)
{
	if (x->rt.how == SCRIPT_OBJECTS ||
	    (x->rt.how == SCRIPT_CALLS && !is_internal(x) &&
	     frame_owner(x) & SCRIPT_PHP_OUTERMOST)) {
		end_run(x, ANCHOR_IS_CODE);
	} else if (x->rt.how == SCRIPT_ENTRIES && frame_owner(x)) {
		end_run(x, x->call);
		return script_read(&x->call, x->call + x->rt.call_previous);
	}
	return true;
}

/* Whether the function goes when it has run: PHP's closures are an object each, and what is evaluated, and
 * files, are code that runs once. */
static __always_inline bool is_passing(const struct script_state *x)
{
	return x->rt.how == SCRIPT_CALLS && !is_internal(x) &&
	       (x->c[0] & SCRIPT_PHP_CLOSURE || (u8)x->c[0] == SCRIPT_PHP_EVAL ||
		!code_word(x, x->rt.code_name));
}

/* No function's, but what stands between runs; PHP's are of generators, and of calls from C. */
static __always_inline bool is_shim(const struct script_state *x, u64 code)
{
	if (x->rt.how == SCRIPT_CALLS)
		return !code;
	return x->rt.how >= SCRIPT_SHIMS && frame_owner(x) == SHIM;
}

/* The frame at x->frame. */
__noinline int script__step(u32 slot)
{
	struct script_state *x = script__state(slot);
	u64 code, print, at;
	u32 bytes;

	if (!x)
		return SCRIPT_DOUBT;
	at = x->frame;
	bytes = x->rt.frame_bytes;
	barrier_var(bytes);
	if ((at & 7) || bytes > sizeof(x->f) || bpf_probe_read_user(x->f, bytes, (void *)at))
		return SCRIPT_DOUBT;
	x->frame = frame_word(x, x->rt.frame_previous);
	if (x->frame == at)
		return SCRIPT_DOUBT;
	code = frame_word(x, x->rt.frame_code);
	if (is_shim(x, code)) {
		end_run(x, x->rt.how == SCRIPT_CALLS ? ANCHOR_IS_CODE : at);
		return x->frame ? SCRIPT_GOES_ON : SCRIPT_END;
	}
	if (!code_read(x, code, &print))
		return SCRIPT_DOUBT;
	put_frame(x, code, frame_unit(x, code), print);
	if (is_passing(x))
		x->passing[(x->n - 1) & SCRIPT_MASK] = 1;
	if (!ends_run(x))
		return SCRIPT_DOUBT;
	return x->frame ? SCRIPT_GOES_ON : SCRIPT_END;
}

/* All of a state, innermost first, after those that there are: how it ended. */
__noinline int script__walk(u32 slot, u32 i)
{
	struct script_state *x = script__state(slot);
	int end = SCRIPT_GOES_ON;

	if (!x || i >= SCRIPT_STATES)
		return SCRIPT_DOUBT;
	x->thread = x->states[i].state;
	if (!x->thread || x->n >= SCRIPT_FRAMES - 1)
		return SCRIPT_END;
	if (!script_read(&x->frame, x->thread + x->rt.thread_frame))
		return SCRIPT_DOUBT;
	x->call = x->frame;
	if (has_calls(x) && x->call && !script_read(&x->frame, x->call + x->rt.call_frame))
		return SCRIPT_DOUBT;
	if ((x->rt.how == SCRIPT_STACK && !ruby_begin(x)) ||
	    (x->rt.how == SCRIPT_CONTEXTS && !perl_begin(x)))
		return SCRIPT_DOUBT;
	if (!x->frame)
		return SCRIPT_END;
	for (u32 steps = 0; steps < 2 * SCRIPT_FRAMES && end == SCRIPT_GOES_ON; steps++) {
		if (x->rt.how == SCRIPT_STACK)
			end = ruby__step(slot);
		else if (x->rt.how == SCRIPT_CONTEXTS)
			end = perl__step(slot);
		else
			end = script__step(slot);
		if (x->n >= SCRIPT_FRAMES - 1)
			break;
	}
	/* Where the list is cut, the last run's place is not known: it goes to the end. */
	if (end == SCRIPT_GOES_ON)
		end_run(x, x->rt.how == SCRIPT_ENTRIES ? x->call : ANCHOR_IS_CODE);
	return x->begin == x->n ? end : SCRIPT_DOUBT;
}

/* --- between the native frames --- */

/* Whether the native frame runs the next frames. */
static __always_inline bool runs_next(struct script_state *x, const struct unwind_sps *sps, u32 i)
{
	u64 anchor = x->anchors[x->next & SCRIPT_MASK], from, to;
	u32 at = x->at + i;

	if (anchor == ANCHOR_IS_CODE)
		return x->evals[i & STACK_DEPTH];
	barrier_var(at);
	from = sps->v[at & 255] & ~7ULL;
	to = sps->v[(at + 1) & 255] & ~7ULL;
	if (i + 1 >= x->nnative)
		to = from + OUTERMOST_SIZE;
	return anchor >= from && anchor < to;
}

static __always_inline void put_merged(struct script_state *x, u64 word)
{
	x->merged[x->out & STACK_DEPTH] = word;
	x->out++;
}

static __always_inline void put_script(struct script_state *x)
{
	u32 i = x->next;
	u64 print = x->prints[i & SCRIPT_MASK];

	put_merged(x, x->words[i & SCRIPT_MASK]);
	if (x->passing[i & SCRIPT_MASK] && x->out < STACK_DEPTH - 1)
		put_merged(x, script_own_check(print));
	else
		x->check = script_sum(x->check, print);
	x->next = ++i;
	if (i >= x->n || x->anchors[i & SCRIPT_MASK]) {
		x->in_run = 0;
		x->native++;
	}
}

/* One word more; false: there are no more. */
__noinline int script__merge_one(u32 slot, u32 at)
{
	struct script_state *x = script__state(slot);
	struct stack_record *to = bpf_map_lookup_elem(&stack_scratch, &slot);
	struct unwind_sps *sps = bpf_map_lookup_elem(&unwind_sps, &slot);
	u32 i;
	u64 ip;

	if (!x || !to || !sps)
		return 0;
	if (x->out >= STACK_DEPTH - 1) {
		x->cut = 1;
		return 0;
	}
	if (x->in_run) {
		put_script(x);
		return 1;
	}
	i = x->native;
	if (i >= x->nnative) {
		/* The native walk did not get as far: what follows is known all the same. */
		x->in_run = !x->whole && x->next < x->n;
		return x->in_run;
	}
	at += i;
	barrier_var(at);
	if (at >= 2 * STACK_DEPTH)
		return 0;
	ip = to->ips[at];
	if (x->next < x->n && runs_next(x, sps, i)) {
		x->in_run = 1;
		return 1;
	}
	put_merged(x, ip);
	x->native++;
	return 1;
}

/* --- where nothing but the evaluation function's code tells which frame runs something --- */

static __always_inline bool has_runs(const struct script_state *x)
{
	return x->rt.how == SCRIPT_OBJECTS || x->rt.how >= SCRIPT_CALLS;
}

/* One native frame, whether it is of the evaluation function, or of what a JIT made in its place. Perl calls that once
 * more to be able to catch what an eval does not, from a function that it calls itself: the two are one, in the place
 * of the inner one. What is counted is in memory, as verifiers follow each sum. */
__noinline int script__look_for_eval(u32 slot, u32 i, u64 ip, u64 sp)
{
	struct script_state *x = script__state(slot);
	u32 is, jit;

	if (!x)
		return 0;
	is = ip - (i > 0) - x->rt.eval < x->rt.eval_end - x->rt.eval;
	jit = sp & SP_OF_JIT && (x->rt.how == SCRIPT_CALLS || x->rt.how == SCRIPT_STACK);
	/* The two are one where the one has called the other, through a function of the interpreter at most: what begins
	 * another run is further away. */
	is = (is && !x->after_jit) || jit;
	if (jit)
		x->after_jit = x->rt.how == SCRIPT_STACK ? 2 : 0;
	else if (x->after_jit)
		x->after_jit--;
	x->before = x->before << 1 | is;
	if (x->rt.how == SCRIPT_CONTEXTS && x->before & 4)
		is = 0;
	x->evals[i & STACK_DEPTH] = is;
	if (is && !x->nevals++)
		x->first = i;
	if (x->rt.how == SCRIPT_CONTEXTS && ip - x->rt.perl.main < x->rt.perl.main_end - x->rt.perl.main)
		x->runs_main = 1;
	return 0;
}

/* How many native frames run something, and which. */
__noinline u32 script__evals(u32 slot, u32 at)
{
	struct script_state *x = script__state(slot);
	struct stack_record *to = bpf_map_lookup_elem(&stack_scratch, &slot);
	struct unwind_sps *sps = bpf_map_lookup_elem(&unwind_sps, &slot);

	if (!x || !to || !sps)
		return 0;
	x->nevals = x->before = x->after_jit = x->runs_main = 0;
	for (u32 i = 0; i < STACK_DEPTH && i < x->nnative; i++) {
		u32 k = at + i;

		barrier_var(k);
		if (k >= 2 * STACK_DEPTH)
			break;
		script__look_for_eval(slot, i, to->ips[k], sps->v[k]);
	}
	return x->nevals;
}

/* Whether runs and frames are as many. A function that just begins, or is over, is not in the list, and what
 * the innermost frame is to run may be listed before it does. */
static __always_inline bool runs_agree(struct script_state *x, u32 slot, u32 at)
{
	u32 evals;

	if (!has_runs(x))
		return true;
	/* A state may be of another thread, which runs its interpreter now: that shows where all is counted. */
	if (x->several && !x->whole)
		return false;
	evals = script__evals(slot, at);
	if (x->rt.how == SCRIPT_CONTEXTS && x->main && x->whole && !x->runs_main) {
		x->n--;
		x->runs--;
	}
	if (evals == x->runs + 1 && x->first <= (x->rt.how == SCRIPT_CONTEXTS))
		x->evals[x->first & STACK_DEPTH] = 0;
	else if (x->whole && x->rt.how >= SCRIPT_STACK && evals && x->runs == evals + 1)
		x->next = x->second;
	else if (x->whole ? evals != x->runs : evals > x->runs)
		return x->n == SCRIPT_FRAMES - 1;
	return x->n;
}

/* Puts what is merged in the place of what was walked; returns how many words that are. */
static __always_inline u32 put_back(struct script_state *x, struct stack_record *to, u32 at)
{
	u32 n = x->out;

	if (n >= STACK_DEPTH)
		return 0;
	barrier_var(n);
	x->merged[n & STACK_DEPTH] = SCRIPT_CHECK | x->check >> 2;
	n++;
	if (x->cut) /* as many as mean that there are more */
		n = STACK_DEPTH;
	barrier_var(n);
	n &= STACK_DEPTH;
	if (at > STACK_DEPTH || bpf_probe_read_kernel(&to->ips[at], n * sizeof(u64), x->merged))
		return 0;
	return n;
}

#define MERGED_AT_ONCE 32

/* Some words more; false: there are no more. */
__noinline u32 script__merge_some(u32 slot, u32 at)
{
	for (u32 i = 0; i < MERGED_AT_ONCE; i++)
		if (!script__merge_one(slot, at))
			return 0;
	return 1;
}

/* Merges; 0: in doubt, nothing has changed. */
__noinline u32 script__merge(u32 slot, u32 at)
{
	struct script_state *x = script__state(slot);
	struct stack_record *to = bpf_map_lookup_elem(&stack_scratch, &slot);

	if (!x || !to)
		return 0;
	x->native = x->next = x->out = x->in_run = x->cut = 0;
	x->check = 0;
	if (!runs_agree(x, slot, at))
		return 0;
	for (u32 i = 0; i < 4 * (STACK_DEPTH + 1) / MERGED_AT_ONCE; i++)
		if (!script__merge_some(slot, at))
			break;
	if (x->next < x->n && !x->cut)
		return 0;
	return put_back(x, to, at);
}

/* Where the C stack is that was walked. */
static __always_inline void script__stack_range(struct script_state *x, u32 slot)
{
	struct unwind_sps *sps = bpf_map_lookup_elem(&unwind_sps, &slot);
	u32 first = x->at, last = first + x->nnative - 1;

	if (!sps)
		return;
	barrier_var(first);
	barrier_var(last);
	x->low = sps->v[first & 255];
	x->high = sps->v[last & 255] + OUTERMOST_SIZE;
}

/* Begins on the n native frames that are in the scratch from `at` on; returns how many words are there
 * in the end. */
__noinline u32 script__frames(u32 slot, u32 at, u32 n)
{
	struct unwind_state *s = unwind__state(slot);
	struct script_state *x = script__state(slot);
	u32 zero = 0, merged;
	struct unwind_stats *st = bpf_map_lookup_elem(&unwind_stats, &zero);
	union runtime *rt;

	if (!s || !x || !st)
		return n;
	rt = runtime__of(s);
	if (!rt || !n)
		return n;
	x->rt = rt->python;
	x->whole = s->whole;
	x->at = at;
	x->nnative = n;
	script__stack_range(x, slot);
	script__threads(slot);
	x->n = x->begin = x->runs = 0;
	for (u32 i = 0; i < SCRIPT_STATES; i++)
		if (script__walk(slot, i) == SCRIPT_DOUBT) {
			st->scripts_doubt++;
			return n;
		}
	if (!x->n)
		return n;
	merged = script__merge(slot, at);
	if (merged)
		st->scripts++;
	else if (x->n)
		st->scripts_astray++;
	return merged ? merged : n;
}

#endif
