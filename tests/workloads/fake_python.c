// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that says it is CPython 3.11, and whose frames lead astray: "self" to itself, "cycle" in a
 * circle, "garbage" to nowhere, "type" to what is no code object, "elsewhere" to functions that no frame
 * of its stack runs. It only burns CPU in burn(), below main().
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define WORDS 64

unsigned long Py_Version = 0x030b02f0;
uint64_t PyCode_Type[WORDS];
uint64_t _PyRuntime[WORDS];

static uint64_t interp[WORDS], thread[WORDS], call[WORDS], frames[2][WORDS], code[WORDS], text[WORDS];
static volatile uint64_t burnt;

static uint64_t at(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

static void make(const char *how)
{
	PyCode_Type[3] = at("code");
	_PyRuntime[5] = at(interp);
	interp[2] = at(thread);
	thread[2] = at(interp);
	thread[19] = (uint64_t)pthread_self();
	thread[7] = at(call);
	call[1] = at(frames[0]);
	code[1] = at(PyCode_Type);
	code[14] = code[15] = code[16] = code[17] = at(text);
	for (int i = 0; i < 2; i++)
		frames[i][4] = at(code);
	if (!strcmp(how, "self"))
		frames[0][6] = at(frames[0]);
	else if (!strcmp(how, "cycle"))
		frames[0][6] = at(frames[1]), frames[1][6] = at(frames[0]);
	else if (!strcmp(how, "garbage"))
		frames[0][6] = 0x123456789a8;
	else if (!strcmp(how, "type"))
		code[1] = at(thread);
	else
		frames[0][8] = 1ULL << 32; /* the outermost of a run that is not on the stack */
}

__attribute__((noinline)) static void burn(void)
{
	for (int i = 0; i < 1000000; i++)
		burnt += (uint64_t)i * i;
}

int main(int argc, char **argv)
{
	make(argc > 1 ? argv[1] : "");
	printf("ready %d\n", getpid());
	fflush(stdout);
	for (;;)
		burn();
}
