// SPDX-License-Identifier: GPL-2.0-only
#include "samples/health.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void health__take(struct health *h, const struct health *of)
{
	u64 side_lost = h->side_lost;
	double self = h->self_cpu_pct;

	*h = *of;
	h->side_lost = side_lost;
	h->self_cpu_pct = self;
}

void health__say(struct health *h, const char *format, ...)
{
	size_t len = strlen(h->note);
	va_list args;

	len += (size_t)snprintf(h->note + len, sizeof(h->note) - len, "%s", len ? "; " : "");
	if (len >= sizeof(h->note))
		return;
	va_start(args, format);
	vsnprintf(h->note + len, sizeof(h->note) - len, format, args);
	va_end(args);
}

void health__note(struct health *h, u64 n, const char *what)
{
	if (n)
		health__say(h, "%llu %s", (unsigned long long)n, what);
}

void health__note_gap(struct health *h)
{
	health__note(h, h->gap.missed_ticks,
		     h->gap.missed_ticks == 1 ? "tick missed, all of it is in this interval: proftop was stopped or had "
						"no CPU"
					      : "ticks missed, all of it is in this interval: proftop was stopped or had no CPU");
	health__note(h, h->gap.suspended_ns / NSEC_PER_MSEC,
		     "ms suspended in this interval: the machine slept, no time here has that in it");
	health__note(h, h->gap.cpus_changed,
		     "times CPUs came or went in this interval: samples of a new one begin late");
}

const char *stacks_by__name(enum stacks_by by)
{
	static const char *const names[] = {"", "tables in the kernel", "copies", "frame pointers"};

	return names[by];
}

static void note_scripts(struct health *h)
{
	const struct health_stacks *s = &h->stacks;

	if ((s->scripts_doubt + s->scripts_astray) * 100 <= s->scripts)
		return;
	health__note(h, s->scripts_doubt, "stacks without all their interpreted functions: not readable");
	health__note(h, s->scripts_astray,
		     "stacks without their interpreted functions: between which frames is not clear");
}

void health__note_stacks(struct health *h)
{
	const struct health_stacks *s = &h->stacks;
	u64 early = s->unknown + s->no_table + s->no_row + s->bad_stack + s->fp_end + s->copy_end;

	note_scripts(h);
	if (early * 100 <= early + s->whole + s->cut)
		return;
	health__note(h, s->unknown, "stacks ended early: what is mapped there is not known yet");
	health__note(h, s->no_table, "stacks ended early: tables not there yet");
	health__note(h, s->no_row, "stacks ended early: code that no table describes");
	health__note(h, s->copy_end, "stacks ended early: longer than the copy (--stack-copy)");
	health__note(h, s->bad_stack, "stacks ended early: not readable");
	health__note(h, s->fp_end,
		     "stacks ended early: code with neither table nor frame pointers");
}

void health__cost(struct health *h, u64 runs, u64 timed, u64 run_ns, u64 wall_ns)
{
	double cpus = (double)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1L);

	if (timed)
		h->cost_ns = (double)run_ns / (double)timed;
	h->run_pct = 100 * (double)runs * h->cost_ns / (double)MAX(wall_ns, 1ULL) / cpus;
	h->cost_pct = h->run_pct;
}
