/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For live tests of walks by unwind tables: what proftop's sources tell of some processes, and
 * what libdw says of the same processes while they are stopped. A process is stopped by a signal
 * at some place, whatever it does there: that is a wait, whose stack the source of scheduling
 * tells. Then libdw looks at it through ptrace.
 */
#ifndef TESTS_LIVE_UNWIND_EYE_H
#define TESTS_LIVE_UNWIND_EYE_H

#include "tests/live/sampler.h"

#include <dirent.h>
#include <elfutils/libdwfl.h>

#undef SCHED_IDLE /* scheduling classes in <sched.h> */
#undef SCHED_OTHER
#include "bpf/script.h"
#include "bpf/stack.h"
#include "samples/sched.h"
#include "sources/sched_bpf.h"
#include "sources/source.h"
#include "symbols/symbols.h"
#include "tests/lib/scratch.h"

#define STACKS_MAX  (1 << 17)
#define THREADS_MAX 256
#define EYE_HZ	    997

struct seen {
	u64 hash;
	u32 n; /* user frames */
	bool whole;
	u64 *ips;
};

/* Of the samples of a process: how many have stacks that reach the outermost frame, and how many
 * are deeper than is walked. */
struct share {
	u64 samples, whole, cut;
};

/* Frames that are libdw's, from the leaf on: what comes after a wrong one is as wrong. */
struct tally {
	u64 frames, equal, stacks, wrong;
	u64 unfinished;	 /* libdw itself did not know its way to the end */
	char first[256]; /* where the first one that is not equal begins */
};

struct watched {
	int pid;
	struct share on, off; /* the CPU */
	struct tally tally;
};

struct eye {
	const struct source_ops *side_ops;
	struct source *side, *sched, *cpu;
	struct symbols *symbols;
	struct scope *scope;
	struct hidx index;
	struct seen *seen;
	u32 nseen;
	struct watched *watched;
	u32 nwatched;
	struct {
		u32 tgid, tid;
		const struct seen *stack;
	} stopped[THREADS_MAX];
	u32 nstopped;
};

/* --- what proftop sees --- */

static void eye__define(struct eye *e, const struct stack_def *d)
{
	struct seen *s;

	if (e->nseen == STACKS_MAX)
		return;
	s = &e->seen[e->nseen];
	*s = (struct seen){.hash = d->hash, .n = d->nuser, .whole = d->whole};
	s->ips = xcalloc(d->nuser + 1u, sizeof(u64));
	memcpy(s->ips, d->ips + d->nkernel, d->nuser * sizeof(u64));
	hidx__add(&e->index, d->hash, e->nseen++);
}

static const struct seen *eye__stack(struct eye *e, u64 hash)
{
	static const struct seen none;
	u32 at;

	HIDX_FIND(at, &e->index, hash, pos, e->seen[pos].hash == hash);
	return at == HIDX_NONE ? &none : &e->seen[at];
}

static struct watched *eye__watched(struct eye *e, u32 tgid)
{
	for (u32 i = 0; i < e->nwatched; i++)
		if ((u32)e->watched[i].pid == tgid)
			return &e->watched[i];
	return NULL;
}

static void share__add(struct share *s, const struct seen *stack, u64 n)
{
	s->samples += n;
	if (stack->whole)
		s->whole += n;
	else if (stack->n == STACK_DEPTH)
		s->cut += n;
}

static void eye__sample(struct eye *e, const struct stack_sample *x)
{
	struct watched *w = eye__watched(e, x->tgid);

	if (w)
		share__add(&w->on, eye__stack(e, x->stack), x->count);
}

static void eye__stopped(struct eye *e, const struct wait_sample *x)
{
	const struct seen *s = eye__stack(e, x->ustack);

	if (!s->n || e->nstopped == THREADS_MAX)
		return;
	e->stopped[e->nstopped].tgid = x->task.tgid;
	e->stopped[e->nstopped].tid = x->task.tid;
	e->stopped[e->nstopped++].stack = s;
}

static void eye__wait(struct eye *e, const struct wait_sample *x)
{
	struct watched *w = eye__watched(e, x->task.tgid);

	if (x->open && x->state == TASK_STATE_STOPPED)
		eye__stopped(e, x);
	else if (w && !x->since_before)
		share__add(&w->off, eye__stack(e, x->ustack), x->count);
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
	else if (x->type == SAMPLE_STACK)
		eye__sample(e, (const struct stack_sample *)x);
	else if (x->type == SAMPLE_WAIT)
		eye__wait(e, (const struct wait_sample *)x);
}

/* tick: an interval ends, and the threads that are stopped are known after it. */
TEST_HELPER void eye__look(struct eye *e, bool tick)
{
	const struct sample_sink sink = {eye__put, e};

	e->nstopped = 0;
	source_sched_bpf.fetch(e->sched, tick);
	e->side_ops->drain(e->side, tick, &sink);
	source_sched_bpf.drain(e->sched, tick, &sink);
	source_cpu_bpf.drain(e->cpu, tick, &sink);
	symbols__kick(e->symbols);
}

