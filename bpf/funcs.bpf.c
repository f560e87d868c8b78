// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of programs: a span from a call to its return, by thread and function. The calls that a
 * thread is in are kept with it, innermost last, and are distinguished by where they have their
 * return address. What is deeper on the stack than a call that begins or ends is over: it was left
 * by longjmp or an exception, and is counted as such.
 */
#include "bpf/funcs.h"
#define MEASURE_MOMENT MOMENT_USER
#include "bpf/measure.bpf.h"
#include "bpf/measure_names.bpf.h"
#include "bpf/parts.bpf.h"
#include "bpf/probe_scratch.bpf.h"
#include "bpf/question_frame.bpf.h"

char LICENSE[] SEC("license") = "GPL";

const volatile u32 splits = 0; /* the scheduler's programs are attached */
volatile u32 does = 0;	       /* FUNCS_x */
const volatile struct funcs_unit units[FUNCS_UNITS];
const volatile u32 nunits = 0; /* of functions whose arguments are asked for */

/* A call that has begun. */
struct call {
	u64 begin_ns;
	u64 sp;			  /* where its return address is */
	struct parts_ns at_begin; /* of the thread */
	u64 args[FUNCS_ARGS];
	u32 function;
	u32 pad;
};

struct calls {
	u32 n;
	u32 exec_id;
	struct parts parts; /* while it had calls */
	struct call v[FUNCS_DEPTH];
};

TASK_MAP(calls, struct calls);

/* --- where --- */

#if defined(__TARGET_ARCH_x86)
#define RETURN_SIZE 8 /* popped by the return */

static __always_inline u64 regs__sp(void *ctx)
{
	return PT_REGS_SP((struct pt_regs *)ctx);
}

/* Where the innermost call returns to. */
static __always_inline u64 return_address(void *ctx, u64 sp)
{
	u64 at = 0;

	bpf_probe_read_user(&at, sizeof(at), (void *)sp);
	return at;
}
#else
#define RETURN_SIZE 0

static __always_inline u64 regs__sp(void *ctx)
{
	return PT_REGS_SP((struct pt_regs *)ctx);
}

static __always_inline u64 return_address(void *ctx, u64 sp)
{
	return PT_REGS_RET((struct pt_regs *)ctx);
}
#endif

/* Whether a call that begins where another one has its return address is its tail call: then the
 * kernel has put an address of its own there. */
static __always_inline bool is_tail_call(struct task_struct *task, void *ctx, u64 sp)
{
	u64 own = probed_return_of(task);

	return own && return_address(ctx, sp) == own;
}

/* --- goroutines --- */

struct goroutine {
	u64 g;
	u32 tgid, exec_id;
};

/* Those that have calls. */
SPARSE_HASH_MAP(goroutines, FUNCS_GOROUTINES, struct goroutine, struct calls);

#if defined(__TARGET_ARCH_x86)
#define REGS_G(ctx) (((struct pt_regs *)(ctx))->r14)
#else
#define REGS_G(ctx) (((struct user_pt_regs *)(ctx))->regs[28])
#endif

/* Places on a stack that is moved when it grows keep how far they are from its end. */
#define GO_STACK_END (1ULL << 48)

/* Which goroutine runs, and where it is on its stack; false: none does (the function is C's, or the like), or it is
 * Go before 1.17. */
static __always_inline bool goroutine__of(void *ctx, struct task_struct *task, struct goroutine *key, u64 *sp)
{
	struct {
		u64 lo, hi;
	} stack = {};

	key->g = REGS_G(ctx);
	key->tgid = task->tgid;
	key->exec_id = task->self_exec_id;
	bpf_probe_read_user(&stack, sizeof(stack), (void *)key->g); /* its first member */
	if (*sp < stack.lo || *sp > stack.hi)
		return false;
	*sp = GO_STACK_END - (stack.hi - *sp);
	return true;
}

