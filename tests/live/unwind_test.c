// SPDX-License-Identifier: GPL-2.0-only
/*
 * User stacks as the programs walk them, against libdw's walk of the same stopped process, frame
 * by frame. A process is stopped by a signal at some place, whatever it does there: that is a
 * wait, whose stack the source of scheduling tells. Then libdw looks at it through ptrace.
 */
#include "tests/live/sampler.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>

#undef SCHED_IDLE /* scheduling classes in <sched.h> */
#undef SCHED_OTHER
#include "core/sched.h"
#include "sources/sched_bpf.h"
#include "sources/source.h"
#include "symbols/symbols.h"
#include "tests/lib/scratch.h"

#define FRAMES_MAX  126
#define STACKS_MAX  (1 << 16)
#define THREADS_MAX 16
#define ROUNDS	    60
#define WARM_UP	    50 /* rounds that are not judged: tables are made meanwhile */
#define WARM_UP_US  20000

/* --- what proftop sees --- */

struct frames {
	u32 tid, n;
	u64 ips[FRAMES_MAX];
};

struct seen {
	u64 hash;
	u32 n;
	u64 *ips;
};

struct eye {
	const struct source_ops *side_ops;
	struct source *side, *sched;
	struct symbols *symbols;
	struct scope *scope;
	struct hidx index;
	struct seen *seen;
	u32 nseen;
	struct frames at[THREADS_MAX]; /* the user stacks of threads that are stopped */
	u32 nat;
};

static void eye__define(struct eye *e, const struct stack_def *d)
{
	struct seen *s;

	if (e->nseen == STACKS_MAX || !d->nuser)
		return;
	s = &e->seen[e->nseen];
	*s = (struct seen){d->hash, MIN(d->nuser, (u16)FRAMES_MAX), calloc(d->nuser, sizeof(u64))};
	memcpy(s->ips, d->ips + d->nkernel, d->nuser * sizeof(u64));
	hidx__add(&e->index, d->hash, e->nseen++);
}

static void eye__wait(struct eye *e, const struct wait_sample *w)
{
	u32 at;

	if (!w->open || w->state != TASK_STATE_STOPPED || !w->ustack || e->nat == THREADS_MAX)
		return;
	HIDX_FIND(at, &e->index, w->ustack, pos, e->seen[pos].hash == w->ustack);
	if (at == HIDX_NONE)
		return;
	e->at[e->nat].tid = w->task.tid;
	e->at[e->nat].n = e->seen[at].n;
	memcpy(e->at[e->nat].ips, e->seen[at].ips, e->seen[at].n * sizeof(u64));
	e->nat++;
}

static void eye__put(void *ctx, const struct sample *x)
{
	struct eye *e = ctx;

	if (x->type == SAMPLE_PROC)
		symbols__proc_event(e->symbols, (const struct proc_event *)x);
	else if (x->type == SAMPLE_UNWIND)
		symbols__unwind(e->symbols, (const struct unwind_sample *)x, &source_unwind_sink);
	else if (x->type == SAMPLE_STACK_DEF)
		eye__define(e, (const struct stack_def *)x);
	else if (x->type == SAMPLE_WAIT)
		eye__wait(e, (const struct wait_sample *)x);
}

static void eye__look(struct eye *e, bool tick)
{
	const struct sample_sink sink = {eye__put, e};

	e->nat = 0;
	source_sched_bpf.fetch(e->sched, tick);
	e->side_ops->drain(e->side, tick, &sink);
	source_sched_bpf.drain(e->sched, tick, &sink);
	symbols__kick(e->symbols);
}

static struct eye *eye__open(int pid)
{
	struct sampling how = {.freq = 99, .user = true, .kernel = true, .interval_s = 1};
	struct eye *e = calloc(1, sizeof(*e));
	struct filter_error err = {0};
	struct status st = {0};
	char expr[64];

	how.call_graph = CALL_GRAPH_EH;
	snprintf(expr, sizeof(expr), "pid=%d", pid);
	e->scope = filter__parse(expr, &err);
	e->seen = calloc(STACKS_MAX, sizeof(*e->seen));
	e->symbols = symbols__new(&st);
	e->side_ops = source_table[SOURCE_SIDEBAND].ops;
	e->side = e->side_ops->open(&how, e->scope, &st);
	e->sched = e->side ? source_sched_bpf.open(&how, e->scope, &st) : NULL;
	if (!e->sched)
		fail_msg("%s", st.msg);
	return e;
}

