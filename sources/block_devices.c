// SPDX-License-Identifier: GPL-2.0-only
#include "sources/block_devices.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bisect.h"
#include "base/file.h"

#define MINOR_BITS 20
#define TEXT_MAX   (4u << 20)

void block_devices__fini(struct block_devices *d)
{
	free(d->items);
	*d = (struct block_devices){0};
}

/* The first that is not below. */
static u32 place_of(const struct block_devices *d, u32 dev)
{
	u32 at;

	BISECT(at, 0, d->n, i, d->items[i].dev < dev);
	return at;
}

static struct block_device_entry *entry_of(struct block_devices *d, u32 dev)
{
	u32 at = place_of(d, dev);

	if (at < d->n && d->items[at].dev == dev)
		return &d->items[at];
	if (d->n >= BLOCK_DEVICES_MAX)
		return NULL;
	d->items = xgrow(d->items, d->n, &d->cap, sizeof(*d->items));
	memmove(&d->items[at + 1], &d->items[at], (d->n - at) * sizeof(*d->items));
	d->items[at] = (struct block_device_entry){.dev = dev, .before = UINT64_MAX};
	d->n++;
	return &d->items[at];
}

/* The name may hold anything but blanks; what a terminal would obey is not kept. */
static void take_name(struct block_device_entry *e, const char *name)
{
	copy_str(e->name, sizeof(e->name), name);
	for (char *c = e->name; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
}

/* After major, minor and name: reads, merged, sectors, ms, the same of writes, in flight, two
 * times, the same four of discards, then flushes. Older kernels end earlier. */
enum { READS = 0, WRITES = 4, IN_FLIGHT = 8, DISCARDS = 11, FLUSHES = 15, FIELDS };

static void parse_fields(struct block_device_entry *e, const char *text)
{
	unsigned long long v[FIELDS] = {0};
	char *end;

	for (u32 i = 0; i < FIELDS; i++) {
		v[i] = strtoull(text, &end, 10);
		if (end == text)
			break;
		text = end;
	}
	e->done = v[READS] + v[WRITES] + v[DISCARDS] + v[FLUSHES];
	/* Some kernels let it go below 0 for a moment. */
	e->in_flight = v[IN_FLIGHT] > UINT32_MAX ? 0 : v[IN_FLIGHT];
}

static void parse_line(struct block_devices *d, const char *line)
{
	struct block_device_entry *e;
	unsigned int major, minor;
	char name[128];
	int at = 0;

	if (sscanf(line, " %u %u %127s%n", &major, &minor, name, &at) != 3 || major >= 1u << 12 ||
	    minor >= 1u << MINOR_BITS)
		return;
	e = entry_of(d, major << MINOR_BITS | minor);
	if (!e)
		return;
	take_name(e, name);
	parse_fields(e, line + at);
	e->quiet = e->done == e->before && !e->in_flight;
	e->present = true;
}

void block_devices__parse(struct block_devices *d, const char *text)
{
	for (u32 i = 0; i < d->n; i++) {
		d->items[i].present = false;
		d->items[i].before = d->items[i].done;
		d->items[i].was_quiet = d->items[i].quiet;
		d->items[i].quiet = false;
		d->items[i].in_flight = 0;
	}
	while (*text) {
		const char *end = strchrnul(text, '\n');
		char line[512];

		copy_str(line, MIN(sizeof(line), (size_t)(end - text) + 1), text);
		parse_line(d, line);
		text = *end ? end + 1 : end;
	}
}

int block_devices__read(struct block_devices *d)
{
	int fd = open("/proc/diskstats", O_RDONLY | O_CLOEXEC);
	size_t len = 0, cap = 0;
	char *text = NULL;
	ssize_t n = 1;

	if (fd < 0)
		return -errno;
	while (n > 0 && len < TEXT_MAX) {
		if (cap - len < 4096) {
			cap = cap * 2 + 16384;
			text = xrealloc(text, cap);
		}
		n = read(fd, text + len, cap - len - 1);
		if (n > 0)
			len += (size_t)n;
	}
	close(fd);
	text[len] = '\0';
	block_devices__parse(d, text);
	free(text);
	return 0;
}

const struct block_device_entry *block_devices__find(const struct block_devices *d, u32 dev)
{
	u32 at = place_of(d, dev);

	return at < d->n && d->items[at].dev == dev ? &d->items[at] : NULL;
}

void block_devices__name(const struct block_devices *d, u32 dev, char out[IO_NAME_LEN])
{
	const struct block_device_entry *e = block_devices__find(d, dev);

	if (e)
		copy_str(out, IO_NAME_LEN, e->name);
	else
		snprintf(out, IO_NAME_LEN, "%u:%u", dev >> MINOR_BITS,
			 dev & ((1u << MINOR_BITS) - 1));
}

static bool has(const struct block_device_entry *e, const char *what)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/%s", e->dev >> MINOR_BITS,
		 e->dev & ((1u << MINOR_BITS) - 1), what);
	return access(path, F_OK) == 0;
}

static bool has_size(const struct block_device_entry *e)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/size", e->dev >> MINOR_BITS,
		 e->dev & ((1u << MINOR_BITS) - 1));
	return file__number(path, 0) != 0;
}

bool block_devices__have_bio_based(const struct block_devices *d)
{
	for (u32 i = 0; i < d->n; i++) {
		const struct block_device_entry *e = &d->items[i];

		if (e->present && !has(e, "mq") && !has(e, "partition") && has_size(e))
			return true;
	}
	return false;
}
