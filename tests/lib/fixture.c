/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/lib/fixture.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/log.h"
#include "pipeline/collector.h"
#include "samples/measure.h"
#include "samples/vitals.h"
#include "tests/lib/fixture_impl.h"

struct record {
	bool tick;
	struct stack_sample sample; /* count > 0 */
	struct fixture_stack stack;
	struct vitals_sample vitals; /* now.ncpus > 0 */
	struct sched_record *sched;
	struct cache_record *cache;
	struct io_record *io;
	struct measure_record *measure;
	struct procs_line *procs;
	struct system_record *system;
	struct bpf_record *bpf;
	char *frames;
	u64 lost;
	enum log_level level;
	char *log; /* a line for the log */
};

static struct record *records;
static u32 nrecords, cpu_next, vitals_next, sched_next, cache_next, io_next, procs_next,
	system_next, bpf_next;
static u64 sched_samples, cache_samples, io_samples, system_samples, bpf_samples;
static u64 nticks; /* seen by the vitals, which are always there */

static void wrong(const char *path, u32 line, const char *what)
{
	fprintf(stderr, "%s:%u: %s\n", path, line, what);
	exit(2);
}

static enum code_kind kind_of(const char *name)
{
	return !strcmp(name, "kernel") ? CODE_KERNEL : !strcmp(name, "jit") ? CODE_JIT : CODE_USER;
}

char *fixture__unescape(char *text)
{
	char *out = text, *in = text;
	unsigned int byte;

	while (*in) {
		if (in[0] == '\\' && in[1] == 'x' && sscanf(in + 2, "%2x", &byte) == 1) {
			*out++ = (char)byte;
			in += 4;
		} else {
			*out++ = *in++;
		}
	}
	*out = '\0';
	return text;
}

static u32 frame_loc(struct symbols *symbols, char *frame, bool *kernel)
{
	char *object = strchr(frame, '@'), *kind = object ? strchr(object + 1, '@') : NULL;
	enum code_kind k = CODE_USER;

	if (kind)
		*kind++ = '\0', k = kind_of(kind);
	if (object)
		*object++ = '\0';
	*kernel = k == CODE_KERNEL;
	return symbols__named(symbols, object ? fixture__unescape(object) : "program",
			      fixture__unescape(frame), k);
}

void fixture_stack__fill(struct fixture_stack *s, struct symbols *symbols, const char *frames)
{
	char *copy = xstrdup(frames), *save = NULL;
	bool kernel;
	u32 n = 0;

	*s = (struct fixture_stack){.def = {.head.type = SAMPLE_STACK_DEF, .named = true}};
	for (char *f = strtok_r(copy, ";", &save); f && n < FIXTURE_FRAMES;
	     f = strtok_r(NULL, ";", &save)) {
		memmove(s->ips + 1, s->ips, sizeof(*s->ips) * n++);
		s->ips[0] = frame_loc(symbols, f, &kernel);
		if (kernel)
			s->def.nkernel++;
		else
			s->def.nuser++;
	}
	s->def.hash = n ? hash_bytes(frames, strlen(frames)) | 1 : 0;
	free(copy);
}

static void resolve(struct record *r, struct symbols *symbols)
{
	fixture_stack__fill(&r->stack, symbols, r->frames);
	r->stack.def.ips = r->stack.ips;
	r->stack.def.tgid = r->sample.tgid;
	r->sample.stack = r->stack.def.hash;
}

static bool parse_cpu(struct record *r, const char *text)
{
	char comm[64], frames[4096];
	unsigned long long cgroup, count;

	if (sscanf(text, "cpu %63s %u %u %u %llu %llu %4095[^\n]", comm, &r->sample.tgid,
		   &r->sample.tid, &r->sample.cpu, &cgroup, &count, frames) != 7)
		return false;
	r->sample.head.type = SAMPLE_STACK;
	r->sample.cgroup = cgroup;
	r->sample.count = count;
	r->sample.weight = count * 10101010;
	copy_str(r->sample.comm, sizeof(r->sample.comm), fixture__unescape(comm));
	r->frames = xstrdup(frames);
	return true;
}

