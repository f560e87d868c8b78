/* SPDX-License-Identifier: GPL-2.0-only */
/* Base types and helpers that every layer may use. No state, no I/O. */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b)     ((a) < (b) ? (a) : (b))
#define MAX(a, b)     ((a) > (b) ? (a) : (b))
#define CLAMP(x, lo, hi) MIN(MAX(x, lo), hi)
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define container_of(ptr, type, member) ((type *)((char *)(ptr) - offsetof(type, member)))

#define NSEC_PER_SEC  1000000000ULL
#define NSEC_PER_MSEC 1000000ULL

/* Length of a task's name with its NUL, as in the kernel. */
#define COMM_LEN 16

/* Finalizer of splitmix64: every input bit reaches every output bit. */
static inline u64 mix64(u64 x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static inline u64 mix64_pair(u64 a, u64 b)
{
	return mix64(a ^ mix64(b + 0x9e3779b97f4a7c15ULL));
}

/* FNV-1a; for strings, then mixed by the caller's table. */
static inline u64 hash_bytes(const void *data, size_t len)
{
	const u8 *p = data;
	u64 h = 0xcbf29ce484222325ULL;

	for (size_t i = 0; i < len; i++)
		h = (h ^ p[i]) * 0x100000001b3ULL;
	return mix64(h);
}

/* Of what has no padding, eight times as fast. */
static inline u64 hash_words(const void *data, size_t bytes)
{
	const u64 *p = data;
	u64 h = bytes;

	for (size_t i = 0; i < bytes / sizeof(*p); i++) {
		h = (h ^ p[i]) * 0x9fb21c651e98df25ULL;
		h ^= h >> 32;
	}
	return mix64(h);
}

/* Copies at most size - 1 bytes and always terminates. */
static inline void copy_str(char *dst, size_t size, const char *src)
{
	size_t n = 0;

	for (; n + 1 < size && src[n]; n++)
		dst[n] = src[n];
	dst[n] = '\0';
}

#endif
