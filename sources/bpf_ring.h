/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records that programs send through a ring buffer. They are taken over first and handed out
 * later, so that what other sources tell in between is known by then. Collector thread only.
 */
#ifndef SOURCES_BPF_RING_H
#define SOURCES_BPF_RING_H

#include "base/status.h"
#include "samples/sample.h"

struct bpf_ring;

/* 0, or -errno with st set; map_fd is borrowed. */
int bpf_ring__new(struct bpf_ring **out, int map_fd, struct status *st);
void bpf_ring__free(struct bpf_ring *r); /* NULL is fine */
int bpf_ring__fd(const struct bpf_ring *r);
/* Takes what waits in the kernel over. */
void bpf_ring__fetch(struct bpf_ring *r);
bool bpf_ring__empty(const struct bpf_ring *r);
/* The same without forgetting them. */
void bpf_ring__each(struct bpf_ring *r, void (*each)(void *ctx, const void *data, size_t size),
		    void *ctx);
/* Hands out what was taken over, in order; records are 8-aligned and at least 4 bytes. */
void bpf_ring__drain(struct bpf_ring *r, void (*each)(void *ctx, const void *data, size_t size),
		     void *ctx);

/* A record of type RECORD_STACK (bpf/stack.h) as SAMPLE_STACK_DEF; false: it is broken. */
bool bpf_ring__put_stack(const void *data, size_t size, const struct sample_sink *sink);
/* A record of type RECORD_UNWIND (bpf/unwind.h) as SAMPLE_UNWIND. */
void bpf_ring__put_unwind(const void *data, size_t size, const struct sample_sink *sink);

#endif
