// SPDX-License-Identifier: GPL-2.0-only
#include "sources/moment.h"

#include <stdio.h>
#include <sys/utsname.h>

#include "sources/kernel_types.h"
#include "sources/question_btf.h"

/* 0: not known. */
static u32 kernel_version(void)
{
	struct utsname u;
	u32 major, minor;

	if (uname(&u) || sscanf(u.release, "%u.%u", &major, &minor) != 2)
		return 0;
	return major << 8 | minor;
}

/* Macros of the kernel, which no types tell: x86's are those of asm-generic/thread_info_tif.h from 6.18 on,
 * and have a lazy kind from 6.13 on; arm64's, up to 6.x, are its own. */
u64 moment__need_resched(void)
{
	u32 version = kernel_version();

#if defined(__x86_64__)
	if (version >= (6 << 8 | 18))
		return 1 << 4 | 1 << 5;
	if (version >= (6 << 8 | 13))
		return 1 << 3 | 1 << 4;
	return version ? 1 << 3 : 0;
#elif defined(__aarch64__)
	return version && version < 7 << 8 ? 1 << 1 : 0;
#else
	return 0;
#endif
}

bool moment__has_irq_flag(void)
{
#if defined(__x86_64__)
	return true;
#else
	return false;
#endif
}

bool moment__has_irqs(void)
{
	struct question_btf *types = kernel_types__btf();

	return moment__has_irq_flag() && types && question_btf__function(types, "bpf_local_irq_save", false);
}

static u32 member(u32 type, const char *name)
{
	struct field f;

	if (!type || kernel_types.member(&kernel_types, type, name, &f))
		return 0;
	return f.type.type_id;
}

/* As task__nr_running() finds it. */
bool moment__has_run_queue(void)
{
	return member(kernel_types.find(&kernel_types, "cfs_rq"), "rq") != 0;
}

int moment__check(const struct scope *scope, bool irqs, struct status *st)
{
	if (scope__has_level(scope, SCOPE_NEED_RESCHED) && !moment__need_resched())
		return status__set(st, EXIT_CODE_UNSUPPORTED, -EOPNOTSUPP,
				   "need_resched= cannot be told: where it is in thread_info.flags is not "
				   "known for this machine");
	if (scope__has_level(scope, SCOPE_IRQS_DISABLED) && !irqs)
		return status__set(st, EXIT_CODE_UNSUPPORTED, -EOPNOTSUPP,
				   "irqs_disabled= can be told on x86 at samples, and from Linux 6.14 on at "
				   "tracepoints");
	return 0;
}

int moment__refuse(const struct scope *scope, const char *who, struct status *st)
{
	char names[80];

	if (!(scope__terms(scope) & SCOPE_TERMS_KERNEL))
		return 0;
	return status__set(st, EXIT_CODE_UNSUPPORTED, -EOPNOTSUPP,
			   "%s cannot tell %s: that takes BPF (proftop --doctor says what is missing)", who,
			   scope__term_names(scope, SCOPE_TERMS_KERNEL, names, sizeof(names)));
}
