/* SPDX-License-Identifier: GPL-2.0-only */
/* What the running kernel's types tell about its tracepoints. */
#ifndef SOURCES_KERNEL_BTF_H
#define SOURCES_KERNEL_BTF_H

#include "core/base.h"

struct btf;

/* Arguments of a tracepoint; 0: there is none of that name. */
u32 kernel_btf__arguments(const struct btf *btf, const char *tracepoint);

#endif
