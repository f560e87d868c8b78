// SPDX-License-Identifier: GPL-2.0-only
/* The rules' table, and the query: what they found, as rows. */
#include "models/overview.h"

#include <math.h>

#include "base/columns.h"
#include "models/overview_impl.h"
#include "models/task_text.h"

#define NEVER INFINITY

const char *const severity_names[SEVERITIES] = {"note", "warning", "critical"};

const struct overview_rule overview_rules[RULES] = {
#define RULE(id, name_, unit_, note, warning, critical, needs_, view_, group_, sort_, basis_,  \
	     help_)                                                                              \
	[RULE_##id] = {.name = name_, .unit = unit_, .from = {note, warning, critical},            \
		       .needs = needs_, .view = view_, .group = group_, .sort = sort_,            \
		       .basis = basis_, .help = help_, .run = rule__##id},
#include "models/overview_rules.def"
#undef RULE
};

struct result_box {
	struct overview_result result;
	struct arena arena;
};

/* --- columns --- */

enum overview_column { COL_SEVERITY, COL_TEXT, COL_PID_TEXT, COL_RULE, COL_PID, COL_COMM,
		       COL_VIEW, COL_FILTER, COL_GROUP, COL_VALUE, COL_UNIT, COL_BASIS, COL_PART_OF,
		       COLUMNS };

static const struct column overview_columns[COLUMNS] = {
	[COL_SEVERITY] = COLUMN(VALUE_TEXT, "severity", "How bad", 8, 0, COLUMN_BOTH,
				"note, warning or critical"),
	[COL_TEXT] = COLUMN(VALUE_TEXT, "text", "Finding", 40, 0, COLUMN_BOTH | COLUMN_FLEX | COLUMN_KEY,
			    "what is wrong, with its figures"),
	[COL_PID_TEXT] = TEXT_COLUMN("process", "PID", 7, 3, COLUMN_SCREEN, "who is behind it"),
	[COL_RULE] = TEXT_COLUMN("rule", "Rule", 18, 2, COLUMN_BOTH, "name of the rule that found it"),
	[COL_PID] = ID_COLUMN("pid", "who is behind it; null: nobody"),
	[COL_COMM] = EXPORT_COLUMN(VALUE_TEXT, "comm", "its name; null: nobody"),
	[COL_VIEW] = TEXT_COLUMN("view", "Enter", 8, 4, COLUMN_BOTH, "the view that shows it"),
	[COL_FILTER] = EXPORT_COLUMN(VALUE_TEXT, "filter", "with this filter; \"\" none"),
	[COL_GROUP] = EXPORT_COLUMN(VALUE_TEXT, "group", "grouped by this"),
	[COL_VALUE] = EXPORT_COLUMN(VALUE_PCT, "value", "what the rule measured, in its unit"),
	[COL_UNIT] = EXPORT_COLUMN(VALUE_TEXT, "unit", "of the value"),
	[COL_BASIS] = EXPORT_COLUMN(VALUE_TEXT, "basis", "where the evidence comes from"),
	[COL_PART_OF] = TEXT_COLUMN("part_of", "Part of", 12, 4, COLUMN_BOTH,
				    "rule of the finding that says what this comes from; null: none"),
};

static const char *text_cell(const struct finding *x, u32 column, struct arena *a)
{
	const struct overview_rule *rule = &overview_rules[x->rule];

	switch (column) {
	case COL_SEVERITY: return severity_names[x->severity];
	case COL_TEXT: return x->text;
	case COL_RULE: return rule->name;
	case COL_PID_TEXT:
		return task__id_text(a, x->pid);
	case COL_COMM: return x->pid ? x->comm : NULL;
	case COL_VIEW: return x->view;
	case COL_FILTER: return x->filter;
	case COL_GROUP: return x->group;
	case COL_UNIT: return rule->unit;
	case COL_PART_OF: return x->part_of < 0 ? NULL : overview_rules[x->part_of].name;
	default: return rule->basis;
	}
}

struct row_texts {
	const char *v[COLUMNS];
};

static bool query_result__cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	const struct overview_result *a = container_of(t, struct overview_result, base.table);
	const struct finding *x = &a->findings[row];

	*out = (struct value){0};
	if (column >= COLUMNS)
		return false;
	out->type = overview_columns[column].type;
	if (column == COL_PID) {
		out->u = x->pid;
		out->type = x->pid ? VALUE_COUNT : VALUE_NONE;
	} else if (column == COL_VALUE) {
		out->f = x->value;
	} else {
		out->s = x->cells->v[column];
		out->type = out->s ? VALUE_TEXT : VALUE_NONE;
	}
	return true;
}

