// SPDX-License-Identifier: GPL-2.0-only
/* Rows of processes, threads or groups of them. */
#include "models/procs_rows.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/cgroup.h"
#include "models/task_text.h"

/* Intervals end some milliseconds before or after the visit to a thread: what is that near a whole
 * number of threads is one. */
#define NEARLY 0.08

const char *const procs_group_names[PROCS_GROUPS] = {"pid",  "tid",    "comm",
						     "user", "cgroup", "container"};

struct namer {
	struct arena *arena;
	struct hidx index;
	struct known_cgroup {
		u64 id;
		const char *name, *container;
	} * v;
	u32 n, cap;
};

struct query_builder {
	struct procs_result *a;
	struct procs_row *rows;
	u32 n;
	struct hidx index;
	struct hidx starters; /* of short processes: those that live, of a tree those that are there */
	struct namer namer;
};

/* --- names --- */

static const struct known_cgroup *cgroup_of(struct namer *namer, u64 id)
{
	char container[64];
	const char *name;
	u32 at;

	HIDX_FIND(at, &namer->index, mix64(id), pos, namer->v[pos].id == id);
	if (at != HIDX_NONE)
		return &namer->v[at];
	name = task__cgroup_text(namer->arena, id);
	procs__container(name, container, sizeof(container));
	namer->v = xgrow(namer->v, namer->n, &namer->cap, sizeof(*namer->v));
	namer->v[namer->n] =
		(struct known_cgroup){id, name, arena__strdup(namer->arena, container)};
	hidx__add(&namer->index, mix64(id), namer->n);
	return &namer->v[namer->n++];
}

/* Right-aligned, so that text sorts as the numbers do. */
static void write_id(char out[12], u32 id, int width)
{
	int i = width;

	memset(out, ' ', (size_t)width);
	out[width] = '\0';
	do {
		out[--i] = (char)('0' + id % 10);
		id /= 10;
	} while (id && i);
}

