/* SPDX-License-Identifier: GPL-2.0-only */
/* The running kernel's types for questions, read when the first of them is needed: that takes tens of
 * milliseconds, and most questions need none. As sources/ask.h: UI thread, and at the start. */
#ifndef SOURCES_KERNEL_TYPES_H
#define SOURCES_KERNEL_TYPES_H

#include "questions/fields.h"

/* Knows no type where the kernel tells nothing. */
extern const struct type_resolver kernel_types;

struct question_btf;
/* For good. NULL: the kernel tells nothing of its types. */
struct question_btf *kernel_types__btf(void);

#endif
