// SPDX-License-Identifier: GPL-2.0-only
/* Rows of who looks up names, and their columns. */
#include "base/columns.h"
#include "models/dentry.h"
#include "models/fields.h"
#include "models/who.h"

#define ROW  struct tally_row
#define COMM VIA(ROW, most), CHARS_AT(struct tally, comm)

/* Groupings; beyond them the same where slow ones are not known. */
#define WHERE(group) (1u << (group) | 1u << ((group) + DENTRY_GROUPS))

enum {
	PIDS = WHERE(TALLY_BY_PID),
	COMMS = WHERE(TALLY_BY_COMM),
	CGROUPS = WHERE(TALLY_BY_CGROUP),
	SLOW_KNOWN = (1u << DENTRY_GROUPS) - 1,
};

static void slow_cell(const struct answer *a, const void *row, struct value *out)
{
	out->u = ((const struct tally_row *)row)->n[DENTRY_SLOW];
	if (!container_of(a, struct dentry_answer, base)->slow_known)
		out->type = VALUE_NONE;
}

static const struct field fields[] = {
	{COUNT_COLUMN("lookup_rate", "Lookup/s", 9, 0, COLUMN_SCREEN | COLUMN_SHARE,
		      "system calls that name a path, per second"),
	 RATE_AT(ROW, n[DENTRY_LOOKUPS])},
	{COUNT_COLUMN("negative_rate", "Absent/s", 9, 1, COLUMN_SCREEN | COLUMN_SHARE,
		      "of those: found nothing of that name, per second"),
	 RATE_AT(ROW, n[DENTRY_NEGATIVE])},
	{PCT_COLUMN("negative_pct", "Absent%", 12, 0, COLUMN_BOTH | COLUMN_BAR,
		    "share of the lookups that found nothing of that name"),
	 PART_AT(ROW, n[DENTRY_NEGATIVE], n[DENTRY_LOOKUPS])},
	{COUNT_COLUMN("slow_rate", "Slow/s", 9, 2, COLUMN_SCREEN | COLUMN_SHARE,
		      "of those: the file system had to be asked, per second"),
	 RATE_AT(ROW, n[DENTRY_SLOW]), .groups = SLOW_KNOWN},
	{TEXT_COLUMN("process", "PID", 7, 0, COLUMN_SCREEN, "process id"), TEXT_AT(ROW, pid_text),
	 .groups = PIDS},
	{TEXT_COLUMN("comm", "Command", 15, 0, COLUMN_BOTH, "name of the process"), COMM,
	 .groups = PIDS | COMMS, .keys = PIDS | COMMS},
	{TEXT_COLUMN("cgroup", "Cgroup", 16, 3, COLUMN_BOTH | COLUMN_FLEX,
		     "cgroup v2 of the process, path below its mount point"),
	 TEXT_AT(ROW, cgroup_name), .groups = PIDS | CGROUPS, .keys = CGROUPS},
	{COUNT_COLUMN("lookups", "lookups", 9, 0, COLUMN_EXPORT | COLUMN_SUM,
		      "system calls that name a path"),
	 NUMBER_AT(ROW, n[DENTRY_LOOKUPS])},
	{COUNT_COLUMN("negative", "negative", 9, 0, COLUMN_EXPORT | COLUMN_SUM,
		      "of those: found nothing of that name"),
	 NUMBER_AT(ROW, n[DENTRY_NEGATIVE])},
	{COUNT_COLUMN("slow", "slow", 9, 0, COLUMN_EXPORT | COLUMN_SUM,
		      "of those: the file system had to be asked; null where that is not known"),
	 MADE_BY(slow_cell)},
	{COUNT_COLUMN("pid", "pid", 9, 0, COLUMN_EXPORT | COLUMN_ASCENDING, "process id"),
	 NUMBER_AT(ROW, pid), UNLESS_0(ROW, pid), .groups = PIDS},
};

/* --- rows --- */

static bool counts(const struct tally *u, enum profile_window w, const struct scope *scope)
{
	return u->n[w][DENTRY_LOOKUPS] && who__passes(scope, u->tgid, 0, u->cgroup, u->comm) &&
	       scope__thread(scope, u->kthread);
}

struct dentry_answer *dentry__query(const struct dentry_snap *snap, const struct dentry_query *q,
				    const struct scope *scope)
{
	struct dentry_answer *a =
		answer__new(sizeof(*a), &snap->base, NULL,
			    q->window == WINDOW_TOTAL ? snap->since_ns : snap->base.t0_ns);
	struct tally_rows rows = {.group = q->group,
				  .window = q->window,
				  .count = DENTRY_COUNTS,
				  .rank = DENTRY_LOOKUPS,
				  .arena = &a->base.arena};

	a->query = *q;
	a->window_ns = a->base.window_ns = snap->window_ns[q->window];
	a->slow_known = snap->slow_known;
	tally_rows__begin(&rows, snap->nuses);
	for (u32 i = 0; i < snap->nuses; i++)
		if (counts(&snap->uses[i], q->window, scope))
			tally_rows__add(&rows, &snap->uses[i]);
	tally_rows__end(&rows);
	a->rows = rows.rows;
	a->nrows = rows.n;
	memcpy(a->n, rows.sum, sizeof(a->n));
	ANSWER_TABLE(&a->base, fields, a->rows, a->nrows,
		     (u32)q->group + (a->slow_known ? 0 : (u32)DENTRY_GROUPS), 0, "lookup_rate");
	return a;
}
