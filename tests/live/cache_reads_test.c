// SPDX-License-Identifier: GPL-2.0-only
/* What is read and mapped is a hit or a miss, and what is read ahead neither. */
#include "tests/live/cache_watcher.h"

#include <sys/sendfile.h>
#include <sys/uio.h>

/* --- reads --- */

static void cold_then_warm_in(size_t pages, size_t chunk)
{
	struct file f = file__new(pages * PAGE);
	struct watcher *w = watcher__all();

	file__drop(&f);
	watcher__begin(w, f.inode);
	file__read(&f, chunk);
	watcher__drain(w);
	same(file__cached(&f), pages);
	same(file__counted(&f), pages);
	if (w->n[CACHE_READ_MISSES] + w->n[CACHE_AHEAD_ADDED] != pages)
		complain("%zu pages: %s", pages, watcher__told(w));
	want(w, CACHE_READ_HITS, w->n[CACHE_AHEAD_ADDED]);
	want(w, CACHE_AHEAD_USED, w->n[CACHE_AHEAD_ADDED]);
	want(w, CACHE_AHEAD_WASTED, 0);
	want(w, CACHE_OTHER_ADDED, 0);
	same(w->misses, w->n[CACHE_READ_MISSES]);
	watcher__begin(w, f.inode);
	file__read(&f, chunk);
	watcher__drain(w);
	want(w, CACHE_READ_HITS, pages);
	want(w, CACHE_READ_MISSES, 0);
	want(w, CACHE_AHEAD_ADDED, 0);
	watcher__close(w);
	file__end(&f);
}

STEADY(cold_then_warm)
{
	cold_then_warm_in(4096, 4096);
	cold_then_warm_in(4096, 65536);
	cold_then_warm_in(4096, 1 << 20);
	cold_then_warm_in(1, 4096);
}

STEADY(random_preads)
{
	struct file f = file__new(512 * PAGE);
	struct watcher *w = watcher__all();

	file__drop(&f);
	assert_int_equal(posix_fadvise(f.fd, 0, 0, POSIX_FADV_RANDOM), 0);
	for (int round = 0; round < 2; round++) {
		watcher__begin(w, f.inode);
		for (size_t i = 0; i < 512; i++)
			assert_int_equal(pread(f.fd, block, PAGE, (off_t)((i * 197 % 512) * PAGE)),
					 PAGE);
		watcher__drain(w);
		want(w, CACHE_READ_MISSES, round ? 0 : 512);
		want(w, CACHE_READ_HITS, round ? 512 : 0);
		want(w, CACHE_AHEAD_ADDED, 0);
	}
	watcher__close(w);
	file__end(&f);
}

/* Half of the pages are there, and not side by side. */
STEADY(half_cached)
{
	struct file f = file__new(1024 * PAGE);
	struct watcher *w = watcher__all();
	size_t chunks[] = {PAGE, 16 * PAGE, 256 * PAGE};

	for (size_t k = 0; k < ARRAY_SIZE(chunks); k++) {
		u64 added;

		file__drop(&f);
		posix_fadvise(f.fd, 0, 0, POSIX_FADV_RANDOM);
		for (size_t i = 0; i < 1024; i += 2)
			assert_int_equal(pread(f.fd, block, 1, (off_t)(i * PAGE)), 1);
		posix_fadvise(f.fd, 0, 0, POSIX_FADV_NORMAL);
		same(file__cached(&f), 512);
		watcher__begin(w, f.inode);
		file__read(&f, chunks[k]);
		watcher__drain(w);
		added = w->n[CACHE_READ_MISSES] + w->n[CACHE_AHEAD_ADDED];
		if (added + w->n[CACHE_OTHER_ADDED] != 512 ||
		    w->n[CACHE_READ_MISSES] + w->n[CACHE_READ_HITS] != 1024)
			complain("chunks of %zu: %s", chunks[k], watcher__told(w));
		want(w, CACHE_AHEAD_USED, w->n[CACHE_AHEAD_ADDED]);
		want(w, CACHE_OTHER_ADDED, 0);
	}
	watcher__close(w);
	file__end(&f);
}

