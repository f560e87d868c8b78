// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf.data, into a recording that is read to its end. Few changes of a whole file would hit its
 * records: an input that does not begin like one is the records alone, behind a byte that says
 * which fields they have, and gets its head here.
 */
#include <stdio.h>
#include <unistd.h>

#include "recording/import.h"
#include "recording/reader.h"
#include "tests/fuzz/fuzz.h"
#include "tests/lib/perf_builder.h"

#define CHAIN                                                                                      \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)
#define DUMP (CHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)
#define ALL                                                                                        \
	(DUMP | PERF_SAMPLE_READ | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK |                    \
	 PERF_SAMPLE_WEIGHT | PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_CGROUP)

#define ACCESSES                                                                                   \
	((CHAIN & ~(u64)PERF_SAMPLE_CALLCHAIN) | PERF_SAMPLE_ADDR | PERF_SAMPLE_BRANCH_STACK |      \
	 PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC)

#define SYMBOLS_FOR 500 /* inputs: its tables only grow */

static struct symbols *symbols;
static u32 inputs;

static void make_file(struct bytes *file, const u8 *data, size_t size)
{
	static const u64 fields[] = {CHAIN, DUMP, ALL, PERF_SAMPLE_IP | PERF_SAMPLE_TID, ACCESSES};
	struct perf_builder m;

	perf_builder__begin(&m, fields[data[0] % ARRAY_SIZE(fields)]);
	m.attr.sample_regs_user = 0xff0fff;
	m.attr.sample_regs_intr = 3;
	m.attr.read_format = data[0] >> 3;
	m.attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK;
	bytes__put(&m.data, data + 1, size - 1);
	perf_builder__finish(&m, "x86_64", file);
}

/* Whether there is an interval. */
static bool read_all(struct reader *r)
{
	struct record_interval iv;
	bool any = false;

	while (reader__next(r, &iv))
		any = true;
	reader__free(r);
	return any;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes file = {0};
	struct status st = {0};
	struct reader *r;
	bool any = false;
	char path[32];
	int fd;

	if (!size)
		return 0;
	if (inputs++ % SYMBOLS_FOR == 0) {
		symbols__free(symbols);
		symbols = symbols__new(&st);
	}
	if (size >= 8 && (!memcmp(data, "PERFILE2", 8) || !memcmp(data, "2ELIFREP", 8)))
		bytes__put(&file, data, size);
	else
		make_file(&file, data, size);
	fd = fuzz__file(file.v, file.n);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	r = import__open(path, symbols, "", &st);
	if (r)
		any = read_all(r);
	else if (!st.msg[0])
		abort();
	bytes__free(&file);
	close(fd);
	return fuzz__through(any);
}
