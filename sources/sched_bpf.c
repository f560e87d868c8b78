// SPDX-License-Identifier: GPL-2.0-only
/* Where threads are and what they wait for: BPF programs on the scheduler's tracepoints. */
#include "sources/sched_bpf.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "bpf/sched.h"
#include "bpf/sched.skel.h"
#include "bpf/stack.h"
#include "sources/active.h"
#include "sources/bpf_source.h"
#include "sources/bpf_util.h"
#include "sources/kernel_btf.h"
#include "sources/sched_locks.h"
#include "sources/sched_sleepers.h"
#include "sources/sched_tasks.h"
#include "sources/unwind_tasks.h"

#define SLOW_FIRST_NS NSEC_PER_MSEC
#define SLOW_LEAST_NS (NSEC_PER_MSEC / 10)
#define WALKS_WAIT_MS 300 /* at a tick, for stacks of those who slept before they were watched */
#define SLOW_WANTED   16  /* slow delays told in one interval, at least */
#define LONG_WANTED   (SCHED_LONG_MAX / 4)
#define THREADS_MANY  4096 /* from here on sleepers are left out for whom they say nothing */

struct source {
	struct bpf_source base;
	struct sched_bpf *skel;
	struct sched_tasks *tasks;
	struct sleepers *sleepers;
	struct sched_locks *locks;
	bool drained; /* an interval has ended */
	struct sched_cpu *cpus_before; /* one for each CPU that can be */
	u32 ncpus;
	u64 cpus_ns;
	u32 slow; /* delays told in this interval */
	u32 twice; /* 2 where an interval has room for twice as many waits, else 1 */
	bool active_only;
};

void sched_bpf__stats(struct source *s, struct sched_stats *out)
{
	bpf_source__stats(&s->base, out);
}

/* --- the iterator --- */

/* Who was left out is reported once more before all are again, so that their time is of one interval. */
static u32 sleepers_next(const struct source *s)
{
	if (s->active_only && sched_tasks__count(s->tasks) > THREADS_MANY)
		return SCHED_SLEEPERS_IN_TURN;
	return s->skel->bss->sleepers == SCHED_SLEEPERS_IN_TURN ? SCHED_SLEEPERS_ONCE
								: SCHED_SLEEPERS_ALL;
}

/* Calls fn with each record of the iterator's last round. */
static void each_visited(struct source *s,
			 void (*fn)(struct source *s, struct sched_task_record *r, size_t size))
{
	for (size_t at = 0; at + offsetof(struct sched_task_record, hists) <= s->base.visit.len;) {
		struct sched_task_record *r = (void *)(s->base.visit.data + at);
		size_t size = r->has_hists ? sizeof(*r) : offsetof(struct sched_task_record, hists);

		if (at + size > s->base.visit.len)
			break;
		fn(s, r, size);
		at += size;
	}
}

/* Since the last round it ran, or it waits for a CPU or a disk. */
static void report_if_active(struct source *s, struct sched_task_record *r, size_t size)
{
	(void)size;
	if (r->since_ns >= s->skel->bss->visited_ns || r->state == SCHED_RUNNING || r->state == SCHED_RUNNABLE ||
	    r->state == SCHED_DISK)
		active__report(r->task.tgid);
}

static void report_active(struct source *s)
{
	const struct scope *scope = s->base.scope.scope;

	if (scope && scope->text[0])
		return;
	active__begin_report();
	each_visited(s, report_if_active);
}

/* Grows the buffer as it goes: a record must not be taken twice. */
static void visit_all(struct source *s, u64 t1_ns, u32 half)
{
	s->skel->bss->cut_half = half;
	__atomic_store_n(&s->skel->bss->cut_ns, t1_ns, __ATOMIC_RELEASE);
	s->skel->bss->sleepers = sleepers_next(s);
	s->skel->bss->epoch++;
	bpf_source__visit(&s->base);
	if (s->skel->bss->sleepers == SCHED_SLEEPERS_IN_TURN) {
		s->skel->bss->left_out_ns = t1_ns;
		report_active(s);
	}
	s->skel->bss->visited_ns = t1_ns;
}

