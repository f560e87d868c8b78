/* SPDX-License-Identifier: GPL-2.0-only */
/* A report as it may leave the machine: texts of its rows, lists and stacks are redacted by the rule
 * (base/redact.h). One thread. */
#ifndef EXPORT_REDACTED_H
#define EXPORT_REDACTED_H

#include "export/export.h"

struct redacted;

/* The same report where there is no rule. r has to stay until redacted__free; what its order and its
 * functions refer to does. */
const struct report *redacted__new(const struct report *r, struct redacted **out);
void redacted__free(struct redacted *of); /* NULL is fine */

#endif
