// SPDX-License-Identifier: GPL-2.0-only
#include "tui/serve.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/log.h"
#include "base/pages.h"
#include "serve/address.h"
#include "serve/token.h"
#include "tui/serve_impl.h"
#include "tui/signals.h"

/* --- what is served --- */

const char *serve__views(const struct options *o)
{
	if (o->view_list)
		return o->view_list;
	return o->views ? o->views : SERVE_VIEWS_DEFAULT;
}

/* The next view of a list, which is moved on; NULL at its end. */
static const struct view_ops *next_view(const char **list)
{
	size_t n = strcspn(*list, ", ");
	char name[32];

	if (!**list)
		return NULL;
	copy_str(name, MIN(n + 1, sizeof(name)), *list);
	*list += n + strspn(*list + n, ", ");
	return view__by_name(name);
}

u64 serve__models(const struct options *o)
{
	const char *list = serve__views(o);
	const struct view_ops *v;
	u64 models = 0;

	while ((v = next_view(&list)))
		models |= v->models;
	return models;
}

int serve__check(const struct options *o, const struct scope *s, struct status *st)
{
	const char *list = serve__views(o);
	const struct view_ops *v;
	bool grouped = !o->group;

	for (u32 n = 0; (v = next_view(&list)); n++) {
		if (!v->report)
			return status__set(st, EXIT_CODE_USAGE, -EINVAL,
					   "--serve: view %s is of the screen alone", v->name);
		if (n == SERVE_VIEWS)
			return status__set(st, EXIT_CODE_USAGE, -EINVAL,
					   "--serve: at most %d views", SERVE_VIEWS);
		if (view__check_terms(v, s, st))
			return -EINVAL;
		grouped |= !view__check_groups(v, o->group ? o->group : "", NULL);
	}
	return grouped ? 0
		       : status__set(st, EXIT_CODE_USAGE, -EINVAL,
				     "--group: no view that is served groups by \"%.80s\"", o->group);
}

/* Pages are by command where a view can be: names of functions are many, and new with each program. */
static const char *page_group(const struct view_ops *v, const char *asked)
{
	if (asked && !view__check_groups(v, asked, NULL))
		return asked;
	return *v->groups && !view__check_groups(v, "comm", NULL) ? "comm" : NULL;
}

/* What pages have of views that are not rows of sums. */
static const struct {
	const char *view;
	struct counters_form form;
} forms[] = {
	{"overview", {.labels = "severity rule", .rows = "findings"}},
};

static const struct counters_form *form_of(const char *view)
{
	for (u32 i = 0; i < ARRAY_SIZE(forms); i++)
		if (!strcmp(forms[i].view, view))
			return &forms[i].form;
	return NULL;
}

static void add_view(struct serve *s, const struct view_ops *v)
{
	for (u32 i = 0; i < s->nviews; i++)
		if (s->views[i].ops == v)
			return;
	s->views[s->nviews++] = (struct served){
		.ops = v,
		.group = page_group(v, s->options->group),
		.counters = counters__new(v->name, form_of(v->name)),
	};
}

static void add_views(struct serve *s)
{
	const char *list = serve__views(s->options);
	const struct view_ops *v;

	while ((v = next_view(&list)))
		add_view(s, v);
}

/* --- the door --- */

struct serve_door {
	struct address address;
	int fd;
	char *token, *cert, *key, *clients; /* NULL none */
};

/* Where others may get to, they have to say who they are, and nobody may listen. */
static int check_door(const struct serve_door *d, const struct options *o, struct status *st)
{
	char text[256];

	if (!o->serve_cert != !o->serve_key)
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "--serve-cert and --serve-key go together");
	if (o->serve_clients && !o->serve_cert)
		return status__set(st, EXIT_CODE_USAGE, -EINVAL, "--serve-clients goes with --serve-cert");
	if (d->address.loopback || o->serve_insecure || ((d->token || d->clients) && d->cert))
		return 0;
	return status__set(st, EXIT_CODE_USAGE, -EINVAL,
			   "--serve %s: other machines get there, and reports tell of all processes: give "
			   "--serve-cert and --serve-key with --serve-token or --serve-clients, or "
			   "--serve-insecure",
			   address__text(&d->address, text, sizeof(text)));
}

