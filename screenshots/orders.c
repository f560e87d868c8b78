/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A made-up service for the pictures: parses orders, prices them, and hashes each line with
 * a loop that is inlined twice, which is where its time goes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NORDERS 2000

struct order {
	char line[96];
	unsigned quantity, price;
	uint64_t digest;
};

static inline __attribute__((always_inline)) uint64_t mix_byte(uint64_t h, unsigned char c)
{
	h ^= c;
	h *= 0x100000001b3ULL;
	return h ^ (h >> 29);
}

static inline __attribute__((always_inline)) uint64_t hash_text(const char *s, size_t n)
{
	uint64_t h = 0xcbf29ce484222325ULL;

	for (size_t i = 0; i < n; i++)
		h = mix_byte(h, (unsigned char)s[i]);
	return h;
}

static __attribute__((noinline)) void sign_order(struct order *o)
{
	size_t n = strlen(o->line);

	for (int round = 0; round < 40; round++)
		o->digest += hash_text(o->line, n);
}

static __attribute__((noinline)) int parse_order(struct order *o)
{
	char *end;

	o->quantity = (unsigned)strtoul(o->line, &end, 10);
	o->price = (unsigned)strtoul(end + 1, &end, 10);
	return *end == ' ' ? 0 : -1;
}

static __attribute__((noinline)) uint64_t price_orders(const struct order *o, unsigned n)
{
	uint64_t sum = 0;

	for (unsigned pass = 0; pass < 30; pass++)
		for (unsigned i = 0; i < n; i++)
			sum += (uint64_t)o[i].quantity * o[i].price / (pass + 1);
	return sum;
}

static __attribute__((noinline)) uint64_t handle_batch(struct order *o, unsigned seed)
{
	for (unsigned i = 0; i < NORDERS; i++) {
		snprintf(o[i].line, sizeof(o[i].line), "%u %u customer-%08x/item-%u", i % 9 + 1,
			 i * 7 + 5, seed + i, i);
		if (parse_order(&o[i]))
			exit(1);
		sign_order(&o[i]);
	}
	return price_orders(o, NORDERS);
}

int main(void)
{
	struct order *orders = calloc(NORDERS, sizeof(*orders));
	uint64_t sum = 0;

	for (unsigned seed = 1; orders && seed; seed++)
		sum += handle_batch(orders, seed);
	return (int)(sum & 1);
}
