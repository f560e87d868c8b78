/* SPDX-License-Identifier: GPL-2.0-only */
/* Vital signs of the machine, true whatever the view; from /proc once a tick. */
#ifndef SAMPLES_VITALS_H
#define SAMPLES_VITALS_H

#include "samples/sample.h"
#include "samples/snap.h"

#define VITALS_TREND 60

struct vitals {
	u32 ncpus, running, tasks;
	u32 last_pid; /* that was given out: it grows with each process and thread that starts */
	double starts_per_s; /* of those; 0 not known, as of recordings */
	double load1, load5, load15;
	/* share of all CPUs' time in the last interval, percent */
	double user_pct, system_pct, iowait_pct, irq_pct, steal_pct, idle_pct;
	u64 mem_total_bytes, mem_available_bytes, cached_bytes, buffers_bytes, swap_total_bytes,
		swap_free_bytes;
	bool has_psi;
	double psi_cpu_some, psi_io_some, psi_io_full, psi_memory_some, psi_memory_full; /* avg10 */
	double self_cpu_pct; /* proftop itself, of one CPU */
	u64 self_rss_bytes;
};

struct vitals_sample {
	struct sample head;
	struct vitals vitals;
};

struct vitals_snap {
	struct snap base;
	struct vitals now;
	u32 ntrend;
	float busy_pct[VITALS_TREND]; /* oldest first */
};

#endif