static void eye__close(struct eye *e)
{
	source_sched_bpf.close(e->sched);
	e->side_ops->close(e->side);
	symbols__free(e->symbols);
	scope__put(e->scope);
	hidx__fini(&e->index);
	for (u32 i = 0; i < e->nseen; i++)
		free(e->seen[i].ips);
	free(e->seen);
	free(e);
}

/* --- the judge --- */

static int on_frame(Dwfl_Frame *frame, void *arg)
{
	struct frames *f = arg;
	Dwarf_Addr pc;
	bool exact;

	if (f->n == FRAMES_MAX || !dwfl_frame_pc(frame, &pc, &exact))
		return DWARF_CB_ABORT;
	f->ips[f->n++] = pc;
	return DWARF_CB_OK;
}

static Dwfl *attach(int pid)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_linux_proc_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);

	assert_non_null(dwfl);
	assert_int_equal(dwfl_linux_proc_report(dwfl, pid), 0);
	assert_int_equal(dwfl_report_end(dwfl, NULL, NULL), 0);
	assert_int_equal(dwfl_linux_proc_attach(dwfl, pid, false), 0);
	return dwfl;
}

struct tally {
	u64 frames, equal, stacks, missing;
	char first[256]; /* where the first one that is not equal begins */
};

static void note(struct tally *t, const struct frames *ours, const struct frames *right, u32 n,
		 Dwfl *dwfl)
{
	u64 below = n ? right->ips[n - 1] : 0;
	Dwfl_Module *m = dwfl_addrmodule(dwfl, below);
	const char *name = m ? dwfl_module_addrname(m, below) : NULL;

	if (!t->first[0])
		snprintf(t->first, sizeof(t->first),
			 "%u of %u frames, %u here; the last equal one is %#llx %s", n, right->n,
			 ours->n, (unsigned long long)below, name ? name : "?");
}

/* From the leaf on: what comes after a wrong one is as wrong. */
static void compare(struct tally *t, const struct frames *ours, const struct frames *right,
		    Dwfl *dwfl)
{
	u32 n = 0;

	while (n < MIN(ours->n, right->n) && ours->ips[n] == right->ips[n])
		n++;
	t->stacks++;
	t->frames += MAX(right->n, ours->n);
	t->equal += n;
	if (n < MAX(right->n, ours->n))
		note(t, ours, right, n, dwfl);
}

static void compare_threads(struct eye *e, int pid, struct tally *t)
{
	Dwfl *dwfl = attach(pid);

	for (u32 i = 0; i < e->nat; i++) {
		struct frames right = {.tid = e->at[i].tid};

		dwfl_getthread_frames(dwfl, (pid_t)e->at[i].tid, on_frame, &right);
		compare(t, &e->at[i], &right, dwfl);
	}
	t->missing += !e->nat;
	dwfl_end(dwfl);
}

/* --- stopping a process --- */

static bool is_stopped(int pid)
{
	char path[64], line[512] = "";
	const char *state;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (!f || !fgets(line, sizeof(line), f))
		fail_msg("process %d is gone", pid);
	fclose(f);
	state = strrchr(line, ')');
	return state && state[2] == 'T';
}

static void stop(int pid)
{
	u64 end = clock__monotonic_ns() + 5 * NSEC_PER_SEC;

	kill(pid, SIGSTOP);
	while (!is_stopped(pid)) {
		if (clock__monotonic_ns() > end)
			fail_msg("process %d does not stop", pid);
		usleep(200);
	}
}

/* Stops it ever again, wherever it is after some time that is different each time. */
static struct tally judge(int pid, u32 rounds)
{
	struct eye *e = eye__open(pid);
	struct tally t = {0};

	for (u32 i = 0; i < rounds + WARM_UP; i++) {
		usleep(i < WARM_UP ? WARM_UP_US : 200 + (u32)(mix64(i) % 7000));
		eye__look(e, false);
		stop(pid);
		eye__look(e, true);
		if (i >= WARM_UP)
			compare_threads(e, pid, &t);
		kill(pid, SIGCONT);
	}
	eye__close(e);
	return t;
}

static int start(const char *command)
{
	int pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (chdir(scratch_dir) || !freopen("/dev/null", "w", stdout))
		_exit(1);
	execl("/bin/sh", "sh", "-c", command, NULL);
	_exit(1);
}

