/* SPDX-License-Identifier: GPL-2.0-only */
/* ELF files cut short, with bytes changed, and made to be large: no crash, bounded time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "symbols/code.h"
#include "symbols/elf.h"
#include "tests/lib/elf_map.h"
#include "tests/lib/memory_peak.h"
#include "tests/lib/sparse_elf.h"

static u8 *image;
static size_t image_size;

/* All that is read: .symtab, PLT, .eh_frame_hdr, .gnu_debugdata, a debuglink. */
static int setup(void **state)
{
	struct stat st;
	char *path;
	FILE *f;

	if (scratch__make("symbols_broken_test"))
		return -1;
	write_file("s.c", "#include <stdlib.h>\nint f(int x) { return x * rand(); }\n"
			  "int main(int c, char **v) { return f(c) + abs(c); }\n");
	run("gcc -O1 s.c -Wl,-z,noseparate-code -o p && xz -k p && "
	    "objcopy --add-section .gnu_debugdata=p.xz p && "
	    "objcopy --only-keep-debug p p.debug && objcopy --add-gnu-debuglink=p.debug p");
	path = xasprintf("%s/p", scratch_dir);
	f = fopen(path, "r");
	free(path);
	assert_int_equal(fstat(fileno(f), &st), 0);
	image_size = (size_t)st.st_size;
	image = xmalloc(image_size);
	assert_int_equal(fread(image, 1, image_size, f), image_size);
	fclose(f);
	return 0;
}

static int teardown(void **state)
{
	free(image);
	return scratch__remove(state);
}

static u32 load(int fd)
{
	struct code_origin o = {.path = "/nowhere/p", .root = ""};
	struct code c = {0};
	u64 vaddr, back;
	u32 n;

	code__load_elf(&c, fd, &o, NULL, NULL);
	n = c.tab.n;
	for (u64 a = 0; a < 0x4000; a += 0x3b) {
		symtab__find(&c.tab, a, &(struct symbol){0});
		if (code__vaddr(&c, a, &vaddr))
			code__offset(&c, vaddr, &back);
	}
	assert_true(c.is_elf || c.note[0]);
	code__fini(&c);
	return n;
}

static int file_of(const void *bytes, size_t size)
{
	int fd = memfd_create("elf", 0);

	assert_int_equal(write(fd, bytes, size), size);
	return fd;
}

static void test_whole(void **state)
{
	int fd = file_of(image, image_size);

	assert_true(load(fd) > 5);
	close(fd);
}

static void test_cut(void **state)
{
	int fd = file_of(image, image_size);

	for (size_t size = image_size; size-- > 0;) {
		if (size % 64)
			continue;
		assert_int_equal(ftruncate(fd, (off_t)size), 0);
		load(fd);
	}
	close(fd);
}

static void change(u8 *bytes, size_t size, u64 *x)
{
	for (u32 i = 0; i < 4; i++) {
		*x = mix64(*x + i + 1);
		/* headers more often than the rest */
		bytes[*x % (*x >> 40 & 1 ? MIN(size, (size_t)1024) : size)] = (u8)(*x >> 32);
	}
}

static void test_changed(void **state)
{
	u8 *bytes = xmalloc(image_size);
	u64 x = 1;

	for (u32 i = 0; i < 1000; i++) {
		int fd;

		memcpy(bytes, image, image_size);
		change(bytes, image_size, &x);
		/* the section headers are at the end */
		change(bytes + image_size - 2048, 2048, &x);
		fd = file_of(bytes, image_size);
		load(fd);
		close(fd);
	}
	free(bytes);
}

/* Sparse files whose headers promise gigabytes. */
static void test_promises(void **state)
{
	Elf64_Ehdr *h = xmalloc(image_size);
	Elf64_Shdr *sh;
	int fd;

	memcpy(h, image, image_size);
	sh = (void *)((u8 *)h + h->e_shoff);
	for (u32 i = 1; i < h->e_shnum; i++)
		sh[i].sh_size = 20ull << 30;
	fd = file_of(h, image_size);
	assert_int_equal(ftruncate(fd, 64ll << 30), 0);
	load(fd);
	h->e_shnum = 0;
	sh[0].sh_size = 1u << 30;
	assert_int_equal(pwrite(fd, h, image_size, 0), image_size);
	load(fd);
	close(fd);
	free(h);
}

