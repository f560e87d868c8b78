// SPDX-License-Identifier: GPL-2.0-only
/* Names that are looked up: what is taken of samples, and the columns of rows. */
#include "models/dentry.h"

#include "base/columns.h"
#include "models/model.h"
#include "models/task_text.h"

#define ROW struct tally_row

enum {
	PIDS = 1u << TALLY_BY_PID,
	COMMS = 1u << TALLY_BY_COMM,
	CGROUPS = 1u << TALLY_BY_CGROUP,
};

static void take(const struct sample *s, struct tally *who, u64 n[TALLY_COUNTS])
{
	const struct dentry_sample *d = container_of(s, struct dentry_sample, head);

	*who = (struct tally){.tgid = d->tgid, .kthread = d->kthread, .cgroup = d->cgroup};
	copy_str(who->comm, sizeof(who->comm), d->comm);
	n[DENTRY_LOOKUPS] = d->lookups;
	n[DENTRY_NEGATIVE] = d->negative;
}

static const struct tally_subject subject = {
	.max = DENTRY_MAX_ROWS,
	.uses = SAMPLE_DENTRY,
	.state = SAMPLE_DENTRY_STATE,
	.state_size = sizeof(struct dentry_state_sample),
	.take = take,
};

static struct model *dentry__new(struct symbols *symbols)
{
	return tally_model__new(&subject);
}

const struct model_ops model_dentry = {
	.name = "dentry", .view = "cache-dentries", .new = dentry__new, TALLY_MODEL};

const struct dentry_state_sample *dentry__state(const struct snap *s)
{
	const struct sample *state = container_of(s, struct tally_snap, base)->state;

	return state ? container_of(state, struct dentry_state_sample, head) : NULL;
}

/* --- rows --- */

/* Which of them had to ask the file system: no source tells. */
static void slow_cell(const struct query_result *a, const void *row, struct value *out)
{
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
	TALLY_IDS(PIDS),
	{TEXT_COLUMN("comm", "Command", 15, 0, COLUMN_BOTH, "name of the process"), TALLY_COMM,
	 .groups = PIDS | COMMS, .keys = PIDS | COMMS},
	TALLY_CGROUP(PIDS, CGROUPS),
	{COUNT_COLUMN("lookups", "lookups", 9, 0, COLUMN_EXPORT | COLUMN_SUM,
		      "system calls that name a path"),
	 NUMBER_AT(ROW, n[DENTRY_LOOKUPS])},
	{COUNT_COLUMN("negative", "negative", 9, 0, COLUMN_EXPORT | COLUMN_SUM,
		      "of those: found nothing of that name"),
	 NUMBER_AT(ROW, n[DENTRY_NEGATIVE])},
	{COUNT_COLUMN("slow", "slow", 9, 0, COLUMN_EXPORT | COLUMN_SUM,
		      "of those: the file system had to be asked; null where that is not known"),
	 MADE_BY(slow_cell)},
	TALLY_PID(PIDS),
};

/* Which threads count was decided in the kernel. */
static bool passes(const struct tally *u, const u64 *n, const struct scope *scope)
{
	return n[DENTRY_LOOKUPS] && task__passes(scope, u->tgid, 0, u->cgroup, u->comm) &&
	       scope__thread(scope, u->kthread);
}

const struct tally_table dentry_table = {
	.count = DENTRY_COUNTS,
	.rank = DENTRY_LOOKUPS,
	.fields = fields,
	.nfields = ARRAY_SIZE(fields),
	.sort = "lookup_rate",
	.passes = passes,
};
