// SPDX-License-Identifier: GPL-2.0-only
/*
 * The scheduler's source against children that wait in known ways: what the programs counted
 * is what comes out, with maps and rings that are too small too. The views over it are tested
 * in offcpu_live.py, sched_live.py and sched_faults_live.py.
 */
#include "tests/live/sampler.h"

#include <bpf/bpf.h>
#include <pthread.h>

#undef SCHED_IDLE /* scheduling classes in <sched.h> */
#undef SCHED_OTHER
#include "bpf/sched.h"
#include "samples/sched.h"
#include "sources/bpf_util.h"
#include "sources/sched_bpf.h"
#include "tests/lib/fds.h"

#define TRACKED_TASKS 4096
/* A thread that is visited while another CPU switches it may be told a moment off; the next
 * interval makes up for it. */
#define MAX_GAP_NS (NSEC_PER_MSEC / 10)

/* What one thread's samples said so far. */
struct tracked {
	u32 tid;
	u64 start_ns, t_ns, span_ns, delay_ns, runs, delays;
	u64 state_ns[TASK_STATES];
};

struct watcher {
	struct sampler s; /* scope and known stacks; first: it is its sink's context */
	const struct sched_bpf_sizes *sizes;
	u64 waits, open, longest_ns, stackless;
	u32 of;	       /* the process of off_ns */
	u64 off_ns, slept_ns; /* of waits in S, until they were woken */
	u64 undefined; /* waits whose stack was not handed out before */
	u64 gap_ns;    /* most by which a thread's intervals do not follow each other */
	u64 uneven;    /* threads whose states do not sum to their span */
	u64 gone;
	u32 ntracked;
	struct tracked tracked[TRACKED_TASKS];
};

static struct tracked *watcher__track(struct watcher *w, const struct task_ident *id)
{
	for (u32 i = 0; i < w->ntracked; i++)
		if (w->tracked[i].tid == id->tid && w->tracked[i].start_ns == id->start_ns)
			return &w->tracked[i];
	if (w->ntracked == TRACKED_TASKS)
		return NULL;
	w->tracked[w->ntracked].tid = id->tid;
	w->tracked[w->ntracked].start_ns = id->start_ns;
	return &w->tracked[w->ntracked++];
}

static void watcher__task(struct watcher *w, const struct task_sample *x)
{
	struct tracked *t = watcher__track(w, &x->task);
	u64 sum = 0, begin = x->t_ns - x->span_ns;

	if (!t)
		return;
	for (u32 i = 0; i < TASK_STATES; i++) {
		sum += x->state_ns[i];
		t->state_ns[i] += x->state_ns[i];
	}
	w->uneven += sum != x->span_ns;
	if (t->t_ns)
		w->gap_ns = MAX(w->gap_ns, MAX(begin, t->t_ns) - MIN(begin, t->t_ns));
	w->gone += x->gone;
	t->t_ns = x->t_ns;
	t->span_ns += x->span_ns;
	t->delay_ns += x->delay_ns;
	t->delays += x->delays;
	t->runs += x->runs;
}

static void watcher__stack(struct watcher *w, u64 hash)
{
	if (hash && !sampler__knows(&w->s, hash))
		w->undefined++;
}

static void watcher__wait(struct watcher *w, const struct wait_sample *x)
{
	w->waits += x->count;
	w->open += x->open;
	w->off_ns += x->task.tgid == w->of ? x->off_ns : 0;
	if (x->state == TASK_STATE_SLEEP)
		w->slept_ns += x->off_ns - x->runq_ns;
	w->longest_ns = MAX(w->longest_ns, x->max_ns);
	w->stackless += x->kstack ? 0 : x->count;
	watcher__stack(w, x->kstack);
	watcher__stack(w, x->ustack);
	watcher__stack(w, x->waker.kstack);
	watcher__stack(w, x->waker.ustack);
}

static void watcher__put(void *ctx, const struct sample *x)
{
	struct watcher *w = ctx;

	if (x->type == SAMPLE_TASK)
		watcher__task(w, (const struct task_sample *)x);
	else if (x->type == SAMPLE_WAIT)
		watcher__wait(w, (const struct wait_sample *)x);
	else
		sampler__put(&w->s, x);
}

