// SPDX-License-Identifier: GPL-2.0-only
/* One thread: what it did in the last seconds as a strip, its histograms and its states. */
#include <stdio.h>

#include "base/arena.h"
#include "tui/views/sched.h"
#include "tui/views/window.h"
#include "widgets/timeline.h"

struct thread_query {
	u64 start_ns;
	u32 tid;
	enum time_window window;
};

struct thread_screen {
	struct listing list;
	struct thread_query query;
	struct task_ident task; /* as it was when the screen was opened */
	u32 zoom;
};

/* How much of the past the strip shows. */
static const u32 zooms_ms[] = {SCHED_TIMELINE_S * 1000, 5000, 2000, 1000, 500, 200, 100, 50, 20};

LISTING_OF(of, struct thread_screen, thread, struct sched_thread_result)

static struct query_result *thread__run(const struct frame *f, const void *query,
					const struct scope *scope)
{
	const struct thread_query *q = query;

	return &sched__thread((const void *)f->snaps[MODEL_SCHED], q->tid, q->start_ns, q->window)
			->base;
}

/* --- the strip --- */

/* A letter tells kinds apart where colours do not. */
static const struct timeline_kind state_kinds[TASK_STATES] = {
	[TASK_STATE_RUNNING] = {"█", ROLE_USER}, [TASK_STATE_RUNNABLE] = {"r", ROLE_HOT},
	[TASK_STATE_SLEEP] = {"s", ROLE_DIM},	 [TASK_STATE_DISK] = {"D", ROLE_KERNEL},
	[TASK_STATE_STOPPED] = {"T", ROLE_BAD},	 [TASK_STATE_TRACED] = {"t", ROLE_BAD},
	[TASK_STATE_IDLE] = {"i", ROLE_DIM},	 [TASK_STATE_OTHER] = {"x", ROLE_DIM},
};

static const struct timeline_kind reason_kinds[WAIT_REASONS] = {
	[WAIT_UNKNOWN] = {"?", ROLE_DIM},      [WAIT_PREEMPTED] = {"r", ROLE_HOT},
	[WAIT_LOCK] = {"L", ROLE_WARM},	       [WAIT_CONDITION] = {"c", ROLE_JIT},
	[WAIT_KERNEL_LOCK] = {"K", ROLE_WARM}, [WAIT_DISK] = {"D", ROLE_KERNEL},
	[WAIT_FAULT] = {"F", ROLE_KERNEL},     [WAIT_NETWORK] = {"N", ROLE_COOL},
	[WAIT_ACCEPT] = {"a", ROLE_DIM},       [WAIT_PIPE] = {"P", ROLE_COOL},
	[WAIT_POLL] = {"e", ROLE_DIM},	       [WAIT_SLEEP] = {"z", ROLE_JIT},
	[WAIT_CHILD] = {"W", ROLE_JIT},	       [WAIT_TERMINAL] = {"k", ROLE_DIM},
	[WAIT_SIGNAL] = {"S", ROLE_DIM},       [WAIT_WORKER] = {"i", ROLE_DIM},
	[WAIT_STOPPED] = {"T", ROLE_BAD},      [WAIT_EXIT] = {"x", ROLE_DIM},
};

static struct timeline_kind kind_of(const struct sched_part *p)
{
	struct timeline_kind k =
		p->reason == WAIT_REASONS ? state_kinds[p->state] : reason_kinds[p->reason];

	return k.letter ? k : reason_kinds[WAIT_UNKNOWN];
}

static struct timeline_span span_at(const void *result, u32 i)
{
	const struct sched_span *s = &((const struct sched_thread_result *)result)->spans[i];

	return (struct timeline_span){s->t0_ns, s->t1_ns, s->part};
}

/* Begins where the zoom says. */
static u64 strip_start(const struct listing *l)
{
	u64 age = zooms_ms[of(l)->zoom] * NSEC_PER_MSEC;

	return thread(l)->t1_ns > age ? thread(l)->t1_ns - age : 0;
}

