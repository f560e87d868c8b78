// SPDX-License-Identifier: GPL-2.0-only
/*
 * On-CPU sampling, tier 2: rings of perf samples, counted here. System-wide where that is
 * allowed, else the user's own processes.
 */
#include "sources/cpu_perf.h"

#include <linux/capability.h>
#include <stdio.h>
#include <unistd.h>

#include "core/arena.h"
#include "core/caps.h"
#include "core/log.h"
#include "sources/perf_open.h"
#include "sources/perf_ring.h"
#include "sources/perf_tasks.h"
#include "sources/scope_check.h"
#include "sources/side_events.h"
#include "sources/stack_table.h"

#define DEPTH	    127
#define ROWS_MAX    65536
#define STACKS_MAX  65536
#define TASKS_MAX   32768
#define THREADS_MAX 2048 /* events are opened on, without privileges */
#define PAGES	    128	 /* 512 KiB: what an unprivileged user gets by default */
#define PAGES_FAST  512
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
	bool fetched;
	bool own;			/* only processes of this user */
	u64 samples, cut;		/* since open; cut: their stacks reached the depth limit */
	u64 samples_before, cut_before; /* as of the last tick */
	u64 interval_samples, interval_cut; /* in the interval that it ended */
	u64 lost, map_full;
	double fill;
	char note[192];
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
static u64 define_stack(struct source *s, const struct perf_record *r, u32 exec)
{
	u64 ips[2 * DEPTH];
	struct stack_def def = {
		.head.type = SAMPLE_STACK_DEF, .tgid = r->pid, .t_ns = r->t_ns, .ips = ips};

	perf_record__frames(r, ips, DEPTH, &def.nkernel, &def.nuser);
	if (def.nkernel + def.nuser == 0)
		return 0;
	def.cut = def.nkernel == DEPTH || def.nuser == DEPTH;
	s->cut += def.cut;
	def.hash = stack_hash(ips, def.nkernel, def.nuser, (u64)exec << 32 | r->pid);
	if (stack_table__is_new(&s->stacks, def.hash))
		hold_stack(s, &def);
	return def.hash;
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

	if (!r->tid && !s->how.idle)
		return;
	memcpy(x.comm, perf_tasks__get(&s->tasks, r->pid, r->tid)->comm, sizeof(x.comm));
	if (!s->scope->follow_children && !in_scope(s, &x))
		return;
	leader = perf_tasks__get(&s->tasks, r->pid, r->pid);
	announce(s, leader, r);
	x.stack = define_stack(s, r, leader->exec);
	if (!stack_table__add(&s->stacks, &x))
		s->map_full++;
}

void cpu_perf__feed(struct source *s, const struct perf_event_header *h, size_t avail)
{
	struct perf_record r;

	if (perf_record__decode(&r, h, avail, s->setup.attr.sample_type))
		return;
	s->lost += r.lost;
	if (r.type == PERF_RECORD_SAMPLE) {
		on_sample(s, &r);
		return;
	}
	perf_tasks__record(&s->tasks, &r, s->scope);
	if (s->own)
		side_events__add(&s->side, &r);
}

static void on_record(void *ctx, const struct perf_event_header *h)
{
	struct source *s = ctx;

	cpu_perf__feed(s, h, h->size);
}

/* --- opening --- */

static void set_fields(struct perf_setup *p, const struct sampling *how)
{
	struct perf_event_attr *a = &p->attr;

	a->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			 PERF_SAMPLE_PERIOD;
	if (how->call_graph != CALL_GRAPH_OFF)
		a->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (perf__cgroup_ids_are_v2())
		a->sample_type |= PERF_SAMPLE_CGROUP;
	a->exclude_callchain_kernel = !how->kernel;
	a->exclude_callchain_user = !how->user;
	a->sample_id_all = 1;
	a->comm = a->comm_exec = a->task = 1;
}