static struct watcher *watcher__open(const struct sched_bpf_sizes *sizes, const char *fmt, ...)
{
	struct watcher *w = calloc(1, sizeof(*w));
	struct status st = {0};
	const struct scope *scope;
	char expr[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(expr, sizeof(expr), fmt, ap);
	va_end(ap);
	w->s.ops = &source_sched_bpf;
	w->s.how = (struct sampling){.freq = 99, .user = true, .kernel = true, .interval_s = 1};
	scope = sampler__scope(&w->s, expr);
	w->s.source = sizes ? sched_bpf__open_sized(&w->s.how, scope, sizes, &st)
			    : source_sched_bpf.open(&w->s.how, scope, &st);
	if (!w->s.source)
		fail_msg("%s", st.msg);
	source_sched_bpf.begin(w->s.source, clock__monotonic_ns());
	return w;
}

/* Ends an interval. */
static void watcher__drain(struct watcher *w)
{
	const struct sample_sink sink = {watcher__put, w};

	source_sched_bpf.drain(w->s.source, true, &sink);
}

/* As sampler__run. */
static void watcher__run(struct watcher *w, u32 ms)
{
	const struct sample_sink sink = {watcher__put, w};
	u64 end = clock__monotonic_ns() + ms * NSEC_PER_MSEC, now;

	while ((now = clock__monotonic_ns()) < end) {
		struct pollfd p = {w->s.lazy ? -1 : source_sched_bpf.fd(w->s.source), POLLIN, 0};

		if (poll(&p, 1, (int)((end - now) / NSEC_PER_MSEC) + 1) > 0)
			source_sched_bpf.drain(w->s.source, false, &sink);
	}
	watcher__drain(w);
}

static void watcher__close(struct watcher *w)
{
	sampler__close(&w->s);
	free(w);
}

static struct sched_stats watcher__stats(struct watcher *w)
{
	struct sched_stats stats;

	sched_bpf__stats(w->s.source, &stats);
	return stats;
}

/* Once what was counted was handed out: who was killed may yet wait for a CPU to end on. */
static struct sched_stats watcher__settled(struct watcher *w)
{
	struct sched_stats stats;

	for (int i = 0; i < 100; i++) {
		watcher__run(w, i ? 20 : 0);
		stats = watcher__stats(w);
		if (stats.waits == w->waits)
			break;
	}
	return stats;
}

/* Sleeps in ever other depths of recursion. */
__attribute__((noinline)) static u64 sleep_deep(u32 path, u32 depth)
{
	if (!depth) {
		usleep(200);
		return child_sink;
	}
	if (path & 1)
		return sleep_deep(path >> 1, depth - 1) + child_sink;
	return sleep_deep(path >> 1, depth - 1) + 2 * child_sink;
}

static struct child start_sleeper(u32 depth)
{
	struct child c = {.pid = fork()};

	if (c.pid)
		return c;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (u32 path = 0;; path++)
		sleep_deep(path, depth);
}

/* Whatever ended a wait while no map was being read is in the other one. */
static void test_nothing_lost_or_doubled(void **state)
{
	struct child a = child__start_kind(0, "yields_a", CHILD_YIELDS),
		     b = child__start_kind(1, "yields_b", CHILD_YIELDS);
	struct watcher *w = watcher__open(NULL, "pid=%d,%d", a.pid, b.pid);
	struct sched_stats stats;
	struct health h = {0};

	for (int i = 0; i < 40; i++)
		watcher__run(w, 25);
	child__stop(&a);
	child__stop(&b);
	watcher__run(w, 0);
	stats = watcher__stats(w);
	assert_true(stats.waits > 200);
	assert_int_equal(w->waits, stats.waits);
	assert_true(stats.backward * 100 <= stats.waits); /* counted, when CPUs look at once */
	source_sched_bpf.health(w->s.source, &h);
	assert_int_equal(h.lost, 0);
	assert_int_equal(h.map_full, 0);
	assert_int_equal(w->undefined, 0);
	watcher__close(w);
}

/* Ends an interval at a moment; how much longer than it a thread was off its CPU in it: never. */
static u64 watcher__turn(struct watcher *w, u64 t0_ns, u64 t1_ns)
{
	w->off_ns = 0;
	if (source_sched_bpf.turn(w->s.source, t1_ns))
		bpf_util__barrier();
	watcher__drain(w);
	return w->off_ns - MIN(w->off_ns, t1_ns - t0_ns);
}

static void *rest(void *arg)
{
	while (!pause() || errno == EINTR)
		;
	return NULL;
}

/* A process of many threads, for a round over all threads that takes a while. */
static struct child start_crowd(u32 n)
{
	struct child c = {.pid = fork()};
	pthread_attr_t small;
	pthread_t thread;

	if (c.pid)
		return c;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 128 << 10);
	while (n--)
		pthread_create(&thread, &small, rest, NULL);
	rest(NULL);
	return c;
}

/* What ends while the round over all threads is under way is cut where the interval ended. Who began last
 * comes last. */
