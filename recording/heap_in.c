// SPDX-License-Identifier: GPL-2.0-only
#include "recording/heap_in.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/hidx.h"
#include "base/log.h"
#include "models/model.h"
#include "models/stacks.h"
#include "recording/pprof_maps.h"
#include "recording/recorder.h"
#include "samples/measure.h"

#define LINE_BYTES   65536
#define SETTLE_MS    60000
#define RATE_MAX     1e15

enum { HELD, HELD_BYTES, GIVEN, GIVEN_BYTES, COUNTS };

struct heap_in {
	struct symbols *symbols;
	struct perf_spaces *spaces;
	struct record_sink *sink;
	double rate; /* bytes between samples; 0: all objects are there */
	bool jemalloc;
	char comm[COMM_LEN];
	u64 locs[STACKS_MAX_FRAMES], stack; /* stack: of the lines to come, in jemalloc's; 0 none */
	u64 *defined; /* stacks that were defined; a profile may have a line for each sample */
	u32 ndefined, defined_cap;
	struct hidx by_hash;
	u64 wrong, left_out;
};

/* --- lines --- */

/* "COUNT: BYTES [COUNT: BYTES]"; what follows, or NULL. */
static const char *read_counts(const char *line, double v[COUNTS])
{
	unsigned long long n[COUNTS];
	int end = 0;

	if (strchr(line, '-') || sscanf(line, " %llu: %llu [ %llu: %llu]%n", &n[HELD], &n[HELD_BYTES], &n[GIVEN],
					&n[GIVEN_BYTES], &end) < COUNTS || !end)
		return NULL;
	for (u32 i = 0; i < COUNTS; i++) {
		if (n[i] > UINT64_MAX >> 16)
			return NULL;
		v[i] = (double)n[i];
	}
	return line + end;
}

/* The mean size of a stack's objects stands for all. */
static void estimate(double rate, double *n, double *bytes)
{
	double scale;

	if (!(rate > 0) || !(*n > 0) || !(*bytes > 0))
		return;
	scale = -1 / expm1(-*bytes / *n / rate);
	*n *= scale;
	*bytes *= scale;
}

/* As u64 hold it. */
static u64 whole(double x)
{
	return x < (double)(UINT64_MAX >> 8) ? (u64)(x + 0.5) : UINT64_MAX >> 8;
}

static u64 class_of(u64 size)
{
	u64 class = 0;

	while (class < 32 && 16ULL << class < size)
		class++;
	return class;
}

static void put_held(struct heap_in *h, u64 stack, double v[COUNTS])
{
	const struct measure *m = measure_table[MEASURE_HEAP];
	struct measure_key keys[MEASURE_OWN_LABELS] = {0};
	struct measure_held_sample s = {.head.type = SAMPLE_MEASURE_HELD, .keys = keys, .stack = stack};
	int size = measure__label(m, "size");
	char text[32];

	estimate(h->rate, &v[HELD], &v[HELD_BYTES]);
	estimate(h->rate, &v[GIVEN], &v[GIVEN_BYTES]);
	s.held = whole(v[HELD]);
	s.held_bytes = whole(v[HELD_BYTES]);
	s.acquired = MAX(whole(v[GIVEN]), s.held);
	s.acquired_bytes = MAX(whole(v[GIVEN_BYTES]), s.held_bytes);
	s.released = s.acquired - s.held;
	s.released_bytes = s.acquired_bytes - s.held_bytes;
	s.nkeys = measure__own_labels(m);
	for (u32 i = 0; i < s.nkeys; i++)
		keys[i].text = "";
	keys[size].value = class_of(s.acquired ? s.acquired_bytes / s.acquired : 0);
	m->labels[size].text(keys[size].value, text, sizeof(text));
	keys[size].text = text;
	copy_str(s.who.comm, sizeof(s.who.comm), h->comm);
	copy_str(s.who.process, sizeof(s.who.process), h->comm);
	if (s.acquired)
		h->sink->ops->put(h->sink, MODEL_BIT(MODEL_HEAP), &s.head);
}