static int read_secrets(struct serve_door *d, const struct options *o, struct status *st)
{
	if (o->serve_token && !(d->token = token__read("--serve-token", o->serve_token, st)))
		return -EINVAL;
	if (o->serve_cert && !(d->cert = secret__read("--serve-cert", o->serve_cert, false, st)))
		return -EINVAL;
	if (o->serve_key && !(d->key = secret__read("--serve-key", o->serve_key, true, st)))
		return -EINVAL;
	if (o->serve_clients && !(d->clients = secret__read("--serve-clients", o->serve_clients, false, st)))
		return -EINVAL;
	return 0;
}

struct serve_door *serve__open(const struct options *o, struct status *st)
{
	struct serve_door *d = xcalloc(1, sizeof(*d));

	d->fd = -1;
	address__parse(o->serve, &d->address);
	if (!read_secrets(d, o, st) && !check_door(d, o, st))
		d->fd = address__listen(&d->address, st);
	if (d->fd >= 0)
		return d;
	serve__close(d);
	return NULL;
}

void serve__close(struct serve_door *d)
{
	if (!d)
		return;
	if (d->fd >= 0) {
		close(d->fd);
		address__unlink(&d->address);
	}
	free(d->token);
	free(d->cert);
	free(d->key);
	free(d->clients);
	free(d);
}

/* --- frames --- */

struct frame_job {
	struct job job;
	struct serve *serve;
	const struct frame *frame;
	u32 views;      /* bit per view whose interval ends */
	u32 gatherings; /* likewise of those that take it */
	struct gathering *of[SERVE_PROFILES];
};

static void frame_job__run(struct job *job)
{
	struct frame_job *j = (struct frame_job *)job;
	struct serve *s = j->serve;

	for (u32 i = 0; i < s->nviews; i++)
		if (j->views & 1u << i)
			serve__add_page(s, &s->views[i], j->frame);
	for (u32 i = 0; i < SERVE_PROFILES; i++)
		if (j->gatherings & 1u << i)
			serve__add_profile(s, j->of[i], j->frame);
}

static void frame_job__drop(struct job *job)
{
	struct frame_job *j = (struct frame_job *)job;

	j->serve->frames--;
	snap__put(j->frame);
	free(j);
}

static void post_frame(struct serve *s, const struct frame *f, u32 views)
{
	struct frame_job *j;

	if (s->frames == SERVE_QUEUE) {
		s->dropped++;
		return;
	}
	s->frames++;
	j = xcalloc(1, sizeof(*j));
	j->job = (struct job){.run = frame_job__run, .done = frame_job__drop, .drop = frame_job__drop};
	j->serve = s;
	j->frame = snap__get(f);
	j->views = views;
	for (u32 i = 0; i < SERVE_PROFILES; i++) {
		struct gathering *g = s->gatherings[i];

		j->of[i] = g;
		for (u32 v = 0; g && v < s->nviews; v++)
			if (&s->views[v] == g->of && views & 1u << v && gathering__takes(g, f))
				j->gatherings |= 1u << i;
	}
	worker__post(s->worker, &j->job);
}

static bool is_new(struct served *v, const struct frame *f)
{
	const struct snap *snap = f->snaps[v->ops->feed];

	if (!snap || snap->t1_ns == v->last_t1_ns)
		return false;
	v->last_t1_ns = snap->t1_ns;
	return true;
}

static void fail(struct serve *s, int code, const char *why)
{
	log__complain(why);
	s->exit_code = code;
	s->done = true;
}

/* It goes on as long as a view has its sources. */
static void judge_feeds(struct serve *s, const struct frame *f)
{
	const struct feed *feed = NULL;

	for (u32 i = 0; i < s->nviews; i++) {
		feed = &f->feeds[s->views[i].ops->feed];
		if (feed->state != FEED_FAILED)
			return;
	}
	if (feed)
		fail(s, feed->exit_code ? feed->exit_code : EXIT_CODE_FAILURE, feed->reason);
}

