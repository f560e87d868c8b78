// SPDX-License-Identifier: GPL-2.0-only
#include "sources/block_put.h"

#include "bpf/block.h"

_Static_assert((int)BLOCK_OPS == IO_OPS && (int)BLOCK_STAGES == IO_STAGES &&
		       BLOCK_SIZES == IO_SIZES && BLOCK_FILE_LEN == IO_FILE_LEN &&
		       BLOCK_FLAG_OTHER == IO_FLAG_OTHER,
	       "what is counted is what is handed out");

static void name_device(const struct block_put *p, struct io_device *to, const struct block_key *k)
{
	to->dev = k->dev;
	to->disk = k->disk;
	block_devices__name(p->devices, k->dev, to->name);
	block_devices__name(p->devices, k->disk, to->disk_name);
}

u64 block_put__count(const struct block_sum *sum)
{
	u64 n = 0;

	for (u32 i = 0; i < BLOCK_PLACES * BLOCK_SIZES; i++)
		n += sum->sizes[i / BLOCK_SIZES][i % BLOCK_SIZES];
	return n;
}

static u64 placed(const struct block_sum *sum, enum block_place place)
{
	u64 n = 0;

	for (u32 i = 0; i < BLOCK_SIZES; i++)
		n += sum->sizes[place][i];
	return n;
}

static u64 known(const struct block_sum *sum, u32 stage)
{
	u64 n = 0;

	for (u32 i = 0; i < BLOCK_BUCKETS; i++)
		n += sum->hist[stage][i];
	return n;
}

void block_put__device(const struct block_put *p, const struct block_sum *sum)
{
	const struct block_key *k = &sum->key;
	struct bpf_scope_entry e = {sum->tgid,	 sum->tid,     sum->cpu,
				    sum->cgroup, sum->last_ns, sum->comm};
	struct io_sample out = {
		.head.type = SAMPLE_IO,
		.op = (enum io_op)MIN(k->op, BLOCK_OPS - 1),
		.flags = k->flags % IO_FLAGS,
		.count = block_put__count(sum),
		.bytes = sum->bytes,
		.random = placed(sum, BLOCK_RANDOM),
		.sequential = placed(sum, BLOCK_SEQUENTIAL),
	};
	u32 sizes[BLOCK_SIZES] = {0};

	/* The kernel has judged all but names, for which rows are kept apart. */
	if (k->name && !bpf_scope__passes(p->scope, &e))
		return;
	name_device(p, &out.device, k);
	for (u32 i = 0; i < BLOCK_PLACES * BLOCK_SIZES; i++)
		sizes[i % BLOCK_SIZES] += sum->sizes[i / BLOCK_SIZES][i % BLOCK_SIZES];
	out.sizes = sizes;
	for (u32 i = 0; i < IO_STAGES; i++) {
		out.ns[i] = sum->ns[i];
		out.known[i] = known(sum, i);
		out.max_ns[i] = sum->max_ns[i];
		out.hist[i] = sum->hist[i];
	}
	sink__put(p->sink, &out.head);
}

/* Of what nobody does the file is not known. */
static struct io_who who_of(const struct block_put *p, const struct block_proc_key *k, u32 tid,
			    bool kthread, const char *comm)
{
	struct io_who w = {
		.op = (enum io_op)MIN(k->dev.op, BLOCK_OPS - 1),
		.flags = k->dev.flags % IO_FLAGS,
		.tgid = k->tgid,
		.tid = tid,
		.kthread = kthread && k->writeback != BLOCK_WRITEBACK_DIRTIED,
		.writeback = k->writeback,
		.cgroup = k->cgroup,
		.inode = k->inode,
	};

	name_device(p, &w.device, &k->dev);
	copy_str(w.comm, sizeof(w.comm), comm);
	return w;
}

/* The kernel has judged all but names. */
static bool passes(const struct block_put *p, const struct block_proc_key *k, u32 tid, u32 cpu,
		   u64 t_ns, const char *comm)
{
	struct bpf_scope_entry e = {k->tgid, tid, cpu, k->cgroup, t_ns, comm};

	return !k->dev.name || bpf_scope__passes(p->scope, &e);
}

void block_put__proc(const struct block_put *p, const struct block_proc_sum *sum)
{
	struct io_proc_sample out = {
		.head.type = SAMPLE_IO_PROC,
		.count = sum->count,
		.bytes = sum->bytes,
		.known = sum->count - MIN(sum->unknown, sum->count),
		.ns = sum->ns,
		.max_ns = sum->max_ns,
	};

	if (!passes(p, &sum->key, sum->tid, sum->cpu, sum->last_ns, sum->comm))
		return;
	out.who = who_of(p, &sum->key, sum->tid, sum->kthread, sum->comm);
	copy_str(out.who.file, sizeof(out.who.file), sum->file);
	sink__put(p->sink, &out.head);
}

void block_put__stack(const struct block_put *p, const struct block_slow_record *r)
{
	struct io_stack_sample out = {
		.head.type = SAMPLE_IO_STACK,
		.weight = r->weight,
		.bytes = r->bytes,
		.total_ns = r->total_ns,
		.stack = r->stack,
	};

	if (!passes(p, &r->key, r->tid, r->cpu, r->t_ns, r->comm))
		return;
	out.who = who_of(p, &r->key, r->tid, r->kthread, r->comm);
	sink__put(p->sink, &out.head);
}

void block_put__slow(const struct block_put *p, const struct block_slow_record *r)
{
	struct io_slow_sample out = {
		.head.type = SAMPLE_IO_SLOW,
		.t_ns = r->t_ns,
		.total_ns = r->total_ns,
		.queued_ns = r->queued_ns,
		.device_ns = r->device_ns,
		.sector = r->sector,
		.bytes = r->bytes,
		.stack = r->stack,
	};

	if (!passes(p, &r->key, r->tid, r->cpu, r->t_ns, r->comm))
		return;
	out.who = who_of(p, &r->key, r->tid, r->kthread, r->comm);
	copy_str(out.who.file, sizeof(out.who.file), r->file);
	sink__put(p->sink, &out.head);
}

void block_put__present(const struct block_put *p)
{
	for (u32 i = 0; i < p->devices->n; i++) {
		const struct block_device_entry *e = &p->devices->items[i];
		struct io_device_sample out = {.head.type = SAMPLE_IO_DEVICE,
					       .device = {.dev = e->dev, .disk = e->dev},
					       .in_flight = e->in_flight};

		if (!e->present)
			continue;
		copy_str(out.device.name, sizeof(out.device.name), e->name);
		copy_str(out.device.disk_name, sizeof(out.device.disk_name), e->name);
		sink__put(p->sink, &out.head);
	}
}
