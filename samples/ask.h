/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Questions asked at run time (--ask, :ask): each is a measure that is declared while proftop
 * runs. Its declaration travels with its samples, so that models, recordings and exports know no
 * more of a question than of any measure.
 */
#ifndef SAMPLES_ASK_H
#define SAMPLES_ASK_H

#include "samples/measure.h"

#define ASK_MAX	       16 /* questions at once */
#define ASK_TEXT       1024 /* of a question that is shown; longer ones are cut */
#define ASK_LABEL_NAME 48
/* Of pairs that lie in each other: what stands between their names, and the sum that is their own time. */
#define ASK_NEST_IN    " > "
#define ASK_NEST_OWN   "own_ns"
#define ASK_FIELDS     16 /* of an event of a list */

/* What the view of a question is. */
enum ask_kind { ASK_EVENTS, ASK_PAIRS, ASK_HELD, ASK_KINDS };
const char *ask_kind__view(enum ask_kind kind); /* "events", "pairs", "held" */

struct ask_label {
	char name[ASK_LABEL_NAME];
	u32 kind; /* enum label_kind; neither LABEL_ERROR nor LABEL_DERIVED */
	u32 width;
	u32 word, shift, bits; /* LABEL_NAMED */
	u32 number; /* LABEL_NAMED: 1: its texts are decimal numbers */
	u32 address; /* as struct measure_label.address; no recording has it: what it tells of is not there any more */
};

/* What is told of each event of a list. */
enum ask_field_type {
	ASK_FIELD_UNSIGNED,
	ASK_FIELD_SIGNED,
	ASK_FIELD_ADDRESS,
	ASK_FIELD_TEXT,
	ASK_FIELD_TYPES,
};

struct ask_field {
	char name[ASK_LABEL_NAME];
	u32 type; /* enum ask_field_type */
	u32 named; /* 1: a number whose lines have what it is called, too */
};

/* A sum beside the value: of a span. */
struct ask_sum {
	char name[ASK_LABEL_NAME]; /* "": there is none */
	char help[ASK_LABEL_NAME];
	u32 is_time;
};

/* A declaration as a value; what is not used is zero. */
struct ask_form {
	char text[ASK_TEXT]; /* the question, as it was asked */
	char event[128];     /* what it is on, for the header */
	char noun[32];
	u32 kind;	/* enum ask_kind */
	u32 shape;	/* enum measure_shape */
	u32 has_value;	/* of a count */
	u32 is_signed;	/* values may be below 0 */
	char value[16]; /* its unit, "" of plain numbers */
	u32 nlabels;	/* own ones first */
	struct ask_label labels[MEASURE_MAX_LABELS];
	u32 by;
	struct ask_sum sums[MEASURE_SPAN_SUMS];
	u32 lists; /* enum ask_list_kind: lines (SAMPLE_ASK_LINE) come in the place of sums */
	u32 has_stack; /* of a list */
	u32 is_timed;  /* of spans: of slow ones it is known what came within them */
	u32 of_task;   /* then: what their thread or CPU did, too */
	u32 slot_us;   /* of a burst: how long its slots are; 0: shorter, or not known */
	u32 nfields;
	struct ask_field fields[ASK_FIELDS];
};

enum ask_list_kind { ASK_SUMS, ASK_LINES, ASK_SLOTS, ASK_LIST_KINDS };

/*
 * SAMPLE_ASK: the samples that follow are of this question, one of `n` of its kind. Without any
 * (n 0) all questions of the kind are over.
 */
struct ask_sample {
	struct sample head;
	u32 index, n;
	struct ask_form form;
};

/* An event of a list, of the question of the last SAMPLE_ASK. SAMPLE_ASK_LINE. */
struct ask_line_sample {
	struct sample head;
	u64 t_ns;
	u64 lost; /* so many before it, on its CPU, found no room */
	u32 cpu;
	struct measure_who who;
	const char *event;
	u64 stack; /* 0: none */
	const struct measure_key *values; /* of the form's fields: a number, or a text */
	u32 nvalues;
	u32 has; /* bits: those of them that this event has */
};

/*
 * The measure that a form declares: one for each different form, for good. NULL: it contradicts
 * itself (a recording may say anything), or there are too many. Any thread.
 */
const struct measure *ask_form__measure(const struct ask_form *form);

/* Likewise, but nobody finds it before it is kept, which NULL also refuses; one that is not is freed. */
struct measure *ask_form__draft(const struct ask_form *form);
bool ask_form__keep(struct measure *draft);
void ask_form__drop(struct measure *draft);

/* The declaration that a measure was made from; NULL: it is one of measure_table. */
const struct ask_form *measure__form(const struct measure *m);

#endif
