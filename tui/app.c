/* SPDX-License-Identifier: GPL-2.0-only */
#include "tui/app.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/memory.h"

#define DOUBLE_RATE_MAX 32000

/* --- what screens may ask of the host --- */

const struct frame *host__frame(const struct host *h)
{
	return h->frame;
}

bool host__paused(const struct host *h)
{
	return h->paused;
}

struct symbols *host__symbols(const struct host *h)
{
	return h->symbols;
}

/* What was asked for last; as the collector resolved it as soon as that is known. cgroups come
 * and go, so this differs from frame to frame. */
const struct scope *host__scope(const struct host *h)
{
	const struct scope *seen = h->frame ? h->frame->scope : NULL;

	return seen && !strcmp(seen->text, h->scope->text) ? seen : h->scope;
}

void host__post(struct host *h, struct job *j)
{
	worker__post(h->queries, j);
}

bool host__past(const struct host *h)
{
	return h->time_travel.live;
}

void host__redraw(struct host *h)
{
	h->dirty = true;
}

void host__answered(struct host *h, u64 cpu_ns)
{
	h->results_due_ns =
		clock__monotonic_ns() + cpu_ns * (100 - HOST_ANSWERS_PCT) / HOST_ANSWERS_PCT;
}

bool host__too_soon(const struct host *h)
{
	/* A script looks at settled screens. */
	return !h->ops->idle && clock__monotonic_ns() < h->results_due_ns;
}

void host__message(struct host *h, enum role role, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(h->message, sizeof(h->message), fmt, ap);
	va_end(ap);
	h->message_role = role;
	h->message_code = EXIT_CODE_USAGE;
	h->dirty = true;
}

void host__error(struct host *h, const struct status *st)
{
	/* What the caret below it points at is for those without a screen, and for prompts. */
	host__message(h, ROLE_ERROR, "%.*s", (int)strcspn(st->msg, "\n"), st->msg);
	h->message_code = st->code;
}

static void let_views_rest(struct host *h);

void host__push(struct host *h, struct screen *s)
{
	s->below = h->stacks[h->view];
	h->stacks[h->view] = s;
	h->dirty = true;
	let_views_rest(h);
}

void host__pop(struct host *h)
{
	struct screen *s = h->stacks[h->view];

	if (!s->below)
		return;
	h->stacks[h->view] = s->below;
	s->ops->free(s);
	h->dirty = true;
	let_views_rest(h);
}

const char *host__key(const struct host *h, enum action a, char *buf, size_t size)
{
	const char *sections[4];
	char name[16];
	int key;

	app__sections(h, sections);
	key = keymap__key_of(&h->keymap, sections, a);
	copy_str(buf, size, key ? key__name(key, name, sizeof(name)) : "");
	return buf;
}

void host__watch(struct host *h, u32 tid)
{
	struct sampling s = h->sampling;

	if (s.watch == tid)
		return;
	s.watch = tid;
	app__set_sampling(h, &s);
}

bool host__is_live(const struct host *h)
{
	return !h->options->replay && !h->options->connect && !h->time_travel.live && !h->manual;
}

bool host__is_elsewhere(const struct host *h)
{
	return h->options->connect && !h->time_travel.live;
}

bool host__idle(const struct host *h)
{
	return h->sampling.idle;
}

bool host__toggle_idle(struct host *h)
{
	struct sampling s = h->sampling;

	s.idle = !s.idle;
	app__set_sampling(h, &s);
	host__message(h, ROLE_OK, s.idle ? "the idle task is counted too" : "idle is left out");
	return true;
}

/* --- views --- */

struct screen *app__screen(const struct host *h)
{
	return h->stacks[h->view];
}

const struct view_ops *app__view(const struct host *h)
{
	const struct screen *s = app__screen(h);

	return s->pane ? s->pane : view_table[h->view];
}

void app__sections(const struct host *h, const char **out)
{
	const char *own = app__screen(h)->ops->section, *view = view_table[h->view]->name;
	u32 n = 0;

	if (own && strcmp(own, view))
		out[n++] = own;
	/* A drilled screen inherits its view's keys where it does not bind its own. */
	out[n++] = view;
	out[n++] = "global";
	out[n] = NULL;
}

static void want_each(struct host *h, u64 models, bool on)
{
	for (u32 m = 0; m < MODEL_COUNT; m++)
		if (models & 1ULL << m)
			collector__want(time_travel__live(h), m, on);
}

/* What is not needed any more goes first: both may be more than there is memory for. */
static void want_models(struct host *h, u64 wanted)
{
	want_each(h, h->wanted & ~wanted, false);
	want_each(h, wanted & ~h->wanted, true);
	h->wanted = wanted;
}