static void test_waits_are_of_their_interval(void **state)
{
	struct child crowd = start_crowd(3000), a;
	struct watcher *w;
	u64 t0, t1;

	usleep(500000);
	a = start_sleeper(0);
	w = watcher__open(NULL, "pid=%d,%d", a.pid, crowd.pid);
	w->of = (u32)a.pid;
	t0 = clock__monotonic_ns();
	watcher__turn(w, t0, t0);
	for (int i = 0; i < 100; i++) {
		usleep(2000);
		t1 = clock__monotonic_ns();
		assert_int_equal(watcher__turn(w, t0, t1), 0);
		t0 = t1;
	}
	child__stop(&a);
	child__stop(&crowd);
	watcher__close(w);
}

/* Per thread and interval: states sum to the span, exactly, and spans follow each other. */
static void test_states_sum_to_spans(void **state)
{
	struct child a = child__start(0, "spins"), b = child__start_kind(0, "yields", CHILD_YIELDS),
		     c = start_sleeper(3);
	u64 before = clock__monotonic_ns(), opened, last, after;
	struct watcher *w = watcher__open(NULL, "pid=%d,%d,%d", a.pid, b.pid, c.pid);

	opened = clock__monotonic_ns();
	for (int i = 0; i < 20; i++)
		watcher__run(w, 40);
	last = clock__monotonic_ns();
	watcher__run(w, 0);
	after = clock__monotonic_ns();
	assert_int_equal(w->ntracked, 3);
	assert_int_equal(w->uneven, 0);
	assert_true(w->gap_ns < MAX_GAP_NS);
	for (u32 i = 0; i < w->ntracked; i++)
		assert_in_range(w->tracked[i].span_ns, last - opened, after - before);
	child__stop(&a);
	child__stop(&b);
	child__stop(&c);
	watcher__run(w, 0);
	assert_int_equal(w->gone, 3);
	assert_int_equal(w->uneven, 0);
	watcher__close(w);
}

/* Maps that are much too small: what does not fit is counted without stacks, the rest is right. */
static void test_full_maps_are_counted(void **state)
{
	const struct sched_bpf_sizes tiny = {.waits = 4, .rests = 8, .stacks = 4, .ring_bytes = 4096};
	struct child c = start_sleeper(6);
	struct watcher *w = watcher__open(&tiny, "pid=%d", c.pid);
	struct sched_stats stats;
	struct health h = {0};
	u64 full;

	/* Beside others it may not get so far in the first intervals. */
	for (int i = 0; i < 50 && (i < 10 || h.map_fill_pct < 99); i++) {
		watcher__run(w, 100);
		source_sched_bpf.health(w->s.source, &h);
	}
	if (h.map_fill_pct < 99)
		fail_msg("map fill is %.1f %%", h.map_fill_pct);
	full = watcher__stats(w).waits_full;
	assert_true(full > 0);
	child__stop(&c);
	stats = watcher__settled(w);
	source_sched_bpf.health(w->s.source, &h);
	assert_int_equal(stats.waits_lost, 0);
	assert_int_equal(w->waits, stats.waits);
	assert_true(w->stackless >= stats.waits_full);
	assert_int_equal(h.map_full, stats.waits_full);
	assert_int_equal(h.stacks_lost, stats.stacks_lost + stats.waits_full);
	assert_non_null(strstr(h.note, "without stack and waker"));
	assert_int_equal(w->undefined, 0);
	/* What does not go through these maps is still whole. */
	assert_int_equal(w->uneven, 0);
	assert_true(w->gap_ns < MAX_GAP_NS);
	assert_in_range(w->tracked[0].span_ns, 900 * NSEC_PER_MSEC, 3000 * NSEC_PER_MSEC);
	watcher__close(w);
}

/* A ring without room: waits stay counted, without frames, and that is told. */
static void test_full_ring_loses_only_frames(void **state)
{
	const struct sched_bpf_sizes tiny = {.waits = 4096, .rests = 8, .stacks = 64, .ring_bytes = 4096};
	struct child c = start_sleeper(6);
	struct watcher *w = watcher__open(&tiny, "pid=%d", c.pid);
	struct sched_stats stats;
	struct health h = {0};

	w->s.lazy = true;
	for (int i = 0; i < 5; i++)
		watcher__run(w, 200);
	child__stop(&c);
	stats = watcher__settled(w);
	source_sched_bpf.health(w->s.source, &h);
	assert_true(stats.stacks_lost > 0);
	assert_int_equal(h.stacks_lost, stats.stacks_lost);
	assert_int_equal(stats.waits_full, 0);
	assert_int_equal(w->waits, stats.waits);
	assert_int_equal(w->undefined, 0);
	watcher__close(w);
}

