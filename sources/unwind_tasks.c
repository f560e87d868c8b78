// SPDX-License-Identifier: GPL-2.0-only
#include "sources/unwind_tasks.h"

#include <bpf/libbpf.h>

#include "base/clock.h"
#include "base/hidx.h"
#include "base/log.h"
#include "bpf/unwind.h"
#include "bpf/unwind_tasks.h"
#include "bpf/unwind_tasks.skel.h"
#include "sources/bpf_util.h"
#include "sources/bpf_visit.h"
#include "sources/unwind_maps.h"

static int visit(struct bpf_visit *v, struct status *st)
{
	struct unwind_tasks_bpf *skel;
	int err = bpf_util__prepare(st);

	if (err)
		return err;
	skel = unwind_tasks_bpf__open_and_load();
	if (!skel)
		return bpf_util__failed(-errno, "a list of processes", st);
	err = bpf_visit__attach(v, skel->progs.unwind_tasks, st);
	if (!err)
		err = bpf_visit__run(v);
	unwind_tasks_bpf__destroy(skel);
	return err;
}

/* Which CPU they will be on is not known: on any that passes. */
static u32 any_cpu(const struct scope *scope)
{
	return scope->include[SCOPE_CPU].n ? (u32)scope->include[SCOPE_CPU].ids[0] : UINT32_MAX;
}

struct asking {
	const struct unwind_task *tasks;
	u32 ntasks, asked;
	struct hidx known; /* processes */
	const struct scope *scope;
	const struct sample_sink *sink;
};

/* One thread in scope is enough for its process. */
static void ask_for(struct asking *a, u32 i)
{
	const struct unwind_task *t = &a->tasks[i];
	struct unwind_sample s = {.head.type = SAMPLE_UNWIND,
				  .tgid = t->tgid,
				  .exec_id = t->exec_id,
				  .t_ns = clock__monotonic_ns()};
	u32 at;

	HIDX_FIND(at, &a->known, mix64(t->tgid), pos, a->tasks[pos].tgid == t->tgid);
	if (at != HIDX_NONE || a->asked >= UNWIND_TASKS_MAX ||
	    !scope__task(a->scope, t->tgid, t->tid, any_cpu(a->scope), t->cgroup, t->comm))
		return;
	hidx__add(&a->known, mix64(t->tgid), i);
	a->asked++;
	sink__put(a->sink, &s.head);
}

/* Those that run first: they are sampled first. */
static void ask(const struct bpf_visit *v, const struct scope *scope,
		const struct sample_sink *sink)
{
	struct asking a = {.tasks = (const void *)v->data,
			   .ntasks = (u32)(v->len / sizeof(*a.tasks)),
			   .scope = scope,
			   .sink = sink};

	for (u32 i = 0; i < a.ntasks; i++)
		if (a.tasks[i].running)
			ask_for(&a, i);
	for (u32 i = 0; i < a.ntasks; i++)
		if (!a.tasks[i].running)
			ask_for(&a, i);
	hidx__fini(&a.known);
}

bool unwind_tasks__ask(const struct sampling *how, const struct scope *scope,
		       const struct sample_sink *sink)
{
	u32 mode = unwind_maps__mode(how->call_graph);
	struct bpf_visit v = {0};
	struct status st = {0};

	if (!how->user || (mode != UNWIND_TABLES && mode != UNWIND_TABLES_ONLY))
		return false;
	if (unwind_maps__make(&st) || visit(&v, &st))
		log__add(LOG_INFO, "stacks of the first second may end early: %s", st.msg);
	else
		ask(&v, scope, sink);
	bpf_visit__fini(&v);
	return true;
}
