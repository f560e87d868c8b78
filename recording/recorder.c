// SPDX-License-Identifier: GPL-2.0-only
#include "recording/recorder.h"

#include "base/log.h"
#include "base/memory.h"
#include "models/model.h"
#include "recording/file_out.h"
#include "recording/mark.h"
#include "recording/names_out.h"
#include "recording/types.h"

/* A block is written when it is so large, or its first interval began so long ago: what a kill
 * loses is less than that. */
#define BLOCK_BYTES (128u << 10)
#define BLOCK_NS    (3 * NSEC_PER_SEC)
/* Within an interval, another block begins. */
#define PIECE_BYTES (1u << 20)
/* Names that are being looked up when it ends. */
#define SETTLE_MS 3000
#define STREAM_SETTLE_MS 100
#define LITTLE_PART	 128 /* of a table, for each CPU */

/* A block of samples that waits for the end of its interval. */
struct piece {
	struct block block;
	struct bytes bytes;
};

struct recorder {
	struct record_sink sink;
	struct symbols *symbols;
	struct file_out *file;
	struct names_out names;
	struct codec codec;
	struct bytes samples; /* the block that is being filled */
	struct block block;   /* what is known of it */
	struct piece *pieces; /* those before it that are not written yet */
	u32 npieces, pieces_cap;
	size_t held;		  /* bytes in pieces */
	u64 route;		  /* models of the samples now; 0: the interval begins */
	u64 last_t1_ns, since_ns; /* where the last interval ended; the first one of the block */
	u32 unwritten;		  /* intervals in pieces and the block */
	u64 intervals, dropped;
	struct record_ring ring; /* bytes 0: in a file */
	u64 part_ns;		 /* when the part began */
	bool streams;		  /* whoever reads it sees each interval when it has ended */
	struct feed *last_feeds;  /* of a stream: what it said of each model's sources */
	bool within; /* an interval has begun */
	bool too_large;
	char error[200];
};

/* --- blocks --- */

static void flush_names(void *ctx)
{
	struct recorder *r = ctx;
	struct block b = {.kind = BLOCK_NAMES, .part = r->names.part};

	if (r->names.out.n)
		file_out__put(r->file, &b, &r->names.out);
	r->names.out.n = 0;
}

static void start_block(struct recorder *r)
{
	r->block = (struct block){.kind = BLOCK_SAMPLES,
				  .part = r->names.part,
				  .flags = r->within ? BLOCK_CONTINUES : 0};
	r->samples.n = 0;
}

static void hold_block(struct recorder *r)
{
	if (!r->samples.n)
		return;
	r->pieces = xgrow(r->pieces, r->npieces, &r->pieces_cap, sizeof(*r->pieces));
	r->pieces[r->npieces++] = (struct piece){r->block, r->samples};
	r->held += r->samples.n;
	r->samples = (struct bytes){0};
	start_block(r);
}

static void write_pieces(struct recorder *r)
{
	bool room = file_out__room(r->file, r->held) && !r->too_large;

	for (u32 i = 0; i < r->npieces; i++) {
		if (room)
			file_out__put(r->file, &r->pieces[i].block, &r->pieces[i].bytes);
		bytes__free(&r->pieces[i].bytes);
	}
	if (room)
		r->intervals += r->unwritten;
	else
		r->dropped += r->unwritten;
	r->npieces = r->unwritten = 0;
	r->held = 0;
	r->too_large = false;
}

/* Whole intervals, or none of them when the disk is too slow. */
static void flush(struct recorder *r)
{
	hold_block(r);
	flush_names(r);
	write_pieces(r);
}

static void begin_part(struct recorder *r)
{
	flush(r);
	names_out__refresh(&r->names, true);
	flush_names(r);
	names_out__new_part(&r->names);
	start_block(r);
	r->part_ns = r->last_t1_ns;
}

/* What is dropped of a recording in memory is a part at a time: there are always several. */
#define RING_PARTS 8

static bool part_is_due(const struct recorder *r)
{
	if (!r->ring.bytes)
		return names_out__full(&r->names);
	return names_out__full(&r->names) ||
	       r->last_t1_ns - r->part_ns > r->ring.span_ns / RING_PARTS ||
	       file_out__part_bytes(r->file) > r->ring.bytes / RING_PARTS;
}

