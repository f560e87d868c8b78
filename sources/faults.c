// SPDX-License-Identifier: GPL-2.0-only
/* What is special to the source of page faults: its programs are on perf events of all CPUs. */
#include <bpf/libbpf.h>

#include "base/arena.h"
#include "sources/bpf_util.h"
#include "sources/measure.h"
#include "sources/perf_link.h"

static void *faults__begin(const struct measure *m, const struct sampling *how)
{
	(void)m, (void)how;
	return xcalloc(1, sizeof(struct perf_links));
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
	int err = attach_one(ctx, obj, "faults_minor", PERF_COUNT_SW_PAGE_FAULTS_MIN);

	if (!err)
		err = attach_one(ctx, obj, "faults_major", PERF_COUNT_SW_PAGE_FAULTS_MAJ);
	return err ? bpf_util__failed(err, "perf events minor-faults and major-faults", st) : 0;
}

static void faults__detach(void *ctx)
{
	perf_links__fini(ctx);
}

const struct measure_hooks faults_hooks = {
	.begin = faults__begin,
	.end = free,
	.prepare = faults__prepare,
	.attach = faults__attach,
	.detach = faults__detach,
};
