/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: `turns` executes exactly two instructions of user space a turn, as many turns as the
 * argument says; what comes before and after it is a few hundred thousand. It is done at once.
 */
#include <stdlib.h>

__attribute__((noinline)) static void turns(unsigned long n)
{
#if defined(__x86_64__)
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
#elif defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc");
#else
#error "two instructions of this machine"
#endif
}

int main(int argc, char **argv)
{
	turns(argc > 1 ? strtoul(argv[1], NULL, 10) : 1);
	return 0;
}
