/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Resolves the addresses (hex, as in the ELF file) on standard input in one file, mapped as
 * a running program would have it: symbols_bench FILE [inlined]. Prints the functions (with
 * `inlined`, innermost first, separated by blanks) and, on stderr, the seconds from the first
 * question to the last answer, the opening of the file included.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "symbols/symbols.h"

#define MAX_ADDRESSES 200000
#define MAX_CHAIN     16

struct text {
	u64 vaddr, size, offset;
	u8 *at;
};

/* Maps the first executable segment. */
static bool text__map(struct text *t, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr eh;
	Elf64_Phdr ph;

	if (fd < 0 || pread(fd, &eh, sizeof(eh), 0) != sizeof(eh))
		return false;
	for (u32 i = 0; i < eh.e_phnum; i++) {
		if (pread(fd, &ph, sizeof(ph), (off_t)(eh.e_phoff + i * sizeof(ph))) != sizeof(ph))
			return false;
		if (ph.p_type != PT_LOAD || !(ph.p_flags & PF_X))
			continue;
		*t = (struct text){.vaddr = ph.p_vaddr & ~4095ULL,
				   .offset = ph.p_offset & ~4095ULL};
		t->size = ph.p_filesz + (ph.p_vaddr & 4095);
		t->at = mmap(NULL, t->size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd,
			     (off_t)t->offset);
		return t->at != MAP_FAILED;
	}
	return false;
}

static u32 read_addresses(u64 *out)
{
	u32 n = 0;
	unsigned long a;

	while (n < MAX_ADDRESSES && scanf("%lx", &a) == 1)
		out[n++] = a;
	return n;
}

static void print_one(struct symbols *s, u32 loc, bool inlined)
{
	u32 funcs[MAX_CHAIN];
	int n = inlined ? symbols__inlined(s, loc, funcs, MAX_CHAIN) : 0;

	for (int i = 0; i < n; i++)
		printf("%s ", symbols__func(s, funcs[i])->linkage);
	puts(symbols__func(s, symbols__func_of(s, loc))->linkage);
}

/* Asks for every chain, waits, and asks again until all are there. */
static void settle_inlined(struct symbols *s, const u32 *locs, u32 n)
{
	u32 funcs[MAX_CHAIN], missing;

	do {
		missing = 0;
		for (u32 i = 0; i < n; i++)
			missing += symbols__inlined(s, locs[i], funcs, MAX_CHAIN) < 0;
		symbols__kick(s);
		symbols__wait(s, 60000);
	} while (missing);
}

int main(int argc, char **argv)
{
	u64 *addresses = xcalloc(MAX_ADDRESSES, sizeof(*addresses)), start;
	u32 *locs = xcalloc(MAX_ADDRESSES, sizeof(*locs)), n;
	bool inlined = argc > 2;
	struct symbols *s;
	struct status st;
	struct text t;

	if (argc < 2 || !text__map(&t, argv[1])) {
		fprintf(stderr, "usage: symbols_bench FILE [inlined] <ADDRESSES\n");
		return 2;
	}
	n = read_addresses(addresses);
	s = symbols__new(&st);
	start = clock__monotonic_ns();
	for (u32 i = 0; i < n; i++)
		locs[i] = symbols__locate_user(s, (u32)getpid(), start,
					       (u64)(uintptr_t)t.at + addresses[i] - t.vaddr);
	symbols__kick(s);
	symbols__wait(s, 60000);
	if (inlined)
		settle_inlined(s, locs, n);
	fprintf(stderr, "%.6f\n", (double)(clock__monotonic_ns() - start) / 1e9);
	for (u32 i = 0; i < n; i++)
		print_one(s, locs[i], inlined);
	symbols__free(s);
	return 0;
}
