// SPDX-License-Identifier: GPL-2.0-only
/* What is special to the source of interrupts: names of the kernel's functions, and what its events do not
 * tell. */
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "bpf/irq.h"
#include "samples/address_names.h"
#include "sources/bpf_util.h"
#include "sources/events.h"
#include "sources/kernel_btf.h"
#include "sources/measures.h"
#include "sources/moment.h"

/* What a CPU's own interrupt controller raises; on x86 only, and a kernel may lack some. */
static const char *const local_events[] = {
	"local_timer", "reschedule",	"call_function",  "call_function_single", "irq_work",
	"thermal_apic", "spurious_apic", "error_apic",	  "x86_platform_ipi",
};

#define LOCAL_EVENTS ARRAY_SIZE(local_events)

struct irq {
	const struct address_names *names; /* NULL: nobody has names */
	bool tick, switches; /* lateness of the tick, and of switches, is seen */
	struct bpf_link *links[2 * LOCAL_EVENTS];
	u32 nlinks;
};

static void *irq__begin(const struct measure *m, const struct sampling *how)
{
	struct irq *q = xcalloc(1, sizeof(*q));

	q->names = how->names;
	return q;
}

static void find_tick(struct irq *q, struct bpf_object *obj)
{
	static const char *const functions[2] = {"tick_nohz_handler", "tick_sched_timer"};
	u64 at[ARRAY_SIZE(functions)] = {0};

	for (u32 i = 0; q->names && i < ARRAY_SIZE(functions); i++) {
		at[i] = q->names->kernel(q->names, functions[i]);
		q->tick |= at[i] != 0;
	}
	measure_programs__set(obj, "tick_functions", at, sizeof(at));
}

/* Without the event that tells a CPU to switch nobody looks at each switch. */
static void find_switches(struct irq *q, struct bpf_object *obj)
{
	u64 bits = moment__need_resched();
	u32 bit = bits ? (u32)__builtin_ctzll(bits) : 0;
	struct btf *btf = kernel_btf__get();

	q->switches = bits && btf && kernel_btf__arguments(btf, "sched_set_need_resched_tp");
	if (btf)
		kernel_btf__put(btf);
	measure_programs__set(obj, "need_resched_bit", &bit, sizeof(bit));
	if (q->switches)
		return;
	bpf_program__set_autoload(bpf_object__find_program_by_name(obj, "irq_switch_wanted"), false);
	bpf_program__set_autoload(bpf_object__find_program_by_name(obj, "irq_switches"), false);
}

static int irq__prepare(void *ctx, struct bpf_object *obj, struct status *st)
{
	bpf_program__set_autoattach(bpf_object__find_program_by_name(obj, "irq_local_begins"), false);
	bpf_program__set_autoattach(bpf_object__find_program_by_name(obj, "irq_local_ends"), false);
	find_tick(ctx, obj);
	find_switches(ctx, obj);
	return 0;
}

/* Whether there is such an event. */
static int attach_one(struct irq *q, struct bpf_object *obj, const char *program, const char *event)
{
	struct bpf_link *link =
		bpf_program__attach_raw_tracepoint(bpf_object__find_program_by_name(obj, program), event);

	if (!link)
		return errno == ENOENT ? 0 : -errno;
	q->links[q->nlinks++] = link;
	return 0;
}

static int irq__attach(void *ctx, struct bpf_object *obj, struct status *st)
{
	char begin[40], end[40];
	int err = 0;

	for (u32 i = 0; i < LOCAL_EVENTS && !err; i++) {
		snprintf(begin, sizeof(begin), "%s_entry", local_events[i]);
		snprintf(end, sizeof(end), "%s_exit", local_events[i]);
		err = attach_one(ctx, obj, "irq_local_begins", begin);
		if (!err)
			err = attach_one(ctx, obj, "irq_local_ends", end);
	}
	return err ? bpf_util__failed(err, "tracepoints of irq_vectors", st) : 0;
}

static void irq__detach(void *ctx)
{
	struct irq *q = ctx;

	while (q->nlinks)
		bpf_link__destroy(q->links[--q->nlinks]);
}

/* Handlers have the names that the programs send. */
static bool irq__text(void *ctx, u32 label, const struct measure_value *v, char *buf, size_t size)
{
	const struct irq *q = ctx;
	struct address_name name;

	if (v->sent || !(v->value >> 32)) /* it is no address */
		return false;
	if (!q->names || !q->names->find(q->names, 0, v->value, &name) || !name.symbol)
		snprintf(buf, size, "%#llx", (unsigned long long)v->value);
	else
		copy_str(buf, size, name.text);
	return true;
}

static bool has_preemptirq(void)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/events/preemptirq", event__tracefs() ? event__tracefs() : "");
	return !access(path, F_OK);
}

/* What stands on screen of times that interrupts or preemption are off. */
static void irq__health(void *ctx, struct health *h)
{
	const struct irq *q = ctx;
	size_t n = strlen(h->note);

	snprintf(h->note + n, sizeof(h->note) - n, "%sinterrupts off: %s; preemption off: %s%s", n ? "; " : "",
		 q->tick ? "seen when the tick comes late, a hypervisor's delays too"
			 : "not seen, as the tick's function has no name here",
		 q->switches ? "seen when a CPU told to switch goes on"
			     : "not seen, needs Linux 6.14",
		 has_preemptirq() ? "" : "; shorter ones need preemptirq tracepoints, which this kernel lacks");
}

const struct measure_hooks irq_hooks = {
	.begin = irq__begin,
	.end = free,
	.prepare = irq__prepare,
	.attach = irq__attach,
	.detach = irq__detach,
	.text = irq__text,
	.health = irq__health,
};
