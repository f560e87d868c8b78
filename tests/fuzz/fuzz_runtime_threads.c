/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What CPython and HotSpot keep of their threads, and CPython of their frames, in a process's memory, which is whatever that process makes of it.
 * The first byte says which runtime of which version it is, the rest is the memory, from BASE on. Reads of it are
 * bounded, and names end.
 */
#include "symbols/hotspot.h"
#include "symbols/python.h"
#include "tests/fuzz/fuzz.h"

#define BASE  0x10000u /* so that references of four bytes reach it */
#define SIZE  0x4000u
#define MOST  1024
#define NAMED 4	    /* of a list the first ones alone: all are read alike */
#define READS 40000 /* of them all: a list of 4,096 states, and names of NAMED */
#include "tests/lib/made_up_memory.h"

enum { PYTHONS = 5, MACHINES = 2 };

/* As python__attach() has them, in little. */
static struct python a_python(u32 minor)
{
	static const u8 hows[] = {SCRIPT_OBJECTS, SCRIPT_OBJECTS, SCRIPT_ENTRIES, SCRIPT_SHIMS, SCRIPT_SHIMS_DIRECT};

	return (struct python){.minor = minor,
			       .code_qualname = minor >= 11 ? 32 : 0,
			       .ascii_size = minor >= 12 ? 40 : 48,
			       .text_size = minor >= 12 ? 56 : 72,
			       .rt = {.how = hows[minor - 9],
				      .interpreters = BASE,
				      .interp_threads = 8,
				      .interp_next = 16,
				      .thread_next = 8,
				      .thread_frame = 24,
				      .thread_id = 32,
				      .call_frame = 8,
				      .frame_bytes = 72,
				      .frame_previous = 8,
				      .frame_code = 16,
				      .frame_owner = 24,
				      .code_type = BASE,
				      .code_name = 24}};
}

/* What a thread that sleeps on the memory's upper half runs. */
static void python_stack(const struct python *p)
{
	static const u64 ips[] = {1, 2, 3, 4}, sps[] = {BASE + SIZE / 2, BASE + SIZE * 5 / 8, BASE + SIZE * 3 / 4,
							BASE + SIZE * 7 / 8};
	u64 out[SCRIPT_FRAMES];
	u32 n = python_stack__merge(p, &made_up, 1, &(struct native_stack){ips, sps, ARRAY_SIZE(ips)}, out,
				    ARRAY_SIZE(out));

	if (n > ARRAY_SIZE(out) || (n && SCRIPT_MARK(out[n - 1]) != SCRIPT_CHECK))
		abort();
}

static bool python(u32 minor)
{
	const struct python p = a_python(minor);
	static struct runtime_thread threads[MOST];
	u32 n = python_threads__list(&p, &made_up, threads, MOST);
	bool named = false;
	char name[64];

	python_stack(&p);
	if (n > MOST)
		abort();
	for (u32 i = 0; i < n && i < NAMED; i++) {
		if (!python_thread__name(&p, &made_up, threads[i].at, name, sizeof(name)))
			continue;
		if (!memchr(name, 0, sizeof(name)) || !*name)
			abort();
		named = true;
	}
	return named;
}

static bool hotspot(u32 version)
{
	const struct hotspot h = {
		.version = version,
		.threads = {.list = BASE, .length = 8, .threads = 16, .object = 8, .os = 16, .id = 8}};
	static const char comm[] = "fifteen-letters";
	static struct runtime_thread threads[MOST];
	u32 n = hotspot_threads__list(&h, &made_up, threads, MOST);
	bool named = false;
	char name[64];

	if (n > MOST)
		abort();
	for (u32 i = 0; i < n && i < NAMED; i++) {
		if (!hotspot_thread__name(&h, &made_up, threads[i].at, comm, name, sizeof(name)))
			continue;
		if (!memchr(name, 0, sizeof(name)) || strncmp(name, comm, strlen(comm)))
			abort();
		named = true;
	}
	return named;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	u32 which;
	bool named;

	if (!size)
		return 0;
	which = data[0] % (PYTHONS + MACHINES);
	memset(memory, 0, sizeof(memory));
	memcpy(memory, data + 1, MIN(size - 1, sizeof(memory)));
	reads = 0;
	named = which < PYTHONS ? python(9 + which) : hotspot(which == PYTHONS ? 11 : 21);
	if (reads > READS)
		abort();
	return fuzz__through(named);
}
