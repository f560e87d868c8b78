// SPDX-License-Identifier: GPL-2.0-only
/* The profile model: weighted stacks by task in, snapshots out. */
#include "models/profile.h"

#include <math.h>

#include "models/profile_model.h"

/* Below this many samples a decaying entry counts as gone. */
#define DECAY_FLOOR 0.01

struct snap_box {
	struct profile_snap snap;
	struct arena arena;
	struct stack_store *store;
};

void *profile__room(void *items, u32 n, u32 *cap, size_t size)
{
	if (n < *cap)
		return items;
	*cap = *cap ? *cap * 2 : 256;
	return xrealloc(items, *cap * size);
}

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
	m->comms = profile__room(m->comms, m->ncomms, &m->comms_cap, sizeof(*m->comms));
	memcpy(m->comms[m->ncomms], name, sizeof(name));
	hidx__add(&m->comm_index, hash, m->ncomms);
	return m->ncomms++;
}

static u64 entry_hash(const struct live *k)
{
	u64 h = mix64_pair(k->tgid | (u64)k->tid << 32, k->cpu | (u64)k->stack << 32);

	return mix64_pair(h ^ k->comm, k->cgroup);
}

static bool same_key(const struct live *a, const struct live *b)
{
	return a->stack == b->stack && a->tid == b->tid && a->tgid == b->tgid && a->cpu == b->cpu &&
	       a->comm == b->comm && a->cgroup == b->cgroup;
}

struct live *profile__entry(struct model *m, const struct live *key)
{
	u64 hash = entry_hash(key);
	u32 at;

	HIDX_FIND(at, &m->live_index, hash, pos, same_key(&m->live[pos], key));
	if (at != HIDX_NONE)
		return &m->live[at];
	m->live = profile__room(m->live, m->nlive, &m->live_cap, sizeof(*m->live));
	m->live[m->nlive] = (struct live){.cgroup = key->cgroup,
					  .tgid = key->tgid,
					  .tid = key->tid,
					  .cpu = key->cpu,
					  .comm = key->comm,
					  .stack = key->stack};
	hidx__add(&m->live_index, hash, m->nlive);
	return &m->live[m->nlive++];
}

static struct stack_slot *find_slot(struct model *m, u64 hash, u32 tgid)
{
	u32 at;

	HIDX_FIND(at, &m->slot_index, mix64_pair(hash, tgid), pos,
		  m->slots[pos].hash == hash && m->slots[pos].tgid == tgid);
	return at == HIDX_NONE ? NULL : &m->slots[at];
}

static struct stack_slot *new_slot(struct model *m, u64 hash, u32 tgid)
{
	struct stack_slot *slot;

	m->slots = profile__room(m->slots, m->nslots, &m->slots_cap, sizeof(*m->slots));
	slot = &m->slots[m->nslots];
	*slot = (struct stack_slot){.hash = hash, .tgid = tgid};
	hidx__add(&m->slot_index, mix64_pair(hash, tgid), m->nslots++);
	return slot;
}

/*
 * A return address is what follows a call; the byte before it lies in the call, also when
 * the call is the last instruction of its function. The leaf, and the frame that an interrupt
 * or a system call left, are exact.
 */
static u64 call_address(u64 ip, bool exact)
{
	return exact || !ip ? ip : ip - 1;
}

static u32 locate(struct model *m, const struct stack_def *d, u32 i)
{
	u64 ip = d->ips[i];

	if (d->named)
		return (u32)ip;
	if (i < d->nkernel)
		return symbols__locate_kernel(m->symbols, call_address(ip, i == 0));
	ip = call_address(ip, i == d->nkernel);
	return symbols__locate_user(m->symbols, d->tgid, d->t_ns, ip);
}

