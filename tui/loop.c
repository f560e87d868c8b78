/* SPDX-License-Identifier: GPL-2.0-only */
/* The UI thread's loop: waits for keys, frames, answers, names and signals, and draws. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "tui/app.h"
#include "tui/signals.h"

#define NAMES_INTERVAL_NS (250 * NSEC_PER_MSEC)
#define SECOND_KEY_NS	  (600 * NSEC_PER_MSEC) /* until a key that may be the first of two is alone */
#define COUNT_MAX	  9999u
#define WORDS_WAIT_MS	  50 /* until it is looked again whether --do can go on */

/* --- events --- */

/* What moves is done as often as was said before; all else once, whatever was said. */
static u32 take_count(struct host *h, enum action a)
{
	u32 n = h->count;

	h->count = 0;
	switch (a) {
	case ACTION_UP:
	case ACTION_DOWN:
	case ACTION_PAGE_UP:
	case ACTION_PAGE_DOWN:
	case ACTION_HOME:
	case ACTION_END:
	case ACTION_SEARCH_NEXT:
	case ACTION_SEARCH_PREVIOUS:
	case ACTION_STEP_BACK:
	case ACTION_STEP_FORWARD:
	case ACTION_MINUTE_BACK:
	case ACTION_MINUTE_FORWARD:
		return n;
	default:
		return 0;
	}
}

/* False: it is no digit of a count. */
static bool count_key(struct host *h, enum action a, int key)
{
	if (a != ACTION_COUNT || key < '0' || key > '9' || (key == '0' && !h->count))
		return false;
	h->count = MIN(h->count * 10 + (u32)(key - '0'), COUNT_MAX);
	host__message(h, ROLE_DIM, "%u", h->count);
	return true;
}

/* first: of two keys; 0: there is one. */
static void run_key(struct host *h, int first, int key, enum action a)
{
	char name[16], before[16] = "", help[16];

	key__name(key, name, sizeof(name));
	if (first)
		key__name(first, before, sizeof(before));
	if (a == ACTION_NONE)
		host__message(h, ROLE_WARN, "%s%s%s is not bound here; %s lists the keys", before,
			      first ? " " : "", name,
			      host__key(h, ACTION_HELP, help, sizeof(help)));
	else if (!app__action_times(h, a, take_count(h, a)) && !h->message[0])
		host__message(h, ROLE_DIM, "%s%s%s (%s) does nothing on this screen", before,
			      first ? " " : "", name, action_table[a].name);
}

/* A row of the keymap's, else a view's number or letter after the key that picks one. */
static enum action action_after(const struct host *h, const char *const *sections, int first,
				int key)
{
	bool bound;
	enum action a = keymap__lookup_after(&h->keymap, sections, first, key, &bound);
	enum view_id v = VIEW_COUNT;

	if (bound || keymap__lookup(&h->keymap, sections, first) != ACTION_VIEW_PICK)
		return a;
	if (key > ' ')
		v = view__of_key(key >= '0' && key <= '9' ? key - '0' : key);
	return v < VIEW_COUNT ? ACTION_SHOW_FIRST + v : ACTION_NONE;
}

/* What the first of two keys does when no second one comes. */
static void end_first_key(struct host *h)
{
	const char *sections[4];
	int first = h->first_key;

	app__sections(h, sections);
	h->first_key = 0;
	run_key(h, 0, first, keymap__lookup(&h->keymap, sections, first));
}

/* False: with the first one it means nothing; that one has done what it does alone. */
static bool second_key(struct host *h, const char *const *sections, int key)
{
	int first = h->first_key;
	enum action a = action_after(h, sections, first, key);

	h->first_key = 0;
	if (a != ACTION_NONE)
		return run_key(h, first, key, a), true;
	if (key == KEYCODE_ESC)
		return true;
	if (keymap__lookup(&h->keymap, sections, first) == ACTION_NONE)
		return run_key(h, first, key, a), true;
	h->first_key = first;
	end_first_key(h);
	return key == first || key == KEYCODE_ENTER;
}

