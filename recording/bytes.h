/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes that grow, and a cursor that reads them and cannot leave them. Plain values. */
#ifndef RECORDING_BYTES_H
#define RECORDING_BYTES_H

#include "base/arena.h"

struct bytes {
	u8 *v;
	size_t n, cap;
};

/* Room for so many more; they are part of it at once. */
u8 *bytes__add(struct bytes *b, size_t n);
void bytes__put(struct bytes *b, const void *data, size_t n);
void bytes__varint(struct bytes *b, u64 x);
void bytes__signed(struct bytes *b, s64 x);
void bytes__text(struct bytes *b, const char *text);
void bytes__double(struct bytes *b, double x);
/* The bytes of a record; returns where its length is to be set by bytes__end. */
size_t bytes__begin(struct bytes *b, u32 type);
void bytes__end(struct bytes *b, size_t begin);
void bytes__free(struct bytes *b);

void put_u32(u8 *at, u32 x);
void put_u64(u8 *at, u64 x);
u32 get_u32(const u8 *at);
u64 get_u64(const u8 *at);

struct cursor {
	const u8 *at, *end;
	bool broken; /* something did not fit; everything read since is 0 */
};

/* At the end everything is 0, and nothing is broken: fields that were added later. */
u64 cursor__varint(struct cursor *c);
s64 cursor__signed(struct cursor *c);
/* A varint below limit, else broken and 0. */
u32 cursor__below(struct cursor *c, u64 limit);
/* Into buf, cut at its size. */
void cursor__text(struct cursor *c, char *buf, size_t size);
double cursor__double(struct cursor *c);
/* Of fixed size, little endian; broken when they are not there. */
u32 cursor__u32(struct cursor *c);
u64 cursor__u64(struct cursor *c);
/* The next record's type and its bytes; false at the end, or when it does not fit (broken). */
bool cursor__record(struct cursor *c, u32 *type, struct cursor *record);

/* CRC-32C (Castagnoli), as in RFC 3720. */
u32 crc32c(const void *data, size_t n);

#endif
