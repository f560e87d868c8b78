// SPDX-License-Identifier: GPL-2.0-only
/* Folded stacks: one line each, a control character in a name must not end it. */
#include "core/export_form.h"
#include "core/utf8.h"

static void put_stack(void *ctx, const char *stack, u64 weight)
{
	FILE *out = ctx;
	char c[4];

	if (ferror(out))
		return;
	for (u32 n; (n = utf8__clean(&stack, c));)
		fwrite(c, 1, n, out);
	fprintf(out, " %llu\n", (unsigned long long)weight);
}

int export_folded(FILE *out, const struct report *r, bool first)
{
	if (!r->folded)
		return -EOPNOTSUPP;
	r->folded(r, put_stack, out);
	return export__flush(out);
}
