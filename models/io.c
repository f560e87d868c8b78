// SPDX-License-Identifier: GPL-2.0-only
/* The io model: samples of block I/O in, snapshots out. */
#include "models/io.h"

#include "base/memory.h"
#include "models/io_model.h"

const char *const io_op_names[IO_OPS] = {"read", "write", "flush", "discard"};
const char *const io_stage_names[IO_STAGES] = {"total", "queued", "device"};

/* --- kinds of I/O of devices --- */

static u64 kind_hash(const struct io_device *d, enum io_op op, u32 flags)
{
	u64 h = mix64_pair(mix64_pair(io_device__id(d), d->disk), ((u64)op << 32) | flags);

	return mix64_pair(h, hash_bytes(d->name, strlen(d->name)));
}

static bool is_same_device(const struct io_device *a, const struct io_device *b)
{
	return io_device__id(a) == io_device__id(b) && !strcmp(a->name, b->name);
}

/* Kinds that differ by flags have one. Its position stays, also when all else is forgotten; beyond
 * IO_MAX_DEVICES there is none, and the log says what it leaves out. */
static u32 heat_part_of(struct model *m, const struct io_device *d, enum io_op op)
{
	for (u32 i = 0; i < m->nheat_parts; i++)
		if (is_same_device(&m->heat_parts[i].device, d) && m->heat_parts[i].op == op)
			return i;
	if (m->nheat_parts == IO_MAX_DEVICES)
		return HEAT_MAX_SERIES;
	m->heat_parts =
		xgrow(m->heat_parts, m->nheat_parts, &m->heat_parts_cap, sizeof(*m->heat_parts));
	m->heat_parts[m->nheat_parts] = (struct io_heat_part){.device = *d, .op = op};
	return m->nheat_parts++;
}

static struct io_live_kind *kind_of(struct model *m, const struct io_device *d, enum io_op op,
				    u32 flags)
{
	u64 h = kind_hash(d, op, flags);
	u32 at;

	HIDX_FIND(at, &m->kinds_index, h, pos,
		  is_same_device(&m->kinds[pos].device, d) && m->kinds[pos].op == op &&
			  m->kinds[pos].flags == flags);
	if (at != HIDX_NONE)
		return &m->kinds[at];
	if (m->nkinds >= IO_MAX_DEVICES)
		return NULL;
	m->kinds = xgrow(m->kinds, m->nkinds, &m->kinds_cap, sizeof(*m->kinds));
	m->kinds[m->nkinds] = (struct io_live_kind){
		.device = *d, .op = op, .flags = flags, .heat_part = heat_part_of(m, d, op)};
	hidx__add(&m->kinds_index, h, m->nkinds);
	return &m->kinds[m->nkinds++];
}

static void add_to_kind(struct model *m, const struct io_device *d, const struct io_sample *s)
{
	struct io_live_kind *k = kind_of(m, d, s->op, s->flags);
	struct io_sums *now = k ? &k->track.now : NULL;

	if (!now)
		return;
	now->count += s->count;
	now->bytes += s->bytes;
	now->random += s->random;
	now->sequential += s->sequential;
	for (u32 i = 0; s->sizes && i < IO_SIZES; i++)
		now->sizes[i] += s->sizes[i];
	for (u32 g = 0; g < IO_STAGES; g++) {
		now->ns[g] += s->ns[g];
		now->known[g] += s->known[g];
		now->max_ns[g] = MAX(now->max_ns[g], s->max_ns[g]);
		for (u32 i = 0; s->hist[g] && i < BLOCK_BUCKETS; i++)
			if (s->hist[g][i])
				cells__add(&k->cells[g], i, s->hist[g][i], &m->cells);
	}
}

static void consume_io(struct model *m, const struct io_sample *s)
{
	struct io_device disk = s->device;

	add_to_kind(m, &s->device, s);
	if (disk.dev == disk.disk)
		return;
	disk.dev = disk.disk;
	copy_str(disk.name, sizeof(disk.name), disk.disk_name);
	add_to_kind(m, &disk, s);
}

