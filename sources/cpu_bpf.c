// SPDX-License-Identifier: GPL-2.0-only
/* On-CPU sampling, tier 1: a BPF program on a perf event per CPU counts in the kernel. */
#include "sources/cpu_bpf.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "bpf/cpu.h"
#include "bpf/cpu.skel.h"
#include "bpf/stack.h"
#include "bpf/unwind.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/cpus.h"
#include "base/log.h"
#include "sources/bpf_probe.h"
#include "sources/bpf_ring.h"
#include "sources/bpf_scope.h"
#include "sources/bpf_util.h"
#include "sources/core_btf.h"
#include "sources/moment.h"
#include "sources/perf_open.h"
#include "sources/perf_setup.h"
#include "sources/unwind_maps.h"

#define COUNTS_MIN 4096
#define COUNTS_MAX 65536
#define RING_MIN   (256u * 1024)
#define RING_MAX   (4096u * 1024)
#define CLOCK_NOTE "timer samples: code that runs with interrupts off shows where it turns them on"

struct probe {
	u32 cpu;
	int fd; /* of the perf event; closed by the link */
	struct bpf_link *link;
};

/* One set of perf events, a CPU each. */
struct probes {
	struct probe *list;
	u32 n;
};

struct source {
	struct cpu_bpf *skel;
	struct bpf_ring *ring;
	struct probes probes;
	struct bpf_scope scope;
	struct perf_setup setup;
	struct cpu_bpf_sizes sizes;
	const struct sample_sink *sink; /* during drain */
	bool flipped;	   /* the programs count into the other map: the one they left is due */
	u32 stacks, tasks; /* remembered by the program */
	u64 samples;	   /* handed out */
	u64 before_ns;	   /* of the last tick */
	struct cpu_stats before; /* at the last tick */
	struct stack_stats before_stacks;
	struct unwind_stats before_walks;
	struct health health; /* as of the last tick */
};

static u32 round_pow2(double x, u32 lo, u32 hi)
{
	u32 n = lo;

	while (n < hi && n < x)
		n *= 2;
	return n;
}

/* Room for every sample of an interval to be different, within bounds. */
static struct cpu_bpf_sizes pick_sizes(const struct sampling *how)
{
	double cpus = (double)sysconf(_SC_NPROCESSORS_ONLN);
	double samples = (how->freq ? (double)how->freq : 1000) * cpus * MAX(how->interval_s, 0.1);

	return (struct cpu_bpf_sizes){
		.counts = round_pow2(samples, COUNTS_MIN, COUNTS_MAX),
		.stacks = round_pow2(samples * 4, COUNTS_MAX / 4, COUNTS_MAX),
		.tasks = 8192,
		.ring_bytes = round_pow2(samples * 128, RING_MIN, RING_MAX),
	};
}

void cpu_bpf__stats(struct source *s, struct cpu_stats *out)
{
	bpf_util__sum_percpu(bpf_map__fd(s->skel->maps.stats), sizeof(*out), (u64 *)out);
}

static void stack_stats(struct source *s, struct stack_stats *out)
{
	bpf_util__sum_percpu(bpf_map__fd(s->skel->maps.stack_stats), sizeof(*out), (u64 *)out);
}

/* --- perf events, one a CPU --- */

static void probes__close(struct probes *p)
{
	for (u32 i = 0; i < p->n; i++)
		bpf_link__destroy(p->list[i].link);
	free(p->list);
	*p = (struct probes){0};
}

static int refused(const struct perf_setup *setup, int err, struct status *st)
{
	if (setup->attr.type == PERF_TYPE_TRACEPOINT)
		return status__set(
			st, EXIT_CODE_UNSUPPORTED, err,
			"BPF cannot sample tracepoint %s at a rate: the perf engine does",
			setup->event);
	if (err == -EMFILE || err == -ENFILE)
		return status__set(
			st, EXIT_CODE_FAILURE, err,
			"too few file descriptors for an event per CPU: raise `ulimit -n`");
	return bpf_util__failed(err, setup->event, st);
}

