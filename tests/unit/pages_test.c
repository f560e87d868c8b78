/* SPDX-License-Identifier: GPL-2.0-only */
/* Which mappings are a file's and were never written, and that what is dropped comes back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/pages.h"

static void of_text(void **state)
{
	char text[] = "5000-7000 r-xp 00001000 fe:00 12   /usr/bin/a b-c\n"
		      "Rss:        8 kB\nAnonymous:             0 kB\nVmFlags: rd ex mr mw me\n"
		      "7000-9000 r--p 00003000 fe:00 12   /usr/bin/relocated\n"
		      "Anonymous:             4 kB\n"
		      "9000-a000 rw-p 00005000 fe:00 12   /usr/bin/data\n"
		      "Anonymous:             0 kB\n"
		      "a000-b000 r--p 00000000 00:00 0    [vvar]\n"
		      "Anonymous:             0 kB\n"
		      "b000-c000 r--s 00000000 00:0e 7    anon_inode:bpf-map\n"
		      "Anonymous:             0 kB\n"
		      "c000-d000 ---p 00000000 fe:00 13   /usr/lib/gap\n"
		      "Anonymous:             0 kB\n"
		      "d000-f000 r--p 00000000 fe:00 13   /usr/lib/constants\n"
		      "Anonymous:             0 kB\n"
		      "Anonymous:             0 kB\nnonsense\n";
	FILE *smaps = fmemopen(text, sizeof(text) - 1, "r");
	struct pages_range r;

	assert_true(pages__next_clean(smaps, &r));
	assert_int_equal(r.start, 0x5000);
	assert_int_equal(r.end, 0x7000);
	assert_true(pages__next_clean(smaps, &r));
	assert_int_equal(r.start, 0xd000);
	assert_int_equal(r.end, 0xf000);
	assert_false(pages__next_clean(smaps, &r));
	fclose(smaps);
}

static bool is_there(const void *page)
{
	FILE *map = fopen("/proc/self/pagemap", "re");
	u64 entry = 0;

	assert_non_null(map);
	assert_int_equal(fseek(map, (long)((uintptr_t)page / (uintptr_t)getpagesize() * sizeof(entry)), SEEK_SET), 0);
	assert_int_equal(fread(&entry, sizeof(entry), 1, map), 1);
	fclose(map);
	return entry >> 63;
}

/* One mapping is as it was read, one was written to: what was written stays. */
static void of_own(void **state)
{
	size_t page = (size_t)getpagesize();
	int fd = memfd_create("pages", 0);
	char *clean, *written;

	assert_int_equal(ftruncate(fd, (off_t)page), 0);
	assert_int_equal(pwrite(fd, "file", 5, 0), 5);
	clean = mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0);
	written = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(clean, MAP_FAILED);
	assert_ptr_not_equal(written, MAP_FAILED);
	strcpy(written, "mine");
	assert_int_equal(mprotect(written, page, PROT_READ), 0);
	assert_string_equal(clean, "file");
	assert_true(is_there(clean));
	assert_true(pages__drop_files() >= page);
	assert_false(is_there(clean));
	assert_true(is_there(written));
	assert_string_equal(clean, "file");
	assert_string_equal(written, "mine");
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_text),
		cmocka_unit_test(of_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
