// SPDX-License-Identifier: GPL-2.0-only
/* The waits model: waits by thread, place and waker in, snapshots out. */
#include "models/waits.h"

#include "base/memory.h"
#include "models/waits_model.h"

/* --- entries --- */

static u64 key_hash(const struct wait_key *k)
{
	u64 h = mix64_pair(k->tgid | (u64)k->tid << 32, k->start_ns);

	h = mix64_pair(h, k->kstack | (u64)k->ustack << 32);
	h = mix64_pair(h, k->waker_tgid | (u64)k->waker_tid << 32);
	h = mix64_pair(h, k->waker_kstack | (u64)k->waker_ustack << 32);
	h = mix64_pair(h, k->syscall | (u64)k->futex_op << 32);
	h = mix64_pair(h, k->on | (u64)k->host << 32);
	h = mix64_pair(h, k->waker_name | (u64)k->ended << 32);
	return mix64_pair(h, k->state | k->waker << 8 | k->kthread << 16 | (u64)k->folded << 24);
}

static bool same_key(const struct wait_key *a, const struct wait_key *b)
{
	return a->tid == b->tid && a->tgid == b->tgid && a->start_ns == b->start_ns && a->host == b->host &&
	       a->kstack == b->kstack && a->ustack == b->ustack && a->state == b->state &&
	       a->syscall == b->syscall && a->futex_op == b->futex_op && a->on == b->on &&
	       a->waker == b->waker && a->waker_tgid == b->waker_tgid &&
	       a->waker_tid == b->waker_tid && a->waker_kstack == b->waker_kstack &&
	       a->waker_ustack == b->waker_ustack && a->waker_name == b->waker_name &&
	       a->ended == b->ended && a->kthread == b->kthread && a->folded == b->folded;
}

static u32 waits__find(const struct model *m, const struct wait_key *key)
{
	u32 at;

	HIDX_FIND(at, &m->wait_index, key_hash(key), pos, same_key(&m->waits[pos].key, key));
	return at;
}

struct live_wait *waits__entry(struct model *m, const struct wait_key *key)
{
	u32 at = waits__find(m, key);

	if (at != HIDX_NONE)
		return &m->waits[at];
	m->waits = xgrow(m->waits, m->nwaits, &m->waits_cap, sizeof(*m->waits));
	m->waits[m->nwaits] = (struct live_wait){.key = *key};
	hidx__add(&m->wait_index, key_hash(key), m->nwaits);
	return &m->waits[m->nwaits++];
}

static void merge_names(struct live_wait *to, const struct live_wait *from)
{
	to->cgroup = from->cgroup;
	to->object = from->object;
	to->kstack_hash = from->kstack_hash;
	to->ustack_hash = from->ustack_hash;
	to->waker_kstack_hash = from->waker_kstack_hash;
	to->waker_ustack_hash = from->waker_ustack_hash;
	memcpy(to->comm, from->comm, sizeof(to->comm));
	memcpy(to->waker_comm, from->waker_comm, sizeof(to->waker_comm));
}

void live_wait__merge(struct live_wait *to, const struct live_wait *from)
{
	if (!to->comm[0])
		merge_names(to, from);
	else if (to->object != from->object)
		to->object = WAIT_OBJECT_MANY;
	to->since_before |= from->since_before;
	to->what_ended |= from->what_ended;
	to->ended_tick = MAX(to->ended_tick, from->ended_tick);
	for (u32 i = 0; i < SUMS; i++) {
		to->now[i] += from->now[i];
		to->total[i] += from->total[i];
		to->decay[i] += from->decay[i];
	}
	to->now_max = MAX(to->now_max, from->now_max);
	to->total_max = MAX(to->total_max, from->total_max);
	window_max__merge(&to->max, &from->max);
	to->open += from->open;
	to->open_ns += from->open_ns;
	to->open_full_ns = MAX(to->open_full_ns, from->open_full_ns);
	to->held_ns += from->held_ns;
	to->held_decay += from->held_decay;
	to->fresh = MAX(to->fresh, from->fresh);
}

/* --- samples --- */

static struct wait_key sample_key(const struct model *m, const struct wait_sample *s)
{
	const struct waker *w = &s->waker;
	struct wait_key key = {
		.tgid = s->task.tgid,
		.tid = s->task.tid,
		.start_ns = s->task.start_ns,
		.host = s->task.host,
		.kthread = s->task.kthread,
		.kstack = stacks__find(&m->stacks, s->kstack, s->task.tgid),
		.ustack = stacks__find(&m->stacks, s->ustack, s->task.tgid),
		.state = MIN((u32)s->state, TASK_STATE_OTHER),
		.syscall = s->syscall,
		.futex_op = s->futex_op,
		.on = s->on,
		.waker = w->kind,
		.waker_kstack = NO_STACK,
		.waker_ustack = NO_STACK,
	};

