// SPDX-License-Identifier: GPL-2.0-only
/*
 * On-CPU sampling, tier 2: rings of perf samples, counted here. System-wide where that is
 * allowed, else the user's own processes.
 */
#include "sources/cpu_perf.h"

#include "base/arena.h"
#include "base/log.h"
#include "base/machine.h"
#include "sources/cpu_perf_open.h"
#include "sources/perf_tasks.h"
#include "sources/moment.h"
#include "sources/scope_check.h"
#include "sources/side_events.h"
#include "sources/stack_copies.h"
#include "sources/stack_table.h"

#define DEPTH	   127
#define ROWS_MAX   65536
#define STACKS_MAX 65536
#define TASKS_MAX  32768
/* About what the kernel takes for a sample with its call chain: here nothing counts it. */
#define SAMPLE_COST_NS 2000

struct source {
	struct perf_ring ring;
	struct perf_setup setup;
	struct sampling how;
	const struct scope *scope; /* a reference */
	struct stack_table stacks;
	struct perf_tasks tasks;
	struct side_events side; /* own processes only: else the sideband tells */
	struct arena held_memory;
	struct held *held, **held_end; /* new stacks and tasks, not handed out yet */
	struct stack_copies copies;
	struct perf_reach reach;
	bool fetched;
	u64 samples, cut;		/* since open; cut: their stacks reached the depth limit */
	u64 samples_before, cut_before; /* as of the last tick */
	u64 interval_samples, interval_cut; /* in the interval that it ended */
	u64 lost, map_full;
	double fill;
	bool own_pids; /* ours are a container's ids: what runs outside has 0, as the idle task */
	u64 outside;   /* samples of that */
};

/* A sample that waits for drain, when all processes and mappings before it are known. */
struct held {
	struct held *next;
	const struct sample *sample;
};

/* --- samples --- */

static bool in_scope(struct source *s, const struct stack_sample *x)
{
	return scope_check__id(s->scope, SCOPE_CPU, x->cpu) &&
	       perf_tasks__in_scope(&s->tasks, s->scope, x->tgid, x->tid, x->comm);
}

/* At the end of an interval, when every fork is known. */
static bool passes(void *ctx, const struct stack_sample *x)
{
	struct source *s = ctx;

	if (!in_scope(s, x) || !scope_check__cgroup(s->scope, x->cgroup))
		return false;
	s->samples += x->count;
	return true;
}

static void hold(struct source *s, const struct sample *sample)
{
	struct held *h = arena__alloc(&s->held_memory, sizeof(*h));

	h->sample = sample;
	if (!s->held)
		s->held_end = &s->held;
	*s->held_end = h;
	s->held_end = &h->next;
}

static void put_held(struct source *s, const struct sample_sink *sink)
{
	for (const struct held *h = s->held; h; h = h->next)
		sink__put(sink, h->sample);
	s->held = NULL;
	arena__fini(&s->held_memory);
}

static void announce(struct source *s, struct perf_task *leader, const struct perf_record *r)
{
	struct proc_event e = {
		.head.type = SAMPLE_PROC,
		.type = PROC_SEEN,
		.t_ns = r->t_ns,
		.tgid = r->pid,
		.tid = r->tid,
	};

	if (leader->announced || !r->pid)
		return;
	leader->announced = true;
	copy_str(e.comm, sizeof(e.comm), leader->comm);
	hold(s, &((struct proc_event *)arena__dup(&s->held_memory, &e, sizeof(e)))->head);
}

static void hold_stack(struct source *s, const struct stack_def *def)
{
	struct stack_def *copy = arena__dup(&s->held_memory, def, sizeof(*def));

	copy->ips = arena__dup(&s->held_memory, def->ips,
			       sizeof(*def->ips) * ((size_t)def->nkernel + def->nuser));
	hold(s, &copy->head);
}

/* Names the sample's stack, and keeps its frames for drain when they are new. */
static u64 define_stack(struct source *s, struct stack_def *def, u32 exec)
{
	if (def->nkernel + def->nuser == 0)
		return 0;
	def->cut = def->nkernel == DEPTH || def->nuser == DEPTH;
	s->cut += def->cut;
	def->hash = stack_hash(def->ips, def->nkernel, def->nuser, (u64)exec << 32 | def->tgid);
	if (stack_table__is_new(&s->stacks, def->hash))
		hold_stack(s, def);
	return def->hash;
}

