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

/* What the view of a question is. */
enum ask_kind { ASK_EVENTS, ASK_PAIRS, ASK_HELD, ASK_KINDS };
const char *ask_kind__view(enum ask_kind kind); /* "events", "pairs", "held" */

struct ask_label {
	char name[ASK_LABEL_NAME];
	u32 kind; /* enum label_kind; neither LABEL_ERROR nor LABEL_DERIVED */
	u32 width;
	u32 word, shift, bits; /* LABEL_NAMED */
	u32 number; /* LABEL_NAMED: 1: its texts are decimal numbers */
};

/* A declaration as a value; what is not used is zero. */
struct ask_form {
	char text[ASK_TEXT]; /* the question, as it was asked */
	char event[128];     /* what it is on, for the header */
	char noun[32];
	u32 kind;	/* enum ask_kind */
	u32 shape;	/* enum measure_shape */
	u32 has_value;	/* of a count */
	char value[16]; /* its unit, "" of plain numbers */
	u32 nlabels;	/* own ones first */
	struct ask_label labels[MEASURE_MAX_LABELS];
	u32 by;
};

/*
 * SAMPLE_ASK: the samples that follow are of this question, one of `n` of its kind. Without any
 * (n 0) all questions of the kind are over.
 */
struct ask_sample {
	struct sample head;
	u32 index, n;
	struct ask_form form;
};

/*
 * The measure that a form declares: one for each different form, for good. NULL: it contradicts
 * itself (a recording may say anything), or there are too many. Any thread.
 */
const struct measure *ask_form__measure(const struct ask_form *form);

/* The declaration that a measure was made from; NULL: it is one of measure_table. */
const struct ask_form *measure__form(const struct measure *m);

#endif
