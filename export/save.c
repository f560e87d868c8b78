// SPDX-License-Identifier: GPL-2.0-only
/*
 * A report to a new file. One that is whole is written under a name of its own in the same folder
 * and given the wanted name at the end in one step that fails when the name is taken: nobody sees
 * half a file, and no file is ever replaced. One that goes on and on takes the place of what is
 * there when its first report is whole.
 */
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "export/export.h"

#define TEMP_TRIES 100

int export__explain(struct status *st, const char *path, int err)
{
	const char *why = strerror(-err), *what;

	switch (err) {
	case -EEXIST:
		what = "is there already and is left as it is; choose another name";
		return status__set(st, EXIT_CODE_FAILURE, err, "%.300s %s", path, what);
	case -ENOSPC:
	case -EDQUOT:
		what = "free some space or choose another folder";
		break;
	case -EACCES:
	case -EPERM:
	case -EROFS:
		what = "choose a folder that you may write to";
		return status__set(st, EXIT_CODE_PERMISSION, err, "cannot write %.300s: %s; %s",
				   path, why, what);
	case -ENOENT:
	case -ENOTDIR:
		what = "its folder has to be there first";
		break;
	case -ELOOP:
		why = "it is a symbolic link";
		what = "name what it leads to";
		break;
	default:
		what = "nothing was written";
		break;
	}
	return status__set(st, EXIT_CODE_FAILURE, err, "cannot write %.300s: %s; %s", path, why,
			   what);
}

/* The folder of the path with its slash, "" the current one; -ENAMETOOLONG. */
static int folder_of(const char *path, char dir[PATH_MAX])
{
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) + 1 : 0;

	if (n + NAME_MAX >= PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(dir, path, n);
	dir[n] = '\0';
	return 0;
}

/* Opens a file of its own in the folder and writes its path; fd or -errno. */
static int open_temp(const char *dir, char temp[PATH_MAX])
{
	for (u32 i = 0; i < TEMP_TRIES; i++) {
		int fd;

		if (snprintf(temp, PATH_MAX, "%s.proftop-%d-%u.tmp", dir, getpid(), i) >= PATH_MAX)
			return -ENAMETOOLONG;
		fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd >= 0)
			return fd;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

/* Writes it all down to the disk. Closes fd. */
static int write_bytes(int fd, const char *data, size_t len)
{
	int ret = 0;

	while (len && !ret) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			ret = n ? -errno : -EIO;
		data += MAX(n, 0);
		len -= (size_t)MAX(n, 0);
	}
	if (!ret && fsync(fd) && errno != EINVAL)
		ret = -errno;
	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

/* File systems without the rename flag (NFS) have links; those without links have the flag. */
static int give_name(const char *temp, const char *path)
{
	if (!renameat2(AT_FDCWD, temp, AT_FDCWD, path, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
		return -errno;
	if (link(temp, path))
		return -errno;
	unlink(temp);
	return 0;
}

static void sync_folder(const char *dir)
{
	int fd = open(*dir ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

int export__save_bytes(const char *path, const char *data, size_t len, struct status *st)
{
	char dir[PATH_MAX], temp[PATH_MAX];
	struct stat there;
	int ret, fd;

	if (!*path || path[strlen(path) - 1] == '/')
		return status__set(st, EXIT_CODE_USAGE, -EINVAL, "a file name is missing: %.300s",
				   path);
	if (!lstat(path, &there))
		return export__explain(st, path, -EEXIST);
	ret = folder_of(path, dir);
	fd = ret ? ret : open_temp(dir, temp);
	if (fd < 0)
		return export__explain(st, path, fd);
	ret = write_bytes(fd, data, len);
	if (!ret)
		ret = give_name(temp, path);
	if (ret) {
		unlink(temp);
		return export__explain(st, path, ret);
	}
	sync_folder(dir);
	return 0;
}

#define WRITE_FLAGS (O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY)

/* With O_CREAT the kernel refuses what others left in a folder that is shared (fs.protected_fifos).
 * A file that has come there meanwhile was not replaced, and is not written. */
static int open_special(const char *path)
{
	int fd = open(path, WRITE_FLAGS, 0600);
	struct stat there;

	if (fd < 0 || (!fstat(fd, &there) && !S_ISREG(there.st_mode)))
		return fd < 0 ? -errno : fd;
	close(fd);
	return -EEXIST;
}

/* fd or -errno; -ELOOP of a link: who shares the folder would choose what is written. A file is
 * begun beside the one that is there, under the name in temp. */
static int open_to_write(const char *path, char temp[PATH_MAX])
{
	char dir[PATH_MAX];
	struct stat there;
	int ret;

	*temp = '\0';
	if (!lstat(path, &there) && !S_ISREG(there.st_mode))
		return open_special(path);
	ret = folder_of(path, dir);
	return ret ? ret : open_temp(dir, temp);
}

int export_file__open(struct export_file *f, const char *path, struct status *st)
{
	char temp[PATH_MAX];
	int fd = open_to_write(path, temp);

	*f = (struct export_file){.path = path, .out = fd < 0 ? NULL : fdopen(fd, "w")};
	if (f->out) {
		f->temp = *temp ? xstrdup(temp) : NULL;
		return 0;
	}
	if (fd < 0)
		return export__explain(st, path, fd);
	fd = -errno;
	unlink(temp);
	return export__explain(st, path, fd);
}

int export_file__publish(struct export_file *f, struct status *st)
{
	if (f->temp && rename(f->temp, f->path))
		return export__explain(st, f->path, -errno);
	free(f->temp);
	f->temp = NULL;
	return 0;
}

int export_file__close(struct export_file *f, struct status *st)
{
	int err = f->out && fclose(f->out) ? -errno : 0;

	if (f->temp)
		unlink(f->temp);
	free(f->temp);
	*f = (struct export_file){.path = f->path};
	return err ? export__explain(st, f->path, err) : 0;
}

int export__render(const struct export_format *f, const struct report *r, char **data, size_t *len)
{
	FILE *out = open_memstream(data, len);
	int ret = out ? f->write(out, r, true) : -errno;

	if (out && fclose(out) && !ret)
		ret = -errno;
	return ret;
}

static void name_it(const char *view, const char *suffix, u32 number, char name[EXPORT_NAME])
{
	time_t now = time(NULL);
	char date[32] = "", more[16] = "";
	struct tm tm;

	if (localtime_r(&now, &tm))
		strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &tm);
	if (number)
		snprintf(more, sizeof(more), "-%u", number + 1);
	snprintf(name, EXPORT_NAME, "proftop-%.40s-%s%s%.40s", view, date, more, suffix);
}

void export__name(const char *view, const char *suffix, char name[EXPORT_NAME])
{
	name_it(view, suffix, 0, name);
}

int export__save_snapshot(const char *view, const char *suffix, const char *data, size_t len,
			  char name[EXPORT_NAME], struct status *st)
{
	int ret = -EEXIST;

	for (u32 i = 0; i < TEMP_TRIES && ret == -EEXIST; i++) {
		name_it(view, suffix, i, name);
		ret = export__save_bytes(name, data, len, st);
	}
	return ret;
}
