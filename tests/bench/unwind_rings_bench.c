/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many bytes a process took out of BPF ring buffers so far: unwind_rings_bench PID. Prints
 * the sum over all that it has open, by the position up to which each was consumed, which is the
 * first word of what a ring's map can be mapped as (kernel/bpf/ringbuf.c of Linux).
 */
#include <bpf/bpf.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"

static u64 consumed(int map)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile u64 *position = mmap(NULL, page, PROT_READ, MAP_SHARED, map, 0);
	u64 bytes;

	if (position == MAP_FAILED)
		return 0;
	bytes = *position;
	munmap((void *)position, page);
	return bytes;
}

static u64 consumed_of(u32 id)
{
	struct bpf_map_info info = {0};
	u32 size = sizeof(info);
	int map = bpf_map_get_fd_by_id(id);
	u64 bytes = 0;

	if (map >= 0 && !bpf_obj_get_info_by_fd(map, &info, &size) &&
	    info.type == BPF_MAP_TYPE_RINGBUF)
		bytes = consumed(map);
	if (map >= 0)
		close(map);
	return bytes;
}

/* 0: the descriptor is no map. */
static u32 map_id(const char *folder, const char *fd)
{
	char path[512], line[256];
	u32 id = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, fd);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "map_id: %u", &id);
	if (f)
		fclose(f);
	return id;
}

int main(int argc, char **argv)
{
	char folder[64];
	struct dirent *d;
	u64 bytes = 0;
	DIR *dir;
	u32 id;

	snprintf(folder, sizeof(folder), "/proc/%.20s/fdinfo", argc > 1 ? argv[1] : "");
	dir = opendir(folder);
	if (!dir) {
		perror(folder);
		return 1;
	}
	while ((d = readdir(dir))) {
		id = map_id(folder, d->d_name);
		if (id)
			bytes += consumed_of(id);
	}
	closedir(dir);
	printf("%llu\n", (unsigned long long)bytes);
	return 0;
}
