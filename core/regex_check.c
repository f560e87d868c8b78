// SPDX-License-Identifier: GPL-2.0-only
/*
 * What regcomp would cost, told before it is called. The C library copies the repeated part
 * once per count of {m,n} and once for +, so nested repeats multiply: ((a{99}){99}){99} is a
 * million nodes and a handful of levels more end the process. Back references make matching
 * exponential in the name's length.
 */
#include "core/scope_form.h"

#define MAX_DEPTH 32
#define MAX_NODES 1000 /* optional ones cost their square */

struct level {
	u64 sum;  /* nodes of finished items */
	u64 last; /* nodes of the item a repeat would act on */
};

struct check {
	struct level levels[MAX_DEPTH];
	u32 depth;
};

static void next_item(struct check *c, u64 nodes)
{
	struct level *l = &c->levels[c->depth];

	l->sum = MIN(l->sum + l->last, (u64)MAX_NODES + 1);
	l->last = nodes;
}

static void repeat(struct check *c, u64 times)
{
	struct level *l = &c->levels[c->depth];

	l->last = MIN(l->last * times, (u64)MAX_NODES + 1);
}

/* Past the end of a [...] that begins at p; inside, only its own ] counts. */
static const char *skip_bracket(const char *p)
{
	p++;
	if (*p == '^')
		p++;
	if (*p == ']')
		p++;
	while (*p && *p != ']') {
		if (*p == '[' && (p[1] == ':' || p[1] == '.' || p[1] == '=')) {
			const char close[] = {p[1], ']', '\0'};
			const char *end = strstr(p + 2, close);

			p = end ? end + 2 : p + 1;
		} else {
			p++;
		}
	}
	return *p ? p + 1 : p;
}

/* The largest number in {m,n}, at least 1, plus the copy that {m,} keeps. */
static u64 interval_count(const char *p)
{
	u64 most = 1, n = 0;

	for (; *p && *p != '}'; p++) {
		if (*p < '0' || *p > '9')
			n = 0;
		else
			n = MIN(n * 10 + (u64)(*p - '0'), (u64)MAX_NODES);
		most = MAX(most, n);
	}
	return most + 1;
}

static const char *close_group(struct check *c)
{
	u64 nodes;

	if (!c->depth) {
		next_item(c, 1);
		return NULL;
	}
	next_item(c, 0);
	nodes = c->levels[c->depth--].sum + 1;
	next_item(c, nodes);
	return NULL;
}

static const char *open_group(struct check *c)
{
	if (c->depth + 1 == MAX_DEPTH)
		return "parentheses are nested too deeply";
	next_item(c, 0);
	c->levels[++c->depth] = (struct level){0};
	return NULL;
}

/* Takes one token at *p and moves on. */
static const char *step(struct check *c, const char **p)
{
	const char *at = (*p)++;

	switch (*at) {
	case '(':
		return open_group(c);
	case ')':
		return close_group(c);
	case '*':
	case '?':
		return NULL;
	case '+':
		repeat(c, 2);
		return NULL;
	case '{':
		repeat(c, interval_count(at + 1));
		return NULL;
	case '[':
		next_item(c, 1);
		*p = skip_bracket(at);
		return NULL;
	case '\\':
		next_item(c, 1);
		if (at[1] >= '1' && at[1] <= '9')
			return "back references like \\1 are not supported";
		*p += at[1] != '\0';
		return NULL;
	default:
		next_item(c, 1);
		return NULL;
	}
}

const char *regex__refuse(const char *pattern)
{
	struct check c = {0};
	const char *why = NULL;

	while (*pattern && !why) {
		why = step(&c, &pattern);
		if (!why && c.levels[c.depth].last + c.levels[c.depth].sum > MAX_NODES)
			why = "it is too large or repeats too often";
	}
	return why;
}
