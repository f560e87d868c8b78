// SPDX-License-Identifier: GPL-2.0-only
/* The model of processes: samples in, snapshots out. */
#include "models/procs.h"

#include "models/model.h"
#include "models/procs_entries.h"
#include "models/snap_box.h"
#include "models/texts.h"
#include "models/windows.h"

#define TEXTS_BYTES (16u << 20)

/* What each interval has to look at of an entry; the rest lies where whoever rests is not met. */
struct live {
	u32 hash;
	bool heard; /* in the interval that goes on: `last` is of it */
	bool drop, free;
	bool lives; /* a thread that has not ended */
	bool ended, zombie;
};

struct model {
	struct procs_entries all;
	struct live *live; /* of each */
	u32 *free;	   /* places of nobody */
	u32 live_cap, nfree, free_cap, ended;
	struct hidx index;
	struct texts texts;
	size_t texts_kept; /* bytes of those that were in use when it was renewed last */
	bool all_reported; /* whoever was not heard of in this interval is gone */
	u64 now_ns, since_ns;
	u64 round_ns;		   /* that this interval's sums are of; 0: not told */
	struct procs_now now;	   /* that all are of */
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

	HIDX_FIND(at, &m->index, entry_hash(who), pos, same(procs_entries__at(&m->all, pos), who));
	return at;
}

static u32 free_place(struct model *m)
{
	u32 at;

	if (m->nfree)
		return m->free[--m->nfree];
	at = procs_entries__add(&m->all);
	m->live = xgrow(m->live, at, &m->live_cap, sizeof(*m->live));
	return at;
}

static u32 add(struct model *m, const struct procs_entry *who)
{
	u32 at = free_place(m);
	struct procs_entry *e = procs_entries__write(&m->all, at);
	u64 hash = entry_hash(who);

	*e = *who;
	e->cmdline = e->user = "";
	e->rest = PROCS_PARTS;
	e->as_of_ns = m->now.counted_ns;
	e->decay_ns = m->now.decay_ns;
	m->live[at] = (struct live){.hash = (u32)hash, .lives = e->kind == PROCS_THREAD};
	hidx__add(&m->index, hash, at);
	return at;
}

/* The last place is that of those there is no room for. */
static u32 find_or_add(struct model *m, const struct procs_entry *who)
{
	const struct procs_entry others = {.kind = PROCS_OTHERS, .comm = "[others]"};
	u32 at = find(m, who);

	if (at == HIDX_NONE && m->all.n - m->nfree >= PROCS_MAX - 1) {
		who = &others;
		at = find(m, who);
	}
	return at == HIDX_NONE ? add(m, who) : at;
}

/* To be written, with `last` of the interval that goes on. */
static struct procs_entry *hear(struct model *m, u32 at)
{
	struct procs_entry *e = procs_entries__write(&m->all, at);

	if (m->live[at].heard)
		return e;
	m->live[at].heard = true;
	procs_entry__settle(e, &m->now);
	memset(e->last, 0, sizeof(e->last));
	return e;
}

static void add_sums(struct procs_entry *e, const struct procs_sums *s, u64 starts)
{
	u64 *n = e->last;

	for (u32 i = 0; i < PROCS_PARTS; i++)
		n[i] += s->part_ns[i];
	n[PROCS_MINOR] += s->minor_faults;
	n[PROCS_MAJOR] += s->major_faults;
	n[PROCS_READ] += s->read_bytes;
	n[PROCS_WRITTEN] += s->write_bytes;
	n[PROCS_STARTS] += starts;
}

static void zero_sums(struct procs_entry *e)
{
	memset(e->last, 0, sizeof(e->last));
	memset(e->total, 0, sizeof(e->total));
	memset(e->decay, 0, sizeof(e->decay));
}

/* What `from` did is `to`'s from now on. */
static void merge(struct model *m, u32 to, u32 from)
{
	struct procs_entry *a = hear(m, to), *b = hear(m, from);

	for (u32 c = 0; c < PROCS_COUNTS; c++) {
		a->last[c] += b->last[c];
		a->total[c] += b->total[c];
		a->decay[c] += b->decay[c];
	}
	zero_sums(b);
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
	struct procs_entry *e = hear(m, at);

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
	m->live[at].zombie = e->state == 'Z';
	if (e->kind == PROCS_THREAD)
		e->rest = s->rest;
}