static struct scope *eye__scope(const struct watched *w, u32 n)
{
	struct filter_error err = {0};
	char expr[1024] = "pid=";
	struct scope *scope;

	for (u32 i = 0; i < n; i++)
		snprintf(expr + strlen(expr), sizeof(expr) - strlen(expr), "%s%d", i ? "," : "",
			 w[i].pid);
	scope = filter__parse(expr, &err);
	if (!scope)
		fail_msg("%s: %s", expr, err.msg);
	return scope;
}

/* watched stays the caller's. */
TEST_HELPER struct eye *eye__open(struct watched *watched, u32 n)
{
	struct sampling how = {.freq = EYE_HZ, .user = true, .kernel = true, .interval_s = 1};
	struct eye *e = xcalloc(1, sizeof(*e));
	struct status st = {0};

	how.call_graph = CALL_GRAPH_EH;
	e->watched = watched;
	e->nwatched = n;
	e->scope = eye__scope(watched, n);
	e->seen = xcalloc(STACKS_MAX, sizeof(*e->seen));
	e->symbols = symbols__new(&st);
	e->side_ops = source_table[SOURCE_SIDEBAND].ops;
	e->side = e->side_ops->open(&how, e->scope, &st);
	e->sched = e->side ? source_sched_bpf.open(&how, e->scope, &st) : NULL;
	if (e->sched)
		source_sched_bpf.begin(e->sched, 0); /* every wait is looked at */
	e->cpu = e->sched ? source_cpu_bpf.open(&how, e->scope, &st) : NULL;
	if (!e->cpu)
		fail_msg("%s", st.msg);
	return e;
}

