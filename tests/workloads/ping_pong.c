/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: the processes "ping" and "pong" pass a byte to and fro through two pipes as fast as
 * they can. ping waits in ping_reads and is woken by pong's pong_writes, pong in pong_reads
 * by ping_writes. A wait is too short to be timed well from outside: off the CPU is at least
 * what their CPU clocks do not have and at most what their reads lasted, both at each mark.
 */
#include "wait_log.h"

static NOINLINE long ping_reads(int fd, char *c)
{
	return raw_syscall(SYS_read, fd, (long)c, 1, 0, 0, 0);
}

static NOINLINE long ping_writes(int fd, char *c)
{
	return raw_syscall(SYS_write, fd, (long)c, 1, 0, 0, 0);
}

static NOINLINE long pong_reads(int fd, char *c)
{
	return raw_syscall(SYS_read, fd, (long)c, 1, 0, 0, 0);
}

static NOINLINE long pong_writes(int fd, char *c)
{
	return raw_syscall(SYS_write, fd, (long)c, 1, 0, 0, 0);
}

static NOINLINE void pong(struct wait_log *l, int in, int out)
{
	uint64_t from;
	char c;

	wait_log__begin(l, "pong");
	for (;;) {
		from = wall_ns();
		if (pong_reads(in, &c) != 1)
			break;
		l->waited += wall_ns() - from;
		if (pong_writes(out, &c) != 1)
			break;
		wait_log__mark_sometimes(l);
	}
}

static NOINLINE void ping(struct wait_log *l, int in, int out)
{
	uint64_t from;
	char c = 0;

	wait_log__begin(l, "ping");
	while (going_on() && ping_writes(out, &c) == 1) {
		from = wall_ns();
		if (ping_reads(in, &c) != 1)
			break;
		l->waited += wall_ns() - from;
		wait_log__mark_sometimes(l);
	}
}

int main(int argc, char **argv)
{
	double seconds = work__begin(argc, argv, 10);
	struct wait_log *logs = wait_logs__new(2, seconds);
	int there[2], back[2];

	if (pipe(there) || pipe(back))
		return 1;
	if (!fork_child()) {
		close(there[1]);
		pong(&logs[1], there[0], back[1]);
		_exit(0);
	}
	work__ready();
	ping(&logs[0], back[0], there[1]);
	wait_logs__print(logs, 2);
	return 0;
}
