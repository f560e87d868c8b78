/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Models of questions (samples/ask.h): for each kind of question one, which keeps a model of a
 * measure for each question. A query is asked of one of them, or of all: then the rows stand one
 * question after the other, with the columns of all.
 */
#ifndef MODELS_ASKED_H
#define MODELS_ASKED_H

#include "models/ask_lines.h"
#include "models/measure.h"
#include "samples/ask.h"

struct model_ops;
extern const struct model_ops model_events, model_pairs, model_held;

struct asked_snap {
	WINDOW_SNAP; /* since: that of the first question that has sums; no windows */
	u32 n;
	/* References, of each question one; neither: nothing came yet. */
	const struct measure_snap *questions[ASK_MAX];
	const struct ask_lines_snap *lines[ASK_MAX];
};

/* A value; compared bytewise: zero it first. */
struct asked_query {
	enum time_window window;
	bool oldest_first; /* of lines */
	bool slowest;	   /* of spans, those of the last interval one by one, too */
	char group[64]; /* names of labels, for questions that have them; "" what each asks for */
};

struct asked_result {
	struct query_result base;
	struct asked_query query;
	u32 n; /* questions */
	u64 count;
	u64 dropped; /* lines that are not kept */
	struct asked_slow {
		struct measure_slow_result *result; /* slowest first */
		u32 n; /* so many of its rows are reported, ASKED_SLOWEST at most */
	} slow[ASK_MAX]; /* of each question that has any, where they are asked for */
	u32 nslow;
};

#define ASKED_SLOWEST 16
/* A list of objects: each one of the slowest. */
struct value asked__slowest(const struct asked_result *a);

/* Which question a row answers, and its row there: of sums, or a line. */
struct asked_place {
	const struct measure *measure;
	const struct measure_result *sums; /* NULL: it is a line */
	const struct measure_row *row;
	const struct ask_line_row *line;
};
struct asked_place asked__at(const struct asked_result *a, u32 row);

/* The snapshot of one question: it holds no reference of its own. NULL: it is not asked (any more). */
const struct measure_snap *asked__find(const struct snap *snap, const struct measure *question);
/* What a question's own screens ask; never NULL. */
struct query_result *asked__query_one(const struct snap *snap, const struct measure_query *q,
				      const struct scope *scope);
struct query_result *asked__slow_one(const struct snap *snap, const struct measure_slow_query *q,
				     const struct scope *scope);
struct query_result *asked__timeline_of(const struct snap *snap,
					const struct measure_timeline_query *q);
struct query_result *asked__lines_of(const struct snap *snap, const struct ask_lines_query *q,
				     const struct scope *scope);
/* Never NULL; scope may be NULL (everything). */
struct query_result *asked__query(const struct snap *snap, const struct asked_query *q,
				  const struct scope *scope);

#endif
