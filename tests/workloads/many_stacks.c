/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: waits in as many distinct user stacks as the second argument says (at most 2^20),
 * all of one depth: below main each of 20 calls is turns_left or turns_right, by the bits of
 * the wait's number; the innermost passes a byte to a process on the same CPU and waits for
 * it to come back. With a third argument it ends after so many. The JSON has the round trips, the
 * distinct stacks that were really made in them, the microseconds that one took, those of CPU time
 * that both ends used for one, and how often both left a CPU to wait, as the kernel counts it.
 */
#include "wait_log.h"

#define TURNS 20

static int there[2], back[2];

static NOINLINE int turns_left(uint32_t path, int depth);
static NOINLINE int turns_right(uint32_t path, int depth);

static inline __attribute__((always_inline)) int turn(uint32_t path, int depth)
{
	char c = 0;

	if (depth < TURNS)
		return path & 1 ? turns_right(path >> 1, depth + 1)
				: turns_left(path >> 1, depth + 1);
	return raw_syscall(SYS_write, there[1], (long)&c, 1, 0, 0, 0) == 1 &&
	       raw_syscall(SYS_read, back[0], (long)&c, 1, 0, 0, 0) == 1;
}

static NOINLINE int turns_left(uint32_t path, int depth)
{
	int ok = turn(path, depth);

	__asm__ volatile("" : "+r"(ok)); /* or the two are one function */
	return ok;
}

static NOINLINE int turns_right(uint32_t path, int depth)
{
	int ok = turn(path, depth);

	__asm__ volatile("nop" : "+r"(ok));
	return ok;
}

static void echo(void)
{
	char c;

	close(there[1]);
	while (read(there[0], &c, 1) == 1)
		if (write(back[1], &c, 1) != 1)
			break;
	_exit(0);
}

/* How often a process has left a CPU of its own will. */
static uint64_t waits_of(int pid)
{
	static const char key[] = "voluntary_ctxt_switches:";
	char path[40], line[256];
	uint64_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, sizeof(key) - 1))
			n = strtoull(line + sizeof(key) - 1, NULL, 10);
	if (f)
		fclose(f);
	return n;
}

int main(int argc, char **argv)
{
	double seconds = work__begin(argc, argv, 10);
	uint32_t stacks = argc > 2 ? (uint32_t)atol(argv[2]) : 1000;
	uint64_t most = argc > 3 ? (uint64_t)atol(argv[3]) : UINT64_MAX;
	uint64_t from, end, cpu, waits, rounds = 0;
	clockid_t other;
	int pid;

	pin_to(last_cpu());
	if (pipe(there) || pipe(back))
		return 1;
	pid = fork_child();
	if (!pid)
		echo();
	if (pid < 0 || clock_getcpuclockid(pid, &other))
		return 1;
	work__ready();
	from = wall_ns();
	cpu = cpu_ns() + clock_ns(other);
	waits = waits_of(getpid()) + waits_of(pid);
	end = from + (uint64_t)(seconds * 1e9);
	for (; rounds < most && (rounds % 64 || wall_ns() < end); rounds++)
		if (!turn((uint32_t)(rounds % stacks), 0))
			return 1;
	cpu = cpu_ns() + clock_ns(other) - cpu;
	waits = waits_of(getpid()) + waits_of(pid) - waits;
	printf("{\"rounds\":%lu,\"stacks\":%lu,\"us_per_round\":%.4f,\"cpu_us_per_round\":%.4f,"
	       "\"waits\":%lu}\n",
	       rounds, rounds < stacks ? rounds : stacks,
	       (double)(wall_ns() - from) / 1e3 / (double)rounds,
	       (double)cpu / 1e3 / (double)rounds, waits);
	return 0;
}
