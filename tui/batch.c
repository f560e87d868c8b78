/* SPDX-License-Identifier: GPL-2.0-only */
#include "tui/batch.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/worker.h"
#include "models/model.h"
#include "tui/ascii.h"
#include "tui/report_sort.h"
#include "tui/signals.h"
#include "tui/stat_table.h"
#include "tui/view.h"

#define SETTLE_MS 3000 /* to wait for the next name of an interval */
#define SETTLES	  20   /* of the last one so many times, while some come: nothing waits behind it */
#define QUEUE_MAX 64   /* intervals waiting to be written; more are dropped, and said */

struct output {
	FILE *out;
	struct export_file file; /* path NULL: standard output */
	const struct export_format *format;
	u64 written;
	bool ascii;
	bool unread; /* who read it has gone, as head does */
};

struct batch {
	const struct options *options;
	const struct view_ops *view;
	const struct baseline *baseline; /* NULL none */
	struct collector *collector;
	struct symbols *symbols;
	struct child *child;
	struct worker *writer; /* so that a slow disk or ELF file never costs an interval */
	struct output outputs[MAX_OUTPUTS + 1];
	u32 noutputs;
	u64 intervals, queued;
	const struct frame *newest; /* with something of the view; NULL none yet */
	u64 last_t1_ns; /* a frame may repeat a snapshot: each interval is written once */
	bool ending, done;
	int exit_code;
};

struct write_job {
	struct job job;
	struct batch *batch;
	const struct frame *frame;
	u64 seq;
	bool unread; /* nobody reads any of the outputs */
	struct status st;
};

static int write_plain(const struct export_format *f, FILE *out, const struct report *r, bool first)
{
	return f->write(out, r, first);
}

static int write_output(struct output *o, const struct report *r, struct status *st)
{
	int err = (o->ascii ? ascii__write : write_plain)(o->format, o->out, r, o->written++ == 0);

	if (!err && fflush(o->out))
		err = -errno;
	o->unread = err == -EPIPE;
	if (o->unread)
		return 0;
	if (err)
		return status__set(st, EXIT_CODE_FAILURE, err, "cannot write %s: %s",
				   o->file.path ? o->file.path : "standard output", strerror(-err));
	return o->file.path ? export_file__publish(&o->file, st) : 0;
}

static int write_report(struct batch *b, const struct report *r, struct status *st)
{
	int err = 0;

	for (u32 i = 0; i < b->noutputs && !err; i++)
		if (!b->outputs[i].unread)
			err = write_output(&b->outputs[i], r, st);
	return err;
}

static bool has_readers(const struct batch *b)
{
	u32 i = 0;

	while (i < b->noutputs && b->outputs[i].unread)
		i++;
	return i < b->noutputs;
}

static bool is_last(const struct batch *b, u64 seq)
{
	return b->options->iterations && seq >= b->options->iterations;
}

static void await_names(struct symbols *symbols, bool last)
{
	u64 before, now = symbols__generation(symbols);
	u32 n = 0;

	do {
		before = now;
		if (symbols__wait(symbols, SETTLE_MS))
			return;
		now = symbols__generation(symbols);
	} while (last && now != before && ++n < SETTLES);
}

static void no_stack(void *ctx, const struct value_frame *frames, u32 n, u64 weight)
{
}

/* What is inlined where becomes known to who asks: pprof's locations have it. */
static void ask_inlined(struct batch *b, const struct report *r)
{
	struct report asked = *r;
	bool wanted = false;

	for (u32 i = 0; i < b->noutputs; i++)
		wanted |= b->outputs[i].format->inlined;
	if (!wanted || !r->stacks)
		return;
	asked.inlined = true;
	asked.stacks(&asked, no_stack, NULL);
	await_names(b->symbols, is_last(b, r->seq));
}

static struct view_args batch_args(const struct batch *b)
{
	return (struct view_args){
		.group = b->options->group, .sort = b->options->sort, .baseline = b->baseline};
}

/* In the order that is asked for. order: has to last as long as the report. */
static int sort_rows(const struct batch *b, struct report *r, u32 **order, struct status *st)
{
	struct sort_order by;
	int err;

	*order = NULL;
	if (!b->options->sort || !sort_order__parse(b->options->sort, &by))
		return 0;
	*order = xcalloc(MAX(r->rows->nrows, 1u), sizeof(**order));
	err = report_sort__fill(r, &by, *order, st);
	r->order = *order;
	return err;
}

