// SPDX-License-Identifier: GPL-2.0-only
/* Processes, by a BPF iterator over all threads and one program on their switches. */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "bpf/procs.h"
#include "bpf/procs.skel.h"
#include "samples/procs.h"
#include "sources/bpf_probe.h"
#include "sources/bpf_scope.h"
#include "sources/bpf_util.h"
#include "sources/bpf_visit.h"
#include "sources/core_btf.h"
#include "sources/kernel_btf.h"
#include "sources/procs_names.h"
#include "sources/source.h"

/* Up to so many threads all are reported in each interval; beyond, in every twentieth, so that a
 * recording that begins anywhere is complete soon. */
#define REPORT_ALL_THREADS 4096
#define REPORT_ALL_EVERY   20

struct source {
	struct procs_bpf *skel;
	struct bpf_scope scope;
	struct bpf_visit visit;
	struct procs_names *names;
	const struct sample_sink *sink; /* during drain */
	u32 rounds;			/* since the last one that reported all */
	bool all;			/* this one does */
	bool lost_ends;			/* somebody ended unseen: all have to be reported */
	u64 page_bytes;
	u64 before_ns;
	struct procs_stats before;
	struct health health;
};

/* --- what sleeping in a system call is --- */

static const u16 sleep_calls[] = {
#ifdef SYS_poll /* x86 has the older ones too */
	SYS_poll,
	SYS_select,
	SYS_epoll_wait,
	SYS_pause,
#endif
	SYS_ppoll,
	SYS_pselect6,
	SYS_epoll_pwait,
	SYS_epoll_pwait2,
	SYS_nanosleep,
	SYS_clock_nanosleep,
	SYS_restart_syscall,
	SYS_rt_sigsuspend,
	SYS_rt_sigtimedwait,
};

static const u16 disk_calls[] = {
	SYS_fsync,	     SYS_fdatasync, SYS_sync,	      SYS_syncfs,
	SYS_sync_file_range, SYS_msync,	    SYS_io_getevents,
#ifdef SYS_io_pgetevents
	SYS_io_pgetevents,
#endif
};

static void set_calls(u8 *parts, const u16 *calls, u32 n, enum procs_part part)
{
	for (u32 i = 0; i < n; i++)
		if (calls[i] < PROCS_CALLS)
			parts[calls[i]] = (u8)part;
}

static void classify_calls(u8 parts[PROCS_CALLS])
{
	const u16 futex = SYS_futex;

	memset(parts, PROCS_WAIT, PROCS_CALLS);
	set_calls(parts, sleep_calls, ARRAY_SIZE(sleep_calls), PROCS_SLEEP);
	set_calls(parts, disk_calls, ARRAY_SIZE(disk_calls), PROCS_DISK);
	set_calls(parts, &futex, 1, PROCS_LOCK);
}

/* --- records --- */

static bool passes(struct source *s, u32 tgid, u32 tid, u64 cgroup, const char *comm)
{
	struct bpf_scope_entry e = {tgid, tid, 0, cgroup, s->before_ns, comm};

	return bpf_scope__passes(&s->scope, &e);
}

static void take_record(struct source *s, const struct procs_record *r)
{
	bool leads = r->tid == r->tgid, user = !(r->flags & PROCS_KTHREAD);
	struct procs_sample out = {
		.head.type = SAMPLE_PROCS,
		.event = PROCS_IS,
		.tgid = r->tgid,
		.tid = r->tid,
		.ppid = r->ppid,
		.uid = r->uid,
		.start_ns = r->start_ns,
		.process_ns = r->process_ns,
		.cgroup = r->cgroup,
		.cmdline = "",
		.user = procs_names__user(s->names, r->uid),
		.sums = r->sums,
		.rss_bytes = r->rss_pages * s->page_bytes,
		.fds = r->fds,
		.nthreads = r->nthreads,
		.cpu = r->cpu,
		.policy = r->policy,
		.rt_priority = r->rt_priority,
		.nice = r->nice,
		.flags = r->flags,
		.state = r->state,
		.rest = r->rest < PROCS_PARTS ? (enum procs_part)r->rest : PROCS_SLEEP,
	};

	copy_str(out.comm, sizeof(out.comm), r->comm);
	if (!passes(s, r->tgid, r->tid, r->cgroup, out.comm))
		return;
	if (leads && user && !(r->flags & PROCS_ZOMBIE))
		out.cmdline = procs_names__cmdline(s->names, r->tgid, r->start_ns, r->execs);
	sink__put(s->sink, &out.head);
}

