// SPDX-License-Identifier: GPL-2.0-only
/* Rows of BPF maps, and their columns. */
#include <stdio.h>

#include "base/arena.h"
#include "base/columns.h"
#include "base/hidx.h"
#include "models/bpf.h"
#include "models/task_text.h"

struct result_box {
	struct bpf_maps_result result;
	struct arena arena;
};

enum map_column {
	COL_MEMORY,
	COL_FILL,
	COL_USED,
	COL_MAX,
	COL_ID_TEXT,
	COL_NAME,
	COL_TYPE,
	COL_KEY,
	COL_VALUE,
	COL_PROGS,
	COL_ID,
	COLUMNS,
};

static const struct column map_columns[COLUMNS] = {
	[COL_MEMORY] = BYTES_COLUMN("bytes", "Memory", 8, 0, COLUMN_BOTH,
				    "as the kernel accounts it"),
	[COL_FILL] = PCT_COLUMN("fill_pct", "Fill%", 12, 0, COLUMN_BOTH | COLUMN_BAR,
				"entries of the most that may be; none where all are always there"),
	[COL_USED] = COUNT_COLUMN("used", "Used", 8, 1, COLUMN_BOTH,
				  "entries; of a ring buffer bytes that nobody has read"),
	[COL_MAX] = COUNT_COLUMN("max_entries", "Max", 8, 2, COLUMN_BOTH,
				 "entries that fit; of a ring buffer bytes"),
	[COL_ID_TEXT] = TEXT_COLUMN("map", "ID", 7, 0, COLUMN_SCREEN, "id of the map"),
	[COL_NAME] = TEXT_COLUMN("name", "Map", 16, 0, COLUMN_BOTH | COLUMN_KEY | COLUMN_FLEX,
				 "name of the map"),
	[COL_TYPE] = TEXT_COLUMN("type", "Type", 16, 3, COLUMN_BOTH, "type of the map"),
	[COL_KEY] = BYTES_COLUMN("key_bytes", "Key", 6, 5, COLUMN_BOTH, "size of a key"),
	[COL_VALUE] = BYTES_COLUMN("value_bytes", "Value", 6, 4, COLUMN_BOTH, "size of a value"),
	[COL_PROGS] = TEXT_COLUMN("programs", "Used by", 16, 3, COLUMN_BOTH | COLUMN_FLEX,
				  "programs that use it"),
	[COL_ID] = ID_COLUMN("id", "id of the map"),
};

static void number_cell(const struct bpf_map_row *r, u32 column, struct value *out)
{
	const struct bpf_map_sample *m = r->map;

	switch (column) {
	case COL_MEMORY:
		out->u = m->bytes;
		if (!m->bytes)
			out->type = VALUE_NONE;
		break;
	case COL_FILL:
		if (!bpf_map__fill_pct(m, &out->f))
			out->type = VALUE_NONE;
		break;
	case COL_USED:
		out->u = m->used;
		if (!m->fill_known)
			out->type = VALUE_NONE;
		break;
	case COL_MAX:
		out->u = m->max_entries;
		break;
	case COL_KEY:
		out->u = m->key_bytes;
		break;
	case COL_VALUE:
		out->u = m->value_bytes;
		break;
	default:
		out->u = m->id;
	}
}

static bool query_result__cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	const struct bpf_maps_result *a = container_of(t, struct bpf_maps_result, base.table);
	const struct bpf_map_row *r = &a->rows[row];

	*out = (struct value){0};
	if (column >= COLUMNS)
		return false;
	out->type = map_columns[column].type;
	if (column == COL_ID_TEXT)
		out->s = r->id_text;
	else if (column == COL_NAME)
		out->s = r->map->name;
	else if (column == COL_TYPE)
		out->s = r->map->type;
	else if (column == COL_PROGS)
		out->s = r->progs;
	else
		number_cell(r, column, out);
	return true;
}

static u64 query_result__key(const struct row_table *t, u32 row)
{
	return mix64(container_of(t, struct bpf_maps_result, base.table)->rows[row].map->id);
}

