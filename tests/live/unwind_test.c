// SPDX-License-Identifier: GPL-2.0-only
/*
 * User stacks of code without frame pointers, as the programs walk them: of each process 99 % of
 * the samples on the CPU and of the waits have to reach the outermost frame, and while it is
 * stopped its frames have to be those that libdw finds. All of a table run at the same time.
 */
#include "tests/live/unwind_eye.h"

#include <math.h>

#define ROUNDS	   20
#define SAMPLES	   150 /* of each process, on the CPU and off it */
#define WARM_UP_S  60  /* at most */
#define COUNT_S	   30
#define BROKEN_MAX 1.0 /* percent */
#define EQUAL_MIN  99.5
#define ROWS_MAX   24

/* Something to compile: a compiler with its flags, and another program that it needs. */
struct build {
	const char *compile, *needs;
	bool throws; /* C++ */
	bool deeper; /* than is walked */
};

/* A program that is there or not, and what is run. */
struct program {
	const char *name, *command;
};

static char workloads[256];

static bool is_there(const char *program)
{
	char *find = xasprintf("command -v %s > /dev/null", program);
	bool there = !system(find);

	free(find);
	return there;
}

/* --- what has to hold --- */

static void expect_share(const char *what, const char *which, const struct share *s, bool deeper)
{
	u64 good = s->whole + (deeper ? s->cut : 0);
	double n = (double)MAX(s->samples, 1ull), broken = 100 - 100 * (double)good / n;

	/* Of so few samples three standard deviations more may be broken. */
	if (s->samples < SAMPLES || broken > BROKEN_MAX + 300 * sqrt(BROKEN_MAX / 100 / n))
		fail_msg("%s: %llu of %llu %s are whole, %llu cut", what,
			 (unsigned long long)s->whole, (unsigned long long)s->samples, which,
			 (unsigned long long)s->cut);
	if (deeper)
		assert_true(s->cut * 10 > s->samples * 9);
}

/* Of each as good as all, of all together what was promised. */
static void expect_equal(const char *what, const struct tally *t)
{
	if (t->stacks < ROUNDS || t->wrong > 1 + t->stacks / 200 || t->unfinished * 10 > t->stacks)
		fail_msg("%s: %llu of %llu stacks differ: %s", what, (unsigned long long)t->wrong,
			 (unsigned long long)t->stacks, t->first);
}

static void print_share(const char *which, const struct share *s)
{
	printf("%s: %llu of %llu whole", which, (unsigned long long)s->whole,
	       (unsigned long long)s->samples);
	if (s->cut)
		printf(", %llu cut", (unsigned long long)s->cut);
	printf("; ");
}

static void print_watched(const char *what, const struct watched *w)
{
	printf("# %s: ", what);
	print_share("samples", &w->on);
	print_share("waits", &w->off);
	printf("%llu of %llu frames%s%s\n", (unsigned long long)w->tally.equal,
	       (unsigned long long)w->tally.frames, w->tally.first[0] ? "; " : "", w->tally.first);
}

static void expect_equal_in_all(const struct watched *w, u32 n)
{
	u64 frames = 0, equal = 0;

	for (u32 i = 0; i < n; i++) {
		frames += w[i].tally.frames;
		equal += w[i].tally.equal;
	}
	assert_true((double)equal * 100 >= (double)frames * EQUAL_MIN);
}

/* --- watching --- */

static void watch(struct watched *w, u32 n)
{
	struct eye *e = eye__open(w, n);

	eye__warm_up(e, WARM_UP_S);
	eye__count(e, SAMPLES, SAMPLES, COUNT_S);
	eye__judge(e, ROUNDS);
	eye__close(e);
	for (u32 i = 0; i < n; i++)
		end(w[i].pid);
}

static void expect(const char *const *names, const struct watched *w, u32 n, u32 deeper)
{
	for (u32 i = 0; i < n; i++)
		print_watched(names[i], &w[i]);
	for (u32 i = 0; i < n; i++) {
		expect_share(names[i], "samples", &w[i].on, i == deeper);
		expect_share(names[i], "waits", &w[i].off, i == deeper);
		expect_equal(names[i], &w[i].tally);
	}
	expect_equal_in_all(w, n);
}

/* --- what is compiled --- */

static bool can_build(const struct build *b)
{
	char compiler[32] = "";

	sscanf(b->compile, "%31s", compiler);
	return is_there(compiler) && (!b->needs || is_there(b->needs));
}

static void add_command(FILE *f, const struct build *b, u32 number)
{
	fprintf(f, "%s -fomit-frame-pointer -w %s %s/unwind_%s -o w%u%s\n", b->compile,
		b->throws ? "-std=c++17" : "-D_GNU_SOURCE", workloads,
		b->throws ? "throws.cc" : "shapes.c", number,
		b->throws ? "" : " -ldl -lpthread -lrt");
}

/* Compiles what can be, side by side; returns how many. */
static u32 build(const struct build *table, u32 n, const struct build **built)
{
	char *path = xasprintf("%s/commands", scratch_dir);
	FILE *f = fopen(path, "w");
	u32 found = 0;

	assert_non_null(f);
	for (u32 i = 0; i < n; i++) {
		if (can_build(&table[i])) {
			add_command(f, &table[i], found);
			built[found++] = &table[i];
		} else {
			printf("# left out: %s\n", table[i].compile);
		}
	}
	fclose(f);
	free(path);
	run("xargs -P $(nproc) -d '\\n' -n 1 sh -c < commands");
	return found;
}

