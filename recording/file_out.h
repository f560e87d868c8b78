/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording's file: blocks are queued, and packed and written by a worker, so that a slow disk
 * never holds up whoever queues. Calls are the owner's.
 */
#ifndef RECORDING_FILE_OUT_H
#define RECORDING_FILE_OUT_H

#include "base/status.h"
#include "recording/block.h"
#include "samples/record_sink.h"

#define FILE_OUT_QUEUE (32u << 20) /* bytes, unpacked, that may wait */

struct file_out;

/* Makes the file, for its owner alone; one that is there is never written over. NULL with st. */
struct file_out *file_out__new(const char *path, struct status *st);
/* In memory: parts that are too old, or too much, are dropped. */
struct file_out *file_out__new_memory(const struct record_ring *ring, struct status *st);
/* To a pipe or a socket, which stays the caller's. Whoever does not read is not waited for when it is freed. */
struct file_out *file_out__new_stream(int fd);
/* Of one in memory: another fd to read it by; -1 with st. */
int file_out__reader(const struct file_out *f, struct status *st);
/* Whether so many bytes more may wait. */
bool file_out__room(struct file_out *f, size_t bytes);
/* Queues a block; its bytes are taken. Nothing happens once writing failed. */
void file_out__put(struct file_out *f, const struct block *b, struct bytes *payload);
/* Bytes in the file that were not dropped. */
u64 file_out__written(struct file_out *f);
/* Of those, in the newest part. */
u64 file_out__part_bytes(struct file_out *f);
/* When what was not dropped begins; 0: at the beginning. */
u64 file_out__begin_ns(struct file_out *f);
/* Why nothing is written any more; NULL: all is well. */
const char *file_out__error(struct file_out *f);
/* Waits until all is written, closes and frees; an error of the end comes in st. */
void file_out__free(struct file_out *f, struct status *st);

#endif
