// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of CPython in a copy of a stack, of a thread that sleeps: what bpf/script.bpf.h does when a thread is met,
 * from outside. Its words are put in the same places, and where there is doubt the stack stays as it was.
 */
#include "symbols/python.h"

#define STATES	   4	 /* of a thread, each in another interpreter */
#define THREADS	   256	 /* that are looked at */
#define OWNER_SHIM 3	 /* FRAME_OWNED_BY_CSTACK */
#define FRAME_WORDS 16
#define BY_CODE	   (~0ULL) /* in the place of an address: the evaluation function's code tells */
#define OUTERMOST  (1ULL << 16) /* of the last frame of a walk, about */

struct state_at {
	u64 state, call; /* call: where on the C stack, or 0 */
};

struct frame {
	u64 word, print;
	u64 anchor; /* of the first one of a run: what is in the native frame that runs it; else 0 */
};

struct python_walk {
	const struct python *p;
	const struct process_memory *m;
	const struct native_stack *stack;
	struct frame frames[SCRIPT_FRAMES];
	u32 n, begin, runs; /* begin: of the run that is being read */
	u64 call;
};

static bool has_calls(const struct python *p)
{
	return p->rt.how == SCRIPT_ENTRIES || p->rt.how == SCRIPT_SHIMS;
}

/* --- the thread's states --- */

/* Those that it runs something in, the innermost first: of which the calls are on its stack, or that have its id, the
 * newest interpreter's first. */
static u32 find_states(const struct python_walk *w, u32 tid, struct state_at found[STATES])
{
	struct runtime_thread threads[THREADS];
	const struct native_stack *s = w->stack;
	u32 n = 0, nthreads = python_threads__list(w->p, w->m, threads, THREADS);

	for (u32 i = 0; i < nthreads && n < STATES; i++) {
		struct state_at at = {.state = threads[i].at};
		u32 to = n;

		if (!memory__u64(w->m, at.state + w->p->rt.thread_frame, &at.call) || !at.call)
			continue;
		if (has_calls(w->p) ? at.call - s->sps[0] >= s->sps[s->n - 1] + OUTERMOST - s->sps[0]
				    : threads[i].tid != tid)
			continue;
		for (; has_calls(w->p) && to && found[to - 1].call > at.call; to--)
			found[to] = found[to - 1];
		found[to] = at;
		n++;
	}
	return n;
}

/* --- its frames --- */

static void end_run(struct python_walk *w, u64 anchor)
{
	if (w->n > w->begin) {
		w->frames[w->begin].anchor = anchor;
		w->runs++;
	}
	w->begin = w->n;
}

static u64 unit_of(const struct script_runtime *rt, u64 instr, u64 code)
{
	s64 unit = rt->how == SCRIPT_OBJECTS ? (s64)(s32)instr >> (rt->instr_shift & 1)
					     : (s64)(instr - code - rt->code_start) >> 1;

	return unit < 0 ? 0 : (u64)MIN(unit, (s64)SCRIPT_UNIT_MAX);
}

static bool put_frame(struct python_walk *w, u64 code, u64 instr)
{
	struct frame f = {.print = python_code__print(w->p, w->m, code)};

	f.word = SCRIPT_FRAME | unit_of(&w->p->rt, instr, code) << SCRIPT_CODE_BITS | code >> 3;
	if (!f.print || code >> (SCRIPT_CODE_BITS + 3) || w->n == SCRIPT_FRAMES)
		return false;
	w->frames[w->n++] = f;
	return true;
}

/* The frame at `at`, which becomes the next one; false: doubt. */
static bool step(struct python_walk *w, u64 *at)
{
	const struct script_runtime *rt = &w->p->rt;
	u64 f[FRAME_WORDS], here = *at;
	u8 owner;

	if ((here & 7) || rt->frame_bytes > sizeof(f) || !w->m->read(w->m->ctx, here, f, rt->frame_bytes))
		return false;
	owner = ((const u8 *)f)[rt->frame_owner];
	*at = f[rt->frame_previous / 8];
	if (rt->how >= SCRIPT_SHIMS && owner == OWNER_SHIM) {
		end_run(w, here);
		return true;
	}
	if (!put_frame(w, f[rt->frame_code / 8], f[rt->frame_instr / 8]))
		return false;
	if (rt->how == SCRIPT_OBJECTS) {
		end_run(w, BY_CODE);
	} else if (rt->how == SCRIPT_ENTRIES && owner) {
		end_run(w, w->call);
		return memory__u64(w->m, w->call + rt->call_previous, &w->call);
	}
	return true;
}

static bool walk_state(struct python_walk *w, const struct state_at *s)
{
	u64 at = s->call;

	w->call = s->call;
	if (has_calls(w->p) && !memory__u64(w->m, w->call + w->p->rt.call_frame, &at))
		return false;
	for (u32 i = 0; at && i < 2 * SCRIPT_FRAMES; i++)
		if (!step(w, &at))
			return false;
	return !at && w->begin == w->n;
}

/* --- between the native frames --- */

static bool runs_code(const struct python_walk *w, u32 i)
{
	const struct script_runtime *rt = &w->p->rt;

	return w->stack->ips[i] - (i > 0) - rt->eval < rt->eval_end - rt->eval;
}

/* Whether the i-th native frame runs the next ones. */
static bool runs(const struct python_walk *w, u32 i, const struct frame *next)
{
	const struct native_stack *s = w->stack;
	u64 end = i + 1 < s->n ? s->sps[i + 1] : s->sps[i] + OUTERMOST;

	return next->anchor == BY_CODE ? runs_code(w, i) : next->anchor >= s->sps[i] && next->anchor < end;
}

static bool counts_agree(const struct python_walk *w)
{
	u32 n = 0;

	for (u32 i = 0; i < w->stack->n; i++)
		n += runs_code(w, i);
	return w->p->rt.how != SCRIPT_OBJECTS || n == w->runs;
}

static u32 merge(const struct python_walk *w, u64 *out, u32 max)
{
	u32 next = 0, n = 0;
	u64 sum = 0;

	for (u32 i = 0; i < w->stack->n && n < max; i++) {
		if (next == w->n || !runs(w, i, &w->frames[next])) {
			out[n++] = w->stack->ips[i];
			continue;
		}
		do {
			sum = script_sum(sum, w->frames[next].print);
			out[n++] = w->frames[next++].word;
		} while (next < w->n && !w->frames[next].anchor && n < max);
	}
	if (next < w->n || n == max)
		return 0;
	out[n++] = SCRIPT_CHECK | sum >> 2;
	return n;
}

u32 python_stack__merge(const struct python *p, const struct process_memory *m, u32 tid,
			const struct native_stack *stack, u64 *out, u32 max)
{
	struct python_walk w = {.p = p, .m = m, .stack = stack};
	struct state_at states[STATES];
	u32 n = stack->n ? find_states(&w, tid, states) : 0;

	for (u32 i = 0; i < n; i++)
		if (!walk_state(&w, &states[i]))
			return 0;
	return w.n && counts_agree(&w) ? merge(&w, out, max) : 0;
}