/* A sample without its user frames yet. */
struct pending {
	struct stack_sample sample;
	u32 exec;
	bool user; /* it was in user mode, at ip */
	u64 ip;
	u16 nkernel;
	u64 ips[DEPTH];
};

static void count(struct source *s, const struct stack_sample *x)
{
	if (!stack_table__add(&s->stacks, x))
		s->map_full++;
}

static void on_walked(void *ctx, const void *note, const u64 *ips, u32 n, enum walk_end end)
{
	struct source *s = ctx;
	const struct pending *p = note;
	struct stack_sample x = p->sample;
	u64 all[2 * DEPTH];
	struct stack_def def = {
		.head.type = SAMPLE_STACK_DEF,
		.tgid = x.tgid,
		.t_ns = x.t_ns,
		.nkernel = p->nkernel,
		.nuser = (u16)MIN(n, (u32)DEPTH),
		.whole = end == WALK_WHOLE,
		.ips = all,
	};

	memcpy(all, p->ips, p->nkernel * sizeof(*all));
	memcpy(all + p->nkernel, ips, def.nuser * sizeof(*all));
	if (p->user)
		all[p->nkernel] = p->ip; /* a precise event's registers may be those of later on */
	x.stack = define_stack(s, &def, p->exec);
	count(s, &x);
}

static u32 pending_size(const struct pending *p)
{
	return (u32)(offsetof(struct pending, ips) + p->nkernel * sizeof(p->ips[0]));
}

/* Takes a sample whose user stack came as a copy. */
static bool put_copy(struct source *s, const struct perf_record *r, const struct stack_sample *x,
		     const struct stack_def *def, u32 exec)
{
	struct pending p = {
		.sample = *x,
		.exec = exec,
		.user = !r->kernel,
		.ip = r->ip,
		.nkernel = def->nkernel,
	};

	if (!r->regs || !s->copies.queue)
		return false;
	memcpy(p.ips, def->ips, def->nkernel * sizeof(*def->ips));
	return stack_copies__put(&s->copies, r, s->setup.attr.sample_regs_user, &p,
				 pending_size(&p));
}

/* Without its copy it has the frame where it was. */
static void add_leaf(const struct perf_record *r, struct stack_def *def, u64 *ips)
{
	if (r->kernel || def->nuser)
		return;
	ips[def->nkernel] = r->ip;
	def->nuser = 1;
}

static void take(struct source *s, const struct perf_record *r, struct stack_sample *x, u32 exec)
{
	u64 ips[2 * DEPTH];
	struct stack_def def = {
		.head.type = SAMPLE_STACK_DEF, .tgid = r->pid, .t_ns = r->t_ns, .ips = ips};

	perf_record__frames(r, ips, DEPTH, &def.nkernel, &def.nuser);
	if (put_copy(s, r, x, &def, exec))
		return;
	add_leaf(r, &def, ips);
	x->stack = define_stack(s, &def, exec);
	count(s, x);
}

/* Of no process that is shown. In a container one that has just ended is like one outside: it has no id. */
static bool is_nobodys(struct source *s, const struct perf_record *r)
{
	bool ended = s->own_pids && r->tid == UINT32_MAX;

	if (r->tid && !ended)
		return false;
	if (s->own_pids)
		s->outside += ended || !r->kernel || s->setup.attr.exclude_idle;
	return s->own_pids || !s->how.idle;
}

static void on_sample(struct source *s, const struct perf_record *r)
{
	struct stack_sample x = {
		.head.type = SAMPLE_STACK,
		.cgroup = r->cgroup,
		.tgid = r->pid,
		.tid = r->tid,
		.cpu = r->cpu,
		.count = 1,
		.weight = r->period,
		.t_ns = r->t_ns,
	};
	struct perf_task *leader;

	if (is_nobodys(s, r))
		return;
	memcpy(x.comm, perf_tasks__get(&s->tasks, r->pid, r->tid)->comm, sizeof(x.comm));
	if (!s->scope->follow_children && !in_scope(s, &x))
		return;
	leader = perf_tasks__get(&s->tasks, r->pid, r->pid);
	memcpy(x.process, leader->comm, sizeof(x.process));
	announce(s, leader, r);
	take(s, r, &x, leader->exec);
}

