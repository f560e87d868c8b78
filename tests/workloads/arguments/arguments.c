// SPDX-License-Identifier: GPL-2.0-only
/* Calls functions with arguments of every kind; all of them follow from the number of the call i. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif

enum color { RED, GREEN = 200, BLUE = -3 };
struct inner {
	char tag[16];
	short at;
	unsigned three : 3, seven : 7;
	signed five : 5;
};
struct request {
	int len;
	const char *name;
	struct inner in;
	const struct request *next;
	enum color color;
	union {
		unsigned long whole;
		unsigned char byte;
	};
};
struct pair {
	int a, b;
	long c;
};
struct mixed {
	int n;
	double d;
};
struct large {
	long v1, v2, v3;
};

NOINLINE long widths(signed char s8, unsigned char u8, short s16, unsigned short u16, int s32,
		     unsigned int u32, long s64, unsigned long u64, bool yes, signed char late8,
		     unsigned short late16)
{
	__asm__ volatile("" ::: "memory");
	return s8 + u8 + s16 + u16 + s32 + u32 + s64 + (long)u64 + yes + late8 + late16;
}

NOINLINE long members(const struct request *req, const char *text)
{
	__asm__ volatile("" ::: "memory");
	return req->len + text[0];
}

NOINLINE long values(double before, struct pair pair, float between, struct mixed mixed, enum color color,
		     struct large large, int after)
{
	__asm__ volatile("" ::: "memory");
	return (long)before + pair.a + pair.b + pair.c + (long)between + mixed.n + (long)mixed.d + color +
	       large.v3 + after;
}

NOINLINE struct pair gives_pair(int n)
{
	__asm__ volatile("");
	return (struct pair){n, -n, n * 3L};
}

NOINLINE struct large gives_large(int n)
{
	__asm__ volatile("");
	return (struct large){n, n + 1, n + 2};
}

NOINLINE enum color gives_color(int n)
{
	__asm__ volatile("");
	return n % 2 ? GREEN : BLUE;
}

static NOINLINE int kept(int used, int unused)
{
	__asm__ volatile("");
	return used * 3;
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"even", "odd"};
	int n = argc > 1 ? atoi(argv[1]) : 10;
	struct request second = {.len = 77, .name = "second"};
	struct request r = {.next = &second, .in = {.tag = "tagged"}};
	long sum = 0;

	printf("ready %d\n", getpid());
	fflush(stdout);
	getchar();
	for (int i = 0; i < n; i++) {
		r.len = i % 10;
		r.name = names[i % 2];
		r.color = i % 3 == 0 ? RED : i % 3 == 1 ? GREEN : BLUE;
		r.in.at = (short)-i;
		r.in.three = i & 7;
		r.in.seven = i & 127;
		r.in.five = i % 32 - 16;
		r.whole = 0x100ul + (unsigned long)(i & 255);
		sum += widths((signed char)-i, (unsigned char)(200 + i % 50), (short)(-1000 - i),
			      (unsigned short)(60000 + i), -i, 4000000000u + (unsigned int)i,
			      -(1l << 40) - i, (1ul << 63) + (unsigned long)i, i % 2,
			      (signed char)(-100 + i % 100), (unsigned short)(50000 + i));
		sum += members(&r, r.name);
		sum += values(1.5, (struct pair){i, -i, i * 100L}, 2.5f, (struct mixed){-i, 0.5}, r.color,
			      (struct large){1, 2, i}, i * 7);
		sum += gives_pair(i).c + gives_large(i).v2 + gives_color(i) + kept(i, 5);
	}
	printf("{\"sum\": %ld}\n", sum);
	return 0;
}
