/* SPDX-License-Identifier: GPL-2.0-only */
/* Recorded input about block I/O. */
#include <stdio.h>

#include "base/arena.h"
#include "bpf/block.h"
#include "samples/block.h"
#include "tests/lib/fixture_impl.h"

#define NAME_MAX_LEN 64
#define DEVICES_MAX  32

struct io_record {
	enum sample_type type;
	union {
		struct io_device_sample device;
		struct io_slow_sample slow;
		struct io_sample io;
	};
	struct io_proc_sample proc; /* with io */
	char *frames;
	struct fixture_stack stack;
	u32 hists[IO_STAGES][BLOCK_BUCKETS], sizes[IO_SIZES];
	double ago_ms;
};

static u64 us(double n)
{
	return (u64)(n * 1e3);
}

/* A number for each name, in the order in which they come. */
static u32 dev_of(const char *name)
{
	static char names[DEVICES_MAX][IO_NAME_LEN];
	static u32 n;

	for (u32 i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return i + 1;
	if (n == DEVICES_MAX)
		return n;
	copy_str(names[n++], IO_NAME_LEN, name);
	return n;
}

/* "vda", or "vda1/vda": a partition and its disk */
static struct io_device device_of(char *text)
{
	char *disk = strchr(text, '/');
	struct io_device d = {0};

	if (disk)
		*disk++ = '\0';
	else
		disk = text;
	copy_str(d.disk_name, sizeof(d.disk_name), disk);
	copy_str(d.name, sizeof(d.name), text);
	d.disk = dev_of(disk);
	d.dev = dev_of(text);
	return d;
}

/* "write", "write+sync+meta" */
static bool parse_op(char *text, enum io_op *op, u32 *flags)
{
	static const char *const ops[] = {"read", "write", "flush", "discard"};
	static const char *const names[] = {"sync", "meta", "other"};
	char *save = NULL, *word = strtok_r(text, "+", &save);
	u32 i;

	for (i = 0; i < IO_OPS && strcmp(ops[i], word) != 0; i++)
		;
	*op = (enum io_op)i;
	for (word = strtok_r(NULL, "+", &save); word; word = strtok_r(NULL, "+", &save))
		for (u32 bit = 0; bit < ARRAY_SIZE(names); bit++)
			*flags |= strcmp(names[bit], word) ? 0 : 1u << bit;
	return i < IO_OPS;
}

static void add_time(struct io_record *r, enum io_stage stage, u32 n, const char *text)
{
	u64 ns = us(strtod(text, NULL));

	if (*text == '-')
		return;
	r->io.known[stage] += n;
	r->io.ns[stage] += n * ns;
	r->io.max_ns[stage] = MAX(r->io.max_ns[stage], ns);
	r->hists[stage][block__bucket(ns)] += n;
}

/* "30x4096:120:20:100": so many of so many bytes, microseconds in all, queued and in the device */
static bool parse_requests(struct io_record *r, const char *word)
{
	char total[24], queued[24], device[24];
	u32 n, bytes, at = 0;

	if (sscanf(word, "%ux%u:%23[0-9.-]:%23[0-9.-]:%23[0-9.-]", &n, &bytes, total, queued,
		   device) != 5)
		return false;
	while (at < IO_SIZES - 1 && 512u << at < bytes)
		at++;
	r->sizes[at] += n;
	r->io.count += n;
	r->io.bytes += (u64)n * bytes;
	add_time(r, IO_TOTAL, n, total);
	add_time(r, IO_QUEUED, n, queued);
	add_time(r, IO_DEVICE, n, device);
	return true;
}

static bool parse_word(struct io_record *r, const char *word)
{
	unsigned long long n;

	if (sscanf(word, "random=%llu", &n) == 1)
		r->io.random = n;
	else if (sscanf(word, "sequential=%llu", &n) == 1)
		r->io.sequential = n;
	else if (!strcmp(word, "writeback"))
		r->proc.who.writeback = true;
	else if (!strcmp(word, "kthread"))
		r->proc.who.kthread = true;
	else
		return parse_requests(r, word);
	return true;
}

static bool parse_words(struct io_record *r, char *text)
{
	char *save = NULL;

	for (char *w = strtok_r(text, " \n", &save); w; w = strtok_r(NULL, " \n", &save))
		if (!parse_word(r, w))
			return false;
	return true;
}

static void fill_proc(struct io_record *r)
{
	r->proc.head.type = SAMPLE_IO_PROC;
	r->proc.who.device = r->io.device;
	r->proc.who.op = r->io.op;
	r->proc.who.flags = r->io.flags;
	r->proc.who.tid = r->proc.who.tgid;
	r->proc.count = r->io.count;
	r->proc.bytes = r->io.bytes;
	r->proc.known = r->io.known[IO_TOTAL];
	r->proc.ns = r->io.ns[IO_TOTAL];
	r->proc.max_ns = r->io.max_ns[IO_TOTAL];
}

static bool parse_io(struct io_record *r, const char *text)
{
	char device[2 * IO_NAME_LEN], op[32], comm[NAME_MAX_LEN], file[IO_FILE_LEN], rest[1024];
	unsigned long long cgroup, inode;

	if (sscanf(text, "io %63s %31s %63s %u %llu %llu %39s %1023[^\n]", device, op, comm,
		   &r->proc.who.tgid, &cgroup, &inode, file, rest) != 8)
		return false;
	r->type = SAMPLE_IO;
	r->io = (struct io_sample){.head.type = SAMPLE_IO,
				   .device = device_of(device),
				   .sizes = r->sizes,
				   .hist = {r->hists[0], r->hists[1], r->hists[2]}};
	if (!parse_op(op, &r->io.op, &r->io.flags) || !parse_words(r, rest))
		return false;
	r->proc.who.cgroup = cgroup;
	r->proc.who.inode = inode;
	copy_str(r->proc.who.comm, sizeof(r->proc.who.comm), fixture__unescape(comm));
	copy_str(r->proc.who.file, sizeof(r->proc.who.file),
		 strcmp(file, "-") ? fixture__unescape(file) : "");
	fill_proc(r);
	return true;
}

static bool parse_slow(struct io_record *r, const char *text)
{
	char device[2 * IO_NAME_LEN], op[32], comm[NAME_MAX_LEN], file[IO_FILE_LEN], frames[4096];
	double total, queued, in_device;
	unsigned long long sector;
	u32 pid, bytes;

	if (sscanf(text, "slow %63s %31s %63s %u %lf %lf %lf %lf %llu %u %39s %4095[^\n]", device,
		   op, comm, &pid, &r->ago_ms, &total, &queued, &in_device, &sector, &bytes, file,
		   frames) != 12)
		return false;
	r->type = SAMPLE_IO_SLOW;
	r->slow = (struct io_slow_sample){.head.type = SAMPLE_IO_SLOW,
					  .who = {.device = device_of(device), .tgid = pid, .tid = pid},
					  .total_ns = us(total),
					  .queued_ns = us(queued),
					  .device_ns = us(in_device),
					  .sector = sector,
					  .bytes = bytes};
	copy_str(r->slow.who.comm, sizeof(r->slow.who.comm), fixture__unescape(comm));
	copy_str(r->slow.who.file, sizeof(r->slow.who.file),
		 strcmp(file, "-") ? fixture__unescape(file) : "");
	r->frames = xstrdup(strcmp(frames, "-") ? frames : "");
	return parse_op(op, &r->slow.who.op, &r->slow.who.flags);
}

static bool parse_device(struct io_record *r, const char *text)
{
	char device[2 * IO_NAME_LEN];
	unsigned long long n;

	if (sscanf(text, "disk %63s %llu", device, &n) != 2)
		return false;
	r->type = SAMPLE_IO_DEVICE;
	r->device = (struct io_device_sample){
		.head.type = SAMPLE_IO_DEVICE, .device = device_of(device), .in_flight = n};
	return true;
}

struct io_record *io_record__parse(const char *text)
{
	struct io_record *r = xcalloc(1, sizeof(*r));

	if (parse_io(r, text) || parse_slow(r, text) || parse_device(r, text))
		return r;
	free(r);
	return NULL;
}

void io_record__begin(struct io_record *r, struct symbols *symbols)
{
	if (!r->frames)
		return;
	fixture_stack__fill(&r->stack, symbols, r->frames);
	r->stack.def.ips = r->stack.ips;
	r->stack.def.tgid = r->slow.who.tgid;
	r->slow.stack = r->stack.def.hash;
}

/* A slow request is one that was sampled, too. */
static void put_stack(const struct io_slow_sample *slow, const struct sample_sink *sink)
{
	const struct io_stack_sample s = {.head.type = SAMPLE_IO_STACK,
					  .who = slow->who,
					  .weight = 1,
					  .bytes = slow->bytes,
					  .total_ns = slow->total_ns,
					  .stack = slow->stack};

	sink__put(sink, &s.head);
}

void io_record__put(struct io_record *r, u64 now_ns, const struct sample_sink *sink)
{
	if (r->stack.def.hash)
		sink__put(sink, &r->stack.def.head);
	if (r->type == SAMPLE_IO_SLOW)
		put_stack(&r->slow, sink);
	if (r->type == SAMPLE_IO_SLOW)
		r->slow.t_ns = now_ns - us(1000 * r->ago_ms);
	sink__put(sink, &r->io.head);
	if (r->type == SAMPLE_IO)
		sink__put(sink, &r->proc.head);
}
