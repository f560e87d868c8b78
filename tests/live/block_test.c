// SPDX-License-Identifier: GPL-2.0-only
/*
 * The block layer's source with maps and a ring that are too small, against reads of a loop device
 * whose number is known: the device's sums stay those of /proc/diskstats, or what is missing is
 * told. The view over it is tested in io_live.py.
 */
#include "tests/live/sampler.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "bpf/block.h"
#include "samples/block.h"
#include "sources/block_bpf.h"
#include "sources/block_devices.h"

#define PAGE	4096ul
#define PAGES	256
#define READERS 64
#define READS	8 /* of each of them */

struct loop {
	char file[64], node[64];
	u32 dev;
};

struct watcher {
	struct sampler s; /* scope and known stacks; first: it is its sink's context */
	u32 dev;
	u64 done, read;	    /* requests of that device that ended; reads among them */
	u64 by_procs, told; /* of them in rows of processes; one by one */
	u64 all;	    /* of all devices */
	u32 procs, rows;
};

static void watcher__put(void *ctx, const struct sample *x)
{
	struct watcher *w = ctx;
	const struct io_sample *io = (const void *)x;
	const struct io_proc_sample *proc = (const void *)x;
	const struct io_slow_sample *slow = (const void *)x;

	if (x->type == SAMPLE_IO) {
		w->all += io->count;
		w->rows++;
		if (io->device.disk == w->dev) {
			w->done += io->count;
			w->read += io->op == IO_READ ? io->count : 0;
		}
	} else if (x->type == SAMPLE_IO_PROC) {
		w->procs++;
		if (proc->who.device.disk == w->dev)
			w->by_procs += proc->count;
	} else if (x->type == SAMPLE_IO_SLOW) {
		w->told += slow->who.device.disk == w->dev;
	} else if (x->type != SAMPLE_IO_DEVICE) {
		sampler__put(&w->s, x);
	}
}

static struct watcher *watcher__open(const struct block_bpf_sizes *sizes, const char *expr)
{
	struct watcher *w = calloc(1, sizeof(*w));
	struct status st = {0};

	w->s.ops = &source_block_bpf;
	w->s.how = (struct sampling){.freq = 99, .user = true, .kernel = true, .interval_s = 1};
	w->s.source = block_bpf__open_sized(&w->s.how, sampler__scope(&w->s, expr), sizes, &st);
	if (!w->s.source)
		fail_msg("%s", st.msg);
	return w;
}

/* Ends an interval. */
static void watcher__drain(struct watcher *w)
{
	const struct sample_sink sink = {watcher__put, w};

	source_block_bpf.drain(w->s.source, true, &sink);
}

static struct block_stats watcher__stats(struct watcher *w)
{
	struct block_stats stats;

	block_bpf__stats(w->s.source, &stats);
	return stats;
}

static struct health watcher__health(struct watcher *w)
{
	struct health h = {0};

	source_block_bpf.health(w->s.source, &h);
	return h;
}

static void watcher__close(struct watcher *w)
{
	source_block_bpf.close(w->s.source);
	hidx__fini(&w->s.known);
	sampler__put_scope(&w->s);
	free(w);
}

/* --- the device --- */

static void loop__end(struct loop *l)
{
	char command[128];

	snprintf(command, sizeof(command), "losetup -d %s", l->node);
	if (l->node[0] && system(command))
		print_message("%s stays\n", l->node);
	unlink(l->file);
}

/* On a file in memory, so that no other device has a part in it. */
static struct loop loop__new(void)
{
	struct loop l = {.file = "/dev/shm/block_test.XXXXXX"};
	int fd = mkstemp(l.file);
	char command[128];
	struct stat st;
	FILE *out;

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, PAGES * PAGE), 0);
	close(fd);
	snprintf(command, sizeof(command), "losetup -f --show %s 2>/dev/null", l.file);
	out = popen(command, "r");
	if (!out || fscanf(out, "%63s", l.node) != 1 || stat(l.node, &st)) {
		l.node[0] = '\0';
		loop__end(&l);
		print_message("skip: no loop device to be had\n");
		skip();
	}
	pclose(out);
	l.dev = (u32)(major(st.st_rdev) << 20 | minor(st.st_rdev));
	return l;
}

/* Requests that ended, as /proc/diskstats has it. */
static u64 loop__done(const struct loop *l)
{
	struct block_devices d = {0};
	u64 done;

	assert_int_equal(block_devices__read(&d), 0);
	assert_non_null(block_devices__find(&d, l->dev));
	done = block_devices__find(&d, l->dev)->done;
	block_devices__fini(&d);
	return done;
}

