// SPDX-License-Identifier: GPL-2.0-only
/* --batch --do: words of the palette on a screen in memory, then a report of what they led to. */
#include <stdio.h>

#include "base/log.h"
#include "export/export.h"
#include "tui/app.h"
#include "tui/ascii.h"

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

struct page {
	const char *path; /* NULL: standard output */
	const struct export_format *format;
	char *data;
	size_t len;
};

static int render(struct page *p, const struct report *r, const struct options *o,
		  struct status *st)
{
	bool ascii = p->format->drawn && (p->path ? o->ascii : ascii__wanted(o));
	int err = export__render(p->format, r, &p->data, &p->len);

	if (err == -EOPNOTSUPP)
		return status__set(
			st, EXIT_CODE_UNSUPPORTED, err,
			"this screen has nothing for format %s: choose text, json or csv",
			p->format->name);
	if (!err && ascii)
		p->len = ascii__convert(p->data);
	return err ? export__explain(st, p->path ? p->path : "standard output", err) : 0;
}

static int put(const struct page *p, FILE *out, struct status *st)
{
	errno = 0;
	if ((fwrite(p->data, 1, p->len, out) == p->len && !fflush(out)) ||
	    (!p->path && errno == EPIPE))
		return 0;
	return status__set(st, EXIT_CODE_FAILURE, -errno, "cannot write %.200s: %s",
			   p->path ? p->path : "standard output", strerror(errno));
}

static int write_page(const struct page *p, struct status *st)
{
	struct export_file f;
	int err, closed;

	if (!p->path)
		return put(p, stdout, st);
	err = export_file__open(&f, p->path, st);
	if (err)
		return err;
	err = put(p, f.out, st);
	if (!err)
		err = export_file__publish(&f, st);
	closed = export_file__close(&f, err ? NULL : st);
	return err ? err : closed;
}

/* Nothing is written before all formats have been made. */
static void write_reports(struct host *h, struct report *r)
{
	const struct options *o = h->options;
	struct page pages[MAX_OUTPUTS + 1] = {0};
	struct status st = {0};
	u32 n = 0;
	int err = 0;

	r->seq = 1;
	if (o->format || !o->noutputs)
		pages[n++].format = export__by_name(o->format ? o->format : "text");
	for (u32 i = 0; i < o->noutputs; i++)
		pages[n++] = (struct page){.path = o->outputs[i],
					   .format = export__by_suffix(o->outputs[i])};
	for (u32 i = 0; i < n && !err; i++)
		err = render(&pages[i], r, o, &st);
	for (u32 i = 0; i < n && !err; i++)
		err = write_page(&pages[i], &st);
	for (u32 i = 0; i < n; i++)
		free(pages[i].data);
	if (err)
		fail(h, (int)st.code, st.msg);
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
