/* SPDX-License-Identifier: GPL-2.0-only */
/* The columns of a measure's rows: made from its declaration and the grouping. Pure. */
#ifndef MODELS_MEASURE_COLUMNS_H
#define MODELS_MEASURE_COLUMNS_H

#include "models/measure.h"

/* What a column shows of a row. */
enum measure_cell_kind {
	CELL_LABEL,    /* the text of label `index` */
	CELL_UNGROUPED,   /* null in exports: rows are not by it */
	CELL_NESTED,   /* the same below what it lies in */
	CELL_PLACE,    /* where it was put: in that tree, among metrics */
	CELL_END,      /* that its process has ended, in words */
	CELL_ENDED,
	CELL_CMDLINE,
	CELL_THREAD,
	CELL_ID_TEXT,  /* pid or tid, right-aligned */
	CELL_ID,       /* the same as a number */
	CELL_NUMBER,   /* the text of label `index` as one, perhaps negative */
	CELL_STACK,    /* frames */
	CELL_RATE,     /* counts per second */
	CELL_ERROR_RATE,
	CELL_SUM_RATE, /* of sum `index` */
	CELL_SHARE,    /* of all rows' sum, in % */
	CELL_WALL,     /* of its threads' wall time, in % */
	CELL_COUNT,
	CELL_ERRORS,
	CELL_WORK,     /* the total less what waits */
	CELL_TOTAL,
	CELL_WAITING,
	CELL_MIN,
	CELL_AVG,
	CELL_P50,
	CELL_P95,
	CELL_P99,
	CELL_MAX,
	CELL_SUM, /* `index` */
	CELL_RATIO, /* of sums, as declared */
	CELL_REST, /* of the total, where sums are parts of it */
	CELL_HELD,
	CELL_HELD_BYTES,
	CELL_OLDEST,
	CELL_GROWTH,	 /* bytes per second: what was acquired less what was released */
	CELL_TOTAL_RATE, /* of the sum */
	CELL_SLOPE,	 /* bytes a minute by which it grows, where that is sure */
	CELL_SURE,	 /* how sure that is, in % */
	CELL_ERROR_BYTES, /* standard error of the bytes that are held, where they are an estimate */
	CELL_KEPT,	 /* of what was acquired since watching began, in % */
	CELL_UNFINISHED,
	CELL_UNFINISHED_AGE,
	CELL_TREND,
	CELL_WAITS,
	CELL_ERRNOS,
	CELL_HIST,
	CELL_HOLDER_TEXT, /* name and thread of who has it */
	CELL_HOLDER,	  /* the same with its stack, for programs */
	CELL_ASK, /* the question it answers */
	CELL_METRIC, /* enum measure_metric_cell */
};

enum measure_metric_cell { METRIC_VALUE, METRIC_UNIT, METRIC_HELP, METRIC_FORMULA, METRIC_MISSING };

struct measure_column {
	enum measure_cell_kind kind;
	u32 index;
};

#define MEASURE_COLUMNS 60

/* Fills at most MEASURE_COLUMNS of both, those that apply to the grouping; returns how many.
 * parts: those of the time are known, and worth room on the screen; of a holding, that its sums are
 * estimates. *sort: the one that rows are
 * sorted by. */
u32 measure__columns(const struct measure *m, u32 groups, bool parts, struct column *columns,
		     struct measure_column *kinds, u32 *sort, struct arena *arena);

/* Of what is added up and has a distribution: times, bytes or plain numbers. */
enum value_type measure__value_type(const struct measure *m);
/* The label of a kind; -1: the measure has none. */
/* Whether rows differ by a label: they are grouped by it, or it splits them. */
bool measure__differs(const struct measure *m, u32 groups, u32 label);
int measure__label_of_kind(const struct measure *m, enum label_kind kind);
/* Whether a grouping tells the value of a label: pid tells comm and cgroup, tid tells pid. */
bool measure__implied(const struct measure *m, u32 groups, u32 label);

#endif