static int try_open(const struct perf_event_attr *attr, int pid, int cpu)
{
	struct perf_event_attr a = *attr;
	int fd = perf__open(&a, pid, cpu);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static bool denied(int err)
{
	return err == -EACCES || err == -EPERM;
}

/* What may be had: everything, own processes, or those in user mode only. */
static int pick_reach(struct source *s, struct perf_setup *p, struct status *st)
{
	struct perf_event_attr *a = &p->attr;
	int err = try_open(a, -1, 0);

	if (err == -EINVAL && (a->sample_type & PERF_SAMPLE_CGROUP)) {
		a->sample_type &= ~(u64)PERF_SAMPLE_CGROUP;
		err = try_open(a, -1, 0);
	}
	s->own = denied(err);
	if (!s->own)
		return err;
	a->inherit = a->mmap = a->mmap2 = 1;
	err = try_open(a, 0, -1);
	if (denied(err) && !a->exclude_user) {
		a->exclude_kernel = a->exclude_hv = a->exclude_callchain_kernel = 1;
		err = try_open(a, 0, -1);
	}
	if (denied(err))
		status__set(
			st, EXIT_CODE_PERMISSION, err,
			"sampling is not permitted (kernel.perf_event_paranoid is %d): run "
			"with sudo, or sysctl kernel.perf_event_paranoid=%d for your own processes",
			perf__paranoid(), a->exclude_user ? 1 : 2);
	return err;
}

static void note_reach(struct source *s, const struct perf_setup *p, bool limited)
{
	bool blind = p->attr.exclude_kernel && s->how.kernel;

	copy_str(s->note, sizeof(s->note), p->note);
	if (!s->own && !(caps__effective() & 1ULL << CAP_SYS_PTRACE))
		snprintf(s->note, sizeof(s->note),
			 "functions of other users' processes have no names: run with sudo, or "
			 "give CAP_SYS_PTRACE");
	if (s->own)
		snprintf(
			s->note, sizeof(s->note),
			"only your own processes%s%s: sudo or sysctl kernel.perf_event_paranoid=-1 "
			"shows the rest",
			limited ? " (the first 2048 threads)" : "",
			blind ? ", user mode only" : "");
}

/* Threads come and go between looking and opening: look again when one has gone. */
static int open_own(struct source *s, struct perf_ring *ring, const struct perf_setup *p, u32 pages,
		    struct status *st)
{
	int err = -ESRCH;

	for (int tries = 0; err == -ESRCH && tries < 10; tries++) {
		bool limited;
		pid_t *tids;
		u32 n = perf_tasks__own(s->scope, THREADS_MAX, &tids, &limited);

		if (n)
			err = perf_ring__open(ring, &p->attr, tids, n, pages);
		free(tids);
		note_reach(s, p, limited);
		if (!n)
			return status__set(st, EXIT_CODE_PERMISSION, -EPERM,
					   "none of these processes is yours: run with sudo, or "
					   "sysctl kernel.perf_event_paranoid=-1");
	}
	return err;
}

static int refused(const struct perf_setup *p, int err, struct status *st)
{
	if (err == -EMFILE || err == -ENFILE)
		return status__set(
			st, EXIT_CODE_FAILURE, err,
			"too few file descriptors for an event per thread and CPU: raise "
			"`ulimit -n` or narrow the scope with -p");
	return status__set(st, exit_code__from_errno(err), err, "event %s cannot be sampled: %s",
			   p->event, strerror(-err));
}

/* Opens rings for a setup; those in use stay untouched. */
static int open_ring(struct source *s, struct perf_ring *ring, struct perf_setup *p,
		     struct status *st)
{
	u32 pages = p->freq && p->freq <= 1000 ? PAGES : PAGES_FAST;
	struct status why = {0};
	int err;

	set_fields(p, &s->how);
	err = pick_reach(s, p, &why);
	if (!err) {
		note_reach(s, p, false);
		err = s->own ? open_own(s, ring, p, pages, &why)
			     : perf_ring__open(ring, &p->attr, NULL, 0, pages);
	}
	if (err && why.msg[0])
		return status__set(st, why.code, err, "%s", why.msg);
	return err ? refused(p, err, st) : 0;
}

static void count_lost(void *ctx, const struct perf_event_header *h)
{
	struct source *s = ctx;

	s->lost += h->type == PERF_RECORD_SAMPLE;
}

/* What was in the old rings is counted as lost. */
static int reopen(struct source *s, struct perf_setup *p, struct status *st)
{
	struct perf_ring fresh;
	int err = open_ring(s, &fresh, p, st);

	if (err)
		return err;
	if (s->ring.evlist)
		perf_ring__read(&s->ring, count_lost, s);
	perf_ring__close(&s->ring);
	s->ring = fresh;
	s->setup = *p;
	return 0;
}

static struct source *new_source(const struct sampling *how, const struct scope *scope)
{
	struct source *s = xcalloc(1, sizeof(*s));

	s->how = *how;
	s->scope = scope__get(scope);
	s->ring.epoll_fd = -1;
	stack_table__init(&s->stacks, ROWS_MAX, STACKS_MAX);
	perf_tasks__init(&s->tasks, TASKS_MAX);
	return s;
}

static void cpu_perf__close(struct source *s)
{
	perf_ring__close(&s->ring);
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
	int err = perf__setup(&p, how, st);

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

	s->setup.attr.sample_type = *fields = PERF_RECORD_FIELDS;
	return s;
}

static int cpu_perf__set_scope(struct source *s, const struct scope *scope, struct status *st)
{
	const struct scope *old = s->scope;
	struct perf_setup p = s->setup;
	int err = 0;

	s->scope = scope__get(scope);
	if (s->own)
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
	set_fields(&wanted, how);
	wanted.attr.sample_type = s->setup.attr.sample_type;
	s->how = *how;
	/* Inherited events would keep their old rate. */
	if (!s->own && perf_setup__same_event(&wanted, &s->setup) &&
	    how->call_graph == old.call_graph &&
	    !perf_ring__set_rate(&s->ring, perf_setup__rate(&p))) {
		s->setup = wanted;
		note_reach(s, &p, false);
		return 0;
	}
	err = reopen(s, &p, st);
	if (err)
		s->how = old;
	return err;
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
	copy_str(h->note, sizeof(h->note), s->note);
}

const struct source_ops source_cpu_perf = {
	.name = "perf",
	.title = "perf event rings read by proftop",
	.open = cpu_perf__open,
	.close = cpu_perf__close,
	.set_scope = cpu_perf__set_scope,
	.set_sampling = cpu_perf__set_sampling,
	.fd = cpu_perf__fd,
	.fetch = cpu_perf__fetch,
	.drain = cpu_perf__drain,
	.health = cpu_perf__health,
};
