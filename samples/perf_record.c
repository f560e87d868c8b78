// SPDX-License-Identifier: GPL-2.0-only
#include "samples/perf_record.h"

#include <sys/mman.h>

/* Reads from `p` up to `end`; `bad` once something was missing. */
struct cursor {
	const u8 *p, *end;
	bool bad;
};

static u64 take(struct cursor *c, size_t size)
{
	u64 v = 0;

	if ((size_t)(c->end - c->p) < size) {
		c->bad = true;
		return 0;
	}
	memcpy(&v, c->p, size);
	c->p += size;
	return v;
}

static u32 take32(struct cursor *c)
{
	return (u32)take(c, 4);
}

static u64 take64(struct cursor *c)
{
	return take(c, 8);
}

/* A string padded to the end of what is left. */
static const char *take_text(struct cursor *c)
{
	const char *text = (const char *)c->p;

	if (!memchr(text, '\0', (size_t)(c->end - c->p)))
		c->bad = true;
	return text;
}

static void skip(struct cursor *c, u64 size)
{
	if ((u64)(c->end - c->p) < size)
		c->bad = true;
	else
		c->p += size;
}

/* Numbers of 8 bytes, n of them. */
static const u64 *take_array(struct cursor *c, u64 n)
{
	const u64 *at = (const u64 *)c->p;

	if (c->bad || n > (u64)(c->end - c->p) / sizeof(u64)) {
		c->bad = true;
		return NULL;
	}
	c->p += n * sizeof(u64);
	return at;
}

static void take_chain(struct cursor *c, struct perf_record *r)
{
	u64 n = take64(c);

	r->chain = take_array(c, n);
	r->nchain = r->chain ? (u32)n : 0;
}

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1u << 4)
#endif
#ifndef PERF_SAMPLE_BRANCH_COUNTERS
#define PERF_SAMPLE_BRANCH_COUNTERS (1u << 19)
#endif

static void take_read(struct cursor *c, struct perf_record *r, u64 format)
{
	u64 times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		    !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	u64 each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	u64 n = format & PERF_FORMAT_GROUP ? take64(c) : 1;

	const u8 *at;

	skip(c, times * 8);
	at = c->p;
	if (n > UINT16_MAX)
		c->bad = true;
	else
		skip(c, n * each * 8);
	if (c->bad || !(format & PERF_FORMAT_GROUP) || !(format & PERF_FORMAT_ID))
		return;
	r->reads = at;
	r->nreads = (u32)n;
	r->read_size = (u32)each * 8;
}

/* Counters of branches stand behind all of them. */
static void take_branches(struct cursor *c, struct perf_record *r, u64 type)
{
	u64 n = take64(c), size = sizeof(struct perf_branch_entry);

	if (type & PERF_SAMPLE_BRANCH_HW_INDEX)
		take64(c);
	r->branches = c->p;
	if (n > UINT16_MAX)
		c->bad = true;
	else
		skip(c, n * (size + (type & PERF_SAMPLE_BRANCH_COUNTERS ? 8 : 0)));
	r->nbranches = c->bad ? 0 : (u32)n;
}

static void take_regs(struct cursor *c, struct perf_record *r, u64 mask)
{
	r->regs_abi = take64(c);
	if (r->regs_abi)
		r->regs = take_array(c, (u64)__builtin_popcountll(mask));
}

/* The size of the dump, the dump, and how much of it is the stack. */
static void take_stack(struct cursor *c, struct perf_record *r)
{
	u64 size = take64(c), used;
	const u8 *at = c->p;

	if (!size || c->bad)
		return;
	skip(c, size);
	used = take64(c);
	if (c->bad)
		return;
	r->stack = at;
	r->nstack = MIN(used, size);
}

