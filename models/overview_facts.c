// SPDX-License-Identifier: GPL-2.0-only
/* What is known of a frame, as rules want it. */
#include <stdarg.h>
#include <stdio.h>

#include "models/overview_impl.h"
#include "models/task_text.h"

static const void *snap_of(const struct frame *f, enum model_id m)
{
	const struct snap *s = f->snaps[m];

	/* What a source left when it was detached is of the past. */
	return s && f->feeds[m].state == FEED_LIVE && s->t1_ns - s->t0_ns >= OVERVIEW_MIN_NS ? s : NULL;
}

static void ask_profile(struct facts *f)
{
	const struct profile_query q = {.groups = GROUP_BIT(GROUP_PID) | GROUP_BIT(GROUP_SYMBOL),
					.window = WINDOW_LAST,
					.user = true,
					.kernel = true};
	const struct profile_snap *s = snap_of(f->frame, MODEL_PROFILE);

	if (s)
		f->functions = profile__query(s, &q, f->scope);
}

static void ask_waits(struct facts *f)
{
	const struct waits_query q = {.groups = WAITS_BIT(WAITS_BY_TID) | WAITS_BIT(WAITS_BY_REASON),
				      .window = WINDOW_LAST};

	f->waits = snap_of(f->frame, MODEL_WAITS);
	if (f->waits)
		f->reasons = waits__query(f->waits, &q, f->scope);
}

static void ask_io(struct facts *f)
{
	struct io_query q = {.window = WINDOW_LAST, .joined = true};
	const struct io_snap *s = snap_of(f->frame, MODEL_IO);

	if (!s)
		return;
	q.group = IO_BY_DEVICE;
	f->devices = io__query(s, &q, f->scope);
	q.group = IO_BY_PID;
	f->io_users = io__query(s, &q, f->scope);
}

static u32 count_cpus(const struct system_snap *s)
{
	u32 n = s->first[FIGURE_CPU_IDLE + 1] - s->first[FIGURE_CPU_IDLE];

	return MAX(n, 2u) - 1; /* one is that of all */
}

static u32 find_own(const struct system_snap *s)
{
	for (u32 i = 0; i < s->nprocesses; i++)
		if (s->processes[i].u.own)
			return s->processes[i].u.pid;
	return 0;
}

void facts__init(struct facts *f, const struct frame *frame, const struct scope *scope)
{
	*f = (struct facts){.frame = frame, .scope = scope, .ncpus = 1};
	f->system = (const void *)frame->snaps[MODEL_SYSTEM];
	f->short_ = !snap_of(frame, MODEL_SYSTEM);
	f->span_s = (double)(f->system->base.t1_ns - f->system->base.t0_ns) / 1e9;
	f->ncpus = count_cpus(f->system);
	f->own_pid = find_own(f->system);
	f->sched = snap_of(frame, MODEL_SCHED);
	f->locks = snap_of(frame, MODEL_LOCKS);
	f->tcp = snap_of(frame, MODEL_TCP);
	f->sockets = snap_of(frame, MODEL_SOCKETS);
	f->irq = snap_of(frame, MODEL_IRQ);
	f->kvm = snap_of(frame, MODEL_KVM);
	f->counters = snap_of(frame, MODEL_COUNTERS);
	f->bpf = snap_of(frame, MODEL_BPF);
	ask_profile(f);
	ask_waits(f);
	ask_io(f);
	f->models = MODEL_BIT(MODEL_SYSTEM) | (f->sched ? MODEL_BIT(MODEL_SCHED) : 0) |
		    (f->functions ? MODEL_BIT(MODEL_PROFILE) : 0) |
		    (f->reasons ? MODEL_BIT(MODEL_WAITS) : 0) |
		    (f->locks ? MODEL_BIT(MODEL_LOCKS) : 0) |
		    (f->tcp ? MODEL_BIT(MODEL_TCP) : 0) |
		    (f->sockets ? MODEL_BIT(MODEL_SOCKETS) : 0) |
		    (f->devices ? MODEL_BIT(MODEL_IO) : 0);
	f->unresolved = (f->functions && f->functions->base.unresolved) ||
			(f->reasons && f->reasons->base.unresolved);
}

