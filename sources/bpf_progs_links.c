// SPDX-License-Identifier: GPL-2.0-only
/* Where links attach BPF programs to. */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <net/if.h>
#include <stdio.h>
#include <unistd.h>

#include "base/bpf_admin.h"
#include "base/cgroup.h"
#include "sources/bpf_progs_impl.h"
#include "sources/kernel_btf.h"

/* Of newer kernels than the headers may be of. */
#define LINK_TCX	  11
#define LINK_UPROBE_MULTI 12
#define LINK_NETKIT	  13

/* What the kernel says of probes on many places of a file, since 6.8. */
struct link_of_probes {
	u32 type, id, prog_id, pad;
	u64 path, offsets, counters, cookies; /* addresses; 0: not asked for */
	u32 path_size, count, flags, pid;
};

#define TRACEPOINT_TYPE "btf_trace_"

void bpf_links__kernel_name(struct btf **btf, u32 type_id, char *buf, size_t size)
{
	const struct btf_type *t;
	const char *name;

	*buf = '\0';
	if (!type_id)
		return;
	if (!*btf)
		*btf = kernel_btf__get();
	t = *btf ? btf__type_by_id(*btf, type_id) : NULL;
	name = t ? btf__name_by_offset(*btf, t->name_off) : NULL;
	if (!name)
		return;
	if (!strncmp(name, TRACEPOINT_TYPE, strlen(TRACEPOINT_TYPE)))
		name += strlen(TRACEPOINT_TYPE);
	copy_str(buf, size, name);
}

/* --- one link --- */

struct link {
	struct bpf_link_info info;
	char name[128]; /* of a tracepoint, what is iterated over, or a file that has probes */
	u32 probes;	/* in that file */
};

static const char *attach_type(u32 type)
{
	const char *name = libbpf_bpf_attach_type_str(type);

	return name ? name : "?";
}

static void tracing_text(const struct link *l, struct btf **btf, char *buf, size_t size)
{
	char target[96];

	/* Ids of types other than the kernel's are of modules or programs. */
	bpf_links__kernel_name(btf, l->info.tracing.target_obj_id == 1
					    ? l->info.tracing.target_btf_id
					    : 0,
			       target, sizeof(target));
	if (l->info.tracing.attach_type == BPF_TRACE_RAW_TP)
		snprintf(buf, size, "tp_btf %s", target);
	else
		snprintf(buf, size, "%s %s", attach_type(l->info.tracing.attach_type), target);
}

static void cgroup_text(const struct link *l, char *buf, size_t size)
{
	char path[160];

	snprintf(buf, size, "%s %s", attach_type(l->info.cgroup.attach_type),
		 cgroup__name(l->info.cgroup.cgroup_id, path, sizeof(path)));
}

static void device_text(const struct link *l, const char *type, char *buf, size_t size)
{
	char name[IF_NAMESIZE];

	if (if_indextoname(l->info.xdp.ifindex, name))
		snprintf(buf, size, "%s %s", type, name);
	else
		snprintf(buf, size, "%s device %u", type, l->info.xdp.ifindex);
}

static void link_text(const struct link *l, struct btf **btf, char *buf, size_t size)
{
	const char *type = libbpf_bpf_link_type_str(l->info.type);

	switch (l->info.type) {
	case BPF_LINK_TYPE_RAW_TRACEPOINT:
		snprintf(buf, size, "raw_tp %s", l->name);
		return;
	case BPF_LINK_TYPE_TRACING:
		tracing_text(l, btf, buf, size);
		return;
	case BPF_LINK_TYPE_ITER:
		snprintf(buf, size, "iter %s", l->name);
		return;
	case BPF_LINK_TYPE_CGROUP:
		cgroup_text(l, buf, size);
		return;
	case BPF_LINK_TYPE_NETNS:
		snprintf(buf, size, "%s netns %u", attach_type(l->info.netns.attach_type),
			 l->info.netns.netns_ino);
		return;
	case BPF_LINK_TYPE_XDP:
		device_text(l, "xdp", buf, size);
		return;
	case LINK_TCX:
		device_text(l, "tcx", buf, size);
		return;
	case LINK_NETKIT:
		device_text(l, "netkit", buf, size);
		return;
	case LINK_UPROBE_MULTI:
		snprintf(buf, size, l->probes ? "uprobe_multi %s (%u)" : "uprobe_multi", l->name, l->probes);
		return;
	case BPF_LINK_TYPE_PERF_EVENT: /* the event's own descriptor says which */
		*buf = '\0';
		return;
	default:
		if (type)
			copy_str(buf, size, type);
		else
			snprintf(buf, size, "link type %u", l->info.type);
	}
}

/* Before 6.8 the kernel does not say, nor where the path is longer. */
static void read_probes(int fd, struct link *l)
{
	struct link_of_probes p = {.path = (u64)(uintptr_t)l->name, .path_size = sizeof(l->name)};
	u32 size = sizeof(p);

	if (!bpf_obj_get_info_by_fd(fd, (void *)&p, &size) && size == sizeof(p))
		l->probes = p.count;
}

/* Names come with a second look only: which they are, the first one says. */
static bool read_link(int fd, struct link *l)
{
	u32 size = sizeof(l->info);
	int err;

	*l = (struct link){0};
	err = bpf_obj_get_info_by_fd(fd, &l->info, &size);
	if (!err && (l->info.type == BPF_LINK_TYPE_RAW_TRACEPOINT ||
		     l->info.type == BPF_LINK_TYPE_ITER)) {
		/* Both have the name's address and size in the same place. */
		memset(&l->info, 0, sizeof(l->info));
		l->info.raw_tracepoint.tp_name = (u64)(uintptr_t)l->name;
		l->info.raw_tracepoint.tp_name_len = sizeof(l->name);
		size = sizeof(l->info);
		err = bpf_obj_get_info_by_fd(fd, &l->info, &size);
	}
	if (!err && l->info.type == LINK_UPROBE_MULTI)
		read_probes(fd, l);
	return !err;
}

static void add_link(int fd, struct bpf_progs *progs, struct btf **btf)
{
	struct bpf_prog_entry *p;
	char where[256];
	struct link l;

	if (!read_link(fd, &l))
		return;
	p = bpf_progs__find(progs, l.info.prog_id);
	if (!p)
		return;
	link_text(&l, btf, where, sizeof(where));
	if (*where)
		bpf_prog__attach_at(p, where);
}

u64 bpf_links__read(struct bpf_progs *progs, struct btf **btf)
{
	u64 beyond = 0;
	int fd;

	for (u32 id = 0, n = 0; (fd = bpf_admin__open_next(BPF_OBJECT_LINK, &id)) >= 0; n++) {
		if (n < BPF_LINKS_MAX)
			add_link(fd, progs, btf);
		else
			beyond++;
		close(fd);
	}
	return beyond;
}

u64 bpf_links__which(void)
{
	u64 which = 1;
	int fd;

	for (u32 id = 0; (fd = bpf_admin__open_next(BPF_OBJECT_LINK, &id)) >= 0; close(fd))
		which = mix64_pair(which, id);
	return which;
}
