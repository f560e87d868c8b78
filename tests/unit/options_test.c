// SPDX-License-Identifier: GPL-2.0-only
/* The command line: every option, what it refuses, and with which exit code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "models/measure.h"
#include "scope/filter.h"
#include "tui/options.h"
#include "tui/presets.h"
#include "tui/view.h"

#define WORDS_MAX 48
#define LONG_NAME                                                                                  \
	"0123456789012345678901234567890123456789012345678901234567890123"                         \
	"0123456789012345678901234567890123456789012345678901234567890123"

/* A line's words, as a shell would hand them over; '' is the empty one. */
struct words {
	char text[1024];
	char *argv[WORDS_MAX + 2];
	int argc;
};

static void split(struct words *w, const char *line)
{
	char *save = NULL;

	assert_true(strlen(line) < sizeof(w->text));
	strcpy(w->text, line);
	w->argc = 0;
	w->argv[w->argc++] = (char *)"proftop";
	for (char *word = strtok_r(w->text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		assert_true(w->argc <= WORDS_MAX);
		w->argv[w->argc++] = strcmp(word, "''") ? word : word + 2;
	}
	w->argv[w->argc] = NULL;
}

static int parse(struct options *o, struct words *w, struct status *st, const char *line)
{
	split(w, line);
	*st = (struct status){0};
	return options__parse(o, w->argc, w->argv, st);
}

/* The line must be right. */
static struct options *parsed(const char *line)
{
	static struct words w;
	static struct options o;
	struct status st;

	if (parse(&o, &w, &st, line))
		fail_msg("%s: %s", line, st.msg);
	return &o;
}

static void test_defaults(void **state)
{
	struct options *o = parsed("");

	assert_int_equal(o->mode, MODE_UI);
	assert_string_equal(o->view, view_table[0]->name);
	assert_int_equal(o->interval_ns, NSEC_PER_SEC);
	assert_true(o->sampling.interval_s == 1.0);
	assert_int_equal(o->sampling.freq, 99);
	assert_int_equal(o->sampling.period, 0);
	assert_string_equal(o->sampling.event, "");
	assert_int_equal(o->sampling.call_graph, CALL_GRAPH_AUTO);
	assert_true(o->sampling.user && o->sampling.kernel && !o->sampling.idle);
	assert_null(o->command);
	assert_null(o->format);
	assert_int_equal(o->noutputs, 0);
	assert_int_equal(o->iterations, 0);
	assert_false(o->ascii);
}

/* Options whose value is a string that others look at. */
static void test_strings(void **state)
{
	static const struct {
		const char *name;
		size_t at;
	} rows[] = {
		{"-p", offsetof(struct options, scope.pids)},
		{"--pid", offsetof(struct options, scope.pids)},
		{"-t", offsetof(struct options, scope.tids)},
		{"--tid", offsetof(struct options, scope.tids)},
		{"-G", offsetof(struct options, scope.cgroup)},
		{"--cgroup", offsetof(struct options, scope.cgroup)},
		{"-C", offsetof(struct options, scope.cpus)},
		{"--cpu", offsetof(struct options, scope.cpus)},
		{"--comm", offsetof(struct options, scope.comm)},
		{"--filter", offsetof(struct options, scope.filter)},
		{"--keymap", offsetof(struct options, keymap)},
		{"--script", offsetof(struct options, script)},
		{"--record", offsetof(struct options, record)},
		{"--replay", offsetof(struct options, replay)},
	};

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		char line[64];
		struct options *o;

		snprintf(line, sizeof(line), "%s some,value=1", rows[i].name);
		o = parsed(line);
		assert_string_equal(*(const char **)((char *)o + rows[i].at), "some,value=1");
		if (rows[i].name[1] != '-')
			continue;
		snprintf(line, sizeof(line), "%s=some,value=1", rows[i].name);
		o = parsed(line);
		assert_string_equal(*(const char **)((char *)o + rows[i].at), "some,value=1");
	}
}

