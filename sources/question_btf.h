/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fields of questions by the running kernel's own types (BTF): members of its structs, arguments of
 * its tracepoints and functions. So nothing has to be relocated: offsets are this kernel's.
 * Any thread; what it hands out lives as long as it does.
 */
#ifndef SOURCES_QUESTION_BTF_H
#define SOURCES_QUESTION_BTF_H

#include "questions/fields.h"

struct btf;
struct question_btf;

/* The BTF is borrowed. */
struct question_btf *question_btf__new(const struct btf *btf);
void question_btf__free(struct question_btf *q);

const struct type_resolver *question_btf__types(const struct question_btf *q);

/* Arguments of the raw tracepoint `name`, by their names, in a context of 8 bytes each (raw_tp,
 * tp_btf); where this kernel does not tell names, arg0, arg1 ... NULL: there is none. */
const struct field_resolver *question_btf__tracepoint(struct question_btf *q, const char *name);

/* Each raw tracepoint of the kernel, by the name that btf:NAME has; those of modules are not known. */
void question_btf__each_tracepoint(const struct question_btf *q, void (*each)(void *ctx, const char *name),
				   void *ctx);

/* Arguments of a kernel function, or its result as `ret`, in registers (kprobe, kretprobe). NULL:
 * the kernel tells nothing of it. */
const struct field_resolver *question_btf__function(struct question_btf *q, const char *name,
						    bool returns);

#endif
