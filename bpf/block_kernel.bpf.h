/* SPDX-License-Identifier: GPL-2.0-only */
/* The block layer's fields that are read, in the manner of bpf/kernel.bpf.h. Types that end in
 * ___old are those of kernels before the change that is noted. */
#ifndef BPF_BLOCK_KERNEL_BPF_H
#define BPF_BLOCK_KERNEL_BPF_H

#include "bpf/kernel.bpf.h"

struct super_block {
	unsigned long s_magic;
} KERNEL_TYPE;

struct inode {
	unsigned long i_ino;
	struct super_block *i_sb;
	struct hlist_head i_dentry;
} KERNEL_TYPE;

struct qstr {
	const unsigned char *name;
} KERNEL_TYPE;

/* The anonymous union is named d_u up to 7.x; only its offset counts. */
struct dentry {
	struct qstr d_name;
	union {
		struct hlist_node d_alias;
	} d_u;
} KERNEL_TYPE;

struct address_space {
	struct inode *host;
} KERNEL_TYPE;

struct page {
	unsigned long compound_head;
	struct address_space *mapping;
} KERNEL_TYPE;

/* 7.1 on: with bit 0 set, the head page's address or, with struct pages of a power of two, the
 * mask that a tail page's address has to be cut with. */
struct page___info {
	unsigned long compound_info;
} KERNEL_TYPE;

struct bio_vec {
	struct page *bv_page;
} KERNEL_TYPE;

struct bvec_iter {
	u64 bi_sector;
	unsigned int bi_size;
	unsigned int bi_idx;
} KERNEL_TYPE;

struct block_device_operations {
	void *submit_bio;
} KERNEL_TYPE;

struct gendisk {
	int major, first_minor;
	const struct block_device_operations *fops;
} KERNEL_TYPE;

struct block_device {
	struct gendisk *bd_disk;
	u32 bd_dev;
} KERNEL_TYPE;

struct cgroup_root {
	int hierarchy_id; /* 0: the default one, v2 */
} KERNEL_TYPE;

struct cgroup___rooted {
	struct cgroup_root *root;
	struct kernfs_node *kn;
} KERNEL_TYPE;

struct cgroup_subsys_state___owned {
	struct cgroup___rooted *cgroup;
} KERNEL_TYPE;

struct blkcg {
	struct cgroup_subsys_state___owned css;
} KERNEL_TYPE;

struct blkcg_gq {
	struct blkcg *blkcg;
} KERNEL_TYPE;

struct bio {
	struct block_device *bi_bdev;
	unsigned int bi_opf;
	struct bvec_iter bi_iter;
	struct bio_vec *bi_io_vec;
	struct blkcg_gq *bi_blkg;
} KERNEL_TYPE;

/* Before 5.12. */
struct bio___old {
	struct gendisk *bi_disk;
	u8 bi_partno;
} KERNEL_TYPE;

struct elevator_queue;

struct request_queue {
	struct elevator_queue *elevator;
	struct gendisk *disk; /* 5.15 on */
} KERNEL_TYPE;

struct request {
	struct request_queue *q;
	unsigned int cmd_flags;
	unsigned int rq_flags;
	unsigned int __data_len;
	u64 __sector;
	struct bio *bio;
	struct block_device *part;
	u64 start_time_ns;
	atomic_t ref; /* 0: it is free */
} KERNEL_TYPE;

struct hd_struct {
	int partno;
} KERNEL_TYPE;

/* Before 5.12 part, up to 5.16 the disk. */
struct request___old {
	struct hd_struct *part;
	struct gendisk *rq_disk;
} KERNEL_TYPE;

#define REQ_OP_MASK	     0xff
#define REQ_OP_READ	     0
#define REQ_OP_WRITE	     1
#define REQ_OP_FLUSH	     2
#define REQ_OP_DISCARD	     3
#define REQ_OP_ZONE_APPEND   7
#define REQ_OP_WRITE_ZEROES  9
#define REQ_OP_PASSTHROUGH   32 /* and above: a driver's own commands */
#define REQ_SYNC	     (1u << 11)
#define REQ_META	     (1u << 12)
#define REQ_PREFLUSH	     (1u << 18)
#define PF_WQ_WORKER	     0x00000020
#define BDEVFS_MAGIC	     0x62646576
#define PAGE_MAPPING_NO_FILE 3 /* bits of page.mapping: anonymous memory and the like */

#endif
