/* SPDX-License-Identifier: GPL-2.0-only */
/* Feeds a sched model by hand or at random; include after fake_symbols.h. */
#ifndef TESTS_LIB_SCHED_BUILDER_H
#define TESTS_LIB_SCHED_BUILDER_H

#include "models/model.h"
#include "models/sched.h"

struct sched_builder {
	struct symbols *symbols;
	struct model *model;
	u64 now_ns, seed;
};

static inline void sched_builder__init(struct sched_builder *m)
{
	*m = (struct sched_builder){.symbols = fake_symbols__new(), .now_ns = 1000 * NSEC_PER_SEC};
	m->model = model_sched.new(m->symbols);
}

static inline void sched_builder__fini(struct sched_builder *m)
{
	model_sched.free(m->model);
	fake_symbols__free(m->symbols);
}

/* For tests: one that is borrowed. */
static inline int sched_builder__setup(void **state)
{
	static struct sched_builder m;

	sched_builder__init(&m);
	*state = &m;
	return 0;
}

static inline int sched_builder__teardown(void **state)
{
	sched_builder__fini(*state);
	return 0;
}

static inline u32 sched_builder__random(struct sched_builder *m, u32 below)
{
	m->seed = mix64(m->seed + 0x9e3779b97f4a7c15ULL);
	return (u32)((m->seed >> 32) * below >> 32);
}

/* A thread that ran and slept for so many nanoseconds; the rest is the caller's. */
static inline struct task_sample sched_builder__task(u32 tgid, u32 tid, u64 on, u64 sleep)
{
	return (struct task_sample){
		.head.type = SAMPLE_TASK,
		.task = {.tgid = tgid, .tid = tid, .start_ns = tid, .comm = "task"},
		.span_ns = on + sleep,
		.state_ns = {[TASK_STATE_RUNNING] = on, [TASK_STATE_SLEEP] = sleep},
		.state = TASK_STATE_SLEEP,
		.runs = on ? 1 : 0,
	};
}

static inline void sched_builder__put(struct sched_builder *m, const struct task_sample *s)
{
	model_sched.consume(m->model, &s->head);
}

static inline void sched_builder__stack(struct sched_builder *m, u64 hash, bool kernel, u32 nlocs,
					const u32 *locs)
{
	u64 ips[STACKS_MAX_FRAMES];
	struct stack_def d = {.head.type = SAMPLE_STACK_DEF,
			      .hash = hash,
			      .nkernel = kernel ? nlocs : 0,
			      .nuser = kernel ? 0 : nlocs,
			      .named = true,
			      .ips = ips};

	for (u32 i = 0; i < nlocs; i++)
		ips[i] = locs[i];
	model_sched.consume(m->model, &d.head);
}

static inline void sched_builder__delay(struct sched_builder *m, const struct delay_sample *sample)
{
	struct delay_sample s = *sample;

	s.head.type = SAMPLE_DELAY;
	model_sched.consume(m->model, &s.head);
}

static inline const struct sched_snap *sched_builder__tick(struct sched_builder *m, u64 dt_ns)
{
	struct snap *s = model_sched.tick(m->model, m->now_ns, m->now_ns + dt_ns);

	m->now_ns += dt_ns;
	return container_of(s, struct sched_snap, base);
}

static inline const struct sched_task *sched_builder__find(const struct sched_snap *s, u32 tid,
							   u64 start_ns)
{
	for (u32 i = 0; i < s->ntasks; i++)
		if (s->tasks[i].task.tid == tid && s->tasks[i].task.start_ns == start_ns)
			return &s->tasks[i];
	return NULL;
}

#endif
