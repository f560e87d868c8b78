// SPDX-License-Identifier: GPL-2.0-only
/* Calls as text: each kind of argument, what strings may hold, what does not fit, what returns. */
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/prctl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "measures/syscall_args.h"
#include "measures/syscall_text.h"

#define NOWHERE ((u64)(u32)AT_FDCWD) /* as a register has it whose upper half nobody set */
#define MINUS_1 UINT64_MAX

static const char *text_of(const struct syscall_call *call)
{
	static char buf[2048];

	syscall_args__text(call, buf, sizeof(buf));
	return buf;
}

/* A call without texts. */
static struct syscall_call call_of(u32 abi, const char *name)
{
	struct syscall_call c = {.abi = abi};
	int nr = syscall_nr(abi, name);

	if (nr < 0)
		fail_msg("no call %s", name);
	c.nr = (u32)nr;
	for (u32 i = 0; i < SYSCALL_TEXTS; i++)
		c.texts[i].arg = SYSCALL_NO_ARG;
	return c;
}

struct example {
	const char *name;
	u64 args[SYSCALL_ARGS];
	const char *text;
};

static void expect_all(u32 abi, const struct example *rows, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		struct syscall_call c = call_of(abi, rows[i].name);

		memcpy(c.args, rows[i].args, sizeof(c.args));
		assert_string_equal(text_of(&c), rows[i].text);
	}
}

static void test_files(void **state)
{
	static const struct example rows[] = {
		{"read", {3, 0x7f00, 4096}, "read(3, 0x7f00, 4096)"},
		{"read", {(u32)-1, 0, 0}, "read(-1, NULL, 0)"},
		{"openat", {NOWHERE, 0x10, O_RDONLY}, "openat(AT_FDCWD, 0x10, O_RDONLY)"},
		{"openat",
		 {4, 0x10, O_RDWR | O_CREAT | O_CLOEXEC, 0644},
		 "openat(4, 0x10, O_RDWR|O_CREAT|O_CLOEXEC, 0644)"},
		{"openat",
		 {4, 0x10, O_WRONLY | O_TMPFILE, 0},
		 "openat(4, 0x10, O_WRONLY|O_TMPFILE, 000)"},
		{"openat", {4, 0x10, O_DSYNC}, "openat(4, 0x10, O_RDONLY|O_DSYNC)"},
		{"openat",
		 {4, 0x10, O_SYNC | O_APPEND},
		 "openat(4, 0x10, O_RDONLY|O_SYNC|O_APPEND)"},
		{"openat", {4, 0x10, 1u << 31}, "openat(4, 0x10, O_RDONLY|0x80000000)"},
		{"lseek", {3, MINUS_1, SEEK_END}, "lseek(3, -1, SEEK_END)"},
		{"pread64", {3, 0x10, 8, 1ULL << 40}, "pread64(3, 0x10, 8, 1099511627776)"},
		{"preadv2", {3, 0x10, 2, 77, 0, 0}, "preadv2(3, 0x10, 2, 77, 0)"},
		{"faccessat", {NOWHERE, 0x10, F_OK}, "faccessat(AT_FDCWD, 0x10, F_OK)"},
		{"faccessat", {NOWHERE, 0x10, R_OK | X_OK}, "faccessat(AT_FDCWD, 0x10, R_OK|X_OK)"},
		{"mknodat",
		 {NOWHERE, 0x10, S_IFCHR | 0600, 0x103},
		 "mknodat(AT_FDCWD, 0x10, S_IFCHR|0600, 0x103)"},
		{"fchownat",
		 {3, 0x10, (u32)-1, 4000000000, 0},
		 "fchownat(3, 0x10, -1, 4000000000, 0)"},
		{"flock", {3, LOCK_EX | LOCK_NB}, "flock(3, LOCK_EX|LOCK_NB)"},
		{"fcntl", {3, F_GETFL, 99}, "fcntl(3, F_GETFL)"},
		{"fcntl", {3, F_SETFD, FD_CLOEXEC}, "fcntl(3, F_SETFD, FD_CLOEXEC)"},
		{"fcntl", {3, F_SETFL, O_NONBLOCK}, "fcntl(3, F_SETFL, O_RDONLY|O_NONBLOCK)"},
		{"fcntl", {3, F_OFD_SETLK, 0x10}, "fcntl(3, F_OFD_SETLK, 0x10)"},
		{"fcntl", {3, 77777, 0x10}, "fcntl(3, 0x12fd1, 0x10)"},
		{"sync", {1, 2, 3}, "sync()"},
	};

	expect_all(SYSCALL_NATIVE, rows, ARRAY_SIZE(rows));
}

