// SPDX-License-Identifier: GPL-2.0-only
/* Which samples a query counts: mode, scope and terms on names. */
#include "models/profile_select.h"

#include "models/task_text.h"

/* The sets are borrowed and the names left out: those are matched once per name. */
static void borrow_tasks(struct selection *s)
{
	for (u32 k = 0; k < SCOPE_KINDS; k++) {
		s->tasks.include[k] = s->scope->include[k];
		s->tasks.exclude[k] = s->scope->exclude[k];
	}
	s->tasks.follow_children = s->scope->follow_children;
}

static void sort_terms(struct selection *s, const struct name_term *terms, u32 n, u32 bit)
{
	for (u32 i = 0; i < n && bit + i < 64; i++)
		*(terms[i].negate ? &s->negated : &s->wanted) |= 1ULL << (bit + i);
}

static void add_special(struct selection *s, const char *name, const char *object)
{
	s->idents = xgrow(s->idents, s->nidents, &s->idents_cap, sizeof(*s->idents));
	s->idents[s->nidents] = (struct ident){.key = mix64_pair(4, s->nidents),
					       .name = name,
					       .object_name = object,
					       .alone = true};
	s->nidents++;
}

static void memo__clear(struct memo *m)
{
	if (m->n)
		memset(m->refs, 0, m->n * sizeof(*m->refs));
}

/* Forgets everything but the memory. */
static void selection__reset(struct selection *s)
{
	struct selection kept = {
		.comm_passes = s->comm_passes,
		.comm_cap = s->comm_cap,
		.idents = s->idents,
		.idents_cap = s->idents_cap,
		.ident_index = s->ident_index,
		.memo = {s->memo[0], s->memo[1]},
		.memo_func = s->memo_func,
		.runs = s->runs,
		.runs_cap = s->runs_cap,
		.frames = s->frames,
		.frames_cap = s->frames_cap,
		.filtered = s->filtered,
		.filtered_cap = s->filtered_cap,
		.hit_index = s->hit_index,
		.joined = s->joined,
		.joined_cap = s->joined_cap,
		.joined_index = s->joined_index,
	};

	joined_stacks__fini(&s->wholes);
	*s = kept;
	hidx__clear(&s->joined_index);
	hidx__clear(&s->ident_index);
	hidx__clear(&s->hit_index);
	memo__clear(&s->memo[0]);
	memo__clear(&s->memo[1]);
	memo__clear(&s->memo_func);
}

size_t selection__bytes(const struct selection *s)
{
	return hidx__bytes(&s->joined_index) + s->joined_cap * sizeof(*s->joined) +
	       hidx__bytes(&s->ident_index) + hidx__bytes(&s->hit_index) + s->comm_cap +
	       s->idents_cap * sizeof(*s->idents) + s->filtered_cap * sizeof(*s->filtered) +
	       (s->runs_cap + s->frames_cap) * sizeof(u32) +
	       (s->memo[0].n + s->memo[1].n + s->memo_func.n) * sizeof(u32);
}

void selection__init_stacks(struct selection *s, struct arena *arena, const struct symbols *symbols,
			    const struct profile_query *q, const struct scope *scope)
{
	selection__reset(s);
	s->arena = arena;
	s->query = q;
	s->scope = scope;
	/* Asking for inline chains is the one getter that is not const. */
	s->symbols = (struct symbols *)symbols;
	if (scope) {
		borrow_tasks(s);
		sort_terms(s, scope->syms, scope->nsyms, 0);
		sort_terms(s, scope->objects, scope->nobjects, scope->nsyms);
		sort_terms(s, scope->langs, scope->nlangs, scope->nsyms + scope->nobjects);
	}
	add_special(s, "", "");
	add_special(s, "[no stack]", "[no stack]");
	add_special(s, "[chain not kept]", "");
	selection__match(s, &s->idents[IDENT_NO_STACK]);
}

/* Only then is a look at all stacks needed. */
static void find_wholes(struct selection *s)
{
	bool early = false;

	for (u32 i = 0; i < s->snap->nentries && !early; i++)
		early = callstack__ends_early(s->snap->entries[i].stack);
	s->wholes.symbols = s->symbols;
	for (u32 i = 0; i < s->snap->nentries && early; i++)
		joined_stacks__add(&s->wholes, s->snap->entries[i].tgid, s->snap->entries[i].stack);
}

