/* SPDX-License-Identifier: GPL-2.0-only */
/* Types that a BPF program came with. */
#ifndef BASE_BPF_TYPES_H
#define BASE_BPF_TYPES_H

#include "base/base.h"

struct btf;

/* By their id, which struct bpf_prog_info has; for btf__free(). NULL: there are none, or they are not to be had. As
 * bpf_admin__open(). */
struct btf *bpf_types__of(u32 id);

#endif