static bool parse_vitals(struct record *r, const char *text)
{
	struct vitals *v = &r->vitals.vitals;

	if (strncmp(text, "vitals ", 7))
		return false;
	r->vitals.head.type = SAMPLE_VITALS;
	*v = (struct vitals){.ncpus = 2, .running = 3, .tasks = 120, .load5 = 0.5, .load15 = 0.25,
			     .mem_total_bytes = 16ULL << 30, .mem_available_bytes = 12ULL << 30,
			     .has_psi = true, .psi_cpu_some = 12};
	if (sscanf(text, "vitals %lf %lf %lf", &v->user_pct, &v->system_pct, &v->load1) != 3)
		return false;
	v->idle_pct = 100 - v->user_pct - v->system_pct;
	return true;
}

static bool parse_log(struct record *r, const char *text)
{
	static const char *const levels[] = {"info", "warn", "error"};
	char level[8], line[sizeof(((struct log_line *)0)->text)];

	if (sscanf(text, "log %7s %239[^\n]", level, line) != 2)
		return false;
	for (u32 i = 0; i < ARRAY_SIZE(levels); i++)
		if (!strcmp(levels[i], level)) {
			r->level = (enum log_level)i;
			r->log = fixture__unescape(xstrdup(line));
		}
	return r->log;
}

static bool parse_lost(struct record *r, const char *text)
{
	unsigned long long n;

	if (sscanf(text, "lost %llu", &n) != 1)
		return false;
	r->lost = n;
	return true;
}

static bool parse_line(struct record *r, const char *text)
{
	r->tick = !strncmp(text, "tick", 4);
	if (r->tick || parse_cpu(r, text) || parse_vitals(r, text) || parse_log(r, text) ||
	    parse_lost(r, text))
		return true;
	r->sched = sched_record__parse(text);
	if (!r->sched)
		r->cache = cache_record__parse(text);
	if (!r->sched && !r->cache)
		r->io = io_record__parse(text);
	if (!r->sched && !r->cache && !r->io)
		r->measure = measure_record__parse(text);
	if (!r->sched && !r->cache && !r->io && !r->measure)
		r->procs = procs_line__parse(text);
	if (!r->sched && !r->cache && !r->io && !r->measure && !r->procs)
		r->bpf = bpf_record__parse(text);
	if (!r->sched && !r->cache && !r->io && !r->measure && !r->procs && !r->bpf)
		r->system = system_record__parse(text);
	return r->sched || r->cache || r->io || r->measure || r->procs || r->bpf || r->system;
}

static void begin(struct symbols *s)
{
	for (u32 i = 0; i < nrecords; i++) {
		if (records[i].frames)
			resolve(&records[i], s);
		if (records[i].sched)
			sched_record__begin(records[i].sched, s);
		if (records[i].cache)
			cache_record__begin(records[i].cache, s);
		if (records[i].io)
			io_record__begin(records[i].io, s);
		if (records[i].measure)
			measure_record__begin(records[i].measure, s);
	}
}

/* --- sources over the same records --- */

/* What all share. */
static struct source {
	struct sampling how;
	u64 samples, lost; /* ever */
} source;

static struct source *fixture_open(const struct sampling *how, const struct scope *scope,
				   struct status *st)
{
	source.how = *how;
	return &source;
}

static void fixture_close(struct source *s)
{
}

static int fixture_set_scope(struct source *s, const struct scope *scope, struct status *st)
{
	return 0;
}

static int fixture_set_sampling(struct source *s, const struct sampling *how, struct status *st)
{
	if (!strcmp(how->event, "refused"))
		return status__set(st, EXIT_CODE_UNSUPPORTED, -EINVAL, "no such event here");
	s->how = *how;
	return 0;
}

static int fixture_fd(struct source *s)
{
	return -1;
}

static void cpu_drain(struct source *s, bool tick, const struct sample_sink *sink)
{
	for (; tick && nrecords; cpu_next = (cpu_next + 1) % nrecords) {
		struct record *r = &records[cpu_next];

		if (r->tick) {
			cpu_next = (cpu_next + 1) % nrecords;
			return;
		}
		s->lost += r->lost;
		if (r->log)
			log__add(r->level, "%s", r->log);
		if (!r->sample.count)
			continue;
		s->samples += r->sample.count;
		sink__put(sink, &r->stack.def.head);
		sink__put(sink, &r->sample.head);
	}
}

