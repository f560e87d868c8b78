/* SPDX-License-Identifier: GPL-2.0-only */
/* Small recordings for tests: some intervals with stacks and samples of several types. Include
 * after tests/lib/scratch.h. */
#ifndef TESTS_LIB_RECORDING_BUILDER_H
#define TESTS_LIB_RECORDING_BUILDER_H

#include "recording/reader.h"
#include "recording/recorder.h"

#define MAKER_T0      (1000 * NSEC_PER_SEC)
#define MAKER_SAMPLES 4 /* stack samples an interval */

static const struct recording_note builder_notes[] = {
	{NOTE_HOST, "web-03"}, {NOTE_KERNEL, "6.1.0"}, {NULL, NULL}};

struct builder {
	struct symbols *symbols;
	struct record_sink *sink;
	u64 t_ns;
	u64 suspended_ns; /* in the next interval */
	u32 intervals;
};

static inline void builder__put(struct builder *m, u64 models, const struct sample *s)
{
	m->sink->ops->put(m->sink, models, s);
}

/* Defines the stack main > work > leafN, known to be whole where N is odd; returns its hash. */
static inline u64 builder__stack(struct builder *m, u32 n)
{
	char leaf[16];
	u64 ips[3];
	struct stack_def def = {.head.type = SAMPLE_STACK_DEF,
				.hash = 100 + n,
				.nuser = 3,
				.named = true,
				.whole = n % 2,
				.ips = ips};

	snprintf(leaf, sizeof(leaf), "leaf%u", n);
	ips[0] = symbols__named(m->symbols, "prog", leaf, CODE_USER);
	ips[1] = symbols__named(m->symbols, "prog", "work", CODE_USER);
	ips[2] = symbols__named(m->symbols, "prog", "main", CODE_USER);
	builder__put(m, 1u << MODEL_PROFILE, &def.head);
	return def.hash;
}

static inline void builder__sample(struct builder *m, u32 n)
{
	struct stack_sample s = {.head.type = SAMPLE_STACK,
				 .stack = builder__stack(m, n),
				 .tgid = 10 + n,
				 .tid = 20 + n,
				 .cpu = n,
				 .count = 1 + n,
				 .weight = 1000,
				 .t_ns = m->t_ns + n};

	snprintf(s.comm, sizeof(s.comm), "prog%u", n);
	builder__put(m, 1u << MODEL_PROFILE, &s.head);
}

static inline void builder__end_interval(struct builder *m)
{
	struct record_interval iv = {.t1_ns = m->t_ns + NSEC_PER_SEC,
				     .models = 1u << MODEL_PROFILE | 1u << MODEL_VITALS,
				     .self_cpu_pct = 1.5};

	iv.v[MODEL_PROFILE].t0_ns = iv.v[MODEL_VITALS].t0_ns = m->t_ns;
	iv.v[MODEL_PROFILE].health = (struct health){
		.samples = 10, .samples_total = 10 * (m->intervals + 1), .lost = 3, .tier = "bpf"};
	iv.v[MODEL_PROFILE].health.gap.suspended_ns = m->suspended_ns;
	m->sink->ops->end_interval(m->sink, &iv);
	m->t_ns = iv.t1_ns;
	m->suspended_ns = 0;
	m->intervals++;
}

static inline void builder__interval(struct builder *m)
{
	struct vitals_sample v = {.head.type = SAMPLE_VITALS,
				  .vitals = {.ncpus = 2, .load1 = 0.75, .has_psi = true}};

	builder__put(m, 1u << MODEL_VITALS, &v.head);
	for (u32 n = 0; n < MAKER_SAMPLES; n++)
		builder__sample(m, n);
	builder__end_interval(m);
}

static inline void builder__begin(struct builder *m, const char *path)
{
	struct status st = {0};

	*m = (struct builder){.symbols = symbols__new(&st), .t_ns = MAKER_T0};
	m->sink = recorder__new(&(struct recorder_config){.path = path,
							  .symbols = m->symbols,
							  .notes = builder_notes},
				&st);
	if (!m->sink)
		die("%s", st.msg);
}

static inline void builder__finish(struct builder *m)
{
	m->sink->ops->close(m->sink);
	symbols__free(m->symbols);
}

#endif