static void test_sampling(void **state)
{
	static const struct {
		const char *line;
		u64 freq, period;
	} rows[] = {
		{"-F 1", 1, 0},
		{"-F100000", 100000, 0},
		{"--freq=4000", 4000, 0},
		{"-c 1", 0, 1},
		{"--period 1000", 0, 1000},
		{"-F 10 -c 5", 0, 5},
		{"-c 5 -F 10", 10, 0},
		{"-c 9223372036854775807", 0, INT64_MAX},
		{"-e page-faults", 99, 0},
	};

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		struct options *o = parsed(rows[i].line);

		assert_int_equal(o->sampling.freq, rows[i].freq);
		assert_int_equal(o->sampling.period, rows[i].period);
	}
	assert_string_equal(parsed("-e sched:sched_switch")->sampling.event, "sched:sched_switch");
	assert_string_equal(parsed("--event cycles:P")->sampling.event, "cycles:P");
	assert_int_equal(parsed("--call-graph fp")->sampling.call_graph, CALL_GRAPH_FP);
	assert_int_equal(parsed("--call-graph eh")->sampling.call_graph, CALL_GRAPH_EH);
	assert_int_equal(parsed("--call-graph off")->sampling.call_graph, CALL_GRAPH_OFF);
	assert_int_equal(parsed("")->sampling.stack_bytes, STACK_COPY_BYTES);
	assert_int_equal(parsed("--stack-copy 32768")->sampling.stack_bytes, 32768);
	assert_int_equal(parsed("--call-graph off --call-graph auto")->sampling.call_graph,
			 CALL_GRAPH_AUTO);
}

static void test_display(void **state)
{
	struct options *o;

	for (u32 v = 0; v < VIEW_COUNT; v++) {
		char line[64];

		snprintf(line, sizeof(line), "-V %s", view_table[v]->name);
		assert_string_equal(parsed(line)->view, view_table[v]->name);
	}
	assert_string_equal(parsed("--theme dark")->theme, "dark");
	assert_int_equal(parsed("-d 0.05")->interval_ns, 50 * NSEC_PER_MSEC);
	assert_int_equal(parsed("-d 86400")->interval_ns, 86400 * NSEC_PER_SEC);
	o = parsed("--delay=2.5");
	assert_int_equal(o->interval_ns, 2500 * NSEC_PER_MSEC);
	assert_true(o->sampling.interval_s == 2.5);
	assert_true(parsed("--ascii")->ascii);
	assert_string_equal(parsed("--group comm,symbol")->group, "comm,symbol");
	/* The view that is meant may come behind. */
	assert_string_equal(parsed("--group tid -V cpu")->group, "tid");
	assert_true(parsed("--replay x --speed 2.5")->speed == 2.5);
	assert_string_equal(parsed("--replay x --group waker")->group, "waker");
	o = parsed("--size 400x120 --script x");
	assert_int_equal(o->columns, 400);
	assert_int_equal(o->rows, 120);
}

static void test_batch(void **state)
{
	struct options *o = parsed("-b -n 5 --format folded -o a.txt -o b.json --output c.csv");

	assert_int_equal(o->mode, MODE_BATCH);
	assert_int_equal(o->iterations, 5);
	assert_string_equal(o->format, "folded");
	assert_int_equal(o->noutputs, 3);
	assert_string_equal(o->outputs[0], "a.txt");
	assert_string_equal(o->outputs[1], "b.json");
	assert_string_equal(o->outputs[2], "c.csv");
	/* In any order, and as one word. */
	assert_int_equal(parsed("-n1 -b")->iterations, 1);
	assert_int_equal(parsed("-bn1")->iterations, 1);
	assert_int_equal(parsed("--batch --iterations=7")->iterations, 7);
	assert_string_equal(parsed("-b --format json")->format, "json");
	assert_string_equal(parsed("--snapshot-on-signal")->snapshot->name, "text");
	assert_string_equal(parsed("-b --snapshot-on-signal=html")->snapshot->name, "html");
	assert_int_equal(parsed("-b -o 1.txt -o 2.txt -o 3.txt -o 4.txt -o 5.txt -o 6.txt -o 7.txt "
				"-o 8.txt -o a.svg -o b.om -o c.pb.gz -o d.html -o e.perf.txt "
				"-o f.trace.json -o g.speedscope.json -o h.time.folded")
				 ->noutputs,
			 MAX_OUTPUTS);
}

static void test_modes(void **state)
{
	static const struct {
		const char *line;
		enum mode mode;
	} rows[] = {
		{"-h", MODE_HELP},
		{"--help", MODE_HELP},
		{"--version", MODE_VERSION},
		{"--doctor", MODE_DOCTOR},
		{"--doctor --format json", MODE_DOCTOR},
		{"--list-views", MODE_LIST_VIEWS},
		{"--list-events", MODE_LIST_EVENTS},
		{"--vers", MODE_VERSION}, /* what is clear may be short */
	};

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(parsed(rows[i].line)->mode, rows[i].mode);
	assert_null(parsed("--list-events")->event_glob);
	assert_string_equal(parsed("--list-events sched:*")->event_glob, "sched:*");
	assert_string_equal(parsed("--list-events=sched:*")->event_glob, "sched:*");
}

