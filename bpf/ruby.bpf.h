/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ruby's frames (bpf/script.bpf.h). They lie side by side on a stack of the thread, or of the fiber that it is
 * in, the innermost one first. A method that is written in C has one, too, and belongs to the run that calls it:
 * its own frames are on the C stack, behind that run's. Blocks that are have no name, and are left out.
 */
#ifndef BPF_RUBY_BPF_H
#define BPF_RUBY_BPF_H

#include "bpf/script_state.bpf.h"

/* Of an execution context: where its stack is, and how many words that has. */
struct ruby_stack {
	u64 low, words;
};

/* x->call: the execution context; x->frame is its innermost frame. */
static __always_inline bool ruby_begin(struct script_state *x)
{
	struct ruby_stack stack;

	if (!x->call || !script_read(&x->frame, x->call + x->rt.call_frame) ||
	    bpf_probe_read_user(&stack, sizeof(stack), (void *)x->call))
		return false;
	x->end = stack.low + 8 * stack.words;
	x->of_c = 0;
	return x->frame >= stack.low && x->frame <= x->end;
}

/* Reads the code object and what it has; false: it is none. */
static __always_inline bool ruby_code(struct script_state *x, u64 code)
{
	u32 bytes = x->rt.code_bytes;
	u64 type, body;

	barrier_var(bytes);
	return !(code & 7) && !(code >> (SCRIPT_CODE_BITS + 3)) && bytes <= sizeof(x->c) &&
	       script_read(&type, code) && (type & SCRIPT_RUBY_TYPE) == SCRIPT_RUBY_ISEQ &&
	       script_read(&body, code + x->rt.code_body) &&
	       !bpf_probe_read_user(x->c, bytes, (void *)body);
}

/* By its flags. Below the first one there is one more, which nobody runs. */
static __always_inline bool ruby_is_function(u64 flags)
{
	return !(flags & SCRIPT_RUBY_OF_C) && (flags & SCRIPT_RUBY_MAGIC) != SCRIPT_RUBY_DUMMY;
}

static __always_inline bool ruby_read_entry(struct ruby_entry *e, u64 at)
{
	return !(at & 7) && !(at >> (SCRIPT_CODE_BITS + 3)) &&
	       !bpf_probe_read_user(e, sizeof(*e), (void *)at);
}

/* What is known of the method of the frame, in x->entry and x->definition, too; 0: not sure. */
__noinline u64 ruby__entry(u32 slot)
{
	struct script_state *x = script__state(slot);
	u64 at = x ? x->environment.method : 0;

	if (!x || !ruby_read_entry(&x->entry, at))
		return 0;
	if ((x->entry.type & SCRIPT_RUBY_TYPE) == SCRIPT_RUBY_SPECIALS) {
		at = x->entry.variables_entry;
		if (!ruby_read_entry(&x->entry, at))
			return 0;
	}
	if ((x->entry.type & SCRIPT_RUBY_TYPE) != SCRIPT_RUBY_ENTRY ||
	    bpf_probe_read_user(&x->definition, sizeof(x->definition), (void *)x->entry.definition))
		return 0;
	return at;
}

/* Whether the frame's method is the one that runs this code; else its code has to do. */
static __always_inline bool ruby_runs(const struct script_state *x, u64 code)
{
	return RUBY_DEFINITION(x->definition.type) == RUBY_WRITTEN_IN_RUBY && x->definition.code == code;
}

/* The frame of a function. */
static __always_inline bool ruby_put(struct script_state *x, u32 slot, u64 code)
{
	u64 instr, print, entry = 0;

	if (!ruby_code(x, code))
		return false;
	instr = frame_word(x, x->rt.frame_instr) - code_word(x, x->rt.code_start);
	print = script_code_sum(code_word(x, x->rt.code_file), code_word(x, x->rt.code_name),
				code_word(x, x->rt.code_lines), code_word(x, x->rt.code_line));
	if ((x->environment.flags & SCRIPT_RUBY_MAGIC) == SCRIPT_RUBY_METHOD)
		entry = ruby__entry(slot);
	if (entry && !ruby_runs(x, code))
		entry = 0;
	if (entry)
		print = ruby_method_sum(print, x->entry.owner);
	put_frame(x, entry ? entry : code, script_unit((s64)instr >> 3), print);
	x->of_c = 0;
	return true;
}

/* The frame of a function that is written in C. Where there is doubt the C stack alone tells of it. */
static __always_inline void ruby_put_c(struct script_state *x, u32 slot)
{
	u64 entry = ruby__entry(slot);

	if (!entry || RUBY_DEFINITION(x->definition.type) != RUBY_WRITTEN_IN_C)
		return;
	put_frame(x, entry, 0, ruby_c_sum(x->definition.code, x->entry.called, x->entry.owner));
	x->of_c++;
}

/* What C calls before any code of Ruby runs is in no run: it is left out. */
static __always_inline int ruby_end(struct script_state *x)
{
	x->n -= x->of_c;
	return SCRIPT_END;
}

/* The frame at x->frame. */
__noinline int ruby__step(u32 slot)
{
	struct script_state *x = script__state(slot);
	u64 owner;
	u32 bytes;

	if (!x)
		return SCRIPT_DOUBT;
	if (x->frame >= x->end)
		return ruby_end(x);
	bytes = x->rt.frame_bytes;
	barrier_var(bytes);
	if ((x->frame & 7) || bytes > sizeof(x->f) ||
	    bpf_probe_read_user(x->f, bytes, (void *)x->frame))
		return SCRIPT_DOUBT;
	owner = frame_word(x, x->rt.frame_owner);
	if (bpf_probe_read_user(&x->environment, sizeof(x->environment),
				(void *)(owner - offsetof(struct ruby_environment, flags))))
		return SCRIPT_DOUBT;
	x->frame += bytes;
	if (ruby_is_function(x->environment.flags) &&
	    !ruby_put(x, slot, frame_word(x, x->rt.frame_code)))
		return SCRIPT_DOUBT;
	if (x->rt.names_of_c &&
	    (x->environment.flags & SCRIPT_RUBY_MAGIC) == SCRIPT_RUBY_C_METHOD)
		ruby_put_c(x, slot);
	if (x->environment.flags & SCRIPT_RUBY_OUTERMOST)
		end_run(x, ANCHOR_IS_CODE);
	return SCRIPT_GOES_ON;
}

#endif
