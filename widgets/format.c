/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers in at most six cells, three significant digits. */
#include <math.h>
#include <stdio.h>

#include "widgets/cells.h"

/* The decimals that leave three significant digits. */
static int decimals(double v)
{
	if (v < 9.995)
		return 2;
	return v < 99.95 ? 1 : 0;
}

/* limit: from this (rounded) value on the next unit is taken. */
static void scaled(char *buf, size_t size, double v, double step, double limit,
		   const char *const *units, u32 nunits)
{
	u32 i = 0;

	while (i + 1 < nunits && v >= limit) {
		v /= step;
		i++;
	}
	snprintf(buf, size, "%.*f%s", decimals(v), v, units[i]);
}

void format__count(char *buf, size_t size, u64 n)
{
	static const char *const units[] = {"k", "M", "G", "T", "P", "E"};

	if (n < 1000)
		snprintf(buf, size, "%u", (unsigned int)n);
	else
		scaled(buf, size, (double)n / 1000, 1000, 999.5, units, ARRAY_SIZE(units));
}

void format__bytes(char *buf, size_t size, u64 n)
{
	static const char *const units[] = {"K", "M", "G", "T", "P", "E"};

	if (n < 1024)
		snprintf(buf, size, "%u", (unsigned int)n);
	else
		scaled(buf, size, (double)n / 1024, 1024, 1023.5, units, ARRAY_SIZE(units));
}

void format__ns(char *buf, size_t size, u64 ns)
{
	static const char *const units[] = {"us", "ms", "s"};
	static const char *const minutes[] = {"m", "h"};
	static const char *const days[] = {"d", "y"};
	double s = (double)ns / 1e9;

	if (ns < 1000)
		snprintf(buf, size, "%uns", (unsigned int)ns);
	else if (s < 999.5)
		scaled(buf, size, (double)ns / 1000, 1000, 999.5, units, ARRAY_SIZE(units));
	else if (s < 86400)
		scaled(buf, size, s / 60, 60, 99.95, minutes, ARRAY_SIZE(minutes));
	else
		scaled(buf, size, s / 86400, 365.25, 999.5, days, ARRAY_SIZE(days));
}

void format__number(char *buf, size_t size, double n)
{
	if (n >= 1000)
		format__count(buf, size, (u64)MIN(n, 0x1p63));
	else
		format__pct(buf, size, n);
}

void format__pct(char *buf, size_t size, double pct)
{
	if (isnan(pct))
		snprintf(buf, size, "—");
	else if (pct > 0 && pct < 0.01)
		snprintf(buf, size, "<.01");
	else if (fabs(pct) < 99.995)
		snprintf(buf, size, "%.2f", pct);
	else if (fabs(pct) < 999.95)
		snprintf(buf, size, "%.1f", pct);
	else
		snprintf(buf, size, "%.0f", CLAMP(pct, -99999, 99999));
}