static void draw_strip(const struct listing *l, struct canvas *c, struct rect r)
{
	const struct sched_thread_result *a = thread(l);
	struct timeline_kind kinds[TIMELINE_KINDS];
	struct timeline t = {.t0_ns = strip_start(l), .t1_ns = a->t1_ns, .kinds = kinds};

	t.nkinds = MIN(a->nparts, (u32)TIMELINE_KINDS);
	for (u32 i = 0; i < t.nkinds; i++)
		kinds[i] = kind_of(&a->parts[i]);
	t.span = span_at;
	t.of = a;
	t.nspans = a->nspans;
	timeline__draw(&t, c, r);
}

/* "█ running on a CPU 32%", as many as fit in the lines of r. */
static void draw_legend(const struct listing *l, struct canvas *c, struct rect r)
{
	const struct sched_thread_result *a = thread(l);
	u64 whole = 0;
	int x = 0, y = 0;

	for (u32 i = 0; i < a->nparts; i++)
		whole += a->parts[i].ns;
	for (u32 i = 0; i < a->nparts; i++) {
		struct timeline_kind k = kind_of(&a->parts[i]);
		char text[96], pct[16];
		int w;

		format__pct(pct, sizeof(pct), (double)a->parts[i].ns * 100 / (double)whole);
		snprintf(text, sizeof(text), " %s %s%%", a->parts[i].name, pct);
		w = text__width(text) + 1;
		if (x && x + w > r.w) {
			x = 0;
			y++;
		}
		if (y >= r.h)
			return;
		draw__text(c, r.x + x, r.y + y, 1, k.role, k.letter);
		draw__text(c, r.x + x + 1, r.y + y, r.w - x - 1, ROLE_TEXT, text);
		x += w + 2;
	}
}

/* --- the screen --- */

static void thread__headline(struct listing *l, struct headline *line)
{
	const struct thread_screen *s = of(l);
	const struct sched_task *t = l->result ? thread(l)->task : NULL;
	char text[48], key[16];

	headline__addf(line, ROLE_STRONG, "%s", t ? t->task.comm : s->task.comm);
	headline__addf(line, ROLE_DIM, " pid %u tid %u", s->task.tgid, s->task.tid);
	if (t) {
		sched__state_text(t, l->result->snap->t1_ns, text, sizeof(text));
		headline__addf(line, ROLE_TEXT, " · %s", text);
		headline__addf(line, ROLE_DIM, " · CPU %u", t->cpu);
	}
	headline__addf(line, ROLE_DIM, " · %s", window__text(s->query.window));
	format__ns(text, sizeof(text), zooms_ms[s->zoom] * NSEC_PER_MSEC);
	headline__addf(line, ROLE_DIM, " · strip of %s [%s]", text,
		       host__key(l->base.host, ACTION_ZOOM_IN, key, sizeof(key)));
}

static int thread__above(struct listing *l, struct canvas *c, struct rect area)
{
	const struct sched_thread_result *a = thread(l);
	const struct sched_sums none = {0}, *s = a->task ? &a->task->sums[a->window] : &none;
	const struct sched_panel panels[] = {
		{SCHED_DELAY, &a->hists[SCHED_DELAY], s->delay_max_ns},
		{SCHED_ON, &a->hists[SCHED_ON], s->run_max_ns},
		{SCHED_OFF, &a->hists[SCHED_OFF], 0},
	};
	int y = 0, legend = area.h >= 14 ? 2 : 1;

	if (!a->task || area.h < 6)
		return 0;
	draw_strip(l, c, (struct rect){area.x, area.y, area.w, 2});
	y += 2;
	draw_legend(l, c, (struct rect){area.x, area.y + y, area.w, legend});
	y += legend;
	return y + sched_panels__draw(panels, 3, c,
				      (struct rect){area.x, area.y + y, area.w, area.h - y});
}

