/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The function that the code of a question is put into. A program includes this, and calls
 *
 *	question__eval(ctx, frame)	ctx: its own context, frame: in a map's value
 *
 * which is 1 when the event passes the question's condition, with keys and values in the frame, else
 * 0. In the object it is QUESTION_PLACE instructions that do nothing and then 0. Before a program
 * is loaded (prog_prepare_load_fn of libbpf_register_prog_handler), eval__splice() puts the code there
 * and bpf_program__set_insns() sets it: the number of instructions stays, and with it the places of
 * functions and lines in BTF. What is left of the region cannot be reached, as the verifier finds, and
 * costs nothing.
 */
#ifndef BPF_QUESTION_EVAL_BPF_H
#define BPF_QUESTION_EVAL_BPF_H

#include "bpf/question_eval.h"

/* Filled by user space from eval_code.globs. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, QUESTION_GLOBS);
	__type(key, __u32);
	__type(value, struct question_glob);
} question_globs SEC(".maps");

/* Whether a text matches a glob; global, so that it is verified once. */
__attribute__((noinline, used)) int question__glob(const struct question_text *text, __u32 n)
{
	struct question_glob *g = bpf_map_lookup_elem(&question_globs, &n);
	__u64 states = 1;

	if (!g || !text)
		return 0;
	for (int i = 0; i < QUESTION_TEXT; i++) {
		__u8 c = (__u8)text->s[i];

		if (!c)
			break;
		states = (states & g->member[c]) << 1 | (states & g->star);
	}
	return (int)(states >> (g->accept & 63) & 1);
}

/* Instructions that are kept. */
#ifndef QUESTION_PLACE
#define QUESTION_PLACE QUESTION_REGION
#endif

#define QUESTION_STRING_(x) #x
#define QUESTION_STRING(x)  QUESTION_STRING_(x)

/* The call behind the region is never reached, but shows where the function is. The code ends with an
 * `exit` of its own; it may use all registers and the stack: r6 is ctx, r7 frame. */
static __attribute__((noinline)) int question__eval(void *ctx, struct question_frame *frame)
{
	int ret;

	asm volatile("r0 = %[ctx]; r7 = %[frame]; r6 = r0;"
		     "r0 = " QUESTION_STRING(QUESTION_REGION_MAGIC) ";"
		     ".rept " QUESTION_STRING(QUESTION_PLACE) "; goto +0; .endr;"
		     "r1 = r7; r1 += %[texts]; r2 = 0; call question__glob;"
		     "%[ret] = 0;"
		     : [ret] "=r"(ret)
		     : [ctx] "r"(ctx), [frame] "r"(frame),
		       [texts] "i"(__builtin_offsetof(struct question_frame, texts))
		     : "r0", "r7", "memory");
	return ret;
}

#endif