static void decode_head(struct cursor *c, struct perf_record *r, u64 fields)
{
	if (fields & PERF_SAMPLE_IDENTIFIER)
		r->id = take64(c);
	if (fields & PERF_SAMPLE_IP)
		r->ip = take64(c);
	if (fields & PERF_SAMPLE_TID) {
		r->pid = take32(c);
		r->tid = take32(c);
	}
	if (fields & PERF_SAMPLE_TIME)
		r->t_ns = take64(c);
	if (fields & PERF_SAMPLE_ADDR)
		r->addr = take64(c);
	if (fields & PERF_SAMPLE_ID)
		r->id = take64(c);
	if (fields & PERF_SAMPLE_STREAM_ID)
		take64(c);
	if (fields & PERF_SAMPLE_CPU) {
		r->cpu = take32(c);
		take32(c);
	}
	if (fields & PERF_SAMPLE_PERIOD)
		r->period = take64(c);
}

/* What is of variable size, up to the cgroup. */
static void decode_sample(struct cursor *c, struct perf_record *r, const struct perf_format *f,
			  u16 misc)
{
	const u64 fields = f->sample_type;

	r->kernel = (misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	decode_head(c, r, fields);
	if (fields & PERF_SAMPLE_READ)
		take_read(c, r, f->read_format);
	if (fields & PERF_SAMPLE_CALLCHAIN)
		take_chain(c, r);
	if (fields & PERF_SAMPLE_RAW)
		skip(c, take32(c));
	if (fields & PERF_SAMPLE_BRANCH_STACK)
		take_branches(c, r, f->branch_sample_type);
	if (fields & PERF_SAMPLE_REGS_USER)
		take_regs(c, r, f->regs_user);
	if (fields & PERF_SAMPLE_STACK_USER)
		take_stack(c, r);
	if (fields & PERF_SAMPLE_WEIGHT)
		r->latency = take64(c);
	else if (fields & PERF_SAMPLE_WEIGHT_STRUCT)
		r->latency = (u32)take64(c);
	if (fields & PERF_SAMPLE_DATA_SRC)
		r->data_src = take64(c);
	if (!(fields & PERF_SAMPLE_CGROUP))
		return;
	if (fields & PERF_SAMPLE_TRANSACTION)
		take64(c);
	if ((fields & PERF_SAMPLE_REGS_INTR) && take64(c))
		take_array(c, (u64)__builtin_popcountll(f->regs_intr));
	if (fields & PERF_SAMPLE_PHYS_ADDR)
		take64(c);
	r->cgroup = take64(c);
}

#define TRAILER_FIELDS                                                                             \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |             \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/* What sample_id_all appends: cut off the end, so that the text before it is bounded. */
static void decode_trailer(struct cursor *c, struct perf_record *r, u64 fields)
{
	size_t size = (size_t)__builtin_popcountll(fields & TRAILER_FIELDS) * 8;
	struct cursor t = {c->end - size, c->end, false};

	if ((size_t)(c->end - c->p) < size) {
		c->bad = true;
		return;
	}
	c->end = t.p;
	if (fields & PERF_SAMPLE_TID) {
		r->pid = take32(&t);
		r->tid = take32(&t);
	}
	if (fields & PERF_SAMPLE_TIME)
		r->t_ns = take64(&t);
	if (fields & PERF_SAMPLE_ID)
		r->id = take64(&t);
	if (fields & PERF_SAMPLE_STREAM_ID)
		take64(&t);
	if (fields & PERF_SAMPLE_CPU) {
		r->cpu = take32(&t);
		take32(&t);
	}
	if (fields & PERF_SAMPLE_IDENTIFIER)
		r->id = take64(&t);
}

static void take_task(struct cursor *c, struct perf_record *r)
{
	r->pid = take32(c);
	r->tid = take32(c);
}

static void take_range(struct cursor *c, struct perf_record *r)
{
	take_task(c, r);
	r->start = take64(c);
	r->len = take64(c);
	r->offset = take64(c);
	if (r->len > UINT64_MAX - r->start)
		c->bad = true;
}

#define BUILD_ID_ROOM 20

static void take_build_id(struct cursor *c, struct perf_record *r)
{
	r->nbuild_id = (u8)take32(c);
	r->build_id = c->p;
	skip(c, BUILD_ID_ROOM);
	if (r->nbuild_id > BUILD_ID_ROOM)
		c->bad = true;
}

static void decode_mmap2(struct cursor *c, struct perf_record *r, u16 misc)
{
	take_range(c, r);
	if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		take_build_id(c, r);
	} else {
		r->dev_major = take32(c);
		r->dev_minor = take32(c);
		r->inode = take64(c);
		r->generation = take64(c);
	}
	r->executable = take32(c) & PROT_EXEC;
	take32(c);
	r->text = take_text(c);
}

