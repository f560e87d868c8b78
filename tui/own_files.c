// SPDX-License-Identifier: GPL-2.0-only
#include "tui/own_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER_MODE 0700
#define FILE_MODE   0600

bool own_file__path(const char *name, char path[OWN_PATH_MAX])
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int n;

	/* As its specification has it, a relative one is none. */
	if (xdg && *xdg == '/')
		n = snprintf(path, OWN_PATH_MAX, "%s/proftop/%s", xdg, name);
	else if (home && *home == '/')
		n = snprintf(path, OWN_PATH_MAX, "%s/.config/proftop/%s", home, name);
	else
		return false;
	return n < OWN_PATH_MAX;
}

bool own_file__find(const char *name, char path[OWN_PATH_MAX])
{
	return own_file__path(name, path) && !access(path, F_OK);
}

bool own_file__named(const char *name, const char *suffix, char path[OWN_PATH_MAX])
{
	char file[256];

	if (!strchr(name, '/') &&
	    snprintf(file, sizeof(file), "%s.%s", name, suffix) < (int)sizeof(file) &&
	    own_file__find(file, path))
		return true;
	copy_str(path, OWN_PATH_MAX, name);
	return false;
}

/* --- writing --- */

int own_file__cannot_save(struct status *st, const char *what, const char *path, int err,
			  const char *why)
{
	return status__set(st, EXIT_CODE_FAILURE, err, "the %s was not saved: %.300s: %s", what, path, why);
}

int own_folder__open(const char *path, const char *what, struct status *st)
{
	char folder[OWN_PATH_MAX], *above;
	struct stat sb;
	int fd;

	copy_str(folder, sizeof(folder), path);
	*strrchr(folder, '/') = '\0';
	above = strrchr(folder, '/');
	*above = '\0';
	mkdir(folder, FOLDER_MODE);
	*above = '/';
	mkdir(folder, FOLDER_MODE);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		own_file__cannot_save(st, what, folder, -errno, strerror(errno));
	} else if (fstat(fd, &sb) || sb.st_uid != geteuid() || (sb.st_mode & S_IWOTH)) {
		/* Whoever has the folder could have it point anywhere. */
		own_file__cannot_save(st, what, folder, -EPERM, "the folder is not yours alone");
		close(fd);
		fd = -1;
	}
	return fd;
}

int own_file__write(int folder, const char *name, const char *text)
{
	int fd, err = 0;
	FILE *f;

	unlinkat(folder, name, 0); /* of a run that was killed */
	fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f)
		return -errno;
	if (fputs(text, f) < 0 || fflush(f) || fsync(fd))
		err = -errno;
	return fclose(f) && !err ? -errno : err;
}
