// SPDX-License-Identifier: GPL-2.0-only
/* Scopes: what passes, what the command line builds, how cgroup globs become ids. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/cgroup.h"
#include "scope/filter.h"
#include "tests/lib/skip.h"

static struct scope *parse(const char *expr)
{
	struct filter_error err = {0};
	struct scope *s = filter__parse(expr, &err);

	if (!s)
		fail_msg("%s: %s", expr, err.msg);
	return s;
}

static bool passes(const char *expr, u32 tgid, u32 tid, u32 cpu, const char *comm)
{
	struct scope *s = parse(expr);
	bool ok = scope__task(s, tgid, tid, cpu, 0, comm);

	scope__put(s);
	return ok;
}

static int compare_pids(const void *a, const void *b)
{
	return *(const pid_t *)a - *(const pid_t *)b;
}

static void test_task(void **state)
{
	assert_true(scope__task(NULL, 1, 1, 0, 0, NULL));
	assert_true(passes("", 1, 1, 0, "x"));
	assert_true(passes("pid=1-3", 3, 9, 0, "x"));
	assert_false(passes("pid=1-3", 4, 3, 0, "x"));
	assert_true(passes("tid=9", 4, 9, 0, "x"));
	assert_false(passes("tid=9", 9, 4, 0, "x"));
	assert_false(passes("pid=1-3 !pid=2", 2, 2, 0, "x"));
	assert_true(passes("!pid=2", 1, 1, 0, "x"));
	assert_false(passes("!pid=2", 2, 7, 0, "x"));
	assert_false(passes("pid=1 pid=2", 1, 1, 0, "x"));
	assert_false(passes("pid=none", 1, 1, 0, "x"));
	assert_true(passes("cpu=0-1", 1, 1, 1, "x"));
	assert_false(passes("cpu=0-1", 1, 1, 2, "x"));
	assert_true(passes("comm~^ab", 1, 1, 0, "abc"));
	assert_false(passes("comm~^ab", 1, 1, 0, "cab"));
	assert_false(passes("comm~a !comm~b", 1, 1, 0, "ab"));
	assert_true(passes("comm~a !comm~b", 1, 1, 0, "ac"));
	assert_false(passes("comm~a", 1, 1, 0, NULL));
	assert_false(passes("cgroup=x", 1, 1, 0, "x")); /* not resolved: nothing passes */
	assert_true(passes("!cgroup=x", 1, 1, 0, "x"));
}

static pid_t waiting_child(void)
{
	pid_t pid = fork();

	if (!pid) {
		pause();
		_exit(0);
	}
	return pid;
}

