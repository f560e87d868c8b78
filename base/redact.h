/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A rule for texts that must not leave the machine, such as arguments with passwords and paths of
 * customers: a text that it matches leaves as REDACTED. One rule for the process; any thread once it is set.
 */
#ifndef BASE_REDACT_H
#define BASE_REDACT_H

#include "base/status.h"

#define REDACTED "[redacted]"

/* A regular expression (base/regex.h); before there are other threads. -EINVAL with st. */
int redact__rule(const char *pattern, struct status *st);
bool redact__active(void);
/* The text, or REDACTED. */
const char *redact__text(const char *text);

#endif
