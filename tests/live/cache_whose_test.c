// SPDX-License-Identifier: GPL-2.0-only
/* Whose reads they are, what happens where there are too many, and what is left behind. */
#include "tests/live/cache_watcher.h"

#include <bpf/bpf.h>

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

/* A folder of files of one page each, that are in the cache. */
struct many {
	char dir[64];
	int n;
};

static const char *many__path(const struct many *m, int i)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%d", m->dir, i);
	return path;
}

static struct many many__new(int n)
{
	struct many m = {.dir = FILES_IN "/cache_test.XXXXXX", .n = n};

	assert_non_null(mkdtemp(m.dir));
	for (int i = 0; i < n; i++) {
		int fd = open(many__path(&m, i), O_CREAT | O_RDWR, 0600);

		assert_int_equal(write(fd, block, PAGE), PAGE);
		close(fd);
	}
	return m;
}

static void many__end(const struct many *m)
{
	for (int i = 0; i < m->n; i++)
		unlink(many__path(m, i));
	rmdir(m->dir);
}

static bool many__read(const struct many *m)
{
	bool good = true;

	for (int i = 0; i < m->n; i++) {
		int fd = open(many__path(m, i), O_RDONLY);

		good &= read(fd, block, PAGE) == PAGE;
		close(fd);
	}
	return good;
}

/* What finds no row beside its file is in its process' row: nothing is lost. */
static void many_files(void **state)
{
	static const struct cache_bpf_sizes tiny = {64, 64, 64, 64, 64, 4096};
	struct watcher *w = watcher__open(&tiny, "pid=%d", getpid());
	struct many m = many__new(MANY);
	struct health h = {0};

	watcher__begin(w, 0);
	assert_true(many__read(&m));
	watcher__drain(w);
	source_cache_bpf.health(w->s.source, &h);
	assert_true(w->rows <= 64 + 1);
	assert_int_equal(w->all[CACHE_READ_HITS], MANY);
	assert_true(w->rest >= MANY - 64);
	assert_int_equal(h.lost, 0);
	assert_non_null(strstr(h.note, "in no file's row"));
	assert_true(h.map_fill_pct > 90);
	watcher__close(w);
	many__end(&m);
}

#define READERS 3

static pid_t waiting_reader(const struct many *m, const int go[2])
{
	pid_t pid = fork();
	char byte;

	if (pid)
		return pid;
	close(go[1]);
	_exit(read(go[0], &byte, 1) || !many__read(m));
}

/* And where processes are too many as well, it is in a row of all of them. */
static void many_processes(void **state)
{
	static const struct cache_bpf_sizes tiny = {4, 64, 64, 64, 64, 4096};
	struct many m = many__new(40);
	struct watcher *w;
	pid_t pids[READERS];
	int go[2], status;

	assert_int_equal(pipe(go), 0);
	for (int i = 0; i < READERS; i++)
		pids[i] = waiting_reader(&m, go);
	w = watcher__open(&tiny, "pid=%d,%d,%d", pids[0], pids[1], pids[2]);
	watcher__begin(w, 0);
	close(go[1]);
	for (int i = 0; i < READERS; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	watcher__drain(w);
	assert_int_equal(w->all[CACHE_READ_HITS], READERS * 40);
	assert_true(w->others > 0);
	assert_true(w->rows <= 4 + 1 + 1);
	watcher__drain(w);
	assert_int_equal(w->all[CACHE_READ_HITS], READERS * 40);
	watcher__close(w);
	close(go[0]);
	many__end(&m);
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
		cmocka_unit_test(two_processes),
		cmocka_unit_test(used_by_another),
		cmocka_unit_test(deleted_while_read),
		cmocka_unit_test(many_files),
		cmocka_unit_test(many_processes),
		cmocka_unit_test(ahead_forgotten),
		cmocka_unit_test(totals),
		cmocka_unit_test(nothing_stays),
	};

	if (!sampler__possible(&source_cache_bpf))
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
