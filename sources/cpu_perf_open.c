// SPDX-License-Identifier: GPL-2.0-only
#include "sources/cpu_perf_open.h"

#include <linux/capability.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/caps.h"
#include "base/cpus.h"
#include "base/machine.h"
#include "sources/perf_tasks.h"
#include "sources/stack_copies.h"

#define THREADS_MAX  2048 /* events are opened on, without privileges */
#define PAGES	     128  /* 512 KiB: what an unprivileged user gets by default */
#define PAGES_FAST   512
#define PAGES_MOST   1024
#define PAGE_BYTES   4096
#define SAMPLE_BYTES 256 /* without the copy */

void cpu_perf__fields(struct perf_setup *p, const struct sampling *how, bool copies)
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
	stack_copies__fields(a, copies ? stack_copies__bytes(how) : 0);
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

/* The first one can be off, too. */
static int first_cpu(void)
{
	u32 *cpus, n = cpus__online(&cpus);
	int cpu = n ? (int)cpus[0] : 0;

	free(cpus);
	return cpu;
}

/* What may be had: everything, own processes, or those in user mode only. */
static int pick_reach(struct perf_reach *reach, struct perf_setup *p, struct status *st)
{
	struct perf_event_attr *a = &p->attr;
	int cpu = first_cpu(), err = try_open(a, -1, cpu);

	if (err == -EINVAL && (a->sample_type & PERF_SAMPLE_CGROUP)) {
		a->sample_type &= ~(u64)PERF_SAMPLE_CGROUP;
		err = try_open(a, -1, cpu);
	}
	reach->own = denied(err);
	if (!reach->own)
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

/* How user stacks are got is said where it is not what was asked for, or has a price. */
static void note_stacks(struct perf_reach *reach, const struct perf_setup *p)
{
	size_t len = strlen(reach->note);
	char *end = reach->note + len, kib[16];

	if (p->attr.sample_stack_user) {
		snprintf(kib, sizeof(kib), "%.4g", p->attr.sample_stack_user / 1024.0);
		snprintf(end, sizeof(reach->note) - len,
			 "%suser stacks: %s KiB copied with each sample, walked by unwind tables",
			 len ? "; " : "", kib);
	} else if (reach->no_copies) {
		snprintf(end, sizeof(reach->note) - len,
			 "%suser stacks by frame pointers: this kernel copies none",
			 len ? "; " : "");
	}
}

void cpu_perf__note(struct perf_reach *reach, const struct perf_setup *p,
		    const struct sampling *how, bool limited)
{
	bool blind = p->attr.exclude_kernel && how->kernel;

	copy_str(reach->note, sizeof(reach->note), p->note);
	if (!reach->own && !(caps__effective() & 1ULL << CAP_SYS_PTRACE))
		snprintf(reach->note, sizeof(reach->note),
			 "functions of other users' processes have no names: run with sudo, or "
			 "give CAP_SYS_PTRACE");
	if (reach->own)
		snprintf(
			reach->note, sizeof(reach->note),
			"only your own processes%s%s: sudo or sysctl kernel.perf_event_paranoid=-1 "
			"shows the rest",
			limited ? " (the first 2048 threads)" : "",
			blind ? ", user mode only" : "");
	else if (machine__has_own_pids())
		snprintf(reach->note, sizeof(reach->note),
			 "only this container's processes: --pid=host shows the rest");
	note_stacks(reach, p);
}

/* Copies need room for about a second of them. */
static u32 ring_pages(const struct perf_setup *p)
{
	u64 each = p->attr.sample_stack_user + SAMPLE_BYTES, pages = PAGES;

	if (!p->freq || p->freq > 1000)
		pages = PAGES_FAST;
	while (p->attr.sample_stack_user && pages < PAGES_MOST &&
	       pages * PAGE_BYTES < (p->freq ? p->freq : 1000) * each)
		pages *= 2;
	return (u32)pages;
}

/* Threads come and go between looking and opening: look again when one has gone. */
static int open_own(struct perf_reach *reach, struct perf_ring *ring, const struct perf_setup *p,
		    const struct sampling *how, const struct scope *scope, struct status *st)
{
	int err = -ESRCH;

	for (int tries = 0; err == -ESRCH && tries < 10; tries++) {
		bool limited;
		pid_t *tids;
		u32 n = perf_tasks__own(scope, THREADS_MAX, &tids, &limited);

		if (n)
			err = perf_ring__open(ring, &p->attr, tids, n, ring_pages(p));
		free(tids);
		cpu_perf__note(reach, p, how, limited);
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

/* A kernel or a machine without it says so in several ways. */
static bool lacks_copies(int err)
{
	return err == -ENOSYS || err == -EINVAL || err == -EOPNOTSUPP;
}

int cpu_perf__open_ring(struct perf_ring *ring, struct perf_setup *p, const struct sampling *how,
			const struct scope *scope, struct perf_reach *reach, struct status *st)
{
	struct status why = {0};
	int err;

	*reach = (struct perf_reach){0};
	cpu_perf__fields(p, how, true);
	err = pick_reach(reach, p, &why);
	if (p->attr.sample_stack_user && lacks_copies(err)) {
		reach->no_copies = true;
		cpu_perf__fields(p, how, false);
		err = pick_reach(reach, p, &why);
	}
	if (!err) {
		cpu_perf__note(reach, p, how, false);
		err = reach->own ? open_own(reach, ring, p, how, scope, &why)
				 : perf_ring__open(ring, &p->attr, NULL, 0, ring_pages(p));
	}
	if (err && why.msg[0])
		return status__set(st, why.code, err, "%s", why.msg);
	return err ? refused(p, err, st) : 0;
}
