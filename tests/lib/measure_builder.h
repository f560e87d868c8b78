/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples of measures for tests of the model and its queries: what is put is what has to be found.
 * Include after tests/lib/fake_symbols.h.
 */
#ifndef TESTS_LIB_MEASURE_BUILDER_H
#define TESTS_LIB_MEASURE_BUILDER_H

#include "models/measure.h"
#include "models/model.h"

#define US 1000ULL
#define MS NSEC_PER_MSEC

struct measure_builder {
	struct symbols *symbols;
	const struct model_ops *ops;
	struct model *model;
	u64 now_ns, seed;
	u64 nstacks;
};

static inline void measure_builder__begin_with(struct measure_builder *m, const struct model_ops *ops)
{
	*m = (struct measure_builder){
		.symbols = fake_symbols__new(), .ops = ops, .now_ns = 1000 * NSEC_PER_SEC};
	m->model = m->ops->new (m->symbols);
}

static inline void measure_builder__begin(struct measure_builder *m)
{
	measure_builder__begin_with(m, &model_measure_syscalls);
}

static inline void measure_builder__end(struct measure_builder *m)
{
	m->ops->free(m->model);
	fake_symbols__free(m->symbols);
}

static inline struct measure_who someone(u32 pid, u32 tid, const char *comm)
{
	struct measure_who w = {
		.start_ns = 1000 + tid, .process_ns = 1000 + pid, .cgroup = pid % 3, .tgid = pid, .tid = tid};

	copy_str(w.comm, sizeof(w.comm), comm);
	copy_str(w.process, sizeof(w.process), comm);
	return w;
}

/* What was counted together, by its values. */
struct counted {
	struct measure_who who;
	const char *call, *error, *path; /* NULL: "" */
	bool waits;
	const u64 *ns;
	u32 n;
	u64 stack; /* it stands for all of them; 0: none */
};

static inline void put_counted(struct measure_builder *m, const struct counted *k)
{
	const struct measure_key keys[] = {
		{1, k->call ? k->call : ""}, {2, k->error ? k->error : ""}, {3, k->path ? k->path : ""}};
	u32 hist[MEASURE_BUCKETS] = {0};
	struct measure_sample s = {.head.type = SAMPLE_MEASURE,
				   .who = k->who,
				   .waits = k->waits,
				   .keys = keys,
				   .nkeys = 3,
				   .count = k->n,
				   .errors = k->error ? k->n : 0,
				   .min = UINT64_MAX,
				   .hist = hist};

	for (u32 i = 0; i < k->n; i++) {
		s.sum += k->ns[i];
		s.min = MIN(s.min, k->ns[i]);
		s.max = MAX(s.max, k->ns[i]);
		hist[loglin__bucket(k->ns[i] >> MEASURE_NS_SHIFT, MEASURE_SUB_SHIFT,
				    MEASURE_BUCKETS)]++;
	}
	m->ops->consume(m->model, &s.head);
	s.sampled = true;
	s.stack = k->stack;
	m->ops->consume(m->model, &s.head);
}

/* n of so long each. */
static inline void put_some(struct measure_builder *m, struct measure_who who, const char *call, u32 n,
			    u64 ns)
{
	u64 values[256];

	for (u32 i = 0; i < ARRAY_SIZE(values); i++)
		values[i] = ns;
	while (n) {
		u32 part = MIN(n, (u32)ARRAY_SIZE(values));

		put_counted(m, &(struct counted){.who = who, .call = call, .ns = values, .n = part});
		n -= part;
	}
}

static inline void put_open(struct measure_builder *m, struct measure_who who, const char *call,
			    bool waits, u64 age_ns)
{
	const struct measure_key keys[] = {{1, call}, {0, ""}, {0, ""}};
	struct measure_open_sample s = {.head.type = SAMPLE_MEASURE_OPEN,
					.waits = waits,
					.who = who,
					.keys = keys,
					.nkeys = 3,
					/* At the interval's end it is that old. */
					.begin_ns = m->now_ns + NSEC_PER_SEC - age_ns};

	m->ops->consume(m->model, &s.head);
}

static inline void put_slow(struct measure_builder *m, struct measure_who who, const char *call, u64 ns,
			    u64 t_ns, u64 stack)
{
	const struct measure_key keys[] = {{1, call}, {0, ""}, {0, ""}};
	struct measure_slow_sample s = {.head.type = SAMPLE_MEASURE_SLOW,
					.who = who,
					.keys = keys,
					.nkeys = 3,
					.t_ns = t_ns,
					.ns = ns,
					.stack = stack};

	m->ops->consume(m->model, &s.head);
}

/* A stack of leaf < work < main; returns its hash. */
static inline u64 put_stack(struct measure_builder *m, const char *leaf)
{
	static const char *const callers[] = {"work", "main"};
	u64 ips[3] = {symbols__named(m->symbols, "prog", leaf, CODE_USER)};
	struct stack_def def = {.head.type = SAMPLE_STACK_DEF,
				.hash = hash_bytes(leaf, strlen(leaf)) | 1,
				.nuser = 3,
				.named = true,
				.ips = ips};

	for (u32 i = 0; i < 2; i++)
		ips[i + 1] = symbols__named(m->symbols, "prog", callers[i], CODE_USER);
	m->ops->consume(m->model, &def.head);
	return def.hash;
}

static inline struct measure_snap *measure_tick_of(struct measure_builder *m, u64 ns)
{
	struct snap *s = m->ops->tick(m->model, m->now_ns, m->now_ns + ns);

	m->now_ns += ns;
	return container_of(s, struct measure_snap, base);
}

static inline struct measure_snap *measure_tick(struct measure_builder *m)
{
	return measure_tick_of(m, NSEC_PER_SEC);
}

static inline u32 random_below(struct measure_builder *m, u32 below)
{
	m->seed = mix64(m->seed + 0x9e3779b97f4a7c15ULL);
	return (u32)((m->seed >> 32) * below >> 32);
}

/* --- answers --- */

static inline struct value cell_of(const struct row_table *t, u32 row, const char *name)
{
	struct value v = {0};

	for (u32 i = 0; i < t->ncolumns; i++)
		if (t->columns[i].name && !strcmp(t->columns[i].name, name) && t->cell(t, row, i, &v))
			return v;
	return (struct value){0};
}

static inline bool has_column(const struct row_table *t, const char *name)
{
	for (u32 i = 0; i < t->ncolumns; i++)
		if (t->columns[i].name && !strcmp(t->columns[i].name, name))
			return true;
	return false;
}

/* The row with this text in a column; UINT32_MAX: there is none. */
static inline u32 row_with(const struct row_table *t, const char *column, const char *text)
{
	for (u32 i = 0; i < t->nrows; i++) {
		struct value v = cell_of(t, i, column);

		if (v.type == VALUE_TEXT && !strcmp(v.s, text))
			return i;
	}
	return UINT32_MAX;
}

#endif
