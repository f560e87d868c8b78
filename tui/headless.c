// SPDX-License-Identifier: GPL-2.0-only
/* --batch --do: words of the palette on a screen in memory, then a report of what they led to. */
#include <stdio.h>

#include "base/log.h"
#include "export/export.h"
#include "tui/app.h"

bool headless__is(const struct host *h)
{
	return h->options->mode == MODE_BATCH;
}

static void fail(struct host *h, int code, const char *what)
{
	log__complain(what);
	h->exit_code = code;
	h->quit = true;
}

static void write_report(struct host *h, const struct report *r, const struct export_format *f,
			 FILE *out, const char *name)
{
	char *data = NULL, why[300];
	size_t len = 0;
	int err = export__render(f, r, &data, &len);

	if (!err && (fwrite(data, 1, len, out) != len || fflush(out)))
		err = -errno;
	free(data);
	if (!err)
		return;
	if (err == -EOPNOTSUPP)
		snprintf(why, sizeof(why), "this screen has nothing for format %s: choose "
			 "text, json or csv", f->name);
	else
		snprintf(why, sizeof(why), "cannot write %.200s: %s", name, strerror(-err));
	fail(h, err == -EOPNOTSUPP ? EXIT_CODE_UNSUPPORTED : EXIT_CODE_FAILURE, why);
}

static void write_file(struct host *h, const struct report *r, const char *path)
{
	struct status st = {0};
	FILE *out = export__create(path, &st);

	if (out) {
		write_report(h, r, export__by_suffix(path), out, path);
		if (!fclose(out))
			return;
		export__explain(&st, path, -errno);
	}
	fail(h, (int)st.code, st.msg);
}

static void write_reports(struct host *h, struct report *r)
{
	const struct options *o = h->options;

	r->seq = 1;
	if (o->format || !o->noutputs)
		write_report(h, r, export__by_name(o->format ? o->format : "text"), stdout,
			     "standard output");
	for (u32 i = 0; i < o->noutputs && !h->exit_code; i++)
		write_file(h, r, o->outputs[i]);
}

void headless__step(struct host *h, bool idle)
{
	const struct feed *feed = h->frame ? &h->frame->feeds[view_table[h->view]->feed] : NULL;

	if (h->message[0] && h->message_role == ROLE_ERROR) {
		fail(h, (int)h->message_code, h->message);
	} else if (feed && feed->state == FEED_FAILED) {
		fail(h, feed->exit_code ? feed->exit_code : EXIT_CODE_FAILURE, feed->reason);
	} else if (todo__over(h, idle)) {
		if (!save__reports(h, write_reports))
			fail(h, EXIT_CODE_UNSUPPORTED, "this screen has nothing to report");
		h->quit = true;
	}
}