/* What comes from here on is of the half that counts next. */
static void end_interval(struct source *s, u64 t1_ns)
{
	visit_all(s, t1_ns, !*s->base.active);
}

static void take_sleeper(struct source *s, struct sched_task_record *r, size_t size)
{
	struct sched_polled polled;

	(void)size;
	if (sleepers__take(s->sleepers, r) && r->wait.since_before && sleeper__polls(r, &polled))
		bpf_map_update_elem(bpf_map__fd(s->skel->maps.polled), &r->task.tid, &polled,
				    BPF_ANY);
}

/* Where it was is known, though no program saw it leave, or saw little of it. since_ns: when it began; 0: not
 * known. */
static u64 user_stack_of(const struct source *s, const struct sched_ident *task,
			 const struct sched_wait *w, u64 since_ns)
{
	u64 copied = 0;

	if (w->early)
		copied = since_ns ? sleepers__stack(s->sleepers, task, since_ns) : 0;
	else if (w->since_before && !w->ustack)
		copied = sleepers__stack(s->sleepers, task, 0);
	return copied ? copied : w->ustack;
}

static void take_record(struct source *s, struct sched_task_record *r, size_t size)
{
	struct bpf_scope_entry e = {r->task.tgid,   r->task.tid, r->cpu,
				    r->task.cgroup, r->t_ns,	 r->task.comm};

	r->wait.ustack = user_stack_of(s, &r->task, &r->wait, r->off_since_ns);
	sched_tasks__take(s->tasks, r, size, s->skel->bss->wanted & SCHED_WANT_WAITS,
			  s->base.sink && !r->asleep && bpf_scope__passes(&s->base.scope, &e)
				  ? s->base.sink : NULL);
}

static void take_sleepers(struct source *s, const struct sample_sink *sink)
{
	if (s->skel->bss->wanted & SCHED_WANT_WAITS)
		each_visited(s, take_sleeper);
	sleepers__reap(s->sleepers, sink, WALKS_WAIT_MS);
}

/* sink NULL: only where the next interval begins is remembered. */
static void take_visited(struct source *s, const struct sample_sink *sink)
{
	s->base.sink = sink;
	if (sink)
		take_sleepers(s, sink);
	each_visited(s, take_record);
	bpf_visit__done(&s->base.visit);
}

/* --- records from the ring --- */

static void put_end(struct source *s, const struct sched_task_record *r, size_t size)
{
	struct bpf_scope_entry e = {r->task.tgid,   r->task.tid, r->cpu,
				    r->task.cgroup, r->t_ns,	 r->task.comm};

	sched_tasks__take(s->tasks, r, size, false,
			  bpf_scope__passes(&s->base.scope, &e) ? s->base.sink : NULL);
}

static void put_delay(struct source *s, const struct sched_delay_record *r)
{
	struct delay_sample out = {
		.head.type = SAMPLE_DELAY,
		.cpu = r->cpu,
		.t_ns = r->t_ns,
		.delay_ns = r->delay_ns,
		.holder_ran_ns = r->holder_ran_ns,
		.holder_kstack = r->holder_kstack,
		.holder_ustack = r->holder_ustack,
	};

	s->slow++;
	sched_ident__to(&out.task, &r->task);
	sched_ident__to(&out.holder, &r->holder);
	sink__put(s->base.sink, &out.head);
}

static void put_switch(struct source *s, const struct sched_switch_record *r)
{
	struct switch_sample out = {
		.head.type = SAMPLE_SWITCH,
		.tid = r->tid,
		.cpu = r->cpu,
		.t_ns = r->t_ns,
		.state = (enum task_state)MIN(r->state, SCHED_OTHER),
		.syscall = r->syscall,
		.futex_op = r->futex_op,
		.kstack = r->kstack,
		.ustack = r->ustack,
	};

	sink__put(s->base.sink, &out.head);
}

static void put_stack(void *ctx, const void *data, size_t size)
{
	struct source *s = ctx;

	if (*(const u32 *)data == RECORD_STACK)
		s->base.stacks += bpf_ring__put_stack(data, size, s->base.sink);
}

