/* SPDX-License-Identifier: GPL-2.0-only */
/* Blocks of a recording: their headers, packing and unpacking. See recording/format.h. */
#ifndef RECORDING_BLOCK_H
#define RECORDING_BLOCK_H

#include "recording/bytes.h"
#include "recording/format.h"

struct block {
	u32 kind, flags, part;
	u32 stored, raw, crc;
	u64 t1_ns, models;
	u32 intervals;
};

struct packer; /* of one thread */

struct packer *packer__new(void);
void packer__free(struct packer *p);
/* Appends a whole block to out; of b what is about the payload is set. 0 or -errno. */
int packer__add(struct packer *p, struct block *b, const struct bytes *payload, struct bytes *out);

void block__write_header(const struct block *b, u8 *header);
/* False: it is no header. */
bool block__read_header(struct block *b, const u8 *header);
/* Unpacks b->raw bytes to `to`, b->stored of them being at `stored`; false: they are damaged. */
bool packer__unpack(struct packer *p, const struct block *b, const u8 *stored, u8 *to);

/* Of a payload in the file. */
#define BLOCK_STORED_MAX (BLOCK_RAW_MAX + (BLOCK_RAW_MAX >> 4))

#endif
