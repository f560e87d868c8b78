/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For live tests of the CPU samplers: children that burn CPU in a known way, and a sink
 * that adds up what a source hands out. Everything is in this header because each live
 * test is one file.
 */
#ifndef TESTS_LIVE_SAMPLER_H
#define TESTS_LIVE_SAMPLER_H

#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/hidx.h"
#include "scope/filter.h"
#include "sources/cpu_bpf.h"
#include "tests/lib/fds.h"
#include "tests/lib/skip.h"

#define TEST_HELPER __attribute__((unused)) static

/* The children's stacks must be there to be walked, however this is built. */
#pragma GCC optimize("no-omit-frame-pointer")

enum child_kind {
	CHILD_SPIN,
	CHILD_SYSCALLS,	   /* in the kernel most of the time */
	CHILD_MANY_STACKS, /* recursion of ever other depth */
	CHILD_EXEC,	   /* executes a shell loop at SIGUSR1 */
	CHILD_FORKS,	   /* a grandchild spins, the child sleeps */
	CHILD_YIELDS,	   /* sleeps a millisecond at a time */
};

struct child {
	int pid;
};

static volatile u64 child_sink;
static volatile sig_atomic_t child_go;

static inline void child_on_usr1(int sig)
{
	child_go = 1;
}

__attribute__((noinline)) TEST_HELPER void child_spin(void)
{
	while (!child_go)
		for (int i = 0; i < 100000; i++)
			child_sink += (u64)i;
}

__attribute__((noinline)) TEST_HELPER u64 child_recurse(u32 depth, u32 work)
{
	if (!depth) {
		for (u32 i = 0; i < work; i++)
			child_sink += i;
		return child_sink;
	}
	return child_recurse(depth - 1, work) + child_sink;
}

TEST_HELPER void child_run(enum child_kind kind)
{
	switch (kind) {
	case CHILD_SYSCALLS:
		for (;;)
			syscall(SYS_getppid);
	case CHILD_MANY_STACKS:
		for (u32 d = 1;; d = d % 60 + 1)
			child_recurse(d, 20000);
	case CHILD_YIELDS:
		for (;;)
			usleep(1000);
	case CHILD_FORKS:
		if (fork())
			for (;;)
				pause();
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "grandchild");
		break;
	case CHILD_EXEC:
		child_spin();
		execl("/bin/sh", "sh", "-c", "while :; do :; done", NULL);
		_exit(1);
	default:
		break;
	}
	child_spin();
	_exit(0);
}

/* Begins to run at once, on the given CPU. A grandchild waits for SIGUSR1 to be made. */
#define CHILD_NICE -19

TEST_HELPER struct child child__start_kind(int cpu, const char *comm, enum child_kind kind)
{
	struct child c;
	cpu_set_t set;

	/* Before the fork: the signal may be sent before the child has run at all. */
	signal(SIGUSR1, child_on_usr1);
	c.pid = fork();
	if (c.pid) {
		signal(SIGUSR1, SIG_DFL);
		/* Or they would leave next to nothing for loading and draining. */
		setpriority(PRIO_PROCESS, 0, CHILD_NICE);
		return c;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, comm);
	/* Other tests' loads shall not blur the figures. */
	setpriority(PRIO_PROCESS, 0, CHILD_NICE);
	CPU_ZERO(&set);
	CPU_SET(cpu % (int)sysconf(_SC_NPROCESSORS_ONLN), &set);
	sched_setaffinity(0, sizeof(set), &set);
	while (kind == CHILD_FORKS && !child_go)
		usleep(1000);
	child_go = 0;
	child_run(kind);
	_exit(0);
}

TEST_HELPER struct child child__start(int cpu, const char *comm)
{
	return child__start_kind(cpu, comm, CHILD_SPIN);
}

TEST_HELPER void child__stop(struct child *c)
{
	kill(c->pid, SIGKILL);
	waitpid(c->pid, NULL, 0);
}

TEST_HELPER u64 child__cpu_ns(const struct child *c)
{
	struct timespec ts;
	clockid_t id;

	if (clock_getcpuclockid(c->pid, &id) || clock_gettime(id, &ts))
		return 0;
	return (u64)ts.tv_sec * NSEC_PER_SEC + (u64)ts.tv_nsec;
}

struct sampler {
	struct source *source;
	const struct source_ops *ops;
	struct sampling how;
	struct scope *scope;
	const struct cpu_bpf_sizes *sizes; /* NULL: as the source picks */
	bool lazy;			   /* drains at ticks only */
	const char *comm;		   /* samples of this name are counted apart */
	int pid;			   /* and of this process */
	u64 samples, weight, comm_samples, pid_samples, stackless;
	u64 undefined; /* samples whose stack was not handed out before */
	u64 defs, user_frames, kernel_frames, seen_pids, seen_total;
	struct hidx known;
	u64 hashes[1 << 17];
	u32 nhashes;
};

TEST_HELPER void sampler__clear(struct sampler *s)
{
	s->samples = s->weight = s->comm_samples = s->pid_samples = s->stackless = 0;
	s->undefined = s->defs = s->user_frames = s->kernel_frames = s->seen_pids = 0;
}

static inline bool sampler__knows(struct sampler *s, u64 hash)
{
	u32 found;

	HIDX_FIND(found, &s->known, hash, pos, s->hashes[pos] == hash);
	return found != HIDX_NONE;
}

static inline void sampler__def(struct sampler *s, const struct stack_def *d)
{
	s->defs++;
	s->user_frames += d->nuser;
	s->kernel_frames += d->nkernel;
	if (sampler__knows(s, d->hash) || s->nhashes == ARRAY_SIZE(s->hashes))
		return;
	hidx__add(&s->known, d->hash, s->nhashes);
	s->hashes[s->nhashes++] = d->hash;
}

