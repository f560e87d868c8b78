// SPDX-License-Identifier: GPL-2.0-only
#include "base/json_line.h"

#include <json-c/json.h>
#include <string.h>

#include "base/arena.h"

/* DEL is a control byte that JSON allows as it is, and a terminal does not. */
char *json__line(struct json_object *o)
{
	const char *s = json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN |
								  JSON_C_TO_STRING_NOSLASHESCAPE);
	size_t dels = 0;
	char *line, *to;

	for (const char *at = s; (at = strchr(at, 0x7f)); at++)
		dels++;
	line = to = xmalloc(strlen(s) + dels * 5 + 1);
	for (; *s; s++)
		if (*s == 0x7f)
			to = stpcpy(to, "\\u007f");
		else
			*to++ = *s;
	*to = '\0';
	json_object_put(o);
	return line;
}
