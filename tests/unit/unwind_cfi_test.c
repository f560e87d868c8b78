/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Unwind tables of hand-made call frame information: every operation and encoding, what is
 * broken, what lies across other things, aarch64. What has a meaning is shown to libdw too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/arena.h"
#include "tests/lib/cfi_builder.h"
#include "tests/lib/scratch.h"
#include "tests/lib/unwind_oracle.h"

#define MOVE(n) (DW_CFA_advance_loc | (n))

static struct cfi_builder k;

static int setup(void **state)
{
	return scratch__make("unwind_cfi_test");
}

static int fresh(void **state)
{
	cfi__init(&k, EM_X86_64);
	return 0;
}

/* libdw's opinion of the same bytes. */
static void ask_libdw(const struct unwind_table *t)
{
	char *path = xasprintf("%s/image", scratch_dir);
	struct unwind_tally tally = {0};
	struct unwind_oracle *o;
	struct cfi_layout f;
	FILE *out = fopen(path, "w");

	cfi__layout(&k, &f);
	fwrite(&f, sizeof(f), 1, out);
	fclose(out);
	o = unwind_oracle__open(path, NULL);
	unwind_oracle__ask_all(o, t, UINT64_MAX, &tally);
	unwind_oracle__close(o);
	free(path);
	assert_string_equal(tally.first, "");
	assert_true(tally.equal > 0);
}

/* The rows, and how many ranges there are that rows cannot hold. */
static void expect(const char *rows, u32 odd)
{
	struct unwind_table t;

	assert_int_equal(cfi__read(&k, &t), 0);
	assert_string_equal(cfi__say(&t), rows);
	assert_int_equal(t.odd, odd);
	unwind_table__free(&t);
}

/* The same, and libdw has no other opinion on what rows can hold. */
static void expect_as_libdw(const char *rows, u32 odd)
{
	struct unwind_table t;

	expect(rows, odd);
	assert_int_equal(cfi__read(&k, &t), 0);
	ask_libdw(&t);
	unwind_table__free(&t);
}

static void expect_error(int err)
{
	struct unwind_table t;

	assert_int_equal(cfi__read(&k, &t), err);
	assert_null(t.rows);
}

static void expect_nothing(void)
{
	expect_error(-ENODATA);
}

/* --- operations --- */

static void test_frames(void **state)
{
	cfi__cie(&k, DW_EH_PE_udata4);
	CFI_FDE(&k, 0, 0x40, MOVE(1), DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 6, 2, MOVE(3),
		DW_CFA_def_cfa_register, 6, MOVE(0x20), DW_CFA_remember_state, DW_CFA_restore | 6,
		DW_CFA_def_cfa, 7, 8, MOVE(1), DW_CFA_restore_state);
	expect_as_libdw("1000 sp+8; 1001 sp+16 fp-16; 1004 fp+16 fp-16; 1024 sp+8; "
			"1025 fp+16 fp-16; 1040 none",
			0);
}

/* What counts from rbx is known of the innermost frame, and of others by whom they call. */
static void test_rbx(void **state)
{
	static const u8 call[] = {0xe8, 0xeb, 0, 0, 0}, elsewhere[] = {0xe8, 0, 1, 0, 0};

	memcpy(k.code + 0x10, call, sizeof(call)); /* 0x1100 */
	memcpy(k.code + 0x20, elsewhere, sizeof(elsewhere));
	cfi__cie(&k, DW_EH_PE_udata4);
	CFI_FDE(&k, 0, 0x40, DW_CFA_def_cfa_offset, 32, DW_CFA_offset | 3, 4, MOVE(4),
		DW_CFA_def_cfa_register, 3, MOVE(0x2c), DW_CFA_def_cfa, 7, 8);
	CFI_FDE(&k, 0x100, 0x40, MOVE(2), DW_CFA_def_cfa_offset, 24, DW_CFA_offset | 3, 3);
	expect_as_libdw("1000 sp+32; 1004 bx+32; 1014 *sp-24+32; 1015 bx+32; 1030 sp+8; 1040 none; "
			"1100 sp+8; 1102 sp+24; 1140 none",
			0);
}

