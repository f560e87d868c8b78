/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What /proc says of a process, whose name and arguments are what it chose itself. The first byte
 * says which text it is.
 */
#include <stdio.h>

#include "scope/proclist.h"
#include "symbols/perfmap.h"
#include "tests/fuzz/fuzz.h"

/* As pickers show it: nothing in it moves a cursor. */
static void check_line(const char *s)
{
	for (; *s; s++)
		if ((u8)*s < ' ' || *s == 0x7f)
			abort();
}

/* buf holds n bytes and a NUL. */
static bool stat_of(char *buf, size_t n)
{
	struct proc_item p = {0};
	bool kernel;

	if (!proclist__parse_stat(buf, &p, &kernel))
		return false;
	if (p.comm <= buf || p.comm > buf + n)
		abort();
	check_line(p.comm);
	return true;
}

static bool arguments(char *buf, size_t n)
{
	proclist__parse_cmdline(buf, n);
	if (strlen(buf) > n)
		abort();
	check_line(buf);
	return *buf;
}

static bool status(char *buf, size_t n)
{
	struct perfmap_owner o = {0};
	FILE *f = fmemopen(buf, n, "r");

	if (!f)
		die("no file in memory");
	perfmap_owner__read(&o, f);
	fclose(f);
	return o.known && o.nspid;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool (*const parsers[])(char *buf, size_t n) = {stat_of, arguments, status};
	bool right;
	char *buf;

	if (size < 2)
		return 0;
	buf = fuzz__string(data + 1, size - 1);
	right = parsers[data[0] % ARRAY_SIZE(parsers)](buf, size - 1);
	free(buf);
	return fuzz__through(right);
}
