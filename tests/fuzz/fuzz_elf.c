/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions of a hostile ELF file: .symtab, .dynsym, PLT, .eh_frame, MiniDebugInfo. */
#include <unistd.h>

#include "symbols/code.h"
#include "tests/fuzz/fuzz.h"

static u32 none(void *ctx, const struct code *c)
{
	return 0;
}

static void use(struct code *c)
{
	u64 vaddr = 0, offset = 0;

	for (u64 at = 0; at < 0x2000; at += 61) {
		code__vaddr(c, at, &vaddr);
		code__offset(c, at, &offset);
		symtab__find(&c->tab, vaddr, &(struct symbol){0});
	}
	symtab__find(&c->tab, UINT64_MAX, &(struct symbol){0});
	code__exec_end(c, 0x1000);
	code__fini(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct code_origin origin = {.path = "/nowhere/fuzz", .root = ""};
	int fd = fuzz__file(data, size);
	struct code c = {0};
	u32 funcs;

	code__load_elf(&c, fd, &origin, none, NULL);
	funcs = c.tab.n;
	use(&c);
	close(fd);
	return fuzz__through(funcs);
}