static void load_quietly(int fd)
{
	struct code c = {0};

	code__load_elf(&c, fd, NULL, NULL, NULL);
	code__fini(&c);
}

static void expect_refused(const struct sparse_elf *e)
{
	int fd = sparse_elf__make(e);
	struct code c = {0};

	assert_in_range(memory_peak(load_quietly, fd), 0, 63);
	code__load_elf(&c, fd, NULL, NULL, NULL);
	assert_false(c.is_elf);
	code__fini(&c);
	close(fd);
}

/* Each of a size that one may have, and the same place in the file: libdwelf reads notes one after
 * the other until it finds a build-id. */
static void test_many_notes(void **state)
{
	struct sparse_elf e = {.sections = 40, .type = SHT_NOTE, .size = 8u << 20};

	expect_refused(&e);
	e = (struct sparse_elf){.segments = 40, .size = 8u << 20};
	expect_refused(&e);
	e = (struct sparse_elf){
		.sections = 40, .type = SHT_PROGBITS, .size = 8u << 20, .name = ".gnu_debuglink"};
	expect_refused(&e);
	/* Few of them are none of its business. */
	e = (struct sparse_elf){.sections = 2, .type = SHT_NOTE, .size = 4096};
	int fd = sparse_elf__make(&e);
	struct code c = {0};

	code__load_elf(&c, fd, NULL, NULL, NULL);
	assert_true(c.is_elf);
	code__fini(&c);
	close(fd);
}

/* libelf would unpack them. */
static void test_packed_names(void **state)
{
	expect_refused(&(struct sparse_elf){.sections = 1,
					    .type = SHT_PROGBITS,
					    .size = 4096,
					    .name = ".text",
					    .names_flags = SHF_COMPRESSED});
}

/* What is read of one file comes out of one purse. */
static void test_budget(void **state)
{
	struct sparse_elf e = {.sections = 2, .type = SHT_PROGBITS, .size = 1u << 20};
	struct byte_budget budget = {.left = 3u << 19};
	int fd = sparse_elf__make(&e);
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	assert_non_null(elf__bytes(elf_getscn(elf, 2), &budget));
	assert_false(budget.over);
	assert_null(elf__bytes(elf_getscn(elf, 3), &budget));
	assert_true(budget.over);
	assert_int_equal(budget.left, 1u << 19);
	elf_end(elf);
	close(fd);
	assert_in_range(elf__budget().left, 1, 512u << 20);
}

/* A table of symbols beyond all bounds is left out, and it is said. */
static void test_large_symtab(void **state)
{
	struct sparse_elf e = {.sections = 1, .type = SHT_SYMTAB, .size = 600u << 20};
	int fd = sparse_elf__make(&e);
	struct code c = {0};

	assert_in_range(memory_peak(load_quietly, fd), 0, 63);
	code__load_elf(&c, fd, NULL, NULL, NULL);
	assert_true(c.is_elf);
	assert_non_null(strstr(c.note, "more memory than they may"));
	code__fini(&c);
	close(fd);
}

static void test_no_elf(void **state)
{
	static const char *const texts[] = {"", "x", "#!/bin/sh\n", "\177ELF", "!<arch>\n"};
	char page[4096] = "\177ELF\2\1\1";

	for (u32 i = 0; i < ARRAY_SIZE(texts); i++) {
		int fd = file_of(texts[i], strlen(texts[i]));

		assert_int_equal(load(fd), 0);
		close(fd);
	}
	int fd = file_of(page, sizeof(page));

	assert_int_equal(load(fd), 0);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),	     cmocka_unit_test(test_cut),
		cmocka_unit_test(test_changed),	     cmocka_unit_test(test_promises),
		cmocka_unit_test(test_no_elf),	     cmocka_unit_test(test_many_notes),
		cmocka_unit_test(test_packed_names), cmocka_unit_test(test_budget),
		cmocka_unit_test(test_large_symtab),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
