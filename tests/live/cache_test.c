// SPDX-License-Identifier: GPL-2.0-only
/*
 * The page cache's source against reads, writes and faults of this very process whose pages
 * are known: each count is what the arithmetic of pages says, and mincore agrees. The view over
 * it is tested in cache_live.py.
 */
#include "tests/live/sampler.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>

#include "bpf/cache.h"
#include "core/cache.h"
#include "sources/cache_bpf.h"

#define PAGE	 4096ul
#define EXT4	 0xef53
#define ALL	 ((size_t)-1)
#define FILES_IN "build"

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
		if (x->file.inode == w->inode)
			w->n[i] += x->n[i];
	}
	if (x->file.inode != w->inode)
		return;
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

static struct watcher *watcher__self(void)
{
	return watcher__open(NULL, "pid=%d", getpid());
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
	watcher__drain(w);
	w->inode = inode;
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
			fail_msg("%s is not %llu: %s", cache_count_names[what],                    \
				 (unsigned long long)(pages), watcher__told(w));                   \
	} while (0)

/* --- reads --- */

static void cold_then_warm_in(size_t pages, size_t chunk)
{
	struct file f = file__new(pages * PAGE);
	struct watcher *w = watcher__self();

	file__drop(&f);
	watcher__begin(w, f.inode);
	file__read(&f, chunk);
	watcher__drain(w);
	assert_int_equal(file__cached(&f), pages);
	if (w->n[CACHE_READ_MISSES] + w->n[CACHE_AHEAD_ADDED] != pages)
		fail_msg("%zu pages: %s", pages, watcher__told(w));
	want(w, CACHE_READ_HITS, w->n[CACHE_AHEAD_ADDED]);
	want(w, CACHE_AHEAD_USED, w->n[CACHE_AHEAD_ADDED]);
	want(w, CACHE_AHEAD_WASTED, 0);
	want(w, CACHE_OTHER_ADDED, 0);
	assert_int_equal(w->misses, w->n[CACHE_READ_MISSES]);
	watcher__begin(w, f.inode);
	file__read(&f, chunk);
	watcher__drain(w);
	want(w, CACHE_READ_HITS, pages);
	want(w, CACHE_READ_MISSES, 0);
	want(w, CACHE_AHEAD_ADDED, 0);
	watcher__close(w);
	file__end(&f);
}

static void cold_then_warm(void **state)
{
	cold_then_warm_in(4096, 4096);
	cold_then_warm_in(4096, 65536);
	cold_then_warm_in(4096, 1 << 20);
	cold_then_warm_in(1, 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cold_then_warm),
	};

	if (!sampler__possible(&source_cache_bpf))
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
