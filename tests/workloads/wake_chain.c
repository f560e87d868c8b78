/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: "chain-a" sleeps 10 ms in a_sleeps (a timer wakes it) and wakes "chain-b" in
 * a_wakes_b; chain-b waits in b_waits, works a moment and wakes "chain-c" in b_wakes_c, which
 * waits in c_waits. So who woke the waker of chain-c is chain-a. Three processes.
 */
#include "wait_log.h"

struct word {
	int value;
};

static NOINLINE void a_sleeps(void)
{
	RAW_SLEEP(10 * MS);
}

static NOINLINE void a_wakes_b(struct word *w)
{
	__atomic_add_fetch(&w->value, 1, __ATOMIC_RELEASE);
	RAW_FUTEX_WAKE(&w->value);
}

static NOINLINE void b_waits(struct word *w, int seen)
{
	while (__atomic_load_n(&w->value, __ATOMIC_ACQUIRE) == seen)
		RAW_FUTEX_WAIT(&w->value, seen);
}

static NOINLINE void b_wakes_c(struct word *w)
{
	__atomic_add_fetch(&w->value, 1, __ATOMIC_RELEASE);
	RAW_FUTEX_WAKE(&w->value);
}

static NOINLINE void c_waits(struct word *w, int seen)
{
	while (__atomic_load_n(&w->value, __ATOMIC_ACQUIRE) == seen)
		RAW_FUTEX_WAIT(&w->value, seen);
}

static void run_b(struct wait_log *l, struct word *words)
{
	wait_log__begin(l, "chain-b");
	for (int n = 0;; n++) {
		LOGGED(l, "lock", b_waits(&words[0], n));
		burn(BURN_ROUNDS);
		b_wakes_c(&words[1]);
	}
}

static void run_c(struct wait_log *l, struct word *words)
{
	wait_log__begin(l, "chain-c");
	for (int n = 0;; n++)
		LOGGED(l, "lock", c_waits(&words[1], n));
}

static void run_a(struct wait_log *l, struct word *words)
{
	wait_log__begin(l, "chain-a");
	while (going_on()) {
		LOGGED(l, "sleep", a_sleeps());
		a_wakes_b(&words[0]);
	}
}

int main(int argc, char **argv)
{
	double seconds = work__begin(argc, argv, 10);
	struct wait_log *logs = wait_logs__new(3, seconds);
	struct word *words = shared_memory(2 * sizeof(*words));

	if (!fork_child())
		run_b(&logs[1], words);
	if (!fork_child())
		run_c(&logs[2], words);
	work__ready();
	run_a(&logs[0], words);
	wait_logs__print(logs, 3);
	return 0;
}
