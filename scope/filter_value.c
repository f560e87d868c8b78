// SPDX-License-Identifier: GPL-2.0-only
/* Values of filter terms: lists of ids, times, states, regular expressions. */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/arena.h"
#include "scope/filter_impl.h"

#define PID_LIMIT    4194304		    /* PID_MAX_LIMIT of 64-bit kernels */
#define CPU_LIMIT    8191		    /* largest NR_CPUS - 1 */
#define NUMBER_LIMIT 1000000000000000000ULL /* also 30 years in ns */

int filter__fail(struct filter_error *err, u32 column, u32 length, const char *fmt, ...)
{
	va_list ap;

	err->column = column;
	err->length = MAX(length, 1u);
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Marks `len` bytes at p within the value, or all of it where quotes moved things. */
static int fail_at(struct filter_error *err, const struct term *t, const char *p, size_t len,
		   const char *msg)
{
	if (!t->plain)
		return filter__fail(err, t->at, t->len, "%s", msg);
	return filter__fail(err, t->at + (u32)(p - t->value), (u32)len, "%s", msg);
}

/* Reads digits, saturating; false when there are none. */
static bool read_number(const char **p, u64 *n)
{
	const char *s = *p;

	for (*n = 0; is_digit(*s); s++)
		*n = MIN(*n * 10 + (u64)(*s - '0'), NUMBER_LIMIT);
	if (s == *p)
		return false;
	*p = s;
	return true;
}

struct id_range {
	u64 lo, hi;
	const char *at;
	size_t len;
};

static int read_range(const struct term *t, const char **p, struct id_range *r, u64 limit,
		      struct filter_error *err)
{
	char msg[120];

	r->at = *p;
	r->len = strcspn(*p, ",");
	if (!read_number(p, &r->lo))
		goto wrong;
	r->hi = r->lo;
	if (**p == '-') {
		(*p)++;
		if (!read_number(p, &r->hi))
			goto wrong;
	}
	if (**p && **p != ',')
		goto wrong;
	if (r->lo > limit || r->hi > limit) {
		snprintf(msg, sizeof(msg), "too large: %.*s ids go up to %llu", (int)t->name_len,
			 t->name, (unsigned long long)limit);
		return fail_at(err, t, r->at, r->len, msg);
	}
	if (r->lo > r->hi)
		return fail_at(err, t, r->at, r->len, "a range goes upward: 5-9");
	if (r->hi - r->lo >= FILTER_MAX_RANGE)
		return fail_at(err, t, r->at, r->len, "a range holds at most 65536 ids");
	return 0;
wrong:
	snprintf(msg, sizeof(msg), "not a number: %.*s takes a list like 1,2 or 5-9",
		 (int)t->name_len, t->name);
	return fail_at(err, t, r->at, r->len, msg);
}

static int check_range(const struct term *t, enum scope_kind kind, const struct id_range *r,
		       struct filter_error *err)
{
	char msg[sizeof(err->msg)];

	if (!t->check || t->negate || t->check(kind, r->lo, r->hi, msg, sizeof(msg)))
		return 0;
	return fail_at(err, t, r->at, r->len, msg);
}

int value__ids(const struct term *t, enum scope_kind kind, struct id_set *out,
	       struct filter_error *err)
{
	const u64 limit = kind == SCOPE_CPU ? CPU_LIMIT : PID_LIMIT;
	const char *p = t->value;
	struct id_range r = {0};
	int ret;

	if (!strcmp(p, "none")) {
		out->active = true;
		return 0;
	}
	for (u32 items = 1;; items++, p++) {
		ret = read_range(t, &p, &r, limit, err);
		if (ret)
			return ret;
		if (items > FILTER_MAX_ITEMS)
			return fail_at(err, t, r.at, r.len, "a list holds at most 4096 items");
		if (out->n + (r.hi - r.lo) >= FILTER_MAX_RANGE)
			return fail_at(err, t, r.at, r.len, "a list holds at most 65536 ids");
		ret = check_range(t, kind, &r, err);
		if (ret)
			return ret;
		id_set__add_range(out, r.lo, r.hi);
		if (!*p)
			break;
	}
	id_set__seal(out);
	return 0;
}

/* In the order they are tried for printing: the longest that divides it. */
static const struct {
	const char *name;
	u64 ns;
} units[] = {{"s", NSEC_PER_SEC}, {"ms", NSEC_PER_MSEC}, {"us", 1000}, {"ns", 1}};

static u64 unit_ns(const char *name)
{
	for (u32 i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(units[i].name, name))
			return units[i].ns;
	return 0;
}

int value__time(const struct term *t, u64 *ns, struct filter_error *err)
{
	const char *p = t->value, *fraction = NULL;
	u64 whole, unit, scale;

	if (!read_number(&p, &whole))
		return fail_at(err, t, t->value, strlen(t->value),
			       "a time looks like 10ms or 1.5s");
	if (*p == '.') {
		fraction = ++p;
		while (is_digit(*p))
			p++;
		if (p == fraction)
			return fail_at(err, t, p - 1, 1, "digits follow the point: 1.5ms");
	}
	unit = unit_ns(p);
	if (!unit)
		return fail_at(err, t, *p ? p : t->value, *p ? strlen(p) : strlen(t->value),
			       "a time needs a unit: ns, us, ms or s");
	if (whole > NUMBER_LIMIT / unit)
		return fail_at(err, t, t->value, strlen(t->value), "that is too long a time");
	*ns = whole * unit;
	scale = unit / 10;
	for (; fraction && is_digit(*fraction); fraction++, scale /= 10) {
		if (!scale && *fraction != '0')
			return fail_at(err, t, t->value, strlen(t->value),
				       "times are whole nanoseconds: use a smaller unit");
		*ns += (u64)(*fraction - '0') * scale;
	}
	return 0;
}

void value__print_time(u64 ns, char *buf, size_t size)
{
	u32 i = 0;

	while (ns % units[i].ns)
		i++;
	snprintf(buf, size, "%llu%s", (unsigned long long)(ns / units[i].ns), units[i].name);
}

int value__states(const struct term *t, u32 *states, struct filter_error *err)
{
	for (const char *p = t->value; *p; p++) {
		const char *hit = *p == ',' ? NULL : strchr(SCOPE_STATES, *p);

		if (hit)
			*states |= 1u << (hit - SCOPE_STATES);
		else if (*p != ',' || p == t->value || !p[1])
			return fail_at(err, t, p, 1,
				       "states are letters of " SCOPE_STATES
				       ", one or more: state=D or state=SD");
	}
	return 0;
}

struct regex *value__regex(const struct term *t, struct filter_error *err)
{
	char why[120];
	struct regex *re = regex__new(t->value, why, sizeof(why));

	if (!re)
		filter__fail(err, t->at, t->len, "wrong regular expression: %s", why);
	return re;
}

/* --- levels --- */

static const char *const policies[] = {"other", "fifo", "rr", "batch", NULL, "idle", "deadline", "ext"};
static const char *const modes[] = {"user", "kernel", "guest"};

/* Names of several values that follow each other. */
static const struct {
	const char *name;
	enum scope_level level;
	u32 lo, hi;
} ranges[] = {{"host", SCOPE_MODE, 0, 1}};

static const struct {
	const char *name;
	u32 n;
	const char *const *values; /* NULL: numbers */
} levels[SCOPE_LEVELS] = {
	[SCOPE_PRIO] = {"prio", 140, NULL},
	[SCOPE_POLICY] = {"policy", ARRAY_SIZE(policies), policies},
	[SCOPE_NR_RUNNING] = {"nr_running", 64, NULL},
	[SCOPE_IRQS_DISABLED] = {"irqs_disabled", 2, NULL},
	[SCOPE_NEED_RESCHED] = {"need_resched", 2, NULL},
	[SCOPE_MODE] = {"mode", ARRAY_SIZE(modes), modes},
};

u32 scope_level__n(enum scope_level level)
{
	return levels[level].n;
}

const char *scope_level__name(enum scope_level level)
{
	return levels[level].name;
}

const char *scope_level__value(enum scope_level level, u32 value)
{
	return levels[level].values ? levels[level].values[value] : NULL;
}

static bool read_name(enum scope_level level, const char *p, size_t len, u64 *lo, u64 *hi)
{
	for (u32 i = 0; i < ARRAY_SIZE(ranges); i++) {
		if (ranges[i].level == level && strlen(ranges[i].name) == len &&
		    !strncmp(ranges[i].name, p, len)) {
			*lo = ranges[i].lo;
			*hi = ranges[i].hi;
			return true;
		}
	}
	for (u32 v = 0; levels[level].values && v < levels[level].n; v++) {
		const char *name = levels[level].values[v];

		if (name && strlen(name) == len && !strncmp(name, p, len)) {
			*lo = *hi = v;
			return true;
		}
	}
	return false;
}

/* What is more than the largest number of a run queue is that number. */
static bool read_level(enum scope_level level, const char **p, u64 *lo, u64 *hi)
{
	const size_t len = strcspn(*p, ",");
	const u64 last = levels[level].n - 1;
	const char *end = *p + len;

	if (read_name(level, *p, len, lo, hi)) {
		*p = end;
		return true;
	}
	if (levels[level].values || !read_number(p, lo))
		return false;
	*hi = *lo;
	if (**p == '-') {
		(*p)++;
		*hi = last;
		if (*p < end && !read_number(p, hi))
			return false;
	}
	if (level == SCOPE_NR_RUNNING) {
		*lo = MIN(*lo, last);
		*hi = MIN(*hi, last);
	}
	return *p == end && *lo <= *hi && *hi <= last;
}

static void name_levels(enum scope_level level, char *buf, size_t size)
{
	size_t n = 0;

	if (!levels[level].values)
		snprintf(buf, size, "0 to %u, as 1,2 or 5-9 or 5-", levels[level].n - 1);
	for (u32 v = 0; levels[level].values && v < levels[level].n && n < size; v++)
		if (levels[level].values[v])
			n += (size_t)snprintf(buf + n, size - n, "%s%s", v ? ", " : "",
					      levels[level].values[v]);
	for (u32 i = 0; i < ARRAY_SIZE(ranges) && n < size; i++)
		if (ranges[i].level == level)
			n += (size_t)snprintf(buf + n, size - n, ", %s", ranges[i].name);
}

int value__levels(const struct term *t, enum scope_level level, u64 bits[SCOPE_LEVEL_WORDS],
		  struct filter_error *err)
{
	const char *p = t->value, *at = p;
	char there[80], msg[140];
	u64 lo = 0, hi = 0;

	if (!strcmp(p, "none"))
		return 0;
	while (read_level(level, &p, &lo, &hi)) {
		for (u64 v = lo; v <= hi; v++)
			bits[v / 64] |= 1ULL << v % 64;
		if (!*p)
			return 0;
		at = ++p;
	}
	name_levels(level, there, sizeof(there));
	snprintf(msg, sizeof(msg), "%s takes a list of %s", levels[level].name, there);
	return fail_at(err, t, at, strcspn(at, ","), msg);
}
