/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code that came to the kernel and left it while perf recorded: programs of BPF, and pages of probes, each with its
 * name (PERF_RECORD_KSYMBOL). This kernel's own names are of what is there now. One thread.
 */
#ifndef RECORDING_PERF_KSYMBOLS_H
#define RECORDING_PERF_KSYMBOLS_H

#include "samples/perf_record.h"
#include "symbols/symbols.h"

#define PERF_KSYMBOLS_MAX 65536 /* at a time; those beyond have no name */

struct perf_ksymbol {
	u64 start, end;
	u32 func; /* of the symbols */
};

/* Zeroed but for symbols there are none. */
struct perf_ksymbols {
	struct symbols *symbols;
	struct perf_ksymbol *v; /* by address, without overlap */
	u32 n, cap;
	u32 object; /* 0: not there yet */
};

void perf_ksymbols__take(struct perf_ksymbols *k, const struct perf_record *r);
/* What is there now; 0: none. */
u32 perf_ksymbols__func(const struct perf_ksymbols *k, u64 ip);
/* False: none is there now. */
bool perf_ksymbols__locate(struct perf_ksymbols *k, u64 ip, u32 *loc);
void perf_ksymbols__fini(struct perf_ksymbols *k);

#endif
