// SPDX-License-Identifier: GPL-2.0-only
#include "recording/perf_branches.h"

#include <stdio.h>

#include "samples/accesses.h"

enum { BY_KIND, BY_GUESS, OWN };

bool perf_branches__are(const struct perf_format *f)
{
	return f->sample_type & PERF_SAMPLE_BRANCH_STACK && !(f->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK);
}

void perf_branches__form(struct ask_form *f, const char *event)
{
	static const struct perf_value_label own[OWN] = {[BY_KIND] = {"branch", 18, 0, 0, 32},
							 [BY_GUESS] = {"guessed", 8, 0, 32, 32}};

	perf_values__form(f, own, OWN, "branches, with cycles since the one before,", event);
	f->by = 1u << BY_KIND | 1u << BY_GUESS;
	copy_str(f->noun, sizeof(f->noun), "branches");
}

struct perf_branch_entry perf_branches__at(const struct perf_record *r, u32 i)
{
	struct perf_branch_entry b;

	memcpy(&b, r->branches + i * sizeof(b), sizeof(b));
	return b;
}

void perf_branches__read(struct perf_value *v, const struct perf_branch_entry *b)
{
	u64 guess = b->mispred | b->predicted << 1;
	const u64 labels[OWN] = {[BY_KIND] = b->type, [BY_GUESS] = guess};

	perf_value__begin(v, labels, OWN, b->cycles);
	branch__kind(b->type, v->texts[BY_KIND], sizeof(v->texts[0]));
	branch__guess(guess, v->texts[BY_GUESS], sizeof(v->texts[0]));
}