static void want_active(struct host *h, bool only)
{
	struct sampling s = h->sampling;

	s.active_only = only;
	if (only != h->sampling.active_only)
		app__set_sampling(h, &s);
}

static bool rests(const struct host *h, enum view_id v)
{
	if (!h->stacks[v])
		return true;
	if (v == h->view || !h->frame)
		return false;
	return view_table[v]->rests_at_once || memory__is_little() ||
	       h->frame->t_ns > h->left_ns[v] + VIEW_REST_NS;
}

static u64 models_of(const struct host *h, enum view_id v)
{
	u64 models = view_table[v]->models;

	for (const struct screen *s = h->stacks[v]; s; s = s->below)
		models |= s->ops->models | s->helps;
	return models;
}

/* What no view needs is detached. */
static void let_views_rest(struct host *h)
{
	u64 wanted = h->always;
	bool active_only = !(h->always & (1ULL << MODEL_SCHED | 1ULL << MODEL_WAITS));

	/* What the tour shows is not collected. */
	if (h->tour.on)
		return;
	for (u32 v = 0; v < VIEW_COUNT; v++) {
		if (rests(h, v))
			continue;
		wanted |= models_of(h, v);
		active_only &= view_table[v]->active_only;
	}
	want_active(h, active_only);
	want_models(h, wanted);
}

/* Terms that the view cannot apply are told when they begin to matter; the note in the line of
 * tabs stays. */
static void report_unfiltered(struct host *h)
{
	struct status st = {0};

	if (view__check_terms(view_table[h->view], h->scope, &st))
		host__message(h, ROLE_WARN, "%s", st.msg);
}

/* As it was asked for on the command line, as far as the view has it. */
static void open_view(struct host *h, enum view_id v, const struct view_args *args)
{
	struct screen *s = view_table[v]->open(view_table[v], h, args);
	struct status st;

	h->stacks[v] = s;
	if (s->ops->choose && h->window[0])
		s->ops->choose(s, CHOICE_WINDOW, h->window, &st);
	if (s->ops->choose && h->options->sampling.idle)
		s->ops->choose(s, CHOICE_IDLE, "on", &st);
}

void app__show_view(struct host *h, enum view_id v)
{
	const struct view_ops *first = view__by_name(h->options->view);
	struct view_args args = {0}, none = {0};
	bool begins = v < VIEW_COUNT && !h->stacks[v] && v == view__index(h->options->view) && !h->tour.on;
	char key[16];

	if (v >= VIEW_COUNT) {
		host__message(h, ROLE_WARN, "no view has this number; %s lists them",
			      host__key(h, ACTION_VIEW_PICK, key, sizeof(key)));
		return;
	}
	if (begins)
		args.group = h->options->group;
	if (!h->stacks[v])
		open_view(h, v, first == view_table[v] ? &args : &none);
	h->left_ns[h->view] = h->frame ? h->frame->t_ns : 0;
	h->view = v;
	h->led_from = VIEW_COUNT;
	h->dirty = true;
	if (begins && first != view_table[v])
		host__push(h, first->open(first, h, &args));
	let_views_rest(h);
	report_unfiltered(h);
}

/* --- commands --- */

void app__set_sampling(struct host *h, const struct sampling *s)
{
	h->sampling = *s;
	h->refused[0] = '\0';
	if (!h->tour.on)
		collector__set_sampling(time_travel__live(h), s);
	if (h->time_travel.live)
		collector__set_sampling(h->collector, s);
	h->dirty = true;
}

static bool change_speed(struct host *h, bool up)
{
	h->speed = CLAMP(up ? h->speed * 2 : h->speed / 2, 1.0 / 64, 1024);
	collector__play(h->collector, h->paused, h->speed);
	host__message(h, ROLE_OK, "played %g times as fast as it was", h->speed);
	return true;
}

static bool change_rate(struct host *h, bool up)
{
	struct sampling s = h->sampling;

	if (time_travel__plays(h))
		return change_speed(h, up);
	if (s.period)
		s.period = up ? MAX(s.period / 2, (u64)1) : s.period * 2;
	else
		s.freq = up ? MIN(s.freq * 2, (u64)DOUBLE_RATE_MAX) : MAX(s.freq / 2, (u64)1);
	app__set_sampling(h, &s);
	if (s.period)
		host__message(h, ROLE_OK, "one sample every %llu events",
			      (unsigned long long)s.period);
	else
		host__message(h, ROLE_OK, "%llu sample%s per second and CPU",
			      (unsigned long long)s.freq, s.freq == 1 ? "" : "s");
	return true;
}

/* Building a scope reads /proc and cgroupfs, so the lists worker does it. */
struct scope_job {
	struct job job;
	struct host *host;
	char *expr;
	bool seen;
	bool tour; /* it is of the tour */
	struct scope *scope;
	struct status st;
};