/* The last page is a part, and what is asked for beyond it is not there. */
STEADY(short_reads)
{
	struct file f = file__new(2 * PAGE + 1808);
	struct watcher *w = watcher__all();

	file__read(&f, 65536); /* all of it is there from now on */
	watcher__begin(w, f.inode);
	assert_int_equal(pread(f.fd, block, 65536, 0), 10000);
	watcher__drain(w);
	want(w, CACHE_READ_HITS, 3);
	watcher__begin(w, f.inode);
	assert_int_equal(pread(f.fd, block, 65536, 10000), 0);
	assert_int_equal(pread(f.fd, block, 65536, 9999), 1);
	assert_int_equal(pread(f.fd, block, 2, PAGE - 1), 2);
	assert_int_equal(pread(f.fd, block, PAGE, PAGE), PAGE);
	assert_int_equal(pread(f.fd, block, 100, 200), 100);
	watcher__drain(w);
	want(w, CACHE_READ_HITS, 1 + 2 + 1 + 1);
	want(w, CACHE_READ_MISSES, 0);
	watcher__close(w);
	file__end(&f);
}

STEADY(other_calls)
{
	struct file f = file__new(256 * PAGE);
	struct watcher *w = watcher__all();
	struct iovec v[] = {{block, 3 * PAGE}, {block + 4 * PAGE, 13 * PAGE}};
	int null = open("/dev/null", O_WRONLY), pipes[2];
	off_t at = 0;
	loff_t from = 0;

	assert_int_equal(pipe(pipes), 0);
	file__read(&f, 65536); /* all of it is there from now on */
	watcher__begin(w, f.inode);
	assert_int_equal(preadv(f.fd, v, 2, 0), 16 * PAGE);
	watcher__drain(w);
	want(w, CACHE_READ_HITS, 16);
	watcher__begin(w, f.inode);
	while (sendfile(null, f.fd, &at, 256 * PAGE) > 0)
		;
	watcher__drain(w);
	want(w, CACHE_READ_HITS, 256);
	watcher__begin(w, f.inode);
	assert_int_equal(splice(f.fd, &from, pipes[1], NULL, 8 * PAGE, 0), 8 * PAGE);
	watcher__drain(w);
	want(w, CACHE_READ_HITS, 8);
	want(w, CACHE_READ_MISSES, 0);
	close(null);
	close(pipes[0]);
	close(pipes[1]);
	watcher__close(w);
	file__end(&f);
}

STEADY(direct_io)
{
	struct file f = file__new(256 * PAGE);
	struct watcher *w = watcher__all();
	void *to = aligned_alloc(PAGE, 64 * PAGE);
	int fd;

	memset(to, 1, 64 * PAGE);
	file__drop(&f);
	fd = open(f.path, O_RDWR | O_DIRECT);
	assert_true(fd >= 0);
	watcher__begin(w, f.inode);
	for (size_t i = 0; i < 256; i += 64) {
		assert_int_equal(pread(fd, to, 64 * PAGE, (off_t)(i * PAGE)), 64 * PAGE);
		assert_int_equal(pwrite(fd, to, 64 * PAGE, (off_t)(i * PAGE)), 64 * PAGE);
	}
	watcher__drain(w);
	for (u32 i = 0; i < CACHE_COUNTS; i++)
		want(w, i, 0);
	close(fd);
	free(to);
	watcher__close(w);
	file__end(&f);
}

/* --- faults --- */

static volatile char touched;

static void touch(const struct file *f, int advice)
{
	char *at = mmap(NULL, f->pages * PAGE, PROT_READ, MAP_SHARED, f->fd, 0);

	assert_true(at != MAP_FAILED);
	assert_int_equal(madvise(at, f->pages * PAGE, advice), 0);
	for (size_t i = 0; i < f->pages; i++)
		touched = at[i * PAGE];
	munmap(at, f->pages * PAGE);
}

