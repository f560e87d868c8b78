/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A second of a small program's waits, made by hand, and ways to ask for them; include after
 *cmocka.h and fake_symbols.h.
 *
 *	app 100		app	100	sleeps 4 x 100 ms, woken by a timer
 *			waiter	101	a lock, 3 x 100 ms, ended by holder
 *			holder	102	disk, 120 ms in D; and was preempted for 50 ms
 *			pool	103	libuv's pool without work, 2 x 200 ms: idle
 *			poller	104	epoll_wait for new connections, 200 ms: idle
 *			reader	105	a pipe that nobody writes to: goes on, for 5 s so far
 *	lost 150	lost	150	30 ms without a stack
 *	kworker 200	kworker	200	without work for 900 ms: idle
 */
#ifndef TESTS_LIB_WAITS_SCENE_H
#define TESTS_LIB_WAITS_SCENE_H

#include "bpf/wait_on.h"
#include "tests/lib/waits_builder.h"

#define SCENE_NS      (3400 * MSEC)
#define SCENE_IDLE_NS (1500 * MSEC)

#define SCENE_ROWS    9 /* by tid and stack */
#define SCENE_SHOWN 6 /* of them not idle */

struct scene {
	struct builder m;
	const struct waits_snap *snap;
};

/* Stacks of several sorts, and none. */
static inline void scene__places(struct builder *m, u64 k[6])
{
	k[0] = KERNEL(m, "__schedule", "schedule", "futex_wait", "do_futex");
	k[1] = KERNEL(m, "schedule", "do_epoll_wait");
	k[2] = KERNEL(m, "schedule", "worker_thread", "kthread");
	k[3] = USER(m, "f", "main");
	k[4] = USER(m, "g", "main");
	k[5] = 0;
}

static inline void scene__lock(struct scene *s)
{
	struct builder *m = &s->m;
	u32 locs[3] = {symbols__named(m->symbols, "libc.so.6", "lock", CODE_USER),
		       symbols__named(m->symbols, "prog", "take_lock", CODE_USER),
		       symbols__named(m->symbols, "prog", "main", CODE_USER)};
	struct wait_sample w = ended(thread_of(100, 101, "waiter"),
				     KERNEL(m, "__schedule", "schedule", "futex_wait", "do_futex"),
				     builder__stack(m, 0, 3, locs), 3, 100 * MSEC);

	w.futex_op = 0x80;
	w.waker = woken_by(thread_of(100, 102, "holder"), KERNEL(m, "wake_up_q", "futex_wake"),
			   USER(m, "give_lock", "main"));
	builder__wait(m, w);
}

static inline void scene__app(struct scene *s)
{
	struct builder *m = &s->m;
	struct wait_sample w = ended(thread_of(100, 100, "app"),
				     KERNEL(m, "__schedule", "schedule", "do_nanosleep"),
				     USER(m, "nap", "main"), 4, 100 * MSEC);

	w.waker = (struct waker){.kind = WAKER_INTERRUPT,
				 .kstack = KERNEL(m, "hrtimer_wakeup", "hrtimer_interrupt")};
	builder__wait(m, w);
	w = ended(thread_of(100, 102, "holder"),
		  KERNEL(m, "__schedule", "io_schedule", "filemap_read", "vfs_read"),
		  USER(m, "load", "main"), 1, 120 * MSEC);
	w.state = TASK_STATE_DISK;
	builder__wait(m, w);
	w = ended(thread_of(100, 102, "holder"),
		  KERNEL(m, "__schedule", "schedule", "asm_sysvec_apic_timer_interrupt"),
		  USER(m, "spin", "main"), 1, 50 * MSEC);
	w.state = TASK_STATE_RUNNABLE;
	w.runq_ns = w.off_ns;
	builder__wait(m, w);
	builder__wait(m, goes_on(thread_of(100, 105, "reader"), KERNEL(m, "schedule", "pipe_read"),
				 USER(m, "drain", "main"), NSEC_PER_SEC, 5 * NSEC_PER_SEC));
}

