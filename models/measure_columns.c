// SPDX-License-Identifier: GPL-2.0-only
#include "models/measure_columns.h"

#include <stdio.h>

#include "base/columns.h"
#include "models/measure_metrics.h"
#include "models/measure_nested.h"

int measure__label_of_kind(const struct measure *m, enum label_kind kind)
{
	for (u32 i = 0; i < m->nlabels; i++)
		if (m->labels[i].kind == kind)
			return (int)i;
	return -1;
}

static bool has_kind(const struct measure *m, u32 groups, enum label_kind kind)
{
	int i = measure__label_of_kind(m, kind);

	return i >= 0 && (groups & (1u << i));
}

bool measure__differs(const struct measure *m, u32 groups, u32 label)
{
	const struct measure_label *l = &m->labels[label];

	return groups & (1u << label | (l->splits ? l->implied_by : 0));
}

bool measure__implied(const struct measure *m, u32 groups, u32 label)
{
	bool tid = has_kind(m, groups, LABEL_TID), pid = has_kind(m, groups, LABEL_PID);

	if (groups & (1u << label | m->labels[label].implied_by))
		return true;
	switch (m->labels[label].kind) {
	case LABEL_PID:
		return tid;
	case LABEL_COMM:
	case LABEL_CGROUP:
		return tid || pid;
	case LABEL_HOST:
		return tid || pid || has_kind(m, groups, LABEL_CGROUP);
	default:
		return false;
	}
}

struct making {
	const struct measure *m;
	u32 groups;
	bool parts;
	struct column *columns;
	struct measure_column *kinds;
	u32 n;
	struct arena *arena;
};

static void add(struct making *k, enum measure_cell_kind kind, u32 index, struct column c)
{
	if (k->n == MEASURE_COLUMNS)
		return;
	k->kinds[k->n] = (struct measure_column){kind, index};
	k->columns[k->n++] = c;
}

#define ADD(k, kind, index, ...) add(k, kind, index, (struct column)__VA_ARGS__)

static const char *text_of(struct making *k, const char *fmt, const char *what)
{
	char buf[160];

	snprintf(buf, sizeof(buf), fmt, what);
	return arena__strdup(k->arena, buf);
}

/* To be in order by, not to be shown: rows as they were put. */
static void add_place(struct making *k)
{
	ADD(k, CELL_PLACE, 0, COUNT_COLUMN("place", "place", 0, 0, COLUMN_ASCENDING, "as rows were put"));
}

/* --- labels --- */

static bool is_grouped(const struct making *k, u32 i)
{
	return k->groups & (1u << i);
}

