/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What pages of metrics are written with: names, numbers, labels and histograms as OpenMetrics has
 * them. Units are its base units: times in seconds, percentages as ratios. Any thread.
 * https://prometheus.io/docs/specs/om/open_metrics_spec/
 */
#ifndef EXPORT_METRICS_TEXT_H
#define EXPORT_METRICS_TEXT_H

#include <stdio.h>

#include "base/table.h"

#define METRIC_NAME 128 /* bytes of a name with its NUL */

/* Replaces what the format does not allow in names. */
void metric__clean(char *name);
/* "seconds", "bytes", "ratio"; "" of what has none. */
const char *metric__unit(enum value_type type);
/* "PREFIX_PARTfield" with the unit that the field's value has here. */
void metric__name(const char *prefix, const char *part, const char *field, enum value_type type,
		  char name[METRIC_NAME]);
/* TYPE, UNIT and HELP. unit "" and help NULL: none. */
void metric__head(FILE *out, const char *name, const char *type, const char *unit, const char *help);
/* name="value", after a comma unless it is the first; what is too long is cut. */
void metric__label(FILE *out, const char *name, const char *value, bool first);
bool metric__is_number(const struct value *v);
void metric__number(FILE *out, const struct value *v);

struct metric_bucket {
	bool open; /* no upper end */
	u64 hi, count;
	enum value_type unit;
};

/* A histogram is a list of buckets: {lo_UNIT, hi_UNIT, count}, each on its own. */
bool metric__bucket(const struct value *list, u32 i, struct metric_bucket *b);
bool metric__is_histogram(const struct value *v);
enum value_type metric__histogram_unit(const struct value *v);

/* Whether a column tells rows apart: text, and numbers that are names. */
bool metric__is_label(const struct column *c);
/* The cell's text as a label of its column's name; false, and nothing written, where the row has none. */
bool metric__row_label(FILE *out, const struct row_table *t, u32 row, u32 column, bool first);

#endif
