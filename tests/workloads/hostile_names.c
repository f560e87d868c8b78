/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: nine threads that share one CPU's half evenly, all in hostile_function, with names
 * that must reach neither the terminal as commands nor a spreadsheet as formulas, move nothing
 * beside them, nor break JSON, CSV or folded text.
 */
#include <pthread.h>

#include "work.h"

static const char *const names[] = {
	"\033[2J\033[31mred\a",			/* clears the screen, colours, rings */
	"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", /* wide characters */
	"e\xcc\x81\xcc\xa7o\xcc\x88",		/* combining characters */
	"bad\xff\xfe\xc3",			/* broken UTF-8 */
	"new\nline\ttab",
	"quote\"\\,;comma",
	" a b  ",		       /* blanks at both ends */
	"\xe2\x80\xaertl\xe2\x81\xa6", /* turns the direction of what follows */
	"=cmd|'x'!A1",
};
#define NTHREADS ((int)(sizeof(names) / sizeof(names[0])))

static uint64_t until;

static NOINLINE void hostile_function(void)
{
	burn(BURN_ROUNDS);
}

static void *run(void *arg)
{
	uint64_t start = wall_ns(), before = cpu_ns(), now;

	prctl(PR_SET_NAME, arg);
	while ((now = wall_ns()) < until) {
		if (cpu_ns() - before < (now - start) / (2 * (uint64_t)NTHREADS))
			hostile_function();
		else
			sleep_ns(11 * MS);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	double seconds = work__begin(argc, argv, 10);
	pthread_t threads[NTHREADS];

	until = wall_ns() + (uint64_t)(seconds * 1e9);
	for (int i = 0; i < NTHREADS; i++)
		if (pthread_create(&threads[i], NULL, run, (void *)names[i]))
			return 1;
	work__ready();
	for (int i = 0; i < NTHREADS; i++)
		pthread_join(threads[i], NULL);
	printf("{\"threads\":%d}\n", NTHREADS);
	return 0;
}
