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

void code_io(struct codec *c, union any_sample *s)
{
	struct io_sample *x = &s->io;

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

void code_io_proc(struct codec *c, union any_sample *s)
{
	struct io_proc_sample *x = &s->io_proc;

	code_device(c, &x->device);
	code_kind(c, &x->op, &x->flags);
	code_u32(c, &x->tgid);
	code_u32(c, &x->tid);
	code_bool(c, &x->kthread);
	code_bool(c, &x->writeback);
	code_cgroup(c, &x->cgroup);
	code_u64(c, &x->inode);
	code_text(c, x->comm, sizeof(x->comm));
	code_text(c, x->file, sizeof(x->file));
	code_u64(c, &x->count);
	code_u64(c, &x->bytes);
	code_u64(c, &x->known);
	code_u64(c, &x->ns);
	code_u64(c, &x->max_ns);
}

void code_io_slow(struct codec *c, union any_sample *s)
{
	struct io_slow_sample *x = &s->io_slow;

	code_device(c, &x->device);
	code_kind(c, &x->op, &x->flags);
	code_u32(c, &x->tgid);
	code_u32(c, &x->tid);
	code_bool(c, &x->kthread);
	code_bool(c, &x->writeback);
	code_cgroup(c, &x->cgroup);
	code_u64(c, &x->inode);
	code_text(c, x->comm, sizeof(x->comm));
	code_text(c, x->file, sizeof(x->file));
	code_time(c, &x->t_ns);
	code_u64(c, &x->total_ns);
	code_u64(c, &x->queued_ns);
	code_u64(c, &x->device_ns);
	code_u64(c, &x->sector);
	code_u32(c, &x->bytes);
	code_stack(c, &x->stack, x->tgid);
}

void code_io_device(struct codec *c, union any_sample *s)
{
	code_device(c, &s->io_device.device);
	code_u64(c, &s->io_device.in_flight);
}

void io_proc_subject(const union any_sample *s, struct subject *out)
{
	const struct io_proc_sample *x = &s->io_proc;

	*out = (struct subject){.known = true,
				.has_tid = true,
				.has_comm = true,
				.has_kind = true,
				.tgid = x->tgid,
				.tid = x->tid,
				.cgroup = x->cgroup,
				.comm = x->comm,
				.kthread = x->kthread};
}

void io_slow_subject(const union any_sample *s, struct subject *out)
{
	const struct io_slow_sample *x = &s->io_slow;

	*out = (struct subject){.known = true,
				.has_tid = true,
				.has_comm = true,
				.has_kind = true,
				.tgid = x->tgid,
				.tid = x->tid,
				.cgroup = x->cgroup,
				.comm = x->comm,
				.kthread = x->kthread,
				.longest_ns = x->total_ns};
}
