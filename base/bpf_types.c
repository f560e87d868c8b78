// SPDX-License-Identifier: GPL-2.0-only
#include "base/bpf_types.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bpf_admin.h"

#define TYPES_MAX (16u << 20)

struct btf *bpf_types__of(u32 id)
{
	int fd = id ? bpf_admin__open(BPF_OBJECT_BTF, id) : -1;
	struct bpf_btf_info info = {0};
	struct btf *btf = NULL;
	u32 size = sizeof(info);
	void *data;

	if (fd < 0)
		return NULL;
	if (!bpf_obj_get_info_by_fd(fd, &info, &size) && info.btf_size < TYPES_MAX) {
		data = xmalloc(info.btf_size);
		info = (struct bpf_btf_info){.btf = (u64)(uintptr_t)data,
					     .btf_size = info.btf_size};
		size = sizeof(info);
		if (!bpf_obj_get_info_by_fd(fd, &info, &size))
			btf = btf__new(data, info.btf_size);
		free(data);
	}
	close(fd);
	return btf;
}