static void add_label(struct making *k, u32 i)
{
	const struct measure_label *l = &k->m->labels[i];
	bool key = is_grouped(k, i) && l->kind != LABEL_ERROR;
	u32 flags = COLUMN_BOTH | (key ? COLUMN_FLEX | COLUMN_KEY : 0);

	if (l->kind == LABEL_PID || l->kind == LABEL_TID) {
		ADD(k, CELL_ID_TEXT, i,
		    TEXT_COLUMN(l->kind == LABEL_PID ? "process" : "thread", l->title, 7,
				is_grouped(k, i) ? 0 : 3, COLUMN_SCREEN, l->help));
		ADD(k, CELL_ID, i, ID_COLUMN(l->name, l->help));
		if (l->kind == LABEL_PID && !measure__is_by_stack(k->m, k->groups)) {
			ADD(k, CELL_ENDED, i, ENDED_COLUMN);
			ADD(k, CELL_END, i, END_COLUMN);
			ADD(k, CELL_CMDLINE, i, CMDLINE_COLUMN);
		}
		if (l->kind == LABEL_TID && is_grouped(k, i))
			ADD(k, CELL_THREAD, i, THREAD_NAME_COLUMN);
		return;
	}
	if (l->holder && !is_grouped(k, i))
		return;
	if (l->holder) {
		ADD(k, CELL_LABEL, i,
		    TEXT_COLUMN(l->name, l->title, l->width, 0, COLUMN_SCREEN | COLUMN_FLEX | COLUMN_KEY,
				l->help));
		return;
	}
	if (l->number) {
		ADD(k, CELL_LABEL, i,
		    TEXT_COLUMN(l->name, l->title, l->width, 0, COLUMN_SCREEN | COLUMN_KEY, l->help));
		ADD(k, CELL_NUMBER, i, ID_COLUMN(l->name, l->help));
		return;
	}
	if (l->kind == LABEL_STACK) {
		ADD(k, CELL_LABEL, i,
		    TEXT_COLUMN("symbol", l->title, l->width, 0,
				COLUMN_SCREEN | COLUMN_FLEX | COLUMN_KEY, l->help));
		ADD(k, CELL_STACK, i, EXPORT_COLUMN(VALUE_STACK, l->name, l->help));
		return;
	}
	if (!i && measure__is_by_nesting(k->m, k->groups)) {
		ADD(k, CELL_NESTED, i,
		    TEXT_COLUMN(l->name, l->title, l->width, 0,
				COLUMN_SCREEN | COLUMN_FLEX | COLUMN_KEY, l->help));
		ADD(k, CELL_LABEL, i, EXPORT_COLUMN(VALUE_TEXT, l->name, l->help));
		add_place(k);
		return;
	}
	if (l->kind == LABEL_COMM && !is_grouped(k, i))
		flags |= COLUMN_FLEX | COLUMN_KEY; /* it names the process */
	ADD(k, CELL_LABEL, i,
	    TEXT_COLUMN(l->name, l->title, l->width, is_grouped(k, i) ? 0 : 5, flags, l->help));
}

static void add_ungrouped(struct making *k, u32 i)
{
	const struct measure_label *l = &k->m->labels[i];

	ADD(k, CELL_UNGROUPED, i, EXPORT_COLUMN(l->number ? VALUE_COUNT : VALUE_TEXT, l->name, l->help));
}

/* Beside what is waited for. */
static void add_holder(struct making *k)
{
	int label = measure__holder_label(k->m);
	const struct measure_label *l = label >= 0 ? &k->m->labels[label] : NULL;

	if (!l || !(k->groups & (1u << label | 1)))
		return;
	if (!is_grouped(k, (u32)label))
		ADD(k, CELL_HOLDER_TEXT, 0,
		    TEXT_COLUMN(l->name, l->title, l->width, 1, COLUMN_SCREEN, l->help));
	ADD(k, CELL_HOLDER, 0,
	    EXPORT_COLUMN(VALUE_OBJECT, l->name,
			  "who has it: comm, pid, tid, and the stack where it let go of it"));
}

static void add_labels(struct making *k)
{
	for (u32 i = 0; i < k->m->nlabels; i++)
		if (measure__implied(k->m, k->groups, i))
			add_label(k, i);
		else if (k->m->labels[i].always)
			add_ungrouped(k, i);
	add_holder(k);
}

/* --- numbers --- */

/* Of a question they are called as its events. */
static int sum_width(const struct measure_sum *s)
{
	return (int)CLAMP(strlen(s->title), (size_t)8, (size_t)14);
}

