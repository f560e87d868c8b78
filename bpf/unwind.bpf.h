/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Walks user stacks by unwind tables, and by frame pointers where there is no table. One frame a
 * step: what is mapped there, the table's row for the place, the caller's registers. The maps of
 * tables and processes are shared by all programs and filled by user space when a process is
 * first seen; until then frame pointers have to do.
 *
 * Functions here are global, so that the verifier looks at each once; therefore they take
 * numbers, and keep what they know in a map.
 */
#ifndef BPF_UNWIND_BPF_H
#define BPF_UNWIND_BPF_H

#include "bpf/hotspot.bpf.h"
#include "bpf/script.bpf.h"
#include "bpf/v8.bpf.h"

/* --- one frame --- */

/* Offsets within the frame of a signal, from the stack pointer in the trampoline on. */
#if defined(__TARGET_ARCH_x86)
#define SIGNAL_FP 120
#define SIGNAL_SP 160
#define SIGNAL_IP 168
#else
#define SIGNAL_REGS (128 + 176 + 8)
#define SIGNAL_FP   (SIGNAL_REGS + 29 * 8) /* and the link register */
#define SIGNAL_SP   (SIGNAL_REGS + 31 * 8)
#define SIGNAL_IP   (SIGNAL_REGS + 32 * 8)
#endif

static __always_inline int step_signal(struct unwind_state *s)
{
	struct user_frame f;
	u64 sp = s->sp;

	if (!user_read(s, &s->ip, sp + SIGNAL_IP) || !user_read_frame(s, &f, sp + SIGNAL_FP) ||
	    !user_read(s, &s->sp, sp + SIGNAL_SP))
		return UNWIND_BAD_STACK;
	s->fp = f.next;
#if defined(__TARGET_ARCH_arm64)
	s->lr = f.ret; /* a leaf may be what was interrupted */
#endif
	s->exact = 1;
	return s->ip ? UNWIND_GOES_ON : UNWIND_WHOLE;
}

/* Frame pointers link frames at their lower end: how large one is they do not tell. On x86 they lie
 * at the upper end. It stands where the link register does, which is of the innermost frame alone. */
#define SP_NOT_KNOWN 1

static __always_inline bool sp_is_known(const struct unwind_state *s)
{
#if defined(__TARGET_ARCH_arm64)
	return s->exact || s->lr != SP_NOT_KNOWN;
#else
	return true;
#endif
}

static __always_inline bool row__needs_sp(const struct unwind_row *row)
{
	switch (row->rule & UNWIND_CFA) {
	case UNWIND_CFA_SP:
	case UNWIND_CFA_DEREF_SP:
	case UNWIND_CFA_PLT:
	case UNWIND_CFA_SIGNAL:
		return true;
	default:
		return false;
	}
}

static __always_inline int step_fp(struct unwind_state *s)
{
	struct user_frame f;
	int why;

	s->by_fp = 1;
	if (!is_frame(s->fp, s->sp))
		return s->fp ? UNWIND_FP_END : UNWIND_WHOLE;
	if (!user_read_frame(s, &f, s->fp))
		return UNWIND_FP_END;
	why = return_to(s, s->fp + sizeof(f), &f);
#if defined(__TARGET_ARCH_arm64)
	s->lr = SP_NOT_KNOWN;
#endif
	return why;
}

/* Code that no table describes, as CPython's trampolines for perf, which keep no frame pointer: where
 * the next instructions take the frame down, they tell where the caller is. Those are `add $N,%rsp` and
 * `pop %rbp`, either or both, and `ret`; other code is left to frame pointers. */
static __always_inline int step_jit(struct unwind_state *s)
{
#if defined(__TARGET_ARCH_x86)
	struct user_frame f = {s->fp, 0};
	u64 code = 0, sp = s->sp;

	bpf_probe_read_user(&code, sizeof(code), (void *)s->ip);
	if ((code & 0x80ffffff) == 0x00c48348) {
		sp += code >> 24 & 0x7f;
		code >>= 32;
	}
	if ((code & 0xff) == 0x5d) {
		if (!user_read(s, &f.next, sp))
			return step_fp(s);
		sp += sizeof(u64);
		code >>= 8;
	}
	if ((code & 0xff) == 0xc3 && user_read(s, &f.ret, sp))
		return return_to(s, sp + sizeof(u64), &f);
#endif
	return step_fp(s);
}