void cpu_perf__feed(struct source *s, const struct perf_event_header *h, size_t avail)
{
	const struct perf_format f = {.sample_type = s->setup.attr.sample_type,
				      .regs_user = s->setup.attr.sample_regs_user,
				      .trailers = true};
	struct perf_record r;

	if (perf_record__decode_as(&r, h, avail, &f) || !perf_ring__holds(&s->ring, r.t_ns))
		return;
	s->lost += r.lost;
	if (r.type == PERF_RECORD_SAMPLE) {
		on_sample(s, &r);
		return;
	}
	perf_tasks__record(&s->tasks, &r, s->scope);
	if (s->reach.own)
		side_events__add(&s->side, &r);
}

static void on_record(void *ctx, const struct perf_event_header *h)
{
	struct source *s = ctx;

	cpu_perf__feed(s, h, h->size);
}

/* --- opening --- */

static void count_lost(void *ctx, const struct perf_event_header *h)
{
	struct source *s = ctx;

	s->lost += h->type == PERF_RECORD_SAMPLE;
}

static void log_stacks(const struct source *s)
{
	if (s->copies.queue)
		log__add(LOG_INFO, "perf: %u bytes of user stack are copied with each sample",
			 s->setup.attr.sample_stack_user);
	else
		log__add(LOG_INFO, "perf: user stacks %s",
			 s->how.call_graph == CALL_GRAPH_OFF ? "are not taken"
							     : "by frame pointers");
}

/* What was in the old rings is counted as lost. */
static int reopen(struct source *s, struct perf_setup *p, struct status *st)
{
	struct perf_reach reach;
	struct perf_ring fresh;
	int err = cpu_perf__open_ring(&fresh, p, &s->how, s->scope, &reach, st);

	if (err)
		return err;
	if (s->ring.evlist)
		perf_ring__read(&s->ring, count_lost, s);
	perf_ring__close(&s->ring);
	s->ring = fresh;
	s->setup = *p;
	s->reach = reach;
	if (p->attr.sample_stack_user)
		s->lost += stack_copies__begin(&s->copies, s->how.walker, on_walked, s);
	else
		s->lost += stack_copies__end(&s->copies);
	log_stacks(s);
	return 0;
}

static struct source *new_source(const struct sampling *how, const struct scope *scope)
{
	struct source *s = xcalloc(1, sizeof(*s));

	s->how = *how;
	s->scope = scope__get(scope);
	s->ring.epoll_fd = -1;
	s->own_pids = machine__has_own_pids();
	stack_table__init(&s->stacks, ROWS_MAX, STACKS_MAX);
	perf_tasks__init(&s->tasks, TASKS_MAX);
	return s;
}

static void cpu_perf__close(struct source *s)
{
	perf_ring__close(&s->ring);
	stack_copies__end(&s->copies);
	stack_table__fini(&s->stacks);
	perf_tasks__fini(&s->tasks);
	side_events__fini(&s->side);
	arena__fini(&s->held_memory);
	scope__put(s->scope);
	free(s);
}

static struct source *cpu_perf__open(const struct sampling *how, const struct scope *scope,
				     struct status *st)
{
	struct source *s = new_source(how, scope);
	struct perf_setup p;
	int err = moment__refuse(scope, "the perf engine", st);

	if (!err)
		err = perf__setup(&p, how, st);
	if (!err)
		err = reopen(s, &p, st);
	if (!err)
		return s;
	cpu_perf__close(s);
	return NULL;
}

struct source *cpu_perf__open_fake(const struct sampling *how, const struct scope *scope,
				   u64 *fields)
{
	struct source *s = new_source(how, scope);

	s->setup.attr.sample_type = PERF_RECORD_FIELDS;
	stack_copies__fields(&s->setup.attr, stack_copies__bytes(how));
	if (s->setup.attr.sample_stack_user)
		stack_copies__begin(&s->copies, how->walker, on_walked, s);
	*fields = s->setup.attr.sample_type;
	return s;
}

static int cpu_perf__set_scope(struct source *s, const struct scope *scope, struct status *st)
{
	const struct scope *old = s->scope;
	struct perf_setup p = s->setup;
	int err = moment__refuse(scope, "the perf engine", st);

	if (err)
		return err;
	s->scope = scope__get(scope);
	if (s->reach.own)
		err = reopen(s, &p, st);
	if (err) {
		scope__put(s->scope);
		s->scope = old;
		return err;
	}
	scope__put(old);
	return 0;
}

