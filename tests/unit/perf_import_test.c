// SPDX-License-Identifier: GPL-2.0-only
/* Files of other programs: what perf.data and folded stacks say is what a replay has; what is cut
 * off, damaged or of another machine is left out or refused with a reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include <sys/mman.h>
#include <unistd.h>

#include "models/stacks.h"
#include "recording/import.h"
#include "recording/perf_order.h"
#include "recording/reader.h"
#include "symbols/unwind_walk.h"
#include "tests/lib/perf_builder.h"

#define FIELDS                                                                                     \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)
#define T0   (100 * NSEC_PER_SEC)
#define TEXT 0x400000ull /* where something is mapped that is not there */

static struct symbols *symbols;

/* --- files in memory --- */

static const char *event = "";

static struct reader *open_file(const struct bytes *file, struct status *st)
{
	int fd = memfd_create("import", MFD_CLOEXEC);
	struct reader *r;
	char path[32];

	assert_int_equal(write(fd, file->v, file->n), file->n);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	*st = (struct status){0};
	r = import__open(path, symbols, event, st);
	close(fd);
	return r;
}

static struct reader *open_text(const char *text, struct status *st)
{
	struct bytes file = {0};
	struct reader *r;

	bytes__put(&file, text, strlen(text));
	r = open_file(&file, st);
	bytes__free(&file);
	return r;
}

/* The maker is used up. */
static struct reader *open_made(struct perf_builder *m, struct status *st)
{
	struct bytes file;
	struct reader *r;

	perf_builder__finish(m, "x86_64", &file);
	r = open_file(&file, st);
	bytes__free(&file);
	return r;
}

/* --- what was read --- */

struct line {
	char comm[COMM_LEN], stack[256]; /* names, leaf first */
	u32 tgid, tid, cpu, nkernel;
	u64 count, weight;
};

struct seen {
	struct reader *reader;
	struct line v[16];
	u32 n;
};

static void describe(struct reader *r, u32 stack, struct line *l)
{
	u64 ips[STACKS_MAX_FRAMES];
	struct stack_def def;
	size_t n = 0;

	names_in__stack(reader__names(r), stack, ips, &def);
	l->nkernel = def.nkernel;
	for (u32 i = 0; i < (u32)def.nkernel + def.nuser && n < sizeof(l->stack); i++) {
		u32 func = symbols__func_of(symbols, (u32)ips[i]);

		n += (size_t)snprintf(l->stack + n, sizeof(l->stack) - n, "%s%s", n ? " " : "",
				      symbols__func(symbols, func)->name);
	}
}

static void see(void *ctx, const struct codec *c, const struct sample_codec *type,
		const union any_sample *s)
{
	struct seen *seen = ctx;
	struct line *l;

	assert_int_equal(type->type, SAMPLE_STACK);
	if (seen->n == ARRAY_SIZE(seen->v))
		return;
	l = &seen->v[seen->n++];
	*l = (struct line){.tgid = s->stack.tgid,
			   .tid = s->stack.tid,
			   .cpu = s->stack.cpu,
			   .count = s->stack.count,
			   .weight = s->stack.weight};
	memcpy(l->comm, s->stack.comm, sizeof(l->comm));
	if (c->nstacks)
		describe(seen->reader, c->stacks[0], l);
}

/* The samples of the next interval. */
static bool next(struct reader *r, struct seen *seen, struct record_interval *iv)
{
	*seen = (struct seen){.reader = r};
	if (!reader__next(r, iv))
		return false;
	reader__samples(r, MODEL_PROFILE, see, seen);
	return true;
}

/* --- perf.data --- */

static void begin(struct perf_builder *m)
{
	perf_builder__begin(m, FIELDS);
	perf_builder__comm(m, 10, 10, "prog", T0);
	perf_builder__mmap(m, 10, TEXT, 0x10000, 0x1000, "/nonexistent/prog", T0);
}