static void test_moves(void **state)
{
	cfi__cie(&k, DW_EH_PE_udata4);
	cfi__fde(&k, 0, 0x800);
	CFI_PUT(&k, DW_CFA_advance_loc1, 0x80, DW_CFA_def_cfa_offset, 16, DW_CFA_advance_loc2, 0, 1,
		DW_CFA_def_cfa_offset, 24, DW_CFA_advance_loc4, 0, 2, 0, 0, DW_CFA_def_cfa_offset,
		32, DW_CFA_set_loc);
	cfi__num(&k, k.text + 0x700, 4);
	CFI_PUT(&k, DW_CFA_def_cfa_offset, 40);
	cfi__end(&k);
	expect_as_libdw("1000 sp+8; 1080 sp+16; 1180 sp+24; 1380 sp+32; 1700 sp+40; 1800 none", 0);
}

static void test_extended_operations(void **state)
{
	cfi__cie(&k, DW_EH_PE_udata4);
	CFI_FDE(&k, 0, 0x40, DW_CFA_def_cfa_sf, 7, 0x7e, DW_CFA_offset_extended, 6, 3, MOVE(1),
		DW_CFA_def_cfa_offset_sf, 0x7d, DW_CFA_offset_extended_sf, 6, 4, MOVE(1),
		DW_CFA_restore_extended, 6, DW_CFA_GNU_args_size, 32, MOVE(1),
		DW_CFA_GNU_negative_offset_extended, 6, 2, DW_CFA_nop);
	expect_as_libdw(
		"1000 sp+16 fp-24; 1001 sp+24 fp-32; 1002 sp+24; 1003 sp+24 fp+16; 1040 none", 0);
}

static void test_expressions(void **state)
{
	cfi__cie(&k, DW_EH_PE_udata4);
	CFI_FDE(&k, 0, 0x40, DW_CFA_def_cfa_expression, 3, DW_OP_breg6, 0x78, DW_OP_deref,
		DW_CFA_expression, 6, 2, DW_OP_breg6, 0, MOVE(1), DW_CFA_def_cfa_expression, 5,
		DW_OP_breg7, 0, DW_OP_plus_uconst, 24, DW_OP_deref, DW_CFA_restore | 6, MOVE(1),
		DW_CFA_def_cfa_expression, 2, DW_OP_breg7, 32, MOVE(1), DW_CFA_def_cfa_expression,
		4, DW_OP_bregx, 6, 8, DW_OP_deref, MOVE(1), DW_CFA_def_cfa_expression, 5,
		DW_OP_breg7, 16, DW_OP_deref, DW_OP_plus_uconst, 8, MOVE(1),
		DW_CFA_def_cfa_expression, 5, DW_OP_breg6, 0x78, DW_OP_deref, DW_OP_plus_uconst, 8);
	expect_as_libdw("1000 *fp-8 fp*+0; 1001 *sp+24; 1002 sp+32; 1003 *fp+8; 1004 *sp+16+8; "
			"1005 *fp-8+8; 1040 none",
			0);
}

static void test_plt_expressions(void **state)
{
	static const u8 head[] = {DW_CFA_def_cfa_expression,
				  11,
				  DW_OP_breg7,
				  8,
				  DW_OP_breg16,
				  0,
				  DW_OP_lit15,
				  DW_OP_and},
			tail[] = {DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus};

	cfi__cie(&k, DW_EH_PE_udata4);
	for (u8 i = 0; i < 2; i++) {
		cfi__fde(&k, 0x100 * i + 4, 0x20);
		cfi__put(&k, head, sizeof(head));
		CFI_PUT(&k, i ? DW_OP_lit9 : DW_OP_lit11);
		cfi__put(&k, tail, sizeof(tail));
		cfi__end(&k);
	}
	expect_as_libdw("1004 plt; 1024 none; 1104 sp+8; 1109 sp+16; 1110 sp+8; 1119 sp+16; "
			"1120 sp+8; 1124 none",
			0);
}

static void test_outermost(void **state)
{
	cfi__cie(&k, DW_EH_PE_udata4);
	CFI_FDE(&k, 0, 0x10, DW_CFA_undefined, 16);
	CFI_FDE(&k, 0x10, 0x10, DW_CFA_undefined, 6); /* nobody wants it any more */
	expect_as_libdw("1000 end; 1010 sp+8; 1020 none", 0);
}

