// SPDX-License-Identifier: GPL-2.0-only
/* Names that are looked up: a BPF program on the end of system calls. */
#include "sources/cache_dentry.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <sys/syscall.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "bpf/cache_dentry.h"
#include "bpf/cache_dentry.skel.h"
#include "samples/cache.h"
#include "sources/bpf_source.h"

/* Calls that name a file by its path. */
static const u16 path_calls[] = {
#ifdef SYS_open /* x86 has the older ones too */
	SYS_open,	SYS_creat,	SYS_stat,	SYS_lstat,     SYS_access,
	SYS_readlink,	SYS_unlink,	SYS_rmdir,	SYS_mkdir,     SYS_mknod,
	SYS_rename,	SYS_link,	SYS_symlink,	SYS_chmod,     SYS_chown,
	SYS_lchown,	SYS_utime,	SYS_utimes,	SYS_futimesat,
#endif
	SYS_openat,	SYS_openat2,	SYS_newfstatat, SYS_statx,     SYS_faccessat,
	SYS_faccessat2, SYS_readlinkat, SYS_unlinkat,	SYS_mkdirat,   SYS_mknodat,
	SYS_linkat,	SYS_symlinkat,	SYS_renameat2,	SYS_fchmodat,  SYS_fchownat,
	SYS_utimensat,	SYS_execve,	SYS_execveat,	SYS_chdir,     SYS_chroot,
	SYS_truncate,	SYS_statfs,	SYS_getxattr,	SYS_lgetxattr, SYS_setxattr,
	SYS_lsetxattr,	SYS_listxattr,	SYS_llistxattr,
#ifdef SYS_renameat
	SYS_renameat,
#endif
};

struct source {
	struct bpf_source base;
	struct cache_dentry_bpf *skel;
};

bool cache_dentry__parse_state(const char *text, struct dentry_state_sample *out)
{
	unsigned long long n[5] = {0};

	if (sscanf(text, "%llu %llu %llu %llu %llu", &n[0], &n[1], &n[2], &n[3], &n[4]) < 4)
		return false;
	*out = (struct dentry_state_sample){{SAMPLE_DENTRY_STATE}, n[0], n[1], n[4]};
	return true;
}

static void put_state(struct source *s)
{
	struct dentry_state_sample out;
	char line[128];

	if (file__line("/proc/sys/fs/dentry-state", line, sizeof(line)) &&
	    cache_dentry__parse_state(line, &out))
		sink__put(s->base.sink, &out.head);
}

static void on_sum(void *ctx, const void *key, const void *value)
{
	const struct dentry_key *k = key;
	const struct dentry_sum *sum = value;
	struct source *s = ctx;
	struct dentry_sample out = {
		.head.type = SAMPLE_DENTRY,
		.tgid = k->tgid,
		.cgroup = k->cgroup,
		.lookups = sum->lookups,
		.negative = sum->negative,
	};

	if (!bpf_source__passes(&s->base, k->tgid, sum->tid, sum->cpu, k->cgroup, sum->last_ns,
				sum->comm))
		return;
	copy_str(out.comm, sizeof(out.comm), sum->comm);
	sink__put(s->base.sink, &out.head);
}

static double drain(struct source *s)
{
	put_state(s);
	return bpf_source__drain_half(&s->base, "names", "names", on_sum);
}

static void note(struct source *s)
{
	const struct dentry_stats *now = s->base.now;
	struct health *h = &s->base.health;

	bpf_source__note_samples(&s->base, now->lookups);
	h->lost = h->map_full = now->full;
	copy_str(h->note, sizeof(h->note),
		 "names that the kernel looks up by itself, and for io_uring, are not seen");
}

static void unload(struct source *s)
{
	cache_dentry_bpf__destroy(s->skel);
}

static int open_programs(struct source *s, struct status *st)
{
	int err = bpf_source__skeleton(s, cache_dentry_bpf, st);

	if (err)
		return err;
	for (u32 i = 0; i < ARRAY_SIZE(path_calls); i++)
		if (path_calls[i] < DENTRY_CALLS)
			s->skel->rodata->path_calls[path_calls[i] / 64] |= 1ULL << (path_calls[i] % 64);
	s->skel->rodata->call_newfstatat = SYS_newfstatat;
	s->skel->rodata->call_statx = SYS_statx;
	return 0;
}

static const struct bpf_subject subject = {
	.what = "BPF programs of name lookups",
	.event = "sys_exit",
	.size = sizeof(struct source),
	.stats_size = sizeof(struct dentry_stats),
	.open = open_programs,
	.drain = drain,
	.note = note,
	.unload = unload,
};

static struct source *cache_dentry__open(const struct sampling *how, const struct scope *scope,
					 struct status *st)
{
	return bpf_source__open(&subject, how, scope, NULL, st);
}

const struct source_ops source_cache_dentry = {
	.name = "bpf",
	.title = "a BPF program on the end of system calls",
	.open = cache_dentry__open,
	BPF_SOURCE_OPS,
};
