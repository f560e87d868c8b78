// SPDX-License-Identifier: GPL-2.0-only
/* Rows of BPF programs, and their columns. */
#include <stdio.h>

#include "base/arena.h"
#include "base/columns.h"
#include "base/hidx.h"
#include "models/bpf.h"
#include "models/task_text.h"
#include "models/windows.h"

struct result_box {
	struct bpf_result result;
	struct arena arena;
};

const char *const bpf_group_names[BPF_GROUPS] = {"program", "type", "comm", "pid"};

double bpf__cpu_pct(u64 run_ns, u64 window_ns)
{
	return window_ns ? 100.0 * (double)run_ns / (double)window_ns : 0;
}

/* --- columns --- */

enum bpf_column {
	COL_CPU_PCT,
	COL_RATE,
	COL_AVG,
	COL_ID_TEXT,
	COL_PROGRAM,
	COL_OWN,
	COL_TYPE,
	COL_PID_TEXT,
	COL_COMM,
	COL_PROGRAMS,
	COL_ATTACHED,
	COL_MEMORY,
	COL_FILL,
	COL_TREND,
	COL_MACHINE_PCT,
	COL_ID,
	COL_RUNS,
	COL_RUN_NS,
	COL_MISSES,
	COL_IS_OWN,
	COL_GONE,
	COL_PID,
	COL_OWNERS,
	COL_MAPS,
	COL_TAG,
	COL_UID,
	COL_LOADED,
	COL_XLATED,
	COL_JITED,
	COLUMNS,
};

static const struct column bpf_columns[COLUMNS] = {
	[COL_CPU_PCT] = PCT_COLUMN("cpu_pct", "CPU%", 8, 0, COLUMN_BOTH | COLUMN_BAR | COLUMN_SHARE,
				   "runs/s x time per run, of one CPU"),
	[COL_RATE] = COUNT_COLUMN("rate", "Runs/s", 8, 0, COLUMN_SCREEN | COLUMN_SHARE,
				  "runs per second, on all CPUs"),
	[COL_AVG] = TIME_COLUMN("avg_ns", "Per run", 7, 1, COLUMN_BOTH, "mean time of a run"),
	[COL_ID_TEXT] = TEXT_COLUMN("program", "ID", 7, 0, COLUMN_SCREEN, "id of the program"),
	[COL_PROGRAM] = TEXT_COLUMN("name", "Program", 16, 0,
				    COLUMN_BOTH | COLUMN_KEY | COLUMN_FLEX, "name of the program"),
	[COL_OWN] = TEXT_COLUMN("whose", "Own", 3, 1, COLUMN_SCREEN, "* is a program of proftop's"),
	[COL_TYPE] = TEXT_COLUMN("type", "Type", 14, 4, COLUMN_BOTH, "type of the program"),
	[COL_PID_TEXT] = TEXT_COLUMN("process", "PID", 7, 5, COLUMN_SCREEN,
				     "process that holds it, the first of several"),
	[COL_COMM] = TEXT_COLUMN("comm", "Owner", 15, 2, COLUMN_BOTH,
				 "name of the process that holds it"),
	[COL_PROGRAMS] = COUNT_COLUMN("programs", "Programs", 8, 2, COLUMN_BOTH, "how many"),
	[COL_ATTACHED] = TEXT_COLUMN("attached", "Attached to", 20, 3, COLUMN_BOTH | COLUMN_FLEX,
				     "where, by links and perf events"),
	[COL_MEMORY] = BYTES_COLUMN("map_bytes", "Maps", 7, 2, COLUMN_BOTH,
				    "memory of its maps, as the kernel accounts it"),
	[COL_FILL] = PCT_COLUMN("map_fill_pct", "Fill%", 6, 3, COLUMN_BOTH,
				"of its fullest map; of those that hold a varying number"),
	[COL_TREND] = COLUMN(VALUE_TREND, "trend", "Trend", TREND_LEN, 6, COLUMN_SCREEN,
			     "CPU%, interval by interval"),
	[COL_MACHINE_PCT] =
		PCT_COLUMN("machine_pct", "machine_pct", 6, 0, COLUMN_EXPORT | COLUMN_SHARE,
			   "runs/s x time per run / CPUs: of the whole machine"),
	[COL_ID] = ID_COLUMN("id", "id of the program; null of several"),
	[COL_RUNS] = COUNT_COLUMN("runs", "runs", 8, 0, COLUMN_EXPORT | COLUMN_SUM,
				  "runs in the window"),
	[COL_RUN_NS] = TIME_COLUMN("run_ns", "run_ns", 8, 0, COLUMN_EXPORT | COLUMN_SUM,
				   "time of these runs"),
	[COL_MISSES] = COUNT_COLUMN("misses", "misses", 8, 0, COLUMN_EXPORT | COLUMN_SUM,
				    "runs left out, as the program ran on that CPU already"),
	[COL_IS_OWN] = EXPORT_COLUMN(VALUE_BOOL, "own", "a program of proftop's"),
	[COL_GONE] = EXPORT_COLUMN(VALUE_BOOL, "gone", "it is not loaded any more"),
	[COL_PID] = ID_COLUMN("pid", "process that holds it; null: nobody, a link or a pin does"),
	[COL_OWNERS] = EXPORT_COLUMN(VALUE_TEXT, "owners", "who holds it: name and process id"),
	[COL_MAPS] = EXPORT_COLUMN(VALUE_COUNT, "maps", "how many maps it uses"),
	[COL_TAG] = EXPORT_COLUMN(VALUE_TEXT, "tag", "hash of its instructions"),
	[COL_UID] = EXPORT_COLUMN(VALUE_COUNT, "uid", "user who loaded it"),
	[COL_LOADED] = EXPORT_COLUMN(VALUE_NS, "loaded_ns", "when it was loaded, since boot"),
	[COL_XLATED] = EXPORT_COLUMN(VALUE_BYTES, "xlated_bytes", "size of its instructions"),
	[COL_JITED] = EXPORT_COLUMN(VALUE_BYTES, "jited_bytes", "size of its machine code"),
};

