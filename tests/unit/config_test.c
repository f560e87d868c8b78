/* SPDX-License-Identifier: GPL-2.0-only */
/* The configuration: read below the command line, and written back into what is there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/lib/scratch.h"
#include "tui/config.h"

static struct options options;
static struct status status;

static int parse(const char *text)
{
	options__fini(&options);
	options__init(&options, NULL);
	status = (struct status){0};
	return config__parse(&options, text, strlen(text), "my.config", &status);
}

static void every_key_sets_its_option(void **state)
{
	if (parse("view = offcpu # first\n\tviews=cpu io\ndelay = 2.5\r\nwindow = total\n"
		  "freq = 499\nevent = page-faults\ncall-graph = fp\nstack-copy = 4096\nidle = yes\n"
		  "history_minutes = 5\nhistory_mib = 128\nkeymap = vi\ntheme = a file#1\n"
		  "ascii = yes"))
		fail_msg("%s", status.msg);
	assert_string_equal(options.view, "offcpu");
	assert_string_equal(options.views, "cpu io");
	assert_int_equal(options.interval_ns, 2500 * NSEC_PER_MSEC);
	assert_string_equal(options.window, "total");
	assert_int_equal(options.sampling.freq, 499);
	assert_string_equal(options.sampling.event, "page-faults");
	assert_int_equal(options.sampling.call_graph, CALL_GRAPH_FP);
	assert_int_equal(options.sampling.stack_bytes, 4096);
	assert_true(options.sampling.idle);
	assert_int_equal(options.history.span_ns, 300 * NSEC_PER_SEC);
	assert_int_equal(options.history.bytes, 128 << 20);
	assert_string_equal(options.keymap, "vi");
	assert_string_equal(options.theme, "a file#1");
	assert_true(options.ascii);
	assert_int_equal(parse("period = 1000\nidle = no\n"), 0);
	assert_int_equal(options.sampling.period, 1000);
	assert_false(options.sampling.idle);
	assert_int_equal(options.history.span_ns, 600 * NSEC_PER_SEC);
	assert_int_equal(options.history.bytes, 64 << 20);
}

/* What the table says holds anyway is what does. */
static void initial_values_are_the_options(void **state)
{
	struct options plain;
	char text[2000] = "";

	for (u32 i = 0; i < SETTINGS; i++)
		if (setting_table[i].initial[0])
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s = %s\n",
				 setting_table[i].key, setting_table[i].initial);
	assert_int_equal(parse(text), 0);
	options__init(&plain, NULL);
	/* Of a screen; batch mode begins with another one. */
	assert_string_equal(options.view, "overview");
	assert_int_equal(options.interval_ns, plain.interval_ns);
	assert_int_equal(options.sampling.freq, plain.sampling.freq);
	assert_int_equal(options.sampling.call_graph, plain.sampling.call_graph);
	assert_int_equal(options.sampling.stack_bytes, plain.sampling.stack_bytes);
	assert_int_equal(options.sampling.idle, plain.sampling.idle);
	assert_int_equal(options.history.span_ns, plain.history.span_ns);
	assert_int_equal(options.history.bytes, plain.history.bytes);
	assert_int_equal(options.ascii, plain.ascii);
}

static void errors_say_where_and_what(void **state)
{
	static const struct {
		const char *text, *msg;
	} cases[] = {
		{"\n# x\ndleay = 1\n", "my.config:3: unknown key \"dleay\""},
		{"delay = fast\n", "my.config:1: delay \"fast\": takes seconds from 0.05"},
		{"delay = -1 # no\n", "my.config:1: delay \"-1\": takes seconds"},
		{"delay\n", "my.config:1: no = behind \"delay\""},
		{"delay 1 = 2\n", "my.config:1: no = behind \"delay\""},
		{"delay =\n", "my.config:1: no value for \"delay\""},
		{"delay = # 1\n", "my.config:1: no value for \"delay\""},
		{"= 1\n", "my.config:1: unknown key \"\""},
		{"delay = 1\nfreq = 2\ndelay = 3\n", "my.config:3: there twice, key \"delay\""},
		{"ascii = 1\n", "my.config:1: ascii \"1\": takes yes or no"},
		{"view = gpu\n", "my.config:1: view \"gpu\": takes one of overview "},
		{"views = cpu gpu\n", "my.config:1: views \"cpu gpu\": takes one of overview "},
		{"window = all\n", "my.config:1: window \"all\": takes last, decaying or total"},
		{"history_minutes = 9999\n",
		 "my.config:1: history_minutes \"9999\": takes minutes"},
		{"history_minutes = 1:2\n", "my.config:1: history_minutes"},
		{"history_mib = 0\n", "my.config:1: history_mib \":0\": takes minutes"},
		{"freq = 0\n", "my.config:1: freq \"0\": takes 1 to 100000"},
		{"event = \033[2J\n", "my.config:1: no text behind \"event\""},
		{"\033[2J = 1\n", "my.config:1: unknown key \"?[2J\""},
	};

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		if (!parse(cases[i].text))
			fail_msg("taken: %s", cases[i].text);
		assert_int_equal(status.code, EXIT_CODE_USAGE);
		if (strncmp(status.msg, cases[i].msg, strlen(cases[i].msg)))
			fail_msg("%s", status.msg);
	}
}

