// SPDX-License-Identifier: GPL-2.0-only
#include "recording/types.h"

#include "recording/format.h"

void code_stack_fields(struct codec *c, struct stack_sample *x)
{
	code_host(c, &x->host);
	code_tgid(c, &x->tgid);
	code_tid(c, &x->tid);
	code_cpu(c, &x->cpu);
	code_cgroup(c, &x->cgroup);
	code_comm(c, x->comm);
	code_stack(c, &x->stack, x->tgid);
	CODE_U64S(c, &x->count, &x->weight);
	code_time(c, &x->t_ns);
	code_text(c, x->process, sizeof(x->process));
	code_u64(c, &x->start_ns);
}

void code_vitals_fields(struct codec *c, struct vitals_sample *x)
{
	struct vitals *v = &x->vitals;

	CODE_U32S(c, &v->ncpus, &v->running, &v->tasks);
	code_bool(c, &v->has_psi);
	CODE_DOUBLES(c, &v->load1, &v->load5, &v->load15, &v->user_pct, &v->system_pct,
		     &v->iowait_pct, &v->irq_pct, &v->steal_pct, &v->idle_pct, &v->psi_cpu_some,
		     &v->psi_io_some, &v->psi_io_full, &v->psi_memory_some, &v->psi_memory_full,
		     &v->self_cpu_pct);
	CODE_U64S(c, &v->mem_total_bytes, &v->mem_available_bytes, &v->cached_bytes,
		  &v->buffers_bytes, &v->swap_total_bytes, &v->swap_free_bytes, &v->self_rss_bytes);
}

#define SAMPLE_CODEC(number, type, name, member, subject)                                          \
	static void code_any_##member(struct codec *c, union any_sample *s)                        \
	{                                                                                          \
		code_##member##_fields(c, &s->member);                                             \
	}
#include "recording/types.def"
#undef SAMPLE_CODEC

/* Its fields tell; none of them is written then. */
static void look(const union any_sample *s, struct subject *out)
{
	struct codec c = {.who = out};

	*out = (struct subject){0};
	sample_codec__of(s->head.type)->code(&c, (union any_sample *)s);
}

static const struct sample_codec types[CODEC_TYPES] = {
#define SAMPLE_CODEC(number, type, name, member, subject)                                          \
	[number] = {number, type, code_any_##member, subject ? look : NULL},
#include "recording/types.def"
#undef SAMPLE_CODEC
};

const struct sample_codec *sample_codec__of(enum sample_type type)
{
	for (u32 i = ARRAY_SIZE(types); i-- > 0;)
		if (types[i].code && types[i].type == type)
			return &types[i];
	return NULL;
}

const struct sample_codec *sample_codec__numbered(u32 number)
{
	return number < ARRAY_SIZE(types) && types[number].code ? &types[number] : NULL;
}

bool sample_codec__is_later(u32 number)
{
	u32 newest = ARRAY_SIZE(types) - 1;

	while (!types[newest].code)
		newest--;
	return number > newest;
}

bool sample__write(struct codec *c, const struct sample *s)
{
	const struct sample_codec *type = sample_codec__of(s->type);
	size_t begin;

	if (!type)
		return false;
	begin = bytes__begin(c->out, RECORD_SAMPLES + type->number);
	c->number = type->number;
	type->code(c, (union any_sample *)s);
	bytes__end(c->out, begin);
	return true;
}

bool sample__read(struct codec *c, const struct sample_codec *type, struct cursor record,
		  union any_sample *out)
{
	c->in = record;
	c->nstacks = c->used32 = c->used64 = 0;
	c->number = type->number;
	memset(out, 0, sizeof(*out));
	out->head.type = type->type;
	type->code(c, out);
	return !c->in.broken;
}
