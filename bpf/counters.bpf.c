// SPDX-License-Identifier: GPL-2.0-only
/* Counters of perf events, each by itself. */
#define COUNTERS_TOGETHER 1
#include "bpf/counters.bpf.h"
