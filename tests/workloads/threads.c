/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: three threads, share-50, share-30 and share-20, whose CPU times are as 50:30:20,
 * together 60 % of one CPU; what each one really used is in the JSON.
 */
#include <pthread.h>

#include "work.h"

struct share {
	const char *name;
	int pct;
	uint64_t end, used;
	pthread_t thread;
};

static NOINLINE void thread_work(void)
{
	burn(BURN_ROUNDS);
}

static void *share__run(void *arg)
{
	struct share *s = arg;
	uint64_t start = wall_ns(), before = cpu_ns(), now;

	prctl(PR_SET_NAME, s->name);
	while ((now = wall_ns()) < s->end) {
		s->used = cpu_ns() - before;
		if (s->used < (now - start) / 1000 * 6 * (uint64_t)s->pct)
			thread_work();
		else
			sleep_ns(35 * MS); /* what a timer woke is sampled late, perf's by as much: few wakes */
	}
	s->used = cpu_ns() - before;
	return NULL;
}

int main(int argc, char **argv)
{
	struct share shares[] = {{.name = "share-50", .pct = 50},
				 {.name = "share-30", .pct = 30},
				 {.name = "share-20", .pct = 20}};
	double seconds = work__begin(argc, argv, 10);
	const char *sep = "{";

	for (int i = 0; i < 3; i++) {
		shares[i].end = wall_ns() + (uint64_t)(seconds * 1e9);
		if (pthread_create(&shares[i].thread, NULL, share__run, &shares[i]))
			return 1;
	}
	work__ready();
	for (int i = 0; i < 3; i++, sep = ",") {
		pthread_join(shares[i].thread, NULL);
		printf("%s\"%s\":%lu", sep, shares[i].name, shares[i].used);
	}
	puts("}");
	return 0;
}