/* --- files below the command line --- */

static int load(const char *line)
{
	static char text[256];
	static char *argv[16];
	char *save = NULL, *etc = xasprintf("%s/etc.conf", scratch_dir);
	int argc = 0, err;

	copy_str(text, sizeof(text), line);
	for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	argv[argc] = NULL;
	options__fini(&options);
	status = (struct status){0};
	err = options__parse(&options, argc, argv, &status);
	if (!err)
		err = config__load(&options, etc, argc, argv, &status);
	free(etc);
	return err;
}

static void the_command_line_is_stronger(void **state)
{
	char line[200];

	run("mkdir -p proftop && printf 'freq = 11\ndelay = 3\nview = io\nidle = yes\n' >etc.conf");
	run("printf 'freq = 22\nview = sched\n' >proftop/config");
	run("printf 'view = cache\n' >other");
	assert_int_equal(load("proftop"), 0);
	assert_int_equal(options.sampling.freq, 22);
	assert_string_equal(options.view, "sched");
	assert_int_equal(options.interval_ns, 3 * NSEC_PER_SEC);
	assert_true(options.sampling.interval_s == 3);
	assert_true(options.sampling.idle);
	/* Not asked for now: a recording may choose. */
	assert_false(options.view_given || options.interval_given);
	assert_int_equal(load("proftop -c 5 -V cpu"), 0);
	assert_int_equal(options.sampling.period, 5);
	assert_int_equal(options.sampling.freq, 0);
	assert_string_equal(options.view, "cpu");
	assert_true(options.view_given);
	snprintf(line, sizeof(line), "proftop --config %s/other", scratch_dir);
	assert_int_equal(load(line), 0);
	assert_int_equal(options.sampling.freq, 11);
	assert_string_equal(options.view, "cache");
	assert_int_equal(load("proftop --no-config"), 0);
	assert_int_equal(options.sampling.freq, 99);
	assert_int_equal(load("proftop --config /nonexistent"), -ENOENT);
	assert_int_equal(load("proftop --no-config --config x"), -EINVAL);
	/* What goes with what is looked at with both together. */
	assert_int_equal(load("proftop --group cpu"), 0);
	assert_int_equal(load("proftop --group symbol"), -EINVAL);
	run("rm etc.conf");
}

static void files_of_others_are_refused(void **state)
{
	run("mkdir -p proftop && printf 'freq = 22\n' >proftop/config && chmod 602 proftop/config");
	assert_int_equal(load("proftop"), -EPERM);
	assert_non_null(strstr(status.msg, "everybody may write to it (chmod o-w); --no-config"));
	run("rm proftop/config && mkfifo proftop/config");
	assert_int_equal(load("proftop"), -EINVAL);
	assert_non_null(strstr(status.msg, "not a regular file"));
	run("rm proftop/config && head -c 70000 /dev/zero >proftop/config");
	assert_int_equal(load("proftop"), -EFBIG);
	run("rm -r proftop");
	assert_int_equal(load("proftop"), 0);
}

/* --- saving --- */

static struct config_values values(const char *freq, const char *view)
{
	struct config_values v = {0};

	for (u32 i = 0; i < SETTINGS; i++)
		copy_str(v.text[i], sizeof(v.text[i]), setting_table[i].initial);
	copy_str(v.text[SETTING_FREQ], sizeof(v.text[0]), freq);
	copy_str(v.text[SETTING_VIEW], sizeof(v.text[0]), view);
	return v;
}

static void assert_merged(const char *old, const struct config_values *v, const char *want)
{
	char *text = config__merge(old, strlen(old), v);

	assert_string_equal(text, want);
	free(text);
}

