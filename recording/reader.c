// SPDX-License-Identifier: GPL-2.0-only
#include "recording/reader.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/caps.h"
#include "base/cgroup.h"
#include "base/hosts.h"
#include "base/progress.h"
#include "models/model.h"
#include "recording/block.h"

#define NOTES_MAX  64
#define NOTE_BYTES 2048
/* Names of one part, unpacked: more than tables that are full, each entry replaced once. */
#define NAMES_BYTES_MAX (512ULL << 20)
#define NO_PART		UINT32_MAX

struct note {
	char key[64], value[NOTE_BYTES];
};

/* Where an interval begins with a block. */
struct place {
	u64 at, part_at; /* the block; the first one of its part */
	u64 t1_ns;	 /* where the last interval that ends in it, or in those that go on with it,
			  * ended; 0 not known */
	u32 part;
};

/* Of a larger file, only some are known. */
#define PLACES_MAX 65536

struct reader {
	int fd;
	u64 size, at; /* of the file; where the next block begins */
	u64 whole;    /* size of the file when it was scanned */
	u64 first_block;
	struct place *places;
	u32 nplaces, stride, skipped; /* one of `stride` is kept */
	bool local;
	bool grows; /* it is a stream: what is there is not all of it */
	u32 part_base; /* what its parts are counted from */
	struct packer *packer;
	struct bytes stored, raw; /* of one block */
	struct note *notes;
	u32 nnotes, nmodels;
	u8 models[MODELS_MAX]; /* by position in the file: model_id, NO_MODEL */
	struct recording_summary sum;
	struct names_in *names;
	u32 part;
	struct codec codec;
	struct cursor rest;    /* of the block of samples that is being read */
	struct bytes joined;   /* pieces of an interval that spans blocks */
	struct cursor records; /* of the interval */
	bool gap;	       /* something before the next block is missing */
	bool joining;	       /* an interval has begun in blocks before */
	bool over;
	struct record_interval first;
	bool has_first;
	u32 damaged;
	char trouble[200];
};

/* --- blocks --- */