static void test_samples(void **state)
{
	struct record_interval iv;
	struct perf_builder m;
	struct status st;
	struct seen seen;
	struct reader *r;

	begin(&m);
	perf_builder__comm(&m, 10, 11, "worker", T0 + 1);
	perf_builder__sample(&m, 10, 11, TEXT + 0x20, T0 + 10, 1000, (u64[]){TEXT + 0x31}, 1);
	perf_builder__sample(&m, 10, 11, TEXT + 0x20, T0 + 20, 500, (u64[]){TEXT + 0x31}, 1);
	perf_builder__sample(&m, 10, 12, TEXT + 0x28, T0 + NSEC_PER_SEC + 20, 7, NULL, 0);
	r = open_made(&m, &st);
	assert_non_null(r);
	assert_true(next(r, &seen, &iv));
	assert_int_equal(iv.v[MODEL_PROFILE].t0_ns, T0 + 10);
	assert_int_equal(iv.t1_ns, T0 + 10 + NSEC_PER_SEC);
	assert_int_equal(iv.v[MODEL_PROFILE].health.samples, 2);
	assert_string_equal(iv.v[MODEL_PROFILE].health.event, "cpu-clock");
	assert_int_equal(iv.v[MODEL_PROFILE].health.freq, 99);
	assert_int_equal(seen.n, 1);
	assert_int_equal(seen.v[0].count, 2);
	assert_int_equal(seen.v[0].weight, 1500);
	assert_int_equal(seen.v[0].tgid, 10);
	assert_int_equal(seen.v[0].tid, 11);
	assert_int_equal(seen.v[0].cpu, 1);
	assert_string_equal(seen.v[0].comm, "worker");
	/* A caller's address is that behind the call. */
	assert_string_equal(seen.v[0].stack, "[prog] [prog]");
	assert_true(next(r, &seen, &iv));
	assert_int_equal(seen.n, 1);
	assert_int_equal(seen.v[0].weight, 7);
	assert_string_equal(seen.v[0].comm, "prog"); /* a thread without a name */
	assert_int_equal(iv.v[MODEL_PROFILE].health.samples_total, 3);
	assert_false(next(r, &seen, &iv));
	reader__free(r);
}

/* --- what the CPU noted --- */

/* Mappings that lie side by side, so that each address tells in which of them it is. */
static void map_parts(struct perf_builder *m)
{
	static const char *const names[] = {"/nonexistent/a", "/nonexistent/b", "/nonexistent/c"};

	perf_builder__comm(m, 10, 10, "prog", T0);
	for (u32 i = 0; i < ARRAY_SIZE(names); i++)
		perf_builder__mmap(m, 10, TEXT + i * 0x1000ull, 0x1000, 0, names[i], T0);
}

#define A TEXT
#define B (TEXT + 0x1000)
#define C (TEXT + 0x2000)
#define KERNEL 0xffffffff81000000ull

