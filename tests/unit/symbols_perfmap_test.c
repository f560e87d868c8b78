/* SPDX-License-Identifier: GPL-2.0-only */
/* Perf maps: as they grow, as they are replaced, and as somebody hostile writes them. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "symbols/perfmap.h"
#include "symbols/symbols.h"
#include "tests/lib/as_user.h"
#include "tests/lib/skip.h"

static char own_path[64];

static void append(int fd, const char *text)
{
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

static const char *name_at(struct perfmap *p, u64 addr)
{
	static struct perfmap_hit hit;

	return perfmap__find(p, addr, &hit) ? hit.name : "";
}

static bool refresh(struct perfmap *p, int fd)
{
	return perfmap__refresh_fd(p, dup(fd));
}

static void test_grows(void **state)
{
	struct perfmap *p = perfmap__new(1, 0);
	int fd = memfd_create("map", 0);
	struct perfmap_hit hit;

	assert_true(perfmap__note(p)[0]);
	append(fd, "1000 100 first\n2000 10 LazyCompile:*a b;c x.js:1\n3000 1");
	assert_true(refresh(p, fd));
	assert_string_equal(name_at(p, 0x1000), "first");
	assert_string_equal(name_at(p, 0x10ff), "first");
	assert_string_equal(name_at(p, 0x1100), "");
	assert_string_equal(name_at(p, 0xfff), "");
	assert_string_equal(name_at(p, 0x2005), "LazyCompile:*a b;c x.js:1");
	assert_string_equal(name_at(p, 0x3000), "");
	assert_string_equal(perfmap__note(p), "");
	assert_false(refresh(p, fd));
	append(fd, "0 third\n0x4000 0x20 with0x\n");
	assert_true(refresh(p, fd));
	assert_true(perfmap__find(p, 0x300f, &hit));
	assert_string_equal(hit.name, "third");
	assert_int_equal(hit.start, 0x3000);
	assert_int_equal(hit.size, 0x10);
	assert_string_equal(name_at(p, 0x4001), "with0x");
	/* made anew at the same place, and over part of another */
	append(fd, "1000 80 second\n1f80 100 over\n");
	assert_true(refresh(p, fd));
	assert_string_equal(name_at(p, 0x1010), "second");
	assert_string_equal(name_at(p, 0x2005), "over");
	assert_int_equal(perfmap__count(p), 5);
	close(fd);
	perfmap__free(p);
}

static void test_cut_short(void **state)
{
	struct perfmap *p = perfmap__new(1, 0);
	int fd = memfd_create("map", 0);

	append(fd, "1000 100 old\n2000 100 old2\n");
	assert_true(refresh(p, fd));
	assert_int_equal(ftruncate(fd, 0), 0);
	lseek(fd, 0, SEEK_SET);
	append(fd, "5000 100 new\n");
	assert_true(refresh(p, fd));
	assert_string_equal(name_at(p, 0x1000), "");
	assert_string_equal(name_at(p, 0x5000), "new");
	close(fd);
	perfmap__free(p);
}

static void test_broken_lines(void **state)
{
	struct perfmap *p = perfmap__new(1, 0);
	int fd = memfd_create("map", 0);
	char *name = xmalloc(200001);

	memset(name, 'n', 200000);
	name[200000] = '\0';
	append(fd, "\n \n1000\n1000 \n1000 10\n1000 10 \nxyz 10 a\n1000 xyz b\n"
		   "11112222333344445 10 toolong\n1000 100000000 toolarge\n1000 0 empty\n"
		   "-1 10 negative\n");
	append(fd, "2000 10 ");
	append(fd, name);
	append(fd, "\n3000 10 good\n");
	refresh(p, fd);
	assert_string_equal(name_at(p, 0x3000), "good");
	assert_string_equal(name_at(p, 0x1000), "");
	append(fd, "ffffffffffffffff ffffffff wraps\n0 10 zero\n");
	refresh(p, fd);
	assert_string_equal(name_at(p, 0), "zero");
	assert_string_equal(name_at(p, UINT64_MAX), "wraps");
	free(name);
	close(fd);
	perfmap__free(p);
}

static u32 found(struct perfmap *p)
{
	struct perfmap_hit hit;
	u32 n = 0;

	for (u64 addr = 0; addr < 0x3000; addr += 8)
		n += perfmap__find(p, addr, &hit) && addr - hit.start < hit.size;
	return n;
}

/* Thousands within each other and crossing each other, the same place again and again: what is
 * found holds the address, and a look-up steps over few. */
static void test_overlapping(void **state)
{
	struct perfmap *p = perfmap__new(1, 0);
	int fd = memfd_create("map", 0);
	FILE *f = fdopen(dup(fd), "w");

	for (u32 i = 0; i < 20000; i++)
		fprintf(f, "%x %x within%u\n", i % 4096, 0x3000 - 2 * (i % 4096), i);
	for (u32 i = 0; i < 20000; i++)
		fprintf(f, "800 10 again%u\n", i);
	fclose(f);
	refresh(p, fd);
	assert_int_equal(perfmap__count(p), 4096);
	assert_true(found(p) > 0x1000 / 8);
	assert_string_equal(name_at(p, 0x801), "again19999");
	close(fd);
	perfmap__free(p);
}

