// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/ocaml_names.h"

#include <ctype.h>

#include "base/arena.h"

#define PREFIX "caml"

/* The runtime's own functions, which are C, go on with "_". */
bool ocaml_name__is(const char *linkage)
{
	const char *module = linkage + strlen(PREFIX);

	return !strncmp(linkage, PREFIX, strlen(PREFIX)) && isupper((u8)module[0]) &&
	       (strstr(module, "__") || strchr(module, '.'));
}

static int digit(char c)
{
	return isdigit((u8)c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "$27" is what a name may have and a symbol may not; 0: it is no such thing. */
static char escaped(const char *s)
{
	if (s[0] != '$' || digit(s[1]) < 0 || digit(s[2]) < 0)
		return 0;
	return (char)(digit(s[1]) << 4 | digit(s[2]));
}

char *ocaml_name__plain(const char *linkage)
{
	const char *from = linkage + strlen(PREFIX);
	char *plain = xstrdup(from), *to = plain;

	while (*from) {
		char c = escaped(from);

		if (c > ' ' && c < 0x7f) {
			*to++ = c;
			from += 3;
		} else if (!strncmp(from, "__", 2) && from[2]) {
			*to++ = '.';
			from += 2;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
	return plain;
}