static u32 intern_def(struct model *m, const struct stack_def *d)
{
	u32 n = MIN((u32)d->nkernel + d->nuser, PROFILE_MAX_FRAMES);
	struct profile_stack head = {.nkernel = MIN(d->nkernel, n)};
	u32 locs[PROFILE_MAX_FRAMES];

	head.nuser = n - head.nkernel;
	head.cut = d->cut || n < (u32)d->nkernel + d->nuser;
	for (u32 i = 0; i < n; i++)
		locs[i] = locate(m, d, i);
	/* Walks through code without frame pointers end in values that are no code: no frames. */
	for (; head.nuser > 1 && locs[n - 1] == SYM_UNKNOWN; n--)
		head.nuser--;
	return stacks__intern(&m->stacks, &head, locs);
}

static u32 *epoch_of(struct model *m, u32 tgid)
{
	return &m->epochs[mix64(tgid) % PROFILE_EPOCHS];
}

/*
 * Sources may define a stack again; its frames are looked up again only when its process
 * has mapped something since: what lay at an address may have changed.
 */
static void consume_def(struct model *m, const struct stack_def *d)
{
	u32 tgid = d->nuser && !d->named ? d->tgid : 0;
	struct stack_slot *slot = find_slot(m, d->hash, tgid);
	u32 epoch = tgid ? *epoch_of(m, tgid) : 0;

	m->definitions++;
	if (slot && slot->epoch == epoch) {
		slot->defined = m->definitions;
		return;
	}
	if (m->stacks.store->arena.bytes > PROFILE_STACK_BYTES || m->nslots == PROFILE_MAX_SLOTS) {
		profile__trim_stacks(m);
		slot = find_slot(m, d->hash, tgid);
	}
	if (!slot)
		slot = new_slot(m, d->hash, tgid);
	slot->epoch = epoch;
	slot->defined = m->definitions;
	slot->stack = intern_def(m, d);
}

static u32 stack_of(struct model *m, const struct stack_sample *s)
{
	struct stack_slot *slot = s->stack ? find_slot(m, s->stack, s->tgid) : NULL;

	if (!slot && s->stack)
		slot = find_slot(m, s->stack, 0);
	return slot ? slot->stack : NO_STACK;
}

static void consume_stack(struct model *m, const struct stack_sample *s)
{
	struct live key = {.cgroup = s->cgroup, .tgid = s->tgid, .tid = s->tid, .cpu = s->cpu};
	struct live *e;

	if (!s->count)
		return;
	if (m->nlive >= PROFILE_MAX_ENTRIES)
		profile__compact(m);
	key.comm = profile__comm(m, s->comm);
	key.stack = stack_of(m, s);
	e = profile__entry(m, &key);
	e->now_count += s->count;
	e->now_weight += s->weight ? (double)s->weight : (double)s->count;
}

static void consume_proc(struct model *m, const struct proc_event *ev)
{
	if (ev->type == PROC_EXEC || ev->type == PROC_MMAP)
		++*epoch_of(m, ev->tgid);
}

static void profile__consume(struct model *m, const struct sample *s)
{
	if (s->type == SAMPLE_STACK)
		consume_stack(m, container_of(s, struct stack_sample, head));
	else if (s->type == SAMPLE_STACK_DEF)
		consume_def(m, container_of(s, struct stack_def, head));
	else if (s->type == SAMPLE_PROC)
		consume_proc(m, container_of(s, struct proc_event, head));
}

/* Ends an interval of an entry and writes it down. */
static void advance(struct live *e, double keep, double dt, struct profile_entry *out)
{
	e->decay_count = e->decay_count * keep + (double)e->now_count;
	e->decay_weight = e->decay_weight * keep + e->now_weight;
	if (e->decay_count < DECAY_FLOOR)
		e->decay_count = e->decay_weight = 0;
	e->total_count += e->now_count;
	e->total_weight += e->now_weight;
	memmove(e->trend, e->trend + 1, sizeof(e->trend) - sizeof(e->trend[0]));
	e->trend[PROFILE_TREND - 1] = (float)(e->now_weight / dt);
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
	out->stack = e->stack == NO_STACK ? NULL : m->stacks.items[e->stack];
	out->cgroup = e->cgroup;
	out->tgid = e->tgid;
	out->tid = e->tid;
	out->cpu = e->cpu;
	out->comm = e->comm;
}