/* Holes of a terabyte cost nothing; what lies behind them is not read. */
static void test_sparse(void **state)
{
	struct perfmap *p = perfmap__new(1, 0);
	int fd = memfd_create("map", 0);

	append(fd, "1000 10 before\n");
	assert_int_equal(ftruncate(fd, 1LL << 40), 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), 1LL << 40);
	append(fd, "\n2000 10 behind\n");
	refresh(p, fd);
	assert_string_equal(name_at(p, 0x1000), "before");
	assert_string_equal(name_at(p, 0x2000), "");
	assert_non_null(strstr(perfmap__note(p), "too large"));
	close(fd);
	perfmap__free(p);
}

/* A gigabyte of nothing, then 1,200,000 entries: bounded in time and memory. */
static void test_huge(void **state)
{
	struct perfmap *p = perfmap__new(1, 0);
	int fd = memfd_create("map", 0);
	FILE *f;

	assert_int_equal(ftruncate(fd, 1 << 30), 0);
	refresh(p, fd);
	assert_int_equal(perfmap__count(p), 0);
	assert_non_null(strstr(perfmap__note(p), "too large"));
	assert_int_equal(ftruncate(fd, 0), 0);
	f = fdopen(dup(fd), "w");
	for (u32 i = 0; i < 1200000; i++)
		fprintf(f, "%x 8 f%u\n", i * 16, i);
	fclose(f);
	refresh(p, fd);
	assert_int_equal(perfmap__count(p), PERFMAP_ENTRIES);
	assert_non_null(strstr(perfmap__note(p), "too large"));
	assert_string_equal(name_at(p, 77 * 16 + 3), "f77");
	close(fd);
	perfmap__free(p);
}

static int make(int flags)
{
	int fd = open(own_path, O_WRONLY | O_CREAT | O_EXCL | flags, 0644);

	assert_true(fd >= 0);
	return fd;
}

static void test_by_pid(void **state)
{
	struct perfmap *p = perfmap__new((u32)getpid(), 0);
	int fd;

	assert_false(perfmap__refresh(p));
	assert_true(perfmap__note(p)[0]);
	fd = make(0);
	append(fd, "1000 100 mine\n");
	assert_true(perfmap__refresh(p));
	assert_string_equal(name_at(p, 0x1000), "mine");
	perfmap__rest(p);
	assert_string_equal(name_at(p, 0x1001), "mine");
	/* another file in its place is not mistaken for it */
	perfmap__rest(p);
	close(fd);
	unlink(own_path);
	close(make(0));
	perfmap__free(p);
	unlink(own_path);
}

static void test_by_parent(void **state)
{
	struct perfmap *p = perfmap__new(1, (u32)getpid());
	int fd = make(0);

	append(fd, "1000 100 inherited\n");
	assert_true(perfmap__refresh(p));
	assert_string_equal(name_at(p, 0x1000), "inherited");
	close(fd);
	unlink(own_path);
	perfmap__free(p);
}

/* Not read, and not even opened: of a device that alone may have effects. */
static void refused(void)
{
	struct perfmap *p = perfmap__new((u32)getpid(), 0);
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	char events[512];

	assert_true(inotify_add_watch(watch, own_path, IN_OPEN | IN_DONT_FOLLOW) >= 0);
	assert_false(perfmap__refresh(p));
	assert_int_equal(perfmap__count(p), 0);
	assert_non_null(strstr(perfmap__note(p), "not a regular file of the process's user"));
	perfmap__free(p);
	assert_true(read(watch, events, sizeof(events)) < 0 && errno == EAGAIN);
	close(watch);
	assert_int_equal(remove(own_path), 0);
}

static void test_not_followed(void **state)
{
	char other[] = "/tmp/perfmap_test.XXXXXX";
	int fd = mkstemp(other);

	append(fd, "1000 100 elsewhere\n");
	close(fd);
	assert_int_equal(symlink(other, own_path), 0);
	refused();
	unlink(other);
	assert_int_equal(mkfifo(own_path, 0644), 0);
	refused();
	assert_int_equal(mkdir(own_path, 0755), 0);
	refused();
	if (geteuid())
		skip_because("needs root");
	fd = make(0);
	append(fd, "1000 100 of another user\n");
	assert_int_equal(fchown(fd, 12345, 12345), 0);
	close(fd);
	refused();
	if (mknod(own_path, S_IFCHR | 0600, makedev(1, 5)))
		skip_because("no devices can be made here");
	refused();
}

#define JITS 40

static pid_t begin_jit(const void *code)
{
	pid_t pid = fork();
	char path[64];
	FILE *f;

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", pid);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%lx 100 of_%d\n%lx 100 again_%d\n", (unsigned long)code, pid,
		(unsigned long)code + 256, pid);
	fclose(f);
	return pid;
}

