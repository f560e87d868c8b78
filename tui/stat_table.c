// SPDX-License-Identifier: GPL-2.0-only
#include "tui/stat_table.h"

#include <math.h>

#include "models/measure.h"
#include "samples/counters.h"

#define NUMBER_WIDTH 18

static struct measure_result *ask(const struct frame *f, const char *groups)
{
	const struct measure_snap *s =
		container_of(f->snaps[MODEL_COUNTERS], struct measure_snap, base);
	struct measure_query q = {.window = WINDOW_TOTAL};

	measure__parse_groups(s->measure, groups, &q.groups);
	return measure__query(s, &q, f->scope);
}

static const char *name_of(const struct measure_result *a, const struct measure_row *r,
			   const char *label)
{
	int i = measure__label(a->measure, label);

	return i >= 0 && r->texts[i] ? r->texts[i] : "?";
}

/* 1,234,567 */
static void with_commas(u64 n, char *buf, size_t size)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n), at = 0;

	for (int i = 0; i < len && at + 2 < (int)size; i++) {
		buf[at++] = digits[i];
		if (i + 1 < len && (len - i - 1) % 3 == 0)
			buf[at++] = ',';
	}
	buf[at] = '\0';
}

static bool is_clock(const char *event)
{
	return !strcmp(event, "task-clock") || !strcmp(event, "cpu-clock");
}

static u64 cpu_time(const struct measure_result *a)
{
	for (u32 i = 0; i < a->nrows; i++)
		if (!strcmp(name_of(a, &a->rows[i], "event"), "task-clock"))
			return a->rows[i].v.count;
	return 0;
}

/* Of a clock how many CPUs it had; of the others so many in a second of CPU time. */
static void write_rate(FILE *out, const char *event, u64 count, u64 cpu_ns, u64 elapsed_ns)
{
	static const char units[] = " KMG";
	double rate = cpu_ns ? (double)count * NSEC_PER_SEC / (double)cpu_ns : 0;
	u32 unit = 0;

	if (is_clock(event)) {
		fprintf(out, "#  %8.3f CPUs utilized", elapsed_ns ? (double)count / (double)elapsed_ns : 0);
		return;
	}
	while (rate >= 1000 && unit < 3) {
		rate /= 1000;
		unit++;
	}
	fprintf(out, "#  %8.3f %.*s/sec", rate, unit ? 1 : 0, &units[unit]);
}

static void write_event(FILE *out, const struct measure_result *a, const struct measure_row *r,
			u64 elapsed_ns)
{
	const char *event = name_of(a, r, "event");
	const struct measure_ratio *counted = &a->measure->ratios[0]; /* of the time it had a counter */
	u64 enabled = r->v.sums[counted->in], running = r->v.sums[counted->of];
	char number[40];

	if (is_clock(event)) {
		snprintf(number, sizeof(number), "%.2f", (double)r->v.count / 1e6);
		fprintf(out, "%*s msec %-24s ", NUMBER_WIDTH, number, event);
	} else {
		with_commas(r->v.count, number, sizeof(number));
		fprintf(out, "%*s      %-24s ", NUMBER_WIDTH, number, event);
	}
	if (is_clock(event) || cpu_time(a)) /* which need not be among what was chosen */
		write_rate(out, event, r->v.count, cpu_time(a), elapsed_ns);
	if (running < enabled)
		fprintf(out, "  (%.2f%%)", enabled ? 100.0 * (double)running / (double)enabled : 0);
	fputc('\n', out);
}

/* Those that have a value: what is missing of the others the note says. */
static void write_metrics(FILE *out, const struct frame *f)
{
	struct measure_result *a = ask(f, "metric");

	for (u32 i = 0; i < a->nrows; i++) {
		const struct measure_row *r = &a->rows[i];

		if (r->metric && isfinite(r->value))
			fprintf(out, "%*.3f      %s%s%s\n", NUMBER_WIDTH, r->value, r->metric->name,
				*r->metric->unit ? ", " : "", r->metric->unit);
	}
	query_result__free(&a->base);
}

void stat_table__write(FILE *out, const struct frame *f, char *const *command,
		       const struct child_times *times)
{
	const char *note = f->feeds[MODEL_COUNTERS].health.note;
	struct measure_result *a = ask(f, "event");

	fprintf(out, "\n counted of");
	for (u32 i = 0; command[i]; i++)
		fprintf(out, " %s", command[i]);
	fprintf(out, ":\n\n");
	for (u32 i = 0; i < a->nrows; i++)
		write_event(out, a, &a->rows[i], times->elapsed_ns);
	fputc('\n', out);
	write_metrics(out, f);
	if (*note)
		fprintf(out, "\n %s\n", note);
	fprintf(out, "\n%*.9f seconds time elapsed\n\n", NUMBER_WIDTH, (double)times->elapsed_ns / 1e9);
	fprintf(out, "%*.9f seconds user\n", NUMBER_WIDTH, (double)times->user_ns / 1e9);
	fprintf(out, "%*.9f seconds sys\n\n", NUMBER_WIDTH, (double)times->system_ns / 1e9);
	query_result__free(&a->base);
}
