/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording: what is in its blocks, played to all models. Checksums would keep changes out, so
 * the input is the payloads, and the blocks are made here: kind, flags and part in a byte, two
 * bytes of length, the payload. An input that begins as a recording does is taken as the file.
 */
#include <stdio.h>
#include <unistd.h>

#include "models/model.h"
#include "recording/block.h"
#include "recording/player.h"
#include "scope/filter.h"
#include "tests/fuzz/fuzz.h"

#define INTERVALS_MAX 50
#define SYMBOLS_FOR   2000 /* inputs: its tables only grow */

static struct symbols *symbols;
static u32 inputs;
static u32 samples; /* of one input */

/* The head names the models. */
static void add_head(struct packer *p, struct bytes *file)
{
	struct block b = {.kind = BLOCK_HEAD};
	struct bytes head = {0};

	bytes__put(file, RECORDING_MAGIC, RECORDING_MAGIC_LEN);
	for (u32 m = 0; m < MODEL_COUNT; m++) {
		size_t begin = bytes__begin(&head, RECORD_MODEL);

		bytes__text(&head, model_table[m]->name);
		bytes__end(&head, begin);
	}
	packer__add(p, &b, &head, file);
	bytes__free(&head);
}

static size_t add_block(struct packer *p, struct bytes *file, const u8 *data, size_t size)
{
	struct block b = {.kind = BLOCK_HEAD + data[0] % 4, /* feeds of a stream, too */
			  .flags = data[0] & 0x10 ? BLOCK_CONTINUES : 0,
			  .part = data[0] >> 6,
			  .intervals = 1,
			  .models = UINT64_MAX};
	size_t len = MIN((size_t)(data[1] | data[2] << 8), size - 3);
	struct bytes payload = {0};

	bytes__put(&payload, data + 3, len);
	packer__add(p, &b, &payload, file);
	bytes__free(&payload);
	return 3 + len;
}

static void make_file(struct bytes *file, const u8 *data, size_t size)
{
	struct packer *p = packer__new();
	size_t at = 0;

	add_head(p, file);
	while (at + 3 < size)
		at += add_block(p, file, data + at, size - at);
	packer__free(p);
}

struct listener {
	const struct model_ops *ops;
	struct model *model;
	struct source *source;
};

static void put(void *ctx, const struct sample *s)
{
	struct listener *l = ctx;

	samples++;
	l->ops->consume(l->model, s);
}

static void listen(struct listener *l, struct replay_source *replay, u32 model,
		   const struct scope *scope)
{
	const struct source_ops *ops = player__sources()[model].ops;
	struct sampling how = {.replay = replay};
	struct status st;

	*l = (struct listener){.ops = model_table[model]};
	l->model = l->ops->new (symbols);
	l->source = ops->open(&how, scope, &st);
}

static void hear(struct listener *l, u32 model, const struct record_interval *iv)
{
	const struct source_ops *ops = player__sources()[model].ops;
	struct sample_sink sink = {put, l};
	struct health h;

	if (!l->source)
		return;
	ops->drain(l->source, true, &sink);
	ops->health(l->source, &h);
	if (iv->models & 1ULL << model)
		snap__put(l->ops->tick(l->model, iv->v[model].t0_ns, iv->t1_ns));
}

static void play(struct player *p, const struct scope *scope)
{
	struct replay_source *replay = player__replay(p);
	struct listener l[MODEL_COUNT];
	struct record_interval iv;

	for (u32 m = 0; m < MODEL_COUNT; m++)
		listen(&l[m], replay, m, scope);
	replay->handing_out = true;
	for (u32 i = 0; i < INTERVALS_MAX && replay->ops->next(replay, &iv); i++)
		for (u32 m = 0; m < MODEL_COUNT; m++)
			hear(&l[m], m, &iv);
	for (u32 m = 0; m < MODEL_COUNT; m++) {
		if (l[m].source)
			player__sources()[m].ops->close(l[m].source);
		l[m].ops->free(l[m].model);
	}
}

/* The same as it would come from another machine, in two pieces. */
static void play_stream(const struct bytes *file, const struct scope *scope)
{
	struct link *link = link__new(&(struct link_config){.host = "other"});
	struct player *p;
	struct status st = {0};

	link__take(link, file->v, file->n / 2);
	link__take(link, file->v + file->n / 2, file->n - file->n / 2);
	p = player__open_link(link, symbols, &st);
	if (p)
		play(p, scope);
	else if (!st.msg[0])
		abort();
	player__free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct filter_error err;
	struct bytes file = {0};
	struct status st = {0};
	struct scope *scope;
	struct player *p;
	char path[32];
	int fd;

	samples = 0;
	if (inputs++ % SYMBOLS_FOR == 0) {
		symbols__free(symbols);
		symbols = symbols__new(&st);
	}
	if (size >= RECORDING_MAGIC_LEN && !memcmp(data, RECORDING_MAGIC, RECORDING_MAGIC_LEN))
		bytes__put(&file, data, size);
	else
		make_file(&file, data, size);
	fd = fuzz__file(file.v, file.n);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	scope = filter__parse(size & 1 ? "comm~a pid!=3" : "", &err);
	p = player__open(path, symbols, "", &st);
	if (p)
		play(p, scope);
	else if (!st.msg[0])
		abort();
	player__free(p);
	play_stream(&file, scope);
	scope__put(scope);
	bytes__free(&file);
	close(fd);
	return fuzz__through(samples);
}
