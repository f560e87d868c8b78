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
	struct export_file file; /* of a path: written beside what is there, as reports are large */
	char *data;		 /* else */
	size_t len;
};

static int explain(const struct page *p, int err, struct status *st)
{
	if (err == -EOPNOTSUPP)
		return status__set(
			st, EXIT_CODE_UNSUPPORTED, err,
			"this screen has nothing for format %s: choose text, json or csv",
			p->format->name);
	return err ? export__explain(st, p->path ? p->path : "standard output", err) : 0;
}

static int render_text(struct page *p, const struct report *r, bool ascii, struct status *st)
{
	int err = export__render(p->format, r, &p->data, &p->len);

	if (!err && ascii)
		p->len = ascii__convert(p->data);
	return explain(p, err, st);
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

static int render(struct page *p, const struct report *r, const struct options *o,
		  struct status *st)
{
	bool ascii = p->format->drawn && (p->path ? o->ascii : ascii__wanted(o));
	int err;

	if (!p->path || ascii)
		return render_text(p, r, ascii, st);
	err = export_file__open(&p->file, p->path, st);
	if (err)
		return err;
	err = p->format->write(p->file.out, r, true);
	if (!err && fflush(p->file.out))
		err = -errno;
	return explain(p, err, st);
}

static int write_page(struct page *p, struct status *st)
{
	int err = 0;

	if (!p->path)
		return put(p, stdout, st);
	if (p->data)
		err = export_file__open(&p->file, p->path, st);
	if (!err && p->data)
		err = put(p, p->file.out, st);
	if (!err)
		err = export_file__publish(&p->file, st);
	return err ? err : export_file__close(&p->file, st);
}

static void free_page(struct page *p)
{
	if (p->file.path)
		export_file__close(&p->file, &(struct status){0});
	free(p->data);
}

/* No file that is there is replaced before all formats have been made. */
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
		free_page(&pages[i]);
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
	} else if (commands__over(h, idle)) {
		collector__rest(h->collector);
		if (!save__reports(h, write_reports))
			fail(h, EXIT_CODE_UNSUPPORTED, "this screen has nothing to report");
		h->quit = true;
	}
}
