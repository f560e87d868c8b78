// SPDX-License-Identifier: GPL-2.0-only
/* The programs of a question are attached to its events. */
#include "sources/ask_links.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <unistd.h>

#include "sources/ask_calls.h"
#include "sources/ask_log.h"
#include "sources/ask_making.h"
#include "sources/bpf_util.h"
#include "sources/uprobe.h"

static int fill_globs(const struct ask *a, struct bpf_object *obj)
{
	int fd = bpf_object__find_map_fd_by_name(obj, "question_globs"), err = 0;
	u32 at = 0;

	for (u32 i = 0; i < a->nprograms && !err; i++)
		for (u32 k = 0; k < a->programs[i].code.nglobs && !err; k++, at++)
			err = bpf_map_update_elem(fd, &at, &a->programs[i].code.globs[k], BPF_ANY);
	return err;
}

/* NULL: errno. */
static int keep(struct ask_links *l, struct bpf_link *link)
{
	if (!link)
		return -errno;
	l->links = xgrow(l->links, l->nlinks, &l->links_cap, sizeof(*l->links));
	l->links[l->nlinks++] = link;
	return 0;
}

/* Events that are counted one by one, and clocks and counters, which are sampled. */
static void set_rate(struct perf_event_attr *attr, const struct ask_links *l)
{
	bool clock = attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
							  attr->config == PERF_COUNT_SW_TASK_CLOCK);

	if (attr->type == PERF_TYPE_BREAKPOINT || (attr->type == PERF_TYPE_SOFTWARE && !clock)) {
		attr->sample_period = 1;
	} else if (l->period) {
		attr->sample_period = l->period;
	} else {
		attr->freq = 1;
		attr->sample_freq = l->freq ? l->freq : 99;
	}
}

static u64 sample_type_of(const struct ask_links *l, const struct ask_target *t)
{
	const struct ask *a = l->ask;

	return a->programs[a->program_of[t - a->targets.v]].code.sample_type;
}

/* The kernel fills what somebody asks for. */
static void set_sample(struct perf_event_attr *attr, u64 asked_for)
{
	attr->sample_type |= PERF_SAMPLE_ADDR | asked_for;
	if (asked_for & PERF_SAMPLE_BRANCH_STACK)
		attr->branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_TYPE_SAVE;
}

static int attach_perf(struct ask_links *l, struct bpf_program *prog, const struct ask_target *t,
		       u64 cookie)
{
	struct perf_event_attr attr = t->attr;

	attr.size = sizeof(attr);
	set_sample(&attr, sample_type_of(l, t));
	if (l->ask->question->shape == ASK_BURST && ask_target__is_timer(t))
		attr.sample_period = l->ask->question->every_ns ? l->ask->question->every_ns : NSEC_PER_MSEC;
	else
		set_rate(&attr, l);
	return perf_links__add_cpus(&l->perf, prog, &attr, cookie);
}

static int attach_tracepoint(struct ask_links *l, struct bpf_program *prog,
			     const struct ask_target *t, u64 cookie)
{
	LIBBPF_OPTS(bpf_tracepoint_opts, opts, .bpf_cookie = cookie);

	return keep(l, bpf_program__attach_tracepoint_opts(prog, t->system, t->event, &opts));
}

/* Where a probe goes: at functions' returns, at all instructions by which they are left where the kernel
 * must not take their return address over. */
struct probe_sites {
	const u64 *offsets;
	u32 n;
	bool returns;
	u64 semaphore;
};

static struct probe_sites sites_of(const struct ask_target *t)
{
	if (t->usdt)
		return (struct probe_sites){&t->usdt->offset, 1, false, t->usdt->semaphore};
	if (t->place.nends)
		return (struct probe_sites){t->place.ends, t->place.nends, false, 0};
	return (struct probe_sites){&t->place.offset, 1, t->of->kind == EVENT_URETPROBE, 0};
}

/* Whose functions are probed: nobody else pays for a question about one process. */
static u32 probed_pid(const struct ask_links *l, const struct ask_target *t)
{
	return t->pid ? t->pid : l->only;
}

static int attach_by_link(struct ask_links *l, struct bpf_program *prog, const struct ask_target *t,
			  const struct probe_sites *s, u64 cookie)
{
	struct uprobe_set set = {.path = t->file, .offsets = s->offsets, .n = s->n,
				 .pid = probed_pid(l, t),
				 .semaphores = s->semaphore ? &s->semaphore : NULL,
				 .when = s->returns ? UPROBE_ENDS : UPROBE_BEGINS};
	u64 *cookies = xmalloc(s->n * sizeof(*cookies));
	int fd;

	for (u32 i = 0; i < s->n; i++)
		cookies[i] = cookie;
	set.cookies = cookies;
	fd = uprobe__attach_set(bpf_program__fd(prog), &set);
	free(cookies);
	if (fd < 0)
		return fd;
	l->link_fds = xgrow(l->link_fds, l->nlink_fds, &l->link_fds_cap, sizeof(*l->link_fds));
	l->link_fds[l->nlink_fds++] = fd;
	return 0;
}

static int attach_function(struct ask_links *l, struct bpf_program *prog, const struct ask_target *t,
			   u64 cookie)
{
	const struct probe_sites s = sites_of(t);
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .bpf_cookie = cookie, .retprobe = s.returns,
		    .ref_ctr_offset = s.semaphore);
	pid_t pid = probed_pid(l, t) ? (pid_t)probed_pid(l, t) : -1;
	int err = 0;

	if (l->ask->uprobe_links)
		err = attach_by_link(l, prog, t, &s, cookie);
	else
		for (u32 i = 0; i < s.n && !err; i++)
			err = keep(l, bpf_program__attach_uprobe_opts(prog, pid, t->file, s.offsets[i], &opts));
	return err == -ESRCH && !t->pid ? 0 : err; /* who is filtered for has ended */
}

