/* SPDX-License-Identifier: GPL-2.0-only */
/* What is special to the sources of measures, each in sources/NAME.c. */
#ifndef SOURCES_MEASURES_H
#define SOURCES_MEASURES_H

#include "sources/measure.h"

extern const struct measure_hooks net_hooks, counters_hooks, kvm_hooks, kvmmmu_hooks, locks_hooks;
extern const struct measure_hooks faults_hooks, heap_hooks, kmem_hooks, watch_hooks, funcs_hooks;
extern const struct measure_hooks queries_hooks, tcp_hooks, sockets_hooks, irq_hooks, lookups_hooks, hwcache_hooks, reclaim_hooks;

#endif
