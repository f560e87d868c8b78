// SPDX-License-Identifier: GPL-2.0-only
/* Memory that is made free: who has to wait for it, how long and why, and who is killed for it. */
#include <stdio.h>

#include "bpf/reclaim.h"
#include "samples/measure.h"

enum { BY_KIND, BY_WHY, BY_THROTTLED, BY_VICTIM, BY_PID, BY_TID, BY_COMM, BY_CGROUP, BY_STACK, LABELS };

static void kind_text(u64 kind, char *buf, size_t size)
{
	static const char *const names[RECLAIM_KINDS] = {
		[RECLAIM_DIRECT] = "direct",   [RECLAIM_CGROUP] = "cgroup limit",
		[RECLAIM_KSWAPD] = "kswapd",   [RECLAIM_COMPACTION] = "compaction",
		[RECLAIM_OOM] = "oom kill",    [RECLAIM_CGROUP_OOM] = "cgroup oom kill",
	};

	copy_str(buf, size, kind < RECLAIM_KINDS && names[kind] ? names[kind] : "?");
}

static const char *allocation(u32 flags)
{
	if (flags & RECLAIM_MOVABLE)
		return "pages of programs or files";
	if (flags & RECLAIM_FS)
		return "kernel memory";
	return flags & RECLAIM_IO ? "kernel memory, no file systems" : "kernel memory, no I/O";
}

static void why_text(u64 word, char *buf, size_t size)
{
	u32 kind = word & 0xff, order = word >> RECLAIM_ORDER_SHIFT & 0xff;
	u32 flags = (u32)(word >> RECLAIM_FLAGS_SHIFT);

	if (kind == RECLAIM_COMPACTION)
		copy_str(buf, size, flags & RECLAIM_SYNC ? "waits for pages" : "does not wait for pages");
	else if (kind == RECLAIM_KSWAPD)
		snprintf(buf, size, "order %u", order);
	else if (kind == RECLAIM_NO_KIND)
		copy_str(buf, size, "");
	else
		snprintf(buf, size, "order %u: %s", order, allocation(flags));
}

/* As enum vmscan_throttle_state has them. */
static void throttled_text(u64 why, char *buf, size_t size)
{
	static const char *const names[] = {"", "writeback", "isolated", "no progress", "congested"};

	copy_str(buf, size, why < ARRAY_SIZE(names) ? names[why] : "?");
}

static bool no_victim(u64 pid, char *buf, size_t size)
{
	if (!pid)
		copy_str(buf, size, "");
	return !pid;
}

static const struct measure_label labels[LABELS] = {
	[BY_KIND] = {.name = "kind", .title = "Kind", .width = 15,
		     .help = "direct: by who allocates; cgroup limit: likewise, at the limit of its control "
			     "group; kswapd; compaction; oom kill and cgroup oom kill: a process was killed",
		     .word = RECLAIM_LABEL_KIND, .bits = 8, .text = kind_text},
	[BY_WHY] = {.name = "why", .title = "For", .width = 36,
		    .help = "what was asked for: two to the power of order pages, for whom; of compaction: "
			    "whether it waits for pages that are written or locked",
		    .word = RECLAIM_LABEL_WHY, .bits = 64, .text = why_text},
	[BY_THROTTLED] = {.name = "throttled", .title = "Throttled", .width = 11,
			  .help = "why it had to sleep last: writeback, isolated (too many others reclaim), no "
				  "progress, congested",
			  .word = RECLAIM_LABEL_KIND, .shift = RECLAIM_THROTTLED_SHIFT, .bits = 8,
			  .text = throttled_text},
	[BY_VICTIM] = {.name = "victim", .title = "Killed", .width = 20,
		       .help = "pid and name of the process that was killed",
		       .word = RECLAIM_LABEL_VICTIM, .bits = 64, .known = no_victim},
	[BY_PID] = {PID_LABEL("process that reclaims")},
	[BY_TID] = {TID_LABEL("thread that reclaims")},
	[BY_COMM] = {COMM_LABEL("name of the thread")},
	[BY_CGROUP] = {CGROUP_LABEL},
	[BY_STACK] = {STACK_LABEL("Reclaims in", "where memory was asked for")},
};

const struct measure measure_reclaim = {
	MEASURE_HERE,
	.name = "reclaim",
	.noun = "waits",
	.event = "vmscan, compaction, oom",
	.shape = MEASURE_SHAPE_SPAN,
	.labels = labels,
	.nlabels = LABELS,
	.by = 1u << BY_KIND | 1u << BY_COMM,
	.sums = {[RECLAIM_SUM_THROTTLED] = {.name = "throttled_ns", .title = "Throttled", .type = VALUE_NS,
					    .help = "of the total: it had to sleep"},
		 [RECLAIM_SUM_SCANNED] = {.name = "scanned_pages", .title = "scanned/s", .type = VALUE_COUNT,
					  .help = "pages that were looked at"},
		 [RECLAIM_SUM_RECLAIMED] = {.name = "reclaimed_pages", .title = "freed/s", .type = VALUE_COUNT,
					    .help = "pages that were reclaimed"},
		 [RECLAIM_SUM_WRITTEN] = {.name = "written_pages", .title = "swapped/s", .type = VALUE_COUNT,
					  .help = "pages or folios that were written, most of them to swap"}},
	.levels = {[RECLAIM_LEVEL_AVAILABLE] = {"available_bytes", "available", VALUE_BYTES},
		   [RECLAIM_LEVEL_SWAPPED] = {"swap_used_bytes", "in swap", VALUE_BYTES},
		   [RECLAIM_LEVEL_STALLS] = {"direct_reclaims", "direct reclaims so far", VALUE_COUNT},
		   [RECLAIM_LEVEL_KILLS] = {"oom_kills", "killed", VALUE_COUNT}},
	.optional = "reclaim_cgroup_begins reclaim_cgroup_ends reclaim_compaction_begins reclaim_compaction_ends "
		    "reclaim_throttled reclaim_writes reclaim_kills",
	.hint = "nobody had to wait for memory",
	.drills = (const u32[]){1u << BY_WHY | 1u << BY_STACK, 0},
};