static void add_rates(struct making *k)
{
	const struct measure *m = k->m;
	const char *title = text_of(k, "%s/s", m->noun);

	ADD(k, CELL_RATE, 0,
	    COUNT_COLUMN("rate", title, (int)CLAMP(strlen(title) + 1, (size_t)8, (size_t)14), 1, /* and the mark */
			 COLUMN_SCREEN | COLUMN_SHARE, text_of(k, "%s per second", m->noun)));
	if (measure__label_of_kind(m, LABEL_ERROR) >= 0)
		ADD(k, CELL_ERROR_RATE, 0,
		    COUNT_COLUMN("error_rate", "errors/s", 8, 2, COLUMN_SCREEN | COLUMN_SHARE,
				 "of those: failed, per second"));
	for (u32 i = 0; i < MEASURE_SUMS; i++)
		if (m->sums[i].name && m->sums[i].type != VALUE_NS)
			ADD(k, CELL_SUM_RATE, i,
			    COLUMN(m->sums[i].type, text_of(k, "%s_rate", m->sums[i].name),
				   m->sums[i].title, sum_width(&m->sums[i]), 2, COLUMN_SCREEN | COLUMN_SHARE,
				   m->sums[i].help));
	for (u32 i = 0; i < MEASURE_RATIOS; i++)
		if (m->ratios[i].name)
			ADD(k, CELL_RATIO, i,
			    COLUMN(m->ratios[i].type, m->ratios[i].name, m->ratios[i].title, 8, 2, COLUMN_BOTH,
				   m->ratios[i].help));
}

/* Those of metrics have no others: counts of several events make no sum. */
static void add_metric(struct making *k)
{
	ADD(k, CELL_METRIC, METRIC_VALUE,
	    COLUMN(VALUE_NUMBER, "value", "Value", 8, 0, COLUMN_BOTH, "of the formula; a dash: see Meaning"));
	ADD(k, CELL_METRIC, METRIC_UNIT, TEXT_COLUMN("unit", "Unit", 10, 0, COLUMN_BOTH, "of the value"));
	add_labels(k);
	ADD(k, CELL_METRIC, METRIC_HELP,
	    TEXT_COLUMN("meaning", "Meaning", 30, 2, COLUMN_SCREEN | COLUMN_FLEX | COLUMN_PROSE,
			"what it is, or why it is not known"));
	ADD(k, CELL_RATIO, 0,
	    COLUMN(k->m->ratios[0].type, k->m->ratios[0].name, k->m->ratios[0].title, 8, 3, COLUMN_BOTH,
		   k->m->ratios[0].help));
	ADD(k, CELL_METRIC, METRIC_FORMULA, EXPORT_COLUMN(VALUE_TEXT, "formula", "over events"));
	ADD(k, CELL_METRIC, METRIC_MISSING,
	    EXPORT_COLUMN(VALUE_TEXT, "missing", "why there is no value; null where there is one"));
}

static void add_time_sums(struct making *k, u32 flags, bool of_rest)
{
	const struct measure *m = k->m;

	for (u32 i = 0; i < MEASURE_SUMS; i++)
		if (m->sums[i].name && m->sums[i].type == VALUE_NS && m->sums[i].of_rest == of_rest)
			ADD(k, CELL_SUM, i,
			    TIME_COLUMN(m->sums[i].name, m->sums[i].title, 9, 1, flags,
					m->sums[i].help));
}

/* The parts of the time; in exports they stand without a value where they are not known. */
static void add_parts(struct making *k, u32 flags)
{
	const struct measure *m = k->m;

	add_time_sums(k, flags, false);
	if (m->rest.name)
		ADD(k, CELL_REST, 0,
		    TIME_COLUMN(m->rest.name, m->rest.title, 9, 1, flags, m->rest.help));
	add_time_sums(k, flags, true);
}

