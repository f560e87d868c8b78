// SPDX-License-Identifier: GPL-2.0-only
/* Rows of devices and of those who use them. */
#include <stdio.h>

#include "base/hidx.h"
#include "base/hosts.h"
#include "models/heat.h"
#include "models/io_result.h"
#include "models/io_who.h"
#include "models/task_text.h"
#include "models/windows.h"

const char *const io_group_names[IO_GROUPS] = {
	[IO_BY_DEVICE] = "device", [IO_BY_PID] = "pid",	  [IO_BY_COMM] = "comm",
	[IO_BY_CGROUP] = "cgroup", [IO_BY_FILE] = "file", [IO_BY_HOST] = HOST_LABEL,
};
const double io_percentiles[IO_PERCENTILES] = {1, 5, 10, 16, 25, 50, 75, 84, 90, 95, 99, 100};

struct query_builder {
	const struct io_snap *snap;
	const struct io_query *query;
	const struct scope *scope;
	struct arena *arena;
	struct io_result *result;
	struct io_row *rows;
	u32 n;
	struct hidx index;
};

const char *io_flags__text(u32 flags, char *buf, size_t size)
{
	snprintf(buf, size, "%s%s%s", flags & IO_FLAG_SYNC ? " sync" : "",
		 flags & IO_FLAG_META ? " meta" : "", flags & IO_FLAG_OTHER ? " other" : "");
	return *buf ? buf + 1 : buf;
}

static struct io_row *row_of(struct query_builder *m, u64 key, bool *is_new)
{
	u32 at;

	HIDX_FIND(at, &m->index, key, pos, m->rows[pos].key == key);
	*is_new = at == HIDX_NONE;
	if (!*is_new)
		return &m->rows[at];
	hidx__add(&m->index, key, m->n);
	m->rows[m->n] = (struct io_row){.key = key};
	return &m->rows[m->n++];
}

/* --- devices --- */

static const struct io_state *state_of(const struct io_snap *s, const struct io_device *d)
{
	for (u32 i = 0; i < s->nstates; i++)
		if (s->states[i].dev == io_device__id(d) && !strcmp(s->states[i].name, d->name))
			return &s->states[i];
	return NULL;
}

static u64 kind_key(const struct io_kind *k, bool joined)
{
	u64 h = mix64_pair(mix64_pair(io_device__id(&k->device), k->op), joined ? IO_FLAGS : k->flags);

	return mix64_pair(h, hash_bytes(k->device.name, strlen(k->device.name)));
}

static void begin_device(struct query_builder *m, struct io_row *r, const struct io_kind *k)
{
	const struct io_state *state = state_of(m->snap, &k->device);
	char flags[40];

	r->device = k->device;
	r->host = io_device__host(&k->device);
	r->partition = k->device.dev != k->device.disk;
	r->op = k->op;
	r->flags = k->flags;
	r->name = r->devices = arena__strdup(m->arena, k->device.name);
	r->flags_text =
		m->query->joined
			? NULL
			: arena__strdup(m->arena, io_flags__text(k->flags, flags, sizeof(flags)));
	r->present = state != NULL;
	r->in_flight = state ? state->in_flight : 0;
	r->hists = arena__array(m->arena, struct io_hist, IO_STAGES);
}

static u32 size_median(const struct io_sums *s)
{
	u64 all = 0, below = 0;
	u32 i = 0;

	for (u32 k = 0; k < IO_SIZES; k++)
		all += s->sizes[k];
	while (i < IO_SIZES - 1 && (below + s->sizes[i]) * 2 < all)
		below += s->sizes[i++];
	return i;
}

static void size_item(const void *of, u32 i, struct value_part *out)
{
	out->value = (struct value){.type = VALUE_COUNT, .u = ((const u64 *)of)[i]};
}

