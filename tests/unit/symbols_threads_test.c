/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Readers on threads of their own while the collector asks and the worker resolves. What a
 * getter returned once it must go on returning; run under TSan too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>

#include "tests/lib/elf_map.h"

#define LOCS	20000
#define READERS 3

struct shared {
	struct symbols *s;
	u32 locs[LOCS];
	_Atomic u32 n;
	_Atomic bool stop, bad;
	_Atomic u64 read;
};

static void read_one(struct shared *sh, u32 loc, u32 i)
{
	u32 func = symbols__func_of(sh->s, loc), inlined[8];
	const struct sym_func *f = symbols__func(sh->s, func);
	const struct sym_object *o = symbols__object(sh->s, symbols__object_of(sh->s, loc));
	const struct sym_object_info *info = symbols__object_info(sh->s, o->id);

	if (!f->name || !f->linkage || !o->name || strlen(f->name) > 1000)
		sh->bad = true;
	/* a resolved function belongs to its loc's object, which was looked at */
	if (func && (f->object != symbols__object_of(sh->s, loc) || !info))
		sh->bad = true;
	if (i % 512 == 0)
		symbols__inlined(sh->s, loc, inlined, 8);
	atomic_fetch_add(&sh->read, 1);
}

static void *reader(void *arg)
{
	struct shared *sh = arg;
	struct symbols_stats st;

	while (!sh->stop) {
		u32 n = sh->n;

		for (u32 i = 0; i < n && !sh->stop; i += 7)
			read_one(sh, sh->locs[i], i);
		symbols__stats(sh->s, &st);
		symbols__generation(sh->s);
	}
	return NULL;
}

static void ask(struct shared *sh, struct elf_map *m)
{
	u64 size = m->segs[0].size;

	for (u32 i = 0; i < LOCS; i++) {
		sh->locs[i] =
			i % 16 ? elf_map__loc(sh->s, m, m->segs[0].vaddr + (u64)i * 48 % size)
			       : symbols__locate_kernel(sh->s, 0xffffffff81000000ull + (u64)i * 64);
		sh->n = i + 1;
		if (i % 1000 == 999)
			symbols__kick(sh->s);
	}
	symbols__kick(sh->s);
}

static void test_readers(void **state)
{
	struct shared *sh = xcalloc(1, sizeof(*sh));
	struct symbols_stats stats;
	pthread_t threads[READERS];
	char path[256] = "";
	struct status st;
	struct elf_map m;

	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	sh->s = symbols__new(&st);
	m = elf_map__open(sh->s, path);
	for (u32 i = 0; i < READERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, reader, sh), 0);
	ask(sh, &m);
	assert_true(symbols__wait(sh->s, 60000));
	sh->stop = true;
	for (u32 i = 0; i < READERS; i++)
		pthread_join(threads[i], NULL);
	assert_false(sh->bad);
	assert_true(sh->read > 0);
	symbols__stats(sh->s, &stats);
	assert_int_equal(stats.pending, 0);
	for (u32 i = 0; i < LOCS; i++)
		assert_true(!sh->locs[i] || symbols__func_of(sh->s, sh->locs[i]));
	elf_map__close(&m);
	symbols__free(sh->s);
	free(sh);
}

/* The eventfd tells of what became resolved, and the generation has risen by then. */
static void test_event(void **state)
{
	struct status st;
	struct symbols *s = symbols__new(&st);
	struct pollfd p = {.fd = symbols__event_fd(s), .events = POLLIN};
	u64 before = symbols__generation(s);
	u32 loc = symbols__locate_user(s, (u32)getpid(), clock__monotonic_ns(), (u64)&test_event);

	symbols__kick(s);
	assert_int_equal(poll(&p, 1, 20000), 1);
	assert_true(symbols__generation(s) > before);
	settle(s);
	assert_string_equal(func_of(s, loc)->name, "test_event");
	symbols__free(s);
}

static void test_annotations(void **state)
{
	struct status st;
	struct symbols *s = symbols__new(&st);
	void *const at[] = {test_event,	   test_readers,     reader,	   ask,
			    read_one,	   test_annotations, symbols__new, symbols__free,
			    symbols__kick, symbols__stats};
	const struct annotation *first = NULL;

	for (u32 i = 0; i < ARRAY_SIZE(at); i++) {
		u32 loc = symbols__locate_user(s, (u32)getpid(), clock__monotonic_ns(), (u64)at[i]);
		const struct annotation *a;

		settle(s);
		a = symbols__annotate(s, symbols__func_of(s, loc));
		assert_null(a);
		settle(s);
		a = symbols__annotate(s, symbols__func_of(s, loc));
		assert_non_null(a);
		assert_int_equal(a->func, symbols__func_of(s, loc));
		assert_true(a->ninsns > 0);
		if (i)
			annotation__put(a);
		else
			first = a;
	}
	/* one that fell out of the cache lives as long as it is held */
	assert_true(first->insns[0].text[0]);
	annotation__put(first);
	symbols__free(s);
}

/* Freed while the worker is at it. */
static void test_free_early(void **state)
{
	struct status st;

	for (u32 i = 0; i < 5; i++) {
		struct symbols *s = symbols__new(&st);

		symbols__locate_user(s, (u32)getpid(), clock__monotonic_ns(), (u64)&test_event);
		symbols__kick(s);
		symbols__free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_readers),
		cmocka_unit_test(test_event),
		cmocka_unit_test(test_annotations),
		cmocka_unit_test(test_free_early),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
