// SPDX-License-Identifier: GPL-2.0-only
/* The table of stacks: what hashes name, how room is made, who keeps the memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bpf/script.h"
#include "models/stacks.h"
#include "tests/lib/fake_symbols.h"

/* Holds positions as a model does. */
struct holder {
	struct symbols *symbols;
	struct stacks stacks;
	struct stacks_user user;
	u32 held[64];
	u32 nheld, moved, shed;
};

static void move_held(void *ctx, struct stacks *to, const struct stacks *from)
{
	struct holder *h = ctx;

	h->moved++;
	for (u32 i = 0; i < h->nheld; i++)
		h->held[i] = stacks__move(to, from, h->held[i]);
}

static void shed_held(void *ctx)
{
	struct holder *h = ctx;

	h->shed++;
	h->nheld = 0;
}

static void holder__init(struct holder *h)
{
	*h = (struct holder){.symbols = fake_symbols__new()};
	h->user = (struct stacks_user){.ctx = h, .move = move_held, .shed = shed_held};
	stacks__init(&h->stacks, h->symbols);
}

static void holder__fini(struct holder *h)
{
	stacks__fini(&h->stacks);
	fake_symbols__free(h->symbols);
}

static void define(struct holder *h, struct stack_def d)
{
	d.head.type = SAMPLE_STACK_DEF;
	stacks__consume(&h->stacks, &d.head, &h->user);
}

/* Frames are the locs 1, 2 and one that tells stacks apart. */
static void define_named(struct holder *h, u64 hash, u64 loc)
{
	const u64 ips[] = {1, 2, loc};

	define(h, (struct stack_def){
			  .hash = hash, .nkernel = 1, .nuser = 2, .named = true, .ips = ips});
}

static const struct callstack *stack_of(const struct holder *h, u64 hash, u32 tgid)
{
	return stacks__at(&h->stacks, stacks__find(&h->stacks, hash, tgid));
}

/* What a program leaves where a return address is looked for is no loc, whatever its upper bits. */
static void marks_of_programs_are_no_locs(void **state)
{
	const u64 ips[] = {0x1000, SCRIPT_FRAME | 0xf3d60000, 0x2000};
	struct stack_def d = {.head.type = SAMPLE_STACK_DEF, .nuser = 3, .tgid = 7, .ips = ips};
	struct holder h;
	u32 locs[2];

	holder__init(&h);
	stack_def__locate(&d, 2, h.symbols, locs);
	assert_int_not_equal(locs[1], 0xf3d60000);
	d.scripts = true;
	stack_def__locate(&d, 2, h.symbols, locs);
	assert_int_equal(locs[1], 0xf3d60000);
	holder__fini(&h);
}

static void equal_stacks_are_one(void **state)
{
	struct holder h;

	holder__init(&h);
	define_named(&h, 10, 3);
	define_named(&h, 11, 3);
	define_named(&h, 12, 4);
	assert_int_equal(h.stacks.n, 2);
	assert_int_equal(stacks__find(&h.stacks, 10, 7), stacks__find(&h.stacks, 11, 8));
	assert_int_equal(stack_of(&h, 12, 0)->locs[2], 4);
	assert_int_equal(stack_of(&h, 12, 0)->nkernel, 1);
	holder__fini(&h);
}

static void what_was_not_defined_is_no_stack(void **state)
{
	struct holder h;

	holder__init(&h);
	define_named(&h, 10, 3);
	assert_int_equal(stacks__find(&h.stacks, 0, 0), NO_STACK);
	assert_int_equal(stacks__find(&h.stacks, 99, 0), NO_STACK);
	assert_null(stacks__at(&h.stacks, NO_STACK));
	holder__fini(&h);
}

/* Equal addresses are other code in another process; those of the kernel are not. */
static void user_frames_belong_to_their_process(void **state)
{
	const u64 ip = 0x1000;
	struct holder h;

	holder__init(&h);
	for (u32 tgid = 7; tgid < 9; tgid++)
		define(&h, (struct stack_def){.hash = 5, .nuser = 1, .tgid = tgid, .ips = &ip});
	define(&h, (struct stack_def){.hash = 6, .nkernel = 1, .tgid = 7, .ips = &ip});
	assert_true(stack_of(&h, 5, 7)->locs[0] != stack_of(&h, 5, 8)->locs[0]);
	assert_null(stack_of(&h, 5, 9));
	assert_non_null(stack_of(&h, 6, 9));
	holder__fini(&h);
}

/* A process that mapped code since may have something else at the same address. */
static void frames_are_located_again_when_code_was_mapped(void **state)
{
	const u64 ip = 0x1000;
	struct stack_def d = {.hash = 5, .nuser = 1, .tgid = 7, .ips = &ip};
	struct proc_event ev = {.head.type = SAMPLE_PROC, .type = PROC_MMAP, .tgid = 7};
	struct holder h;

	holder__init(&h);
	define(&h, d);
	define(&h, d);
	assert_int_equal(h.symbols->located, 1);
	stacks__consume(&h.stacks, &ev.head, &h.user);
	define(&h, d);
	assert_int_equal(h.symbols->located, 2);
	ev.type = PROC_EXIT;
	stacks__consume(&h.stacks, &ev.head, &h.user);
	define(&h, d);
	assert_int_equal(h.symbols->located, 2);
	holder__fini(&h);
}

