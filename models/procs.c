// SPDX-License-Identifier: GPL-2.0-only
/* The model of processes: samples in, snapshots out. */
#include "models/procs.h"

#include "models/model.h"
#include "models/snap_box.h"
#include "models/texts.h"
#include "models/windows.h"

#define TEXTS_BYTES (16u << 20)

struct live {
	double decay[PROCS_COUNTS];
	enum procs_part rest; /* where its time goes while nothing is heard of it */
	bool heard;	      /* in the interval that goes on */
	bool drop;
};

struct model {
	struct procs_entry *v; /* n[WINDOW_LAST] is of the interval that goes on */
	struct live *live;     /* of each */
	u32 n, cap, live_cap, ended;
	struct hidx index;
	struct texts texts;
	bool all; /* whoever was not heard of in this interval is gone */
	u64 now_ns, since_ns;
	u64 round_ns;		   /* that this interval's sums are of; 0: not told */
	u64 counted_ns;		   /* that all are of */
	struct window_clock clock; /* of that */
};

/* --- entries --- */

static u64 entry_hash(const struct procs_entry *e)
{
	u64 h = mix64_pair(((u64)e->tgid << 32) | e->tid, e->start_ns + e->process_ns + e->kind);

	if (e->kind == PROCS_BRIEF)
		h = mix64_pair(h ^ e->ppid, hash_bytes(e->comm, strlen(e->comm)));
	return h;
}

static bool same(const struct procs_entry *a, const struct procs_entry *b)
{
	if (a->kind != b->kind || a->tgid != b->tgid || a->tid != b->tid ||
	    a->start_ns != b->start_ns || a->process_ns != b->process_ns)
		return false;
	return a->kind != PROCS_BRIEF || (a->ppid == b->ppid && !strcmp(a->comm, b->comm));
}

static u32 find(const struct model *m, const struct procs_entry *who)
{
	u32 at;

	HIDX_FIND(at, &m->index, entry_hash(who), pos, same(&m->v[pos], who));
	return at;
}

static u32 add(struct model *m, const struct procs_entry *who)
{
	m->v = xgrow(m->v, m->n, &m->cap, sizeof(*m->v));
	m->live = xgrow(m->live, m->n, &m->live_cap, sizeof(*m->live));
	m->v[m->n] = *who;
	m->v[m->n].cmdline = m->v[m->n].user = "";
	m->live[m->n] = (struct live){.rest = PROCS_SLEEP};
	hidx__add(&m->index, entry_hash(who), m->n);
	return m->n++;
}

/* The last place is that of those there is no room for. */
static u32 find_or_add(struct model *m, const struct procs_entry *who)
{
	const struct procs_entry others = {.kind = PROCS_OTHERS, .comm = "[others]"};
	u32 at = find(m, who);

	if (at == HIDX_NONE && m->n >= PROCS_MAX - 1) {
		who = &others;
		at = find(m, who);
	}
	return at == HIDX_NONE ? add(m, who) : at;
}

static void add_sums(struct procs_entry *e, const struct procs_sums *s, u64 starts)
{
	u64 *n = e->n[WINDOW_LAST];

	for (u32 i = 0; i < PROCS_PARTS; i++)
		n[i] += s->part_ns[i];
	n[PROCS_MINOR] += s->minor_faults;
	n[PROCS_MAJOR] += s->major_faults;
	n[PROCS_READ] += s->read_bytes;
	n[PROCS_WRITTEN] += s->write_bytes;
	n[PROCS_STARTS] += starts;
}

/* What `from` did is `to`'s from now on. */
static void merge(struct model *m, u32 to, u32 from)
{
	struct procs_entry *a = &m->v[to], *b = &m->v[from];

	for (u32 c = 0; c < PROCS_COUNTS; c++) {
		a->n[WINDOW_LAST][c] += b->n[WINDOW_LAST][c];
		a->n[WINDOW_TOTAL][c] += b->n[WINDOW_TOTAL][c];
		m->live[to].decay[c] += m->live[from].decay[c];
	}
	memset(b->n, 0, sizeof(b->n));
	memset(m->live[from].decay, 0, sizeof(m->live[from].decay));
	m->live[from].drop = true;
}

/* --- samples --- */

static enum procs_kind kind_of(const struct procs_sample *s)
{
	if (s->event == PROCS_SHORT)
		return PROCS_BRIEF;
	return s->event == PROCS_THREADS ? PROCS_ENDED_THREADS : PROCS_THREAD;
}

static struct procs_entry who_of(const struct procs_sample *s)
{
	struct procs_entry who = {
		.kind = kind_of(s),
		.tgid = s->tgid,
		.tid = s->tid,
		.ppid = s->ppid,
		.start_ns = s->event == PROCS_SHORT || s->event == PROCS_THREADS ? 0 : s->start_ns,
		.process_ns = s->event == PROCS_SHORT ? 0 : s->process_ns,
	};