/* Each is described in a way that rows cannot hold, and only that range has none. */
static void test_odd(void **state)
{
	static const struct {
		u8 n, ops[12];
	} odd[] = {
		{3, {DW_CFA_def_cfa, 10, 0}},
		{2, {DW_CFA_def_cfa_offset, 12}},
		{4, {DW_CFA_def_cfa_offset, 0x88, 0x80, 0x10}}, /* 256 KiB + 8 */
		{4, {DW_CFA_offset_extended, 6, 0x81, 1}},	/* 129 words below */
		{3, {DW_CFA_offset | 16, 2}},
		{2, {DW_CFA_same_value, 16}},
		{3, {DW_CFA_register, 16, 2}},
		{3, {DW_CFA_register, 6, 3}},
		{3, {DW_CFA_val_offset, 6, 2}},
		{3, {DW_CFA_val_offset_sf, 6, 2}},
		{5, {DW_CFA_expression, 6, 2, DW_OP_breg3, 0}},
		{6, {DW_CFA_expression, 6, 3, DW_OP_breg6, 0, DW_OP_deref}},
		{5, {DW_CFA_val_expression, 6, 2, DW_OP_breg7, 0}},
		{6, {DW_CFA_def_cfa_expression, 4, DW_OP_breg7, 8, DW_OP_deref, DW_OP_deref}},
		{7,
		 {DW_CFA_def_cfa_expression, 5, DW_OP_breg7, 8, DW_OP_deref, DW_OP_plus_uconst,
		  16}},
		{3, {DW_CFA_def_cfa_expression, 1, DW_OP_lit0}},
		{2, {DW_CFA_def_cfa_expression, 0}},
	};

	for (u32 i = 0; i < ARRAY_SIZE(odd); i++) {
		cfi__init(&k, EM_X86_64);
		cfi__cie(&k, DW_EH_PE_udata4);
		cfi__fde(&k, 0, 0x20);
		CFI_PUT(&k, MOVE(4), DW_CFA_remember_state);
		cfi__put(&k, odd[i].ops, odd[i].n);
		CFI_PUT(&k, MOVE(4), DW_CFA_restore_state);
		cfi__end(&k);
		expect("1000 sp+8; 1004 none; 1008 sp+8; 1020 none", 1);
	}
}

/* What is not about registers that rows know leaves no trace. */
static void test_other_registers(void **state)
{
	cfi__cie(&k, DW_EH_PE_udata4);
	CFI_FDE(&k, 0, 0x20, DW_CFA_offset | 3, 2, DW_CFA_register, 12, 13, MOVE(2),
		DW_CFA_val_offset, 3, 2, DW_CFA_expression, 14, 1, DW_OP_lit0, MOVE(2),
		DW_CFA_restore | 3, DW_CFA_undefined, 12, DW_CFA_same_value, 40);
	expect_as_libdw("1000 sp+8; 1020 none", 0);
}

/* --- what is broken --- */

static void test_broken_programs(void **state)
{
	static const struct {
		u8 n, ops[4];
	} broken[] = {
		{1, {0x3f}},			 /* no operation */
		{1, {DW_CFA_def_cfa}},		 /* cut off */
		{2, {DW_CFA_def_cfa, 0x80}},	 /* in a number */
		{3, {DW_CFA_expression, 6, 40}}, /* longer than the program */
		{2, {DW_CFA_advance_loc2, 1}},
		{1, {DW_CFA_restore_state}}, /* of nothing */
	};

	for (u32 i = 0; i < ARRAY_SIZE(broken); i++) {
		cfi__init(&k, EM_X86_64);
		cfi__cie(&k, DW_EH_PE_udata4);
		cfi__fde(&k, 0, 0x20);
		CFI_PUT(&k, MOVE(4), DW_CFA_def_cfa_offset, 16, MOVE(4));
		cfi__put(&k, broken[i].ops, broken[i].n);
		cfi__end(&k);
		CFI_FDE(&k, 0x40, 0x10, DW_CFA_nop);
		expect("1000 sp+8; 1004 sp+16; 1008 none; 1040 sp+8; 1050 none", 1);
	}
}

static void test_backwards(void **state)
{
	cfi__cie(&k, DW_EH_PE_udata4);
	cfi__fde(&k, 0x10, 0x20);
	CFI_PUT(&k, MOVE(4), DW_CFA_def_cfa_offset, 16, DW_CFA_set_loc);
	cfi__num(&k, k.text, 4);
	cfi__end(&k);
	expect("1010 sp+8; 1014 none", 1);
}

