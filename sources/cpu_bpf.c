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
#include "base/arena.h"
#include "base/clock.h"
#include "base/cpus.h"
#include "base/log.h"
#include "sources/bpf_source.h"
#include "sources/bpf_util.h"
#include "sources/perf_open.h"
#include "sources/perf_setup.h"
#include "sources/unwind_tasks.h"

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
	struct bpf_source base;
	struct cpu_bpf *skel;
	struct probes probes;
	struct perf_setup setup;
	u32 tasks;   /* remembered by the program */
	u64 samples; /* handed out */
	struct stack_stats before_stacks;
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
	bpf_source__stats(&s->base, out);
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
		if (s->base.scope.scope)
			apply_cpus(s, s->base.scope.scope);
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
	sink__put(s->base.sink, &e.head);
}

static void put_record(struct source *s, const void *data, size_t size)
{
	if (*(const u32 *)data == RECORD_TASK && size >= sizeof(struct task_record))
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

	copy_str(out.comm, sizeof(out.comm), c->comm);
	copy_str(out.process, sizeof(out.process), c->process);
	if (!bpf_source__passes(&s->base, k->tgid, k->tid, k->cpu, k->cgroup, c->first_ns, out.comm))
		return;
	s->samples += c->count;
	sink__put(s->base.sink, &out.head);
}

/* A counted stack was sent before it was counted, so the ring, which is read after the halves have
 * turned, has all stacks of the one that was left. */
static double drain(struct source *s)
{
	double counts = bpf_source__drain_half(&s->base, "counts", "counts", on_count), tasks;

	tasks = bpf_util__trim(s->skel->maps.tasks_seen, &s->tasks,
			       bpf_map__max_entries(s->skel->maps.tasks_seen));
	return MAX(counts, tasks);
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

static void note_cost(struct source *s)
{
	const struct cpu_stats *now = s->base.now, *before = s->base.before;
	double wall_ns = (double)MAX(clock__monotonic_ns() - s->base.before_ns, 1ULL);
	struct health *h = &s->base.health;
	double runs = (double)(now->runs - before->runs);
	double run_ns = (double)(now->run_ns - before->run_ns);
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

/* What is sampled. */
static void note_event(struct source *s)
{
	struct health *h = &s->base.health;

	h->freq = s->setup.freq;
	h->period = s->setup.period;
	h->precise = s->setup.attr.precise_ip > 0;
	copy_str(h->event, sizeof(h->event), s->setup.event);
	copy_str(h->note, sizeof(h->note), s->setup.note);
	if (!h->note[0] && s->setup.clock)
		copy_str(h->note, sizeof(h->note), CLOCK_NOTE);
}

static void note(struct source *s)
{
	const struct cpu_stats *now = s->base.now, *before = s->base.before;
	struct health *h = &s->base.health;
	struct stack_stats stacks;

	stack_stats(s, &stacks);
	bpf_source__note_samples(&s->base, s->samples);
	h->lost = h->map_full = now->map_full;
	h->stacks_lost = now->stacks_lost;
	h->truncated_pct = h->samples ? 100.0 * (double)(stacks.cut - s->before_stacks.cut) /
						(double)h->samples
				      : 0;
	note_cost(s);
	note_event(s);
	if (now->forks_lost > before->forks_lost)
		log__add(LOG_WARN, "%llu child processes could not be followed: too many at once",
			 (unsigned long long)(now->forks_lost - before->forks_lost));
	if (s->skel->bss->stack_flags & STACK_LEAF)
		h->stacks.by = STACKS_BY_NOTHING;
	s->before_stacks = stacks;
}

/* --- the source --- */

static void detach(struct source *s)
{
	probes__close(&s->probes);
}

static void unload(struct source *s)
{
	cpu_bpf__destroy(s->skel);
}

static void sampled(struct source *s, const struct sampling *how)
{
	u32 flags = (how->kernel ? STACK_KERNEL : 0) | (how->user ? STACK_USER : 0);

	if (how->call_graph == CALL_GRAPH_OFF)
		flags |= STACK_LEAF;
	s->skel->bss->stack_flags = flags;
	s->skel->bss->count_idle = how->idle;
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

static int init(struct source *s, const struct sampling *how, struct status *st)
{
	int err = check_call_graph(how, st);

	return err ? err : perf__setup(&s->setup, how, st);
}

static int open_programs(struct source *s, struct status *st)
{
	const struct cpu_bpf_sizes *sizes = s->base.sizes;
	int err = bpf_source__skeleton(s, cpu_bpf, st);

	if (err)
		return err;
	s->base.stacks_max = sizes->stacks;
	s->base.ring_bytes = sizes->ring_bytes;
	bpf_source__size(&s->base, "counts", sizes->counts);
	bpf_source__size(&s->base, "tasks_seen", sizes->tasks);
	/* The sideband, a tier-0 source, opened before. */
	s->skel->rodata->watched_since = clock__monotonic_ns();
	bpf_program__set_autoattach(s->skel->progs.cpu_sample, false);
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
	note_event(s);
	return bpf_source__set_sampling(s, how, st);
}

static int cpu_bpf__renew(struct source *s, struct status *st)
{
	return replace_probes(s, &s->setup, st);
}

static int attach(struct source *s, struct status *st)
{
	int err = probes__open(&s->probes, s, &s->setup, st);

	if (err)
		return err;
	apply_cpus(s, s->base.scope.scope);
	s->skel->bss->armed = 1;
	return 0;
}

static const struct bpf_subject subject = {
	.what = "BPF sampler",
	.size = sizeof(struct source),
	.stats_size = sizeof(struct cpu_stats),
	.sizes_size = sizeof(struct cpu_bpf_sizes),
	.init = init,
	.open = open_programs,
	.moment = MOMENT_REGISTERS,
	.scoped = apply_cpus,
	.sampled = sampled,
	.attach = attach,
	.begin = note_event,
	.record = put_record,
	.drain = drain,
	.note = note,
	.detach = detach,
	.unload = unload,
};

struct source *cpu_bpf__open_sized(const struct sampling *how, const struct scope *scope,
				   const struct cpu_bpf_sizes *sizes, struct status *st)
{
	return bpf_source__open(&subject, how, scope, sizes, st);
}

static struct source *cpu_bpf__open_source(const struct sampling *how, const struct scope *scope,
					   struct status *st)
{
	struct cpu_bpf_sizes sizes = pick_sizes(how);

	return cpu_bpf__open_sized(how, scope, &sizes, st);
}

const struct source_ops source_cpu_bpf = {
	.name = "bpf",
	.title = "perf_event BPF program that counts stacks in the kernel",
	.open = cpu_bpf__open_source,
	.ask_tables = unwind_tasks__ask,
	.close = bpf_source__close,
	.set_scope = bpf_source__set_scope,
	.set_sampling = cpu_bpf__set_sampling,
	.renew = cpu_bpf__renew,
	.fd = bpf_source__fd,
	.turn = bpf_source__turn,
	.fetch = bpf_source__fetch,
	.drain = bpf_source__drain,
	.health = bpf_source__health,
};
