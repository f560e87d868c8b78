// SPDX-License-Identifier: GPL-2.0-only
/* Page faults: minor and major, by code, by file and by place in the address space. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "bpf/faults.h"
#include "samples/measure.h"

enum { BY_KIND, BY_CAUSE, BY_NODE, BY_FILE, BY_ADDRESS, BY_PID, BY_TID, BY_COMM, BY_CGROUP, BY_STACK, LABELS };

static void kind_text(u64 kind, char *buf, size_t size)
{
	copy_str(buf, size, kind == FAULTS_MAJOR ? "major" : "minor");
}

static void cause_text(u64 cause, char *buf, size_t size)
{
	static const char *const names[FAULTS_CAUSES] = {
		[FAULTS_TOUCH] = "first touch",	      [FAULTS_MAP] = "file",	  [FAULTS_COPY] = "copy-on-write",
		[FAULTS_PROTECT] = "write-protect", [FAULTS_SWAP] = "swap",	  [FAULTS_USER] = "userfault",
		[FAULTS_HUGE] = "huge",		      [FAULTS_OTHER] = "spurious",
	};

	copy_str(buf, size, cause < FAULTS_CAUSES && names[cause] ? names[cause] : "");
}

static void node_text(u64 node, char *buf, size_t size)
{
	snprintf(buf, size, "%u", (u32)node);
}

/* NULL: the programs sent its path. */
static const char *sort_of_mapping(u64 file)
{
	switch (file) {
	case FAULTS_UNKNOWN: return "[unknown]";
	case FAULTS_ANON: return "[anon]";
	case FAULTS_HEAP: return "[heap]";
	case FAULTS_STACK: return "[stack]";
	default: return NULL;
	}
}

static bool file_is(u64 file, char *buf, size_t size)
{
	const char *text = sort_of_mapping(file);

	if (text)
		copy_str(buf, size, text);
	return text;
}

/* "/path+0x100000"; mappings without a file by the address itself. */
static void address_text(const char *file, u64 range, char *buf, size_t size)
{
	unsigned long long at = (range - 1) << FAULTS_RANGE_SHIFT;

	if (!range)
		copy_str(buf, size, file);
	else if (!strcmp(file, "[anon]"))
		snprintf(buf, size, "0x%llx", at);
	else
		snprintf(buf, size, "%.*s+0x%llx", (int)size - 24, file, at);
}

static const struct measure_label labels[LABELS] = {
	[BY_KIND] = {.name = "kind", .title = "Kind", .width = 5,
		     .help = "minor: the page was in memory, or a new one did; major: it was read",
		     .word = FAULTS_LABEL_KIND, .bits = 8, .text = kind_text},
	[BY_CAUSE] = {.name = "cause", .title = "Cause", .width = 13,
		      .help = "first touch of memory, a page of a file, copy-on-write, write-protect of what is "
			      "shared, swap, userfault, huge; none where the kernel does not say",
		      .word = FAULTS_LABEL_KIND, .shift = FAULTS_CAUSE_SHIFT, .bits = 8, .text = cause_text},
	[BY_NODE] = {.name = "node", .title = "Node", .width = 4, .number = true,
		     .help = "NUMA node of the CPU: memory that is touched first is there, unless a policy says "
			     "otherwise",
		     .word = FAULTS_LABEL_KIND, .shift = FAULTS_NODE_SHIFT, .bits = 16, .text = node_text},
	[BY_FILE] = {.name = "file", .title = "File", .width = 30,
		     .help = "file that is mapped there, or [heap], [stack], [anon]",
		     .word = FAULTS_LABEL_FILE, .bits = 64, .known = file_is},
	[BY_ADDRESS] = {.name = "address", .title = "Address", .width = 34, .address = true,
			.help = "1 MiB of the file or of the heap; of other memory its address",
			.word = FAULTS_LABEL_RANGE, .bits = 64, .of = BY_FILE, .join = address_text},
	[BY_PID] = {PID_LABEL("process")},
	[BY_TID] = {TID_LABEL("thread")},
	[BY_COMM] = {COMM_LABEL("name of the thread")},
	[BY_CGROUP] = {CGROUP_LABEL},
	[BY_STACK] = {STACK_LABEL("Faults in", "stack of the code that touched the page")},
};

#define HUGE_SIZE "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size"

static void setup(struct measure_setup *s)
{
	u32 order = 9;
	char text[32];

	if (file__read(AT_FDCWD, HUGE_SIZE, text, sizeof(text)) > 0)
		for (order = 0; (u64)sysconf(_SC_PAGESIZE) << order < strtoull(text, NULL, 10); order++)
			;
	measure_setup__set(s, "huge_order", &order, sizeof(order));
}

const struct measure measure_faults = {
	MEASURE_HERE,
	.name = "faults",
	.noun = "faults",
	.event = "minor-faults, major-faults",
	.shape = MEASURE_SHAPE_COUNT,
	.labels = labels,
	.nlabels = LABELS,
	.by = 1u << BY_STACK,
	.kept = FAULTS_LABEL_FILE,
	.sums = {[FAULTS_MINOR] = {.name = "minor", .title = "minor/s", .type = VALUE_COUNT,
				   .help = "faults without reading: the page was in memory, or a new "
					   "one did",
				   .counts = &labels[BY_KIND], .when = FAULTS_MINOR},
		 [FAULTS_MAJOR] = {.name = "major", .title = "major/s", .type = VALUE_COUNT,
				   .help = "faults that read the page from a disk",
				   .counts = &labels[BY_KIND], .when = FAULTS_MAJOR},
		 [FAULTS_FIRST] = {.name = "first_touch", .title = "touch/s", .type = VALUE_COUNT,
				   .help = "pages without a file that were touched for the first time: by so "
					   "many memory grew",
				   .counts = &labels[BY_CAUSE], .when = FAULTS_TOUCH},
		 [FAULTS_FIRST_HUGE] = {.name = "huge", .title = "huge/s", .type = VALUE_COUNT,
					.help = "huge pages (of 2 MiB on x86) that were touched for the first time",
					.counts = &labels[BY_CAUSE], .when = FAULTS_HUGE},
		 [FAULTS_SWAPPED_IN] = {.name = "swapped_in", .title = "swpin/s", .type = VALUE_COUNT,
					.help = "pages that had been in swap, and were faulted in again",
					.counts = &labels[BY_CAUSE], .when = FAULTS_SWAP},
		 [FAULTS_SWAPPED_OUT] = {.name = "swapped_out", .title = "swpout/s", .type = VALUE_COUNT,
					 .help = "pages of the process that went to swap, whoever reclaimed them: by "
						 "process and name"}},
	.levels = {[FAULTS_LEVEL_HUGE] = {"huge_bytes", "huge pages", VALUE_BYTES},
		   [FAULTS_LEVEL_SPLIT] = {"huge_split", "split so far", VALUE_COUNT},
		   [FAULTS_LEVEL_NO_HUGE] = {"huge_fallback", "none to be had so far", VALUE_COUNT}},
	.value = "ns",
	.setup = setup,
	.optional = "faults_user faults_kernel faults_pages faults_swap",
	.drills = (const u32[]){1u << BY_STACK, 0},
};
