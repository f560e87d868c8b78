/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A flame graph of so many distinct stacks: flame_bench STACKS COLUMNS ROWS. Prints the
 * milliseconds to merge them into a tree (which the query worker does), to find a search's share
 * in it, and to draw it (which the UI does), each the best of some runs, and the tree's nodes.
 */
#include <locale.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/clock.h"
#include "models/flame.h"
#include "widgets/flame.h"

#define FUNCS 8000
#define DEPTH 28
#define RUNS  9

struct bench {
	struct symbols *symbols;
	struct arena arena;
	struct profile_snap snap;
	u32 locs[FUNCS];
};

static void name_functions(struct bench *b)
{
	char object[32], func[64];

	for (u32 i = 0; i < FUNCS; i++) {
		bool kernel = i % 4 == 0;

		snprintf(object, sizeof(object), kernel ? "[kernel]" : "lib%u.so.1", i % 40);
		snprintf(func, sizeof(func), "function_%u_of_some_length", i);
		b->locs[i] =
			symbols__named(b->symbols, object, func, kernel ? CODE_KERNEL : CODE_USER);
	}
}

/* A tree that branches early and late, as programs do; each stack differs from the others. */
static const struct callstack *make_stack(struct bench *b, u32 n)
{
	struct callstack *s = arena__alloc(&b->arena, sizeof(*s) + DEPTH * sizeof(*s->locs));
	u64 path = 0;

	s->nuser = DEPTH - 8;
	s->nkernel = 8;
	for (u32 d = 0; d < DEPTH; d++) {
		if (d == 3 || d == 9 || d == 15 || d == 20 || d >= DEPTH - 2)
			path = mix64_pair(path, mix64(n + d) % (d < 12 ? 6 : 60));
		s->locs[DEPTH - 1 - d] = b->locs[mix64_pair(path, d) % FUNCS];
	}
	s->locs[0] = b->locs[n % FUNCS];
	return s;
}

static void make_snap(struct bench *b, u32 n)
{
	struct profile_entry *entries = arena__array(&b->arena, struct profile_entry, n);
	static const char comms[4][COMM_LEN] = {"orders", "stock", "java", "postgres"};

	for (u32 i = 0; i < n; i++) {
		entries[i] = (struct profile_entry){.stack = make_stack(b, i), .comm = i % 4};
		entries[i].count[WINDOW_LAST] = 1 + mix64(i) % 30;
	}
	b->snap = (struct profile_snap){.symbols = b->symbols,
					.nentries = n,
					.entries = entries,
					.comms = comms,
					.ncomms = 4};
	atomic_store(&b->snap.base.refs, 1000);
}

static struct flame_result *build(struct bench *b, const char *search)
{
	struct profile_query p = {.groups = GROUP_BIT(GROUP_SYMBOL), .user = true, .kernel = true};
	const struct snap *snaps[FLAME_PARTS] = {&b->snap.base};
	struct flame_query q;

	flame_query__init(&q, &flame_profile, &p);
	copy_str(q.search, sizeof(q.search), search);
	return flame__build(snaps, (double[FLAME_PARTS]){0}, &q, NULL);
}

static void box(const void *of, u32 i, struct flame_box *out)
{
	const struct flame_result *a = of;
	const struct flame_node *n = &a->nodes[i];

	*out = (struct flame_box){.start = n->start,
				  .value = n->value,
				  .parent = n->parent,
				  .end = n->end,
				  .depth = n->depth,
				  .hue = FLAME_HUE_USER,
				  .shade = a->frames[n->frame].shade,
				  .name = a->frames[n->frame].name};
}

static double best(double now, u64 from_ns)
{
	double ms = (double)(clock__monotonic_ns() - from_ns) / 1e6;

	return now > 0 && now < ms ? now : ms;
}

int main(int argc, char **argv)
{
	u32 n = argc > 1 ? (u32)atoi(argv[1]) : 100000;
	int w = argc > 2 ? atoi(argv[2]) : 160, h = argc > 3 ? atoi(argv[3]) : 45;
	double build_ms = 0, search_ms = 0, draw_ms = 0;
	struct status st = {0};
	struct bench b = {.symbols = symbols__new(&st)};
	struct flame_result *a = NULL;
	struct canvas c;

	setlocale(LC_CTYPE, "C.UTF-8");
	name_functions(&b);
	make_snap(&b, n);
	canvas__init(&c, w, h, false);
	for (int i = 0; i < RUNS; i++) {
		u64 t = clock__monotonic_ns();

		query_result__free(a ? &a->base : NULL);
		a = build(&b, "");
		build_ms = best(build_ms, t);
		t = clock__monotonic_ns();
		flame__matched(a, 0);
		search_ms = best(search_ms, t);
		t = clock__monotonic_ns();
		flame__draw(
			&(struct flame_graph){
				.box = box, .of = a, .n = a->nnodes, .selected = FLAME_NO_BOX},
			&c, canvas__rect(&c));
		draw_ms = best(draw_ms, t);
	}
	printf("%.3f %.3f %.3f %u %llu\n", build_ms, search_ms, draw_ms, a->nnodes,
	       (unsigned long long)a->stacks);
	query_result__free(&a->base);
	canvas__fini(&c);
	arena__fini(&b.arena);
	symbols__free(b.symbols);
	return 0;
}
