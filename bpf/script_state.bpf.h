/* SPDX-License-Identifier: GPL-2.0-only */
/* For walks of interpreters' frames (bpf/script.bpf.h): what is known of one, and what each interpreter's
 * part does with a frame. */
#ifndef BPF_SCRIPT_STATE_BPF_H
#define BPF_SCRIPT_STATE_BPF_H

#include "bpf/runtime.bpf.h"

#define SCRIPT_MASK (SCRIPT_FRAMES - 1)

/* In the place of an address on the C stack: the evaluation function's code tells. */
#define ANCHOR_IS_CODE (~0ULL)

/* What a frame of Ruby leads to: what its method is, who is around it, and its flags. */
struct ruby_environment {
	u64 method, outer, flags;
};

#define SCRIPT_STATES 4 /* of a thread, each in another interpreter; of more the outermost are left out */

struct script_at {
	u64 state, call; /* call: where on the C stack, or 0 */
};

struct script_state {
	struct script_runtime rt;
	u64 interp, thread; /* while the thread's states are looked for */
	struct script_at states[SCRIPT_STATES]; /* the innermost first; 0: none */
	u64 low, high; /* of the C stack that was walked */
	u32 several; /* interpreters */
	u64 frame, call;	   /* the interpreter's */
	u64 end;		   /* SCRIPT_STACK and SCRIPT_CONTEXTS: of its frames */
	struct ruby_environment environment; /* SCRIPT_STACK: of the frame that is looked at, */
	struct ruby_entry entry;	     /* and of a method's */
	struct ruby_definition definition;
	u32 of_c; /* functions written in C since the last one that is not */
	u64 statement;		   /* SCRIPT_CONTEXTS: of the frame that is looked at */
	u32 kept;		   /* a frame's place, and 1; 0: none */
	u32 main;		   /* the last run is what perl was begun with, alone */
	u32 n, begin;		 /* frames; where the run that is being read begins */
	u32 runs, second;	 /* where the second one begins */
	u64 f[16], c[32];	 /* the frame and the code object that are looked at */
	u64 words[SCRIPT_FRAMES];
	u64 prints[SCRIPT_FRAMES];
	u64 anchors[SCRIPT_FRAMES]; /* of the first frame of a run; else 0 */
	u8 passing[SCRIPT_FRAMES];  /* has a check word of its own */
	/* Merging: */
	u32 at; /* the first native frame in the scratch */
	u64 merged[STACK_DEPTH + 1];
	u64 check;
	u32 nnative, native, next, out;
	u32 in_run, cut, whole;
	u8 evals[STACK_DEPTH + 1]; /* the native frames that run something, where their code tells; and of those */
	u32 nevals, first;	   /* how many, the innermost one, */
	u32 before;		   /* a bit for each, of those looked at last */
	u32 after_jit;		   /* frames that what called a JIT's code may still be in */
	u32 runs_main;		   /* and whether what perl was begun with is among them */
};

PERCPU_MAP(script_states, STACK_SLOTS, struct script_state);

static __always_inline struct script_state *script__state(u32 slot)
{
	return bpf_map_lookup_elem(&script_states, &slot);
}

static __always_inline bool script_read(u64 *to, u64 from)
{
	return !bpf_probe_read_user(to, sizeof(*to), (void *)from);
}

static __always_inline u64 frame_word(const struct script_state *x, u32 at)
{
	u32 i = at / 8;

	barrier_var(i);
	return x->f[i & 15];
}

static __always_inline u64 code_word(const struct script_state *x, u32 at)
{
	u32 i = at / 8;

	barrier_var(i);
	return x->c[i & 31];
}

enum { SCRIPT_GOES_ON, SCRIPT_END, SCRIPT_DOUBT }; /* how a step ends */

/* The run that was being read is over. */
static __always_inline void end_run(struct script_state *x, u64 anchor)
{
	if (x->n > x->begin) {
		x->anchors[x->begin & SCRIPT_MASK] = anchor;
		if (!x->runs++)
			x->second = x->n;
	}
	x->begin = x->n;
}

/* After those that are further in. */
static __always_inline void put_frame(struct script_state *x, u64 code, u64 unit, u64 print)
{
	u32 i = x->n & SCRIPT_MASK;

	barrier_var(i);
	x->words[i & SCRIPT_MASK] = SCRIPT_FRAME | unit << SCRIPT_CODE_BITS | code >> 3;
	x->prints[i & SCRIPT_MASK] = print;
	x->anchors[i & SCRIPT_MASK] = 0;
	x->passing[i & SCRIPT_MASK] = 0;
	x->n++;
}

static __always_inline u64 script_unit(s64 unit)
{
	if (unit < 0)
		return 0;
	return unit > SCRIPT_UNIT_MAX ? SCRIPT_UNIT_MAX : unit;
}

#endif