static const char *format(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
static const char *format(struct arena *a, const char *fmt, ...)
{
	char buf[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	return arena__strdup(a, buf);
}

static const char *brief_name(struct arena *a, const struct procs_row *r)
{
	const struct procs_entry *e = r->e;

	if (!e->ppid)
		return format(a, "%s: %llu ended soon", e->comm,
			      (unsigned long long)r->n[PROCS_STARTS]);
	if (r->nstarters > 1)
		return format(a, "%llu × %s, started by %u × %s", (unsigned long long)r->n[PROCS_STARTS],
			      e->comm, r->nstarters, e->parent_comm);
	return format(a, "%llu × %s, started by %s/%u", (unsigned long long)r->n[PROCS_STARTS],
		      e->comm, e->parent_comm, e->ppid);
}

/* Where a program lies says less than which it is. */
static const char *without_folders(const char *cmdline)
{
	size_t len = strcspn(cmdline, " "), at = len;

	if (*cmdline != '/')
		return cmdline;
	while (at && cmdline[at - 1] != '/')
		at--;
	return at < len ? cmdline + at : cmdline;
}

static const char *process_name(struct arena *a, const struct procs_row *r)
{
	const struct procs_entry *e = r->e;

	if (e->kind == PROCS_BRIEF)
		return brief_name(a, r);
	if (e->kind == PROCS_ENDED_THREADS)
		return format(a, "[ended threads of %u]", e->tgid);
	if (e->state == 'Z')
		return format(a, "%s <zombie>", e->comm);
	if (e->flags & PROCS_KTHREAD)
		return format(a, "[%s]", e->comm);
	return *e->cmdline && e->tid == e->tgid ? without_folders(e->cmdline) : e->comm;
}

static const char *group_name(const struct procs_result *a, const struct procs_row *r)
{
	switch (a->query.group) {
	case PROCS_BY_COMM:
		return r->e->comm;
	case PROCS_BY_USER:
		return *r->e->user ? r->e->user : "[unknown]";
	case PROCS_BY_CGROUP:
		return r->cgroup_name;
	default:
		return *r->container ? r->container : "[no container]";
	}
}

static bool by_process(const struct procs_result *a)
{
	return a->query.group <= PROCS_BY_TID;
}

static void name_row(struct query_builder *k, struct procs_row *r)
{
	const struct known_cgroup *g = cgroup_of(&k->namer, r->e->cgroup);

	r->cgroup_name = g->name;
	r->container = g->container;
	if (by_process(k->a) && r->e->kind == PROCS_THREAD) {
		write_id(r->pid_text, r->e->tgid, 7);
		write_id(r->tid_text, r->e->tid, 7);
	}
	r->name = by_process(k->a) ? process_name(k->namer.arena, r) : group_name(k->a, r);
	r->text = r->name;
	if (k->a->query.group == PROCS_BY_TID && r->e->kind == PROCS_THREAD)
		r->thread_name = task__thread_name(k->namer.arena, r->e->tgid, r->e->tid,
						   k->a->base.snap->t1_ns);
}

/* --- adding up --- */

static u64 text_key(const char *text)
{
	return hash_bytes(text, strlen(text)) | 1;
}

/* Starters that have ended, too, are as many in a build as what they started: together where they have one name. */
static u64 brief_key(const struct query_builder *k, const struct procs_entry *e)
{
	u64 comm = text_key(e->comm);

	if (hidx__has(&k->starters, mix64(e->ppid)))
		return mix64_pair(comm, e->ppid) | 1;
	return mix64_pair(comm, text_key(e->parent_comm)) | 1;
}

static u64 key_of(struct query_builder *k, const struct procs_entry *e)
{
	u64 kind = e->kind == PROCS_ENDED_THREADS && k->a->query.group == PROCS_BY_PID
			   ? PROCS_THREAD
			   : e->kind;

	switch (k->a->query.group) {
	case PROCS_BY_COMM:
		return text_key(e->comm);
	case PROCS_BY_USER:
		return text_key(e->user);
	case PROCS_BY_CGROUP:
		return mix64(e->cgroup) | 1;
	case PROCS_BY_CONTAINER:
		return text_key(cgroup_of(&k->namer, e->cgroup)->container);
	default:
		break;
	}
	if (e->kind == PROCS_BRIEF)
		return brief_key(k, e);
	if (k->a->query.group == PROCS_BY_PID)
		return mix64_pair(e->tgid, e->process_ns + kind) | 1;
	return mix64_pair(((u64)e->tgid << 32) | e->tid, e->start_ns + kind) | 1;
}

static u64 cpu_of(const u64 *n)
{
	return n[PROCS_USER] + n[PROCS_SYSTEM];
}

static bool leads(const struct procs_entry *e)
{
	return e->kind == PROCS_THREAD && e->tid == e->tgid;
}

/* A row shows one of its members: a process its first thread, even when another did more. */
static bool is_better(const struct procs_result *a, const struct procs_entry *e, u64 cpu_ns,
		      const struct procs_row *than)
{
	if (a->query.group == PROCS_BY_PID && leads(e) != leads(than->e))
		return leads(e);
	return cpu_ns > than->most_ns;
}

static void add_state(struct procs_result *a, const struct procs_entry *e)
{
	if (e->kind != PROCS_THREAD || e->ended_ns)
		return;
	a->nthreads++;
	a->nprocs += leads(e);
	a->running += e->state == 'R';
	a->blocked += e->state == 'D';
	a->zombies += e->state == 'Z';
}

static void add_entry(struct procs_result *a, struct procs_row *r, const struct procs_entry *e,
		      const u64 *n)
{
	bool lives = e->kind == PROCS_THREAD && !e->ended_ns;

	if (!r->e || is_better(a, e, cpu_of(n), r)) {
		r->e = e;
		r->most_ns = cpu_of(n);
	}
	for (u32 c = 0; c < PROCS_COUNTS; c++) {
		r->n[c] += n[c];
		a->n[c] += n[c];
	}
	r->nstarters += e->kind == PROCS_BRIEF;
	r->nthreads += lives;
	r->nprocs += lives && leads(e);
	r->unsplit |= e->unsplit;
	r->has_io |= e->flags & PROCS_HAS_IO;
	if (!lives && r->e != e)
		return;
	if (e->flags & PROCS_HAS_RSS) {
		r->has_rss = true;
		r->rss_bytes += e->rss_bytes;
	}
	if (e->flags & PROCS_HAS_FDS) {
		r->has_fds = true;
		r->fds += e->fds;
	}
}

static bool did_anything(const u64 *n)
{
	u64 any = 0;

	for (u32 c = 0; c < PROCS_COUNTS; c++)
		any |= n[c];
	return any;
}

/* What lives is shown whatever it did; what ended, where it did something lately. */
static bool passes_filter(const struct procs_result *a, const struct procs_entry *e, const u64 *n,
			  const struct scope *scope)
{
	u64 now = a->base.snap->t1_ns;

	if (e->kind == PROCS_BRIEF ? !n[PROCS_STARTS] : e->kind != PROCS_THREAD && !did_anything(n))
		return false;
	if (e->ended_ns && !did_anything(n))
		return false;
	if (e->ended_ns && a->query.window == WINDOW_DECAY && e->ended_ns + PROCS_ENDED_NS < now)
		return false;
	return task__passes(scope, e->tgid, e->tid, e->cgroup, e->comm) &&
	       scope__thread(scope, e->flags & PROCS_KTHREAD);
}

static struct procs_row *row_of(struct query_builder *k, const struct procs_entry *e)
{
	u64 key = key_of(k, e);
	u32 at;

	HIDX_FIND(at, &k->index, key, pos, k->rows[pos].key == key);
	if (at != HIDX_NONE)
		return &k->rows[at];
	hidx__add(&k->index, key, k->n);
	k->rows[k->n] = (struct procs_row){.key = key};
	return &k->rows[k->n++];
}

/* --- shares --- */

static void set_shares(const struct procs_result *a, struct procs_row *r)
{
	double window = (double)MAX(a->window_ns, 1ULL), wall = 0, whole, scale = 1;

	for (u32 p = 0; p < PROCS_PARTS; p++)
		wall += (double)r->n[p];
	r->threads = wall / window;
	whole = (double)(u64)(r->threads + 0.5);
	if (whole >= 1 && r->threads > whole * (1 - NEARLY) && r->threads < whole * (1 + NEARLY)) {
		scale = whole / r->threads;
		r->threads = whole;
	}
	for (u32 p = 0; p < PROCS_PARTS; p++) {
		if (!r->n[p]) /* most of most, and divisions take long */
			continue;
		r->pct[p] = (double)r->n[p] * 100 * scale / window;
		r->split[p] = (float)((double)r->n[p] / wall);
	}
}

/* As the column has it. */
static double cpu_pct(const struct procs_row *r)
{
	return r->pct[PROCS_USER] + r->pct[PROCS_SYSTEM];
}

static bool is_busy(const u64 *n)
{
	return cpu_of(n) || n[PROCS_STARTS];
}

static int by_cpu(const void *x, const void *y)
{
	const struct procs_row *a = x, *b = y;
	double i = cpu_pct(a), j = cpu_pct(b);

	if (i != j)
		return i < j ? 1 : -1;
	if (a->n[PROCS_STARTS] != b->n[PROCS_STARTS])
		return a->n[PROCS_STARTS] < b->n[PROCS_STARTS] ? 1 : -1;
	if (a->e->tgid != b->e->tgid)
		return a->e->tgid < b->e->tgid ? -1 : 1;
	return a->key < b->key ? -1 : a->key > b->key;
}

static void find_starters(struct query_builder *k, const struct procs_snap *snap)
{
	struct hidx all = {0};

	for (u32 i = 0; i < snap->n; i++) {
		const struct procs_entry *e = procs_snap__entry(snap, i);

		if (e->kind == PROCS_BRIEF)
			hidx__put(&all, mix64(e->ppid));
	}
	for (u32 i = 0; i < snap->n && all.slots; i++) {
		const struct procs_entry *e = procs_snap__entry(snap, i);

		if (leads(e) && (k->a->query.tree || !e->ended_ns) && hidx__has(&all, mix64(e->tgid)))
			hidx__put(&k->starters, mix64(e->tgid));
	}
	hidx__fini(&all);
}

/* Those that did something come first, so that the others, which are most, need not be moved. */
static void add_entries(struct query_builder *k, const struct procs_snap *snap,
			const struct scope *scope, bool busy)
{
	u64 n[PROCS_COUNTS];

	for (u32 i = 0; i < snap->n; i++) {
		const struct procs_entry *e = procs_snap__entry(snap, i);

		if (e->kind == PROCS_FREE)
			continue;
		procs_entry__counts(snap, e, k->a->query.window, n);
		if (is_busy(n) != busy || !passes_filter(k->a, e, n, scope))
			continue;
		add_state(k->a, e);
		add_entry(k->a, row_of(k, e), e, n);
	}
}

void procs_rows__make(struct procs_box *box, const struct scope *scope)
{
	struct procs_result *a = &box->result;
	const struct procs_snap *snap = container_of(a->base.snap, struct procs_snap, base);
	struct query_builder k = {.a = a, .namer.arena = &box->arena};
	u32 nbusy;

	k.rows = arena__take(&box->arena, snap->n * sizeof(*k.rows));
	find_starters(&k, snap);
	add_entries(&k, snap, scope, true);
	nbusy = k.n;
	add_entries(&k, snap, scope, false);
	for (u32 i = 0; i < k.n; i++) {
		name_row(&k, &k.rows[i]);
		set_shares(a, &k.rows[i]);
	}
	if (nbusy)
		qsort(k.rows, nbusy, sizeof(*k.rows), by_cpu);
	if (a->query.tree && a->query.group == PROCS_BY_PID)
		procs_tree__order(k.rows, k.n, &box->arena);
	a->rows = k.rows;
	a->nrows = k.n;
	hidx__fini(&k.index);
	hidx__fini(&k.starters);
	hidx__fini(&k.namer.index);
	free(k.namer.v);
}

/* --- containers --- */

#define ID_DIGITS 64
#define ID_SHOWN  12

static bool is_id(const char *s)
{
	return strspn(s, "0123456789abcdef") >= ID_DIGITS;
}

/* The word before the id: "docker-", "cri-containerd-", "docker/". */
static void engine_of(const char *path, const char *id, char *buf, size_t size)
{
	const char *end = id, *begin;

	while (end > path && (end[-1] == '-' || end[-1] == '/'))
		end--;
	begin = end;
	while (begin > path && begin[-1] != '/')
		begin--;
	snprintf(buf, size, "%.*s", (int)(end - begin), begin);
	if (!strncmp(buf, "pod", 3) || !strncmp(buf, "kubepods", 8))
		copy_str(buf, size, "pod");
}

static const char *after(const char *path, const char *word)
{
	const char *at = strstr(path, word);

	return at ? at + strlen(word) : NULL;
}

const char *procs__container(const char *cgroup, char *buf, size_t size)
{
	const char *at;
	char engine[24];

	*buf = '\0';
	for (at = cgroup; *at; at++) {
		if ((at > cgroup && (at[-1] == '/' || at[-1] == '-')) && is_id(at)) {
			engine_of(cgroup, at, engine, sizeof(engine));
			snprintf(buf, size, "%s%s%.*s", engine, *engine ? " " : "", ID_SHOWN, at);
			return buf;
		}
	}
	at = after(cgroup, "/lxc.payload.");
	at = at ? at : after(cgroup, "/lxc/");
	at = at ? at : after(cgroup, "/machine.slice/machine-");
	if (at)
		snprintf(buf, size, "%.*s", (int)MIN(strcspn(at, "/"), size - 1), at);
	return buf;
}