static void vitals_drain(struct source *s, bool tick, const struct sample_sink *sink)
{
	for (u32 i = 0; tick && i < nrecords; i++) {
		struct record *r = &records[vitals_next];

		vitals_next = (vitals_next + 1) % nrecords;
		if (r->vitals.vitals.ncpus)
			sink__put(sink, &r->vitals.head);
		if (r->tick) {
			nticks++;
			return;
		}
	}
}

/* Where the interval ends that the records are of. */
static u64 now_ns(void)
{
	return COLLECTOR_FAKE_START_NS + nticks * NSEC_PER_SEC;
}

/* The next record of the interval; NULL at its end. */
static struct record *take_next(u32 *next, bool tick)
{
	struct record *r = tick && nrecords ? &records[*next] : NULL;

	if (r)
		*next = (*next + 1) % nrecords;
	return r && !r->tick ? r : NULL;
}

static void sched_drain(struct source *s, bool tick, const struct sample_sink *sink)
{
	for (struct record *r; (r = take_next(&sched_next, tick));)
		if (r->sched) {
			sched_samples++;
			sched_record__put(r->sched, now_ns(), sink);
		}
}

static void cache_drain(struct source *s, bool tick, const struct sample_sink *sink)
{
	for (struct record *r; (r = take_next(&cache_next, tick));)
		if (r->cache) {
			cache_samples++;
			cache_record__put(r->cache, sink);
		}
}

static void io_drain(struct source *s, bool tick, const struct sample_sink *sink)
{
	for (struct record *r; (r = take_next(&io_next, tick));)
		if (r->io) {
			io_samples++;
			io_record__put(r->io, now_ns(), sink);
		}
}

/* As the program does: everybody is reported. */
static void procs_drain(struct source *s, bool tick, const struct sample_sink *sink)
{
	for (struct record *r; (r = take_next(&procs_next, tick));)
		if (r->procs)
			procs_line__put(r->procs, sink);
}

static void system_drain(struct source *s, bool tick, const struct sample_sink *sink)
{
	for (struct record *r; (r = take_next(&system_next, tick));)
		if (r->system) {
			system_samples++;
			system_record__put(r->system, now_ns(), sink);
		}
}

static void bpf_drain(struct source *s, bool tick, const struct sample_sink *sink)
{
	for (struct record *r; (r = take_next(&bpf_next, tick));)
		if (r->bpf) {
			bpf_samples++;
			bpf_record__put(r->bpf, sink);
		}
}

static void cpu_health(struct source *s, struct health *h)
{
	copy_str(h->tier, sizeof(h->tier), "fixture");
	copy_str(h->event, sizeof(h->event), *s->how.event ? s->how.event : "cpu-clock");
	h->freq = s->how.freq;
	h->period = s->how.period;
	h->samples_total = s->samples;
	h->lost = s->lost;
}

static void vitals_health(struct source *s, struct health *h)
{
}

static void sched_health(struct source *s, struct health *h)
{
	copy_str(h->tier, sizeof(h->tier), "fixture");
	copy_str(h->event, sizeof(h->event), "sched_switch");
	h->samples_total = sched_samples;
}

static void cache_health(struct source *s, struct health *h)
{
	copy_str(h->tier, sizeof(h->tier), "fixture");
	copy_str(h->event, sizeof(h->event), "filemap");
	h->samples_total = cache_samples;
}

static void io_health(struct source *s, struct health *h)
{
	copy_str(h->tier, sizeof(h->tier), "fixture");
	copy_str(h->event, sizeof(h->event), "block_rq_complete");
	h->samples_total = io_samples;
}

static void procs_health(struct source *s, struct health *h)
{
	copy_str(h->tier, sizeof(h->tier), "fixture");
	copy_str(h->event, sizeof(h->event), "sched_switch");
}

static void system_health(struct source *s, struct health *h)
{
	copy_str(h->tier, sizeof(h->tier), "fixture");
	copy_str(h->event, sizeof(h->event), "figures");
	h->samples_total = system_samples;
}

