/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads a recording, interval by interval. Whatever is in the file, reading takes bounded memory
 * and ends; what cannot be read is left out and told by reader__trouble. One thread at a time.
 */
#ifndef RECORDING_READER_H
#define RECORDING_READER_H

#include "base/status.h"
#include "recording/mark.h"
#include "recording/names_in.h"
#include "recording/types.h"

struct reader;

/* NULL with st: no recording, or nothing in it can be read. The fd is the reader's from then on,
 * also on failure. */
struct reader *reader__open(const char *path, struct symbols *symbols, struct status *st);
struct reader *reader__open_fd(int fd, const char *path, struct symbols *symbols,
			       struct status *st);
void reader__free(struct reader *r);

/* Of recorder__memory, in the same process. */
struct reader *reader__open_memory(int fd, struct symbols *symbols, struct status *st);

/* Of a stream, which has its head at least in the first `size` bytes of the file; the fd is taken. Its
 * parts count from part_base, so that stacks of another stream have other hashes. NULL: it has none. */
struct reader *reader__open_stream(int fd, u64 size, u32 part_base, struct symbols *symbols);
/* There is more of it, always whole blocks. Returns up to where nothing is looked at again. */
u64 reader__grow(struct reader *r, u64 size);

struct recording_summary {
	u64 models;	      /* that have intervals, a bit per model_id */
	u64 intervals, bytes; /* bytes: of the part of the file that can be read */
	u64 begin_ns, end_ns;
};

/* It is one of several recordings (base/hosts.h): which one, how far its clock is behind theirs, and what its
 * parts count from. Before the first interval is read. */
void reader__set_host(struct reader *r, u32 host, u64 behind_ns, u32 part_base);
/* Another fd to read the same by, -1: there is none. */
int reader__another_fd(const struct reader *r);
void reader__summary(const struct reader *r, struct recording_summary *out);
/* What the head tells; "" when it does not. */
const char *reader__note(const struct reader *r, const char *key);
/* What of the file cannot be read, "" nothing; more may come to light as it is read. */
const char *reader__trouble(const struct reader *r);

/* The next interval; false at the end, or when a stream has no more yet. */
bool reader__next(struct reader *r, struct record_interval *out);
/* What follows is the first interval that ends after t, also one that was written since; false:
 * there is none. */
bool reader__seek(struct reader *r, u64 t_ns);
/* Calls fn for each sample of that interval that a model was given; any number of times. A stack
 * is told by its position (codec.stacks) before it is needed. */
void reader__samples(struct reader *r, u32 model,
		     void (*fn)(void *ctx, const struct codec *c, const struct sample_codec *type,
				const union any_sample *s),
		     void *ctx);
struct names_in *reader__names(const struct reader *r);
/* Rises when all stacks get new hashes. */
u32 reader__part(const struct reader *r);

#endif
