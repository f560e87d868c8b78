/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/dwarf_scopes.h"

#include <dwarf.h>

#include "base/arena.h"
#include "base/bisect.h"
#include "base/clock.h"

/* Far beyond what compilers write; the time is this thread's own, so a busy machine does
 * not shorten the answer. */
#define MAX_DEPTH     256
#define MAX_SCOPES    (1u << 20)
#define MAX_RANGES    (1u << 21)
#define MAX_STEPS     (1u << 24)
#define MAX_CPU_NS    NSEC_PER_SEC
#define LOOK_EVERY_NS (5 * NSEC_PER_MSEC)

struct range {
	u64 lo, hi;
	u32 scope;
	u32 depth;
};

struct walk {
	struct dwarf_scopes *out;
	struct range *ranges;
	u32 nranges, cap_ranges, cap_scopes;
	u32 steps; /* DIEs and ranges read */
	u64 deadline, next_look;
};

/* One step over a DIE can be a scan of the whole unit, so the clock is looked at before each;
 * the thread's own clock is a system call, the other is not. */
static bool out_of_time(struct walk *w)
{
	u64 now = clock__coarse_ns();

	if (now < w->next_look)
		return false;
	w->next_look = now + LOOK_EVERY_NS;
	return clock__thread_cpu_ns() > w->deadline;
}

static bool may_go_on(struct walk *w)
{
	if (w->out->cut)
		return false;
	w->out->cut = ++w->steps > MAX_STEPS || w->nranges >= MAX_RANGES ||
		      w->out->nscopes >= MAX_SCOPES || out_of_time(w);
	return !w->out->cut;
}

static void add_range(struct walk *w, struct range r)
{
	if (w->nranges == w->cap_ranges) {
		w->cap_ranges = w->cap_ranges ? w->cap_ranges * 2 : 256;
		w->ranges = xrealloc(w->ranges, w->cap_ranges * sizeof(*w->ranges));
	}
	w->ranges[w->nranges++] = r;
}

/* True when the DIE has code; then its ranges are noted for scope. */
static bool add_ranges(struct walk *w, Dwarf_Die *die, u32 scope, u32 depth)
{
	u32 before = w->nranges;
	Dwarf_Addr base, lo, hi;
	ptrdiff_t at = 0;

	while (may_go_on(w) && (at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0)
		if (lo < hi)
			add_range(w, (struct range){lo, hi, scope, depth});
	return w->nranges > before;
}

static u32 add_scope(struct walk *w, Dwarf_Die *die, u32 parent, u32 depth)
{
	struct dwarf_scopes *s = w->out;

	if (!add_ranges(w, die, s->nscopes, depth))
		return SCOPE_NONE;
	if (s->nscopes == w->cap_scopes) {
		w->cap_scopes = w->cap_scopes ? w->cap_scopes * 2 : 128;
		s->scopes = xrealloc(s->scopes, w->cap_scopes * sizeof(*s->scopes));
	}
	s->scopes[s->nscopes] = (struct dwarf_scope){dwarf_dieoffset(die), parent, false, NULL};
	return s->nscopes++;
}

static bool may_hold_code(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type: /* Rust hangs methods below them */
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_common_block:
		return true;
	default:
		return false;
	}
}

static void walk_children(struct walk *w, Dwarf_Die *parent_die, u32 parent, u32 depth)
{
	Dwarf_Die die;

	if (depth >= MAX_DEPTH || dwarf_child(parent_die, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_inlined_subroutine) {
			u32 scope = add_scope(w, &die, parent, depth);

			if (scope != SCOPE_NONE)
				walk_children(w, &die, scope, depth + 1);
		} else if (may_hold_code(tag)) {
			/* A function within a function is a call of its own. */
			walk_children(w, &die, tag == DW_TAG_subprogram ? SCOPE_NONE : parent,
				      depth + 1);
		}
		/* A step over a tree without DW_AT_sibling reads all of it, once per level. */
	} while (may_go_on(w) && dwarf_siblingof(&die, &die) == 0);
}

static int by_start(const void *pa, const void *pb)
{
	const struct range *a = pa, *b = pb;

	if (a->lo != b->lo)
		return a->lo < b->lo ? -1 : 1;
	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	return (a->scope > b->scope) - (a->scope < b->scope);
}

/* A segment that starts where the last one did replaces it: that one is empty. */
static void put_segment(struct dwarf_scopes *s, u64 start, u32 scope)
{
	if (s->nsegments && s->segments[s->nsegments - 1].start == start)
		s->nsegments--;
	s->segments[s->nsegments++] = (struct dwarf_segment){start, scope};
}

/*
 * Sweeps the ranges by address with the open ones on a stack. Each range opens and closes
 * at most one segment. A range that sticks out of the one around it is cut there, which
 * only broken DWARF notices.
 */
static void flatten(struct dwarf_scopes *s, struct range *ranges, u32 n)
{
	struct range *stack[MAX_DEPTH + 1];
	u32 top = 0;

	qsort(ranges, n, sizeof(*ranges), by_start);
	s->segments = xmalloc(((size_t)n * 2 + 1) * sizeof(*s->segments));
	for (u32 i = 0; i <= n; i++) {
		u64 lo = i < n ? ranges[i].lo : UINT64_MAX;

		while (top && stack[top - 1]->hi <= lo) {
			u64 hi = stack[--top]->hi;

			put_segment(s, hi, top ? stack[top - 1]->scope : SCOPE_NONE);
		}
		if (i == n || top > MAX_DEPTH)
			continue;
		if (top)
			ranges[i].hi = MIN(ranges[i].hi, stack[top - 1]->hi);
		stack[top++] = &ranges[i];
		put_segment(s, lo, ranges[i].scope);
	}
}

void dwarf_scopes__init(struct dwarf_scopes *s, Dwarf_Die *unit)
{
	struct walk w = {.out = s, .deadline = clock__thread_cpu_ns() + MAX_CPU_NS};

	*s = (struct dwarf_scopes){0};
	walk_children(&w, unit, SCOPE_NONE, 0);
	if (w.nranges)
		flatten(s, w.ranges, w.nranges);
	free(w.ranges);
}

void dwarf_scopes__fini(struct dwarf_scopes *s)
{
	free(s->scopes);
	free(s->segments);
	*s = (struct dwarf_scopes){0};
}

u32 dwarf_scopes__find(const struct dwarf_scopes *s, u64 addr)
{
	u32 n;

	BISECT(n, 0, s->nsegments, i, s->segments[i].start <= addr);
	return n ? s->segments[n - 1].scope : SCOPE_NONE;
}

size_t dwarf_scopes__bytes(const struct dwarf_scopes *s)
{
	return s->nscopes * sizeof(*s->scopes) + s->nsegments * sizeof(*s->segments);
}
