// SPDX-License-Identifier: GPL-2.0-only
/* Page tables of virtual machines: what happens to their pages and entries, by level. */
#include "bpf/kvmmmu.h"

#include <stdio.h>

#include "samples/measure.h"

enum { BY_OP, BY_LEVEL, BY_KIND, BY_PID, BY_TID, BY_COMM, BY_CGROUP, BY_STACK, LABELS };

static void op_text(u64 op, char *buf, size_t size)
{
	static const char *const names[KVMMMU_OPS] = {
		[KVMMMU_GET] = "get",
		[KVMMMU_CREATE] = "create",
		[KVMMMU_SYNC] = "sync",
		[KVMMMU_UNSYNC] = "unsync",
		[KVMMMU_ZAP] = "zap",
		[KVMMMU_ZAP_ALL] = "zap all",
		[KVMMMU_FAULT] = "fault",
		[KVMMMU_FAST_FAULT] = "fast fault",
		[KVMMMU_SET] = "set",
		[KVMMMU_TDP_CHANGE] = "TDP change",
		[KVMMMU_SPLIT] = "split",
		[KVMMMU_SPLIT_FAILED] = "split failed",
		[KVMMMU_MMIO_MARK] = "MMIO mark",
		[KVMMMU_MMIO_CHECK] = "MMIO check",
		[KVMMMU_MMIO_FAULT] = "MMIO fault",
		[KVMMMU_WALK] = "walk",
		[KVMMMU_WALK_ERROR] = "walk failed",
	};

	copy_str(buf, size, op < KVMMMU_OPS ? names[op] : "?");
}

static void level_text(u64 level, char *buf, size_t size)
{
	if (level)
		snprintf(buf, size, "%llu", (unsigned long long)level);
	else
		copy_str(buf, size, "unknown");
}

static void kind_text(u64 kind, char *buf, size_t size)
{
	static const char *const names[KVMMMU_KINDS] = {"unknown", "shadow", "direct"};

	copy_str(buf, size, kind < KVMMMU_KINDS ? names[kind] : "?");
}

static const struct measure_range ops[] = {{0, KVMMMU_OPS}, {0}}, levels[] = {{0, 16}, {0}},
				  kinds[] = {{0, KVMMMU_KINDS}, {0}};

static const struct measure_label labels[LABELS] = {
	[BY_OP] = {.name = "op", .title = "Op", .width = 12, .word = KVMMMU_LABEL_PAGE, .bits = 8,
		   .text = op_text, .values = ops, .always = true,
		   .help = "get, create, sync, unsync, zap: a page of a table; set, TDP change, split, MMIO mark and "
			   "check: an entry; fault: an entry is needed; fast fault: without the lock; walk: through "
			   "the guest's own tables"},
	[BY_LEVEL] = {.name = "level", .title = "Level", .width = 7, .word = KVMMMU_LABEL_PAGE,
		      .shift = KVMMMU_LEVEL_SHIFT, .bits = 8, .text = level_text, .values = levels,
		      .number = true, .always = true,
		      .help = "of the table: entries of level 1 map 4 KiB, of 2 2 MiB, of 3 1 GiB on x86; unknown: "
			      "the event does not tell"},
	[BY_KIND] = {.name = "kind", .title = "Kind", .width = 7, .word = KVMMMU_LABEL_PAGE,
		     .shift = KVMMMU_KIND_SHIFT, .bits = 8, .text = kind_text, .values = kinds,
		     .help = "direct: of two-dimensional paging, or where the guest has no paging; shadow: of a "
			     "table of the guest's"},
	[BY_PID] = {PID_LABEL("process of the virtual machine")},
	[BY_TID] = {TID_LABEL("thread of the virtual CPU, or whoever else makes KVM do it")},
	[BY_COMM] = {COMM_LABEL("name of the thread")},
	[BY_CGROUP] = {CGROUP_LABEL},
	[BY_STACK] = {STACK_LABEL("From", "what makes KVM do it")},
};

const struct measure measure_kvmmmu = {
	MEASURE_HERE,
	.name = "kvmmmu",
	.noun = "changes",
	.event = "kvmmmu events",
	.shape = MEASURE_SHAPE_COUNT,
	.labels = labels,
	.nlabels = LABELS,
	.by = 1u << BY_OP | 1u << BY_LEVEL,
	.drills = (const u32[]){1u << BY_PID, 1u << BY_STACK, 0},
	.optional = "kvmmmu_get kvmmmu_sync kvmmmu_unsync kvmmmu_zap kvmmmu_zap_all kvmmmu_set kvmmmu_tdp_change "
		    "kvmmmu_split kvmmmu_mmio_mark kvmmmu_mmio_check kvmmmu_fault kvmmmu_fast_fault "
		    "kvmmmu_mmio_fault kvmmmu_walk kvmmmu_walk_error",
	.hint = "no guest's page tables change",
};
