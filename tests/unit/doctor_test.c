// SPDX-License-Identifier: GPL-2.0-only
/* The doctor on this machine, with and without privileges, and how it prints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "sources/doctor.h"
#include "tests/lib/fds.h"
#include "tests/lib/skip.h"

static const struct check *find(const struct check *checks, u32 n, const char *group,
				const char *name)
{
	for (u32 i = 0; i < n; i++)
		if (!strcmp(checks[i].group, group) && !strcmp(checks[i].name, name))
			return &checks[i];
	return NULL;
}

static void expect_complete(const struct check *checks, u32 n)
{
	static const char *const views[] = {
#define VIEW(key, id, name) #name,
#include "tui/views.def"
#undef VIEW
	};
	static const char *const rows[][2] = {
		{"machine", "kernel"},
		{"machine", "perf_event_paranoid"},
		{"machine", "capabilities"},
		{"probes", "perf_event BPF program"},
		{"probes", "tp_btf"},
		{"probes", "fentry"},
		{"probes", "BPF map batches"},
		{"probes", "cycles (hardware)"},
		{"probes", "copies of user stacks"},
		{"symbols", "kernel function names"},
		{"terminal", "characters"},
		{"view cpu", "precise addresses"},
		{"view cpu", "user stacks"},
	};
	char group[40];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!find(checks, n, rows[i][0], rows[i][1]))
			fail_msg("no check %s / %s", rows[i][0], rows[i][1]);
	for (size_t i = 0; i < ARRAY_SIZE(views); i++) {
		snprintf(group, sizeof(group), "view %s", views[i]);
		if (!find(checks, n, group, "engine"))
			fail_msg("nothing about %s", views[i]);
	}
	for (u32 i = 0; i < n; i++) {
		if (!*checks[i].detail)
			fail_msg("%s has no detail", checks[i].name);
		if (!strcmp(checks[i].name, "annotated kernel") && strcmp(checks[i].group, "view cpu"))
			fail_msg("%s repeats a limit of the machine", checks[i].group);
		if (checks[i].state == CHECK_OK ? *checks[i].remedy : !*checks[i].remedy)
			fail_msg("%s: remedy '%s'", checks[i].name, checks[i].remedy);
	}
}

/* What a source opens once and for all serves those after it too: maps of unwind tables, types. One that another
 * program keeps from opening may do so later, but what every run leaves open is a leak. */
#define RUNS 4

static void test_run(void **state)
{
	u32 files = 0, before = 0;
	struct check *checks;

	skip_when_emulated();
	for (u32 i = 0; i < RUNS && (i < 2 || files != before); i++) {
		u32 n = doctor__run(&checks);

		expect_complete(checks, n);
		free(checks);
		before = files;
		files = count_fds();
	}
	assert_int_equal(files, before);
}

/* In a child, as nobody: everything has a reason, and nothing is printed by a library. */
static int unprivileged_child(int err_fd)
{
	const struct check *k;
	struct check *checks;
	u32 n;

	if (dup2(err_fd, STDERR_FILENO) < 0 || setresgid(65534, 65534, 65534) ||
	    setresuid(65534, 65534, 65534))
		return 77;
	n = doctor__run(&checks);
	k = find(checks, n, "probes", "tp_btf");
	if (!k || k->state != CHECK_MISSING || !strstr(k->detail, "CAP_BPF") ||
	    !strstr(k->remedy, "sudo"))
		return 1;
	k = find(checks, n, "view cpu", "engine");
	if (!k || k->state == CHECK_OK)
		return 2;
	k = find(checks, n, "view log", "engine");
	return k && k->state == CHECK_OK ? 0 : 3;
}

static void test_unprivileged(void **state)
{
	int fds[2], status = 0;
	char noise[512];
	ssize_t got;
	pid_t pid;

	skip_when_emulated();
	if (geteuid())
		skip_because("needs root");
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid)
		_exit(unprivileged_child(fds[1]));
	close(fds[1]);
	got = read(fds[0], noise, sizeof(noise) - 1);
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (got > 0) {
		noise[got] = '\0';
		fail_msg("printed: %s", noise);
	}
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static const struct check made_up[] = {
	{"machine", "kernel", CHECK_OK, "6.1", ""},
	{"probes", "a", CHECK_MISSING, "not here", "run with sudo"},
	{"probes", "b", CHECK_MISSING, "bad\033[2J\xff", "run with sudo"},
	{"view cpu", "engine", CHECK_LIMITED, "perf", "run with sudo"},
};

static void expect_printed(const struct check *checks, u32 n, bool color, const char *want)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	doctor__print(f, checks, n, color);
	fclose(f);
	if (!strstr(text, want))
		fail_msg("%s\nhas no:\n%s", text, want);
	if (!color)
		assert_null(strchr(text, '\033'));
	free(text);
}

static void test_print(void **state)
{
	struct check all[ARRAY_SIZE(made_up)], more[ARRAY_SIZE(made_up) + 2];

	memcpy(all, made_up, sizeof(all));
	expect_printed(all, 4, false,
		       "proftop works here, with limits: 1 ok, 1 limited, 2 missing\n"
		       "\n"
		       "machine\n"
		       "  ok       kernel                      6.1\n"
		       "\n"
		       "probes\n"
		       "  missing  a                           not here\n"
		       "  missing  b                           bad?[2J?\n"
		       "                                       -> run with sudo\n"
		       "\n"
		       "view cpu\n"
		       "  limited  engine                      perf\n"
		       "                                       -> run with sudo\n");
	expect_printed(all, 4, true, "\033[31mmissing\033[0m  a ");
	all[3].state = CHECK_OK;
	expect_printed(all, 4, false,
		       "proftop everything works here: 2 ok, 0 limited, 2 missing\n");
	all[3].state = CHECK_MISSING;
	expect_printed(all, 4, false, "proftop cannot profile here: ");
	memcpy(more, all, sizeof(all));
	more[4] = (struct check){"view log", "engine", CHECK_OK, "needs nothing of the kernel", ""};
	expect_printed(more, 5, false, "proftop cannot profile here: ");
	more[5] = (struct check){"view other", "engine", CHECK_OK, "bpf", ""};
	expect_printed(more, 6, false, "proftop works here, with limits: ");
}

static void test_json(void **state)
{
	struct json_object *o, *v;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	doctor__print_json(f, made_up, ARRAY_SIZE(made_up));
	fclose(f);
	o = json_tokener_parse(text);
	assert_non_null(o);
	assert_int_equal(json_pointer_get(o, "/schema", &v), 0);
	assert_string_equal(json_object_get_string(v), "proftop-doctor/1");
	assert_int_equal(json_pointer_get(o, "/verdict", &v), 0);
	assert_string_equal(json_object_get_string(v), "limited");
	assert_int_equal(json_pointer_get(o, "/checks/2/detail", &v), 0);
	assert_string_equal(json_object_get_string(v), "bad\033[2J\xef\xbf\xbd");
	assert_int_equal(json_pointer_get(o, "/checks/3/state", &v), 0);
	assert_string_equal(json_object_get_string(v), "limited");
	json_object_put(o);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_unprivileged),
		cmocka_unit_test(test_print),
		cmocka_unit_test(test_json),
	};

	return cmocka_run_group_tests_name("doctor", tests, NULL, NULL);
}
