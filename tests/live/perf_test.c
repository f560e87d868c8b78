// SPDX-License-Identifier: GPL-2.0-only
/*
 * The perf sampler and the sideband against children whose doings are known: as root, and as
 * a user without privileges.
 */
#include "tests/lib/tracefs.h"
#include "tests/live/sampler.h"

#include <fcntl.h>
#include <sys/resource.h>

#include "sources/cpu_perf.h"

#define NOBODY 65534

extern const struct source_ops source_sideband;

static void test_counts_match_cpu_time(void **state)
{
	static struct sampler s = {.ops = &source_cpu_perf};
	struct child c = child__start(0, "busy_perf");
	struct health h = {0};
	u64 before;

	sampler__open(&s, 999, "pid=%d", c.pid);
	before = child__cpu_ns(&c);
	sampler__run(&s, 1200);
	near((double)s.samples, (double)(child__cpu_ns(&c) - before) * 999e-9, 0.05);
	near((double)s.weight, (double)(child__cpu_ns(&c) - before), 0.05);
	assert_int_equal(s.undefined, 0);
	assert_int_equal(s.seen_total, 1);
	assert_true(s.user_frames > s.defs);
	source_cpu_perf.health(s.source, &h);
	assert_int_equal(h.samples, s.samples);
	assert_int_equal(h.lost, 0);
	sampler__close(&s);
	child__stop(&c);
}

/* A busy machine takes its time: until there is enough to judge by, ten seconds at most. */
#define RUN_UNTIL(s, enough)                                                                       \
	for (int tries = 0; tries < 50 && (!tries || !(enough)); tries++)                          \
	sampler__run(s, 200)

static void test_rate_event_and_filter_change_live(void **state)
{
	static struct sampler s = {.ops = &source_cpu_perf};
	struct child a = child__start(0, "perf_a"),
		     b = child__start_kind(1, "perf_b", CHILD_SYSCALLS);
	struct status st = {0};
	double got = 0, want = 0;
	u64 before, slow;

	s.comm = "perf_a";
	sampler__open(&s, 99, "pid=%d,%d", a.pid, b.pid);
	RUN_UNTIL(&s, s.comm_samples > 0 && s.comm_samples < s.samples);
	assert_true(s.comm_samples > 0 && s.comm_samples < s.samples);
	sampler__set_scope(&s, "comm~perf_a pid=%d,%d", a.pid, b.pid);
	sampler__clear(&s);
	RUN_UNTIL(&s, s.samples > 0);
	assert_true(s.samples > 0);
	assert_int_equal(s.comm_samples, s.samples);
	s.how.freq = 1999;
	assert_int_equal(s.ops->set_sampling(s.source, &s.how, &st), 0);
	/* On a busy machine the two readings are not of the same moment: ten tries. */
	for (int i = 0; i < 10; i++) {
		slow = s.samples;
		before = child__cpu_ns(&a);
		sampler__run(&s, 500);
		got = (double)(s.samples - slow);
		want = (double)(child__cpu_ns(&a) - before) * 1999e-9;
		if (got > want * 0.9 && got < want * 1.1)
			break;
	}
	near(got, want, 0.1);
	copy_str(s.how.event, sizeof(s.how.event), "task-clock:u");
	assert_int_equal(s.ops->set_sampling(s.source, &s.how, &st), 0);
	sampler__clear(&s);
	RUN_UNTIL(&s, s.samples > 0);
	assert_true(s.samples > 0);
	sampler__close(&s);
	child__stop(&a);
	child__stop(&b);
}

static void test_children_are_followed(void **state)
{
	static struct sampler s = {.ops = &source_cpu_perf};
	struct child c = child__start_kind(0, "parent", CHILD_FORKS);

	sampler__open(&s, 999, "tree=%d", c.pid);
	s.comm = "grandchild";
	kill(c.pid, SIGUSR1);
	RUN_UNTIL(&s, s.comm_samples > 100);
	assert_true(s.comm_samples > 100);
	sampler__close(&s);
	child__stop(&c);
}

/* Context switches of a process so far, as /proc has them. */
static u64 switches(int pid)
{
	char path[64], line[256];
	unsigned long long n, sum = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "voluntary_ctxt_switches: %llu", &n) == 1 ||
		    sscanf(line, "nonvoluntary_ctxt_switches: %llu", &n) == 1)
			sum += n;
	fclose(f);
	return sum;
}

/* An event that BPF leaves to this tier: every context switch is a sample. */
static void test_tracepoint(void **state)
{
	static struct sampler s = {.ops = &source_cpu_perf};
	struct child c = child__start_kind(0, "switcher", CHILD_YIELDS);
	u64 before, after;

	if (!tracefs__mount()) {
		child__stop(&c);
		skip_because("tracefs cannot be mounted");
	}
	memset(&s.how, 0, sizeof(s.how));
	s.how = (struct sampling){.period = 1, .user = true, .kernel = true, .interval_s = 1};
	copy_str(s.how.event, sizeof(s.how.event), "sched:sched_switch");
	sampler__open_how(&s, "comm~^switcher$");
	before = switches(c.pid);
	sampler__run(&s, 500);
	after = switches(c.pid);
	assert_true(after > before);
	near((double)s.samples, (double)(after - before), 0.1);
	assert_true(s.kernel_frames > 0);
	sampler__close(&s);
	child__stop(&c);
}