static void set_ended(struct model *m, u32 at, bool ended)
{
	m->ended += ended - m->live[at].ended;
	m->live[at].ended = ended;
	m->live[at].lives = !ended;
}

/* A thread's sums go to those of its process that ended; a process stays for a while. */
static void end_entry(struct model *m, u32 at, const struct procs_sample *s)
{
	struct procs_entry *e = hear(m, at);
	struct procs_entry brief = {.kind = PROCS_BRIEF, .ppid = s->ppid};
	struct procs_entry threads = {
		.kind = PROCS_ENDED_THREADS, .tgid = s->tgid, .process_ns = s->process_ns};

	set_ended(m, at, true);
	e->ended_ns = MAX(m->now_ns, 1ULL);
	e->state = 'X';
	e->rest = PROCS_PARTS;
	if (s->is_short)
		copy_str(brief.comm, sizeof(brief.comm), s->comm);
	else if (s->tid == s->tgid)
		return;
	else
		copy_str(threads.comm, sizeof(threads.comm), s->comm);
	set_ended(m, at, false);
	m->live[at].lives = false;
	merge(m, find_or_add(m, s->is_short ? &brief : &threads), at);
}

static void take_name(struct model *m, u32 at, const char *cmdline)
{
	struct procs_entry *e;

	if (at == HIDX_NONE || !*cmdline)
		return;
	e = procs_entries__write(&m->all, at);
	e->cmdline = intern(m, e->cmdline, cmdline);
}

static void take_sums(struct model *m, u32 at, const struct procs_sample *s)
{
	struct procs_entry *e = hear(m, at);

	add_sums(e, &s->sums, s->starts);
	if (e->kind == PROCS_OTHERS)
		return;
	/* What it had stays to be seen. */
	if (s->event != PROCS_ENDED || !*e->user)
		take_state(m, at, s);
	if (s->event == PROCS_ENDED) {
		end_entry(m, at, s);
	} else if (s->event == PROCS_IS && e->ended_ns) { /* a zombie */
		e->ended_ns = 0;
		set_ended(m, at, false);
	}
}

static void consume_entry(struct model *m, const struct procs_sample *s)
{
	struct procs_entry who = who_of(s);
	u32 at = find(m, &who);

	if (at != HIDX_NONE && m->live[at].drop)
		return;
	if (s->event == PROCS_NAMED)
		take_name(m, at, s->cmdline);
	else
		take_sums(m, at == HIDX_NONE ? find_or_add(m, &who) : at, s);
}

static void procs__consume(struct model *m, const struct sample *sample)
{
	const struct procs_sample *s = container_of(sample, struct procs_sample, head);

	if (sample->type != SAMPLE_PROCS)
		return;
	if (s->event == PROCS_ALL)
		m->all_reported = true;
	else if (s->event == PROCS_ROUND)
		m->round_ns += s->start_ns;
	else
		consume_entry(m, s);
}

/* --- intervals --- */

/* What was heard of in it is brought to its end; the others went on as they did. */
static void end_sums(struct model *m, u32 at, double keep)
{
	struct procs_entry *e = procs_entries__write(&m->all, at);

	for (u32 c = 0; c < PROCS_COUNTS; c++) {
		e->total[c] += e->last[c];
		e->decay[c] = window__decay(e->decay[c], keep, (double)e->last[c]);
	}
	e->as_of_ns = m->now.counted_ns;
	e->decay_ns = m->now.decay_ns;
}

/* It ended unseen: nobody knows what it did in this interval; before it went on as it did. */
static void set_gone(struct model *m, u32 at, const struct procs_now *before)
{
	struct procs_entry *e = procs_entries__write(&m->all, at);

	procs_entry__settle(e, before);
	e->rest = PROCS_PARTS;
	m->live[at].drop = true;
}

static void end_interval(struct model *m, double keep, const struct procs_now *before)
{
	for (u32 i = 0; i < m->all.n; i++) {
		struct live *l = &m->live[i];

		if (l->heard)
			end_sums(m, i, keep);
		else if (l->lives && (m->all_reported || l->zombie))
			set_gone(m, i, before);
		l->heard = false;
	}
	m->all_reported = false;
}

