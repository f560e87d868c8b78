// SPDX-License-Identifier: GPL-2.0-only
/* What unwind_shapes loads late. */
unsigned long late_calls(unsigned long (*call)(void));
unsigned long late_calls(unsigned long (*call)(void))
{
	volatile char room[100];

	room[sizeof(room) - 1] = 1;
	return call() + (unsigned long)room[sizeof(room) - 1];
}
