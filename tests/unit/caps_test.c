// SPDX-License-Identifier: GPL-2.0-only
/* Capabilities, those of this process: what is given up is gone, so it is done in children. */
#include "base/caps.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/lib/as_user.h"
#include "tests/lib/skip.h"

#define BOTH (CAP_BIT(CAP_BPF) | CAP_BIT(CAP_PERFMON))

static void what_is_needed(void **state)
{
	u64 all = caps__needed(CAPS_ALL, false);

	assert_true((all & BOTH) == BOTH);
	assert_true(all & CAP_BIT(CAP_SYS_PTRACE) && all & CAP_BIT(CAP_SYSLOG));
	assert_false(all & CAP_BIT(CAP_SYS_ADMIN));
	assert_false(all & (CAP_BIT(CAP_SYS_MODULE) | CAP_BIT(CAP_SYS_RAWIO) | CAP_BIT(CAP_SETUID) |
			    CAP_BIT(CAP_NET_ADMIN) | CAP_BIT(CAP_CHOWN)));
	assert_int_equal(caps__needed(CAPS_ALL, true) & ~all, CAP_BIT(CAP_KILL));
	assert_int_equal(caps__needed(0, true), 0);
	assert_int_equal(caps__for_deeds(CAPS_ALL),
			 getuid() ? 0 : CAP_BIT(CAP_KILL) | CAP_BIT(CAP_SYS_NICE));
	assert_int_equal(caps__for_deeds(BOTH), 0);
}

/* The mighty one stands in for what is not there. */
static void without_bpf(void **state)
{
	u64 old = CAPS_ALL & ~BOTH;

	assert_true(caps__needed(old, false) & CAP_BIT(CAP_SYS_ADMIN));
	assert_true(caps__needed(old | CAP_BIT(CAP_BPF), false) & CAP_BIT(CAP_SYS_ADMIN));
	assert_false(caps__needed(BOTH, false) & CAP_BIT(CAP_SYS_ADMIN));
}

static void names(void **state)
{
	char buf[200], small[8];

	assert_string_equal(caps__names(0, buf, sizeof(buf)), "none");
	assert_string_equal(caps__names(CAP_BIT(CAP_KILL) | CAP_BIT(CAP_SYSLOG), buf, sizeof(buf)),
			    "kill syslog");
	caps__names(CAPS_ALL, small, sizeof(small));
	assert_int_equal(strlen(small), sizeof(small) - 1);
}

static int give_up(void)
{
	u64 before = caps__effective(), keep = caps__needed(before, false);

	if (caps__given_up() || caps__keep(keep) || caps__effective() != keep)
		return 1;
	if ((caps__given_up() & keep) || (caps__given_up() | keep) != before)
		return 2;
	/* Not even those that were there: they are no longer to be had. */
	return caps__keep(before) || caps__effective() != keep ? 3 : 0;
}

static void given_up_for_good(void **state)
{
	pid_t pid;
	int status;

	if (!(caps__effective() & ~caps__needed(caps__effective(), false)))
		skip_because("no capabilities to give up");
	pid = fork();
	if (!pid)
		_exit(give_up());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* Root reads as root. */
static void files_of_the_caller(void **state)
{
	u64 before = caps__effective();
	int fd = caps__open_for_caller("/dev/null");

	assert_true(fd >= 0);
	close(fd);
	fd = caps__handle_for_caller(AT_FDCWD, "/dev/null", 0);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(caps__open_for_caller("/nowhere/at/all"), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(caps__handle_for_caller(AT_FDCWD, "/nowhere/at/all", 0), -ENOENT);
	assert_int_equal(caps__effective(), before);
}

static bool opens(int (*how)(const char *path), pid_t pid)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = how(path);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int open_plainly(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Of a user's process with rights of its own: what those alone open, and what the user may open. */
static int open_memory(void)
{
	u64 set = CAP_BIT(CAP_SYS_PTRACE) | CAP_BIT(CAP_DAC_READ_SEARCH);
	/* The other one is the user's too, by its files, but it may do what the user may not. */
	pid_t roots = getppid(), mighty = as_user__fork(AS_USER, CAP_BIT(CAP_KILL)), own;

	if (!mighty || !as_user(AS_USER, set) || !opens(open_plainly, roots) ||
	    !opens(open_plainly, mighty))
		return 77;
	if (opens(caps__open_for_caller, roots) || opens(caps__open_for_caller, mighty))
		return 1;
	own = as_user__fork(AS_USER, 0);
	if (!own || !opens(caps__open_for_caller, own))
		return 2;
	return caps__effective() == set ? 0 : 3;
}

static void memory_of_the_caller(void **state)
{
	int status;
	pid_t pid;

	if (geteuid())
		skip_because("needs root");
	pid = fork();
	if (!pid)
		_exit(open_memory());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip_because("no rights to give to a user");
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* As in a container whose list of allowed calls is older than this one. */
static int open_without_openat2(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {ARRAY_SIZE(code), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		return 77;
	if (caps__handle_for_caller(AT_FDCWD, "/dev/null", 0) < 0)
		return 1;
	return caps__handle_for_caller(AT_FDCWD, "/dev/null", RESOLVE_IN_ROOT) == -EPERM ? 0 : 2;
}

static void without_openat2(void **state)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(open_without_openat2());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip_because("no filters of system calls here");
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_needed),
		cmocka_unit_test(without_bpf),
		cmocka_unit_test(names),
		cmocka_unit_test(given_up_for_good),
		cmocka_unit_test(without_openat2),
		cmocka_unit_test(files_of_the_caller),
		cmocka_unit_test(memory_of_the_caller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
