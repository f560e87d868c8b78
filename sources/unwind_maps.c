// SPDX-License-Identifier: GPL-2.0-only
#include "sources/unwind_maps.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "bpf/runtime.h"
#include "bpf/unwind.h"
#include "samples/health.h"
#include "sources/bpf_probe.h"
#include "sources/bpf_util.h"

#define PROCESSES   8192
#define PARTS	    16384
#define RUNTIMES    4096
#define THREADS	    8192
/* Of a block so much is mapped at a time: mapping takes time for each page of it. 64 KiB, as no machine has larger
 * pages. */
#define WINDOW_PAGES 16
#define WINDOW_BYTES (WINDOW_PAGES * sizeof(struct unwind_page))

/* Made by the collector thread before anybody else can ask for it; blocks by the worker only, which has a
 * window of one mapped at a time: the programs need none of them here. */
static struct {
	bool made;
	int blocks_fd, objects_fd, processes_fd, parts_fd, files_fd;
	int runtimes_fd, threads_fd; /* of interpreters */
	struct unwind_object *objects;
	int block_fds[UNWIND_BLOCKS]; /* 0: not made yet */
	struct unwind_page *mapped;
	u32 mapped_window;
} maps;

static int make(enum bpf_map_type type, const char *name, u32 key, u32 value, u32 n, u32 flags)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = flags);
	int fd = bpf_map_create(type, name, key, value, n, &opts);

	return fd < 0 ? -errno : fd;
}

static void *map_memory(int fd, size_t bytes, off_t from)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, from);

	return p == MAP_FAILED ? NULL : p;
}

static int make_block(void)
{
	return make(BPF_MAP_TYPE_ARRAY, "unwind_block", sizeof(u32), sizeof(struct unwind_page),
		    UNWIND_BLOCK_PAGES, BPF_F_MMAPABLE);
}

/* The outer map's entries are made like this one. */
static int make_blocks(int like_fd)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .inner_map_fd = (u32)like_fd);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "unwind_blocks", sizeof(u32),
				sizeof(u32), UNWIND_BLOCKS, &opts);

	return fd < 0 ? -errno : fd;
}

static int close_all(int err)
{
	const int fds[] = {maps.blocks_fd, maps.objects_fd, maps.processes_fd, maps.parts_fd,
			   maps.files_fd,   maps.runtimes_fd, maps.threads_fd};

	for (u32 i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] > 0)
			close(fds[i]);
	maps.blocks_fd = maps.objects_fd = maps.processes_fd = maps.parts_fd = maps.files_fd = 0;
	maps.runtimes_fd = maps.threads_fd = 0;
	return err;
}

/* Made at once where the sampler could not use it otherwise; then it has room for fewer. */
static int make_hash(const char *name, u32 key, u32 value, u32 n)
{
	bool sparse = bpf_probe__sparse_maps();

	return make(BPF_MAP_TYPE_HASH, name, key, value, sparse ? n : n / 4,
		    sparse ? BPF_F_NO_PREALLOC : 0);
}

