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
#include "bpf/unwind.h"
#include "sources/bpf_probe.h"
#include "sources/bpf_ring.h"
#include "sources/bpf_scope.h"
#include "sources/bpf_util.h"
#include "sources/bpf_visit.h"
#include "sources/core_btf.h"
#include "sources/kernel_btf.h"
#include "sources/sched_sleepers.h"
#include "sources/sched_tasks.h"
#include "sources/unwind_maps.h"

#define SLOW_FIRST_NS NSEC_PER_MSEC
#define SLOW_LEAST_NS (NSEC_PER_MSEC / 10)
#define WALKS_WAIT_MS 300 /* at a tick, for stacks of those who slept before they were watched */
#define SLOW_WANTED   16  /* slow delays told in one interval, at least */

struct source {
	struct sched_bpf *skel;
	struct bpf_ring *ring;
	struct bpf_scope scope;
	struct sched_bpf_sizes sizes;
	struct bpf_visit visit; /* records of the iterator's last round */
	struct sched_tasks *tasks;
	struct sleepers *sleepers;
	bool drained; /* an interval has ended */
	struct sched_cpu *cpus_before; /* one for each CPU that can be */
	u32 ncpus;
	u64 cpus_ns;
	bool flipped;
	const struct sample_sink *sink; /* during drain */
	u32 stacks, slow; /* stacks sent since the maps were emptied; slow delays told */
	u64 before_ns;
	struct sched_stats before;
	struct unwind_stats before_walks;
	struct health health;
};

void sched_bpf__stats(struct source *s, struct sched_stats *out)
{
	bpf_util__sum_percpu(bpf_map__fd(s->skel->maps.stats), sizeof(*out), (u64 *)out);
}

/* --- the iterator --- */

/* Grows the buffer as it goes: a record must not be taken twice. */
static void visit_all(struct source *s)
{
	u64 now = clock__monotonic_ns();
	int err;

	s->skel->bss->look_again = bpf_scope__may_change(&s->scope);
	s->skel->bss->epoch++;
	err = bpf_visit__run(&s->visit);
	s->skel->bss->visited_ns = now;
	if (err)
		log__add(LOG_WARN, "threads could not be visited: %s", strerror(-err));
}

/* Calls fn with each record of the iterator's last round. */
static void each_visited(struct source *s,
			 void (*fn)(struct source *s, struct sched_task_record *r, size_t size))
{
	for (size_t at = 0; at + offsetof(struct sched_task_record, hists) <= s->visit.len;) {
		struct sched_task_record *r = (void *)(s->visit.data + at);
		size_t size = r->has_hists ? sizeof(*r) : offsetof(struct sched_task_record, hists);

		if (at + size > s->visit.len)
			break;
		fn(s, r, size);
		at += size;
	}
}

static void take_sleeper(struct source *s, struct sched_task_record *r, size_t size)
{
	struct sched_polled polled;

	(void)size;
	if (sleepers__take(s->sleepers, r) && sleeper__polls(r, &polled))
		bpf_map_update_elem(bpf_map__fd(s->skel->maps.polled), &r->task.tid, &polled,
				    BPF_ANY);
}

/* Where it was is known, though no program saw it leave. */
static u64 user_stack_of(const struct source *s, const struct sched_ident *task,
			 const struct sched_wait *w)
{
	return w->since_before && !w->ustack ? sleepers__stack(s->sleepers, task) : w->ustack;
}

static void take_record(struct source *s, struct sched_task_record *r, size_t size)
{
	struct bpf_scope_entry e = {r->task.tgid,   r->task.tid, r->cpu,
				    r->task.cgroup, r->t_ns,	 r->task.comm};

	r->wait.ustack = user_stack_of(s, &r->task, &r->wait);
	sched_tasks__take(s->tasks, r, size, s->skel->bss->wanted & SCHED_WANT_WAITS,
			  s->sink && bpf_scope__passes(&s->scope, &e) ? s->sink : NULL);
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
	s->sink = sink;
	if (sink)
		take_sleepers(s, sink);
	each_visited(s, take_record);
	s->visit.len = 0;
}

/* --- records from the ring --- */

static void put_end(struct source *s, const struct sched_task_record *r, size_t size)
{
	struct bpf_scope_entry e = {r->task.tgid,   r->task.tid, r->cpu,
				    r->task.cgroup, r->t_ns,	 r->task.comm};

	sched_tasks__take(s->tasks, r, size, false,
			  bpf_scope__passes(&s->scope, &e) ? s->sink : NULL);
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
	sink__put(s->sink, &out.head);
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

	sink__put(s->sink, &out.head);
}