/* The calls of the goroutine that runs, in the place of its thread's. */
static __always_inline struct calls *goroutine__calls(const struct goroutine *key, bool begins)
{
	static const struct calls none;
	struct calls *c = bpf_map_lookup_elem(&goroutines, key);

	if (c || !begins)
		return c;
	if (bpf_map_update_elem(&goroutines, key, &none, BPF_NOEXIST))
		return NULL;
	c = bpf_map_lookup_elem(&goroutines, key);
	if (c)
		c->exec_id = key->exec_id;
	return c;
}

/* --- calls --- */

static __always_inline void calls__leave(struct calls *c, struct measure_stats *st)
{
	st->notes[FUNCS_NOTE_LEFT] += c->n;
	c->n = 0;
}

static __always_inline struct calls *calls__get(struct task_struct *task, bool begins,
						struct measure_stats *st)
{
	struct calls *c;

	c = bpf_task_storage_get(&calls, task, 0, begins ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
	if (c && c->exec_id != task->self_exec_id) {
		calls__leave(c, st);
		c->exec_id = task->self_exec_id;
	}
	return c;
}

/* Drops what is deeper than `sp`, which is over. Global, as call__end: however many are dropped, what follows is one
 * path to the verifier. */
__noinline int calls__drop(struct calls *c, u64 sp)
{
	struct measure_stats *st = stats__get();

	for (u32 i = 0; c && st && i < FUNCS_DEPTH; i++) {
		u32 n = c->n;

		if (!n || n > FUNCS_DEPTH || c->v[(n - 1) & (FUNCS_DEPTH - 1)].sp >= sp)
			break;
		c->n = n - 1;
		st->notes[FUNCS_NOTE_LEFT]++;
	}
	return 0;
}

static __always_inline struct call *calls__last(struct calls *c)
{
	u32 n = c->n;

	return n && n <= FUNCS_DEPTH ? &c->v[(n - 1) & (FUNCS_DEPTH - 1)] : NULL;
}

/* NULL: it is too deep. When it began is the caller's to say. */
static __always_inline struct call *call__begin(void *ctx, struct task_struct *task,
						struct calls *c, u64 sp, u32 function,
						struct measure_stats *st)
{
	struct call *last, *new;

