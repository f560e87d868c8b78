// SPDX-License-Identifier: GPL-2.0-only
#include "sources/perf_ring.h"

#include <dirent.h>
#include <perf/cpumap.h>
#include <perf/evlist.h>
#include <perf/evsel.h>
#include <perf/mmap.h>
#include <perf/threadmap.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/hidx.h"
#include "base/log.h"

#ifdef __SANITIZE_ADDRESS__
/* libperf 6.1 does not free an evsel's ids and its references to the maps: some 200 bytes per
 * open, which happens when a user changes the event. Freeing them here would be wrong with
 * later versions, which do. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:perf_evsel__alloc_id\nleak:perf_cpu_map__new\nleak:perf_thread_map__new\n";
}
#endif

static int print_to_log(enum libperf_print_level level, const char *fmt, va_list ap)
{
	char text[240];

	if (level > LIBPERF_WARN)
		return 0;
	vsnprintf(text, sizeof(text), fmt, ap);
	log__add(LOG_INFO, "%s", text);
	return 0;
}

/* An event per thread and CPU takes many descriptors, and for a moment as many again where others
 * take their place: use what we may have. */
static void raise_fd_limit(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) || lim.rlim_cur == lim.rlim_max)
		return;
	lim.rlim_cur = lim.rlim_max;
	setrlimit(RLIMIT_NOFILE, &lim);
}

static void read_ids(struct perf_evlist *evlist, struct hidx *ids, u64 *list, u32 max)
{
	struct perf_evsel *evsel = perf_evlist__next(evlist, NULL);
	int ncpus = perf_cpu_map__nr(perf_evsel__cpus(evsel));
	int nthreads = perf_thread_map__nr(perf_evsel__threads(evsel));
	struct perf_counts_values v;

	for (int c = 0; c < ncpus; c++) {
		for (int t = 0; t < nthreads && ids->used < max; t++) {
			if (perf_evsel__read(evsel, c, t, &v))
				continue;
			list[ids->used] = v.id;
			hidx__add(ids, mix64(v.id), ids->used);
		}
	}
}