static void put_stack(void *ctx, const void *data, size_t size)
{
	struct source *s = ctx;

	if (*(const u32 *)data == RECORD_STACK)
		s->stacks += bpf_ring__put_stack(data, size, s->sink);
}

static void put_record(void *ctx, const void *data, size_t size)
{
	struct source *s = ctx;

	switch (*(const u32 *)data) {
	case RECORD_UNWIND:
		bpf_ring__put_unwind(data, size, s->sink);
		break;
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
	if (!bpf_scope__passes(&s->scope, &e))
		return;
	sched_wait__to(&out, &sum->task, &sum->wait);
	out.ustack = user_stack_of(s, &sum->task, &sum->wait);
	out.count = sum->count;
	out.off_ns = sum->off_ns;
	out.runq_ns = out.state == TASK_STATE_RUNNABLE ? sum->off_ns : sum->runq_ns;
	out.full_ns = sum->full_ns;
	out.max_ns = sum->max_ns;
	out.hist = sum->hist;
	out.t_ns = sum->last_ns;
	sink__put(s->sink, &out.head);
}

static long drain_map(struct source *s, const struct bpf_map *map)
{
	long n = bpf_util__drain(bpf_map__fd(map), sizeof(u64), sizeof(struct sched_wait_sum),
				 on_wait, s);

	if (n < 0)
		log__add(LOG_WARN, "waits could not be read from the kernel: %s",
			 strerror((int)-n));
	return MAX(n, 0);
}

/* Returns how full the map was, in %. */
static double drain_waits(struct source *s)
{
	bool a = s->skel->bss->active;
	long n = drain_map(s, a ? s->skel->maps.waits_a : s->skel->maps.waits_b);

	drain_map(s, a ? s->skel->maps.rests_a : s->skel->maps.rests_b);
	s->flipped = false;
	return 100.0 * (double)n / s->sizes.waits;
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
	sink__put(s->sink, &out.head);
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

/* As low as leaves few enough to look at; the programs raise it themselves. */
static void adapt_slow(struct source *s)
{
	if (s->slow < SLOW_WANTED)
		s->skel->bss->slow_ns = MAX(s->skel->bss->slow_ns / 2, SLOW_LEAST_NS);
	s->slow = 0;
	s->skel->bss->slow_told = 0;
}

/* A shape stands for a stack that was sent: both are forgotten together. */
static double trim_stacks(struct source *s)
{
	static const char zero[4096]; /* more than a shape */
	int fd = bpf_map__fd(s->skel->maps.stack_shapes);
	u32 n = bpf_map__max_entries(s->skel->maps.stack_shapes);
	double fill = bpf_util__trim(s->skel->maps.stacks_seen, &s->stacks, s->sizes.stacks);

	for (u32 i = 0; fill >= 75 && i < n; i++)
		bpf_map_update_elem(fd, &i, zero, BPF_ANY);
	if (fill >= 75)
		s->skel->bss->stacks_round++;
	return fill;
}

static void note_losses(struct health *h, const struct sched_stats *now, bool waits)
{
	u64 samples = waits ? now->waits : now->switches;

	h->samples = samples - MIN(samples, h->samples_total);
	h->samples_total = samples;
	h->map_full = now->waits_full;
	h->lost = now->waits_lost + now->records_full + now->tasks_full;
	h->stacks_lost = now->stacks_lost + now->waits_full - MIN(now->waits_lost, now->waits_full);
	h->note[0] = '\0';
	health__note(h, now->waits_full,
		     "waits are in rows without stack and waker: too many different ones at once");
	health__note(h, now->backward, "negative times were taken as 0");
	health__note(h, now->unseen,
		     "switches the kernel kept from the programs: their time is from its account");
	health__note(h, now->forks_lost, "children could not be followed");
}

static void note_tick(struct source *s, double fill)
{
	u64 now_ns = clock__monotonic_ns();
	struct sched_stats now;
	double stacks;

	sched_bpf__stats(s, &now);
	note_losses(&s->health, &now, s->skel->bss->wanted & SCHED_WANT_WAITS);
	stacks = trim_stacks(s); /* not within MAX, which would trim twice */
	s->health.map_fill_pct = MAX(fill, stacks);
	unwind_maps__health(s->skel->obj, s->skel->bss->unwind_by_tables, &s->before_walks,
			    &s->health);
	health__cost(&s->health, now.runs - s->before.runs, now.timed - s->before.timed,
		     now.run_ns - s->before.run_ns, now_ns - s->before_ns);
	s->before = now;
	s->before_ns = now_ns;
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

static void set_filters(struct source *s, const struct scope *scope)
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
	s->skel->bss->thread_kinds = scope->not_tasks & SCOPE_TASK_KERNEL ? 1
				     : scope->not_tasks & SCOPE_TASK_USER ? 2
									  : 0;
}

static int sched_bpf__set_scope(struct source *s, const struct scope *scope, struct status *st)
{
	int err = bpf_scope__set(&s->scope, scope, st);

	if (err)
		return err;
	set_filters(s, scope);
	return 0;
}

static int sched_bpf__set_sampling(struct source *s, const struct sampling *how, struct status *st)
{
	(void)st;
	s->skel->bss->watch_tid = how->watch;
	s->skel->bss->unwind_by_tables = unwind_maps__mode(how->call_graph);
	return 0;
}

static void begin_interval(struct source *s)
{
	visit_all(s);
	take_visited(s, NULL);
	take_cpus(s, NULL);
}

/* Stacks of those who sleep already take their time: the first interval begins after that. */
static void begin_with_sleepers(struct source *s)
{
	visit_all(s);
	take_sleepers(s, NULL);
	begin_interval(s);
}

/* Who wakes whom matters to waits alone. */
static void sched_bpf__serve(struct source *s, u64 models)
{
	u32 wanted = (models & (1ULL << MODEL_WAITS) ? SCHED_WANT_WAITS : 0) |
		     (models & (1ULL << MODEL_SCHED) ? SCHED_WANT_TASKS : 0);
	struct bpf_link **waking = &s->skel->links.sched_waking;

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
		begin_with_sleepers(s);
	else if (!s->drained)
		begin_interval(s);
}

/* --- the source --- */

static void sched_bpf__close(struct source *s)
{
	bpf_visit__fini(&s->visit);
	bpf_scope__fini(&s->scope);
	bpf_ring__free(s->ring);
	sched_bpf__destroy(s->skel);
	sched_tasks__free(s->tasks);
	sleepers__free(s->sleepers);
	free(s->cpus_before);
	free(s);
}

/* Since 5.18 the tracepoint tells the state in which the thread left. */
static bool switch_tells_state(void)
{
	struct btf *btf = kernel_btf__get();
	const struct btf_type *t;
	bool tells = false;
	int id;

	if (!btf)
		return false;
	id = btf__find_by_name_kind(btf, "btf_trace_sched_switch", BTF_KIND_TYPEDEF);
	t = id > 0 ? btf__type_by_id(btf, (u32)id) : NULL;
	t = t ? btf__type_by_id(btf, t->type) : NULL; /* the pointer */
	t = t ? btf__type_by_id(btf, t->type) : NULL; /* the prototype; its first is context */
	if (t && btf_is_func_proto(t))
		tells = btf_vlen(t) >= 5;
	kernel_btf__put(btf);
	return tells;
}

static int load(struct source *s, struct status *st)
{
	int err;

	s->skel = sched_bpf__open_opts(CORE_BTF_OPTS(sched_bpf));
	if (!s->skel)
		return bpf_util__failed(-errno, "BPF scheduler programs", st);
	bpf_map__set_max_entries(s->skel->maps.waits_a, s->sizes.waits);
	bpf_map__set_max_entries(s->skel->maps.waits_b, s->sizes.waits);
	bpf_map__set_max_entries(s->skel->maps.rests_a, s->sizes.rests);
	bpf_map__set_max_entries(s->skel->maps.rests_b, s->sizes.rests);
	bpf_map__set_max_entries(s->skel->maps.stacks_seen, s->sizes.stacks);
	bpf_map__set_max_entries(s->skel->maps.records, s->sizes.ring_bytes);
	s->skel->rodata->switch_tells_state = switch_tells_state();
	s->skel->rodata->ring_wake_bytes = s->sizes.ring_bytes / 2;
#ifdef __x86_64__
	/* The kernel's image and its modules lie within it. */
	s->skel->rodata->text_start = 0xffffffff80000000;
	s->skel->rodata->text_length = 0x7f000000;
#endif
	err = unwind_maps__share(s->skel->obj, st);
	if (err)
		return err;
	err = sched_bpf__load(s->skel);
	if (err)
		return bpf_probe__failed(BPF_NEED_STORAGE | BPF_NEED_ATOMICS, err,
					 "BPF scheduler programs", st);
	err = bpf_ring__new(&s->ring, bpf_map__fd(s->skel->maps.records), st);
	if (err)
		return err;
	bpf_scope__init(&s->scope, s->skel->obj, &s->skel->bss->scope_state,
			s->skel->progs.sched_fork, s->skel->progs.sched_exit);
	s->skel->bss->slow_ns = SLOW_FIRST_NS;
	return 0;
}

/* Whoever visits first gives each thread its place; the events then find it. */
static int attach(struct source *s, const struct scope *scope, struct status *st)
{
	struct sched_bpf *k = s->skel;
	int err = sched_bpf__set_scope(s, scope, st);

	if (!err)
		err = bpf_util__attach(k->progs.sched_new, &k->links.sched_new, st);
	if (!err)
		err = bpf_util__attach(k->progs.sched_wakeup_new, &k->links.sched_wakeup_new, st);
	if (!err)
		err = bpf_visit__attach(&s->visit, k->progs.sched_visit, st);
	if (!err) {
		err = bpf_visit__run(&s->visit);
		if (err)
			bpf_util__failed(err, "visiting all threads", st);
	}
	if (!err)
		err = bpf_util__attach(k->progs.sched_waking, &k->links.sched_waking, st);
	if (!err)
		err = bpf_util__attach(k->progs.sched_exec, &k->links.sched_exec, st);
	if (!err)
		err = bpf_util__attach(k->progs.sched_wakeup, &k->links.sched_wakeup, st);
	if (!err)
		err = bpf_util__attach(k->progs.sched_switch, &k->links.sched_switch, st);
	return err;
}

static void begin(struct source *s)
{
	begin_interval(s);
	s->before_ns = clock__monotonic_ns();
	copy_str(s->health.tier, sizeof(s->health.tier), "bpf");
	copy_str(s->health.event, sizeof(s->health.event), "sched_switch");
	s->health.precise = true;
}

/* Their tables are made at once, for all processes: too much where memory is little. */
static bool walks_sleepers(const struct sampling *how)
{
	return how->call_graph != CALL_GRAPH_OFF && !memory__is_little();
}

struct source *sched_bpf__open_sized(const struct sampling *how, const struct scope *scope,
				     const struct sched_bpf_sizes *sizes, struct status *st)
{
	struct source *s = xcalloc(1, sizeof(*s));
	int err = bpf_util__prepare(st);

	s->sizes = *sizes;
	s->ncpus = (u32)MAX(libbpf_num_possible_cpus(), 1);
	s->cpus_before = xcalloc(s->ncpus, sizeof(*s->cpus_before));
	s->tasks = sched_tasks__new();
	s->sleepers = sleepers__new(walks_sleepers(how) ? how->walker : NULL);
	if (!err)
		err = load(s, st);
	if (!err) {
		s->skel->bss->wanted = SCHED_WANT_WAITS | SCHED_WANT_TASKS;
		sched_bpf__set_sampling(s, how, st);
		err = attach(s, scope, st);
	}
	if (err) {
		sched_bpf__close(s);
		return NULL;
	}
	begin(s);
	return s;
}

static struct source *sched_bpf__open_source(const struct sampling *how, const struct scope *scope,
					     struct status *st)
{
	static const struct sched_bpf_sizes sizes = {16384, 2048, 16384, 4 * 1024 * 1024},
					    little = {4096, 512, 8192, 1024 * 1024};

	return sched_bpf__open_sized(how, scope, memory__is_little() ? &little : &sizes, st);
}

static int sched_bpf__fd(struct source *s)
{
	return bpf_ring__fd(s->ring);
}

static void sched_bpf__fetch(struct source *s, bool tick)
{
	if (tick) {
		visit_all(s);
		__atomic_store_n(&s->skel->bss->active, !s->skel->bss->active, __ATOMIC_SEQ_CST);
		bpf_util__barrier();
		s->flipped = true;
	}
	bpf_ring__fetch(s->ring);
}

static void sched_bpf__drain(struct source *s, bool tick, const struct sample_sink *sink)
{
	s->sink = sink;
	if (tick ? !s->flipped : bpf_ring__empty(s->ring))
		sched_bpf__fetch(s, tick);
	/* A thread may have been visited and then ended: in that order, its stacks before. */
	bpf_ring__each(s->ring, put_stack, s);
	if (tick)
		take_visited(s, sink);
	bpf_ring__drain(s->ring, put_record, s);
	if (!tick)
		return;
	s->drained = true;
	sched_tasks__end_round(s->tasks);
	if (s->skel->bss->wanted & SCHED_WANT_TASKS) {
		take_cpus(s, sink);
		adapt_slow(s);
	}
	note_tick(s, drain_waits(s));
}

static void sched_bpf__health(struct source *s, struct health *h)
{
	health__take(h, &s->health);
	health__note_stacks(h);
}

const struct source_ops source_sched_bpf = {
	.name = "bpf",
	.title = "BPF programs on the scheduler's tracepoints",
	.open = sched_bpf__open_source,
	.close = sched_bpf__close,
	.set_scope = sched_bpf__set_scope,
	.set_sampling = sched_bpf__set_sampling,
	.serve = sched_bpf__serve,
	.fd = sched_bpf__fd,
	.fetch = sched_bpf__fetch,
	.drain = sched_bpf__drain,
	.health = sched_bpf__health,
};
