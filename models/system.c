// SPDX-License-Identifier: GPL-2.0-only
#include "models/system.h"

#include <math.h>

#include "base/hidx.h"
#include "models/model.h"
#include "models/snap_box.h"

#define GONE_NS (60 * NSEC_PER_SEC) /* a process that was not heard of for so long */
#define GREW_MIN_BYTES (64 << 10)   /* less in a look is no growth */

struct held {
	struct system_process p;
	bool fresh;
};

struct model {
	struct system_series *series;
	u8 *fresh; /* of each: a sample came in this interval */
	u32 nseries, cap, fresh_cap;
	struct hidx by_name;
	struct held *held;
	u32 nheld, held_cap;
	struct hidx by_pid;
	struct notice_sample notices[SYSTEM_MAX_NOTICES];
	u32 nnotices;
	u64 left_out, now_ns;
};

static struct model *system__new(struct symbols *symbols)
{
	return xcalloc(1, sizeof(struct model));
}

static void system__zero(struct model *m)
{
	hidx__clear(&m->by_name);
	hidx__clear(&m->by_pid);
	m->nseries = m->nheld = m->nnotices = 0;
	m->left_out = 0;
}

static void system__free(struct model *m)
{
	hidx__fini(&m->by_name);
	hidx__fini(&m->by_pid);
	free(m->series);
	free(m->fresh);
	free(m->held);
	free(m);
}

/* --- figures --- */

static u32 find_series(const struct model *m, u64 hash, const struct figure_sample *f)
{
	u32 at;

	HIDX_FIND(at, &m->by_name, hash, pos,
		  m->series[pos].figure == f->figure &&
			  !strcmp(m->series[pos].instance, f->instance));
	return at;
}

static u32 add_series(struct model *m, u64 hash, const struct figure_sample *f)
{
	struct system_series *v;

	if (m->nseries == SYSTEM_MAX_SERIES) {
		m->left_out++;
		return HIDX_NONE;
	}
	m->series = xgrow(m->series, m->nseries, &m->cap, sizeof(*m->series));
	m->fresh = xgrow(m->fresh, m->nseries, &m->fresh_cap, sizeof(*m->fresh));
	v = &m->series[m->nseries];
	*v = (struct system_series){.figure = f->figure};
	copy_str(v->instance, sizeof(v->instance), f->instance);
	hidx__add(&m->by_name, hash, m->nseries);
	return m->nseries++;
}

static void push_trend(struct system_series *v)
{
	if (v->ntrend == SYSTEM_TREND) {
		memmove(v->trend, v->trend + 1, sizeof(v->trend) - sizeof(float));
		v->ntrend--;
	}
	v->trend[v->ntrend++] = (float)v->rate;
}

/* What was the last interval's joins what is usual. */
static void age(struct system_series *v, double span_s)
{
	double keep = exp(-span_s / SYSTEM_USUAL_S);

	if (!v->ntrend)
		return;
	if (v->usual_s > 0)
		v->usual = v->usual * keep + v->rate * (1 - keep);
	else
		v->usual = v->rate;
	v->usual_s = MIN(v->usual_s + span_s, (double)SYSTEM_USUAL_S);
}

static void take_figure(struct model *m, const struct figure_sample *f)
{
	u64 hash = mix64_pair(f->figure, hash_bytes(f->instance, strlen(f->instance)));
	u32 at = find_series(m, hash, f);
	double span_s = (double)f->span_ns / 1e9;
	struct system_series *v;

	if (at == HIDX_NONE)
		at = add_series(m, hash, f);
	if (at == HIDX_NONE || !f->span_ns)
		return;
	v = &m->series[at];
	age(v, span_s);
	v->value = f->value;
	v->rate = figure_rows[f->figure].kind == FIGURE_LEVEL ? (double)f->value
							       : (double)f->value / span_s;
	v->pid = f->pid;
	m->fresh[at] = true;
	push_trend(v);
}

/* --- processes --- */

static struct held *held_of(struct model *m, const struct usage_sample *u)
{
	u32 at;

	HIDX_FIND(at, &m->by_pid, mix64(u->pid), pos, m->held[pos].p.u.pid == u->pid);
	if (at != HIDX_NONE)
		return &m->held[at];
	if (m->nheld == SYSTEM_MAX_PROCESSES) {
		m->left_out++;
		return NULL;
	}
	m->held = xgrow(m->held, m->nheld, &m->held_cap, sizeof(*m->held));
	hidx__add(&m->by_pid, mix64(u->pid), m->nheld);
	m->held[m->nheld] = (struct held){0};
	return &m->held[m->nheld++];
}

static void note_growth(struct system_process *p, const struct usage_sample *u, u64 now_ns)
{
	bool grew = u->rss_bytes >= p->u.rss_bytes + u->mapped_bytes + GREW_MIN_BYTES;

	if (grew && !p->grew) {
		p->grew_from_bytes = p->u.rss_bytes;
		p->grew_since_ns = now_ns > u->span_ns ? now_ns - u->span_ns : 0;
	}
	p->grew = grew ? p->grew + 1 : 0;
}