/* A sample in `ip` whose calls were noted: n pairs of from and to, the newest first. */
static void put_branches(struct perf_builder *m, u64 ip, const u64 *calls, u32 n)
{
	perf_builder__sample_head(m, 10, 10, ip, T0 + 10, 1);
	perf_builder__u64(m, 0); /* no chain: of user code the kernel leaves it to the CPU */
	perf_builder__u64(m, n);
	if (m->attr.branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		perf_builder__u64(m, 3);
	for (u32 i = 0; i < n; i++) {
		perf_builder__u64(m, calls[2 * i]);
		perf_builder__u64(m, calls[2 * i + 1]);
		perf_builder__u64(m, 0);
	}
	perf_builder__close(m);
}

static void stack_of_branches(u64 branch_type, u32 n, char *stack, size_t size)
{
	/* c is called by the first instruction of b, which is called by the last of a. */
	static const u64 calls[] = {B, C, B - 5, B};
	struct record_interval iv;
	struct perf_builder m;
	struct status st;
	struct seen seen;
	struct reader *r;

	perf_builder__begin(&m, FIELDS | PERF_SAMPLE_BRANCH_STACK);
	m.attr.branch_sample_type = branch_type;
	map_parts(&m);
	put_branches(&m, C + 8, calls, n);
	r = open_made(&m, &st);
	assert_non_null(r);
	assert_true(next(r, &seen, &iv));
	assert_int_equal(seen.n, 1);
	copy_str(stack, size, seen.v[0].stack);
	reader__free(r);
}

static void test_noted_calls(void **state)
{
	const u64 type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK;
	char stack[256];

	stack_of_branches(type, 2, stack, sizeof(stack));
	assert_string_equal(stack, "[c] [b] [a]");
	stack_of_branches(type | PERF_SAMPLE_BRANCH_HW_INDEX, 2, stack, sizeof(stack));
	assert_string_equal(stack, "[c] [b] [a]");
	stack_of_branches(type, 0, stack, sizeof(stack));
	assert_string_equal(stack, "[c]");
	/* Branches of any kind are no calls. */
	stack_of_branches(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY, 2, stack, sizeof(stack));
	assert_string_equal(stack, "[c]");
}

/* --- accesses to memory --- */

#define ACCESS_FIELDS                                                                                                  \
	((FIELDS & ~(u64)PERF_SAMPLE_CALLCHAIN) | PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC)

static void put_access(struct perf_builder *m, u64 t_ns, u64 address, u32 latency, u64 source)
{
	perf_builder__open(m, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	perf_builder__u64(m, PERF_MAKER_ID);
	perf_builder__u64(m, A + 8);
	perf_builder__pair(m, 10, 11);
	perf_builder__u64(m, t_ns);
	perf_builder__u64(m, address);
	perf_builder__pair(m, 1, 0);
	perf_builder__u64(m, 1000);
	perf_builder__pair(m, latency, 7 | 3 << 16); /* what else weighs is no latency */
	perf_builder__u64(m, source);
	perf_builder__close(m);
}

struct access {
	char source[32], op[32], tlb[32], snoop[32], line[32];
	u64 count, sum, stack;
	u32 tgid, tid;
};

struct accesses {
	struct access v[16];
	u32 n, turns;
	char event[128];
};

static void see_access(void *ctx, const struct codec *c, const struct sample_codec *type, const union any_sample *s)
{
	struct accesses *seen = ctx;
	const struct measure_sample *x = &s->measure;
	struct access *a = &seen->v[seen->n];

	if (type->type == SAMPLE_ASK) {
		seen->turns++;
		assert_non_null(ask_form__measure(&s->ask.form));
		copy_str(seen->event, sizeof(seen->event), s->ask.form.event);
		return;
	}
	assert_int_equal(type->type, SAMPLE_MEASURE);
	assert_int_equal(x->nkeys, 5);
	assert_true(seen->n < ARRAY_SIZE(seen->v));
	copy_str(a->source, sizeof(a->source), x->keys[0].text);
	copy_str(a->op, sizeof(a->op), x->keys[1].text);
	copy_str(a->tlb, sizeof(a->tlb), x->keys[2].text);
	copy_str(a->snoop, sizeof(a->snoop), x->keys[3].text);
	copy_str(a->line, sizeof(a->line), x->keys[4].text);
	a->count = x->count;
	a->sum = x->sum;
	a->stack = x->sampled;
	a->tgid = x->who.tgid;
	a->tid = x->who.tid;
	seen->n++;
}

static void test_accesses(void **state)
{
	const u64 l1 = PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVL, L1) | PERF_MEM_S(TLB, HIT) |
		       PERF_MEM_S(TLB, L1) | PERF_MEM_S(TLB, L2) | PERF_MEM_S(SNOOP, NONE);
	const u64 ram = PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, MISS) | PERF_MEM_S(LVLNUM, RAM) |
			PERF_MEM_S(REMOTE, REMOTE) | PERF_MEM_S(TLB, WK) | PERF_MEM_S(TLB, MISS) |
			PERF_MEM_S(SNOOP, HITM);
	const u64 store = PERF_MEM_S(OP, STORE) | PERF_MEM_S(LOCK, LOCKED) | PERF_MEM_S(LVL, L3) |
			  PERF_MEM_S(LVLNUM, NA);
	struct accesses seen = {0};
	struct record_interval iv;
	struct perf_builder m;
	struct status st;
	struct reader *r;

	perf_builder__begin(&m, ACCESS_FIELDS);
	map_parts(&m);
	put_access(&m, T0 + 10, 0x7f0000001234, 4, l1);
	put_access(&m, T0 + 20, 0x7f0000001238, 350, ram);
	put_access(&m, T0 + NSEC_PER_SEC + 20, 0, 0, store);
	r = open_made(&m, &st);
	assert_non_null(r);
	assert_true(reader__next(r, &iv));
	assert_true(iv.models & MODEL_BIT(MODEL_EVENTS));
	assert_true(iv.models & MODEL_BIT(MODEL_PROFILE));
	reader__samples(r, MODEL_EVENTS, see_access, &seen);
	assert_int_equal(seen.turns, 1);
	assert_string_equal(seen.event, "cpu-clock");
	assert_int_equal(seen.n, 4); /* each as such, and by its stack */
	assert_string_equal(seen.v[0].source, "L1");
	assert_string_equal(seen.v[0].op, "load");
	assert_string_equal(seen.v[0].tlb, "L1 or L2");
	assert_string_equal(seen.v[0].snoop, "none");
	assert_string_equal(seen.v[0].line, "0x7f0000001200");
	assert_int_equal(seen.v[0].count, 1);
	assert_int_equal(seen.v[0].sum, 4);
	assert_int_equal(seen.v[0].tgid, 10);
	assert_int_equal(seen.v[0].tid, 11);
	assert_false(seen.v[0].stack);
	assert_true(seen.v[1].stack);
	assert_string_equal(seen.v[2].source, "remote RAM miss");
	assert_string_equal(seen.v[2].tlb, "page walk miss");
	assert_string_equal(seen.v[2].snoop, "modified");
	assert_string_equal(seen.v[2].line, "0x7f0000001200");
	assert_int_equal(seen.v[2].sum, 350);
	seen = (struct accesses){0};
	assert_true(reader__next(r, &iv));
	reader__samples(r, MODEL_EVENTS, see_access, &seen);
	assert_int_equal(seen.turns, 1); /* a replay may begin here */
	assert_int_equal(seen.n, 2);
	assert_string_equal(seen.v[0].source, "L3");
	assert_string_equal(seen.v[0].op, "locked store");
	assert_string_equal(seen.v[0].tlb, "unknown");
	assert_string_equal(seen.v[0].line, "unknown");
	assert_false(reader__next(r, &iv));
	reader__free(r);
}