static void key_event(struct host *h, int key)
{
	const char *sections[4];
	enum action a;

	app__sections(h, sections);
	a = keymap__lookup(&h->keymap, sections, key);
	if (count_key(h, a, key))
		return;
	if (h->count && key == KEYCODE_ESC) {
		h->count = 0;
		return;
	}
	if (a == ACTION_COUNT)
		a = ACTION_VIEW_0;
	if (a == ACTION_VIEW_PICK || keymap__has_after(&h->keymap, sections, key)) {
		h->first_key = key;
		h->first_key_ns = clock__monotonic_ns();
	} else {
		run_key(h, 0, key, a);
	}
}

/* Milliseconds until the first of two keys stands alone; -1: none is pressed. A script has no
 * pauses: there a tick is one. */
static int second_key_wait_ms(const struct host *h)
{
	u64 now = clock__monotonic_ns(), until = h->first_key_ns + SECOND_KEY_NS;

	if (!h->first_key || h->ops->idle)
		return -1;
	return now >= until ? 0 : (int)((until - now) / NSEC_PER_MSEC) + 1;
}

/* Whether a key was the second of two. */
static bool first_key_took(struct host *h, const struct input *in)
{
	const char *sections[4];

	if (!h->first_key)
		return false;
	if (in->type == INPUT_KEY) {
		app__sections(h, sections);
		return second_key(h, sections, in->key);
	}
	h->first_key = 0;
	return false;
}

static void mouse_event(struct host *h, const struct input *in)
{
	struct screen *s = app__screen(h);
	bool click = in->mouse == MOUSE_CLICK || in->mouse == MOUSE_DOUBLE;
	enum action action = click ? chrome__action_at(h, in->x, in->y) : ACTION_NONE;

	h->count = 0;
	if (action != ACTION_NONE)
		app__action(h, action);
	else if (s->ops->mouse)
		s->ops->mouse(s, in);
}

static void resize(struct host *h)
{
	int w, ht;

	h->ops->size(h->term, &w, &ht);
	canvas__resize(&h->canvas, w, ht);
}

static void handle_input(struct host *h, const struct input *in)
{
	h->dirty = true;
	if (in->type == INPUT_RESIZE) {
		resize(h);
	} else if (in->type == INPUT_TICK) {
		if (h->first_key)
			end_first_key(h);
		collector__tick(time_travel__live(h));
	} else if (in->type == INPUT_END) {
		h->quit = true;
		h->exit_code = in->code;
	} else if (in->type != INPUT_SETTLE) {
		h->message[0] = '\0';
		if (tour__input(h, in) || first_key_took(h, in) || dialog__input(h, in))
			return;
		if (in->type == INPUT_KEY)
			key_event(h, in->key);
		else
			mouse_event(h, in);
	}
}

/* At most so many events before the screen is drawn again: a pasted flood stays visible. */
static void drain_input(struct host *h)
{
	struct input in;

	for (int i = 0; i < 64 && !h->quit; i++) {
		in = h->ops->input(h->term);
		if (in.type == INPUT_NONE)
			return;
		handle_input(h, &in);
	}
}

/* What a source refused is said once, and the sampling is what it was: samples are the profile's alone. */
static void look_for_refusal(struct host *h, const struct frame *f, enum model_id model)
{
	const struct feed *feed = &f->feeds[model];
	const struct health *e = &feed->health;

	if (!strcmp(h->refused, feed->refused))
		return;
	copy_str(h->refused, sizeof(h->refused), feed->refused);
	if (!feed->refused[0])
		return;
	host__message(h, ROLE_ERROR, "%s", feed->refused);
	if (model != MODEL_PROFILE)
		return;
	if (strlen(e->event) + 1 < sizeof(e->event))
		copy_str(h->sampling.event, sizeof(h->sampling.event), e->event);
	h->sampling.freq = e->freq;
	h->sampling.period = e->period;
}

/* What went wrong with a recording is said once. */
static void look_at_recording(struct host *h, const struct recording_state *t)
{
	if (!strcmp(h->recording_error, t->error))
		return;
	copy_str(h->recording_error, sizeof(h->recording_error), t->error);
	if (!t->error[0])
		return;
	host__message(h, ROLE_ERROR, "%s%s",
		      t->kind == RECORDING_RECORD ? "recording has ended: " : "", t->error);
	h->message_code = EXIT_CODE_FAILURE;
}

