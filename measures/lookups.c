// SPDX-License-Identifier: GPL-2.0-only
/* Names that are looked up, and those that are not there. */
#include "bpf/lookups.h"
#include "measures/syscall_args.h"
#include "samples/measure.h"

enum { BY_CALL, BY_FOUND, BY_PID, BY_TID, BY_COMM, BY_CGROUP, BY_STACK, LABELS };

static void found_text(u64 value, char *buf, size_t size)
{
	copy_str(buf, size, value == LOOKUPS_IS_ABSENT ? "absent" : "found");
}

static const struct measure_range outcomes[] = {{0, LOOKUPS_OUTCOMES}, {0}};

static const struct measure_label labels[LABELS] = {
	[BY_CALL] = {.name = "syscall", .title = "System call", .width = 18,
		     .help = "system call that names a path",
		     .word = LOOKUPS_LABEL_CALL, .bits = SYSCALL_LABEL_BITS, .text = syscall__text,
		     .values = syscall_values},
	[BY_FOUND] = {.name = "found", .title = "Found", .width = 7, .word = LOOKUPS_LABEL_FOUND, .bits = 8,
		      .text = found_text, .values = outcomes,
		      .help = "absent: there is nothing of that name (ENOENT, ENOTDIR)"},
	[BY_PID] = {PID_LABEL("process id")},
	[BY_TID] = {TID_LABEL("thread id")},
	[BY_COMM] = {COMM_LABEL("name of the process, or of the thread")},
	[BY_CGROUP] = {CGROUP_LABEL},
	[BY_STACK] = {STACK_LABEL("Called from", "where names are looked up")},
};

static void setup(struct measure_setup *s)
{
	static struct lookups_setting all[SYSCALL_ABIS * SYSCALLS_MAX];
	u8 flags;

	for (u32 abi = 0; abi < SYSCALL_ABIS; abi++)
		for (u32 nr = 0; nr < SYSCALLS_MAX; nr++) {
			struct lookups_setting *set = &all[abi * SYSCALLS_MAX + nr];

			set->path = syscall_args__names_path(abi, nr, &flags);
			set->empty = flags == SYSCALL_NO_ARG ? 0 : flags + 1;
		}
	measure_setup__set(s, "settings", all, sizeof(all));
}

const struct measure measure_lookups = {
	MEASURE_HERE,
	.name = "lookups",
	.noun = "lookups",
	.count_name = "lookups",
	.event = "sys_exit",
	.shape = MEASURE_SHAPE_COUNT,
	.labels = labels,
	.nlabels = LABELS,
	.by = 1u << BY_PID | 1u << BY_COMM,
	.sums = {[LOOKUPS_NEGATIVE] = {.name = "negative", .title = "Absent/s", .type = VALUE_COUNT,
		  .help = "lookups that found nothing of that name",
		  .counts = &labels[BY_FOUND], .when = LOOKUPS_IS_ABSENT}},
	.ratios = {{.name = "negative_pct", .title = "Absent%", .type = VALUE_PCT,
		    .help = "share of the lookups that found nothing of that name", .of = LOOKUPS_NEGATIVE, .in = RATIO_OF_COUNT}},
	.levels = {[LOOKUPS_DENTRIES] = {"dentries", "dentries", VALUE_COUNT},
		   [LOOKUPS_UNUSED] = {"unused_dentries", "unused", VALUE_COUNT},
		   [LOOKUPS_NEGATIVE_DENTRIES] = {"negative_dentries", "of absent names", VALUE_COUNT}},
	.drills = (const u32[]){1u << BY_CALL, 1u << BY_STACK, 0},
	.setup = setup,
	.unseen = "names that the kernel itself or io_uring looks up; what the dentry cache hit is not known",
};
