// SPDX-License-Identifier: GPL-2.0-only
#include "sources/crowd.h"

#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/log.h"
#include "bpf/crowd.skel.h"
#include "sources/bpf_util.h"
#include "sources/bpf_visit.h"
#include "sources/core_btf.h"

struct crowd {
	struct crowd_bpf *skel;
	struct bpf_visit visit;
};

static int load(struct crowd *c, struct status *st)
{
	int err = bpf_util__prepare(st);

	if (err)
		return err;
	c->skel = crowd_bpf__open_opts(CORE_BTF_OPTS(crowd_bpf));
	err = c->skel ? crowd_bpf__load(c->skel) : -errno;
	if (err)
		return bpf_util__failed(err, "the BPF iterator that counts threads", st);
	return bpf_visit__attach(&c->visit, c->skel->progs.crowd_visit, st);
}

struct crowd *crowd__open(void)
{
	struct crowd *c = xcalloc(1, sizeof(*c));
	struct status st = {0};

	if (!load(c, &st))
		return c;
	log__add(LOG_INFO, "who has most threads is not counted: %s", st.msg);
	crowd__close(c);
	return NULL;
}

void crowd__close(struct crowd *c)
{
	if (!c)
		return;
	bpf_visit__fini(&c->visit);
	crowd_bpf__destroy(c->skel);
	free(c);
}

const struct crowd_top *crowd__most(struct crowd *c, u64 all, enum crowd_kind *kind)
{
	const struct crowd_top *top = c->skel->bss->top;
	int err;

	c->skel->bss->visits++;
	memset(c->skel->bss->top, 0, sizeof(c->skel->bss->top));
	err = bpf_visit__run(&c->visit);
	if (err)
		log__add(LOG_WARN, "threads could not be visited: %s", strerror(-err));
	for (*kind = 0; *kind < CROWD_KINDS; ++*kind)
		if (2ULL * top[*kind].threads >= all)
			return &top[*kind];
	return NULL;
}
