// SPDX-License-Identifier: GPL-2.0-only
/* Records of perf rings, well-formed and hostile, and what the sampler makes of them. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "scope/filter.h"
#include "sources/cpu_perf.h"
#include "samples/perf_record.h"
#include "samples/perf_regs.h"
#include "sources/side_events.h"
#include "sources/stack_table.h"
#include "tests/lib/skip.h"

/* A record that is being written; its size is right unless a test changes it. */
struct writer {
	_Alignas(8) u8 bytes[4096];
	struct perf_event_header *head;
	size_t size;
};

static void begin(struct writer *w, u32 type, u16 misc)
{
	memset(w, 0, sizeof(*w));
	w->head = (struct perf_event_header *)w->bytes;
	w->head->type = type;
	w->head->misc = misc;
	w->size = w->head->size = sizeof(*w->head);
}

static void put(struct writer *w, const void *data, size_t n)
{
	memcpy(w->bytes + w->size, data, n);
	w->size += n;
	w->head->size = (u16)w->size;
}

static void put64(struct writer *w, u64 v)
{
	put(w, &v, 8);
}

static void put32(struct writer *w, u32 a, u32 b)
{
	put(w, &a, 4);
	put(w, &b, 4);
}

static void put_text(struct writer *w, const char *s)
{
	char padded[64] = "";

	strcpy(padded, s);
	put(w, padded, (strlen(s) + 8) & ~7UL);
}

static void trailer(struct writer *w, u32 pid, u32 tid, u64 t_ns)
{
	put32(w, pid, tid);
	put64(w, t_ns);
	put32(w, 1, 0);
}

#define PID 3000000000u /* no such process */