static void take_visited(struct source *s)
{
	for (size_t at = 0; at + sizeof(struct procs_record) <= s->visit.len;
	     at += sizeof(struct procs_record))
		take_record(s, (const void *)(s->visit.data + at));
	s->visit.len = 0;
}

/* Names that there was no time for when their processes were visited. */
static void take_names(struct source *s)
{
	struct procs_sample out = {.head.type = SAMPLE_PROCS, .event = PROCS_NAMED, .user = ""};

	while (procs_names__next(s->names, &out.tgid, &out.start_ns, &out.cmdline)) {
		out.tid = out.tgid;
		out.process_ns = out.start_ns;
		sink__put(s->sink, &out.head);
	}
}

/* --- those that ended --- */

static void put_short(struct source *s, struct procs_sample *out, u64 count)
{
	out->event = PROCS_SHORT;
	out->starts = count;
	out->tgid = out->tid = 0;
	sink__put(s->sink, &out->head);
}

static void put_one(struct source *s, struct procs_sample *out, const struct procs_end_sum *e)
{
	struct procs_sample brief = *out;

	out->event = PROCS_ENDED;
	out->is_short = out->tid == out->tgid && e->life_ns < PROCS_SHORT_NS;
	if (out->tid == out->tgid)
		procs_names__drop(s->names, out->tgid, out->start_ns);
	if (out->is_short) {
		put_short(s, &brief, 1);
		memset(&out->sums, 0, sizeof(out->sums));
	}
	sink__put(s->sink, &out->head);
}

static void on_end(void *ctx, const void *key, const void *value)
{
	const struct procs_end_key *k = key;
	const struct procs_end_sum *e = value;
	struct source *s = ctx;
	struct procs_sample out = {
		.head.type = SAMPLE_PROCS,
		.tgid = e->tgid,
		.tid = k->kind == PROCS_END_ONE ? k->id : 0,
		.ppid = e->ppid,
		.uid = e->uid,
		.start_ns = e->start_ns,
		.process_ns = e->process_ns,
		.cgroup = e->cgroup,
		.cmdline = "",
		.user = procs_names__user(s->names, e->uid),
		.sums = e->sums,
		.flags = e->flags,
		.state = 'X',
		.rest = PROCS_SLEEP,
	};

	copy_str(out.comm, sizeof(out.comm), k->kind == PROCS_END_REST ? "[rest]" : k->comm);
	if (!passes(s, e->tgid, out.tid, e->cgroup, out.comm))
		return;
	copy_str(out.parent_comm, sizeof(out.parent_comm), e->parent_comm);
	if (k->kind == PROCS_END_ONE) {
		put_one(s, &out, e);
	} else if (k->kind == PROCS_END_THREAD) {
		out.event = PROCS_THREADS;
		sink__put(s->sink, &out.head);
	} else {
		out.ppid = k->kind == PROCS_END_REST ? 0 : k->id;
		put_short(s, &out, e->count);
	}
}

static double drain_ends(struct source *s)
{
	struct bpf_map *map = s->skel->bss->active ? s->skel->maps.ends_b : s->skel->maps.ends_a;
	long n;

	__atomic_store_n(&s->skel->bss->active, !s->skel->bss->active, __ATOMIC_SEQ_CST);
	bpf_util__barrier();
	n = bpf_util__drain(bpf_map__fd(map), bpf_map__key_size(map), bpf_map__value_size(map),
			    on_end, s);
	if (n < 0)
		log__add(LOG_WARN, "ended processes could not be read from the kernel: %s",
			 strerror((int)-n));
	return n < 0 ? 0 : 100.0 * (double)n / bpf_map__max_entries(map);
}