/* --- branches --- */

struct branch {
	char kind[32], guess[32], stack[256];
	u64 count, cycles;
};

struct branches {
	struct reader *reader;
	struct branch v[16]; /* by stack */
	u32 n, all;
};

static void see_branch(void *ctx, const struct codec *c, const struct sample_codec *type, const union any_sample *s)
{
	struct branches *seen = ctx;
	struct branch *b = &seen->v[seen->n];
	struct line l = {0};

	if (type->type == SAMPLE_ASK)
		return;
	assert_int_equal(type->type, SAMPLE_MEASURE);
	assert_int_equal(s->measure.nkeys, 2);
	seen->all += !s->measure.sampled;
	if (!s->measure.sampled)
		return;
	assert_true(seen->n < ARRAY_SIZE(seen->v));
	describe(seen->reader, c->stacks[0], &l);
	copy_str(b->stack, sizeof(b->stack), l.stack);
	copy_str(b->kind, sizeof(b->kind), s->measure.keys[0].text);
	copy_str(b->guess, sizeof(b->guess), s->measure.keys[1].text);
	b->count = s->measure.count;
	b->cycles = s->measure.sum;
	seen->n++;
}

static void is_branch(const struct branch *b, const char *stack, const char *kind, const char *guess, u64 cycles)
{
	assert_string_equal(b->stack, stack);
	assert_string_equal(b->kind, kind);
	assert_string_equal(b->guess, guess);
	assert_int_equal(b->count, 1);
	assert_int_equal(b->cycles, cycles);
}

