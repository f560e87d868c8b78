// SPDX-License-Identifier: GPL-2.0-only
#include "recording/perf_stream.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/caps.h"
#include "base/progress.h"

#define PERF_MAGIC_OTHER "2ELIFREP" /* of the other byte order */
#define PIPE_HEADER	 16
#define FILE_HEADER	 104
#define WINDOW		 (1u << 20)
#define PART_WINDOW	 (128u << 10) /* more than any record */
#define FEATURE_MAX	 (64u << 20)
#define UNPACKED_MIN	 (1ULL << 30) /* so much may be unpacked of any file */
#define UNPACKED_RATIO	 256

/* A part of the records, contiguous. */
struct window {
	u8 *v;
	size_t at, n, cap;
};

struct perf_stream {
	int fd;
	struct perf_meta *meta;
	u64 at, end,
		size; /* where the window's end is in the file; where records end; the file's */
	struct window raw, unpacked;
	ZSTD_DStream *zstd;
	ZSTD_inBuffer packed; /* what is left of a compressed record */
	bool more;	      /* the last output did not hold all there is */
	u64 total, limit;     /* bytes unpacked; the most there may be */
	u64 aligned[UINT16_MAX / 8 + 1];
	char trouble[160];
	/* Of a folder: the files of its threads, each a stream of records without a head. */
	struct perf_stream **parts;
	u32 nparts;
	bool is_folder, is_over;
};

/* --- the file --- */

static size_t read_up_to(const struct perf_stream *s, u64 at, void *to, size_t n)
{
	size_t got = 0;

	while (got < n) {
		ssize_t done = pread(s->fd, (u8 *)to + got, n - got, (off_t)(at + got));

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			break;
		got += (size_t)done;
	}
	return got;
}

static bool read_at(const struct perf_stream *s, u64 at, void *to, size_t n)
{
	return at <= s->size && n <= s->size - at && read_up_to(s, at, to, n) == n;
}

static void window__make_room(struct window *w)
{
	memmove(w->v, w->v + w->at, w->n - w->at);
	w->n -= w->at;
	w->at = 0;
}

/* So many bytes more are in the raw window; false: there are not. */
static bool fill(struct perf_stream *s, size_t n)
{
	struct window *w = &s->raw;
	size_t want;

	if (w->n - w->at >= n)
		return true;
	window__make_room(w);
	want = (size_t)MIN((u64)(w->cap - w->n), s->end - s->at);
	want = read_up_to(s, s->at, w->v + w->n, want);
	s->at += want;
	w->n += want;
	return w->n >= n;
}

static void stop(struct perf_stream *s, const char *why)
{
	if (!s->trouble[0])
		copy_str(s->trouble, sizeof(s->trouble), why);
	s->at = s->end = 0;
	s->raw.n = s->raw.at = 0;
	s->packed = (ZSTD_inBuffer){0};
	s->more = false;
}

/* What follows a record and is no record. */
static void skip(struct perf_stream *s, u64 n)
{
	size_t have = s->raw.n - s->raw.at;

	if (n <= have) {
		s->raw.at += n;
	} else if (n - have > s->end - s->at) {
		stop(s, "the file ends within a record");
	} else {
		s->at += n - have;
		s->raw.at = s->raw.n = 0;
	}
}

/* --- compressed records --- */

static void begin_unpacking(struct perf_stream *s, const u8 *from, size_t n)
{
	if (!s->zstd) {
		s->zstd = ZSTD_createDStream();
		s->unpacked.v = xmalloc(WINDOW);
		s->unpacked.cap = WINDOW;
	}
	s->packed = (ZSTD_inBuffer){from, n, 0};
	s->more = true;
}

static void unpack(struct perf_stream *s)
{
	struct window *w = &s->unpacked;
	ZSTD_outBuffer out;
	size_t err;

	window__make_room(w);
	out = (ZSTD_outBuffer){w->v + w->n, w->cap - w->n, 0};
	err = ZSTD_decompressStream(s->zstd, &out, &s->packed);
	if (ZSTD_isError(err)) {
		stop(s, "a compressed record is damaged: what follows it is left out");
		return;
	}
	w->n += out.pos;
	s->total += out.pos;
	s->more = out.pos && (out.pos == out.size || s->packed.pos < s->packed.size);
	if (s->total > s->limit)
		stop(s, "it unpacks to more than is believable: the rest is left out");
}