/* 0: there is none. */
static __always_inline u64 row__cfa(const struct unwind_row *row, struct unwind_state *s)
{
	s64 offset = 8 * (s64)row->cfa, at = 8 * (s64)UNWIND_DEREF_WORDS(row->cfa);
	u64 cfa = 0;

	switch (row->rule & UNWIND_CFA) {
	case UNWIND_CFA_NONE:
		return s->bx + offset;
	case UNWIND_CFA_SP:
		return s->sp + offset;
	case UNWIND_CFA_FP:
		return s->fp + offset;
	case UNWIND_CFA_PLT:
		return s->sp + ((s->ip & 15) >= 11 ? 16 : 8);
	case UNWIND_CFA_DEREF_FP:
		user_read(s, &cfa, s->fp + at);
		return cfa + UNWIND_DEREF_ADDS(row->cfa);
	case UNWIND_CFA_DEREF_SP:
		user_read(s, &cfa, s->sp + at);
		return cfa + UNWIND_DEREF_ADDS(row->cfa);
	default:
		return 0;
	}
}

/* The return address and the caller's frame pointer; as a rule they lie side by side, and reading
 * user memory is what costs. */
static __always_inline bool row__read(const struct unwind_row *row, struct unwind_state *s, u64 cfa,
				      struct user_frame *f)
{
	u64 at = cfa + 8 * (s64)row->fp;

	switch (row->rule & (UNWIND_RA | UNWIND_FP)) {
	case UNWIND_RA_BELOW_CFA | UNWIND_FP_SAME:
		return user_read(s, &f->ret, cfa - 8);
	case UNWIND_RA_BELOW_CFA | UNWIND_FP_SAVED:
		if (row->fp == -2)
			return user_read_frame(s, f, at);
		return user_read(s, &f->next, at) && user_read(s, &f->ret, cfa - 8);
	case UNWIND_RA_BELOW_CFA | UNWIND_FP_AT_FP:
		return user_read(s, &f->ret, cfa - 8) &&
		       user_read(s, &f->next, s->fp + 8 * (s64)row->fp);
	case UNWIND_RA_ABOVE_FP | UNWIND_FP_SAVED:
		return user_read_frame(s, f, at);
#if defined(__TARGET_ARCH_arm64)
	case UNWIND_RA_ABOVE_FP | UNWIND_FP_AT_BASE:
		return user_read_frame(s, f, at - 8 * (s64)row->cfa);
#endif
	case UNWIND_RA_ABOVE_FP | UNWIND_FP_SAME:
		return user_read(s, &f->ret, at + 8);
	case UNWIND_RA_AT_FP | UNWIND_FP_SAME:
		return user_read(s, &f->ret, at);
	/* Whoever has called another has put it down. */
	case UNWIND_RA_LR | UNWIND_FP_SAVED:
		f->ret = s->lr;
		return s->exact && user_read(s, &f->next, at);
	case UNWIND_RA_LR | UNWIND_FP_SAME:
		f->ret = s->lr;
		return s->exact;
	default:
		return false;
	}
}

/* The caller's registers. */
static __always_inline int step_row(struct unwind_state *s, const struct unwind_row *row)
{
	struct user_frame f = {s->fp, 0};
	u64 cfa = row__cfa(row, s);

	if (!cfa)
		return UNWIND_BAD_STACK;
	/* A leaf on aarch64 may have no frame at all. */
	if (cfa <= s->sp && !((row->rule & UNWIND_RA) == UNWIND_RA_LR && cfa == s->sp) &&
	    !unwind_row__is_other_stack(row))
		return UNWIND_BAD_STACK;
	if (!row__read(row, s, cfa, &f))
		return UNWIND_BAD_STACK;
	return return_to(s, cfa, &f);
}

/* A table that does not describe the place: interpreters made by hand, node's among them, keep
 * frame pointers. */
static __always_inline int step_guess(struct unwind_state *s)
{
	int why;

	why = step_fp(s);
	s->guessed = 1;
	return why == UNWIND_FP_END ? UNWIND_NO_ROW : why;
}