/* What follows from the sums, once they are complete. */
static void finish_device(struct query_builder *m, struct io_row *r)
{
	enum io_stage stage = m->query->stage;

	for (u32 i = 0; i < IO_PERCENTILES; i++)
		r->percentiles[i] = io_hist__quantile(&r->hists[stage], io_percentiles[i] / 100,
						      r->sums.max_ns[stage]);
	/* The largest is known as it was. */
	r->percentiles[IO_PERCENTILES - 1] = r->sums.max_ns[stage];
	r->known = r->sums.known[stage];
	r->placed = r->sums.random + r->sums.sequential;
	for (u32 g = 0; g < IO_STAGES; g++) {
		r->avg_ns[g] = window__mean(r->sums.ns[g], r->sums.known[g], r->sums.max_ns[g]);
		r->p50_ns[g] = io_hist__quantile(&r->hists[g], 0.5, r->sums.max_ns[g]);
		r->hist_values[g] = io_hist__value(&r->hists[g], m->arena);
	}
	r->size_p50 = 512ULL << size_median(&r->sums);
	r->sizes = (struct value){.type = VALUE_LIST, .n = IO_SIZES};
	r->sizes.of = arena__dup(m->arena, r->sums.sizes, sizeof(r->sums.sizes));
	r->sizes.part = size_item;
}

static bool is_shown(const struct query_builder *m, const struct io_device *d)
{
	return (!m->query->by_dev || io__of_device(d, m->query->dev)) && task__host_passes(m->scope, d->host);
}

/* Whether it belongs to the sums above the table: partitions are in their disk's already. */
static bool is_summed(const struct query_builder *m, const struct io_device *d)
{
	const struct io_query *q = m->query;

	return (q->by_dev ? io_device__id(d) == q->dev : d->dev == d->disk) && task__host_passes(m->scope, d->host);
}

static void add_totals(struct query_builder *m)
{
	struct io_result *a = m->result;
	enum time_window w = m->query->window;

	for (u32 i = 0; i < m->snap->nkinds; i++) {
		const struct io_kind *k = &m->snap->kinds[i];

		if (!is_summed(m, &k->device))
			continue;
		io_sums__add(&a->sums, &k->sums[w]);
		for (u32 g = 0; g < IO_STAGES; g++)
			hist_cells__add(a->hists[g].n, &k->hists[g], w);
	}
	for (u32 i = 0; i < m->snap->nstates; i++)
		if ((!m->query->by_dev || m->snap->states[i].dev == m->query->dev) &&
		    task__host_passes(m->scope, (u32)(m->snap->states[i].dev >> 32)))
			a->in_flight += m->snap->states[i].in_flight;
	a->hist = io_hist__value(&a->hists[IO_TOTAL], m->arena);
}

static void fill_devices(struct query_builder *m)
{
	enum time_window w = m->query->window;
	bool is_new;

	m->rows = arena__array(m->arena, struct io_row, m->snap->nkinds);
	for (u32 i = 0; i < m->snap->nkinds; i++) {
		const struct io_kind *k = &m->snap->kinds[i];
		struct io_row *r;

		if (!is_shown(m, &k->device) || !(k->sums[w].count || k->sums[w].bytes))
			continue;
		r = row_of(m, kind_key(k, m->query->joined), &is_new);
		if (is_new)
			begin_device(m, r, k);
		io_sums__add(&r->sums, &k->sums[w]);
		for (u32 t = 0; t < TREND_LEN; t++)
			r->trend[t] += k->trend[t];
		for (u32 g = 0; g < IO_STAGES; g++)
			hist_cells__add(((struct io_hist *)&r->hists[g])->n, &k->hists[g], w);
	}
	for (u32 i = 0; i < m->n; i++)
		finish_device(m, &m->rows[i]);
}

/* --- those who use them --- */

/* Its sums are of its host's alone. */
static bool is_rest(const struct io_proc *p, enum io_group by)
{
	return p->who.tgid == IO_MERGED && by != IO_BY_HOST;
}

