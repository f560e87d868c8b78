// SPDX-License-Identifier: GPL-2.0-only
#include "recording/perf_accesses.h"

#include <stdio.h>

#include "samples/accesses.h"

#define CACHE_LINE 64

enum { BY_SOURCE, BY_OP, BY_TLB, BY_SNOOP, BY_LINE, OWN };

/* --- the declaration --- */

bool perf_accesses__are(const struct perf_format *f)
{
	return f->sample_type & PERF_SAMPLE_DATA_SRC;
}

void perf_accesses__form(struct ask_form *f, const char *event)
{
	static const struct perf_value_label own[OWN] = {[BY_SOURCE] = {"source", 22, 0, 0, 32},
							 [BY_OP] = {"access", 14, 0, 32, 32},
							 [BY_TLB] = {"tlb", 14, 1, 0, 32},
							 [BY_SNOOP] = {"snoop", 10, 1, 32, 32},
							 [BY_LINE] = {"line", 18, 2, 0, 64}};

	perf_values__form(f, own, OWN, "accesses to memory, with latency in cycles,", event);
	f->by = 1u << BY_SOURCE | 1u << BY_OP;
}

/* --- samples --- */

void perf_accesses__read(struct perf_value *v, const struct perf_record *r)
{
	union perf_mem_data_src d = {.val = r->data_src};
	u64 line = r->addr & ~(u64)(CACHE_LINE - 1);
	const u64 values[OWN] = {
		[BY_SOURCE] = d.mem_lvl | d.mem_lvl_num << 14 | d.mem_remote << 18,
		[BY_OP] = d.mem_op | d.mem_lock << 5,
		[BY_TLB] = d.mem_dtlb,
		[BY_SNOOP] = d.mem_snoop | d.mem_snoopx << 5,
		[BY_LINE] = line,
	};

	perf_value__begin(v, values, OWN, r->latency);
	access__source(r->data_src, v->texts[BY_SOURCE], sizeof(v->texts[0]));
	access__op(r->data_src, v->texts[BY_OP], sizeof(v->texts[0]));
	access__tlb(r->data_src, v->texts[BY_TLB], sizeof(v->texts[0]));
	access__snoop(r->data_src, v->texts[BY_SNOOP], sizeof(v->texts[0]));
	if (line)
		snprintf(v->texts[BY_LINE], sizeof(v->texts[0]), "0x%llx", (unsigned long long)line);
	else
		copy_str(v->texts[BY_LINE], sizeof(v->texts[0]), "unknown");
}
