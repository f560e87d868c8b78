// SPDX-License-Identifier: GPL-2.0-only
/* What a worker makes for --serve: pages of metrics, reports of views, profiles. */
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "export/redacted.h"
#include "scope/filter.h"
#include "tui/serve_impl.h"

static void refuse(struct result_job *j, u32 code, const struct status *st)
{
	j->code = code;
	j->st = *st;
}

static void no_stack(void *ctx, const struct value_frame *frames, u32 n, u64 weight)
{
}

/* What is inlined where becomes known to who asks. */
static void ask_inlined(struct serve *s, const struct report *r)
{
	struct report asked = *r;

	asked.inlined = true;
	asked.stacks(&asked, no_stack, NULL);
	symbols__wait(s->symbols, SERVE_SETTLE_MS);
}

/* --- pages of metrics --- */

void serve__add_page(struct serve *s, struct served *v, const struct frame *f)
{
	struct view_args args = {.group = v->group};
	struct redacted *redacted;
	struct report r;

	symbols__wait(s->symbols, SERVE_SETTLE_MS);
	if (v->ops->report(v->ops, f, &args, f->scope, &r))
		return;
	counters__add(v->counters, redacted__new(&r, &redacted));
	redacted__free(redacted);
	v->ops->report_free(&r);
}

static u64 resident_bytes(void)
{
	unsigned long long pages = 0;
	char buf[128];

	if (file__read(AT_FDCWD, "/proc/self/statm", buf, sizeof(buf)) > 0)
		sscanf(buf, "%*s %llu", &pages);
	return pages * (u64)sysconf(_SC_PAGESIZE);
}

static void put_self(const struct result_job *j, struct page *p)
{
	page__gauge(p, "proftop_build_info", "version=\"" PROFTOP_VERSION "\"",
		    &(struct value){.type = VALUE_COUNT, .u = 1}, "which proftop this is");
	page__family(p, "proftop_self_cpu_seconds", PAGE_COUNTER, VALUE_NS, "CPU time of proftop itself");
	page__put(p, "", &(struct value){.type = VALUE_NS, .u = clock__process_cpu_ns()});
	page__gauge(p, "proftop_self_resident_bytes", "",
		    &(struct value){.type = VALUE_BYTES, .u = resident_bytes()}, "memory of proftop itself");
	page__count(p, "proftop_dropped_intervals", j->dropped,
		    "intervals that are in no counter, as proftop was too slow");
}

static void put_up(const struct result_job *j, struct page *p)
{
	const struct serve *s = j->serve;
	char label[64];

	page__family(p, "proftop_view_up", PAGE_GAUGE, VALUE_COUNT, "whether the sources of a view are attached");
	for (u32 i = 0; i < s->nviews; i++) {
		const struct view_ops *v = s->views[i].ops;
		bool up = j->frame && j->frame->feeds[v->feed].state == FEED_LIVE;

		snprintf(label, sizeof(label), "view=\"%s\"", v->name);
		page__put(p, label, &(struct value){.type = VALUE_COUNT, .u = up});
	}
}

void serve__make_metrics(struct result_job *j)
{
	FILE *out = open_memstream(&j->data, &j->len);
	struct page p;

	if (!out)
		return;
	page__begin(&p, j->form, out);
	put_self(j, &p);
	put_up(j, &p);
	for (u32 i = 0; i < j->serve->nviews; i++)
		counters__write(j->serve->views[i].counters, &p);
	page__end(&p);
	fclose(out);
	j->code = 200;
	j->type = page_form__type(j->form);
}

/* --- reports --- */

/* What a frame was gathered with, and a request's own filter; a reference. NULL with st. */
static struct scope *narrowed(const struct frame *f, const struct view_ops *v, const char *filter,
			      struct status *st)
{
	struct scope_args args = {.seen = true};
	struct scope *s;
	char *both;

	if (!*filter)
		return scope__get(f->scope);
	both = filter__join(f->scope->text, filter);
	args.filter = both;
	s = scope__build(&args, st);
	free(both);
	if (s && view__check_terms(v, s, st)) {
		scope__put(s);
		return NULL;
	}
	return s;
}

static const char *const content_types[][2] = {
	{"json", "application/json"},
	{"html", "text/html; charset=utf-8"},
	{"svg", "image/svg+xml"},
	{"csv", "text/csv; charset=utf-8"},
	{"pprof", "application/octet-stream"},
	{"speedscope", "application/json"},
	{"trace", "application/json"},
	{"openmetrics", "application/openmetrics-text; version=1.0.0; charset=utf-8"},
};