static void test_remembered_too_deep(void **state)
{
	cfi__cie(&k, DW_EH_PE_udata4);
	cfi__fde(&k, 0, 0x20);
	for (u32 i = 0; i < 17; i++)
		CFI_PUT(&k, DW_CFA_remember_state);
	cfi__end(&k);
	CFI_FDE(&k, 0x20, 0x10, DW_CFA_nop);
	expect("1000 none; 1020 sp+8; 1030 none", 1);
}

static void test_past_the_end(void **state)
{
	cfi__cie(&k, DW_EH_PE_udata4);
	CFI_FDE(&k, 0, 0x10, DW_CFA_advance_loc4, 0xff, 0xff, 0xff, 0xff, DW_CFA_def_cfa_offset,
		16);
	/* Larger than the code there is, and outside of it. */
	CFI_FDE(&k, 0xff0, 0x7fffffff, DW_CFA_nop);
	CFI_FDE(&k, 0x5000, 0x10, DW_CFA_nop);
	expect("1000 sp+8; 1010 none; 1ff0 sp+8; 2000 none", 0);
}

static void test_broken_sections(void **state)
{
	/* A length that is too large ends the section; what came before it counts. */
	cfi__cie(&k, DW_EH_PE_udata4);
	CFI_FDE(&k, 0, 0x10, DW_CFA_nop);
	cfi__num(&k, 0x1000, 4);
	CFI_FDE(&k, 0x20, 0x10, DW_CFA_nop);
	expect("1000 sp+8; 1010 none", 0);

	/* A CIE that is none, one that is not there, one that comes later. */
	fresh(state);
	k.cie = 0x4000;
	CFI_FDE(&k, 0, 0x10, DW_CFA_nop);
	k.cie = k.entry;
	CFI_FDE(&k, 0, 0x10, DW_CFA_nop);
	expect_nothing();

	fresh(state);
	k.claimed = 1ull << 40;
	cfi__cie(&k, DW_EH_PE_udata4);
	CFI_FDE(&k, 0, 0x10, DW_CFA_nop);
	expect_error(-E2BIG);
	k.claimed = UNWIND_MAX_BYTES; /* beyond the file's end */
	expect_nothing();
}

/* --- headers --- */

static void put_pointer(u8 encoding, u64 value)
{
	static const u8 sizes[8] = {8, 0, 2, 4, 8};

	switch (encoding & 0x70) {
	case DW_EH_PE_pcrel:
		value -= k.text + CFI_FRAMES_AT + k.n;
		break;
	case DW_EH_PE_datarel:
		value -= k.text + CFI_GOT_AT;
		break;
	}
	if (sizes[encoding & 7])
		cfi__num(&k, value, sizes[encoding & 7]);
	else if (encoding & 8)
		for (u32 i = 0; i < 10; i++, value = (u64)((s64)value >> 7))
			CFI_PUT(&k, (u8)((value & 0x7f) | (i < 9 ? 0x80 : 0)));
	else
		cfi__uleb(&k, value);
}

static void build_encoded(u8 encoding)
{
	fresh(NULL);
	cfi__cie(&k, encoding);
	cfi__begin_fde(&k);
	put_pointer(encoding, k.text + 0x10);
	put_pointer(encoding & 0x0f, 0x20);
	CFI_PUT(&k, 0, MOVE(8), DW_CFA_def_cfa_offset, 16);
	cfi__end(&k);
}

static void test_encodings(void **state)
{
	static const u8 known[] = {
		DW_EH_PE_absptr,
		DW_EH_PE_uleb128,
		DW_EH_PE_udata2,
		DW_EH_PE_udata4,
		DW_EH_PE_udata8,
		DW_EH_PE_sleb128,
		DW_EH_PE_sdata2,
		DW_EH_PE_sdata4,
		DW_EH_PE_sdata8,
		DW_EH_PE_pcrel | DW_EH_PE_sdata4,
		DW_EH_PE_pcrel | DW_EH_PE_sdata8,
		DW_EH_PE_pcrel | DW_EH_PE_absptr,
		DW_EH_PE_pcrel | DW_EH_PE_sleb128,
		DW_EH_PE_datarel | DW_EH_PE_sdata4,
		DW_EH_PE_datarel | DW_EH_PE_sleb128,
	};
	static const u8 unknown[] = {
		DW_EH_PE_omit,
		DW_EH_PE_indirect | DW_EH_PE_udata4,
		DW_EH_PE_textrel | DW_EH_PE_udata4,
		DW_EH_PE_funcrel | DW_EH_PE_udata4,
		DW_EH_PE_aligned,
		0x05,
	};

	for (u32 i = 0; i < ARRAY_SIZE(known); i++) {
		build_encoded(known[i]);
		expect("1010 sp+8; 1018 sp+16; 1030 none", 0);
	}
	for (u32 i = 0; i < ARRAY_SIZE(unknown); i++) {
		build_encoded(unknown[i]);
		expect_nothing();
	}
}