static int attach_kernel(struct ask_links *l, struct bpf_program *prog, const struct ask_target *t,
			 u64 cookie)
{
	LIBBPF_OPTS(bpf_kprobe_opts, opts, .bpf_cookie = cookie,
		    .retprobe = t->of->kind == EVENT_KRETPROBE);

	return keep(l, bpf_program__attach_kprobe_opts(prog, t->of->name, &opts));
}

static int attach_one(struct ask_links *l, struct bpf_program *prog, const struct ask_target *t,
		      u64 cookie)
{
	switch (t->of->kind) {
	case EVENT_PERF:
	case EVENT_BREAKPOINT:
		return attach_perf(l, prog, t, cookie);
	case EVENT_TRACEPOINT:
		return attach_tracepoint(l, prog, t, cookie);
	case EVENT_BTF:
		return keep(l, bpf_program__attach_raw_tracepoint(prog, t->event));
	case EVENT_UPROBE:
	case EVENT_URETPROBE:
	case EVENT_USDT:
		return attach_function(l, prog, t, cookie);
	default:
		return attach_kernel(l, prog, t, cookie);
	}
}

/* Once for all calls of a program. */
static int attach_call(struct ask_links *l, struct bpf_object *obj, struct bpf_program *prog, u32 target)
{
	const struct ask *a = l->ask;
	int err = ask_calls__add(a, obj, target);

	for (u32 i = 0; i < target; i++)
		if (a->program_of[i] == a->program_of[target])
			return err;
	return err ? err
		   : keep(l, bpf_program__attach_raw_tracepoint(
				     prog, ask_call__tracepoint(&a->targets.v[target])));
}

/* NULL: there is nothing special to say. */
static const char *why_no_sample(const struct ask_links *l, const struct ask_target *t, int err)
{
	if (t->of->kind != EVENT_PERF)
		return NULL;
	if (sample_type_of(l, t) & PERF_SAMPLE_BRANCH_STACK && (err == -EOPNOTSUPP || err == -EINVAL))
		return "there is no LBR or BRBE here that notes branches of this event: perf record -b where there is one, "
		       "then --replay";
	return err == -ENODATA ? "this CPU wants mem-loads-aux beside it: perf mem record, then --replay" : NULL;
}

static int refuse_attach(const struct ask_links *l, const struct ask_target *t, int err, struct status *st)
{
	const char *why = why_no_sample(l, t, err);
	bool kprobe = t->of->kind == EVENT_KPROBE || t->of->kind == EVENT_KRETPROBE;

	if (kprobe && (err == -ENOENT || err == -EOPNOTSUPP || err == -EINVAL || err == -EPERM))
		return status__set(st, EXIT_CODE_UNSUPPORTED, err,
				   "%s: this kernel has no such function to probe, or was built without "
				   "CONFIG_KPROBES: a tracepoint or btf:NAME may say the same", t->name);
	if (t->of->kind == EVENT_BTF && err == -ENOENT)
		return status__set(st, EXIT_CODE_USAGE, err,
				   "%s: this kernel has no such tracepoint: --list-events lists them", t->name);
	return status__set(st, exit_code__from_errno(err), err, "%s cannot be attached to: %s",
			   t->name, why ? why : strerror(-err));
}

/* Ends before begins: nothing that begins afterwards misses its end. */
static int attach_targets(struct ask_links *l, struct bpf_object *obj, bool begins, struct status *st)
{
	const struct ask *a = l->ask;

	for (u32 i = 0; i < a->targets.n; i++) {
		const struct ask_target *t = &a->targets.v[i];
		const struct ask_program *p = &a->programs[a->program_of[i]];
		struct bpf_program *prog;
		char name[32];
		int err;

		if ((t->of->role == ROLE_BEGIN) != begins)
			continue;
		snprintf(name, sizeof(name), "%s_%u", p->type, a->program_of[i]);
		prog = bpf_object__find_program_by_name(obj, name);
		err = t->call ? attach_call(l, obj, prog, i)
			      : attach_one(l, prog, t, p->slot.cookies ? i : 0);
		if (err)
			return refuse_attach(l, t, err, st);
	}
	return 0;
}

int ask_links__attach(struct ask_links *l, struct bpf_object *obj, struct status *st)
{
	struct bpf_program *exits = bpf_object__find_program_by_name(obj, "question_exit");
	int err = fill_globs(l->ask, obj);

	l->attached = obj;
	if (!err && exits && bpf_program__autoload(exits))
		err = keep(l, bpf_program__attach_raw_tracepoint(exits, "sched_process_exit"));
	for (u32 i = 0; i < ASK_LOG_TRACEPOINTS && !err; i++) {
		struct bpf_program *prog = ask_log__tracepoint(obj, i);

		if (prog)
			err = keep(l, bpf_program__attach(prog));
	}
	if (!err)
		err = ask_log__attach(l->ask, obj, &l->perf);
	if (err)
		return bpf_util__failed(err, "BPF programs of a question", st);
	err = attach_targets(l, obj, false, st);
	return err ? err : attach_targets(l, obj, true, st);
}

void ask_links__detach(struct ask_links *l)
{
	for (u32 i = 0; i < l->nlinks; i++)
		bpf_link__destroy(l->links[i]);
	free(l->links);
	l->links = NULL;
	l->nlinks = l->links_cap = 0;
	perf_links__fini(&l->perf);
	for (u32 i = 0; i < l->nlink_fds; i++)
		close(l->link_fds[i]);
	free(l->link_fds);
	l->link_fds = NULL;
	l->nlink_fds = l->link_fds_cap = 0;
}