/* In memory, each interval can be looked at as soon as it has ended. */
static bool block_is_due(const struct recorder *r)
{
	return r->ring.bytes || r->streams || r->held || r->samples.n > BLOCK_BYTES ||
	       r->last_t1_ns - r->since_ns >= BLOCK_NS;
}

static bool failed(struct recorder *r)
{
	const char *error = r->error[0] ? NULL : file_out__error(r->file);

	if (error) {
		copy_str(r->error, sizeof(r->error), error);
		log__add(LOG_ERROR, "recording ends: %s", r->error);
	}
	return r->error[0];
}

/* --- samples --- */

static void begin_route(struct recorder *r, u64 models)
{
	size_t begin = bytes__begin(&r->samples, RECORD_ROUTE);

	codec__begin_route(&r->codec, r->last_t1_ns);
	bytes__varint(&r->samples, models);
	bytes__varint(&r->samples, r->codec.base_ns);
	bytes__end(&r->samples, begin);
	r->route = models;
	r->within = true;
}

static void put_sample(struct recorder *r, u64 models, const struct sample *s)
{
	if (r->held + r->samples.n > INTERVAL_RAW_MAX / 2)
		r->too_large = true;
	if (r->too_large || !sample_codec__of(s->type))
		return;
	if (r->route != models)
		begin_route(r, models);
	sample__write(&r->codec, s);
	if (r->samples.n > PIECE_BYTES)
		hold_block(r);
}

static void put_proc(struct recorder *r, u64 models, const struct proc_event *ev)
{
	names_out__proc(&r->names, ev);
	if (proc_event__is_life(ev))
		put_sample(r, models, &ev->head);
}

static void recorder__put(struct record_sink *t, u64 models, const struct sample *s)
{
	struct recorder *r = container_of(t, struct recorder, sink);

	if (r->error[0])
		return;
	if (s->type == SAMPLE_STACK_DEF)
		names_out__define(&r->names, container_of(s, struct stack_def, head));
	else if (s->type == SAMPLE_PROC)
		put_proc(r, models, container_of(s, struct proc_event, head));
	else
		put_sample(r, models, s);
}

/* In a stream names come with what they are of, where that takes no time to speak of. */
static void refresh_names(struct recorder *r)
{
	names_out__refresh(&r->names, false);
	if (!r->streams || !r->names.npending)
		return;
	symbols__wait(r->symbols, STREAM_SETTLE_MS);
	names_out__refresh(&r->names, false);
}

static bool same_feed(const struct feed *a, const struct feed *b)
{
	return a->state == b->state && a->exit_code == b->exit_code && !strcmp(a->reason, b->reason) &&
	       !strcmp(a->refused, b->refused);
}

static void write_feed(struct recorder *r, struct bytes *out, u32 model, const struct feed *f)
{
	size_t begin = bytes__begin(out, RECORD_FEED);

	bytes__text(out, model_table[model]->name);
	bytes__varint(out, f->state);
	bytes__varint(out, (u64)f->exit_code);
	bytes__text(out, f->reason);
	bytes__text(out, f->refused);
	bytes__end(out, begin);
	r->last_feeds[model] = *f;
}

static void recorder__feeds(struct record_sink *t, const struct feed *feeds)
{
	struct recorder *r = container_of(t, struct recorder, sink);
	struct block b = {.kind = BLOCK_FEEDS, .part = r->names.part};
	struct bytes out = {0};

	for (u32 m = 0; m < MODEL_COUNT; m++)
		if (!same_feed(&r->last_feeds[m], &feeds[m]))
			write_feed(r, &out, m, &feeds[m]);
	if (out.n)
		file_out__put(r->file, &b, &out);
	bytes__free(&out);
}

static void recorder__end_interval(struct record_sink *t, const struct record_interval *iv)
{
	struct recorder *r = container_of(t, struct recorder, sink);

	if (failed(r))
		return;
	refresh_names(r);
	mark__write(&r->codec, iv);
	if (!r->unwritten)
		r->since_ns = r->last_t1_ns;
	r->last_t1_ns = r->block.t1_ns = iv->t1_ns;
	r->block.models |= iv->models;
	r->block.intervals++;
	r->unwritten++;
	r->route = 0;
	r->within = false;
	if (!r->part_ns)
		r->part_ns = iv->t1_ns;
	if (block_is_due(r))
		flush(r);
	if (part_is_due(r))
		begin_part(r);
}