/* --- intervals --- */

static void put_event(struct source *s, enum procs_event event, u64 ns)
{
	struct procs_sample out = {.head.type = SAMPLE_PROCS, .event = event, .start_ns = ns};

	out.cmdline = out.user = "";
	sink__put(s->sink, &out.head);
}

static void get_stats(struct source *s, struct procs_stats *out)
{
	bpf_util__sum_percpu(bpf_map__fd(s->skel->maps.stats), sizeof(*out), (u64 *)out);
}

static void visit(struct source *s)
{
	int err;

	s->skel->bss->last_round_ns = s->skel->bss->round_ns;
	s->skel->bss->round_ns = clock__monotonic_ns();
	s->skel->bss->look_again = bpf_scope__may_change(&s->scope);
	s->skel->bss->report_all = s->all;
	err = bpf_visit__run(&s->visit);
	if (err)
		log__add(LOG_WARN, "threads could not be visited: %s", strerror(-err));
}

static void plan_next(struct source *s, u64 visited)
{
	s->rounds = s->all ? 1 : s->rounds + 1;
	s->all = visited <= REPORT_ALL_THREADS || s->rounds >= REPORT_ALL_EVERY || s->lost_ends;
	s->lost_ends = false;
}

static void note_tick(struct source *s, double fill)
{
	struct health *h = &s->health;
	struct procs_stats now;
	u64 now_ns = clock__monotonic_ns();

	get_stats(s, &now);
	health__cost(h, now.runs - s->before.runs, now.timed - s->before.timed,
		     now.run_ns - s->before.run_ns, now_ns - s->before_ns);
	h->samples = now.switches - s->before.switches;
	h->samples_total = now.switches;
	h->map_full = now.ends_full + now.tasks_full;
	h->map_fill_pct = fill;
	s->lost_ends = now.ends_full != s->before.ends_full;
	plan_next(s, now.visited - s->before.visited);
	s->before = now;
	s->before_ns = now_ns;
}

static void procs_bpf__drain(struct source *s, bool tick, const struct sample_sink *sink)
{
	double fill;

	if (!tick)
		return;
	s->sink = sink;
	/* Who ends after this is visited, or in the next interval's ends. */
	fill = drain_ends(s);
	visit(s);
	put_event(s, PROCS_ROUND, s->skel->bss->round_ns - s->skel->bss->last_round_ns);
	procs_names__begin(s->names);
	take_visited(s);
	take_names(s);
	if (s->all) {
		put_event(s, PROCS_ALL, 0);
		procs_names__sweep(s->names);
	}
	note_tick(s, fill);
}

/* --- settings --- */

static int procs_bpf__set_scope(struct source *s, const struct scope *scope, struct status *st)
{
	int err = bpf_scope__set(&s->scope, scope, st);

	if (err)
		return err;
	s->skel->bss->thread_kinds = scope->not_tasks & SCOPE_TASK_KERNEL ? 1
				     : scope->not_tasks & SCOPE_TASK_USER ? 2
									  : 0;
	s->all = true; /* who is in scope is other than was reported */
	return 0;
}

/* Nothing here is sampled. */
static int procs_bpf__set_sampling(struct source *s, const struct sampling *how, struct status *st)
{
	(void)s;
	(void)how;
	(void)st;
	return 0;
}

/* --- the source --- */

static void procs_bpf__close(struct source *s)
{
	bpf_visit__fini(&s->visit);
	bpf_scope__fini(&s->scope);
	procs_bpf__destroy(s->skel);
	procs_names__free(s->names);
	free(s);
}