static void put_cie_rules(void)
{
	CFI_PUT(&k, DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1);
	cfi__end(&k);
}

static void put_fde_absolute(bool augmented)
{
	cfi__begin_fde(&k);
	cfi__num(&k, k.text, 8);
	cfi__num(&k, 0x10, 8);
	if (augmented)
		CFI_PUT(&k, 3, 1, 2, 3);
	CFI_PUT(&k, MOVE(4), DW_CFA_def_cfa_offset, 16);
	cfi__end(&k);
}

static void test_versions(void **state)
{
	static const struct {
		const char *section;
		u8 version;
		bool wide;
	} kinds[] = {
		{".eh_frame", 1, false},   {".eh_frame", 3, false},    {".debug_frame", 1, false},
		{".debug_frame", 3, true}, {".debug_frame", 4, false}, {".debug_frame", 4, true},
	};

	for (u32 i = 0; i < ARRAY_SIZE(kinds); i++) {
		fresh(state);
		k.section = kinds[i].section;
		k.wide = kinds[i].wide;
		cfi__begin_cie(&k, kinds[i].version, "", 1);
		put_cie_rules();
		put_fde_absolute(false);
		expect("1000 sp+8; 1004 sp+16; 1010 none", 0);
	}
	fresh(state);
	cfi__begin_cie(&k, 7, "", 1);
	put_cie_rules();
	put_fde_absolute(false);
	expect_nothing();
}

static void test_augmentations(void **state)
{
	/* A personality's pointer and a language's data are stepped over. */
	cfi__begin_cie(&k, 1, "zPLR", 1);
	CFI_PUT(&k, 7, DW_EH_PE_udata4, 1, 2, 3, 4, DW_EH_PE_udata4, DW_EH_PE_absptr);
	put_cie_rules();
	put_fde_absolute(true);
	expect_as_libdw("1000 sp+8; 1004 sp+16; 1010 none", 0);

	/* What is not known is stepped over too, unless it hides how addresses are written. */
	fresh(state);
	cfi__begin_cie(&k, 1, "zX", 1);
	CFI_PUT(&k, 2, 9, 9);
	put_cie_rules();
	put_fde_absolute(true);
	expect("1000 sp+8; 1004 sp+16; 1010 none", 0);
	fresh(state);
	cfi__begin_cie(&k, 1, "zXR", 1);
	CFI_PUT(&k, 2, 9, 9);
	put_cie_rules();
	put_fde_absolute(true);
	expect_nothing();
	fresh(state);
	cfi__begin_cie(&k, 1, "eh", 1);
	put_cie_rules();
	put_fde_absolute(false);
	expect_nothing();
}

/* Saying that it is a signal's frame does not make it one. */
static void test_signal_frames(void **state)
{
	cfi__begin_cie(&k, 1, "zS", 1);
	CFI_PUT(&k, 0);
	put_cie_rules();
	cfi__begin_fde(&k);
	cfi__num(&k, k.text, 8);
	cfi__num(&k, 0x10, 8);
	CFI_PUT(&k, 0, DW_CFA_def_cfa_expression, 4, DW_OP_breg7, 0xa0, 1, DW_OP_deref,
		DW_CFA_expression, 16, 3, DW_OP_breg7, 0xa8, 1, DW_CFA_expression, 6, 3,
		DW_OP_breg7, 0xf8, 0, MOVE(8), DW_CFA_expression, 16, 3, DW_OP_breg7, 0xb0, 1);
	cfi__end(&k);
	expect_as_libdw("1000 signal; 1008 none", 1);
}

/* --- ranges --- */

static void test_gaps(void **state)
{
	cfi__cie(&k, DW_EH_PE_udata4);
	CFI_FDE(&k, 0x00, 0x05, DW_CFA_nop);
	CFI_FDE(&k, 0x10, 0x0f, DW_CFA_def_cfa_offset, 16); /* 11 bytes of padding before it */
	CFI_FDE(&k, 0x21, 0x0f, DW_CFA_def_cfa_offset, 16); /* no function begins at 21 */
	CFI_FDE(&k, 0x40, 0x10, DW_CFA_def_cfa_offset, 16); /* 16 bytes are no padding */
	expect("1000 sp+8; 1010 sp+16; 101f none; 1021 sp+16; 1030 none; 1040 sp+16; 1050 none", 0);
}