static bool read_at(const struct reader *r, u64 at, void *to, size_t n)
{
	u8 *p = to;

	if (at > r->size || n > r->size - at)
		return false;
	while (n) {
		ssize_t done = pread(r->fd, p, n, (off_t)at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		p += done;
		at += (u64)done;
		n -= (size_t)done;
	}
	return true;
}

/* The block that begins there, when it is whole; moves on to where the next one begins. */
static bool block_at(const struct reader *r, u64 *at, struct block *b, u64 *payload)
{
	u8 header[BLOCK_HEADER];

	if (!read_at(r, *at, header, sizeof(header)) || !block__read_header(b, header))
		return false;
	*payload = *at + BLOCK_HEADER;
	if (b->stored > r->size - *payload)
		return false;
	*at = *payload + b->stored;
	return true;
}

static void note_damage(struct reader *r)
{
	r->damaged++;
	snprintf(r->trouble, sizeof(r->trouble),
		 "%u block%s of the recording %s damaged and left out", r->damaged,
		 r->damaged == 1 ? "" : "s", r->damaged == 1 ? "is" : "are");
}

/* Its records, valid until the next block is loaded. */
static bool load(struct reader *r, const struct block *b, u64 payload, struct cursor *out)
{
	r->stored.n = r->raw.n = 0;
	if (!read_at(r, payload, bytes__add(&r->stored, b->stored), b->stored) ||
	    !packer__unpack(r->packer, b, r->stored.v, bytes__add(&r->raw, b->raw)))
		return false;
	*out = (struct cursor){r->raw.v, r->raw.v + b->raw, false};
	return true;
}

/* Without a word a view would be empty. */
static void note_later(struct reader *r)
{
	if (!*r->trouble)
		copy_str(r->trouble, sizeof(r->trouble),
			 "a newer proftop made this: samples of forms that this version does not know are left out");
}

/* --- the head --- */

static void read_note(struct reader *r, struct cursor *c)
{
	struct note *n;

	if (r->nnotes == NOTES_MAX)
		return;
	n = &r->notes[r->nnotes];
	cursor__text(c, n->key, sizeof(n->key));
	cursor__text(c, n->value, sizeof(n->value));
	if (!c->broken)
		r->nnotes++;
}

static void read_model_name(struct reader *r, struct cursor *c)
{
	char name[64];

	if (r->nmodels == MODELS_MAX)
		return;
	cursor__text(c, name, sizeof(name));
	for (u32 m = 0; m < MODEL_COUNT; m++)
		if (!strcmp(model_table[m]->name, name))
			r->models[r->nmodels] = (u8)m;
	r->nmodels++;
}

static bool read_head(struct reader *r)
{
	struct cursor all, record;
	struct block b;
	u64 payload;
	u32 type;

	memset(r->models, NO_MODEL, sizeof(r->models));
	if (!block_at(r, &r->at, &b, &payload) || b.kind != BLOCK_HEAD ||
	    !load(r, &b, payload, &all))
		return false;
	while (cursor__record(&all, &type, &record)) {
		if (type == RECORD_INFO)
			read_note(r, &record);
		else if (type == RECORD_MODEL)
			read_model_name(r, &record);
	}
	return true;
}

static void thin_out(struct reader *r)
{
	for (u32 i = 0; i < r->nplaces / 2; i++)
		r->places[i] = r->places[2 * i];
	r->nplaces /= 2;
	r->stride *= 2;
}

static void note_place(struct reader *r, const struct block *b, u64 at, u64 part_at)
{
	if (!(b->flags & BLOCK_CONTINUES)) {
		if (++r->skipped < r->stride)
			return;
		r->skipped = 0;
		if (r->nplaces == PLACES_MAX)
			thin_out(r);
		r->places[r->nplaces++] = (struct place){at, part_at, 0, b->part};
	}
	if (b->t1_ns && r->nplaces)
		r->places[r->nplaces - 1].t1_ns = b->t1_ns;
}

static void note_block(struct reader *r, const struct block *b)
{
	if (!b->intervals)
		return;
	r->sum.intervals += b->intervals;
	r->sum.end_ns = b->t1_ns;
	for (u32 i = 0; i < MODELS_MAX; i++)
		if ((b->models & 1ULL << i) && r->models[i] != NO_MODEL)
			r->sum.models |= 1ULL << r->models[i];
}

/* What is in the file, by the headers alone. */
static void scan(struct reader *r)
{
	u64 at = r->first_block, part_at = at, before = at, payload;
	u32 part = NO_PART;
	struct block b;

	r->size = r->whole;
	r->sum.intervals = r->nplaces = r->skipped = 0;
	r->stride = 1;
	if (!r->places)
		r->places = xmalloc(PLACES_MAX * sizeof(*r->places));
	for (; block_at(r, &at, &b, &payload); before = at) {
		if (!r->local && !progress__go_on(at, r->size))
			break;
		if (b.kind != BLOCK_NAMES && b.kind != BLOCK_SAMPLES)
			continue;
		part_at = b.part == part ? part_at : before;
		part = b.part;
		if (b.kind != BLOCK_SAMPLES)
			continue;
		note_block(r, &b);
		note_place(r, &b, before, part_at);
	}
	r->sum.bytes = at;
	/* What is being written to memory is not whole for a moment. */
	if (at < r->size && !r->local)
		snprintf(r->trouble, sizeof(r->trouble),
			 "the recording is cut off: its last %llu bytes are no whole block",
			 (unsigned long long)(r->size - at));
	r->size = at;
}

/* --- parts and intervals --- */

static void learn_cgroup(void *ctx, u64 id, const char *path)
{
	const struct reader *r = ctx;

	cgroup__learn(hosts__cgroup(r->codec.host, id), path);
}

static void learn_cgroups(struct reader *r)
{
	if (!r->local)
		names_in__cgroups(r->names, learn_cgroup, r);
}

static void take_names(struct reader *r, const struct block *b, u64 payload)
{
	struct cursor records;

	if (!load(r, b, payload, &records) || !names_in__read(r->names, records))
		note_damage(r);
	learn_cgroups(r);
}

/* All names from here to the part's end; of a stream they are taken as they come. */
static void load_names(struct reader *r, u32 part)
{
	u64 at = r->at, payload, bytes = 0;
	struct cursor records;
	struct block b;

	names_in__start(r->names, r->part_base + part);
	r->part = part;
	if (r->grows)
		return;
	while (block_at(r, &at, &b, &payload) && b.part == part && bytes < NAMES_BYTES_MAX) {
		if (b.kind != BLOCK_NAMES)
			continue;
		bytes += b.raw;
		if (!load(r, &b, payload, &records) || !names_in__read(r->names, records))
			note_damage(r);
	}
	learn_cgroups(r);
}

/* What came before a block of samples: pieces of its first interval, or not all of them. */
static void connect(struct reader *r, const struct block *b, bool lost)
{
	if (b->flags & BLOCK_CONTINUES) {
		r->gap |= lost || !r->joining;
		return;
	}
	r->joined.n = 0;
	r->joining = r->gap = false;
}

static bool next_block(struct reader *r)
{
	u64 payload, at = r->at;
	bool lost = false;
	struct block b;

	for (; block_at(r, &r->at, &b, &payload); at = r->at) {
		if (b.part != r->part) {
			r->at = at;
			load_names(r, b.part);
			r->at = payload + b.stored;
		}
		if (b.kind == BLOCK_NAMES && r->grows)
			take_names(r, &b, payload);
		if (b.kind != BLOCK_SAMPLES)
			continue;
		if (load(r, &b, payload, &r->rest)) {
			connect(r, &b, lost);
			return true;
		}
		note_damage(r);
		lost = true;
	}
	return false;
}

/* Up to the mark that ends the interval; false: the block ends first. */
static bool find_mark(struct reader *r, struct cursor *mark)
{
	const u8 *from = r->rest.at;
	u32 type;

	while (cursor__record(&r->rest, &type, mark)) {
		if (type != RECORD_INTERVAL)
			continue;
		r->records = (struct cursor){from, r->rest.at, false};
		return true;
	}
	if (r->rest.broken) {
		note_damage(r);
		r->gap = true;
	}
	bytes__put(&r->joined, from, (size_t)(r->rest.end - from));
	r->joining = true;
	return false;
}

static void join(struct reader *r)
{
	if (!r->joining)
		return;
	bytes__put(&r->joined, r->records.at, (size_t)(r->records.end - r->records.at));
	r->records = (struct cursor){r->joined.v, r->joined.v + r->joined.n, false};
}

static bool end(struct reader *r, const char *why)
{
	if (why)
		copy_str(r->trouble, sizeof(r->trouble), why);
	r->over = true;
	return false;
}

/* An interval of which something is missing is left out. */
static bool read_next(struct reader *r, struct record_interval *out)
{
	struct cursor mark;
	bool whole;

	for (;;) {
		if (!r->joining)
			r->joined.n = 0;
		if (r->joined.n > INTERVAL_RAW_MAX)
			return end(r, "an interval of the recording is too large: it ends there");
		if (r->rest.at == r->rest.end && !next_block(r))
			return r->grows ? false : end(r, NULL);
		if (!find_mark(r, &mark))
			continue;
		whole = !r->gap && mark__read(&r->codec, mark, r->models, out);
		join(r);
		r->joining = r->gap = false;
		if (whole)
			return true;
	}
}

/* Times of one of several recordings are those of the first. */
static void move_times(const struct reader *r, struct record_interval *iv)
{
	iv->t1_ns += r->codec.behind_ns;
	for (u32 m = 0; m < MODEL_COUNT; m++)
		iv->v[m].t0_ns += r->codec.behind_ns;
}

bool reader__next(struct reader *r, struct record_interval *out)
{
	bool first = r->has_first;

	r->has_first = false;
	if (first)
		*out = r->first;
	else if (r->over || !read_next(r, out))
		return false;
	move_times(r, out);
	return true;
}

/* --- seeking --- */

static void scan_again(struct reader *r)
{
	struct stat s;

	if (fstat(r->fd, &s) || (u64)s.st_size <= r->whole)
		return;
	r->whole = (u64)s.st_size;
	scan(r);
	r->part = NO_PART; /* there may be more names in it */
}

/* The last one before which all intervals ended by t. */
static const struct place *place_before(const struct reader *r, u64 t_ns)
{
	const struct place *p = r->places, *end = p + r->nplaces;

	while (p + 1 < end && p->t1_ns && p->t1_ns <= t_ns)
		p++;
	return p < end ? p : NULL;
}

bool reader__seek(struct reader *r, u64 t_ns)
{
	const struct place *p;

	t_ns -= MIN((s64)r->codec.behind_ns, (s64)t_ns);
	scan_again(r);
	p = place_before(r, t_ns);
	r->over = r->has_first = r->joining = r->gap = false;
	r->rest = (struct cursor){0};
	if (!p)
		return end(r, NULL);
	r->at = p->part_at;
	if (p->part != r->part)
		load_names(r, p->part);
	r->at = p->at;
	do
		r->has_first = read_next(r, &r->first);
	while (r->has_first && r->first.t1_ns <= t_ns);
	return r->has_first;
}

/* Whether a route leads to a model. */
static bool leads_to(const struct reader *r, u64 route, u32 model)
{
	for (u32 i = 0; i < r->nmodels; i++)
		if ((route & 1ULL << i) && r->models[i] == model)
			return true;
	return false;
}

void reader__samples(struct reader *r, u32 model,
		     void (*fn)(void *ctx, const struct codec *c, const struct sample_codec *type,
				const union any_sample *s),
		     void *ctx)
{
	struct cursor records = r->records, record;
	const struct sample_codec *kind;
	union any_sample sample;
	bool wanted = false;
	u32 type;

	while (cursor__record(&records, &type, &record)) {
		if (type == RECORD_ROUTE) {
			wanted = leads_to(r, cursor__varint(&record), model);
			codec__begin_route(&r->codec, cursor__varint(&record));
		}
		if (!wanted || type < RECORD_SAMPLES)
			continue;
		kind = sample_codec__numbered(type - RECORD_SAMPLES);
		if (!kind && sample_codec__is_later(type - RECORD_SAMPLES))
			note_later(r);
		if (kind && sample__read(&r->codec, kind, record, &sample))
			fn(ctx, &r->codec, kind, &sample);
	}
}

/* --- what it tells --- */

int reader__another_fd(const struct reader *r)
{
	return fcntl(r->fd, F_DUPFD_CLOEXEC, 0);
}

struct names_in *reader__names(const struct reader *r)
{
	return r->names;
}

u32 reader__part(const struct reader *r)
{
	return r->part_base + r->part;
}

void reader__summary(const struct reader *r, struct recording_summary *out)
{
	*out = r->sum;
	out->begin_ns += r->codec.behind_ns;
	out->end_ns += r->codec.behind_ns;
}

void reader__set_host(struct reader *r, u32 host, u64 behind_ns, u32 part_base)
{
	r->codec.host = host;
	r->codec.behind_ns = behind_ns;
	r->part_base = part_base;
	names_in__rename(r->names, part_base + r->part);
	learn_cgroups(r);
}

const char *reader__note(const struct reader *r, const char *key)
{
	for (u32 i = 0; i < r->nnotes; i++)
		if (!strcmp(r->notes[i].key, key))
			return r->notes[i].value;
	return "";
}

const char *reader__trouble(const struct reader *r)
{
	return r->trouble;
}

/* --- life --- */

void reader__free(struct reader *r)
{
	if (!r)
		return;
	close(r->fd);
	packer__free(r->packer);
	names_in__free(r->names);
	bytes__free(&r->joined);
	bytes__free(&r->stored);
	bytes__free(&r->raw);
	free(r->places);
	free(r->notes);
	free(r);
}

static bool is_recording(struct reader *r)
{
	char magic[RECORDING_MAGIC_LEN];

	r->at = RECORDING_MAGIC_LEN;
	return read_at(r, 0, magic, sizeof(magic)) &&
	       !memcmp(magic, RECORDING_MAGIC, RECORDING_MAGIC_LEN);
}

static int look_into(struct reader *r, const char *path, struct status *st)
{
	struct stat s = {0};

	if (fstat(r->fd, &s) || !S_ISREG(s.st_mode))
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   S_ISFIFO(s.st_mode)
					   ? "%.200s is a pipe: --replay - reads what comes through one"
					   : "%.200s is no regular file: --replay takes recordings, perf.data and "
					     "folded stacks",
				   path);
	r->size = r->whole = (u64)s.st_size;
	if (!is_recording(r))
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "%.200s is no recording of proftop --record, no perf.data, and "
				   "no folded stacks",
				   path);
	if (!read_head(r))
		return status__set(
			st, EXIT_CODE_FAILURE, -EINVAL,
			"%.200s: the recording's head is damaged, nothing of it can be read", path);
	r->first_block = r->at;
	scan(r);
	r->has_first = read_next(r, &r->first);
	if (!r->has_first)
		return status__set(st, EXIT_CODE_FAILURE, -EINVAL,
				   "%.200s: there is no whole interval in it%s%s", path,
				   r->trouble[0] ? "; " : "", r->trouble);
	r->sum.begin_ns = record_interval__begin(&r->first);
	return 0;
}

