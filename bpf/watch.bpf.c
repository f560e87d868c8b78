// SPDX-License-Identifier: GPL-2.0-only
/* Hits of hardware breakpoints: which code reads, writes or executes what is at an address. */
#include "bpf/watch.h"
/* Each hit has its own stack until there are many. */
#define STACK_EVERY_SHIFT 12
#define MEASURE_ATOMIC
#include "bpf/measure.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* How many bytes are at each place; 0: it is code. */
const volatile u32 lengths[WATCH_PLACES];

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WATCH_PROCESSES);
	__type(key, u64);
	__type(value, struct watch_value);
} values SEC(".maps");

/* The processor stops behind what it executed: memory has the new value. */
static __always_inline void value__look(u64 place, u64 address, struct measure_stats *st)
{
	u32 len = lengths[place & (WATCH_PLACES - 1)];
	struct watch_value *v, new = {};
	u64 now = 0;

	if (len > sizeof(now) || (len && bpf_probe_read_user(&now, len, (void *)address)))
		return;
	v = bpf_map_lookup_elem(&values, &place);
	if (v) {
		v->before = v->after;
		v->after = now;
		return;
	}
	new.before = new.after = now;
	new.address = address;
	if (bpf_map_update_elem(&values, &place, &new, BPF_ANY))
		st->names_lost++;
}

SEC("perf_event")
int watch_hit(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 labels[MEASURE_LABELS] = {}, now;
	struct measure_stats *st = stats__get();
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
	value__look(labels[WATCH_LABEL_PLACE], ctx->addr, st);
	measure__count(ctx, task, t, labels, 0, false, st);
	run__end(st, now);
	return 0;
}
