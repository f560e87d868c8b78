// SPDX-License-Identifier: GPL-2.0-only
/* Hits of hardware breakpoints: which code reads, writes or executes what is at an address. */
#include "bpf/watch.h"
/* Each hit has its own stack until there are many. */
#define STACK_EVERY_SHIFT 12
#define MEASURE_ATOMIC 1
#define MEASURE_MOMENT MOMENT_REGISTERS
#include "bpf/measure.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* How many bytes are at each place; 0: it is code. */
const volatile u32 lengths[WATCH_PLACES];

const volatile struct watch_condition conditions[WATCH_PLACES];
static const struct watch_value unknown;

HASH_MAP(values, WATCH_PROCESSES, u64, struct watch_value);

LRU_MAP(lasts, WATCH_SITES, struct watch_site, struct watch_last);

static const struct watch_last none;

/* The processor stops behind what it executed: memory has the new value. */
static __always_inline struct watch_value *value__look(u64 place, u64 address, u64 *now,
						       struct measure_stats *st)
{
	u32 len = lengths[place & (WATCH_PLACES - 1)];
	struct watch_value *v;

	if (len > sizeof(*now) || (len && bpf_probe_read_user(now, len, (void *)address)))
		return NULL;
	v = bpf_map_lookup_elem(&values, &place);
	if (v)
		return v;
	if (bpf_map_update_elem(&values, &place, &unknown, BPF_ANY))
		st->names_lost++;
	v = bpf_map_lookup_elem(&values, &place);
	if (!v)
		return NULL;
	v->last = *now;
	v->address = address;
	return v;
}

/* As the sign of a number of len bytes. */
static __always_inline s64 extended(u64 value, u32 len)
{
	u32 shift = (64 - 8 * len) & 63;

	return (s64)(value << shift) >> shift;
}

static __always_inline bool is_met(u32 op, bool less, bool equal)
{
	switch (op) {
	case WATCH_EQ: return equal;
	case WATCH_NE: return !equal;
	case WATCH_LT: return less;
	case WATCH_LE: return less || equal;
	case WATCH_GT: return !less && !equal;
	default: return !less;
	}
}

/* A global function, so that it is verified once. */
__noinline bool value__counts(u32 at, u64 before, u64 after)
{
	u32 len;

	at &= WATCH_PLACES - 1;
	len = lengths[at];
	for (u32 i = 0; i < WATCH_TESTS; i++) {
		const volatile struct watch_test *t = &conditions[at].v[i];
		u64 a = t->of_before ? before : after, b = t->with_before ? before : t->number;
		bool less;

		if (i >= conditions[at].n)
			return true;
		if (t->is_signed)
			less = extended(a, len) < extended(b, len);
		else
			less = a < b;
		if (!is_met(t->op, less, t->is_signed ? extended(a, len) == extended(b, len) : a == b))
			return false;
	}
	return true;
}

static __always_inline struct watch_last *last__of(const u64 *labels, struct measure_stats *st)
{
	struct watch_site site = {labels[WATCH_LABEL_PLACE], labels[WATCH_LABEL_CODE]};
	struct watch_last *l = bpf_map_lookup_elem(&lasts, &site);

	if (l)
		return l;
	if (bpf_map_update_elem(&lasts, &site, &none, BPF_ANY))
		st->names_lost++;
	return bpf_map_lookup_elem(&lasts, &site);
}

static __always_inline void keep_hit(struct watch_last *l, struct bpf_perf_event_data *ctx, u64 before,
				     u64 now)
{
	const unsigned long *regs = (void *)&ctx->regs;

	l->before = before;
	l->after = now;
#pragma unroll
	for (u32 i = 0; i < sizeof(ctx->regs) / sizeof(*regs); i++)
		l->regs[i] = regs[i];
}

SEC("perf_event")
int watch_hit(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 labels[MEASURE_LABELS] = {}, now, before, value = 0;
	struct measure_stats *st = stats__get();
	struct watch_value *v;
	struct watch_last *last;
	struct measure_task *t;

	if (!st)
		return 0;
	t = measure__task(task, st);
	if (!t)
		return 0;
	now = run__begin(st);
	labels[WATCH_LABEL_PLACE] = (bpf_get_attach_cookie(ctx) & (WATCH_PLACES - 1)) |
				    (u64)task->tgid << WATCH_TGID_SHIFT;
	labels[WATCH_LABEL_CODE] = PT_REGS_IP(&ctx->regs);
	v = value__look(labels[WATCH_LABEL_PLACE], ctx->addr, &value, st);
	before = v ? v->last : 0;
	if (v)
		v->last = value;
	if (v && !value__counts(labels[WATCH_LABEL_PLACE], before, value)) {
		st->notes[WATCH_NOTE_OTHERS]++;
	} else {
		last = last__of(labels, st);
		if (last)
			keep_hit(last, ctx, before, value);
		measure__count(ctx, task, t, labels, now >> 10, false, st);
	}
	run__end(st, now);
	return 0;
}
