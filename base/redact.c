// SPDX-License-Identifier: GPL-2.0-only
#include "base/redact.h"

#include "base/regex.h"

static struct regex *rule;

int redact__rule(const char *pattern, struct status *st)
{
	char why[128];

	regex__free(rule);
	rule = *pattern ? regex__new(pattern, why, sizeof(why)) : NULL;
	if (rule || !*pattern)
		return 0;
	return status__set(st, EXIT_CODE_USAGE, -EINVAL, "--redact \"%.80s\": %s", pattern, why);
}

bool redact__active(void)
{
	return rule;
}

const char *redact__text(const char *text)
{
	return rule && text && *text && regex__match(rule, text) ? REDACTED : text;
}