static void consume_device(struct model *m, const struct io_device_sample *s)
{
	if (m->nstates >= IO_MAX_STATES)
		return;
	m->states = xgrow(m->states, m->nstates, &m->states_cap, sizeof(*m->states));
	m->states[m->nstates] = (struct io_state){.dev = io_device__id(&s->device), .in_flight = s->in_flight};
	copy_str(m->states[m->nstates].name, IO_NAME_LEN, s->device.name);
	m->nstates++;
}

/* --- processes --- */

static u64 who_hash(const void *proc)
{
	const struct io_who *w = &((const struct io_proc *)proc)->who;
	u64 h = mix64_pair(mix64_pair(io_device__id(&w->device), w->tgid), w->inode);

	h = mix64_pair(h, ((u64)w->op << 32) | w->flags << 1 | w->writeback);
	h = mix64_pair(h, w->cgroup);
	return mix64_pair(h, hash_bytes(w->comm, strlen(w->comm)));
}

static bool is_same_proc(const void *x, const void *y)
{
	const struct io_proc *p = x, *q = y;
	const struct io_who *a = &p->who, *b = &q->who;

	return p->past == q->past && io_device__id(&a->device) == io_device__id(&b->device) && a->tgid == b->tgid &&
	       a->inode == b->inode && a->op == b->op && a->flags == b->flags &&
	       a->writeback == b->writeback && a->cgroup == b->cgroup && !strcmp(a->comm, b->comm);
}

/* What the coldest lose; each includes the one before it. */
enum fold { FOLD_FILE, FOLD_PROCESS, FOLDS };

static void fold(void *live_proc, u32 how)
{
	struct io_proc *p = live_proc;

	p->who.inode = 0;
	*p->who.file = '\0';
	if (how == FOLD_PROCESS)
		*p = (struct io_proc){.who = {.tgid = IO_MERGED, .tid = IO_MERGED, .op = p->who.op,
					      .writeback = p->who.writeback, .comm = "[others]",
					      .device.host = p->who.device.host}};
}

static double heat_of(const void *live_proc)
{
	const struct io_live_proc *l = live_proc;

	return l->track.decay[0] + (double)l->track.now.count;
}

static void merge(void *to, void *from)
{
	io_proc_track__merge(&((struct io_live_proc *)to)->track, &((struct io_live_proc *)from)->track);
}

static const struct entries_kind proc_kind = {
	.size = sizeof(struct io_live_proc),
	.key_size = offsetof(struct io_proc, sums),
	.steps = FOLDS,
	.hash = who_hash,
	.same = is_same_proc,
	.fold = fold,
	.heat = heat_of,
	.merge = merge,
};

static const struct lives_of lives_of = {
	.size = sizeof(struct io_live_proc),
	.tgid = offsetof(struct io_live_proc, p.who.tgid),
	.host = offsetof(struct io_live_proc, p.who.device.host),
	.ended = offsetof(struct io_live_proc, p.ended),
	.past = offsetof(struct io_live_proc, p.past),
};

static void consume_proc(struct model *m, const struct io_proc_sample *s)
{
	const struct io_proc key = {.who = s->who};
	struct io_live_proc *p = entries__get(&m->procs, &key);

	if (m->procs.added)
		lives__know(&m->lives, s->who.tgid, s->who.device.host);
	if (*s->who.file)
		copy_str(p->p.who.file, sizeof(p->p.who.file), s->who.file);
	p->p.latest = ++m->latest;
	io_proc_sums__add(&p->track.now, &(struct io_proc_sums){.count = s->count,
								.bytes = s->bytes,
								.known = s->known,
								.ns = s->ns,
								.max_ns = s->max_ns});
}

/* --- the slowest requests, one by one --- */

static const struct slowest_kind slow_requests = {
	.size = sizeof(struct io_live_slow),
	.max = IO_MAX_SLOW,
	.seconds = IO_SLOW_S,
	.ns_at = offsetof(struct io_live_slow, s.total_ns),
	.end_at = offsetof(struct io_live_slow, s.t_ns),
	.stacks_at = {offsetof(struct io_live_slow, stack)},
};

