/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cgroups: v2 ids and paths, v1 hierarchies beside or instead of it. Any thread (an internal
 * lock guards the cache). A cgroup v2 id is the inode number of its directory (64-bit
 * kernels since 5.5), what bpf_get_current_cgroup_id() and PERF_SAMPLE_CGROUP give.
 */
#ifndef BASE_CGROUP_H
#define BASE_CGROUP_H

#include <stdio.h>

#include "base/base.h"

#define CGROUP_MAX 65536 /* looked at in one walk, and names kept */

/* Mount point of cgroup v2, "" when there is none. */
const char *cgroup__mount(void);
/* Path below the mount point for an id ("/system.slice/ssh.service"); buf is filled and
 * returned; "cgroup:ID" when it is gone and was never seen. By file handle where that is
 * permitted, else by scanning, at most once a second; removed cgroups keep their names until
 * CGROUP_MAX are known. */
const char *cgroup__name(u64 id, char *buf, size_t size);
/* Calls fn for each name that cgroup__name() remembers, of removed cgroups too; fn must not call
 * back into this file. */
void cgroup__remembered(void (*fn)(void *ctx, const char *path, u64 id), void *ctx);
/* From now on cgroups are those that are learned: they are another machine's. While there is one
 * thread. */
void cgroup__go_away(void);
/* A name for cgroup__name(), as if it had been seen. */
void cgroup__learn(u64 id, const char *path);
/* What is learned until it is called with false is another machine's, and not wanted. */
void cgroup__ignore(bool ignore);
/* The id that "cgroup:ID" stands for, 0: it is another name. */
u64 cgroup__nameless(const char *name);
/* The id of a path below the mount point, 0 when there is none, or it leads out again (".."). */
u64 cgroup__id(const char *path);

/* Mount points of the v1 hierarchies; returns their number, at most CGROUP_V1_MAX. */
#define CGROUP_V1_MAX 16
u32 cgroup__v1_mounts(const char *const **mounts);

/* Calls fn for each cgroup below a mount point, parents before their children, siblings'
 * subtrees one after the other; path is below the mount point, "/" the root. fn returns
 * false to end the walk. Bounded by CGROUP_MAX and a depth of 64. */
typedef bool (*cgroup_fn)(void *ctx, const char *path, u64 id);
void cgroup__walk(const char *mount, cgroup_fn fn, void *ctx);
/* Direct members of a cgroup, fn may be NULL; returns their number. */
u32 cgroup__procs(const char *mount, const char *path, void (*fn)(void *ctx, u32 pid), void *ctx);

/* What the above read from /proc/self/mountinfo; paths are malloc'ed. */
struct cgroup_mounts {
	char *v2; /* NULL when there is none */
	char *v1[CGROUP_V1_MAX];
	u32 nv1;
};
void cgroup_mounts__read(struct cgroup_mounts *m, FILE *mountinfo);
void cgroup_mounts__fini(struct cgroup_mounts *m);

#endif