static void end_jit(pid_t pid)
{
	char path[64];

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", pid);
	unlink(path);
}

static u32 open_maps(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *e;
	char path[512], to[64];
	u32 n = 0;

	while ((e = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/self/fd/%s", e->d_name);
		memset(to, 0, sizeof(to));
		n += readlink(path, to, sizeof(to) - 1) > 0 && !strncmp(to, "/tmp/perf-", 10);
	}
	closedir(dir);
	return n;
}

/* All their names are there, and only the newest maps stay open. */
static void look_at_jits(struct symbols *s, const pid_t *jits, u64 ip, const char *name)
{
	u32 locs[JITS];
	char wanted[64];

	for (u32 i = 0; i < JITS; i++)
		locs[i] = symbols__locate_user(s, (u32)jits[i], clock__monotonic_ns(), ip);
	symbols__kick(s);
	assert_true(symbols__wait(s, 10000));
	for (u32 i = 0; i < JITS; i++) {
		snprintf(wanted, sizeof(wanted), "%s_%d", name, jits[i]);
		assert_string_equal(symbols__func(s, symbols__func_of(s, locs[i]))->name, wanted);
	}
	assert_in_range(open_maps(), 1, 16);
}

static void test_many_processes(void **state)
{
	u8 *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct status st = {0};
	struct symbols *s;
	pid_t jits[JITS];

	skip_when_emulated(); /* no openat2 */
	s = symbols__new(&st);
	assert_non_null(s);
	for (u32 i = 0; i < JITS; i++)
		jits[i] = begin_jit(code);
	look_at_jits(s, jits, (u64)code + 8, "of");
	look_at_jits(s, jits, (u64)code + 300, "again");
	for (u32 i = 0; i < JITS; i++)
		end_jit(jits[i]);
	symbols__free(s);
	assert_int_equal(open_maps(), 0);
	munmap(code, 4096);
}

/* How many entries there are of a process whose map has this owner and mode. */
static u32 entries_of(pid_t pid, uid_t owner, mode_t mode)
{
	struct perfmap *p = perfmap__new((u32)pid, 0);
	char path[64];
	u32 n;
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", pid);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	append(fd, "1000 100 secret\n");
	assert_false(fchown(fd, owner, owner) || fchmod(fd, mode));
	close(fd);
	perfmap__refresh(p);
	n = perfmap__count(p);
	assert_true(n || strstr(perfmap__note(p), "or a private one"));
	perfmap__free(p);
	unlink(path);
	return n;
}

/* Root's own, where a user has it stand in for a map. */
static void test_private(void **state)
{
	pid_t pid;

	if (geteuid())
		skip_because("needs root");
	pid = as_user__fork(AS_USER, 0);
	if (!pid)
		skip_because("no process of another user can be made here");
	assert_int_equal(entries_of(pid, 0, 0600), 0);
	assert_int_equal(entries_of(pid, 0, 0604), 1);
	assert_int_equal(entries_of(pid, AS_USER, 0600), 1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(entries_of(getpid(), 0, 0600), 1);
}

/* Of a user whose proftop has rights of its own (setcap). */
static int read_as_user(pid_t other)
{
	u64 set = 1ull << CAP_SYS_PTRACE | 1ull << CAP_DAC_READ_SEARCH | 1ull << CAP_CHOWN |
		  1ull << CAP_FOWNER | 1ull << CAP_DAC_OVERRIDE;

	if (!as_user(AS_USER, set))
		return 77;
	if (entries_of(getpid(), AS_USER, 0600) != 1)
		return 1;
	if (entries_of(getpid(), 0, 0600) || entries_of(other, AS_USER + 1, 0600))
		return 2;
	return entries_of(other, AS_USER + 1, 0604) == 1 ? 0 : 3;
}

static void test_private_to_users(void **state)
{
	pid_t pid, other;
	int status;

	if (geteuid())
		skip_because("needs root");
	other = as_user__fork(AS_USER + 1, 0);
	pid = fork();
	if (!pid)
		_exit(other ? read_as_user(other) : 77);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (other)
		kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip_because("no rights to give to a user");
	assert_int_equal(WEXITSTATUS(status), 0);
}

static int setup(void **state)
{
	snprintf(own_path, sizeof(own_path), "/tmp/perf-%d.map", getpid());
	unlink(own_path);
	return 0;
}

static int teardown(void **state)
{
	unlink(own_path);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grows),
		cmocka_unit_test(test_cut_short),
		cmocka_unit_test(test_broken_lines),
		cmocka_unit_test(test_huge),
		cmocka_unit_test(test_by_pid),
		cmocka_unit_test(test_by_parent),
		cmocka_unit_test(test_not_followed),
		cmocka_unit_test(test_overlapping),
		cmocka_unit_test(test_sparse),
		cmocka_unit_test(test_private),
		cmocka_unit_test(test_private_to_users),
		cmocka_unit_test(test_many_processes),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
