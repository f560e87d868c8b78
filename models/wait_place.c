// SPDX-License-Identifier: GPL-2.0-only
#include "models/wait_place.h"

/* The names of n frames; NULL where none is known. */
static void name_frames(const u32 *locs, u32 n, const struct symbols *symbols, const char **names,
			bool *pending)
{
	for (u32 i = 0; i < n; i++) {
		u32 func = symbols__func_of(symbols, locs[i]);

		names[i] = func ? symbols__func(symbols, func)->name : NULL;
		*pending |= !func && locs[i] != SYM_UNKNOWN;
	}
}

void wait_place__read_kernel(struct wait_place *p, const struct callstack *kstack,
			     const struct symbols *symbols)
{
	const char *names[WAIT_KERNEL_FRAMES];
	u32 n = kstack ? MIN(kstack->nkernel, WAIT_KERNEL_FRAMES) : 0;

	*p = (struct wait_place){.known = n > 0, .use = WAIT_REASONS};
	name_frames(kstack ? kstack->locs : NULL, n, symbols, names, &p->pending);
	if (n)
		wait_clue__read(&p->clue, names, n);
	rule_set__kernel(&p->rules, names, n);
}

void wait_place__read_user(struct wait_place *p, const struct callstack *ustack,
			   const struct symbols *symbols, struct rule_names *seen)
{
	const char *names[WAIT_USER_FRAMES];
	u32 n = ustack ? MIN(ustack->nuser, WAIT_USER_FRAMES) : 0;
	struct rule_set user;

	name_frames(n ? ustack->locs + ustack->nkernel : NULL, n, symbols, names, &p->pending);
	rule_set__user(&user, names, n, seen);
	for (u32 i = 0; i < ARRAY_SIZE(user.bits); i++)
		p->rules.bits[i] &= user.bits[i];
	if (!p->known || p->clue.futex)
		p->use = wait_futex__use(names, MIN(n, WAIT_FUTEX_FRAMES));
}

static enum wait_reason reason_of(const struct wait_place *p, const struct wait_entry *e)
{
	const struct wait_context ctx = {
		.state = e->state,
		.kthread = e->task.kthread,
		.syscall = e->syscall,
		.futex_op = e->futex_op,
		.use = p->use,
	};

	return wait_reason__judge(p->known ? &p->clue : NULL, &ctx);
}

struct wait_verdict wait_place__judge(const struct wait_place *p, const struct wait_entry *e,
				      const struct wait_facts *facts)
{
	struct wait_verdict v = wait_rules__judge(&p->rules, reason_of(p, e), facts);

	if (v.class == CLASS_IDLE && p->pending) {
		v.class = CLASS_UNCLEAR;
		v.why = "functions on its stack are not known yet";
	}
	return v;
}

enum wait_reason wait_entry__reason(const struct wait_entry *e, const struct symbols *symbols,
				    bool *pending)
{
	const struct wait_facts facts = {.on = e->on};
	struct rule_names seen = {0};
	struct wait_place p;

	wait_place__read_kernel(&p, e->kstack, symbols);
	wait_place__read_user(&p, e->ustack, symbols, &seen);
	rule_names__fini(&seen);
	*pending = p.pending;
	return wait_place__judge(&p, e, &facts).reason;
}