/* As in glibc's clone: a system call between what is described and where the thread begins. */
static void test_left_out(void **state)
{
	cfi__cie(&k, DW_EH_PE_udata4);
	CFI_FDE(&k, 0x00, 0x17, DW_CFA_def_cfa_offset, 16, MOVE(0x10), DW_CFA_def_cfa_offset, 8);
	CFI_FDE(&k, 0x21, 0x10, DW_CFA_undefined, 16);
	CFI_FDE(&k, 0x51, 0x10, DW_CFA_def_cfa_offset, 16);
	CFI_FDE(&k, 0x66, 0x10, DW_CFA_nop); /* it is no call that goes on in there */
	CFI_FDE(&k, 0x87, 0x10, DW_CFA_nop); /* 17 bytes: too much */
	expect("1000 sp+16; 1010 sp+8; 1021 end; 1031 none; 1051 sp+16; 1061 none; 1066 sp+8;"
	       " 1076 none; 1087 sp+8; 1097 none",
	       0);
}

static void test_order_and_overlaps(void **state)
{
	struct unwind_table t;

	cfi__cie(&k, DW_EH_PE_udata4);
	CFI_FDE(&k, 0x100, 0x20, MOVE(0x18), DW_CFA_def_cfa_offset, 32);
	CFI_FDE(&k, 0x000, 0x20, DW_CFA_def_cfa_offset, 16);
	/* The first 8 bytes are the one's that begins before it; its rule there comes too late. */
	CFI_FDE(&k, 0x018, 0x20, DW_CFA_def_cfa_offset, 24, MOVE(4), DW_CFA_def_cfa_offset, 40);
	CFI_FDE(&k, 0x100, 0x30, DW_CFA_def_cfa_offset, 48);
	CFI_FDE(&k, 0x104, 0x08, DW_CFA_def_cfa_offset, 56);
	expect("1000 sp+16; 1020 sp+40; 1038 none; 1100 sp+8; 1118 sp+32; 1120 sp+48; 1130 none",
	       0);
	assert_int_equal(cfi__read(&k, &t), 0);
	assert_int_equal(t.overlaps, 3);
	assert_int_equal(t.ranges, 5);
	assert_int_equal(t.code_bytes, 0x38 + 0x30);
	unwind_table__free(&t);
}

static void test_high_addresses(void **state)
{
	struct unwind_table t;

	k.text = 0x7f0012345000;
	cfi__begin_cie(&k, 1, "zR", 1);
	CFI_PUT(&k, 1, DW_EH_PE_pcrel | DW_EH_PE_sdata4);
	put_cie_rules();
	cfi__begin_fde(&k);
	put_pointer(DW_EH_PE_pcrel | DW_EH_PE_sdata4, k.text + 0x10);
	cfi__num(&k, 0x10, 4);
	CFI_PUT(&k, 0);
	cfi__end(&k);
	expect_as_libdw("10 sp+8; 20 none", 0);
	assert_int_equal(cfi__read(&k, &t), 0);
	assert_int_equal(t.base, 0x7f0012345000);
	assert_int_equal(unwind_table__find(&t, t.base + 0x1f)->rule, UNWIND_CFA_SP);
	assert_int_equal(unwind_table__find(&t, t.base + 0x20)->rule, UNWIND_CFA_NONE);
	assert_null(unwind_table__find(&t, 0x10));
	assert_null(unwind_table__find(&t, t.base + 0x100000000));
	unwind_table__free(&t);
}

/* --- aarch64 --- */

static int fresh_aarch64(void **state)
{
	cfi__init(&k, EM_AARCH64);
	cfi__begin_cie(&k, 1, "zR", 4);
	CFI_PUT(&k, 1, DW_EH_PE_udata4, DW_CFA_def_cfa, 31, 0);
	cfi__end(&k);
	return 0;
}