static void put_record(struct source *s, const void *data, size_t size)
{
	switch (*(const u32 *)data) {
	case RECORD_SCHED_TASK:
		put_end(s, data, size);
		break;
	case RECORD_SCHED_DELAY:
		if (size >= sizeof(struct sched_delay_record))
			put_delay(s, data);
		break;
	case RECORD_SCHED_SWITCH:
		if (size >= sizeof(struct sched_switch_record))
			put_switch(s, data);
		break;
	default:
		break;
	}
}

/* --- waits that ended --- */

static void on_wait(void *ctx, const void *key, const void *value)
{
	const struct sched_wait_sum *sum = value;
	struct source *s = ctx;
	struct bpf_scope_entry e = {sum->task.tgid,   sum->task.tid, sum->cpu,
				    sum->task.cgroup, sum->last_ns,  sum->task.comm};
	struct wait_sample out;

	(void)key;
	if (!bpf_scope__passes(&s->base.scope, &e))
		return;
	sched_wait__to(&out, &sum->task, &sum->wait);
	/* Of a single one it follows when it began. */
	out.ustack = user_stack_of(s, &sum->task, &sum->wait, sum->count == 1 ? sum->last_ns - sum->full_ns : 0);
	out.count = sum->count;
	out.off_ns = sum->off_ns;
	out.runq_ns = out.state == TASK_STATE_RUNNABLE ? sum->off_ns : sum->runq_ns;
	out.full_ns = sum->full_ns;
	out.max_ns = MAX(sum->max_ns, sum->open_full_ns);
	out.open = sum->open;
	out.open_ns = sum->open_ns;
	out.open_full_ns = sum->open_full_ns;
	out.hist = sum->hist;
	out.t_ns = sum->last_ns;
	sink__put(s->base.sink, &out.head);
}

/* --- CPUs --- */

static u64 busy_until(const struct sched_cpu *c, u64 now)
{
	return c->busy_ns + (c->running_tid && now > c->since_ns ? now - c->since_ns : 0);
}

/* Telling it at each switch would cost more than asking for it once. */
static void who_is(u32 tid, struct task_ident *out)
{
	char path[40];
	FILE *f;

	*out = (struct task_ident){.tgid = tid, .tid = tid};
	snprintf(path, sizeof(path), "/proc/%u/comm", tid);
	f = fopen(path, "re");
	if (!f)
		return;
	if (fgets(out->comm, sizeof(out->comm), f))
		out->comm[strcspn(out->comm, "\n")] = '\0';
	fclose(f);
}

static void put_cpu(struct source *s, u32 cpu, const struct sched_cpu *c, u64 then, u64 now)
{
	struct sched_cpu *before = &s->cpus_before[cpu];
	u64 hist[HIST_BUCKETS], e = s->skel->bss->epoch - 1;
	u64 running = now - MIN(now, c->since_ns), ended;
	struct cpu_sample out = {
		.head.type = SAMPLE_CPU,
		.cpu = cpu,
		.t_ns = now,
		.span_ns = now - then,
		.switches = c->switches - before->switches,
		.delay_hist = hist,
	};

	out.busy_ns = busy_until(c, now) - MIN(busy_until(before, then), busy_until(c, now));
	out.busy_ns = MIN(out.busy_ns, out.span_ns);
	ended = c->run_max.epoch[e & 1] == e ? c->run_max.ns[e & 1] : 0;
	out.run_max_ns = ended;
	sched_ident__to(&out.longest, &c->longest[e & 1]);
	if (c->running_tid)
		who_is(c->running_tid, &out.running);
	if (c->running_tid && running > ended) {
		out.run_max_ns = running;
		out.longest = out.running;
	}
	for (u32 i = 0; i < HIST_BUCKETS; i++)
		hist[i] = c->delay_hist[i] - before->delay_hist[i];
	sink__put(s->base.sink, &out.head);
}

static bool read_cpus(struct source *s, struct sched_cpu *out)
{
	u32 zero = 0;

	return !bpf_map_lookup_elem(bpf_map__fd(s->skel->maps.cpus), &zero, out);
}

