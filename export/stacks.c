// SPDX-License-Identifier: GPL-2.0-only
#include "export/stacks.h"

static u64 hash_text(const char *s)
{
	return s ? hash_bytes(s, strlen(s)) : 0;
}

static bool equal(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

static bool same_frame(const struct value_frame *a, const struct value_frame *b)
{
	return a->start == b->start && equal(a->symbol, b->symbol) && equal(a->object, b->object) &&
	       equal(a->kind, b->kind) && equal(a->path, b->path) &&
	       equal(a->build_id, b->build_id);
}

static const char *keep(struct export_stacks *s, const char *text)
{
	return text && *text ? arena__strdup(&s->arena, text) : "";
}

static u32 first_of_symbol(struct export_stacks *s, u32 frame)
{
	u64 hash = hash_text(s->frames[frame].symbol);
	u32 at;

	HIDX_FIND(at, &s->symbol_index, hash, pos,
		  !strcmp(s->frames[pos].symbol, s->frames[frame].symbol));
	if (at != HIDX_NONE)
		return at;
	hidx__add(&s->symbol_index, hash, frame);
	return frame;
}

static u32 add_frame(struct export_stacks *s, const struct value_frame *f, u64 hash)
{
	s->frames = xgrow(s->frames, s->nframes, &s->frames_cap, sizeof(*s->frames));
	s->frames[s->nframes] = (struct value_frame){
		.symbol = keep(s, f->symbol),
		.object = keep(s, f->object),
		.kind = keep(s, f->kind),
		.path = keep(s, f->path),
		.build_id = keep(s, f->build_id),
		.start = f->start,
	};
	hidx__add(&s->index, hash, s->nframes);
	s->same = xgrow(s->same, s->nframes, &s->same_cap, sizeof(*s->same));
	s->same[s->nframes] = first_of_symbol(s, s->nframes);
	return s->nframes++;
}

static u32 frame_id(struct export_stacks *s, const struct value_frame *f)
{
	u64 hash = mix64_pair(hash_text(f->symbol), mix64_pair(hash_text(f->object), f->start));
	u32 at;

	HIDX_FIND(at, &s->index, hash, pos, same_frame(&s->frames[pos], f));
	return at == HIDX_NONE ? add_frame(s, f, hash) : at;
}

static bool is_inlined(const struct export_stacks *s, const struct export_stack *k, u32 i)
{
	return !strcmp(export_stacks__frame(s, k, i)->kind, "inlined");
}

/* The next frame from i on that counts. */
static u32 next_frame(const struct export_stacks *s, const struct export_stack *k, u32 i,
		      bool inlined)
{
	while (!inlined && i < k->n && is_inlined(s, k, i))
		i++;
	return i;
}

static u32 symbol_at(const struct export_stacks *s, const struct export_stack *k, u32 i)
{
	return s->same[s->ids[k->first + i]];
}

static u64 hash_symbols(const struct export_stacks *s, const struct export_stack *k, bool inlined)
{
	u64 hash = inlined;

	for (u32 i = 0; (i = next_frame(s, k, i, inlined)) < k->n; i++)
		hash = mix64_pair(hash, symbol_at(s, k, i));
	return hash;
}

static bool same_symbols(const struct export_stacks *s, const struct export_stack *a,
			 const struct export_stack *b, bool inlined)
{
	u32 i = next_frame(s, a, 0, inlined), j = next_frame(s, b, 0, inlined);

	while (i < a->n && j < b->n && symbol_at(s, a, i) == symbol_at(s, b, j)) {
		i = next_frame(s, a, i + 1, inlined);
		j = next_frame(s, b, j + 1, inlined);
	}
	return i == a->n && j == b->n;
}

static void take_stack(void *ctx, const struct value_frame *frames, u32 n, u64 weight)
{
	struct export_stacks *s = ctx;
	struct export_stack new = {.first = s->nids, .n = n, .weight = weight};
	u64 hash;
	u32 at;

	if (s->nids > UINT32_MAX - n)
		return;
	for (u32 i = 0; i < n; i++) {
		s->ids = xgrow(s->ids, s->nids, &s->ids_cap, sizeof(*s->ids));
		s->ids[s->nids++] = frame_id(s, &frames[i]);
	}
	hash = hash_symbols(s, &new, true);
	HIDX_FIND(at, &s->stack_index, hash, pos, same_symbols(s, &s->stacks[pos], &new, true));
	if (at != HIDX_NONE) {
		s->stacks[at].weight += weight;
		s->nids = new.first;
		return;
	}
	s->stacks = xgrow(s->stacks, s->n, &s->cap, sizeof(*s->stacks));
	s->stacks[s->n] = new;
	hidx__add(&s->stack_index, hash, s->n++);
}

/* The first stack that differs by nothing but what is inlined. */
static u32 first_of_line(const struct export_stacks *s, struct hidx *lines, u32 stack)
{
	u64 hash = hash_symbols(s, &s->stacks[stack], false);
	u32 at;

	HIDX_FIND(at, lines, hash, pos, same_symbols(s, &s->stacks[pos], &s->stacks[stack], false));
	if (at != HIDX_NONE)
		return at;
	hidx__add(lines, hash, stack);
	return stack;
}

/* Lines of folded text are rounded one by one; the stacks of a line share what it has. */
static void round_times(struct export_stacks *s)
{
	u64 *sums = xcalloc(s->n + 1, sizeof(*sums));
	struct hidx lines = {0};

	for (u32 i = 0; i < s->n; i++) {
		u64 *sum = &sums[first_of_line(s, &lines, i)], before = *sum;

		*sum += s->stacks[i].weight;
		s->stacks[i].weight = (*sum + 500) / 1000 - (before + 500) / 1000;
	}
	hidx__fini(&lines);
	free(sums);
}

/* Without those that are too light for a microsecond. */
static void sum_up(struct export_stacks *s)
{
	u32 n = 0;

	for (u32 i = 0; i < s->n; i++) {
		s->total += s->stacks[i].weight;
		if (s->stacks[i].weight)
			s->stacks[n++] = s->stacks[i];
	}
	s->n = n;
}

void export_stacks__begin(struct export_stacks *s)
{
	*s = (struct export_stacks){0};
	arena__init(&s->arena);
}

void export_stacks__add(struct export_stacks *s, const struct report *r, bool inlined)
{
	struct report asked = *r;

	asked.inlined |= inlined;
	asked.stacks(&asked, take_stack, s);
}

void export_stacks__take(struct export_stacks *s, const struct report *r, bool inlined)
{
	export_stacks__begin(s);
	export_stacks__add(s, r, inlined);
	if (r->stacks_unit == VALUE_NS)
		round_times(s);
	sum_up(s);
}

void export_stacks__fini(struct export_stacks *s)
{
	free(s->frames);
	free(s->ids);
	free(s->stacks);
	free(s->same);
	hidx__fini(&s->index);
	hidx__fini(&s->symbol_index);
	hidx__fini(&s->stack_index);
	arena__fini(&s->arena);
}

const char *export_stacks__comm(const struct export_stacks *s, const struct export_stack *k)
{
	const struct value_frame *f = k->n ? export_stacks__frame(s, k, 0) : NULL;

	return f && !strcmp(f->kind, "comm") ? f->symbol : "";
}
