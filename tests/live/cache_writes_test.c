// SPDX-License-Identifier: GPL-2.0-only
/* What is written is a hit or a miss and becomes dirty; what is cut off is dropped. */
#include "tests/live/cache_watcher.h"

STEADY(writes)
{
	struct file f = file__new(512 * PAGE);
	struct watcher *w = watcher__all();

	file__drop(&f);
	watcher__begin(w, f.inode);
	for (size_t i = 0; i < 512; i++)
		assert_int_equal(pwrite(f.fd, block, 100, (off_t)(i * PAGE + 10)), 100);
	watcher__drain(w);
	want(w, CACHE_WRITE_MISSES, 512);
	want(w, CACHE_WRITE_HITS, 0);
	want(w, CACHE_DIRTIED, 512);
	want(w, CACHE_AHEAD_ADDED, 0);
	want(w, CACHE_OTHER_ADDED, 0);
	watcher__begin(w, f.inode);
	for (size_t i = 0; i < 512; i++)
		assert_int_equal(pwrite(f.fd, block, 100, (off_t)(i * PAGE + 200)), 100);
	watcher__drain(w);
	want(w, CACHE_WRITE_HITS, 512);
	want(w, CACHE_WRITE_MISSES, 0);
	want(w, CACHE_DIRTIED, 0);
	watcher__begin(w, f.inode);
	assert_int_equal(pwrite(f.fd, block, 3 * PAGE, PAGE / 2), 3 * PAGE);
	watcher__drain(w);
	want(w, CACHE_WRITE_HITS, 4);
	watcher__close(w);
	file__end(&f);
}

/* Parts of pages that are not there, across their borders too, and a whole one. */
static void overwrite_parts(const struct file *f)
{
	assert_int_equal(pwrite(f->fd, block, 100, PAGE - 50), 100);
	assert_int_equal(pwrite(f->fd, block, PAGE, 10 * PAGE), PAGE);
	assert_int_equal(pwrite(f->fd, block, 2 * PAGE, 20 * PAGE + 7), 2 * PAGE);
}

STEADY(partial_overwrite)
{
	struct file f = file__new(64 * PAGE);
	struct watcher *w = watcher__all();

	file__drop(&f);
	for (int round = 0; round < 2; round++) {
		watcher__begin(w, f.inode);
		overwrite_parts(&f);
		watcher__drain(w);
		same(file__cached(&f), 2 + 1 + 3);
		same(file__counted(&f), 2 + 1 + 3);
		want(w, CACHE_WRITE_MISSES, round ? 0 : 6);
		want(w, CACHE_WRITE_HITS, round ? 6 : 0);
		want(w, CACHE_READ_MISSES, 0);
		want(w, CACHE_AHEAD_ADDED, 0);
		want(w, CACHE_OTHER_ADDED, 0);
		want(w, CACHE_DIRTIED, round ? 0 : 6);
	}
	watcher__close(w);
	file__end(&f);
}

STEADY(append_and_truncate)
{
	struct file f = file__new(0);
	struct watcher *w = watcher__all();
	size_t left;

	f.pages = 1024;
	watcher__begin(w, f.inode);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pwrite(f.fd, block, 256 * PAGE, (off_t)(i * 256 * PAGE)),
				 256 * PAGE);
	watcher__drain(w);
	want(w, CACHE_WRITE_MISSES, 1024);
	want(w, CACHE_WRITE_HITS, 0);
	want(w, CACHE_DIRTIED, 1024);
	want(w, CACHE_DROPPED, 0);
	watcher__begin(w, f.inode);
	same(file__counted(&f), 1024);
	assert_int_equal(ftruncate(f.fd, 24 * PAGE), 0);
	watcher__drain(w);
	/* A large folio that is cut may stay whole. */
	left = file__counted(&f);
	demand(left >= 24 && left <= 256);
	want(w, CACHE_DROPPED, 1024 - left);
	watcher__begin(w, f.inode);
	assert_int_equal(ftruncate(f.fd, 0), 0);
	watcher__drain(w);
	want(w, CACHE_DROPPED, left);
	want(w, CACHE_EVICTED, 0);
	watcher__close(w);
	file__end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes),
		cmocka_unit_test(partial_overwrite),
		cmocka_unit_test(append_and_truncate),
	};

	if (!sampler__possible(&source_cache_bpf))
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