	copy_str(who.comm, sizeof(who.comm), s->comm);
	return who;
}

static const char *intern(struct model *m, const char *have, const char *text)
{
	return !strcmp(have, text) ? have : texts__intern(&m->texts, text);
}

static void take_state(struct model *m, u32 at, const struct procs_sample *s)
{
	struct procs_entry *e = &m->v[at];

	e->ppid = s->ppid;
	e->uid = s->uid;
	e->cgroup = s->cgroup;
	e->rss_bytes = s->rss_bytes;
	e->fds = s->fds;
	e->nthreads = s->nthreads;
	e->policy = s->policy;
	e->rt_priority = s->rt_priority;
	e->nice = s->nice;
	e->flags = s->flags;
	e->state = (char)s->state;
	e->unsplit = s->unsplit;
	copy_str(e->comm, sizeof(e->comm), s->comm);
	copy_str(e->parent_comm, sizeof(e->parent_comm), s->parent_comm);
	e->user = intern(m, e->user, s->user ? s->user : "");
	/* A zombie has none any more; it keeps what it had. */
	if (s->cmdline && *s->cmdline)
		e->cmdline = intern(m, e->cmdline, s->cmdline);
	m->live[at].rest = s->rest;
}

/* A thread's sums go to those of its process that ended; a process stays for a while. */
static void end_entry(struct model *m, u32 at, const struct procs_sample *s)
{
	struct procs_entry *e = &m->v[at];
	struct procs_entry brief = {.kind = PROCS_BRIEF, .ppid = s->ppid};
	struct procs_entry threads = {
		.kind = PROCS_ENDED_THREADS, .tgid = s->tgid, .process_ns = s->process_ns};

	if (!e->ended_ns)
		m->ended++;
	e->ended_ns = MAX(m->now_ns, 1ULL);
	e->state = 'X';
	if (s->is_short)
		copy_str(brief.comm, sizeof(brief.comm), s->comm);
	else if (s->tid == s->tgid)
		return;
	else
		copy_str(threads.comm, sizeof(threads.comm), s->comm);
	m->ended--;
	merge(m, find_or_add(m, s->is_short ? &brief : &threads), at);
}

static void procs__consume(struct model *m, const struct sample *sample)
{
	const struct procs_sample *s = container_of(sample, struct procs_sample, head);
	struct procs_entry who;
	u32 at;

	if (sample->type != SAMPLE_PROCS)
		return;
	if (s->event == PROCS_ALL) {
		m->all = true;
		return;
	}
	if (s->event == PROCS_ROUND) {
		m->round_ns += s->start_ns;
		return;
	}
	who = who_of(s);
	at = find(m, &who);
	if (at != HIDX_NONE && m->live[at].drop)
		return;
	if (s->event == PROCS_NAMED) {
		if (at != HIDX_NONE && *s->cmdline)
			m->v[at].cmdline = intern(m, m->v[at].cmdline, s->cmdline);
		return;
	}
	if (at == HIDX_NONE)
		at = find_or_add(m, &who);
	m->live[at].heard = true;
	add_sums(&m->v[at], &s->sums, s->starts);
	if (m->v[at].kind == PROCS_OTHERS)
		return;
	/* What it had stays to be seen. */
	if (s->event != PROCS_ENDED || !*m->v[at].user)
		take_state(m, at, s);
	if (s->event == PROCS_ENDED)
		end_entry(m, at, s);
	else if (s->event == PROCS_IS && m->v[at].ended_ns) {
		m->v[at].ended_ns = 0; /* a zombie */
		m->ended--;
	}
}

/* --- intervals --- */

static void end_sums(struct procs_entry *e, struct live *l, double keep)
{
	for (u32 c = 0; c < PROCS_COUNTS; c++) {
		e->n[WINDOW_TOTAL][c] += e->n[WINDOW_LAST][c];
		if (!e->n[WINDOW_LAST][c] && l->decay[c] == 0)
			continue;
		l->decay[c] = window__decay(l->decay[c], keep, (double)e->n[WINDOW_LAST][c]);
		e->n[WINDOW_DECAY][c] = (u64)(l->decay[c] + 0.5);
	}
}

/* Whoever lives, but was not heard of: it went on as it did, or it is gone. */
static void end_unheard(struct model *m, u32 i, u64 dt)
{
	struct procs_entry *e = &m->v[i];

	if (e->kind != PROCS_THREAD || e->ended_ns || m->live[i].heard)
		return;
	if (m->all || e->state == 'Z')
		m->live[i].drop = true;
	else
		e->n[WINDOW_LAST][m->live[i].rest] += dt;
}

