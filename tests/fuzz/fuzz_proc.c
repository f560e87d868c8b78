/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Texts of /proc and of what is below it, where names of mount points, groups and devices are what
 * somebody else chose. The first byte says which.
 */
#include <stdio.h>

#include "core/arena.h"
#include "core/cgroup.h"
#include "core/memory.h"
#include "sources/block_devices.h"
#include "sources/cache_totals.h"
#include "sources/vitals_parse.h"
#include "tests/fuzz/fuzz.h"

/* The same bytes as mount points and as the groups of a process. */
static void groups(const char *text)
{
	FILE *info = fmemopen((void *)text, strlen(text), "r");
	FILE *self = fmemopen((void *)text, strlen(text), "r");
	struct cgroup_mounts mounts = {0};

	if (!info || !self)
		die("no file in memory");
	cgroup_mounts__read(&mounts, info);
	if (mounts.nv1 > CGROUP_V1_MAX)
		abort();
	for (u32 i = 0; i < mounts.nv1; i++)
		if (!mounts.v1[i])
			abort();
	memory__limit_of(self, &mounts);
	cgroup_mounts__fini(&mounts);
	fclose(info);
	fclose(self);
}

static void mounts(const char *text)
{
	static const char *const seen[] = {"ext4", "xfs", NULL};
	char out[16];

	cache_totals__blind(text, seen, out, sizeof(out));
	if (strlen(out) >= sizeof(out))
		abort();
}

static void devices(const char *text)
{
	struct block_devices d = {0};
	char name[IO_NAME_LEN];

	for (u32 i = 0; i < 2; i++)
		block_devices__parse(&d, text);
	for (u32 i = 0; i < d.n; i++) {
		if (i && d.items[i - 1].dev >= d.items[i].dev)
			abort();
		block_devices__name(&d, d.items[i].dev, name);
		if (!block_devices__find(&d, d.items[i].dev) || strcmp(name, d.items[i].name))
			abort();
	}
	block_devices__fini(&d);
}

static void vital_signs(const char *text)
{
	struct cpu_times a = {0}, b = {0};
	struct vitals v = {0};
	double some, full;

	vitals__parse_stat(text, &b);
	vitals__cpu_shares(&a, &b, &v);
	vitals__cpu_shares(&b, &a, &v);
	vitals__parse_loadavg(text, &v);
	vitals__parse_meminfo(text, &v);
	vitals__parse_pressure(text, &some, &full);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const parsers[])(const char *text) = {groups, mounts, devices, vital_signs};
	char *text;

	if (size < 2)
		return 0;
	text = fuzz__string(data + 1, size - 1);
	if (*text)
		parsers[data[0] % ARRAY_SIZE(parsers)](text);
	free(text);
	return 0;
}
