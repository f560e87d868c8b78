/* SPDX-License-Identifier: GPL-2.0-only */
/* Fields of files, dentries and mounts that are read, in the manner of bpf/kernel.bpf.h. Types that
 * end in ___x are the same type as other kernels have it. */
#ifndef BPF_VFS_KERNEL_BPF_H
#define BPF_VFS_KERNEL_BPF_H

#include "bpf/kernel.bpf.h"

struct file_system_type {
	const char *name;
} KERNEL_TYPE;

struct super_block {
	unsigned long s_magic;
	u32 s_dev;
	struct file_system_type *s_type;
	char s_id[32]; /* its device's name, or its type's */
} KERNEL_TYPE;

struct hlist_bl_node {
	struct hlist_bl_node **pprev; /* NULL: in no list */
} KERNEL_TYPE;

struct address_space;

struct inode {
	unsigned short i_mode;
	unsigned long i_ino;
	struct super_block *i_sb;
	struct address_space *i_mapping;
	u32 i_rdev;
	s64 i_size;
	struct hlist_head i_dentry;
} KERNEL_TYPE;

struct qstr {
	union {
		struct {
			u32 hash;
			u32 len;
		};
		u64 hash_len;
	};
	const unsigned char *name;
} KERNEL_TYPE;

/* The union that d_alias is in had a name up to 6.x. */
struct dentry {
	struct hlist_bl_node d_hash;
	struct dentry *d_parent;
	struct qstr d_name;
	union {
		struct hlist_node d_alias;
	} d_u;
} KERNEL_TYPE;

struct dentry___anonymous {
	struct hlist_node d_alias;
} KERNEL_TYPE;

struct mnt_namespace;

struct vfsmount {
	struct dentry *mnt_root;
} KERNEL_TYPE;

struct mount {
	struct mount *mnt_parent; /* itself: it is the root of its namespace */
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
	struct mnt_namespace *mnt_ns; /* an error: the kernel's own */
} KERNEL_TYPE;

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
} KERNEL_TYPE;

struct file {
	u32 f_mode, f_flags;
	s64 f_pos;
	struct path f_path;
	struct address_space *f_mapping;
	struct inode *f_inode;
} KERNEL_TYPE;

struct fs_struct {
	struct path root, pwd;
} KERNEL_TYPE;

struct task_struct___files {
	struct files_struct *files;
	struct fs_struct *fs;
} KERNEL_TYPE;

/* The file behind a descriptor, as a number; 0: none. Any task's, though it may go meanwhile. */
static __always_inline u64 fd__file(struct task_struct *task, u32 fd)
{
	struct files_struct *files = ((struct task_struct___files *)task)->files;
	u64 file = 0;

	if (files && fd < files->fdt->max_fds)
		bpf_probe_read_kernel(&file, sizeof(file), files->fdt->fd + fd);
	return file;
}

/* Fields of one object, read at once as far as they are at its begin. */
struct object_head {
	u64 words[13];
};

#define HEAD_FIELD(head, object, type, field)                                                      \
	({                                                                                         \
		typeof(((type *)0)->field) value_ = 0;                                             \
		u32 at_ = bpf_core_field_offset(type, field);                                      \
		if (at_ <= sizeof(struct object_head) - sizeof(value_))                            \
			value_ = *(typeof(value_) *)((char *)(head)->words + at_);                 \
		else                                                                               \
			bpf_core_read(&value_, sizeof(value_), &((type *)(object))->field);        \
		value_;                                                                            \
	})

#endif
