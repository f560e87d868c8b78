/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines of a list that is asked for (samples/ask.h): the last of them, one by one. Those of an
 * interval make a chunk, which snapshots share. Bounded: ASK_LINES_INTERVAL of an interval, the
 * newest, and so many chunks that they have ASK_LINES_KEPT lines. What did not get into a chunk is
 * counted. Slots of a burst are whole for the last ASK_SLOTS_WHOLE intervals that had any, and the
 * ASK_SLOTS_FULLEST of each before.
 *
 * The model: collector thread. Queries are pure functions over a const snapshot.
 */
#ifndef MODELS_ASK_LINES_H
#define MODELS_ASK_LINES_H

#include "models/measure.h"
#include "samples/ask.h"

#define ASK_LINES_INTERVAL 16384
#define ASK_LINES_KEPT	   16384
#define ASK_LINES_BYTES	   (16u << 20) /* of texts and values of an interval */
#define ASK_SLOTS_WHOLE	   4
#define ASK_SLOTS_FULLEST  256

struct symbols;
struct ask_lines; /* the model of one question */

struct ask_lines *ask_lines__new(const struct measure *m, struct symbols *symbols);
void ask_lines__free(struct ask_lines *l);
/* Lines and what stacks are made of; other samples are ignored. */
void ask_lines__consume(struct ask_lines *l, const struct sample *s);
struct ask_lines_snap;
/* One reference. */
const struct ask_lines_snap *ask_lines__tick(struct ask_lines *l, u64 t0_ns, u64 t1_ns);
void ask_lines__zero(struct ask_lines *l);
size_t ask_lines__memory(const struct ask_lines *l);

struct ask_line {
	u64 t_ns, lost;
	const struct callstack *stack; /* NULL: none */
	struct measure_who who;
	u32 cpu, has;
	const char *event;
	const struct measure_key *values; /* of the form's fields */
};

struct ask_chunk;

struct ask_lines_snap {
	struct snap base;
	const struct measure *measure;
	const struct symbols *symbols;
	u64 since_ns;
	u64 dropped; /* since then: lines that found no room, of which nobody has seen any */
	u32 nchunks;
	const struct ask_chunk *const *chunks; /* oldest first */
};

/* A value; compared bytewise: zero it first. */
struct ask_lines_query {
	SLOW_QUERY;
	const struct measure *asked;
	enum time_window window; /* WINDOW_LAST: of the interval; else all that are kept */
	bool oldest_first;
};

struct ask_line_row {
	struct slow_row base;
	const struct ask_line *line;
	const char *pid_text, *tid_text, *cgroup, *event, *caller;
	u64 count; /* of a slot of time */
	struct value values[ASK_FIELDS];
	const char *names[ASK_FIELDS]; /* of those that are named */
	const char *ask;
	const struct ask_form *form;
};

struct ask_lines_result {
	struct query_result base;
	struct ask_lines_query query;
	const struct measure *measure;
	u32 nrows;
	const struct ask_line_row *rows;
	u64 dropped;
};

/* Of a slot of time: how many events came. */
u64 ask_line__count(const struct ask_line *l);

/* Never NULL; scope may be NULL (everything). */
struct ask_lines_result *ask_lines__query(const struct ask_lines_snap *snap,
					  const struct ask_lines_query *q,
					  const struct scope *scope);

/* In words: "comm pid 12: event field value ...". */
void ask_line__describe(const struct ask_line_row *r, char *buf, size_t size);

#endif
