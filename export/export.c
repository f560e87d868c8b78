// SPDX-License-Identifier: GPL-2.0-only
/* The table of formats and what they share. */
#include "export/export.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>

#include "base/arena.h"
#include "base/machine.h"
#include "export/export_impl.h"

enum format_flag {
	FORMAT_SEVERAL = 1,
	FORMAT_INLINED = 2,
};

const struct export_format export_formats[] = {
#define FORMAT(id, name_, suffix_, needs_, flags, help_)                                           \
	{.name = name_,                                                                            \
	 .suffix = suffix_,                                                                        \
	 .needs = needs_,                                                                          \
	 .help = help_,                                                                            \
	 .several = (flags)&FORMAT_SEVERAL,                                                        \
	 .inlined = (flags)&FORMAT_INLINED,                                                        \
	 .write = export_##id},
#include "export/formats.def"
#undef FORMAT
};
const u32 export_nformats = ARRAY_SIZE(export_formats);

const struct export_format *export__by_name(const char *name)
{
	for (u32 i = 0; i < export_nformats; i++)
		if (!strcmp(export_formats[i].name, name))
			return &export_formats[i];
	return NULL;
}

const struct export_format *export__by_suffix(const char *path)
{
	const struct export_format *best = NULL;
	size_t len = strlen(path), n;

	for (u32 i = 0; i < export_nformats; i++) {
		n = strlen(export_formats[i].suffix);
		if (n <= len && !strcmp(path + len - n, export_formats[i].suffix) &&
		    (!best || n > strlen(best->suffix)))
			best = &export_formats[i];
	}
	return best;
}

const char *export__suffixes(char *buf, size_t size)
{
	size_t n = 0;

	*buf = '\0';
	for (u32 i = 0; i < export_nformats && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, "%s%s", i ? " " : "",
				      export_formats[i].suffix);
	return buf;
}

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