static void test_memory(void **state)
{
	static const struct example rows[] = {
		{"brk", {0}, "brk(NULL)"},
		{"mmap",
		 {0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, (u32)-1, 0},
		 "mmap(NULL, 8192, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)"},
		{"mprotect", {0x1000, 4096, PROT_NONE}, "mprotect(0x1000, 4096, PROT_NONE)"},
		{"mprotect",
		 {0x1000, 4096, 1ULL << 40 | PROT_EXEC},
		 "mprotect(0x1000, 4096, PROT_EXEC|0x10000000000)"},
		{"madvise", {0x1000, 4096, 4}, "madvise(0x1000, 4096, MADV_DONTNEED)"},
		{"mremap", {1, 2, 3, MREMAP_MAYMOVE, 5}, "mremap(0x1, 2, 3, MREMAP_MAYMOVE)"},
		{"mremap",
		 {1, 2, 3, MREMAP_MAYMOVE | MREMAP_FIXED, 5},
		 "mremap(0x1, 2, 3, MREMAP_MAYMOVE|MREMAP_FIXED, 0x5)"},
	};

	expect_all(SYSCALL_NATIVE, rows, ARRAY_SIZE(rows));
}

static void test_tasks(void **state)
{
	static const struct example rows[] = {
		{"getpid", {7, 8, 9}, "getpid()"},
		{"exit_group", {1}, "exit_group(1)"},
		{"kill", {(u32)-5, SIGTERM}, "kill(-5, SIGTERM)"},
		{"kill", {1, 0}, "kill(1, 0)"},
		{"kill", {1, 34}, "kill(1, SIGRT_2)"},
		{"kill", {1, 65}, "kill(1, 65)"},
		{"clone",
		 {CLONE_VM | CLONE_FS | SIGCHLD, 0, 0, 0, 0},
		 "clone(CLONE_VM|CLONE_FS|SIGCHLD, NULL, NULL, NULL, 0)"},
		{"clone", {SIGCHLD}, "clone(SIGCHLD, NULL, NULL, NULL, 0)"},
		{"clone", {0}, "clone(0, NULL, NULL, NULL, 0)"},
		{"wait4", {(u32)-1, 0x10, 3, 0}, "wait4(-1, 0x10, WNOHANG|WSTOPPED, NULL)"},
		{"sched_setscheduler",
		 {0, SCHED_FIFO | SCHED_RESET_ON_FORK, 0x10},
		 "sched_setscheduler(0, SCHED_FIFO|SCHED_RESET_ON_FORK, 0x10)"},
		{"prctl", {PR_SET_PDEATHSIG, 9}, "prctl(PR_SET_PDEATHSIG, 0x9)"},
		{"prctl", {PR_GET_DUMPABLE}, "prctl(PR_GET_DUMPABLE)"},
		{"prctl", {PR_SET_MM, 0, 5}, "prctl(PR_SET_MM, 0, 0x5)"},
		{"clock_nanosleep",
		 {CLOCK_MONOTONIC, TIMER_ABSTIME, 0x10, 0},
		 "clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, 0x10, NULL)"},
		{"rt_sigprocmask",
		 {SIG_SETMASK, 0x10, 0, 8},
		 "rt_sigprocmask(SIG_SETMASK, 0x10, NULL, 8)"},
	};

	expect_all(SYSCALL_NATIVE, rows, ARRAY_SIZE(rows));
}