/* Whether an entry is of no use any more once its interval was shown. */
static bool is_over(const struct model *m, u32 i)
{
	const struct procs_entry *e = &m->v[i];

	if (m->live[i].drop)
		return true;
	return e->ended_ns && m->ended > PROCS_MAX_ENDED &&
	       e->ended_ns + PROCS_ENDED_NS < m->now_ns;
}

/* The place of an entry among those that are kept; what stood between is over. */
static void keep_entry(struct model *m, u32 i, u32 kept)
{
	if (kept == i)
		return;
	m->v[kept] = m->v[i];
	m->live[kept] = m->live[i];
}

static void set_kept(struct model *m, u32 kept)
{
	if (kept == m->n)
		return;
	m->n = kept;
	hidx__clear(&m->index);
	for (u32 i = 0; i < m->n; i++)
		hidx__add(&m->index, entry_hash(&m->v[i]), i);
}

/* Each entry is passed once: they are more than the CPU's caches hold. `out` has them as they are shown. */
static void end_interval(struct model *m, double keep, u64 dt, struct procs_entry *out)
{
	u32 kept = 0;

	for (u32 i = 0; i < m->n; i++) {
		struct procs_entry *e = &m->v[i];

		end_unheard(m, i, dt);
		end_sums(e, &m->live[i], keep);
		m->live[i].heard = false;
		out[i] = *e;
		memset(e->n[WINDOW_LAST], 0, sizeof(e->n[WINDOW_LAST]));
		if (is_over(m, i))
			m->ended -= e->ended_ns && !m->live[i].drop;
		else
			keep_entry(m, i, kept++);
	}
	set_kept(m, kept);
	m->all = false;
}

/* Before anything of the next interval is interned: what nobody uses any more goes. */
static void trim_texts(struct model *m)
{
	struct stack_store *old;

	if (m->texts.bytes < TEXTS_BYTES)
		return;
	texts__renew(&m->texts, &old);
	for (u32 i = 0; i < m->n; i++) {
		m->v[i].cmdline = texts__intern(&m->texts, m->v[i].cmdline);
		m->v[i].user = texts__intern(&m->texts, m->v[i].user);
	}
	stack_store__put(old);
}

static struct snap *procs__tick(struct model *m, u64 t0_ns, u64 t1_ns)
{
	struct arena *arena;
	struct procs_snap *snap = snap_box__new(sizeof(*snap), t0_ns, t1_ns, &arena);
	u64 from = m->counted_ns, dt = m->round_ns ? m->round_ns : t1_ns - t0_ns;
	struct procs_entry *out;

	if (!m->clock.begun)
		m->since_ns = t0_ns;
	m->counted_ns += dt;
	m->round_ns = 0;
	m->now_ns = t1_ns;
	snap->since_ns = m->since_ns;
	snap->n = m->n;
	out = arena__take(arena, m->n * sizeof(*out));
	end_interval(m, window_clock__advance(&m->clock, from, m->counted_ns, snap->window_ns), dt,
		     out);
	snap->v = out;
	stack_store__hold(m->texts.store, snap);
	trim_texts(m);
	return &snap->base;
}

/* Who is there stays known: it need not be reported again. */
static void procs__zero(struct model *m)
{
	u32 kept = 0;

	for (u32 i = 0; i < m->n; i++) {
		memset(m->v[i].n, 0, sizeof(m->v[i].n));
		memset(m->live[i].decay, 0, sizeof(m->live[i].decay));
		if (m->v[i].kind == PROCS_THREAD && !m->v[i].ended_ns && !m->live[i].drop)
			keep_entry(m, i, kept++);
	}
	set_kept(m, kept);
	m->ended = 0;
	m->round_ns = m->counted_ns = 0;
	m->clock = (struct window_clock){0};
}

static struct model *procs__new(struct symbols *symbols)
{
	struct model *m = xcalloc(1, sizeof(*m));

	texts__init(&m->texts);
	return m;
}

static void procs__free(struct model *m)
{
	free(m->v);
	free(m->live);
	hidx__fini(&m->index);
	texts__fini(&m->texts);
	free(m);
}

static size_t procs__memory(const struct model *m)
{
	return sizeof(*m) + m->cap * sizeof(*m->v) + m->live_cap * sizeof(*m->live) +
	       m->texts.bytes + hidx__bytes(&m->index);
}

const struct model_ops model_procs = {
	.name = "procs",
	.view = "procs",
	.new = procs__new,
	.free = procs__free,
	.consume = procs__consume,
	.tick = procs__tick,
	.zero = procs__zero,
	.memory = procs__memory,
};
