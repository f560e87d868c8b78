/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: 10,000 processes (or the second argument), eight at a time, made as fast as it goes: each
 * is called "burst" and ends at once. The JSON has their number, the CPU time of them all with
 * this process's, and when the first began and the last one ended; after that it stays.
 */
#include <sys/resource.h>
#include <sys/wait.h>

#include "work.h"

#define AT_ONCE 8

static uint64_t cpu_of(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return ((uint64_t)u.ru_utime.tv_sec + (uint64_t)u.ru_stime.tv_sec) * SECOND +
	       ((uint64_t)u.ru_utime.tv_usec + (uint64_t)u.ru_stime.tv_usec) * 1000;
}

int main(int argc, char **argv)
{
	double seconds = work__begin(argc, argv, 60);
	long count = argc > 2 ? atol(argv[2]) : 10000, n = 0, ended = 0;
	uint64_t from, end;

	prctl(PR_SET_NAME, "burst");
	work__ready();
	from = wall_ns();
	end = from + (uint64_t)(seconds * 1e9);
	for (; n < count && wall_ns() < end; n++) {
		pid_t pid;

		if (n >= AT_ONCE)
			ended += wait(NULL) > 0;
		pid = fork();
		if (pid < 0)
			return 1;
		if (!pid)
			_exit(0);
	}
	while (wait(NULL) > 0)
		ended++;
	printf("{\"ended\":%ld,\"cpu_ns\":%lu,\"from_ns\":%lu,\"to_ns\":%lu}\n", ended,
	       cpu_of(RUSAGE_SELF) + cpu_of(RUSAGE_CHILDREN), from, wall_ns());
	return 0;
}
