// SPDX-License-Identifier: GPL-2.0-only
/* What screens compare with: a frame of before, held by reference. */
#include "tui/app.h"

const struct baseline *host__baseline(const struct host *h)
{
	return h->baseline.frame ? &h->baseline : NULL;
}

static void replace(struct host *h, const struct frame *f, const char *file)
{
	snap__put(h->baseline.frame);
	free((char *)h->baseline.file);
	h->baseline = (struct baseline){f, file ? xstrdup(file) : NULL};
	h->dirty = true;
}

void baseline__set(struct host *h)
{
	char key[16];

	if (!h->frame || !h->frame->snaps[view_table[h->view]->feed]) {
		host__message(h, ROLE_WARN, "there is no window to freeze yet");
		return;
	}
	replace(h, snap__get(h->frame), NULL);
	host__message(h, ROLE_OK,
		      "this window is the baseline; %s takes it off, :baseline set "
		      "takes a new one",
		      host__key(h, ACTION_BASELINE, key, sizeof(key)));
}

void baseline__off(struct host *h)
{
	replace(h, NULL, NULL);
	host__message(h, ROLE_OK, "no baseline any more");
}

void baseline__toggle(struct host *h)
{
	if (h->baseline.frame)
		baseline__off(h);
	else
		baseline__set(h);
}
