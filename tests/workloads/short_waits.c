/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: threads "turns" and "dice" wait in one function, with one stack pointer, for a byte that one of six
 * helpers sends after the time they asked for: short_caller waits for 100 us, longer_caller for 400, as
 * rare_caller does for 40 ms. "turns" has the first two by turns, "dice" throws for both, three to one; one
 * in 250 of dice's waits is the rare one. "large" is as dice, with 600 bytes of the stack between the wait and
 * who called. Each wait is logged, with the caller's name.
 */
#include "wait_log.h"

#define HELPERS 6
#define US	1000

static int ask[HELPERS][2], answer[2];

static NOINLINE void helper(int in)
{
	uint32_t ns;
	char c = 0;

	while (read(in, &ns, sizeof(ns)) == sizeof(ns)) {
		RAW_SLEEP((uint64_t)ns);
		if (write(answer[1], &c, 1) != 1)
			break;
	}
	_exit(0);
}

static int is_large;

static NOINLINE void waits_at_one_place(struct wait_log *l, const char *what, uint32_t ns, uint32_t dice)
{
	char frame[is_large ? 600 : 1];
	uint64_t from;
	char c;

	__asm__ volatile("" ::"r"(frame) : "memory");
	if (write(ask[dice % HELPERS][1], &ns, sizeof(ns)) != sizeof(ns))
		_exit(1);
	from = wall_ns();
	raw_syscall(SYS_read, answer[0], (long)&c, 1, 0, 0, 0);
	wait_log__add(l, what, from, wall_ns());
}

#define CALLER(name, what, ns)                                                                     \
	static NOINLINE void name(struct wait_log *l, uint32_t dice)                               \
	{                                                                                          \
		waits_at_one_place(l, what, ns, dice);                                             \
		__asm__ volatile("nop /* " what " */");                                            \
	}

CALLER(short_caller, "short", 100 * US)
CALLER(longer_caller, "longer", 400 * US)
CALLER(rare_caller, "rare", 40 * 1000 * US)

static uint32_t throw_dice(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

static void waiter(struct wait_log *l, const char *name)
{
	uint32_t state = 12345, dice;
	int turns = !strcmp(name, "turns");

	is_large = !strcmp(name, "large");
	for (int i = 0; i < HELPERS; i++) {
		if (pipe(ask[i]))
			exit(1);
		if (!i && pipe(answer))
			exit(1);
	}
	for (int i = 0; i < HELPERS; i++)
		if (!fork_child())
			helper(ask[i][0]);
	wait_log__begin(l, name);
	for (uint32_t i = 0; going_on(); i++) {
		dice = throw_dice(&state);
		if (!turns && dice % 250 == 0)
			rare_caller(l, dice / 1000);
		else if (turns ? i % 2 : dice % 1000 / 250 == 3)
			longer_caller(l, dice / 1000);
		else
			short_caller(l, dice / 1000);
	}
}

int main(int argc, char **argv)
{
	double seconds = work__begin(argc, argv, 10);
	struct wait_log *logs = wait_logs__new(3, seconds);
	static const char *const others[] = {"turns", "large"};

	prctl(PR_SET_TIMERSLACK, 1);
	for (int i = 0; i < 2; i++)
		if (!fork_child()) {
			waiter(&logs[1 + i], others[i]);
			_exit(0);
		}
	work__ready();
	waiter(&logs[0], "dice");
	wait_logs__print(logs, 3);
	return 0;
}