/* --- rows --- */

struct query_builder {
	const struct bpf_snap *snap;
	struct arena *arena;
	struct bpf_map_row *rows;
	u32 n, cap;
	struct hidx index, progs;
};

static const char *prog_name(const struct query_builder *k, u32 id)
{
	u32 at;

	HIDX_FIND(at, &k->progs, mix64(id), pos, k->snap->progs[pos].s.id == id);
	return at == HIDX_NONE ? NULL : k->snap->progs[at].s.name;
}

static void add_user(struct query_builder *k, struct bpf_map_row *r, u32 prog)
{
	const char *name = prog ? prog_name(k, prog) : NULL;
	char buf[200];

	if (!name)
		return;
	snprintf(buf, sizeof(buf), "%s%s%s", r->progs, *r->progs ? ", " : "", name);
	r->progs = arena__strdup(k->arena, buf);
}

static void add_map(struct query_builder *k, const struct bpf_map_sample *m)
{
	u32 at;

	HIDX_FIND(at, &k->index, mix64(m->id), pos, k->rows[pos].map->id == m->id);
	if (at == HIDX_NONE) {
		at = k->n;
		k->rows = xgrow(k->rows, k->n, &k->cap, sizeof(*k->rows));
		hidx__add(&k->index, mix64(m->id), at);
		k->rows[k->n++] = (struct bpf_map_row){m, task__id_text(k->arena, m->id), ""};
	}
	add_user(k, &k->rows[at], m->prog);
}

/* Of one program's maps all users are told, too. */
static bool is_of(const struct bpf_snap *s, u32 map, u32 prog)
{
	for (u32 i = 0; i < s->nmaps; i++)
		if (s->maps[i].id == map && s->maps[i].prog == prog)
			return true;
	return false;
}

static int by_memory(const void *a, const void *b)
{
	const struct bpf_map_sample *x = ((const struct bpf_map_row *)a)->map;
	const struct bpf_map_sample *y = ((const struct bpf_map_row *)b)->map;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static void bpf_maps_result__free(struct query_result *base)
{
	struct result_box *box = container_of(base, struct result_box, result.base);

	snap__put(base->snap);
	arena__fini(&box->arena);
	free(box);
}

static void add_rows(struct query_builder *k, struct bpf_maps_result *a)
{
	for (u32 i = 0; i < k->snap->nprogs; i++)
		if (!k->snap->progs[i].gone)
			hidx__add(&k->progs, mix64(k->snap->progs[i].s.id), i);
	for (u32 i = 0; i < k->snap->nmaps; i++)
		if (!a->query.prog || is_of(k->snap, k->snap->maps[i].id, a->query.prog))
			add_map(k, &k->snap->maps[i]);
	if (k->n)
		qsort(k->rows, k->n, sizeof(*k->rows), by_memory);
	a->rows = arena__dup(k->arena, k->rows, k->n * sizeof(*k->rows));
	a->nrows = k->n;
	for (u32 i = 0; i < k->n; i++)
		a->bytes += k->rows[i].map->bytes;
	free(k->rows);
	hidx__fini(&k->index);
	hidx__fini(&k->progs);
}

struct bpf_maps_result *bpf_maps__query(const struct bpf_snap *snap, const struct bpf_maps_query *q)
{
	struct result_box *box = xcalloc(1, sizeof(*box));
	struct bpf_maps_result *a = &box->result;
	struct query_builder k = {.snap = snap, .arena = &box->arena};

	arena__init(&box->arena);
	a->base.snap = snap__get(&snap->base);
	a->base.since_ns = snap->base.t0_ns;
	a->base.window_ns = snap->window_ns[WINDOW_LAST];
	a->base.free = bpf_maps_result__free;
	a->query = *q;
	add_rows(&k, a);
	a->base.table = (struct row_table){
		.columns = map_columns,
		.ncolumns = COLUMNS,
		.nrows = a->nrows,
		.sort = COL_MEMORY,
		.cell = query_result__cell,
		.key = query_result__key,
	};
	return a;
}
