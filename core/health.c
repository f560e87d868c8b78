// SPDX-License-Identifier: GPL-2.0-only
#include "core/health.h"

#include <stdio.h>
#include <string.h>

void health__note(struct health *h, u64 n, const char *what)
{
	size_t len = strlen(h->note);

	if (n)
		snprintf(h->note + len, sizeof(h->note) - len, "%s%llu %s", len ? "; " : "",
			 (unsigned long long)n, what);
}
