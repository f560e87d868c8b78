// SPDX-License-Identifier: GPL-2.0-only
/* Folded stacks: one line each, a control character in a name must not end it. By time each
 * interval has a frame of its own below all others. */
#include "base/utf8.h"
#include "export/export_impl.h"

struct folding {
	FILE *out;
	char before[32]; /* what comes before each stack */
};

static void put_stack(void *ctx, const char *stack, u64 weight)
{
	const struct folding *f = ctx;
	FILE *out = f->out;
	char c[4];

	if (ferror(out))
		return;
	fputs(f->before, out);
	for (u32 n; (n = utf8__clean(&stack, c));)
		fwrite(c, 1, n, out);
	fprintf(out, " %llu\n", (unsigned long long)weight);
}

static int put_folded(struct folding *f, const struct report *r)
{
	if (!r->folded)
		return -EOPNOTSUPP;
	r->folded(r, put_stack, f);
	return export__flush(f->out);
}

int export_folded(FILE *out, const struct report *r, bool first)
{
	return put_folded(&(struct folding){.out = out}, r);
}

int export_by_time(FILE *out, const struct report *r, bool first)
{
	struct folding f = {.out = out};

	snprintf(f.before, sizeof(f.before), "%010llu.%03llu;",
		 (unsigned long long)(r->t1_ns / NSEC_PER_SEC),
		 (unsigned long long)(r->t1_ns % NSEC_PER_SEC / NSEC_PER_MSEC));
	return put_folded(&f, r);
}
