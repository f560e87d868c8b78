/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the frames of one stack are called, where it is shown whole rather than added up with
 * others. Pure; names live as long as symbols.
 */
#ifndef MODELS_FRAMES_H
#define MODELS_FRAMES_H

#include "base/table.h"
#include "models/stacks.h"

struct frame_text {
	u32 func; /* 0: not resolved yet, or no function is known */
	bool pending;
	const char *name; /* never NULL */
	const char *object_name;
	const char *kind; /* "user" "kernel" "jit" "vdso" "bpf" "unknown" */
};

/* Whether lang= takes a function of this kind, with these flags (enum func_flag); "native" is all that was
 * compiled to a file, "go" too. */
bool code__is_language(const char *language, enum code_kind kind, u32 flags);
struct frame_text frame__text(const struct symbols *s, u32 loc);
/* The function of the program itself that led to where a user stack's leaf is: the first frame
 * that is not the C or C++ runtime's. "" when there is none, or it is not resolved yet. */
const char *stack__caller(const struct callstack *ustack, const struct symbols *s);
/* The same function, 0 for "". */
u32 stack__caller_func(const struct callstack *ustack, const struct symbols *s);
/* That, else the function of the leaf; 0: it is not resolved yet, or there is no stack. */
u32 stack__func(const struct callstack *stack, const struct symbols *s);
/* The same, else the kernel's function that it came in: not the tracer's. "": no stack. */
const char *stack__where(const struct callstack *stack, const struct symbols *s);
/* What stacks are the same by: the functions that they are called, where these are resolved. So it
 * is the same for another run of the program, too. 0: no stack. */
u64 stack__names_hash(const struct callstack *stack, const struct symbols *s);
/* A name as folded text has it, in the arena; empty ones as `otherwise`: `;` and what ends a
 * line would break the format, other control characters would reach a terminal. */
char *frame__folded(struct arena *a, const char *name, const char *otherwise);
/* "user" ...: in exports too. */
const char *code__kind_name(enum code_kind kind);

static inline u32 callstack__nlocs(const struct callstack *s)
{
	return s ? (u32)s->nkernel + s->nuser : 0;
}

#endif