static bool applies(const struct bpf_result *a, u32 column)
{
	const enum bpf_group by = a->query.group;

	switch (column) {
	case COL_PROGRAMS:
		return by != BPF_BY_PROGRAM;
	case COL_TYPE:
		return by <= BPF_BY_TYPE;
	case COL_PID_TEXT:
	case COL_PID:
		return by == BPF_BY_PROGRAM || by == BPF_BY_PID;
	case COL_COMM:
		return by != BPF_BY_TYPE;
	case COL_ID_TEXT:
	case COL_PROGRAM:
	case COL_ATTACHED:
	case COL_OWN:
	case COL_ID:
	case COL_IS_OWN:
	case COL_OWNERS:
		return by == BPF_BY_PROGRAM;
	default:
		return column < COL_TAG || by == BPF_BY_PROGRAM;
	}
}

static bool is_none(const struct bpf_row *r, u32 column)
{
	switch (column) {
	case COL_AVG:
		return !r->n[BPF_RUNS];
	case COL_FILL:
		return r->fill_pct < 0;
	case COL_ID:
		return !r->first->s.id;
	case COL_PID:
		return !r->first->s.nowners;
	case COL_MEMORY:
		return !r->nmaps;
	default:
		return false;
	}
}

static const char *text_cell(const struct bpf_row *r, u32 column)
{
	const struct bpf_prog_sample *s = &r->first->s;

	switch (column) {
	case COL_ID_TEXT:
		return r->id_text;
	case COL_PROGRAM:
		return s->name;
	case COL_OWN:
		return s->own ? "*" : "";
	case COL_TYPE:
		return s->type;
	case COL_PID_TEXT:
		return r->pid_text;
	case COL_COMM:
		return s->nowners ? s->owners[0].comm : "";
	case COL_OWNERS:
		return r->owners;
	case COL_TAG:
		return s->tag;
	default:
		return s->attached;
	}
}

static u64 number_cell(const struct bpf_result *a, const struct bpf_row *r, u32 column)
{
	switch (column) {
	case COL_RATE:
		return window__per_second(r->n[BPF_RUNS], a->base.window_ns);
	case COL_AVG:
		return r->n[BPF_RUN_NS] / MAX(r->n[BPF_RUNS], 1ULL);
	case COL_PROGRAMS:
		return r->nprogs;
	case COL_MEMORY:
		return r->map_bytes;
	case COL_ID:
		return r->first->s.id;
	case COL_RUNS:
		return r->n[BPF_RUNS];
	case COL_RUN_NS:
		return r->n[BPF_RUN_NS];
	case COL_MISSES:
		return r->n[BPF_MISSES];
	case COL_IS_OWN:
		return r->first->s.own;
	case COL_GONE:
		return r->gone;
	case COL_PID:
		return r->first->s.owners[0].tgid;
	case COL_MAPS:
		return r->nmaps;
	case COL_UID:
		return r->first->s.uid;
	case COL_LOADED:
		return r->first->s.loaded_ns;
	case COL_XLATED:
		return r->first->s.xlated_bytes;
	default:
		return r->first->s.jited_bytes;
	}
}

static double share_cell(const struct bpf_result *a, const struct bpf_row *r, u32 column)
{
	double cpu = bpf__cpu_pct(r->n[BPF_RUN_NS], a->base.window_ns);

	if (column == COL_FILL)
		return r->fill_pct;
	return column == COL_CPU_PCT ? cpu : cpu / MAX(a->state.ncpus, 1u);
}

