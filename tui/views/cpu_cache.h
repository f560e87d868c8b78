/* SPDX-License-Identifier: GPL-2.0-only */
/* Two panes of the cache view: the last-level cache and the TLB, by process and CPU. */
#ifndef TUI_VIEWS_CPU_CACHE_H
#define TUI_VIEWS_CPU_CACHE_H

#include "samples/cpu_cache.h"
#include "scope/scope.h"
#include "tui/view.h"

/* extra: the scope in the place of the host's, NULL none; a reference is taken. */
struct screen *cpu_cache__open(struct host *h, enum cpu_cache cache, const struct scope *extra);

#endif
