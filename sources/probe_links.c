// SPDX-License-Identifier: GPL-2.0-only
#include "sources/probe_links.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <unistd.h>

#include "base/arena.h"
#include "sources/kernel_types.h"

bool probe_links__are_multi(void)
{
	return kernel_types.find(&kernel_types, "bpf_uprobe_multi_link");
}

void probe_links__prepare(struct bpf_program *prog, bool multi)
{
	bpf_program__set_autoattach(prog, false);
	if (multi)
		bpf_program__set_expected_attach_type(prog, UPROBE_MULTI_TYPE);
}

static int keep_link(struct probe_links *l, struct bpf_link *link)
{
	if (!link)
		return -errno;
	l->links = xgrow(l->links, l->nlinks, &l->links_cap, sizeof(*l->links));
	l->links[l->nlinks++] = link;
	return 0;
}

static int add_one_by_one(struct probe_links *l, struct bpf_program *prog,
			  const struct uprobe_set *set)
{
	int err = 0;

	for (u32 i = 0; i < set->n && !err; i++) {
		LIBBPF_OPTS(bpf_uprobe_opts, opts, .bpf_cookie = set->cookies[i],
			    .retprobe = set->when == UPROBE_ENDS);

		err = keep_link(l, bpf_program__attach_uprobe_opts(
					   prog, set->pid ? (pid_t)set->pid : -1, set->path,
					   set->offsets[i], &opts));
	}
	return err;
}

int probe_links__add(struct probe_links *l, struct bpf_program *prog, bool multi,
		     const struct uprobe_set *set)
{
	int fd;

	if (!set->n)
		return 0;
	if (!multi)
		return add_one_by_one(l, prog, set);
	fd = uprobe__attach_set(bpf_program__fd(prog), set);
	if (fd < 0)
		return fd;
	l->fds = xgrow(l->fds, l->nfds, &l->fds_cap, sizeof(*l->fds));
	l->fds[l->nfds++] = fd;
	return 0;
}

bool probe_links__any(const struct probe_links *l)
{
	return l->nfds || l->nlinks;
}

void probe_links__close(struct probe_links *l)
{
	for (u32 i = 0; i < l->nfds; i++)
		close(l->fds[i]);
	for (u32 i = 0; i < l->nlinks; i++)
		bpf_link__destroy(l->links[i]);
	l->nfds = l->nlinks = 0;
}

void probe_links__fini(struct probe_links *l)
{
	probe_links__close(l);
	free(l->fds);
	free(l->links);
}