static __always_inline struct unwind_place *place_of(u32 slot, u64 ip, u64 of)
{
	struct unwind_cache *c = bpf_map_lookup_elem(&unwind_caches, &slot);
	u64 h = (ip ^ (of << 40)) * 0x9fb21c651e98df25ULL;

	return c ? &c->v[(h >> 48) & (UNWIND_PLACES - 1)] : NULL;
}

/* What is done at an address where a row says nothing else. */
#define UNWIND_ROW_FP 0x80 /* in struct unwind_row.rule */

static __always_inline void keep_row(struct unwind_place *place, u64 ip, u64 of, u64 row)
{
	place->ip = ip;
	place->of = of;
	place->row = row;
}

static __always_inline u64 table_row(struct unwind_state *s, u32 slot, u32 pc)
{
	u64 of = s->at.table | PLACE_OF_TABLE, row;
	struct unwind_place *place = s->by_vma ? place_of(slot, pc, of) : NULL;

	if (place && place->ip == pc && place->of == of)
		return place->row;
	row = unwind__row(s->at.root, s->at.depth, pc);
	if (place)
		keep_row(place, pc, of, row);
	return row;
}

/* Looks the row up. */
static __always_inline int find_row(struct unwind_state *s, u32 slot, u64 ip, union unwind_entry *e)
{
	int why;

	if (ip - s->at.start >= s->at.end - s->at.start) {
		why = unwind__map(slot, ip);
		if (why)
			return why;
	}
	e->word = 0;
	if (s->at.how == UNWIND_BY_FP)
		e->row.rule = UNWIND_ROW_FP;
	else if (s->at.how == UNWIND_BY_TABLE)
		e->word = table_row(s, slot, ip - s->at.pc_base);
	else
		return UNWIND_NO_TABLE;
	return UNWIND_GOES_ON;
}

/* To the caller's frame, by the table of what is mapped there. */
static __always_inline int step_table(struct unwind_state *s, u32 slot)
{
	u64 ip = s->exact ? s->ip : s->ip - 1;
	struct unwind_place *place = place_of(slot, ip, s->maps);
	union unwind_entry e;
	int why;

	if (!place)
		return UNWIND_UNKNOWN;
	if (s->maps && place->ip == ip && place->of == s->maps) {
		e.word = place->row;
	} else {
		why = find_row(s, slot, ip, &e);
		if (why)
			return why;
		if (maps__identify(s, s->by_vma))
			keep_row(place, ip, s->maps, e.word);
	}
	s->guessed = s->by_fp = 0;
	if (e.row.rule & UNWIND_ROW_FP)
		return s->script == SCRIPT_RUBY || s->script == SCRIPT_PHP ? UNWIND_JIT : step_jit(s);
	if (!(e.row.rule & UNWIND_CFA) && (!e.row.cfa || s->steps))
		return step_guess(s);
	if (!sp_is_known(s) && row__needs_sp(&e.row))
		return step_fp(s);
	switch (e.row.rule & UNWIND_CFA) {
	case UNWIND_CFA_END:
		return UNWIND_WHOLE;
	case UNWIND_CFA_SIGNAL:
		return step_signal(s);
	default:
		return step_row(s, &e.row);
	}
}

/* Where there is no code there was no frame. The registers themselves are of the last program when
 * a task has just begun to run another. A thread begins where the call returns to that made it,
 * which in its maker has a caller; its own stack is empty. The registers tell, or that there is
 * nothing on it where an interrupt hides which call it was. */
static __always_inline int end_without_code(struct unwind_state *s)
{
	s->no_frame = 1;
	if (!s->steps)
		return UNWIND_GONE;
	if (s->steps == 1 && s->begins)
		return UNWIND_WHOLE;
	return s->guessed ? UNWIND_NO_ROW : UNWIND_BAD_STACK;
}

/* Of a function whose return somebody probes the kernel keeps the return address, and has put one of
 * its own there, where no code is known. */
struct return_instance {
	unsigned long stack, orig_ret_vaddr;
	struct return_instance *next;
} KERNEL_TYPE;
struct uprobe_task {
	struct return_instance *return_instances;
} KERNEL_TYPE;
struct xol_area {
	unsigned long vaddr;
} KERNEL_TYPE;
struct uprobes_state {
	struct xol_area *xol_area;
} KERNEL_TYPE;
struct mm_struct___uprobes {
	struct uprobes_state uprobes_state;
} KERNEL_TYPE;
struct task_struct___uprobes {
	struct uprobe_task *utask;
	struct mm_struct___uprobes *mm;
} KERNEL_TYPE;

