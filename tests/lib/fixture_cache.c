/* SPDX-License-Identifier: GPL-2.0-only */
/* Recorded input about the page cache. */
#include <stdio.h>

#include "base/arena.h"
#include "samples/cache.h"
#include "tests/lib/cache_names.h"
#include "tests/lib/fixture_impl.h"

#define NAME_MAX_LEN 64
#define MIB	     (1ULL << 20)

struct cache_record {
	union {
		struct sample head;
		struct cache_sample cache;
		struct cache_miss_sample miss;
		struct cache_totals_sample totals;
	};
	char *frames; /* of a miss */
	struct fixture_stack stack;
	u32 ages[CACHE_AGES];
};

/* "read_hits=12" */
static bool parse_count(struct cache_sample *s, const char *word)
{
	unsigned long long n;
	char name[32];

	if (sscanf(word, "%31[a-z_]=%llu", name, &n) != 2)
		return false;
	for (u32 i = 0; i < CACHE_COUNTS; i++)
		if (!strcmp(cache_count_names[i], name)) {
			s->n[i] += n;
			return true;
		}
	return false;
}

static bool parse_counts(struct cache_sample *s, char *text)
{
	char *save = NULL;

	for (char *w = strtok_r(text, " \n", &save); w; w = strtok_r(NULL, " \n", &save))
		if (!parse_count(s, w))
			return false;
	return true;
}

static bool parse_cache(struct cache_record *r, const char *text)
{
	char comm[NAME_MAX_LEN], path[CACHE_PATH_LEN], rest[512] = "";
	unsigned long long cgroup, inode;
	struct cache_sample *s = &r->cache;
	u32 pid, dev;

	if (sscanf(text, "cache %63s %u %llu %u %llu %239s %511[^\n]", comm, &pid, &cgroup, &dev,
		   &inode, path, rest) < 6)
		return false;
	*s = (struct cache_sample){.head.type = SAMPLE_CACHE,
				   .tgid = pid,
				   .tid = pid,
				   .cgroup = cgroup,
				   .file = {.dev = dev, .inode = inode}};
	copy_str(s->comm, sizeof(s->comm), strcmp(comm, "-") ? fixture__unescape(comm) : "");
	s->kthread = !strncmp(comm, "kworker", 7);
	if (strcmp(path, "-") != 0)
		copy_str(s->file.path, sizeof(s->file.path), fixture__unescape(path));
	return parse_counts(s, rest);
}

static bool parse_miss(struct cache_record *r, const char *text)
{
	unsigned long long cgroup, inode, n;
	char frames[4096];
	u32 pid, dev;

	if (sscanf(text, "miss %u %llu %u %llu %llu %4095[^\n]", &pid, &cgroup, &dev, &inode, &n,
		   frames) != 6)
		return false;
	r->miss = (struct cache_miss_sample){.head.type = SAMPLE_CACHE_MISS,
					     .tgid = pid,
					     .cgroup = cgroup,
					     .dev = dev,
					     .inode = inode,
					     .misses = n};
	r->frames = xstrdup(strcmp(frames, "-") ? frames : "");
	return true;
}

/* "12=400": so many pages of that age */
static bool parse_ages(struct cache_record *r, char *text)
{
	char *save = NULL;
	u32 at, n;

	for (char *w = strtok_r(text, " \n", &save); w; w = strtok_r(NULL, " \n", &save)) {
		if (sscanf(w, "%u=%u", &at, &n) != 2 || at >= CACHE_AGES)
			return false;
		r->ages[at] = n;
	}
	return true;
}

static bool parse_totals(struct cache_record *r, const char *text)
{
	unsigned long long cached, buffers, dirty, writeback, refaults, evicted;
	char blind[64], rest[512] = "";

	if (sscanf(text, "totals %llu %llu %llu %llu %llu %llu %63s %511[^\n]", &cached, &buffers,
		   &dirty, &writeback, &refaults, &evicted, blind, rest) < 7)
		return false;
	r->totals = (struct cache_totals_sample){.head.type = SAMPLE_CACHE_TOTALS,
						 .cached_bytes = cached * MIB,
						 .buffers_bytes = buffers * MIB,
						 .dirty_bytes = dirty * MIB,
						 .writeback_bytes = writeback * MIB,
						 .refaults = refaults,
						 .evicted = evicted,
						 .writes_seen = !strcmp(blind, "-"),
						 .ages = r->ages};
	if (!r->totals.writes_seen)
		copy_str(r->totals.blind, sizeof(r->totals.blind), blind);
	return parse_ages(r, rest);
}

struct cache_record *cache_record__parse(const char *text)
{
	struct cache_record *r = xcalloc(1, sizeof(*r));

	if (parse_cache(r, text) || parse_miss(r, text) || parse_totals(r, text))
		return r;
	free(r);
	return NULL;
}

void cache_record__begin(struct cache_record *r, struct symbols *symbols)
{
	if (!r->frames)
		return;
	fixture_stack__fill(&r->stack, symbols, r->frames);
	r->stack.def.ips = r->stack.ips;
	r->stack.def.tgid = r->miss.tgid;
	r->miss.stack = r->stack.def.hash;
}

void cache_record__put(struct cache_record *r, const struct sample_sink *sink)
{
	if (r->stack.def.hash)
		sink__put(sink, &r->stack.def.head);
	sink__put(sink, &r->head);
}