	calls__drop(c, sp);
	last = calls__last(c);
	if (last && last->sp == sp && !is_tail_call(task, ctx, regs__sp(ctx)))
		calls__drop(c, sp + 1);
	if (c->n >= FUNCS_DEPTH) {
		st->notes[FUNCS_NOTE_DEEP]++;
		return NULL;
	}
	new = &c->v[c->n & (FUNCS_DEPTH - 1)];
	new->sp = sp;
	if (splits)
		new->at_begin = c->parts.ns;
	new->function = function;
	__builtin_memset(new->args, 0, sizeof(new->args));
	c->n++;
	return new;
}

/* How many calls there were with it; 0: it was not seen. The others that end where it does have been left by it. */
__noinline u32 call__end(struct calls *c, u64 sp, u32 function)
{
	struct measure_stats *st = stats__get();
	struct call *last;

	if (!c || !st)
		return 0;
	calls__drop(c, sp);
	for (u32 i = 0; i < FUNCS_DEPTH; i++) {
		last = calls__last(c);
		if (!last || last->sp != sp)
			return 0;
		c->n--;
		if (last->function == function)
			return c->n + 1;
		st->notes[FUNCS_NOTE_LEFT]++;
	}
	return 0;
}

/* --- arguments --- */

static __always_inline u64 unit__label(struct question_frame *f, u32 key, u32 text, u32 word)
{
	if (text < QUESTION_TEXTS)
		return text__label(&f->texts[text], word, 0);
	return f->keys[key];
}

/* Those that are known where a call begins, or where it ends. */
static __noinline int call__evaluate(void *ctx, struct call *call, u32 unit, u32 when)
{
	struct measure_stats *st = stats__get();
	struct frame_of_run *f = frame__take();

	if (!f || !st || unit >= FUNCS_UNITS) {
		if (st)
			st->notes[FUNCS_NOTE_ARGS]++;
		return 0;
	}
	f->frame.unit = unit;
	f->frame.faults = 0;
	question__eval(ctx, &f->frame);
	if (call->function != FUNCS_OWN)
		st->notes[FUNCS_NOTE_ARGS] += f->frame.faults;
	for (u32 i = 0; i < FUNCS_ARGS; i++) {
		u32 key = units[unit].key[when & 1][i];

		if (key < QUESTION_KEYS)
			call->args[i] = unit__label(&f->frame, key, units[unit].text[when & 1][i],
						    FUNCS_LABEL_ARG + i);
	}
	frame__release(f);
	return 0;
}

static __always_inline u32 unit_of(u64 cookie)
{
	return cookie >> FUNCS_UNIT_SHIFT;
}

/* --- rates --- */

/* Calls by process, before anything is timed. */
HASH_MAP(rates, FUNCS_PROCESSES, u32, u64);

static __always_inline void rate__count(struct task_struct *task, struct measure_stats *st)
{
	u32 key = task->tgid;
	u64 *n = bpf_map_lookup_elem(&rates, &key), zero = 0;

	if (!n) {
		bpf_map_update_elem(&rates, &key, &zero, BPF_NOEXIST);
		n = bpf_map_lookup_elem(&rates, &key);
	}
	if (n)
		__sync_fetch_and_add(n, 1);
}

/* --- counting --- */

static __noinline int call__report(struct measure_span *s, u64 stack, const struct parts *p)
{
	struct measure_slow *r = slow__begin(s, stack);
	struct measure_stats *st = stats__get();

	if (!r || !st)
		return 0;
	__builtin_memset(r->args, 0, sizeof(r->args));
	if (splits)
		parts__copy(r->args, p);
	slow__send(r, st);
	return 0;
}

static __always_inline void call__count(void *ctx, struct task_struct *task, struct measure_task *t,
					struct calls *c, const struct call *call, u64 now,
					struct measure_stats *st)
{
	u64 labels[MEASURE_LABELS] = {call->function, call->args[0], call->args[1], call->args[2]};
	u64 stack;
	struct measure_span s = {.task = task,
				 .of = t,
				 .begin_ns = call->begin_ns,
				 .now = now,
				 .labels = labels};
	struct measure_cell *cell = NULL;
	u32 *taken = scratch__take(), counted;