#define PROBED_RETURNS 64 /* of a thread; the kernel keeps no more */
#if defined(__TARGET_ARCH_x86)
#define RETURN_WORD 8
#else
#define RETURN_WORD 0
#endif

/* The address that the kernel puts there; 0: no return of the task is probed. */
static __always_inline u64 probed_return_of(struct task_struct *task)
{
	struct task_struct___uprobes *of = (void *)task;
	struct return_instance *any = NULL;

	if (!bpf_core_field_exists(of->utask) || !bpf_core_field_exists(any->orig_ret_vaddr) ||
	    !BPF_CORE_READ(of, utask) || !BPF_CORE_READ(of, utask, return_instances))
		return 0;
	return BPF_CORE_READ(of, mm, uprobes_state.xol_area, vaddr);
}

/* Puts the real return address in the place of the kernel's; 0: it is none of those. */
__noinline u32 unwind__probed_return(u32 slot)
{
	struct unwind_state *s = unwind__state(slot);
	struct task_struct___uprobes *task = (void *)bpf_get_current_task();
	struct return_instance *at = NULL;

	if (!s)
		return 0;
	at = BPF_CORE_READ(task, utask, return_instances);
	for (u32 i = 0; i < PROBED_RETURNS && at; i++) {
		if (BPF_CORE_READ(at, stack) + RETURN_WORD == s->sp) {
			s->ip = BPF_CORE_READ(at, orig_ret_vaddr);
			s->noted = NOTES_NONE; /* the words on the stack do not tell the walk */
			return 1;
		}
		at = BPF_CORE_READ(at, next);
	}
	return 0;
}

/* To the caller's frame from the one at that place in the scratch. From where the table is not there on
 * frame pointers have to do. All that is in the state: branches in the loop below would cost the
 * verifier much. */
__noinline int unwind__step(u32 slot, u32 i)
{
	struct unwind_state *s = unwind__state(slot);
	int end;

	if (!s)
		return UNWIND_UNKNOWN;
	if (s->begins == BEGINS_HERE)
		return UNWIND_WHOLE;
	if (!s->tables)
		return step_fp(s);
	if (s->ip - s->cache < s->cache_size) {
		end = hotspot__step(slot, i);
		s->doubt |= end == UNWIND_BAD_STACK;
	} else {
		s->was_ip = s->ip;
		s->was_fp = s->fp;
		s->was_sp = s->sp;
		end = step_table(s, slot);
		if (!end && s->by_fp && s->script == SCRIPT_V8)
			v8__frame(slot, i);
	}
	if (!end && s->ip == s->probed)
		unwind__probed_return(slot);
	if (end == UNWIND_NO_CODE || (end == UNWIND_UNKNOWN && s->guessed)) {
		end = end_without_code(s);
	} else if (end == UNWIND_UNKNOWN || end == UNWIND_NO_TABLE) {
		s->why = end;
		s->missing = s->ip;
		if (s->tables == UNWIND_TABLES)
			end = step_fp(s);
		s->tables = UNWIND_NO_TABLES;
	}
	s->steps++;
	return end;
}

struct mm_struct___stack {
	unsigned long start_stack; /* the stack pointer at the program's first instruction */
} KERNEL_TYPE;
struct task_struct___stack {
	struct mm_struct___stack *mm;
} KERNEL_TYPE;

/* What a C library without tables (musl) puts between there and main. */
#define START_FRAMES 160

/* Whether a walk that tables brought to a place without a row is at a main thread's first function:
 * there is no room for another caller. */
static __always_inline bool is_at_start(const struct unwind_state *s)
{
	struct task_struct___stack *task = (void *)bpf_get_current_task();

	return s->steps > 1 && BPF_CORE_READ(task, mm, start_stack) - s->sp < START_FRAMES;
}