static void test_futex(void **state)
{
	static const struct example rows[] = {
		{"futex",
		 {0x10, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 2, 0},
		 "futex(0x10, FUTEX_WAIT_PRIVATE, 2, NULL)"},
		{"futex",
		 {0x10, FUTEX_WAKE, 2147483647, 5, 6, 7},
		 "futex(0x10, FUTEX_WAKE, 2147483647)"},
		{"futex",
		 {0x10, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, 0x20, 0, (u32)-1},
		 "futex(0x10, FUTEX_WAIT_BITSET|FUTEX_CLOCK_REALTIME, 0, 0x20, "
		 "FUTEX_BITSET_MATCH_ANY)"},
		{"futex",
		 {0x10, FUTEX_CMP_REQUEUE, 1, 3, 0x20, 9},
		 "futex(0x10, FUTEX_CMP_REQUEUE, 1, 3, 0x20, 9)"},
		{"futex", {0x10, FUTEX_UNLOCK_PI, 1, 3, 4, 5}, "futex(0x10, FUTEX_UNLOCK_PI)"},
		{"futex", {0x10, 99, 1, 3, 4, 5}, "futex(0x10, 0x63, 1, 0x3, 0x4, 0x5)"},
	};

	expect_all(SYSCALL_NATIVE, rows, ARRAY_SIZE(rows));
}

static void test_sockets(void **state)
{
	static const struct example rows[] = {
		{"socket",
		 {AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP},
		 "socket(AF_INET, SOCK_STREAM|SOCK_CLOEXEC, IPPROTO_TCP)"},
		{"socket", {AF_UNIX, SOCK_DGRAM, 0}, "socket(AF_UNIX, SOCK_DGRAM, 0)"},
		{"socket", {4711, 15, 0x300}, "socket(0x1267, 0xf, 768)"},
		{"setsockopt",
		 {3, SOL_SOCKET, SO_REUSEADDR, 0x10, 4},
		 "setsockopt(3, SOL_SOCKET, SO_REUSEADDR, 0x10, 4)"},
		{"setsockopt",
		 {3, SOL_TCP, TCP_NODELAY, 0x10, 4},
		 "setsockopt(3, SOL_TCP, TCP_NODELAY, 0x10, 4)"},
		{"setsockopt", {3, 4711, 1, 0x10, 4}, "setsockopt(3, 0x1267, 1, 0x10, 4)"},
		{"sendto",
		 {3, 0x10, 5, MSG_NOSIGNAL | MSG_DONTWAIT, 0, 0},
		 "sendto(3, 0x10, 5, MSG_DONTWAIT|MSG_NOSIGNAL, NULL, 0)"},
		{"recvmsg", {3, 0x10, 0}, "recvmsg(3, 0x10, 0)"},
		{"accept4", {3, 0, 0, SOCK_NONBLOCK}, "accept4(3, NULL, NULL, SOCK_NONBLOCK)"},
		{"shutdown", {3, SHUT_RDWR}, "shutdown(3, SHUT_RDWR)"},
	};

	expect_all(SYSCALL_NATIVE, rows, ARRAY_SIZE(rows));
}

/* 32-bit arguments, offsets in two of them. */
static void test_compat(void **state)
{
#ifdef __x86_64__
	static const struct example rows[] = {
		{"read", {3, 0xffffffff00001000, 0xffffffff00000005}, "read(3, 0x1000, 5)"},
		{"lseek", {3, 0xfffffff0, SEEK_CUR}, "lseek(3, -16, SEEK_CUR)"},
		{"pread64", {3, 0x10, 8, 5, 1}, "pread64(3, 0x10, 8, 4294967301)"},
		{"preadv2", {3, 0x10, 8, 5, 1, 0}, "preadv2(3, 0x10, 8, 4294967301, 0)"},
		{"fallocate",
		 {3, 1, 0, 1, 7, 0},
		 "fallocate(3, FALLOC_FL_KEEP_SIZE, 4294967296, 7)"},
		{"_llseek", {3, 1, 2, 0x10, 0}, "_llseek(3, 4294967298, 0x10, SEEK_SET)"},
		{"mmap", {0x10, 1, 2, 3}, "mmap(0x10)"},
		{"select", {0x10, 1, 2, 3}, "select(0x10)"},
		{"socketcall", {1, 0x10}, "socketcall(SYS_SOCKET, 0x10)"},
		{"ftruncate64", {3, 0, 1}, "ftruncate64(3, 4294967296)"},
	};

	expect_all(SYSCALL_COMPAT, rows, ARRAY_SIZE(rows));
#else
	struct syscall_call c = {.abi = SYSCALL_COMPAT, .nr = 3, .args = {MINUS_1}};

	assert_string_equal(text_of(&c), "syscall_3(0xffffffff)");
#endif
}

