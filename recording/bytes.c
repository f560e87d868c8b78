// SPDX-License-Identifier: GPL-2.0-only
#include "recording/bytes.h"

/* --- writing --- */

u8 *bytes__add(struct bytes *b, size_t n)
{
	if (b->cap - b->n < n || !b->v) {
		b->cap = MAX(MAX(b->cap * 2, b->n + n), (size_t)4096);
		b->v = xrealloc(b->v, b->cap);
	}
	b->n += n;
	return b->v + b->n - n;
}

void bytes__put(struct bytes *b, const void *data, size_t n)
{
	if (n)
		memcpy(bytes__add(b, n), data, n);
}

static u32 write_varint(u8 *at, u64 x)
{
	u32 n = 0;

	for (; x >= 0x80; x >>= 7)
		at[n++] = (u8)(x | 0x80);
	at[n++] = (u8)x;
	return n;
}

void bytes__varint(struct bytes *b, u64 x)
{
	u8 *at = bytes__add(b, 10);

	b->n -= 10 - write_varint(at, x);
}

void bytes__signed(struct bytes *b, s64 x)
{
	bytes__varint(b, (u64)x << 1 ^ (x < 0 ? UINT64_MAX : 0));
}

void bytes__text(struct bytes *b, const char *text)
{
	size_t n = strlen(text);

	bytes__varint(b, n);
	bytes__put(b, text, n);
}

void bytes__double(struct bytes *b, double x)
{
	u64 bits;

	memcpy(&bits, &x, sizeof(bits));
	put_u64(bytes__add(b, sizeof(bits)), bits);
}

/* Most records are short: one byte is kept for the length, more are made room for. */
size_t bytes__begin(struct bytes *b, u32 type)
{
	bytes__varint(b, type);
	bytes__add(b, 1);
	return b->n;
}

void bytes__end(struct bytes *b, size_t begin)
{
	size_t len = b->n - begin;
	u8 coded[10];
	u32 n = write_varint(coded, len);

	if (n > 1) {
		bytes__add(b, n - 1);
		memmove(b->v + begin + n - 1, b->v + begin, len);
	}
	memcpy(b->v + begin - 1, coded, n);
}

void bytes__free(struct bytes *b)
{
	free(b->v);
	*b = (struct bytes){0};
}

void put_u32(u8 *at, u32 x)
{
	for (u32 i = 0; i < 4; i++)
		at[i] = (u8)(x >> 8 * i);
}

void put_u64(u8 *at, u64 x)
{
	for (u32 i = 0; i < 8; i++)
		at[i] = (u8)(x >> 8 * i);
}

/* --- reading --- */

u32 get_u32(const u8 *at)
{
	return (u32)at[0] | (u32)at[1] << 8 | (u32)at[2] << 16 | (u32)at[3] << 24;
}

u64 get_u64(const u8 *at)
{
	return get_u32(at) | (u64)get_u32(at + 4) << 32;
}

static u64 broken(struct cursor *c)
{
	c->broken = true;
	c->at = c->end;
	return 0;
}

u64 cursor__varint(struct cursor *c)
{
	u64 x = 0;

	if (c->at == c->end)
		return 0;
	for (u32 shift = 0; shift < 64; shift += 7) {
		u8 byte;

		if (c->at == c->end)
			return broken(c);
		byte = *c->at++;
		x |= (u64)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return x;
	}
	return broken(c);
}

s64 cursor__signed(struct cursor *c)
{
	u64 x = cursor__varint(c);

	return (s64)(x >> 1 ^ (x & 1 ? UINT64_MAX : 0));
}

u32 cursor__below(struct cursor *c, u64 limit)
{
	u64 x = cursor__varint(c);

	return x < limit ? (u32)x : (u32)broken(c);
}

void cursor__text(struct cursor *c, char *buf, size_t size)
{
	u64 n = cursor__varint(c), kept;

	*buf = '\0';
	if (n > (u64)(c->end - c->at)) {
		broken(c);
		return;
	}
	kept = MIN(n, size - 1);
	for (u64 i = 0; i < kept; i++)
		buf[i] = (char)(c->at[i] ? c->at[i] : '?');
	buf[kept] = '\0';
	c->at += n;
}

double cursor__double(struct cursor *c)
{
	double x;
	u64 bits;

	if (c->at == c->end)
		return 0;
	if (c->end - c->at < (ptrdiff_t)sizeof(bits))
		return (double)broken(c);
	bits = get_u64(c->at);
	c->at += sizeof(bits);
	memcpy(&x, &bits, sizeof(x));
	/* Neither infinite nor not a number. */
	return x > -1e300 && x < 1e300 ? x : (double)broken(c);
}

u32 cursor__u32(struct cursor *c)
{
	if (c->end - c->at < 4)
		return (u32)broken(c);
	c->at += 4;
	return get_u32(c->at - 4);
}

u64 cursor__u64(struct cursor *c)
{
	if (c->end - c->at < 8)
		return broken(c);
	c->at += 8;
	return get_u64(c->at - 8);
}

bool cursor__record(struct cursor *c, u32 *type, struct cursor *record)
{
	u64 t, n;

	if (c->at == c->end)
		return false;
	t = cursor__varint(c);
	n = cursor__varint(c);
	if (c->broken || n > (u64)(c->end - c->at) || t > UINT32_MAX) {
		broken(c);
		return false;
	}
	*type = (u32)t;
	*record = (struct cursor){c->at, c->at + n, false};
	c->at += n;
	return true;
}

/* --- CRC --- */

#define CRC_POLYNOMIAL 0x82f63b78u

/* One nibble. */
#define STEP(x)	  ((x) >> 1 ^ ((x)&1 ? CRC_POLYNOMIAL : 0))
#define NIBBLE(x) STEP(STEP(STEP(STEP((u32)(x)))))

static const u32 nibbles[16] = {
	NIBBLE(0),  NIBBLE(1),	NIBBLE(2),  NIBBLE(3),	NIBBLE(4),  NIBBLE(5),
	NIBBLE(6),  NIBBLE(7),	NIBBLE(8),  NIBBLE(9),	NIBBLE(10), NIBBLE(11),
	NIBBLE(12), NIBBLE(13), NIBBLE(14), NIBBLE(15),
};

u32 crc32c(const void *data, size_t n)
{
	const u8 *p = data;
	u32 crc = ~0u;

	for (size_t i = 0; i < n; i++) {
		crc ^= p[i];
		crc = nibbles[crc & 15] ^ crc >> 4;
		crc = nibbles[crc & 15] ^ crc >> 4;
	}
	return ~crc;
}