static void sample(struct writer *w, u32 pid, u32 tid, const u64 *chain, u64 n)
{
	begin(w, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put64(w, 0x1000);
	put32(w, pid, tid);
	put64(w, 77);
	put32(w, 3, 0);
	put64(w, 250);
	put64(w, n);
	for (u64 i = 0; i < n; i++)
		put64(w, chain[i]);
	put64(w, 4242);
}

static const u64 chain[] = {(u64)PERF_CONTEXT_KERNEL,
			    0xffffffff81000010,
			    0xffffffff81000020,
			    (u64)PERF_CONTEXT_USER,
			    0x401000,
			    0x401100,
			    0x401200};

static int decode(struct writer *w, struct perf_record *r)
{
	return perf_record__decode(r, w->head, w->size, PERF_RECORD_FIELDS);
}

static void test_sample(void **state)
{
	struct writer w;
	struct perf_record r;
	u64 ips[254];
	u16 nkernel, nuser;

	sample(&w, 10, 11, chain, ARRAY_SIZE(chain));
	assert_int_equal(decode(&w, &r), 0);
	assert_int_equal(r.pid, 10);
	assert_int_equal(r.tid, 11);
	assert_int_equal(r.cpu, 3);
	assert_int_equal(r.t_ns, 77);
	assert_int_equal(r.period, 250);
	assert_int_equal(r.cgroup, 4242);
	perf_record__frames(&r, ips, 127, &nkernel, &nuser);
	assert_int_equal(nkernel, 2);
	assert_int_equal(nuser, 3);
	assert_int_equal(ips[0], chain[1]);
	assert_int_equal(ips[2], chain[4]);
	assert_int_equal(ips[4], chain[6]);
	perf_record__frames(&r, ips, 1, &nkernel, &nuser);
	assert_int_equal(nkernel, 1);
	assert_int_equal(nuser, 1);
	assert_int_equal(ips[1], chain[4]);
}

/* Frames before any marker, of hypervisors and guests, and kernel frames after user ones. */
static void test_odd_chains(void **state)
{
	const u64 odd[] = {0x1,	  (u64)PERF_CONTEXT_GUEST,  0x2, (u64)PERF_CONTEXT_USER,
			   0x401, (u64)PERF_CONTEXT_KERNEL, 0x3, (u64)PERF_CONTEXT_USER,
			   0x402};
	struct writer w;
	struct perf_record r;
	u64 ips[254];
	u16 nkernel, nuser;

	sample(&w, 1, 1, odd, ARRAY_SIZE(odd));
	assert_int_equal(decode(&w, &r), 0);
	perf_record__frames(&r, ips, 127, &nkernel, &nuser);
	assert_int_equal(nkernel, 0);
	assert_int_equal(nuser, 2);
	assert_int_equal(ips[0], 0x401);
	assert_int_equal(ips[1], 0x402);
}

static void test_side_records(void **state)
{
	struct writer w;
	struct perf_record r;

	begin(&w, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	put32(&w, 7, 7);
	put64(&w, 0x400000);
	put64(&w, 0x2000);
	put64(&w, 0x1000);
	put32(&w, 8, 1);
	put64(&w, 99);
	put64(&w, 7);
	put32(&w, PROT_READ | PROT_EXEC, 2);
	put_text(&w, "/usr/bin/true");
	trailer(&w, 7, 7, 500);
	assert_int_equal(decode(&w, &r), 0);
	assert_string_equal(r.text, "/usr/bin/true");
	assert_int_equal(r.start, 0x400000);
	assert_int_equal(r.len, 0x2000);
	assert_int_equal(r.offset, 0x1000);
	assert_int_equal(r.inode, 99);
	assert_int_equal(r.generation, 7);
	assert_int_equal(r.dev_major, 8);
	assert_true(r.executable);
	assert_int_equal(r.t_ns, 500);
	begin(&w, PERF_RECORD_LOST, 0);
	put64(&w, 1);
	put64(&w, 12);
	trailer(&w, 0, 0, 1);
	assert_int_equal(decode(&w, &r), 0);
	assert_int_equal(r.lost, 12);
	begin(&w, PERF_RECORD_THROTTLE, 0);
	trailer(&w, 0, 0, 1);
	assert_int_equal(decode(&w, &r), -ENOENT);
}

static void test_text_must_end_in_the_record(void **state)
{
	struct writer w;
	struct perf_record r;

	begin(&w, PERF_RECORD_COMM, 0);
	put32(&w, 1, 1);
	put(&w, "aaaaaaaaaaaaaaaa", 16);
	trailer(&w, 1, 1, 1);
	assert_int_equal(decode(&w, &r), -EINVAL);
}

/* Chains that claim more than there is, up to lengths that overflow. */
static void test_chain_lengths_are_checked(void **state)
{
	const u64 lengths[] = {8, 9, 100, 0xffffffff, 0x2000000000000000, UINT64_MAX};
	struct writer w;
	struct perf_record r;

	for (u32 i = 0; i < ARRAY_SIZE(lengths); i++) {
		sample(&w, 1, 1, chain, ARRAY_SIZE(chain));
		memcpy(w.bytes + 48, &lengths[i], 8);
		if (lengths[i] > ARRAY_SIZE(chain))
			assert_int_equal(decode(&w, &r), -EINVAL);
	}
}

/* Every truncation of every record type: refused or decoded, never read beyond (ASan). */
static void test_truncated_records(void **state)
{
	const u32 types[] = {PERF_RECORD_SAMPLE,      PERF_RECORD_MMAP2, PERF_RECORD_COMM,
			     PERF_RECORD_FORK,	      PERF_RECORD_EXIT,	 PERF_RECORD_LOST,
			     PERF_RECORD_LOST_SAMPLES};
	struct writer w;
	struct perf_record r;

	sample(&w, 1, 1, chain, ARRAY_SIZE(chain));
	for (u32 t = 0; t < ARRAY_SIZE(types); t++) {
		for (size_t size = 0; size <= w.size; size++) {
			u8 *copy = malloc(MAX(size, sizeof(*w.head)));

			w.head->type = types[t];
			w.head->size = (u16)size;
			memcpy(copy, w.bytes, MAX(size, sizeof(*w.head)));
			perf_record__decode(&r, (void *)copy, size, PERF_RECORD_FIELDS);
			free(copy);
		}
	}
	w.head->size = 0xffff;
	assert_int_equal(decode(&w, &r), -EINVAL);
}

struct sums {
	u64 samples, weight, rows, defs, seen;
	u64 ips[8]; /* of the last stack */
	bool whole;
	u64 stacks[8];
	char comm[COMM_LEN];
	u32 order[8], norder;
};

static void add(void *ctx, const struct sample *x)
{
	struct sums *s = ctx;

	if (x->type == SAMPLE_STACK) {
		const struct stack_sample *y = (const struct stack_sample *)x;

		s->stacks[s->rows++ % 8] = y->stack;
		s->samples += y->count;
		s->weight += y->weight;
		memcpy(s->comm, y->comm, COMM_LEN);
	}
	if (x->type == SAMPLE_STACK_DEF) {
		const struct stack_def *d = (const struct stack_def *)x;

		s->defs++;
		memcpy(s->ips, d->ips, MIN(d->nkernel + d->nuser, 8u) * sizeof(u64));
		s->whole = d->whole;
	}
	if (x->type == SAMPLE_PROC) {
		s->seen += ((const struct proc_event *)x)->type == PROC_SEEN;
		s->order[s->norder++ % 8] = ((const struct proc_event *)x)->type;
	}
}

struct fake {
	struct source *source;
	struct scope *scope;
	struct sums sums;
	struct sample_sink sink;
};

static void fake__open_walked(struct fake *f, const char *expr, const struct stack_walker *walker)
{
	const struct sampling how = {.freq = 99, .user = true, .kernel = true, .walker = walker};
	struct filter_error err;
	u64 fields;

	memset(f, 0, sizeof(*f));
	f->scope = filter__parse(expr, &err);
	assert_non_null(f->scope);
	f->source = cpu_perf__open_fake(&how, f->scope, &fields);
	f->sink = (struct sample_sink){add, &f->sums};
}

static void fake__open(struct fake *f, const char *expr)
{
	fake__open_walked(f, expr, NULL);
}

static void fake__feed(struct fake *f, struct writer *w)
{
	cpu_perf__feed(f->source, w->head, w->size);
}

static void fake__close(struct fake *f)
{
	source_cpu_perf.close(f->source);
	scope__put(f->scope);
}

static void comm_record(struct writer *w, u32 tid, const char *comm, bool exec)
{
	begin(w, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	put32(w, tid, tid);
	put_text(w, comm);
	trailer(w, tid, tid, 5);
}

static void fork_record(struct writer *w, u32 parent, u32 child)
{
	begin(w, PERF_RECORD_FORK, 0);
	put32(w, child, parent);
	put32(w, child, parent);
	put64(w, 6);
	trailer(w, parent, parent, 6);
}

static void test_equal_samples_are_added_up(void **state)
{
	struct fake f;
	struct writer w;

	fake__open(&f, "");
	comm_record(&w, PID, "first", false);
	fake__feed(&f, &w);
	sample(&w, PID, PID, chain, ARRAY_SIZE(chain));
	for (int i = 0; i < 10; i++)
		fake__feed(&f, &w);
	sample(&w, 0, 0, chain, 3);
	fake__feed(&f, &w);
	assert_int_equal(f.sums.defs, 0); /* nothing before drain */
	source_cpu_perf.drain(f.source, true, &f.sink);
	assert_int_equal(f.sums.defs, 1);
	assert_int_equal(f.sums.seen, 1);
	assert_int_equal(f.sums.rows, 1);
	assert_int_equal(f.sums.samples, 10);
	assert_int_equal(f.sums.weight, 2500);
	assert_string_equal(f.sums.comm, "first");
	fake__close(&f);
}

/* After an exec the same addresses are another program's. */
static void test_exec_separates_stacks(void **state)
{
	struct fake f;
	struct writer w, c;

	fake__open(&f, "");
	sample(&w, PID, PID, chain, ARRAY_SIZE(chain));
	fake__feed(&f, &w);
	comm_record(&c, PID, "second", true);
	fake__feed(&f, &c);
	fake__feed(&f, &w);
	source_cpu_perf.drain(f.source, true, &f.sink);
	assert_int_equal(f.sums.rows, 2);
	assert_int_equal(f.sums.defs, 2);
	assert_int_equal(f.sums.seen, 2);
	assert_true(f.sums.stacks[0] != f.sums.stacks[1]);
	fake__close(&f);
}

/* The child's samples may come from a ring that is read before the fork's. */
static void test_children_are_followed(void **state)
{
	struct fake f;
	struct writer w;

	fake__open(&f, "tree=100");
	sample(&w, PID, PID, chain, ARRAY_SIZE(chain));
	fake__feed(&f, &w);
	sample(&w, PID + 1, PID + 1, chain, ARRAY_SIZE(chain));
	fake__feed(&f, &w);
	fork_record(&w, 100, PID);
	fake__feed(&f, &w);
	source_cpu_perf.drain(f.source, true, &f.sink);
	assert_int_equal(f.sums.samples, 1);
	fake__close(&f);
}

/* --- copies of stacks --- */

#define CALLER 0x402000ULL

static struct stack_space *no_space(const struct stack_walker *w, u32 tgid, u64 t_ns)
{
	return NULL;
}

static void put_no_space(const struct stack_walker *w, struct stack_space *s)
{
}

static u32 walk(const struct stack_walker *w, const struct stack_space *s,
		const struct stack_copy *copy, u64 *ips, u32 max, enum walk_end *end)
{
	ips[0] = copy->regs.ip;
	ips[1] = CALLER;
	ips[2] = copy->stack[0] + copy->nstack;
	*end = WALK_WHOLE;
	return 3;
}

static const struct stack_walker walker = {no_space, put_no_space, walk};

/* Of 64 bytes that were to be copied 48 were there; nregs 0: a thread of the kernel's. */
static void copied_sample(struct writer *w, bool kernel, u64 nregs)
{
	u8 stack[64] = {5};

	begin(w, PERF_RECORD_SAMPLE, kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
	put64(w, 0x1000);
	put32(w, PID, PID);
	put64(w, 77);
	put32(w, 3, 0);
	put64(w, 250);
	put64(w, kernel ? 2 : 0);
	if (kernel)
		put(w, chain, 2 * sizeof(u64));
	put64(w, nregs ? PERF_SAMPLE_REGS_ABI_64 : PERF_SAMPLE_REGS_ABI_NONE);
	for (u64 i = 0; i < nregs; i++)
		put64(w, 0x500000 + i);
	put64(w, nregs ? sizeof(stack) : 0);
	if (nregs) {
		put(w, stack, sizeof(stack));
		put64(w, 48);
	}
	put64(w, 4242);
}

static u64 nregs(void)
{
	return (u64)__builtin_popcountll(perf_regs__mask(perf_regs__machine()));
}

static void test_copies_are_walked(void **state)
{
	struct health h = {0};
	struct fake f;
	struct writer w;

	if (!nregs())
		skip_because("stacks of this machine cannot be walked");
	fake__open_walked(&f, "", &walker);
	copied_sample(&w, false, nregs());
	fake__feed(&f, &w);
	fake__feed(&f, &w);
	source_cpu_perf.drain(f.source, true, &f.sink);
	assert_int_equal(f.sums.defs, 1);
	assert_int_equal(f.sums.samples, 2);
	assert_true(f.sums.whole);
	assert_int_equal(f.sums.ips[0], 0x1000); /* where the sample says that it was */
	assert_int_equal(f.sums.ips[1], CALLER);
	assert_int_equal(f.sums.ips[2], 5 + 48);
	/* In the kernel: its frames, and all of the copy's. */
	copied_sample(&w, true, nregs());
	fake__feed(&f, &w);
	source_cpu_perf.drain(f.source, true, &f.sink);
	assert_int_equal(f.sums.ips[0], chain[1]);
	assert_int_equal(f.sums.ips[1] & ~0xfULL, 0x500000);
	assert_int_equal(f.sums.ips[2], CALLER);
	/* A thread without a user stack. */
	copied_sample(&w, true, 0);
	fake__feed(&f, &w);
	source_cpu_perf.drain(f.source, true, &f.sink);
	assert_int_equal(f.sums.samples, 4);
	source_cpu_perf.health(f.source, &h);
	assert_int_equal(h.stacks.by, STACKS_BY_COPIES);
	assert_int_equal(h.stacks_lost, 0);
	fake__close(&f);
}

/* More than the queue takes: those samples have the leaf, and are counted. */
static void test_copies_are_bounded(void **state)
{
	struct health h = {0};
	struct fake f;
	struct writer w;
	u64 fed = 0;

	if (!nregs())
		skip_because("stacks of this machine cannot be walked");
	fake__open_walked(&f, "", &walker);
	copied_sample(&w, false, nregs());
	while (!h.stacks_lost && fed < 1000000) {
		for (u32 i = 0; i < 1000; i++)
			fake__feed(&f, &w);
		fed += 1000;
		source_cpu_perf.health(f.source, &h);
	}
	assert_in_range(h.stacks_lost, 1, 1000);
	/* A tick does not wait when there is too much: until all is walked, more of them. */
	for (u32 i = 0; i < 10000 && f.sums.samples < fed; i++) {
		source_cpu_perf.drain(f.source, true, &f.sink);
		poll(NULL, 0, 1);
	}
	assert_int_equal(f.sums.samples, fed);
	assert_int_equal(f.sums.defs, 2);
	source_cpu_perf.health(f.source, &h);
	assert_int_equal(h.lost, 0);
	fake__close(&f);
}

static void test_lost_is_counted(void **state)
{
	struct fake f;
	struct writer w;
	struct health h = {0};

	fake__open(&f, "");
	begin(&w, PERF_RECORD_LOST, 0);
	put64(&w, 1);
	put64(&w, 12);
	trailer(&w, 0, 0, 1);
	fake__feed(&f, &w);
	source_cpu_perf.health(f.source, &h);
	assert_int_equal(h.lost, 12);
	fake__close(&f);
}

static bool all_pass(void *ctx, const struct stack_sample *s)
{
	return true;
}

static void test_table_is_bounded(void **state)
{
	struct sums sums = {0};
	const struct sample_sink sink = {add, &sums};
	struct stack_sample x = {.head.type = SAMPLE_STACK, .count = 1, .weight = 2};
	struct stack_table t;

	stack_table__init(&t, 100, 50);
	for (x.tid = 0; x.tid < 100; x.tid++)
		assert_true(stack_table__add(&t, &x));
	assert_false(stack_table__add(&t, &x));
	x.tid = 5;
	assert_true(stack_table__add(&t, &x));
	stack_table__flush(&t, all_pass, NULL, &sink);
	assert_int_equal(sums.samples, 101);
	assert_int_equal(sums.rows, 100);
	assert_true(stack_table__add(&t, &x));
	for (u64 h = 1; h <= 200; h++)
		assert_true(stack_table__is_new(&t, h));
	assert_false(stack_table__is_new(&t, 200));
	assert_true(stack_table__is_new(&t, 1));
	stack_table__fini(&t);
}

/* Rings are read one after the other, but what they tell comes out in order. */
static void test_side_events_are_sorted(void **state)
{
	const struct perf_record records[] = {
		{.type = PERF_RECORD_EXIT, .pid = 1, .tid = 1, .t_ns = 9},
		{.type = PERF_RECORD_FORK, .pid = 1, .ppid = 2, .tid = 1, .t_ns = 1},
		{.type = PERF_RECORD_COMM,
		 .pid = 1,
		 .tid = 1,
		 .text = "x",
		 .exec = true,
		 .t_ns = 3},
		{.type = PERF_RECORD_MMAP2, .text = "/x", .executable = true, .len = 1, .t_ns = 3},
		{.type = PERF_RECORD_MMAP2, .text = "/data", .len = 1, .t_ns = 4},
		{.type = PERF_RECORD_FORK, .pid = 1, .ppid = 1, .tid = 5, .t_ns = 1},
		{.type = PERF_RECORD_EXIT, .pid = 1, .tid = 5, .t_ns = 2},
	};
	const u32 want[] = {PROC_FORK, PROC_EXEC, PROC_MMAP, PROC_EXIT};
	struct side_events side = {0};
	struct sums sums = {0};
	const struct sample_sink sink = {add, &sums};

	for (u32 i = 0; i < ARRAY_SIZE(records); i++)
		side_events__add(&side, &records[i]);
	side_events__flush(&side, &sink);
	assert_int_equal(sums.norder, ARRAY_SIZE(want));
	assert_memory_equal(sums.order, want, sizeof(want));
	side_events__fini(&side);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sample),
		cmocka_unit_test(test_odd_chains),
		cmocka_unit_test(test_side_records),
		cmocka_unit_test(test_text_must_end_in_the_record),
		cmocka_unit_test(test_chain_lengths_are_checked),
		cmocka_unit_test(test_truncated_records),
		cmocka_unit_test(test_equal_samples_are_added_up),
		cmocka_unit_test(test_exec_separates_stacks),
		cmocka_unit_test(test_children_are_followed),
		cmocka_unit_test(test_copies_are_walked),
		cmocka_unit_test(test_copies_are_bounded),
		cmocka_unit_test(test_lost_is_counted),
		cmocka_unit_test(test_table_is_bounded),
		cmocka_unit_test(test_side_events_are_sorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
