// SPDX-License-Identifier: GPL-2.0-only
#include "sources/cache_fit.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <unistd.h>

#include "sources/kernel_btf.h"

/* A file system may be a module: it is called as its tracepoints begin. */
static u32 module_arguments(struct btf *kernel, const char *tracepoint)
{
	char name[16], path[64];
	struct btf *btf;
	u32 n;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(tracepoint, "_"), tracepoint);
	snprintf(path, sizeof(path), "/sys/kernel/btf/%s", name);
	if (access(path, R_OK))
		return 0;
	btf = btf__load_module_btf(name, kernel);
	if (!btf)
		return 0;
	n = kernel_btf__arguments(btf, tracepoint);
	btf__free(btf);
	return n;
}

static bool is_there(struct btf *kernel, const char *tracepoint)
{
	u32 n = kernel_btf__arguments(kernel, tracepoint);

	if (!n)
		n = module_arguments(kernel, tracepoint);
	/* Up to 5.11 it had others. */
	return n && (strcmp(tracepoint, "xfs_file_buffered_write") || n == 2);
}

static void note_told(struct cache_fit *f, const char *tracepoint)
{
	u32 n = 0;

	while (f->told[n])
		n++;
	if (!strcmp(tracepoint, "ext4_da_write_end")) {
		f->told[n++] = "ext4";
		f->told[n++] = "ext3"; /* its driver serves all three, as a rule */
		f->told[n] = "ext2";
	} else if (!strcmp(tracepoint, "xfs_file_buffered_write")) {
		f->told[n] = "xfs";
	} else if (!strcmp(tracepoint, "f2fs_write_end")) {
		f->told[n] = "f2fs";
	} else if (!strcmp(tracepoint, "mm_filemap_get_pages")) {
		f->reads = true;
	}
}

void cache_fit__programs(struct bpf_object *obj, struct cache_fit *out)
{
	struct btf *kernel = btf__load_vmlinux_btf();
	struct bpf_program *prog;

	*out = (struct cache_fit){0};
	if (!kernel)
		return;
	bpf_object__for_each_program(prog, obj)
	{
		const char *section = bpf_program__section_name(prog);

		if (strncmp(section, "tp_btf/", 7))
			continue;
		if (is_there(kernel, section + 7))
			note_told(out, section + 7);
		else
			bpf_program__set_autoload(prog, false);
	}
	btf__free(kernel);
}

bool cache_fit__last_is_end(const char *release)
{
	unsigned major = 0, minor = 0;

	return sscanf(release, "%u.%u", &major, &minor) == 2 &&
	       (major < 6 || (major == 6 && minor < 16));
}
