// SPDX-License-Identifier: GPL-2.0-only
#include "base/file.h"
#include "base/memory.h"

#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/cgroup.h"
#include "base/log.h"

#define SHARES	      8
#define LITTLE_SHARES 32 /* the program itself takes its part, too */
#define LITTLE	      (256ULL << 20)

static u64 limit = MEMORY_NO_LIMIT; /* const after once */
static u64 ncpus;		    /* likewise */
static u64 enough = MEMORY_NO_LIMIT; /* as memory__be_content has it */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* "max" is no number, so no limit. */
static u64 read_limit(const char *path)
{
	long n = file__number(path, -1);

	return n < 0 ? MEMORY_NO_LIMIT : (u64)n;
}

/* Of a group and of those above. */
static u64 least_up(const char *mount, const char *group, const char *file)
{
	char at[PATH_MAX], path[PATH_MAX + 64];
	u64 least = MEMORY_NO_LIMIT;
	char *slash = at;

	if (!mount || (size_t)snprintf(at, sizeof(at), "%s%s", mount, group) >= sizeof(at))
		return least;
	while (slash && strlen(at) >= strlen(mount)) {
		u64 here;

		snprintf(path, sizeof(path), "%s/%s", at, file);
		here = read_limit(path);
		least = MIN(least, here);
		slash = strrchr(at, '/');
		if (slash)
			*slash = '\0';
	}
	return least;
}

static bool has_memory(const char *controllers)
{
	const char *at = strstr(controllers, "memory");

	return at && (at == controllers || at[-1] == ',') && (at[6] == ',' || !at[6]);
}

static u64 limit_of_line(char *line, const struct cgroup_mounts *m)
{
	char *controllers = strchr(line, ':'),
	     *group = controllers ? strchr(controllers + 1, ':') : NULL;
	u64 least = MEMORY_NO_LIMIT;

	if (!group)
		return least;
	*controllers++ = *group++ = '\0';
	group[strcspn(group, "\n")] = '\0';
	if (!*controllers)
		return least_up(m->v2, group, "memory.max");
	for (u32 i = 0; has_memory(controllers) && i < m->nv1; i++) {
		u64 here = least_up(m->v1[i], group, "memory.limit_in_bytes");

		least = MIN(least, here);
	}
	return least;
}

u64 memory__limit_of(FILE *self_cgroup, const struct cgroup_mounts *mounts)
{
	u64 least = MEMORY_NO_LIMIT;
	char line[PATH_MAX];

	while (fgets(line, sizeof(line), self_cgroup)) {
		u64 here = limit_of_line(line, mounts);

		least = MIN(least, here);
	}
	return least;
}

static void find_limit(void)
{
	FILE *self = fopen("/proc/self/cgroup", "re"), *info = fopen("/proc/self/mountinfo", "re");
	struct cgroup_mounts mounts = {0};

	if (info)
		cgroup_mounts__read(&mounts, info);
	if (self && info)
		limit = memory__limit_of(self, &mounts);
	ncpus = (u64)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1L);
	if (limit < 1ULL << 30)
		log__add(LOG_INFO,
			 "memory is limited to %llu MiB: history, unwind tables and debug "
			 "information take %s of it each at most",
			 (unsigned long long)(limit >> 20),
			 limit < LITTLE ? "a 32nd (tables a 16th)" : "an eighth");
	cgroup_mounts__fini(&mounts);
	if (info)
		fclose(info);
	if (self)
		fclose(self);
}

void memory__be_content(u64 bytes)
{
	enough = bytes;
}

u64 memory__limit(void)
{
	pthread_once(&once, find_limit);
	return MIN(limit, enough);
}

u64 memory__share(u64 wanted)
{
	return MIN(wanted, memory__limit() / (memory__is_little() ? LITTLE_SHARES : SHARES));
}

u32 memory__entries(u32 most, u32 for_each_cpu)
{
	return memory__is_little() ? (u32)MIN((u64)most, for_each_cpu * ncpus) : most;
}

bool memory__is_little(void)
{
	return memory__limit() < LITTLE;
}
