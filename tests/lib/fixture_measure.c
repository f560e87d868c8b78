/* SPDX-License-Identifier: GPL-2.0-only */
/* Recorded input about measures. */
#include <stdio.h>

#include "base/arena.h"
#include "bpf/hist.h"
#include "samples/measure.h"
#include "tests/lib/fixture_impl.h"

#define NAME_MAX_LEN 64
#define TEXTS_LEN    512

struct measure_record {
	const struct measure *of;
	enum sample_type type;
	union {
		struct measure_sample counted;
		struct measure_open_sample open;
		struct measure_slow_sample slow;
		struct measure_held_sample held;
		struct measure_levels_sample levels;
	};
	struct measure_key keys[MEASURE_OWN_LABELS];
	u64 sums[MEASURE_SUMS];
	bool waits;
	u32 hist[MEASURE_BUCKETS];
	double ago_ms;
	char *frames;
	struct fixture_stack stack;
};

static u64 us(double n)
{
	return (u64)(n * 1e3);
}

static const struct measure *measure_named(const char *name)
{
	for (u32 i = 0; i < MEASURE_TABLE_SIZE; i++)
		if (!strcmp(measure_table[i]->name, name))
			return measure_table[i];
	return NULL;
}

/* "worker/server": a thread and its process, or one name for both */
static struct measure_who who_of(char *comm, u32 pid, u32 tid, u64 cgroup)
{
	char *process = strchr(comm, '/');
	struct measure_who w = {
		.start_ns = tid, .process_ns = pid, .cgroup = cgroup, .tgid = pid, .tid = tid};

	if (process)
		*process++ = '\0';
	copy_str(w.comm, sizeof(w.comm), fixture__unescape(comm));
	copy_str(w.process, sizeof(w.process), process ? fixture__unescape(process) : w.comm);
	return w;
}

/* "sum2=700": the declaration's third. */
static bool parse_sum(struct measure_record *r, const char *word)
{
	unsigned long long value;
	u32 i;

	if (sscanf(word, "sum%u=%llu", &i, &value) != 2 || i >= MEASURE_SUMS)
		return false;
	r->sums[i] = value;
	return true;
}

