// SPDX-License-Identifier: GPL-2.0-only
#include "base/timepoint.h"

#include <stdio.h>
#include <stdlib.h>

#define DAY_S 86400

static bool parse_offset(const char *text, u64 *ns)
{
	static const struct {
		const char *unit;
		double s;
	} units[] = {{"", 1}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {"ms", 1e-3}};
	char *end;
	double n;

	if (*text < '0' || *text > '9' || text[strspn(text, "0123456789.")] == 'x')
		return false;
	n = strtod(text, &end);
	for (u32 i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(end, units[i].unit) || !(n * units[i].s < 1e9))
			continue;
		*ns = (u64)(n * units[i].s * 1e9);
		return true;
	}
	return false;
}

/* Seconds of the day. */
static bool parse_clock(const char *text, u32 *s)
{
	unsigned int hour, minute, second = 0;
	int n = 0;

	if (sscanf(text, "%2u:%2u%n:%2u%n", &hour, &minute, &n, &second, &n) < 2 || text[n] ||
	    hour > 23 || minute > 59 || second > 60)
		return false;
	*s = hour * 3600 + minute * 60 + second;
	return true;
}

static u32 second_of_day(time_t t)
{
	struct tm tm = {0};

	localtime_r(&t, &tm);
	return (u32)(tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec);
}

/* What has gone by on the wall since the beginning. */
static u64 wall_ns_at(const struct timespan *span, u64 ns)
{
	u64 slept_ns = 0;

	for (u32 i = 0; i < span->nsleeps && span->sleeps[i].t_ns <= ns; i++)
		slept_ns = span->sleeps[i].slept_ns;
	return ns - MIN(ns, span->begin_ns) + slept_ns;
}

/* The first time of the span at which so much has gone by on the wall, or its end. */
static u64 time_at(const struct timespan *span, u64 wall_ns)
{
	u64 lo = span->begin_ns, hi = span->end_ns;

	while (lo < hi) {
		u64 mid = lo + (hi - lo) / 2;

		if (wall_ns_at(span, mid) < wall_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool of_day(const char *text, const struct timespan *span, u64 *ns)
{
	u64 length_ns = wall_ns_at(span, span->end_ns), length_s = length_ns / NSEC_PER_SEC, ago;
	time_t end = span->begin_wall + (time_t)length_s;
	u32 s;

	if (!span->begin_wall || !parse_clock(text, &s))
		return false;
	ago = (second_of_day(end) + DAY_S - s) % DAY_S;
	/* Later than now by little: it is the end that is meant, and not yesterday. */
	if (ago > length_s && DAY_S - ago < ago)
		ago = 0;
	*ns = time_at(span, length_ns - MIN(ago, length_s) * NSEC_PER_SEC);
	return true;
}

bool timepoint__parse(const char *text, const struct timespan *span, u64 *ns)
{
	u64 length = span->end_ns - span->begin_ns, offset;

	if (!strcmp(text, "start") || !strcmp(text, "end")) {
		*ns = *text == 's' ? span->begin_ns : span->end_ns;
		return true;
	}
	if (*text != '-' && *text != '+')
		return of_day(text, span, ns);
	if (!parse_offset(text + 1, &offset))
		return false;
	offset = MIN(offset, length);
	*ns = *text == '-' ? span->end_ns - offset : span->begin_ns + offset;
	return true;
}

void timepoint__format(char *buf, size_t size, const struct timespan *span, u64 ns)
{
	u64 s = (ns - MIN(ns, span->begin_ns)) / NSEC_PER_SEC;
	time_t t = span->begin_wall + (time_t)(wall_ns_at(span, ns) / NSEC_PER_SEC);
	struct tm tm = {0};

	if (span->begin_wall && localtime_r(&t, &tm))
		strftime(buf, size, "%H:%M:%S", &tm);
	else if (s >= 3600)
		snprintf(buf, size, "%llu:%02llu:%02llu", (unsigned long long)(s / 3600),
			 (unsigned long long)(s / 60 % 60), (unsigned long long)(s % 60));
	else
		snprintf(buf, size, "%llu:%02llu", (unsigned long long)(s / 60),
			 (unsigned long long)(s % 60));
}
