// SPDX-License-Identifier: GPL-2.0-only
#include "sources/moment.h"

#include <bpf/btf.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <sys/utsname.h>

#include "base/arena.h"
#include "bpf/moment.h"
#include "sources/kernel_btf.h"
#include "sources/kernel_types.h"

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

/* Whether it can be read of registers. */
static bool has_irq_flag(void)
{
#if defined(__x86_64__)
	return true;
#else
	return false;
#endif
}

static struct kernel_calls {
	bool looked_up;
	s32 save, restore; /* ids of their types; 0 or less: they are not there */
} calls;

bool moment__has_irqs(void)
{
	bool known = __atomic_load_n(&calls.looked_up, __ATOMIC_ACQUIRE);
	struct btf *btf = has_irq_flag() && !known ? kernel_btf__get() : NULL;

	s32 save, restore;

	if (btf) {
		save = btf__find_by_name_kind(btf, "bpf_local_irq_save", BTF_KIND_FUNC);
		restore = btf__find_by_name_kind(btf, "bpf_local_irq_restore", BTF_KIND_FUNC);
		kernel_btf__put(btf);
		__atomic_store_n(&calls.save, save, __ATOMIC_RELAXED);
		__atomic_store_n(&calls.restore, restore, __ATOMIC_RELAXED);
		__atomic_store_n(&calls.looked_up, true, __ATOMIC_RELEASE); /* all threads find the same */
	}
	return __atomic_load_n(&calls.save, __ATOMIC_RELAXED) > 0 &&
	       __atomic_load_n(&calls.restore, __ATOMIC_RELAXED) > 0;
}

bool moment__knows_irqs(enum moment_at at)
{
	if (at == MOMENT_REGISTERS)
		return has_irq_flag();
	return at == MOMENT_USER || (at == MOMENT_SAVED && moment__has_irqs());
}

static void put_call(struct bpf_insn *insn)
{
	bool save = insn->imm == MOMENT_IRQ_SAVE;
	s32 id;

	if (insn->code != (BPF_JMP | BPF_CALL) || insn->src_reg || (!save && insn->imm != MOMENT_IRQ_RESTORE))
		return;
	moment__has_irqs();
	id = save ? calls.save : calls.restore;
	if (id > 0)
		*insn = (struct bpf_insn){.code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_KFUNC_CALL, .imm = id};
	else
		*insn = (struct bpf_insn){.code = BPF_ALU64 | BPF_MOV | BPF_K};
}

/* Sections of instructions lie on multiples of their size, and nothing else looks like one of these. */
void *moment__put_calls(const void *elf, size_t size)
{
	struct bpf_insn *copy = xmalloc(size);

	memcpy(copy, elf, size);
	for (size_t i = 0; i < size / sizeof(*copy); i++)
		put_call(&copy[i]);
	return copy;
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

int moment__check(const struct scope *scope, enum moment_at at, struct status *st)
{
	if (scope__has_level(scope, SCOPE_NEED_RESCHED) && !moment__need_resched())
		return status__set(st, EXIT_CODE_UNSUPPORTED, -EOPNOTSUPP,
				   "need_resched= cannot be told: where it is in thread_info.flags is not "
				   "known for this machine");
	if (scope__has_level(scope, SCOPE_IRQS_DISABLED) && !moment__knows_irqs(at))
		return status__set(st, EXIT_CODE_UNSUPPORTED, -EOPNOTSUPP,
				   "irqs_disabled= can be told on x86 at samples, and from Linux 6.14 on at "
				   "events of the kernel");
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