static u64 proc_key(const struct io_proc *p, enum io_group by)
{
	bool nobodys = io_who__is_nobody(&p->who);
	u64 seed = by + 1 + ((u64)p->who.device.host << 32);

	if (is_rest(p, by) && by != IO_BY_COMM)
		return mix64(seed + 200);
	switch (by) {
	case IO_BY_PID:
		return nobodys ? mix64_pair(seed + 100, p->who.cgroup)
			       : mix64_pair(seed, (u64)p->past << 32 | p->who.tgid);
	case IO_BY_HOST:
		return mix64(seed);
	case IO_BY_COMM: {
		const char *who = io_who__text(&p->who);

		return mix64_pair(by + 1, hash_bytes(who, strlen(who)));
	}
	case IO_BY_CGROUP:
		return mix64_pair(seed, p->who.cgroup);
	default:
		return mix64_pair(mix64_pair(seed, p->who.inode), p->who.inode ? p->who.device.disk : 0);
	}
}

static const char *file_text(struct arena *a, const struct io_proc *p)
{
	char buf[32];

	if (!p->who.inode)
		return "";
	if (*p->who.file)
		return arena__strdup(a, p->who.file);
	snprintf(buf, sizeof(buf), "inode %llu", (unsigned long long)p->who.inode);
	return arena__strdup(a, buf);
}

/* A request has the name of its thread; rows of processes have theirs. */
static const char *proc_name(const struct query_builder *m, const struct io_proc *p)
{
	const char *text = io_who__text(&p->who);
	bool known = m->query->group == IO_BY_PID && !p->past && !p->who.device.host;

	return known ? task__process(m->arena, p->who.tgid, 0, text) : text;
}

static void begin_proc(struct query_builder *m, struct io_row *r, const struct io_proc *p)
{
	enum io_group by = m->query->group;
	bool nobodys = io_who__is_nobody(&p->who);
	u32 pid = by == IO_BY_PID && !nobodys && p->who.tgid != IO_MERGED ? p->who.tgid : 0;

	r->proc = p;
	r->rest = is_rest(p, by);
	r->pid = pid;
	r->host = by == IO_BY_COMM ? NULL : io_device__host(&p->who.device);
	r->pid_text = task__id_text(m->arena, pid);
	r->ended = pid && p->ended;
	r->cmdline = p->past ? NULL : task__cmdline(m->arena, pid, 0);
	r->cgroup_name = task__cgroup_text(m->arena, p->who.cgroup);
	r->devices = arena__strdup(m->arena, p->who.device.name);
	r->files = file_text(m->arena, p);
	if (r->rest)
		r->name = p->who.comm;
	else if (by == IO_BY_CGROUP)
		r->name = r->cgroup_name;
	else if (by == IO_BY_HOST)
		r->name = hosts__name(p->who.device.host);
	else if (by == IO_BY_FILE)
		r->name = *r->files ? r->files : "[no file]";
	else
		r->name = proc_name(m, p);
}

/* A process has its newest name; what is written for it later may be under an older one. */
static bool is_better_label(const struct io_proc *p, const struct io_proc *now)
{
	return p->who.writeback != now->who.writeback ? now->who.writeback : p->latest > now->latest;
}

/* What the members of a row do not have in common is said so. */
static void join_proc(struct query_builder *m, struct io_row *r, const struct io_proc *p)
{
	const char *file;

	if (strcmp(r->devices, p->who.device.name) != 0)
		r->devices = "several";
	if (r->cgroup_name && r->proc->who.cgroup != p->who.cgroup)
		r->cgroup_name = "several";
	if (p->who.inode == r->proc->who.inode || !strcmp(r->files, "several"))
		return;
	file = file_text(m->arena, p);
	if (!*r->files)
		r->files = file;
	else if (*file && strcmp(r->files, file) != 0)
		r->files = "several";
}

static void rename_proc(struct query_builder *m, struct io_row *r, const struct io_proc *p)
{
	if (m->query->group != IO_BY_PID || !is_better_label(p, r->proc))
		return;
	r->proc = p;
	r->name = proc_name(m, p);
}

