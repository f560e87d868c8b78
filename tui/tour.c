/* SPDX-License-Identifier: GPL-2.0-only */
#include "tui/tour.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/embed.h"
#include "recording/player.h"
#include "tui/app.h"
#include "widgets/paragraph.h"

/* Made by `make tour`. */
EMBED(proftop_tour, "tui/tour.ptr");

#define BORDERS 2

static const struct step {
	enum view_id view;
	const char *words, *text;
} steps[] = {
#define STEP(view, words, text) {VIEW_##view, words, text},
#include "tui/tour.def"
#undef STEP
};

/* --- what is the tour's own --- */

static void free_screens(struct host *h)
{
	for (u32 v = 0; v < VIEW_COUNT; v++) {
		for (struct screen *s = h->stacks[v], *below; s; s = below) {
			below = s->below;
			s->ops->free(s);
		}
		h->stacks[v] = NULL;
	}
}

static void keep(struct host *h)
{
	struct tour_kept *k = &h->tour.kept;

	k->view = h->view;
	k->led_from = h->led_from;
	k->led_filter = h->led_filter;
	k->scope = h->scope;
	k->sampling = h->sampling;
	k->baseline = h->baseline;
	memcpy(k->stacks, h->stacks, sizeof(k->stacks));
	memcpy(k->left_ns, h->left_ns, sizeof(k->left_ns));
	memset(h->stacks, 0, sizeof(h->stacks));
	h->led_filter = NULL;
	h->baseline = (struct baseline){0};
}

static void put_back(struct host *h)
{
	const struct tour_kept *k = &h->tour.kept;

	free_screens(h);
	free(h->led_filter);
	scope__put(h->scope);
	baseline__off(h);
	h->view = k->view;
	h->led_from = k->led_from;
	h->led_filter = k->led_filter;
	h->scope = k->scope;
	h->sampling = k->sampling;
	h->baseline = k->baseline;
	memcpy(h->stacks, k->stacks, sizeof(h->stacks));
	memcpy(h->left_ns, k->left_ns, sizeof(h->left_ns));
}

static struct player *open_recording(struct host *h, struct status *st)
{
	size_t n = (size_t)(proftop_tour_end - proftop_tour);
	int fd = memfd_create("proftop-tour", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, proftop_tour, n) == (ssize_t)n)
		return player__open_fd(fd, "the tour", h->symbols, st);
	status__set(st, EXIT_CODE_FAILURE, -errno, "cannot keep the tour's recording in memory: %s",
		    strerror(errno));
	if (fd >= 0)
		close(fd);
	return NULL;
}

/* --- steps --- */

/* Fresh screens without a filter: what a step shows does not depend on those before it. */
static void show_step(struct host *h, u32 step)
{
	const struct step *s = &steps[step];
	const struct scope *all = scope__build(&(struct scope_args){.seen = true}, &(struct status){0});

	if (h->dialog != DIALOG_NONE)
		dialog__close(h);
	free_screens(h);
	scope__put(h->scope);
	h->scope = all;
	collector__set_scope(h->collector, all);
	time_travel__show_end(h);
	h->tour.step = step;
	app__show_view(h, s->view);
	h->tour.words = s->words;
	commands__set(h, &h->tour.words, *s->words ? 1 : 0);
}

bool tour__begin(struct host *h, const char *arg, struct status *st)
{
	struct player *player;

	time_travel__leave(h);
	player = open_recording(h, st);
	if (!player || !time_travel__enter(h, player, st))
		return false;
	keep(h);
	scope__get(h->scope); /* show_step puts it */
	h->tour.on = true;
	app__show_frame(h, NULL);
	show_step(h, 0);
	return true;
}

void tour__end(struct host *h)
{
	if (!h->tour.on)
		return;
	commands__set(h, NULL, 0);
	put_back(h);
	h->tour.on = false;
	time_travel__leave(h);
	app__show_view(h, h->view);
}

bool tour__input(struct host *h, const struct input *in)
{
	if (!h->tour.on || in->type != INPUT_KEY || h->dialog != DIALOG_NONE)
		return false;
	if (in->key == 'q' || (in->key == ' ' && h->tour.step + 1 == ARRAY_SIZE(steps)))
		tour__end(h);
	else if (in->key == ' ')
		show_step(h, h->tour.step + 1);
	else if (in->key == KEYCODE_BACKSPACE)
		show_step(h, h->tour.step - MIN(h->tour.step, 1u));
	else
		return false;
	return true;
}

/* --- drawing --- */

/* With the keys in force, without their marks. */
static const char *step_text(const struct host *h, char *buf, size_t size)
{
	char *to = buf;

	guide__keys(h, steps[h->tour.step].text, buf, size);
	for (const char *from = buf; *from; from++)
		if (*from != '`')
			*to++ = *from;
	*to = '\0';
	return buf;
}

int tour__height(const struct host *h)
{
	int w = h->canvas.w - 2 * BORDERS;
	char text[512];

	return h->tour.on && w > 0 ? paragraph__height(step_text(h, text, sizeof(text)), w) + BORDERS : 0;
}

void tour__draw(struct host *h, struct canvas *c, struct rect r)
{
	static const char keys[] = " Space next · Backspace back · q ends ";
	char title[32], text[512];
	int w = text__width(keys);

	snprintf(title, sizeof(title), "tour %u/%zu", h->tour.step + 1, ARRAY_SIZE(steps));
	draw__box(c, r, ROLE_TITLE, title);
	draw__paragraph(c, (struct rect){r.x + BORDERS, r.y + 1, r.w - 2 * BORDERS, r.h - BORDERS}, ROLE_STRONG,
			step_text(h, text, sizeof(text)));
	if (w + 2 * BORDERS < r.w)
		draw__text(c, r.x + r.w - BORDERS - w, r.y + r.h - 1, w, ROLE_KEY, keys);
}
