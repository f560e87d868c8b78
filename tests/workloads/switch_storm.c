/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: about 100,000 context switches a second (or the second argument) on one CPU, as
 * far as it can: two processes on the last CPU wake each other through pipes. The JSON has
 * the number as the kernel counted it.
 */
#include <sched.h>
#include <sys/resource.h>

#include "work.h"

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static NOINLINE void echo(int in, int out)
{
	char c;

	while (read(in, &c, 1) == 1)
		if (write(out, &c, 1) != 1)
			break;
}

static NOINLINE int ping(int in, int out)
{
	char c = 0;

	return write(out, &c, 1) == 1 && read(in, &c, 1) == 1;
}

int main(int argc, char **argv)
{
	double seconds = work__begin(argc, argv, 10);
	double rate = argc > 2 ? atof(argv[2]) : 100000;
	int there[2], back[2];
	uint64_t start, end, rounds = 0, now;
	struct rusage used;

	pin((int)sysconf(_SC_NPROCESSORS_ONLN) - 1);
	if (pipe(there) || pipe(back))
		return 1;
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(there[1]);
		echo(there[0], back[1]);
		_exit(0);
	}
	work__ready();
	start = wall_ns();
	end = start + (uint64_t)(seconds * 1e9);
	while ((now = wall_ns()) < end) {
		/* A round is two switches. */
		if ((double)rounds * 2 > rate * (double)(now - start) / 1e9) {
			sleep_ns(MS);
			continue;
		}
		for (int i = 0; i < 50; i++, rounds++)
			if (!ping(back[0], there[1]))
				return 1;
	}
	getrusage(RUSAGE_SELF, &used);
	printf("{\"switches_per_s\":%.0f}\n",
	       2.0 * (double)(used.ru_nvcsw + used.ru_nivcsw) / seconds);
	return 0;
}