static void take_usage(struct model *m, const struct usage_sample *u)
{
	struct held *h = held_of(m, u);

	if (!h)
		return;
	if (h->p.u.start != u->start || !h->p.t_ns)
		h->p = (struct system_process){0};
	else
		note_growth(&h->p, u, h->p.t_ns + u->span_ns);
	h->p.blocked = u->state == 'D' ? h->p.blocked + 1 : 0;
	h->p.u = *u;
	h->fresh = true;
}

static void forget(struct model *m, u64 now_ns)
{
	u32 kept = 0;

	hidx__clear(&m->by_pid);
	for (u32 i = 0; i < m->nheld; i++) {
		if (now_ns - m->held[i].p.t_ns >= GONE_NS)
			continue;
		m->held[kept] = m->held[i];
		hidx__add(&m->by_pid, mix64(m->held[kept].p.u.pid), kept);
		kept++;
	}
	m->nheld = kept;
}

/* --- messages --- */

static void take_notice(struct model *m, const struct notice_sample *n)
{
	if (m->nnotices == SYSTEM_MAX_NOTICES) {
		memmove(m->notices, m->notices + 1, sizeof(m->notices) - sizeof(*m->notices));
		m->nnotices--;
	}
	m->notices[m->nnotices++] = *n;
}

static void system__consume(struct model *m, const struct sample *s)
{
	if (s->type == SAMPLE_FIGURE)
		take_figure(m, container_of(s, struct figure_sample, head));
	else if (s->type == SAMPLE_USAGE)
		take_usage(m, container_of(s, struct usage_sample, head));
	else if (s->type == SAMPLE_NOTICE)
		take_notice(m, container_of(s, struct notice_sample, head));
}

/* --- snapshots --- */

/* What no sample came of has gone: a disk, an interface, a cgroup. */
static void copy_series(struct model *m, struct system_snap *snap, struct arena *arena)
{
	struct system_series *out = arena__array(arena, struct system_series, m->nseries);

	for (u32 f = 0; f < FIGURES; f++) {
		snap->first[f] = snap->nseries;
		for (u32 i = 0; i < m->nseries; i++)
			if (m->fresh[i] && m->series[i].figure == f)
				out[snap->nseries++] = m->series[i];
	}
	snap->first[FIGURES] = snap->nseries;
	snap->series = out;
	if (m->nseries)
		memset(m->fresh, 0, m->nseries);
}

static void copy_processes(struct model *m, struct system_snap *snap, struct arena *arena, u64 t1_ns)
{
	struct system_process *out = arena__array(arena, struct system_process, m->nheld);

	for (u32 i = 0; i < m->nheld; i++) {
		struct held *h = &m->held[i];

		if (!h->fresh)
			continue;
		h->p.t_ns = t1_ns;
		h->fresh = false;
		out[snap->nprocesses++] = h->p;
	}
	snap->processes = out;
}

static struct snap *system__tick(struct model *m, u64 t0_ns, u64 t1_ns)
{
	struct system_snap *snap;
	struct arena *arena;

	snap = snap_box__new(sizeof(*snap), t0_ns, t1_ns, &arena);
	copy_series(m, snap, arena);
	copy_processes(m, snap, arena, t1_ns);
	snap->nnotices = m->nnotices;
	snap->notices = arena__dup(arena, m->notices, m->nnotices * sizeof(*m->notices));
	snap->left_out = m->left_out;
	forget(m, t1_ns);
	return &snap->base;
}

static size_t system__memory(const struct model *m)
{
	return sizeof(*m) + m->cap * sizeof(*m->series) + m->held_cap * sizeof(*m->held) +
	       hidx__bytes(&m->by_name) + hidx__bytes(&m->by_pid);
}

const struct model_ops model_system = {
	.name = "system",
	.view = "overview",
	.new = system__new,
	.free = system__free,
	.consume = system__consume,
	.tick = system__tick,
	.zero = system__zero,
	.memory = system__memory,
};

/* --- what is asked of a snapshot --- */

const struct system_series *system__series(const struct system_snap *s, enum figure f,
					   const char *instance)
{
	for (u32 i = s->first[f]; i < s->first[f + 1]; i++)
		if (!strcmp(s->series[i].instance, instance))
			return &s->series[i];
	return NULL;
}

double system__rate(const struct system_snap *s, enum figure f, const char *instance)
{
	const struct system_series *v = system__series(s, f, instance);

	return v ? v->rate : 0;
}

bool system__has(const struct system_snap *s, enum figure f)
{
	return s->first[f] < s->first[f + 1];
}

const struct system_process *system__process(const struct system_snap *s, u32 pid)
{
	for (u32 i = 0; i < s->nprocesses; i++)
		if (s->processes[i].u.pid == pid)
			return &s->processes[i];
	return NULL;
}
