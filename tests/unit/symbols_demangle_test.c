/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/arena.h"
#include "symbols/demangle.h"

static void expect(const char *linkage, const char *plain)
{
	char *s = demangle(linkage);

	if (!plain)
		assert_null(s);
	else
		assert_string_equal(s ? s : "(nothing)", plain);
	free(s);
}

static void test_names(void **state)
{
	expect("_ZN3foo3barEv", "foo::bar()");
	expect("_ZNSt6vectorIiSaIiEE9push_backERKi",
	       "std::vector<int, std::allocator<int> >::push_back(int const&)");
	expect("_Z3fooi.cold", "foo(int) [.cold]");
	expect("_Z3fooi.constprop.0.isra.1", "foo(int) [.constprop.0.isra.1]");
	expect("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt");
	expect("_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar"
	       "17h930b740aa94f1d3aE",
	       "<Test + 'static as foo::Bar<Test>>::bar");
	expect("_RNvC6_123foo3bar", "123foo::bar");
	expect("_RNvC5krate4main.llvm.42", "krate::main [.llvm.42]");
	expect("main", NULL);
	expect("", NULL);
	expect("_Z", NULL);
	expect("_R", NULL);
	expect("_ZN", NULL);
	expect(".cold", NULL);
	expect("runtime.goexit.abi0", NULL);
}

/* Of 4.13, and of 5.1 on. */
static void test_haskell(void **state)
{
	expect("base_GHCziBase_zpzp_info", "GHC.Base.++");
	expect("Main_zdwhot70_info", "Main.$whot70");
	expect("base_DataziOldList_zdwgenericTake_info", "Data.OldList.$wgenericTake");
	expect("containerszm0zi6zi5zi1_DataziMapziInternal_insertzq_info", "Data.Map.Internal.insert'");
	expect("ghczmprim_GHCziTypes_ZC_con_info", "GHC.Types.: [con_info]");
	expect("ghczmprim_GHCziTuple_Z3T_con_info", "GHC.Tuple.(,,) [con_info]");
	expect("base_GHCziBase_zzipWith_slow", "GHC.Base.zipWith [slow]");
	expect("text_DataziText_a_closure", "Data.Text.a [closure]");
	/* Nothing to undo, or not of that form: C's, as far as anybody knows. */
	expect("Main_works_info", NULL);
	expect("Foo_zip_info", NULL);
	expect("foo_bar_zd_info", NULL);
	expect("Main_zx_info", NULL);
	expect("Main_Z99T_info", NULL);
	expect("Main_Z3_info", NULL);
	expect("Main_zd", NULL);
	expect("_info", NULL);
	expect("__info", NULL);
	expect("Main__info", NULL);
	expect("a_b_c_d_e_f_zd_info", NULL);
}

static void test_ocaml(void **state)
{
	expect("camlStdlib__List__iter_261", "Stdlib.List.iter_261");
	expect("camlFib__descend_95", "Fib.descend_95");
	expect("camlStdlib__$5e$5e_444", "Stdlib.^^_444");
	expect("camlFib__next$27_12", "Fib.next'_12");
	expect("camlStdlib__List.iter_261", "Stdlib.List.iter_261");
	expect("camlFib__fun_$", "Fib.fun_$");
	expect("caml_main", NULL); /* the runtime's, which is C */
	expect("camlCase", NULL);
	expect("camlX", NULL);
}

/* Hashes of crates are digits of base 62 and hold whatever looks like something else. */
static void test_rust(void **state)
{
#define NAME(linkage, plain) expect(linkage, plain);
#include "tests/unit/rust_names.def"
#undef NAME
}

/* Where a demangler would count lifetimes for minutes: at any place that it may get to, through
 * types that look like hashes and references into identifiers too. */
static void test_lifetimes(void **state)
{
	static const char *const names[] = {
		"_RINvC1a1bFGzzzzzzz_EuE",	 /* a type */
		"_RINvC1a1bTsFGzzzzzzz_EuEE",	 /* i16 before it, which is s as before a hash */
		"_RINvC1a1bDGzzzzzzz_NtC1c1dEL_E", /* of a trait object */
		"_RNvMC1aFGzzzzzzz_Eu1b",	 /* in a part that is not printed */
		"_RINvC14XFGzzzzzzz_Eu1bB4_E",	 /* an identifier has it, and is referred to */
		"_RINvC1a1bB5_E",		 /* into an identifier */
		"_RINvC1a1bBzz_E",		 /* to what comes later */
	};

	for (u32 i = 0; i < ARRAY_SIZE(names); i++)
		expect(names[i], NULL);
	expect("_RINvC1a1bFG0_RL1_hRL0_hEuE", "a::b::<for<'a, 'b> fn(&'a u8, &'b u8)>");
}

/* pair<pair<..>, pair<..>>: each level twice the one before. */
static char *doubling(u32 levels)
{
	char *s = xstrdup("_Z1fSt4pairIiiE");

	for (u32 i = 0; i < levels; i++) {
		/* substitutions S_, S0_, S1_ ... S9_, SA_ */
		char last[4] = {(char)(i < 10 ? '0' + i : 'A' + i - 10), '_', '\0'};
		char *t = xasprintf("%sS_IS%sS%sE", s, last, last);

		free(s);
		s = t;
	}
	return s;
}

static void test_bounded(void **state)
{
	char *deep = xmalloc(20002), *s;
	size_t longest = 0;

	for (u32 levels = 0; levels < 30; levels++) {
		char *in = doubling(levels);

		s = demangle(in);
		longest = MAX(longest, s ? strlen(s) : 0);
		free(s);
		free(in);
	}
	assert_int_equal(longest, DEMANGLE_MAX_OUT);
	/* too long, and as deep as is let through */
	strcpy(deep, "_Z1f");
	memset(deep + 4, 'P', 19996);
	strcpy(deep + 20000, "i");
	expect(deep, NULL);
	strcpy(deep + 4000, "i");
	s = demangle(deep);
	free(s);
	memset(deep, 'R', 4000);
	memcpy(deep, "_RNv", 4);
	deep[4000] = '\0';
	s = demangle(deep);
	free(s);
	/* a number of lifetimes that is not printed */
	strcpy(deep, "_RYMMsr_NtCs_3qtl4pahtTC0oooF");
	memset(deep + 29, 'G', 100);
	strcpy(deep + 129, "FFFzB_r");
	expect(deep, NULL);
	free(deep);
}

/* Whatever comes, no crash: mutations of real names. */
static void test_noise(void **state)
{
	static const char *const seeds[] = {
		"_ZNSt6vectorIiSaIiEE9push_backERKi", "_RNvXs_NtC3std2ioNtB4_3FooNtB4_4Read4read",
		"_ZZN1A1fEvENKUlT_E_clIiEEDaS0_", "_ZN4core3ptr17h0123456789abcdefE",
		"_RINvNtC3std3mem8align_ofNtNtC3std3mem12DiscriminantKj7b_EE"};
	u64 x = 1;

	for (u32 i = 0; i < 20000; i++) {
		char buf[128], *s;
		size_t n;

		copy_str(buf, sizeof(buf), seeds[i % ARRAY_SIZE(seeds)]);
		n = strlen(buf);
		for (u32 j = 0; j < 3; j++) {
			x = mix64(x + j + 1);
			buf[2 + x % (n - 2)] = (char)('0' + (x >> 20) % 75);
		}
		s = demangle(buf);
		free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_haskell),
		cmocka_unit_test(test_ocaml),
		cmocka_unit_test(test_rust),
		cmocka_unit_test(test_lifetimes),
		cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_noise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
