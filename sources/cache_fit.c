// SPDX-License-Identifier: GPL-2.0-only
#include "sources/cache_fit.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <unistd.h>

#include "base/caps.h"
#include "sources/kernel_btf.h"

/* A file system may be a module: it is called as its tracepoints begin. Only who has sys_admin is
 * told the types of modules; for others no program would load at all. */
static u32 module_arguments(struct btf *kernel, const char *tracepoint)
{
	char name[16], path[64];
	struct btf *btf;
	u32 n;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(tracepoint, "_"), tracepoint);
	snprintf(path, sizeof(path), "/sys/kernel/btf/%s", name);
	if (!(caps__effective() & CAP_BIT(CAP_SYS_ADMIN)) || access(path, R_OK))
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

static void note_types(struct cache_fit *f, const char *const *types)
{
	u32 n = 0;

	while (f->types_seen[n])
		n++;
	while (*types && n + 1 < ARRAY_SIZE(f->types_seen))
		f->types_seen[n++] = *types++;
}

static void note_type(struct cache_fit *f, const char *tracepoint)
{
	static const char *const ext[] = {"ext4", "ext3", "ext2", NULL}; /* as a rule */
	static const char *const xfs[] = {"xfs", NULL}, *const f2fs[] = {"f2fs", NULL};

	if (!strcmp(tracepoint, "ext4_da_write_end"))
		note_types(f, ext);
	else if (!strcmp(tracepoint, "xfs_file_buffered_write"))
		note_types(f, xfs);
	else if (!strcmp(tracepoint, "f2fs_write_end"))
		note_types(f, f2fs);
}

static void fit_tracepoint(struct bpf_program *prog, const char *name, struct btf *kernel,
			   struct cache_fit *f)
{
	if (is_there(kernel, name))
		note_type(f, name);
	else
		bpf_program__set_autoload(prog, false);
}

/* Reads and faults, all of them or none. */
static bool has_read_functions(const struct btf *kernel, struct cache_fit *f)
{
	u32 n = kernel_btf__parameters(kernel, "filemap_get_pages");

	f->get_pages_has_count = n == 4;
	return (n == 3 || n == 4) && kernel_btf__parameters(kernel, "filemap_fault") == 1 &&
	       kernel_btf__parameters(kernel, "filemap_map_pages") == 3;
}

static void fit_reads(const struct btf *kernel, bool functions, struct cache_fit *f)
{
	if (kernel_btf__arguments(kernel, "mm_filemap_get_pages"))
		f->reads = CACHE_SEEN_BY_TRACEPOINTS;
	else if (functions && has_read_functions(kernel, f))
		f->reads = CACHE_SEEN_BY_FUNCTIONS;
	f->functions = f->reads == CACHE_SEEN_BY_FUNCTIONS;
}

/* File systems that write by it, and by nothing else. */
static void fit_writes(const struct btf *kernel, bool functions, struct cache_fit *f)
{
	static const char *const types[] = {"vfat", "msdos",   "exfat", "ext2", "nfs",	 "nfs4",
					    "jfs",  "hfsplus", "udf",	"hfs",	"ubifs", NULL};

	/* Up to 5.17 it had others. */
	if (!functions || kernel_btf__parameters(kernel, "generic_perform_write") != 2)
		return;
	note_types(f, types);
	f->functions = f->writes = true;
}

/* Of those on functions. */
static bool is_chosen(const struct bpf_program *prog, const struct cache_fit *f)
{
	const char *name = bpf_program__name(prog);

	if (!strcmp(name, "cache_write_function"))
		return f->writes;
	if (f->reads != CACHE_SEEN_BY_FUNCTIONS)
		return false;
	return strncmp(name, "cache_get_pages", 15) ||
	       f->get_pages_has_count == !strcmp(name, "cache_get_pages");
}

void cache_fit__choose(const struct btf *kernel, bool functions, struct cache_fit *out)
{
	*out = (struct cache_fit){0};
	fit_reads(kernel, functions, out);
	fit_writes(kernel, functions, out);
}

void cache_fit__programs(struct bpf_object *obj, bool functions, struct cache_fit *out)
{
	struct btf *kernel = kernel_btf__get();
	struct bpf_program *prog;

	*out = (struct cache_fit){0};
	if (!kernel)
		return;
	cache_fit__choose(kernel, functions, out);
	bpf_object__for_each_program(prog, obj)
	{
		const char *section = bpf_program__section_name(prog);

		if (!strncmp(section, "tp_btf/", 7))
			fit_tracepoint(prog, section + 7, kernel, out);
		else if (!strncmp(section, "fe", 2)) /* ntry or xit */
			bpf_program__set_autoload(prog, is_chosen(prog, out));
	}
	kernel_btf__put(kernel);
}

bool cache_fit__last_is_end(const char *release)
{
	unsigned major = 0, minor = 0;

	return sscanf(release, "%u.%u", &major, &minor) == 2 &&
	       (major < 6 || (major == 6 && minor < 16));
}
