// SPDX-License-Identifier: GPL-2.0-only
#include "sources/percpu_parse.h"

#include <ctype.h>

#include "base/arena.h"

#define CPUS_MAX  8192
#define TIMES_MAX 16 /* of a line of /proc/stat */

/* --- counts --- */

void percpu_counts__add(struct percpu_counts *c, u32 cpu, enum percpu_figure f, u64 n)
{
	if (cpu >= CPUS_MAX)
		return;
	for (; c->n <= cpu; c->n++) {
		c->v = xgrow(c->v, c->n, &c->cap, sizeof(*c->v));
		c->v[c->n] = (struct percpu_count){0};
	}
	c->v[cpu].known |= 1ULL << f;
	c->v[cpu].n[f] += n;
}

const struct percpu_count *percpu_counts__at(const struct percpu_counts *c, u32 cpu)
{
	return cpu < c->n && c->v[cpu].known ? &c->v[cpu] : NULL;
}

void percpu_counts__clear(struct percpu_counts *c)
{
	c->n = 0;
}

void percpu_counts__fini(struct percpu_counts *c)
{
	free(c->v);
}

/* --- texts --- */

static const char *next_line(const char *at)
{
	const char *end = strchr(at, '\n');

	return end ? end + 1 : at + strlen(at);
}

/* False: the line has no more. */
static bool next_number(const char **at, u64 *n)
{
	char *end;

	*at += strspn(*at, " \t");
	if (!isdigit((unsigned char)**at))
		return false;
	*n = strtoull(*at, &end, 10);
	*at = end;
	return true;
}

/* The columns of a line that a figure is made of. */
static void add_times(u32 cpu, const u64 *ticks, u32 n, u64 tick_ns, struct percpu_counts *out)
{
	for (u32 f = 0; f < PERCPU_FIGURES; f++) {
		const char *what = percpu_rows[f].what;
		u64 column;

		while (percpu_rows[f].from == PERCPU_FROM_TIME && next_number(&what, &column))
			if (column < n)
				percpu_counts__add(out, cpu, f, ticks[column] * tick_ns);
	}
}

void percpu__parse_stat(const char *text, u64 tick_ns, struct percpu_counts *out)
{
	for (const char *at = text; !strncmp(at, "cpu", 3); at = next_line(at)) {
		u64 cpu, ticks[TIMES_MAX];
		const char *field = at + 3;
		u32 n = 0;

		if (!isdigit((unsigned char)*field) || !next_number(&field, &cpu) || cpu >= CPUS_MAX)
			continue;
		while (n < TIMES_MAX && next_number(&field, &ticks[n]))
			n++;
		add_times((u32)cpu, ticks, n, tick_ns, out);
	}
}

/* "CPU0 CPU2 ...": which CPU each column is of. */
static u32 parse_head(const char *at, u32 *cpus)
{
	const char *end = next_line(at);
	u32 n = 0;

	while ((at = strstr(at, "CPU")) && at < end && n < CPUS_MAX) {
		cpus[n++] = (u32)strtoul(at + 3, NULL, 10);
		at += 3;
	}
	return n;
}

/* Each line's numbers go to a figure; PERCPU_FIGURES: to none. What has fewer than there are CPUs is of the
 * whole machine. */
static void parse_table(const char *text, enum percpu_figure (*figure_of)(const char *name, size_t len),
			struct percpu_counts *out)
{
	u32 *cpus = xmalloc(CPUS_MAX * sizeof(*cpus)), n = parse_head(text, cpus);
	u64 *row = xmalloc(CPUS_MAX * sizeof(*row));

	for (const char *at = next_line(text); *at; at = next_line(at)) {
		const char *name = at + strspn(at, " \t"), *field = strchr(name, ':');
		enum percpu_figure f;
		u32 i = 0;

		if (!field || field > next_line(at))
			continue;
		f = figure_of(name, (size_t)(field++ - name));
		while (f < PERCPU_FIGURES && i < n && next_number(&field, &row[i]))
			i++;
		for (u32 k = 0; i == n && k < n; k++)
			percpu_counts__add(out, cpus[k], f, row[k]);
	}
	free(row);
	free(cpus);
}

/* On one CPU what the kernel miscounted looks like a line of all. */
static enum percpu_figure interrupts_of(const char *name, size_t len)
{
	bool of_all = len == 3 && (!strncmp(name, "ERR", 3) || !strncmp(name, "MIS", 3));

	return of_all ? PERCPU_FIGURES : PERCPU_INTERRUPTS;
}

void percpu__parse_interrupts(const char *text, struct percpu_counts *out)
{
	parse_table(text, interrupts_of, out);
}

static enum percpu_figure vector_of(const char *name, size_t len)
{
	for (u32 f = 0; f < PERCPU_FIGURES; f++)
		if (percpu_rows[f].from == PERCPU_FROM_VECTOR && strlen(percpu_rows[f].what) == len &&
		    !strncmp(percpu_rows[f].what, name, len))
			return f;
	return PERCPU_FIGURES;
}

void percpu__parse_softirqs(const char *text, struct percpu_counts *out)
{
	parse_table(text, vector_of, out);
}
