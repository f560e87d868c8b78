// SPDX-License-Identifier: GPL-2.0-only
#include "models/wait_rules.h"

const char *const wait_class_names[WAIT_CLASSES] = {
	[CLASS_HARMFUL] = "harmful",
	[CLASS_UNCLEAR] = "unclear",
	[CLASS_IDLE] = "idle",
};

/* --- the table --- */

#define NAMES(...)                                                                                 \
	{                                                                                          \
		(const char *const[]){__VA_ARGS__},                                                \
			ARRAY_SIZE(((const char *const[]){__VA_ARGS__}))                           \
	}
#define CALLED(...) .called = NAMES(__VA_ARGS__)
#define WITHIN(...) .within = NAMES(__VA_ARGS__)
#define KERNEL(...) .kernel = NAMES(__VA_ARGS__)
#define ON(bits)    .on = (bits)
#define BOTH(bits)  .both = (bits)
#define BUT(bits)   .but = (bits)
#define ENDS(by)    .ends = END_##by
#define SHAPE(what) .shape = SHAPE_##what
#define R(reason)   (1u << WAIT_##reason)
#define WAIT_SAME   WAIT_REASONS
/* What a futex, semaphore, latch or set of descriptors may look like. */
#define ANY_SLEEP                                                                                  \
	(R(POLL) | R(CONDITION) | R(LOCK) | R(SLEEP) | R(NETWORK) | R(PIPE) | R(SIGNAL) |          \
	 R(TERMINAL) | R(UNKNOWN))
#define NO_LOCK (ANY_SLEEP & ~R(LOCK)) /* a mutex is one wherever it is taken */

