// SPDX-License-Identifier: GPL-2.0-only
/* The model of a list: lines in, snapshots out. */
#include "models/ask_lines.h"

#include "models/ask_lines_impl.h"
#include "models/snap_box.h"

#define CHUNKS_MAX 1024

struct pending {
	struct ask_line line;
	u32 stack; /* position */
};

struct ask_lines {
	const struct measure *m;
	struct symbols *symbols;
	struct stacks stacks;
	/* Of the interval that ends: a ring, oldest at first. */
	struct pending *pending;
	u32 first, n, cap;
	struct arena arena;			    /* of what pending lines point to */
	const struct ask_chunk *chunks[CHUNKS_MAX]; /* oldest first; references */
	u32 nchunks, kept;			    /* kept: lines in chunks */
	u64 since_ns, dropped;
};

/* --- chunks --- */

const struct ask_chunk *ask_chunk__get(const struct ask_chunk *c)
{
	atomic_fetch_add_explicit(&((struct ask_chunk *)c)->refs, 1, memory_order_relaxed);
	return c;
}

void ask_chunk__put(const struct ask_chunk *of)
{
	struct ask_chunk *c = (struct ask_chunk *)of;

	if (atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) != 1)
		return;
	stack_store__put(c->store);
	arena__fini(&c->arena);
	free(c);
}

static int by_time(const void *a, const void *b)
{
	u64 x = ((const struct ask_line *)a)->t_ns, y = ((const struct ask_line *)b)->t_ns;

	return x < y ? -1 : x > y;
}

/* Of the pending lines, which are none afterwards. */
static const struct ask_chunk *new_chunk(struct ask_lines *l, u64 t1_ns)
{
	struct ask_chunk *c = xcalloc(1, sizeof(*c));
	struct ask_line *lines;

	atomic_init(&c->refs, 1);
	c->arena = l->arena;
	arena__init(&l->arena);
	c->store = stack_store__get(l->stacks.store);
	c->t1_ns = t1_ns;
	c->n = l->n;
	lines = arena__array(&c->arena, struct ask_line, l->n);
	for (u32 i = 0; i < l->n; i++) {
		const struct pending *p = &l->pending[(l->first + i) % l->cap];

		lines[i] = p->line;
		lines[i].stack = stacks__at(&l->stacks, p->stack);
	}
	qsort(lines, l->n, sizeof(*lines), by_time);
	c->lines = lines;
	l->first = l->n = 0;
	return c;
}

static void drop_oldest(struct ask_lines *l)
{
	l->kept -= l->chunks[0]->n;
	ask_chunk__put(l->chunks[0]);
	memmove(l->chunks, l->chunks + 1, --l->nchunks * sizeof(l->chunks[0]));
}

/* --- slots of time --- */

u64 ask_line__count(const struct ask_line *l)
{
	u64 count = 0;

	for (u32 i = 0; i < ASK_FIELDS; i++)
		if (l->has & 1u << i)
			count += l->values[i].value;
	return count;
}

static int fuller(const void *a, const void *b)
{
	u64 x = ask_line__count(a), y = ask_line__count(b);

	return x > y ? -1 : x < y;
}

static struct measure_key *copy_values(struct arena *arena, const struct ask_line *l, u32 nfields)
{
	struct measure_key *v = arena__array(arena, struct measure_key, nfields + 1);

	for (u32 i = 0; i < nfields; i++)
		if (l->has & 1u << i)
			v[i] = (struct measure_key){l->values[i].value, arena__strdup(arena, l->values[i].text)};
	return v;
}

/* The fullest of @of, which loses a reference. */
static const struct ask_chunk *thin_chunk(const struct ask_lines *l, const struct ask_chunk *of)
{
	struct ask_line *lines = xmalloc(of->n * sizeof(*lines)), *kept;
	struct ask_chunk *c = xcalloc(1, sizeof(*c));

	memcpy(lines, of->lines, of->n * sizeof(*lines));
	qsort(lines, of->n, sizeof(*lines), fuller);
	atomic_init(&c->refs, 1);
	arena__init(&c->arena);
	c->store = stack_store__get(of->store);
	c->t1_ns = of->t1_ns;
	c->n = ASK_SLOTS_FULLEST;
	c->lines = kept = arena__array(&c->arena, struct ask_line, c->n);
	for (u32 i = 0; i < c->n; i++) {
		kept[i] = lines[i];
		kept[i].event = arena__strdup(&c->arena, lines[i].event);
		kept[i].values = copy_values(&c->arena, &lines[i], measure__form(l->m)->nfields);
	}
	qsort(kept, c->n, sizeof(*kept), by_time);
	free(lines);
	ask_chunk__put(of);
	return c;
}

static void thin_before(struct ask_lines *l)
{
	u32 at = l->nchunks - ASK_SLOTS_WHOLE - 1;

	if (l->nchunks <= ASK_SLOTS_WHOLE || l->chunks[at]->n <= ASK_SLOTS_FULLEST)
		return;
	l->kept -= l->chunks[at]->n - ASK_SLOTS_FULLEST;
	l->chunks[at] = thin_chunk(l, l->chunks[at]);
}

