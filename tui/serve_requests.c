// SPDX-License-Identifier: GPL-2.0-only
/* What requests ask for, on the main thread: nothing here takes time. */
#include <stdio.h>

#include "base/clock.h"
#include "tui/serve_impl.h"

#define SECONDS_DEFAULT 30

/* As Go's own pages call them. */
static const struct profile {
	const char *name, *view;
	bool lasts; /* it is of some seconds that begin now; else of what there is */
	const char *help;
} profiles[] = {
	{"profile", "cpu", true, "what ran on the CPUs"},
	{"offcpu", "offcpu", true, "where threads waited, and how long"},
	{"heap", "heap", false, "what is allocated and was not freed, ?pid=N"},
};

static struct served *served_by_name(struct serve *s, const char *name)
{
	for (u32 i = 0; i < s->nviews; i++)
		if (!strcmp(s->views[i].ops->name, name))
			return &s->views[i];
	return NULL;
}

/* NULL: it was refused. */
static struct served *find_view(struct serve *s, struct http_request *rq, const char *name)
{
	struct served *v = served_by_name(s, name);

	if (!v && view__by_name(name))
		http__say(rq, 404, "view %s is not served here: proftop --serve --view %s,...", name,
			  name);
	else if (!v)
		http__say(rq, 404, "there is no view of that name");
	return v;
}

/* --- answers that a worker makes --- */

static void result_job__run(struct job *job)
{
	struct result_job *j = (struct result_job *)job;

	j->make(j);
}

static void result_job__free(struct result_job *j)
{
	j->serve->queued--;
	if (j->copies)
		j->serve->copying = false;
	snap__put(j->frame);
	gathering__free(j->gathering);
	free(j->data);
	free(j);
}

static void result_job__done(struct job *job)
{
	struct result_job *j = (struct result_job *)job;

	if (j->code == 200) {
		http__respond(j->rq, j->code, j->type, j->name, j->data, j->len);
		j->data = NULL;
	} else {
		http__say(j->rq, j->code ? j->code : 500, "%s",
			  j->st.msg[0] ? j->st.msg : "it cannot be made");
	}
	result_job__free(j);
}

static void result_job__drop(struct job *job)
{
	struct result_job *j = (struct result_job *)job;

	http__say(j->rq, 503, "proftop ends");
	result_job__free(j);
}

/* To be posted; NULL: too many are under way, and it was refused. */
static struct result_job *result_job__new(struct serve *s, struct http_request *rq,
					  void (*make)(struct result_job *j))
{
	struct result_job *j;

	if (s->queued >= SERVE_QUEUE) {
		http__say(rq, 429, "%d answers are being made: ask later", SERVE_QUEUE);
		return NULL;
	}
	s->queued++;
	j = xcalloc(1, sizeof(*j));
	j->job = (struct job){
		.run = result_job__run, .done = result_job__done, .drop = result_job__drop};
	j->serve = s;
	j->rq = rq;
	j->make = make;
	j->frame = snap__get(s->newest);
	j->dropped = s->dropped;
	return j;
}

/* Who takes anything gets what everybody reads, as of other exporters: the others are asked for. */
static enum page_form form_of(struct http_request *rq)
{
	const char *protobuf = page_form__asked_by(PAGE_PROTOBUF), *text = page_form__asked_by(PAGE_TEXT);
	const char *openmetrics = page_form__asked_by(PAGE_OPENMETRICS);

	if (http__prefers(rq, protobuf, openmetrics) && http__prefers(rq, protobuf, text))
		return PAGE_PROTOBUF;
	return http__prefers(rq, openmetrics, text) ? PAGE_OPENMETRICS : PAGE_TEXT;
}

static void ask_metrics(struct serve *s, struct http_request *rq)
{
	struct result_job *j = result_job__new(s, rq, serve__make_metrics);

	if (!j)
		return;
	j->form = form_of(rq);
	worker__post(s->worker, &j->job);
}

static void post_view(struct serve *s, struct http_request *rq, const struct view_ops *v,
		      const struct export_format *f, const struct target *t)
{
	struct result_job *j;
	struct status st = {0};

	if (view__check_format(v, f, &st)) {
		http__say(rq, 404, "%s", st.msg);
	} else if (*t->group && view__check_groups(v, t->group, &st)) {
		http__say(rq, 400, "group: %s", st.msg);
	} else if (!s->newest || !s->newest->snaps[v->feed]) {
		http__say(rq, 503, "view %s has no interval yet", v->name);
	} else if ((j = result_job__new(s, rq, serve__make_view))) {
		j->view = v;
		j->format = f;
		j->target = *t;
		worker__post(s->worker, &j->job);
	}
}

static const struct export_format *format_of(const char *suffix)
{
	for (u32 i = 0; i < export_nformats; i++)
		if (!strcmp(export_formats[i].suffix, suffix))
			return &export_formats[i];
	return NULL;
}