static int make_all(void)
{
	u32 part = memory__is_little() ? 8 : 1; /* of what is forgotten when there is more */
	int like = make_block();

	if (like < 0)
		return like;
	maps.blocks_fd = make_blocks(like);
	close(like);
	maps.objects_fd = make(BPF_MAP_TYPE_ARRAY, "unwind_objects", sizeof(u32),
			       sizeof(struct unwind_object), UNWIND_OBJECTS, BPF_F_MMAPABLE);
	maps.processes_fd =
		make_hash("unwind_processe", sizeof(u32), sizeof(struct unwind_process), PROCESSES);
	maps.parts_fd = make_hash("unwind_parts", sizeof(struct unwind_part_key),
				  sizeof(struct unwind_part), PARTS);
	maps.files_fd = make(BPF_MAP_TYPE_LRU_HASH, "unwind_files", sizeof(struct unwind_file),
			     sizeof(u32), UNWIND_FILES / part, 0);
	maps.runtimes_fd = make_hash("runtimes", sizeof(u32), sizeof(union runtime), RUNTIMES);
	maps.threads_fd = make(BPF_MAP_TYPE_LRU_HASH, "script_threads", sizeof(u64), 3 * sizeof(u64),
			       THREADS / part, 0);
	if (maps.blocks_fd < 0 || maps.objects_fd < 0 || maps.processes_fd < 0 ||
	    maps.parts_fd < 0 || maps.files_fd < 0 || maps.runtimes_fd < 0 || maps.threads_fd < 0)
		return close_all(-ENOMEM);
	maps.objects = map_memory(maps.objects_fd, UNWIND_OBJECTS * sizeof(*maps.objects), 0);
	if (!maps.objects)
		return close_all(-ENOMEM);
	maps.objects[UNWIND_OBJECT_FP].how = UNWIND_BY_FP;
	maps.objects[UNWIND_OBJECT_FP].page_shift = (u32)__builtin_ctzl(sysconf(_SC_PAGESIZE));
	maps.made = true;
	return 0;
}

static int share(struct bpf_object *obj, const char *name, int fd)
{
	struct bpf_map *map = bpf_object__find_map_by_name(obj, name);

	return map ? bpf_map__reuse_fd(map, fd) : 0;
}

int unwind_maps__make(struct status *st)
{
	int err = maps.made ? 0 : make_all();

	return err ? bpf_util__failed(err, "maps for unwind tables", st) : 0;
}

int unwind_maps__share(struct bpf_object *obj, struct status *st)
{
	int err;

	if (!bpf_object__find_map_by_name(obj, "unwind_objects"))
		return 0;
	err = unwind_maps__make(st);
	if (err)
		return err;
	err = share(obj, "unwind_blocks", maps.blocks_fd);
	if (!err)
		err = share(obj, "unwind_objects", maps.objects_fd);
	if (!err)
		err = share(obj, "unwind_processes", maps.processes_fd);
	if (!err)
		err = share(obj, "unwind_parts", maps.parts_fd);
	if (!err)
		err = share(obj, "unwind_files", maps.files_fd);
	if (!err)
		err = share(obj, "runtimes", maps.runtimes_fd);
	if (!err)
		err = share(obj, "script_threads", maps.threads_fd);
	return err ? bpf_util__failed(err, "maps for unwind tables", st) : 0;
}

u32 unwind_maps__mode(enum call_graph call_graph)
{
	static const u32 modes[] = {
		[CALL_GRAPH_AUTO] = UNWIND_TABLES,
		[CALL_GRAPH_FP] = UNWIND_NO_TABLES,
		[CALL_GRAPH_EH] = UNWIND_TABLES_ONLY,
		[CALL_GRAPH_OFF] = UNWIND_OFF,
	};

	return call_graph == CALL_GRAPH_OFF || bpf_probe__walks() ? modes[call_graph]
								  : UNWIND_NO_TABLES;
}

void unwind_maps__health(struct bpf_object *obj, u32 mode, struct unwind_stats *before,
			 struct health *h)
{
	struct unwind_stats now = {0};
	u64 ended[UNWIND_ENDS];

	bpf_util__sum_percpu(bpf_object__find_map_fd_by_name(obj, "unwind_stats"), sizeof(now),
			     (u64 *)&now);
	for (u32 i = 0; i < UNWIND_ENDS; i++)
		ended[i] = now.ends[i] - before->ends[i];
	h->stacks.by = mode == UNWIND_OFF	  ? STACKS_BY_NOTHING
		       : mode == UNWIND_NO_TABLES ? STACKS_BY_FP
						  : STACKS_BY_TABLES;
	h->stacks.whole = ended[UNWIND_WHOLE];
	h->stacks.cut = ended[UNWIND_CUT];
	h->stacks.unknown = ended[UNWIND_UNKNOWN];
	h->stacks.no_table = ended[UNWIND_NO_TABLE];
	h->stacks.no_row = ended[UNWIND_NO_ROW];
	h->stacks.bad_stack = ended[UNWIND_BAD_STACK];
	h->stacks.fp_end = ended[UNWIND_FP_END];
	h->stacks.fp_zero = ended[UNWIND_FP_ZERO];
	h->stacks.gone = ended[UNWIND_GONE];
	h->stacks.listed = now.listed - before->listed;
	h->stacks.scripts = now.scripts - before->scripts;
	h->stacks.scripts_doubt = now.scripts_doubt - before->scripts_doubt;
	h->stacks.scripts_astray = now.scripts_astray - before->scripts_astray;
	*before = now;
}