/* What this kernel has of the tracepoints; 0, or -EOPNOTSUPP. */
static int fit(struct procs_bpf *k, struct status *st)
{
	struct btf *btf = kernel_btf__get();
	bool has_queue;

	if (!btf)
		return bpf_util__failed(-errno, "this kernel's types", st);
	k->rodata->switch_has_state = kernel_btf__arguments(btf, "sched_switch") >= 4;
	if (!kernel_btf__arguments(btf, "contention_begin")) {
		bpf_program__set_autoload(k->progs.procs_lock, false);
		bpf_program__set_autoload(k->progs.procs_locked, false);
	}
	has_queue = kernel_btf__has_member(btf, "sched_info", "run_delay");
	kernel_btf__put(btf);
	if (has_queue)
		return 0;
	return status__set(st, EXIT_CODE_UNSUPPORTED, -EOPNOTSUPP,
			   "this kernel does not count time in run queues (CONFIG_SCHED_INFO)");
}

static int load(struct source *s, struct status *st)
{
	struct procs_bpf *k = procs_bpf__open_opts(CORE_BTF_OPTS(procs_bpf));
	int err;

	s->skel = k;
	if (!k)
		return bpf_util__failed(-errno, "BPF programs of processes", st);
	err = fit(k, st);
	if (err)
		return err;
	classify_calls((u8 *)k->rodata->call_part);
	err = procs_bpf__load(k);
	if (err)
		return bpf_probe__failed(BPF_NEED_STORAGE | BPF_NEED_ATOMICS, err,
					 "BPF programs of processes", st);
	bpf_scope__init(&s->scope, k->obj, &k->bss->scope_state, k->progs.procs_fork,
			k->progs.procs_unfollow);
	return 0;
}

/* Whoever visits first gives each thread its place; the switches then find it. */
static int attach(struct source *s, const struct scope *scope, struct status *st)
{
	struct procs_bpf *k = s->skel;
	int err = procs_bpf__set_scope(s, scope, st);

	if (!err)
		err = bpf_util__attach(k->progs.procs_new, &k->links.procs_new, st);
	if (!err)
		err = bpf_util__attach(k->progs.procs_exit, &k->links.procs_exit, st);
	if (!err)
		err = bpf_util__attach(k->progs.procs_lock, &k->links.procs_lock, st);
	if (!err)
		err = bpf_util__attach(k->progs.procs_locked, &k->links.procs_locked, st);
	if (!err)
		err = bpf_util__attach(k->progs.procs_switch, &k->links.procs_switch, st);
	if (!err)
		err = bpf_visit__attach(&s->visit, k->progs.procs_visit, st);
	if (!err) {
		k->bss->round_ns = clock__monotonic_ns();
		k->bss->report_all = true;
		err = bpf_visit__run(&s->visit);
		if (err)
			bpf_util__failed(err, "visiting all threads", st);
	}
	return err;
}

static struct source *procs_bpf__open_source(const struct sampling *how, const struct scope *scope,
					     struct status *st)
{
	struct source *s = xcalloc(1, sizeof(*s));
	int err = bpf_util__prepare(st);

	(void)how;
	s->page_bytes = (u64)sysconf(_SC_PAGESIZE);
	s->names = procs_names__new();
	if (!err)
		err = load(s, st);
	if (!err)
		err = attach(s, scope, st);
	if (err) {
		procs_bpf__close(s);
		return NULL;
	}
	s->visit.len = 0;
	s->all = true;
	get_stats(s, &s->before);
	s->before_ns = clock__monotonic_ns();
	copy_str(s->health.tier, sizeof(s->health.tier), "bpf");
	copy_str(s->health.event, sizeof(s->health.event), "sched_switch");
	s->health.precise = true;
	return s;
}

static int procs_bpf__fd(struct source *s)
{
	(void)s;
	return -1;
}

static void procs_bpf__health(struct source *s, struct health *h)
{
	health__take(h, &s->health);
}

const struct source_ops source_procs_bpf = {
	.name = "bpf",
	.title = "a BPF iterator over all threads, and a program on their switches",
	.open = procs_bpf__open_source,
	.close = procs_bpf__close,
	.set_scope = procs_bpf__set_scope,
	.set_sampling = procs_bpf__set_sampling,
	.fd = procs_bpf__fd,
	.drain = procs_bpf__drain,
	.health = procs_bpf__health,
};
