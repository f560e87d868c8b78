// SPDX-License-Identifier: GPL-2.0-only
/* What formats for people say in words: values, and what is above the rows. */
#include <math.h>
#include <time.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "export/export_impl.h"

void export__date(char buf[DATE_SIZE])
{
	time_t now = time(NULL);
	struct tm tm;

	buf[0] = '\0';
	if (localtime_r(&now, &tm))
		strftime(buf, DATE_SIZE, "%Y-%m-%d %H:%M:%S %z", &tm);
}

static const char *const unit_steps[] = {"ns", "us", "ms", "s"};

static void format_ns(char *buf, size_t size, u64 ns)
{
	double x = (double)ns;
	u32 i = 0;

	while (x >= 1000 && i + 1 < ARRAY_SIZE(unit_steps)) {
		x /= 1000;
		i++;
	}
	format_c(buf, size, "%.*f %s", i ? 2 : 0, x, unit_steps[i]);
}

static void format_bytes(char *buf, size_t size, u64 bytes)
{
	static const char *const steps[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
	double x = (double)bytes;
	u32 i = 0;

	while (x >= 1024 && i + 1 < ARRAY_SIZE(steps)) {
		x /= 1024;
		i++;
	}
	format_c(buf, size, "%.*f %s", i ? 1 : 0, x, steps[i]);
}

static float greatest(const struct value *v)
{
	float top = 0;

	for (u32 i = 0; i < v->n; i++)
		top = MAX(top, v->trend[i]);
	return top;
}

/* Eighth blocks from 0 to top. */
static void format_trend(char *buf, size_t size, const struct value *v, float top)
{
	u32 n = MIN(v->n, (u32)(size - 1) / 3);

	for (u32 i = 0; i < n; i++) {
		float x = v->trend[i];
		u32 level = top > 0 && x > 0 ? (u32)(x / top * 7.0f) : 0;

		buf += snprintf(buf, 4, "\xe2\x96%c", 0x81 + (int)MIN(level, 7u));
	}
	*buf = '\0';
}

static void format_change(char *buf, const struct value *v)
{
	bool less;
	struct value size = value__size_of(v, &less);
	char text[CELL_SIZE];

	snprintf(buf, CELL_SIZE, "%s%.*s", less ? "-" : "+", CELL_SIZE - 2,
		 export__cell_text(&size, text));
}

#define SPLIT_CELLS 16

/* A letter for each sixteenth of the whole. */
static void format_split(char *buf, const struct value *v)
{
	float sum = 0;
	u32 at = 0;

	for (u32 i = 0; i < v->n && v->letters[i]; i++) {
		sum += v->shares[i];
		while (at < SPLIT_CELLS && (float)at + 0.5f < sum * SPLIT_CELLS)
			buf[at++] = v->letters[i];
	}
	buf[at] = '\0';
}

const char *export__cell_text(const struct value *v, char buf[CELL_SIZE])
{
	buf[0] = '\0';
	switch (v->type) {
	case VALUE_TEXT:
		return v->s;
	case VALUE_CHANGE:
		format_change(buf, v);
		break;
	case VALUE_COUNT:
		snprintf(buf, CELL_SIZE, "%llu", (unsigned long long)v->u);
		break;
	case VALUE_PCT:
	case VALUE_NUMBER:
		if (isfinite(v->f))
			format_c(buf, CELL_SIZE, "%.2f", v->f);
		break;
	case VALUE_NS:
		format_ns(buf, CELL_SIZE, v->u);
		break;
	case VALUE_BYTES:
		format_bytes(buf, CELL_SIZE, v->u);
		break;
	case VALUE_BOOL:
		return v->u ? "yes" : "no";
	case VALUE_TREND:
		format_trend(buf, CELL_SIZE, v, greatest(v));
		break;
	case VALUE_SPLIT:
		format_split(buf, v);
		break;
	/* These are for programs; people have columns and trees. */
	case VALUE_STACK:
	case VALUE_LIST:
	case VALUE_OBJECT:
	case VALUE_NONE:
		break;
	}
	return buf;
}

float export__top(const struct report *r, u32 column)
{
	const struct column *c = &r->rows->columns[column];
	float top = 0;
	struct value v;

	if (c->type != VALUE_TREND || c->flags & COLUMN_TREND_PCT)
		return c->type == VALUE_TREND ? 100 : 0;
	for (u32 i = 0; i < r->rows->nrows; i++)
		if (report__cell(r, i, column, &v) && v.type == VALUE_TREND)
			top = MAX(top, greatest(&v));
	return top;
}

const char *export__cell(const struct report *r, u32 row, u32 column, float top, char buf[CELL_SIZE])
{
	enum value_type type = r->rows->columns[column].type;
	struct value v;

	if (!report__cell(r, row, column, &v))
		return "";
	if (v.type == VALUE_NONE)
		return type == VALUE_TEXT || type == VALUE_TREND || type == VALUE_SPLIT ? "" : "—";
	if (v.type != VALUE_TREND)
		return export__cell_text(&v, buf);
	format_trend(buf, CELL_SIZE, &v, top);
	return buf;
}

const char *export__title(const char *name, char buf[CELL_SIZE])
{
	static const struct {
		const char *suffix, *to;
	} units[] = {{"_ns", ""}, {"_bytes", ""}, {"_pct", " %"}};
	size_t len = strlen(name);
	const char *end = "";

	for (u32 i = 0; i < ARRAY_SIZE(units); i++) {
		size_t n = strlen(units[i].suffix);

		if (len <= n || strcmp(name + len - n, units[i].suffix) != 0)
			continue;
		len -= n;
		end = units[i].to;
		break;
	}
	snprintf(buf, CELL_SIZE, "%.*s%s", (int)MIN(len, (size_t)CELL_SIZE - 4), name, end);
	for (char *c = buf; *c; c++)
		if (*c == '_')
			*c = ' ';
	return buf;
}

void export__put_clean(FILE *out, const char *s)
{
	char c[4];

	for (u32 n; (n = utf8__clean(&s, c));)
		fwrite(c, 1, n, out);
}

void export__put_xml(FILE *out, const char *s)
{
	char c[4];

	for (u32 n; (n = utf8__clean(&s, c));) {
		if (*c == '<')
			fputs("&lt;", out);
		else if (*c == '>')
			fputs("&gt;", out);
		else if (*c == '&')
			fputs("&amp;", out);
		else if (*c == '"')
			fputs("&quot;", out);
		else if (n == 3 && !memcmp(c, "\xef\xbf", 2) && (u8)c[2] >= 0xbe)
			fputc('?', out); /* no characters in XML */
		else
			fwrite(c, 1, n, out);
	}
}

/* --- the head --- */

struct heading {
	void (*put)(void *ctx, const char *name, const char *text);
	void *ctx;
};

static void put_field(const struct heading *h, const char *name, const char *text)
{
	if (text && *text)
		h->put(h->ctx, name, text);
}

static void put_window(const struct heading *h, const struct report *r)
{
	char length[CELL_SIZE], line[256];

	format_ns(length, sizeof(length), r->t1_ns > r->t0_ns ? r->t1_ns - r->t0_ns : 0);
	snprintf(line, sizeof(line), "%s (%s, number %llu)%s%s%s", r->window ? r->window : "last",
		 length, (unsigned long long)r->seq, r->group && *r->group ? ", by " : "",
		 r->group ? r->group : "", r->order ? ", sorted as on screen" : "");
	put_field(h, "window", line);
}

/* What was lost, in words: nothing lost is said too. */
static void put_losses(const struct heading *to, const struct health *h)
{
	char line[320], pct[CELL_SIZE];
	int n;

	format_c(pct, sizeof(pct), "%.1f%%", h->truncated_pct);
	n = snprintf(line, sizeof(line), "%llu in the interval, %llu in all, ",
		     (unsigned long long)h->samples, (unsigned long long)h->samples_total);
	if (h->lost)
		n += snprintf(line + n, sizeof(line) - (size_t)n, "%llu LOST",
			      (unsigned long long)h->lost);
	else
		n += snprintf(line + n, sizeof(line) - (size_t)n, "none lost");
	if (h->map_full)
		n += snprintf(line + n, sizeof(line) - (size_t)n, ", a map was FULL %llu times",
			      (unsigned long long)h->map_full);
	if (h->stacks_lost)
		n += snprintf(line + n, sizeof(line) - (size_t)n, ", %llu without a stack",
			      (unsigned long long)h->stacks_lost);
	n += snprintf(line + n, sizeof(line) - (size_t)n, ", user stacks truncated %s", pct);
	if (h->side_lost)
		snprintf(line + n, sizeof(line) - (size_t)n, ", %llu records of new code lost",
			 (unsigned long long)h->side_lost);
	put_field(to, "samples", line);
}

static void put_engine(const struct heading *to, const struct health *h)
{
	char line[320], rate[CELL_SIZE] = "";
	const char *exact = h->precise ? "precise" : "addresses may skid";
	bool measured = h->run_pct > 0;

	if (h->freq)
		snprintf(rate, sizeof(rate), " at %llu Hz, %s", (unsigned long long)h->freq, exact);
	else if (h->period)
		snprintf(rate, sizeof(rate), " every %llu, %s", (unsigned long long)h->period,
			 exact);
	format_c(line, sizeof(line), "%s, %s%s; own CPU %.2f%% of one, %s %.3f%% of all",
		 *h->tier ? h->tier : "none", *h->event ? h->event : "no event", rate,
		 h->self_cpu_pct, measured ? "program" : "sampling about",
		 measured ? h->run_pct : h->cost_pct);
	put_field(to, "engine", line);
	put_field(to, "note", h->note);
}

static void put_baseline(const struct heading *to, const struct report_baseline *b)
{
	char line[512], scale[CELL_SIZE];

	if (!b->is_there)
		return;
	format_c(scale, sizeof(scale), "%.4g", b->scale);
	snprintf(line, sizeof(line), "%.300s; %u rows new, %u gone; its sums times %s",
		 b->file ? b->file : "a window frozen before", b->new_rows, b->gone_rows, scale);
	put_field(to, "baseline", line);
}

void export__head(const struct report *r,
		  void (*put)(void *ctx, const char *name, const char *text), void *ctx)
{
	const struct heading h = {put, ctx};

	put_field(&h, "scope", r->scope && *r->scope ? r->scope : "everything");
	put_window(&h, r);
	put_baseline(&h, &r->baseline);
	put_losses(&h, &r->health);
	put_engine(&h, &r->health);
}
