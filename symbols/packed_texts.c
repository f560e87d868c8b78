// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/packed_texts.h"

#include <zstd.h>

#include "base/arena.h"

#define PACK_LEVEL 3

struct packed_texts {
	u32 npieces, open; /* open: which piece is, UINT32_MAX none */
	u32 *ends;	   /* of each piece, in packed */
	char *packed;
	char piece[PACKED_PIECE + 1]; /* with a NUL at its end, whatever it has */
};

static size_t begin_of(const struct packed_texts *p, u32 i)
{
	return i ? p->ends[i - 1] : 0;
}

struct packed_texts *packed_texts__new(const char *texts, size_t n)
{
	struct packed_texts *p = xcalloc(1, sizeof(*p));
	size_t used = 0, cap = ZSTD_compressBound(n) + n / 16 + 256, done;

	p->open = UINT32_MAX;
	p->ends = xcalloc(n / PACKED_PIECE + 1, sizeof(*p->ends));
	p->packed = xmalloc(cap);
	for (size_t at = 0; at < n; at += PACKED_PIECE) {
		done = ZSTD_compress(p->packed + used, cap - used, texts + at, MIN(n - at, (size_t)PACKED_PIECE), PACK_LEVEL);
		if (ZSTD_isError(done)) {
			packed_texts__free(p);
			return NULL;
		}
		used += done;
		p->ends[p->npieces++] = (u32)used;
	}
	p->packed = xrealloc(p->packed, used);
	return p;
}

void packed_texts__free(struct packed_texts *p)
{
	if (!p)
		return;
	free(p->ends);
	free(p->packed);
	free(p);
}

static bool open_piece(struct packed_texts *p, u32 i)
{
	size_t from = begin_of(p, i), n;

	if (p->open == i)
		return true;
	n = ZSTD_decompress(p->piece, PACKED_PIECE, p->packed + from, p->ends[i] - from);
	p->open = ZSTD_isError(n) ? UINT32_MAX : i;
	return p->open == i;
}

const char *packed_texts__at(struct packed_texts *p, size_t at)
{
	u32 i = (u32)(at / PACKED_PIECE);

	return i < p->npieces && open_piece(p, i) ? p->piece + at % PACKED_PIECE : "";
}

size_t packed_texts__bytes(const struct packed_texts *p)
{
	return sizeof(*p) + p->npieces * sizeof(*p->ends) + (p->npieces ? p->ends[p->npieces - 1] : 0);
}