static void write_job__run(struct job *job)
{
	struct write_job *j = (struct write_job *)job;
	struct batch *b = j->batch;
	struct view_args args = batch_args(b);
	struct report r;
	u32 *order;

	await_names(b->symbols, is_last(b, j->seq));
	if (b->view->report(b->view, j->frame, &args, j->frame->scope, &r))
		return;
	r.seq = j->seq;
	ask_inlined(b, &r);
	if (!sort_rows(b, &r, &order, &j->st))
		write_report(b, &r, &j->st);
	j->unread = !has_readers(b);
	b->view->report_free(&r);
	free(order);
}

static void write_job__drop(struct job *job)
{
	snap__put(((struct write_job *)job)->frame);
	free(job);
}

static void batch__fail(struct batch *b, int code, const char *msg)
{
	log__complain(msg);
	b->exit_code = code;
	b->done = true;
}

static void write_job__done(struct job *job)
{
	struct write_job *j = (struct write_job *)job;
	struct batch *b = j->batch;

	b->queued--;
	if (j->st.msg[0] && !b->exit_code)
		batch__fail(b, (int)j->st.code, j->st.msg);
	if (j->unread)
		b->done = true;
	write_job__drop(job);
}

static void post_frame(struct batch *b, const struct frame *f)
{
	struct write_job *j;

	if (b->queued == QUEUE_MAX) {
		log__add(LOG_WARN, "output is too slow: interval %llu was dropped",
			 (unsigned long long)++b->intervals);
		snap__put(f);
		return;
	}
	j = xcalloc(1, sizeof(*j));
	*j = (struct write_job){
		.job = {.run = write_job__run, .done = write_job__done, .drop = write_job__drop},
		.batch = b,
		.frame = f,
		.seq = ++b->intervals,
	};
	b->queued++;
	worker__post(b->writer, &j->job);
}

/* --- snapshots by signal --- */

struct snapshot_job {
	struct job job;
	struct batch *batch;
	const struct frame *frame;
	char name[EXPORT_NAME];
	struct status st;
};

static int save_report(struct snapshot_job *j, const struct report *r)
{
	const struct export_format *f = j->batch->options->snapshot;
	char *data = NULL;
	size_t len = 0;
	int err = export__render(f, r, &data, &len);

	if (err)
		export__explain(&j->st, "a snapshot", err);
	else
		err = export__save_snapshot(r->view, f->suffix, data, len, j->name, &j->st);
	free(data);
	return err;
}

static void snapshot_job__run(struct job *job)
{
	struct snapshot_job *j = (struct snapshot_job *)job;
	struct view_args args = batch_args(j->batch);
	const struct view_ops *view = j->batch->view;
	struct report r;
	u32 *order;

	await_names(j->batch->symbols, false);
	if (view->report(view, j->frame, &args, j->frame->scope, &r))
		return;
	if (!sort_rows(j->batch, &r, &order, &j->st))
		save_report(j, &r);
	view->report_free(&r);
	free(order);
}

static void snapshot_job__drop(struct job *job)
{
	snap__put(((struct snapshot_job *)job)->frame);
	free(job);
}

/* To leave a file has failed, not to report: that goes on. */
static void complain_of_signal(const char *what)
{
	char msg[600];

	snprintf(msg, sizeof(msg), "SIGUSR1: %s", what);
	log__complain(msg);
}

static void snapshot_job__done(struct job *job)
{
	struct snapshot_job *j = (struct snapshot_job *)job;
	char saved[EXPORT_NAME + 16];

	j->batch->queued--;
	snprintf(saved, sizeof(saved), "saved %s", j->name);
	if (j->st.msg[0])
		complain_of_signal(j->st.msg);
	else
		log__complain(saved);
	snapshot_job__drop(job);
}

