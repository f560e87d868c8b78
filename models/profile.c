// SPDX-License-Identifier: GPL-2.0-only
/* The profile model: weighted stacks by task in, snapshots out. */
#include "models/profile.h"

#include "base/memory.h"
#include "models/profile_model.h"

u32 profile__comm(struct model *m, const char *comm)
{
	char name[COMM_LEN] = {0};
	u64 hash;
	u32 at;

	copy_str(name, sizeof(name), comm);
	hash = hash_bytes(name, sizeof(name));
	HIDX_FIND(at, &m->comm_index, hash, pos, !memcmp(m->comms[pos], name, sizeof(name)));
	if (at != HIDX_NONE)
		return at;
	if (m->ncomms == PROFILE_MAX_COMMS)
		return 0;
	m->comms = xgrow(m->comms, m->ncomms, &m->comms_cap, sizeof(*m->comms));
	memcpy(m->comms[m->ncomms], name, sizeof(name));
	hidx__add(&m->comm_index, hash, m->ncomms);
	return m->ncomms++;
}

static u64 entry_hash(const struct live *k)
{
	u64 h = mix64_pair(k->tgid | (u64)k->tid << 32, k->cpu | (u64)k->stack << 32);

	return mix64_pair(h ^ k->comm ^ (u64)k->host << 32, k->cgroup ^ k->start_ns);
}

static bool same_key(const struct live *a, const struct live *b)
{
	return a->stack == b->stack && a->tid == b->tid && a->tgid == b->tgid && a->cpu == b->cpu &&
	       a->comm == b->comm && a->host == b->host && a->cgroup == b->cgroup && a->start_ns == b->start_ns;
}

struct live *profile__entry(struct model *m, const struct live *key)
{
	u64 hash = entry_hash(key);
	u32 at;

	HIDX_FIND(at, &m->live_index, hash, pos, same_key(&m->live[pos], key));
	if (at != HIDX_NONE)
		return &m->live[at];
	m->live = xgrow(m->live, m->nlive, &m->live_cap, sizeof(*m->live));
	m->live[m->nlive] = (struct live){.cgroup = key->cgroup,
					  .start_ns = key->start_ns,
					  .process = key->process,
					  .ended = key->ended,
					  .tgid = key->tgid,
					  .tid = key->tid,
					  .cpu = key->cpu,
					  .comm = key->comm,
					  .host = key->host,
					  .stack = key->stack};
	hidx__add(&m->live_index, hash, m->nlive);
	return &m->live[m->nlive++];
}

static void consume_stack(struct model *m, const struct stack_sample *s)
{
	struct live key = {.cgroup = s->cgroup,
			   .start_ns = s->start_ns,
			   .tgid = s->tgid,
			   .tid = s->tid,
			   .cpu = s->cpu,
			   .host = s->host};
	struct live *e;

	if (!s->count)
		return;
	if (m->nlive >= m->most)
		profile__compact(m);
	key.comm = profile__comm(m, s->comm);
	key.stack = stacks__find(&m->stacks, s->stack, s->tgid);
	e = profile__entry(m, &key);
	if (s->process[0])
		e->process = profile__comm(m, s->process);
	e->ended = false;
	e->now_count += s->count;
	e->now_weight += s->weight ? (double)s->weight : (double)s->count;
}

static bool is_end_of(const struct process_end *end, u32 tgid, u32 host)
{
	return end->tgid == tgid && end->host == host;
}

static void note_end(struct model *m, const struct proc_event *ev)
{
	u32 at;

	HIDX_FIND(at, &m->end_index, mix64(ev->tgid), pos, is_end_of(&m->ends[pos], ev->tgid, ev->host));
	if (at == HIDX_NONE && m->nends < PROFILE_MAX_ENDS) {
		at = m->nends++;
		m->ends = xgrow(m->ends, at, &m->ends_cap, sizeof(*m->ends));
		hidx__add(&m->end_index, mix64(ev->tgid), at);
	}
	if (at != HIDX_NONE)
		m->ends[at] = (struct process_end){ev->tgid, ev->host, ev->t_ns};
}

static bool has_ended(const struct model *m, const struct live *e)
{
	u32 at;

	HIDX_FIND(at, &m->end_index, mix64(e->tgid), pos, is_end_of(&m->ends[pos], e->tgid, e->host));
	return at != HIDX_NONE && m->ends[at].t_ns > e->start_ns;
}

/* Whose number another one has by now began later than the end. */
static void mark_ended(struct model *m)
{
	for (u32 i = 0; m->nends && i < m->nlive; i++)
		m->live[i].ended |= has_ended(m, &m->live[i]);
	m->nends = 0;
	hidx__clear(&m->end_index);
}

static bool is_end(const struct sample *s)
{
	const struct proc_event *ev = (const struct proc_event *)s;

	return s->type == SAMPLE_PROC && ev->type == PROC_EXIT && proc_event__is_life(ev);
}

