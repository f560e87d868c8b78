// SPDX-License-Identifier: GPL-2.0-only
#include <gelf.h>
#include <lzma.h>

#include "base/arena.h"
#include "symbols/code.h"
#include "symbols/elf.h"

#define UNPACKED_MAX (64u << 20)
#define DECODER_MAX  (128u << 20) /* memory of the decoder: a dictionary of 64 MiB and more */

/* Unpacks into a buffer that grows up to UNPACKED_MAX; NULL when that fails. */
static char *unpack(const Elf_Data *d, size_t *size)
{
	lzma_stream z = LZMA_STREAM_INIT;
	size_t cap = MIN(d->d_size * 4 + 4096, (size_t)UNPACKED_MAX);
	lzma_ret ret;
	char *buf;

	if (lzma_stream_decoder(&z, DECODER_MAX, 0) != LZMA_OK)
		return NULL;
	buf = xmalloc(cap);
	z.next_in = d->d_buf;
	z.avail_in = d->d_size;
	do {
		if (z.total_out == cap && cap < UNPACKED_MAX)
			buf = xrealloc(buf, cap = MIN(cap * 2, (size_t)UNPACKED_MAX));
		z.next_out = (u8 *)buf + z.total_out;
		z.avail_out = cap - z.total_out;
		ret = lzma_code(&z, LZMA_FINISH);
	} while (ret == LZMA_OK && z.total_out < UNPACKED_MAX);
	*size = z.total_out;
	lzma_end(&z);
	if (ret == LZMA_STREAM_END)
		return buf;
	free(buf);
	return NULL;
}

u32 minidebug__add(Elf *elf, const struct code *c, struct symtab_builder *b)
{
	Elf_Data *d = elf__bytes(elf__section(elf, ".gnu_debugdata", SHT_PROGBITS), &b->budget);
	size_t size;
	char *image;
	Elf *inner;
	u32 n = 0;

	if (!d || !(image = unpack(d, &size)))
		return 0;
	inner = elf__sane_image(image, size) ? elf_memory(image, size) : NULL;
	if (inner && elf_kind(inner) == ELF_K_ELF && elf__bounded(inner))
		n = elf__add_symbols(inner, SHT_SYMTAB, NAME_POOL, 0, c, b);
	if (inner)
		elf_end(inner);
	free(image);
	return n;
}