/* Past the page cache: each is one request. */
static int use_device(const char *node, u32 reads, u32 writes)
{
	int fd = open(node, O_RDWR | O_DIRECT);
	void *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	u32 bad = 0;

	for (u32 i = 0; i < reads; i++)
		bad += pread(fd, at, PAGE, (off_t)(i * 7 % PAGES * PAGE)) != (ssize_t)PAGE;
	for (u32 i = 0; i < writes; i++)
		bad += pwrite(fd, at, PAGE, (off_t)(i * 7 % PAGES * PAGE)) != (ssize_t)PAGE;
	munmap(at, PAGE);
	close(fd);
	return bad != 0;
}

static void read_by_many(const struct loop *l)
{
	for (u32 i = 0; i < READERS; i++)
		if (!fork())
			_exit(use_device(l->node, READS, 0));
	for (u32 i = 0; i < READERS; i++) {
		int status = -1;

		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
}

/* --- cases --- */

/* What a device did while it was watched, as diskstats has it: known to what somebody else may have
 * asked of it meanwhile, so as a rule exactly. */
struct span {
	u64 begin[2], end[2];
};

static struct watcher *span__open(struct span *s, const struct loop *l,
				  const struct block_bpf_sizes *sizes, const char *expr)
{
	struct watcher *w;

	s->begin[0] = loop__done(l);
	w = watcher__open(sizes, expr);
	s->begin[1] = loop__done(l);
	w->dev = l->dev;
	return w;
}

static void span__check(struct span *s, const struct loop *l, struct watcher *w)
{
	s->end[0] = loop__done(l);
	watcher__drain(w);
	s->end[1] = loop__done(l);
	assert_in_range(w->done, s->end[0] - s->begin[1], s->end[1] - s->begin[0]);
}

/* Processes that find no row are missing there, which is said; the device has all requests. */
static void many_processes(void **state)
{
	static const struct block_bpf_sizes tiny = {1024, 64, 16, 64, 64 * 1024};
	struct loop l = loop__new();
	struct span s;
	struct watcher *w = span__open(&s, &l, &tiny, "");
	struct health h;

	read_by_many(&l);
	span__check(&s, &l, w);
	h = watcher__health(w);
	assert_true(w->read >= READERS * READS);
	assert_true(w->procs <= 16);
	assert_true(w->by_procs + watcher__stats(w).procs_full >= w->done);
	assert_true(w->by_procs < w->done);
	assert_true(h.map_full > 0);
	assert_int_equal(h.lost, 0);
	assert_non_null(strstr(h.note, "in no process's row"));
	watcher__close(w);
	loop__end(&l);
}

/* Kinds of requests that find no row are lost, and each of them is counted as such. */
static void many_kinds(void **state)
{
	static const struct block_bpf_sizes tiny = {1024, 1, 64, 64, 64 * 1024};
	struct loop l = loop__new();
	char own[32];
	struct watcher *w;
	struct block_stats st;

	snprintf(own, sizeof(own), "pid=%d", getpid());
	w = watcher__open(&tiny, own);
	assert_int_equal(use_device(l.node, 100, 50), 0);
	watcher__drain(w);
	st = watcher__stats(w);
	/* Pages of this program may be read meanwhile. */
	assert_true(st.requests >= 150);
	assert_int_equal(w->rows, 1);
	assert_true(st.devices_full >= 50);
	assert_int_equal(w->all + st.devices_full, st.requests);
	assert_int_equal(watcher__health(w).lost, st.devices_full);
	watcher__close(w);
	loop__end(&l);
}

/* Where a request finds no place its submitter is not known, but it is counted. */
static void many_at_once(void **state)
{
	static const struct block_bpf_sizes tiny = {4, 64, 64, 64, 64 * 1024};
	struct loop l = loop__new();
	struct span s;
	struct watcher *w = span__open(&s, &l, &tiny, "");

	read_by_many(&l);
	span__check(&s, &l, w);
	assert_true(w->read >= READERS * READS);
	watcher__close(w);
	loop__end(&l);
}

/* All are slow and nobody empties the ring: what does not fit is counted, the sums are right. */
static void a_tiny_ring(void **state)
{
	static const struct block_bpf_sizes tiny = {1024, 64, 64, 64, 4096};
	struct loop l = loop__new();
	struct span s;
	struct watcher *w = span__open(&s, &l, &tiny, "min=1ns");
	struct block_stats st;

	assert_int_equal(use_device(l.node, PAGES, 0), 0);
	span__check(&s, &l, w);
	st = watcher__stats(w);
	assert_true(w->read >= PAGES);
	assert_true(w->told <= tiny.ring_bytes / sizeof(struct block_slow_record));
	assert_true(st.records_full > 0);
	assert_non_null(strstr(watcher__health(w).note, "slow or sampled requests could not be listed"));
	watcher__close(w);
	loop__end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_processes),
		cmocka_unit_test(many_kinds),
		cmocka_unit_test(many_at_once),
		cmocka_unit_test(a_tiny_ring),
	};

	if (!sampler__possible(&source_block_bpf))
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
