/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Texts of /proc and of what is below it, where names of mount points, groups and devices are what
 * somebody else chose. The first byte says which.
 */
#include <stdio.h>

#include "base/arena.h"
#include "base/cgroup.h"
#include "base/cpus.h"
#include "base/memory.h"
#include "samples/sample.h"
#include "scope/proc_act.h"
#include "scope/proc_stat.h"
#include "sources/block_devices.h"
#include "sources/cache_totals.h"
#include "sources/system_parse.h"
#include "sources/vitals_parse.h"
#include "symbols/kernel_id.h"
#include "tests/fuzz/fuzz.h"

static FILE *open_text(const char *text)
{
	FILE *f = fmemopen((void *)text, strlen(text), "r");

	if (!f)
		die("no file in memory");
	return f;
}

/* The same bytes as mount points and as the groups of a process. */
static bool groups(const char *text)
{
	FILE *info = open_text(text), *self = open_text(text);
	struct cgroup_mounts mounts = {0};
	bool any;

	cgroup_mounts__read(&mounts, info);
	if (mounts.nv1 > CGROUP_V1_MAX)
		abort();
	for (u32 i = 0; i < mounts.nv1; i++)
		if (!mounts.v1[i])
			abort();
	memory__limit_of(self, &mounts);
	any = mounts.v2 || mounts.nv1;
	cgroup_mounts__fini(&mounts);
	fclose(info);
	fclose(self);
	return any;
}

static bool mounts(const char *text)
{
	static const char *const seen[] = {"ext4", "xfs", NULL};
	char out[16];

	cache_totals__blind(text, seen, out, sizeof(out));
	if (strlen(out) >= sizeof(out))
		abort();
	return *out;
}

static bool devices(const char *text)
{
	struct block_devices d = {0};
	char name[IO_NAME_LEN];
	bool any;

	for (u32 i = 0; i < 2; i++)
		block_devices__parse(&d, text);
	for (u32 i = 0; i < d.n; i++) {
		if (i && d.items[i - 1].dev >= d.items[i].dev)
			abort();
		block_devices__name(&d, d.items[i].dev, name);
		if (!block_devices__find(&d, d.items[i].dev) || strcmp(name, d.items[i].name))
			abort();
	}
	any = d.n;
	block_devices__fini(&d);
	return any;
}

static bool vital_signs(const char *text)
{
	struct cpu_times a = {0}, b = {0};
	struct vitals v = {0};
	double some, full;
	bool pressed;

	vitals__parse_stat(text, &b);
	vitals__cpu_shares(&a, &b, &v);
	vitals__cpu_shares(&b, &a, &v);
	vitals__parse_loadavg(text, &v);
	vitals__parse_meminfo(text, &v);
	pressed = vitals__parse_pressure(text, &some, &full);
	return pressed || b.user || v.load1 > 0 || v.mem_total_bytes;
}

/* As /sys lists them: "0-3,5". */
static bool cpus(const char *text)
{
	FILE *f = open_text(text);
	u32 v[16], n = cpus__parse(f, v, ARRAY_SIZE(v));

	fclose(f);
	if (n > ARRAY_SIZE(v))
		abort();
	return n;
}

/* Of a process, whose name is its own choice; and what is typed about it. */
static bool process(const char *text)
{
	u64 set[PROC_ACT_CPUS / 64], n = 0;
	struct proc_stat s;
	bool right = proc_stat__parse(text, &s);

	for (u32 i = 0; right && s.comm[i]; i++)
		if ((u8)s.comm[i] < ' ' || s.comm[i] == 0x7f)
			abort();
	if (right && (s.nice < -20 || s.nice > 19))
		abort();
	right |= proc_io__find(text, "read_bytes", &n);
	return right | proc_act__parse_cpus(text, set);
}

/* Where one of the kernel's symbols is, and what stands for a cgroup without a name. */
static bool names(const char *text)
{
	FILE *f = open_text(text);
	bool found = kernel__find_address(f, "_text");

	fclose(f);
	return found | (cgroup__nameless(text) != 0);
}

static void take_figure(void *ctx, enum figure f, const char *instance, u64 value)
{
	if (f >= FIGURES)
		abort();
	*(u64 *)ctx += 1 + strlen(instance);
}

static bool any_disk(const char *name)
{
	return true;
}

/* Figures of the whole machine: names of interfaces, disks and mount points, and what programs make the kernel log. */
static bool machine(const char *text)
{
	struct filesystem fs[8];
	struct notice_sample notice;
	struct usage_sample usage;
	char comm[COMM_LEN];
	u64 seen = 0;
	const struct figure_out out = {take_figure, &seen};
	u32 pid, n = system__parse_mountinfo(text, fs, ARRAY_SIZE(fs));

	for (u32 i = 0; i < n; i++)
		if (strlen(fs[i].path) >= FILESYSTEM_PATH)
			abort();
	system__parse_stat(text, 1, &out);
	system__parse_diskstats(text, any_disk, &out);
	system__parse_net_dev(text, &out);
	system__parse_protocols(text, "", &out);
	system__parse_interrupts(text, FIGURE_INTERRUPTS_OF, &out);
	system__parse_cpu_stat(text, "/", &out);
	system__parse_clocksource(text, &out);
	if (notice__crash(text, &pid, comm)) {
		if (strlen(comm) >= COMM_LEN)
			abort();
		seen++;
	}
	if (system__parse_kmsg(text, &notice) && strlen(notice.text) >= NOTICE_TEXT)
		abort();
	return n | (seen != 0) | system__parse_task(text, 1, 1, &usage) | (system__parse_memory_stat(text) != 0);
}

/* The kernel's own notes are no text. */
static bool notes(const uint8_t *data, size_t size)
{
	u8 *copy = (u8 *)fuzz__string(data, size);
	char hex[41];

	kernel__read_notes(copy, size, hex, sizeof(hex));
	free(copy);
	if (strlen(hex) % 2 || strlen(hex) >= sizeof(hex))
		abort();
	return *hex;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool (*const parsers[])(const char *text) = {groups, mounts,   devices, vital_signs,
							    cpus,   names, process,
							    machine};
	bool right;
	char *text;
	u32 n;

	if (size < 2)
		return 0;
	n = data[0] % (ARRAY_SIZE(parsers) + 1);
	if (n == ARRAY_SIZE(parsers))
		return fuzz__through(notes(data + 1, size - 1));
	text = fuzz__string(data + 1, size - 1);
	right = *text && parsers[n](text);
	free(text);
	return fuzz__through(right);
}
