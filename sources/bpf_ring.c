// SPDX-License-Identifier: GPL-2.0-only
#include "sources/bpf_ring.h"

#include <bpf/libbpf.h>
#include <errno.h>

#include "base/arena.h"
#include "bpf/stack.h"
#include "bpf/unwind.h"
#include "samples/unwind.h"
#include "sources/bpf_util.h"

#define KEEP (256 * 1024) /* bytes of the buffer kept from drain to drain */

struct bpf_ring {
	struct ring_buffer *ring;
	char *data; /* records, each after its size */
	size_t len, cap;
};

/* Records are padded to multiples of 8 bytes, so they stay aligned. */
static int on_record(void *ctx, void *data, size_t size)
{
	struct bpf_ring *r = ctx;
	u64 head = (size + 7) & ~7ULL;
	size_t need = r->len + sizeof(head) + head;

	if (size < sizeof(u32))
		return 0;
	if (need > r->cap) {
		r->cap = MAX(need, r->cap * 2);
		r->data = xrealloc(r->data, r->cap);
	}
	memcpy(r->data + r->len, &head, sizeof(head));
	memcpy(r->data + r->len + sizeof(head), data, size);
	r->len = need;
	return 0;
}

int bpf_ring__new(struct bpf_ring **out, int map_fd, struct status *st)
{
	struct bpf_ring *r = xcalloc(1, sizeof(*r));

	r->ring = ring_buffer__new(map_fd, on_record, r, NULL);
	if (!r->ring) {
		free(r);
		return bpf_util__failed(-errno, "BPF ring buffer", st);
	}
	*out = r;
	return 0;
}

void bpf_ring__free(struct bpf_ring *r)
{
	if (!r)
		return;
	ring_buffer__free(r->ring);
	free(r->data);
	free(r);
}

int bpf_ring__fd(const struct bpf_ring *r)
{
	return ring_buffer__epoll_fd(r->ring);
}

void bpf_ring__fetch(struct bpf_ring *r)
{
	ring_buffer__consume(r->ring);
}

bool bpf_ring__empty(const struct bpf_ring *r)
{
	return !r->len;
}

void bpf_ring__each(struct bpf_ring *r, void (*each)(void *ctx, const void *data, size_t size),
		    void *ctx)
{
	for (size_t at = 0; at < r->len;) {
		u64 size = *(const u64 *)(r->data + at);

		each(ctx, r->data + at + sizeof(size), size);
		at += sizeof(size) + size;
	}
}

void bpf_ring__drain(struct bpf_ring *r, void (*each)(void *ctx, const void *data, size_t size),
		     void *ctx)
{
	bpf_ring__each(r, each, ctx);
	r->len = 0;
	/* A burst's memory is not kept for good. */
	if (r->cap > KEEP) {
		free(r->data);
		r->data = NULL;
		r->cap = 0;
	}
}

bool bpf_ring__put_stack(const void *data, size_t size, const struct sample_sink *sink)
{
	const struct stack_record *r = data;
	struct stack_def def = {.head.type = SAMPLE_STACK_DEF};

	if (size < offsetof(struct stack_record, ips) ||
	    size < offsetof(struct stack_record, ips) + (r->nkernel + r->nuser) * sizeof(u64))
		return false;
	def.hash = r->hash;
	def.nkernel = r->nkernel;
	def.nuser = r->nuser;
	def.cut = r->nkernel == STACK_DEPTH || r->nuser == STACK_DEPTH;
	def.whole = r->flags & STACK_RECORD_WHOLE;
	def.interrupt = r->flags & STACK_RECORD_INTERRUPT;
	def.tgid = r->tgid;
	def.t_ns = r->t_ns;
	def.ips = (const u64 *)r->ips;
	sink__put(sink, &def.head);
	return true;
}

void bpf_ring__put_unwind(const void *data, size_t size, const struct sample_sink *sink)
{
	const struct unwind_record *r = data;
	struct unwind_sample s = {.head.type = SAMPLE_UNWIND};

	if (size < sizeof(*r))
		return;
	s.tgid = r->tgid;
	s.exec_id = r->exec_id;
	s.ip = r->ip;
	s.t_ns = r->t_ns;
	s.file = r->file.ino ? &r->file : NULL;
	sink__put(sink, &s.head);
}
