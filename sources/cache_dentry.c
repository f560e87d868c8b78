// SPDX-License-Identifier: GPL-2.0-only
/* Names that are looked up: a BPF program on the end of system calls. */
#include "sources/cache_dentry.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <sys/syscall.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "bpf/cache_dentry.h"
#include "bpf/cache_dentry.skel.h"
#include "samples/cache.h"
#include "sources/bpf_scope.h"
#include "sources/bpf_util.h"
#include "sources/core_btf.h"

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
	struct cache_dentry_bpf *skel;
	struct bpf_scope scope;
	const struct sample_sink *sink; /* during drain */
	u64 before_ns;
	struct dentry_stats before;
	struct health health;
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
	FILE *f = fopen("/proc/sys/fs/dentry-state", "re");
	struct dentry_state_sample out;
	char line[128];

	if (!f)
		return;
	if (fgets(line, sizeof(line), f) && cache_dentry__parse_state(line, &out))
		sink__put(s->sink, &out.head);
	fclose(f);
}

static void on_sum(void *ctx, const void *key, const void *value)
{
	const struct dentry_key *k = key;
	const struct dentry_sum *sum = value;
	struct source *s = ctx;
	struct bpf_scope_entry e = {k->tgid,   sum->tid,     sum->cpu,
				    k->cgroup, sum->last_ns, sum->comm};
	struct dentry_sample out = {
		.head.type = SAMPLE_DENTRY,
		.tgid = k->tgid,
		.cgroup = k->cgroup,
		.lookups = sum->lookups,
		.negative = sum->negative,
	};

	if (!bpf_scope__passes(&s->scope, &e))
		return;
	copy_str(out.comm, sizeof(out.comm), sum->comm);
	sink__put(s->sink, &out.head);
}

/* Switches to the other map, and empties the one that was counted in. */
static double drain_names(struct source *s)
{
	struct bpf_map *map = s->skel->bss->active ? s->skel->maps.names_b : s->skel->maps.names_a;
	long n;

	__atomic_store_n(&s->skel->bss->active, !s->skel->bss->active, __ATOMIC_SEQ_CST);
	bpf_util__barrier();
	n = bpf_util__drain(bpf_map__fd(map), bpf_map__key_size(map), bpf_map__value_size(map),
			    on_sum, s);
	if (n < 0)
		log__add(LOG_WARN, "names could not be read from the kernel: %s",
			 strerror((int)-n));
	return n < 0 ? 0 : 100.0 * (double)n / bpf_map__max_entries(map);
}

static void note_tick(struct source *s, double fill)
{
	struct health *h = &s->health;
	struct dentry_stats now;
	u64 now_ns = clock__monotonic_ns();

	bpf_util__sum_percpu(bpf_map__fd(s->skel->maps.stats), sizeof(now), (u64 *)&now);
	health__cost(h, now.runs - s->before.runs, now.timed - s->before.timed,
		     now.run_ns - s->before.run_ns, now_ns - s->before_ns);
	h->samples = now.lookups - s->before.lookups;
	h->samples_total = now.lookups;
	h->lost = h->map_full = now.full;
	h->map_fill_pct = fill;
	copy_str(h->note, sizeof(h->note),
		 "names that the kernel looks up by itself, and for io_uring, are not seen");
	s->before = now;
	s->before_ns = now_ns;
}

/* --- settings --- */

static int cache_dentry__set_scope(struct source *s, const struct scope *scope, struct status *st)
{
	return bpf_scope__set(&s->scope, scope, st);
}

/* Nothing here is sampled. */
static int cache_dentry__set_sampling(struct source *s, const struct sampling *how,
				      struct status *st)
{
	(void)s;
	(void)how;
	(void)st;
	return 0;
}

/* --- the source --- */

static void cache_dentry__close(struct source *s)
{
	bpf_scope__fini(&s->scope);
	cache_dentry_bpf__destroy(s->skel);
	free(s);
}

static int load(struct source *s, struct status *st)
{
	struct cache_dentry_bpf *k = cache_dentry_bpf__open_opts(CORE_BTF_OPTS(cache_dentry_bpf));
	int err;

	s->skel = k;
	if (!k)
		return bpf_util__failed(-errno, "BPF programs of name lookups", st);
	for (u32 i = 0; i < ARRAY_SIZE(path_calls); i++)
		if (path_calls[i] < DENTRY_CALLS)
			k->rodata->path_calls[path_calls[i] / 64] |= 1ULL << (path_calls[i] % 64);
	k->rodata->call_newfstatat = SYS_newfstatat;
	k->rodata->call_statx = SYS_statx;
	err = cache_dentry_bpf__load(k);
	if (err)
		return bpf_util__failed(err, "BPF programs of name lookups", st);
	bpf_scope__init(&s->scope, k->obj, &k->bss->scope_state, k->progs.dentry_fork,
			k->progs.dentry_exit);
	return 0;
}

static struct source *cache_dentry__open(const struct sampling *how, const struct scope *scope,
					 struct status *st)
{
	struct source *s = xcalloc(1, sizeof(*s));
	int err = bpf_util__prepare(st);

	(void)how;
	if (!err)
		err = load(s, st);
	if (!err)
		err = cache_dentry__set_scope(s, scope, st);
	if (!err) {
		s->skel->links.dentry_call = bpf_program__attach(s->skel->progs.dentry_call);
		if (!s->skel->links.dentry_call)
			err = bpf_util__failed(-errno, "the end of system calls", st);
	}
	if (err) {
		cache_dentry__close(s);
		return NULL;
	}
	s->before_ns = clock__monotonic_ns();
	copy_str(s->health.tier, sizeof(s->health.tier), "bpf");
	copy_str(s->health.event, sizeof(s->health.event), "sys_exit");
	s->health.precise = true;
	return s;
}

static int cache_dentry__fd(struct source *s)
{
	(void)s;
	return -1;
}

static void cache_dentry__drain(struct source *s, bool tick, const struct sample_sink *sink)
{
	if (!tick)
		return;
	s->sink = sink;
	put_state(s);
	note_tick(s, drain_names(s));
}

static void cache_dentry__health(struct source *s, struct health *h)
{
	health__take(h, &s->health);
}

const struct source_ops source_cache_dentry = {
	.name = "bpf",
	.title = "a BPF program on the end of system calls",
	.open = cache_dentry__open,
	.close = cache_dentry__close,
	.set_scope = cache_dentry__set_scope,
	.set_sampling = cache_dentry__set_sampling,
	.fd = cache_dentry__fd,
	.drain = cache_dentry__drain,
	.health = cache_dentry__health,
};