static void look_at(struct serve *s, const struct frame *f)
{
	u32 views = 0;

	judge_feeds(s, f);
	for (u32 i = 0; i < s->nviews; i++)
		views |= (u32)is_new(&s->views[i], f) << i;
	if (views)
		post_frame(s, f, views);
	/* What was needed to begin is not any more. */
	if (views && !s->began) {
		s->began = true;
		pages__drop_files();
	}
	serve__step_gatherings(s, f);
}

static void take_frames(struct serve *s)
{
	const struct frame *newest = collector__take(s->collector);
	const struct frame *all[COLLECTOR_FRAMES_WAITING + 1];
	u32 n = 0;

	for (const struct frame *f = newest; f; f = f->before)
		all[n++] = f;
	while (n)
		look_at(s, all[--n]);
	if (!newest)
		return;
	snap__put(s->newest);
	s->newest = newest;
}

/* --- the loop --- */

static int sooner(int a, int b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

static void serve__loop(struct serve *s, int signals)
{
	struct pollfd fds[] = {
		{.fd = collector__fd(s->collector), .events = POLLIN},
		{.fd = worker__fd(s->worker), .events = POLLIN},
		{.fd = worker__fd(s->copier), .events = POLLIN},
		{.fd = http__fd(s->http), .events = POLLIN},
		{.fd = signals, .events = POLLIN},
	};
	struct signalfd_siginfo info;

	while (!s->done) {
		int ms = sooner(http__timeout_ms(s->http), serve__cut_ms(s));

		if (poll(fds, ARRAY_SIZE(fds), ms) < 0 && errno != EINTR)
			break;
		if (fds[0].revents)
			take_frames(s);
		if (fds[1].revents)
			worker__reap(s->worker);
		if (fds[2].revents)
			worker__reap(s->copier);
		http__run(s->http);
		if (fds[4].revents && read(signals, &info, sizeof(info)) == sizeof(info))
			s->done = true;
	}
}

/* Requests that wait are refused in the order in which they are held: by jobs, by gatherings. */
static void serve__end(struct serve *s)
{
	atomic_store(&s->ending, true);
	worker__free(s->worker);
	worker__free(s->copier);
	serve__refuse_gatherings(s);
	http__free(s->http);
	for (u32 i = 0; i < s->nviews; i++)
		counters__free(s->views[i].counters);
	snap__put(s->newest);
}

/* For the journal. */
static void say_where(const struct serve *s, const struct serve_door *d)
{
	char text[256], line[512];
	int n = snprintf(line, sizeof(line), "serving on %s:", address__text(&d->address, text, sizeof(text)));

	for (u32 i = 0; i < s->nviews && n < (int)sizeof(line); i++)
		n += snprintf(line + n, sizeof(line) - (size_t)n, " %s", s->views[i].ops->name);
	log__complain(line);
}

int serve__run(struct serve_door *d, const struct options *o, struct collector *c,
	       struct symbols *symbols, int history)
{
	struct serve s = {.options = o, .collector = c, .symbols = symbols, .history = history};
	const struct http_config cfg = {
		.fd = d->fd,
		.token = d->token,
		.cert = d->cert,
		.key = d->key,
		.clients = d->clients,
		.plain_host = d->address.loopback && !d->address.path,
		.request = serve__request,
		.ctx = &s,
	};
	struct status st = {0};
	int signals;

	s.http = http__new(&cfg, &st);
	if (!s.http) {
		log__complain(st.msg);
		return (int)st.code;
	}
	d->fd = -1; /* it is the server's */
	add_views(&s);
	say_where(&s, d);
	signals = signals__open();
	s.worker = worker__new("proftop-serve");
	s.copier = worker__new("proftop-copy");
	serve__loop(&s, signals);
	serve__end(&s);
	address__unlink(&d->address);
	close(signals);
	return s.exit_code;
}