void selection__init(struct selection *s, struct arena *arena, const struct profile_snap *snap,
		     const struct profile_query *q, const struct scope *scope)
{
	selection__init_stacks(s, arena, snap->symbols, q, scope);
	s->snap = snap;
	if (snap->ncomms > s->comm_cap) {
		s->comm_cap = snap->ncomms;
		s->comm_passes = xrealloc(s->comm_passes, s->comm_cap);
	}
	if (snap->ncomms)
		memset(s->comm_passes, 0, snap->ncomms);
	find_wholes(s);
}

bool selection__pending(const struct selection *s)
{
	for (u32 i = 0; i < s->nidents; i++)
		if (s->idents[i].pending)
			return true;
	return false;
}

void selection__fini(struct selection *s)
{
	free(s->comm_passes);
	free(s->idents);
	hidx__fini(&s->ident_index);
	free(s->memo[0].refs);
	free(s->memo[1].refs);
	free(s->memo_func.refs);
	free(s->runs);
	free(s->frames);
	free(s->filtered);
	hidx__fini(&s->hit_index);
	joined_stacks__fini(&s->wholes);
	free(s->joined);
	hidx__fini(&s->joined_index);
}

static bool comm_passes(struct selection *s, u32 comm)
{
	u8 *known;

	if (!s->scope->ncomms || comm >= s->snap->ncomms)
		return true;
	known = &s->comm_passes[comm];
	if (!*known)
		*known = scope__comm(s->scope, s->snap->comms[comm]) ? 2 : 1;
	return *known == 2;
}

static bool task_passes(struct selection *s, const struct profile_entry *e)
{
	return !s->scope || (comm_passes(s, e->comm) && task__host_passes(s->scope, e->host) &&
			     scope__task(&s->tasks, e->tgid, e->tid, e->cpu, e->cgroup, ""));
}

/* How many frames of a stack count; 0: its samples do not. */
static u32 counted_locs(const struct profile_query *q, const struct callstack *stack)
{
	if (stack->nkernel)
		return !q->kernel ? 0 : stack->nkernel + (q->user ? stack->nuser : 0);
	return q->user ? stack->nuser : 0;
}

/* Whether some frame matches each wanted term and the leaf no negated one. */
static bool names_pass(struct selection *s, const struct filtered_stack *h)
{
	u64 seen = 0;
	u32 n;

	if (!s->wanted && !s->negated)
		return true;
	n = selection__expand(s, h, s->query->inlined);
	if (s->idents[frame__ident(s->frames[0])].hide_symbol)
		return false;
	for (u32 i = 0; i < n && (seen & s->wanted) != s->wanted; i++)
		seen |= s->idents[frame__ident(s->frames[i])].terms;
	return (seen & s->wanted) == s->wanted;
}

/* A frame-pointer walk may add one wrong frame after the outermost function, whose caller has
 * no frame pointer: the last two are looked at. */
#define OUTERMOST_FRAMES 2

static int user_part(struct selection *s, const struct filtered_stack *h)
{
	u32 first;

	if (!h->stack || !h->stack->nuser || h->nlocs <= h->stack->nkernel)
		return USER_NONE;
	if (h->stack->folded)
		return USER_UNKNOWN;
	if (h->stack->cut)
		return USER_TRUNCATED;
	if (h->stack->whole)
		return USER_WHOLE;
	first = MAX(h->stack->nkernel, h->nlocs - MIN(h->nlocs, OUTERMOST_FRAMES));
	for (u32 i = h->nlocs; i-- > first;) {
		u32 at = selection__ident(s, h->stack->locs[i]); /* may move them all */
		const struct ident *id = &s->idents[at];

		if (id->pending)
			return USER_UNKNOWN;
		if (id->flags & FUNC_OUTERMOST)
			return USER_WHOLE;
	}
	return USER_TRUNCATED;
}