/* How it ended, and what would have helped. */
__noinline int unwind__ended(u32 slot, u32 end)
{
	struct unwind_state *s = unwind__state(slot);
	u32 zero = 0, why;
	struct unwind_stats *st = bpf_map_lookup_elem(&unwind_stats, &zero);

	if (!s || !st)
		return 0;
	why = s->why ? s->why : end;
	if (s->why)
		unwind__ask(s, s->missing, s->by_vma);
	else if (s->any_vma)
		unwind__ask_later(s);
	if (why == UNWIND_NO_ROW && is_at_start(s))
		why = UNWIND_WHOLE;
	else if (why == UNWIND_WHOLE && s->by_fp)
		why = UNWIND_FP_ZERO;
	s->whole = why == UNWIND_WHOLE;
	if (why < UNWIND_ENDS)
		st->ends[why]++;
	st->listed += s->any_vma;
	st->scripts_doubt += s->doubt;
	return 0;
}

/* --- what JITs made in the place of the evaluation function --- */

/* YJIT keeps three registers when it begins, at times a word or two more, and leaves the frame pointer alone. What
 * calls it is the interpreter's code. */
#define YJIT_SAVED 3
#define YJIT_MORE  3

static __always_inline int step_yjit(struct unwind_state *s, const struct script_runtime *rt)
{
	struct user_frame f = {s->fp, 0};

	for (u32 i = YJIT_SAVED; i < YJIT_SAVED + YJIT_MORE; i++) {
		if (!user_read(s, &f.ret, s->sp + i * sizeof(u64)))
			break;
		if (f.ret - rt->text < rt->text_end - rt->text)
			return return_to(s, s->sp + (i + 1) * sizeof(u64), &f);
	}
	return step_jit(s);
}

/* Makes the step from the ith frame, of such code. PHP's runs in the frame of the evaluation function, which jumps to
 * it and which all but the ends of are of one row: UNWIND_JIT, to step as if it were there. */
__noinline int unwind__jit(u32 slot, u32 i)
{
	struct unwind_sps *sps = bpf_map_lookup_elem(&unwind_sps, &slot);
	struct unwind_state *s = unwind__state(slot);
	union runtime *rt;

	if (!s || !sps)
		return UNWIND_UNKNOWN;
	sps->v[i & 255] |= SP_OF_JIT;
	rt = runtime__of(s);
	if (!rt)
		return step_jit(s);
	if (s->script == SCRIPT_RUBY)
		return step_yjit(s, &rt->ruby);
	s->ip = rt->php.eval + (rt->php.eval_end - rt->php.eval) / 2;
	return UNWIND_JIT;
}

/* Puts frames into the scratch, from the nth to the one before `until` unless the walk ends
 * earlier: s->end. Returns how many there are by then. */
__noinline u32 unwind__some(u32 slot, u32 at, u32 n, u32 until)
{
	struct stack_record *to = bpf_map_lookup_elem(&stack_scratch, &slot);
	struct unwind_state *s = unwind__state(slot);
	struct unwind_sps *sps = bpf_map_lookup_elem(&unwind_sps, &slot);
	u32 end = UNWIND_GOES_ON;

	if (!to || !s || !sps)
		return 0;
	for (; n < STACK_DEPTH && n < until; n++) {
		u32 i = at + n;

		barrier_var(i); /* the verifier has to see that it is the index that is bounded */
		if (i >= 2 * STACK_DEPTH)
			break;
		to->ips[i] = s->ip;
		sps->v[i] = s->sp;
		end = unwind__step(slot, i);
		if (end == UNWIND_JIT)
			end = unwind__jit(slot, i);
		if (end == UNWIND_JIT)
			end = unwind__step(slot, i);
		if (end)
			break;
	}
	s->end = end;
	return n + (end && !s->no_frame);
}

/* Frames at which a walk is compared with earlier ones: 1, 4, 16 and 64; and the innermost one
 * where code is not met at random. */
#define UNWIND_STAGES 4

