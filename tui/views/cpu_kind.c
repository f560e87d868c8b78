// SPDX-License-Identifier: GPL-2.0-only
/* How the kinds of code are told apart on the screens of the cpu view. */
#include "tui/views/cpu.h"

enum role cpu__kind_role(enum code_kind kind, bool inlined)
{
	static const enum role roles[] = {
		[CODE_UNKNOWN] = ROLE_DIM, [CODE_USER] = ROLE_USER, [CODE_KERNEL] = ROLE_KERNEL,
		[CODE_JIT] = ROLE_JIT,	   [CODE_VDSO] = ROLE_USER, [CODE_BPF] = ROLE_KERNEL,
	};

	return inlined ? ROLE_INLINED : roles[kind];
}

const char *cpu__kind_name(enum code_kind kind, bool inlined)
{
	static const char *const names[] = {
		[CODE_UNKNOWN] = "unknown", [CODE_USER] = "user", [CODE_KERNEL] = "kernel",
		[CODE_JIT] = "jit",	    [CODE_VDSO] = "vdso", [CODE_BPF] = "bpf",
	};

	return inlined ? "inlined" : names[kind];
}