/* The library that allocates is no caller. */
static bool is_allocator(const struct heap_in *h, u32 loc)
{
	return strstr(symbols__object(h->symbols, symbols__object_of(h->symbols, loc))->name, "malloc");
}

/* False: there are too many. */
static bool define(struct heap_in *h, const struct stack_def *d)
{
	u32 at;

	HIDX_FIND(at, &h->by_hash, mix64(d->hash), pos, h->defined[pos] == d->hash);
	if (at != HIDX_NONE)
		return true;
	/* The recorder keeps as many at least. */
	if (h->ndefined >= stacks__definitions() / 2) {
		h->left_out++;
		return false;
	}
	h->defined = xgrow(h->defined, h->ndefined, &h->defined_cap, sizeof(*h->defined));
	h->defined[h->ndefined] = d->hash;
	hidx__add(&h->by_hash, mix64(d->hash), h->ndefined++);
	h->sink->ops->put(h->sink, MODEL_BIT(MODEL_HEAP), &d->head);
	return true;
}

/* Addresses behind a call, the innermost first. 0: there are none, or too many stacks. */
static u64 put_stack(struct heap_in *h, const char *at)
{
	struct stack_def d = {.head.type = SAMPLE_STACK_DEF, .named = true, .ips = h->locs, .hash = 1};

	for (char *end; d.nuser < STACKS_MAX_FRAMES; at = end) {
		u64 ip = strtoull(at, &end, 16);
		u32 loc = ip && end != at ? perf_spaces__locate(h->spaces, PPROF_TGID, ip - 1) : SYM_UNKNOWN;

		if (end == at)
			break;
		if (!d.nuser && is_allocator(h, loc))
			continue;
		h->locs[d.nuser++] = loc;
		d.hash = mix64_pair(d.hash, loc);
	}
	return d.nuser && define(h, &d) ? d.hash : 0;
}

static void take_tcmalloc(struct heap_in *h, const char *line)
{
	double v[COUNTS];
	const char *rest = read_counts(line, v), *at = rest ? strchr(rest, '@') : NULL;
	u64 stack = at ? put_stack(h, at + 1) : 0;

	if (stack)
		put_held(h, stack, v);
	else
		h->wrong += !at;
}

/* "@ ADDRESS ..." and then "t*: COUNTS", and the same of single threads. */
static void take_jemalloc(struct heap_in *h, const char *line)
{
	double v[COUNTS];

	if (*line == '@') {
		h->stack = put_stack(h, line + 1);
		return;
	}
	line += strspn(line, " ");
	if (strncmp(line, "t*: ", 4))
		return;
	if (h->stack && read_counts(line + 4, v))
		put_held(h, h->stack, v);
	h->stack = 0;
}

static bool begins_maps(const char *line)
{
	return !strncmp(line, "MAPPED_LIBRARIES:", 17);
}

static bool is_nothing(const char *line)
{
	return line[strspn(line, " \t\r\n")] == '\0' || *line == '#';
}

/* --- files --- */

/* "heap profile: COUNTS @ KIND/RATE", or "heap_v2/RATE". False: it is none. */
static bool read_head(struct heap_in *h, const char *line)
{
	const char *v2;

	h->jemalloc = !strncmp(line, "heap_v2/", 8);
	if (!h->jemalloc && strncmp(line, "heap profile: ", 14))
		return false;
	v2 = strstr(line, "_v2/");
	h->rate = v2 ? (double)strtoull(v2 + 4, NULL, 10) : 0;
	h->rate = MIN(h->rate, RATE_MAX);
	return true;
}

bool heap_profile__is(int fd)
{
	char text[256];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	struct heap_in h;

	text[MAX(n, 0)] = '\0';
	return read_head(&h, text);
}

