/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long a new process is without whole stacks: unwind_first_bench ROUNDS COMMAND [ARG...].
 * Runs the command anew in each round, with no tables made before, and serves the sources as the
 * collector does. Prints a line each: milliseconds from the first sample of the program to the
 * first one whose stack reaches the outermost frame.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "scope/filter.h"
#include "sources/cpu_bpf.h"
#include "symbols/symbols.h"

#define HZ	997
#define LIMIT_S 10

struct first {
	const struct source_ops *side_ops;
	struct source *side, *cpu;
	struct symbols *symbols;
	u32 pid;
	u64 exec_ns, seen_ns, whole_ns; /* 0: not yet */
};

static void take_proc(struct first *f, const struct proc_event *ev)
{
	symbols__proc_event(f->symbols, ev);
	if (ev->type == PROC_EXEC && ev->tgid == f->pid)
		f->exec_ns = ev->t_ns;
}

static void take_stack(struct first *f, const struct stack_def *d)
{
	if (d->tgid != f->pid || !d->nuser || !f->exec_ns || d->t_ns < f->exec_ns)
		return;
	if (!f->seen_ns)
		f->seen_ns = d->t_ns;
	if (!f->whole_ns && d->whole)
		f->whole_ns = d->t_ns;
}

static void put(void *ctx, const struct sample *x)
{
	struct first *f = ctx;

	if (x->type == SAMPLE_PROC)
		take_proc(f, (const struct proc_event *)x);
	else if (x->type == SAMPLE_UNWIND)
		symbols__unwind(f->symbols, (const struct unwind_sample *)x, &source_unwind_sink);
	else if (x->type == SAMPLE_STACK_DEF)
		take_stack(f, (const struct stack_def *)x);
}

static int open_all(struct first *f)
{
	const struct sampling how = {.freq = HZ, .user = true, .kernel = true, .interval_s = 1};
	struct filter_error err;
	struct status st = {0};
	struct scope *it;
	char expr[32];

	/* Or the tables of all that runs would be made first. */
	snprintf(expr, sizeof(expr), "pid=%u", f->pid);
	it = filter__parse(expr, &err);

	f->symbols = symbols__new(&st);
	f->side_ops = source_table[SOURCE_SIDEBAND].ops;
	f->side = f->side_ops->open(&how, it, &st);
	f->cpu = f->side ? source_cpu_bpf.open(&how, it, &st) : NULL;
	scope__put(it);
	if (!f->cpu)
		fprintf(stderr, "%s\n", st.msg);
	return f->cpu ? 0 : -1;
}

static void close_all(struct first *f)
{
	source_cpu_bpf.close(f->cpu);
	f->side_ops->close(f->side);
	symbols__free(f->symbols);
}

/* It waits for a byte before it becomes the command. */
static u32 prepare(char **command, int *go)
{
	int ends[2], pid;
	char byte;

	if (pipe(ends))
		return 0;
	pid = fork();
	if (pid) {
		close(ends[0]);
		*go = ends[1];
		return (u32)pid;
	}
	close(ends[1]);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (read(ends[0], &byte, 1) == 1 && freopen("/dev/null", "w", stdout))
		execvp(command[0], command);
	_exit(127);
}

/* Once an interval of a second, and in between when a source wants it. */
static void serve(struct first *f)
{
	const struct sample_sink sink = {put, f};
	u64 start = clock__monotonic_ns(), tick = start, now;

	while ((now = clock__monotonic_ns()) < start + LIMIT_S * NSEC_PER_SEC && !f->whole_ns) {
		struct pollfd p[] = {{source_cpu_bpf.fd(f->cpu), POLLIN, 0},
				     {f->side_ops->fd(f->side), POLLIN, 0}};
		bool ends = now - tick >= NSEC_PER_SEC;

		poll(p, 2, 10);
		f->side_ops->drain(f->side, ends, &sink);
		source_cpu_bpf.drain(f->cpu, ends, &sink);
		symbols__kick(f->symbols);
		if (ends)
			tick = now;
	}
}

static int one_round(char **command)
{
	struct first f = {0};
	int go = -1;

	f.pid = prepare(command, &go);
	if (open_all(&f) || write(go, "", 1) != 1)
		return -1;
	close(go);
	serve(&f);
	kill((pid_t)f.pid, SIGKILL);
	waitpid((pid_t)f.pid, NULL, 0);
	close_all(&f);
	if (!f.whole_ns)
		return -1;
	printf("%.3f\n", (double)(f.whole_ns - f.seen_ns) / 1e6);
	fflush(stdout); /* or the next child has it too */
	return 0;
}

int main(int argc, char **argv)
{
	int rounds = argc > 2 ? atoi(argv[1]) : 0;

	for (int i = 0; i < rounds; i++)
		if (one_round(argv + 2))
			return 1;
	return rounds ? 0 : 2;
}
