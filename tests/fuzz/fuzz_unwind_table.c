/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Unwind tables of a hostile ELF file, from its file and from memory: whatever it says, rows come
 * in order, within the bounds, and every address has one row or none.
 */
#include <unistd.h>

#include "symbols/unwind_table.h"
#include "tests/fuzz/fuzz.h"

static void check(const struct unwind_table *t)
{
	if (!t->nrows || t->nrows > UNWIND_MAX_ROWS || t->ranges > UNWIND_MAX_RANGES)
		__builtin_trap();
	for (u32 i = 1; i < t->nrows; i++)
		if (t->rows[i - 1].pc >= t->rows[i].pc)
			__builtin_trap();
	if (t->rows[t->nrows - 1].rule != UNWIND_CFA_NONE || t->odd_bytes > t->code_bytes)
		__builtin_trap();
	for (u32 i = 0; i < t->nrows; i++)
		if (unwind_table__find(t, t->base + t->rows[i].pc) != &t->rows[i])
			__builtin_trap();
	unwind_table__find(t, UINT64_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = fuzz__file(data, size);
	struct unwind_table t;
	struct status st;

	if (!unwind_table__read(fd, "", "/nowhere/fuzz", &t, &st))
		check(&t);
	else if (t.rows || !st.msg[0])
		__builtin_trap();
	unwind_table__free(&t);
	close(fd);
	if (!unwind_table__read_memory(data, size, &t, NULL))
		check(&t);
	unwind_table__free(&t);
	return 0;
}