void facts__fini(struct facts *f)
{
	query_result__free((struct query_result *)f->functions);
	query_result__free((struct query_result *)f->reasons);
	query_result__free((struct query_result *)f->devices);
	query_result__free((struct query_result *)f->io_users);
}

/* --- who --- */

struct who who__of_process(const struct system_process *p)
{
	return p ? (struct who){p->u.pid, p->u.comm, p->u.cgroup} : (struct who){0};
}

struct who who__of_task(const struct task_ident *t)
{
	return (struct who){t->tgid, t->comm, t->cgroup};
}

const char *task__said(const struct rule_run *r, const struct task_ident *t)
{
	const struct system_process *p = system__process(r->facts->system, t->tgid);
	char buf[80];

	if (p && *p->u.comm && strcmp(p->u.comm, t->comm))
		snprintf(buf, sizeof(buf), "`%s` of `%s`", t->comm, p->u.comm);
	else
		snprintf(buf, sizeof(buf), "`%s`", t->comm);
	return arena__strdup(r->arena, buf);
}

double usage__cpu(const struct usage_sample *u)
{
	return (double)(u->user_ns + u->system_ns);
}

double usage__system(const struct usage_sample *u)
{
	return (double)u->system_ns;
}

double usage__minor(const struct usage_sample *u)
{
	return (double)u->minor_faults;
}

double usage__swapped(const struct usage_sample *u)
{
	return (double)u->swapped_bytes;
}

double usage__major(const struct usage_sample *u)
{
	return (double)u->major_faults;
}

double usage__reads(const struct usage_sample *u)
{
	return (double)u->read_bytes;
}

double usage__writes(const struct usage_sample *u)
{
	return (double)u->write_bytes;
}

double usage__io(const struct usage_sample *u)
{
	return (double)(u->read_bytes + u->write_bytes);
}

bool facts__passes(const struct facts *f, const struct usage_sample *u)
{
	return !f->scope || task__passes(f->scope, u->pid, 0, u->cgroup, u->comm);
}

const struct system_process *facts__top(const struct facts *f,
					double (*of)(const struct usage_sample *u), double *per_s)
{
	const struct system_process *top = NULL;

	*per_s = 0;
	for (u32 i = 0; i < f->system->nprocesses; i++) {
		const struct system_process *p = &f->system->processes[i];
		double rate = of(&p->u) * 1e9 / (double)MAX(p->u.span_ns, 1ULL);

		if (rate <= *per_s || p->u.own || !facts__passes(f, &p->u))
			continue;
		*per_s = rate;
		top = p;
	}
	return top;
}

const struct system_process *facts__most_threads(const struct facts *f)
{
	const struct system_process *top = NULL;

	for (u32 i = 0; i < f->system->nprocesses; i++)
		if (!top || f->system->processes[i].u.threads > top->u.threads)
			top = &f->system->processes[i];
	return top;
}

/* --- figures --- */

double facts__networks(const struct facts *f, enum figure what)
{
	double rate = 0;

	for (u32 i = f->system->first[what]; i < f->system->first[what + 1]; i++)
		rate += f->system->series[i].rate;
	return rate;
}

const struct system_series *facts__network(const struct facts *f, enum figure what)
{
	const struct system_series *most = NULL;

	for (u32 i = f->system->first[what]; i < f->system->first[what + 1]; i++) {
		const struct system_series *v = &f->system->series[i];

		if (v->rate > 0 && (!most || v->rate > most->rate))
			most = v;
	}
	return most;
}