static void expect_built(const struct build *table, u32 n)
{
	const struct build *built[ROWS_MAX];
	struct watched w[ROWS_MAX] = {0};
	const char *names[ROWS_MAX];
	u32 deeper = ROWS_MAX;

	n = build(table, n, built);
	if (!n)
		skip_because("there is no such compiler");
	for (u32 i = 0; i < n; i++) {
		char *command = xasprintf("exec ./w%u%s", i, built[i]->deeper ? " deep" : "");

		names[i] = built[i]->compile;
		if (built[i]->deeper)
			deeper = i;
		w[i].pid = start(command);
		free(command);
	}
	watch(w, n);
	expect(names, w, n, deeper);
}

static void test_gcc(void **state)
{
	static const struct build table[] = {
		{.compile = "gcc -O0"},
		{.compile = "gcc -O2 -fPIE -pie -s"},
		{.compile = "gcc -O3 -fno-pie -no-pie"},
		{.compile = "gcc -Os -static -s -DSTATIC"},
		{.compile = "gcc -O2 -fPIE -static-pie -DSTATIC"},
		{.compile = "gcc -O3 -Wl,-z,now -fno-plt"},
		/* .debug_frame alone */
		{.compile = "gcc -O2 -g -fno-asynchronous-unwind-tables -fno-unwind-tables"},
		{.compile = "gcc -O2 -fuse-ld=gold", .needs = "ld.gold"},
		{.compile = "gcc -O2 -DDEEP=300", .deeper = true},
		{.compile = "g++ -O0", .throws = true},
		{.compile = "g++ -O2 -s", .throws = true},
		{.compile = "g++ -O3 -static", .throws = true},
		{.compile = "g++ -Os -fPIE -pie", .throws = true},
	};

	expect_built(table, ARRAY_SIZE(table));
}

static void test_clang(void **state)
{
	static const struct build table[] = {
		{.compile = "clang -O0 -s"},
		{.compile = "clang -O2 -fPIE -pie"},
		{.compile = "clang -O3 -fno-pie -no-pie"},
		{.compile = "clang -Os -static -DSTATIC"},
		{.compile = "clang -O2 -fuse-ld=lld -s", .needs = "ld.lld"},
		{.compile = "clang++ -O0", .throws = true},
		{.compile = "clang++ -O2 -static -s", .throws = true},
		{.compile = "clang++ -O3", .throws = true},
		{.compile = "clang++ -Os -fPIE -pie", .throws = true},
	};

	expect_built(table, ARRAY_SIZE(table));
}

/* --- programs that nobody here wrote --- */

static void write_inputs(void)
{
	write_file("loop.py",
		   "import re, json, time\n"
		   "while True:\n"
		   "    json.loads(json.dumps({str(i): [i, 'x' * i] for i in range(50)}))\n"
		   "    re.sub(r'(a+)b', '', 'aaaab' * 100)\n"
		   "    sorted(range(1000), key=lambda x: -x)\n"
		   "    time.sleep(.0005)\n");
	write_file("loop.pl",
		   "use Time::HiRes 'usleep';\n"
		   "while (1) { my %h; $h{\"k$_\"} = $_ x 3 for 1 .. 2000; usleep(500);\n"
		   "my @k = sort { $h{$a} cmp $h{$b} } keys %h;\n"
		   "(my $s = join(',', @k)) =~ s/(k\\d+)/<$1>/g; }\n");
	write_file("loop.sh", "while :; do for ((i = 0; i < 100; i++)); do x[i]=${i}abc;\n"
			      "y=${x[i]//a/b}; done; read -t 0.001 < <(:); done\n");
	write_file("loop.sql",
		   "with recursive c(x) as (select 1 union all select x + 1 from c where x < 1e9)\n"
		   "select sum(length(printf('%d', x))) from c;\n");
	run("for i in $(seq 9000); do echo \"int f$i(int a, int *p) { int s = 0; for (int i = 0; i"
	    " < a; i++) { s += p[i] * $i; switch (s & 7) { case 0: s++; break; case 3: s *= 3;"
	    " break; case 5: p[1] = s; } } return s; }\"; done > big.c");
	run("mkfifo names; command -v git > /dev/null || exit 0; git init -q repo && cp big.c repo "
	    "&&"
	    " cd repo && git add . && git -c user.name=a -c user.email=a commit -qm a");
}

static void test_programs(void **state)
{
	static const struct program table[] = {
		{"/usr/bin/python3", "exec /usr/bin/python3 loop.py"},
		{"perl", "exec perl loop.pl"},
		{"bash", "exec bash loop.sh"},
		{"gcc", "exec $(gcc -print-prog-name=cc1) -O3 -quiet big.c -o /dev/null"},
		{"sqlite3", "exec sqlite3 :memory: < loop.sql"},
		{"git", "yes HEAD:big.c > names & cd repo && exec git cat-file --batch < ../names"},
	};
	struct watched w[ROWS_MAX] = {0};
	const char *names[ROWS_MAX];
	u32 n = 0;

	write_inputs();
	for (u32 i = 0; i < ARRAY_SIZE(table); i++) {
		if (!is_there(table[i].name)) {
			printf("left out: %s\n", table[i].name);
			continue;
		}
		names[n] = table[i].name;
		w[n++].pid = start(table[i].command);
	}
	watch(w, n);
	expect(names, w, n, ROWS_MAX);
}

static int setup(void **state)
{
	if (!getcwd(workloads, sizeof(workloads) - 20) || scratch__make("unwind_test"))
		return -1;
	strcat(workloads, "/tests/workloads");
	run("gcc -O2 -fPIC -shared -fomit-frame-pointer %s/libunwind_late.c -o libunwind_late.so",
	    workloads);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gcc),
		cmocka_unit_test(test_clang),
		cmocka_unit_test(test_programs),
	};

	/* Where the CPU sampler loads, this has to. */
	if (!sampler__possible(&source_cpu_bpf))
		return 0;
	return cmocka_run_group_tests(tests, setup, scratch__remove);
}