static void thread__empty(const struct listing *l, char *buf, size_t size)
{
	if (sched__waiting(l, buf, size))
		return;
	if (l->result && thread(l)->task)
		snprintf(buf, size, "it did nothing in the window: %s",
			 thread(l)->task->gone ? "it has ended" : "it is out of scope");
	else
		snprintf(buf, size, "thread %u is not known any more", of(l)->task.tid);
}

static void thread__selection(const struct listing *l, struct listing_place at, char *buf,
			      size_t size)
{
	const struct sched_task *t = thread(l)->task;
	const struct sched_sums *s = &t->sums[thread(l)->window];

	snprintf(buf, size, "runs %llu  waits %llu  preempted %llu  migrations %llu  last CPU %u",
		 (unsigned long long)s->runs, (unsigned long long)s->voluntary,
		 (unsigned long long)s->preempted, (unsigned long long)s->migrations, t->cpu);
}

static void thread__events(const struct report *r, const struct event_sink *out)
{
	static const struct event_form form = {
		.what = "",
		.name = "state",
		.end = "t_ns",
		.length = "span_ns",
		.pid = "pid",
		.tid = "tid",
		.comm = "comm",
	};
	const struct sched_spans spans =
		sched_spans__of(container_of(r->asked, struct sched_thread_result, base.table));

	out->put(out->ctx, &spans.table, &form);
}

static void thread__report(const struct query_result *base, const struct frame *f, struct report *r)
{
	const struct sched_thread_result *a = container_of(base, struct sched_thread_result, base);

	r->view = "sched-thread";
	r->events = thread__events;
	r->window = window__text(a->window);
	r->group = "state";
	r->health = f->feeds[MODEL_SCHED].health;
	if (!a->task)
		return;
	report__sum_number(r, "pid", VALUE_COUNT, a->task->task.tgid);
	report__sum_number(r, "tid", VALUE_COUNT, a->task->task.tid);
	report__sum(r, "comm", (struct value){.type = VALUE_TEXT, .s = a->task->task.comm});
	sched__summary(r, &a->hists[SCHED_DELAY], a->task->sums[a->window].delay_max_ns, a->delays);
}

static const struct listing_ops thread_listing = {
	.ask = {.size = sizeof(struct thread_query), .model = MODEL_SCHED, .run = thread__run},
	.at.window = LISTING_AT(struct thread_query, window),
	.headline = thread__headline,
	.above = thread__above,
	.empty = thread__empty,
	.selection = thread__selection,
	.report = thread__report,
};

static bool zoom(struct thread_screen *s, int by)
{
	s->zoom = (u32)CLAMP((int)s->zoom + by, 0, (int)ARRAY_SIZE(zooms_ms) - 1);
	return true;
}

static bool thread__action(struct screen *base, enum action a)
{
	switch (a) {
	case ACTION_ZOOM_IN:
		return zoom((struct thread_screen *)base, 1);
	case ACTION_ZOOM_OUT:
		return zoom((struct thread_screen *)base, -1);
	default:
		return listing__action(base, a);
	}
}

static void thread__free(struct screen *base)
{
	host__watch(base->host, 0);
	listing__fini((struct listing *)base);
	free(base);
}

static const struct screen_ops thread_ops = {
	LISTING_SCREEN,
	.section = "thread",
	.free = thread__free,
	.action = thread__action,
	.hints = (const enum action[]){ACTION_ZOOM_IN, ACTION_ZOOM_OUT, ACTION_WINDOW, ACTION_BACK,
				       ACTION_PAUSE, ACTION_SNAPSHOT, ACTION_NONE},
};

struct screen *sched_thread__open(struct host *h, const struct task_ident *t,
				  enum time_window window)
{
	struct thread_screen *s = xcalloc(1, sizeof(*s));

	s->list.base = (struct screen){.ops = &thread_ops, .host = h};
	s->query = (struct thread_query){t->start_ns, t->tid, window};
	s->task = *t;
	listing__init(&s->list, h, &thread_listing, &s->query);
	snprintf(s->list.narrowed, sizeof(s->list.narrowed), "tid=%u", t->tid);
	host__watch(h, t->tid);
	return &s->list.base;
}
