/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Unwind tables of a hostile ELF file, from its file and from memory: whatever it says, rows come
 * in order, within the bounds, and every address has one row or none; in pages, as the programs in
 * the kernel have them, the same ones are found.
 */
#include <unistd.h>

#include "symbols/unwind_pages.h"
#include "symbols/unwind_table.h"
#include "tests/fuzz/fuzz.h"
#include "tests/lib/unwind_sink.h"

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

static void check_pages(const struct unwind_table *t)
{
	struct unwind_pages *p;
	u32 root, depth;

	if (t->nrows > SINK_PAGES / 2 * UNWIND_PAGE_ENTRIES)
		return; /* of what was packed */
	kept.max_pages = SINK_PAGES;
	p = unwind_pages__new(&kept_sink, SINK_PAGES * sizeof(struct unwind_page));
	if (unwind_pages__put(p, 1, t->rows, t->nrows, &root, &depth))
		__builtin_trap();
	for (u32 i = 0; i < t->nrows; i++) {
		struct unwind_row row = kept__row(root, depth, t->rows[i].pc);

		if (memcmp(&row, &t->rows[i], sizeof(row)))
			__builtin_trap();
	}
	unwind_pages__free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = fuzz__file(data, size);
	struct unwind_table t;
	struct status st;
	bool read = !unwind_table__read(fd, "", "/nowhere/fuzz", &t, &st);

	if (read) {
		check(&t);
		check_pages(&t);
	} else if (t.rows || !st.msg[0]) {
		__builtin_trap();
	}
	unwind_table__free(&t);
	close(fd);
	if (!unwind_table__read_memory(data, size, &t, NULL))
		check(&t);
	unwind_table__free(&t);
	return fuzz__through(read);
}