TEST_HELPER void eye__close(struct eye *e)
{
	source_cpu_bpf.close(e->cpu);
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

/* --- counting --- */

#define LOOK_MS 50

/* Serves the sources as the collector does, for about so long. */
static void eye__serve(struct eye *e)
{
	usleep(LOOK_MS * 1000);
	eye__look(e, true);
}

static bool share__enough(const struct share *s, u64 n)
{
	return s->samples >= n;
}

/* Of all that are watched there are so many samples. */
static bool eye__has(const struct eye *e, u64 on, u64 off)
{
	for (u32 i = 0; i < e->nwatched; i++)
		if (!share__enough(&e->watched[i].on, on) ||
		    !share__enough(&e->watched[i].off, off))
			return false;
	return true;
}

static void eye__clear(struct eye *e)
{
	for (u32 i = 0; i < e->nwatched; i++)
		e->watched[i].on = e->watched[i].off = (struct share){0};
}

static bool share__is_warm(const struct share *s)
{
	return s->samples && (s->whole + s->cut) * 100 >= s->samples * 97;
}

/* Whether nearly all of the samples since the last call had the stacks they should have. */
static bool eye__is_warm(struct eye *e)
{
	bool warm = true;

	for (u32 i = 0; i < e->nwatched && warm; i++)
		warm = share__is_warm(&e->watched[i].on) && share__is_warm(&e->watched[i].off);
	eye__clear(e);
	return warm;
}

/* Tables are made meanwhile, which takes longer on a busy machine. What has gone wrong shows in
 * what is counted afterwards. */
TEST_HELPER void eye__warm_up(struct eye *e, u32 seconds)
{
	u64 end = clock__monotonic_ns() + seconds * NSEC_PER_SEC;
	u32 warm = 0;

	while (warm < 2 && clock__monotonic_ns() < end) {
		eye__clear(e);
		for (u32 i = 0; i < 8; i++)
			eye__serve(e);
		warm = eye__is_warm(e) ? warm + 1 : 0;
	}
}

/* Until there are so many samples of each. */
TEST_HELPER void eye__count(struct eye *e, u64 on, u64 off, u32 seconds)
{
	u64 end = clock__monotonic_ns() + seconds * NSEC_PER_SEC;

	eye__clear(e);
	while (!eye__has(e, on, off) && clock__monotonic_ns() < end)
		eye__serve(e);
}

/* --- the judge --- */

struct right_frames {
	u32 n;
	bool whole;
	u64 ips[STACK_DEPTH];
};

static int on_frame(Dwfl_Frame *frame, void *arg)
{
	struct right_frames *f = arg;
	Dwarf_Addr pc;
	bool exact;

	if (f->n == STACK_DEPTH || !dwfl_frame_pc(frame, &pc, &exact))
		return DWARF_CB_ABORT;
	/* Of a thread that has just begun it goes one too far, to what lies at the stack's end. */
	if (!dwfl_addrmodule(dwfl_thread_dwfl(dwfl_frame_thread(frame)), pc))
		return DWARF_CB_OK;
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

static void note(struct tally *t, const struct seen *ours, const struct right_frames *right, u32 n,
		 Dwfl *dwfl)
{
	u64 below = n ? right->ips[n - 1] : 0;
	Dwfl_Module *m = dwfl_addrmodule(dwfl, below);
	const char *name = m ? dwfl_module_addrname(m, below) : NULL;

	t->wrong++;
	if (!t->first[0])
		snprintf(t->first, sizeof(t->first),
			 "%u of %u frames, %u here; the last equal one is %#llx %s", n, right->n,
			 ours->n, (unsigned long long)below, name ? name : "?");
}

/* How many of libdw's frames are ours, from the leaf on. Functions of an interpreter, which libdw does not know,
 * stand for the frame of it that runs them. *rest: ours that are left. */
static u32 equal_frames(const struct seen *ours, const struct right_frames *right, u32 *rest)
{
	bool stands_for_one = false;
	u32 n = 0, i = 0;

	for (; i < ours->n; i++) {
		if (SCRIPT_MARK(ours->ips[i])) {
			stands_for_one = true;
			continue;
		}
		if (stands_for_one && n < right->n && ours->ips[i] != right->ips[n])
			n++;
		stands_for_one = false;
		if (n == right->n || ours->ips[i] != right->ips[n])
			break;
		n++;
	}
	*rest = ours->n - i;
	return n;
}

static void compare(struct tally *t, const struct seen *ours, const struct right_frames *right,
		    Dwfl *dwfl)
{
	u32 rest, n = equal_frames(ours, right, &rest);
	u32 all = right->whole ? MAX(right->n, n + rest) : right->n;

	t->stacks++;
	t->unfinished += !right->whole;
	t->frames += all;
	t->equal += n;
	if (n < all)
		note(t, ours, right, n, dwfl);
}

static void compare_threads(struct eye *e, struct watched *w)
{
	Dwfl *dwfl = attach(w->pid);

	for (u32 i = 0; i < e->nstopped; i++) {
		struct right_frames right = {0};

		if (e->stopped[i].tgid != (u32)w->pid)
			continue;
		right.whole = dwfl_getthread_frames(dwfl, (pid_t)e->stopped[i].tid, on_frame,
						    &right) >= 0;
		compare(&w->tally, e->stopped[i].stack, &right, dwfl);
	}
	dwfl_end(dwfl);
}

/* --- stopping processes --- */

static bool thread_is_stopped(int pid, const char *tid)
{
	char path[128], line[512] = "";
	const char *state = NULL;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/stat", pid, tid);
	f = fopen(path, "r");
	if (!f)
		return true; /* it ended */
	if (fgets(line, sizeof(line), f))
		state = strrchr(line, ')');
	fclose(f);
	return !state || state[2] == 'T';
}

/* How many threads it has that all are; 0: some are not. */
static u32 stopped_threads(int pid)
{
	struct dirent *d;
	bool all = true;
	char path[64];
	u32 n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		fail_msg("process %d is gone", pid);
	while (all && (d = readdir(dir))) {
		if (d->d_name[0] == '.')
			continue;
		all = thread_is_stopped(pid, d->d_name);
		n++;
	}
	closedir(dir);
	return all ? n : 0;
}

static void eye__signal(const struct eye *e, int sig)
{
	for (u32 i = 0; i < e->nwatched; i++)
		kill(e->watched[i].pid, sig);
}

/* How many threads that are. */
static u32 eye__stop(const struct eye *e)
{
	u64 end = clock__monotonic_ns() + 20 * NSEC_PER_SEC;
	u32 all = 0, n;

	eye__signal(e, SIGSTOP);
	for (u32 i = 0; i < e->nwatched; i++, all += n)
		while (!(n = stopped_threads(e->watched[i].pid))) {
			if (clock__monotonic_ns() > end)
				fail_msg("process %d does not stop", e->watched[i].pid);
			usleep(200);
		}
	return all;
}

/* A thread says that it is stopped a moment before it leaves the CPU. */
static void eye__see_stopped(struct eye *e, u32 threads)
{
	for (u32 i = 0; i < 100 && e->nstopped < threads; i++) {
		usleep(i ? 1000 : 0);
		eye__look(e, true);
	}
}

/* Stops them ever again, wherever they are after some time that is different each time. */
TEST_HELPER void eye__judge(struct eye *e, u32 rounds)
{
	for (u32 i = 0; i < rounds; i++) {
		usleep(200 + (u32)(mix64(i) % 7000));
		eye__look(e, false);
		eye__see_stopped(e, eye__stop(e));
		for (u32 k = 0; k < e->nwatched; k++)
			compare_threads(e, &e->watched[k]);
		eye__signal(e, SIGCONT);
	}
}

/* --- what is watched --- */

/* A shell command in the scratch folder. */
TEST_HELPER int start(const char *command)
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

TEST_HELPER void end(int pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

#endif
