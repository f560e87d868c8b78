// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts: a span from a handler's begin to its end, of the CPU that it is on and of the thread
 * that it interrupts. A CPU is in one handler of a kind at a time; those of hardware interrupt
 * softirqs. Threads may be very many: then they are what is not kept.
 */
#define MEASURE_KEPT_ALL
#include "bpf/irq.h"
#include "bpf/measure.bpf.h"
#include "bpf/measure_names.bpf.h"

char LICENSE[] SEC("license") = "GPL";

struct irqaction {
	const char *name;
} KERNEL_TYPE;

#define NAME_LEN 64

/* When the handler of each kind that the CPU is in began; 0: it is in none. */
struct begun {
	u64 ns[IRQ_KINDS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct begun);
} begun SEC(".maps");

static __always_inline int begins(u32 kind)
{
	struct measure_stats *st = stats__get();
	u32 zero = 0;
	struct begun *b = bpf_map_lookup_elem(&begun, &zero);

	if (b && st)
		b->ns[kind] = run__begin(st);
	return 0;
}

/* name: of the handler; NULL: the vector tells. Each kind has a scratch, as one interrupts the
 * other. */
static __always_inline void name__vector(u32 kind, u64 vector, const char *name,
					 struct measure_stats *st)
{
	struct measure_name *n;

	if (!name__is_due(IRQ_LABEL_VECTOR, vector, 0, 0))
		return;
	n = name__begin(kind == IRQ_HARD ? NAME_OF_TASK : NAME_OF_VISIT);
	if (!n)
		return;
	__builtin_memset(n->text, 0, NAME_LEN);
	if (!name || bpf_probe_read_kernel_str(n->text, NAME_LEN, name) > 0)
		name__send(n, IRQ_LABEL_VECTOR, vector, NAME_LEN - 1, 0, st);
}

static __always_inline int ends(u32 kind, u64 vector, const char *name)
{
	struct measure_stats *st = stats__get();
	u32 zero = 0, cpu = bpf_get_smp_processor_id();
	struct begun *b = bpf_map_lookup_elem(&begun, &zero);
	u64 labels[MEASURE_LABELS] = {kind, cpu, vector}, now;
	struct task_struct *task = bpf_get_current_task_btf();

	if (!b || !st || !b->ns[kind])
		return 0;
	now = run__begin(st);
	if (!(u32)scope_state || (scope__cpu(cpu) && task__in_scope(task))) {
		name__vector(kind, vector, name, st);
		measure__count_ended(task, labels, now - b->ns[kind], false, 0, st);
	}
	b->ns[kind] = 0;
	run__end(st, now);
	return 0;
}

SEC("tp_btf/irq_handler_entry")
int irq_hard_begins(u64 *ctx)
{
	return begins(IRQ_HARD);
}

SEC("tp_btf/irq_handler_exit")
int irq_hard_ends(u64 *ctx)
{
	struct irqaction *action = (void *)ctx[1];

	return ends(IRQ_HARD, as_number(action), action->name);
}

SEC("tp_btf/softirq_entry")
int irq_soft_begins(u64 *ctx)
{
	return begins(IRQ_SOFT);
}

SEC("tp_btf/softirq_exit")
int irq_soft_ends(u64 *ctx)
{
	return ends(IRQ_SOFT, (ctx[0] & (IRQ_SOFT_VECTORS - 1)) + 1, NULL);
}
