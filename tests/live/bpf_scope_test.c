// SPDX-License-Identifier: GPL-2.0-only
/* Filters of the BPF sampler: in force within one drain, and what they drop costs nothing. */
#include "tests/live/sampler.h"

#include <sys/stat.h>

#include "base/cgroup.h"
#include "bpf/cpu.h"

struct pair {
	struct sampler s;
	struct child a, b;
};

static void pair__open(struct pair *p, const char *expr)
{
	memset(p, 0, sizeof(*p));
	p->s.ops = &source_cpu_bpf;
	p->a = child__start(0, "pair_a");
	p->b = child__start(1, "pair_b");
	p->s.pid = p->a.pid;
	sampler__open(&p->s, 999, "%s", expr);
}

static void pair__close(struct pair *p)
{
	sampler__close(&p->s);
	child__stop(&p->a);
	child__stop(&p->b);
}

#define ENOUGH 20

/* Until who is to be seen was seen enough: a busy machine takes longer to run them. */
static void pair__run(struct pair *p, bool a, bool others)
{
	for (int i = 0; i < 25; i++) {
		sampler__run(&p->s, 200);
		if ((!a || p->s.pid_samples > ENOUGH) &&
		    (!others || p->s.samples - p->s.pid_samples > ENOUGH))
			return;
	}
}

/* Under the scope in force: whether there is something of the first child, and of the rest. */
static void pair__expect(struct pair *p, bool a, bool others)
{
	sampler__clear(&p->s);
	pair__run(p, a, others);
	if ((p->s.pid_samples > ENOUGH) != a ||
	    (p->s.samples - p->s.pid_samples > ENOUGH) != others)
		fail_msg("%lu samples, %lu of them of the first child", p->s.samples,
			 p->s.pid_samples);
	if (!a)
		assert_int_equal(p->s.pid_samples, 0);
	if (!others)
		assert_int_equal(p->s.samples, p->s.pid_samples);
}

static void test_pid(void **state)
{
	static struct pair p;

	pair__open(&p, "");
	pair__expect(&p, true, true);
	sampler__set_scope(&p.s, "pid=%d", p.a.pid);
	pair__expect(&p, true, false);
	sampler__set_scope(&p.s, "!pid=%d", p.a.pid);
	pair__expect(&p, false, true);
	sampler__set_scope(&p.s, "pid=%d", p.b.pid);
	pair__expect(&p, false, true);
	sampler__set_scope(&p.s, "%s", "");
	pair__expect(&p, true, true);
	pair__close(&p);
}

static void test_tid_and_cpu(void **state)
{
	static struct pair p;

	pair__open(&p, "pid=1");
	sampler__set_scope(&p.s, "tid=%d", p.a.pid);
	pair__expect(&p, true, false);
	if (sysconf(_SC_NPROCESSORS_ONLN) > 1) {
		sampler__set_scope(&p.s, "cpu=1 pid=%d,%d", p.a.pid, p.b.pid);
		pair__expect(&p, false, true);
		sampler__set_scope(&p.s, "!cpu=1 pid=%d,%d", p.a.pid, p.b.pid);
		pair__expect(&p, true, false);
	}
	pair__close(&p);
}

static void test_comm(void **state)
{
	static struct pair p;
	struct cpu_stats before, after;

	pair__open(&p, "");
	sampler__set_scope(&p.s, "comm~^pair_a$ pid=%d,%d", p.a.pid, p.b.pid);
	pair__expect(&p, true, false);
	/* By now every name is judged: the kernel drops the others itself. */
	sampler__run(&p.s, 300);
	cpu_bpf__stats(p.s.source, &before);
	pair__expect(&p, true, false);
	cpu_bpf__stats(p.s.source, &after);
	assert_true(after.samples - before.samples < p.s.samples * 11 / 10 + 10);
	sampler__set_scope(&p.s, "!comm~^pair_a$");
	pair__expect(&p, false, true);
	pair__close(&p);
}

