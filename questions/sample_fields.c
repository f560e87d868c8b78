// SPDX-License-Identifier: GPL-2.0-only
#include "questions/sample_fields.h"

#include <errno.h>
#include <linux/perf_event.h>

#include "samples/accesses.h"

/* struct perf_branch_stack: their number, an index, then the branches, the newest first. */
#define BRANCH(i) (16 + 8 * (i))

#define OF_ACCESS(name_, bits, say_) \
	{.name = name_, .member = "data_src", .mask = bits, .sample_type = PERF_SAMPLE_DATA_SRC, .say = say_}
#define OF_BRANCH(name_, word, ...) \
	{.name = name_, .member = "br_stack", .behind = true, .offset = BRANCH(word), \
	 .sample_type = PERF_SAMPLE_BRANCH_STACK, __VA_ARGS__}

static const struct sample_field all[] = {
	{.name = "weight", .member = "weight", .sample_type = PERF_SAMPLE_WEIGHT},
	OF_ACCESS("data_src", 0, NULL),
	OF_ACCESS("source", ACCESS_SOURCE_BITS, access__source),
	OF_ACCESS("access", ACCESS_OP_BITS, access__op),
	OF_ACCESS("tlb", ACCESS_TLB_BITS, access__tlb),
	OF_ACCESS("snoop", ACCESS_SNOOP_BITS, access__snoop),
	OF_BRANCH("branch_from", 0),
	OF_BRANCH("branch_to", 1),
	OF_BRANCH("branch", 2, .shift = BRANCH_KIND_AT, .mask = BRANCH_KIND_BITS, .say = branch__kind),
	OF_BRANCH("guessed", 2, .mask = BRANCH_GUESS_BITS, .say = branch__guess),
	OF_BRANCH("branch_cycles", 2, .shift = BRANCH_CYCLES_AT, .mask = BRANCH_CYCLES_BITS),
};

const char *sample_field__name(u32 i)
{
	return i < ARRAY_SIZE(all) ? all[i].name : NULL;
}

int sample_field__find(const char *name, struct field *out)
{
	for (u32 i = 0; i < ARRAY_SIZE(all); i++)
		if (!strcmp(all[i].name, name)) {
			*out = (struct field){
				.type = {.kind = TYPE_INT, .size = 8}, .at = FIELD_OF_SAMPLE,
				.sample = &all[i], .say = all[i].say};
			return 0;
		}
	return -ENOENT;
}
