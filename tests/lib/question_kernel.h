/* SPDX-License-Identifier: GPL-2.0-only */
/* What tests of questions by the kernel's types share: a group's setup and teardown. */
#ifndef TESTS_LIB_QUESTION_KERNEL_H
#define TESTS_LIB_QUESTION_KERNEL_H

#include <bpf/btf.h>

#include "sources/question_btf.h"
#include "tests/lib/question_load.h"

static struct btf *kernel;
static struct question_btf *types;
static struct arena arena;
static struct question_machine machine;

static int setup(void **state)
{
	arena__init(&arena);
	kernel = btf__load_vmlinux_btf();
	if (!kernel)
		return -1;
	types = question_btf__new(kernel);
	if (!geteuid())
		question_machine__open(&machine);
	return 0;
}

static int teardown(void **state)
{
	if (machine.frame)
		question_machine__close(&machine);
	question_btf__free(types);
	btf__free(kernel);
	arena__fini(&arena);
	return 0;
}

#endif
