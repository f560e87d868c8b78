// SPDX-License-Identifier: GPL-2.0-only
#include "sources/perf_setup.h"

#include <time.h>

#include "base/file.h"
#include "sources/events.h"
#include "sources/perf_open.h"

/* The kernel refuses a frequency above its limit, so ask for the limit and say so. */
static u64 allowed_freq(u64 freq, char *note, size_t size)
{
	long max = file__number("/proc/sys/kernel/perf_event_max_sample_rate", 100000);

	if (max <= 0 || freq <= (u64)max)
		return freq;
	snprintf(note, size,
		 "%llu Hz asked, %ld Hz is the limit (sysctl kernel.perf_event_max_sample_rate)",
		 (unsigned long long)freq, max);
	return (u64)max;
}

static void set_rate(struct perf_setup *p, const struct sampling *how)
{
	struct perf_event_attr *a = &p->attr;

	p->period = how->freq ? 0 : MAX(how->period, 1ULL);
	p->freq = how->freq ? allowed_freq(how->freq, p->note, sizeof(p->note)) : 0;
	a->freq = p->freq && !p->clock;
	a->sample_period = perf_setup__rate(p);
}

int perf__setup(struct perf_setup *p, const struct sampling *how, struct status *st)
{
	struct perf_event_attr *a = &p->attr;
	int err;

	*p = (struct perf_setup){0};
	err = event__parse(how->event, a, p->event, sizeof(p->event), st);
	if (err)
		return err;
	a->size = sizeof(*a);
	a->disabled = 1;
	a->use_clockid = 1;
	a->clockid = CLOCK_MONOTONIC;
	a->exclude_user |= !how->user;
	a->exclude_kernel |= !how->kernel;
	a->exclude_hv |= a->exclude_kernel;
	p->clock = a->type == PERF_TYPE_SOFTWARE &&
		   (a->config == PERF_COUNT_SW_CPU_CLOCK || a->config == PERF_COUNT_SW_TASK_CLOCK);
	a->exclude_idle = p->clock && !how->idle;
	if (a->exclude_user && a->exclude_kernel)
		return status__set(
			st, EXIT_CODE_USAGE, -EINVAL,
			"nothing is left to sample: event %s excludes user and kernel mode",
			p->event);
	set_rate(p, how);
	return 0;
}

/* Clock events have a fixed period in the kernel, whatever they were opened with. */
u64 perf_setup__rate(const struct perf_setup *p)
{
	if (!p->freq)
		return p->period;
	return p->clock ? NSEC_PER_SEC / p->freq : p->freq;
}

bool perf_setup__same_event(const struct perf_setup *a, const struct perf_setup *b)
{
	struct perf_event_attr x = a->attr, y = b->attr;

	x.sample_period = y.sample_period = 0;
	return memcmp(&x, &y, sizeof(x)) == 0;
}
