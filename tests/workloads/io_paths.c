/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: "io_paths" reads a device (second argument) past the page cache, over and over in the same
 * order: three times 4 KiB in reads_small, once 64 KiB in reads_large. So 75 % of the requests and
 * 15.8 % of the bytes are of reads_small. What takes one request in so many by counting sees one
 * path alone. Third argument: microseconds of sleep after each round.
 */
#include <fcntl.h>

#include "work.h"

#define SMALL (4UL << 10)
#define LARGE (64UL << 10)
#define SPAN  (16UL << 20) /* of the device that is read */

struct path {
	uint64_t requests, bytes, ns;
};

static void *room;

static NOINLINE long reads_small(int fd, uint64_t at)
{
	long got = pread(fd, room, SMALL, (off_t)at);

	burn(1); /* no tail call */
	return got;
}

static NOINLINE long reads_large(int fd, uint64_t at)
{
	long got = pread(fd, room, LARGE, (off_t)at);

	burn(1);
	return got;
}

static void add(struct path *p, long got, uint64_t began)
{
	if (got <= 0) {
		perror("io_paths");
		_exit(1);
	}
	p->requests++;
	p->bytes += (uint64_t)got;
	p->ns += wall_ns() - began;
}

int main(int argc, char **argv)
{
	double seconds = work__begin(argc, argv, 10);
	uint64_t end = wall_ns() + (uint64_t)(seconds * SECOND);
	struct path small = {0}, large = {0};
	int fd = argc > 2 ? open(argv[2], O_RDONLY | O_DIRECT) : -1;
	unsigned pause = argc > 3 ? (unsigned)atoi(argv[3]) : 0;

	room = aligned_alloc(4096, LARGE);
	if (fd < 0) {
		perror("io_paths");
		return 1;
	}
	work__ready();
	for (uint64_t at = 0; wall_ns() < end; at = (at + LARGE) % SPAN) {
		for (int i = 0; i < 3; i++) {
			uint64_t began = wall_ns();

			add(&small, reads_small(fd, at), began);
		}
		uint64_t began = wall_ns();

		add(&large, reads_large(fd, at), began);
		if (pause)
			usleep(pause);
	}
	printf("{\"small\": [%llu, %llu, %llu], \"large\": [%llu, %llu, %llu]}\n",
	       (unsigned long long)small.requests, (unsigned long long)small.bytes,
	       (unsigned long long)small.ns, (unsigned long long)large.requests,
	       (unsigned long long)large.bytes, (unsigned long long)large.ns);
	return 0;
}
