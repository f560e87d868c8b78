// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls as text, compared with what strace writes of the same calls. All of them fail, or do
 * nothing: pointers are bad and descriptors closed. The test runs itself under strace.
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "measures/syscall_args.h"
#include "tests/lib/scratch.h"
#include "tests/lib/skip.h"

#define BAD   0x10ULL
#define NOFD  ((u64)-1)
#define CWD   ((u64)AT_FDCWD)
#define BEGIN 4711 /* a descriptor that nothing else closes */

static const struct {
	long nr;
	u64 args[SYSCALL_ARGS];
} calls[] = {
	{SYS_read, {NOFD, BAD, 4096}},
	{SYS_openat, {CWD, BAD, O_RDONLY | O_CLOEXEC}},
	{SYS_openat, {CWD, BAD, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0640}},
	{SYS_openat, {NOFD, BAD, O_WRONLY | O_TMPFILE, 0}},
	{SYS_newfstatat, {CWD, BAD, 0, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW}},
	{SYS_statx, {NOFD, BAD, AT_STATX_DONT_SYNC, 0x7ff, BAD}},
	{SYS_faccessat, {CWD, BAD, R_OK | W_OK}},
	{SYS_lseek, {NOFD, (u64)-5, SEEK_HOLE}},
	{SYS_mmap, {0, 0, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_DENYWRITE, NOFD, 0x1000}},
	{SYS_mprotect, {BAD, 4096, PROT_READ | PROT_WRITE}},
	{SYS_madvise, {BAD, 4096, MADV_WILLNEED}},
	{SYS_msync, {BAD, 4096, MS_SYNC}},
	{SYS_pwrite64, {NOFD, BAD, 8, 1 << 20}},
	{SYS_pipe2, {BAD, O_CLOEXEC | O_NONBLOCK}},
	{SYS_epoll_ctl, {NOFD, 2, NOFD, 0}},
	{SYS_epoll_pwait, {NOFD, BAD, 16, NOFD, 0, 8}},
	{SYS_dup3, {NOFD, NOFD, O_CLOEXEC}},
	{SYS_clock_nanosleep, {CLOCK_REALTIME, TIMER_ABSTIME, BAD, 0}},
	{SYS_socket, {AF_INET, SOCK_STREAM | SOCK_NONBLOCK, IPPROTO_UDP}},
	{SYS_sendto, {NOFD, 0, 0, MSG_NOSIGNAL, 0, 0}},
	{SYS_recvfrom, {NOFD, BAD, 100, MSG_PEEK | MSG_DONTWAIT, 0, 0}},
	{SYS_accept4, {NOFD, 0, 0, SOCK_CLOEXEC}},
	{SYS_setsockopt, {NOFD, SOL_SOCKET, SO_KEEPALIVE, BAD, 4}},
	{SYS_shutdown, {NOFD, SHUT_WR}},
	{SYS_wait4, {0x7fffffff, 0, WNOHANG, 0}},
	{SYS_kill, {0x7fffffff, SIGUSR1}},
	{SYS_fcntl, {NOFD, F_SETFD, FD_CLOEXEC}},
	{SYS_fcntl, {NOFD, F_GETFL, 0}},
	{SYS_flock, {NOFD, LOCK_SH | LOCK_NB}},
	{SYS_fsync, {NOFD}},
	{SYS_sync_file_range, {NOFD, 1, 2, 3}},
	{SYS_ftruncate, {NOFD, 77}},
	{SYS_renameat2, {CWD, BAD, NOFD, BAD, 1}},
	{SYS_unlinkat, {CWD, BAD, AT_REMOVEDIR}},
	{SYS_mkdirat, {CWD, BAD, 0755}},
	{SYS_fchownat, {CWD, BAD, NOFD, 5, AT_SYMLINK_NOFOLLOW}},
	{SYS_futex, {BAD, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1}},
	{SYS_futex, {BAD, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 7, 0, 0, (u32)-1}},
	{SYS_fallocate, {NOFD, 3, 0, 4096}},
	{SYS_splice, {NOFD, 0, NOFD, 0, 10, 3}},
	{SYS_getrandom, {BAD, 8, 1}},
	{SYS_memfd_create, {BAD, 1}},
	{SYS_umount2, {BAD, MNT_DETACH}},
	{SYS_rt_sigprocmask, {SIG_BLOCK, BAD, 0, 8}},
	{SYS_io_uring_enter, {NOFD, 1, 2, 1, 0, 8}},
	{SYS_close, {NOFD}},
};

static s64 do_call(u32 i)
{
	const u64 *a = calls[i].args;
	long ret = syscall(calls[i].nr, a[0], a[1], a[2], a[3], a[4], a[5]);

	return ret < 0 ? -errno : ret;
}

/* What strace looks at: no more calls than these, and no exit handlers. */
static void do_calls(void)
{
	syscall(SYS_close, BEGIN);
	for (u32 i = 0; i < ARRAY_SIZE(calls); i++)
		do_call(i);
	_exit(0);
}

/* strace explains errors behind them. */
static bool is_line(const char *line, u32 i)
{
	struct syscall_call c = {.abi = SYSCALL_NATIVE, .nr = (u32)calls[i].nr};
	char text[500], want[600], ret[64];

	memcpy(c.args, calls[i].args, sizeof(c.args));
	for (u32 t = 0; t < SYSCALL_TEXTS; t++)
		c.texts[t].arg = SYSCALL_NO_ARG;
	syscall_args__text(&c, text, sizeof(text));
	syscall_ret__text(do_call(i), ret, sizeof(ret));
	snprintf(want, sizeof(want), "%s = %s", text, ret);
	if (!strncmp(line, want, strlen(want)))
		return true;
	print_message("%s\nstrace: %s", want, line);
	return false;
}

static FILE *strace_of_this(void)
{
	char exe[400] = "", path[100];

	if (readlink("/proc/self/exe", exe, sizeof(exe) - 1) < 0)
		return NULL;
	run("strace -qq -a 1 -e signal=none -o calls '%s' --calls 2>errors || true", exe);
	snprintf(path, sizeof(path), "%s/calls", scratch_dir);
	return fopen(path, "r");
}

static void test_as_strace_writes(void **state)
{
	char line[1000], begin[40];
	FILE *f;
	u32 n = 0, same = 0;

	if (system("command -v strace >/dev/null"))
		skip_because("no strace");
	if (system("strace -qq -o /dev/null true 2>/dev/null"))
		skip_because("strace may not trace here");
	f = strace_of_this();
	assert_non_null(f);
	snprintf(begin, sizeof(begin), "close(%d)", BEGIN);
	while (fgets(line, sizeof(line), f) && strncmp(line, begin, strlen(begin)))
		;
	for (; n < ARRAY_SIZE(calls) && fgets(line, sizeof(line), f); n++)
		same += is_line(line, n);
	fclose(f);
	assert_int_equal(n, ARRAY_SIZE(calls));
	assert_int_equal(same, n);
}

static int setup(void **state)
{
	return scratch__make("syscall_args_test");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_strace_writes),
	};

	if (argc > 1 && !strcmp(argv[1], "--calls"))
		do_calls();
	return cmocka_run_group_tests(tests, setup, scratch__remove);
}