static bool query_result__cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	const struct bpf_result *a = container_of(t, struct bpf_result, base.table);
	const struct bpf_row *r = &a->rows[row];

	*out = (struct value){0};
	if (column >= COLUMNS || !applies(a, column))
		return false;
	out->type = is_none(r, column) ? VALUE_NONE : bpf_columns[column].type;
	if (out->type == VALUE_TEXT) {
		out->s = text_cell(r, column);
	} else if (out->type == VALUE_PCT) {
		out->f = share_cell(a, r, column);
	} else if (out->type == VALUE_TREND) {
		out->trend = r->trend;
		out->n = TREND_LEN;
	} else if (out->type != VALUE_NONE) {
		out->u = number_cell(a, r, column);
	}
	return true;
}

static u64 query_result__key(const struct row_table *t, u32 row)
{
	return container_of(t, struct bpf_result, base.table)->rows[row].key;
}

static void make_table(struct bpf_result *a, struct arena *arena)
{
	static const u8 names[BPF_GROUPS] = {COL_PROGRAM, COL_TYPE, COL_COMM, COL_COMM};
	struct column *columns = arena__dup(arena, bpf_columns, sizeof(bpf_columns));
	u32 key = names[a->query.group];

	columns[key].flags |= COLUMN_KEY | COLUMN_FLEX;
	columns[key].priority = 0;
	if (a->query.group == BPF_BY_PID)
		columns[COL_PID_TEXT].priority = 0;
	a->base.table = (struct row_table){
		.columns = columns,
		.ncolumns = COLUMNS,
		.nrows = a->nrows,
		.sort = COL_CPU_PCT,
		.cell = query_result__cell,
		.key = query_result__key,
	};
}

/* --- rows --- */

struct query_builder {
	const struct bpf_snap *snap;
	const struct bpf_query *q;
	struct arena *arena;
	struct bpf_row *rows;
	u32 n, cap;
	struct hidx index;
	struct hidx maps_seen; /* of rows that several programs are in */
};

static bool passes(const struct scope *scope, const struct bpf_prog_sample *s)
{
	if (!s->nowners)
		return task__passes(scope, 0, 0, 0, "");
	for (u32 i = 0; i < MIN(s->nowners, BPF_OWNERS); i++)
		if (task__passes(scope, s->owners[i].tgid, 0, s->owners[i].cgroup,
				 s->owners[i].comm))
			return true;
	return false;
}

/* What is gone is there as long as it has runs in the window. */
static bool passes_filter(const struct bpf_entry *e, const struct bpf_query *q,
			  const struct scope *scope)
{
	return (!e->gone || e->n[q->window][BPF_RUNS]) &&
	       (!*q->type || !strcmp(q->type, e->s.type)) && passes(scope, &e->s);
}

static u64 row_key(const struct bpf_entry *e, enum bpf_group by)
{
	const struct bpf_prog_sample *s = &e->s;

	switch (by) {
	case BPF_BY_TYPE:
		return mix64_pair(hash_bytes(s->type, strlen(s->type)), by);
	case BPF_BY_COMM:
		return mix64_pair(s->nowners ? hash_bytes(s->owners[0].comm,
							  strnlen(s->owners[0].comm, COMM_LEN))
					     : 0,
				  by);
	case BPF_BY_PID:
		return mix64_pair(s->nowners ? s->owners[0].tgid : 0, by);
	default:
		return mix64_pair(s->id, s->loaded_ns);
	}
}

static const char *owners_text(struct arena *arena, const struct bpf_prog_sample *s)
{
	char buf[BPF_OWNERS * 32 + 32];
	size_t len = 0;

	*buf = '\0';
	for (u32 i = 0; i < MIN(s->nowners, BPF_OWNERS); i++)
		len += (size_t)snprintf(buf + len, sizeof(buf) - len, "%s%.*s %u", i ? ", " : "",
					COMM_LEN, s->owners[i].comm, s->owners[i].tgid);
	if (s->nowners > BPF_OWNERS)
		snprintf(buf + len, sizeof(buf) - len, " and %u more", s->nowners - BPF_OWNERS);
	return arena__strdup(arena, buf);
}

/* Good until the next call. */
static struct bpf_row *row_of(struct query_builder *k, const struct bpf_entry *e)
{
	u64 key = row_key(e, k->q->group);
	struct bpf_row *r;
	u32 at;

	HIDX_FIND(at, &k->index, key, pos, k->rows[pos].key == key);
	if (at != HIDX_NONE)
		return &k->rows[at];
	k->rows = xgrow(k->rows, k->n, &k->cap, sizeof(*k->rows));
	hidx__add(&k->index, key, k->n);
	r = &k->rows[k->n++];
	*r = (struct bpf_row){.key = key, .first = e, .gone = true, .fill_pct = -1, .fullest = ""};
	r->id_text = task__id_text(k->arena, e->s.id);
	r->pid_text = task__id_text(k->arena, e->s.nowners ? e->s.owners[0].tgid : 0);
	r->owners = owners_text(k->arena, &e->s);
	return r;
}

