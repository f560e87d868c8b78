/* SPDX-License-Identifier: GPL-2.0-only */
/* Where MariaDB counts the rows of a statement. Pure but for reading the file; any thread. */
#ifndef SOURCES_MARIADB_ROWS_H
#define SOURCES_MARIADB_ROWS_H

#include "base/base.h"

/* Offsets in its THD, a connection; 0: not known. */
struct mariadb_rows {
	u32 sent;    /* u64: returned */
	u32 changed; /* s64: inserted, updated or deleted, as ROW_COUNT() has it; -1: it returns some */
};

/* Of the server's program. */
struct mariadb_rows mariadb_rows__find(const char *path);
/* The offset in the code of THD::inc_sent_row_count(), and in that of Item_func_row_count::val_int(). */
u32 mariadb_rows__sent(const u8 *code, u32 n);
u32 mariadb_rows__changed(const u8 *code, u32 n);

#endif