	if (w->kind == WAKER_NONE)
		return key;
	key.waker_kstack = stacks__find(&m->stacks, w->kstack, w->tgid);
	if (w->kind != WAKER_TASK)
		return key;
	key.waker_ustack = stacks__find(&m->stacks, w->ustack, w->tgid);
	key.waker_tgid = w->tgid;
	key.waker_tid = w->tid;
	return key;
}

static void name_entry(struct live_wait *e, const struct wait_sample *s)
{
	e->cgroup = s->task.cgroup;
	e->kstack_hash = s->kstack;
	e->ustack_hash = s->ustack;
	e->object = e->comm[0] && e->object != s->object ? WAIT_OBJECT_MANY : s->object;
	e->since_before |= s->since_before;
	copy_str(e->comm, sizeof(e->comm), s->task.comm);
	if (s->waker.kind == WAKER_NONE)
		return;
	e->waker_kstack_hash = s->waker.kstack;
	if (s->waker.kind != WAKER_TASK)
		return;
	e->waker_ustack_hash = s->waker.ustack;
	copy_str(e->waker_comm, sizeof(e->waker_comm), s->waker.comm);
}

/* Of the waits that ended; the longest may be the one that goes on. */
static u64 longest_ended(const struct wait_sample *s)
{
	if (!s->count)
		return 0;
	return s->open && s->max_ns == s->open_full_ns ? MIN(s->full_ns, s->max_ns) : s->max_ns;
}

static void add_sample(struct live_wait *e, const struct wait_sample *s)
{
	e->now[SUM_COUNT] += s->count;
	e->now[SUM_OFF] += s->off_ns;
	e->now[SUM_RUNQ] += s->runq_ns;
	e->now[SUM_FULL] += s->full_ns;
	e->now_max = MAX(e->now_max, longest_ended(s));
	e->open += s->open;
	e->open_ns += s->open_ns;
	e->open_full_ns = MAX(e->open_full_ns, s->open_full_ns);
}

/*
 * While a wait goes on its waker is not known, so its earlier intervals are in the entry
 * without one. When it is, all of the wait belongs to it.
 */
static void claim_held(struct model *m, struct live_wait *e)
{
	struct wait_key key = e->key;
	struct live_wait *from;
	u32 at;

	key.waker = WAKER_NONE;
	key.waker_tgid = key.waker_tid = 0;
	key.waker_kstack = key.waker_ustack = NO_STACK;
	at = waits__find(m, &key);
	if (at == HIDX_NONE || !m->waits[at].held_ns)
		return;
	from = &m->waits[at];
	from->total[SUM_OFF] -= from->held_ns;
	from->decay[SUM_OFF] -= MIN(from->held_decay, from->decay[SUM_OFF]);
	e->total[SUM_OFF] += from->held_ns;
	e->decay[SUM_OFF] += from->held_decay;
	if (e->open) {
		e->held_ns += from->held_ns;
		e->held_decay += from->held_decay;
	}
	from->held_ns = 0;
	from->held_decay = 0;
}

static void add_hist(struct model *m, enum task_state state, const u32 *hist)
{
	for (u32 i = 0; hist && i < HIST_OCTAVES; i++)
		m->hist[state][i] += hist[i];
}

static void consume_wait(struct model *m, const struct wait_sample *s)
{
	struct wait_key key;
	struct live_wait *e;

	/* The idle task waits for nothing. */
	if (!s->task.tid || (!s->count && !s->open && !s->off_ns))
		return;
	if (m->nwaits >= m->most)
		waits__compact(m);
	key = sample_key(m, s);
	e = waits__entry(m, &key);
	name_entry(e, s);
	add_sample(e, s);
	add_hist(m, key.state, s->hist);
	if (key.waker != WAKER_NONE && s->full_ns + s->open_full_ns > s->off_ns)
		claim_held(m, e);
}

static void waits__consume(struct model *m, const struct sample *s)
{
	struct stacks_user user = waits__stacks_user(m);

	if (s->type == SAMPLE_WAIT)
		consume_wait(m, container_of(s, struct wait_sample, head));
	else if (s->type == SAMPLE_WAIT_LOCK)
		live_locks__add(&m->locks, container_of(s, struct wait_lock_sample, head));
	else if (s->type == SAMPLE_TASK)
		waits__consume_task(m, container_of(s, struct task_sample, head));
	else
		stacks__consume(&m->stacks, s, &user);
}