static int cpu_perf__set_sampling(struct source *s, const struct sampling *how, struct status *st)
{
	struct sampling old = s->how;
	struct perf_setup p, wanted;
	int err = perf__setup(&p, how, st);

	if (err)
		return err;
	wanted = p;
	cpu_perf__fields(&wanted, how, !s->reach.no_copies);
	wanted.attr.sample_type = s->setup.attr.sample_type;
	s->how = *how;
	/* Inherited events would keep their old rate. */
	if (!s->reach.own && perf_setup__same_event(&wanted, &s->setup) &&
	    how->call_graph == old.call_graph &&
	    !perf_ring__set_rate(&s->ring, perf_setup__rate(&p))) {
		s->setup = wanted;
		cpu_perf__note(&s->reach, &wanted, how, false);
		return 0;
	}
	err = reopen(s, &p, st);
	if (err)
		s->how = old;
	return err;
}

/* The same event: what was gathered stays, and copies go on being walked. */
static int cpu_perf__renew(struct source *s, struct status *st)
{
	struct perf_setup p = s->setup;
	struct perf_reach reach;
	struct perf_ring fresh;
	int err = cpu_perf__open_ring(&fresh, &p, &s->how, s->scope, &reach, st);

	if (err)
		return err;
	perf_ring__succeed(&s->ring, &fresh, on_record, s);
	s->setup = p; /* its records may have other fields by now */
	s->reach = reach;
	return 0;
}

/* --- draining --- */

static int cpu_perf__fd(struct source *s)
{
	return s->ring.epoll_fd;
}

static void end_interval(struct source *s)
{
	s->interval_samples = s->samples - s->samples_before;
	s->interval_cut = s->cut - s->cut_before;
	s->samples_before = s->samples;
	s->cut_before = s->cut;
}

static void cpu_perf__fetch(struct source *s, bool tick)
{
	if (s->ring.evlist)
		perf_ring__read(&s->ring, on_record, s);
	s->fetched = true;
}

static void cpu_perf__drain(struct source *s, bool tick, const struct sample_sink *sink)
{
	if (!s->fetched)
		cpu_perf__fetch(s, tick);
	s->fetched = false;
	side_events__flush(&s->side, sink);
	put_held(s, sink);
	stack_copies__reap(&s->copies, tick);
	put_held(s, sink);
	if (!tick)
		return;
	s->fill = 100.0 * s->stacks.nrows / s->stacks.max_rows;
	stack_table__flush(&s->stacks, passes, s, sink);
	end_interval(s);
}

static void cpu_perf__health(struct source *s, struct health *h)
{
	h->samples = s->interval_samples;
	h->samples_total = s->samples;
	h->lost = s->lost + s->map_full;
	h->map_full = s->map_full;
	h->map_fill_pct = s->fill;
	h->truncated_pct = h->samples ? 100.0 * (double)s->interval_cut / (double)h->samples : 0;
	h->freq = s->setup.freq;
	h->period = s->setup.period;
	h->precise = s->setup.attr.precise_ip > 0;
	if (h->freq)
		h->cost_pct = 100.0 * (double)h->freq * SAMPLE_COST_NS / NSEC_PER_SEC;
	copy_str(h->tier, sizeof(h->tier), "perf");
	copy_str(h->event, sizeof(h->event), s->setup.event);
	copy_str(h->note, sizeof(h->note), s->reach.note);
	if (s->how.user && s->how.call_graph != CALL_GRAPH_OFF)
		h->stacks.by = STACKS_BY_FP;
	stack_copies__health(&s->copies, h);
	health__note(h, s->outside, "samples were of processes outside of this container");
}

const struct source_ops source_cpu_perf = {
	.name = "perf",
	.title = "perf event rings read by proftop",
	.open = cpu_perf__open,
	.close = cpu_perf__close,
	.set_scope = cpu_perf__set_scope,
	.set_sampling = cpu_perf__set_sampling,
	.renew = cpu_perf__renew,
	.fd = cpu_perf__fd,
	.fetch = cpu_perf__fetch,
	.drain = cpu_perf__drain,
	.health = cpu_perf__health,
};
