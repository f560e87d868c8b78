// SPDX-License-Identifier: GPL-2.0-only
/* Samples of samples/block.h. */
#include "bpf/block.h"
#include "recording/types.h"

static void code_device(struct codec *c, struct io_device *d)
{
	code_host(c, &d->host);
	CODE_U32S(c, &d->dev, &d->disk);
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
	CODE_U64S(c, &x->count, &x->bytes, &x->random, &x->sequential);
	code_table32(c, &x->sizes, IO_SIZES);
	for (u32 i = 0; i < IO_STAGES; i++) {
		CODE_U64S(c, &x->ns[i], &x->max_ns[i], &x->known[i]);
		code_hist(c, &x->hist[i], BLOCK_BUCKETS);
	}
}

static void code_task(struct codec *c, struct io_who *w)
{
	code_tgid(c, &w->tgid);
	code_tid(c, &w->tid);
	code_kthread(c, &w->kthread);
	code_bool(c, &w->writeback);
	code_cgroup(c, &w->cgroup);
}

static void code_who(struct codec *c, struct io_who *w)
{
	code_device(c, &w->device);
	code_kind(c, &w->op, &w->flags);
	code_task(c, w);
	code_u64(c, &w->inode);
	code_comm(c, w->comm);
	code_text(c, w->file, sizeof(w->file));
}

void code_io_proc_fields(struct codec *c, struct io_proc_sample *x)
{
	code_who(c, &x->who);
	CODE_U64S(c, &x->count, &x->bytes, &x->known, &x->ns, &x->max_ns);
}

void code_io_slow_fields(struct codec *c, struct io_slow_sample *x)
{
	code_who(c, &x->who);
	code_time(c, &x->t_ns);
	code_longest(c, &x->total_ns);
	CODE_U64S(c, &x->queued_ns, &x->device_ns, &x->sector);
	code_u32(c, &x->bytes);
	code_stack(c, &x->stack, x->who.tgid);
}

void code_io_stack_fields(struct codec *c, struct io_stack_sample *x)
{
	code_device(c, &x->who.device);
	code_task(c, &x->who);
	code_comm(c, x->who.comm);
	CODE_U32S(c, &x->weight, &x->bytes);
	code_longest(c, &x->total_ns);
	code_stack(c, &x->stack, x->who.tgid);
}

void code_io_device_fields(struct codec *c, struct io_device_sample *x)
{
	code_device(c, &x->device);
	code_u64(c, &x->in_flight);
}
