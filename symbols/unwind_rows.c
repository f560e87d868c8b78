// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/unwind_rows.h"

#include "base/arena.h"
#include "symbols/unwind_calls.h"

#define ALIGNMENT      16 /* of functions: what is in between is padding */
#define PLT_ENTRY      16
#define ROWS_PER_RANGE 5  /* about */
#define BX_RANGES      64 /* whose calls are looked for: three are known */

struct rows {
	const struct cfi_index *x;
	struct unwind_table *t;
	u32 cap, end; /* end: of what is covered so far */
	struct unwind_rule last;
	const struct cfi_fde *before; /* the range that was taken last */
	u32 bx_ranges;
	bool full;
};

static void append(struct rows *r, u32 pc, struct unwind_rule rule)
{
	struct unwind_table *t = r->t;

	if (t->nrows && unwind_rule__equal(rule, r->last))
		return;
	if (t->nrows == UNWIND_MAX_ROWS) {
		r->full = true;
		return;
	}
	t->rows = xgrow(t->rows, t->nrows, &r->cap, sizeof(*t->rows));
	t->rows[t->nrows++] = (struct unwind_row){pc, rule.cfa, rule.fp, rule.rule};
	r->last = rule;
}

/* Whether the stack is again as all functions find it. */
static bool stands_as_called(const struct rows *r)
{
	const struct cfi_cie *c = &r->x->cies[r->before->cie];
	struct unwind_rule rule;

	return cfi_state__rule(&c->initial, c->signal, r->x->machine, &rule) &&
	       unwind_rule__equal(rule, r->last);
}

/* Padding, or some instructions that are left out of a function: where glibc makes threads that is
 * the system call, for the new one's sake. */
static bool goes_on(const struct rows *r, u32 to)
{
	if (to - r->end >= ALIGNMENT)
		return false;
	return to % ALIGNMENT == 0 || stands_as_called(r);
}

/* What is described from here on leaves out the code before it. */
static void begin_range(struct rows *r, const struct cfi_fde *f, u32 from)
{
	if (from > r->end && !goes_on(r, from))
		append(r, r->end, UNWIND_RULE_NONE);
	r->before = f;
}

/* An entry of the procedure linkage table that pushes its word elsewhere than at byte 11. */
static void append_plt(struct rows *r, u32 from, u32 to, u32 pushed, struct unwind_rule rule)
{
	struct unwind_rule after = rule;

	after.cfa++;
	for (u64 entry = from & ~(PLT_ENTRY - 1u); entry < to && !r->full; entry += PLT_ENTRY) {
		if (entry + pushed > from)
			append(r, MAX((u32)entry, from), rule);
		if (entry + pushed < to)
			append(r, MAX((u32)entry + pushed, from), after);
	}
}

/* What has its CFA in rbx, by whom it calls. */
static void append_calls(struct rows *r, u32 from, u32 to, const struct cfi_state *s,
			 struct unwind_rule between)
{
	struct unwind_call calls[UNWIND_CALLS];
	struct unwind_rule rule;
	u32 n = 0;

	if (r->bx_ranges++ < BX_RANGES)
		n = unwind_calls__find(r->x, from, to, s, calls);
	append(r, from, between);
	for (u32 i = 0; i < n && !r->full; i++) {
		if (!cfi_state__rule(&calls[i].state, false, r->x->machine, &rule))
			continue;
		append(r, calls[i].at, rule);
		append(r, calls[i].at + 1, between);
	}
}

static bool take(void *ctx, u32 from, u32 to, const struct cfi_state *s, bool signal)
{
	struct rows *r = ctx;
	struct unwind_rule rule;

	r->t->steps++;
	if (to <= r->end)
		return true; /* another range's */
	from = MAX(from, r->end);
	if (!cfi_state__rule(s, signal, r->x->machine, &rule)) {
		r->t->odd++;
		r->t->odd_bytes += to - from;
	}
	if (s->cfa == CFA_PLT && (rule.rule & UNWIND_CFA) == UNWIND_CFA_SP)
		append_plt(r, from, to, (u32)s->cfa_offset, rule);
	else if (s->cfa == CFA_BX)
		append_calls(r, from, to, s, rule);
	else
		append(r, from, rule);
	r->end = to;
	return !r->full;
}

static void take_range(struct rows *r, const struct cfi_fde *f)
{
	u32 end = f->pc + f->len, begin = r->end;

	if (f->pc < r->end && r->x->cies[f->cie].section)
		r->t->overlaps++;
	if (end <= r->end)
		return;
	begin = MAX(begin, f->pc);
	r->t->code_bytes += end - begin;
	begin_range(r, f, begin);
	r->end = begin;
	if (cfi_run(r->x, f, take, r) || r->full)
		return;
	/* Its program is broken: nothing is known of the rest. */
	r->t->odd++;
	r->t->odd_bytes += end - r->end;
	append(r, r->end, UNWIND_RULE_NONE);
	r->end = end;
}

int unwind_rows__make(const struct cfi_index *x, struct unwind_table *t)
{
	struct rows r = {.x = x, .t = t};

	if (!x->nfdes)
		return 0;
	r.cap = MIN(x->nfdes * ROWS_PER_RANGE, UNWIND_MAX_ROWS);
	t->rows = xmalloc(r.cap * sizeof(*t->rows));
	r.end = x->fdes[0].pc;
	for (u32 i = 0; i < x->nfdes && !r.full; i++)
		take_range(&r, &x->fdes[i]);
	append(&r, r.end, UNWIND_RULE_NONE);
	t->ranges = x->nfdes;
	if (r.full)
		return -E2BIG;
	t->rows = xrealloc(t->rows, t->nrows * sizeof(*t->rows));
	return 0;
}