static void consume_slow(struct model *m, const struct io_slow_sample *s)
{
	struct io_live_slow *to = slowest__place(&m->slow, s->total_ns, s->t_ns);

	if (!to)
		return;
	to->s = *s;
	to->stack = stacks__find(&m->stacks, s->stack, s->who.tgid);
}

static void snap_slow(struct model *m, struct io_snap *snap, struct arena *a)
{
	struct io_live_slow *all = slowest__list(&m->slow, snap->base.t1_ns, &snap->nslow);
	struct io_slow *out = arena__array(a, struct io_slow, snap->nslow);

	for (u32 i = 0; i < snap->nslow; i++)
		out[i] = (struct io_slow){all[i].s, stacks__at(&m->stacks, all[i].stack)};
	free(all);
	snap->slow = out;
}

/* --- the model --- */

static void move_stacks(void *ctx, struct stacks *to, const struct stacks *from)
{
	struct model *m = ctx;

	slowest__move(&m->slow, to, from);
	io_stacks__move(&m->by_stack, to, from);
}

static void shed_stacks(void *ctx)
{
	entries__shed(&((struct model *)ctx)->by_stack);
}

static void consume_stack(struct model *m, const struct io_stack_sample *s)
{
	io_stacks__add(&m->by_stack, s, stacks__find(&m->stacks, s->stack, s->who.tgid));
}

static void io__consume(struct model *m, const struct sample *s)
{
	const struct stacks_user user = {.ctx = m, .move = move_stacks, .shed = shed_stacks};

	switch (s->type) {
	case SAMPLE_IO:
		consume_io(m, container_of(s, struct io_sample, head));
		break;
	case SAMPLE_IO_PROC:
		consume_proc(m, container_of(s, struct io_proc_sample, head));
		break;
	case SAMPLE_IO_SLOW:
		consume_slow(m, container_of(s, struct io_slow_sample, head));
		break;
	case SAMPLE_IO_STACK:
		consume_stack(m, container_of(s, struct io_stack_sample, head));
		break;
	case SAMPLE_IO_DEVICE:
		consume_device(m, container_of(s, struct io_device_sample, head));
		break;
	default:
		lives__consume(&m->lives, s, &lives_of, m->procs.v, m->procs.n);
		stacks__consume(&m->stacks, s, &user);
	}
}

static void advance_trend(struct io_live_kind *k, u64 interval_ns)
{
	memmove(k->trend, k->trend + 1, sizeof(k->trend) - sizeof(k->trend[0]));
	k->trend[TREND_LEN - 1] = (float)window__per_second(k->track.now.count, interval_ns);
}

static void snap_kinds(struct model *m, const struct window_pace *p, struct io_snap *snap,
		       struct arena *a)
{
	struct io_kind *out = arena__array(a, struct io_kind, m->nkinds);

	for (u32 i = 0; i < m->nkinds; i++) {
		struct io_live_kind *k = &m->kinds[i];

		out[i].device = k->device;
		out[i].op = k->op;
		out[i].flags = k->flags;
		advance_trend(k, snap->window_ns[WINDOW_LAST]);
		memcpy(out[i].trend, k->trend, sizeof(k->trend));
		io_track__advance(&k->track, p, out[i].sums);
		for (u32 g = 0; g < IO_STAGES; g++) {
			struct io_sums *s = out[i].sums;

			out[i].hists[g] = cells__advance(&k->cells[g], p->keep, a);
			s[WINDOW_DECAY].max_ns[g] = hist_cells__cover(&out[i].hists[g], io_hist__lo,
								     s[WINDOW_DECAY].max_ns[g],
								     s[WINDOW_TOTAL].max_ns[g]);
		}
	}
	snap->kinds = out;
	snap->nkinds = m->nkinds;
}

static void snap_procs(struct model *m, const struct window_pace *p, struct io_snap *snap,
		       struct arena *a)
{
	struct io_proc *out = arena__array(a, struct io_proc, m->procs.n);

	lives__tick(&m->lives, &lives_of, m->procs.v, m->procs.n);
	for (u32 i = 0; i < m->procs.n; i++) {
		struct io_live_proc *l = entries__at(&m->procs, i);

		out[i] = l->p;
		io_proc_track__advance(&l->track, p, out[i].sums);
	}
	snap->procs = out;
	snap->nprocs = m->procs.n;
}

