// SPDX-License-Identifier: GPL-2.0-only
/*
 * The page cache's source against reads, writes and faults of this very process whose pages
 * are known: each count is what the arithmetic of pages says, and mincore agrees. The view over
 * it is tested in cache_live.py.
 */
#include "tests/live/sampler.h"

#include <bpf/bpf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>

#include "bpf/cache.h"
#include "core/cache.h"
#include "sources/cache_bpf.h"
#include "sources/cache_dentry.h"

#define PAGE	 4096ul
#define EXT4	 0xef53
#define ALL	 ((size_t)-1)
#define FILES_IN "build"

/* Pages may be reclaimed at any time (DAMON does, whatever memory there is): what was found then
 * is no failure, but is tried again. */
static bool disturbed;
static char trouble[640];

#define complain(...)                                                                              \
	do {                                                                                       \
		if (!trouble[0])                                                                   \
			snprintf(trouble, sizeof(trouble), __VA_ARGS__);                           \
	} while (0)

#define same(a, b)                                                                                 \
	do {                                                                                       \
		u64 a_ = (a), b_ = (b);                                                            \
		if (a_ != b_)                                                                      \
			complain("line %d: %s is %llu, not %llu", __LINE__, #a,                    \
				 (unsigned long long)a_, (unsigned long long)b_);                  \
	} while (0)

#define demand(x) same(!!(x), true)

static void repeat(void (*body)(void))
{
	for (int i = 0; i < 8; i++) {
		disturbed = false;
		trouble[0] = '\0';
		body();
		if (!trouble[0])
			return;
		if (!disturbed)
			fail_msg("%s", trouble);
	}
	fail_msg("pages were evicted each time: %s", trouble);
}

