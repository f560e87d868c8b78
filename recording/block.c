// SPDX-License-Identifier: GPL-2.0-only
#include "recording/block.h"

#include <zstd.h>

/* Level 3 packs a minute of samples in milliseconds. */
#define PACK_LEVEL 3

struct packer {
	ZSTD_DCtx *in;
};

struct packer *packer__new(void)
{
	struct packer *p = xcalloc(1, sizeof(*p));

	p->in = ZSTD_createDCtx();
	if (!p->in)
		die("out of memory for packing a recording");
	return p;
}

void packer__free(struct packer *p)
{
	if (!p)
		return;
	ZSTD_freeDCtx(p->in);
	free(p);
}

void block__write_header(const struct block *b, u8 *at)
{
	put_u32(at, BLOCK_MAGIC);
	at[4] = (u8)b->kind;
	at[5] = (u8)b->flags;
	at[6] = at[7] = 0;
	put_u32(at + 8, b->part);
	put_u32(at + 12, b->stored);
	put_u32(at + 16, b->raw);
	put_u32(at + 20, b->crc);
	put_u64(at + 24, b->t1_ns);
	put_u32(at + 32, b->intervals);
	put_u64(at + 36, b->models);
	put_u32(at + 44, crc32c(at, 44));
}

int packer__add(struct packer *p, struct block *b, const struct bytes *payload, struct bytes *out)
{
	size_t header = out->n, bound = ZSTD_compressBound(payload->n), n;

	if (payload->n > BLOCK_RAW_MAX)
		return -E2BIG;
	bytes__add(out, BLOCK_HEADER);
	bytes__add(out, bound);
	/* What it works in is a megabyte, and blocks are seconds apart: it is not kept. */
	n = ZSTD_compress(out->v + header + BLOCK_HEADER, bound, payload->v, payload->n, PACK_LEVEL);
	if (ZSTD_isError(n))
		return -EIO;
	out->n = header + BLOCK_HEADER + n;
	b->flags |= BLOCK_PACKED;
	b->stored = (u32)n;
	b->raw = (u32)payload->n;
	b->crc = crc32c(out->v + header + BLOCK_HEADER, n);
	block__write_header(b, out->v + header);
	return 0;
}

bool block__read_header(struct block *b, const u8 *at)
{
	if (get_u32(at) != BLOCK_MAGIC || get_u32(at + 44) != crc32c(at, 44))
		return false;
	*b = (struct block){
		.kind = at[4],
		.flags = at[5],
		.part = get_u32(at + 8),
		.stored = get_u32(at + 12),
		.raw = get_u32(at + 16),
		.crc = get_u32(at + 20),
		.t1_ns = get_u64(at + 24),
		.intervals = get_u32(at + 32),
		.models = get_u64(at + 36),
	};
	return b->kind == BLOCK_HOLE ||
	       (b->stored <= BLOCK_STORED_MAX && b->raw <= BLOCK_RAW_MAX);
}

bool packer__unpack(struct packer *p, const struct block *b, const u8 *stored, u8 *to)
{
	size_t n;

	if (crc32c(stored, b->stored) != b->crc)
		return false;
	if (b->flags & BLOCK_PACKED) {
		n = ZSTD_decompressDCtx(p->in, to, b->raw, stored, b->stored);
		return !ZSTD_isError(n) && n == b->raw;
	}
	if (b->stored != b->raw)
		return false;
	memcpy(to, stored, b->stored);
	return true;
}