/* A finding stays the same from interval to interval as long as who is behind it does. */
static u64 query_result__key(const struct row_table *t, u32 row)
{
	const struct finding *x =
		&container_of(t, struct overview_result, base.table)->findings[row];

	return mix64_pair(x->rule + 1, x->pid);
}

/* --- the query --- */

/* Beyond its threshold, as a power of two: what is much the same stays in one order, and can be read. */
static int excess(const struct finding *x)
{
	return ilogb(x->value / overview_rules[x->rule].from[x->severity]);
}

static int worse_first(const void *pa, const void *pb)
{
	const struct finding *a = pa, *b = pb;

	if ((a->part_of < 0) != (b->part_of < 0))
		return a->part_of < 0 ? -1 : 1;
	if (a->severity != b->severity)
		return a->severity < b->severity ? 1 : -1;
	if (excess(a) != excess(b))
		return excess(a) < excess(b) ? 1 : -1;
	if (a->rule != b->rule)
		return (int)a->rule - (int)b->rule;
	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

/* --- findings of one cause --- */

static bool is_mostly_in_kernel(const struct facts *f, const struct finding *cause, const struct finding *part)
{
	const struct system_process *p = system__process(f->system, cause->pid);

	return p && 2 * p->u.system_ns >= p->u.system_ns + p->u.user_ns;
}

static bool may_use_all_cpus(const struct facts *f, const struct finding *cause, const struct finding *part)
{
	const struct system_process *p = system__process(f->system, cause->pid);

	return p && (!p->u.cpus || p->u.cpus >= f->ncpus);
}

/* Faults a second, and MB/s: what a fault reads ahead is 128 KiB as a rule. */
static bool are_read_by_faults(const struct facts *f, const struct finding *cause, const struct finding *part)
{
	return part->value < cause->value * 0.25;
}

/* Pages a second, and MB/s. */
static bool are_refaults(const struct facts *f, const struct finding *cause, const struct finding *part)
{
	return cause->value * 4096 * 2 >= part->value * 1e6;
}

static bool is_kill(const struct facts *f, const struct finding *cause, const struct finding *part)
{
	return strstr(part->text, "Killed process") != NULL;
}

static bool is_the_same_process(const struct facts *f, const struct finding *cause, const struct finding *part)
{
	return part->pid == cause->pid;
}

static bool is_one(const struct facts *f, const struct finding *cause, const struct finding *part)
{
	return part->value < 2;
}

/* What `cause` says of a process explains what `part` says of the same one, or of nobody. */
static const struct {
	enum rule_id cause, part;
	bool (*when)(const struct facts *f, const struct finding *cause, const struct finding *part); /* NULL: always */
	bool anybody; /* both are of the machine, whomever they name */
} explanations[] = {
	{RULE_CPU_FULL, RULE_RUN_QUEUE, NULL, true},
	{RULE_BUSY_PROCESS, RULE_HOT_FUNCTION, NULL, false},
	{RULE_BUSY_PROCESS, RULE_CPU_IMBALANCE, may_use_all_cpus, false},
	{RULE_KERNEL_TIME, RULE_BUSY_PROCESS, is_mostly_in_kernel, false},
	{RULE_KERNEL_TIME, RULE_HOT_FUNCTION, is_mostly_in_kernel, false},
	{RULE_THROTTLED, RULE_STARVED, NULL, false},
	{RULE_PRIORITY_INVERSION, RULE_USER_LOCK, NULL, false},
	{RULE_PRIORITY_INVERSION, RULE_STARVED, NULL, false},
	{RULE_DEADLOCK, RULE_USER_LOCK, NULL, false},
	{RULE_FSYNC, RULE_DISK_WAIT, NULL, false},
	{RULE_FSYNC, RULE_IO_PRESSURE, NULL, false},
	{RULE_DISK_BUSY, RULE_IO_PRESSURE, NULL, false},
	{RULE_COLD_READS, RULE_IO_PRESSURE, NULL, false},
	{RULE_COLD_READS, RULE_DISK_WAIT, NULL, false},
	{RULE_MAJOR_FAULTS, RULE_COLD_READS, are_read_by_faults, false},
	{RULE_CACHE_THRASH, RULE_COLD_READS, are_refaults, false},
	/* A process that reads or writes all the time is found in D at each look, and goes on nevertheless. */
	{RULE_COLD_READS, RULE_D_STATE, is_one, false},
	{RULE_FSYNC, RULE_D_STATE, is_one, false},
	{RULE_D_STATE, RULE_DISK_WAIT, NULL, false},
	{RULE_SWAP, RULE_MAJOR_FAULTS, NULL, false},
	{RULE_OOM_KILL, RULE_KERNEL_MESSAGES, is_kill, false},
	{RULE_FAULT_STORM, RULE_KERNEL_TIME, is_the_same_process, false},
	{RULE_FAULT_STORM, RULE_BUSY_PROCESS, is_mostly_in_kernel, false},
	{RULE_FAULT_STORM, RULE_HOT_FUNCTION, is_mostly_in_kernel, false},
	{RULE_FORK_STORM, RULE_KERNEL_TIME, NULL, false},
};

static bool explains(const struct facts *f, const struct finding *cause, const struct finding *part)
{
	for (u32 i = 0; i < ARRAY_SIZE(explanations); i++)
		if (explanations[i].cause == cause->rule && explanations[i].part == part->rule)
			return (explanations[i].anybody || !part->pid || part->pid == cause->pid) &&
			       (!explanations[i].when || explanations[i].when(f, cause, part));
	return false;
}

/* What explains another is as bad as that. */
static void join_findings(struct overview_result *a, const struct facts *f, struct finding *findings)
{
	for (u32 i = 0; i < a->nfindings; i++)
		for (u32 j = 0; j < a->nfindings && findings[i].part_of < 0; j++) {
			if (!explains(f, &findings[j], &findings[i]))
				continue;
			findings[i].part_of = (int)findings[j].rule;
			findings[j].severity = MAX(findings[j].severity, findings[i].severity);
			a->nparts++;
		}
}

static void run_rules(struct overview_result *a, const struct facts *f, struct finding *findings,
		      struct arena *arena)
{
	for (u32 i = 0; i < RULES; i++) {
		struct rule_run r = {.facts = f,
				     .id = (enum rule_id)i,
				     .arena = arena,
				     .findings = findings,
				     .nfindings = &a->nfindings};

		a->missing |= overview_rules[i].needs & ~f->models;
		if (overview_rules[i].needs & ~f->models)
			continue;
		overview_rules[i].run(&r);
		a->nrules++;
	}
	join_findings(a, f, findings);
	qsort(findings, a->nfindings, sizeof(*findings), worse_first);
	for (u32 i = 0; i < a->nfindings; i++) {
		struct row_texts *cells = arena__alloc(arena, sizeof(*cells));

		for (u32 c = 0; c < COLUMNS; c++)
			if (c != COL_PID && c != COL_VALUE)
				cells->v[c] = text_cell(&findings[i], c, arena);
		findings[i].cells = cells;
	}
}

static void overview_result__free(struct query_result *base)
{
	struct result_box *box = container_of(base, struct result_box, result.base);

	snap__put(base->snap);
	arena__fini(&box->arena);
	free(box);
}

static void make_table(struct overview_result *a)
{
	a->base.table = (struct row_table){
		.columns = overview_columns,
		.ncolumns = COLUMNS,
		.nrows = a->nfindings,
		.sort = COL_SEVERITY,
		.cell = query_result__cell,
		.key = query_result__key,
	};
}

struct overview_result *overview__query(const struct frame *f, const struct overview_query *q,
					const struct scope *scope)
{
	const struct system_snap *snap = (const void *)f->snaps[MODEL_SYSTEM];
	struct result_box *box = xcalloc(1, sizeof(*box));
	struct overview_result *a = &box->result;
	struct facts facts;

	arena__init(&box->arena);
	a->findings = arena__array(&box->arena, struct finding, OVERVIEW_FINDINGS);
	a->base.snap = snap__get(&snap->base);
	a->base.since_ns = snap->base.t0_ns;
	a->base.window_ns = snap->base.t1_ns - snap->base.t0_ns;
	a->base.free = overview_result__free;
	facts__init(&facts, f, scope);
	a->too_short = facts.short_;
	if (!facts.short_) {
		run_rules(a, &facts, (struct finding *)a->findings, &box->arena);
		a->affordable = overview__affordable(&facts);
		a->helps = overview__helps(&facts) & a->affordable;
	}
	overview__processes(a, &facts, &box->arena);
	a->base.unresolved = facts.unresolved;
	facts__fini(&facts);
	make_table(a);
	return a;
}