static void drain_eventfd(int fd)
{
	u64 n;

	/* Level-triggered wake-up only; what is new is looked up elsewhere. */
	if (read(fd, &n, sizeof(n)) < 0)
		return;
}

/* All that are known by now; whoever asks anew has them. */
static void saw_names(struct host *h)
{
	drain_eventfd(symbols__event_fd(h->symbols));
	h->names_due = false;
	h->names_seen_ns = clock__monotonic_ns();
	h->dirty = true;
}

static void take_frame(struct host *h)
{
	const struct frame *f = collector__take(h->collector);

	if (!f)
		return;
	look_for_refusal(h, f, view_table[h->view]->feed);
	look_at_recording(h, &f->recording);
	if (h->time_travel.live && f->final) {
		snap__put(f);
		time_travel__leave(h);
	} else if (h->paused && !time_travel__plays(h)) {
		snap__put(h->held);
		h->held = f;
	} else {
		app__show_frame(h, f);
		saw_names(h);
	}
}

/* The held command begins once every probe of the view is attached. */
static void release_child(struct host *h)
{
	enum model_id feed = view_table[h->view]->feed;
	struct status st = {0};

	if (!h->child || child__released(h->child) || !h->frame ||
	    h->frame->feeds[feed].state < FEED_LIVE)
		return;
	if (child__release(h->child, &st))
		host__error(h, &st);
}

static void child_event(struct host *h)
{
	int status;

	child__read_output(h->child);
	if (!child__ended(h->child) || !child__released(h->child) || h->message[0])
		return;
	status = child__wait(h->child);
	if (status > 128)
		host__message(h, ROLE_WARN, "the command was killed by signal %d (%s)",
			      status - 128, strsignal(status - 128));
	else
		host__message(h, status ? ROLE_WARN : ROLE_OK, "the command ended with status %d",
			      status);
}

static void signal_event(struct host *h, int fd)
{
	struct signalfd_siginfo info;

	if (read(fd, &info, sizeof(info)) != sizeof(info))
		return;
	h->dirty = true;
	if (info.ssi_signo == SIGUSR1)
		save__snapshots(h);
	else
		h->quit = true;
}

/* --- loop --- */

static bool is_idle(struct host *h)
{
	const struct screen *s = app__screen(h);
	struct symbols_stats stats;

	if (h->dirty || !h->frame || !collector__idle(h->collector))
		return false;
	if (!worker__idle(h->queries) || !worker__idle(h->lists))
		return false;
	symbols__stats(h->symbols, &stats);
	return !stats.pending && (!s->ops->settled || s->ops->settled(s));
}

static void show(struct host *h)
{
	struct screen *s = app__screen(h);

	if (!h->dirty)
		return;
	if (s->ops->update)
		s->ops->update(s);
	h->dirty = false;
	chrome__draw(h);
	dialog__draw(h);
	h->ops->present(h->term, &h->canvas);
}

enum { FD_TERM, FD_FRAMES, FD_SYMBOLS, FD_QUERIES, FD_LISTS, FD_ASK, FD_SIGNALS, FD_CHILD, FD_OUTPUT, FDS };

/* Milliseconds until names are looked at again, 0 now; -1 none are due. Where an answer takes long
 * the next frame's has them before that. */
static int names_wait_ms(const struct host *h)
{
	u64 now = clock__monotonic_ns();
	u64 due = MAX(h->names_seen_ns + NAMES_INTERVAL_NS, h->results_due_ns);

	if (!h->names_due)
		return -1;
	return now >= due ? 0 : (int)((due - now) / NSEC_PER_MSEC) + 1;
}

static void look_at_names(struct host *h)
{
	/* A script waits for them, a person looks at a settled screen. */
	if (!h->names_due || (names_wait_ms(h) > 0 && !h->ops->idle))
		return;
	saw_names(h);
}

