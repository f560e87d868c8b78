// SPDX-License-Identifier: GPL-2.0-only
/* The CPU's own caches: counters of their references and misses, by pairs. */
#define COUNTERS_TOGETHER 2
#include "bpf/counters.bpf.h"