static void put_branch(struct perf_builder *m, u64 from, u64 to, struct perf_branch_entry flags)
{
	flags.from = from;
	flags.to = to;
	for (u32 i = 0; i < sizeof(flags) / sizeof(u64); i++)
		perf_builder__u64(m, get_u64((const u8 *)&flags + i * sizeof(u64)));
}

/* From where to where, of which kind, guessed how, how many cycles since the one before. */
static void test_branches(void **state)
{
	struct branches seen = {0};
	struct record_interval iv;
	struct perf_builder m;
	struct status st;

	perf_builder__begin(&m, (FIELDS & ~(u64)PERF_SAMPLE_CALLCHAIN) | PERF_SAMPLE_BRANCH_STACK);
	m.attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_TYPE_SAVE;
	map_parts(&m);
	perf_builder__sample_head(&m, 10, 10, C + 8, T0 + 10, 1);
	perf_builder__u64(&m, 4);
	put_branch(&m, B, C, (struct perf_branch_entry){.predicted = 1, .cycles = 12, .type = PERF_BR_CALL});
	put_branch(&m, A + 4, A + 64, (struct perf_branch_entry){.mispred = 1, .cycles = 40, .type = PERF_BR_COND});
	put_branch(&m, B - 1, KERNEL + 16, (struct perf_branch_entry){.type = PERF_BR_SYSCALL});
	put_branch(&m, KERNEL + 32, B, (struct perf_branch_entry){.type = PERF_BR_SYSRET});
	perf_builder__close(&m);
	seen.reader = open_made(&m, &st);
	assert_non_null(seen.reader);
	assert_true(reader__next(seen.reader, &iv));
	reader__samples(seen.reader, MODEL_EVENTS, see_branch, &seen);
	assert_int_equal(seen.all, 4);
	assert_int_equal(seen.n, 4);
	is_branch(&seen.v[0], "[c] [b]", "call", "right", 12);
	is_branch(&seen.v[1], "[a] [a]", "conditional", "wrong", 40);
	is_branch(&seen.v[2], "[kernel]+0xffffffff81000010 [a]", "system call", "unknown", 0);
	is_branch(&seen.v[3], "[b]", "system return", "unknown", 0);
	reader__free(seen.reader);
}