/* --- the sink --- */

static bool add_block(u32 block)
{
	int fd = make_block();

	if (fd >= 0 && bpf_map_update_elem(maps.blocks_fd, &block, &fd, BPF_ANY)) {
		close(fd);
		fd = -1;
	}
	maps.block_fds[block] = MAX(fd, 0);
	return fd >= 0;
}

static void map_window(u32 number)
{
	u32 window = number / WINDOW_PAGES, in_block = number % UNWIND_BLOCK_PAGES / WINDOW_PAGES;

	if (maps.mapped && maps.mapped_window == window)
		return;
	if (maps.mapped)
		munmap(maps.mapped, WINDOW_BYTES);
	maps.mapped = map_memory(maps.block_fds[number / UNWIND_BLOCK_PAGES], WINDOW_BYTES,
				 (off_t)(in_block * WINDOW_BYTES));
	maps.mapped_window = window;
}

static struct unwind_page *sink_page(u32 number)
{
	u32 block = number / UNWIND_BLOCK_PAGES;

	if (block >= UNWIND_BLOCKS)
		return NULL;
	if (!maps.block_fds[block] && !add_block(block))
		return NULL;
	map_window(number);
	return maps.mapped ? maps.mapped + number % WINDOW_PAGES : NULL;
}

static struct unwind_object *sink_object(u32 slot)
{
	return &maps.objects[slot];
}

static void sink_file(const struct unwind_file *f, u32 slot)
{
	bpf_map_update_elem(maps.files_fd, f, &slot, BPF_ANY);
}

static void sink_begin(void)
{
	struct unwind_file f;

	while (!bpf_map_get_next_key(maps.files_fd, NULL, &f))
		if (bpf_map_delete_elem(maps.files_fd, &f))
			break;
}

static void forget_parts(u32 tgid, u32 from)
{
	for (u32 i = from; i < UNWIND_PARTS; i++) {
		struct unwind_part_key key = {tgid, i};

		if (bpf_map_delete_elem(maps.parts_fd, &key))
			break;
	}
}

/* A program that looks meanwhile may find parts of the old and the new: it asks again, or has one
 * stack that ends early. */
static int sink_process(u32 tgid, const struct unwind_process *p, const struct unwind_part *parts)
{
	int err = 0;

	for (u32 i = 0; i < p->nparts && !err; i++) {
		struct unwind_part_key key = {tgid, i};

		err = bpf_map_update_elem(maps.parts_fd, &key, &parts[i], BPF_ANY) ? -errno : 0;
	}
	forget_parts(tgid, p->nparts);
	if (!err && bpf_map_update_elem(maps.processes_fd, &tgid, p, BPF_ANY))
		err = -errno;
	return err;
}

static void sink_forget(u32 tgid)
{
	bpf_map_delete_elem(maps.processes_fd, &tgid);
	bpf_map_delete_elem(maps.runtimes_fd, &tgid);
	forget_parts(tgid, 0);
}

static int sink_runtime(u32 tgid, const union runtime *rt)
{
	return bpf_map_update_elem(maps.runtimes_fd, &tgid, rt, BPF_ANY) ? -errno : 0;
}

const struct unwind_sink source_unwind_sink = {
	.page = sink_page,
	.object = sink_object,
	.barrier = bpf_util__barrier,
	.file = sink_file,
	.begin = sink_begin,
	.process = sink_process,
	.forget = sink_forget,
	.runtime = sink_runtime,
};