/* --- records --- */

/* The record at the window's beginning; NULL: it is not whole. */
static const struct perf_event_header *take(struct perf_stream *s, struct window *w)
{
	struct perf_event_header h;
	const u8 *at;

	if (w->n - w->at < sizeof(h))
		return NULL;
	at = w->v + w->at;
	memcpy(&h, at, sizeof(h));
	if (h.size < sizeof(h)) {
		w->at = w->n;
		stop(s, "a record is damaged: what follows it is left out");
		return NULL;
	}
	if (w->n - w->at < h.size)
		return NULL;
	w->at += h.size;
	if (!((uintptr_t)at % 8))
		return (const void *)at;
	memcpy(s->aligned, at, h.size);
	return (const void *)s->aligned;
}

static const struct perf_event_header *take_raw(struct perf_stream *s)
{
	struct perf_event_header h;

	if (!fill(s, sizeof(h))) {
		if (s->raw.n)
			stop(s, "the file ends within a record");
		return NULL;
	}
	memcpy(&h, s->raw.v + s->raw.at, sizeof(h));
	if (h.size >= sizeof(h) && !fill(s, h.size))
		stop(s, "the file ends within a record");
	return take(s, &s->raw);
}

/* Records about the file itself, and those with something behind them. True: it was one. */
static bool is_own(struct perf_stream *s, const struct perf_event_header *h)
{
	struct cursor c = {(const u8 *)(h + 1), (const u8 *)h + h->size, false};
	u64 n;

	switch ((enum perf_user_record)h->type) {
	case PERF_USER_ATTR:
		n = c.end - c.at >= 8 ? get_u32(c.at + 4) : 0;
		if (n >= PERF_ATTR_SIZE_VER0 && n <= (u64)(c.end - c.at))
			perf_meta__add_event(s->meta, c.at, n,
					     (struct cursor){c.at + n, c.end, false});
		return true;
	case PERF_USER_TRACING_DATA:
		n = cursor__u32(&c);
		skip(s, (n + 7) & ~7ULL);
		return true;
	case PERF_USER_AUXTRACE:
		skip(s, cursor__u64(&c));
		return true;
	case PERF_USER_BUILD_ID:
		c.at = (const u8 *)h;
		perf_meta__build_id_record(s->meta, c);
		return true;
	case PERF_USER_FEATURE:
		n = cursor__u64(&c);
		perf_meta__feature(s->meta, (u32)MIN(n, (u64)PERF_FEATURE_BITS), c);
		return true;
	case PERF_USER_UPDATE:
		perf_meta__update(s->meta, c);
		return true;
	case PERF_USER_COMPRESSED:
		begin_unpacking(s, c.at, (size_t)(c.end - c.at));
		return true;
	case PERF_USER_COMPRESSED2:
		n = cursor__u64(&c);
		begin_unpacking(s, c.at, (size_t)MIN(n, (u64)(c.end - c.at)));
		return true;
	default:
		return false;
	}
}

static const struct perf_event_header *next_of(struct perf_stream *s)
{
	const struct perf_event_header *h;

	for (;;) {
		h = take(s, &s->unpacked);
		if (!h && s->more) {
			unpack(s);
			continue;
		}
		if (!h)
			h = take_raw(s);
		if (!h || !is_own(s, h))
			return h;
	}
}

/* The one of which least was read: so all are read side by side, as they were written. */
static struct perf_stream *most_behind(struct perf_stream *s)
{
	struct perf_stream *found = NULL;
	double least = 2;

	for (u32 i = 0; i < s->nparts; i++) {
		struct perf_stream *part = s->parts[i];
		double done = (double)(part->at - (part->raw.n - part->raw.at)) / (double)MAX(part->size, 1u);

		if (part->is_over || done >= least)
			continue;
		least = done;
		found = part;
	}
	return found;
}