/* sink NULL: only where the next interval begins is remembered. */
static void take_cpus(struct source *s, const struct sample_sink *sink)
{
	struct sched_cpu *now = xcalloc(s->ncpus, sizeof(*now)), *before = s->cpus_before;
	u64 now_ns = clock__monotonic_ns();

	if (read_cpus(s, now)) {
		for (u32 i = 0; sink && i < s->ncpus; i++)
			if (now[i].switches)
				put_cpu(s, i, &now[i], s->cpus_ns, now_ns);
		s->cpus_before = now;
		s->cpus_ns = now_ns;
		now = before;
	}
	free(now);
}

/* --- upkeep --- */

/* As low as leaves few enough to look at; the programs raise them themselves. */
static void adapt_limits(struct source *s)
{
	struct sched_bpf__bss *b = s->skel->bss;

	if (s->slow < SLOW_WANTED)
		b->slow_ns = MAX(b->slow_ns / 2, SLOW_LEAST_NS);
	if (b->long_kept < LONG_WANTED)
		b->long_ns = MAX(b->long_ns / 2, SCHED_LONG_NS);
	s->slow = 0;
	b->slow_reported = b->long_kept = 0;
}

/* A shape stands for a stack that was sent: both are forgotten together. */
static void forget_shapes(struct source *s)
{
	static const char zero[4096]; /* more than a shape */
	int fd = bpf_map__fd(s->skel->maps.stack_shapes);
	u32 n = bpf_map__max_entries(s->skel->maps.stack_shapes);

	for (u32 i = 0; i < n; i++)
		bpf_map_update_elem(fd, &i, zero, BPF_ANY);
	s->skel->bss->stacks_round++;
}

static void note(struct source *s)
{
	const struct sched_stats *now = s->base.now;
	struct health *h = &s->base.health;

	if (s->base.trimmed)
		forget_shapes(s);
	bpf_source__note_samples(&s->base, s->skel->bss->wanted & SCHED_WANT_WAITS ? now->waits
										   : now->switches);
	h->map_full = now->waits_full;
	h->lost = now->waits_lost + now->records_full + now->tasks_full;
	h->stacks_lost = now->stacks_lost + now->waits_full - MIN(now->waits_lost, now->waits_full);
	health__note(h, now->waits_full,
		     "waits are in rows without stack and waker: too many different ones at once");
	health__note(h, now->backward, "negative times were taken as 0");
	health__note(h, now->unseen,
		     "switches the kernel kept from the programs: their time is from its account");
	health__note(h, now->forks_lost, "children could not be followed");
}

/* --- settings --- */

/* In the order of SCOPE_STATES: R S D T t X Z P I. */
static u32 states_of(u32 letters)
{
	static const u32 bits[] = {
		1u << SCHED_RUNNABLE, 1u << SCHED_SLEEP,  1u << SCHED_DISK,
		1u << SCHED_STOPPED,  1u << SCHED_TRACED, 1u << SCHED_OTHER,
		1u << SCHED_OTHER,    1u << SCHED_OTHER,  1u << SCHED_IDLE,
	};
	u32 out = 0;

	for (u32 i = 0; i < ARRAY_SIZE(bits); i++)
		if (letters & (1u << i))
			out |= bits[i];
	return out;
}

static void scoped(struct source *s, const struct scope *scope)
{
	u32 all = (1u << SCHED_STATES) - 1, states = 0;

	if (scope->states || scope->not_states)
		states = (scope->states ? states_of(scope->states) : all) &
			 ~states_of(scope->not_states);
	s->skel->bss->wait_min_ns = scope->min_ns;
	s->skel->bss->wait_max_ns = scope->max_ns;
	/* A filter that nothing passes is not the same as none. */
	s->skel->bss->wait_states =
		states || !(scope->states || scope->not_states) ? states : 1u << 31;
}

static void sampled(struct source *s, const struct sampling *how)
{
	s->skel->bss->watch_tid = how->watch;
	s->active_only = how->active_only;
}

/* What ended before the first interval is none of it. */
static void begin_interval(struct source *s, u64 t0_ns)
{
	if (s->drained)
		return;
	s->skel->bss->begin_ns = t0_ns;
	visit_all(s, t0_ns, *s->base.active);
	take_visited(s, NULL);
	take_cpus(s, NULL);
}

