// SPDX-License-Identifier: GPL-2.0-only
/*
 * unwind_shapes [SHAPE...]: goes round in the shapes that stacks can have, one after the other,
 * for ever; all of them when none is named. In each it uses a CPU for a moment and then sleeps for
 * one, as deep as the shape goes: whatever is sampled, on and off CPU, must reach main, or the
 * first frame of a thread, however this was compiled. With -DSTATIC: without a late library; with
 * -DDEEP=300: deeper than is walked.
 */
#include <alloca.h>
#include <dlfcn.h>
#include <libgen.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define BURN	 300000
#define NAP_NS	 200000

/* Nearly as deep as is walked: 127 frames, with those of a signal on top. */
#ifndef DEEP
#define DEEP 105
#endif

static volatile unsigned long sink;
static const char *self;

NOINLINE static unsigned long burns(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i;
	return sink;
}

NOINLINE static unsigned long naps(void)
{
	struct timespec t = {0, NAP_NS};

	return (unsigned long)nanosleep(&t, NULL) + sink;
}

NOINLINE static unsigned long work(void)
{
	return burns(BURN) + naps();
}

/* --- shapes --- */

NOINLINE static unsigned long recurses(unsigned depth)
{
	if (!depth)
		return work();
	return recurses(depth - 1) + sink;
}

static void deep(void)
{
	sink += recurses(DEEP);
}

NOINLINE static unsigned long grows(size_t n)
{
	volatile char *p = alloca(n);

	p[0] = p[n - 1] = 1;
	return work() + (unsigned long)p[0] + (unsigned long)p[n - 1];
}

static void on_the_stack(void)
{
	for (size_t n = 16; n < 5000; n *= 5)
		sink += grows(n);
}

/* A frame that is more aligned than its caller's, of a size that is not known beforehand. */
NOINLINE static unsigned long aligns(size_t n)
{
	volatile char aligned[256] __attribute__((aligned(128)));
	volatile char *p = alloca(n);

	aligned[n & 255] = 1;
	p[n - 1] = 1;
	return work() + (unsigned long)aligned[n & 255] + (unsigned long)p[n - 1];
}

static void realigned(void)
{
	for (size_t n = 8; n < 500; n *= 3)
		sink += aligns(n);
}

static void on_signal(int sig)
{
	(void)sig;
	sink += work();
}

NOINLINE static unsigned long is_interrupted(void)
{
	raise(SIGUSR1);
	kill(getpid(), SIGUSR2);
	return burns(BURN / 4);
}

static void handler(void)
{
	sink += is_interrupted();
}

/* On a stack of its own, which is anywhere. */
static void other_stack(void)
{
	static char stack[65536];
	stack_t there = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};

	sigaltstack(&there, NULL);
	sigaction(SIGUSR2, &act, NULL);
	sink += is_interrupted();
}

/* Signals wherever it is: SIGALRM comes by a timer all the time. */
static void starts_timer(void)
{
	struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
	struct itimerspec t = {{0, 7000000}, {0, 7000000}};
	timer_t timer;

	if (!timer_create(CLOCK_MONOTONIC, &ev, &timer))
		timer_settime(timer, 0, &t, NULL);
}

static int compares(const void *a, const void *b)
{
	sink += burns(BURN / 20);
	return *(const int *)a - *(const int *)b;
}

static void called_back(void)
{
	int v[16];

	for (int i = 0; i < 16; i++)
		v[i] = (i * 7) & 15;
	qsort(v, 16, sizeof(v[0]), compares);
	sink += naps();
}

/* Functions without a frame, and the kernel's code. */
static void leaves(void)
{
	static char text[20000];
	struct timespec t;

	memset(text, 'x', sizeof(text) - 1);
	for (int i = 0; i < 100; i++) {
		sink += strlen(text) + (unsigned long)memchr(text, 'y', sizeof(text));
		clock_gettime(CLOCK_MONOTONIC, &t);
	}
	sink += naps();
}

/* The caller's frame is gone: `before` is not to be found, what called it is. */
NOINLINE static unsigned long after(unsigned long a, unsigned long b, unsigned long c,
				    unsigned long d, unsigned long e, unsigned long f,
				    unsigned long g, unsigned long h)
{
	return work() + a + b + c + d + e + f + g + h;
}

NOINLINE static unsigned long before(unsigned long a, unsigned long b, unsigned long c,
				     unsigned long d, unsigned long e, unsigned long f,
				     unsigned long g, unsigned long h)
{
	return after(b, a, c, d, e, f, g + 1, h);
}

static void tail_call(void)
{
	sink += before(1, 2, 3, 4, 5, 6, 7, sink);
}

#if defined(__x86_64__)
/* Written by hand: pushes and moves the stack pointer, and says so. */
unsigned long by_hand(unsigned long (*call)(void));
__asm__(".text\n"
	".globl by_hand\n"
	".type by_hand, @function\n"
	"by_hand:\n"
	"	.cfi_startproc\n"
	"	push %rbx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	push %rbp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset %rbp, 0\n"
	"	sub $136, %rsp\n"
	"	.cfi_adjust_cfa_offset 136\n"
	"	xor %ebp, %ebp\n"
	"	mov $100000, %ebx\n"
	"1:	push %rbx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	push %rdi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pop %rdi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %rbx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	dec %ebx\n"
	"	jnz 1b\n"
	"	call *%rdi\n"
	"	add $136, %rsp\n"
	"	.cfi_adjust_cfa_offset -136\n"
	"	pop %rbp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	.cfi_restore %rbp\n"
	"	pop %rbx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size by_hand, . - by_hand\n");

static void assembly(void)
{
	sink += by_hand(work);
}
#else
static void assembly(void)
{
	sink += work();
}
#endif

static void *thread(void *arg)
{
	for (int i = 0; i < 20; i++)
		sink += work();
	return arg;
}

static void threads(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, thread, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}

#ifdef STATIC
static void late(void)
{
	sink += work();
}
#else
/* Code that was not there when the process was first seen. */
static void late(void)
{
	unsigned long (*fn)(unsigned long (*)(void));
	char path[4096];
	void *lib;

	snprintf(path, sizeof(path), "%s/libunwind_late.so", self);
	lib = dlopen(path, RTLD_NOW);
	fn = lib ? (unsigned long (*)(unsigned long (*)(void)))dlsym(lib, "late_calls") : NULL;
	for (int i = 0; i < 20; i++)
		sink += fn ? fn(work) : work();
	if (lib)
		dlclose(lib);
}
#endif

/* --- going round --- */

static const struct shape {
	const char *name;
	void (*run)(void);
} shapes[] = {
	{"deep", deep},
	{"alloca", on_the_stack},
	{"realigned", realigned},
	{"signal", handler},
	{"altstack", other_stack},
	{"callback", called_back},
	{"leaves", leaves},
	{"tail", tail_call},
	{"assembly", assembly},
	{"threads", threads},
	{"late", late},
};

static int is_wanted(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], name))
			return 1;
	return argc == 1;
}

int main(int argc, char **argv)
{
	self = dirname(strdup(argv[0]));
	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, on_signal);
	signal(SIGALRM, on_signal);
	if (is_wanted("signal", argc, argv))
		starts_timer();
	printf("ready %d\n", getpid());
	fflush(stdout);
	for (;;)
		for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
			if (is_wanted(shapes[i].name, argc, argv))
				shapes[i].run();
}