/* Rounds are of one file: of a folder they say nothing about the others. */
const struct perf_event_header *perf_stream__next(struct perf_stream *s)
{
	struct perf_stream *part = s->is_over ? most_behind(s) : s;

	if (!s->is_folder)
		return next_of(s);
	while (part) {
		const struct perf_event_header *h = next_of(part);

		if (h && h->type != PERF_USER_FINISHED_ROUND)
			return h;
		if (h)
			continue;
		part->is_over = true;
		if (!s->trouble[0])
			copy_str(s->trouble, sizeof(s->trouble), part->trouble);
		part = most_behind(s);
	}
	return NULL;
}

bool perf_stream__go_on(const struct perf_stream *s)
{
	u64 at = s->at, size = s->size;

	for (u32 i = 0; i < s->nparts; i++) {
		at += s->parts[i]->at;
		size += s->parts[i]->size;
	}
	return progress__go_on(at, size);
}

const char *perf_stream__trouble(const struct perf_stream *s)
{
	return s->trouble;
}

/* --- the header --- */

struct section {
	u64 at, size;
};

static struct section section_at(const u8 *p)
{
	return (struct section){get_u64(p), get_u64(p + 8)};
}

/* What is there of a section, for bytes__free; nothing when it is larger than max. */
static struct cursor read_section(const struct perf_stream *s, struct section where, u64 max,
				  struct bytes *b)
{
	*b = (struct bytes){0};
	if (!where.size || where.size > max || where.at > s->size ||
	    where.size > s->size - where.at ||
	    !read_at(s, where.at, bytes__add(b, where.size), where.size))
		return (struct cursor){0};
	return (struct cursor){b->v, b->v + b->n, false};
}

/* An attr of that size and where its ids are. */
static bool read_event(struct perf_stream *s, u64 at, u64 size)
{
	struct cursor ids;
	struct bytes b;
	u8 entry[512];
	bool ok;

	if (size <= 16 || size > sizeof(entry) || !read_at(s, at, entry, size))
		return false;
	ids = read_section(s, section_at(entry + size - 16), PERF_IDS_MAX * 8ULL, &b);
	ok = perf_meta__add_event(s->meta, entry, size - 16, ids);
	bytes__free(&b);
	return ok;
}

static void read_feature(struct perf_stream *s, u32 feature, struct section where)
{
	struct bytes b;
	struct cursor c = read_section(s, where, FEATURE_MAX, &b);

	if (b.n)
		perf_meta__feature(s->meta, feature, c);
	bytes__free(&b);
}

static void read_features(struct perf_stream *s, const u8 *bits, u64 at)
{
	u8 where[16];

	for (u32 i = 0; i < PERF_FEATURE_BITS; i++) {
		if (!(bits[i / 8] >> i % 8 & 1))
			continue;
		if (!read_at(s, at, where, sizeof(where)))
			return;
		if (i != PERF_FEATURE_TRACING_DATA)
			read_feature(s, i, section_at(where));
		at += sizeof(where);
	}
}

static int read_file_header(struct perf_stream *s, const u8 *header, const char *path,
			    struct status *st)
{
	u64 attr_size = get_u64(header + 16);
	struct section attrs = section_at(header + 24), data = section_at(header + 40);

	for (u64 i = 0; attr_size && i < attrs.size / attr_size; i++)
		if (!read_event(s, attrs.at + i * attr_size, attr_size))
			break;
	if (!s->meta->nevents || data.at > s->size)
		return status__set(st, EXIT_CODE_FAILURE, -EINVAL,
				   "%.200s: the head of this perf.data is damaged, nothing of it "
				   "can be read",
				   path);
	s->at = data.at;
	s->end = data.size ? data.at + MIN(data.size, s->size - data.at) : s->size;
	if (!data.size)
		copy_str(s->trouble, sizeof(s->trouble),
			 "perf record did not end in order: what was written by then is shown");
	else if (data.size > s->size - data.at)
		copy_str(s->trouble, sizeof(s->trouble), "the file is cut short");
	else
		read_features(s, header + 72, s->end);
	return 0;
}

