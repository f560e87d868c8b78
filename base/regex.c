// SPDX-License-Identifier: GPL-2.0-only
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/regex.h"

#define OPTIONS	   (PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C)
#define HEAP_LIMIT 1024 /* KiB; what stays of it is freed with each match */

struct regex {
	pcre2_code *code;
	pcre2_match_context *limits;
};

struct regex *regex__new(const char *pattern, char *why, size_t size)
{
	PCRE2_SIZE at;
	int err;
	pcre2_code *code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, OPTIONS, &err,
					 &at, NULL);
	struct regex *re;

	if (!code) {
		pcre2_get_error_message(err, (PCRE2_UCHAR *)why, size);
		return NULL;
	}
	re = xmalloc(sizeof(*re));
	*re = (struct regex){.code = code, .limits = pcre2_match_context_create(NULL)};
	if (!re->limits)
		die("out of memory");
	pcre2_set_match_limit(re->limits, REGEX_STEPS);
	pcre2_set_heap_limit(re->limits, HEAP_LIMIT);
	return re;
}

void regex__free(struct regex *re)
{
	if (!re)
		return;
	pcre2_match_context_free(re->limits);
	pcre2_code_free(re->code);
	free(re);
}

bool regex__match(const struct regex *re, const char *text)
{
	pcre2_match_data *found = pcre2_match_data_create(1, NULL);
	bool yes;

	if (!found)
		die("out of memory");
	yes = pcre2_match(re->code, (PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, 0, 0, found,
			  re->limits) >= 0;
	pcre2_match_data_free(found);
	return yes;
}
