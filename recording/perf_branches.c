// SPDX-License-Identifier: GPL-2.0-only
#include "recording/perf_branches.h"

#include <stdio.h>

enum { BY_KIND, BY_GUESS, OWN };
enum { GUESS_UNKNOWN, GUESS_RIGHT, GUESS_WRONG };

/* As the kernel numbers them (enum in linux/perf_event.h, which grows). */
static const char *const kinds[16] = {
	"unknown", "conditional", "jump", "indirect", "call", "indirect call", "return", "system call",
	"system return", "conditional call", "conditional return", "exception return", "interrupt", "error",
	"transaction", "extended",
};

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
	static const char *const guesses[] = {"unknown", "right", "wrong"};
	u32 guess = b->mispred ? GUESS_WRONG : b->predicted ? GUESS_RIGHT : GUESS_UNKNOWN;
	const u64 labels[OWN] = {[BY_KIND] = b->type, [BY_GUESS] = guess};

	perf_value__begin(v, labels, OWN, b->cycles);
	copy_str(v->texts[BY_KIND], sizeof(v->texts[0]), kinds[b->type]);
	copy_str(v->texts[BY_GUESS], sizeof(v->texts[0]), guesses[guess]);
}