	if (splits)
		parts__end(&c->parts, &call->at_begin, now - call->begin_ns);
	if (!taken)
		st->notes[FUNCS_NOTE_BUSY]++;
	s.stack = taken ? STACK_USER : 0;
	counted = measure__end(ctx, &s, st, &stack, &cell);
	if (counted && cell && splits)
		parts__add(cell->sums, &c->parts);
	if (!taken)
		return;
	if (counted & MEASURE_IS_SLOW)
		call__report(&s, stack, &c->parts);
	scratch__give(taken);
}

/* --- programs --- */

/* Sections of our own: sources/funcs_args.c puts code into them. */
SEC("funcs_begin")
int funcs_enter(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct measure_stats *st = stats__get();
	u64 cookie = bpf_get_attach_cookie(ctx);
	u32 function = cookie, now_does = does;
	struct goroutine go;
	struct measure_task *t;
	struct calls *c;
	struct call *call;
	u64 began, sp = regs__sp(ctx);

	if (!st || !now_does)
		return 0;
	began = run__begin_rarely(st);
	t = measure__task(task, st);
	if (!t && function != FUNCS_OWN)
		return 0;
	if (now_does == FUNCS_COUNT) {
		rate__count(task, st);
		return 0;
	}
	if (cookie & FUNCS_OF_GO && goroutine__of(ctx, task, &go, &sp))
		c = goroutine__calls(&go, true);
	else
		c = calls__get(task, true, st);
	call = c ? call__begin(ctx, task, c, sp, function, st) : NULL;
	if (!c)
		st->tasks_full++;
	if (call && nunits && unit_of(cookie))
		call__evaluate(ctx, call, unit_of(cookie) - 1, FUNCS_BEGINS);
	if (call)
		call->begin_ns = bpf_ktime_get_ns();
	run__end(st, began);
	return 0;
}

SEC("funcs_end")
int funcs_return(void *ctx)
{
	u64 now = bpf_ktime_get_ns(), cookie = bpf_get_attach_cookie(ctx), sp = regs__sp(ctx);
	struct task_struct *task = bpf_get_current_task_btf();
	struct measure_stats *st = stats__get();
	struct goroutine go;
	struct measure_task *t;
	bool of_go;
	struct calls *c;
	struct call *call;
	u32 n;

	if (!st)
		return 0;
	st->runs++;
	of_go = cookie & FUNCS_OF_GO && goroutine__of(ctx, task, &go, &sp);
	c = of_go ? goroutine__calls(&go, false) : calls__get(task, false, st);
	if (!c || !c->n)
		return 0;
	t = measure__task(task, st);
	if (!t && (u32)cookie != FUNCS_OWN) {
		c->n = 0;
		return 0;
	}
	n = call__end(c, cookie & FUNCS_AT_RETURN ? sp : sp - RETURN_SIZE, (u32)cookie);
	call = &c->v[(n - 1) & (FUNCS_DEPTH - 1)];
	if (n && t && (u32)cookie != FUNCS_OWN) {
		if (nunits && unit_of(cookie))
			call__evaluate(ctx, call, unit_of(cookie) - 1, FUNCS_ENDS);
		call__count(ctx, task, t, c, call, now, st);
	}
	if (of_go && !c->n)
		bpf_map_delete_elem(&goroutines, &go);
	run__end(st, now);
	return 0;
}

/* --- upkeep --- */

SEC("tp_btf/sched_process_exit")
int funcs_gone(u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct measure_stats *st = stats__get();
	struct calls *c = bpf_task_storage_get(&calls, task, 0, 0);

	if (st && c)
		calls__leave(c, st);
	return 0;
}

SEC("tp_btf/sched_switch")
int funcs_switch(u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	struct calls *c;

	c = bpf_task_storage_get(&calls, prev, 0, 0);
	if (c && c->n)
		parts__leave(&c->parts, prev, ctx[0]);
	c = bpf_task_storage_get(&calls, next, 0, 0);
	if (c)
		parts__arrive(&c->parts);
	return 0;
}

SEC("tp_btf/sched_wakeup")
int funcs_wakeup(u64 *ctx)
{
	struct calls *c = bpf_task_storage_get(&calls, (void *)ctx[0], 0, 0);

	if (c)
		parts__wake(&c->parts);
	return 0;
}

/* A call is over when the thread has entered the kernel from farther up its stack since, though
 * nothing of ours has seen it. */
static __always_inline bool call__goes_on(struct task_struct *task, const struct call *call)
{
	return !has_user_part(task) || REGS_SP((REGS_TYPE *)bpf_task_pt_regs(task)) <= call->sp;
}

SEC("iter/task")
int measure_visit(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct measure_stats *st = stats__get();
	struct measure_open open = {};
	struct measure_task *t;
	struct calls *c;
	u64 now = bpf_ktime_get_ns();

	if (!task || !st || task->exit_state)
		return 0;
	t = bpf_task_storage_get(&tasks, task, 0, 0);
	if (t && look_again)
		t->scope = 0;
	c = bpf_task_storage_get(&calls, task, 0, 0);
	if (!c || !c->n || c->exec_id != task->self_exec_id || !t || !task__watched(t, task))
		return 0;
	who__fill(&open.who, task);
	for (u32 i = 0; i < FUNCS_DEPTH && i < c->n; i++) {
		struct call *call = &c->v[i];

		if (now - call->begin_ns < min_ns || !call__goes_on(task, call))
			continue;
		open.begin_ns = call->begin_ns;
		open.labels[FUNCS_LABEL_FUNCTION] = call->function;
		for (u32 k = 0; k < FUNCS_ARGS; k++)
			open.labels[FUNCS_LABEL_ARG + k] = call->args[k];
		bpf_seq_write(ctx->meta->seq, &open, sizeof(open));
	}
	return 0;
}
