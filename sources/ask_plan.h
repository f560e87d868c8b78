/* SPDX-License-Identifier: GPL-2.0-only */
/* A question from within: what ask.c makes of its text, and ask_source.c loads and attaches. */
#ifndef SOURCES_ASK_PLAN_H
#define SOURCES_ASK_PLAN_H

#include "bpf/question.h"
#include "questions/generate.h"
#include "sources/ask.h"
#include "sources/ask_events.h"
#include "sources/value_text.h"

/* A program that is attached to one or more of the events. */
struct ask_program {
	const char *type; /* of the object's programs: "trace" ... */
	struct question_slot slot;
	struct eval_code code;
	u32 fields; /* of a list: bits of the form's that it has, in the order of values */
	u32 ntargets;
};

struct ask {
	struct ask *next;
	char *text; /* as it was asked: a question, or a name */
	char *question_text;
	bool forced; /* whatever it takes: it was asked with ! */
	struct question *question;
	struct arena arena;
	struct ask_targets targets;
	u8 *program_of; /* of each target: index in programs */
	struct ask_program programs[QUESTION_SLOTS];
	u32 nprograms;
	u32 log_by; /* enum question_log_by: what is known of what comes within spans */
	struct entry_list entries;
	struct ask_form form;
	struct measure *measure;
	u32 refs; /* of a draft; one that is asked stays */
	u64 counted_ns; /* when its events were counted last, and were not too many (sources/ask_rate.h); 0: never */
	bool uprobe_links; /* functions are probed by links (sources/uprobe.h), not by events */
	struct value_text own[MEASURE_OWN_LABELS]; /* of own labels */
	const struct value_names *field_names[ASK_FIELDS]; /* of a list, likewise */
	struct value_text printed[ASK_FIELDS];		   /* of those that are named */
};

/* Whether a key is the CPU, and whether the programs have to compute it: a cell knows the thread, its
 * cgroup and its stack anyway. */
bool ask_key__is_cpu(const struct checked *key);
bool ask_key__is_own(const struct checked *key);
/* How the kernel prints the values of an expression that is a field: adds to *out, which has its type. */
void ask_labels__print(struct ask *a, const char *key, struct value_text *out);
/* The labels of the form: those that the question names, and those that are always known. 0, or -errno
 * with st. */
int ask__declare_labels(struct ask *a, struct status *st, const struct checked *const *keys,
			char (*names)[ASK_LABEL_NAME], u32 n);
/* What an own label's value is called; false: the programs send names. */
bool ask__label_text(const struct ask *a, u32 label, u64 value, char *buf, size_t size);

#endif
