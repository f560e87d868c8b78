// SPDX-License-Identifier: GPL-2.0-only
#include "sources/perf_record.h"

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

static void take_chain(struct cursor *c, struct perf_record *r)
{
	u64 n = take64(c);

	if (n > (u64)(c->end - c->p) / sizeof(u64)) {
		c->bad = true;
		return;
	}
	r->chain = (const u64 *)c->p;
	r->nchain = (u32)n;
	c->p += n * sizeof(u64);
}

static void decode_sample(struct cursor *c, struct perf_record *r, u64 fields, u16 misc)
{
	r->kernel = (misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	if (fields & PERF_SAMPLE_IP)
		r->ip = take64(c);
	if (fields & PERF_SAMPLE_TID) {
		r->pid = take32(c);
		r->tid = take32(c);
	}
	if (fields & PERF_SAMPLE_TIME)
		r->t_ns = take64(c);
	if (fields & PERF_SAMPLE_CPU) {
		r->cpu = take32(c);
		take32(c);
	}
	if (fields & PERF_SAMPLE_PERIOD)
		r->period = take64(c);
	if (fields & PERF_SAMPLE_CALLCHAIN)
		take_chain(c, r);
	if (fields & PERF_SAMPLE_CGROUP)
		r->cgroup = take64(c);
}

/* What sample_id_all appends: cut off the end, so that the text before it is bounded. */
static void decode_trailer(struct cursor *c, struct perf_record *r, u64 fields)
{
	bool task = fields & PERF_SAMPLE_TID, time = fields & PERF_SAMPLE_TIME;
	bool cpu = fields & PERF_SAMPLE_CPU;
	size_t size = (size_t)(task + time + cpu) * 8;
	struct cursor t = {c->end - size, c->end, false};

	if ((size_t)(c->end - c->p) < size) {
		c->bad = true;
		return;
	}
	c->end = t.p;
	if (task) {
		r->pid = take32(&t);
		r->tid = take32(&t);
	}
	if (time)
		r->t_ns = take64(&t);
	if (cpu)
		r->cpu = take32(&t);
}

static void take_task(struct cursor *c, struct perf_record *r)
{
	r->pid = take32(c);
	r->tid = take32(c);
}

static void decode_mmap2(struct cursor *c, struct perf_record *r, u16 misc)
{
	take_task(c, r);
	r->start = take64(c);
	r->len = take64(c);
	r->offset = take64(c);
	if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		take64(c), take64(c), take64(c);
	} else {
		r->dev_major = take32(c);
		r->dev_minor = take32(c);
		r->inode = take64(c);
		take64(c);
	}
	r->executable = take32(c) & PROT_EXEC;
	take32(c);
	r->text = take_text(c);
	if (r->len > UINT64_MAX - r->start)
		c->bad = true;
}

static void decode_task(struct cursor *c, struct perf_record *r)
{
	r->pid = take32(c);
	r->ppid = take32(c);
	r->tid = take32(c);
	r->ptid = take32(c);
	r->t_ns = take64(c);
}

static int decode_other(struct cursor *c, struct perf_record *r, u16 misc)
{
	switch (r->type) {
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

int perf_record__decode(struct perf_record *r, const struct perf_event_header *h, size_t avail,
			u64 sample_type)
{
	struct cursor c;
	int err = 0;

	*r = (struct perf_record){0};
	if (avail < sizeof(*h) || h->size < sizeof(*h) || h->size > avail)
		return -EINVAL;
	r->type = h->type;
	c = (struct cursor){(const u8 *)(h + 1), (const u8 *)h + h->size, false};
	if (h->type == PERF_RECORD_SAMPLE) {
		decode_sample(&c, r, sample_type, h->misc);
	} else {
		decode_trailer(&c, r, sample_type);
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
