/* SPDX-License-Identifier: GPL-2.0-only */
/* Feeds a waits model by hand or at random; include after fake_symbols.h. */
#ifndef TESTS_LIB_WAITS_BUILDER_H
#define TESTS_LIB_WAITS_BUILDER_H

#include "models/model.h"
#include "models/waits.h"

#define MSEC NSEC_PER_MSEC

struct builder {
	struct symbols *symbols;
	struct model *model;
	u64 now_ns, next_hash;
	u64 seed;
};

static inline void builder__init(struct builder *m, u64 seed)
{
	*m = (struct builder){
		.symbols = fake_symbols__new(), .now_ns = 100 * NSEC_PER_SEC, .seed = seed};
	m->model = model_waits.new(m->symbols);
}

static inline void builder__fini(struct builder *m)
{
	model_waits.free(m->model);
	fake_symbols__free(m->symbols);
}

static inline u32 builder__random(struct builder *m, u32 below)
{
	m->seed = mix64(m->seed + 0x9e3779b97f4a7c15ULL);
	return (u32)((m->seed >> 32) * below >> 32);
}

/* A stack of locs, leaf first; returns its hash. */
static inline u64 builder__stack(struct builder *m, u32 nkernel, u32 nuser, const u32 *locs)
{
	u64 ips[STACKS_MAX_FRAMES];
	struct stack_def d = {.head.type = SAMPLE_STACK_DEF,
			      .hash = ++m->next_hash,
			      .nkernel = nkernel,
			      .nuser = nuser,
			      .named = true,
			      .ips = ips};

	for (u32 i = 0; i < nkernel + nuser; i++)
		ips[i] = locs[i];
	model_waits.consume(m->model, &d.head);
	return d.hash;
}

/* Functions of the kernel, or of a program, leaf first; names are borrowed. */
static inline u64 builder__named(struct builder *m, const char *object, const char *const *names,
				 u32 n)
{
	bool kernel = !strcmp(object, "[kernel]");
	u32 locs[64];

	for (u32 i = 0; i < n; i++)
		locs[i] = symbols__named(m->symbols, object, names[i],
					 kernel ? CODE_KERNEL : CODE_USER);
	return builder__stack(m, kernel ? n : 0, kernel ? 0 : n, locs);
}
#define NAMES_OF(...)                                                                              \
	(const char *const[]){__VA_ARGS__},                                                        \
		sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)
#define KERNEL(m, ...) builder__named(m, "[kernel]", NAMES_OF(__VA_ARGS__))
#define USER(m, ...)   builder__named(m, "prog", NAMES_OF(__VA_ARGS__))

static inline struct task_ident thread_of(u32 tgid, u32 tid, const char *comm)
{
	struct task_ident t = {.tgid = tgid, .tid = tid, .start_ns = 1000 + tid};

	copy_str(t.comm, sizeof(t.comm), comm);
	return t;
}

/* What ended within the interval: count waits of ns each. */
static inline struct wait_sample ended(struct task_ident task, u64 kstack, u64 ustack, u64 count,
				       u64 ns)
{
	return (struct wait_sample){.task = task,
				    .kstack = kstack,
				    .ustack = ustack,
				    .state = TASK_STATE_SLEEP,
				    .syscall = WAIT_NO_SYSCALL,
				    .count = count,
				    .off_ns = count * ns,
				    .full_ns = count * ns,
				    .max_ns = ns};
}

/* One that goes on: ns of it in the interval, full_ns in all. */
static inline struct wait_sample goes_on(struct task_ident task, u64 kstack, u64 ustack, u64 ns,
					 u64 full_ns)
{
	return (struct wait_sample){.task = task,
				    .kstack = kstack,
				    .ustack = ustack,
				    .state = TASK_STATE_SLEEP,
				    .syscall = WAIT_NO_SYSCALL,
				    .off_ns = ns,
				    .max_ns = full_ns,
				    .open = 1,
				    .open_ns = ns,
				    .open_full_ns = full_ns};
}

static inline struct waker woken_by(struct task_ident task, u64 kstack, u64 ustack)
{
	struct waker w = {.kind = WAKER_TASK,
			  .tgid = task.tgid,
			  .tid = task.tid,
			  .kstack = kstack,
			  .ustack = ustack};

	copy_str(w.comm, sizeof(w.comm), task.comm);
	return w;
}

static inline void builder__wait(struct builder *m, struct wait_sample s)
{
	s.head.type = SAMPLE_WAIT;
	model_waits.consume(m->model, &s.head);
}

static inline void builder__task(struct builder *m, struct task_sample s)
{
	s.head.type = SAMPLE_TASK;
	for (u32 i = 0; i < TASK_STATES; i++)
		s.span_ns += s.state_ns[i];
	model_waits.consume(m->model, &s.head);
}

static inline const struct waits_snap *builder__tick(struct builder *m, u64 dt_ns)
{
	struct snap *s = model_waits.tick(m->model, m->now_ns, m->now_ns + dt_ns);

	m->now_ns += dt_ns;
	return container_of(s, struct waits_snap, base);
}

/* Threads that wait at random in a few places, for a tick; returns the time put. */
static inline u64 builder__random_waits(struct builder *m, u32 nwaits, const u64 *kstacks, u32 nk,
					const u64 *ustacks, u32 nu)
{
	static const char *const comms[] = {"a", "b;c", "", "worker\n1"};
	u64 put = 0;

	for (u32 i = 0; i < nwaits; i++) {
		u32 tgid = 100 + builder__random(m, 5);
		struct task_ident t = thread_of(tgid, tgid + builder__random(m, 3),
						comms[builder__random(m, ARRAY_SIZE(comms))]);
		struct wait_sample s =
			ended(t, kstacks[builder__random(m, nk)], ustacks[builder__random(m, nu)],
			      builder__random(m, 20), 1 + builder__random(m, 90000000));

		if (!builder__random(m, 4) || !s.count)
			s = goes_on(t, s.kstack, s.ustack, 1 + builder__random(m, 1000000),
				    1000000 + builder__random(m, 100000000));
		s.task.cgroup = builder__random(m, 3);
		s.state = builder__random(m, TASK_STATES - 1) + 1;
		s.runq_ns = s.state == TASK_STATE_RUNNABLE ? s.off_ns : s.off_ns / 7;
		if (!builder__random(m, 3))
			s.waker = woken_by(thread_of(tgid, 200 + builder__random(m, 4), "waker"),
					   kstacks[builder__random(m, nk)], 0);
		else if (!builder__random(m, 3))
			s.waker = (struct waker){.kind = WAKER_INTERRUPT, .tgid = 7, .tid = 7};
		put += s.off_ns;
		builder__wait(m, s);
	}
	return put;
}

#endif