/* Of each kind what it counted in the interval that ends. */
static void snap_heat(struct model *m, struct io_snap *snap, struct arena *a)
{
	for (u32 i = 0; i < m->nkinds; i++)
		for (u32 g = 0; g < IO_STAGES; g++)
			for (u32 k = 0; k < snap->kinds[i].hists[g].n; k++) {
				const struct hist_cell *c = &snap->kinds[i].hists[g].v[k];

				heat_log__add(&m->heat, m->kinds[i].heat_part * IO_STAGES + g,
					      c->bucket / IO_HEAT_MERGED, c->last);
			}
	snap->heat = heat_log__tick(&m->heat, snap->base.t0_ns, snap->base.t1_ns, a);
	if (m->nheat_parts)
		snap->heat_parts =
			arena__dup(a, m->heat_parts, m->nheat_parts * sizeof(*m->heat_parts));
	snap->nheat_parts = m->nheat_parts;
}

static struct snap *io__tick(struct model *m, u64 t0_ns, u64 t1_ns)
{
	struct window_pace p;
	struct arena *arena;
	struct io_snap *snap = window_snap__new(sizeof(*snap), &m->clock, &m->stacks, t0_ns, t1_ns,
						&p, &arena);

	snap_kinds(m, &p, snap, arena);
	snap_procs(m, &p, snap, arena);
	if (m->nstates)
		snap->states = arena__dup(arena, m->states, m->nstates * sizeof(*m->states));
	snap->nstates = m->nstates;
	m->nstates = 0;
	snap_slow(m, snap, arena);
	io_stacks__snap(&m->by_stack, p.keep, &m->stacks, snap, arena);
	snap_heat(m, snap, arena);
	return &snap->base;
}

/* Known stacks stay: a source need not define them again. */
static void io__zero(struct model *m)
{
	for (u32 i = 0; i < m->nkinds; i++)
		for (u32 g = 0; g < IO_STAGES; g++)
			cells__fini(&m->kinds[i].cells[g], &m->cells);
	m->nkinds = m->nstates = 0;
	hidx__clear(&m->kinds_index);
	entries__clear(&m->procs);
	lives__forget(&m->lives);
	heat_log__zero(&m->heat);
	slowest__zero(&m->slow);
	entries__clear(&m->by_stack);
	m->clock = (struct window_clock){0};
}

static struct model *io__new(struct symbols *symbols)
{
	struct model *m = xcalloc(1, sizeof(*m));

	stacks__init(&m->stacks, symbols);
	m->procs = (struct entries){.kind = &proc_kind, .max = memory__entries(IO_MAX_PROCS, IO_CPU_PROCS)};
	slowest__init(&m->slow, &slow_requests);
	m->by_stack = (struct entries){.kind = &io_stack_kind, .max = IO_MAX_STACKS};
	return m;
}

static void io__free(struct model *m)
{
	io__zero(m);
	stacks__fini(&m->stacks);
	slowest__fini(&m->slow);
	entries__fini(&m->by_stack);
	entries__fini(&m->procs);
	heat_log__fini(&m->heat);
	free(m->heat_parts);
	free(m->kinds);
	free(m->states);
	hidx__fini(&m->kinds_index);
	lives__fini(&m->lives);
	free(m);
}

static size_t io__memory(const struct model *m)
{
	return sizeof(*m) + stacks__bytes(&m->stacks) + slowest__bytes(&m->slow) +
	       entries__bytes(&m->by_stack) + heat_log__bytes(&m->heat) + m->heat_parts_cap * sizeof(*m->heat_parts) +
	       m->kinds_cap * sizeof(*m->kinds) + entries__bytes(&m->procs) +
	       m->states_cap * sizeof(*m->states) + m->cells * sizeof(struct hist_cell) +
	       hidx__bytes(&m->kinds_index);
}

const struct model_ops model_io = {
	.name = "io",
	.view = "io",
	.has_hosts = true,
	.new = io__new,
	.free = io__free,
	.consume = io__consume,
	.tick = io__tick,
	.zero = io__zero,
	.memory = io__memory,
};