/* --- snapshots --- */

/* What the sums have of the waits that go on. A new one began within the interval. */
static void advance_open(struct live_wait *e, const struct window_pace *p)
{
	bool goes_on = e->open && e->open_full_ns > e->open_ns;

	e->held_ns = (goes_on ? e->held_ns : 0) + e->open_ns;
	e->held_decay = (goes_on ? e->held_decay * p->keep : 0) + (double)e->open_ns;
}

static u64 rounded(double v)
{
	return (u64)(v + 0.5);
}

/* Maxima are forgotten before what was very many has faded: it was as long as its mean at least. */
static u64 recent_max(const struct live_wait *e)
{
	u64 max = window_max__get(&e->max);
	double count = e->decay[SUM_COUNT];

	return count > 0 ? MAX(max, (u64)(e->decay[SUM_FULL] / count)) : max;
}

static void fill_sums(const struct live_wait *e, struct wait_sums *sums)
{
	u64 open_max = e->open ? e->open_full_ns : 0, longest = recent_max(e);

	sums[WINDOW_LAST] = (struct wait_sums){
		.count = e->now[SUM_COUNT],
		.off_ns = e->now[SUM_OFF],
		.runq_ns = e->now[SUM_RUNQ],
		.full_ns = e->now[SUM_FULL],
		.max_ns = MAX(e->now_max, open_max),
		.open_ns = e->open_ns,
	};
	sums[WINDOW_DECAY] = (struct wait_sums){
		.count = rounded(e->decay[SUM_COUNT]),
		.off_ns = rounded(e->decay[SUM_OFF]),
		.runq_ns = rounded(e->decay[SUM_RUNQ]),
		.full_ns = rounded(e->decay[SUM_FULL]),
		.max_ns = MAX(longest, open_max),
		.open_ns = rounded(e->held_decay),
	};
	sums[WINDOW_TOTAL] = (struct wait_sums){
		.count = e->total[SUM_COUNT],
		.off_ns = e->total[SUM_OFF],
		.runq_ns = e->total[SUM_RUNQ],
		.full_ns = e->total[SUM_FULL],
		.max_ns = MAX(e->total_max, open_max),
		.open_ns = e->held_ns,
	};
	for (u32 w = 0; w < WINDOWS; w++)
		sums[w].open = e->open;
}

static void advance(struct live_wait *e, const struct window_pace *p, struct wait_sums *sums)
{
	waits__decay(e->decay, e->now, SUMS, &e->fresh, p->keep);
	for (u32 i = 0; i < SUMS; i++)
		e->total[i] += e->now[i];
	advance_open(e, p);
	window_max__advance(&e->max, p->epochs, e->now_max);
	e->total_max = MAX(e->total_max, e->now_max);
	fill_sums(e, sums);
}

static void begin_interval(struct live_wait *e)
{
	memset(e->now, 0, sizeof(e->now));
	e->now_max = e->open = e->open_ns = e->open_full_ns = 0;
}

static void snap_entry(const struct model *m, const struct live_wait *e, struct wait_entry *out)
{
	const struct wait_key *k = &e->key;

	out->task = (struct task_ident){.tgid = k->tgid,
					.tid = k->tid,
					.cgroup = e->cgroup,
					.start_ns = k->start_ns,
					.host = k->host,
					.kthread = k->kthread};
	memcpy(out->task.comm, e->comm, sizeof(e->comm));
	out->kstack = stacks__at(&m->stacks, k->kstack);
	out->ustack = stacks__at(&m->stacks, k->ustack);
	out->kstack_hash = e->kstack_hash;
	out->ustack_hash = e->ustack_hash;
	out->state = k->state;
	out->syscall = k->syscall;
	out->futex_op = k->futex_op;
	out->on = k->on;
	out->object = e->object;
	out->ended = k->ended;
	out->waker = (struct waker){.kind = k->waker,
				    .tgid = k->waker_tgid,
				    .tid = k->waker_tid,
				    .kstack = e->waker_kstack_hash,
				    .ustack = e->waker_ustack_hash};
	memcpy(out->waker.comm, e->waker_comm, sizeof(e->waker_comm));
	out->waker_kstack = stacks__at(&m->stacks, k->waker_kstack);
	out->waker_ustack = stacks__at(&m->stacks, k->waker_ustack);
	out->open_full_ns = e->open_full_ns;
	out->since_before = e->since_before;
	out->folded = k->folded;
}

