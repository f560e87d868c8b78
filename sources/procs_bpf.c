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
#include "sources/bpf_source.h"
#include "sources/bpf_util.h"
#include "sources/kernel_btf.h"
#include "sources/procs_names.h"
#include "sources/procs_runtimes.h"
#include "sources/source.h"

/* Up to so many threads all are reported in each interval; beyond, in every twentieth, so that a
 * recording that begins anywhere is complete soon. */
#define REPORT_ALL_THREADS 4096
#define REPORT_ALL_EVERY   20

struct source {
	struct bpf_source base;
	struct procs_bpf *skel;
	struct procs_names *names;
	struct procs_runtimes *runtimes;
	u32 rounds;			/* since the last one that reported all */
	bool all;			/* this one does */
	bool lost_ends;			/* somebody ended unseen: all have to be reported */
	u64 page_bytes;
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
	return bpf_source__passes(&s->base, tgid, tid, 0, cgroup, s->base.before_ns, comm);
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
	if (leads && user && r->nthreads > 1)
		procs_runtimes__see(s->runtimes, &out, r->execs, s->base.sink);
	sink__put(s->base.sink, &out.head);
}

static void take_visited(struct source *s)
{
	for (size_t at = 0; at + sizeof(struct procs_record) <= s->base.visit.len;
	     at += sizeof(struct procs_record))
		take_record(s, (const void *)(s->base.visit.data + at));
	bpf_visit__done(&s->base.visit);
}

/* Names that there was no time for when their processes were visited. */
static void take_names(struct source *s)
{
	struct procs_sample out = {.head.type = SAMPLE_PROCS, .event = PROCS_NAMED, .user = ""};

	while (procs_names__next(s->names, &out.tgid, &out.start_ns, &out.cmdline)) {
		out.tid = out.tgid;
		out.process_ns = out.start_ns;
		sink__put(s->base.sink, &out.head);
	}
}

/* --- those that ended --- */

static void put_short(struct source *s, struct procs_sample *out, u64 count)
{
	out->event = PROCS_SHORT;
	out->starts = count;
	out->tgid = out->tid = 0;
	sink__put(s->base.sink, &out->head);
}

static void put_one(struct source *s, struct procs_sample *out, const struct procs_end_sum *e)
{
	struct procs_sample brief = *out;

	out->event = PROCS_ENDED;
	out->is_short = out->tid == out->tgid && e->life_ns < PROCS_SHORT_NS;
	if (out->tid == out->tgid) {
		procs_names__drop(s->names, out->tgid, out->start_ns);
		procs_runtimes__end(s->runtimes, out->tgid, out->start_ns, clock__monotonic_ns(), s->base.sink);
	}
	if (out->is_short) {
		put_short(s, &brief, 1);
		memset(&out->sums, 0, sizeof(out->sums));
	}
	sink__put(s->base.sink, &out->head);
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
		sink__put(s->base.sink, &out.head);
	} else {
		out.ppid = k->kind == PROCS_END_REST ? 0 : k->id;
		put_short(s, &out, e->count);
	}
}

/* --- intervals --- */

static void put_event(struct source *s, enum procs_event event, u64 ns)
{
	struct procs_sample out = {.head.type = SAMPLE_PROCS, .event = event, .start_ns = ns};

	out.cmdline = out.user = "";
	sink__put(s->base.sink, &out.head);
}

static void visit(struct source *s)
{
	s->skel->bss->last_round_ns = s->skel->bss->round_ns;
	s->skel->bss->round_ns = clock__monotonic_ns();
	s->skel->bss->report_all = s->all;
	s->skel->bss->rounds++;
	bpf_source__visit(&s->base);
}

static void plan_next(struct source *s, u64 visited)
{
	s->rounds = s->all ? 1 : s->rounds + 1;
	s->all = visited <= REPORT_ALL_THREADS || s->rounds >= REPORT_ALL_EVERY || s->lost_ends;
	s->lost_ends = false;
}

static void note(struct source *s)
{
	const struct procs_stats *now = s->base.now, *before = s->base.before;
	struct health *h = &s->base.health;

	bpf_source__note_samples(&s->base, now->switches);
	h->map_full = now->ends_full + now->tasks_full;
	s->lost_ends = now->ends_full != before->ends_full;
	plan_next(s, now->visited - before->visited);
}

/* Who ends after the halves have turned is visited, or in the next interval's ends. */
static double drain(struct source *s)
{
	double fill = bpf_source__drain_half(&s->base, "ends", "ended processes", on_end);

	visit(s);
	put_event(s, PROCS_ROUND, s->skel->bss->round_ns - s->skel->bss->last_round_ns);
	procs_names__begin(s->names);
	procs_runtimes__begin(s->runtimes);
	take_visited(s);
	take_names(s);
	if (s->all) {
		put_event(s, PROCS_ALL, 0);
		procs_names__sweep(s->names);
	}
	return fill;
}

/* --- settings --- */

static void scoped(struct source *s, const struct scope *scope)
{
	s->all = true; /* who is in scope is other than was reported */
}

/* --- the source --- */

static void unload(struct source *s)
{
	procs_bpf__destroy(s->skel);
}

static void fini(struct source *s)
{
	procs_names__free(s->names);
	procs_runtimes__free(s->runtimes);
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

static int init(struct source *s, const struct sampling *how, struct status *st)
{
	s->page_bytes = (u64)sysconf(_SC_PAGESIZE);
	s->names = procs_names__new();
	s->runtimes = procs_runtimes__new();
	return 0;
}

static int open_programs(struct source *s, struct status *st)
{
	int err = bpf_source__skeleton(s, procs_bpf, st);

	if (!err)
		err = fit(s->skel, st);
	if (!err)
		classify_calls((u8 *)s->skel->rodata->call_part);
	return err;
}

/* Whoever visits first gives each thread its place; the switches then find it. */
static int attached(struct source *s, struct status *st)
{
	int err = bpf_source__attach_visit(&s->base, s->skel->progs.procs_visit, st);

	if (err)
		return err;
	s->skel->bss->round_ns = clock__monotonic_ns();
	s->skel->bss->report_all = true;
	err = bpf_visit__run(&s->base.visit);
	return err ? bpf_util__failed(err, "visiting all threads", st) : 0;
}

static void begin(struct source *s)
{
	bpf_visit__done(&s->base.visit);
	s->all = true;
	bpf_source__stats(&s->base, s->base.before);
}

static const struct bpf_subject subject = {
	.what = "BPF programs of processes",
	.event = "sched_switch",
	.needs = BPF_NEED_STORAGE | BPF_NEED_ATOMICS,
	.size = sizeof(struct source),
	.stats_size = sizeof(struct procs_stats),
	.init = init,
	.open = open_programs,
	.scoped = scoped,
	.attached = attached,
	.begin = begin,
	.drain = drain,
	.note = note,
	.unload = unload,
	.fini = fini,
};

static struct source *procs_bpf__open_source(const struct sampling *how, const struct scope *scope,
					     struct status *st)
{
	return bpf_source__open(&subject, how, scope, NULL, st);
}

const struct source_ops source_procs_bpf = {
	.name = "bpf",
	.title = "a BPF iterator over all threads, and a program on their switches",
	.open = procs_bpf__open_source,
	BPF_SOURCE_OPS,
};