static inline void sampler__stack(struct sampler *s, const struct stack_sample *x)
{
	s->samples += x->count;
	s->weight += x->weight;
	if (!x->stack)
		s->stackless += x->count;
	else if (!sampler__knows(s, x->stack))
		s->undefined += x->count;
	if (s->comm && strcmp(s->comm, x->comm) == 0)
		s->comm_samples += x->count;
	if ((u32)s->pid == x->tgid)
		s->pid_samples += x->count;
}

TEST_HELPER void sampler__put(void *ctx, const struct sample *x)
{
	struct sampler *s = ctx;

	if (x->type == SAMPLE_STACK_DEF)
		sampler__def(s, (const struct stack_def *)x);
	if (x->type == SAMPLE_STACK)
		sampler__stack(s, (const struct stack_sample *)x);
	if (x->type == SAMPLE_PROC && ((const struct proc_event *)x)->type == PROC_SEEN) {
		s->seen_pids++;
		s->seen_total++;
	}
}

TEST_HELPER void sampler__put_scope(struct sampler *s)
{
	scope__put(s->scope);
	s->scope = NULL;
}

TEST_HELPER const struct scope *sampler__scope(struct sampler *s, const char *expr)
{
	struct filter_error err = {0};
	struct scope *parsed = filter__parse(expr, &err), *resolved;

	if (!parsed)
		fail_msg("%s: %s", expr, err.msg);
	resolved = scope__resolve(parsed);
	if (resolved) {
		scope__put(parsed);
		parsed = resolved;
	}
	scope__put(s->scope);
	s->scope = parsed;
	return parsed;
}

/* Fields set before stay: sizes, lazy. */
TEST_HELPER void sampler__open_how(struct sampler *s, const char *expr)
{
	struct status st = {0};
	const struct scope *scope = sampler__scope(s, expr);

	if (s->sizes)
		s->source = cpu_bpf__open_sized(&s->how, scope, s->sizes, &st);
	else
		s->source = s->ops->open(&s->how, scope, &st);
	if (!s->source)
		fail_msg("%s", st.msg);
	if (s->ops->begin)
		s->ops->begin(s->source, clock__monotonic_ns());
}

#define sampler__open(s, hz, ...)                                                                  \
	do {                                                                                       \
		char expr_[256];                                                                   \
		snprintf(expr_, sizeof(expr_), __VA_ARGS__);                                       \
		(s)->how = (struct sampling){                                                      \
			.freq = (hz), .user = true, .kernel = true, .interval_s = 1};              \
		sampler__open_how((s), expr_);                                                     \
	} while (0)

TEST_HELPER void sampler__set_scope(struct sampler *s, const char *fmt, ...)
{
	struct status st = {0};
	char expr[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(expr, sizeof(expr), fmt, ap);
	va_end(ap);
	if (s->ops->set_scope(s->source, sampler__scope(s, expr), &st))
		fail_msg("%s", st.msg);
}

/* Lives through `ms`, serving the fd as the collector does, then ends an interval. */
TEST_HELPER void sampler__run(struct sampler *s, u32 ms)
{
	const struct sample_sink sink = {sampler__put, s};
	u64 end = clock__monotonic_ns() + ms * NSEC_PER_MSEC, now;

	while ((now = clock__monotonic_ns()) < end) {
		struct pollfd p = {s->lazy || !s->ops->fd ? -1 : s->ops->fd(s->source), POLLIN, 0};

		if (poll(&p, 1, (int)((end - now) / NSEC_PER_MSEC) + 1) > 0)
			s->ops->drain(s->source, false, &sink);
	}
	s->ops->drain(s->source, true, &sink);
}

TEST_HELPER void sampler__close(struct sampler *s)
{
	s->ops->close(s->source);
	s->source = NULL;
	hidx__fini(&s->known);
	sampler__put_scope(s);
}

TEST_HELPER void near(double got, double want, double share)
{
	if (got < want * (1 - share) || got > want * (1 + share))
		fail_msg("got %.0f, want %.0f +- %.0f %%", got, want, share * 100);
}

/* Opens the source once; prints why when it cannot. */
TEST_HELPER bool sampler__possible(const struct source_ops *ops)
{
	const struct sampling how = {.freq = 99, .user = true, .kernel = true, .interval_s = 1};
	struct filter_error err;
	struct scope *all = filter__parse("", &err);
	struct status st = {0};
	struct source *s = ops->open(&how, all, &st);

	scope__put(all);
	if (s)
		ops->close(s);
	else
		printf("1..0 # skip %s\n", st.msg);
	return s != NULL;
}

/* The ids of the BPF programs that this process has open. */
TEST_HELPER u32 own_programs(u32 *ids, u32 most)
{
	DIR *d = opendir("/proc/self/fdinfo");
	u32 n = 0;

	for (struct dirent *e = readdir(d); e; e = readdir(d)) {
		char path[64], line[128];
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/fdinfo/%.20s", e->d_name);
		f = fopen(path, "r");
		while (f && fgets(line, sizeof(line), f))
			if (n < most && sscanf(line, "prog_id: %u", &ids[n]) == 1)
				n++;
		if (f)
			fclose(f);
	}
	closedir(d);
	return n;
}

/* The kernel frees what was closed a moment later. */
TEST_HELPER bool program_ends(u32 id)
{
	for (int i = 0; i < 200; i++) {
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd < 0)
			return true;
		close(fd);
		usleep(10000);
	}
	return false;
}

#endif