static void test_serve(void **state)
{
	struct options *o = parsed("--serve 0.0.0.0:9000 --serve-insecure -V cpu,offcpu -d 5");

	assert_int_equal(o->mode, MODE_SERVE);
	assert_string_equal(o->serve, "0.0.0.0:9000");
	assert_string_equal(o->view_list, "cpu,offcpu");
	assert_string_equal(o->view, "cpu");
	assert_true(o->serve_insecure);
	assert_null(parsed("--serve")->serve);
	assert_null(parsed("--serve -V io")->serve);
	assert_string_equal(parsed("--serve=9000")->serve, "9000");
	assert_string_equal(parsed("-V io --serve /run/x")->serve, "/run/x");
}

/* What a row of presets.def says the views have; the same goes for what is given beside it. */
static void test_presets(void **state)
{
	struct filter_error wrong;
	struct status st = {0};
	struct options *o;
	struct scope *s;

	measure__know_labels();
	for (u32 i = 0; i < presets_count; i++) {
		const struct preset *p = &preset_table[i];
		const struct view_ops *v = view__by_name(p->view);

		assert_non_null(v);
		if (*p->group && view__check_groups(v, p->group, &st))
			fail_msg("%s: %s", p->name, st.msg);
		s = filter__parse(p->filter, &wrong);
		if (!s || view__check_terms(v, s, &st))
			fail_msg("%s: %s", p->name, s ? st.msg : wrong.msg);
		scope__put(s);
		assert_ptr_equal(preset__by_name(p->name), p);
	}
	o = parsed("-b --preset syncsnoop");
	assert_string_equal(o->view, "syscalls");
	assert_string_equal(o->group, "syscall,comm,pid");
	o = parsed("-b --preset openfails --group file --sort count --filter pid=1");
	assert_string_equal(o->group, "file");
	assert_string_equal(o->sort, "count");
	assert_string_equal(o->scope.filter, "pid=1 op=open,create error~.");
	options__fini(o);
	o = parsed("-b --preset execsnoop");
	assert_int_equal(o->nasks, 1);
	assert_string_equal(o->asks[0], "execsnoop");
}

static void test_command(void **state)
{
	struct options *o = parsed("-b -F 500 -- make -j8 --help -p 3");

	assert_int_equal(o->mode, MODE_BATCH);
	assert_int_equal(o->sampling.freq, 500);
	assert_null(o->scope.pids);
	assert_string_equal(o->command[0], "make");
	assert_string_equal(o->command[1], "-j8");
	assert_string_equal(o->command[2], "--help");
	assert_string_equal(o->command[4], "3");
	assert_null(o->command[5]);
	o = parsed("-- -- x");
	assert_string_equal(o->command[0], "--");
	assert_string_equal(parsed("-b --comm --")->scope.comm, "--"); /* a value */
}