static void snap_box__free(struct snap *s)
{
	struct snap_box *box = container_of(s, struct snap_box, snap.base);

	stack_store__put(box->store);
	arena__fini(&box->arena);
	free(box);
}

static struct snap_box *snap_box__new(struct model *m, u64 t0_ns, u64 t1_ns)
{
	struct snap_box *box = xcalloc(1, sizeof(*box));

	arena__init(&box->arena);
	atomic_init(&box->snap.base.refs, 1);
	box->snap.base.free = snap_box__free;
	box->snap.base.t0_ns = t0_ns;
	box->snap.base.t1_ns = t1_ns;
	box->snap.symbols = m->symbols;
	box->snap.since_ns = m->since_ns;
	box->snap.ncomms = m->ncomms;
	box->snap.comms = arena__dup(&box->arena, m->comms, m->ncomms * sizeof(*m->comms));
	box->store = stack_store__get(m->stacks.store);
	return box;
}

static struct snap *profile__tick(struct model *m, u64 t0_ns, u64 t1_ns)
{
	double dt = t1_ns > t0_ns ? (double)(t1_ns - t0_ns) / NSEC_PER_SEC : 0;
	double keep = exp2(-dt / PROFILE_HALF_LIFE_S);
	struct profile_entry *entries;
	struct snap_box *box;

	if (!m->begun)
		m->since_ns = t0_ns;
	m->begun = true;
	box = snap_box__new(m, t0_ns, t1_ns);
	entries = arena__array(&box->arena, struct profile_entry, m->nlive);
	for (u32 i = 0; i < m->nlive; i++) {
		advance(&m->live[i], keep, MAX(dt, 1e-3), &entries[i]);
		snap_entry(m, &m->live[i], &entries[i]);
		if (entries[i].stack && entries[i].stack->folded)
			box->snap.folded_count += entries[i].count[WINDOW_TOTAL];
	}
	box->snap.entries = entries;
	box->snap.nentries = m->nlive;
	return &box->snap.base;
}

/* Known stacks stay: a source need not define them again. */
static void profile__zero(struct model *m)
{
	m->nlive = 0;
	hidx__clear(&m->live_index);
	m->ncomms = 0;
	hidx__clear(&m->comm_index);
	profile__comm(m, "[others]");
	m->begun = false;
}

static struct model *profile__new(struct symbols *symbols)
{
	struct model *m = xcalloc(1, sizeof(*m));

	m->symbols = symbols;
	m->epochs = xcalloc(PROFILE_EPOCHS, sizeof(*m->epochs));
	stacks__init(&m->stacks);
	profile__comm(m, "[others]");
	return m;
}

static void profile__free(struct model *m)
{
	stacks__fini(&m->stacks);
	free(m->slots);
	hidx__fini(&m->slot_index);
	free(m->live);
	hidx__fini(&m->live_index);
	free(m->comms);
	hidx__fini(&m->comm_index);
	free(m->epochs);
	free(m);
}

static size_t hidx_bytes(const struct hidx *h)
{
	return h->slots ? ((size_t)h->mask + 1) * sizeof(*h->slots) : 0;
}

static size_t profile__memory(const struct model *m)
{
	return sizeof(*m) + PROFILE_EPOCHS * sizeof(*m->epochs) + m->stacks.store->arena.bytes +
	       m->stacks.cap * sizeof(*m->stacks.items) + m->slots_cap * sizeof(*m->slots) +
	       m->live_cap * sizeof(*m->live) + m->comms_cap * sizeof(*m->comms) +
	       hidx_bytes(&m->stacks.index) + hidx_bytes(&m->slot_index) +
	       hidx_bytes(&m->live_index) + hidx_bytes(&m->comm_index);
}

const struct model_ops model_profile = {
	.name = "profile",
	.new = profile__new,
	.free = profile__free,
	.consume = profile__consume,
	.tick = profile__tick,
	.zero = profile__zero,
	.memory = profile__memory,
};