static int probe__open(struct probe *p, struct source *s, u32 cpu, const struct perf_setup *setup)
{
	struct perf_event_attr attr = setup->attr;
	int fd;

	if (attr.precise_ip)
		attr.sample_type |= PERF_SAMPLE_CALLCHAIN; /* or a stack cannot be had from it */
	fd = perf__open(&attr, -1, (int)cpu);
	if (fd < 0)
		return fd;
	*p = (struct probe){cpu, fd, bpf_program__attach_perf_event(s->skel->progs.cpu_sample, fd)};
	if (p->link)
		return 0;
	close(fd);
	return -errno;
}

static int probes__open(struct probes *p, struct source *s, const struct perf_setup *setup,
			struct status *st)
{
	u32 *cpus, n = cpus__online(&cpus);
	int err = 0;

	*p = (struct probes){.list = xcalloc(MAX(n, 1u), sizeof(*p->list))};
	for (u32 i = 0; i < n && !err; i++) {
		err = probe__open(&p->list[p->n], s, cpus[i], setup);
		if (!err)
			p->n++;
		else if (err == -ENODEV && setup->attr.type != PERF_TYPE_TRACEPOINT)
			err = 0; /* went offline meanwhile */
	}
	free(cpus);
	if (!err && !p->n)
		err = -ENODEV;
	if (!err)
		return 0;
	probes__close(p);
	return refused(setup, err, st);
}