static void add_entry(struct query_builder *k, const struct bpf_entry *e, struct bpf_result *a)
{
	struct bpf_row *r = row_of(k, e);
	const u64 *n = e->n[k->q->window];

	for (u32 i = 0; i < BPF_COUNTS; i++) {
		r->n[i] += n[i];
		a->n[i] += n[i];
		a->own[i] += e->s.own ? n[i] : 0;
	}
	for (u32 i = 0; i < TREND_LEN; i++)
		r->trend[i] += e->trend[i];
	r->nprogs += !e->gone;
	r->nown += !e->gone && e->s.own;
	r->gone &= e->gone;
	a->nprogs += !e->gone;
	a->nown += !e->gone && e->s.own;
}

/* --- maps of rows --- */

bool bpf_map__fill_pct(const struct bpf_map_sample *m, double *pct)
{
	if (!m->fill_known || !m->max_entries)
		return false;
	*pct = 100.0 * (double)m->used / m->max_entries;
	return true;
}

static void add_map(struct query_builder *k, struct bpf_row *r, const struct bpf_map_sample *m)
{
	double pct;

	if (!hidx__put(&k->maps_seen, mix64_pair(r->key, m->id) | 1))
		return;
	r->nmaps++;
	r->map_bytes += m->bytes;
	if (!bpf_map__fill_pct(m, &pct) || pct <= r->fill_pct)
		return;
	r->fill_pct = pct;
	r->fullest = m->name;
}

static void add_maps(struct query_builder *k, const struct scope *scope)
{
	struct hidx progs = {0};

	for (u32 i = 0; i < k->snap->nprogs; i++)
		if (!k->snap->progs[i].gone && passes_filter(&k->snap->progs[i], k->q, scope))
			hidx__add(&progs, mix64(k->snap->progs[i].s.id), i);
	for (u32 i = 0; i < k->snap->nmaps; i++) {
		const struct bpf_map_sample *m = &k->snap->maps[i];
		u32 at;

		HIDX_FIND(at, &progs, mix64(m->prog), pos,
			  k->snap->progs[pos].s.id == m->prog);
		if (at != HIDX_NONE)
			add_map(k, row_of(k, &k->snap->progs[at]), m);
	}
	hidx__fini(&progs);
}

/* --- the answer --- */

static int by_run_time(const void *a, const void *b)
{
	const struct bpf_row *x = a, *y = b;

	if (x->n[BPF_RUN_NS] != y->n[BPF_RUN_NS])
		return x->n[BPF_RUN_NS] < y->n[BPF_RUN_NS] ? 1 : -1;
	if (x->n[BPF_RUNS] != y->n[BPF_RUNS])
		return x->n[BPF_RUNS] < y->n[BPF_RUNS] ? 1 : -1;
	return x->first->s.id < y->first->s.id ? -1 : x->first->s.id > y->first->s.id;
}

static void bpf_result__free(struct query_result *base)
{
	struct result_box *box = container_of(base, struct result_box, result.base);

	snap__put(base->snap);
	arena__fini(&box->arena);
	free(box);
}

static void add_rows(struct query_builder *k, struct bpf_result *a, const struct scope *scope)
{
	for (u32 i = 0; i < k->snap->nprogs; i++)
		if (passes_filter(&k->snap->progs[i], k->q, scope))
			add_entry(k, &k->snap->progs[i], a);
	add_maps(k, scope);
	if (k->n)
		qsort(k->rows, k->n, sizeof(*k->rows), by_run_time);
	a->rows = arena__dup(k->arena, k->rows, k->n * sizeof(*k->rows));
	a->nrows = k->n;
	free(k->rows);
	hidx__fini(&k->index);
	hidx__fini(&k->maps_seen);
}

struct bpf_result *bpf__query(const struct bpf_snap *snap, const struct bpf_query *q,
			      const struct scope *scope)
{
	struct result_box *box = xcalloc(1, sizeof(*box));
	struct bpf_result *a = &box->result;
	struct query_builder k = {.snap = snap, .q = q, .arena = &box->arena};

	arena__init(&box->arena);
	a->base.snap = snap__get(&snap->base);
	a->base.since_ns = q->window == WINDOW_TOTAL ? snap->since_ns : snap->base.t0_ns;
	a->base.window_ns = snap->window_ns[q->window];
	a->base.free = bpf_result__free;
	a->query = *q;
	a->state = snap->state;
	add_rows(&k, a, scope);
	make_table(a, &box->arena);
	return a;
}
