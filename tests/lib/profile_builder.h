/* SPDX-License-Identifier: GPL-2.0-only */
/* Feeds a profile model by hand or at random; include after fake_symbols.h. */
#ifndef TESTS_LIB_PROFILE_BUILDER_H
#define TESTS_LIB_PROFILE_BUILDER_H

#include "models/model.h"
#include "models/profile.h"

struct builder {
	u32 hosts; /* that random samples are of; 0: of the only one */
	struct symbols *symbols;
	struct model *model;
	u64 now_ns, next_hash;
	u64 seed;
	u64 samples; /* put since the last tick */
};

static inline void builder__init(struct builder *m, u64 seed)
{
	*m = (struct builder){.symbols = fake_symbols__new(), .now_ns = NSEC_PER_SEC, .seed = seed};
	m->model = model_profile.new(m->symbols);
}

static inline void builder__fini(struct builder *m)
{
	model_profile.free(m->model);
	fake_symbols__free(m->symbols);
}

static inline u32 builder__random(struct builder *m, u32 below)
{
	m->seed = mix64(m->seed + 0x9e3779b97f4a7c15ULL);
	return (u32)((m->seed >> 32) * below >> 32);
}

static inline void builder__def(struct builder *m, const struct stack_def *def)
{
	struct stack_def d = *def;

	d.head.type = SAMPLE_STACK_DEF;
	model_profile.consume(m->model, &d.head);
}

/* A stack of named locs; returns its hash. */
static inline u64 builder__stack(struct builder *m, u32 nkernel, u32 nuser, const u32 *locs)
{
	u64 ips[STACKS_MAX_FRAMES];
	u64 hash = ++m->next_hash;

	for (u32 i = 0; i < nkernel + nuser; i++)
		ips[i] = locs[i];
	builder__def(m, &(struct stack_def){.hash = hash,
					    .nkernel = nkernel,
					    .nuser = nuser,
					    .named = true,
					    .ips = ips});
	return hash;
}

static inline void builder__sample(struct builder *m, const struct stack_sample *sample)
{
	struct stack_sample s = *sample;

	s.head.type = SAMPLE_STACK;
	model_profile.consume(m->model, &s.head);
	m->samples += s.count;
}

static inline void builder__put(struct builder *m, u64 stack, u32 tgid, u64 count)
{
	builder__sample(m, &(struct stack_sample){.stack = stack,
						  .tgid = tgid,
						  .tid = tgid,
						  .count = count,
						  .weight = count * 1000,
						  .comm = "task"});
}

static inline const struct profile_snap *builder__tick(struct builder *m, u64 dt_ns)
{
	struct snap *s = model_profile.tick(m->model, m->now_ns, m->now_ns + dt_ns);

	m->now_ns += dt_ns;
	m->samples = 0;
	return container_of(s, struct profile_snap, base);
}

/* A few objects of all kinds with functions; some locs are pending, unknown or inlined. */
static inline void builder__random_code(struct builder *m)
{
	static const char *const objects[] = {"[kernel]", "prog", "libc.so.6", "[jit] app:7",
					      "[vdso]"};
	static const enum code_kind kinds[] = {CODE_KERNEL, CODE_USER, CODE_USER, CODE_JIT,
					       CODE_VDSO};
	static const char *const names[] = {"main", "f", "g", "h;x", "memcpy", "read", "poll"};
	struct symbols *s = m->symbols;

	for (u32 i = 0; i < ARRAY_SIZE(objects); i++)
		fake__object(s, objects[i], kinds[i]);
	for (u32 i = 0; i < 24; i++)
		fake__func(s, 1 + builder__random(m, ARRAY_SIZE(objects)),
			   names[builder__random(m, ARRAY_SIZE(names))],
			   builder__random(m, 4) ? 0 : FUNC_OUTERMOST);
	for (u32 i = 0; i < 60; i++) {
		u32 f = builder__random(m, 8) ? 1 + builder__random(m, s->nfuncs - 1) : 0;
		u32 o = f ? s->funcs[f].object : builder__random(m, s->nobjects);
		struct fake_loc *l = &s->locs[fake__loc(s, o, f, i * 4)];

		l->ninlined = f && !builder__random(m, 3) ? (int)builder__random(m, 4) - 1 : 0;
		for (int k = 0; k < l->ninlined; k++)
			l->inlined[k] = 1 + builder__random(m, s->nfuncs - 1);
	}
}

/* Some stacks, recursive ones among them, and samples on them; one tick each. */
static inline void builder__random_samples(struct builder *m, u32 nstacks, u32 nsamples, u32 depth)
{
	static const char *const comms[] = {"a", "b;c", "", "worker\n1"};
	u32 locs[STACKS_MAX_FRAMES];
	u64 base = m->next_hash;

	for (u32 i = 0; i < nstacks; i++) {
		u32 nk = builder__random(m, 2) ? builder__random(m, depth / 2 + 1) : 0;
		u32 nu = builder__random(m, depth / 2 + 1);

		for (u32 k = 0; k < nk + nu; k++)
			locs[k] = k && !builder__random(m, 4)
					  ? locs[builder__random(m, k)]
					  : builder__random(m, m->symbols->nlocs);
		builder__stack(m, nk, nu, locs);
	}
	for (u32 i = 0; i < nsamples; i++) {
		struct stack_sample s = {.stack = base + builder__random(m, nstacks + 1),
					 .tgid = 100 + builder__random(m, 5),
					 .host = m->hosts ? 1 + i % m->hosts : 0,
					 .cpu = builder__random(m, 4),
					 .cgroup = builder__random(m, 3),
					 .count = 1 + builder__random(m, 9)};

		s.tid = s.tgid + builder__random(m, 3);
		s.weight = s.count * (900 + builder__random(m, 200));
		copy_str(s.comm, sizeof(s.comm), comms[builder__random(m, ARRAY_SIZE(comms))]);
		if (!builder__random(m, 50))
			s.stack = 0xdead0000 + builder__random(m, 3);
		builder__sample(m, &s);
	}
}

#endif
