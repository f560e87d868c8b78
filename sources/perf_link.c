// SPDX-License-Identifier: GPL-2.0-only
#include "sources/perf_link.h"

#include <bpf/libbpf.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cpus.h"
#include "sources/perf_open.h"

int perf_links__add(struct perf_links *l, struct bpf_program *prog, struct perf_event_attr *attr,
		    int pid, int cpu, u64 cookie)
{
	LIBBPF_OPTS(bpf_perf_event_opts, opts, .bpf_cookie = cookie);
	int fd = perf__open(attr, pid, cpu);
	struct bpf_link *link;

	if (fd < 0)
		return fd;
	link = bpf_program__attach_perf_event_opts(prog, fd, &opts);
	if (!link) {
		int err = -errno;

		close(fd);
		return err;
	}
	l->v = xgrow(l->v, l->n, &l->cap, sizeof(*l->v));
	l->v[l->n] = link;
	return (int)l->n++;
}

int perf_links__add_cpus(struct perf_links *l, struct bpf_program *prog,
			 struct perf_event_attr *attr, u64 cookie)
{
	u32 *cpus, n = cpus__online(&cpus);
	int err = 0;

	for (u32 i = 0; i < n && err >= 0; i++)
		err = perf_links__add(l, prog, attr, -1, (int)cpus[i], cookie);
	free(cpus);
	return MIN(err, 0);
}

void perf_links__fini(struct perf_links *l)
{
	for (u32 i = 0; i < l->n; i++)
		bpf_link__destroy(l->v[i]);
	free(l->v);
	*l = (struct perf_links){0};
}
