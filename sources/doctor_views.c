// SPDX-License-Identifier: GPL-2.0-only
/*
 * Per view: the sources of its model are really opened, tier by tier, with what a view asks
 * for by default. The first that opens is the one that serves.
 */
#include <stdio.h>
#include <unistd.h>

#include "scope/filter.h"
#include "sources/ask.h"
#include "sources/cpu_perf.h"
#include "sources/doctor_checks.h"
#include "sources/source.h"

/* To add a view: a row here when it shows a model; the group's text is its name. */
static const struct view_needs {
	const char *group;
	enum model_id model; /* MODEL_COUNT: nothing of the kernel's */
} views[] = {
	{"view overview", MODEL_SYSTEM}, {"view procs", MODEL_PROCS},
	{"view cpu", MODEL_PROFILE}, {"view offcpu", MODEL_WAITS}, {"view cache", MODEL_CACHE},
	{"view io", MODEL_IO},	     {"view sched", MODEL_SCHED},
	{"view bpf", MODEL_BPF},
#define MEASURE(id, name, ...) {"view " #name, MODEL_##id},
#include "measures/measures.def"
#undef MEASURE
	{"view events", MODEL_EVENTS}, {"view pairs", MODEL_PAIRS}, {"view held", MODEL_HELD},
	{"view log", MODEL_COUNT},
};

/* Sources of questions are tried with some that are never many. */
static const struct ask_list *questions(struct status *st)
{
	static const char *const texts[] = {
		"count sched:sched_process_exec by comm",
		"span sched:sched_process_exec -> sched:sched_process_exit by comm"};
	const struct ask_list *list = NULL;

	for (u32 i = 0; i < ARRAY_SIZE(texts); i++) {
		const struct ask *a = ask__new(texts[i], st);

		if (!a)
			return NULL;
		list = ask_list__with(list, a, st);
	}
	return list;
}

/* What is not for all processes opens without one: proftop itself is looked at by nobody. */
static struct source *open_for_nobody(const struct source_ops *ops, struct sampling *how,
				      struct status *st)
{
	char text[32];
	struct filter_error err;
	struct scope *scope;
	struct source *s;

	snprintf(text, sizeof(text), "pid=%d", (int)getpid());
	scope = filter__parse(text, &err);
	how->watches[0] = "0x1000/4:w";
	s = ops->open(how, scope, st);
	scope__put(scope);
	return s;
}

/* One row a tier; true when it opens. */
static bool try_source(struct checks *c, const char *group, const char *name,
		       const struct source_ops *ops, const char *remedy)
{
	struct sampling how = {.freq = 99, .user = true, .kernel = true, .interval_s = 1};
	struct filter_error err;
	struct scope *everything = filter__parse("", &err);
	struct status st = {0};
	struct source *s;

	if (ops->asks)
		how.asks = questions(&st);
	s = ops->asks && !how.asks ? NULL : ops->open(&how, everything, &st);
	if (!s && st.code == EXIT_CODE_USAGE)
		s = open_for_nobody(ops, &how, &st);
	scope__put(everything);
	if (s) {
		struct health h = {0};

		ops->health(s, &h);
		ops->close(s);
		checks__add(c, group, name, CHECK_OK, "", "opens: %.150s (%s: %.60s)", ops->title,
			    h.tier, h.event);
	} else {
		checks__add(c, group, name, CHECK_MISSING,
			    st.code == EXIT_CODE_PERMISSION ? "run with sudo" : remedy, "%.190s",
			    st.msg);
	}
	return s != NULL;
}

static bool is_ok(const struct checks *c, const char *name)
{
	const struct check *k = checks__find(c, "probes", name);

	return k && k->state == CHECK_OK;
}

/* How user stacks are got: only this model has an engine besides BPF. */
static void add_stacks(struct checks *c, const char *group, const struct source_ops *serving)
{
	const char *how = NULL;

	if (serving == &source_cpu_perf && is_ok(c, DOCTOR_COPIES))
		how = "copied with each sample, walked by unwind tables in a thread of proftop";
	else if (serving != &source_cpu_perf && is_ok(c, DOCTOR_TABLES))
		how = "walked in the kernel by unwind tables";
	checks__add(c, group, "user stacks", how ? CHECK_OK : CHECK_LIMITED,
		    how ? "" : "the checks above say what is missing", "%s",
		    how ? how : "by frame pointers, which most libraries do not keep");
}