static void add_chunk(struct ask_lines *l, u64 t1_ns)
{
	if (!l->n)
		return;
	while (l->nchunks && (l->nchunks == CHUNKS_MAX || l->kept + l->n > ASK_LINES_KEPT))
		drop_oldest(l);
	l->kept += l->n;
	l->chunks[l->nchunks++] = new_chunk(l, t1_ns);
	if (measure__form(l->m)->lists == ASK_SLOTS)
		thin_before(l);
}

/* --- samples --- */

/* As a ring: the oldest makes room. */
static struct pending *next_place(struct ask_lines *l)
{
	if (l->n == ASK_LINES_INTERVAL) {
		struct pending *p = &l->pending[l->first];

		l->first = (l->first + 1) % l->cap;
		l->dropped++;
		return p;
	}
	if (l->n == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 256;
		l->pending = xrealloc(l->pending, l->cap * sizeof(*l->pending));
	}
	return &l->pending[l->n++];
}

static void consume_line(struct ask_lines *l, const struct ask_line_sample *s)
{
	u32 n = MIN(s->nvalues, measure__form(l->m)->nfields);
	struct measure_key *values;
	struct pending *p;

	l->dropped += s->lost;
	/* Texts of lines that went stay until the interval's end: that is enough of them. */
	if (l->arena.bytes > ASK_LINES_BYTES) {
		l->dropped++;
		return;
	}
	values = arena__array(&l->arena, struct measure_key, n + 1);
	p = next_place(l);
	for (u32 i = 0; i < n; i++) {
		values[i].value = s->values[i].value;
		values[i].text =
			*s->values[i].text ? arena__strdup(&l->arena, s->values[i].text) : "";
	}
	p->line = (struct ask_line){
		.t_ns = s->t_ns,
		.lost = s->lost,
		.who = s->who,
		.cpu = s->cpu,
		.has = s->has & ((1u << n) - 1),
		.event = arena__strdup(&l->arena, s->event),
		.values = values,
	};
	p->stack = stacks__find(&l->stacks, s->stack, s->who.tgid);
}

static void move_stacks(void *ctx, struct stacks *to, const struct stacks *from)
{
	struct ask_lines *l = ctx;

	for (u32 i = 0; i < l->n; i++) {
		struct pending *p = &l->pending[(l->first + i) % l->cap];

		p->stack = stacks__move(to, from, p->stack);
	}
}

void ask_lines__consume(struct ask_lines *l, const struct sample *s)
{
	const struct stacks_user user = {.ctx = l, .move = move_stacks};

	if (s->type == SAMPLE_ASK_LINE)
		consume_line(l, container_of(s, struct ask_line_sample, head));
	else
		stacks__consume(&l->stacks, s, &user);
}

/* --- intervals --- */

static void put_chunks(void *snap)
{
	struct ask_lines_snap *s = snap;

	for (u32 i = 0; i < s->nchunks; i++)
		ask_chunk__put(s->chunks[i]);
}

const struct ask_lines_snap *ask_lines__tick(struct ask_lines *l, u64 t0_ns, u64 t1_ns)
{
	struct arena *arena;
	struct ask_lines_snap *snap = snap_box__new(sizeof(*snap), t0_ns, t1_ns, &arena);
	const struct ask_chunk **chunks;

	if (!l->since_ns)
		l->since_ns = t0_ns;
	add_chunk(l, t1_ns);
	chunks = arena__array(arena, const struct ask_chunk *, l->nchunks + 1);
	for (u32 i = 0; i < l->nchunks; i++)
		chunks[i] = ask_chunk__get(l->chunks[i]);
	snap->measure = l->m;
	snap->symbols = l->symbols;
	snap->since_ns = l->since_ns;
	snap->dropped = l->dropped;
	snap->chunks = chunks;
	snap->nchunks = l->nchunks;
	snap_box__hold(snap, put_chunks, snap);
	return snap;
}

void ask_lines__zero(struct ask_lines *l)
{
	while (l->nchunks)
		drop_oldest(l);
	arena__fini(&l->arena);
	arena__init(&l->arena);
	l->first = l->n = 0;
	l->since_ns = l->dropped = 0;
}

struct ask_lines *ask_lines__new(const struct measure *m, struct symbols *symbols)
{
	struct ask_lines *l = xcalloc(1, sizeof(*l));

	l->m = m;
	l->symbols = symbols;
	arena__init(&l->arena);
	stacks__init(&l->stacks, symbols);
	return l;
}

void ask_lines__free(struct ask_lines *l)
{
	ask_lines__zero(l);
	arena__fini(&l->arena);
	stacks__fini(&l->stacks);
	free(l->pending);
	free(l);
}

size_t ask_lines__memory(const struct ask_lines *l)
{
	return sizeof(*l) + stacks__bytes(&l->stacks) + l->cap * sizeof(*l->pending) +
	       l->kept * (sizeof(struct ask_line) + 256);
}
