// SPDX-License-Identifier: GPL-2.0-only
#include "recording/perf_accesses.h"

#include <stdio.h>

#define CACHE_LINE 64

enum { BY_SOURCE, BY_OP, BY_TLB, BY_SNOOP, BY_LINE, OWN };

struct bit_name {
	u64 bit;
	const char *name;
};

/* The first that is set; "" none. */
static const char *name_of(const struct bit_name *names, u64 bits)
{
	while (names->bit && !(bits & names->bit))
		names++;
	return names->name;
}

/* --- in words, as perf's --- */

/* Newer CPUs number what has the data. */
static const char *level_by_number(u64 n)
{
	static const char *const names[] = {
		[PERF_MEM_LVLNUM_L1] = "L1",
		[PERF_MEM_LVLNUM_L2] = "L2",
		[PERF_MEM_LVLNUM_L3] = "L3",
		[PERF_MEM_LVLNUM_L4] = "L4",
		[PERF_MEM_LVLNUM_CXL] = "CXL",
		[PERF_MEM_LVLNUM_IO] = "I/O",
		[PERF_MEM_LVLNUM_ANY_CACHE] = "some cache",
		[PERF_MEM_LVLNUM_LFB] = "line fill buffer",
		[PERF_MEM_LVLNUM_RAM] = "RAM",
		[PERF_MEM_LVLNUM_PMEM] = "persistent RAM",
	};

	return n < ARRAY_SIZE(names) ? names[n] : NULL;
}

static const struct bit_name levels[] = {
	{PERF_MEM_LVL_L1, "L1"},
	{PERF_MEM_LVL_LFB, "line fill buffer"},
	{PERF_MEM_LVL_L2, "L2"},
	{PERF_MEM_LVL_L3, "L3"},
	{PERF_MEM_LVL_LOC_RAM, "RAM"},
	{PERF_MEM_LVL_REM_RAM1, "remote RAM"},
	{PERF_MEM_LVL_REM_RAM2, "remote RAM, 2 hops"},
	{PERF_MEM_LVL_REM_CCE1, "remote cache"},
	{PERF_MEM_LVL_REM_CCE2, "remote cache, 2 hops"},
	{PERF_MEM_LVL_IO, "I/O"},
	{PERF_MEM_LVL_UNC, "uncached"},
	{0, "unknown"},
};

static void source_text(union perf_mem_data_src d, char *buf, size_t size)
{
	const char *level = level_by_number(d.mem_lvl_num);
	const char *remote = level && d.mem_remote ? "remote " : "";

	snprintf(buf, size, "%s%s%s", remote, level ? level : name_of(levels, d.mem_lvl),
		 d.mem_lvl & PERF_MEM_LVL_MISS ? " miss" : "");
}

static void op_text(union perf_mem_data_src d, char *buf, size_t size)
{
	static const struct bit_name ops[] = {{PERF_MEM_OP_LOAD, "load"},
					      {PERF_MEM_OP_STORE, "store"},
					      {PERF_MEM_OP_PFETCH, "prefetch"},
					      {PERF_MEM_OP_EXEC, "fetch"},
					      {0, "unknown"}};

	snprintf(buf, size, "%s%s", d.mem_lock & PERF_MEM_LOCK_LOCKED ? "locked " : "", name_of(ops, d.mem_op));
}

static void tlb_text(union perf_mem_data_src d, char *buf, size_t size)
{
	static const struct bit_name places[] = {{PERF_MEM_TLB_OS, "page fault"},
						 {PERF_MEM_TLB_WK, "page walk"},
						 {PERF_MEM_TLB_L2, "L2"},
						 {PERF_MEM_TLB_L1, "L1"},
						 {0, "unknown"}};
	/* Some say L1 or L2 and that it hit: which of the two is not known. */
	bool either = (d.mem_dtlb & (PERF_MEM_TLB_L1 | PERF_MEM_TLB_L2)) == (PERF_MEM_TLB_L1 | PERF_MEM_TLB_L2);

	snprintf(buf, size, "%s%s",
		 either && !(d.mem_dtlb & (PERF_MEM_TLB_OS | PERF_MEM_TLB_WK)) ? "L1 or L2"
									       : name_of(places, d.mem_dtlb),
		 d.mem_dtlb & PERF_MEM_TLB_MISS ? " miss" : "");
}

static void snoop_text(union perf_mem_data_src d, char *buf, size_t size)
{
	static const struct bit_name answers[] = {{PERF_MEM_SNOOP_HITM, "modified"},
						  {PERF_MEM_SNOOP_HIT, "hit"},
						  {PERF_MEM_SNOOP_MISS, "miss"},
						  {PERF_MEM_SNOOP_NONE, "none"},
						  {0, "unknown"}};

	copy_str(buf, size, d.mem_snoopx & PERF_MEM_SNOOPX_FWD ? "forwarded" : name_of(answers, d.mem_snoop));
}

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
	source_text(d, v->texts[BY_SOURCE], sizeof(v->texts[0]));
	op_text(d, v->texts[BY_OP], sizeof(v->texts[0]));
	tlb_text(d, v->texts[BY_TLB], sizeof(v->texts[0]));
	snoop_text(d, v->texts[BY_SNOOP], sizeof(v->texts[0]));
	if (line)
		snprintf(v->texts[BY_LINE], sizeof(v->texts[0]), "0x%llx", (unsigned long long)line);
	else
		copy_str(v->texts[BY_LINE], sizeof(v->texts[0]), "unknown");
}