static void decode_mmap(struct cursor *c, struct perf_record *r, u16 misc)
{
	take_range(c, r);
	r->executable = !(misc & PERF_RECORD_MISC_MMAP_DATA);
	r->text = take_text(c);
}

static void decode_task(struct cursor *c, struct perf_record *r)
{
	r->pid = take32(c);
	r->ppid = take32(c);
	r->tid = take32(c);
	r->ptid = take32(c);
	r->t_ns = take64(c);
}

static void decode_ksymbol(struct cursor *c, struct perf_record *r)
{
	r->start = take64(c);
	r->len = take32(c);
	take(c, 2); /* of which kind */
	r->gone = take(c, 2) & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
	r->text = take_text(c);
}

static int decode_other(struct cursor *c, struct perf_record *r, u16 misc)
{
	switch (r->type) {
	case PERF_RECORD_MMAP:
		decode_mmap(c, r, misc);
		return 0;
	case PERF_RECORD_CGROUP:
		r->cgroup = take64(c);
		r->text = take_text(c);
		return 0;
	case PERF_RECORD_MMAP2:
		decode_mmap2(c, r, misc);
		return 0;
	case PERF_RECORD_COMM:
		take_task(c, r);
		r->exec = misc & PERF_RECORD_MISC_COMM_EXEC;
		r->text = take_text(c);
		return 0;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		decode_task(c, r);
		return 0;
	case PERF_RECORD_KSYMBOL:
		decode_ksymbol(c, r);
		return 0;
	case PERF_RECORD_LOST:
		take64(c);
		r->lost = take64(c);
		return 0;
	case PERF_RECORD_LOST_SAMPLES:
		r->lost = take64(c);
		return 0;
	default:
		return -ENOENT;
	}
}

int perf_record__decode_as(struct perf_record *r, const struct perf_event_header *h, size_t avail,
			   const struct perf_format *f)
{
	struct cursor c;
	int err = 0;

	*r = (struct perf_record){0};
	if (avail < sizeof(*h) || h->size < sizeof(*h) || h->size > avail)
		return -EINVAL;
	r->type = h->type;
	c = (struct cursor){(const u8 *)(h + 1), (const u8 *)h + h->size, false};
	if (h->type == PERF_RECORD_SAMPLE) {
		decode_sample(&c, r, f, h->misc);
	} else {
		if (f->trailers)
			decode_trailer(&c, r, f->sample_type);
		err = c.bad ? 0 : decode_other(&c, r, h->misc);
	}
	return c.bad ? -EINVAL : err;
}

static void leaf_only(const struct perf_record *r, u64 *ips, u16 *nkernel, u16 *nuser)
{
	ips[0] = r->ip;
	*nkernel = r->kernel;
	*nuser = !r->kernel;
}

/* Kernel frames come before user frames in a chain, so one pass does. */
void perf_record__frames(const struct perf_record *r, u64 *ips, u32 max, u16 *nkernel, u16 *nuser)
{
	u64 context = 0;
	u32 n = 0;

	*nkernel = *nuser = 0;
	if (!r->chain) {
		leaf_only(r, ips, nkernel, nuser);
		return;
	}
	for (u32 i = 0; i < r->nchain; i++) {
		u64 ip = r->chain[i];

		if (ip >= (u64)PERF_CONTEXT_MAX) {
			context = ip;
		} else if (context == (u64)PERF_CONTEXT_KERNEL && !*nuser && *nkernel < max) {
			ips[n++] = ip;
			(*nkernel)++;
		} else if (context == (u64)PERF_CONTEXT_USER && *nuser < max) {
			ips[n++] = ip;
			(*nuser)++;
		}
	}
}
