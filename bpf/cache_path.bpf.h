/* SPDX-License-Identifier: GPL-2.0-only */
/* Where files are: taken while they are in use, once for each, and again after a while. */
#ifndef BPF_CACHE_PATH_BPF_H
#define BPF_CACHE_PATH_BPF_H

#include "bpf/cache_state.bpf.h"

#define PATH_PARTS     16
#define NAME_MAX_BYTES 255
#define PATH_KEEP_NS   (10ULL * 1000 * 1000 * 1000)

LRU_MAP(files, 16384, struct cache_file_key, struct cache_file_name);

/* A path is written from its end: so there is room for a name after each place. */
struct path_scratch {
	struct cache_file_name name;
	char beyond[NAME_MAX_BYTES + 1];
};

PERCPU_MAP(path_scratch, 1, struct path_scratch);

static __always_inline struct dentry *inode__dentry(struct inode *inode)
{
	struct hlist_node *node = BPF_CORE_READ(inode, i_dentry.first);
	struct dentry___anonymous *a = NULL;
	struct dentry *d = NULL;

	if (!node)
		return NULL;
	if (bpf_core_field_exists(d->d_u))
		return (void *)node - bpf_core_field_offset(struct dentry, d_u.d_alias);
	if (bpf_core_field_exists(a->d_alias))
		return (void *)node - bpf_core_field_offset(struct dentry___anonymous, d_alias);
	return NULL;
}

/* Writes a name before what is there; false: it did not fit, its end did. */
static __always_inline bool prepend(struct path_scratch *p, struct dentry *d)
{
	const unsigned char *name = BPF_CORE_READ(d, d_name.name);
	u32 len = BPF_CORE_READ(d, d_name.len), start = p->name.start, room, cut = 0;

	if (!start || start > CACHE_TEXT_LEN || len > NAME_MAX_BYTES)
		return false;
	room = start - 1;
	if (len > room) {
		cut = len - room;
		len = room;
	}
	start -= len;
	barrier_var(len);
	barrier_var(start);
	if (start > CACHE_TEXT_LEN || len > NAME_MAX_BYTES)
		return false;
	if (bpf_probe_read_kernel(p->name.text + start, len, name + cut))
		return false;
	if (cut) {
		p->name.start = start;
		return false;
	}
	start--;
	barrier_var(start);
	if (start >= CACHE_TEXT_LEN)
		return false;
	p->name.text[start] = '/';
	p->name.start = start;
	return true;
}

/* address: the inode's. Global, so that the verifier looks at it once. */
__noinline int path__take(u64 address, u64 now)
{
	struct inode *inode = (void *)address;
	struct cache_file_key key;
	struct path_scratch *p;
	struct cache_stats *st;
	struct dentry *d, *up;

	p = map__only(&path_scratch);
	if (!p || !inode)
		return 0;
	key.inode = BPF_CORE_READ(inode, i_ino);
	key.dev = BPF_CORE_READ(inode, i_sb, s_dev);
	p->name.t_ns = now;
	p->name.start = CACHE_TEXT_LEN;
	p->name.cut = 0;
	d = inode__dentry(inode);
	for (int i = 0; i < PATH_PARTS && d; i++) {
		up = BPF_CORE_READ(d, d_parent);
		if (up == d)
			break;
		if (!prepend(p, d) || i == PATH_PARTS - 1) {
			p->name.cut = 1;
			break;
		}
		d = up;
	}
	if (!bpf_map_update_elem(&files, &key, &p->name, BPF_ANY))
		return 0;
	st = stats__get();
	if (st)
		st->files_full++;
	return 0;
}

/* Sees to it that the path of a file that is in use is known. */
static __always_inline void path__note(struct inode *inode)
{
	struct cache_file_key key = {inode->i_ino, inode->i_sb->s_dev};
	struct cache_file_name *name;
	u64 now;

	if (is_bdev(inode))
		return;
	now = bpf_ktime_get_ns();
	name = bpf_map_lookup_elem(&files, &key);
	if (!name || now - name->t_ns > PATH_KEEP_NS)
		path__take(as_number(inode), now);
}

#endif