/* Stacks of those who sleep already take their time: the first interval begins after that. */
static void look_at_sleepers(struct source *s)
{
	visit_all(s, clock__monotonic_ns(), *s->base.active);
	take_sleepers(s, NULL);
	bpf_visit__done(&s->base.visit);
}

/* Who wakes whom matters to waits alone. */
static void sched_bpf__serve(struct source *s, u64 models)
{
	u32 wanted = (models & (1ULL << MODEL_WAITS) ? SCHED_WANT_WAITS : 0) |
		     (models & (1ULL << MODEL_SCHED) ? SCHED_WANT_TASKS : 0);
	struct bpf_link **waking = &s->skel->links.sched_waking;

	/* Waits after intervals of threads alone: what they lasted before is of no interval. */
	if (s->drained && wanted & ~s->skel->bss->wanted & SCHED_WANT_WAITS)
		s->skel->bss->begin_ns = clock__monotonic_ns();
	s->skel->bss->wanted = wanted;
	if (wanted & SCHED_WANT_WAITS && !*waking) {
		*waking = bpf_program__attach(s->skel->progs.sched_waking);
		if (!*waking)
			log__add(LOG_WARN, "wakers will not be known: %s", strerror(errno));
	} else if (!(wanted & SCHED_WANT_WAITS)) {
		bpf_link__destroy(*waking);
		*waking = NULL;
	}
	if (!s->drained && (wanted & SCHED_WANT_WAITS))
		look_at_sleepers(s);
}

/* --- the source --- */

static void unload(struct source *s)
{
	sched_bpf__destroy(s->skel);
}

static void fini(struct source *s)
{
	sched_tasks__free(s->tasks);
	sleepers__free(s->sleepers);
	sched_locks__free(s->locks);
	free(s->cpus_before);
}

/* Since 5.18 the tracepoint tells the state in which the thread left. */
static bool switch_has_state(void)
{
	struct btf *btf = kernel_btf__get();
	const struct btf_type *t;
	bool has_state = false;
	int id;

	if (!btf)
		return false;
	id = btf__find_by_name_kind(btf, "btf_trace_sched_switch", BTF_KIND_TYPEDEF);
	t = id > 0 ? btf__type_by_id(btf, (u32)id) : NULL;
	t = t ? btf__type_by_id(btf, t->type) : NULL; /* the pointer */
	t = t ? btf__type_by_id(btf, t->type) : NULL; /* the prototype; its first is context */
	if (t && btf_is_func_proto(t))
		has_state = btf_vlen(t) >= 5;
	kernel_btf__put(btf);
	return has_state;
}

static int open_programs(struct source *s, struct status *st)
{
	const struct sched_bpf_sizes *sizes = s->base.sizes;
	int err = bpf_source__skeleton(s, sched_bpf, st);

	if (err)
		return err;
	s->base.stacks_max = sizes->stacks;
	s->base.ring_bytes = sizes->ring_bytes;
	bpf_source__size(&s->base, "waits", sizes->waits * s->twice);
	bpf_source__size(&s->base, "rests", sizes->rests * s->twice);
	s->skel->rodata->switch_has_state = switch_has_state();
#ifdef __x86_64__
	/* The kernel's image and its modules lie within it. */
	s->skel->rodata->text_start = 0xffffffff80000000;
	s->skel->rodata->text_length = 0x7f000000;
#endif
	s->skel->bss->slow_ns = SLOW_FIRST_NS;
	s->skel->bss->long_ns = SCHED_LONG_NS;
	s->skel->bss->cut_ns = s->skel->bss->begin_ns = ~0ULL;
	s->skel->bss->wanted = SCHED_WANT_WAITS | SCHED_WANT_TASKS;
	return 0;
}

static int visit_first(struct source *s, struct status *st)
{
	int err = bpf_source__attach_visit(&s->base, s->skel->progs.sched_visit, st);

	if (err)
		return err;
	err = bpf_visit__run(&s->base.visit);
	return err ? bpf_util__failed(err, "visiting all threads", st) : 0;
}