static void assert_gone(const char *expr, const char *wanted)
{
	struct scope *s = parse(expr);
	char said[128];

	scope__gone(s, said, sizeof(said));
	assert_string_equal(said, wanted);
	scope__put(s);
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void test_gone(void **state)
{
	char expr[160], wanted[160];
	pid_t v[5];

	for (int i = 0; i < 5; i++)
		v[i] = waiting_child();
	snprintf(expr, sizeof(expr), "pid=%d,%d,%d,%d,%d,%d", getpid(), v[0], v[1], v[2], v[3],
		 v[4]);
	assert_gone(expr, "");
	end_child(v[0]);
	snprintf(wanted, sizeof(wanted), "process %d is gone", v[0]);
	assert_gone(expr, wanted);
	for (int i = 1; i < 5; i++)
		end_child(v[i]);
	qsort(v, 5, sizeof(*v), compare_pids);
	snprintf(wanted, sizeof(wanted), "processes %d, %d, %d and 2 more are gone", v[0], v[1],
		 v[2]);
	assert_gone(expr, wanted);
	snprintf(expr, sizeof(expr), "tid=%d", v[0]);
	snprintf(wanted, sizeof(wanted), "thread %d is gone", v[0]);
	assert_gone(expr, wanted);
	/* What is excluded, the beginning of a tree, nobody. */
	snprintf(expr, sizeof(expr), "!pid=%d", v[0]);
	assert_gone(expr, "");
	snprintf(expr, sizeof(expr), "tree=%d", v[0]);
	assert_gone(expr, "");
	assert_gone("", "");
	assert_gone("pid=none", "");
}

static void test_tree(void **state)
{
	struct scope *s = parse("tree=10 !pid=12");

	assert_true(s->follow_children);
	assert_true(id_set__has(&s->include[SCOPE_PID], 10));
	assert_true(scope__task(s, 11, 11, 0, 0, "child")); /* only the source can tell */
	assert_false(scope__task(s, 12, 12, 0, 0, "child"));
	scope__put(s);
}

static void test_normal_form(void **state)
{
	struct scope *s = parse("pid=5,1 pid=1-9 !pid=3 !pid=2 state=SD !state=Z min=1us "
				"max=2us sym~a !sym~b");

	assert_true(s->include[SCOPE_PID].active);
	assert_int_equal(s->include[SCOPE_PID].n, 2);
	assert_int_equal(s->include[SCOPE_PID].ids[0], 1);
	assert_int_equal(s->include[SCOPE_PID].ids[1], 5);
	assert_int_equal(s->exclude[SCOPE_PID].n, 2);
	assert_false(s->include[SCOPE_TID].active);
	assert_int_equal(s->states, 1u << 1 | 1u << 2);
	assert_int_equal(s->not_states, 1u << 6);
	assert_int_equal(s->min_ns, 1000);
	assert_int_equal(s->max_ns, 2000);
	assert_int_equal(s->nsyms, 2);
	assert_true(name_term__match(&s->syms[0], "xax"));
	assert_false(name_term__match(&s->syms[1], "b"));
	scope__put(s);
}

static void expect_threads(const char *expr, bool user, bool kernel)
{
	struct scope *s = parse(expr);

	assert_int_equal(scope__thread(s, false), user);
	assert_int_equal(scope__thread(s, true), kernel);
	scope__put(s);
}

static void test_threads(void **state)
{
	expect_threads("", true, true);
	expect_threads("task=user", true, false);
	expect_threads("!task=user", false, true);
	expect_threads("task=kernel", false, true);
	expect_threads("task=kernel task=user", false, false);
	assert_true(scope__thread(NULL, true));
}

static void expect_terms(const char *expr, u32 terms, const char *names)
{
	struct scope *s = parse(expr);
	char buf[64];

	assert_int_equal(scope__terms(s), terms);
	assert_string_equal(scope__term_names(s, SCOPE_TERMS_ALL, buf, sizeof(buf)), names);
	assert_string_equal(scope__term_names(s, 0, buf, sizeof(buf)), "");
	scope__put(s);
}

/* What not every view can apply is named, as far as there is room. */
static void test_terms(void **state)
{
	struct scope *s = parse("state=D min=1ms");
	char buf[8];

	expect_terms("pid=1 comm~x cpu=0 cgroup=x", 0, "");
	expect_terms("!state=D", SCOPE_TERM_STATE, "state=");
	expect_terms("max=1s task=user", SCOPE_TERM_TIME | SCOPE_TERM_TASK, "max= task=");
	expect_terms("obj~x !sym~y min=1ms", SCOPE_TERM_TIME | SCOPE_TERM_STACK, "min= sym~ obj~");
	expect_terms("prio=0-99 policy=rr", SCOPE_TERM_SCHED, "prio= policy=");
	expect_terms("mode=user !need_resched=1", SCOPE_TERM_MOMENT, "need_resched= mode=");
	expect_terms("prio=0-", 0, "");
	assert_int_equal(scope__terms(NULL), 0);
	assert_string_equal(scope__term_names(s, SCOPE_TERM_TIME, buf, sizeof(buf)), "min=");
	assert_string_equal(scope__term_names(s, SCOPE_TERMS_ALL, buf, sizeof(buf)), "state= ");
	scope__put(s);
}

static void test_references(void **state)
{
	struct scope *s = parse("comm~x");
	struct scope *other = scope__get(s);

	assert_ptr_equal(s, other);
	scope__put(s);
	assert_true(scope__comm(other, "x"));
	scope__put(other);
	scope__put(NULL);
	assert_null(scope__get(NULL));
}

static void expect_built(struct scope_args args, const char *text)
{
	struct status st = {0};
	struct scope *s = scope__build(&args, &st);

	if (!s)
		fail_msg("%s", st.msg);
	assert_string_equal(s->text, text);
	scope__put(s);
}

static void test_build(void **state)
{
	char pid[32], text[100];

	snprintf(pid, sizeof(pid), "%d", getpid());
	snprintf(text, sizeof(text), "pid=%s cpu=0 comm~\"a b\" !comm~x", pid);
	expect_built((struct scope_args){0}, "");
	expect_built(
		(struct scope_args){.pids = pid, .cpus = "0", .comm = "a b", .filter = "!comm~x"},
		text);
	snprintf(text, sizeof(text), "tree=%s", pid);
	expect_built((struct scope_args){.child_pid = (u32)getpid()}, text);
	snprintf(text, sizeof(text), "pid=1 tid=%s", pid);
	expect_built((struct scope_args){.pids = "1", .tids = pid}, text);
	expect_built((struct scope_args){.pids = "1-70"}, "pid=1-70"); /* some exist */
	expect_built((struct scope_args){.pids = "0"}, "pid=0");
}

static void expect_usage(struct scope_args args, const char *says)
{
	struct status st = {0};
	struct scope *s = scope__build(&args, &st);

	if (s)
		fail_msg("accepted, expected: %s", says);
	assert_int_equal(st.code, EXIT_CODE_USAGE);
	if (!strstr(st.msg, says))
		fail_msg("%s\nexpected: %s", st.msg, says);
}

static void test_build_errors(void **state)
{
	expect_usage((struct scope_args){.pids = "4194303"}, "-p 4194303: there is no process");
	expect_usage((struct scope_args){.pids = "1,x"}, "-p x: not a number");
	expect_usage((struct scope_args){.pids = ""}, "-p : a value is missing");
	expect_usage((struct scope_args){.tids = "4194303"}, "there is no thread 4194303");
	expect_usage((struct scope_args){.cpus = "0,8000"}, "CPU 8000 is not online, there are 0");
	expect_usage((struct scope_args){.cpus = "a\033b"}, "-C a?b: control characters");
	expect_usage((struct scope_args){.comm = "("}, "--comm (: wrong regular expression");
	expect_usage((struct scope_args){.cgroup = "no-such-cgroup"},
		     "no cgroup matches no-such-cgroup below /");
	expect_usage((struct scope_args){.filter = "pid=4194303"}, "there is no process 4194303");
	expect_usage((struct scope_args){.filter = "cpu=0 pidd=1"},
		     "--filter: unknown term, did you mean pid?\n  cpu=0 pidd=1\n        ^~~~");
	expect_usage((struct scope_args){.pids = "1", .child_pid = 1}, "cannot both be given");
}

/* cgroups of our own: top, top/a, top/a/b. */
struct tree {
	char name[48], top[300], a[300], b[300];
};

static bool tree__make(struct tree *t)
{
	static int made;

	if (!*cgroup__mount())
		return false;
	/* Removed ones are remembered by their names. */
	snprintf(t->name, sizeof(t->name), "proftop-test-%d-%d", getpid(), made++);
	snprintf(t->top, sizeof(t->top), "%.200s/%s", cgroup__mount(), t->name);
	snprintf(t->a, sizeof(t->a), "%.250s/a", t->top);
	snprintf(t->b, sizeof(t->b), "%.250s/a/b", t->top);
	return !mkdir(t->top, 0755) && !mkdir(t->a, 0755) && !mkdir(t->b, 0755);
}

static void tree__remove(struct tree *t)
{
	rmdir(t->b);
	rmdir(t->a);
	rmdir(t->top);
}

static u64 tree__id(const struct tree *t, const char *below)
{
	char path[100];

	snprintf(path, sizeof(path), "/%s%s", t->name, below);
	return cgroup__id(path);
}

static struct scope *resolved(const char *fmt, const char *name)
{
	char expr[200];
	struct scope *s, *r;

	snprintf(expr, sizeof(expr), fmt, name, name);
	s = parse(expr);
	r = scope__resolve(s);
	assert_non_null(r);
	assert_string_equal(r->text, s->text);
	assert_null(scope__resolve(r)); /* nothing changed */
	scope__put(s);
	return r;
}

static void test_cgroup_v2(void **state)
{
	struct tree t;
	struct scope *r;

	if (!tree__make(&t))
		skip_because("needs root and cgroup v2");
	r = resolved("cgroup=%s", t.name);
	assert_int_equal(r->include[SCOPE_CGROUP].n, 3); /* descendants are included */
	assert_true(scope__task(r, 1, 1, 0, tree__id(&t, "/a/b"), "x"));
	assert_false(scope__task(r, 1, 1, 0, cgroup__id("/"), "x"));
	assert_false(scope__task(r, 1, 1, 0, 0, "x"));
	scope__put(r);
	r = resolved("cgroup=/%s/* !cgroup=%s/a/b", t.name);
	assert_int_equal(r->include[SCOPE_CGROUP].n, 2);
	assert_true(scope__task(r, 1, 1, 0, tree__id(&t, "/a"), "x"));
	assert_false(scope__task(r, 1, 1, 0, tree__id(&t, "/a/b"), "x"));
	scope__put(r);
	r = resolved("cgroup=%s cgroup=%s/a", t.name); /* both must hold */
	assert_int_equal(r->include[SCOPE_CGROUP].n, 2);
	scope__put(r);
	tree__remove(&t);
}

/* A cgroup that appears is in the next look-up. */
static void test_cgroup_appears(void **state)
{
	struct tree t;
	struct scope *before, *after;

	if (!tree__make(&t))
		skip_because("needs root and cgroup v2");
	rmdir(t.b);
	before = resolved("cgroup=%s", t.name);
	assert_int_equal(before->include[SCOPE_CGROUP].n, 2);
	assert_int_equal(mkdir(t.b, 0755), 0);
	after = scope__resolve(before);
	assert_non_null(after);
	assert_int_equal(after->include[SCOPE_CGROUP].n, 3);
	scope__put(before);
	scope__put(after);
	tree__remove(&t);
}

/* What ran in a cgroup that is gone can still be chosen by the name that it is shown with. */
static void test_cgroup_removed(void **state)
{
	struct scope *r;
	struct tree t;
	char name[200];
	u64 b;

	r = resolved("!cgroup=cgroup:%s", "1234567");
	assert_false(scope__task(r, 1, 1, 0, 1234567, "x"));
	scope__put(r);
	if (!tree__make(&t))
		skip_because("needs root and cgroup v2");
	b = tree__id(&t, "/a/b");
	cgroup__name(b, name, sizeof(name));
	tree__remove(&t);
	r = resolved("!cgroup=%s", name);
	assert_false(scope__task(r, 1, 1, 0, b, "x"));
	scope__put(r);
	r = resolved("cgroup=%s/*", t.name); /* below what matches */
	assert_true(scope__task(r, 1, 1, 0, b, "x"));
	assert_false(scope__task(r, 1, 1, 0, cgroup__id("/"), "x"));
	scope__put(r);
}

/* "/." is the cgroup without what is below it, which sources that look at ancestors are told. */
static void test_cgroup_alone(void **state)
{
	struct scope *r;
	struct tree t;

	if (!tree__make(&t))
		skip_because("needs root and cgroup v2");
	r = resolved("!cgroup=/%s/a/.", t.name);
	assert_int_equal(r->exclude[SCOPE_CGROUP].n, 1);
	assert_true(id_set__has(&r->exclude_alone, tree__id(&t, "/a")));
	assert_false(scope__task(r, 1, 1, 0, tree__id(&t, "/a"), "x"));
	assert_true(scope__task(r, 1, 1, 0, tree__id(&t, "/a/b"), "x"));
	scope__put(r);
	r = resolved("!cgroup=/. cgroup=%s", t.name);
	assert_true(id_set__has(&r->exclude_alone, cgroup__id("/")));
	assert_int_equal(r->include_alone.n, 0);
	assert_false(scope__task(r, 1, 1, 0, cgroup__id("/"), "x"));
	assert_true(scope__task(r, 1, 1, 0, tree__id(&t, "/a"), "x"));
	scope__put(r);
	r = resolved("!cgroup=%s/*/. !cgroup=/%s/a", t.name); /* both: it stands for all */
	assert_int_equal(r->exclude_alone.n, 0);
	scope__put(r);
	r = resolved("cgroup=%s/. !cgroup=/x", t.name); /* by its last component */
	assert_int_equal(r->include[SCOPE_CGROUP].n, 1);
	scope__put(r);
	tree__remove(&t);
}

static void test_cgroup_unmatched(void **state)
{
	struct scope *s = parse("pid=1 cgroup=no-such-cgroup"), *r = scope__resolve(s);

	assert_null(r); /* an empty active set before and after */
	assert_true(s->include[SCOPE_CGROUP].active);
	assert_false(scope__task(s, 1, 1, 0, 1, "x"));
	scope__put(s);
	s = parse("pid=1");
	assert_null(scope__resolve(s));
	scope__put(s);
	assert_null(scope__resolve(NULL));
}

/* Our own cgroup in a v1 hierarchy whose path v2 does not have; "" none. */
static void own_v1_path(char *out, size_t size)
{
	char line[4096], *path;
	FILE *f = fopen("/proc/self/cgroup", "re");

	*out = '\0';
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		path = strchr(line, '/');
		if (path && path[1] && strncmp(line, "0::", 3) && !cgroup__id(path))
			copy_str(out, size, path);
	}
	if (f)
		fclose(f);
}

