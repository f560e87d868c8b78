/* SPDX-License-Identifier: GPL-2.0-only */
#include <elf.h>

#include "base/arena.h"
#include "tests/fuzz/elf_mutator.h"

static bool section(const uint8_t *data, size_t size, unsigned int n, size_t *at, size_t *len)
{
	Elf64_Ehdr h;
	Elf64_Shdr sh;

	if (size < sizeof(h))
		return false;
	memcpy(&h, data, sizeof(h));
	if (!h.e_shnum || h.e_shentsize != sizeof(sh) || h.e_shoff > size ||
	    (size - h.e_shoff) / sizeof(sh) < h.e_shnum)
		return false;
	memcpy(&sh, data + h.e_shoff + (n % h.e_shnum) * sizeof(sh), sizeof(sh));
	if (sh.sh_type == SHT_NOBITS || !sh.sh_size || sh.sh_offset > size ||
	    sh.sh_size > size - sh.sh_offset)
		return false;
	*at = sh.sh_offset;
	*len = sh.sh_size;
	return true;
}

/* The section headers themselves, or all of the file's beginning. */
static void headers(const uint8_t *data, size_t size, size_t *at, size_t *len)
{
	Elf64_Ehdr h;

	*at = 0;
	*len = MIN(size, sizeof(h) + 8 * sizeof(Elf64_Phdr));
	if (size < sizeof(h))
		return;
	memcpy(&h, data, sizeof(h));
	if (h.e_shoff < size && (data[size / 2] & 1)) {
		*at = h.e_shoff;
		*len = MIN(size - *at, (size_t)h.e_shnum * sizeof(Elf64_Shdr));
	}
}

size_t elf__mutate(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	size_t at, len, n;
	uint8_t *copy;

	if (seed % 16 == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	if (seed % 16 == 1 || !section(data, size, seed / 16, &at, &len))
		headers(data, size, &at, &len);
	if (!len)
		return LLVMFuzzerMutate(data, size, max_size);
	/* A window of it: the fuzzer's own steps then hit fields, not only bytes far apart. */
	if (len > 64 && seed % 4) {
		at += (seed / 7) % (len - 64);
		len = 64;
	}
	copy = xmalloc(len);
	memcpy(copy, data + at, len);
	n = LLVMFuzzerMutate(copy, len, len);
	memcpy(data + at, copy, MIN(n, len));
	free(copy);
	return size;
}
