/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc/kallsyms as it comes: modules, BPF programs, hidden addresses, broken lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/memory.h"
#include "symbols/kallsyms.h"
#include "tests/lib/skip.h"

static int file_of(const char *text)
{
	int fd = memfd_create("kallsyms", 0);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static struct kallsyms *from_text(const char *text)
{
	int fd = file_of(text);
	struct kallsyms *k = kallsyms__read(fd);

	close(fd);
	return k;
}

static bool hides(const char *text)
{
	int fd = file_of(text);
	bool hidden = kallsyms__hides(fd);

	close(fd);
	return hidden;
}

static const char *name_at(const struct kallsyms *k, u64 addr)
{
	struct kallsym s;

	return kallsyms__find(k, addr, &s) ? s.name : "";
}

static void test_names(void **state)
{
	struct kallsyms *k = from_text("0000000000000000 A fixed_percpu_data\n"
				       "ffffffff81000000 T _stext\n"
				       "ffffffff81000000 T _text\n"
				       "ffffffff81000000 t local_alias_with_a_long_name\n"
				       "ffffffff81000100 t __do_it\n"
				       "ffffffff81000100 W do_it\n"
				       "ffffffff810001f0 T __pfx_next\n"
				       "ffffffff81000200 T next\n"
				       "ffffffff81000280 D some_data\n"
				       "ffffffff81000300 t last\n");
	struct kallsym s;

	assert_string_equal(name_at(k, 0xffffffff81000000), "_stext");
	assert_string_equal(name_at(k, 0xffffffff810000ff), "_stext");
	assert_string_equal(name_at(k, 0xffffffff81000100), "do_it");
	assert_string_equal(name_at(k, 0xffffffff810001f8), "do_it");
	assert_true(kallsyms__find(k, 0xffffffff81000250, &s));
	assert_string_equal(s.name, "next");
	assert_int_equal(s.start, 0xffffffff81000200);
	assert_int_equal(s.size, 0x100);
	assert_string_equal(s.module, "");
	assert_string_equal(name_at(k, 0xffffffff81000301), "last");
	assert_string_equal(name_at(k, 0xffffffff80ffffff), "");
	assert_string_equal(name_at(k, 0xffffffff81100000), "");
	assert_string_equal(name_at(k, 0), "");
	assert_false(kallsyms__hidden(k));
	kallsyms__free(k);
}

static void test_modules(void **state)
{
	struct kallsyms *k =
		from_text("ffffffff81000000 T kernel_func\n"
			  "ffffffffc0002000 t nft_do_chain\t[nf_tables]\n"
			  "ffffffffc0001000 t a_of_a\t[a]\n"
			  "ffffffffc0001100 t b_of_a\t[a]\n"
			  "ffffffffc0100000 t bpf_prog_6deef7357e7b4530_sd_devices\t[bpf]\n"
			  "ffffffffc0100100 t ftrace_trampoline\t[__builtin__ftrace]\n");
	struct kallsym s;

	assert_true(kallsyms__find(k, 0xffffffffc0001180, &s));
	assert_string_equal(s.name, "b_of_a");
	assert_string_equal(s.module, "a");
	/* a module's last function does not reach into the next module, nor far */
	assert_true(kallsyms__find(k, 0xffffffffc0001fff, &s));
	assert_true(kallsyms__find(k, 0xffffffffc0002000, &s));
	assert_string_equal(s.module, "nf_tables");
	assert_false(kallsyms__find(k, 0xffffffffc0080000, &s));
	assert_true(kallsyms__find(k, 0xffffffffc0100010, &s));
	assert_string_equal(s.module, "bpf");
	assert_true(kallsyms__find(k, 0xffffffffc0100100, &s));
	assert_string_equal(s.module, "__builtin__ftrace");
	kallsyms__free(k);
}

static void test_far_apart(void **state)
{
	struct kallsyms *k = from_text("ffff800008000000 T low\n"
				       "ffff800008000010 T low2\n"
				       "ffff900008000000 T high\n"
				       "ffff900008000010 T high2\n");

	assert_string_equal(name_at(k, 0xffff800008000008), "low");
	assert_string_equal(name_at(k, 0xffff800008000018), "low2");
	assert_string_equal(name_at(k, 0xffff900008000008), "high");
	assert_string_equal(name_at(k, 0xffff900008000018), "high2");
	kallsyms__free(k);
}

static void test_hidden(void **state)
{
	struct kallsyms *k = from_text("0000000000000000 T _text\n0000000000000000 t other\n");

	assert_true(kallsyms__hidden(k));
	assert_int_equal(kallsyms__count(k), 0);
	assert_string_equal(name_at(k, 0xffffffff81000000), "");
	kallsyms__free(k);
	k = from_text("");
	assert_false(kallsyms__hidden(k));
	assert_int_equal(kallsyms__count(k), 0);
	kallsyms__free(k);
	k = kallsyms__read(-1);
	assert_int_equal(kallsyms__count(k), 0);
	kallsyms__free(k);
}

/* The first function tells. */
static void test_hides(void **state)
{
	char *text = xmalloc(300000), *end = text;

	assert_true(hides("0000000000000000 A some_data\n0000000000000000 T _text\n"));
	assert_false(hides("0000000000000000 A some_data\nffffffff81000000 T _text\n"));
	assert_false(hides("0000000000000000 A some_data\n"));
	assert_false(hides(""));
	assert_false(kallsyms__hides(-1));
	/* However much comes before it. */
	for (u32 i = 0; i < 5000; i++)
		end += sprintf(end, "0000000000000000 A data_of_each_cpu_%u\n", i);
	strcpy(end, "0000000000000000 T _text\n");
	assert_true(hides(text));
	strcpy(end, "ffffffff81000000 T _text\n");
	assert_false(hides(text));
	free(text);
}

static void test_broken(void **state)
{
	char *longest = xmalloc(300000), *text;
	struct kallsyms *k;

	memset(longest, 'x', 299999);
	longest[299999] = '\0';
	text = xasprintf("garbage\n\nffffffff81000000\nffffffff81000000 T\nffffffff81000000 T \n"
			 "zz T name\nffffffff81000000 T %s\n"
			 "ffffffff81000010 T good\t[unclosed\nffffffff81000020 T fine\t[]\n"
			 "ffffffff81000030 T after",
			 longest);
	k = from_text(text);
	assert_string_equal(name_at(k, 0xffffffff81000012), "good");
	assert_string_equal(name_at(k, 0xffffffff81000022), "fine");
	kallsyms__free(k);
	free(text);
	free(longest);
}

/* The machine's own, if it shows its addresses: every line against a look-up. */
static void test_own(void **state)
{
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	struct kallsyms *k = kallsyms__read(fd);
	FILE *f = fdopen(fd, "r");
	char line[512], type, name[256];
	u32 seen = 0, same = 0;
	unsigned long addr;
	struct kallsym s;

	if (!kallsyms__count(k)) {
		fclose(f);
		kallsyms__free(k);
		skip_because("this user sees no kernel addresses");
	}
	rewind(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx %c %255s", &addr, &type, name) != 3 ||
		    !strchr("tTwW", type) || !strncmp(name, "__pfx_", 6) ||
		    !strncmp(name, "__cfi_", 6))
			continue;
		/* Modules, and programs of BPF, come and go between two looks. */
		if (strchr(line, '['))
			continue;
		seen++;
		assert_true(kallsyms__find(k, addr, &s));
		assert_int_equal(s.start, addr);
		same += !strcmp(s.name, name);
	}
	assert_true(seen > 1000);
	assert_true(same > seen * 9 / 10); /* the rest are aliases */
	assert_true(kallsyms__bytes(k) < 40 * (u64)seen);
	fclose(f);
	kallsyms__free(k);
}

