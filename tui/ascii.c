// SPDX-License-Identifier: GPL-2.0-only
#include "tui/ascii.h"

#include <langinfo.h>
#include <stdio.h>
#include <wchar.h>

#include "base/utf8.h"
#include "widgets/text.h"

bool ascii__wanted(const struct options *o)
{
	return o->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

/* What is beyond ASCII takes at least as many bytes as cells. */
size_t ascii__convert(char *text)
{
	const char *from = text;
	char *to = text;

	for (u32 cp; (cp = utf8__next(&from));) {
		int cells = cp < 0x80 ? 1 : wcwidth((wchar_t)cp);

		for (int i = 0; i < (cells < 0 ? 1 : cells); i++)
			*to++ = cp < 0x80 ? (char)cp : text__ascii((wchar_t)cp);
	}
	*to = '\0';
	return (size_t)(to - text);
}

int ascii__write(const struct export_format *f, FILE *out, const struct report *r, bool first)
{
	char *data = NULL;
	size_t len = 0;
	FILE *memory = open_memstream(&data, &len);
	int err = memory ? f->write(memory, r, first) : -errno;

	if (memory && fclose(memory) && !err)
		err = -errno;
	if (!err) {
		len = ascii__convert(data);
		err = fwrite(data, 1, len, out) == len ? 0 : -errno;
	}
	free(data);
	return err;
}