/* What is excluded is neither counted nor are its stacks walked. */
static void test_excluded_costs_nothing(void **state)
{
	static struct pair p;
	struct cpu_stats before, after;

	pair__open(&p, "pid=none");
	sampler__run(&p.s, 100);
	cpu_bpf__stats(p.s.source, &before);
	sampler__run(&p.s, 300);
	cpu_bpf__stats(p.s.source, &after);
	assert_int_equal(after.samples, 0);
	assert_int_equal(p.s.defs, 0);
	assert_true(after.runs > before.runs);
	sampler__set_scope(&p.s, "cpu=none");
	sampler__run(&p.s, 100);
	cpu_bpf__stats(p.s.source, &before);
	sampler__run(&p.s, 300);
	cpu_bpf__stats(p.s.source, &after);
	assert_int_equal(after.runs, before.runs);
	pair__close(&p);
}

static void write_pid(const char *dir, int pid)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	f = fopen(path, "we");
	assert_non_null(f);
	fprintf(f, "%d\n", pid);
	assert_int_equal(fclose(f), 0);
}

/* A cgroup stands for its children too. */
static void test_cgroup_with_children(void **state)
{
	static struct pair p;
	char outer[200], inner[220];

	if (!cgroup__mount()[0])
		skip_because("no cgroup v2 here");
	snprintf(outer, sizeof(outer), "%s/proftop-test-%d", cgroup__mount(), getpid());
	snprintf(inner, sizeof(inner), "%s/inner", outer);
	if (mkdir(outer, 0755) || mkdir(inner, 0755))
		skip_because("cgroups cannot be made here");
	pair__open(&p, "pid=none");
	write_pid(inner, p.a.pid);
	sampler__set_scope(&p.s, "cgroup=/proftop-test-%d", getpid());
	pair__expect(&p, true, false);
	sampler__set_scope(&p.s, "!cgroup=/proftop-test-%d", getpid());
	pair__expect(&p, false, true);
	sampler__set_scope(&p.s, "cgroup=/proftop-test-%d/inner", getpid());
	pair__expect(&p, true, false);
	pair__close(&p);
	assert_int_equal(rmdir(inner), 0);
	assert_int_equal(rmdir(outer), 0);
}

/* Until there are samples of the name that is looked for. */
static void run_until_seen(struct sampler *s, u64 samples)
{
	for (int i = 0; i < 25 && s->comm_samples <= samples; i++)
		sampler__run(s, 200);
	assert_true(s->comm_samples > samples);
}

/* A child's child is counted from its fork on; it is gone from the set when it exits. */
static void test_children_are_followed(void **state)
{
	static struct sampler s;
	struct child c = child__start_kind(0, "parent", CHILD_FORKS);

	s.ops = &source_cpu_bpf;
	sampler__open(&s, 999, "tree=%d", c.pid);
	s.comm = "grandchild";
	kill(c.pid, SIGUSR1);
	run_until_seen(&s, 100);
	sampler__set_scope(&s, "tree=%d !pid=1", c.pid);
	sampler__clear(&s);
	run_until_seen(&s, 50);
	sampler__set_scope(&s, "pid=%d", c.pid);
	sampler__run(&s, 0);
	sampler__clear(&s);
	sampler__run(&s, 200);
	assert_int_equal(s.comm_samples, 0);
	sampler__close(&s);
	child__stop(&c);
}

/* Sets that do not fit into the kernel's map still filter. */
static void test_huge_set(void **state)
{
	static struct pair p;

	pair__open(&p, "");
	sampler__set_scope(&p.s, "!pid=%d,4100000-4120000", p.a.pid);
	pair__expect(&p, false, true);
	pair__close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pid),
		cmocka_unit_test(test_tid_and_cpu),
		cmocka_unit_test(test_comm),
		cmocka_unit_test(test_excluded_costs_nothing),
		cmocka_unit_test(test_cgroup_with_children),
		cmocka_unit_test(test_children_are_followed),
		cmocka_unit_test(test_huge_set),
	};

	if (!sampler__possible(&source_cpu_bpf))
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
