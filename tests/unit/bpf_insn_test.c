// SPDX-License-Identifier: GPL-2.0-only
/* Instructions of BPF programs in words: one of each kind, and whatever bytes there may be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "symbols/bpf_insn.h"

#define INSN(c, d, s, o, i) {.code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i)}

static const struct {
	struct bpf_insn insn[2];
	const char *name, *text;
} known[] = {
	{{INSN(0xbf, 7, 1, 0, 0)}, "", "r7 = r1"},
	{{INSN(0xbc, 7, 1, 0, 0)}, "", "w7 = w1"},
	{{INSN(0xb7, 1, 0, 0, -40)}, "", "r1 = -40"},
	{{INSN(0x04, 3, 0, 0, 8)}, "", "w3 += 8"},
	{{INSN(0x0f, 3, 1, 0, 0)}, "", "r3 += r1"},
	{{INSN(0xc7, 3, 0, 0, 32)}, "", "r3 s>>= 32"},
	{{INSN(0x37, 3, 0, 1, 10)}, "", "r3 s/= 10"},
	{{INSN(0x9f, 3, 2, 0, 0)}, "", "r3 %= r2"},
	{{INSN(0x87, 2, 0, 0, 0)}, "", "r2 = -r2"},
	{{INSN(0xbf, 2, 3, 8, 0)}, "", "r2 = (s8)r3"},
	{{INSN(0xbf, 0, 0, -1, 0)}, "", "r0 = &(void __percpu *)(r0)"},
	{{INSN(0xdc, 1, 0, 0, 16)}, "", "r1 = be16 r1"},
	{{INSN(0xd4, 1, 0, 0, 64)}, "", "r1 = le64 r1"},
	{{INSN(0xd7, 1, 0, 0, 32)}, "", "r1 = bswap32 r1"},
	{{INSN(0x79, 6, 7, 8, 0)}, "", "r6 = *(u64 *)(r7 +8)"},
	{{INSN(0x71, 6, 10, -1, 0)}, "", "r6 = *(u8 *)(r10 -1)"},
	{{INSN(0x91, 6, 7, 2, 0)}, "", "r6 = *(s8 *)(r7 +2)"},
	{{INSN(0x63, 10, 1, -16, 0)}, "", "*(u32 *)(r10 -16) = r1"},
	{{INSN(0x6a, 10, 0, -4, 9)}, "", "*(u16 *)(r10 -4) = 9"},
	{{INSN(0xdb, 1, 2, 0, 0)}, "", "lock *(u64 *)(r1 +0) += r2"},
	{{INSN(0xc3, 1, 2, 4, 0x40)}, "", "lock *(u32 *)(r1 +4) |= r2"},
	{{INSN(0xdb, 1, 2, 0, 1)}, "", "r2 = atomic64_fetch_add((u64 *)(r1 +0), r2)"},
	{{INSN(0xc3, 1, 2, 0, 0xa1)}, "", "r2 = atomic_fetch_xor((u32 *)(r1 +0), r2)"},
	{{INSN(0xdb, 1, 2, 0, 0xe1)}, "", "r2 = atomic64_xchg((u64 *)(r1 +0), r2)"},
	{{INSN(0xdb, 1, 2, 0, 0xf1)}, "", "r0 = atomic64_cmpxchg((u64 *)(r1 +0), r0, r2)"},
	{{INSN(0xdb, 1, 2, 0, 0x100)}, "", "r1 = load_acquire((u64 *)(r2 +0))"},
	{{INSN(0xdb, 1, 2, 0, 0x110)}, "", "store_release((u64 *)(r1 +0), r2)"},
	{{INSN(0x30, 0, 0, 0, 23)}, "", "r0 = *(u8 *)skb[23]"},
	{{INSN(0x48, 0, 6, 0, 14)}, "", "r0 = *(u16 *)skb[r6 + 14]"},
	{{INSN(0x18, 1, 0, 0, 5), INSN(0, 0, 0, 0, 1)}, "", "r1 = 0x100000005"},
	{{INSN(0x18, 1, 1, 0, 12)}, "counts", "r1 = map[id:12]  # counts"},
	{{INSN(0x18, 1, 2, 0, 12), INSN(0, 0, 0, 0, 144)}, "", "r1 = map[id:12][0]+144"},
	{{INSN(0x18, 2, 4, 0, 33)}, "each", "r2 = subprog[+33]  # each"},
	{{INSN(0x85, 0, 0, 0, 1234)}, "bpf_ktime_get_ns", "call bpf_ktime_get_ns#1234"},
	{{INSN(0x85, 0, 0, 0, 5)}, "", "call unknown#5"},
	{{INSN(0x85, 0, 1, 17, 1)}, "frame__ends", "call pc+17#frame__ends"},
	{{INSN(0x95, 0, 0, 0, 0)}, "", "exit"},
	{{INSN(0x05, 0, 0, -9, 0)}, "", "goto pc-9"},
	{{INSN(0x06, 0, 0, 0, 70000)}, "", "gotol pc+70000"},
	{{INSN(0xe5, 0, 0, 3, 0)}, "", "may_goto pc+3"},
	{{INSN(0x15, 8, 0, 49, 0)}, "", "if r8 == 0x0 goto pc+49"},
	{{INSN(0xa6, 2, 0, 1, -1)}, "", "if w2 < 0xffffffff goto pc+1"},
	{{INSN(0xcd, 1, 9, 18, 0)}, "", "if r1 s< r9 goto pc+18"},
	{{INSN(0x45, 1, 0, 2, 8)}, "", "if r1 & 0x8 goto pc+2"},
};

static void each_kind(void **state)
{
	char text[128];

	for (u32 i = 0; i < ARRAY_SIZE(known); i++) {
		bpf_insn__text(known[i].insn, known[i].name, text, sizeof(text));
		assert_string_equal(text, known[i].text);
	}
}

/* Each operation code, with the numbers that are out of the ordinary: a text that ends within its place. */
static void any_bytes(void **state)
{
	static const s32 numbers[] = {0, 1, -1, 0xf1, 0x110, INT32_MAX, INT32_MIN};
	char text[24];

	for (u32 code = 0; code < 256; code++)
		for (u32 i = 0; i < ARRAY_SIZE(numbers) * 16; i++) {
			struct bpf_insn insn[2] = {INSN((u8)code, 15, i / ARRAY_SIZE(numbers), -1,
							numbers[i % ARRAY_SIZE(numbers)])};

			memset(text, 'x', sizeof(text));
			bpf_insn__text(insn, "a_name_that_is_long", text, sizeof(text));
			assert_non_null(memchr(text, '\0', sizeof(text)));
			assert_true(*text);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind),
		cmocka_unit_test(any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
