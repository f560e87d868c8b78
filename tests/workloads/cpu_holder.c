/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: "holder" has the last CPU to itself for 30 of every 50 ms, in holds_cpu, with
 * real-time priority; "victim" wants to wake there 10 ms after it has begun and gets to run
 * when holder lets go: 20 ms late each time. The log has from when it was due to when it ran.
 * Fails where real-time priority is not to be had.
 */
#include "wait_log.h"

#define PERIOD (50 * MS)
#define HELD   (30 * MS)
#define DUE    (10 * MS)

static NOINLINE void holds_cpu(uint64_t until)
{
	while (wall_ns() < until)
		burn(10000);
}

static NOINLINE void victim_sleeps(uint64_t until)
{
	RAW_SLEEP_UNTIL(until);
}

static void victim(struct wait_log *l, uint64_t from)
{
	wait_log__begin(l, "victim");
	for (uint64_t t = from; going_on(); t += PERIOD) {
		wait_log__mark(l);
		victim_sleeps(t + DUE);
		wait_log__add(l, "runq", t + DUE, wall_ns());
		wait_log__mark(l);
	}
	_exit(0);
}

static void holder(struct wait_log *l, uint64_t from)
{
	wait_log__begin(l, "holder");
	for (uint64_t t = from; going_on(); t += PERIOD) {
		RAW_SLEEP_UNTIL(t);
		holds_cpu(t + HELD);
		wait_log__mark(l);
	}
}

int main(int argc, char **argv)
{
	double seconds = work__begin(argc, argv, 10);
	const struct sched_param first = {.sched_priority = 50};
	struct wait_log *logs = wait_logs__new(2, seconds);
	uint64_t from = wall_ns() + 100 * MS;

	pin_to(last_cpu());
	if (!fork_child())
		victim(&logs[1], from);
	if (sched_setscheduler(0, SCHED_FIFO, &first)) {
		perror("sched_setscheduler");
		return 1;
	}
	work__ready();
	holder(&logs[0], from);
	sleep_ns(PERIOD);
	wait_logs__print(logs, 2);
	return 0;
}