/* Whether an entry is of no use any more once its interval was shown. */
static bool is_over(const struct model *m, u32 i)
{
	const struct live *l = &m->live[i];

	if (l->drop)
		return true;
	return l->ended && m->ended > PROCS_MAX_ENDED &&
	       procs_entries__at(&m->all, i)->ended_ns + PROCS_ENDED_NS < m->now_ns;
}

/* Places stay where they are, so that pages do, too; those of nobody are taken first. */
static void set_free(struct model *m, u32 i)
{
	struct procs_entry *e = procs_entries__write(&m->all, i);

	m->ended -= m->live[i].ended;
	memset(e, 0, sizeof(*e));
	e->kind = PROCS_FREE;
	m->live[i] = (struct live){.free = true};
}

static void list_free(struct model *m)
{
	u32 n = m->all.n;

	while (n && m->live[n - 1].free)
		n--;
	procs_entries__truncate(&m->all, n);
	m->nfree = 0;
	hidx__clear(&m->index);
	for (u32 i = n; i-- > 0;) {
		if (!m->live[i].free) {
			hidx__add(&m->index, m->live[i].hash, i);
			continue;
		}
		m->free = xgrow(m->free, m->nfree, &m->free_cap, sizeof(*m->free));
		m->free[m->nfree++] = i;
	}
}

static void drop_over(struct model *m, bool (*over)(const struct model *m, u32 i))
{
	bool any = false;

	for (u32 i = 0; i < m->all.n; i++) {
		if (m->live[i].free || !over(m, i))
			continue;
		set_free(m, i);
		any = true;
	}
	if (any)
		list_free(m);
}

/* Before anything of the next interval is interned: what nobody uses any more goes. */
static void trim_texts(struct model *m)
{
	struct stack_store *old;

	if (m->texts.bytes < MAX(TEXTS_BYTES, 2 * m->texts_kept))
		return;
	texts__renew(&m->texts, &old);
	for (u32 i = 0; i < m->all.n; i++) {
		struct procs_entry *e;

		if (procs_entries__at(&m->all, i)->kind == PROCS_FREE)
			continue;
		e = procs_entries__write(&m->all, i);
		e->cmdline = texts__intern(&m->texts, e->cmdline);
		e->user = texts__intern(&m->texts, e->user);
	}
	m->texts_kept = m->texts.bytes;
	stack_store__put(old);
}

static struct snap *procs__tick(struct model *m, u64 t0_ns, u64 t1_ns)
{
	struct arena *arena;
	struct procs_snap *snap = snap_box__new(sizeof(*snap), t0_ns, t1_ns, &arena);
	const struct procs_now before = m->now;
	u64 from = before.counted_ns, dt = m->round_ns ? m->round_ns : t1_ns - t0_ns;
	double keep;

	if (!m->clock.begun)
		m->since_ns = t0_ns;
	keep = window_clock__advance(&m->clock, from, from + dt, snap->window_ns);
	m->now = (struct procs_now){from + dt, m->clock.decay_ns};
	m->round_ns = 0;
	m->now_ns = t1_ns;
	end_interval(m, keep, &before);
	snap->since_ns = m->since_ns;
	snap->now = m->now;
	snap->n = m->all.n;
	snap->pages = procs_entries__share(&m->all);
	snap_box__hold(snap, procs_pages__put, (void *)snap->pages);
	stack_store__hold(m->texts.store, snap);
	drop_over(m, is_over);
	trim_texts(m);
	return &snap->base;
}

static bool is_no_thread(const struct model *m, u32 i)
{
	return !m->live[i].lives || m->live[i].drop;
}

/* Who is there stays known: it need not be reported again. */
static void procs__zero(struct model *m)
{
	drop_over(m, is_no_thread);
	m->now = (struct procs_now){0};
	for (u32 i = 0; i < m->all.n; i++) {
		struct procs_entry *e = procs_entries__write(&m->all, i);

		zero_sums(e);
		e->as_of_ns = 0;
		e->decay_ns = 0;
	}
	m->ended = 0;
	m->round_ns = 0;
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
	procs_entries__fini(&m->all);
	free(m->live);
	free(m->free);
	hidx__fini(&m->index);
	texts__fini(&m->texts);
	free(m);
}

static size_t procs__memory(const struct model *m)
{
	return sizeof(*m) + procs_entries__bytes(&m->all) + m->live_cap * sizeof(*m->live) +
	       m->free_cap * sizeof(*m->free) + m->texts.bytes + hidx__bytes(&m->index);
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
