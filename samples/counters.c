// SPDX-License-Identifier: GPL-2.0-only
#include "samples/counters.h"

#include <errno.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/embed.h"

EMBED(proftop_metrics, "samples/counters.metrics");

const char *const counter_events[COUNTER_EVENTS] = {
	[COUNTER_CPU_CLOCK] = "cpu-clock", [COUNTER_TASK_CLOCK] = COUNTER_CPU_TIME, "context-switches", "cpu-migrations",
	"minor-faults", "major-faults", "alignment-faults", "emulation-faults", "cycles",
	"instructions", "branches", "branch-misses", "cache-references", "cache-misses",
	"stalled-cycles-frontend", "stalled-cycles-backend", "LLC-loads", "LLC-load-misses",
	"dTLB-loads", "dTLB-load-misses", "iTLB-load-misses", [COUNTER_TOPDOWN] = "slots",
	"topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound",
};

u64 counter__scaled(u64 count, u64 enabled, u64 running)
{
	if (!running || running >= enabled)
		return count;
	return (u64)((unsigned __int128)count * enabled / running);
}

u32 counter__event(const char *name)
{
	u32 i = 0;

	while (i < COUNTER_EVENTS && strcmp(counter_events[i], name))
		i++;
	return i;
}

/* --- one line --- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* What stands before `end`, or the line's end, without blanks around it; false: it is too long, or
 * nothing for a terminal. *from: what follows. */
static bool take(const char **from, const char *to, char end, char *buf, size_t size)
{
	const char *stop = memchr(*from, end, (size_t)(to - *from)), *a = *from, *b = stop ? stop : to;

	*from = stop ? stop + 1 : to;
	while (a < b && is_blank(*a))
		a++;
	while (b > a && is_blank(b[-1]))
		b--;
	if ((size_t)(b - a) >= size)
		return false;
	for (const char *c = a; c < b; c++)
		if ((u8)*c < 0x20 || (u8)*c >= 0x7f)
			return false;
	copy_str(buf, (size_t)(b - a) + 1, a);
	return true;
}

static bool is_name(const char *name)
{
	for (const char *c = name; *c; c++)
		if (!((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') || *c == '-'))
			return false;
	return *name;
}

static u32 operand(const char *name)
{
	if (!strcmp(name, "seconds"))
		return METRIC_SECONDS;
	if (!strcmp(name, "cpu-seconds"))
		return METRIC_CPU_SECONDS;
	return counter__event(name) < COUNTER_EVENTS ? counter__event(name) : METRIC_OPERANDS;
}

static int bind_names(struct metric *m, char *why, size_t size)
{
	bool counts = false;

	for (u32 i = 0; i < m->formula.nnames; i++) {
		u32 of = operand(m->formula.names[i]);

		if (of == METRIC_OPERANDS) {
			snprintf(why, size, "%s: no event is called \"%s\", nor is it seconds or cpu-seconds",
				 m->name, m->formula.names[i]);
			return -EINVAL;
		}
		m->operands[i] = (u8)of;
		counts |= of != METRIC_SECONDS;
	}
	if (!counts)
		snprintf(why, size, "%s: no event is in it", m->name);
	return counts ? 0 : -EINVAL;
}

int metric__parse(struct metric *m, const char *from, const char *to, char *why, size_t size)
{
	const char *wrong, *at;

	*m = (struct metric){0};
	if (!take(&from, to, ':', m->name, sizeof(m->name)) || !is_name(m->name)) {
		snprintf(why, size, "a name of a-z, 0-9 and - and a colon are expected");
		return -EINVAL;
	}
	if (!take(&from, to, '|', m->text, sizeof(m->text)) ||
	    !take(&from, to, '|', m->unit, sizeof(m->unit)) ||
	    !take(&from, to, '\n', m->help, sizeof(m->help))) {
		snprintf(why, size, "%s: a part is too long, or no plain text", m->name);
		return -EINVAL;
	}
	wrong = formula__parse(&m->formula, m->text, &at);
	if (wrong) {
		snprintf(why, size, "%s: %s at \"%.40s\"", m->name, wrong, at);
		return -EINVAL;
	}
	return bind_names(m, why, size);
}

/* --- all of them --- */

static struct metric all[METRICS_MAX];
static u32 n;

int metrics__add(const char *from, const char *to, char *why, size_t size)
{
	struct metric m;
	int err = metric__parse(&m, from, to, why, size);

	if (!err && metrics__named(m.name)) {
		snprintf(why, size, "%s: there is one of that name", m.name);
		return -EEXIST;
	}
	if (!err && n == METRICS_MAX) {
		snprintf(why, size, "there are more than %d metrics", METRICS_MAX);
		return -ENOSPC;
	}
	if (!err)
		all[n++] = m;
	return err;
}

void metrics__begin(void)
{
	char why[160];

	n = 0;
	for (const char *at = proftop_metrics, *end; at < proftop_metrics_end; at = end + 1) {
		end = memchr(at, '\n', (size_t)(proftop_metrics_end - at));
		if (at < end && *at != '#' && metrics__add(at, end, why, sizeof(why)))
			die("samples/counters.metrics: %s", why);
	}
}

u32 metrics__n(void)
{
	return n;
}

const struct metric *metrics__at(u32 i)
{
	return &all[i];
}

const struct metric *metrics__named(const char *name)
{
	for (u32 i = 0; i < n; i++)
		if (!strcmp(all[i].name, name))
			return &all[i];
	return NULL;
}

const char *metric_operand__event(u32 operand)
{
	return operand == METRIC_CPU_SECONDS ? COUNTER_CPU_TIME : counter_events[operand];
}

const char *metric__event(const struct metric *m)
{
	u32 i = 0;

	while (m->operands[i] == METRIC_SECONDS)
		i++;
	return metric_operand__event(m->operands[i]);
}

static bool is_in(const struct metric *m, u32 event)
{
	bool cpu_time = !strcmp(counter_events[event], COUNTER_CPU_TIME);

	for (u32 i = 0; i < m->formula.nnames; i++)
		if (m->operands[i] == event || (cpu_time && m->operands[i] == METRIC_CPU_SECONDS))
			return true;
	return false;
}

const struct metric *metrics__of(const char *event, u32 i)
{
	u32 e = counter__event(event);

	for (u32 k = 0; k < n && e < COUNTER_EVENTS; k++)
		if (is_in(&all[k], e) && !i--)
			return &all[k];
	return NULL;
}