/* Whoever visits first gives each thread its place; the events then find it. */
static int attach(struct source *s, struct status *st)
{
	struct sched_bpf *k = s->skel;
	const struct {
		struct bpf_program *prog;
		struct bpf_link **link;
	} all[] = {
		{k->progs.sched_new, &k->links.sched_new},
		{k->progs.sched_wakeup_new, &k->links.sched_wakeup_new},
		{NULL, NULL}, /* the visit */
		{k->progs.sched_waking, &k->links.sched_waking},
		{k->progs.sched_exec, &k->links.sched_exec},
		{k->progs.sched_wakeup, &k->links.sched_wakeup},
		{k->progs.sched_switch, &k->links.sched_switch},
	};
	int err = 0;

	for (u32 i = 0; i < ARRAY_SIZE(all) && !err; i++)
		if (all[i].prog)
			err = bpf_util__attach(all[i].prog, all[i].link, st);
		else
			err = visit_first(s, st);
	return err;
}

/* Their tables are made at once, for all processes: too much where memory is little. */
static bool walks_sleepers(const struct sampling *how)
{
	return how->call_graph != CALL_GRAPH_OFF && !memory__is_little();
}

/* Beside compilers ten seconds have some 20,000 different waits; maps have their memory from the start. */
#define LONG_INTERVAL_S 4

static int init(struct source *s, const struct sampling *how, struct status *st)
{
	(void)st;
	s->twice = how->interval_s >= LONG_INTERVAL_S && !memory__is_little() ? 2 : 1;
	s->ncpus = (u32)MAX(libbpf_num_possible_cpus(), 1);
	s->cpus_before = xcalloc(s->ncpus, sizeof(*s->cpus_before));
	s->tasks = sched_tasks__new();
	s->sleepers = sleepers__new(walks_sleepers(how) ? how->walker : NULL);
	s->locks = sched_locks__new(how->names);
	return 0;
}

/* A thread may have been visited and then ended: in that order, its stacks before. */
static void first(struct source *s, bool tick)
{
	if (s->skel->bss->wanted & SCHED_WANT_WAITS)
		s->base.sink = sched_locks__watch(s->locks, s->base.sink);
	bpf_ring__each(s->base.ring, put_stack, s);
	if (tick)
		take_visited(s, s->base.sink);
}

static double drain(struct source *s)
{
	double fill;

	s->drained = true;
	sched_tasks__end_round(s->tasks, s->skel->bss->sleepers ? 2 * SCHED_TURNS : 0);
	if (s->skel->bss->wanted & SCHED_WANT_TASKS) {
		take_cpus(s, s->base.sink);
		adapt_limits(s);
	}
	fill = bpf_source__drain_half(&s->base, "waits", "waits", on_wait);
	bpf_source__drain_half(&s->base, "rests", "waits", on_wait);
	sched_locks__report(s->locks);
	return fill;
}

static const struct bpf_subject subject = {
	.what = "BPF scheduler programs",
	.event = "sched_switch",
	.needs = BPF_NEED_STORAGE | BPF_NEED_ATOMICS,
	.size = sizeof(struct source),
	.stats_size = sizeof(struct sched_stats),
	.sizes_size = sizeof(struct sched_bpf_sizes),
	.own_stacks = true,
	.init = init,
	.open = open_programs,
	.scoped = scoped,
	.sampled = sampled,
	.attach = attach,
	.turning = end_interval,
	.first = first,
	.record = put_record,
	.drain = drain,
	.note = note,
	.unload = unload,
	.fini = fini,
};

static const struct sched_bpf_sizes sizes = {16384, 2048, 16384, 4 * 1024 * 1024};
static const struct sched_bpf_sizes little = {2048, 512, 8192, 256 * 1024};

BPF_SOURCE_OPEN(sched_bpf)

const struct source_ops source_sched_bpf = {
	.name = "bpf",
	.title = "BPF programs on the scheduler's tracepoints",
	.open = sched_bpf__open_source,
	.ask_tables = unwind_tasks__ask,
	.serve = sched_bpf__serve,
	.begin = begin_interval,
	BPF_SOURCE_OPS,
};