static void expect_equal(const char *command)
{
	int pid = start(command);
	struct tally t = judge(pid, ROUNDS);

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	print_message("%llu of %llu frames, %llu stacks: %s\n", (unsigned long long)t.equal,
		      (unsigned long long)t.frames, (unsigned long long)t.stacks, command);
	assert_true(t.stacks >= ROUNDS * 9 / 10);
	if (t.equal * 1000 < t.frames * 995)
		fail_msg("%s: %s", command, t.first);
}

/* --- what is stopped --- */

static char workloads[256];

static void build_late(void)
{
	run("gcc -O2 -fPIC -shared -fomit-frame-pointer %s/libunwind_late.c -o libunwind_late.so",
	    workloads);
}

static void expect_shapes(const char *compiler)
{
	run("%s -D_GNU_SOURCE -fomit-frame-pointer -w %s/unwind_shapes.c -o shapes -ldl -lpthread "
	    "-lrt",
	    compiler, workloads);
	expect_equal("exec ./shapes");
}

static void test_gcc(void **state)
{
	expect_shapes("gcc -O2 -fPIE -pie");
	expect_shapes("gcc -O0");
	expect_shapes("gcc -O3 -s -static -DSTATIC");
}

static void test_clang(void **state)
{
	if (system("clang --version > /dev/null 2>&1"))
		skip_because("no clang");
	expect_shapes("clang -Os -s");
	expect_shapes("clang -O3 -fPIE -pie");
}

static void test_cxx(void **state)
{
	if (system("g++ --version > /dev/null 2>&1"))
		skip_because("no g++");
	run("g++ -std=c++17 -O2 -fomit-frame-pointer %s/unwind_throws.cc -o throws", workloads);
	expect_equal("exec ./throws");
}

static void expect_program(const char *program, const char *command)
{
	char *find = xasprintf("command -v %s > /dev/null", program);
	bool there = !system(find);

	free(find);
	if (!there)
		skip_because("it is not installed");
	expect_equal(command);
}

static void test_python(void **state)
{
	write_file("loop.py",
		   "import re, json, time\n"
		   "while True:\n"
		   "    json.loads(json.dumps({str(i): [i, 'x' * i] for i in range(50)}))\n"
		   "    re.sub(r'(a+)b', '', 'aaaab' * 100)\n"
		   "    sorted(range(1000), key=lambda x: -x)\n"
		   "    time.sleep(.0005)\n");
	expect_program("/usr/bin/python3", "exec /usr/bin/python3 loop.py");
}

static void test_perl(void **state)
{
	expect_program("perl",
		       "exec perl -e 'while (1) { my %h; $h{\"k$_\"} = $_ x 3 for 1 .. 2000;"
		       " my @k = sort { $h{$a} cmp $h{$b} } keys %h;"
		       " (my $s = join(\",\", @k)) =~ s/(k\\d+)/<$1>/g; }'");
}

static void test_bash(void **state)
{
	expect_program("bash", "exec bash -c 'while :; do for ((i = 0; i < 100; i++)); do"
			       " x[i]=${i}abc; y=${x[i]//a/b}; done; done'");
}

static void test_compiler(void **state)
{
	run("for i in $(seq 6000); do echo \"int f$i(int a, int *p) { int s = 0; for (int i = 0; i"
	    " < a; i++) { s += p[i] * $i; switch (s & 7) { case 0: s++; break; case 3: s *= 3;"
	    " break; case 5: p[1] = s; } } return s; }\"; done > big.c");
	expect_program("gcc", "exec $(gcc -print-prog-name=cc1) -O2 -quiet big.c -o /dev/null");
}

static int setup(void **state)
{
	if (!getcwd(workloads, sizeof(workloads) - 20) || scratch__make("unwind_test"))
		return -1;
	strcat(workloads, "/tests/workloads");
	build_late();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gcc),	 cmocka_unit_test(test_clang),
		cmocka_unit_test(test_cxx),	 cmocka_unit_test(test_python),
		cmocka_unit_test(test_perl),	 cmocka_unit_test(test_bash),
		cmocka_unit_test(test_compiler),
	};

	/* Where the CPU sampler loads, this has to. */
	if (!sampler__possible(&source_cpu_bpf))
		return 0;
	return cmocka_run_group_tests(tests, setup, scratch__remove);
}
