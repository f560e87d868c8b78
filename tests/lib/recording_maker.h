/* SPDX-License-Identifier: GPL-2.0-only */
/* Small recordings for tests: some intervals with stacks and samples of several types. Include
 * after tests/lib/scratch.h. */
#ifndef TESTS_LIB_RECORDING_MAKER_H
#define TESTS_LIB_RECORDING_MAKER_H

#include "recording/reader.h"
#include "recording/recorder.h"

#define MAKER_T0      (1000 * NSEC_PER_SEC)
#define MAKER_SAMPLES 4 /* stack samples an interval */

static const struct recording_note maker_notes[] = {
	{NOTE_HOST, "web-03"}, {NOTE_KERNEL, "6.1.0"}, {NULL, NULL}};

struct maker {
	struct symbols *symbols;
	struct tap *tap;
	u64 t_ns;
	u64 suspended_ns; /* in the next interval */
	u32 intervals;
};

static inline void maker__put(struct maker *m, u64 models, const struct sample *s)
{
	m->tap->ops->put(m->tap, models, s);
}

/* Defines the stack main > work > leafN; returns its hash. */
static inline u64 maker__stack(struct maker *m, u32 n)
{
	char leaf[16];
	u64 ips[3];
	struct stack_def def = {.head.type = SAMPLE_STACK_DEF,
				.hash = 100 + n,
				.nuser = 3,
				.named = true,
				.ips = ips};

	snprintf(leaf, sizeof(leaf), "leaf%u", n);
	ips[0] = symbols__named(m->symbols, "prog", leaf, CODE_USER);
	ips[1] = symbols__named(m->symbols, "prog", "work", CODE_USER);
	ips[2] = symbols__named(m->symbols, "prog", "main", CODE_USER);
	maker__put(m, 1u << MODEL_PROFILE, &def.head);
	return def.hash;
}

static inline void maker__sample(struct maker *m, u32 n)
{
	struct stack_sample s = {.head.type = SAMPLE_STACK,
				 .stack = maker__stack(m, n),
				 .tgid = 10 + n,
				 .tid = 20 + n,
				 .cpu = n,
				 .count = 1 + n,
				 .weight = 1000,
				 .t_ns = m->t_ns + n};

	snprintf(s.comm, sizeof(s.comm), "prog%u", n);
	maker__put(m, 1u << MODEL_PROFILE, &s.head);
}

static inline void maker__end_interval(struct maker *m)
{
	struct tape_interval iv = {.t1_ns = m->t_ns + NSEC_PER_SEC,
				   .models = 1u << MODEL_PROFILE | 1u << MODEL_VITALS,
				   .self_cpu_pct = 1.5};

	iv.v[MODEL_PROFILE].t0_ns = iv.v[MODEL_VITALS].t0_ns = m->t_ns;
	iv.v[MODEL_PROFILE].health = (struct health){
		.samples = 10, .samples_total = 10 * (m->intervals + 1), .lost = 3, .tier = "bpf"};
	iv.v[MODEL_PROFILE].health.gap.suspended_ns = m->suspended_ns;
	m->tap->ops->end_interval(m->tap, &iv);
	m->t_ns = iv.t1_ns;
	m->suspended_ns = 0;
	m->intervals++;
}

static inline void maker__interval(struct maker *m)
{
	struct vitals_sample v = {.head.type = SAMPLE_VITALS,
				  .vitals = {.ncpus = 2, .load1 = 0.75, .has_psi = true}};

	maker__put(m, 1u << MODEL_VITALS, &v.head);
	for (u32 n = 0; n < MAKER_SAMPLES; n++)
		maker__sample(m, n);
	maker__end_interval(m);
}

static inline void maker__begin(struct maker *m, const char *path)
{
	struct status st = {0};

	*m = (struct maker){.symbols = symbols__new(&st), .t_ns = MAKER_T0};
	m->tap = recorder__new(&(struct recorder_config){.path = path,
							 .symbols = m->symbols,
							 .notes = maker_notes},
			       &st);
	if (!m->tap)
		die("%s", st.msg);
}

static inline void maker__finish(struct maker *m)
{
	m->tap->ops->close(m->tap);
	symbols__free(m->symbols);
}

#endif