/* "syscall=openat,error=ENOENT", "syscall=epoll_wait,waits" */
static bool parse_keys(struct measure_record *r, char *text)
{
	char *save = NULL, *value;
	int label;

	for (u32 i = 0; i < MEASURE_OWN_LABELS; i++)
		r->keys[i].text = "";
	for (char *w = strtok_r(text, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
		if (!strcmp(w, "waits")) {
			r->waits = true;
			continue;
		}
		if (parse_sum(r, w))
			continue;
		value = strchr(w, '=');
		if (!value)
			return false;
		*value++ = '\0';
		label = measure__label(r->of, w);
		if (label < 0 || (u32)label >= measure__own_labels(r->of))
			return false;
		r->keys[label].text = xstrdup(fixture__unescape(value));
	}
	return true;
}

static void add_to_hist(struct measure_record *r, u32 n, double value)
{
	u64 units = r->of->shape == MEASURE_SHAPE_SPAN ? us(value) >> MEASURE_NS_SHIFT : (u64)value;

	r->hist[loglin__bucket(units, MEASURE_SUB_SHIFT, MEASURE_BUCKETS)] += n;
}

/* The least, the greatest, and between them all others alike. */
static void fill_hist(struct measure_record *r, u32 n, double sum, double min, double max)
{
	if (n > 0)
		add_to_hist(r, 1, max);
	if (n > 1)
		add_to_hist(r, 1, min);
	if (n > 2)
		add_to_hist(r, n - 2, (sum - min - max) / (n - 2));
}

static u64 value_of(const struct measure_record *r, double value)
{
	return r->of->shape == MEASURE_SHAPE_SPAN ? us(value) : (u64)value;
}

static bool parse_counted(struct measure_record *r, const char *text)
{
	char name[NAME_MAX_LEN], comm[NAME_MAX_LEN], keys[TEXTS_LEN], frames[4096];
	unsigned long long cgroup;
	double sum, min, max;
	u32 pid, tid, n, errors;

	if (sscanf(text, "measure %63s %63s %u %u %llu %u %u %lf %lf %lf %511s %4095[^\n]", name,
		   comm, &pid, &tid, &cgroup, &n, &errors, &sum, &min, &max, keys, frames) != 12)
		return false;
	r->of = measure_named(name);
	if (!r->of || !parse_keys(r, keys))
		return false;
	r->type = SAMPLE_MEASURE;
	fill_hist(r, n, sum, min, max);
	r->counted = (struct measure_sample){.head.type = SAMPLE_MEASURE,
					     .rest = !strcmp(comm, "[rest]"),
					     .waits = r->waits,
					     .who = who_of(comm, pid, tid, cgroup),
					     .keys = r->keys,
					     .nkeys = measure__own_labels(r->of),
					     .count = n,
					     .errors = errors,
					     .sum = value_of(r, sum),
					     .min = value_of(r, min),
					     .max = value_of(r, max),
					     .hist = r->hist};
	memcpy(r->counted.sums, r->sums, sizeof(r->sums));
	r->frames = xstrdup(strcmp(frames, "-") ? frames : "");
	return true;
}

static bool parse_open(struct measure_record *r, const char *text)
{
	char name[NAME_MAX_LEN], comm[NAME_MAX_LEN], keys[TEXTS_LEN];
	unsigned long long cgroup;
	u32 pid, tid;

	if (sscanf(text, "unfinished %63s %63s %u %u %llu %lf %511s", name, comm, &pid, &tid,
		   &cgroup, &r->ago_ms, keys) != 7)
		return false;
	r->of = measure_named(name);
	if (!r->of || !parse_keys(r, keys))
		return false;
	r->type = SAMPLE_MEASURE_OPEN;
	r->open = (struct measure_open_sample){.head.type = SAMPLE_MEASURE_OPEN,
					       .waits = r->waits,
					       .who = who_of(comm, pid, tid, cgroup),
					       .keys = r->keys,
					       .nkeys = measure__own_labels(r->of)};
	return true;
}

static bool parse_held(struct measure_record *r, const char *text)
{
	char name[NAME_MAX_LEN], comm[NAME_MAX_LEN], keys[TEXTS_LEN], frames[4096];
	unsigned long long cgroup, held, bytes, came, came_bytes, went, went_bytes;
	u32 pid;

	if (sscanf(text, "held %63s %63s %u %llu %llu %llu %lf %llu %llu %llu %llu %511s %4095[^\n]",
		   name, comm, &pid, &cgroup, &held, &bytes, &r->ago_ms, &came, &came_bytes, &went,
		   &went_bytes, keys, frames) != 13)
		return false;
	r->of = measure_named(name);
	if (!r->of || !parse_keys(r, keys))
		return false;
	r->type = SAMPLE_MEASURE_HELD;
	if (held)
		r->hist[loglin__bucket(us(r->ago_ms * 1000) >> MEASURE_NS_SHIFT, MEASURE_SUB_SHIFT,
				       MEASURE_BUCKETS)] = (u32)held;
	r->held = (struct measure_held_sample){.head.type = SAMPLE_MEASURE_HELD,
					       .rest = !strcmp(comm, "[rest]"),
					       .who = who_of(comm, pid, pid, cgroup),
					       .keys = r->keys,
					       .nkeys = measure__own_labels(r->of),
					       .held = held,
					       .held_bytes = bytes,
					       .acquired = came,
					       .acquired_bytes = came_bytes,
					       .released = went,
					       .released_bytes = went_bytes,
					       .hist = r->hist};
	r->frames = xstrdup(strcmp(frames, "-") ? frames : "");
	return true;
}

static bool parse_slow(struct measure_record *r, const char *text)
{
	char name[NAME_MAX_LEN], comm[NAME_MAX_LEN], keys[TEXTS_LEN], what[TEXTS_LEN], frames[4096];
	unsigned long long cgroup;
	u32 pid, tid, cpu;
	double took;

	if (sscanf(text, "took %63s %63s %u %u %llu %u %lf %lf %511s \"%511[^\"]\" %4095[^\n]",
		   name, comm, &pid, &tid, &cgroup, &cpu, &r->ago_ms, &took, keys, what,
		   frames) != 11)
		return false;
	r->of = measure_named(name);
	if (!r->of || !parse_keys(r, keys))
		return false;
	r->type = SAMPLE_MEASURE_SLOW;
	r->slow = (struct measure_slow_sample){.head.type = SAMPLE_MEASURE_SLOW,
					       .waits = r->waits,
					       .who = who_of(comm, pid, tid, cgroup),
					       .keys = r->keys,
					       .nkeys = measure__own_labels(r->of),
					       .cpu = cpu,
					       .ns = us(took)};
	copy_str(r->slow.text, sizeof(r->slow.text), fixture__unescape(what));
	r->frames = xstrdup(strcmp(frames, "-") ? frames : "");
	return true;
}

/* "levels NAME 1 2 3": those that are not there are 0. */
static bool parse_levels(struct measure_record *r, const char *text)
{
	char name[NAME_MAX_LEN];
	int used = 0;

	if (sscanf(text, "levels %63s%n", name, &used) != 1)
		return false;
	r->of = measure_named(name);
	r->type = SAMPLE_MEASURE_LEVELS;
	r->levels = (struct measure_levels_sample){.head.type = SAMPLE_MEASURE_LEVELS};
	for (u32 i = 0; i < MEASURE_LEVELS; i++)
		r->levels.v[i] = strtoull(text + used, (char **)&text, 10), used = 0;
	return r->of != NULL;
}

struct measure_record *measure_record__parse(const char *text)
{
	struct measure_record *r = xcalloc(1, sizeof(*r));

	if (parse_counted(r, text) || parse_open(r, text) || parse_slow(r, text) ||
	    parse_held(r, text) || parse_levels(r, text))
		return r;
	free(r);
	return NULL;
}

void measure_record__begin(struct measure_record *r, struct symbols *symbols)
{
	if (!r->frames)
		return;
	fixture_stack__fill(&r->stack, symbols, r->frames);
	r->stack.def.ips = r->stack.ips;
	r->stack.def.tgid = r->type == SAMPLE_MEASURE	     ? r->counted.who.tgid
			    : r->type == SAMPLE_MEASURE_HELD ? r->held.who.tgid
							     : r->slow.who.tgid;
}

const struct measure *measure_record__of(const struct measure_record *r)
{
	return r->of;
}

/* What was counted, and that its stack stands for all of it. */
static void put_counted(struct measure_record *r, const struct sample_sink *sink)
{
	struct measure_sample sampled = r->counted;

	sampled.sampled = true;
	sampled.stack = r->stack.def.hash;
	sink__put(sink, &r->counted.head);
	sink__put(sink, &sampled.head);
}

void measure_record__put(struct measure_record *r, u64 now_ns, const struct sample_sink *sink)
{
	u64 ago = us(r->ago_ms * 1000);

	if (r->stack.def.hash)
		sink__put(sink, &r->stack.def.head);
	if (r->type == SAMPLE_MEASURE) {
		put_counted(r, sink);
	} else if (r->type == SAMPLE_MEASURE_OPEN) {
		r->open.begin_ns = now_ns - ago;
		sink__put(sink, &r->open.head);
	} else if (r->type == SAMPLE_MEASURE_HELD) {
		r->held.begin_ns = r->held.held ? now_ns - ago : 0;
		r->held.stack = r->stack.def.hash;
		sink__put(sink, &r->held.head);
	} else if (r->type == SAMPLE_MEASURE_LEVELS) {
		sink__put(sink, &r->levels.head);
	} else {
		r->slow.t_ns = now_ns - ago;
		r->slow.stack = r->stack.def.hash;
		sink__put(sink, &r->slow.head);
	}
}
