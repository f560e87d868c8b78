// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists of events in the Trace Event Format, as an object with traceEvents, for Perfetto and
 * chrome://tracing: complete events on the track of their thread; where a thread may have several
 * at a time, async ones, so that none hides another. Times are CLOCK_MONOTONIC, in us.
 */
#include <json-c/json.h>

#include "base/hidx.h"
#include "export/export_impl.h"

struct trace {
	FILE *out;
	const struct report *r;
	u64 *named; /* threads that have a name: tgid and tid */
	u32 nnamed, named_cap;
	struct hidx index;
	u32 n; /* events written */
	u64 id;
};

/* One row as an event. */
struct event {
	u64 t_ns, length_ns, pid, tid;
	const char *comm, *suffix; /* "" none */
};

/* --- cells by name --- */

static bool find_cell(const struct row_table *t, u32 row, const char *name, struct value *v)
{
	for (u32 c = 0; name && c < t->ncolumns; c++)
		if (!strcmp(t->columns[c].name, name))
			return t->cell(t, row, c, v);
	return false;
}

/* 0 where it is not known. */
static u64 number_in(const struct row_table *t, u32 row, const char *name)
{
	struct value v;

	return find_cell(t, row, name, &v) && v.type != VALUE_NONE && v.type != VALUE_TEXT ? v.u
											   : 0;
}

static const char *text_in(const struct row_table *t, u32 row, const char *name)
{
	struct value v;

	return find_cell(t, row, name, &v) && v.type == VALUE_TEXT ? v.s : "";
}

/* --- events --- */

static void add_text(struct json_object *o, const char *name, const char *text)
{
	json_object_object_add(o, name, export__json_string(text));
}

static void add_us(struct json_object *o, const char *name, u64 ns)
{
	char buf[40];

	snprintf(buf, sizeof(buf), "%llu.%03llu", (unsigned long long)(ns / 1000),
		 (unsigned long long)(ns % 1000));
	json_object_object_add(o, name, json_object_new_double_s((double)ns / 1000, buf));
}

static struct json_object *new_event(const char *phase, const struct event *e)
{
	struct json_object *o = json_object_new_object();

	add_text(o, "ph", phase);
	json_object_object_add(o, "pid", json_object_new_uint64(e->pid));
	json_object_object_add(o, "tid", json_object_new_uint64(e->tid));
	return o;
}

static void put_event(struct trace *t, struct json_object *o)
{
	fputs(t->n++ ? ",\n" : "\n", t->out);
	export__put_json(t->out, o);
}

static void put_name(struct trace *t, const struct event *e, const char *what, const char *name)
{
	struct json_object *o = new_event("M", e), *args = json_object_new_object();

	add_text(o, "name", what);
	add_text(args, "name", name);
	json_object_object_add(o, "args", args);
	put_event(t, o);
}

/* Tracks have the name that the thread had in its first event. */
static void name_track(struct trace *t, const struct event *e)
{
	u64 key = e->pid << 32 | (u32)e->tid;
	u32 at;

	HIDX_FIND(at, &t->index, mix64(key), pos, t->named[pos] == key);
	if (at != HIDX_NONE)
		return;
	t->named = xgrow(t->named, t->nnamed, &t->named_cap, sizeof(*t->named));
	t->named[t->nnamed] = key;
	hidx__add(&t->index, mix64(key), t->nnamed++);
	if (e->pid == e->tid)
		put_name(t, e, "process_name", e->comm);
	put_name(t, e, "thread_name", e->comm);
}

static struct json_object *begin_event(const struct trace *t, const char *phase,
				       const struct event *e, const struct event_form *form)
{
	struct json_object *o = new_event(phase, e);
	char *name =
		xasprintf("%s%s%s", form->what, *form->what && *e->suffix ? " " : "", e->suffix);

	add_text(o, "name", name);
	add_text(o, "cat", t->r->view);
	add_us(o, "ts", e->t_ns > e->length_ns ? e->t_ns - e->length_ns : 0);
	free(name);
	return o;
}

static void put_async(struct trace *t, const struct event *e, const struct event_form *form,
		      struct json_object *args)
{
	struct json_object *begin = begin_event(t, "b", e, form);
	struct json_object *end = begin_event(t, "e", e, form);

	json_object_object_add(begin, "args", args);
	add_us(end, "ts", e->t_ns);
	json_object_object_add(begin, "id", json_object_new_uint64(++t->id));
	json_object_object_add(end, "id", json_object_new_uint64(t->id));
	put_event(t, begin);
	put_event(t, end);
}

static void put_complete(struct trace *t, const struct event *e, const struct event_form *form,
			 struct json_object *args)
{
	struct json_object *o = begin_event(t, "X", e, form);

	add_us(o, "dur", e->length_ns);
	json_object_object_add(o, "args", args);
	put_event(t, o);
}

static void put_rows(void *ctx, const struct row_table *rows, const struct event_form *form)
{
	struct trace *t = ctx;

	for (u32 i = 0; i < rows->nrows && !ferror(t->out); i++) {
		const struct event e = {
			.t_ns = number_in(rows, i, form->end),
			.length_ns = number_in(rows, i, form->length),
			.pid = number_in(rows, i, form->pid),
			.tid = number_in(rows, i, form->tid),
			.comm = text_in(rows, i, form->comm),
			.suffix = text_in(rows, i, form->name),
		};

		name_track(t, &e);
		(form->overlaps ? put_async : put_complete)(t, &e, form, export__json_row(rows, i));
	}
}

static struct json_object *about(const struct report *r)
{
	struct json_object *o = json_object_new_object();

	add_text(o, "exporter", "proftop " PROFTOP_VERSION);
	add_text(o, "view", r->view);
	add_text(o, "host", report__host(r));
	add_text(o, "kernel", report__kernel(r));
	add_text(o, "scope", r->scope ? r->scope : "");
	add_text(o, "clock", "CLOCK_MONOTONIC");
	return o;
}

int export_trace(FILE *out, const struct report *r, bool first)
{
	struct trace t = {.out = out, .r = r};

	if (!r->events)
		return -EOPNOTSUPP;
	if (!first)
		return 0;
	fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":", out);
	export__put_json(out, about(r));
	fputs(",\"traceEvents\":[", out);
	r->events(r, &(struct event_sink){put_rows, &t});
	fputs("\n]}\n", out);
	free(t.named);
	hidx__fini(&t.index);
	return export__flush(out);
}