/* Puts the frames into the scratch from `at` on and returns how many there are. */
__noinline u32 unwind__frames(u32 slot, u32 at)
{
	struct unwind_state *s = unwind__state(slot);
	u32 n = 0, known = 0;

	if (!s)
		return 0;
	s->end = s->gone ? UNWIND_GONE : UNWIND_GOES_ON;
	if (s->still && !s->end)
		known = memo__recall(slot, at);
	for (u32 i = 0; i < UNWIND_STAGES && !s->end && !known; i++) {
		n = unwind__some(slot, at, n, 1 << 2 * i);
		if (!s->end)
			known = memo__recall(slot, at + n);
	}
	if (!s->end && !known)
		n = unwind__some(slot, at, n, STACK_DEPTH);
	unwind__ended(slot, known ? UNWIND_WHOLE : s->end ? s->end : UNWIND_CUT);
	if (s->noted != NOTES_NONE)
		memo__keep(slot, at, n + known);
	n += known;
	return script_is_interpreted(s->script) ? script__frames(slot, at, n) : runtime__end(slot, at, n);
}

/* Of a process that user space has not told of: most are over before it could. */
static __always_inline u64 maps_version(const struct unwind_state *s, struct task_struct *task)
{
	u64 h = hash_step(s->tgid | (s->exec_id << 32), BPF_CORE_READ(task, group_leader, start_time));
	u32 version;

	return mm__version(current_mm(), &version) ? hash_finish(hash_step(h, version)) | 1ULL << 63 : 0;
}

/* Of the current task. One that was forked and has not been told of yet has its parent's mappings. Pointers are
 * read as numbers, and once: for each that is loaded from a task's type verifiers look through all types of the
 * kernel, on each path that comes there, which took as long as all the rest of them. */
__noinline int unwind__find_process(u32 slot)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct unwind_state *s = unwind__state(slot);
	struct unwind_process *p;

	if (!s)
		return 0;
	s->gone = !current_mm();
	p = process_of(s, s->tgid);
	s->parts_of = s->tgid;
	if (!p && (BPF_CORE_READ(task, flags) & PF_FORKNOEXEC)) {
		s->parts_of = BPF_CORE_READ(task, real_parent, tgid);
		p = process_of(s, s->parts_of);
	}
	s->maps_id = p ? p->maps_id : 0;
	s->maps = p ? p->maps_id : maps_version(s, task);
	s->script = p && s->parts_of == s->tgid ? p->script : 0;
	return 0;
}

#define BEGINS_NS 1000000

#if defined(__TARGET_ARCH_x86)
#define CALL_CLONE 56
#else
#define CALL_CLONE 220
#endif
#define CALL_CLONE3 435

/* The call that made a thread returns 0 to it. */
static __always_inline u32 may_begin(struct task_struct *task, REGS_TYPE *regs)
{
	u32 call = REGS_SYSCALL(regs);

	if (task->pid == task->tgid || REGS_RETURN(regs) || task->se.sum_exec_runtime >= BEGINS_NS)
		return BEGINS_NOT;
	return call == CALL_CLONE || call == CALL_CLONE3 ? BEGINS_HERE : BEGINS_PERHAPS;
}

/* Begins a walk of the current task's user stack, which it must have. */
static __noinline bool unwind__begin(struct task_struct *task, REGS_TYPE *regs, u32 slot,
					  u64 now)
{
	struct unwind_state *s = unwind__state(slot);

	if (!s)
		return false;
	s->ip = REGS_IP(regs);
	s->sp = REGS_SP(regs);
	s->fp = REGS_FP(regs);
	s->lr = REGS_LR(regs);
	s->bx = REGS_BX(regs);
	s->bcp = REGS_BCP(regs);
	s->exact = 1;
	s->guessed = s->by_fp = s->whole = 0;
	s->at.start = s->at.end = 0;
	s->by_vma = s->any_vma = s->nwheres = 0;
	for (u32 i = 0; i < UNWIND_WHERES; i++)
		s->wheres[i].start = s->wheres[i].end = 0;
	s->slot = slot;
	window__close(s);
	s->probed = probed_return_of(task) ?: ~0ULL;
	s->tables = unwind_by_tables;
	s->begins = may_begin(task, regs);
	s->steps = s->no_frame = s->still = s->why = 0;
	s->tgid = task->tgid;
	s->exec_id = task->self_exec_id;
	s->now = now;
	s->cache_size = s->check = s->words_put = s->doubt = 0;
	unwind__find_process(slot);
	if (s->script == SCRIPT_HOTSPOT)
		hotspot__begin(slot);
	else if (s->script == SCRIPT_V8)
		v8__begin(slot);
	return true;
}

#endif
