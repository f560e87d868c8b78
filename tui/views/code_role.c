// SPDX-License-Identifier: GPL-2.0-only
#include "tui/views/code_role.h"

enum role code__role(enum code_kind kind, bool inlined)
{
	static const enum role roles[] = {
		[CODE_UNKNOWN] = ROLE_DIM, [CODE_USER] = ROLE_USER, [CODE_KERNEL] = ROLE_KERNEL,
		[CODE_JIT] = ROLE_JIT,	   [CODE_VDSO] = ROLE_USER, [CODE_BPF] = ROLE_KERNEL,
		[CODE_PYTHON] = ROLE_SCRIPT, [CODE_JAVA] = ROLE_JAVA,
		[CODE_JAVASCRIPT] = ROLE_JAVASCRIPT, [CODE_PHP] = ROLE_PHP,
		[CODE_RUBY] = ROLE_RUBY, [CODE_PERL] = ROLE_PERL,
	};

	return inlined ? ROLE_INLINED : roles[kind];
}