/* Packed, names are the same, wherever they are asked for. */
static void test_packed(void **state)
{
	char *text = NULL, want[16];
	struct kallsyms *k, *plain;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	enum { MANY = 20000 };

	for (u64 i = 0; i < MANY; i++)
		fprintf(out, "%llx T function_%llu\n", 0xffffffff81000000ULL + i * 16, (unsigned long long)i);
	fclose(out);
	plain = from_text(text);
	memory__be_content((u64)200 << 20);
	k = from_text(text);
	memory__be_content(MEMORY_NO_LIMIT);
	for (u64 i = 0; i < MANY; i++) {
		u64 at = i * 7919 % MANY;

		snprintf(want, sizeof(want), "function_%llu", (unsigned long long)at);
		assert_string_equal(name_at(k, 0xffffffff81000000ULL + at * 16), want);
		assert_string_equal(name_at(plain, 0xffffffff81000000ULL + at * 16), want);
	}
	assert_true(kallsyms__bytes(k) < kallsyms__bytes(plain) * 2 / 3);
	kallsyms__free(k);
	kallsyms__free(plain);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),	  cmocka_unit_test(test_modules),
		cmocka_unit_test(test_far_apart), cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_hides),	  cmocka_unit_test(test_broken),
		cmocka_unit_test(test_own),	  cmocka_unit_test(test_packed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
