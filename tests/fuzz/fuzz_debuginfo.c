/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines and inline chains of a hostile ELF file. */
#include <stdio.h>
#include <unistd.h>

#include "symbols/arguments.h"
#include "symbols/debuginfo.h"
#include "tests/fuzz/fuzz.h"

static bool look_up(struct debuginfo *d, u64 addr)
{
	struct inline_frame frames[8];
	const char *file;
	size_t sum = 0;
	bool known;
	u32 line;
	int n;

	known = debuginfo__line(d, addr, &file, &line);
	if (known)
		sum += strlen(file);
	n = debuginfo__inlined(d, addr, frames, ARRAY_SIZE(frames));
	for (int i = 0; i < n; i++)
		sum += strlen(frames[i].name);
	if (sum > 1u << 20)
		abort(); /* names have a bound */
	return known;
}

/* What functions take and give, and members of it. */
static void look_at_arguments(int fd, u64 addr, bool returns)
{
	char path[64], name[96], member[96];
	const struct field_resolver *r;
	struct arguments *a;
	struct field f, m;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	a = arguments__open_fd(fd, path, "", "fuzz", addr, returns);
	r = arguments__fields(a);
	for (u32 i = 0; i < 32 && r->name(r, i, name, sizeof(name)); i++) {
		if (r->field(r, name, &f) || !f.type.type_id)
			continue;
		for (u32 k = 0; k < 16 && r->types->name(r->types, f.type.type_id, k, member, sizeof(member));
		     k++)
			r->types->member(r->types, f.type.type_id, member, &m);
	}
	r->constant(r, "RED", &f);
	arguments__close(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = fuzz__file(data, size);
	struct debuginfo *d;
	bool known = false;
	char note[160];

	d = debuginfo__open(fd, "/nowhere/fuzz", "", note, sizeof(note));
	if (!d) {
		close(fd);
		return 0;
	}
	for (u64 addr = 0x1000; addr < 0x1200; addr += 16)
		look_at_arguments(fd, addr, addr & 16);
	close(fd);
	/* Where the seeds have their code. */
	for (u64 addr = 0x200; addr < 0x1400; addr += 23)
		known |= look_up(d, addr);
	look_up(d, UINT64_MAX);
	debuginfo__close(d);
	return fuzz__through(known);
}
