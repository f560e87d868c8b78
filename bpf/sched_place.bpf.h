/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which waits need no walk. Walks are most of what a wait costs, and most waits are short and where the
 * thread waited a moment ago. A thread keeps a few places: a call, the registers it was made with, and the
 * first words of the user stack, as far as they were the same whenever a walk there found the same frames.
 * The true return addresses are among those, as in a kernel stack's shape (bpf/stack_task.bpf.h). So a wait
 * where all of that is the same again has the frames whose return addresses these words hold, whoever it was
 * that called; the ones further out, and the kernel's frames of a short wait, are as of the last look, which
 * is a moment ago, or at one in eight by chance.
 *
 * Code that is preempted outside of calls is met anywhere, and how long it waits does not depend on where: there
 * the last look, of a moment ago or by chance, stands for the next.
 */
#ifndef BPF_SCHED_PLACE_BPF_H
#define BPF_SCHED_PLACE_BPF_H

#include "bpf/sched_thread.bpf.h"

#define THREAD_PLACES 4
#define PLACE_WORDS   32 /* bits of struct place.same */
#define PLACE_RUNS    8	 /* of a thread before it keeps places */
#define PLACE_NEW_NS  10000000 /* so long a look stands for others */
#define PLACE_ANY_NS  2000000  /* where code is met anywhere */
#define PLACE_LONG_NS 1000000  /* the kernel's frames of such waits are all looked at */
#define PLACE_CHANCE  8	       /* one in so many is looked at all the same */

struct place {
	u64 key, ustack, kstack;
	u64 looked_ns;
	u32 same; /* which words have to be */
	u32 pad;
	u32 word[PLACE_WORDS];
};

struct places {
	struct place v[THREAD_PLACES];
};

TASK_MAP(places, struct places);

/* The place of the present wait, and its words. */
struct place_here {
	u64 key;
	u32 any; /* it is met anywhere: no words */
	u32 word[PLACE_WORDS];
	u64 raw[PLACE_WORDS];
};

PERCPU_MAP(place_here, 1, struct place_here);

/* false: it tells nothing. */
static __always_inline bool place__read(struct place_here *here, struct task_struct *task, u32 state)
{
	REGS_TYPE *regs = (void *)bpf_task_pt_regs(task);
	u64 h = hash_step(hash_step(state, stacks_round), task->self_exec_id);
	u32 call = task__syscall(task);

	here->any = call == ~0u;
	if (here->any && state != SCHED_RUNNABLE)
		return false;
	if (!here->any) {
		h = hash_step(hash_step(h, call), REGS_IP(regs));
		h = hash_step(hash_step(h, REGS_SP(regs)), REGS_FP(regs));
		if (bpf_probe_read_user(here->raw, sizeof(here->raw), (void *)REGS_SP(regs)))
			return false;
		for (u32 i = 0; i < PLACE_WORDS; i++)
			here->word[i] = here->raw[i] ^ (here->raw[i] >> 32);
	}
	here->key = hash_finish(h);
	return true;
}

/* A bit for each word that is another one. */
static __always_inline u32 place__differs(const struct place *p, const struct place_here *here)
{
	u32 differ = 0;

	if (here->any)
		return 0;
	for (u32 i = 0; i < PLACE_WORDS; i++)
		differ |= (u32)(p->word[i] != here->word[i]) << i;
	return differ;
}

static __always_inline struct place *place__of(struct task_struct *task, u32 number)
{
	struct places *of = number ? bpf_task_storage_get(&places, task, 0, 0) : NULL;

	return of ? &of->v[(number - 1) & (THREAD_PLACES - 1)] : NULL;
}

/* Which place of the current thread the present one is, from 1 on; 0: it is new. */
__noinline u32 place__find(void)
{
	struct places *of = bpf_task_storage_get(&places, bpf_get_current_task_btf(), 0, 0);
	struct place_here *here = map__only(&place_here);

	if (!of || !here)
		return 0;
	for (u32 i = 0; i < THREAD_PLACES; i++) {
		struct place *p = &of->v[i];

		if (p->key == here->key && !(place__differs(p, here) & p->same))
			return i + 1;
	}
	return 0;
}

/* A look found that stack. Returns which place it is. */
__noinline u32 place__learn(u64 ustack, u64 now)
{
	struct places *of = bpf_task_storage_get(&places, bpf_get_current_task_btf(), 0, 0);
	struct place_here *here = map__only(&place_here);
	u64 oldest = ~0ULL;
	u32 at = 0;
	struct place *p;

	if (!of || !here)
		return 0;
	for (u32 i = 0; i < THREAD_PLACES; i++) {
		p = &of->v[i];
		if (p->key == here->key && (p->ustack == ustack || here->any)) {
			p->same &= ~place__differs(p, here);
			p->ustack = ustack;
			p->looked_ns = now;
			return i + 1;
		}
		if (p->looked_ns < oldest) {
			oldest = p->looked_ns;
			at = i;
		}
	}
	p = &of->v[at & (THREAD_PLACES - 1)];
	p->key = here->key;
	p->ustack = ustack;
	p->kstack = 0;
	p->looked_ns = now;
	p->same = ~0u;
	__builtin_memcpy(p->word, here->word, sizeof(p->word));
	return at + 1;
}

/* The user stack of a wait that begins. */
static __always_inline u64 place__look(struct thread *t, struct task_struct *task, u32 state, u64 now)
{
	struct place_here *here = map__only(&place_here);
	bool knows = here && t->runs >= PLACE_RUNS && has_user_part(task) &&
		     bpf_task_storage_get(&places, task, 0, create_under_lock()) &&
		     place__read(here, task, state);
	struct place *p;
	u64 ustack;

	t->place = knows ? place__find() : 0;
	p = place__of(task, t->place);
	if (p && now - p->looked_ns < (here->any ? PLACE_ANY_NS : PLACE_NEW_NS) &&
	    bpf_get_prandom_u32() % PLACE_CHANCE) {
		t->stands = 1;
		return p->ustack;
	}
	ustack = own_user_stack(now);
	t->place = knows && ustack ? place__learn(ustack, now) : 0;
	return ustack;
}

/* The kernel's frames of a wait that ends. */
static __always_inline u64 place__kernel(const struct thread *t, struct task_struct *task, u64 ns)
{
	struct place *p = place__of(task, t->place);
	u64 kstack;

	if (p && t->stands && p->kstack && ns < PLACE_LONG_NS)
		return p->kstack;
	kstack = stack__sleeping(task, t->wait.syscall, STACK_SLOT_TRACE);
	if (p)
		p->kstack = kstack;
	return kstack;
}

#endif