static void a_new_file_has_all_keys(void **state)
{
	struct config_values v = values("499", "cpu");
	char *text = config__merge(NULL, 0, &v), *again;

	assert_int_equal(parse(text), 0);
	assert_int_equal(options.sampling.freq, 499);
	assert_non_null(strstr(text, "\nfreq = 499\n"));
	assert_non_null(strstr(text, "\n# delay = 1\n"));
	for (u32 i = 0; i < SETTINGS; i++) {
		assert_non_null(strstr(text, setting_table[i].help));
		assert_non_null(strstr(text, setting_table[i].key));
	}
	/* Nothing else changes it. */
	again = config__merge(text, strlen(text), &v);
	assert_string_equal(text, again);
	free(again);
	free(text);
}

static void what_is_written_by_hand_stays(void **state)
{
	struct config_values v = values("499", "io");

	assert_merged("# mine\n\n  freq=7   # slow disk\n# view = sched\n", &v,
		      "# mine\n\nfreq = 499  # slow disk\nview = io\n");
	/* What has a line is not made another from a comment. */
	assert_merged("# freq = 99\nfreq = 499\nview = io", &v,
		      "# freq = 99\nfreq = 499\nview = io\n");
	/* As it is anyway: the line that is there says so, too. */
	v = values("99", "overview");
	assert_merged("freq = 7\n", &v, "freq = 99\n");
	/* A period takes the place of the frequency. */
	v = values("", "overview");
	copy_str(v.text[SETTING_PERIOD], sizeof(v.text[0]), "1000");
	assert_merged("freq = 7 # x\n", &v,
		      "# freq = 7 # x\n\n# one sample every so many events instead (--period)\n"
		      "period = 1000\n");
}

static void saving_replaces_in_one_step(void **state)
{
	struct config_values v = values("499", "cpu");
	char path[4096];
	bool existed;
	struct stat sb;

	run("rm -rf proftop");
	assert_int_equal(config__save(&v, path, sizeof(path), &existed, &status), 0);
	assert_false(existed);
	assert_int_equal(stat(path, &sb), 0);
	assert_int_equal(sb.st_mode & 07777, 0600);
	assert_int_equal(load("proftop"), 0);
	assert_int_equal(options.sampling.freq, 499);
	run("printf '# by hand\n' >proftop/config");
	assert_int_equal(config__save(&v, path, sizeof(path), &existed, &status), 0);
	assert_true(existed);
	run("[ \"$(cat proftop/config.bak)\" = '# by hand' ] && grep -q '^# by hand' "
	    "proftop/config && "
	    "grep -q '^freq = 499' proftop/config && [ \"$(ls -A proftop | wc -l)\" = 2 ]");
}

static void saving_is_refused_where_it_could_hurt(void **state)
{
	struct config_values v = values("499", "cpu");
	char path[4096];
	bool existed;

	run("rm -rf proftop && mkdir proftop && echo precious >target && ln -s ../target "
	    "proftop/config");
	assert_true(config__save(&v, path, sizeof(path), &existed, &status) < 0);
	assert_non_null(strstr(status.msg, "left as it is"));
	run("[ \"$(cat target)\" = precious ] && rm proftop/config && printf '# a\\0b\\n' >proftop/config");
	assert_true(config__save(&v, path, sizeof(path), &existed, &status) < 0);
	assert_non_null(strstr(status.msg, "no text"));
	run("rm proftop/config && chmod 777 proftop");
	assert_true(config__save(&v, path, sizeof(path), &existed, &status) < 0);
	assert_non_null(strstr(status.msg, "not yours alone"));
	run("rmdir proftop && mkdir real && ln -s real proftop");
	assert_true(config__save(&v, path, sizeof(path), &existed, &status) < 0);
	run("[ -z \"$(ls -A real)\" ] && rm proftop");
	setenv("XDG_CONFIG_HOME", "/nonexistent/there", 1);
	assert_true(config__save(&v, path, sizeof(path), &existed, &status) < 0);
	setenv("XDG_CONFIG_HOME", scratch_dir, 1);
}

static int begin(void **state)
{
	int err = scratch__make("proftop-config");

	setenv("XDG_CONFIG_HOME", scratch_dir, 1);
	return err;
}

static int end(void **state)
{
	options__fini(&options);
	return scratch__remove(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_sets_its_option),
		cmocka_unit_test(initial_values_are_the_options),
		cmocka_unit_test(errors_say_where_and_what),
		cmocka_unit_test(the_command_line_is_stronger),
		cmocka_unit_test(files_of_others_are_refused),
		cmocka_unit_test(a_new_file_has_all_keys),
		cmocka_unit_test(what_is_written_by_hand_stays),
		cmocka_unit_test(saving_replaces_in_one_step),
		cmocka_unit_test(saving_is_refused_where_it_could_hurt),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