const struct wait_rule wait_rules[] = {
#define WAIT_RULE(what, instead, about, text, ...)                                                 \
	{.class = CLASS_##what, .reason = WAIT_##instead, .of = (about), .why = text, __VA_ARGS__},
#include "models/wait_rules.def"
#undef WAIT_RULE
};
const u32 wait_rules_count = ARRAY_SIZE(wait_rules);

_Static_assert(ARRAY_SIZE(wait_rules) <= WAIT_RULES_MAX, "more rules than bits");

/* --- names --- */

/* Arguments, template parameters, versions of symbols, and copies that compilers make. */
static bool ends_here(const char *rest)
{
	static const char *const copies[] = {".constprop", ".isra", ".part", ".cold", ".lto_priv"};

	if (!*rest || strchr("(@<[ ", *rest))
		return true;
	for (u32 i = 0; i < ARRAY_SIZE(copies); i++)
		if (!strncmp(rest, copies[i], strlen(copies[i])))
			return true;
	return false;
}

/* The part from `name` on is what the pattern says; '*' within it stands for anything. */
static bool matches_from(const char *pattern, const char *name)
{
	for (; *pattern && *pattern != '*'; pattern++, name++)
		if (*pattern != *name)
			return false;
	if (!*pattern)
		return ends_here(name);
	if (!*++pattern)
		return true;
	for (; *name; name++)
		if (matches_from(pattern, name))
			return true;
	return false;
}

static bool list_has(const struct name_list *l, const char *name)
{
	for (u32 i = 0; i < l->n; i++)
		if (matches_from(l->v[i], name))
			return true;
	return false;
}

/* One of the names is in the list; without one: always. */
static bool is_among(const struct name_list *l, const char *const *names, u32 n)
{
	for (u32 i = 0; l->v && i < n; i++)
		if (names[i] && list_has(l, names[i]))
			return true;
	return !l->v;
}

static void set__add(struct rule_set *set, u32 rule)
{
	set->bits[rule / 64] |= 1ULL << rule % 64;
}

static bool set__has(const struct rule_set *set, u32 rule)
{
	return set->bits[rule / 64] >> rule % 64 & 1;
}

void rule_set__kernel(struct rule_set *set, const char *const *names, u32 n)
{
	*set = (struct rule_set){0};
	for (u32 i = 0; i < wait_rules_count; i++)
		if (is_among(&wait_rules[i].kernel, names, n))
			set__add(set, i);
}

static void set__or(struct rule_set *set, const struct rule_set *other)
{
	for (u32 i = 0; i < ARRAY_SIZE(set->bits); i++)
		set->bits[i] |= other->bits[i];
}

static const struct rule_name *look_up(struct rule_names *seen, const char *name)
{
	u64 hash = mix64((u64)(uintptr_t)name);
	struct rule_name *r;
	u32 at;

	HIDX_FIND(at, &seen->index, hash, pos, seen->items[pos].name == name);
	if (at != HIDX_NONE)
		return &seen->items[at];
	seen->items = xgrow(seen->items, seen->n, &seen->cap, sizeof(*seen->items));
	hidx__add(&seen->index, hash, seen->n);
	r = &seen->items[seen->n++];
	*r = (struct rule_name){.name = name};
	for (u32 i = 0; i < wait_rules_count; i++) {
		if (list_has(&wait_rules[i].called, name))
			set__add(&r->called, i);
		if (list_has(&wait_rules[i].within, name))
			set__add(&r->within, i);
	}
	return r;
}

void rule_names__fini(struct rule_names *seen)
{
	free(seen->items);
	hidx__fini(&seen->index);
}

void rule_set__user(struct rule_set *set, const char *const *names, u32 n, struct rule_names *seen)
{
	struct rule_set called = {0}, within = {0};

	*set = (struct rule_set){0};
	for (u32 i = 0; i < n; i++) {
		const struct rule_name *r = names[i] ? look_up(seen, names[i]) : NULL;

		if (!r)
			continue;
		set__or(&called, &r->called);
		set__or(&within, &r->within);
	}
	for (u32 i = 0; i < wait_rules_count; i++)
		if ((!wait_rules[i].called.v || set__has(&called, i)) &&
		    (!wait_rules[i].within.v || set__has(&within, i)))
			set__add(set, i);
}

/* --- judging --- */

static bool shape_holds(enum wait_shape shape, const struct wait_facts *f)
{
	switch (shape) {
	case SHAPE_PERIODIC:
		return f->periodic;
	case SHAPE_QUEUE:
		return f->queue;
	default:
		return true;
	}
}

static bool rule_holds(const struct wait_rule *r, enum wait_reason reason,
		       const struct wait_facts *f)
{
	if (!(r->of >> reason & 1))
		return false;
	if ((r->on && !(f->on & r->on)) || (r->both && !(f->on & r->both)) || (f->on & r->but))
		return false;
	return (r->ends == END_ANY || r->ends == f->end) && shape_holds(r->shape, f);
}

struct wait_verdict wait_rules__judge(const struct rule_set *set, enum wait_reason reason,
				      const struct wait_facts *facts)
{
	for (u32 i = 0; i < wait_rules_count; i++) {
		const struct wait_rule *r = &wait_rules[i];

		if (set__has(set, i) && rule_holds(r, reason, facts))
			return (struct wait_verdict){r->reason == WAIT_REASONS ? reason : r->reason,
						     r->class, r->why};
	}
	return (struct wait_verdict){reason, wait_reasons[reason].class, wait_reasons[reason].help};
}

/* --- who ends waits --- */

/* By the frame nearest to the wake-up that says so. thread: it does when a thread ran it, too. */
static const struct {
	const char *part; /* of a function's name */
	enum wait_end end;
	bool thread;
} end_names[] = {
	{"hrtimer_", END_TIMER, false},	     {"process_timeout", END_TIMER, false},
	{"call_timer_fn", END_TIMER, false}, {"run_timer", END_TIMER, false},
	{"posix_timer", END_TIMER, false},   {"timerfd_", END_TIMER, false},
	{"aio_complete_rw", END_DISK, true}, {"io_complete_rw", END_DISK, true},
	{"dio_complete", END_DISK, true},    {"bio_endio", END_DISK, true},
	{"blk_mq_end", END_DISK, true},	     {"blk_mq_complete", END_DISK, true},
	{"blk_", END_DISK, false},	     {"bio_", END_DISK, false},
	{"nvme_", END_DISK, false},	     {"scsi_", END_DISK, false},
	{"virtblk_", END_DISK, false},	     {"tcp_", END_NETWORK, false},
	{"udp_", END_NETWORK, false},	     {"sock_", END_NETWORK, false},
	{"net_rx_", END_NETWORK, false},     {"napi_", END_NETWORK, false},
};

static enum wait_end end_named(const char *name, bool thread)
{
	for (u32 i = 0; i < ARRAY_SIZE(end_names); i++)
		if ((end_names[i].thread || !thread) && strstr(name, end_names[i].part))
			return end_names[i].end;
	return END_ANY;
}

enum wait_end wait_end__of(const char *const *names, u32 n, bool thread)
{
	enum wait_end end = END_ANY;

	for (u32 i = 0; i < n && end == END_ANY; i++)
		if (names[i])
			end = end_named(names[i], thread);
	if (end == END_ANY)
		end = thread ? END_THREAD : END_INTERRUPT;
	return end;
}

const char *wait_end__text(enum wait_end end)
{
	static const char *const texts[WAIT_ENDS] = {
		[END_TIMER] = "[timer]", [END_DISK] = "[disk]", [END_NETWORK] = "[network]"};

	return texts[end] ? texts[end] : "[interrupt]";
}
