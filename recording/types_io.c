// SPDX-License-Identifier: GPL-2.0-only
/* Samples of samples/block.h. */
#include "bpf/block.h"
#include "recording/types.h"

static void code_device(struct codec *c, struct io_device *d)
{
	code_u32(c, &d->dev);
	code_u32(c, &d->disk);
	code_text(c, d->name, sizeof(d->name));
	code_text(c, d->disk_name, sizeof(d->disk_name));
}

static void code_kind(struct codec *c, enum io_op *op, u32 *flags)
{
	CODE_ENUM(c, *op, IO_OPS);
	code_below(c, flags, IO_FLAGS);
}

void code_io_fields(struct codec *c, struct io_sample *x)
{
	code_device(c, &x->device);
	code_kind(c, &x->op, &x->flags);
	code_u64(c, &x->count);
	code_u64(c, &x->bytes);
	code_u64(c, &x->random);
	code_u64(c, &x->sequential);
	code_table32(c, &x->sizes, IO_SIZES);
	for (u32 i = 0; i < IO_STAGES; i++) {
		code_u64(c, &x->ns[i]);
		code_u64(c, &x->max_ns[i]);
		code_u64(c, &x->known[i]);
		code_hist(c, &x->hist[i], BLOCK_BUCKETS);
	}
}

void code_io_proc_fields(struct codec *c, struct io_proc_sample *x)
{
	code_device(c, &x->device);
	code_kind(c, &x->op, &x->flags);
	code_tgid(c, &x->tgid);
	code_tid(c, &x->tid);
	code_kthread(c, &x->kthread);
	code_bool(c, &x->writeback);
	code_cgroup(c, &x->cgroup);
	code_u64(c, &x->inode);
	code_comm(c, x->comm);
	code_text(c, x->file, sizeof(x->file));
	code_u64(c, &x->count);
	code_u64(c, &x->bytes);
	code_u64(c, &x->known);
	code_u64(c, &x->ns);
	code_u64(c, &x->max_ns);
}

void code_io_slow_fields(struct codec *c, struct io_slow_sample *x)
{
	code_device(c, &x->device);
	code_kind(c, &x->op, &x->flags);
	code_tgid(c, &x->tgid);
	code_tid(c, &x->tid);
	code_kthread(c, &x->kthread);
	code_bool(c, &x->writeback);
	code_cgroup(c, &x->cgroup);
	code_u64(c, &x->inode);
	code_comm(c, x->comm);
	code_text(c, x->file, sizeof(x->file));
	code_time(c, &x->t_ns);
	code_longest(c, &x->total_ns);
	code_u64(c, &x->queued_ns);
	code_u64(c, &x->device_ns);
	code_u64(c, &x->sector);
	code_u32(c, &x->bytes);
	code_stack(c, &x->stack, x->tgid);
}

void code_io_stack_fields(struct codec *c, struct io_stack_sample *x)
{
	code_device(c, &x->device);
	code_tgid(c, &x->tgid);
	code_tid(c, &x->tid);
	code_kthread(c, &x->kthread);
	code_bool(c, &x->writeback);
	code_cgroup(c, &x->cgroup);
	code_comm(c, x->comm);
	code_u32(c, &x->weight);
	code_u32(c, &x->bytes);
	code_longest(c, &x->total_ns);
	code_stack(c, &x->stack, x->tgid);
}

void code_io_device_fields(struct codec *c, struct io_device_sample *x)
{
	code_device(c, &x->device);
	code_u64(c, &x->in_flight);
}