static void ask_view(struct serve *s, struct http_request *rq, const struct target *t)
{
	const struct served *v = find_view(s, rq, t->name);
	const struct export_format *f = format_of(t->suffix);
	char takes[256];

	if (v && !f)
		http__say(rq, 404, "there is no such format: %s", export__suffixes(takes, sizeof(takes)));
	else if (v)
		post_view(s, rq, v->ops, f, t);
}

static void ask_recording(struct serve *s, struct http_request *rq)
{
	struct result_job *j;

	if (s->history < 0) {
		http__say(rq, 404, "nothing is kept of the past: --history 0 was asked for");
		return;
	}
	if (s->copying) {
		http__say(rq, 429, "a recording is being made: ask later");
		return;
	}
	j = result_job__new(s, rq, serve__make_recording);
	if (!j)
		return;
	j->copies = s->copying = true;
	worker__post(s->copier, &j->job);
}

/* --- profiles that last --- */

void gathering__free(struct gathering *g)
{
	if (!g)
		return;
	merged__fini(&g->merged);
	free(g);
}

static void begin_profile(struct serve *s, struct http_request *rq, const struct profile *p,
			  const struct served *v, const struct target *t)
{
	struct gathering **at = s->gatherings, *g;

	while (at < s->gatherings + SERVE_PROFILES && *at)
		at++;
	if (at == s->gatherings + SERVE_PROFILES) {
		http__say(rq, 429, "%d profiles are being made: ask later", SERVE_PROFILES);
		return;
	}
	g = xcalloc(1, sizeof(*g));
	merged__init(&g->merged);
	g->rq = rq;
	g->of = v;
	g->name = p->name;
	g->asked_ns = clock__monotonic_ns();
	g->length_ns = (t->seconds ? t->seconds : SECONDS_DEFAULT) * NSEC_PER_SEC;
	copy_str(g->filter, sizeof(g->filter), t->filter);
	*at = g;
	collector__tick(s->collector);
}

/* False: both are more than a filter may be. */
static bool add_pid(struct target *t)
{
	char term[32];

	if (!t->pid)
		return true;
	snprintf(term, sizeof(term), "pid=%u ", t->pid);
	if (strlen(term) + strlen(t->filter) >= sizeof(t->filter))
		return false;
	memmove(t->filter + strlen(term), t->filter, strlen(t->filter) + 1);
	memcpy(t->filter, term, strlen(term));
	return true;
}

static void make_profile(struct serve *s, struct http_request *rq, const struct profile *p,
			 const struct target *asked)
{
	struct target t = *asked;
	const struct served *v = served_by_name(s, p->view);
	const struct feed *feed = s->newest && v ? &s->newest->feeds[v->ops->feed] : NULL;

	if (!add_pid(&t))
		http__say(rq, 400, "the filter is too long");
	else if (!v && !view__by_name(p->view))
		http__say(rq, 404, "this proftop has no view %s", p->view);
	else if (!v)
		find_view(s, rq, p->view);
	else if (!feed || feed->state != FEED_LIVE)
		http__say(rq, 503, "view %s does not gather%s%s", p->view,
			  feed && *feed->reason ? ": " : " yet", feed ? feed->reason : "");
	else if (p->lasts)
		begin_profile(s, rq, p, v, &t);
	else
		post_view(s, rq, v->ops, export__by_name("pprof"), &t);
}

static void ask_profile(struct serve *s, struct http_request *rq, const struct target *t)
{
	for (u32 i = 0; i < ARRAY_SIZE(profiles); i++)
		if (!strcmp(profiles[i].name, t->name)) {
			make_profile(s, rq, &profiles[i], t);
			return;
		}
	http__say(rq, 404, "there is no such profile: /debug/pprof/ lists them");
}

static u64 interval_end(const struct gathering *g, const struct frame *f)
{
	const struct snap *snap = f->snaps[g->of->ops->feed];

	return snap ? snap->t1_ns : 0;
}

bool gathering__takes(const struct gathering *g, const struct frame *f)
{
	return g && g->begin_ns && f->snaps[g->of->ops->feed]->t0_ns >= g->begin_ns;
}

/* What it gathered is behind it in the worker's queue. */
static void end_gathering(struct serve *s, struct gathering **at)
{
	struct gathering *g = *at;
	struct result_job *j = result_job__new(s, g->rq, serve__make_profile);

	*at = NULL;
	if (!j) {
		gathering__free(g);
		return;
	}
	j->gathering = g;
	j->format = export__by_name("pprof");
	worker__post(s->worker, &j->job);
}

