/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arguments and results of functions as labels of their calls (view funcs): the text of a list of
 * expressions, as `by` of a question has it, becomes code that finds them where the function begins
 * and where it returns. What there is symbols/arguments.h says.
 */
#ifndef SOURCES_FUNCS_ARGS_H
#define SOURCES_FUNCS_ARGS_H

#include "base/status.h"
#include "questions/generate.h"
#include "samples/functions.h"

struct bpf_object;

/* Of the function that begins at an offset of a file. Immutable, and there for good. NULL with st: what is
 * wrong. jumps: its result is not known, as it may be that of another function. */
const struct func_args *func_args__new(const char *file, const char *function, u64 offset, bool jumps,
				       const char *by, struct status *st);

/* What of a list goes into the programs. All 0 to begin with. */
struct funcs_code {
	struct eval_code begins, ends;
	u32 n; /* units: 0, and there is no code */
};

/* 0, or -E2BIG with st. */
int funcs_code__make(struct funcs_code *c, const struct func_list *l, struct status *st);
void funcs_code__fini(struct funcs_code *c);
/* Before the object is loaded; c is borrowed until it is. */
void funcs_code__prepare(const struct funcs_code *c, const struct func_list *l, struct bpf_object *obj);
/* Of the handler of the programs' sections, which has to be there when the object is opened. */
void funcs_code__register(void);
/* "len=4096": of word FUNCS_LABEL_ARG + i. sent: the text, where it is one. */
void func_args__text(const struct func_args *a, u32 i, u64 value, const char *sent, char *buf,
		     size_t size);

#endif