/* An excluded CPU is not even interrupted. */
static void apply_cpus(struct source *s, const struct scope *scope)
{
	const struct id_set *in = &scope->include[SCOPE_CPU], *out = &scope->exclude[SCOPE_CPU];

	for (u32 i = 0; i < s->probes.n; i++) {
		u32 cpu = s->probes.list[i].cpu;
		bool on =
			(!in->active || id_set__has(in, cpu)) && !(out->n && id_set__has(out, cpu));

		ioctl(s->probes.list[i].fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
	}
}

/* Opens the new set before it closes the old, so that a failure changes nothing. What comes
 * while only some CPUs are on does not count. */
static int replace_probes(struct source *s, const struct perf_setup *setup, struct status *st)
{
	struct probes fresh;
	int err;

	s->skel->bss->armed = 0;
	err = probes__open(&fresh, s, setup, st);
	if (!err) {
		probes__close(&s->probes);
		s->probes = fresh;
		if (s->scope.scope)
			apply_cpus(s, s->scope.scope);
	}
	s->skel->bss->armed = 1;
	return err;
}

/* --- records from the ring --- */

static void put_task(struct source *s, const struct task_record *r)
{
	struct proc_event e = {
		.head.type = SAMPLE_PROC,
		.type = PROC_SEEN,
		.t_ns = r->t_ns,
		.tgid = r->tgid,
		.tid = r->tid,
	};

	copy_str(e.comm, sizeof(e.comm), r->comm);
	s->tasks++;
	sink__put(s->sink, &e.head);
}

static void put_record(void *ctx, const void *data, size_t size)
{
	struct source *s = ctx;
	u32 type = *(const u32 *)data;

	if (type == RECORD_STACK)
		s->stacks += bpf_ring__put_stack(data, size, s->sink);
	else if (type == RECORD_UNWIND)
		bpf_ring__put_unwind(data, size, s->sink);
	else if (type == RECORD_TASK && size >= sizeof(struct task_record))
		put_task(s, data);
}

/* --- counts --- */

static void on_count(void *ctx, const void *key, const void *value)
{
	struct source *s = ctx;
	const struct cpu_key *k = key;
	const struct cpu_count *c = value;
	struct stack_sample out = {
		.head.type = SAMPLE_STACK,
		.stack = k->stack,
		.cgroup = k->cgroup,
		.tgid = k->tgid,
		.tid = k->tid,
		.cpu = k->cpu,
		.count = c->count,
		.weight = c->weight,
		.t_ns = c->last_ns,
		.start_ns = k->start_ns,
	};
	struct bpf_scope_entry e;

	copy_str(out.comm, sizeof(out.comm), c->comm);
	copy_str(out.process, sizeof(out.process), c->process);
	e = (struct bpf_scope_entry){k->tgid, k->tid, k->cpu, k->cgroup, c->first_ns, out.comm};
	if (!bpf_scope__passes(&s->scope, &e))
		return;
	s->samples += c->count;
	sink__put(s->sink, &out.head);
}

/* Lets the programs count into the other map. A counted stack was sent before it was counted,
 * so the ring read afterwards has all stacks of the map they have left. */
static void flip_counts(struct source *s)
{
	__atomic_store_n(&s->skel->bss->active, !s->skel->bss->active, __ATOMIC_SEQ_CST);
	bpf_util__barrier();
	s->flipped = true;
}

static double drain_counts(struct source *s)
{
	int fd =
		bpf_map__fd(s->skel->bss->active ? s->skel->maps.counts_a : s->skel->maps.counts_b);
	long n = bpf_util__drain(fd, sizeof(struct cpu_key), sizeof(struct cpu_count), on_count, s);

	s->flipped = false;
	if (n < 0)
		log__add(LOG_WARN, "counts could not be read from the kernel: %s",
			 strerror((int)-n));
	return n < 0 ? 0 : 100.0 * (double)n / s->sizes.counts;
}

/* --- health --- */

/* The kernel's own measure when it keeps one (sysctl kernel.bpf_stats_enabled). */
static bool kernel_run_stats(struct source *s, u64 *runs, u64 *run_ns)
{
	struct bpf_prog_info info = {0};
	u32 size = sizeof(info);

	if (bpf_obj_get_info_by_fd(bpf_program__fd(s->skel->progs.cpu_sample), &info, &size))
		return false;
	*runs = info.run_cnt;
	*run_ns = info.run_time_ns;
	return info.run_cnt > 0;
}

static void note_cost(struct source *s, const struct cpu_stats *now, double wall_ns)
{
	struct health *h = &s->health;
	double runs = (double)(now->runs - s->before.runs);
	double run_ns = (double)(now->run_ns - s->before.run_ns);
	u64 kruns, kns;

	if (runs > 0)
		h->cost_ns = run_ns / runs;
	if (kernel_run_stats(s, &kruns, &kns))
		h->cost_ns = (double)kns / (double)kruns;
	h->run_pct = 100 * runs * h->cost_ns / wall_ns / s->probes.n;
	if (s->setup.freq)
		h->cost_pct = 100 * (double)s->setup.freq * h->cost_ns / NSEC_PER_SEC;
	else
		h->cost_pct = h->run_pct;
}

static void note_tick(struct source *s, double fill)
{
	u64 now_ns = clock__monotonic_ns();
	struct health *h = &s->health;
	struct stack_stats stacks;
	struct cpu_stats now;

	cpu_bpf__stats(s, &now);
	stack_stats(s, &stacks);
	h->samples = s->samples - h->samples_total;
	h->samples_total = s->samples;
	h->lost = h->map_full = now.map_full;
	h->stacks_lost = now.stacks_lost;
	h->map_fill_pct = fill;
	h->truncated_pct = h->samples ? 100.0 * (double)(stacks.cut - s->before_stacks.cut) /
						(double)h->samples
				      : 0;
	note_cost(s, &now, (double)MAX(now_ns - s->before_ns, 1ULL));
	if (now.forks_lost > s->before.forks_lost)
		log__add(LOG_WARN, "%llu child processes could not be followed: too many at once",
			 (unsigned long long)(now.forks_lost - s->before.forks_lost));
	unwind_maps__health(s->skel->obj, s->skel->bss->unwind_by_tables, &s->before_walks,
			    h);
	if (s->skel->bss->stack_flags & STACK_LEAF)
		h->stacks.by = STACKS_BY_NOTHING;
	s->before = now;
	s->before_stacks = stacks;
	s->before_ns = now_ns;
}

static void describe(struct source *s)
{
	struct health *h = &s->health;

	h->freq = s->setup.freq;
	h->period = s->setup.period;
	h->precise = s->setup.attr.precise_ip > 0;
	copy_str(h->tier, sizeof(h->tier), "bpf");
	copy_str(h->event, sizeof(h->event), s->setup.event);
	copy_str(h->note, sizeof(h->note), s->setup.note);
	if (!h->note[0] && s->setup.clock)
		copy_str(h->note, sizeof(h->note), CLOCK_NOTE);
}

/* --- the source --- */

static void cpu_bpf__close(struct source *s)
{
	probes__close(&s->probes);
	bpf_scope__fini(&s->scope);
	bpf_ring__free(s->ring);
	cpu_bpf__destroy(s->skel);
	free(s);
}

static void set_flags(struct source *s, const struct sampling *how)
{
	u32 flags = (how->kernel ? STACK_KERNEL : 0) | (how->user ? STACK_USER : 0);

	if (how->call_graph == CALL_GRAPH_OFF)
		flags |= STACK_LEAF;
	s->skel->bss->stack_flags = flags;
	s->skel->bss->count_idle = how->idle;
	s->skel->bss->unwind_by_tables = unwind_maps__mode(how->call_graph);
}

/* Another engine can do what was asked for. */
static int check_call_graph(const struct sampling *how, struct status *st)
{
	if (how->call_graph != CALL_GRAPH_EH || bpf_probe__walks())
		return 0;
	return status__set(st, EXIT_CODE_UNSUPPORTED, -EOPNOTSUPP,
			   "BPF programs do not walk unwind tables on this kernel: Linux 5.15 or "
			   "newer has what they need");
}

static int load(struct source *s, struct status *st)
{
	int err;

	s->skel = cpu_bpf__open_opts(CORE_BTF_OPTS(cpu_bpf));
	if (!s->skel)
		return bpf_util__failed(-errno, "BPF sampler", st);
	bpf_map__set_max_entries(s->skel->maps.counts_a, s->sizes.counts);
	bpf_map__set_max_entries(s->skel->maps.counts_b, s->sizes.counts);
	bpf_map__set_max_entries(s->skel->maps.stacks_seen, s->sizes.stacks);
	bpf_map__set_max_entries(s->skel->maps.tasks_seen, s->sizes.tasks);
	bpf_map__set_max_entries(s->skel->maps.records, s->sizes.ring_bytes);
	/* The sideband, a tier-0 source, opened before. */
	s->skel->rodata->need_resched_flags = moment__need_resched();
	s->skel->rodata->watched_since = clock__monotonic_ns();
	s->skel->rodata->ring_wake_bytes = s->sizes.ring_bytes / 2;
	err = unwind_maps__share(s->skel->obj, st);
	if (err)
		return err;
	err = cpu_bpf__load(s->skel);
	if (err)
		return bpf_util__failed(err, "BPF sampler", st);
	err = bpf_ring__new(&s->ring, bpf_map__fd(s->skel->maps.records), st);
	if (err)
		return err;
	bpf_scope__init(&s->scope, s->skel->obj, &s->skel->bss->scope_state,
			s->skel->progs.cpu_fork, s->skel->progs.cpu_exit);
	return 0;
}

static int cpu_bpf__set_scope(struct source *s, const struct scope *scope, struct status *st)
{
	int err = moment__check(scope, moment__has_irq_flag(), st);

	if (!err)
		err = bpf_scope__set(&s->scope, scope, st);
	if (err)
		return err;
	apply_cpus(s, scope);
	return 0;
}

static int cpu_bpf__set_sampling(struct source *s, const struct sampling *how, struct status *st)
{
	struct perf_setup setup;
	int err = perf__setup(&setup, how, st);
	u64 rate = perf_setup__rate(&setup);

	if (!err)
		err = check_call_graph(how, st);
	if (err)
		return err;
	if (!perf_setup__same_event(&setup, &s->setup))
		err = replace_probes(s, &setup, st);
	else
		for (u32 i = 0; i < s->probes.n && !err; i++)
			if (ioctl(s->probes.list[i].fd, PERF_EVENT_IOC_PERIOD, &rate))
				err = replace_probes(s, &setup, st);
	if (err)
		return err;
	s->setup = setup;
	set_flags(s, how);
	describe(s);
	return 0;
}

static int cpu_bpf__renew(struct source *s, struct status *st)
{
	return replace_probes(s, &s->setup, st);
}

static int attach(struct source *s, const struct sampling *how, const struct scope *scope,
		  struct status *st)
{
	int err;

	set_flags(s, how);
	err = probes__open(&s->probes, s, &s->setup, st);
	if (!err)
		err = cpu_bpf__set_scope(s, scope, st);
	s->skel->bss->armed = !err;
	return err;
}

struct source *cpu_bpf__open_sized(const struct sampling *how, const struct scope *scope,
				   const struct cpu_bpf_sizes *sizes, struct status *st)
{
	struct source *s = xcalloc(1, sizeof(*s));
	int err = bpf_util__prepare(st);

	s->sizes = *sizes;
	if (!err)
		err = check_call_graph(how, st);
	if (!err)
		err = perf__setup(&s->setup, how, st);
	if (!err)
		err = load(s, st);
	if (!err)
		err = attach(s, how, scope, st);
	if (err) {
		cpu_bpf__close(s);
		return NULL;
	}
	s->before_ns = clock__monotonic_ns();
	describe(s);
	return s;
}

static struct source *cpu_bpf__open_source(const struct sampling *how, const struct scope *scope,
					   struct status *st)
{
	struct cpu_bpf_sizes sizes = pick_sizes(how);

	return cpu_bpf__open_sized(how, scope, &sizes, st);
}

static int cpu_bpf__fd(struct source *s)
{
	return bpf_ring__fd(s->ring);
}

static void cpu_bpf__fetch(struct source *s, bool tick)
{
	if (tick)
		flip_counts(s);
	bpf_ring__fetch(s->ring);
}

static void cpu_bpf__drain(struct source *s, bool tick, const struct sample_sink *sink)
{
	double counts, stacks, tasks;

	s->sink = sink;
	if (tick ? !s->flipped : bpf_ring__empty(s->ring))
		cpu_bpf__fetch(s, tick);
	bpf_ring__drain(s->ring, put_record, s);
	if (!tick)
		return;
	counts = drain_counts(s);
	stacks = bpf_util__trim(s->skel->maps.stacks_seen, &s->stacks, s->sizes.stacks);
	tasks = bpf_util__trim(s->skel->maps.tasks_seen, &s->tasks, s->sizes.tasks);
	note_tick(s, MAX(counts, MAX(stacks, tasks)));
}

static void cpu_bpf__health(struct source *s, struct health *h)
{
	health__take(h, &s->health);
	health__note_stacks(h);
}

const struct source_ops source_cpu_bpf = {
	.name = "bpf",
	.title = "perf_event BPF program that counts stacks in the kernel",
	.open = cpu_bpf__open_source,
	.close = cpu_bpf__close,
	.set_scope = cpu_bpf__set_scope,
	.set_sampling = cpu_bpf__set_sampling,
	.renew = cpu_bpf__renew,
	.fd = cpu_bpf__fd,
	.fetch = cpu_bpf__fetch,
	.drain = cpu_bpf__drain,
	.health = cpu_bpf__health,
};