static void test_cgroup_v1(void **state)
{
	char path[2000], expr[2100];
	const char *const *v1;
	struct scope *s, *r;

	own_v1_path(path, sizeof(path));
	if (!*path || !cgroup__v1_mounts(&v1))
		skip_because("no cgroup v1 hierarchy with a name of ours");
	snprintf(expr, sizeof(expr), "cgroup=\"%s\" !pid=1", path);
	s = parse(expr);
	r = scope__resolve(s);
	assert_non_null(r);
	assert_false(r->include[SCOPE_CGROUP].active);
	assert_true(r->include[SCOPE_PID].active);
	assert_true(scope__task(r, (u32)getpid(), (u32)getpid(), 0, 0, "x"));
	assert_string_equal(r->text, s->text); /* members are not typed text */
	scope__put(r);
	scope__put(s);
	snprintf(expr, sizeof(expr), "!cgroup=\"%s\"", path);
	s = parse(expr);
	r = scope__resolve(s);
	assert_non_null(r);
	assert_false(scope__task(r, (u32)getpid(), (u32)getpid(), 0, 0, "x"));
	scope__put(r);
	scope__put(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_task),	       cmocka_unit_test(test_tree),
		cmocka_unit_test(test_threads),	       cmocka_unit_test(test_terms),
		cmocka_unit_test(test_normal_form),    cmocka_unit_test(test_references),
		cmocka_unit_test(test_build),	       cmocka_unit_test(test_build_errors),
		cmocka_unit_test(test_cgroup_v2),      cmocka_unit_test(test_cgroup_unmatched),
		cmocka_unit_test(test_cgroup_removed), cmocka_unit_test(test_cgroup_alone),
		cmocka_unit_test(test_cgroup_appears), cmocka_unit_test(test_cgroup_v1),
		cmocka_unit_test(test_gone),
	};

	return cmocka_run_group_tests_name("scope", tests, NULL, NULL);
}
