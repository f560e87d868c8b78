// SPDX-License-Identifier: GPL-2.0-only
#include "sources/ask_rate.h"

#include <bpf/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cpus.h"
#include "sources/events.h"
#include "sources/perf_open.h"

#define LOOK_NS	    (20 * NSEC_PER_MSEC)
#define EVENTS_MAX  16
#define COST_NS	    150	 /* of an event that is counted, about */
#define SPAN_NS	    250	 /* of a begin or an end */
#define STACK_NS    2000 /* more, with a stack */

/* False: it is sampled, or no perf event. */
static bool is_counted(const struct ask_target *t)
{
	return t->of->kind == EVENT_PERF && t->attr.type == PERF_TYPE_SOFTWARE &&
	       t->attr.config != PERF_COUNT_SW_CPU_CLOCK && t->attr.config != PERF_COUNT_SW_TASK_CLOCK;
}

static void keep(struct ask_rate *r, int fd)
{
	r->fds = xgrow(r->fds, r->n, &r->cap, sizeof(*r->fds));
	r->fds[r->n++] = fd;
}

static void count_on_all(struct ask_rate *r, struct perf_event_attr attr)
{
	u32 *cpus, n = cpus__online(&cpus);

	attr.size = sizeof(attr);
	for (u32 i = 0; i < n; i++) {
		int fd = perf__open(&attr, -1, (int)cpus[i]);

		if (fd >= 0)
			keep(r, fd);
	}
	free(cpus);
}

/* A counter of a tracepoint may count something else: sched_stat_runtime's adds up nanoseconds. So a
 * program does. It returns 1: with 0 perf events of others would not see the tracepoint. */
static void load_program(struct ask_rate *r)
{
	struct bpf_insn code[] = {
		{.code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = 1, .src_reg = BPF_PSEUDO_MAP_VALUE},
		{0},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 2, .imm = 1},
		{.code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = 1, .src_reg = 2, .imm = BPF_ADD},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 1},
		{.code = BPF_JMP | BPF_EXIT},
	};

	r->map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "ask_rate", sizeof(u32), sizeof(u64), 1, NULL);
	code[0].imm = r->map;
	r->program = r->map < 0 ? -1
				: bpf_prog_load(BPF_PROG_TYPE_TRACEPOINT, "ask_rate", "GPL", code,
						ARRAY_SIZE(code), NULL);
}

/* On one CPU's event the program runs for all CPUs, and the event itself need not be enabled. */
static void count_tracepoint(struct ask_rate *r, const char *name)
{
	struct perf_event_attr attr;
	int fd;

	if (r->program < 0 || event__resolve(name, event__tracefs(), &attr, NULL))
		return;
	attr.size = sizeof(attr);
	attr.disabled = 1;
	fd = perf__open(&attr, -1, 0);
	if (fd < 0)
		return;
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, r->program))
		close(fd);
	else
		keep(r, fd);
}

static u64 sum(const struct ask_rate *r)
{
	u64 all = 0, one;
	u32 zero = 0;

	if (r->map >= 0)
		bpf_map_lookup_elem(r->map, &zero, &all);
	for (u32 i = 0; i < r->n; i++)
		if (read(r->fds[i], &one, sizeof(one)) == sizeof(one))
			all += one;
	return all;
}

/* At least LOOK_NS since the last one. */
static u64 per_second(struct ask_rate *r)
{
	u64 took = clock__monotonic_ns() - r->begin_ns, before = r->before;
	struct timespec left = {0};

	if (took < LOOK_NS) {
		left.tv_nsec = (long)(LOOK_NS - took);
		nanosleep(&left, NULL);
		took = clock__monotonic_ns() - r->begin_ns;
	}
	r->before = sum(r);
	r->begin_ns += took;
	return (u64)((double)(r->before - before) * 1e9 / (double)took);
}

static u64 cost_of(const struct ask *a)
{
	u64 cost = a->form.shape == MEASURE_SHAPE_SPAN ? SPAN_NS : COST_NS;

	for (u32 i = 0; i < a->nprograms; i++)
		if (a->programs[i].slot.stack)
			return cost + STACK_NS;
	return cost;
}

void ask_rate__begin(struct ask_rate *r, const struct ask *a)
{
	*r = (struct ask_rate){.map = -1, .program = -1};
	if (a->forced || a->targets.n > EVENTS_MAX)
		return;
	for (u32 i = 0; i < a->targets.n; i++) {
		const struct ask_target *t = &a->targets.v[i];

		if (t->of->kind == EVENT_TRACEPOINT) {
			if (r->map < 0)
				load_program(r);
			count_tracepoint(r, t->name);
		} else if (is_counted(t)) {
			count_on_all(r, t->attr);
		}
	}
	r->begin_ns = clock__monotonic_ns();
	r->before = sum(r);
}

/* Loading takes CPU time from who makes the events: where these come close to the limit they are counted once
 * more, while this thread sleeps. */
int ask_rate__check(struct ask_rate *r, const struct ask *a, struct status *st)
{
	u64 cost = cost_of(a), rate = r->n ? per_second(r) : 0;

	if (rate_guard__pct(rate, cost) > RATE_GUARD_PCT / 4.0)
		rate = MAX(rate, per_second(r));
	return rate_guard__check(a->text, "events", rate, cost, "ask it with ! before it", st);
}

void ask_rate__end(struct ask_rate *r)
{
	for (u32 i = 0; i < r->n; i++)
		close(r->fds[i]);
	free(r->fds);
	if (r->program >= 0)
		close(r->program);
	if (r->map >= 0)
		close(r->map);
	*r = (struct ask_rate){.map = -1, .program = -1};
}