static void scope_job__run(struct job *job)
{
	struct scope_job *j = (struct scope_job *)job;
	struct scope_args args = {.filter = j->expr, .seen = j->seen};

	j->scope = scope__build(&args, &j->st);
}

static void scope_job__drop(struct job *job)
{
	struct scope_job *j = (struct scope_job *)job;

	scope__put(j->scope);
	free(j->expr);
	free(j);
}

static void scope_job__done(struct job *job)
{
	struct scope_job *j = (struct scope_job *)job;
	struct host *h = j->host;

	if (j->tour != h->tour.on) {
		/* Nobody looks at it any more. */
	} else if (!j->scope) {
		static const char option[] = "--filter: ";
		const char *msg = j->st.msg;

		/* Option, expression and caret are for those without a screen. */
		if (!strncmp(msg, option, strlen(option)))
			msg += strlen(option);
		host__message(h, ROLE_ERROR, "%.*s; the filter stays as it was",
			      (int)strcspn(msg, "\n"), msg);
	} else {
		scope__put(h->scope);
		h->scope = j->scope;
		j->scope = NULL;
		if (!h->tour.on)
			collector__set_scope(time_travel__live(h), h->scope);
		if (h->time_travel.live)
			collector__set_scope(h->collector, h->scope);
		time_travel__show_again(h);
		host__message(h, ROLE_OK, "looking at %s",
			      h->scope->text[0] ? h->scope->text : "everything");
		report_unfiltered(h);
	}
	scope_job__drop(job);
}

void app__apply_filter(struct host *h, const char *expr, bool seen)
{
	struct scope_job *j = xcalloc(1, sizeof(*j));

	j->job = (struct job){
		.run = scope_job__run, .done = scope_job__done, .drop = scope_job__drop};
	j->host = h;
	j->expr = xstrdup(expr);
	j->tour = h->tour.on;
	j->seen = seen || j->tour || h->options->replay || h->options->connect ||
		  !strcmp(expr, h->scope->text);
	worker__post(h->lists, &j->job);
}

static bool exclude_row(struct host *h)
{
	struct screen *s = app__screen(h);
	char term[700], *expr;

	if (!s->ops->exclude || !s->ops->exclude(s, term, sizeof(term))) {
		host__message(h, ROLE_WARN, "this row cannot be excluded");
		return true;
	}
	expr = filter__join(h->scope->text, term);
	app__apply_filter(h, expr, true);
	free(expr);
	return true;
}

void app__show_frame(struct host *h, const struct frame *f)
{
	snap__put(h->frame);
	h->frame = f;
	h->dirty = true;
	let_views_rest(h);
}

static bool toggle_pause(struct host *h)
{
	h->paused = !h->paused;
	if (time_travel__plays(h))
		collector__play(h->collector, h->paused, h->speed);
	if (!h->paused && h->held) {
		app__show_frame(h, h->held);
		h->held = NULL;
	}
	host__message(h, ROLE_OK,
		      time_travel__plays(h) ? h->paused ? "paused" : "played"
		      : h->paused	    ? "paused; collecting goes on"
					    : "live");
	return true;
}

/* Those of this machine are others. */
static bool pick_process(struct host *h)
{
	if (h->options->connect)
		host__message(h, ROLE_WARN, "those of another machine are in view procs (v p); filter by pid= or "
					    "comm~");
	else if (h->options->replay)
		host__message(h, ROLE_WARN,
			      "a recording has no list of processes; filter by "
			      "pid= or comm~");
	else
		dialog__open(h, DIALOG_PICK_PROCESS);
	return true;
}

/* What has no such column stays as it is. */
static void sort_by(struct host *h, const char *sort)
{
	struct screen *s = app__screen(h);
	struct status st = {0};

	if (*sort && s->ops->choose)
		s->ops->choose(s, CHOICE_SORT, sort, &st);
}

void host__lead(struct host *h, const char *view, const char *group, const char *sort,
		const char *filter)
{
	enum view_id from = h->view;
	struct status st = {0};
	char line[80];

	if (view__index(view) == VIEW_COUNT)
		return;
	free(h->led_filter);
	h->led_filter = xstrdup(h->scope->text);
	app__show_view(h, view__index(view));
	h->led_from = from;
	snprintf(line, sizeof(line), "group %s", group ? group : "");
	if (group && *group && !view__check_groups(app__view(h), group, &st))
		palette__run(h, line, &st);
	sort_by(h, sort);
	if (strcmp(filter, h->scope->text))
		app__apply_filter(h, filter, true);
}