static void add_times(struct making *k)
{
	/* Rows that wait for something new stand apart by themselves where the first label tells. */
	bool apart = measure__implied(k->m, k->groups, 0) || !k->m->waits;

	if (!apart) {
		ADD(k, CELL_SHARE, 0,
		    PCT_COLUMN("share", "Share%", 12, 4, COLUMN_SCREEN | COLUMN_BAR | COLUMN_SHARE,
			       "of the working time of all rows"));
		ADD(k, CELL_WORK, 0,
		    TIME_COLUMN("working", "Work", 7, 0, COLUMN_SCREEN | COLUMN_SUM,
				"time of what is not there to wait for something new"));
	}
	ADD(k, CELL_TOTAL, 0,
	    TIME_COLUMN("total_ns", "Total", 7, apart ? 0 : 2, COLUMN_BOTH | COLUMN_SUM,
			"time from begin to end, all together"));
	if (k->m->waits)
		ADD(k, CELL_WAITING, 0,
		    TIME_COLUMN("waiting_ns", "waiting_ns", 7, 9, COLUMN_EXPORT | COLUMN_SUM,
				"of the total: of what is there to wait for something new"));
	if (k->parts)
		add_parts(k, COLUMN_BOTH | COLUMN_SUM);
	ADD(k, CELL_WALL, 0,
	    PCT_COLUMN("wall_pct", "Wall%", 6, 3, COLUMN_BOTH | COLUMN_SHARE,
		       k->m->of_cpus ? "of the time of one CPU, by own times"
					   : "of the wall time of the threads in the row"));
	ADD(k, CELL_MIN, 0, TIME_COLUMN("min_ns", "Min", 7, 9, COLUMN_EXPORT, "the shortest"));
	ADD(k, CELL_AVG, 0, TIME_COLUMN("avg_ns", "Avg", 7, 1, COLUMN_BOTH, "mean"));
	ADD(k, CELL_P50, 0, TIME_COLUMN("p50_ns", "p50", 7, 3, COLUMN_BOTH, "median"));
	ADD(k, CELL_P95, 0,
	    TIME_COLUMN("p95_ns", "p95", 7, 4, COLUMN_BOTH, "95 of 100 are shorter"));
	ADD(k, CELL_P99, 0,
	    TIME_COLUMN("p99_ns", "p99", 7, 1, COLUMN_BOTH, "99 of 100 are shorter"));
	ADD(k, CELL_MAX, 0, TIME_COLUMN("max_ns", "Max", 7, 2, COLUMN_BOTH, "the longest"));
}

static enum value_type type_of(const char *unit)
{
	if (!strcmp(unit, "ns"))
		return VALUE_NS;
	return strcmp(unit, "bytes") ? VALUE_COUNT : VALUE_BYTES;
}

enum value_type measure__value_type(const struct measure *m)
{
	return m->shape == MEASURE_SHAPE_COUNT && m->value ? type_of(m->value) : VALUE_NS;
}

static void add_sum_by_name(struct making *k, enum value_type type)
{
	const char *name = k->m->sum_name;

	ADD(k, CELL_TOTAL_RATE, 0,
	    COLUMN(type, text_of(k, "%s_rate", name), text_of(k, "%s/s", name), 8, 0,
		   COLUMN_SCREEN | COLUMN_SHARE, text_of(k, "%s per second", name)));
	ADD(k, CELL_TOTAL, 0,
	    COLUMN(type, name, name, 8, 0, COLUMN_EXPORT | COLUMN_SUM,
		   text_of(k, "%s in the window", name)));
}

/* Names end in the unit, as in "p99_bytes". */
static void add_values(struct making *k)
{
	static const struct {
		enum measure_cell_kind kind;
		const char *name, *title, *help;
		u32 flags;
		u8 priority;
	} all[] = {
		{CELL_TOTAL, "sum", "Sum", "of all values", COLUMN_BOTH | COLUMN_SUM, 1},
		{CELL_MIN, "min", "Min", "the least value", COLUMN_EXPORT, 9},
		{CELL_AVG, "avg", "Avg", "mean value", COLUMN_BOTH, 1},
		{CELL_P50, "p50", "p50", "median", COLUMN_BOTH, 3},
		{CELL_P95, "p95", "p95", "95 of 100 are less", COLUMN_BOTH, 4},
		{CELL_P99, "p99", "p99", "99 of 100 are less", COLUMN_BOTH, 1},
		{CELL_MAX, "max", "Max", "the greatest value", COLUMN_BOTH, 2},
	};
	const char *unit = k->m->value;
	char name[48];

	for (u32 i = 0; i < ARRAY_SIZE(all); i++) {
		snprintf(name, sizeof(name), "%s%s%s", all[i].name, *unit ? "_" : "", unit);
		if (all[i].kind == CELL_TOTAL && k->m->sum_name)
			add_sum_by_name(k, type_of(unit));
		add(k, all[i].kind, 0,
		    (struct column){.name = arena__strdup(k->arena, name),
				    .title = all[i].title,
				    .help = all[i].help,
				    .type = all[i].kind == CELL_AVG && !*unit ? VALUE_NUMBER : type_of(unit),
				    .width = 7,
				    .priority = all[i].priority,
				    .flags = all[i].flags});
	}
}

