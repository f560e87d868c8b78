// SPDX-License-Identifier: GPL-2.0-only
/* What is special to the source of page faults: its programs are on perf events of all CPUs. */
#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/file.h"
#include "bpf/faults.h"
#include "sources/bpf_util.h"
#include "sources/measure.h"
#include "sources/perf_link.h"

struct faults {
	struct perf_links links;
	u64 split, fallback; /* when it began */
};

static void read_huge(u64 *bytes, u64 *split, u64 *fallback)
{
	const struct file_value memory = {"AnonHugePages", bytes, 1024};
	const struct file_value events[] = {{"thp_split_pmd", split, 1}, {"thp_fault_fallback", fallback, 1}};

	file__add_values("/proc/meminfo", &memory, 1);
	file__add_values("/proc/vmstat", events, ARRAY_SIZE(events));
}

static void *faults__begin(const struct measure *m, const struct sampling *how)
{
	struct faults *f = xcalloc(1, sizeof(*f));
	u64 bytes = 0;

	(void)m, (void)how;
	read_huge(&bytes, &f->split, &f->fallback);
	return f;
}

static bool faults__levels(void *ctx, u64 v[MEASURE_LEVELS])
{
	const struct faults *f = ctx;

	read_huge(&v[FAULTS_LEVEL_HUGE], &v[FAULTS_LEVEL_SPLIT], &v[FAULTS_LEVEL_NO_HUGE]);
	v[FAULTS_LEVEL_SPLIT] -= f->split;
	v[FAULTS_LEVEL_NO_HUGE] -= f->fallback;
	return true;
}

static int faults__prepare(void *ctx, struct bpf_object *obj, struct status *st)
{
	(void)ctx, (void)st;
	bpf_program__set_autoattach(bpf_object__find_program_by_name(obj, "faults_minor"), false);
	bpf_program__set_autoattach(bpf_object__find_program_by_name(obj, "faults_major"), false);
	return 0;
}

static int attach_one(struct perf_links *l, struct bpf_object *obj, const char *name, u64 event)
{
	struct perf_event_attr attr = {.size = sizeof(attr),
				       .type = PERF_TYPE_SOFTWARE,
				       .config = event,
				       .sample_period = 1};

	return perf_links__add_cpus(l, bpf_object__find_program_by_name(obj, name), &attr, 0);
}

static int faults__attach(void *ctx, struct bpf_object *obj, struct status *st)
{
	struct faults *f = ctx;
	int err = attach_one(&f->links, obj, "faults_minor", PERF_COUNT_SW_PAGE_FAULTS_MIN);

	if (!err)
		err = attach_one(&f->links, obj, "faults_major", PERF_COUNT_SW_PAGE_FAULTS_MAJ);
	return err ? bpf_util__failed(err, "perf events minor-faults and major-faults", st) : 0;
}

static void faults__detach(void *ctx)
{
	perf_links__fini(&((struct faults *)ctx)->links);
}

const struct measure_hooks faults_hooks = {
	.begin = faults__begin,
	.end = free,
	.prepare = faults__prepare,
	.attach = faults__attach,
	.detach = faults__detach,
	.levels = faults__levels,
};
