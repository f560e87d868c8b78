// SPDX-License-Identifier: GPL-2.0-only
/* What all formats write with: numbers whatever the locale, and whether the stream took them. */
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>

#include "base/arena.h"
#include "base/machine.h"
#include "export/export_impl.h"

static locale_t c_locale;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void init(void)
{
	c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (!c_locale)
		die("out of memory for the C locale");
}

const char *report__host(const struct report *r)
{
	return r->host ? r->host : machine__name();
}

const char *report__kernel(const struct report *r)
{
	return r->kernel ? r->kernel : machine__kernel();
}

int export__flush(FILE *out)
{
	int err = ferror(out) ? errno : 0;

	if (err)
		return -err;
	if (fflush(out))
		return -errno;
	return ferror(out) ? -EIO : 0;
}

int format_c(char *buf, size_t size, const char *fmt, ...)
{
	locale_t before;
	va_list ap;
	int n;

	pthread_once(&once, init);
	before = uselocale(c_locale);
	va_start(ap, fmt);
	n = vsnprintf(buf, size, fmt, ap);
	va_end(ap);
	uselocale(before);
	return n;
}

bool format_double(char *buf, size_t size, double d)
{
	if (!isfinite(d))
		return false;
	pthread_once(&once, init);
	for (int digits = 15; digits <= 17; digits++) {
		format_c(buf, size, "%.*g", digits, d);
		if (digits == 17 || strtod_l(buf, NULL, c_locale) == d)
			break;
	}
	return true;
}
