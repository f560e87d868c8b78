/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whole paths of dentries, as seen from the root of the mount namespace that their mount is in.
 * Texts are written from their end. Functions are global, so that the verifier looks at each once.
 */
#ifndef BPF_PATH_BPF_H
#define BPF_PATH_BPF_H

#include "bpf/measure_names.bpf.h"
#include "bpf/vfs_kernel.bpf.h"

#define PATH_BYTES     MEASURE_NAME_MAX
#define PATH_PARTS     256 /* steps up, mounts included */
#define PATH_NAME_MAX  255
#define PATH_CUT_BYTES 4

struct path_walk {
	u64 dentry, mount; /* where it is: addresses of a dentry and a struct mount */
	u32 start;	   /* of the text */
	u32 cut;	   /* it had no room for all */
	char text[PATH_BYTES];
	char beyond[PATH_NAME_MAX + 1]; /* so there is room for a name after each place */
};

PERCPU_MAP(path_walks, NAME_SLOTS, struct path_walk);

static __always_inline struct path_walk *path_walk__get(u32 slot)
{
	return bpf_map_lookup_elem(&path_walks, &slot);
}

static __always_inline struct mount *mount__of(u64 vfsmount)
{
	return (void *)(vfsmount - bpf_core_field_offset(struct mount, mnt));
}

/* Mounts that are in no directory: pipes, sockets, memfds. */
static __always_inline bool mount__is_internal(u64 vfsmount)
{
	return (u64)BPF_CORE_READ(mount__of(vfsmount), mnt_ns) >= (u64)-4095;
}

static __always_inline bool path_walk__prepend(struct path_walk *w, struct dentry *d)
{
	const unsigned char *name = BPF_CORE_READ(d, d_name.name);
	u32 len = BPF_CORE_READ(d, d_name.len), start = w->start;

	if (len > PATH_NAME_MAX || start > PATH_BYTES || start < len + 1 + PATH_CUT_BYTES)
		return false;
	start -= len;
	barrier_var(len);
	barrier_var(start);
	if (start > PATH_BYTES || len > PATH_NAME_MAX)
		return false;
	if (bpf_probe_read_kernel(w->text + start, len, name))
		return false;
	start--;
	barrier_var(start);
	if (start >= PATH_BYTES)
		return false;
	w->text[start] = '/';
	w->start = start;
	return true;
}

/* One step up, across a mount or to the parent. 1: there is none. */
__noinline int path_walk__up(u32 slot)
{
	struct path_walk *w = path_walk__get(slot);
	struct dentry *d, *up;
	struct mount *m, *on;

	if (!w)
		return 1;
	d = (void *)w->dentry;
	m = (void *)w->mount;
	up = BPF_CORE_READ(d, d_parent);
	if (up == d || d == BPF_CORE_READ(m, mnt.mnt_root)) {
		on = BPF_CORE_READ(m, mnt_parent);
		if (!on || on == m)
			return 1;
		w->dentry = (u64)BPF_CORE_READ(m, mnt_mountpoint);
		w->mount = (u64)on;
		return 0;
	}
	w->cut = !path_walk__prepend(w, d);
	w->dentry = (u64)up;
	return w->cut;
}

/* Puts the path of a dentry before the text that begins at `start`. */
__noinline int path_walk__run(u32 slot, u64 dentry, u64 vfsmount, u32 start)
{
	struct path_walk *w = path_walk__get(slot);
	u32 i;

	if (!w)
		return 0;
	w->dentry = dentry;
	w->mount = (u64)mount__of(vfsmount);
	w->start = start;
	w->cut = 0;
	for (i = 0; i < PATH_PARTS; i++)
		if (path_walk__up(slot))
			break;
	start = w->start;
	if (!w->cut && i < PATH_PARTS)
		return 0;
	if (start < PATH_CUT_BYTES || start > PATH_BYTES)
		return 0;
	start -= 3;
	__builtin_memcpy(w->text + start, "...", 3);
	w->start = start;
	return 0;
}

#endif