/* A thread that leaves the scope and comes back is not charged for the time between. */
static void test_scope_changes_live(void **state)
{
	struct child a = child__start_kind(0, "yields_a", CHILD_YIELDS),
		     b = child__start_kind(1, "yields_b", CHILD_YIELDS);
	struct watcher *w = watcher__open(NULL, "pid=%d", a.pid);
	u64 span[2];

	watcher__run(w, 200);
	assert_int_equal(w->ntracked, 1);
	span[0] = w->tracked[0].span_ns;
	sampler__set_scope(&w->s, "pid=%d", b.pid);
	watcher__run(w, 300);
	sampler__set_scope(&w->s, "pid=%d", a.pid);
	watcher__run(w, 200);
	assert_int_equal(w->ntracked, 2);
	assert_int_equal(w->uneven, 0);
	span[1] = w->tracked[0].span_ns;
	assert_in_range(span[1] - span[0], 100 * NSEC_PER_MSEC, 290 * NSEC_PER_MSEC);
	assert_true(w->longest_ns < 250 * NSEC_PER_MSEC);
	child__stop(&a);
	child__stop(&b);
	watcher__close(w);
}

/* Processes that sleep for 15 ms and end, a new one each millisecond. */
static void run_mayflies(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		int pid = fork();

		if (!pid) {
			usleep(15000);
			_exit(0);
		}
		usleep(1000);
	}
}

/* Threads that end while an interval does: what they slept is in their states and, all of it,
 * in their waits. */
static void test_ends_between_intervals(void **state)
{
	struct child c = {.pid = fork()};
	struct watcher *w;
	u64 slept = 0;

	if (!c.pid)
		run_mayflies();
	w = watcher__open(NULL, "tree=%d", c.pid);
	for (int i = 0; i < 50 || (i < 1000 && w->gone <= 100); i++)
		watcher__run(w, 20);
	child__stop(&c);
	watcher__run(w, 20);
	for (u32 i = 0; i < w->ntracked; i++)
		slept += w->tracked[i].state_ns[TASK_STATE_SLEEP];
	assert_true(w->gone > 100);
	assert_true(slept > 100 * 15 * NSEC_PER_MSEC);
	if (w->slept_ns < slept - slept / 50 || w->slept_ns > slept + slept / 50)
		fail_msg("%llu of %llu ns are in waits", (unsigned long long)w->slept_ns,
			 (unsigned long long)slept);
	watcher__close(w);
}

static u64 own_kib(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	unsigned long size, resident;

	if (fscanf(f, "%lu %lu", &size, &resident) != 2)
		resident = 0;
	fclose(f);
	return resident * (u64)sysconf(_SC_PAGESIZE) / 1024;
}

/* Processes that come and go: each ends once, and what is remembered does not grow. */
static void test_churn_is_bounded(void **state)
{
	struct child c = {.pid = fork()};
	struct watcher *w;
	u64 warm, after;

	if (!c.pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "churns");
		for (;;) {
			int pid = fork();

			if (!pid)
				_exit(0);
			waitpid(pid, NULL, 0);
		}
	}
	w = watcher__open(NULL, "comm~^churns$");
	for (int i = 0; i < 10; i++)
		watcher__run(w, 50);
	warm = own_kib();
	for (int i = 0; i < 30 || (i < 400 && w->gone <= 50); i++)
		watcher__run(w, 50);
	after = own_kib();
	child__stop(&c);
	assert_true(w->gone > 50);
	assert_int_equal(w->uneven, 0);
	assert_true(watcher__stats(w).backward * 100 <= w->waits);
	assert_true(w->longest_ns < 2000 * NSEC_PER_MSEC);
	if (after > warm + 16 * 1024)
		fail_msg("%llu KiB grew to %llu", (unsigned long long)warm,
			 (unsigned long long)after);
	watcher__close(w);
}

static void test_close_leaves_nothing(void **state)
{
	u32 fds = count_fds(), ids[64], n;
	struct watcher *w = watcher__open(NULL, "tree=%d", getpid());

	n = own_programs(ids, ARRAY_SIZE(ids));
	assert_true(n > 0);
	watcher__run(w, 20);
	watcher__close(w);
	for (u32 i = 0; i < n; i++)
		assert_true(program_ends(ids[i]));
	assert_int_equal(count_fds(), fds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_lost_or_doubled),
		cmocka_unit_test(test_waits_are_of_their_interval),
		cmocka_unit_test(test_states_sum_to_spans),
		cmocka_unit_test(test_full_maps_are_counted),
		cmocka_unit_test(test_full_ring_loses_only_frames),
		cmocka_unit_test(test_scope_changes_live),
		cmocka_unit_test(test_ends_between_intervals),
		cmocka_unit_test(test_churn_is_bounded),
		cmocka_unit_test(test_close_leaves_nothing),
	};

	/* Where the CPU sampler loads, this has to. */
	if (!sampler__possible(&source_cpu_bpf))
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
