// SPDX-License-Identifier: GPL-2.0-only
/* Where cgroups are mounted, which there are, and their members. */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cgroup.h"

#define MAX_DEPTH 64

/* mountinfo writes blanks and backslashes of paths as \ooo. */
static void decode_octal(char *s)
{
	char *out = s;

	while (*s) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7' &&
		    s[3] >= '0' && s[3] <= '7') {
			*out++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 4;
		} else {
			*out++ = *s++;
		}
	}
	*out = '\0';
}

/* ID PARENT MAJ:MIN ROOT MOUNTPOINT OPTIONS [FIELDS...] - FSTYPE SOURCE OPTIONS */
static void read_mount(struct cgroup_mounts *m, char *line)
{
	char *type = strstr(line, " - "), *save = NULL, *point = NULL;

	if (!type)
		return;
	*type = '\0';
	type = strtok_r(type + 3, " \n", &save);
	point = strtok_r(line, " ", &save);
	for (int i = 0; i < 4 && point; i++)
		point = strtok_r(NULL, " ", &save);
	if (!type || !point)
		return;
	decode_octal(point);
	if (!strcmp(type, "cgroup2") && !m->v2)
		m->v2 = xstrdup(point);
	else if (!strcmp(type, "cgroup") && m->nv1 < CGROUP_V1_MAX)
		m->v1[m->nv1++] = xstrdup(point);
}

void cgroup_mounts__read(struct cgroup_mounts *m, FILE *mountinfo)
{
	char *line = NULL;
	size_t size = 0;

	*m = (struct cgroup_mounts){0};
	while (getline(&line, &size, mountinfo) >= 0)
		read_mount(m, line);
	free(line);
}

void cgroup_mounts__fini(struct cgroup_mounts *m)
{
	for (u32 i = 0; i < m->nv1; i++)
		free(m->v1[i]);
	free(m->v2);
	*m = (struct cgroup_mounts){0};
}

struct walk {
	cgroup_fn fn;
	void *ctx;
	u32 left;
	u32 depth;
	char path[PATH_MAX];
};

static bool walk_children(struct walk *w, int fd, size_t len);

/* One cgroup named `name` in the directory dirfd; false ends the walk. */
static bool walk_one(struct walk *w, int dirfd, const char *name, size_t len)
{
	size_t n = strlen(name);
	struct stat st;
	bool go;
	int fd;

	if (len + n + 2 > sizeof(w->path) || !w->left ||
	    fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISDIR(st.st_mode))
		return true;
	w->left--;
	memcpy(w->path + len, name, n + 1);
	if (!w->fn(w->ctx, w->path, st.st_ino))
		return false;
	/* A directory of kernfs has a link from each of its children: leaves need no reading. */
	if (st.st_nlink == 2 || w->depth == MAX_DEPTH)
		return true;
	fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return true;
	w->path[len + n] = '/';
	w->depth++;
	go = walk_children(w, fd, len + n + 1);
	w->depth--;
	return go;
}

/* Closes fd. path[0..len) is its own path with a slash at its end. */
static bool walk_children(struct walk *w, int fd, size_t len)
{
	DIR *dir = fdopendir(fd);
	const struct dirent *d;
	bool go = true;

	if (!dir) {
		close(fd);
		return true;
	}
	while (go && (d = readdir(dir)))
		if (d->d_type == DT_DIR && strcmp(d->d_name, ".") && strcmp(d->d_name, ".."))
			go = walk_one(w, fd, d->d_name, len);
	closedir(dir);
	return go;
}

void cgroup__walk(const char *mount, cgroup_fn fn, void *ctx)
{
	struct walk *w;
	struct stat st;
	int fd = open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (fstat(fd, &st) || !fn(ctx, "/", st.st_ino)) {
		close(fd);
		return;
	}
	w = xcalloc(1, sizeof(*w));
	w->fn = fn;
	w->ctx = ctx;
	w->left = CGROUP_MAX;
	w->path[0] = '/';
	walk_children(w, fd, 1);
	free(w);
}

u32 cgroup__procs(const char *mount, const char *path, void (*fn)(void *ctx, u32 pid), void *ctx)
{
	char full[PATH_MAX];
	u32 pid, n = 0;
	FILE *f;

	if (snprintf(full, sizeof(full), "%s%s/cgroup.procs", mount, path) >= (int)sizeof(full))
		return 0;
	f = fopen(full, "re");
	if (!f)
		return 0;
	while (fscanf(f, "%u", &pid) == 1) {
		if (fn && pid)
			fn(ctx, pid);
		n++;
	}
	fclose(f);
	return n;
}