static void test_aarch64_frames(void **state)
{
	/* stp x29, x30, [sp, #-32]!; mov x29, sp; signed return addresses */
	CFI_FDE(&k, 0, 0x40, MOVE(1), DW_CFA_GNU_window_save, MOVE(1), DW_CFA_def_cfa_offset, 32,
		DW_CFA_offset | 29, 4, DW_CFA_offset | 30, 3, MOVE(1), DW_CFA_def_cfa_register, 29,
		MOVE(8), DW_CFA_restore | 30, DW_CFA_restore | 29, DW_CFA_def_cfa, 31, 0);
	/* str x30, [sp, #-16]! */
	CFI_FDE(&k, 0x40, 0x20, MOVE(1), DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 30, 2);
	/* 4,656 bytes: sub sp, sp, x12; stp x29, x30, [sp] */
	CFI_FDE(&k, 0x80, 0x20, MOVE(1), DW_CFA_def_cfa_offset, 0xb0, 0x24, MOVE(1),
		DW_CFA_offset | 29, 0xc6, 4, DW_CFA_offset | 30, 0xc5, 4);
	/* only x29 */
	CFI_FDE(&k, 0x60, 0x20, MOVE(1), DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 29, 2);
	expect_as_libdw("1000 sp+0 lr; 1008 sp+32 fp-32 ra; 100c fp+32 fp-32 ra; 102c sp+0 lr; "
			"1044 sp+16 ra-16; 1060 sp+0 lr; 1064 sp+16 fp-16 lr; 1080 sp+0 lr; "
			"1084 sp+4656 lr; 1088 sp+4656 fp^+0 ra; 10a0 none",
			0);
}

static void test_aarch64_others(void **state)
{
	CFI_FDE(&k, 0, 0x10, DW_CFA_undefined, 30);
	/* saved far from each other */
	CFI_FDE(&k, 0x10, 0x10, DW_CFA_def_cfa_offset, 32, DW_CFA_offset | 29, 4,
		DW_CFA_offset | 30, 2);
	CFI_FDE(&k, 0x20, 0x10, DW_CFA_register, 30, 17);
	expect_as_libdw("1000 end; 1010 none", 2);
}

static void test_aarch64_plt(void **state)
{
	static const u8 push[] = {0xf0, 0x7b, 0xbf, 0xa9};

	k.code_section = ".plt";
	memcpy(k.code, push, sizeof(push));
	CFI_FDE(&k, 0xff0, 0x10, DW_CFA_def_cfa_offset, 32);
	expect("1000 sp+0 lr; 1004 sp+16 ra-8; 1020 sp+0 lr; 2000 none", 0);
}

static void test_aarch64_trampoline(void **state)
{
	static const u8 back[] = {0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4};

	memcpy(k.code + 0x84, back, sizeof(back));
	expect_nothing(); /* by itself it leads nowhere */
	CFI_FDE(&k, 0, 0x10, DW_CFA_nop);
	expect("1000 sp+0 lr; 1010 none; 1083 signal; 108c none", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_frames, fresh),
		cmocka_unit_test_setup(test_rbx, fresh),
		cmocka_unit_test_setup(test_moves, fresh),
		cmocka_unit_test_setup(test_extended_operations, fresh),
		cmocka_unit_test_setup(test_expressions, fresh),
		cmocka_unit_test_setup(test_plt_expressions, fresh),
		cmocka_unit_test_setup(test_outermost, fresh),
		cmocka_unit_test(test_odd),
		cmocka_unit_test_setup(test_other_registers, fresh),
		cmocka_unit_test(test_broken_programs),
		cmocka_unit_test_setup(test_backwards, fresh),
		cmocka_unit_test_setup(test_remembered_too_deep, fresh),
		cmocka_unit_test_setup(test_past_the_end, fresh),
		cmocka_unit_test_setup(test_broken_sections, fresh),
		cmocka_unit_test(test_encodings),
		cmocka_unit_test(test_versions),
		cmocka_unit_test_setup(test_augmentations, fresh),
		cmocka_unit_test_setup(test_signal_frames, fresh),
		cmocka_unit_test_setup(test_gaps, fresh),
		cmocka_unit_test_setup(test_left_out, fresh),
		cmocka_unit_test_setup(test_order_and_overlaps, fresh),
		cmocka_unit_test_setup(test_high_addresses, fresh),
		cmocka_unit_test_setup(test_aarch64_frames, fresh_aarch64),
		cmocka_unit_test_setup(test_aarch64_others, fresh_aarch64),
		cmocka_unit_test_setup(test_aarch64_plt, fresh_aarch64),
		cmocka_unit_test_setup(test_aarch64_trampoline, fresh_aarch64),
	};

	return cmocka_run_group_tests(tests, setup, scratch__remove);
}