static void post_snapshot(struct batch *b)
{
	struct snapshot_job *j;

	if (!b->newest || b->queued == QUEUE_MAX) {
		complain_of_signal(b->newest ? "output is too slow: nothing was saved"
					     : "no interval has ended yet: nothing was saved");
		return;
	}
	j = xcalloc(1, sizeof(*j));
	j->job = (struct job){
		.run = snapshot_job__run, .done = snapshot_job__done, .drop = snapshot_job__drop};
	j->batch = b;
	j->frame = snap__get(b->newest);
	b->queued++;
	worker__post(b->writer, &j->job);
}

static void release_child(struct batch *b, const struct feed *feed)
{
	struct status st = {0};

	if (!b->child || child__released(b->child) || feed->state < FEED_LIVE)
		return;
	if (child__release(b->child, &st))
		batch__fail(b, (int)st.code, st.msg);
}

static bool new_interval(struct batch *b, const struct snap *s)
{
	if (!s || s->t1_ns == b->last_t1_ns ||
	    (b->options->iterations && b->intervals >= b->options->iterations))
		return false;
	b->last_t1_ns = s->t1_ns;
	return true;
}

/* After the reports of people comes the table that perf-stat(1) ends with. */
static bool has_stat_table(const struct batch *b)
{
	bool text = b->noutputs && b->outputs[0].out == stdout && b->outputs[0].format->drawn;

	return b->child && text && b->view->feed == MODEL_COUNTERS && !b->options->iterations;
}

static void write_stat_table(const struct batch *b)
{
	struct child_times times;

	if (has_stat_table(b) && b->newest && child__times(b->child, &times))
		stat_table__write(stderr, b->newest, b->options->command, &times);
}

static void look_at(struct batch *b, const struct frame *f)
{
	const struct feed *feed = &f->feeds[b->view->feed];

	release_child(b, feed);
	if (feed->state == FEED_FAILED)
		batch__fail(b, feed->exit_code ? feed->exit_code : EXIT_CODE_FAILURE, feed->reason);
	if (f->final)
		b->done = true;
	if ((b->options->snapshot || has_stat_table(b)) && f->snaps[b->view->feed]) {
		snap__put(b->newest);
		b->newest = snap__get(f);
	}
	if (new_interval(b, f->snaps[b->view->feed]))
		post_frame(b, snap__get(f));
	if (b->options->iterations && b->intervals >= b->options->iterations)
		b->done = true;
}

/* All that were made since the last time, the oldest first. */
static void take_frames(struct batch *b)
{
	const struct frame *newest = collector__take(b->collector);
	const struct frame *all[COLLECTOR_FRAMES_WAITING + 1];
	u32 n = 0;

	for (const struct frame *f = newest; f; f = f->before)
		all[n++] = f;
	while (n)
		look_at(b, all[--n]);
	snap__put(newest);
}

/* One last frame with what was gathered since the last one. */
static void batch__end(struct batch *b)
{
	if (b->ending)
		return;
	b->ending = true;
	collector__end(b->collector);
}

static void batch__asked_to_end(struct batch *b, int signo)
{
	signals__asked_to_end(signo);
	batch__end(b);
}

static bool open_outputs(struct batch *b, struct status *st)
{
	const struct options *o = b->options;

	if (!o->noutputs || o->format) {
		const struct export_format *f = export__by_name(o->format ? o->format : "text");

		b->outputs[b->noutputs++] = (struct output){
			.out = stdout, .format = f, .ascii = f->drawn && ascii__wanted(o)};
	}
	for (u32 i = 0; i < o->noutputs; i++) {
		struct output *out = &b->outputs[b->noutputs++];

		out->format = export__by_suffix(o->outputs[i]);
		out->ascii = o->ascii && out->format->drawn;
		if (export_file__open(&out->file, o->outputs[i], st))
			return false;
		out->out = out->file.out;
	}
	return true;
}

static void close_outputs(struct batch *b)
{
	for (u32 i = 0; i < b->noutputs; i++) {
		struct output *o = &b->outputs[i];
		struct status st;

		if (o->file.path && export_file__close(&o->file, &st) && !b->exit_code)
			batch__fail(b, (int)st.code, st.msg);
	}
}

int batch__check_formats(const struct options *o, struct status *st)
{
	const struct view_ops *v = view__by_name(o->view);
	int err = o->format ? view__check_format(v, export__by_name(o->format), st) : 0;

	for (u32 i = 0; i < o->noutputs && !err; i++)
		err = view__check_format(v, export__by_suffix(o->outputs[i]), st);
	return !err && o->snapshot ? view__check_format(v, o->snapshot, st) : err;
}