static void add_unfinished(struct making *k)
{
	ADD(k, CELL_UNFINISHED, 0,
	    COUNT_COLUMN("unfinished", "Open", 5, 3, COLUMN_BOTH,
			 text_of(k, "%s that go on at the end of the window", k->m->noun)));
	ADD(k, CELL_UNFINISHED_AGE, 0,
	    TIME_COLUMN("unfinished_ns", "Oldest", 7, 3, COLUMN_BOTH,
			"for how long the oldest of those has; since watching began at most"));
}

static void add_held(struct making *k)
{
	const char *noun = k->m->noun;

	ADD(k, CELL_HELD_BYTES, 0,
	    BYTES_COLUMN("held_bytes", "Held", 8, 0, COLUMN_BOTH | COLUMN_SHARE | COLUMN_LEVEL,
			 "bytes that are held at the end of the window"));
	if (k->parts)
		ADD(k, CELL_ERROR_BYTES, 0,
		    BYTES_COLUMN("error_bytes", "+/-", 8, 1, COLUMN_BOTH,
				 "standard error of what is held: it is estimated from what was sampled"));
	ADD(k, CELL_HELD, 0,
	    COUNT_COLUMN("held", text_of(k, "%s", noun), 7, 1, COLUMN_BOTH | COLUMN_SHARE | COLUMN_LEVEL,
			 text_of(k, "%s that are held at the end of the window", noun)));
	ADD(k, CELL_GROWTH, 0,
	    COLUMN(VALUE_CHANGE, "growth", "Growth/s", 9, 0, COLUMN_SCREEN,
		   "bytes by which what is held has grown in the window, per second"));
	ADD(k, CELL_SLOPE, 0,
	    COLUMN(VALUE_BYTES, "growth_bytes_per_min", "Grow/min", 8, 1, COLUMN_BOTH | COLUMN_SHARE,
		   "bytes a minute by which it has grown over all the time it was watched; nothing: it does "
		   "not, or that is not sure"));
	ADD(k, CELL_SURE, 0,
	    PCT_COLUMN("growth_sure_pct", "Sure%", 6, 5, COLUMN_EXPORT,
		       "how sure it is that it grows, by the order of its sizes over time"));
	ADD(k, CELL_KEPT, 0,
	    PCT_COLUMN("kept_pct", "Kept%", 6, 4, COLUMN_BOTH | COLUMN_SHARE,
		       "of the bytes that it acquired since watching began: what it still holds"));
	ADD(k, CELL_RATE, 0,
	    COUNT_COLUMN("rate", "Alloc/s", 8, 3, COLUMN_SCREEN | COLUMN_SHARE,
			 text_of(k, "%s that were acquired, per second", noun)));
	ADD(k, CELL_SUM_RATE, HOLDING_RELEASED,
	    COUNT_COLUMN("release_rate", "Free/s", 8, 7, COLUMN_SCREEN | COLUMN_SHARE,
			 text_of(k, "%s that were released, per second", noun)));
	ADD(k, CELL_TOTAL_RATE, 0,
	    BYTES_COLUMN("bytes_rate", "bytes/s", 8, 2, COLUMN_SCREEN | COLUMN_SHARE,
			 "bytes that were acquired, per second"));
	ADD(k, CELL_SUM_RATE, HOLDING_CHURNED_BYTES,
	    BYTES_COLUMN("churn_rate", "Churn/s", 8, 4, COLUMN_SCREEN | COLUMN_SHARE,
			 "of those: bytes that were released in the same interval, per second"));
	if (k->m->wastes)
		ADD(k, CELL_SUM_RATE, HOLDING_WASTED_BYTES,
		    BYTES_COLUMN("wasted_rate", "Waste/s", 8, 5, COLUMN_SCREEN | COLUMN_SHARE,
				 "of those: bytes that nobody asked for, as objects have sizes, per second"));
	ADD(k, CELL_OLDEST, 0,
	    TIME_COLUMN("oldest_ns", "Oldest", 7, 2, COLUMN_BOTH,
			"for how long the oldest of what is held has been; since watching began at "
			"most"));
}