/* Without a row: as many as are not zero, in hex. */
static void test_unknown(void **state)
{
	struct syscall_call c = {.abi = SYSCALL_NATIVE, .nr = 4711, .args = {1, 0, 0xabc}};

	assert_string_equal(text_of(&c), "syscall_4711(0x1, 0, 0xabc)");
	c.abi = 77;
	memset(c.args, 0, sizeof(c.args));
	assert_string_equal(text_of(&c), "syscall_4711()");
	c = call_of(SYSCALL_NATIVE, "nfsservctl"); /* has a number, is no call any more */
	c.args[5] = 1;
	assert_string_equal(text_of(&c), "nfsservctl(0, 0, 0, 0, 0, 0x1)");
}

static void expect_texts(const char *name, u64 first, const char *a, const char *b,
			 const char *want)
{
	struct syscall_call c = call_of(SYSCALL_NATIVE, name);

	c.args[0] = first;
	c.texts[0].arg = a ? 0 : SYSCALL_NO_ARG;
	c.texts[0].text = a;
	c.texts[1].arg = 1;
	c.texts[1].text = b;
	assert_string_equal(text_of(&c), want);
}

static void test_texts(void **state)
{
	struct syscall_call c = call_of(SYSCALL_NATIVE, "prctl");

	c.args[0] = PR_SET_NAME;
	c.args[1] = 0x10;
	c.texts[1].arg = 1;
	c.texts[1].text = "name";
	assert_string_equal(text_of(&c), "prctl(PR_SET_NAME, \"name\")");
	expect_texts("openat", NOWHERE, NULL, "/etc/passwd",
		     "openat(AT_FDCWD, \"/etc/passwd\", O_RDONLY)");
	expect_texts("openat", NOWHERE, "/root", "x", "openat(AT_FDCWD</root>, \"x\", O_RDONLY)");
	expect_texts("read", 3, "/tmp/x", NULL, "read(3</tmp/x>, NULL, 0)");
	expect_texts("memfd_create", 1, "jit", NULL, "memfd_create(\"jit\", 0)");
	expect_texts("mkdirat", 3, "a<b>c", "", "mkdirat(3<a\\074b\\076c>, \"\", 000)");
}

/* Names are built to deceive, or are no text at all. */
static void test_hostile_texts(void **state)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{"caf\xc3\xa9", "caf\xc3\xa9"},
		{"a\"b\\c", "a\\\"b\\\\c"},
		{"a\n\t\r\v\f", "a\\n\\t\\r\\v\\f"},
		{"\033[2J\x7f", "\\033[2J\\177"},
		{"\xff\xfe", "\\377\\376"},
		{"\xc3", "\\303"},
		{"\xc2\x9b"
		 "2J",
		 "\\302\\2332J"}, /* CSI in one character */
		{"\xe2\x80\xae"
		 "gpj.exe",
		 "\\342\\200\\256gpj.exe"}, /* right to left from here */
		{"<x>", "<x>"},
	};

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		char want[200];

		snprintf(want, sizeof(want), "openat(0, \"%s\", O_RDONLY)", rows[i].out);
		expect_texts("openat", 0, NULL, rows[i].in, want);
	}
}

static void test_long_text(void **state)
{
	char path[SYSCALL_TEXT_MAX + 2], want[SYSCALL_TEXT_MAX + 60];

	memset(path, 'a', sizeof(path));
	path[SYSCALL_TEXT_MAX] = '\0';
	snprintf(want, sizeof(want), "openat(0, \"%s\", O_RDONLY)", path);
	expect_texts("openat", 0, NULL, path, want);
	path[SYSCALL_TEXT_MAX] = 'b';
	path[SYSCALL_TEXT_MAX + 1] = '\0';
	snprintf(want, sizeof(want), "openat(0, \"%.*s\"..., O_RDONLY)", SYSCALL_TEXT_MAX, path);
	expect_texts("openat", 0, NULL, path, want);
	/* A character is not cut in the middle. */
	memcpy(path + SYSCALL_TEXT_MAX - 1, "\xc3\xa9", 3);
	snprintf(want, sizeof(want), "openat(0, \"%.*s\"..., O_RDONLY)", SYSCALL_TEXT_MAX - 1,
		 path);
	expect_texts("openat", 0, NULL, path, want);
}