static const char *content_type(const struct export_format *f)
{
	for (u32 i = 0; i < ARRAY_SIZE(content_types); i++)
		if (!strcmp(f->name, content_types[i][0]))
			return content_types[i][1];
	return "text/plain; charset=utf-8";
}

static void render(struct result_job *j, const struct report *r)
{
	struct status st = {0};
	int err = export__render(j->format, r, &j->data, &j->len);

	if (err) {
		status__set(&st, EXIT_CODE_FAILURE, err, "there is no %s of view %s: %s",
			    j->format->name, r->view, strerror(-err));
		refuse(j, err == -EOPNOTSUPP ? 404 : 500, &st);
		return;
	}
	j->code = 200;
	j->type = content_type(j->format);
}

/* "COLUMN" or "COLUMN up"; the order is the caller's. NULL with st, or when none is asked for. */
static u32 *sorted(const struct report *r, const char *sort, struct status *st)
{
	const struct row_table *t = r->rows;
	size_t n = strcspn(sort, " ,");
	const char *way = sort + n + strspn(sort + n, " ,");
	u32 *order;

	if (!*sort)
		return NULL;
	for (u32 c = 0; c < t->ncolumns; c++) {
		const char *name = t->columns[c].name;

		if (strlen(name) != n || strncmp(name, sort, n) ||
		    !(t->columns[c].flags & COLUMN_EXPORT))
			continue;
		order = xcalloc(t->nrows + 1, sizeof(*order));
		row_table__sort(t, c, *way ? strcmp(way, "up") != 0
					   : !(t->columns[c].flags & COLUMN_ASCENDING), order);
		return order;
	}
	status__set(st, EXIT_CODE_USAGE, -EINVAL, "sort: view %s has no column \"%.80s\"", r->view,
		    sort);
	return NULL;
}

static void write_view(struct result_job *j, struct report *r)
{
	struct redacted *redacted;
	u32 *order;

	r->seq = j->frame->seq;
	order = sorted(r, j->target.sort, &j->st);
	if (j->st.msg[0]) {
		j->code = 400;
		return;
	}
	if (order)
		r->order = order;
	if (j->format->inlined && r->stacks)
		ask_inlined(j->serve, r);
	render(j, redacted__new(r, &redacted));
	redacted__free(redacted);
	free(order);
}

void serve__make_view(struct result_job *j)
{
	struct view_args args = {.group = *j->target.group ? j->target.group : NULL};
	struct scope *scope = narrowed(j->frame, j->view, j->target.filter, &j->st);
	struct report r;

	if (!scope) {
		j->code = 400;
		return;
	}
	symbols__wait(j->serve->symbols, SERVE_SETTLE_MS);
	if (!j->view->report(j->view, j->frame, &args, scope, &r)) {
		write_view(j, &r);
		j->view->report_free(&r);
	} else {
		status__set(&j->st, EXIT_CODE_FAILURE, -ENODATA, "view %s has no interval yet",
			    j->view->name);
		j->code = 503;
	}
	scope__put(scope);
}

/* --- profiles --- */

void serve__add_profile(struct serve *s, struct gathering *g, const struct frame *f)
{
	const struct view_ops *v = g->of->ops;
	struct scope *scope = g->st.msg[0] ? NULL : narrowed(f, v, g->filter, &g->st);
	struct view_args args = {0};
	struct redacted *redacted;
	struct report r;

	if (!scope)
		return;
	symbols__wait(s->symbols, SERVE_SETTLE_MS);
	if (!v->report(v, f, &args, scope, &r)) {
		if (r.stacks) {
			ask_inlined(s, &r);
			merged__add(&g->merged, redacted__new(&r, &redacted));
			redacted__free(redacted);
		}
		v->report_free(&r);
	}
	scope__put(scope);
}

void serve__make_profile(struct result_job *j)
{
	struct gathering *g = j->gathering;

	if (g->st.msg[0]) {
		refuse(j, 400, &g->st);
	} else if (!g->merged.n) {
		status__set(&j->st, EXIT_CODE_FAILURE, -ENODATA, "no interval of view %s ended",
			    g->of->ops->name);
		j->code = 503;
	} else {
		j->name = g->name;
		render(j, &g->merged.report);
	}
}
