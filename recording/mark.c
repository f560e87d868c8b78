// SPDX-License-Identifier: GPL-2.0-only
#include "recording/mark.h"

static void code_stacks(struct codec *c, struct health_stacks *s)
{
	u64 *const counts[] = {&s->whole,  &s->cut,	  &s->unknown, &s->no_table,
			       &s->no_row, &s->bad_stack, &s->fp_end,  &s->tables,
			       &s->rows,   &s->bytes,	  &s->budget,  &s->evictions};

	for (u32 i = 0; i < ARRAY_SIZE(counts); i++)
		code_u64(c, counts[i]);
}

static void code_health(struct codec *c, struct health *h)
{
	u64 *const counts[] = {&h->samples,	&h->samples_total, &h->lost, &h->map_full,
			       &h->stacks_lost, &h->side_lost,	   &h->freq, &h->period};
	double *const shares[] = {&h->map_fill_pct, &h->truncated_pct, &h->self_cpu_pct,
				  &h->cost_pct,	    &h->run_pct,       &h->cost_ns};

	for (u32 i = 0; i < ARRAY_SIZE(counts); i++)
		code_u64(c, counts[i]);
	for (u32 i = 0; i < ARRAY_SIZE(shares); i++)
		code_double(c, shares[i]);
	code_bool(c, &h->precise);
	code_text(c, h->tier, sizeof(h->tier));
	code_text(c, h->event, sizeof(h->event));
	code_text(c, h->note, sizeof(h->note));
	code_stacks(c, &h->stacks);
	code_u64(c, &h->gap.missed_ticks);
	code_u64(c, &h->gap.suspended_ns);
	code_u64(c, &h->gap.cpus_changed);
}

static void write_model(struct codec *c, u32 model, const struct record_interval *iv)
{
	struct health health = iv->v[model].health;
	size_t begin = bytes__begin(c->out, model);

	bytes__varint(c->out, iv->t1_ns - iv->v[model].t0_ns);
	code_health(c, &health);
	bytes__end(c->out, begin);
}

void mark__write(struct codec *c, const struct record_interval *iv)
{
	size_t begin = bytes__begin(c->out, RECORD_INTERVAL);

	bytes__varint(c->out, iv->t1_ns);
	bytes__double(c->out, iv->self_cpu_pct);
	bytes__varint(c->out, (u64)__builtin_popcountll(iv->models));
	for (u32 m = 0; m < MODEL_COUNT; m++)
		if (iv->models & 1ULL << m)
			write_model(c, m, iv);
	bytes__end(c->out, begin);
}

static bool read_model(struct codec *c, struct cursor record, u32 model, struct record_interval *iv)
{
	struct cursor outer = c->in;
	u64 span;

	c->in = record;
	span = cursor__varint(&c->in);
	code_health(c, &iv->v[model].health);
	iv->v[model].t0_ns = iv->t1_ns - MIN(span, iv->t1_ns);
	iv->models |= 1ULL << model;
	span = c->in.broken;
	c->in = outer;
	return !span;
}

bool mark__read(struct codec *c, struct cursor record, const u8 *models, struct record_interval *iv)
{
	struct cursor model;
	u32 left, position;

	memset(iv, 0, sizeof(*iv));
	c->in = record;
	iv->t1_ns = cursor__varint(&c->in);
	iv->self_cpu_pct = cursor__double(&c->in);
	left = cursor__below(&c->in, MODELS_MAX + 1);
	while (left-- && cursor__record(&c->in, &position, &model))
		if (position < MODELS_MAX && models[position] != NO_MODEL &&
		    !read_model(c, model, models[position], iv))
			return false;
	return !c->in.broken && iv->t1_ns < UINT64_MAX / 2;
}
