/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames of interpreted functions in user stacks; shared by kernel and user side. Where an
 * interpreter runs in a process, a stack has a word for each interpreted function in the place of
 * the interpreter's own frame that runs it:
 *
 *	SCRIPT_FRAME	where its code object is, and which instruction of it is next
 *	SCRIPT_CHECK	after all others: a sum over what the code objects were when it was walked, as
 *			another one may be in their place when names are read
 *
 * Functions that live no longer than what they are called for have a check word of their own right
 * behind theirs, which is made of what they were alone, and are no part of the sum.
 */
#ifndef BPF_SCRIPT_H
#define BPF_SCRIPT_H

#include <linux/types.h>

#define SCRIPT_FRAME	  (2ULL << 62) /* no address of a user has these two bits */
#define SCRIPT_CHECK	  (1ULL << 62)
#define SCRIPT_MARK(word) ((word) & (3ULL << 62))

/* Of a frame: a code object's address, which is a multiple of 8, and the instruction's number. */
#define SCRIPT_CODE_BITS  44
#define SCRIPT_CODE(word) (((word) & ((1ULL << SCRIPT_CODE_BITS) - 1)) << 3)
#define SCRIPT_UNIT(word) ((__u32)(((word) & ~(3ULL << 62)) >> SCRIPT_CODE_BITS))
#define SCRIPT_UNIT_MAX	  ((1u << 18) - 1) /* this one, or one further on */

/* What interprets in a process. */
enum script_kind {
	SCRIPT_NOTHING,
	SCRIPT_PYTHON,
	SCRIPT_HOTSPOT, /* bpf/hotspot.h */
	SCRIPT_V8,	/* bpf/v8.h */
	SCRIPT_PHP,
	SCRIPT_RUBY,
	SCRIPT_PERL,
	SCRIPT_KINDS
};

/* Whether it has a struct script_runtime: frames of its own, beside those of the C stack. */
static inline int script_is_interpreted(__u32 kind)
{
	return kind == SCRIPT_PYTHON || kind == SCRIPT_PHP || kind == SCRIPT_RUBY ||
	       kind == SCRIPT_PERL;
}

#define SCRIPT_FRAMES 128 /* a bound; deeper ones are cut */

/* How an interpreter keeps its frames: CPython's versions, PHP, Ruby and Perl. */
enum script_how {
	SCRIPT_NONE,
	SCRIPT_OBJECTS, /* one call of the evaluation function for each frame (3.9, 3.10) */
	SCRIPT_ENTRIES, /* one for several; the outermost of those is marked (3.11) */
	SCRIPT_SHIMS,	/* one for several, and a frame of its own on the C stack below (3.12) */
	SCRIPT_SHIMS_DIRECT, /* the same, without a list of calls (3.13) */
	SCRIPT_CALLS, /* one call for several; the outermost of those is marked (PHP) */
	SCRIPT_STACK, /* the same, frames one beside the other (Ruby) */
	SCRIPT_CONTEXTS, /* the same, in several stacks (Perl) */
};

/* SCRIPT_CONTEXTS: where things are, in bytes (bpf/perl.bpf.h). */
struct perl_layout {
	__u64 nextstate, dbstate; /* what statements begin with */
	__u64 main, main_end;	  /* the function that runs the file that perl was begun with */
	__u64 module; /* the interpreter is in the thread's block of this one; 0: beside the thread pointer */
	__u16 statement;	  /* in the interpreter: the one that it is at */
	__u16 stack_contexts, stack_previous, stack_last, stack_type;
	__u16 context_bytes, context_statement, context_return, context_function;
	__u16 statement_begin, statement_line, statement_file;
	__u16 function_start, function_name, function_file;
	__u16 pad;
};

/* As much as is read at once. */
#define PERL_CONTEXT_BYTES   80
#define PERL_STATEMENT_BYTES 56
#define PERL_FUNCTION_BYTES  72

/* In the second word of a function. */
#define PERL_TYPE(word) ((__u8)((word) >> 32))
#define PERL_FUNCTION	13

/* Where things are in a process, as found and checked by user space. Offsets in bytes; those in
 * frames and code objects are multiples of 8, but for owner and line: the word counts that they are in. Those
 * in rings may be negative: a thread, and an interpreter, is then where its node is. */