/* What does not fit ends with "...", at the end of a character. */
static void test_sizes(void **state)
{
	struct syscall_call c = call_of(SYSCALL_NATIVE, "openat");
	char whole[200], buf[200];
	size_t len;

	c.args[2] = O_EXCL; /* so its last argument is not there, and takes no room */
	c.texts[0].arg = 1;
	c.texts[0].text = "/\xe2\x82\xac\xe2\x82\xac\xf0\x9f\x98\x80\xc3\xa9\n";
	syscall_args__text(&c, whole, sizeof(whole));
	len = strlen(whole);
	memset(buf, 'x', sizeof(buf));
	syscall_args__text(&c, buf, 0);
	assert_int_equal(buf[0], 'x');
	for (size_t size = 1; size < sizeof(buf); size++) {
		memset(buf, 'x', sizeof(buf));
		syscall_args__text(&c, buf, size);
		assert_int_equal(buf[size], 'x');
		assert_true(memchr(buf, '\0', size) && utf8__valid(buf));
		if (size > len)
			assert_string_equal(buf, whole);
		else if (size > 3)
			assert_string_equal(buf + strlen(buf) - 3, "...");
	}
}

static void expect_ret(s64 ret, const char *want)
{
	char buf[64];

	syscall_ret__text(ret, buf, sizeof(buf));
	assert_string_equal(buf, want);
}

static void test_returned(void **state)
{
	expect_ret(0, "0");
	expect_ret(3, "3");
	expect_ret(1LL << 36, "68719476736");
	expect_ret(0x7f1234567000, "0x7f1234567000");
	expect_ret(-ENOENT, "-1 ENOENT");
	expect_ret(-512, "-1 ERESTARTSYS");
	expect_ret(-513, "-1 ERESTARTNOINTR");
	expect_ret(-514, "-1 ERESTARTNOHAND");
	expect_ret(-515, "-1 ENOIOCTLCMD");
	expect_ret(-516, "-1 ERESTART_RESTARTBLOCK");
	expect_ret(-520, "-1 errno 520");
	expect_ret(-4095, "-1 errno 4095");
	expect_ret(-4096, "0xfffffffffffff000");
	expect_ret(INT64_MIN, "0x8000000000000000");
	assert_string_equal(errno_name(EAGAIN), "EAGAIN");
	assert_string_equal(errno_name(524), "ENOTSUPP");
	assert_null(errno_name(0));
	assert_null(errno_name(UINT32_MAX));
}

static void expect_masks(const char *name, u8 paths, u8 fds)
{
	u8 got_paths = 0xff, got_fds = 0xff;

	syscall_args__masks(SYSCALL_NATIVE, call_of(SYSCALL_NATIVE, name).nr, &got_paths, &got_fds);
	assert_int_equal(got_paths, paths);
	assert_int_equal(got_fds, fds);
}

static void test_masks(void **state)
{
	u8 paths = 1, fds = 1;

	expect_masks("read", 0, 1);
	expect_masks("openat", 2, 1);
	expect_masks("renameat2", 2 | 8, 1 | 4);
	expect_masks("mmap", 0, 16);
	expect_masks("memfd_create", 1, 0);
	expect_masks("getpid", 0, 0);
	syscall_args__masks(SYSCALL_NATIVE, 4711, &paths, &fds);
	assert_true(!paths && !fds);
}

static void test_groups(void **state)
{
	assert_true(syscall_waits(SYSCALL_NATIVE, call_of(SYSCALL_NATIVE, "futex").nr));
	assert_true(syscall_waits(SYSCALL_NATIVE, call_of(SYSCALL_NATIVE, "epoll_pwait").nr));
	assert_true(syscall_waits(SYSCALL_NATIVE, call_of(SYSCALL_NATIVE, "nanosleep").nr));
	assert_false(syscall_waits(SYSCALL_NATIVE, call_of(SYSCALL_NATIVE, "read").nr));
	assert_false(syscall_waits(SYSCALL_NATIVE, 4711));
}

