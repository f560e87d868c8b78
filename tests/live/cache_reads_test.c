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

/* --- folios --- */

#define HUGE_PAGES 512ul

/* How many pages are mapped by whole tables' entries, as the kernel has it of this mapping. */
static size_t huge_pages(const void *at)
{
	FILE *f = fopen("/proc/self/smaps", "re");
	unsigned long long start, kib;
	bool here = false;
	char line[512];
	size_t pages = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx-", &start) == 1 && strchr(line, '-'))
			here = start == (unsigned long long)(uintptr_t)at;
		else if (here && sscanf(line, "FilePmdMapped: %llu kB", &kib) == 1)
			pages = kib * 1024 / PAGE;
	}
	fclose(f);
	return pages;
}

/* A mapping that begins where a huge page may. */
static char *map_huge(const struct file *f)
{
	size_t size = f->pages * PAGE, huge = HUGE_PAGES * PAGE;
	char *room = mmap(NULL, size + huge, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *at = (char *)(((uintptr_t)room + huge - 1) / huge * huge);

	assert_true(room != MAP_FAILED);
	munmap(room, size + huge);
	assert_true(mmap(at, size, PROT_READ, MAP_SHARED | MAP_FIXED, f->fd, 0) == at);
	return at;
}

static bool huge_here;

/* Pages are counted, not folios: however many there are in one. */
STEADY(huge_folios_in)
{
	struct file f = file__new(4 * HUGE_PAGES * PAGE);
	struct watcher *w = watcher__all();
	char *at = map_huge(&f);

	file__drop(&f);
	watcher__begin(w, f.inode);
	huge_here = !madvise(at, f.pages * PAGE, MADV_HUGEPAGE);
	for (size_t i = 0; i < f.pages; i++)
		touched = at[i * PAGE];
	huge_here = huge_here && huge_pages(at) == f.pages;
	watcher__drain(w);
	same(file__cached(&f), f.pages);
	same(file__counted(&f), f.pages);
	if (w->n[CACHE_FAULT_MISSES] + w->n[CACHE_AHEAD_ADDED] != f.pages)
		complain("%s", watcher__told(w));
	want(w, CACHE_READ_MISSES, 0);
	want(w, CACHE_OTHER_ADDED, 0);
	watcher__begin(w, f.inode);
	file__read(&f, 65536);
	watcher__drain(w);
	want(w, CACHE_READ_HITS, f.pages);
	want(w, CACHE_READ_MISSES, 0);
	munmap(at, f.pages * PAGE);
	watcher__begin(w, f.inode);
	posix_fadvise(f.fd, 0, 0, POSIX_FADV_DONTNEED);
	watcher__drain(w);
	want(w, CACHE_DROPPED, f.pages - file__counted(&f));
	watcher__close(w);
	file__end(&f);
}

static void huge_folios(void **state)
{
	huge_folios_in(state);
	if (huge_here)
		return;
	print_message("skip: this file system has no folios that are mapped as one\n");
	skip();
}

/* --- evictions --- */

#define LIMIT_BYTES (8ul << 20)

static bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return good;
}

/* A memory cgroup with a limit, of either hierarchy; "": there is none to be had. */
static void make_small_group(char *path, size_t size)
{
	static const char *const places[][2] = {
		{"/sys/fs/cgroup", "memory.max"},
		{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"},
	};
	char file[160], limit[32];

	snprintf(limit, sizeof(limit), "%lu", LIMIT_BYTES);
	for (u32 i = 0; i < ARRAY_SIZE(places); i++) {
		snprintf(path, size, "%s/proftop-cache-test-%d", places[i][0], getpid());
		if (mkdir(path, 0700))
			continue;
		snprintf(file, sizeof(file), "%s/%s", path, places[i][1]);
		if (write_text(file, limit))
			return;
		rmdir(path);
	}
	*path = '\0';
}

/* Its pages are the group's, which has no room for all of them. */
static void read_in_group(const char *group, const struct file *f)
{
	char procs[160], pid[16];
	int status;

	if (!fork()) {
		snprintf(procs, sizeof(procs), "%s/cgroup.procs", group);
		snprintf(pid, sizeof(pid), "%d", getpid());
		if (!write_text(procs, pid))
			_exit(1);
		for (size_t i = 0; i < f->pages; i += 16)
			if (pread(f->fd, block, 16 * PAGE, (off_t)(i * PAGE)) < 0)
				_exit(2);
		_exit(0);
	}
	wait(&status);
	assert_int_equal(status, 0);
}

/* Whatever comes and goes: what came and did not go is there. */
static void evicted(void **state)
{
	struct file f = file__new(2 * LIMIT_BYTES);
	struct watcher *w = watcher__all();
	u64 came = 0, went = 0, refaults = 0;
	bool agree = false;
	char group[96];

	make_small_group(group, sizeof(group));
	if (!*group) {
		print_message("skip: no memory cgroup can be made here\n");
		watcher__close(w);
		file__end(&f);
		skip();
	}
	file__drop(&f);
	watcher__begin(w, f.inode);
	for (int round = 0; round < 2; round++) {
		read_in_group(group, &f);
		watcher__drain(w);
		refaults += w->last.refaults;
	}
	/* More may go between the two looks. */
	for (int i = 0; i < 8 && !agree; i++) {
		watcher__drain(w);
		came = w->n[CACHE_READ_MISSES] + w->n[CACHE_AHEAD_ADDED] + w->n[CACHE_OTHER_ADDED];
		went = w->evicted + w->n[CACHE_DROPPED];
		agree = came - went == file__counted(&f);
	}
	if (!agree)
		fail_msg("%llu came, %llu went, %zu are there", (unsigned long long)came,
			 (unsigned long long)went, file__counted(&f));
	assert_true(w->evicted >= f.pages - LIMIT_BYTES / PAGE);
	/* The first to be read had gone the second time, and were asked for again. */
	assert_true(came > f.pages);
	assert_true(refaults > 0);
	watcher__close(w);
	file__end(&f);
	rmdir(group);
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
		cmocka_unit_test(huge_folios),
		cmocka_unit_test(evicted),
		cmocka_unit_test(asked_readahead),
	};

	if (!sampler__possible(&source_cache_bpf))
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