/* idle: nothing is on its way, but that may have been told a moment ago. */
static void wait_events(struct host *h, struct pollfd *fds, int signals, bool idle)
{
	bool ended = h->child && child__ended(h->child);
	int wait_ms;

	fds[FD_TERM].fd = h->ops->fd(h->term);
	fds[FD_FRAMES].fd = collector__fd(h->collector);
	/* Once is enough until they are looked at. */
	fds[FD_SYMBOLS].fd = h->names_due ? -1 : symbols__event_fd(h->symbols);
	fds[FD_QUERIES].fd = worker__fd(h->queries);
	fds[FD_LISTS].fd = worker__fd(h->lists);
	fds[FD_ASK].fd = h->prepare.worker ? worker__fd(h->prepare.worker) : -1;
	fds[FD_SIGNALS].fd = signals;
	fds[FD_CHILD].fd = h->child && !ended ? child__fd(h->child) : -1;
	fds[FD_OUTPUT].fd = h->child ? child__output_fd(h->child) : -1;
	for (int i = 0; i < FDS; i++)
		fds[i].events = POLLIN;
	wait_ms = names_wait_ms(h);
	if (h->first_key && !h->ops->idle)
		wait_ms = wait_ms < 0 ? second_key_wait_ms(h) : MIN(wait_ms, second_key_wait_ms(h));
	if (ask_prepare__wait_ms(h) >= 0)
		wait_ms = wait_ms < 0 ? ask_prepare__wait_ms(h) : MIN(wait_ms, ask_prepare__wait_ms(h));
	if (commands__waits(h))
		wait_ms = idle ? 0 : WORDS_WAIT_MS;
	if (poll(fds, FDS, wait_ms < 0 ? 1000 : wait_ms) < 0)
		for (int i = 0; i < FDS; i++)
			fds[i].revents = 0;
}

static void handle_events(struct host *h, struct pollfd *fds)
{
	/* Input first: a key must not wait for anything else. */
	if (fds[FD_TERM].revents)
		drain_input(h);
	if (fds[FD_SIGNALS].revents)
		signal_event(h, fds[FD_SIGNALS].fd);
	if (fds[FD_SYMBOLS].revents)
		h->names_due = true;
	if (fds[FD_FRAMES].revents)
		take_frame(h);
	if (fds[FD_QUERIES].revents)
		worker__reap(h->queries);
	if (fds[FD_LISTS].revents)
		worker__reap(h->lists);
	if (fds[FD_ASK].revents)
		worker__reap(h->prepare.worker);
	if (fds[FD_CHILD].revents || fds[FD_OUTPUT].revents)
		child_event(h);
	release_child(h);
	pick__refresh(h);
	if (second_key_wait_ms(h) == 0)
		end_first_key(h);
	look_at_names(h);
	ask_prepare__look(h);
}

static void loop(struct host *h)
{
	struct pollfd fds[FDS] = {0};
	int signals = signals__open();
	bool idle = false, was_idle;

	h->dirty = true;
	h->began_ns = clock__monotonic_ns();
	while (!h->quit) {
		show(h);
		was_idle = idle;
		idle = is_idle(h);
		commands__look(h);
		if (commands__due(h, idle && was_idle)) {
			commands__next(h);
			continue;
		}
		if (headless__is(h))
			headless__step(h, idle && was_idle);
		else if (h->ops->idle && idle && !commands__due(h, idle))
			h->ops->idle(h->term);
		if (h->quit)
			break;
		wait_events(h, fds, signals, idle && !was_idle);
		handle_events(h, fds);
	}
	close(signals);
}

int app__run(struct host *h)
{
	resize(h);
	app__show_view(h, view__index(h->options->view));
	loop(h);
	h->ops->close(h->term);
	tour__end(h);
	time_travel__fini(h);
	for (u32 v = 0; v < VIEW_COUNT; v++) {
		for (struct screen *s = h->stacks[v], *below; s; s = below) {
			below = s->below;
			s->ops->free(s);
		}
	}
	dialog__close(h);
	proc_usage__free(h->usage);
	arena__fini(&h->help_arena);
	ask_look__forget(h);
	ask_prepare__fini(h);
	guide_text__fini(&h->guide);
	free(h->help_rows);
	for (u32 i = 0; i < ARRAY_SIZE(h->histories); i++)
		prompt_history__fini(&h->histories[i]);
	canvas__fini(&h->canvas);
	snap__put(h->frame);
	snap__put(h->held);
	snap__put(h->baseline.frame);
	free((char *)h->baseline.file);
	return h->exit_code;
}
