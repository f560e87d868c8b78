// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "symbols/code.h"
#include "symbols/go_table.h"

struct functions {
	const struct code *c;
	struct symtab_builder *b;
};

static void add_function(void *ctx, u64 start, u64 size, u32 name)
{
	const struct functions *f = ctx;

	if (code__exec_end(f->c, start) != start)
		symtab_builder__add(f->b, start, size, NAME_GO, name, RANK_GLOBAL);
}

static void add_named(const struct go_table *t, struct code *c, struct symtab_builder *b)
{
	u64 size;

	go_table__names(t, &c->strings[NAME_GO].offset, &size, &b->names[NAME_GO].data);
	c->strings[NAME_GO].size = b->names[NAME_GO].size = size;
	go_table__each(t, add_function, &(struct functions){c, b});
}

u32 go__add(Elf *elf, struct code *c, struct symtab_builder *b, bool named)
{
	struct go_table *t = go_table__open(elf, &b->budget, false);
	u32 before = b->n;

	if (!t)
		return 0;
	go_table__range(t, &c->go_start, &c->go_end);
	if (named)
		add_named(t, c, b);
	go_table__close(t);
	if (b->n == before)
		return 0;
	c->has_dwarf = true;
	snprintf(c->source, sizeof(c->source), "gopclntab");
	return b->n - before;
}