static bool is_perf_fd(const char *name)
{
	char path[64], target[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%.20s", name);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return false;
	target[n] = '\0';
	return strcmp(target, "anon_inode:[perf_event]") == 0;
}

static bool is_ours(int fd, const struct hidx *ids, const u64 *list)
{
	u64 id = 0;
	u32 found;

	if (ioctl(fd, PERF_EVENT_IOC_ID, &id))
		return false;
	HIDX_FIND(found, ids, mix64(id), pos, list[pos] == id);
	return found != HIDX_NONE;
}

/* libperf does not tell its descriptors. Every event has an id of its own, which libperf does
 * tell and which an fd can be asked for. */
static void find_fds(struct perf_ring *r, u32 max)
{
	u64 *list = xcalloc(max, sizeof(*list));
	DIR *d = opendir("/proc/self/fd");
	struct hidx ids = {0};
	struct dirent *e;

	read_ids(r->evlist, &ids, list, max);
	r->fds = xcalloc(max, sizeof(*r->fds));
	while (d && (e = readdir(d)) && r->nfds < max) {
		int fd = atoi(e->d_name);

		if (e->d_name[0] != '.' && is_perf_fd(e->d_name) && is_ours(fd, &ids, list))
			r->fds[r->nfds++] = fd;
	}
	if (d)
		closedir(d);
	hidx__fini(&ids);
	free(list);
}

static int watch(struct perf_ring *r)
{
	r->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (r->epoll_fd < 0)
		return -errno;
	for (u32 i = 0; i < r->nfds; i++) {
		/* Edge-triggered: an event whose task has ended hangs up for good. */
		struct epoll_event e = {.events = EPOLLIN | EPOLLET, .data.fd = r->fds[i]};

		if (epoll_ctl(r->epoll_fd, EPOLL_CTL_ADD, r->fds[i], &e))
			return -errno;
	}
	return 0;
}

static struct perf_thread_map *thread_map(const pid_t *tids, u32 n)
{
	if (!n)
		return perf_thread_map__new_dummy();
	return perf_thread_map__new_array((int)n, (pid_t *)tids);
}

/* *too_large: there was no memory for rings of that size. */
static int open_all(struct perf_ring *r, const struct perf_event_attr *attr, const pid_t *tids,
		    u32 ntids, u32 pages, bool *too_large)
{
	struct perf_event_attr a = *attr;
	struct perf_cpu_map *cpus = perf_cpu_map__new(NULL);
	struct perf_thread_map *threads = thread_map(tids, ntids);
	int err;

	a.read_format |= PERF_FORMAT_ID;
	a.watermark = 1;
	a.wakeup_watermark = 0; /* half the ring, whatever its size will be */
	perf_evlist__add(r->evlist, perf_evsel__new(&a));
	perf_evlist__set_maps(r->evlist, cpus, threads);
	r->ncpus = (u32)perf_cpu_map__nr(cpus);
	raise_fd_limit();
	perf_cpu_map__put(cpus);
	perf_thread_map__put(threads);
	err = perf_evlist__open(r->evlist);
	if (!err && perf_evlist__mmap(r->evlist, (int)pages)) {
		err = -errno;
		*too_large = err == -EPERM || err == -ENOMEM;
	}
	r->pages = pages;
	if (!err)
		find_fds(r, r->ncpus * MAX(ntids, 1u));
	return err ? err : watch(r);
}

/* Events are opened anew for smaller rings: of those whose rings were mapped before it failed libperf
 * notes the ids each time, in memory for one time. */
int perf_ring__open(struct perf_ring *r, const struct perf_event_attr *attr, const pid_t *tids,
		    u32 ntids, u32 pages)
{
	bool too_large;
	int err;

	libperf_init(print_to_log);
	for (;; pages /= 2) {
		too_large = false;
		*r = (struct perf_ring){.evlist = perf_evlist__new(), .epoll_fd = -1};
		if (!r->evlist)
			return -ENOMEM;
		err = open_all(r, attr, tids, ntids, pages, &too_large);
		if (!err)
			break;
		perf_ring__close(r);
		if (!too_large || pages < 16)
			return err;
	}
	perf_evlist__enable(r->evlist);
	return 0;
}

void perf_ring__close(struct perf_ring *r)
{
	if (r->epoll_fd >= 0)
		close(r->epoll_fd);
	if (r->evlist) {
		perf_evlist__munmap(r->evlist);
		perf_evlist__close(r->evlist);
		perf_evlist__delete(r->evlist);
	}
	free(r->fds);
	*r = (struct perf_ring){.epoll_fd = -1};
}

void perf_ring__succeed(struct perf_ring *r, struct perf_ring *fresh,
			void (*each)(void *ctx, const struct perf_event_header *h), void *ctx)
{
	r->until_ns = fresh->since_ns = clock__monotonic_ns();
	perf_ring__read(r, each, ctx);
	perf_ring__close(r);
	*r = *fresh;
}

void perf_ring__read(struct perf_ring *r,
		     void (*each)(void *ctx, const struct perf_event_header *h), void *ctx)
{
	struct epoll_event ready[16];
	struct perf_mmap *map;
	union perf_event *e;

	while (epoll_wait(r->epoll_fd, ready, ARRAY_SIZE(ready), 0) == ARRAY_SIZE(ready))
		;
	perf_evlist__for_each_mmap(r->evlist, map, false)
	{
		if (perf_mmap__read_init(map) < 0)
			continue;
		while ((e = perf_mmap__read_event(map))) {
			each(ctx, &e->header);
			perf_mmap__consume(map);
		}
		perf_mmap__read_done(map);
	}
}

int perf_ring__set_rate(struct perf_ring *r, u64 rate)
{
	for (u32 i = 0; i < r->nfds; i++)
		if (ioctl(r->fds[i], PERF_EVENT_IOC_PERIOD, &rate))
			return -errno;
	return 0;
}