static bool is_empty(const struct wait_entry *e)
{
	const struct wait_sums *all = &e->sums[WINDOW_TOTAL];

	return !all->off_ns && !all->count && !all->open;
}

static void snap_waits(struct model *m, const struct window_pace *p, struct waits_snap *snap,
		       struct arena *arena)
{
	struct wait_entry *out = arena__take(arena, m->nwaits * sizeof(*out));
	u32 n = 0;

	for (u32 i = 0; i < m->nwaits; i++) {
		memset(&out[n], 0, sizeof(out[n]));
		advance(&m->waits[i], p, out[n].sums);
		snap_entry(m, &m->waits[i], &out[n]);
		begin_interval(&m->waits[i]);
		if (out[n].folded)
			snap->folded_ns += out[n].sums[WINDOW_TOTAL].off_ns;
		/* What the last one left behind is overwritten by the next. */
		n += !is_empty(&out[n]);
	}
	snap->entries = out;
	snap->nentries = n;
}

static struct heat_columns snap_heat(struct model *m, u64 t0_ns, u64 t1_ns, struct arena *a)
{
	for (u32 s = 0; s < TASK_STATES; s++)
		for (u32 i = 0; i < HIST_OCTAVES; i++)
			heat_log__add(&m->heat, s, i, m->hist[s][i]);
	memset(m->hist, 0, sizeof(m->hist));
	return heat_log__tick(&m->heat, t0_ns, t1_ns, a);
}

static struct snap *waits__tick(struct model *m, u64 t0_ns, u64 t1_ns)
{
	struct window_pace pace;
	struct arena *arena;
	struct waits_snap *snap = window_snap__new(sizeof(*snap), &m->clock, &m->stacks, t0_ns,
						   t1_ns, &pace, &arena);

	snap_waits(m, &pace, snap, arena);
	snap->nlocks = m->locks.n;
	snap->locks = live_locks__snap(&m->locks, arena);
	snap->heat = snap_heat(m, t0_ns, t1_ns, arena);
	waits__merge_ended(m);
	snap->tasks = waits__snap_tasks(m, &pace, arena, &snap->ntasks);
	return &snap->base;
}

/* --- the model --- */

/* Known stacks stay: a source need not define them again. */
static void waits__zero(struct model *m)
{
	m->nwaits = m->ntasks = 0;
	hidx__clear(&m->wait_index);
	hidx__clear(&m->task_index);
	hidx__clear(&m->left[0]);
	hidx__clear(&m->left[1]);
	memset(m->hist, 0, sizeof(m->hist));
	heat_log__zero(&m->heat);
	live_locks__clear(&m->locks);
	m->clock = (struct window_clock){0};
}

static struct model *waits__new(struct symbols *symbols)
{
	struct model *m = xcalloc(1, sizeof(*m));

	m->most = memory__entries(WAITS_MAX_ENTRIES, WAITS_CPU_ENTRIES);
	m->most_tasks = memory__entries(WAITS_MAX_TASKS, WAITS_CPU_ENTRIES);
	m->most_ended = memory__entries(WAITS_MAX_ENDED, WAITS_CPU_ENDED);
	m->most_groups = memory__entries(WAITS_MAX_GROUPS, WAITS_CPU_ENDED);
	stacks__init(&m->stacks, symbols);
	return m;
}

static void waits__free(struct model *m)
{
	stacks__fini(&m->stacks);
	heat_log__fini(&m->heat);
	live_locks__fini(&m->locks);
	free(m->waits);
	hidx__fini(&m->wait_index);
	free(m->tasks);
	hidx__fini(&m->task_index);
	hidx__fini(&m->left[0]);
	hidx__fini(&m->left[1]);
	free(m);
}

static size_t waits__memory(const struct model *m)
{
	return sizeof(*m) + stacks__bytes(&m->stacks) + m->waits_cap * sizeof(*m->waits) +
	       m->tasks_cap * sizeof(*m->tasks) + hidx__bytes(&m->wait_index) +
	       hidx__bytes(&m->task_index) + hidx__bytes(&m->left[0]) + hidx__bytes(&m->left[1]) +
	       heat_log__bytes(&m->heat) + m->locks.cap * sizeof(*m->locks.v) +
	       hidx__bytes(&m->locks.index);
}

const struct model_ops model_waits = {
	.name = "waits",
	.view = "offcpu",
	.has_hosts = true,
	.new = waits__new,
	.free = waits__free,
	.consume = waits__consume,
	.tick = waits__tick,
	.zero = waits__zero,
	.memory = waits__memory,
};