static void add_question(struct making *k)
{
	if (k->m->asked)
		ADD(k, CELL_ASK, 0,
		    COLUMN(VALUE_TEXT, "ask", "Question", 24, 0, COLUMN_EXPORT,
			   "the question that the row answers"));
}

static void add_flow(struct making *k)
{
	const struct {
		enum measure_cell_kind kind;
		u32 index;
		const char *name, *help;
		enum value_type type;
	} all[] = {
		{CELL_COUNT, 0, "acquired", "so many came in the window", VALUE_COUNT},
		{CELL_TOTAL, 0, "acquired_bytes", "bytes that came in the window", VALUE_BYTES},
		{CELL_SUM, HOLDING_RELEASED, "released", "so many went in the window", VALUE_COUNT},
		{CELL_SUM, HOLDING_RELEASED_BYTES, "released_bytes",
		 "bytes that went in the window", VALUE_BYTES},
		{CELL_SUM, HOLDING_CHURNED, "churned", "of those: what came in the same interval",
		 VALUE_COUNT},
		{CELL_SUM, HOLDING_CHURNED_BYTES, "churned_bytes",
		 "of the bytes that went: those that came in the same interval", VALUE_BYTES},
		{CELL_SUM, HOLDING_WASTED_BYTES, "wasted_bytes",
		 "of the bytes that came: those that nobody asked for", VALUE_BYTES},
	};

	add_question(k);
	ADD(k, CELL_TREND, 0,
	    COLUMN(VALUE_TREND, "trend", "Trend", TREND_LEN, 6, COLUMN_SCREEN,
		   "bytes held, interval by interval; all rows have one scale"));
	for (u32 i = 0; i < ARRAY_SIZE(all) - !k->m->wastes; i++)
		ADD(k, all[i].kind, all[i].index,
		    COLUMN(all[i].type, all[i].name, all[i].name, 8, 0, COLUMN_EXPORT | COLUMN_SUM,
			   all[i].help));
	ADD(k, CELL_HIST, 0,
	    COLUMN(VALUE_LIST, "hist", "hist", 0, 0, COLUMN_EXPORT | COLUMN_LEVEL,
		   "ages of what is held: from, to in ns, count"));
}

