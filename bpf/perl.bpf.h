/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Perl's contexts (bpf/script.bpf.h). Each call of a function is one, beside those of loops and blocks, and
 * says which statement called it; so the line of a function is where the next one was called from, and that of
 * the innermost one where the interpreter is. Contexts lie side by side, in stacks that C code begins anew
 * when it calls back. The one that returns to nowhere is the outermost of a run of the evaluation function.
 *
 * What is in a file but in no function, or in a text that is evaluated, has no code object: a word has the
 * statement instead. A sort's block runs on its own, and is a part of the function around it, which comes
 * later: its place is kept until then.
 */
#ifndef BPF_PERL_BPF_H
#define BPF_PERL_BPF_H

#include "bpf/script_state.bpf.h"

/* What a context is of. */
#define PERL_KIND(word)	  ((word) & 0xf)
#define PERL_NULL	  0
#define PERL_SUB	  9
#define PERL_FORMAT	  10
#define PERL_EVAL	  11
#define PERL_IS_TRY(word) ((word) & 0xc0) /* an eval that runs no other code */
#define PERL_OF_SORT	  3		  /* a stack of contexts */
#define PERL_CONTEXTS	  (1u << 20)	  /* a bound, of one stack */

/* --- the thread's interpreter --- */

#if defined(__TARGET_ARCH_x86)
#define THREAD_VECTOR 8 /* at the thread pointer: where the blocks of objects are */
#else
#define THREAD_VECTOR 0
#endif
#define VECTOR_BYTES 16

/* 0: it has none. */
static __always_inline u64 perl_interpreter(const struct script_state *x, u64 pointer)
{
	u64 block = pointer, interpreter = 0;

	if (x->rt.perl.module &&
	    (!script_read(&block, pointer + THREAD_VECTOR) ||
	     !script_read(&block, block + VECTOR_BYTES * x->rt.perl.module)))
		return 0;
	return script_read(&interpreter, block + x->rt.interpreters) ? interpreter : 0;
}

/* --- words --- */

/* 0: it is no statement. */
static __always_inline u32 perl_line(const struct script_state *x)
{
	u32 line = 0;

	bpf_probe_read_user(&line, sizeof(line), (void *)(x->statement + x->rt.perl.statement_line));
	return line;
}

static __always_inline bool perl_is_object(u64 address)
{
	return !(address & 7) && !(address >> (SCRIPT_CODE_BITS + 3));
}

/* The statement that is looked at, as a code object; 0: it is none, as where perl compiles. */
static __always_inline u64 perl_statement(struct script_state *x)
{
	if (!perl_is_object(x->statement) ||
	    bpf_probe_read_user(x->c, PERL_STATEMENT_BYTES, (void *)x->statement))
		return 0;
	return perl_statement_sum(&x->rt.perl, x->c);
}

/* 0: it is no function. */
static __always_inline u64 perl_function(struct script_state *x, u64 function)
{
	u64 head[2];

	if (!perl_is_object(function) || bpf_probe_read_user(head, sizeof(head), (void *)function) ||
	    PERL_TYPE(head[1]) != PERL_FUNCTION ||
	    bpf_probe_read_user(x->c, PERL_FUNCTION_BYTES, (void *)head[0]))
		return 0;
	return perl_function_sum(&x->rt.perl, x->c);
}

/* In the place that was kept for a block of the function, too. */
static __always_inline void put_function(struct script_state *x, u64 function, u64 print)
{
	u32 i = x->kept;

	if (i) {
		i = (i - 1) & SCRIPT_MASK;
		barrier_var(i);
		x->words[i & SCRIPT_MASK] |= function >> 3;
		x->prints[i & SCRIPT_MASK] = print;
		x->kept = 0;
	}
	put_frame(x, function, script_unit(perl_line(x)), print);
}

/* What is no function's; nothing where there is no statement. */
static __always_inline void put_statement(struct script_state *x)
{
	u64 print = perl_statement(x);

	if (print)
		put_function(x, x->statement, print);
}

/* --- contexts --- */

/* Begins with the innermost of a stack of contexts. */
static __always_inline bool perl_stack(struct script_state *x, u64 stack)
{
	u64 bytes = x->rt.perl.context_bytes;
	u32 i = 0;

	x->call = stack;
	if (!script_read(&x->end, stack + x->rt.perl.stack_contexts) ||
	    bpf_probe_read_user(&i, sizeof(i), (void *)(stack + x->rt.perl.stack_last)))
		return false;
	x->frame = x->end + i * bytes;
	if (i == ~0u)
		x->frame = x->end - bytes; /* there is none */
	return i == ~0u || i < PERL_CONTEXTS;
}

/* x->call: the stack that is walked first. */
static __always_inline bool perl_begin(struct script_state *x)
{
	x->kept = x->main = 0;
	return script_read(&x->statement, x->thread + x->rt.perl.statement) && perl_stack(x, x->call);
}

/* All that is left is what runs the file that perl was begun with, if anybody does. */
static __always_inline int perl_main(struct script_state *x)
{
	u32 n = x->n;

	put_statement(x);
	x->main = n == x->begin && x->n > n;
	end_run(x, ANCHOR_IS_CODE);
	return x->kept ? SCRIPT_DOUBT : SCRIPT_END;
}

static __always_inline int perl_next_stack(struct script_state *x)
{
	u64 previous;

	if (!script_read(&previous, x->call + x->rt.perl.stack_previous))
		return SCRIPT_DOUBT;
	if (!previous)
		return perl_main(x);
	return perl_stack(x, previous) ? SCRIPT_GOES_ON : SCRIPT_DOUBT;
}

/* A run of a sort's block. */
static __always_inline void keep_place(struct script_state *x)
{
	u32 type = 0;

	bpf_probe_read_user(&type, 1, (void *)(x->call + x->rt.perl.stack_type));
	if (type != PERL_OF_SORT || x->kept)
		return;
	put_frame(x, 0, script_unit(perl_line(x)), 0);
	x->kept = x->n;
	end_run(x, ANCHOR_IS_CODE);
	x->statement = frame_word(x, x->rt.perl.context_statement);
}

/* The context at x->frame. */
__noinline int perl__step(u32 slot)
{
	struct script_state *x = script__state(slot);
	u64 function, print;
	u32 kind;

	if (!x)
		return SCRIPT_DOUBT;
	if (x->frame < x->end)
		return perl_next_stack(x);
	if ((x->frame & 7) || bpf_probe_read_user(x->f, PERL_CONTEXT_BYTES, (void *)x->frame))
		return SCRIPT_DOUBT;
	x->frame -= x->rt.perl.context_bytes;
	kind = PERL_KIND(x->f[0]);
	if (kind == PERL_NULL) {
		keep_place(x);
		return SCRIPT_GOES_ON;
	}
	if (kind == PERL_SUB || kind == PERL_FORMAT) {
		function = frame_word(x, x->rt.perl.context_function);
		print = perl_function(x, function);
		if (!print)
			return SCRIPT_DOUBT;
		put_function(x, function, print);
	} else if (kind == PERL_EVAL && !PERL_IS_TRY(x->f[0])) {
		put_statement(x);
	} else {
		return SCRIPT_GOES_ON;
	}
	x->statement = frame_word(x, x->rt.perl.context_statement);
	if (!frame_word(x, x->rt.perl.context_return))
		end_run(x, ANCHOR_IS_CODE);
	return SCRIPT_GOES_ON;
}

#endif
