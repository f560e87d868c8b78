// SPDX-License-Identifier: GPL-2.0-only
/* Folded stacks: one line each, a control character in a name must not end it. */
#include "core/export_form.h"

static void put_stack(void *ctx, const char *stack, u64 weight)
{
	FILE *out = ctx;

	if (ferror(out))
		return;
	for (; *stack; stack++)
		fputc((u8)*stack < ' ' || *stack == 0x7f ? '?' : *stack, out);
	fprintf(out, " %llu\n", (unsigned long long)weight);
}

int export_folded(FILE *out, const struct report *r, bool first)
{
	if (!r->folded)
		return -EOPNOTSUPP;
	r->folded(r, put_stack, out);
	return export__flush(out);
}