static bool passes_filter(const struct query_builder *m, const struct io_proc *p)
{
	const struct io_proc_sums *s = &p->sums[m->query->window];

	if (!s->count && !s->bytes)
		return false;
	if (m->query->by_dev && !io__of_device(&p->who.device, m->query->dev))
		return false;
	return io_who__passes(&p->who, p->who.tid, m->scope);
}

static void add_proc(struct query_builder *m, const struct io_proc *p)
{
	const struct io_proc_sums *s = &p->sums[m->query->window];
	struct io_row *r;
	bool is_new;

	r = row_of(m, proc_key(p, m->query->group), &is_new);
	if (is_new)
		begin_proc(m, r, p);
	else
		join_proc(m, r, p);
	rename_proc(m, r, p);
	io_proc_sums__add(&r->proc_sums, s);
	if (p->who.op == IO_READ)
		r->read_bytes += s->bytes;
	if (p->who.op == IO_WRITE)
		r->write_bytes += s->bytes;
	if (p->who.writeback)
		r->writeback_bytes += s->bytes;
}

static void finish_proc(const struct query_builder *m, struct io_row *r)
{
	const struct io_proc_sums *s = &r->proc_sums;

	r->file_text = m->query->group == IO_BY_FILE ? r->name : r->files;
	r->sums.count = s->count;
	r->sums.bytes = s->bytes;
	r->sums.ns[IO_TOTAL] = s->ns;
	r->sums.known[IO_TOTAL] = r->known = s->known;
	r->avg_ns[IO_TOTAL] = s->known ? s->ns / s->known : 0;
	/* Maxima are forgotten before sums have faded. */
	r->percentiles[IO_PERCENTILES - 1] = MAX(s->max_ns, r->avg_ns[IO_TOTAL]);
}

static void fill_procs(struct query_builder *m)
{
	m->rows = arena__array(m->arena, struct io_row, m->snap->nprocs);
	for (u32 i = 0; i < m->snap->nprocs; i++)
		if (passes_filter(m, &m->snap->procs[i]))
			add_proc(m, &m->snap->procs[i]);
	for (u32 i = 0; i < m->n; i++)
		finish_proc(m, &m->rows[i]);
}

/* --- the answer --- */

static int by_count(const void *a, const void *b)
{
	const struct io_row *x = a, *y = b;
	u64 xn = x->sums.count, yn = y->sums.count;
	u64 xb = x->sums.bytes, yb = y->sums.bytes;

	if (xn != yn)
		return xn > yn ? -1 : 1;
	if (xb != yb)
		return xb > yb ? -1 : 1;
	return (x->key > y->key) - (x->key < y->key);
}

static void io_result__free(struct query_result *base)
{
	struct io_result *a = container_of(base, struct io_result, base);

	if (a->heat)
		query_result__free(&a->heat->base);
	query_result__fini(base);
}

static struct heat_result *last_minutes(const struct io_snap *snap, const struct io_query *q)
{
	struct heat_query heat;

	heat_query__init(&heat, &heat_io, q);
	return heat__query_snap(&snap->base, &heat);
}

struct io_result *io__query(const struct io_snap *snap, const struct io_query *q,
			    const struct scope *scope)
{
	struct io_result *a = window_result__new(sizeof(*a), &snap->base, q->window);
	struct query_builder m = {
		.snap = snap, .query = q, .scope = scope, .arena = &a->base.arena, .result = a};

	a->base.free = io_result__free;
	a->query = *q;
	if (q->group == IO_BY_DEVICE)
		fill_devices(&m);
	else
		fill_procs(&m);
	hidx__fini(&m.index);
	add_totals(&m);
	qsort(m.rows, m.n, sizeof(*m.rows), by_count);
	a->rows = m.rows;
	a->nrows = m.n;
	io_result__table(a);
	/* The log is of all hosts. */
	if (q->minutes && !scope__has_label(scope, HOST_LABEL))
		a->heat = last_minutes(snap, q);
	return a;
}