#define STEADY(name)                                                                               \
	static void name##_once(void);                                                             \
	static void name(void **state)                                                             \
	{                                                                                          \
		repeat(name##_once);                                                               \
	}                                                                                          \
	static void name##_once(void)

/* What one file's samples said in the last interval, and all of them. */
struct watcher {
	struct sampler s; /* scope and known stacks; first: it is its sink's context */
	u64 inode;	  /* the file that is looked at */
	u64 n[CACHE_COUNTS], all[CACHE_COUNTS];
	u64 used_ages, misses, undefined;
	u32 tgids[64], ntgids; /* of that file */
	u64 rows, totals;
	struct cache_totals_sample last;
	char path[CACHE_PATH_LEN];
};

static void watcher__cache(struct watcher *w, const struct cache_sample *x)
{
	bool new = true;

	w->rows++;
	for (u32 i = 0; i < CACHE_COUNTS; i++) {
		w->all[i] += x->n[i];
		if (x->file.inode == w->inode && (x->tgid || i != CACHE_EVICTED))
			w->n[i] += x->n[i];
	}
	if (x->file.inode != w->inode)
		return;
	disturbed = disturbed || x->n[CACHE_EVICTED];
	for (u32 i = 0; i < w->ntgids; i++)
		new = new && w->tgids[i] != x->tgid;
	if (new && w->ntgids < ARRAY_SIZE(w->tgids))
		w->tgids[w->ntgids++] = x->tgid;
	if (x->file.path[0])
		copy_str(w->path, sizeof(w->path), x->file.path);
}

static void watcher__put(void *ctx, const struct sample *x)
{
	struct watcher *w = ctx;
	const struct cache_miss_sample *miss = (const void *)x;

	if (x->type == SAMPLE_CACHE) {
		watcher__cache(w, (const struct cache_sample *)x);
	} else if (x->type == SAMPLE_CACHE_MISS && miss->inode == w->inode) {
		w->misses += miss->misses;
		w->undefined += !sampler__knows(&w->s, miss->stack);
	} else if (x->type == SAMPLE_CACHE_TOTALS) {
		w->last = *(const struct cache_totals_sample *)x;
		for (u32 i = 0; i < CACHE_AGES; i++)
			w->used_ages += w->last.ages[i];
		w->totals++;
	} else {
		sampler__put(&w->s, x);
	}
}

static struct watcher *watcher__open(const struct cache_bpf_sizes *sizes, const char *fmt, ...)
{
	struct watcher *w = calloc(1, sizeof(*w));
	struct status st = {0};
	const struct scope *scope;
	char expr[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(expr, sizeof(expr), fmt, ap);
	va_end(ap);
	w->s.ops = &source_cache_bpf;
	w->s.how = (struct sampling){.freq = 99, .user = true, .kernel = true, .interval_s = 1};
	scope = sampler__scope(&w->s, expr);
	w->s.source = sizes ? cache_bpf__open_sized(&w->s.how, scope, sizes, &st)
			    : source_cache_bpf.open(&w->s.how, scope, &st);
	if (!w->s.source)
		fail_msg("%s", st.msg);
	return w;
}

/* Not of this process alone, as pages are evicted by others. */
static struct watcher *watcher__all(void)
{
	return watcher__open(NULL, "");
}

/* Ends an interval. */
static void watcher__drain(struct watcher *w)
{
	const struct sample_sink sink = {watcher__put, w};

	source_cache_bpf.drain(w->s.source, true, &sink);
}

/* What is known so far is forgotten. */
static void watcher__begin(struct watcher *w, u64 inode)
{
	w->inode = inode;
	watcher__drain(w);
	memset(w->n, 0, sizeof(w->n));
	memset(w->all, 0, sizeof(w->all));
	w->used_ages = w->misses = w->undefined = w->rows = 0;
	w->ntgids = 0;
	w->path[0] = '\0';
}

static void watcher__close(struct watcher *w)
{
	source_cache_bpf.close(w->s.source);
	hidx__fini(&w->s.known);
	sampler__put_scope(&w->s);
	free(w);
}

/* --- files --- */

struct file {
	int fd;
	size_t pages;
	u64 inode;
	char path[128];
};

static char block[256 * PAGE];

static struct file file__new(size_t bytes)
{
	struct file f = {.pages = (bytes + PAGE - 1) / PAGE};
	struct statfs fs;
	struct stat st;

	snprintf(f.path, sizeof(f.path), FILES_IN "/cache_test.%d.XXXXXX", getpid());
	f.fd = mkstemp(f.path);
	assert_true(f.fd >= 0);
	for (size_t at = 0; at < bytes; at += sizeof(block)) {
		size_t n = MIN(sizeof(block), bytes - at);

		assert_int_equal(pwrite(f.fd, block, n, (off_t)at), n);
	}
	assert_int_equal(fsync(f.fd), 0);
	assert_int_equal(fstat(f.fd, &st), 0);
	assert_int_equal(fstatfs(f.fd, &fs), 0);
	f.inode = st.st_ino;
	if (fs.f_type != EXT4) {
		print_message("skip: %s is not on ext4\n", FILES_IN);
		unlink(f.path);
		skip();
	}
	return f;
}

static void file__end(struct file *f)
{
	close(f->fd);
	unlink(f->path);
}

/* Pages in the cache, as mincore has it. */
static size_t file__cached(const struct file *f)
{
	size_t n = 0;
	unsigned char *in = calloc(f->pages, 1);
	void *at = mmap(NULL, f->pages * PAGE, PROT_READ, MAP_SHARED, f->fd, 0);

	assert_true(at != MAP_FAILED);
	assert_int_equal(mincore(at, f->pages * PAGE, in), 0);
	for (size_t i = 0; i < f->pages; i++)
		n += in[i] & 1;
	munmap(at, f->pages * PAGE);
	free(in);
	return n;
}

/* As cachestat(2) has it, what is beyond the end too; where there is none, as mincore. */
static size_t file__counted(const struct file *f)
{
	struct {
		u64 off, len;
	} range = {0, 0};
	struct {
		u64 cache, dirty, writeback, evicted, recently_evicted;
	} stat;

	if (syscall(451, f->fd, &range, &stat, 0))
		return file__cached(f);
	return stat.cache;
}

static void file__drop(const struct file *f)
{
	assert_int_equal(fsync(f->fd), 0);
	assert_int_equal(posix_fadvise(f->fd, 0, 0, POSIX_FADV_DONTNEED), 0);
	assert_int_equal(file__cached(f), 0);
}

static void file__read(const struct file *f, size_t chunk)
{
	char *to = malloc(chunk);

	assert_int_equal(lseek(f->fd, 0, SEEK_SET), 0);
	while (read(f->fd, to, chunk) > 0)
		;
	free(to);
}

static const char *watcher__told(const struct watcher *w)
{
	static char text[512];
	size_t len = 0;

	for (u32 i = 0; i < CACHE_COUNTS; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s=%llu ",
					cache_count_names[i], (unsigned long long)w->n[i]);
	return text;
}

#define want(w, what, pages)                                                                       \
	do {                                                                                       \
		if ((w)->n[what] != (u64)(pages))                                                  \
			complain("line %d: %s is not %llu: %s", __LINE__, cache_count_names[what], \
				 (unsigned long long)(pages), watcher__told(w));                   \
	} while (0)

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

/* --- writes --- */

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

/* --- whose --- */

static pid_t reader(const struct file *f)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	for (size_t i = 0; i < f->pages; i++)
		if (pread(f->fd, block, PAGE, (off_t)(i * PAGE)) < 0)
			_exit(1);
	_exit(0);
}

STEADY(two_processes)
{
	struct file f = file__new(128 * PAGE);
	struct watcher *w = watcher__open(NULL, "");
	pid_t pid;

	file__read(&f, 65536);
	watcher__begin(w, f.inode);
	pid = reader(&f);
	waitpid(pid, NULL, 0);
	file__read(&f, PAGE);
	watcher__drain(w);
	want(w, CACHE_READ_HITS, 256);
	demand(w->ntgids == 2 || disturbed);
	assert_non_null(strstr(w->path, strrchr(f.path, '/')));
	watcher__close(w);

	w = watcher__open(NULL, "pid=%d", getpid());
	file__read(&f, 65536);
	watcher__begin(w, f.inode);
	pid = reader(&f);
	waitpid(pid, NULL, 0);
	watcher__drain(w);
	want(w, CACHE_READ_HITS, 0);
	watcher__begin(w, f.inode);
	file__read(&f, PAGE);
	watcher__drain(w);
	want(w, CACHE_READ_HITS, 128);
	same(w->ntgids, 1);
	same(w->tgids[0], getpid());
	sampler__set_scope(&w->s, "!pid=%d", getpid());
	watcher__begin(w, f.inode);
	file__read(&f, PAGE);
	watcher__drain(w);
	want(w, CACHE_READ_HITS, 0);
	watcher__close(w);
	file__end(&f);
}

/* Who is not looked at uses what another has read ahead. */
STEADY(used_by_another)
{
	struct file f = file__new(64 * PAGE);
	struct watcher *w = watcher__open(NULL, "pid=%d", getpid());

	file__drop(&f);
	watcher__begin(w, f.inode);
	assert_int_equal(readahead(f.fd, 0, 64 * PAGE), 0);
	waitpid(reader(&f), NULL, 0);
	watcher__drain(w);
	want(w, CACHE_AHEAD_ADDED, 64);
	want(w, CACHE_AHEAD_USED, 64);
	want(w, CACHE_READ_HITS, 0);
	watcher__close(w);
	file__end(&f);
}

STEADY(deleted_while_read)
{
	struct file f = file__new(128 * PAGE);
	struct watcher *w = watcher__all();

	file__read(&f, 65536); /* all of it is there from now on */
	watcher__begin(w, f.inode);
	unlink(f.path);
	file__read(&f, PAGE);
	watcher__drain(w);
	want(w, CACHE_READ_HITS, 128);
	want(w, CACHE_DROPPED, 0);
	watcher__begin(w, f.inode);
	close(f.fd);
	watcher__drain(w);
	want(w, CACHE_DROPPED, 128);
	watcher__close(w);
}

/* --- too much --- */

#define MANY 1000

static void many_files(void **state)
{
	static const struct cache_bpf_sizes tiny = {64, 64, 64, 64, 64, 4096};
	struct watcher *w = watcher__open(&tiny, "pid=%d", getpid());
	char dir[] = FILES_IN "/cache_test.XXXXXX", path[128];
	struct health h = {0};
	u64 lost;
	int fd;

	assert_non_null(mkdtemp(dir));
	for (int i = 0; i < MANY; i++) {
		snprintf(path, sizeof(path), "%s/%d", dir, i);
		fd = open(path, O_CREAT | O_RDWR, 0600);
		assert_int_equal(write(fd, block, PAGE), PAGE);
		close(fd);
	}
	watcher__begin(w, 0);
	source_cache_bpf.health(w->s.source, &h);
	lost = h.lost;
	for (int i = 0; i < MANY; i++) {
		snprintf(path, sizeof(path), "%s/%d", dir, i);
		fd = open(path, O_RDONLY);
		assert_int_equal(read(fd, block, PAGE), PAGE);
		close(fd);
	}
	watcher__drain(w);
	source_cache_bpf.health(w->s.source, &h);
	assert_true(w->rows <= 64);
	assert_true(w->all[CACHE_READ_HITS] < MANY);
	assert_int_equal(w->all[CACHE_READ_HITS] + (h.lost - lost), MANY);
	assert_non_null(strstr(h.note, "in no row"));
	assert_true(h.map_fill_pct > 90);
	watcher__close(w);
	for (int i = 0; i < MANY; i++) {
		snprintf(path, sizeof(path), "%s/%d", dir, i);
		unlink(path);
	}
	rmdir(dir);
}

/* What was read ahead and is never used takes no room for ever. */
static void ahead_forgotten(void **state)
{
	static const struct cache_bpf_sizes tiny = {64, 64, 64, 16, 64, 4096};
	struct watcher *w = watcher__open(&tiny, "pid=%d", getpid());
	struct file f = file__new(64 * 64 * PAGE);
	struct health h = {0};

	file__drop(&f);
	watcher__begin(w, f.inode);
	for (size_t i = 0; i < 64; i++)
		assert_int_equal(readahead(f.fd, (off_t)(i * 64 * PAGE), 64 * PAGE), 0);
	for (int i = 0; i < 16; i++)
		watcher__drain(w);
	source_cache_bpf.health(w->s.source, &h);
	assert_true(w->n[CACHE_AHEAD_ADDED] >= 64 * 64);
	assert_true(h.map_full > 0);
	assert_non_null(strstr(h.note, "are not followed"));
	assert_non_null(strstr(h.note, "followed no more"));
	watcher__close(w);
	file__end(&f);
}

static void totals(void **state)
{
	struct watcher *w = watcher__all();

	watcher__begin(w, 0);
	watcher__drain(w);
	assert_int_equal(w->totals, 2);
	assert_true(w->last.cached_bytes > 0);
	watcher__close(w);
}

/* --- names --- */

struct names {
	u64 lookups, negative, others;
	struct dentry_state_sample state;
};

static void names__put(void *ctx, const struct sample *x)
{
	const struct dentry_sample *d = (const void *)x;
	struct names *n = ctx;

	if (x->type == SAMPLE_DENTRY_STATE) {
		n->state = *(const struct dentry_state_sample *)x;
	} else if (x->type == SAMPLE_DENTRY && d->tgid == (u32)getpid()) {
		n->lookups += d->lookups;
		n->negative += d->negative;
	} else {
		n->others++;
	}
}

static void names(void **state)
{
	const struct sampling how = {.interval_s = 1};
	struct names n = {0};
	const struct sample_sink sink = {names__put, &n};
	struct sampler filter = {0};
	struct status st = {0};
	struct stat about;
	struct source *s;
	char expr[32];

	snprintf(expr, sizeof(expr), "pid=%d", getpid());
	s = source_cache_dentry.open(&how, sampler__scope(&filter, expr), &st);
	if (!s)
		fail_msg("%s", st.msg);
	source_cache_dentry.drain(s, true, &sink);
	n = (struct names){0};
	for (int i = 0; i < 100; i++) {
		assert_int_equal(stat("/etc/passwd", &about), 0);
		assert_int_equal(access("/etc/no such file", F_OK), -1);
		assert_int_equal(open("/etc/passwd/below", O_RDONLY), -1);
		assert_int_equal(fstat(STDOUT_FILENO, &about), 0);
		getppid();
	}
	source_cache_dentry.drain(s, true, &sink);
	/* What /proc/sys/fs/dentry-state is opened for, too. */
	assert_in_range(n.lookups, 300, 304);
	assert_int_equal(n.negative, 200);
	assert_int_equal(n.others, 0);
	assert_true(n.state.dentries > n.state.unused);
	source_cache_dentry.close(s);
	sampler__put_scope(&filter);
}

static u32 programs(void)
{
	u32 id = 0, n = 0;

	while (!bpf_prog_get_next_id(id, &id)) {
		struct bpf_prog_info info = {0};
		u32 len = sizeof(info);
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd < 0)
			continue;
		if (!bpf_obj_get_info_by_fd(fd, &info, &len))
			n += !strncmp(info.name, "cache_", 6);
		close(fd);
	}
	return n;
}

static void nothing_stays(void **state)
{
	struct watcher *w;
	u32 before = programs();
	u64 limit;

	w = watcher__all();
	assert_true(programs() > before);
	watcher__close(w);
	limit = clock__monotonic_ns() + 10 * NSEC_PER_SEC;
	while (programs() != before && clock__monotonic_ns() < limit)
		usleep(1000);
	assert_int_equal(programs(), before);
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
		cmocka_unit_test(writes),
		cmocka_unit_test(append_and_truncate),
		cmocka_unit_test(asked_readahead),
		cmocka_unit_test(two_processes),
		cmocka_unit_test(used_by_another),
		cmocka_unit_test(deleted_while_read),
		cmocka_unit_test(many_files),
		cmocka_unit_test(ahead_forgotten),
		cmocka_unit_test(totals),
		cmocka_unit_test(names),
		cmocka_unit_test(nothing_stays),
	};

	if (!sampler__possible(&source_cache_bpf))
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
