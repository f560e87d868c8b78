// SPDX-License-Identifier: GPL-2.0-only
/* Bytes to a new file: all or nothing, never over another one. */
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/export.h"
#include "tests/lib/skip.h"

#define SMALL 300

static char dir[64];

static const char *in_dir(const char *name)
{
	static char path[200];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static u32 files_in(const char *path)
{
	DIR *d = opendir(path);
	u32 n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static int save_bytes(const char *path, size_t n, struct status *st)
{
	static const char bytes[100000];

	*st = (struct status){0};
	return export__save_bytes(path, bytes, n, st);
}

static int save(const char *path, struct status *st)
{
	return save_bytes(path, SMALL, st);
}

static int make_dir(void **state)
{
	snprintf(dir, sizeof(dir), "/tmp/proftop-export-%d", getpid());
	return mkdir(dir, 0755);
}

static int remove_dir(void **state)
{
	return rmdir(dir);
}

static void test_save(void **state)
{
	struct status st;
	struct stat s;

	assert_int_equal(save(in_dir("a.txt"), &st), 0);
	assert_int_equal(stat(in_dir("a.txt"), &s), 0);
	assert_int_equal(s.st_size, SMALL);
	assert_int_equal(s.st_mode & 07777, 0600);
	assert_int_equal(files_in(dir), 1);
	assert_int_equal(save_bytes(in_dir("a.txt"), SMALL + 1, &st), -EEXIST);
	assert_int_equal(stat(in_dir("a.txt"), &s), 0);
	assert_int_equal(s.st_size, SMALL); /* what was there stays */
	assert_non_null(strstr(st.msg, "is there already"));
	assert_int_equal(files_in(dir), 1);
	unlink(in_dir("a.txt"));
	assert_int_equal(symlink("/nowhere", in_dir("link")), 0);
	assert_int_equal(save(in_dir("link"), &st), -EEXIST); /* not through a link either */
	unlink(in_dir("link"));
	assert_int_equal(save(in_dir("no/such/x.txt"), &st), -ENOENT);
	assert_non_null(strstr(st.msg, "folder has to be there"));
	assert_int_equal(save("", &st), -EINVAL);
	assert_int_equal(save(in_dir("folder/"), &st), -EINVAL);
	assert_int_equal(files_in(dir), 0);
}

/* Leaves the process, so it runs in a child: 0 passed, 77 not possible here. */
static int full_disk_child(void)
{
	struct status st;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", dir, "tmpfs", 0, "size=16k"))
		return 77;
	if (save_bytes(in_dir("x.txt"), 100000, &st) != -ENOSPC ||
	    !strstr(st.msg, "No space left") || files_in(dir) != 0)
		return 1;
	return save(in_dir("small.txt"), &st) != 0; /* the program goes on */
}

static int forbidden_child(void)
{
	struct status st;

	if (chdir("/") || (geteuid() == 0 && setresuid(65534, 65534, 65534)))
		return 77;
	if (save("/proftop-forbidden.txt", &st) != -EACCES || st.code != EXIT_CODE_PERMISSION)
		return 1;
	return strstr(st.msg, "choose a folder") ? 0 : 1;
}

static void expect_child(int (*child)(void))
{
	int status = 0;
	pid_t pid = fork();

	if (!pid)
		_exit(child());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip_because("needs root to mount a small disk");
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_full_disk(void **state)
{
	expect_child(full_disk_child);
}

static void test_forbidden(void **state)
{
	expect_child(forbidden_child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_save, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_full_disk, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_forbidden, make_dir, remove_dir),
	};

	return cmocka_run_group_tests_name("export_save", tests, NULL, NULL);
}