double facts__cpu_pct(const struct facts *f, enum figure what, const char *cpu)
{
	double all = 0;

	for (u32 x = FIGURE_CPU_USER; x <= FIGURE_CPU_STEAL; x++)
		all += system__rate(f->system, x, cpu);
	return all > 0 ? 100 * system__rate(f->system, what, cpu) / all : 0;
}

double facts__busy_pct(const struct facts *f, const char *cpu)
{
	if (!system__series(f->system, FIGURE_CPU_IDLE, cpu))
		return 0;
	return 100 - facts__cpu_pct(f, FIGURE_CPU_IDLE, cpu) -
	       facts__cpu_pct(f, FIGURE_CPU_IOWAIT, cpu);
}

double series__most(const struct system_series *v, double s, double span_s)
{
	u32 n = v ? (u32)CLAMP(s / MAX(span_s, 0.05), 1.0, (double)v->ntrend) : 0;
	float most = 0;

	for (u32 i = 0; v && i < n; i++)
		most = MAX(most, v->trend[v->ntrend - 1 - i]);
	return (double)most;
}

/* --- findings --- */

/* The first intervals are short: what they say is worth a note until a whole one says it. */
static bool is_early(const struct facts *f)
{
	const struct system_series *v = system__series(f->system, FIGURE_CPU_IDLE, "");

	return f->span_s < 0.4 && v && v->ntrend < 5;
}

static bool severity_of(const struct overview_rule *rule, double value, enum severity *out)
{
	for (int s = SEVERITIES - 1; s >= 0; s--)
		if (value >= rule->from[s]) {
			*out = (enum severity)s;
			return true;
		}
	return false;
}

bool finding__counts(const struct rule_run *r, double value)
{
	enum severity s;

	return r->nown < OVERVIEW_PER_RULE && *r->nfindings < OVERVIEW_FINDINGS &&
	       severity_of(&overview_rules[r->id], value, &s);
}

static const char *filter_of(struct rule_run *r, const struct who *who, const char *filter)
{
	char text[32] = "";

	if (filter)
		return arena__strdup(r->arena, filter);
	if (who && who->pid)
		snprintf(text, sizeof(text), "pid=%u", who->pid);
	return arena__strdup(r->arena, text);
}

static void finding_text(char *buf, size_t size, bool known, const char *fmt, va_list ap)
{
	size_t about = strcspn(fmt, "|");
	char whole[400];

	snprintf(whole, sizeof(whole), "%.*s%s", (int)about, fmt,
		 known && fmt[about] ? fmt + about + 1 : "");
	vsnprintf(buf, size, whole, ap);
}

void finding__add(struct rule_run *r, double value, const struct who *who, const char *filter,
		  const char *fmt, ...)
{
	const struct overview_rule *rule = &overview_rules[r->id];
	const struct facts *f = r->facts;
	struct finding *out = &r->findings[*r->nfindings];
	char text[400];
	va_list ap;

	if (!finding__counts(r, value))
		return;
	if (who && who->pid && f->scope &&
	    !task__passes(f->scope, who->pid, 0, who->cgroup, who->comm))
		return;
	va_start(ap, fmt);
	finding_text(text, sizeof(text), who && who->comm, fmt, ap);
	va_end(ap);
	*out = (struct finding){.rule = r->id, .value = value, .view = rule->view, .group = rule->group,
				.part_of = -1};
	severity_of(rule, value, &out->severity);
	if (is_early(f) && rule->from[SEVERITY_NOTE] <= value)
		out->severity = SEVERITY_NOTE;
	out->text = arena__strdup(r->arena, text);
	if (who && who->pid) {
		const struct system_process *p = system__process(f->system, who->pid);

		/* Its own name: that of a thread may be another. */
		out->pid = who->pid;
		out->comm = arena__strdup(r->arena, p ? p->u.comm : who->comm);
	}
	out->filter = filter_of(r, who, filter);
	++*r->nfindings;
	r->nown++;
}
