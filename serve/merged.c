// SPDX-License-Identifier: GPL-2.0-only
#include "serve/merged.h"

#include "base/arena.h"

static bool is_inlined(const struct value_frame *f)
{
	return !strcmp(f->kind, "inlined");
}

static void emit_stacks(const struct report *r,
			void (*emit)(void *ctx, const struct value_frame *frames, u32 n, u64 weight),
			void *ctx)
{
	const struct merged *m = container_of(r->stacks_of, struct merged, stacks);
	struct value_frame *frames = NULL;
	u32 cap = 0;

	for (u32 i = 0; i < m->stacks.n; i++) {
		const struct export_stack *k = &m->stacks.stacks[i];
		u32 n = 0;

		for (u32 j = 0; j < k->n; j++) {
			const struct value_frame *f = export_stacks__frame(&m->stacks, k, j);

			if (is_inlined(f) && !r->inlined)
				continue;
			frames = xgrow(frames, n, &cap, sizeof(*frames));
			frames[n++] = *f;
		}
		emit(ctx, frames, n, k->weight);
	}
	free(frames);
}

void merged__init(struct merged *m)
{
	*m = (struct merged){0};
	export_stacks__begin(&m->stacks);
}

void merged__fini(struct merged *m)
{
	export_stacks__fini(&m->stacks);
	free(m->scope);
}

static void take_first(struct merged *m, const struct report *r)
{
	static const struct row_table no_rows;

	m->scope = xstrdup(r->scope ? r->scope : "");
	m->report = (struct report){
		.view = r->view,
		.t0_ns = r->t0_ns,
		.scope = m->scope,
		.rows = &no_rows,
		.asked = &no_rows,
		.stacks = emit_stacks,
		.stacks_of = &m->stacks,
		.stacks_unit = r->stacks_unit,
		.stacks_noun = r->stacks_noun,
	};
}

void merged__add(struct merged *m, const struct report *r)
{
	if (!m->n++)
		take_first(m, r);
	m->report.t1_ns = r->t1_ns;
	m->report.health = r->health;
	export_stacks__add(&m->stacks, r, true);
}
