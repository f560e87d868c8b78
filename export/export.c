// SPDX-License-Identifier: GPL-2.0-only
/* The table of formats. */
#include "export/export_impl.h"

enum format_flag {
	FORMAT_SEVERAL = 1,
	FORMAT_INLINED = 2,
	FORMAT_DRAWN = 4,
};

const struct export_format export_formats[] = {
#define FORMAT(id, name_, suffix_, needs_, flags, help_)                                           \
	{.name = name_,                                                                            \
	 .suffix = suffix_,                                                                        \
	 .needs = needs_,                                                                          \
	 .help = help_,                                                                            \
	 .several = (flags)&FORMAT_SEVERAL,                                                        \
	 .inlined = (flags)&FORMAT_INLINED,                                                        \
	 .drawn = (flags)&FORMAT_DRAWN,                                                            \
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

static const char *list(char *buf, size_t size, bool suffixes)
{
	size_t n = 0;

	*buf = '\0';
	for (u32 i = 0; i < export_nformats && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, "%s%s", i ? " " : "",
				      suffixes ? export_formats[i].suffix : export_formats[i].name);
	return buf;
}

const char *export__suffixes(char *buf, size_t size)
{
	return list(buf, size, true);
}

const char *export__names(char *buf, size_t size)
{
	return list(buf, size, false);
}

const char *export_need__name(enum export_need need)
{
	static const char *const names[] = {
		[EXPORT_ROWS] = "rows",
		[EXPORT_STACKS] = "stacks",
		[EXPORT_EVENTS] = "list of events",
	};

	return names[need];
}
