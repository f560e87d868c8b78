// SPDX-License-Identifier: GPL-2.0-only
#include "base/worker.h"

#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/arena.h"
#include "tests/lib/gate.h"

/* What became of the jobs, in order: r5 ran, d5 done, x5 dropped. */
static struct {
	pthread_mutex_t lock;
	char text[4096];
} story = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct gate gate = GATE_INIT;

struct task {
	struct job job;
	int n;
	pthread_t ran_on;
};

static void tell(char what, const struct job *j)
{
	size_t len;

	pthread_mutex_lock(&story.lock);
	len = strlen(story.text);
	snprintf(story.text + len, sizeof(story.text) - len, "%c%d ", what,
		 container_of(j, struct task, job)->n);
	pthread_mutex_unlock(&story.lock);
}

static void task__run(struct job *j)
{
	container_of(j, struct task, job)->ran_on = pthread_self();
	gate__pass(&gate);
	tell('r', j);
}

static void task__done(struct job *j)
{
	struct task *t = container_of(j, struct task, job);

	assert_false(pthread_equal(t->ran_on, pthread_self()));
	tell('d', j);
	free(t);
}

static void task__drop(struct job *j)
{
	tell('x', j);
	free(container_of(j, struct task, job));
}

static void post(struct worker *w, int n, const void *slot)
{
	struct task *t = xcalloc(1, sizeof(*t));

	t->n = n;
	t->job = (struct job){
		.run = task__run, .done = task__done, .drop = task__drop, .slot = slot};
	worker__post(w, &t->job);
}

static void await_fd(struct worker *w)
{
	struct pollfd p = {.fd = worker__fd(w), .events = POLLIN};

	assert_int_equal(poll(&p, 1, 20000), 1);
}

static void reap_all(struct worker *w)
{
	while (!worker__idle(w)) {
		await_fd(w);
		worker__reap(w);
	}
}

static int setup(void **state)
{
	gate__open(&gate);
	story.text[0] = '\0';
	*state = worker__new("test-worker");
	return 0;
}

static void test_in_order(void **state)
{
	struct worker *w = *state;

	assert_true(worker__idle(w));
	for (int i = 1; i <= 3; i++)
		post(w, i, NULL);
	reap_all(w);
	worker__free(w);
	/* runs and dones interleave as they like, each of them in order */
	assert_non_null(strstr(story.text, "r1 "));
	assert_true(strstr(story.text, "d1 ") < strstr(story.text, "d2 "));
	assert_true(strstr(story.text, "d2 ") < strstr(story.text, "d3 "));
	assert_null(strchr(story.text, 'x'));
}

static void test_latest_of_a_slot_wins(void **state)
{
	struct worker *w = *state;
	int one, two;

	gate__close(&gate);
	post(w, 1, &one);
	gate__await(&gate);
	/* 1 runs: it is not disturbed. 2 and 4 are replaced while they wait. */
	post(w, 2, &one);
	post(w, 3, NULL);
	post(w, 4, &two);
	post(w, 5, &one);
	post(w, 6, &two);
	assert_string_equal(story.text, "x2 x4 ");
	assert_false(worker__idle(w));
	gate__open(&gate);
	reap_all(w);
	worker__free(w);
	assert_non_null(strstr(story.text, "d1 "));
	assert_true(strstr(story.text, "r3 ") < strstr(story.text, "r5 "));
	assert_true(strstr(story.text, "r5 ") < strstr(story.text, "r6 "));
	assert_null(strstr(story.text, "r2 "));
	assert_null(strstr(story.text, "r4 "));
}

static void test_free_drops(void **state)
{
	struct worker *w = *state;

	post(w, 1, NULL);
	await_fd(w); /* done, not reaped */
	gate__close(&gate);
	post(w, 2, NULL);
	gate__await(&gate);
	post(w, 3, NULL);
	gate__open(&gate);
	worker__free(w);
	assert_non_null(strstr(story.text, "x1 "));
	assert_non_null(strstr(story.text, "r2 "));
	assert_non_null(strstr(story.text, "x2 "));
	assert_non_null(strstr(story.text, "x3 "));
	assert_null(strchr(story.text, 'd'));
}

static void report_signals(struct job *j)
{
	struct task *t = container_of(j, struct task, job);
	sigset_t now;

	t->ran_on = pthread_self();
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	t->n = sigismember(&now, SIGINT) && sigismember(&now, SIGWINCH) &&
	       sigismember(&now, SIGCHLD) && !sigismember(&now, SIGSEGV);
	tell('s', j);
}

static void test_signals_are_not_for_it(void **state)
{
	struct worker *w = *state;
	struct task *t = xcalloc(1, sizeof(*t));

	t->job = (struct job){.run = report_signals, .done = task__done, .drop = task__drop};
	worker__post(w, &t->job);
	reap_all(w);
	worker__free(w);
	assert_non_null(strstr(story.text, "s1 "));
}

static void test_none_is_fine(void **state)
{
	worker__free(*state);
	worker__free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_in_order, setup),
		cmocka_unit_test_setup(test_latest_of_a_slot_wins, setup),
		cmocka_unit_test_setup(test_free_drops, setup),
		cmocka_unit_test_setup(test_signals_are_not_for_it, setup),
		cmocka_unit_test_setup(test_none_is_fine, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
