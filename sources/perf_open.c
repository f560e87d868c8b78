// SPDX-License-Identifier: GPL-2.0-only
#include "sources/perf_open.h"

#include <glob.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"

int perf__open_with(struct perf_event_attr *attr, int pid, int cpu, int leader)
{
	long fd = syscall(SYS_perf_event_open, attr, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

int perf__open(struct perf_event_attr *attr, int pid, int cpu)
{
	return perf__open_with(attr, pid, cpu, -1);
}

int perf__paranoid(void)
{
	return (int)file__number("/proc/sys/kernel/perf_event_paranoid", 2);
}

/* Of x86, hybrid x86, Arm, and the others that name theirs cpu. */
const char *perf__core_pmu(void)
{
	static const char *const patterns[] = {
		"/sys/bus/event_source/devices/cpu", "/sys/bus/event_source/devices/cpu_core",
		"/sys/bus/event_source/devices/armv[78]*", "/sys/bus/event_source/devices/cpum_cf"};
	const char *found = NULL;
	glob_t g;

	for (u32 i = 0; i < ARRAY_SIZE(patterns) && !found; i++) {
		if (!glob(patterns[i], 0, NULL, &g) && g.gl_pathc)
			found = strrchr(patterns[i], '/') + 1;
		globfree(&g);
	}
	return found;
}

bool perf__cgroup_ids_are_v2(void)
{
	FILE *f = fopen("/proc/cgroups", "re");
	unsigned int hierarchy = 1;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "perf_event %u", &hierarchy) == 1)
			break;
	if (f)
		fclose(f);
	return hierarchy == 0;
}

bool perf__privileged(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.disabled = 1,
	};
	int fd = perf__open(&attr, -1, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}