/* In a child of its own, because there is no way back to root. 0: as it should be. */
static int as_nobody(void)
{
	static struct sampler s = {.ops = &source_cpu_perf};
	struct child c;
	struct health h = {0};
	u64 before;

	if (setgid(NOBODY) || setuid(NOBODY) || prctl(PR_SET_DUMPABLE, 1))
		return 1;
	c = child__start(0, "busy_own");
	sampler__open(&s, 999, "pid=%d", c.pid);
	before = child__cpu_ns(&c);
	sampler__run(&s, 1000);
	near((double)s.samples, (double)(child__cpu_ns(&c) - before) * 999e-9, 0.07);
	source_cpu_perf.health(s.source, &h);
	sampler__close(&s);
	child__stop(&c);
	if (s.undefined || s.kernel_frames || !s.user_frames || s.seen_total != 1)
		return 2;
	return strstr(h.note, "only your own processes") ? 0 : 3;
}

static int run_child(int (*fn)(void))
{
	int pid = fork(), status;

	if (!pid)
		_exit(fn());
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int paranoid(void)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int v = 9;

	if (f && fscanf(f, "%d", &v) != 1)
		v = 9;
	if (f)
		fclose(f);
	return v;
}

static void test_without_privileges(void **state)
{
	if (geteuid() || paranoid() > 2 || paranoid() < 1)
		skip_because("needs root, and kernel.perf_event_paranoid at 1 or 2");
	assert_int_equal(run_child(as_nobody), 0);
}

static int system_wide_as_nobody(void)
{
	static struct sampler s = {.ops = &source_sideband};
	struct status st = {0};

	if (setgid(NOBODY) || setuid(NOBODY) || prctl(PR_SET_DUMPABLE, 1))
		return 1;
	if (source_sideband.open(&s.how, sampler__scope(&s, ""), &st))
		return 2;
	sampler__put_scope(&s);
	return st.code == EXIT_CODE_PERMISSION && strstr(st.msg, "sudo") ? 0 : 3;
}

static void test_sideband_says_what_it_needs(void **state)
{
	if (geteuid() || paranoid() < 1)
		skip_because("needs root, and kernel.perf_event_paranoid at 1 or more");
	assert_int_equal(run_child(system_wide_as_nobody), 0);
}

struct life {
	u32 pid;
	char order[64]; /* a letter of letters per event */
	u64 t_ns;
	bool disorder, libc;
};

static const char letters[] = {[PROC_FORK] = 'F', [PROC_EXIT] = 'X', [PROC_EXEC] = 'E',
			       [PROC_COMM] = 'C', [PROC_MMAP] = 'M', [PROC_SEEN] = 'S'};

static void life__put(void *ctx, const struct sample *x)
{
	const struct proc_event *e = (const struct proc_event *)x;
	struct life *l = ctx;
	size_t n = strlen(l->order);

	if (x->type != SAMPLE_PROC) /* command lines come as well */
		return;
	l->disorder |= e->t_ns < l->t_ns;
	l->t_ns = e->t_ns;
	if (e->tgid != l->pid || n >= sizeof(l->order) - 1)
		return;
	l->order[n] = letters[e->type];
	if (e->type == PROC_MMAP && strstr(e->path, "/libc"))
		l->libc = e->end > e->start && e->inode;
}

static void test_sideband_tells_a_life(void **state)
{
	static struct sampler s = {.ops = &source_sideband};
	struct life life = {0};
	const struct sample_sink sink = {life__put, &life};
	u32 fds = count_fds();

	sampler__open(&s, 99, "%s", "");
	life.pid = (u32)fork();
	if (!life.pid) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	waitpid((int)life.pid, NULL, 0);
	source_sideband.drain(s.source, true, &sink);
	assert_false(life.disorder);
	assert_true(life.libc);
	assert_memory_equal(life.order, "FEM", 3);
	assert_int_equal(life.order[strlen(life.order) - 1], 'X');
	sampler__close(&s);
	assert_int_equal(count_fds(), fds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_match_cpu_time),
		cmocka_unit_test(test_rate_event_and_filter_change_live),
		cmocka_unit_test(test_children_are_followed),
		cmocka_unit_test(test_tracepoint),
		cmocka_unit_test(test_without_privileges),
		cmocka_unit_test(test_sideband_says_what_it_needs),
		cmocka_unit_test(test_sideband_tells_a_life),
	};

	if (!sampler__possible(&source_cpu_perf))
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