static void recorder__state(const struct record_sink *t, struct recording_state *out)
{
	const struct recorder *r = container_of(t, const struct recorder, sink);

	*out = (struct recording_state){
		.kind = RECORDING_RECORD,
		.intervals = r->intervals + r->unwritten,
		.bytes = file_out__written(r->file),
		.dropped = r->dropped,
		.begin_ns = file_out__begin_ns(r->file),
		.end_ns = r->last_t1_ns,
		.stopped = r->error[0],
	};
	copy_str(out->error, sizeof(out->error), r->error);
}

/* --- life --- */

static void recorder__close(struct record_sink *t)
{
	struct recorder *r = container_of(t, struct recorder, sink);
	struct status st = {0};

	if (!r->names.local && !r->streams) {
		symbols__kick(r->symbols);
		symbols__wait(r->symbols, SETTLE_MS);
	}
	names_out__refresh(&r->names, true);
	flush(r);
	flush_names(r);
	file_out__free(r->file, &st);
	if (st.msg[0] && !r->error[0] && !r->streams)
		log__add(LOG_ERROR, "recording is not whole: %s", st.msg);
	if (r->dropped)
		log__add(LOG_WARN, "recording: %llu intervals are missing, the disk was too slow",
			 (unsigned long long)r->dropped);
	names_out__fini(&r->names);
	bytes__free(&r->samples);
	free(r->pieces);
	free(r->last_feeds);
	free(r);
}

static const struct record_sink_ops recorder_ops = {
	.put = recorder__put,
	.end_interval = recorder__end_interval,
	.state = recorder__state,
	.close = recorder__close,
};

static const struct record_sink_ops stream_ops = {
	.put = recorder__put,
	.end_interval = recorder__end_interval,
	.feeds = recorder__feeds,
	.state = recorder__state,
	.close = recorder__close,
};

static void write_head(struct recorder *r, const struct recording_note *notes)
{
	struct block b = {.kind = BLOCK_HEAD};
	struct bytes head = {0};
	size_t begin;

	for (; notes && notes->key; notes++) {
		begin = bytes__begin(&head, RECORD_INFO);
		bytes__text(&head, notes->key);
		bytes__text(&head, notes->value);
		bytes__end(&head, begin);
	}
	for (u32 m = 0; m < MODEL_COUNT; m++) {
		begin = bytes__begin(&head, RECORD_MODEL);
		bytes__text(&head, model_table[m]->name);
		bytes__end(&head, begin);
	}
	file_out__put(r->file, &b, &head);
}

int recorder__memory(const struct record_sink *t, struct status *st)
{
	return file_out__reader(container_of(t, const struct recorder, sink)->file, st);
}

/* In memory, new parts begin sooner where that is little: a part's tables are, too. */
static u32 names_most(const struct names_out *n, u32 most, u32 asked)
{
	if (n->local)
		most = memory__entries(most, most / LITTLE_PART);
	return asked ? MIN(most, asked) : most;
}

struct record_sink *recorder__new(const struct recorder_config *cfg, struct status *st)
{
	struct file_out *file = cfg->stream ? file_out__new_stream(cfg->stream)
				: cfg->path ? file_out__new(cfg->path, st)
					    : file_out__new_memory(&cfg->ring, st);
	struct recorder *r;

	if (!file)
		return NULL;
	r = xcalloc(1, sizeof(*r));
	r->streams = cfg->stream;
	r->sink.ops = r->streams ? &stream_ops : &recorder_ops;
	if (r->streams)
		r->last_feeds = xcalloc(MODEL_COUNT, sizeof(*r->last_feeds));
	r->symbols = cfg->symbols;
	r->file = file;
	if (!r->streams)
		r->ring = cfg->ring;
	names_out__init(&r->names, cfg->symbols, flush_names, r);
	r->names.local = !cfg->path && !r->streams;
	for (u32 t = 0; t < NAME_TABLES; t++)
		r->names.limit[t] = names_most(&r->names, r->names.limit[t], cfg->names_max);
	r->codec.out = &r->samples;
	r->codec.to = &r->names;
	start_block(r);
	write_head(r, cfg->notes);
	return &r->sink;
}
