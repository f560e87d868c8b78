// SPDX-License-Identifier: GPL-2.0-only
/*
 * One JSON object a line. Rows are made, written and freed one by one, so that a hundred
 * thousand of them need no tree in memory.
 */
#include <json-c/json.h>

#include "base/arena.h"
#include "base/json_line.h"
#include "export/export_impl.h"

static void add_count(struct json_object *o, const char *name, u64 n)
{
	json_object_object_add(o, name, json_object_new_uint64(n));
}

static void add_double(struct json_object *o, const char *name, double d)
{
	json_object_object_add(o, name, export__json_double(d));
}

static struct json_object *json_stacks(const struct health_stacks *s)
{
	struct json_object *o = json_object_new_object();

	add_count(o, "whole", s->whole);
	add_count(o, "cut", s->cut);
	add_count(o, "not_known_yet", s->unknown);
	add_count(o, "no_table_yet", s->no_table);
	add_count(o, "no_row", s->no_row);
	add_count(o, "bad_stack", s->bad_stack);
	add_count(o, "no_frame_pointer", s->fp_end);
	add_count(o, "frame_pointer_zero", s->fp_zero);
	add_count(o, "memory_gone", s->gone);
	add_count(o, "looked_up_in_kernel", s->listed);
	add_count(o, "tables", s->tables);
	add_count(o, "table_rows", s->rows);
	add_count(o, "table_bytes", s->bytes);
	add_count(o, "table_budget_bytes", s->budget);
	add_count(o, "evictions", s->evictions);
	add_count(o, "copy_too_short", s->copy_end);
	add_count(o, "not_walked", s->unwalked);
	export__json_text(o, "by", stacks_by__name(s->by));
	return o;
}

static struct json_object *json_health(const struct health *h)
{
	struct json_object *o = json_object_new_object();

	add_count(o, "samples", h->samples);
	add_count(o, "lost", h->lost);
	add_count(o, "map_full", h->map_full);
	add_double(o, "stacks_truncated_pct", h->truncated_pct);
	add_double(o, "self_cpu_pct", h->self_cpu_pct);
	export__json_text(o, "tier", h->tier);
	add_count(o, "samples_total", h->samples_total);
	add_count(o, "stacks_lost", h->stacks_lost);
	add_count(o, "side_lost", h->side_lost);
	add_count(o, "missed_ticks", h->gap.missed_ticks);
	add_count(o, "suspended_ns", h->gap.suspended_ns);
	add_count(o, "cpus_changed", h->gap.cpus_changed);
	add_double(o, "map_fill_pct", h->map_fill_pct);
	add_double(o, "cost_pct", h->cost_pct);
	add_double(o, "run_pct", h->run_pct);
	add_double(o, "cost_ns", h->cost_ns);
	add_count(o, "freq_hz", h->freq);
	add_count(o, "period", h->period);
	json_object_object_add(o, "precise", json_object_new_boolean(h->precise));
	json_object_object_add(o, "user_stacks", json_stacks(&h->stacks));
	export__json_text(o, "event", h->event);
	export__json_text(o, "note", h->note);
	return o;
}

static struct json_object *json_summary(const struct report *r)
{
	struct json_object *o = json_object_new_object();

	for (u32 i = 0; i < r->nsummary; i++)
		json_object_object_add(o, r->summary[i].name,
				       export__json_value(&r->summary[i].value));
	return o;
}

static struct json_object *json_baseline(const struct report_baseline *b)
{
	struct json_object *o = json_object_new_object();

	add_count(o, "t0_ns", b->t0_ns);
	add_count(o, "t1_ns", b->t1_ns);
	export__json_text(o, "file", b->file);
	add_double(o, "scale", b->scale);
	add_count(o, "new", b->new_rows);
	add_count(o, "gone", b->gone_rows);
	return o;
}

/* All but the rows; the object's closing brace is left to the caller. */
static int put_head(FILE *out, const struct report *r)
{
	struct json_object *o = json_object_new_object();
	char *text;
	int ret;

	export__json_text(o, "schema", "proftop/1");
	export__json_text(o, "view", r->view);
	add_count(o, "seq", r->seq);
	add_count(o, "t0_ns", r->t0_ns);
	add_count(o, "t1_ns", r->t1_ns);
	export__json_text(o, "host", report__host(r));
	export__json_text(o, "kernel", report__kernel(r));
	json_object_object_add(o, "scope", export__scope_json(r->scope ? r->scope : ""));
	export__json_text(o, "window", r->window);
	export__json_text(o, "group", r->group);
	json_object_object_add(o, "health", json_health(&r->health));
	json_object_object_add(o, "summary", json_summary(r));
	if (r->baseline.is_there)
		json_object_object_add(o, "baseline", json_baseline(&r->baseline));
	text = json__line(o);
	text[strlen(text) - 1] = '\0';
	ret = fprintf(out, "%s,\"rows\":[", text) < 0 ? -errno : 0;
	free(text);
	return ret;
}

int export_json(FILE *out, const struct report *r, bool first)
{
	int ret = put_head(out, r);

	for (u32 i = 0; i < r->rows->nrows && !ret; i++) {
		if (i)
			fputc(',', out);
		ret = export__put_json(out, export__json_row(r->rows, report__row(r, i)));
	}
	if (ret)
		return ret;
	fputs("]}\n", out);
	return export__flush(out);
}
