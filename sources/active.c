// SPDX-License-Identifier: GPL-2.0-only
#include "sources/active.h"

#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/log.h"
#include "bpf/active.skel.h"
#include "sources/bpf_util.h"
#include "sources/bpf_visit.h"
#include "sources/core_btf.h"

/* Clocks of CPUs may differ by as much. */
#define MARGIN_NS (20 * NSEC_PER_MSEC)

struct active {
	struct active_bpf *skel;
	struct bpf_visit visit;
};

static struct {
	u32 *pids;
	u32 n, cap;
	bool fresh;
} reported;

void active__begin_report(void)
{
	reported.n = 0;
	reported.fresh = true;
}

void active__report(u32 pid)
{
	reported.pids = xgrow(reported.pids, reported.n, &reported.cap, sizeof(*reported.pids));
	reported.pids[reported.n++] = pid;
}

static int load(struct active *a, struct status *st)
{
	int err = bpf_util__prepare(st);

	if (err)
		return err;
	a->skel = active_bpf__open_opts(CORE_BTF_OPTS(active_bpf));
	err = a->skel ? active_bpf__load(a->skel) : -errno;
	if (err)
		return bpf_util__failed(err, "the BPF iterator of active processes", st);
	return bpf_visit__attach(&a->visit, a->skel->progs.active_visit, st);
}

struct active *active__open(void)
{
	struct active *a = xcalloc(1, sizeof(*a));
	struct status st = {0};

	if (!load(a, &st)) {
		a->skel->bss->since = UINT64_MAX;
		return a;
	}
	log__add(LOG_INFO, "active processes are looked for in /proc alone: %s", st.msg);
	active__close(a);
	return NULL;
}

void active__close(struct active *a)
{
	if (!a)
		return;
	bpf_visit__fini(&a->visit);
	active_bpf__destroy(a->skel);
	free(a);
}

const u32 *active__pids(struct active *a, u32 *n)
{
	int err;

	*n = 0;
	if (reported.fresh) {
		reported.fresh = false;
		a->skel->bss->since = UINT64_MAX; /* who ran up to now is reported */
		*n = reported.n;
		return reported.pids;
	}
	err = bpf_visit__run(&a->visit);
	if (err) {
		log__add(LOG_WARN, "processes could not be visited: %s", strerror(-err));
		return NULL;
	}
	a->skel->bss->since = a->skel->bss->began - MIN(a->skel->bss->began, MARGIN_NS);
	*n = (u32)(a->visit.len / sizeof(u32));
	return (const u32 *)a->visit.data;
}
