// SPDX-License-Identifier: GPL-2.0-only
/* Rows of tallies by process, name, cgroup or CPU. */
#include <stdio.h>

#include "models/tallies.h"
#include "models/task_text.h"

const char *const tally_group_names[TALLY_GROUPS] = {[TALLY_BY_PID] = "pid",
						     [TALLY_BY_COMM] = "comm",
						     [TALLY_BY_CGROUP] = "cgroup",
						     [TALLY_BY_CPU] = "cpu"};

static u64 key_of(const struct tally *t, enum tally_group by)
{
	u64 comm = hash_bytes(t->comm, strlen(t->comm));

	switch (by) {
	case TALLY_BY_PID:
		/* What is no process's is distinguished by its name. */
		return mix64_pair(t->tgid == TALLY_OTHERS ? comm : 1, t->tgid);
	case TALLY_BY_COMM:
		return mix64_pair(2, comm);
	case TALLY_BY_CGROUP:
		return mix64_pair(3, t->cgroup);
	default:
		return mix64_pair(4, t->cpu);
	}
}

void tally_rows__begin(struct tally_rows *r, u32 max)
{
	r->rows = arena__array(r->arena, struct tally_row, max);
}

static struct tally_row *row_of(struct tally_rows *r, u64 key)
{
	u32 at;

	HIDX_FIND(at, &r->index, key, pos, r->rows[pos].key == key);
	if (at != HIDX_NONE)
		return &r->rows[at];
	hidx__add(&r->index, key, r->n);
	r->rows[r->n] = (struct tally_row){.key = key};
	return &r->rows[r->n++];
}

void tally_rows__add(struct tally_rows *r, const struct tally *t)
{
	struct tally_row *row = row_of(r, key_of(t, r->group));
	const u64 *n = t->n[r->window] + r->first;

	if (!row->most || n[r->rank] > row->most->n[r->window][r->first + r->rank])
		row->most = t;
	for (u32 i = 0; i < r->count; i++) {
		row->n[i] += n[i];
		r->sum[i] += n[i];
	}
}

static const char *cpu_text(struct arena *a, u32 cpu)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%5u", cpu);

	return arena__dup(a, text, (size_t)n + 1);
}

static void name_row(struct tally_rows *r, struct tally_row *row)
{
	const struct tally *t = row->most;

	row->pid = t->tgid == TALLY_OTHERS ? 0 : t->tgid;
	row->pid_text = task__id_text(r->arena, row->pid);
	row->cpu_text = cpu_text(r->arena, t->cpu);
	row->cgroup_name = task__cgroup_text(r->arena, t->cgroup);
	row->name = r->group == TALLY_BY_CGROUP ? row->cgroup_name : t->comm;
}

static int by_rank(const void *a, const void *b, void *ctx)
{
	const struct tally_row *x = a, *y = b;
	const struct tally_rows *r = ctx;

	for (u32 i = r->rank + 1; i-- > 0;)
		if (x->n[i] != y->n[i])
			return x->n[i] > y->n[i] ? -1 : 1;
	return (x->key > y->key) - (x->key < y->key);
}

void tally_rows__end(struct tally_rows *r)
{
	for (u32 i = 0; i < r->n; i++)
		name_row(r, &r->rows[i]);
	qsort_r(r->rows, r->n, sizeof(*r->rows), by_rank, r);
	hidx__fini(&r->index);
}