/* Forks have what is mapped, programs that were begun have not; names follow. */
static void test_processes(void **state)
{
	struct record_interval iv;
	struct perf_builder m;
	struct status st;
	struct seen seen;
	struct reader *r;

	begin(&m);
	perf_builder__task(&m, PERF_RECORD_FORK, 20, 10, T0 + 1);
	perf_builder__sample(&m, 20, 20, TEXT + 1, T0 + 2, 1, NULL, 0);
	perf_builder__open(&m, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	perf_builder__pair(&m, 20, 20);
	perf_builder__text(&m, "other");
	perf_builder__trail(&m, 20, 20, T0 + 3);
	perf_builder__sample(&m, 20, 20, TEXT + 1, T0 + 4, 1, NULL, 0);
	perf_builder__task(&m, PERF_RECORD_EXIT, 20, 10, T0 + 5);
	perf_builder__sample(&m, 99, 99, TEXT + 1, T0 + 6, 1, NULL, 0);
	r = open_made(&m, &st);
	assert_non_null(r);
	assert_true(next(r, &seen, &iv));
	assert_int_equal(seen.n, 3);
	assert_string_equal(seen.v[0].comm, "prog");
	assert_string_equal(seen.v[0].stack, "[prog]");
	assert_string_equal(seen.v[1].comm, "other");
	assert_string_equal(seen.v[1].stack, "[unknown]");
	assert_string_equal(seen.v[2].comm, ":99");
	reader__free(r);
}

static void note_time(void *ctx, const struct perf_event_header *h)
{
	u64 **next = ctx;
	u64 t;

	memcpy(&t, h + 1, sizeof(t));
	*(*next)++ = t;
}

static void put_time(struct perf_order *o, u64 t)
{
	struct {
		struct perf_event_header h;
		u64 t;
	} record = {{.type = PERF_RECORD_SAMPLE, .size = sizeof(record)}, t};

	perf_order__put(o, &record.h, t);
}

/* What the round before had is handed out when one ends, in its order. */
static void test_order(void **state)
{
	static const u64 expected[] = {1, 2, 5, 6, 7, 9};
	u64 times[8], *next = times;
	struct perf_order o = {.fn = note_time, .ctx = &next};

	put_time(&o, 5);
	put_time(&o, 1);
	put_time(&o, 6);
	perf_order__round(&o);
	assert_int_equal(next - times, 0);
	put_time(&o, 2);
	put_time(&o, 9);
	perf_order__round(&o);
	assert_int_equal(next - times, 4);
	put_time(&o, 7);
	perf_order__end(&o);
	assert_int_equal(next - times, ARRAY_SIZE(expected));
	assert_memory_equal(times, expected, sizeof(expected));
	perf_order__fini(&o);
}

/* --- copies of stacks --- */

struct walked {
	struct unwind_code code;
	u64 start;
};

static const struct unwind_code *code_at(void *ctx, u64 ip, u64 *offset)
{
	struct walked *w = ctx;

	*offset = ip - w->start;
	return ip >= w->start && ip < w->start + 0x1000 ? &w->code : NULL;
}

/* Function f at 0x100 has a frame of three words; its caller g at 0x200 has a frame pointer;
 * whoever called that has no table, but a frame pointer too. */
static void test_walk(void **state)
{
	struct unwind_row rows[] = {
		{0x100, 3, 0, UNWIND_CFA_SP},
		{0x200, 2, -2, UNWIND_CFA_FP | UNWIND_FP_SAVED},
		{0x300, 0, 0, UNWIND_CFA_END},
	};
	struct walked w = {.start = 0x10000};
	u64 stack[16] = {0}, at = 0x7000, ips[8];
	struct unwind_walk walk = {.regs = {.ip = 0x10110, .sp = at, .fp = at + 4 * 8},
				   .machine = 62,
				   .stack = (void *)stack,
				   .stack_at = at,
				   .nstack = sizeof(stack),
				   .code_at = code_at,
				   .ctx = &w};
	enum walk_end end;

	w.code.table = (struct unwind_table){.rows = rows, .nrows = 3, .machine = 62};
	w.code.segments[0] = (struct unwind_segment){0, 0x1000, 0};
	w.code.nsegments = 1;
	stack[2] = 0x10210;    /* f returns into g */
	stack[4] = at + 8 * 8; /* g's caller's frame pointer */
	stack[5] = 0x50000;    /* g returns to where there is no table */
	stack[8] = at + 12 * 8;
	stack[9] = 0x10301;
	assert_int_equal(unwind_walk__frames(&walk, ips, 8, &end), 4);
	assert_int_equal(end, WALK_WHOLE);
	assert_int_equal(ips[1], 0x10210);
	assert_int_equal(ips[2], 0x50000);
	assert_int_equal(ips[3], 0x10301);
	/* What was not copied is not read. */
	walk = (struct unwind_walk){.regs = {.ip = 0x10110, .sp = at, .fp = at + 4 * 8},
				    .machine = 62,
				    .stack = (void *)stack,
				    .stack_at = at,
				    .nstack = 5 * 8,
				    .code_at = code_at,
				    .ctx = &w};
	assert_int_equal(unwind_walk__frames(&walk, ips, 8, &end), 2);
	assert_int_equal(end, WALK_COPY_ENDS);
}

/* --- what is wrong --- */

static void whole_file(struct bytes *file)
{
	struct perf_builder m;

	begin(&m);
	for (u32 i = 0; i < 5; i++)
		perf_builder__sample(&m, 10, 10, TEXT + i, T0 + i, 1, NULL, 0);
	perf_builder__finish(&m, "x86_64", file);
}

/* Every prefix, and every bit turned: a reader or a reason. */
static void test_broken(void **state)
{
	struct bytes file, copy = {0};
	struct status st;
	struct reader *r;
	u32 read = 0;

	whole_file(&file);
	for (size_t n = 0; n < file.n; n += 67) {
		copy.n = 0;
		bytes__put(&copy, file.v, n);
		r = open_file(&copy, &st);
		assert_true(r || st.msg[0]);
		read += r != NULL;
		reader__free(r);
	}
	for (size_t at = 0; at < file.n; at += 13) {
		copy.n = 0;
		bytes__put(&copy, file.v, file.n);
		copy.v[at] ^= (u8)(1 << at % 8);
		r = open_file(&copy, &st);
		assert_true(r || st.msg[0]);
		reader__free(r);
	}
	/* The good part of what was cut off is there. */
	assert_true(read > 3);
	bytes__free(&file);
	bytes__free(&copy);
}

static void refuse(struct bytes *file, const char *why)
{
	struct status st;

	assert_null(open_file(file, &st));
	if (!strstr(st.msg, why))
		fail_msg("'%s' does not say '%s'", st.msg, why);
	bytes__free(file);
}

static void test_refused(void **state)
{
	struct perf_builder m;
	struct bytes file;

	whole_file(&file);
	memcpy(file.v, "2ELIFREP", 8);
	refuse(&file, "the other byte order");
	begin(&m);
	perf_builder__sample(&m, 10, 10, TEXT, T0, 1, NULL, 0);
	perf_builder__finish(&m, "armv7l", &file);
	refuse(&file, "32-bit machine (armv7l)");
	begin(&m);
	perf_builder__finish(&m, "x86_64", &file);
	refuse(&file, "has no samples");
	event = "cycles";
	whole_file(&file);
	refuse(&file, "has no samples of cycles: -e takes cpu-clock");
	event = "";
	begin(&m);
	perf_builder__open(&m, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_GUEST_KERNEL);
	perf_builder__close(&m);
	perf_builder__finish(&m, "x86_64", &file);
	refuse(&file, "has no samples");
}

/* --- folded stacks --- */

static void test_folded(void **state)
{
	struct record_interval iv;
	struct status st;
	struct seen seen;
	struct reader *r;

	r = open_text("# comment\n\nprog;main;work 12\nprog;main;read;vfs_read_[k] 3\r\n"
		      "nothing of it\na command that is long;f 2.5\nalone 1",
		      &st);
	assert_non_null(r);
	assert_true(next(r, &seen, &iv));
	assert_int_equal(iv.t1_ns - iv.v[MODEL_PROFILE].t0_ns, NSEC_PER_SEC);
	assert_int_equal(iv.v[MODEL_PROFILE].health.samples, 12 + 3 + 2 + 1);
	assert_int_equal(seen.n, 4);
	assert_string_equal(seen.v[0].comm, "prog");
	assert_string_equal(seen.v[0].stack, "work main");
	assert_int_equal(seen.v[0].count, 12);
	assert_int_equal(seen.v[0].weight, 12);
	assert_string_equal(seen.v[1].stack, "vfs_read read main");
	assert_int_equal(seen.v[1].nkernel, 1);
	assert_string_equal(seen.v[2].stack, "f a command that is long");
	assert_string_equal(seen.v[2].comm, "a command that ");
	assert_string_equal(seen.v[3].comm, "");
	assert_string_equal(seen.v[3].stack, "alone");
	assert_false(next(r, &seen, &iv));
	reader__free(r);
	assert_null(open_text("some text\nprog;main 3\n", &st));
	assert_non_null(strstr(st.msg, "no folded stacks"));
	assert_null(open_text("", &st));
}

static int set_up(void **state)
{
	struct status st = {0};

	symbols = symbols__new(&st);
	return !symbols;
}

static int tear_down(void **state)
{
	symbols__free(symbols);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples), cmocka_unit_test(test_processes),
		cmocka_unit_test(test_order),	cmocka_unit_test(test_walk),
		cmocka_unit_test(test_broken),	cmocka_unit_test(test_refused),
		cmocka_unit_test(test_folded),	cmocka_unit_test(test_noted_calls),
		cmocka_unit_test(test_accesses),
		cmocka_unit_test(test_branches),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
