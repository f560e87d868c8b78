// SPDX-License-Identifier: GPL-2.0-only
#include "tui/opening.h"

#include <poll.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/progress.h"
#include "base/worker.h"
#include "widgets/meter.h"
#include "widgets/text.h"

#define QUIET_NS (200 * NSEC_PER_MSEC) /* shorter work shows nothing */
#define REDRAW_MS 100
#define METER_W	  40

struct opening {
	struct job job;
	int (*work)(void *ctx);
	void *ctx;
	int result;
	bool done;
};

static void opening__work(struct job *j)
{
	struct opening *o = container_of(j, struct opening, job);

	o->result = o->work(o->ctx);
}

static void opening__done(struct job *j)
{
	container_of(j, struct opening, job)->done = true;
}

static void draw(struct canvas *c, const char *what, u64 since_ns)
{
	int w = MIN(METER_W, MAX(c->w - 2, 1)), x = (c->w - w) / 2, y = MAX(c->h / 2 - 2, 0);
	u64 done, total;
	char bytes[16], text[64];

	progress__get(&done, &total);
	draw__fill(c, (struct rect){0, 0, c->w, c->h}, ROLE_TEXT, L' ');
	draw__middle(c, x, y, w, ROLE_STRONG, what);
	if (total)
		meter__grade(c, x, y + 1, w, ROLE_IN, MIN((double)done / (double)total, 1.0));
	format__bytes(bytes, sizeof(bytes), total);
	if (total)
		snprintf(text, sizeof(text), "%.0f %% of %s, %.0f s", 100 * MIN((double)done / (double)total, 1.0),
			 bytes, (double)(clock__monotonic_ns() - since_ns) / 1e9);
	else
		snprintf(text, sizeof(text), "%.0f s", (double)(clock__monotonic_ns() - since_ns) / 1e9);
	draw__text(c, x, y + 2, w, ROLE_DIM, text);
	draw__text(c, x, y + 4, w, ROLE_KEY, "q");
	draw__text(c, x + 2, y + 4, w - 2, ROLE_DIM, progress__stopped() ? "is stopping" : "stops it");
}

static void look_at_keys(const struct term_ops *ops, struct term *term)
{
	struct input in;

	while ((in = ops->input(term)).type != INPUT_NONE)
		if (in.type == INPUT_END ||
		    (in.type == INPUT_KEY && (in.key == 'q' || in.key == KEYCODE_ESC || in.key == KEYCODE_CTRL('C'))))
			progress__stop();
}

static void show(const struct term_ops *ops, struct term *term, struct canvas *c, const char *what, u64 since_ns)
{
	int w, h;

	ops->size(term, &w, &h);
	canvas__resize(c, w, h);
	draw(c, what, since_ns);
	ops->present(term, c);
}

int opening__run(const struct term_ops *ops, struct term *term, const char *what, int (*work)(void *ctx),
		 void *ctx)
{
	struct opening o = {.job = {.run = opening__work, .done = opening__done, .drop = opening__done},
			    .work = work, .ctx = ctx};
	struct worker *worker = worker__new("proftop-open");
	u64 since_ns = clock__monotonic_ns();
	struct canvas canvas;

	canvas__init(&canvas, 80, 24, ops->ascii(term));
	worker__post(worker, &o.job);
	while (!o.done) {
		struct pollfd fds[] = {{worker__fd(worker), POLLIN, 0}, {ops->fd(term), POLLIN, 0}};

		if (poll(fds, ARRAY_SIZE(fds), REDRAW_MS) < 0 && errno != EINTR)
			break;
		look_at_keys(ops, term);
		worker__reap(worker);
		if (!o.done && clock__monotonic_ns() - since_ns > QUIET_NS)
			show(ops, term, &canvas, what, since_ns);
	}
	worker__free(worker);
	canvas__fini(&canvas);
	return o.result;
}