/* --- the table itself --- */

#define SYSCALL(...)	NAME(__VA_ARGS__, )
#define NAME(name, ...) #name,
static const char *const names[] = {
#define SYSCALL_COMPAT(...)
#include "measures/syscall_args.def"
#undef SYSCALL
#undef SYSCALL_COMPAT
};

static const char *const compat_names[] = {
#define SYSCALL(...)
#define SYSCALL_COMPAT(...) NAME(__VA_ARGS__, )
#include "measures/syscall_args.def"
};

/* They are looked up by halves. */
static void expect_order(const char *const *list, u32 n)
{
	for (u32 i = 1; i < n; i++)
		if (strcmp(list[i - 1], list[i]) >= 0)
			fail_msg("%s stands before %s", list[i - 1], list[i]);
}

static void test_order(void **state)
{
	expect_order(names, ARRAY_SIZE(names));
	expect_order(compat_names, ARRAY_SIZE(compat_names));
}

/* What headers may lack: calls since Linux 6.2, and those of other machines. */
static bool is_elsewhere(const char *name)
{
	static const char *const list[] = {
		"cachestat",  "fchmodat2", "futex_requeue",    "futex_wait",
		"futex_wake", "mseal",	   "sync_file_range2",
	};

	for (u32 i = 0; i < ARRAY_SIZE(list); i++)
		if (!strcmp(list[i], name))
			return true;
	return false;
}

/* Of the machines built for, x86-64 has all calls that there are: its own and those of i386. */
static void test_names_are_calls(void **state)
{
#ifdef __x86_64__
	for (u32 i = 0; i < ARRAY_SIZE(names); i++)
		if (syscall_nr(SYSCALL_NATIVE, names[i]) < 0 &&
		    syscall_nr(SYSCALL_COMPAT, names[i]) < 0 && !is_elsewhere(names[i]))
			fail_msg("%s is no call", names[i]);
	for (u32 i = 0; i < ARRAY_SIZE(compat_names); i++)
		call_of(SYSCALL_COMPAT, compat_names[i]);
#else
	u32 n = 0;

	for (u32 i = 0; i < ARRAY_SIZE(names); i++)
		n += syscall_nr(SYSCALL_NATIVE, names[i]) >= 0 || is_elsewhere(names[i]);
	assert_true(n > 250);
#endif
}

/* Whatever the arguments: one line of text, all of it. */
static void test_any_arguments(void **state)
{
	static const u64 values[] = {0, 1, 0x7f, 0x80000000, MINUS_1, NOWHERE, 0x7fff12345678};

	for (u32 n = 0; n < SYSCALL_ABIS * 600 * ARRAY_SIZE(values); n++) {
		struct syscall_call c = {.abi = n % SYSCALL_ABIS, .nr = n / SYSCALL_ABIS % 600};
		u64 value = values[n / (SYSCALL_ABIS * 600)];
		const char *text;

		for (u32 i = 0; i < SYSCALL_ARGS; i++)
			c.args[i] = value;
		for (u32 i = 0; i < SYSCALL_TEXTS; i++)
			c.texts[i].arg = SYSCALL_NO_ARG;
		text = text_of(&c);
		if (!strchr(text, '(') || text[strlen(text) - 1] != ')' || strstr(text, "(,") ||
		    strstr(text, ", ,") || strstr(text, ", )") || strstr(text, "||"))
			fail_msg("%s", text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),	      cmocka_unit_test(test_memory),
		cmocka_unit_test(test_tasks),	      cmocka_unit_test(test_futex),
		cmocka_unit_test(test_sockets),	      cmocka_unit_test(test_compat),
		cmocka_unit_test(test_unknown),	      cmocka_unit_test(test_texts),
		cmocka_unit_test(test_hostile_texts), cmocka_unit_test(test_long_text),
		cmocka_unit_test(test_sizes),	      cmocka_unit_test(test_returned),
		cmocka_unit_test(test_masks),	      cmocka_unit_test(test_groups),
		cmocka_unit_test(test_order),	      cmocka_unit_test(test_names_are_calls),
		cmocka_unit_test(test_any_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