/* Of intervals in which nothing came: reports of it have their columns. */
static struct frame frame_of_nothing(const struct view_ops *v, const struct options *o, struct symbols *symbols,
				     const struct scope *scope)
{
	struct frame f = {.scope = scope};

	for (u32 m = 0; m < MODEL_COUNT; m++) {
		struct model *model;

		if (!(v->models & MODEL_BIT(m)))
			continue;
		model = model_table[m]->new(symbols);
		f.snaps[m] = model_table[m]->tick(model, 0, o->interval_ns);
		model_table[m]->free(model);
	}
	return f;
}

int batch__check_sort(const struct options *o, struct symbols *symbols, const struct scope *scope,
		      struct status *st)
{
	const struct view_ops *v = view__by_name(o->view);
	struct batch b = {.options = o, .view = v};
	struct view_args args = batch_args(&b);
	struct report r;
	struct frame f;
	u32 *order = NULL;
	int err = 0;

	if (!o->sort)
		return 0;
	f = frame_of_nothing(v, o, symbols, scope);
	if (!v->report(v, &f, &args, scope, &r)) {
		/* Those of questions may come with what is asked. */
		err = r.rows->ncolumns ? sort_rows(&b, &r, &order, st) : 0;
		v->report_free(&r);
		free(order);
	}
	for (u32 m = 0; m < MODEL_COUNT; m++)
		snap__put(f.snaps[m]);
	return err;
}

/* A replay goes on when what came of it is taken, and is not far ahead of what is written. */
static void play_on(struct batch *b)
{
	if (b->options->replay && b->queued < QUEUE_MAX / 2 && collector__idle(b->collector))
		collector__tick(b->collector);
}

static void batch__loop(struct batch *b, int signals)
{
	struct pollfd fds[] = {
		{.fd = collector__fd(b->collector), .events = POLLIN},
		{.fd = worker__fd(b->writer), .events = POLLIN},
		{.fd = signals, .events = POLLIN},
		{.fd = b->child ? child__fd(b->child) : -1, .events = POLLIN},
	};
	struct signalfd_siginfo info;

	while (!b->done) {
		play_on(b);
		if (poll(fds, ARRAY_SIZE(fds), -1) < 0 && errno != EINTR)
			break;
		if (fds[0].revents)
			take_frames(b);
		if (fds[1].revents)
			worker__reap(b->writer);
		if (fds[2].revents && read(signals, &info, sizeof(info)) == sizeof(info)) {
			if (info.ssi_signo == SIGUSR1)
				post_snapshot(b);
			else
				batch__asked_to_end(b, (int)info.ssi_signo);
		}
		if (fds[3].revents && child__ended(b->child)) {
			fds[3].fd = -1;
			batch__end(b);
		}
	}
}

/* What is queued is written even when collecting is over. */
static void batch__flush(struct batch *b)
{
	struct pollfd p = {.fd = worker__fd(b->writer), .events = POLLIN};

	while (b->queued && (poll(&p, 1, -1) >= 0 || errno == EINTR))
		worker__reap(b->writer);
}

int batch__run(const struct options *o, struct collector *c, struct symbols *symbols,
	       struct child *child, const struct baseline *baseline)
{
	struct batch b = {.options = o,
			  .baseline = baseline,
			  .view = view__by_name(o->view),
			  .collector = c,
			  .symbols = symbols,
			  .child = child};
	int signals = signals__open(), status = 0;
	struct status st = {0};

	if (!open_outputs(&b, &st)) {
		close_outputs(&b);
		log__complain(st.msg);
		return (int)st.code;
	}
	b.writer = worker__new("proftop-write");
	batch__loop(&b, signals);
	collector__record(c, NULL); /* what is not reported is not recorded */
	batch__flush(&b);
	close_outputs(&b);
	write_stat_table(&b);
	close(signals);
	worker__free(b.writer);
	snap__put(b.newest);
	if (child && child__released(child) && !b.exit_code)
		status = child__wait(child);
	return b.exit_code ? b.exit_code : status;
}
