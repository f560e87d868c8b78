/* SPDX-License-Identifier: GPL-2.0-only */
/* Screens that the view bpf leads to. */
#ifndef TUI_VIEWS_BPF_PARTS_H
#define TUI_VIEWS_BPF_PARTS_H

#include "models/bpf.h"
#include "tui/views/listing.h"

/* The maps of a program; NULL: all maps. */
struct screen *bpf_maps__open(struct host *h, const struct bpf_prog_sample *prog);

/* The code of a program. */
struct screen *bpf_code__open(struct host *h, const struct bpf_prog_sample *prog);

/* Why there are no rows yet; false: not for want of a feed. */
bool bpf__waiting(const struct listing *l, char *buf, size_t size);

#endif
