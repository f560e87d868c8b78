/* SPDX-License-Identifier: GPL-2.0-only */
/* Snapshots: the whole view, not its visible part, to a new file. */
#include <stdio.h>
#include <time.h>

#include "core/export.h"
#include "tui/app.h"

static void default_name(const struct report *r, char *buf, size_t size)
{
	time_t now = time(NULL);
	struct tm tm;
	char date[32];

	localtime_r(&now, &tm);
	strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &tm);
	snprintf(buf, size, "proftop-%s-%s.txt", r->view, date);
}

void save__view(struct host *h, const char *path)
{
	struct screen *s = app__screen(h);
	const struct export_format *f;
	struct report r;
	struct status st = {0};
	char name[128];

	if (!s->ops->report || !s->ops->report(s, &r)) {
		host__message(h, ROLE_WARN, "there is nothing to save here yet");
		return;
	}
	if (!path) {
		default_name(&r, name, sizeof(name));
		path = name;
	}
	f = export__by_suffix(path);
	if (!f)
		host__message(h, ROLE_ERROR, "%s: the suffix must be .txt .json .csv or .folded", path);
	else if (export__save(path, f, &r, &st))
		host__message(h, ROLE_ERROR, "%s", st.msg);
	else
		host__message(h, ROLE_OK, "saved %u rows to %s", r.rows->nrows, path);
}
