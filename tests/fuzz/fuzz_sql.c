/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Queries of anybody: the first byte says whose. A statement is no longer than its query, has no
 * literal digits at its begin, and is the same when it is made where the query was.
 */
#include <assert.h>
#include <string.h>

#include "measures/sql_text.h"
#include "tests/fuzz/fuzz.h"

#define ROOM 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[ROOM], out[ROOM];
	enum sql_dialect dialect;
	bool folded;

	if (!size || size >= ROOM)
		return 0;
	dialect = data[0] & 1 ? SQL_MARIADB : SQL_POSTGRESQL;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	sql_text__fold(dialect, text, false, out, sizeof(out));
	assert(strlen(out) <= strlen(text));
	folded = strcmp(out, text);
	assert(!(out[0] >= '0' && out[0] <= '9'));
	sql_text__fold(dialect, text, false, text, sizeof(text));
	assert(!strcmp(text, out));
	sql_text__fold(dialect, text, true, out, size);
	assert(strlen(out) < size);
	return fuzz__through(folded);
}