/* What is read from files alone has no tiers. */
static bool has_tiers(enum model_id model)
{
	for (u32 i = 0; i < SOURCE_COUNT; i++)
		if (source_table[i].model == model && source_table[i].tier)
			return true;
	return false;
}

/* The row that says which tier serves comes first, though it is known last. */
static void try_tiers(struct checks *c, const struct view_needs *v)
{
	const struct source_ops *best = NULL, *serving = NULL;
	u32 at = c->n;

	checks__add(c, v->group, DOCTOR_ENGINE, CHECK_MISSING, "run with sudo",
		    "none of the following");
	for (u32 i = 0; i < SOURCE_COUNT; i++) {
		const struct source_row *row = &source_table[i];

		if (row->model != v->model || (!row->tier && has_tiers(v->model)))
			continue;
		if (!best)
			best = row->ops;
		if (try_source(c, v->group, row->ops->name, row->ops,
			       "the checks above say what this kernel lacks") &&
		    !serving)
			serving = row->ops;
	}
	if (!serving)
		return;
	copy_str(c->items[at].detail, sizeof(c->items[at].detail), serving->name);
	c->items[at].state = serving == best ? CHECK_OK : CHECK_LIMITED;
	if (serving == best)
		c->items[at].remedy[0] = '\0';
	if (v->model == MODEL_PROFILE)
		add_stacks(c, v->group, serving);
}

/* What the view of functions then cannot show, from the checks made before: said there, not again for each view. */
static void add_limits(struct checks *c, const char *group)
{
	static const struct {
		const char *of, *check, *name, *without;
	} limits[] = {
		{"probes", "cycles (hardware)", "precise addresses",
		 "cpu-clock: samples may skid, interrupt-disabled code shows where it enables "
		 "them"},
		{"probes", "perf events, whole machine", "all processes", "own processes only"},
		{"symbols", "kernel function names", "kernel names", "kernel code is one row"},
		{"symbols", "files of other processes", "names of others",
		 "functions of other users' processes have no names"},
		{"symbols", "kernel code", "annotated kernel", "kernel functions have no code"},
		{"symbols", "separate debug files", "source lines",
		 "only for what carries its own debug information"},
	};

	for (u32 i = 0; i < ARRAY_SIZE(limits); i++) {
		const struct check *k = checks__find(c, limits[i].of, limits[i].check);
		bool ok = k && k->state == CHECK_OK;
		char remedy[sizeof(k->remedy)] = "";

		if (k)
			copy_str(remedy, sizeof(remedy), k->remedy);
		checks__add(c, group, limits[i].name, ok ? CHECK_OK : CHECK_LIMITED, remedy, "%s",
			    ok ? "yes" : limits[i].without);
	}
}

/* What programs on functions of the kernel see that those on its tracepoints do not. */
static void add_functions(struct checks *c, const char *group)
{
	const struct check *k = checks__find(c, "probes", "fentry");
	bool ok = k && k->state == CHECK_OK;

	if (!strcmp(group, "view io"))
		checks__add(c, group, "kernel functions", CHECK_OK, "",
			    "not needed: they would see no more than tracepoints do");
	if (!strcmp(group, "view cache"))
		checks__add(c, group, "kernel functions", ok ? CHECK_OK : CHECK_LIMITED,
			    ok ? "" : "the check of fentry above says why",
			    "%s: reads up to Linux 6.10, writes to file systems that have no event",
			    ok ? "used where tracepoints do not tell" : "not to be had");
}

/* Software events are always there. */
static void add_counters(struct checks *c, const char *group)
{
	const struct check *k = checks__find(c, "probes", "cycles (hardware)");
	bool ok = k && k->state == CHECK_OK;

	if (!strcmp(group, "view counters"))
		checks__add(c, group, "hardware events", ok ? CHECK_OK : CHECK_LIMITED,
			    ok ? "" : "a machine with a PMU, or one given to this virtual machine",
			    "%s", ok ? "counted" : "not to be had: what the kernel counts is there");
}

void doctor__views(struct checks *c)
{
	for (u32 i = 0; i < ARRAY_SIZE(views); i++) {
		if (views[i].model == MODEL_COUNT) {
			checks__add(c, views[i].group, DOCTOR_ENGINE, CHECK_OK, "",
				    DOCTOR_NO_ENGINE);
			continue;
		}
		try_tiers(c, &views[i]);
		add_functions(c, views[i].group);
		add_counters(c, views[i].group);
		if (views[i].model == MODEL_PROFILE)
			add_limits(c, views[i].group);
	}
}