STEADY(mapped)
{
	struct file f = file__new(1024 * PAGE);
	struct watcher *w = watcher__all();
	struct rusage before, after;

	file__drop(&f);
	watcher__begin(w, f.inode);
	touch(&f, MADV_NORMAL);
	watcher__drain(w);
	if (w->n[CACHE_FAULT_MISSES] + w->n[CACHE_AHEAD_ADDED] != 1024)
		complain("%s", watcher__told(w));
	want(w, CACHE_AHEAD_USED, w->n[CACHE_AHEAD_ADDED]);
	want(w, CACHE_OTHER_ADDED, 0);
	same(w->misses, w->n[CACHE_FAULT_MISSES]);

	watcher__begin(w, f.inode);
	getrusage(RUSAGE_SELF, &before);
	touch(&f, MADV_NORMAL);
	getrusage(RUSAGE_SELF, &after);
	watcher__drain(w);
	want(w, CACHE_FAULT_MISSES, 0);
	/* Around each fault what is there is mapped: 16 pages, or as many as a folio has. */
	demand(w->n[CACHE_FAULT_HITS] >= 1 &&
	       w->n[CACHE_FAULT_HITS] <= (u64)(after.ru_minflt - before.ru_minflt));
	if (w->n[CACHE_FAULT_HITS] + 8 < (u64)(after.ru_minflt - before.ru_minflt))
		complain("%ld faults: %s", after.ru_minflt - before.ru_minflt, watcher__told(w));

	file__drop(&f);
	watcher__begin(w, f.inode);
	touch(&f, MADV_RANDOM);
	watcher__drain(w);
	want(w, CACHE_FAULT_MISSES, 1024);
	want(w, CACHE_FAULT_HITS, 0);
	want(w, CACHE_AHEAD_ADDED, 0);
	watcher__close(w);
	file__end(&f);
}

/* --- readahead --- */

STEADY(asked_readahead)
{
	struct file f = file__new(256 * PAGE);
	struct watcher *w = watcher__all();
	u64 ages = 0;

	file__drop(&f);
	watcher__begin(w, f.inode);
	assert_int_equal(readahead(f.fd, 0, 64 * PAGE), 0);
	assert_int_equal(posix_fadvise(f.fd, 64 * PAGE, 64 * PAGE, POSIX_FADV_WILLNEED), 0);
	watcher__drain(w);
	want(w, CACHE_AHEAD_ADDED, file__cached(&f));
	want(w, CACHE_READ_MISSES, 0);
	want(w, CACHE_AHEAD_USED, 0);
	demand(w->n[CACHE_AHEAD_ADDED] >= 128);
	watcher__begin(w, f.inode);
	assert_int_equal(pread(f.fd, block, 32 * PAGE, 0), 32 * PAGE);
	assert_int_equal(pread(f.fd, block, 32 * PAGE, 0), 32 * PAGE);
	watcher__drain(w);
	want(w, CACHE_READ_HITS, 64);
	want(w, CACHE_AHEAD_USED, 32);
	ages = w->used_ages;
	watcher__begin(w, f.inode);
	posix_fadvise(f.fd, 0, 0, POSIX_FADV_DONTNEED);
	watcher__drain(w);
	want(w, CACHE_AHEAD_WASTED, w->n[CACHE_DROPPED] - 32);
	demand(w->n[CACHE_DROPPED] >= 128);
	demand(ages >= 32); /* others' too */
	watcher__close(w);
	file__end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cold_then_warm),
		cmocka_unit_test(random_preads),
		cmocka_unit_test(half_cached),
		cmocka_unit_test(short_reads),
		cmocka_unit_test(other_calls),
		cmocka_unit_test(direct_io),
		cmocka_unit_test(mapped),
		cmocka_unit_test(asked_readahead),
	};

	if (!sampler__possible(&source_cache_bpf))
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
