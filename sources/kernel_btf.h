/* SPDX-License-Identifier: GPL-2.0-only */
/* What the running kernel's types tell about its tracepoints and functions. */
#ifndef SOURCES_KERNEL_BTF_H
#define SOURCES_KERNEL_BTF_H

#include "base/base.h"

struct btf;

/* The kernel's types. Where there is memory for it they are read once, for all. Given back by put. Any thread;
 * NULL: there are none. */
struct btf *kernel_btf__get(void);
void kernel_btf__put(struct btf *btf);

/* Arguments of a tracepoint; 0: there is none of that name. */
u32 kernel_btf__arguments(const struct btf *btf, const char *tracepoint);
/* Arguments of a function; 0: there is none of that name, it may be part of its callers. */
u32 kernel_btf__parameters(const struct btf *btf, const char *function);
/* Whether a structure has such a member of its own. */
bool kernel_btf__has_member(const struct btf *btf, const char *type, const char *member);
/* Each value of an enum that the kernel has, with its name, which is the types'. */
void kernel_btf__each_enumerator(const struct btf *btf, const char *type,
				 void (*each)(void *ctx, const char *name, u32 value), void *ctx);
/* A value of any enum, such as one without a name. */
bool kernel_btf__constant(const struct btf *btf, const char *name, u32 *value);

#endif
