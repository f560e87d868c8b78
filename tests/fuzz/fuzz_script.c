/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scripts for the terminal in memory, whose screen shows some words: events that exist, on a
 * screen that has a size, and an end. What would write files is left out.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "tests/fuzz/fuzz.h"
#include "tui/term.h"
#include "widgets/cells.h"

#define MOST_EVENTS 5000
#define MOST_CELLS  2000 /* of a screen that is drawn */

static const struct term_ops *const ops = &term_script;

static void check_event(const struct input *in)
{
	int key = in->key & ~KEYCODE_ALT;

	if (in->type == INPUT_MOUSE && (in->x < 0 || in->y < 0))
		abort();
	if (in->type == INPUT_KEY &&
	    (key <= 0 || (key > 0x10ffff && key <= KEY_SPECIAL_BASE) || key > KEYCODE_F12))
		abort();
	if (in->type == INPUT_END && in->code != 0 && in->code != EXIT_CODE_FAILURE)
		abort();
}

static void draw(struct term *t)
{
	struct canvas c;
	int w, h;

	ops->size(t, &w, &h);
	if (w < 1 || h < 1)
		abort();
	if (w * h > MOST_CELLS)
		return;
	canvas__init(&c, w, h, false);
	for (int x = 0; x < w; x += 8)
		draw__text(&c, x, 0, 8, ROLE_TEXT, "cpu é 日");
	ops->present(t, &c);
	canvas__fini(&c);
}

/* Whether it came to an end that is no failure. */
static bool run(struct term *t)
{
	struct input in = {0};
	u32 waited = 0;

	draw(t);
	for (u32 i = 0; i < MOST_EVENTS && waited < 2; i++) {
		ops->idle(t);
		in = ops->input(t);
		check_event(&in);
		if (in.type == INPUT_END)
			return !in.code;
		if (in.type == INPUT_RESIZE)
			draw(t);
		/* What a wait is for is there already, or never comes. */
		waited = in.type == INPUT_NONE ? waited + 1 : 0;
	}
	return false;
}

/* What fails says so with the screen, each time. */
static bool run_quietly(struct term *t)
{
	FILE *kept = stderr, *nowhere = fopen("/dev/null", "we");
	bool right;

	if (!nowhere)
		die("no /dev/null");
	stderr = nowhere;
	right = run(t);
	stderr = kept;
	fclose(nowhere);
	return right;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct term_options o = {.w = 20, .h = 2};
	struct status st = {0};
	bool right = false;
	struct term *t;
	char path[32];
	int fd;

	if (memmem(data, size, "save", 4))
		return 0;
	fd = fuzz__file(data, size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	o.script = path;
	t = ops->open(&o, &st);
	close(fd);
	if (!t)
		abort();
	right = run_quietly(t);
	ops->close(t);
	return fuzz__through(right);
}