static void add_exports(struct making *k)
{
	const struct measure *m = k->m;

	add_question(k);
	ADD(k, CELL_TREND, 0,
	    COLUMN(VALUE_TREND, "trend", "Trend", TREND_LEN, 6, COLUMN_SCREEN,
		   text_of(k, "%s per second, interval by interval; all rows have one scale",
			   m->noun)));
	ADD(k, CELL_COUNT, 0,
	    COUNT_COLUMN("count", "count", 8, 0, COLUMN_EXPORT | COLUMN_SUM,
			 text_of(k, "%s that ended in the window", m->noun)));
	if (m->count_name)
		ADD(k, CELL_COUNT, 0,
		    COUNT_COLUMN(m->count_name, m->count_name, 8, 0, COLUMN_EXPORT | COLUMN_SUM,
				 text_of(k, "%s in the window", m->count_name)));
	if (m->shape == MEASURE_SHAPE_SPAN || measure__label_of_kind(m, LABEL_ERROR) >= 0)
		ADD(k, CELL_ERRORS, 0,
		    COUNT_COLUMN("errors", "errors", 8, 0, COLUMN_EXPORT | COLUMN_SUM,
				 "of those: failed"));
	if (measure__label_of_kind(m, LABEL_ERROR) >= 0)
		ADD(k, CELL_ERRNOS, 0,
		    EXPORT_COLUMN(VALUE_OBJECT, "errnos", "how many failed, by errno name"));
	if (!k->parts)
		add_parts(k, COLUMN_EXPORT | COLUMN_SUM);
	for (u32 i = 0; i < MEASURE_SUMS; i++)
		if (m->sums[i].name && m->sums[i].type != VALUE_NS)
			ADD(k, CELL_SUM, i,
			    COLUMN(m->sums[i].type, m->sums[i].name, m->sums[i].name, 8, 1,
				   COLUMN_SUM | COLUMN_EXPORT, m->sums[i].help));
	if (m->waits)
		ADD(k, CELL_WAITS, 0,
		    EXPORT_COLUMN(VALUE_BOOL, "waits", "all of it waits for something new"));
	if (m->shape == MEASURE_SHAPE_SPAN || m->value)
		ADD(k, CELL_HIST, 0,
		    EXPORT_COLUMN(VALUE_LIST, "hist", "buckets: lowest, highest value, count"));
}

static bool is_named_in(const char *names, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = names; (at = strstr(at, name)); at += len)
		if ((at == names || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
	return false;
}

/* Only what a declaration wants on narrow screens is never dropped. */
static void order_columns(struct making *k)
{
	for (u32 i = 0; k->m->narrow && k->groups == k->m->by && i < k->n; i++) {
		struct column *c = &k->columns[i];

		if (!(c->flags & COLUMN_SCREEN))
			continue;
		if (is_named_in(k->m->narrow, c->name)) {
			c->priority = 0;
		} else if (!is_grouped(k, k->kinds[i].index) || k->kinds[i].kind != CELL_LABEL) {
			c->priority = (u8)(c->priority + 2);
			c->flags &= ~(u32)COLUMN_KEY;
		}
	}
}

u32 measure__columns(const struct measure *m, u32 groups, bool parts, struct column *columns,
		     struct measure_column *kinds, u32 *sort, struct arena *arena)
{
	struct making k = {m, groups, parts, columns, kinds, 0, arena};
	bool holds = m->shape == MEASURE_SHAPE_HOLDING;
	enum measure_cell_kind by = holds				 ? CELL_HELD_BYTES
				    : m->shape == MEASURE_SHAPE_SPAN ? CELL_TOTAL
								     : CELL_RATE;

	if (measure__is_by_metric(m, groups)) {
		add_metric(&k);
		*sort = k.n;
		add_place(&k);
		return k.n;
	}
	if (holds)
		add_held(&k);
	else
		add_rates(&k);
	if (m->shape == MEASURE_SHAPE_SPAN) {
		add_times(&k);
		add_unfinished(&k);
	} else if (m->value) {
		add_values(&k);
	}
	add_labels(&k);
	if (holds)
		add_flow(&k);
	else
		add_exports(&k);
	order_columns(&k);
	if (measure__is_by_nesting(m, groups))
		by = CELL_PLACE;
	*sort = k.n;
	for (u32 i = 0; i < k.n; i++)
		if (*sort == k.n && (m->sort ? !strcmp(columns[i].name, m->sort)
					     : kinds[i].kind == by || kinds[i].kind == CELL_WORK))
			*sort = i;
	return k.n;
}