void serve__step_gatherings(struct serve *s, const struct frame *f)
{
	for (u32 i = 0; i < SERVE_PROFILES; i++) {
		struct gathering *g = s->gatherings[i];
		u64 end_ns = g ? interval_end(g, f) : 0;

		if (!g)
			continue;
		if (!g->begin_ns && end_ns >= g->asked_ns)
			g->begin_ns = end_ns;
		else if (g->begin_ns && end_ns >= g->begin_ns + g->length_ns)
			end_gathering(s, &s->gatherings[i]);
	}
}

int serve__cut_ms(struct serve *s)
{
	u64 now = clock__monotonic_ns(), next = UINT64_MAX;

	for (u32 i = 0; i < SERVE_PROFILES; i++) {
		struct gathering *g = s->gatherings[i];

		if (!g || !g->begin_ns || g->ending)
			continue;
		if (now >= g->begin_ns + g->length_ns) {
			g->ending = true;
			collector__tick(s->collector);
		} else {
			next = MIN(next, g->begin_ns + g->length_ns - now);
		}
	}
	return next == UINT64_MAX ? -1 : (int)(next / NSEC_PER_MSEC) + 1;
}

void serve__refuse_gatherings(struct serve *s)
{
	for (u32 i = 0; i < SERVE_PROFILES; i++)
		if (s->gatherings[i]) {
			http__say(s->gatherings[i]->rq, 503, "proftop ends");
			gathering__free(s->gatherings[i]);
			s->gatherings[i] = NULL;
		}
}

/* --- what is answered at once --- */

static void answer_html(struct http_request *rq, char *data, size_t len)
{
	http__respond(rq, 200, "text/html; charset=utf-8", NULL, data, len);
}

static const char head[] = "<!doctype html><html><head><title>proftop</title></head><body>";

static void show_index(struct serve *s, struct http_request *rq)
{
	char *data = NULL;
	size_t len;
	FILE *out = open_memstream(&data, &len);

	fprintf(out, "%s<h1>proftop</h1><ul><li><a href=\"/metrics\">/metrics</a>"
		     "<li><a href=\"/debug/pprof/\">/debug/pprof/</a>"
		     "<li><a href=\"/recording\">/recording</a> for --replay"
		     "<li><a href=\"/healthz\">/healthz</a></ul><ul>\n", head);
	for (u32 i = 0; i < s->nviews; i++) {
		const struct view_ops *v = s->views[i].ops;

		fprintf(out, "<li>%s:", v->title);
		for (u32 f = 0; f < export_nformats; f++)
			if (!view__check_format(v, &export_formats[f], NULL))
				fprintf(out, " <a href=\"/view/%s%s\">%s</a>", v->name,
					export_formats[f].suffix, export_formats[f].suffix + 1);
		fputc('\n', out);
	}
	fputs("</ul></body></html>\n", out);
	fclose(out);
	answer_html(rq, data, len);
}

static void show_profiles(struct serve *s, struct http_request *rq)
{
	char *data = NULL;
	size_t len;
	FILE *out = open_memstream(&data, &len);

	fprintf(out, "%s<h1>/debug/pprof/</h1><ul>\n", head);
	for (u32 i = 0; i < ARRAY_SIZE(profiles); i++)
		if (served_by_name(s, profiles[i].view))
			fprintf(out, "<li><a href=\"/debug/pprof/%s%s\">%s</a>: %s\n", profiles[i].name,
				profiles[i].lasts ? "?seconds=30" : "", profiles[i].name,
				profiles[i].help);
	fputs("</ul></body></html>\n", out);
	fclose(out);
	answer_html(rq, data, len);
}

/* "ok", or which view does not gather, and why. */
static void show_health(struct serve *s, struct http_request *rq)
{
	for (u32 i = 0; i < s->nviews; i++) {
		const struct view_ops *v = s->views[i].ops;
		const struct feed *feed = s->newest ? &s->newest->feeds[v->feed] : NULL;

		if (feed && feed->state == FEED_LIVE)
			continue;
		http__say(rq, 503, "view %s does not gather%s%s", v->name,
			  feed && *feed->reason ? ": " : " yet", feed ? feed->reason : "");
		return;
	}
	http__say(rq, 200, "ok");
}

void serve__request(void *ctx, struct http_request *rq, const struct target *t)
{
	struct serve *s = ctx;

	switch (t->kind) {
	case TARGET_INDEX: show_index(s, rq); break;
	case TARGET_METRICS: ask_metrics(s, rq); break;
	case TARGET_HEALTH: show_health(s, rq); break;
	case TARGET_PPROF: show_profiles(s, rq); break;
	case TARGET_PROFILE: ask_profile(s, rq, t); break;
	case TARGET_VIEW: ask_view(s, rq, t); break;
	case TARGET_RECORDING: ask_recording(s, rq); break;
	default: http__say(rq, 404, "nothing is here: / lists what is"); break;
	}
}