/* What is mapped stands behind the stacks. The first executable mapping is the program's. */
static void read_maps(struct heap_in *h, FILE *from, char *line)
{
	bool within = false;

	while (fgets(line, LINE_BYTES, from)) {
		const char *slash = strrchr(line, '/');

		if (!within) {
			within = begins_maps(line);
			continue;
		}
		if (!pprof_maps__add(h->spaces, line) || *h->comm || !slash || !strstr(line, "r-xp"))
			continue;
		copy_str(h->comm, sizeof(h->comm), slash + 1);
		h->comm[strcspn(h->comm, "\r\n")] = '\0';
	}
	rewind(from);
}

static void read_stacks(struct heap_in *h, FILE *from, char *line)
{
	if (!fgets(line, LINE_BYTES, from) || !read_head(h, line))
		return;
	while (fgets(line, LINE_BYTES, from) && !begins_maps(line)) {
		if (is_nothing(line))
			continue;
		if (h->jemalloc)
			take_jemalloc(h, line);
		else
			take_tcmalloc(h, line);
	}
}

static void end(struct heap_in *h)
{
	struct record_interval iv = {.t1_ns = 2 * NSEC_PER_SEC, .models = MODEL_BIT(MODEL_HEAP)};
	struct health *health = &iv.v[MODEL_HEAP].health;

	iv.v[MODEL_HEAP].t0_ns = NSEC_PER_SEC;
	health->samples = health->samples_total = h->ndefined;
	copy_str(health->tier, sizeof(health->tier), "another program");
	if (h->rate > 0)
		snprintf(health->note, sizeof(health->note), "%s sampled every %.0f bytes: all is estimated",
			 h->jemalloc ? "jemalloc" : "tcmalloc", h->rate);
	else
		copy_str(health->note, sizeof(health->note), "all objects that the allocator followed");
	symbols__kick(h->symbols);
	if (!symbols__wait(h->symbols, SETTLE_MS))
		log__add(LOG_WARN, "not all names were found within a minute: others follow");
	h->sink->ops->end_interval(h->sink, &iv);
}

static int convert(struct heap_in *h, FILE *from, const char *path, struct status *st)
{
	char *line = xmalloc(LINE_BYTES);
	int fd = -1;

	read_maps(h, from, line);
	read_stacks(h, from, line);
	free(line);
	if (h->wrong || h->left_out)
		log__add(LOG_WARN, "%.200s: left out are %llu lines that are no stacks, and %llu stacks too many", path,
			 (unsigned long long)h->wrong, (unsigned long long)h->left_out);
	if (h->ndefined) {
		end(h);
		fd = recorder__memory(h->sink, st);
	} else {
		status__set(st, EXIT_CODE_FAILURE, -ENODATA, "%.200s has no stacks", path);
	}
	return fd;
}

int heap_profile_import(int fd, struct symbols *symbols, const char *path, const char *event,
			struct status *st)
{
	const struct recording_note notes[] = {{NOTE_RATE, "heap profile"}, {NULL, NULL}};
	const struct recorder_config cfg = {.symbols = symbols, .notes = notes};
	struct heap_in h = {.symbols = symbols, .sink = recorder__new(&cfg, st)};
	int own = h.sink ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1, made = -1;
	FILE *from = own < 0 ? NULL : fdopen(own, "r");
	struct perf_meta meta;

	if (!h.sink)
		return -1;
	perf_meta__init(&meta);
	h.spaces = perf_spaces__new(symbols, &meta);
	if (from) {
		rewind(from);
		made = convert(&h, from, path, st);
		fclose(from);
	} else {
		status__set(st, EXIT_CODE_FAILURE, -errno, "cannot read %.200s: %s", path, strerror(errno));
	}
	h.sink->ops->close(h.sink);
	free(h.defined);
	hidx__fini(&h.by_hash);
	perf_spaces__free(h.spaces);
	perf_meta__fini(&meta);
	return made;
}
