// SPDX-License-Identifier: GPL-2.0-only
/* Reports to files: all or nothing and never over another one, or in the place of what is there. */
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

#include "export/export.h"
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

/* Writes a text there; the mode of what is there then, 0 when it was refused. */
static mode_t create(const char *path, const char *text, struct status *st)
{
	struct export_file f;
	struct stat s;

	if (export_file__open(&f, path, st))
		return 0;
	assert_true(fputs(text, f.out) >= 0);
	assert_int_equal(fflush(f.out), 0);
	assert_int_equal(export_file__publish(&f, st), 0);
	assert_int_equal(export_file__close(&f, st), 0);
	assert_int_equal(lstat(path, &s), 0);
	return s.st_mode;
}

static void expect_text(const char *path, const char *want)
{
	char text[32] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_int_equal(read(fd, text, sizeof(text) - 1), strlen(want));
	assert_string_equal(text, want);
	close(fd);
}

/* What a report of last time was, and whoever has another name for it, is not this one's reader. */
static void test_create(void **state)
{
	char link_path[200];
	struct status st = {0};
	mode_t mask = umask(0);

	copy_str(link_path, sizeof(link_path), in_dir("b.txt"));
	assert_int_equal(create(in_dir("a.txt"), "old", &st), S_IFREG | 0600);
	assert_int_equal(chmod(in_dir("a.txt"), 0666), 0);
	assert_int_equal(link(in_dir("a.txt"), link_path), 0);
	assert_int_equal(create(in_dir("a.txt"), "new", &st), S_IFREG | 0600);
	expect_text(in_dir("a.txt"), "new");
	expect_text(link_path, "old");
	unlink(link_path);
	assert_int_equal(symlink("a.txt", link_path), 0);
	assert_int_equal(create(link_path, "evil", &st), 0);
	assert_non_null(strstr(st.msg, "symbolic link"));
	assert_int_equal(st.code, EXIT_CODE_FAILURE);
	expect_text(in_dir("a.txt"), "new");
	unlink(link_path);
	unlink(in_dir("a.txt"));
	assert_int_equal(symlink("c.txt", link_path), 0); /* to nothing */
	assert_int_equal(create(link_path, "evil", &st), 0);
	unlink(link_path);
	assert_int_equal(create(dir, "x", &st), 0);
	assert_int_equal(create(in_dir("no/such.txt"), "x", &st), 0);
	assert_int_equal(files_in(dir), 0);
	umask(mask);
}

/* What fails leaves what was there, and nothing beside it. */
static void test_unpublished(void **state)
{
	struct status st = {0};
	struct export_file f;

	assert_int_equal(create(in_dir("a.txt"), "old", &st), S_IFREG | 0600);
	assert_int_equal(export_file__open(&f, in_dir("a.txt"), &st), 0);
	assert_true(fputs("half", f.out) >= 0);
	expect_text(in_dir("a.txt"), "old");
	assert_int_equal(export_file__close(&f, &st), 0);
	expect_text(in_dir("a.txt"), "old");
	assert_int_equal(files_in(dir), 1);
	unlink(in_dir("a.txt"));
}

/* One that goes on grows under its name. */
static void test_goes_on(void **state)
{
	struct status st = {0};
	struct export_file f;

	assert_int_equal(export_file__open(&f, in_dir("a.txt"), &st), 0);
	for (u32 i = 0; i < 2; i++) {
		assert_true(fputs("1\n", f.out) >= 0);
		assert_int_equal(fflush(f.out), 0);
		assert_int_equal(export_file__publish(&f, &st), 0);
		expect_text(in_dir("a.txt"), i ? "1\n1\n" : "1\n");
	}
	assert_int_equal(export_file__close(&f, &st), 0);
	expect_text(in_dir("a.txt"), "1\n1\n");
	unlink(in_dir("a.txt"));
}

static void test_create_fifo(void **state)
{
	const char *path = in_dir("f.txt");
	struct status st = {0};
	char got[8] = "";
	int fd;

	assert_int_equal(mkfifo(path, 0622), 0);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(S_ISFIFO(create(path, "data", &st)));
	assert_int_equal(read(fd, got, sizeof(got)), 4);
	assert_string_equal(got, "data");
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_save, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_create, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_unpublished, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_goes_on, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_create_fifo, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_full_disk, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_forbidden, make_dir, remove_dir),
	};

	return cmocka_run_group_tests_name("export_save", tests, NULL, NULL);
}