static void room_is_made_and_the_newest_are_known(void **state)
{
	const u32 n = 3 * STACKS_DEFINITIONS;
	struct holder h;

	holder__init(&h);
	define_named(&h, 1, 1000);
	h.held[h.nheld++] = stacks__find(&h.stacks, 1, 0);
	for (u32 i = 2; i <= n; i++)
		define_named(&h, i, 1000 + i);
	assert_true(h.moved > 0);
	assert_int_equal(h.shed, 0);
	for (u32 i = n - STACKS_DEFINITIONS + 1; i <= n; i++)
		assert_int_equal(stack_of(&h, i, 0)->locs[2], 1000 + i);
	assert_null(stack_of(&h, 2, 0));
	/* What is held stays, though its hash is forgotten. */
	assert_null(stack_of(&h, 1, 0));
	assert_int_equal(stacks__at(&h.stacks, h.held[0])->locs[2], 1000);
	holder__fini(&h);
}

/* Where time goes by, no more are kept than sources rely on and a quarter of that. */
static void room_is_made_soon_where_few_come(void **state)
{
	const u64 ips[] = {1, 2, 3};
	struct stack_def d = {.nkernel = 1, .nuser = 2, .named = true, .ips = ips};
	struct holder h;

	holder__init(&h);
	for (d.hash = 1; d.hash <= 4 * STACKS_DEFINITIONS; d.hash++) {
		d.t_ns = 100 * NSEC_PER_SEC + d.hash * NSEC_PER_MSEC; /* a thousand a second */
		define(&h, d);
		assert_true(h.stacks.nslots <= STACKS_DEFINITIONS + STACKS_DEFINITIONS / 4);
	}
	for (u64 i = 3 * STACKS_DEFINITIONS + 1; i < d.hash; i++)
		assert_non_null(stack_of(&h, i, 0));
	holder__fini(&h);
}

static void a_rebuild_drops_what_nobody_has(void **state)
{
	u32 locs[2] = {7, 8}, at;
	struct holder h;

	holder__init(&h);
	define_named(&h, 1, 1000);
	h.held[h.nheld++] = stacks__intern(&h.stacks, &(struct callstack){.nuser = 2}, locs);
	at = stacks__intern(&h.stacks, &(struct callstack){.nkernel = 2}, locs);
	assert_true(at != h.held[0]);
	assert_int_equal(h.stacks.n, 3);
	stacks__rebuild(&h.stacks, &h.user);
	assert_int_equal(h.stacks.n, 2);
	assert_int_equal(stacks__at(&h.stacks, h.held[0])->locs[1], 8);
	assert_non_null(stack_of(&h, 1, 0));
	holder__fini(&h);
}

/* Stacks of absurd size, all in use: the user lets go, and the bound holds. */
static void the_user_sheds_when_stacks_are_absurd(void **state)
{
	static u64 ips[STACKS_MAX_FRAMES];
	struct holder h;

	holder__init(&h);
	for (u32 i = 0; i < 40000; i++) {
		ips[i % STACKS_MAX_FRAMES] = i;
		define(&h, (struct stack_def){.hash = i + 1,
					      .nuser = STACKS_MAX_FRAMES,
					      .named = true,
					      .ips = ips});
		assert_true(i % 1000 || stacks__bytes(&h.stacks) < STACKS_BYTES * 3 / 2);
	}
	assert_true(h.shed > 0);
	assert_non_null(stack_of(&h, 40000, 0));
	holder__fini(&h);
}

/* Whoever took a reference keeps what it points to. */
static void memory_outlives_the_table(void **state)
{
	const struct callstack *s;
	struct stack_store *store;
	struct holder h;

	holder__init(&h);
	define_named(&h, 1, 1000);
	s = stack_of(&h, 1, 0);
	store = stack_store__get(h.stacks.store);
	stacks__rebuild(&h.stacks, &h.user);
	assert_ptr_not_equal(stack_of(&h, 1, 0), s);
	holder__fini(&h);
	assert_int_equal(s->locs[2], 1000);
	stack_store__put(store);
	stack_store__put(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks_of_programs_are_no_locs),
		cmocka_unit_test(equal_stacks_are_one),
		cmocka_unit_test(what_was_not_defined_is_no_stack),
		cmocka_unit_test(user_frames_belong_to_their_process),
		cmocka_unit_test(frames_are_located_again_when_code_was_mapped),
		cmocka_unit_test(room_is_made_and_the_newest_are_known),
		cmocka_unit_test(room_is_made_soon_where_few_come),
		cmocka_unit_test(a_rebuild_drops_what_nobody_has),
		cmocka_unit_test(the_user_sheds_when_stacks_are_absurd),
		cmocka_unit_test(memory_outlives_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