struct script_runtime {
	__u64 exec_id;
	__u64 interpreters; /* the address of the first one's; SCRIPT_CALLS: of the innermost frame's;
			     * SCRIPT_CONTEXTS: of the thread's, after what is the thread's */
	__u64 code_type;    /* what a code object begins with */
	__u64 eval, eval_end; /* the evaluation function, where it is counted */
	__u16 how;	    /* enum script_how */
	__s16 interp_next, interp_threads;
	__u16 thread_next, thread_id, thread_frame; /* thread_frame: or its list of calls */
	__u16 call_frame, call_previous;	    /* in that list */
	__u16 frame_bytes, frame_previous, frame_code, frame_instr, frame_owner;
	__u16 code_bytes, code_line, code_file, code_name, code_lines, code_start;
	__u16 text_hash;   /* in a string: its hash, or its length */
	__u16 instr_shift; /* SCRIPT_OBJECTS: of the instruction's number */
	__u16 code_body;   /* SCRIPT_STACK: in a code object: where the rest of it is */
	__u16 names_of_c;  /* SCRIPT_STACK: what functions written in C are called can be said */
	__u64 text, text_end; /* SCRIPT_STACK: the interpreter's code, which calls YJIT's */
	struct perl_layout perl;
};

/* SCRIPT_CALLS: what functions begin with, what marks the outermost frame of a call in frame_owner's byte,
 * and where code_start says that an instruction has its line, which is the unit. */
#define SCRIPT_PHP_INTERNAL 1 /* written in C: there is neither file nor line */
#define SCRIPT_PHP_USER	    2
#define SCRIPT_PHP_EVAL	    4
#define SCRIPT_PHP_OUTERMOST 2
#define SCRIPT_PHP_CLOSURE   (1ULL << (32 + 22)) /* in the first word of a function */

/* SCRIPT_STACK: what is in the first word of a code object; and of the first word of what frame_owner leads to:
 * the outermost frame of a call is marked, and one that is no function's. */
#define SCRIPT_RUBY_TYPE      0xf01f
#define SCRIPT_RUBY_ISEQ      0x701a
#define SCRIPT_RUBY_OUTERMOST 0x20
#define SCRIPT_RUBY_OF_C      0x80
#define SCRIPT_RUBY_MAGIC     0x7fff0001
#define SCRIPT_RUBY_DUMMY     0x79990001
#define SCRIPT_RUBY_METHOD    0x11110001
#define SCRIPT_RUBY_C_METHOD  0x55550001

/* A method's frame has below its flags what is known of the method, or what leads to it; a word of the
 * method is that entry's address. As Ruby 3.1 has them: */
#define SCRIPT_RUBY_ENTRY    0x601a
#define SCRIPT_RUBY_SPECIALS 0x201a /* its own variables: the entry is the second word */
struct ruby_entry {
	__u64 type, variables_entry, definition, called, owner; /* owner: the class or module */
};
struct ruby_definition {
	__u64 type, code; /* type: in its low bits; code: of one in C its address */
};
#define RUBY_DEFINITION(type) ((type) & 0xf)
#define RUBY_WRITTEN_IN_RUBY  0
#define RUBY_WRITTEN_IN_C     1

/* A sum tells code objects apart by these words, in this order: the file, the name, the table of lines,
 * the word with the first line; and the name's hash, as the interpreter keeps it. Both sides make it. */
static inline __u64 script_sum(__u64 h, __u64 word)
{
	return (((h << 23) | (h >> 41)) ^ word) * 0x9fb21c651e98df25ULL;
}

/* The check word of one alone. */
static inline __u64 script_own_check(__u64 print)
{
	return SCRIPT_CHECK | print >> 2;
}

static inline __u64 script_code_sum(__u64 file, __u64 name, __u64 lines, __u64 line)
{
	return script_sum(script_sum(script_sum(file, name), lines), line);
}

/* Of what was read of them; 0: it is no statement. */
static inline __u64 perl_statement_sum(const struct perl_layout *l, const __u64 *words)
{
	__u64 begin = words[l->statement_begin / 8 & 7];

	if (!begin || (begin != l->nextstate && begin != l->dbstate))
		return 0;
	return script_code_sum(words[l->statement_file / 8 & 7], begin, 0,
			       words[l->statement_line / 8 & 7] >> 32);
}

/* Of a method: its code's, and whose it is. */
static inline __u64 ruby_method_sum(__u64 code, __u64 owner)
{
	return script_sum(code, owner);
}

static inline __u64 ruby_c_sum(__u64 code, __u64 called, __u64 owner)
{
	return ruby_method_sum(script_sum(code, called), owner);
}

static inline __u64 perl_function_sum(const struct perl_layout *l, const __u64 *words)
{
	return script_code_sum(words[l->function_file / 8 & 15], words[l->function_name / 8 & 15],
			       words[l->function_start / 8 & 15], 0);
}

#endif
