// SPDX-License-Identifier: GPL-2.0-only
/* Who holds BPF programs: all descriptors of the machine, by an iterator. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "bpf/progs.skel.h"
#include "sources/bpf_progs_impl.h"
#include "sources/bpf_util.h"
#include "sources/core_btf.h"
#include "sources/kernel_btf.h"
#include "sources/perf_open.h"

/* --- what files of each kind look like --- */

/* Opens a file of each kind, visits them, and closes those that only the visit needed. */
static int learn_kinds(struct bpf_files *f)
{
	int err;

	f->skel->bss->learning = true;
	err = bpf_visit__run(&f->files);
	f->skel->bss->learning = false;
	for (u32 i = 0; !err && i < BPF_FILE_KINDS; i++)
		if (!f->skel->bss->ops_of[i] && f->skel->rodata->own_fds[i] >= 0)
			err = -ENOENT;
	return err;
}

/* Descriptors are numbers that the programs must know before they are loaded: theirs are put there
 * afterwards. */
static int place_fd(int from, int to)
{
	return from < 0 || dup3(from, to, O_CLOEXEC) < 0 ? -errno : 0;
}

static int open_event(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
	};

	return perf__open(&attr, 0, -1);
}

/* A number that nothing has: of a descriptor that is kept until then. */
static int reserve_fd(void)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* Without the kernel's types nothing is loaded anyway. */
static u32 tracepoint_flag(u32 otherwise)
{
	struct btf *btf = kernel_btf__get();
	u32 value = otherwise;

	if (btf && !kernel_btf__constant(btf, "TRACE_EVENT_FL_TRACEPOINT", &value))
		value = otherwise;
	if (btf)
		kernel_btf__put(btf);
	return value;
}

static int load(struct bpf_files *f, bool counts_hashes, const int *fds)
{
	int err;

	f->skel = progs_bpf__open_opts(CORE_BTF_OPTS(progs_bpf));
	if (!f->skel)
		return -errno;
	f->skel->rodata->self = (u32)getpid();
	f->skel->rodata->counts_hashes = counts_hashes;
	for (u32 i = 0; i < BPF_FILE_KINDS; i++)
		f->skel->rodata->own_fds[i] = fds[i];
	f->skel->rodata->tracepoint_flag = tracepoint_flag(f->skel->rodata->tracepoint_flag);
	f->counts_hashes = counts_hashes;
	err = progs_bpf__load(f->skel);
	if (!err)
		return 0;
	progs_bpf__destroy(f->skel);
	f->skel = NULL;
	return err;
}

static int attach(struct bpf_files *f, const int *fds, struct status *st)
{
	int err = bpf_visit__attach(&f->files, f->skel->progs.bpf_files, st);

	if (!err)
		err = bpf_visit__attach(&f->fills, f->skel->progs.bpf_fills, st);
	if (err)
		return err;
	err = place_fd(bpf_program__fd(f->skel->progs.bpf_files), fds[BPF_FILE_PROG]);
	if (!err)
		err = place_fd(bpf_link__fd(f->files.link), fds[BPF_FILE_LINK]);
	if (!err)
		err = learn_kinds(f);
	return err ? bpf_util__failed(err, "files of BPF programs", st) : 0;
}

int bpf_files__open(struct bpf_files *f, int stats_fd, struct status *st)
{
	int fds[BPF_FILE_KINDS] = {
		[BPF_FILE_PROG] = reserve_fd(),
		[BPF_FILE_LINK] = reserve_fd(),
		[BPF_FILE_PERF] = open_event(), /* -errno: such files are not distinguished */
		[BPF_FILE_STATS] = stats_fd,
	};
	int err = load(f, true, fds);

	if (err)
		err = load(f, false, fds);
	err = err ? bpf_util__failed(err, "BPF iterators of descriptors and maps", st)
		  : attach(f, fds, st);
	for (u32 i = 0; i < BPF_FILE_STATS; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	return err;
}

void bpf_files__close(struct bpf_files *f)
{
	bpf_visit__fini(&f->files);
	bpf_visit__fini(&f->fills);
	progs_bpf__destroy(f->skel);
	*f = (struct bpf_files){0};
}

/* --- owners --- */

static bool is_owner(const struct bpf_prog_sample *s, u32 tgid)
{
	for (u32 i = 0; i < MIN(s->nowners, BPF_OWNERS); i++)
		if (s->owners[i].tgid == tgid)
			return true;
	return false;
}

/* Descriptors come by process, those in rising order. */
static void add_owner(struct bpf_prog_sample *s, const struct bpf_file *file)
{
	struct bpf_owner *o = &s->owners[MIN(s->nowners, BPF_OWNERS - 1u)];

	s->own |= file->tgid == (u32)getpid();
	if (is_owner(s, file->tgid))
		return;
	if (s->nowners++ >= BPF_OWNERS)
		return;
	o->tgid = file->tgid;
	o->cgroup = file->cgroup;
	copy_str(o->comm, sizeof(o->comm), file->comm);
}

static const char *software_name(u64 config)
{
	static const char *const names[] = {
		[PERF_COUNT_SW_CPU_CLOCK] = "cpu-clock",
		[PERF_COUNT_SW_TASK_CLOCK] = "task-clock",
		[PERF_COUNT_SW_PAGE_FAULTS] = "page-faults",
		[PERF_COUNT_SW_CONTEXT_SWITCHES] = "context-switches",
		[PERF_COUNT_SW_CPU_MIGRATIONS] = "cpu-migrations",
	};

	return config < ARRAY_SIZE(names) ? names[config] : NULL;
}

static void add_event(struct bpf_prog_entry *p, const struct bpf_file *file)
{
	const char *name = file->event_type == PERF_TYPE_SOFTWARE
				   ? software_name(file->event_config)
				   : NULL;
	char where[64];

	if (*file->event)
		snprintf(where, sizeof(where), "event %.*s", BPF_EVENT_NAME, file->event);
	else if (name)
		snprintf(where, sizeof(where), "event %s", name);
	else
		snprintf(where, sizeof(where), "event %u:0x%llx", file->event_type,
			 (unsigned long long)file->event_config);
	bpf_prog__attach_at(p, where);
}

/* Whoever keeps statistics on besides this process, once. */
static void add_keeper(const struct bpf_file *file, u32 *last, char *others, size_t size)
{
	size_t len = strlen(others);

	if (file->tgid == (u32)getpid() || file->tgid == *last)
		return;
	*last = file->tgid;
	snprintf(others + len, size - len, "%s%.16s %u", len ? ", " : "", file->comm, file->tgid);
}

int bpf_files__owners(struct bpf_files *f, struct bpf_progs *progs, char *others, size_t size)
{
	int err = bpf_visit__run(&f->files);
	const struct bpf_file *files = (const void *)f->files.data;
	size_t n = f->files.len / sizeof(*files);
	u32 keeper = 0;

	*others = '\0';
	for (size_t i = 0; !err && i < n; i++) {
		struct bpf_prog_entry *p = bpf_progs__find(progs, files[i].prog);

		if (files[i].kind == BPF_FILE_STATS)
			add_keeper(&files[i], &keeper, others, size);
		if (!p)
			continue;
		add_owner(&p->s, &files[i]);
		if (files[i].kind == BPF_FILE_PERF)
			add_event(p, &files[i]);
	}
	return err;
}

long bpf_files__fills(struct bpf_files *f, const struct bpf_fill **fills)
{
	int err = bpf_visit__run(&f->fills);

	*fills = (const void *)f->fills.data;
	return err ? err : (long)(f->fills.len / sizeof(**fills));
}