/* Each wrong line, its exit code, and what the message must have. */
static void test_wrong(void **state)
{
	static const struct {
		const char *line;
		enum exit_code code;
		const char *part;
	} rows[] = {
		{"--nonsense", EXIT_CODE_USAGE, "unknown option --nonsense; see proftop --help"},
		{"-z", EXIT_CODE_USAGE, "unknown option -z;"},
		{"-zb", EXIT_CODE_USAGE, "unknown option -z;"},
		{"-bzh", EXIT_CODE_USAGE, "unknown option -z;"},
		{"-b -:", EXIT_CODE_USAGE, "unknown option -:;"},
		{"--li", EXIT_CODE_USAGE, "unknown option --li;"},
		{"--ascii=yes", EXIT_CODE_USAGE, "--ascii=yes: this option takes no value"},
		{"--batch=1", EXIT_CODE_USAGE, "--batch=1: this option takes no value"},
		{"--ascii -zb", EXIT_CODE_USAGE, "unknown option -z;"},
		{"-p", EXIT_CODE_USAGE, "-p needs a value"},
		{"-bp", EXIT_CODE_USAGE, "-bp needs a value"},
		{"-b --filter", EXIT_CODE_USAGE, "--filter needs a value"},
		{"make", EXIT_CODE_USAGE,
		 "unexpected \"make\"; a command to profile comes after --"},
		{"-b make -j8", EXIT_CODE_USAGE, "unexpected \"make\""},
		{"--list-events a b", EXIT_CODE_USAGE, "unexpected \"b\""},
		{"-F 0", EXIT_CODE_USAGE, "-F \"0\": takes 1 to 100000"},
		{"-F 100001", EXIT_CODE_USAGE, "-F \"100001\""},
		{"-F -5", EXIT_CODE_USAGE, "-F \"-5\""},
		{"-F +5", EXIT_CODE_USAGE, "-F \"+5\""},
		{"-F 5x", EXIT_CODE_USAGE, "-F \"5x\""},
		{"-F 0x10", EXIT_CODE_USAGE, "-F \"0x10\""},
		{"-F ''", EXIT_CODE_USAGE, "-F \"\""},
		{"-F 99999999999999999999", EXIT_CODE_USAGE, "-F \"9999"},
		{"-c 0", EXIT_CODE_USAGE, "-c \"0\""},
		{"-c 9223372036854775808", EXIT_CODE_USAGE, "-c \"9223372036854775808\""},
		{"-e ''", EXIT_CODE_USAGE, "-e \"\": takes an event name"},
		{"-e " LONG_NAME, EXIT_CODE_USAGE, "-e \"0123"},
		{"--stack-copy 1023", EXIT_CODE_USAGE, "takes bytes from 1024 to 32768"},
		{"--stack-copy 32769", EXIT_CODE_USAGE, "--stack-copy \"32769\""},
		{"--call-graph dwarf", EXIT_CODE_USAGE, "takes auto, fp"},
		{"--preset nothing", EXIT_CODE_USAGE, "--list-presets lists them"},
		{"-V io --preset biotop", EXIT_CODE_USAGE, "it is of view io; leave -V out"},
		{"-V nothing", EXIT_CODE_USAGE, "takes one of overview "},
		{"-V ''", EXIT_CODE_USAGE, "takes one of"},
		{"-d 0", EXIT_CODE_USAGE, "-d \"0\": takes seconds from 0.05 to 86400"},
		{"-d 0.049", EXIT_CODE_USAGE, "-d"},
		{"-d 86401", EXIT_CODE_USAGE, "-d"},
		{"-d nan", EXIT_CODE_USAGE, "-d"},
		{"-d inf", EXIT_CODE_USAGE, "-d"},
		{"-d 1s", EXIT_CODE_USAGE, "-d \"1s\""},
		{"-d -1", EXIT_CODE_USAGE, "-d"},
		{"-d ''", EXIT_CODE_USAGE, "-d"},
		{"--do drill --doctor", EXIT_CODE_USAGE, "--do goes with the screen or --batch"},
		{"-b --do drill -n 2", EXIT_CODE_USAGE, "-n: after --do there is one report"},
		{"--graphs dots", EXIT_CODE_USAGE, "--graphs \"dots\": takes braille, blocks, ascii"},
		{"--columns a:b;c", EXIT_CODE_USAGE, "--columns \"a:b;c\": takes LISTING:NAME"},
		{"--columns=", EXIT_CODE_USAGE, "--columns \"\": takes"},
		{"--window all", EXIT_CODE_USAGE, "--window \"all\": takes last, decaying or total"},
		{"--views cpu,gpu", EXIT_CODE_USAGE, "--views \"cpu,gpu\": takes one of overview "},
		{"--history 1441", EXIT_CODE_USAGE, "--history \"1441\": takes minutes"},
		{"--history 1:", EXIT_CODE_USAGE, "--history \"1:\""},
		{"--history 1:0", EXIT_CODE_USAGE, "--history \"1:0\""},
		{"--config x --no-config", EXIT_CODE_USAGE, "--config and --no-config exclude each other"},
		{"--speed 2", EXIT_CODE_USAGE, "--speed goes with a --replay"},
		{"-b --replay x --speed 2", EXIT_CODE_USAGE, "--speed goes with a --replay on the screen"},
		{"--replay x --speed 0", EXIT_CODE_USAGE, "--speed \"0\": takes a factor"},
		{"--replay x --speed nan", EXIT_CODE_USAGE, "--speed"},
		{"--replay x --record y", EXIT_CODE_USAGE, "--replay looks at what was recorded"},
		{"--replay x -- true", EXIT_CODE_USAGE, "neither --record nor a command"},
		{"--doctor --record x", EXIT_CODE_USAGE, "--record goes with --batch"},
		{"--size 80", EXIT_CODE_USAGE, "--size \"80\": takes COLSxROWS"},
		{"--size 80x24", EXIT_CODE_USAGE, "--size is of a --script's screen"},
		{"--size 99999999999999999999x24", EXIT_CODE_USAGE, "up to 1000x1000"},
		{"--size 80x4294967320", EXIT_CODE_USAGE, "up to 1000x1000"},
		{"--", EXIT_CODE_USAGE, "a command is missing after --"},
		{"-b --", EXIT_CODE_USAGE, "a command is missing after --"},
		{"-b -n 1 --comm x --", EXIT_CODE_USAGE, "a command is missing after --"},
		{"--doctor --format csv", EXIT_CODE_USAGE, "--doctor --format \"csv\": takes text or json"},
		{"--doctor -o x.json", EXIT_CODE_USAGE, "-o and -n go with --batch"},
		{"--list-views -n 3", EXIT_CODE_USAGE, "-o and -n go with --batch"},
		{"--serve example.org:80", EXIT_CODE_USAGE, "takes ADDRESS:PORT"},
		{"--serve -n 3", EXIT_CODE_USAGE, "goes without -o, -n"},
		{"--serve --replay x", EXIT_CODE_USAGE, "goes without --replay"},
		{"--serve -V cpu,gpu", EXIT_CODE_USAGE, "-V \"cpu,gpu\": takes one of overview "},
		{"-V cpu,offcpu", EXIT_CODE_USAGE, "several views go with --serve"},
		{"-b --serve-insecure", EXIT_CODE_USAGE, "go with --serve"},
		{"--size 0x24", EXIT_CODE_USAGE, "--size"},
		{"--size 80x24x3", EXIT_CODE_USAGE, "--size"},
		{"--size 1001x24", EXIT_CODE_USAGE, "--size"},
		{"--size 80x-1", EXIT_CODE_USAGE, "--size"},
		{"--group nothing", EXIT_CODE_USAGE, "--group: \"nothing\" is no key"},
		{"--group comm,comm", EXIT_CODE_USAGE, "\"comm\" is there twice"},
		{"--group ''", EXIT_CODE_USAGE, "--group: \"\""},
		{"--group comm,", EXIT_CODE_USAGE, "--group"},
		{"--group comm -V log", EXIT_CODE_USAGE, "view log has none"},
		{"-b -n 0", EXIT_CODE_USAGE, "-n \"0\""},
		{"-b -n many", EXIT_CODE_USAGE, "-n \"many\""},
		{"--snapshot-on-signal=pdf", EXIT_CODE_USAGE, "takes one of text json csv folded"},
		{"--snapshot-on-signal --doctor", EXIT_CODE_USAGE, "goes with --batch"},
		{"-b --format pdf", EXIT_CODE_USAGE, "--format \"pdf\": takes one of text json csv"},
		{"-b -o report.pdf", EXIT_CODE_USAGE, "-o \"report.pdf\": takes a file ending in"},
		{"-b -o ''", EXIT_CODE_USAGE, "-o"},
		{"-b -o 1.om -o 2.om -o 3.om -o 4.om -o 5.om -o 6.om -o 7.om -o 8.om -o 9.om "
		 "-o a.om -o b.om -o c.om -o d.om -o e.om -o f.om -o g.om -o h.om",
		 EXIT_CODE_USAGE, "-o: at most 16 times"},
		{"-n 5", EXIT_CODE_USAGE, "go with --batch"},
		{"-o a.txt", EXIT_CODE_USAGE, "go with --batch"},
		{"--format json", EXIT_CODE_USAGE, "go with --batch"},
	};

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		struct status st;
		struct options o;
		struct words w;

		if (!parse(&o, &w, &st, rows[i].line))
			fail_msg("%s: taken", rows[i].line);
		if (st.code != rows[i].code || !strstr(st.msg, rows[i].part) ||
		    strchr(st.msg, '\n'))
			fail_msg("%s: %d, %s", rows[i].line, (int)st.code, st.msg);
	}
}

/* A parse does not depend on the one before it. */
static void test_again(void **state)
{
	struct status st;
	struct options o;
	struct words w;

	assert_int_equal(parsed("-b -F 5 -o a.txt -- true")->sampling.freq, 5);
	assert_int_not_equal(parse(&o, &w, &st, "-zzz -b"), 0);
	assert_int_equal(parsed("")->mode, MODE_UI);
	assert_int_equal(parsed("")->sampling.freq, 99);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults), cmocka_unit_test(test_strings),
		cmocka_unit_test(test_sampling), cmocka_unit_test(test_display),
		cmocka_unit_test(test_batch),	 cmocka_unit_test(test_modes),
		cmocka_unit_test(test_serve),	 cmocka_unit_test(test_presets),
		cmocka_unit_test(test_command),	 cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
