// SPDX-License-Identifier: GPL-2.0-only
/* Names of cgroup v2 ids, kept after the cgroup is gone. */
#include "base/cgroup.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hidx.h"

struct cgroup_name {
	u64 id;
	char *path;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool deaf; /* to what is learned; under the lock */
static struct cgroup_name *names; /* lock */
static u32 nnames;		  /* lock */
static struct hidx index_by_id;	  /* lock */
static u64 scanned_ns;		  /* lock */

static struct cgroup_mounts mounts; /* const after mounts_once */
static pthread_once_t mounts_once = PTHREAD_ONCE_INIT;

static void read_mounts(void)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");

	if (!f)
		return;
	cgroup_mounts__read(&mounts, f);
	fclose(f);
}

const char *cgroup__mount(void)
{
	pthread_once(&mounts_once, read_mounts);
	return mounts.v2 ? mounts.v2 : "";
}

u32 cgroup__v1_mounts(const char *const **out)
{
	pthread_once(&mounts_once, read_mounts);
	*out = (const char *const *)mounts.v1;
	return mounts.nv1;
}

/* What is outside of a cgroup namespace has such a path in it. */
static bool leads_out(const char *path)
{
	for (size_t n; *path; path += n + (path[n] == '/')) {
		n = strcspn(path, "/");
		if (n == 2 && !memcmp(path, "..", 2))
			return true;
	}
	return false;
}

u64 cgroup__id(const char *path)
{
	char full[PATH_MAX];
	struct stat st;

	if (!*cgroup__mount() || leads_out(path) ||
	    snprintf(full, sizeof(full), "%s/%s", cgroup__mount(), path) >= (int)sizeof(full))
		return 0;
	return stat(full, &st) || !S_ISDIR(st.st_mode) ? 0 : st.st_ino;
}

/* lock held */
static const struct cgroup_name *find_name(u64 id)
{
	u32 at;

	HIDX_FIND(at, &index_by_id, mix64(id), pos, names[pos].id == id);
	return at == HIDX_NONE ? NULL : &names[at];
}

/* lock held */
static void forget_all(void)
{
	for (u32 i = 0; i < nnames; i++)
		free(names[i].path);
	nnames = 0;
	hidx__clear(&index_by_id);
}

/* lock held; arrays double. A cgroup that was renamed or whose id is used again gets its new
 * path. */
static bool remember(void *ctx, const char *path, u64 id)
{
	struct cgroup_name *known = (struct cgroup_name *)find_name(id);

	if (known) {
		if (strcmp(known->path, path)) {
			free(known->path);
			known->path = xstrdup(path);
		}
		return true;
	}
	if (nnames == CGROUP_MAX)
		forget_all();
	if (!(nnames & (nnames - 1)))
		names = xrealloc(names, MAX(nnames * 2, 1u) * sizeof(*names));
	names[nnames] = (struct cgroup_name){id, xstrdup(path)};
	hidx__add(&index_by_id, mix64(id), nnames++);
	return true;
}

/* A file handle of kernfs is the 64-bit id. */
#define KERNFS_HANDLE 0xfe

/* lock held. 0 remembered, -ESTALE gone, else it cannot be told this way. */
static int ask_by_handle(u64 id)
{
	union {
		struct file_handle head;
		char room[sizeof(struct file_handle) + sizeof(u64)];
	} h = {.head = {.handle_bytes = sizeof(u64), .handle_type = KERNFS_HANDLE}};
	char link[64], path[PATH_MAX];
	size_t base = strlen(cgroup__mount());
	int mount_fd, fd;
	ssize_t n;

	memcpy(h.room + sizeof(struct file_handle), &id, sizeof(id));
	mount_fd = open(cgroup__mount(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (mount_fd < 0)
		return -errno;
	fd = open_by_handle_at(mount_fd, &h.head, O_PATH | O_CLOEXEC);
	n = fd < 0 ? -errno : 0;
	close(mount_fd);
	if (fd < 0)
		return (int)n;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	close(fd);
	if (n < (ssize_t)base || strncmp(path, cgroup__mount(), base))
		return -ENOENT;
	path[n] = '\0';
	remember(NULL, path[base] ? path + base : "/", id);
	return 0;
}

/* lock held */
static void look_up(u64 id)
{
	int ret = ask_by_handle(id);
	u64 now;

	if (!ret || ret == -ESTALE)
		return;
	now = clock__monotonic_ns();
	if (scanned_ns && now - scanned_ns < NSEC_PER_SEC)
		return;
	scanned_ns = now;
	cgroup__walk(cgroup__mount(), remember, NULL);
}

const char *cgroup__name(u64 id, char *buf, size_t size)
{
	const struct cgroup_name *hit;

	pthread_mutex_lock(&lock);
	hit = find_name(id);
	if (!hit && id && *cgroup__mount()) {
		look_up(id);
		hit = find_name(id);
	}
	if (hit)
		copy_str(buf, size, hit->path);
	else
		snprintf(buf, size, "cgroup:%llu", (unsigned long long)id);
	pthread_mutex_unlock(&lock);
	return buf;
}

void cgroup__remembered(void (*fn)(void *ctx, const char *path, u64 id), void *ctx)
{
	pthread_mutex_lock(&lock);
	for (u32 i = 0; i < nnames; i++)
		fn(ctx, names[i].path, names[i].id);
	pthread_mutex_unlock(&lock);
}

void cgroup__go_away(void)
{
	pthread_once(&mounts_once, read_mounts);
	cgroup_mounts__fini(&mounts);
	mounts = (struct cgroup_mounts){0};
}

void cgroup__ignore(bool ignore)
{
	pthread_mutex_lock(&lock);
	deaf = ignore;
	pthread_mutex_unlock(&lock);
}

void cgroup__learn(u64 id, const char *path)
{
	pthread_mutex_lock(&lock);
	if (!deaf)
		remember(NULL, path, id);
	pthread_mutex_unlock(&lock);
}

u64 cgroup__nameless(const char *name)
{
	unsigned long long id;
	char end;

	return sscanf(name, "cgroup:%20llu%c", &id, &end) == 1 ? id : 0;
}
