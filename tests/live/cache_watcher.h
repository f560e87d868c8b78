/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For live tests of the page cache's source against reads, writes and faults of this very process
 * whose pages are known: each count is what the arithmetic of pages says, and mincore agrees.
 * Everything is in this header because each live test is one file.
 */
#ifndef TESTS_LIVE_CACHE_WATCHER_H
#define TESTS_LIVE_CACHE_WATCHER_H

#include "tests/lib/cache_names.h"
#include "tests/live/sampler.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "bpf/cache.h"
#include "samples/cache.h"
#include "sources/cache_bpf.h"

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

TEST_HELPER void repeat(void (*body)(void))
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
	u64 rest; /* read hits of no file: of processes with too many of them */
	u64 others; /* of processes that were too many */
	u64 evicted; /* of the file, by whomever */
	u64 used_ages, misses, undefined;
	u32 tgids[64], ntgids; /* of that file */
	u64 rows, totals;
	struct cache_totals_sample last;
	char path[CACHE_PATH_LEN];
};

TEST_HELPER void watcher__cache(struct watcher *w, const struct cache_sample *x)
{
	bool new = true;

	w->rows++;
	if (!x->file.dev)
		w->rest += x->n[CACHE_READ_HITS];
	if (x->tgid == CACHE_OTHERS)
		w->others += x->n[CACHE_READ_HITS];
	for (u32 i = 0; i < CACHE_COUNTS; i++) {
		w->all[i] += x->n[i];
		if (x->file.inode == w->inode && (x->tgid || i != CACHE_EVICTED))
			w->n[i] += x->n[i];
	}
	if (x->file.inode != w->inode)
		return;
	disturbed = disturbed || x->n[CACHE_EVICTED];
	w->evicted += x->n[CACHE_EVICTED];
	for (u32 i = 0; i < w->ntgids; i++)
		new = new && w->tgids[i] != x->tgid;
	if (new && w->ntgids < ARRAY_SIZE(w->tgids))
		w->tgids[w->ntgids++] = x->tgid;
	if (x->file.path[0])
		copy_str(w->path, sizeof(w->path), x->file.path);
}

TEST_HELPER void watcher__put(void *ctx, const struct sample *x)
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

TEST_HELPER struct watcher *watcher__open(const struct cache_bpf_sizes *sizes, const char *fmt, ...)
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
TEST_HELPER struct watcher *watcher__all(void)
{
	return watcher__open(NULL, "");
}

/* Ends an interval. */
TEST_HELPER void watcher__drain(struct watcher *w)
{
	const struct sample_sink sink = {watcher__put, w};

	source_cache_bpf.drain(w->s.source, true, &sink);
}

/* What is known so far is forgotten. */
TEST_HELPER void watcher__begin(struct watcher *w, u64 inode)
{
	w->inode = inode;
	watcher__drain(w);
	memset(w->n, 0, sizeof(w->n));
	memset(w->all, 0, sizeof(w->all));
	w->used_ages = w->misses = w->undefined = w->rows = 0;
	w->rest = w->others = w->evicted = 0;
	w->ntgids = 0;
	w->path[0] = '\0';
}

TEST_HELPER void watcher__close(struct watcher *w)
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

TEST_HELPER struct file file__new(size_t bytes)
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

TEST_HELPER void file__end(struct file *f)
{
	close(f->fd);
	unlink(f->path);
}

/* Pages in the cache, as mincore has it. */
TEST_HELPER size_t file__cached(const struct file *f)
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
TEST_HELPER size_t file__counted(const struct file *f)
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

TEST_HELPER void file__drop(const struct file *f)
{
	assert_int_equal(fsync(f->fd), 0);
	assert_int_equal(posix_fadvise(f->fd, 0, 0, POSIX_FADV_DONTNEED), 0);
	assert_int_equal(file__cached(f), 0);
}

TEST_HELPER void file__read(const struct file *f, size_t chunk)
{
	char *to = malloc(chunk);

	assert_int_equal(lseek(f->fd, 0, SEEK_SET), 0);
	while (read(f->fd, to, chunk) > 0)
		;
	free(to);
}

TEST_HELPER const char *watcher__told(const struct watcher *w)
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

#endif