static u32 new_hit(struct selection *s, const struct callstack *stack, u64 hash)
{
	struct filtered_stack h = {.stack = stack};

	if (stack)
		h.nlocs = counted_locs(s->query, stack);
	if (!stack || h.nlocs) {
		h.passes = names_pass(s, &h);
		h.leaf = selection__leaf(s, &h, s->query->inlined);
		h.user = user_part(s, &h);
	}
	s->filtered = xgrow(s->filtered, s->nfiltered, &s->filtered_cap, sizeof(*s->filtered));
	s->filtered[s->nfiltered] = h;
	hidx__add(&s->hit_index, hash, s->nfiltered);
	return s->nfiltered++;
}

u32 selection__stack(struct selection *s, const struct callstack *stack)
{
	u64 hash;
	u32 at;

	if (stack && !stack->nkernel && !stack->nuser)
		stack = NULL;
	hash = mix64((u64)(uintptr_t)stack);
	HIDX_FIND(at, &s->hit_index, hash, pos, s->filtered[pos].stack == stack);
	return at == HIDX_NONE ? new_hit(s, stack, hash) : at;
}

/* --- stacks that ended early --- */

/* Its own frames as far as the leaf in user space, behind it those of the whole one. */
static const struct callstack *compose(struct selection *s, const struct callstack *part,
				       const struct callstack *whole)
{
	u32 own = part->nkernel + 1, rest = whole->nuser - 1;
	struct callstack *to = arena__alloc(s->arena, sizeof(*to) + (own + rest) * sizeof(*to->locs));

	*to = (struct callstack){.nkernel = part->nkernel, .nuser = whole->nuser, .whole = true};
	memcpy(to->locs, part->locs, own * sizeof(*to->locs));
	memcpy(to->locs + own, whole->locs + whole->nkernel + 1, rest * sizeof(*to->locs));
	return to;
}

static const struct callstack *join(struct selection *s, u32 tgid, const struct callstack *part)
{
	const struct filtered_stack h = {.stack = part, .nlocs = counted_locs(s->query, part)};
	const struct callstack *whole = NULL;

	if (user_part(s, &h) == USER_TRUNCATED) /* its names may say that it is whole */
		whole = joined_stacks__find(&s->wholes, tgid, part);
	return whole ? compose(s, part, whole) : part;
}

static const struct callstack *joined(struct selection *s, const struct profile_entry *e)
{
	u64 hash = mix64_pair((u64)(uintptr_t)e->stack, e->tgid);
	struct joined_stack *new;
	u32 at;

	if (!s->wholes.n || !callstack__ends_early(e->stack))
		return e->stack;
	HIDX_FIND(at, &s->joined_index, hash, pos,
		  s->joined[pos].part == e->stack && s->joined[pos].tgid == e->tgid);
	if (at != HIDX_NONE)
		return s->joined[at].to;
	s->joined = xgrow(s->joined, s->njoined, &s->joined_cap, sizeof(*s->joined));
	hidx__add(&s->joined_index, hash, s->njoined);
	new = &s->joined[s->njoined++];
	*new = (struct joined_stack){.part = e->stack, .tgid = e->tgid, .to = join(s, e->tgid, e->stack)};
	return new->to;
}

u32 selection__filter(struct selection *s, const struct profile_entry *e)
{
	u32 at = task_passes(s, e) ? selection__stack(s, joined(s, e)) : HIDX_NONE;

	return at != HIDX_NONE && s->filtered[at].passes ? at : HIDX_NONE;
}

static bool in_window(const struct selection *s, const struct profile_entry *e)
{
	return e->count[s->query->window] || e->weight[s->query->window] > 0;
}

bool selection__matters(const struct selection *s, const struct profile_entry *e)
{
	if (in_window(s, e))
		return true;
	for (u32 i = 0; i < TREND_LEN; i++)
		if (e->trend[i] > 0)
			return true;
	return false;
}

bool selection__add(struct selection *s, u32 filtered, const struct profile_entry *e)
{
	if (!in_window(s, e))
		return false;
	s->filtered[filtered].count += e->count[s->query->window];
	s->filtered[filtered].weight += e->weight[s->query->window];
	s->entries++;
	return true;
}

void selection__gather(struct selection *s)
{
	for (u32 i = 0; i < s->snap->nentries; i++) {
		const struct profile_entry *e = &s->snap->entries[i];
		u32 filtered = in_window(s, e) ? selection__filter(s, e) : HIDX_NONE;

		if (filtered != HIDX_NONE)
			selection__add(s, filtered, e);
	}
}
