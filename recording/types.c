// SPDX-License-Identifier: GPL-2.0-only
#include "recording/types.h"

#include "recording/format.h"

static void code_stack_sample(struct codec *c, union any_sample *s)
{
	struct stack_sample *x = &s->stack;

	code_u32(c, &x->tgid);
	code_u32(c, &x->tid);
	code_u32(c, &x->cpu);
	code_cgroup(c, &x->cgroup);
	code_text(c, x->comm, sizeof(x->comm));
	code_stack(c, &x->stack, x->tgid);
	code_u64(c, &x->count);
	code_u64(c, &x->weight);
	code_time(c, &x->t_ns);
	code_text(c, x->process, sizeof(x->process));
	code_u64(c, &x->start_ns);
}

static void stack_subject(const union any_sample *s, struct subject *out)
{
	const struct stack_sample *x = &s->stack;

	*out = (struct subject){.known = true,
				.has_tid = true,
				.has_cpu = true,
				.has_comm = true,
				.tgid = x->tgid,
				.tid = x->tid,
				.cpu = x->cpu,
				.cgroup = x->cgroup,
				.comm = x->comm};
}

static void code_vitals(struct codec *c, union any_sample *s)
{
	struct vitals *v = &s->vitals.vitals;
	double *const shares[] = {&v->load1,	       &v->load5,	    &v->load15,
				  &v->user_pct,	       &v->system_pct,	    &v->iowait_pct,
				  &v->irq_pct,	       &v->steal_pct,	    &v->idle_pct,
				  &v->psi_cpu_some,    &v->psi_io_some,	    &v->psi_io_full,
				  &v->psi_memory_some, &v->psi_memory_full, &v->self_cpu_pct};
	u64 *const sizes[] = {&v->mem_total_bytes, &v->mem_available_bytes, &v->cached_bytes,
			      &v->buffers_bytes,   &v->swap_total_bytes,    &v->swap_free_bytes,
			      &v->self_rss_bytes};

	code_u32(c, &v->ncpus);
	code_u32(c, &v->running);
	code_u32(c, &v->tasks);
	code_bool(c, &v->has_psi);
	for (u32 i = 0; i < ARRAY_SIZE(shares); i++)
		code_double(c, shares[i]);
	for (u32 i = 0; i < ARRAY_SIZE(sizes); i++)
		code_u64(c, sizes[i]);
}

/* Numbers are never used again for something else. */
static const struct sample_codec types[] = {
	{0, SAMPLE_STACK, code_stack_sample, stack_subject},
	{1, SAMPLE_VITALS, code_vitals, NULL},
	{2, SAMPLE_WAIT, code_wait, wait_subject},
	{3, SAMPLE_TASK, code_task, task_subject},
	{4, SAMPLE_CPU, code_cpu, NULL},
	{5, SAMPLE_DELAY, code_delay, delay_subject},
	{6, SAMPLE_SWITCH, code_switch, NULL},
	{7, SAMPLE_IO, code_io, NULL},
	{8, SAMPLE_IO_PROC, code_io_proc, io_proc_subject},
	{9, SAMPLE_IO_SLOW, code_io_slow, io_slow_subject},
	{10, SAMPLE_IO_DEVICE, code_io_device, NULL},
	{11, SAMPLE_CACHE, code_cache, cache_subject},
	{12, SAMPLE_CACHE_MISS, code_miss, miss_subject},
	{13, SAMPLE_CACHE_TOTALS, code_totals, NULL},
	{14, SAMPLE_DENTRY, code_dentry, dentry_subject},
	{15, SAMPLE_DENTRY_STATE, code_dentries, NULL},
	{16, SAMPLE_CPU_CACHE, code_cpu_cache, cpu_cache_subject},
	{17, SAMPLE_CPU_CACHE_STATE, code_counters, NULL},
	{18, SAMPLE_MEASURE, code_measure, measure_subject},
	{19, SAMPLE_MEASURE_OPEN, code_measure_open, measure_open_subject},
	{20, SAMPLE_MEASURE_SLOW, code_measure_slow, measure_slow_subject},
	{21, SAMPLE_ASK, code_ask, NULL},
	{22, SAMPLE_MEASURE_HELD, code_measure_held, measure_held_subject},
	{23, SAMPLE_BPF_PROG, code_bpf_prog, NULL},
	{24, SAMPLE_BPF_MAP, code_bpf_map, NULL},
	{25, SAMPLE_BPF_STATE, code_bpf_state, NULL},
	{26, SAMPLE_PROCS, code_procs, procs_subject},
	{27, SAMPLE_FIGURE, code_figure, NULL},
	{28, SAMPLE_USAGE, code_usage, usage_subject},
	{29, SAMPLE_NOTICE, code_notice, NULL},
	{30, SAMPLE_ASK_LINE, code_ask_line, ask_line_subject},
	{31, SAMPLE_MEASURE_HOLDER, code_measure_holder, NULL},
	{32, SAMPLE_MEASURE_ORDER, code_measure_order, measure_order_subject},
};

const struct sample_codec *sample_codec__of(enum sample_type type)
{
	for (u32 i = 0; i < ARRAY_SIZE(types); i++)
		if (types[i].code && types[i].type == type)
			return &types[i];
	return NULL;
}

const struct sample_codec *sample_codec__numbered(u32 number)
{
	return number < ARRAY_SIZE(types) && types[number].code ? &types[number] : NULL;
}

bool sample__write(struct codec *c, const struct sample *s)
{
	const struct sample_codec *type = sample_codec__of(s->type);
	size_t begin;

	if (!type)
		return false;
	begin = bytes__begin(c->out, RECORD_SAMPLES + type->number);
	type->code(c, (union any_sample *)s);
	bytes__end(c->out, begin);
	return true;
}

bool sample__read(struct codec *c, const struct sample_codec *type, struct cursor record,
		  union any_sample *out)
{
	c->in = record;
	c->nstacks = c->used32 = c->used64 = 0;
	memset(out, 0, sizeof(*out));
	out->head.type = type->type;
	type->code(c, out);
	return !c->in.broken;
}