static void bpf_health(struct source *s, struct health *h)
{
	copy_str(h->tier, sizeof(h->tier), "fixture");
	copy_str(h->event, sizeof(h->event), "run-time statistics");
	h->samples_total = bpf_samples;
}

#define COMMON                                                                                     \
	.open = fixture_open, .close = fixture_close, .set_scope = fixture_set_scope,              \
	.set_sampling = fixture_set_sampling, .fd = fixture_fd

static const struct source_ops fixture_cpu = {
	.name = "fixture", .title = "recorded input", COMMON, .drain = cpu_drain, .health = cpu_health};
static const struct source_ops fixture_vitals = {
	.name = "vitals", .title = "recorded input", COMMON, .drain = vitals_drain,
	.health = vitals_health};

static const struct source_ops fixture_sched = {
	.name = "fixture", .title = "recorded input", COMMON, .drain = sched_drain,
	.health = sched_health};

static const struct source_ops fixture_cache = {
	.name = "fixture", .title = "recorded input", COMMON, .drain = cache_drain,
	.health = cache_health};

static const struct source_ops fixture_bpf = {
	.name = "fixture", .title = "recorded input", COMMON, .drain = bpf_drain,
	.health = bpf_health};

static const struct source_ops fixture_io = {
	.name = "fixture", .title = "recorded input", COMMON, .drain = io_drain,
	.health = io_health};

static const struct source_ops fixture_procs = {
	.name = "fixture", .title = "recorded input", COMMON, .drain = procs_drain,
	.health = procs_health};

static const struct source_ops fixture_system = {
	.name = "fixture", .title = "recorded input", COMMON, .drain = system_drain,
	.health = system_health};

#define MEASURE(id, name_, ...)                                                                    \
	static u64 samples_##name_;                                                                \
	static void drain_##name_(struct source *s, bool tick, const struct sample_sink *sink)     \
	{                                                                                          \
		static u32 next;                                                                   \
                                                                                                   \
		for (struct record *r; (r = take_next(&next, tick));)                              \
			if (r->measure &&                                                          \
			    measure_record__of(r->measure) == measure_table[MEASURE_##id]) {       \
				samples_##name_++;                                                 \
				measure_record__put(r->measure, now_ns(), sink);                   \
			}                                                                          \
	}                                                                                          \
	static void health_##name_(struct source *s, struct health *h)                             \
	{                                                                                          \
		copy_str(h->tier, sizeof(h->tier), "fixture");                                     \
		copy_str(h->event, sizeof(h->event), measure_table[MEASURE_##id]->event);          \
		h->samples_total = samples_##name_;                                                \
	}                                                                                          \
	static const struct source_ops fixture_##name_ = {                                         \
		.name = "fixture", .title = "recorded input", COMMON, .drain = drain_##name_,      \
		.health = health_##name_};
#include "measures/measures.def"
#undef MEASURE

static const struct source_row rows[] = {
	{&fixture_vitals, MODEL_VITALS, 0},
	{&fixture_cpu, MODEL_PROFILE, 1},
	{&fixture_sched, MODEL_SCHED, 1},
	{&fixture_sched, MODEL_WAITS, 1},
	{&fixture_cache, MODEL_CACHE, 1},
	{&fixture_io, MODEL_IO, 1},
	{&fixture_procs, MODEL_PROCS, 1},
	{&fixture_system, MODEL_SYSTEM, 0},
	{&fixture_bpf, MODEL_BPF, 1},
#define MEASURE(id, name, ...) {&fixture_##name, MODEL_##id, 1},
#include "measures/measures.def"
#undef MEASURE
	{0},
};

const struct fixture *fixture__read(const char *path)
{
	static const struct fixture fixture = {.sources = rows, .begin = begin};
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t cap = 0;
	u32 n = 0;

	if (!f)
		wrong(path, 0, strerror(errno));
	while (getline(&line, &cap, f) > 0) {
		n++;
		if (*line == '#' || *line == '\n')
			continue;
		records = xrealloc(records, sizeof(*records) * (nrecords + 1));
		records[nrecords] = (struct record){0};
		if (!parse_line(&records[nrecords++], line))
			wrong(path, n, "not a record");
	}
	free(line);
	fclose(f);
	return &fixture;
}