static void profile__consume(struct model *m, const struct sample *s)
{
	struct stacks_user user = profile__stacks_user(m);

	if (s->type == SAMPLE_STACK)
		consume_stack(m, container_of(s, struct stack_sample, head));
	else
		stacks__consume(&m->stacks, s, &user);
	if (is_end(s))
		note_end(m, (const struct proc_event *)s);
}

/* Ends an interval of an entry and writes it down. */
static void advance(struct live *e, double keep, double dt, struct profile_entry *out)
{
	e->decay_count = window__decay(e->decay_count, keep, (double)e->now_count);
	e->decay_weight = e->decay_count > 0 ? e->decay_weight * keep + e->now_weight : 0;
	e->total_count += e->now_count;
	e->total_weight += e->now_weight;
	memmove(e->trend, e->trend + 1, sizeof(e->trend) - sizeof(e->trend[0]));
	e->trend[TREND_LEN - 1] = (float)(e->now_weight / dt);
	out->count[WINDOW_LAST] = e->now_count;
	out->count[WINDOW_DECAY] = (u64)(e->decay_count + 0.5);
	out->count[WINDOW_TOTAL] = e->total_count;
	out->weight[WINDOW_LAST] = e->now_weight;
	out->weight[WINDOW_DECAY] = e->decay_weight;
	out->weight[WINDOW_TOTAL] = e->total_weight;
	memcpy(out->trend, e->trend, sizeof(out->trend));
	e->now_count = 0;
	e->now_weight = 0;
}

static void snap_entry(const struct model *m, const struct live *e, struct profile_entry *out)
{
	out->stack = stacks__at(&m->stacks, e->stack);
	out->cgroup = e->cgroup;
	out->tgid = e->tgid;
	out->tid = e->tid;
	out->cpu = e->cpu;
	out->comm = e->comm;
	out->host = e->host;
	out->process = e->process;
	out->start_ns = e->start_ns;
	out->ended = e->ended;
}

static struct snap *profile__tick(struct model *m, u64 t0_ns, u64 t1_ns)
{
	double dt = t1_ns > t0_ns ? (double)(t1_ns - t0_ns) / NSEC_PER_SEC : 0;
	struct profile_entry *entries;
	struct window_pace p;
	struct arena *arena;
	struct profile_snap *snap = window_snap__new(sizeof(*snap), &m->clock, &m->stacks, t0_ns,
						     t1_ns, &p, &arena);

	snap->ncomms = m->ncomms;
	snap->comms = arena__dup(arena, m->comms, m->ncomms * sizeof(*m->comms));
	entries = arena__take(arena, m->nlive * sizeof(*entries));
	mark_ended(m);
	for (u32 i = 0; i < m->nlive; i++) {
		memset(&entries[i], 0, sizeof(entries[i]));
		advance(&m->live[i], p.keep, MAX(dt, 1e-3), &entries[i]);
		snap_entry(m, &m->live[i], &entries[i]);
		if (entries[i].stack && entries[i].stack->folded)
			snap->folded_count += entries[i].count[WINDOW_TOTAL];
	}
	snap->entries = entries;
	snap->nentries = m->nlive;
	return &snap->base;
}

/* Known stacks stay: a source need not define them again. */
static void profile__zero(struct model *m)
{
	m->nlive = 0;
	hidx__clear(&m->live_index);
	m->ncomms = 0;
	hidx__clear(&m->comm_index);
	profile__comm(m, "[others]");
	m->clock = (struct window_clock){0};
}

static struct model *profile__new(struct symbols *symbols)
{
	struct model *m = xcalloc(1, sizeof(*m));

	m->most = memory__entries(PROFILE_MAX_ENTRIES, PROFILE_CPU_ENTRIES);
	stacks__init(&m->stacks, symbols);
	profile__comm(m, "[others]");
	return m;
}

static void profile__free(struct model *m)
{
	stacks__fini(&m->stacks);
	free(m->live);
	hidx__fini(&m->live_index);
	free(m->comms);
	hidx__fini(&m->comm_index);
	free(m->ends);
	hidx__fini(&m->end_index);
	free(m);
}

static size_t profile__memory(const struct model *m)
{
	return sizeof(*m) + stacks__bytes(&m->stacks) + m->live_cap * sizeof(*m->live) +
	       m->comms_cap * sizeof(*m->comms) + m->ends_cap * sizeof(*m->ends) +
	       hidx__bytes(&m->end_index) + hidx__bytes(&m->live_index) +
	       hidx__bytes(&m->comm_index);
}

const struct model_ops model_profile = {
	.name = "profile",
	.view = "cpu",
	.has_hosts = true,
	.new = profile__new,
	.free = profile__free,
	.consume = profile__consume,
	.tick = profile__tick,
	.zero = profile__zero,
	.memory = profile__memory,
};