static int read_header(struct perf_stream *s, const char *path, struct status *st)
{
	u8 header[FILE_HEADER];
	u64 size;

	if (!read_at(s, 0, header, PIPE_HEADER))
		return status__set(st, EXIT_CODE_FAILURE, -EINVAL, "%.200s ends within its head",
				   path);
	if (!memcmp(header, PERF_MAGIC_OTHER, PERF_MAGIC_LEN))
		return status__set(st, EXIT_CODE_UNSUPPORTED, -ENOTSUP,
				   "%.200s is of a machine with the other byte order: make folded "
				   "stacks of it there (perf script | stackcollapse-perf.pl)",
				   path);
	size = get_u64(header + 8);
	if (size == PIPE_HEADER) {
		s->at = PIPE_HEADER;
		s->end = s->size;
		return 0;
	}
	if (size != FILE_HEADER || !read_at(s, 0, header, sizeof(header)))
		return status__set(st, EXIT_CODE_FAILURE, -EINVAL,
				   "%.200s: the head of this perf.data is damaged or of an unknown "
				   "form, nothing of it can be read",
				   path);
	return read_file_header(s, header, path, st);
}

static struct perf_stream *new_stream(int fd, struct perf_meta *m, size_t window)
{
	struct perf_stream *s = xcalloc(1, sizeof(*s));
	struct stat sb;

	s->fd = fd;
	s->meta = m;
	s->size = fstat(fd, &sb) ? 0 : (u64)sb.st_size;
	s->limit = MAX(UNPACKED_MIN, s->size * UNPACKED_RATIO);
	s->raw.v = xmalloc(window);
	s->raw.cap = window;
	return s;
}

static int open_regular(const char *folder, const char *name)
{
	char path[PATH_MAX];
	struct stat sb;
	int fd;

	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
		return -1;
	fd = caps__open_for_caller(path);
	if (fd >= 0 && (fstat(fd, &sb) || !S_ISREG(sb.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

static void open_parts(struct perf_stream *s, const char *folder)
{
	char name[32];
	int fd;

	s->parts = xcalloc(PERF_PARTS_MAX, sizeof(*s->parts));
	for (; s->nparts < PERF_PARTS_MAX; s->nparts++) {
		struct perf_stream *part;

		snprintf(name, sizeof(name), "data.%u", s->nparts);
		fd = open_regular(folder, name);
		if (fd < 0)
			break;
		part = new_stream(fd, s->meta, PART_WINDOW);
		part->end = part->size;
		s->parts[s->nparts] = part;
	}
}

static struct perf_stream *open_folder(const char *path, struct perf_meta *m, struct status *st)
{
	int fd = open_regular(path, "data");
	struct perf_stream *s;

	if (fd < 0) {
		status__set(st, EXIT_CODE_USAGE, -EINVAL,
			    "%.200s is a folder without a file \"data\": not one of perf record --threads",
			    path);
		return NULL;
	}
	s = new_stream(fd, m, WINDOW);
	s->is_folder = true;
	open_parts(s, path);
	if (!read_header(s, path, st))
		return s;
	perf_stream__free(s);
	return NULL;
}

struct perf_stream *perf_stream__open(int fd, const char *path, struct perf_meta *m,
				      struct status *st)
{
	struct perf_stream *s;
	struct stat sb;

	if (!fstat(fd, &sb) && S_ISDIR(sb.st_mode))
		return open_folder(path, m, st);
	s = new_stream(fd, m, WINDOW);
	if (!read_header(s, path, st))
		return s;
	perf_stream__free(s);
	return NULL;
}

void perf_stream__free(struct perf_stream *s)
{
	if (!s)
		return;
	ZSTD_freeDStream(s->zstd);
	free(s->raw.v);
	free(s->unpacked.v);
	for (u32 i = 0; i < s->nparts; i++) {
		close(s->parts[i]->fd);
		perf_stream__free(s->parts[i]);
	}
	free(s->parts);
	if (s->is_folder)
		close(s->fd);
	free(s);
}
