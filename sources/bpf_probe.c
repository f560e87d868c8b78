// SPDX-License-Identifier: GPL-2.0-only
#include "sources/bpf_probe.h"

#include <bpf/libbpf.h>

#include "bpf/probe.skel.h"
#include "sources/bpf_util.h"

struct probe_bpf *bpf_probe__open(const char *program, const char *map)
{
	struct probe_bpf *skel = probe_bpf__open();
	struct bpf_program *p;
	struct bpf_map *m;

	if (!skel)
		return NULL;
	bpf_object__for_each_program(p, skel->obj)
		bpf_program__set_autoload(p, !strcmp(bpf_program__name(p), program));
	bpf_object__for_each_map(m, skel->obj)
		bpf_map__set_autocreate(m, map && !strcmp(bpf_map__name(m), map));
	return skel;
}

int bpf_probe__loads(const char *program, const char *map)
{
	struct probe_bpf *skel = bpf_probe__open(program, map);
	int err;

	if (!skel)
		return errno ? -errno : -EINVAL;
	err = probe_bpf__load(skel);
	probe_bpf__destroy(skel);
	return err;
}

/* *known: 1 it loads, -1 it does not, 0 not tried yet. */
static bool loads(int *known, const char *program, const char *map)
{
	if (!*known)
		*known = bpf_probe__loads(program, map) ? -1 : 1;
	return *known > 0;
}

bool bpf_probe__sparse_maps(void)
{
	static int known;

	return loads(&known, "probe_sparse", "probe_sparse_hash");
}

bool bpf_probe__walks(void)
{
	static int known;

	return loads(&known, "probe_unwind", NULL);
}

bool bpf_probe__map_iterators(void)
{
	static int known;

	return loads(&known, "probe_map_iter", NULL);
}

int bpf_probe__failed(u32 needs, int err, const char *what, struct status *st)
{
	static const struct {
		u32 need;
		const char *program, *map, *name, *since;
	} known[] = {
		{BPF_NEED_STORAGE, "probe_task_storage", "probe_storage", "task storage", "5.13"},
		{BPF_NEED_ATOMICS, "probe_atomics", NULL, "atomic exchanges", "5.12"},
	};

	for (u32 i = 0; err != -EPERM && err != -EACCES && i < ARRAY_SIZE(known); i++)
		if ((needs & known[i].need) && bpf_probe__loads(known[i].program, known[i].map))
			return status__set(st, EXIT_CODE_UNSUPPORTED, err,
					   "%s need BPF %s, which this kernel has not got: Linux "
					   "%s or newer has",
					   what, known[i].name, known[i].since);
	return bpf_util__failed(err, what, st);
}