static inline void scene__idle(struct scene *s)
{
	struct builder *m = &s->m;
	struct wait_sample w =
		ended(thread_of(100, 103, "pool"), KERNEL(m, "schedule", "futex_wait", "do_futex"),
		      USER(m, "pthread_cond_wait", "uv_cond_wait", "worker"), 2, 200 * MSEC);

	w.futex_op = 0x189;
	builder__wait(m, w);
	w = ended(thread_of(100, 104, "poller"), KERNEL(m, "schedule", "do_epoll_wait"),
		  USER(m, "loop"), 1, 200 * MSEC);
	w.on = ON_LOOKED | ON_LISTENER;
	builder__wait(m, w);
	w = ended(thread_of(200, 200, "kworker"), KERNEL(m, "schedule", "worker_thread", "kthread"),
		  0, 1, 900 * MSEC);
	w.state = TASK_STATE_IDLE;
	w.task.kthread = true;
	builder__wait(m, w);
}

static inline void scene__task(struct scene *s, struct task_ident task, u64 running, u64 runnable,
			       enum task_state state, u64 waiting)
{
	struct task_sample t = {.task = task};

	t.state_ns[TASK_STATE_RUNNING] = running;
	t.state_ns[TASK_STATE_RUNNABLE] = runnable;
	t.state_ns[state] = waiting;
	builder__task(&s->m, t);
}

/* A second of each thread but lost, of whom half a second was watched. */
static inline void scene__tasks(struct scene *s)
{
	scene__task(s, thread_of(100, 100, "app"), 590 * MSEC, 10 * MSEC, TASK_STATE_SLEEP,
		    400 * MSEC);
	scene__task(s, thread_of(100, 101, "waiter"), 700 * MSEC, 0, TASK_STATE_SLEEP, 300 * MSEC);
	scene__task(s, thread_of(100, 102, "holder"), 830 * MSEC, 50 * MSEC, TASK_STATE_DISK,
		    120 * MSEC);
	scene__task(s, thread_of(100, 103, "pool"), 600 * MSEC, 0, TASK_STATE_SLEEP, 400 * MSEC);
	scene__task(s, thread_of(100, 104, "poller"), 500 * MSEC, 0, TASK_STATE_SLEEP, 500 * MSEC);
	scene__task(s, thread_of(100, 105, "reader"), 0, 0, TASK_STATE_SLEEP, NSEC_PER_SEC);
	scene__task(s, thread_of(150, 150, "lost"), 475 * MSEC, 0, TASK_STATE_SLEEP, 25 * MSEC);
	scene__task(s, thread_of(200, 200, "kworker"), 100 * MSEC, 0, TASK_STATE_IDLE, 900 * MSEC);
}

static inline void scene__init(struct scene *s)
{
	builder__init(&s->m, 1);
	scene__lock(s);
	scene__app(s);
	scene__idle(s);
	builder__wait(&s->m, ended(thread_of(150, 150, "lost"), 0, 0, 1, 30 * MSEC));
	scene__tasks(s);
	s->snap = builder__tick(&s->m, NSEC_PER_SEC);
}

static inline void scene__fini(struct scene *s)
{
	snap__put(s->snap);
	builder__fini(&s->m);
}

/* --- asking --- */

#define BIT WAITS_BIT

static inline struct waits_query query(u32 groups)
{
	struct waits_query q;

	memset(&q, 0, sizeof(q));
	q.groups = groups;
	q.window = WINDOW_TOTAL;
	q.idle = true;
	return q;
}

static inline const struct waits_row *row_named(const struct waits_result *a, const char *name)
{
	for (u32 i = 0; i < a->nrows; i++)
		if (!strcmp(a->rows[i].name, name))
			return &a->rows[i];
	fail_msg("no row %s", name);
	return NULL;
}

static inline u64 sum_rows(const struct waits_result *a)
{
	u64 sum = 0;

	for (u32 i = 0; i < a->nrows; i++)
		sum += a->rows[i].sums.off_ns;
	return sum;
}

#endif