static struct reader *begin(int fd, bool local, struct symbols *symbols)
{
	struct reader *r = xcalloc(1, sizeof(*r));

	r->fd = fd;
	r->local = local;
	r->part = NO_PART;
	r->packer = packer__new();
	r->notes = xcalloc(NOTES_MAX, sizeof(*r->notes));
	r->names = names_in__new(symbols);
	if (local)
		names_in__trust(r->names);
	r->codec.from = r->names;
	return r;
}

static struct reader *open_fd(int fd, const char *path, bool local, struct symbols *symbols,
			      struct status *st)
{
	struct reader *r = begin(fd, local, symbols);

	if (!look_into(r, path, st))
		return r;
	reader__free(r);
	return NULL;
}

struct reader *reader__open_stream(int fd, u64 size, u32 part_base, struct symbols *symbols)
{
	struct reader *r = begin(fd, false, symbols);

	r->grows = true;
	r->part_base = part_base;
	r->size = size;
	if (is_recording(r) && read_head(r))
		return r;
	reader__free(r);
	return NULL;
}

u64 reader__grow(struct reader *r, u64 size)
{
	r->size = size;
	return r->at;
}

struct reader *reader__open_fd(int fd, const char *path, struct symbols *symbols, struct status *st)
{
	return open_fd(fd, path, false, symbols, st);
}

struct reader *reader__open_memory(int fd, struct symbols *symbols, struct status *st)
{
	return open_fd(fd, "the history", true, symbols, st);
}

struct reader *reader__open(const char *path, struct symbols *symbols, struct status *st)
{
	/* Whatever it is, opening it waits for nobody. */
	int fd = caps__open_for_caller(path);

	if (fd >= 0)
		return reader__open_fd(fd, path, symbols, st);
	status__set(st, EXIT_CODE_USAGE, -errno, "cannot open %.200s: %s", path, strerror(errno));
	return NULL;
}