static void go_where_led_from(struct host *h)
{
	enum view_id from = h->led_from;

	h->led_from = VIEW_COUNT;
	app__show_view(h, from);
	if (strcmp(h->led_filter, h->scope->text))
		app__apply_filter(h, h->led_filter, true);
}

static bool go_back(struct host *h)
{
	if (app__screen(h)->below)
		host__pop(h);
	else if (h->led_from != VIEW_COUNT)
		go_where_led_from(h);
	else if (h->time_travel.live)
		time_travel__leave(h);
	else
		host__message(h, ROLE_DIM, "this is the view's first screen; q quits");
	return true;
}

static bool search_again(struct host *h, enum action a)
{
	if (app__screen(h)->ops->action(app__screen(h), a))
		return true;
	host__message(h, ROLE_DIM, "no match; / searches");
	return true;
}

static bool zero(struct host *h)
{
	if (h->time_travel.live) {
		host__message(h, ROLE_DIM, "this is the past: it stays as it was");
		return true;
	}
	collector__zero(h->collector);
	host__message(h, ROLE_OK, "started again from zero");
	return true;
}

/* Of a screen that did not open a flame graph itself. */
static bool no_stacks(struct host *h)
{
	host__message(h, ROLE_WARN,
		      "this screen has no stacks of its own for a flame graph: views that group by stack have");
	return true;
}

static bool opens_dialog(struct host *h, enum action a)
{
	static const struct {
		enum action a;
		enum dialog dialog;
	} rows[] = {
		{ACTION_VIEW_PICK, DIALOG_PICK_VIEW}, {ACTION_PICK_CGROUP, DIALOG_PICK_CGROUP},
		{ACTION_FILTER, DIALOG_FILTER},	      {ACTION_SEARCH, DIALOG_SEARCH},
		{ACTION_PALETTE, DIALOG_PALETTE},     {ACTION_SNAPSHOT_AS, DIALOG_SAVE},
		{ACTION_HELP, DIALOG_HELP},
	};

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].a == a)
			return dialog__open(h, rows[i].dialog), true;
	return false;
}

static bool global_action(struct host *h, enum action a)
{
	if ((a >= ACTION_VIEW_0 && a <= ACTION_VIEW_9) || a >= ACTION_SHOW_FIRST)
		return app__show_view(h, view__of_action(a)), true;
	if (opens_dialog(h, a))
		return true;
	switch (a) {
	case ACTION_VIEW_NEXT:
		app__show_view(h, (h->view + 1) % VIEW_COUNT);
		return true;
	case ACTION_VIEW_PREVIOUS:
		app__show_view(h, (h->view + VIEW_COUNT - 1) % VIEW_COUNT);
		return true;
	case ACTION_PICK_PROCESS:
		return pick_process(h);
	case ACTION_COLUMNS_PICK:
		return pick_columns__open(h);
	case ACTION_SORT_PICK:
		return pick_sort__open(h);
	case ACTION_EDIT_QUESTION:
		return ask__edit(h);
	case ACTION_SNAPSHOT:
		save__view(h, NULL);
		return true;
	case ACTION_CLEAR_FILTER:
		app__apply_filter(h, "", true);
		return true;
	case ACTION_EXCLUDE:
		return exclude_row(h);
	case ACTION_BACK:
		return go_back(h);
	case ACTION_PAUSE:
		return toggle_pause(h);
	case ACTION_RATE_UP:
		return change_rate(h, true);
	case ACTION_RATE_DOWN:
		return change_rate(h, false);
	case ACTION_ZERO:
		return zero(h);
	case ACTION_QUIT:
		h->quit = true;
		return true;
	case ACTION_SUSPEND:
		h->ops->suspend(h->term);
		return true;
	case ACTION_FLAME:
		return no_stacks(h);
	case ACTION_TIME:
		return probes__offer(h);
	case ACTION_WATCH:
		watches__offer(h);
		return true;
	case ACTION_BASELINE:
		baseline__toggle(h);
		return true;
	case ACTION_REDRAW:
		h->ops->redraw(h->term);
		return true;
	default:
		return false;
	}
}

bool app__action(struct host *h, enum action a)
{
	struct screen *s = app__screen(h);

	h->dirty = true;
	if (a == ACTION_SEARCH_NEXT || a == ACTION_SEARCH_PREVIOUS)
		return search_again(h, a);
	return s->ops->action(s, a) || time_travel__action(h, a) || global_action(h, a);
}

bool app__action_times(struct host *h, enum action a, u32 n)
{
	bool to_line = n && (a == ACTION_HOME || a == ACTION_END);
	bool did = app__action(h, to_line ? ACTION_HOME : a);

	for (u32 i = 1; did && i < n; i++)
		did = app__action(h, to_line ? ACTION_DOWN : a);
	return did;
}
