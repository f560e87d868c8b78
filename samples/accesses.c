// SPDX-License-Identifier: GPL-2.0-only
#include "samples/accesses.h"

#include <linux/perf_event.h>
#include <stdio.h>

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

/* --- accesses --- */

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

void access__source(u64 data_src, char *buf, size_t size)
{
	union perf_mem_data_src d = {.val = data_src};
	const char *level = level_by_number(d.mem_lvl_num);
	const char *remote = level && d.mem_remote ? "remote " : "";

	snprintf(buf, size, "%s%s%s", remote, level ? level : name_of(levels, d.mem_lvl),
		 d.mem_lvl & PERF_MEM_LVL_MISS ? " miss" : "");
}

void access__op(u64 data_src, char *buf, size_t size)
{
	union perf_mem_data_src d = {.val = data_src};
	static const struct bit_name ops[] = {{PERF_MEM_OP_LOAD, "load"},
					      {PERF_MEM_OP_STORE, "store"},
					      {PERF_MEM_OP_PFETCH, "prefetch"},
					      {PERF_MEM_OP_EXEC, "fetch"},
					      {0, "unknown"}};

	snprintf(buf, size, "%s%s", d.mem_lock & PERF_MEM_LOCK_LOCKED ? "locked " : "", name_of(ops, d.mem_op));
}

void access__tlb(u64 data_src, char *buf, size_t size)
{
	union perf_mem_data_src d = {.val = data_src};
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

void access__snoop(u64 data_src, char *buf, size_t size)
{
	union perf_mem_data_src d = {.val = data_src};
	static const struct bit_name answers[] = {{PERF_MEM_SNOOP_HITM, "modified"},
						  {PERF_MEM_SNOOP_HIT, "hit"},
						  {PERF_MEM_SNOOP_MISS, "miss"},
						  {PERF_MEM_SNOOP_NONE, "none"},
						  {0, "unknown"}};

	copy_str(buf, size, d.mem_snoopx & PERF_MEM_SNOOPX_FWD ? "forwarded" : name_of(answers, d.mem_snoop));
}

/* --- branches --- */

/* As the kernel numbers them (enum in linux/perf_event.h, which grows). */
static const char *const kinds[16] = {
	"unknown", "conditional", "jump", "indirect", "call", "indirect call", "return", "system call",
	"system return", "conditional call", "conditional return", "exception return", "interrupt", "error",
	"transaction", "extended",
};

void branch__kind(u64 kind, char *buf, size_t size)
{
	copy_str(buf, size, kinds[kind & BRANCH_KIND_BITS]);
}

void branch__guess(u64 guess, char *buf, size_t size)
{
	copy_str(buf, size, guess & 1 ? "wrong" : guess & 2 ? "right" : "unknown");
}
