/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * usdt: waits for SIGUSR1, passes its static probes, says in JSON how often, and waits for SIGUSR1
 * again. sys/sdt.h is not everywhere: the notes are made here.
 *
 * Truth: proftest:step 60: arg1 is i % 3 as an int of below 0 (-1, -2, -3), arg2 in memory i * 10 as
 * u64, arg3 the constant 7, arg4 the string "even" or "odd", arg5 in memory a short, -5.
 * proftest:gated 25, while its semaphore is up alone. "gate" in JSON: how often it was seen up.
 */
#include "work.h"

#define PROBE(name, semaphore, args, ...)                                                          \
	__asm__ volatile("990: nop\n"                                                              \
			 ".pushsection .note.stapsdt,\"\",\"note\"\n"                              \
			 ".balign 4\n"                                                             \
			 ".4byte 992f-991f, 994f-993f, 3\n"                                        \
			 "991: .asciz \"stapsdt\"\n"                                               \
			 "992: .balign 4\n"                                                        \
			 "993: .8byte 990b\n"                                                      \
			 ".8byte _.stapsdt.base\n"                                                 \
			 ".8byte " semaphore "\n"                                                  \
			 ".asciz \"proftest\"\n"                                                   \
			 ".asciz \"" name "\"\n"                                                   \
			 ".asciz \"" args "\"\n"                                                   \
			 "994: .balign 4\n"                                                        \
			 ".popsection\n"                                                           \
			 ".ifndef _.stapsdt.base\n"                                                \
			 ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"   \
			 ".weak _.stapsdt.base\n"                                                  \
			 ".hidden _.stapsdt.base\n"                                                \
			 "_.stapsdt.base: .space 1\n"                                              \
			 ".size _.stapsdt.base, 1\n"                                               \
			 ".popsection\n"                                                           \
			 ".endif\n" ::__VA_ARGS__)

__attribute__((section(".probes"), used)) volatile unsigned short proftest_gated_semaphore;

NOINLINE static void step(int i)
{
	int low = -(i % 3) - 1;
	volatile uint64_t tens = (uint64_t)i * 10;
	volatile short five = -5;
	const char *text = i % 2 ? "odd" : "even";

	PROBE("step", "0", "-4@%0 8@%1 4@%2 8@%3 -2@%4", "r"(low), "m"(tens), "n"(7), "r"(text),
	      "m"(five));
}

NOINLINE static int gated(int i)
{
	if (!proftest_gated_semaphore)
		return 0;
	PROBE("gated", "proftest_gated_semaphore", "-4@%0", "r"(i));
	return 1;
}

int main(void)
{
	sigset_t set;
	int sig, gate = 0;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	work__ready();
	sigwait(&set, &sig);
	for (int i = 0; i < 60; i++)
		step(i);
	for (int i = 0; i < 25; i++)
		gate += gated(i);
	printf("{\"step\": 60, \"gate\": %d}\n", gate);
	fflush(stdout);
	sigwait(&set, &sig);
	printf("{\"semaphore\": %d}\n", proftest_gated_semaphore);
	fflush(stdout);
	return 0;
}
