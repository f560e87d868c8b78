// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stacks as perf script prints samples: a line that says who and when, the frames leaf first, an
 * empty line. Stacks here are sums: each becomes so many samples, spread over the interval, that
 * readers who only count them (Firefox Profiler) see its share; their periods sum to its weight for
 * those who add them up (stackcollapse-perf). Whose a sample is is known by command only, so pid
 * and tid number commands.
 */
#include "base/utf8.h"
#include "export/export_impl.h"
#include "export/stacks.h"

#define MAX_SAMPLES 20000 /* of a report, about */

struct script {
	FILE *out;
	const struct report *r;
	const struct export_stacks *s;
	u64 quantum;	    /* weight of a sample, about */
	u64 written;	    /* weight so far: where in the interval it is */
	const char **comms; /* distinct ones */
	u32 ncomms, comms_cap;
	struct hidx comm_index;
};

static u32 number_of(struct script *p, const char *comm)
{
	u64 hash = hash_bytes(comm, strlen(comm));
	u32 at;

	HIDX_FIND(at, &p->comm_index, hash, pos, !strcmp(p->comms[pos], comm));
	if (at != HIDX_NONE)
		return at + 1;
	p->comms = xgrow(p->comms, p->ncomms, &p->comms_cap, sizeof(*p->comms));
	p->comms[p->ncomms] = comm;
	hidx__add(&p->comm_index, hash, p->ncomms);
	return ++p->ncomms;
}

static const char *event_of(const struct report *r)
{
	if (r->stacks_unit == VALUE_NS)
		return "time-us";
	return !strcmp(r->stacks_noun, "samples") && *r->health.event ? r->health.event
								      : r->stacks_noun;
}

/* Readers take an event's name and an object as what has no blanks in it. */
static void put_word(FILE *out, const char *word)
{
	char c[4];

	for (u32 n; (n = utf8__clean(&word, c));)
		if (*c == ' ')
			fputc('_', out);
		else
			fwrite(c, 1, n, out);
}

static u64 time_of(const struct script *p)
{
	u64 span = p->r->t1_ns > p->r->t0_ns ? p->r->t1_ns - p->r->t0_ns : 0;

	return p->r->t0_ns + (u64)((double)span * (double)p->written / (double)p->s->total);
}

static void put_header(const struct script *p, const char *comm, u32 number, u64 period)
{
	u64 t = time_of(p);

	export__put_clean(p->out, comm);
	fprintf(p->out, " %u/%u %llu.%06llu: %10llu ", number, number,
		(unsigned long long)(t / NSEC_PER_SEC),
		(unsigned long long)(t % NSEC_PER_SEC / 1000), (unsigned long long)period);
	put_word(p->out, event_of(p->r));
	fputs(":\n", p->out);
}

static void put_frame(FILE *out, const struct value_frame *f)
{
	const char *object = *f->path ? f->path : f->object;

	fprintf(out, "\t%16llx ", (unsigned long long)f->start);
	export__put_clean(out, f->symbol);
	fputs(!strcmp(f->kind, "inlined") ? " (inlined)\n" : " (", out);
	if (!strcmp(f->kind, "inlined"))
		return;
	if (!strcmp(f->object, "[kernel]"))
		object = "[kernel.kallsyms]"; /* as perf has it */
	put_word(out, *object ? object : "[unknown]");
	fputs(")\n", out);
}

static void put_stack(struct script *p, const struct export_stack *k)
{
	const char *comm = export_stacks__comm(p->s, k);
	u32 root = *comm ? 1 : 0, number = number_of(p, comm);
	u64 n = MAX((k->weight + p->quantum / 2) / p->quantum, (u64)1);

	for (u64 i = 0; i < n && !ferror(p->out); i++) {
		u64 period = k->weight / n + (i < k->weight % n);

		put_header(p, *comm ? comm : "[all]", number, period);
		for (u32 j = k->n; j-- > root;)
			put_frame(p->out, export_stacks__frame(p->s, k, j));
		fputc('\n', p->out);
		p->written += period;
	}
}

int export_perf(FILE *out, const struct report *r, bool first)
{
	struct export_stacks s;
	struct script p = {.out = out, .r = r, .s = &s};

	if (!r->stacks)
		return -EOPNOTSUPP;
	export_stacks__take(&s, r, false);
	p.quantum = s.total / MAX_SAMPLES + 1;
	for (u32 i = 0; i < s.n && !ferror(out); i++)
		put_stack(&p, &s.stacks[i]);
	free(p.comms);
	hidx__fini(&p.comm_index);
	export_stacks__fini(&s);
	return export__flush(out);
}
