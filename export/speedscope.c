// SPDX-License-Identifier: GPL-2.0-only
/*
 * speedscope's file format: the frames once, then each stack as positions in them and its weight.
 * https://github.com/jlfwong/speedscope/wiki/Importing-from-custom-sources
 */
#include <json-c/json.h>

#include "export/export_impl.h"
#include "export/stacks.h"

static int put_text(FILE *out, const char *s)
{
	return export__put_json(out, export__json_string(s));
}

static void put_frames(FILE *out, const struct export_stacks *s)
{
	for (u32 i = 0; i < s->nframes && !ferror(out); i++) {
		const struct value_frame *f = &s->frames[i];

		fputs(i ? ",{\"name\":" : "{\"name\":", out);
		put_text(out, f->symbol);
		if (*f->object) {
			fputs(",\"file\":", out);
			put_text(out, f->object);
		}
		fputc('}', out);
	}
}

static void put_samples(FILE *out, const struct export_stacks *s)
{
	for (u32 i = 0; i < s->n && !ferror(out); i++) {
		const struct export_stack *k = &s->stacks[i];

		fputs(i ? ",[" : "[", out);
		for (u32 j = 0; j < k->n; j++)
			fprintf(out, "%s%u", j ? "," : "", s->ids[k->first + j]);
		fputc(']', out);
	}
}

static void put_weights(FILE *out, const struct export_stacks *s)
{
	for (u32 i = 0; i < s->n; i++)
		fprintf(out, "%s%llu", i ? "," : "", (unsigned long long)s->stacks[i].weight);
}

static const char *unit_of(const struct report *r)
{
	switch (r->stacks_unit) {
	case VALUE_NS:
		return "microseconds";
	case VALUE_BYTES:
		return "bytes";
	default:
		return "none";
	}
}

/* "cpu on myhost, last interval, samples" */
static void put_name(FILE *out, const struct report *r)
{
	char *name = xasprintf("%s on %s, %s, %s", r->view, report__host(r),
			       r->window ? r->window : "last interval",
			       r->stacks_unit == VALUE_NS ? "time" : r->stacks_noun);

	put_text(out, name);
	free(name);
}

int export_speedscope(FILE *out, const struct report *r, bool first)
{
	struct export_stacks s;

	if (!r->stacks)
		return -EOPNOTSUPP;
	if (!first)
		return 0;
	export_stacks__take(&s, r, false);
	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":"
	      "\"proftop " PROFTOP_VERSION "\",\"name\":",
	      out);
	put_name(out, r);
	fputs(",\"activeProfileIndex\":0,\"shared\":{\"frames\":[", out);
	put_frames(out, &s);
	fputs("]},\"profiles\":[{\"type\":\"sampled\",\"name\":", out);
	put_name(out, r);
	fprintf(out, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%llu,\"samples\":[",
		unit_of(r), (unsigned long long)s.total);
	put_samples(out, &s);
	fputs("],\"weights\":[", out);
	put_weights(out, &s);
	fputs("]}]}\n", out);
	export_stacks__fini(&s);
	return export__flush(out);
}
