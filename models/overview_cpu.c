// SPDX-License-Identifier: GPL-2.0-only
/* Rules about CPUs: who keeps them busy, what stops them. */
#include <stdio.h>

#include "models/overview_impl.h"

static double psi_pct(const struct facts *f, enum figure what)
{
	return system__rate(f->system, what, "") / 1e7;
}

/* What a rate in ns of CPU time per second is of one CPU. */
static double of_cpu(double ns_per_s)
{
	return ns_per_s / 1e7;
}

/* In % of a CPU. */
static double used_by_the_living(const struct facts *f)
{
	double pct = 0;

	for (u32 i = 0; i < f->system->nprocesses; i++) {
		const struct usage_sample *u = &f->system->processes[i].u;

		pct += 100 * usage__cpu(u) / (double)MAX(u->span_ns, 1ULL);
	}
	return pct;
}

/* Who it is that uses them; where most are in none of those that are there, short ones do, and it is nobody. */
static struct who who_uses_cpus(const struct facts *f, double busy, char *buf, size_t size)
{
	double most;
	const struct system_process *p = facts__top(f, usage__cpu, &most);
	bool ended = p && 3 * used_by_the_living(f) < busy * f->ncpus;

	*buf = '\0';
	if (ended)
		snprintf(buf, size, ": most goes into processes that have ended");
	else if (p)
		snprintf(buf, size, ": `%s` uses most, %.0f %% of a CPU", p->u.comm, of_cpu(most));
	return who__of_process(ended ? NULL : p);
}

void rule__CPU_FULL(struct rule_run *r)
{
	const struct facts *f = r->facts;
	double busy = facts__busy_pct(f, ""), waits = psi_pct(f, FIGURE_PSI_CPU_SOME), at_once = facts__runnable(f);
	char whose[80], many[32] = "";
	struct who who;

	if (busy < 90)
		return;
	who = who_uses_cpus(f, busy, whose, sizeof(whose));
	if (at_once >= 0.1)
		snprintf(many, sizeof(many), ", %.1f at a time", at_once);
	finding__add(r, waits, &who, "",
		     "all %u CPUs are %.0f %% busy, and %.0f %% of the time some task waits for one%s%s", f->ncpus,
		     busy, MIN(waits, 100.0), many, whose);
}

/* --- one full, another idle --- */

/* Who uses a CPU most, by where it ran last. */
static const struct system_process *user_of(const struct facts *f, const char *cpu)
{
	const struct system_process *top = NULL;
	u32 number = (u32)strtoul(cpu, NULL, 10);
	u64 most = 0;

	for (u32 i = 0; i < f->system->nprocesses; i++) {
		const struct usage_sample *u = &f->system->processes[i].u;

		if (u->cpu != number || u->user_ns + u->system_ns <= most)
			continue;
		most = u->user_ns + u->system_ns;
		top = &f->system->processes[i];
	}
	return top;
}

static const char *idlest_cpu(const struct facts *f)
{
	const struct system_snap *s = f->system;
	const char *idle = NULL;
	double least = 50;

	for (u32 i = s->first[FIGURE_CPU_IDLE]; i < s->first[FIGURE_CPU_IDLE + 1]; i++) {
		const char *cpu = s->series[i].instance;
		double busy = *cpu ? facts__busy_pct(f, cpu) : 100;

		if (busy < least) {
			least = busy;
			idle = cpu;
		}
	}
	return idle;
}

/* Who ran longest there; processes may have ended since. */
static struct who ran_longest(const struct facts *f, const char *cpu)
{
	u32 number = (u32)strtoul(cpu, NULL, 10);

	for (u32 i = 0; f->sched && i < f->sched->ncpus; i++)
		if (f->sched->cpus[i].cpu == number && f->sched->cpus[i].longest[WINDOW_LAST].who.tid)
			return who__of_task(&f->sched->cpus[i].longest[WINDOW_LAST].who);
	return (struct who){0};
}

static void say_imbalance(struct rule_run *r, const char *cpu, const char *idle, double busy)
{
	const struct facts *f = r->facts;
	const struct system_process *p = user_of(f, cpu);
	bool pinned = p && p->u.cpus && p->u.cpus < f->ncpus;
	struct who who = p ? who__of_process(p) : ran_longest(f, cpu);

	finding__add(r, busy, &who, NULL, "CPU %s is full (%.0f %%) while CPU %s is %.0f %% idle: `%s` %s",
		     cpu, busy, idle, 100 - facts__busy_pct(f, idle), who.pid ? who.comm : "[ended]",
		     pinned ? p->u.cpus == 1 ? "is pinned to it" : "may not run on all CPUs"
		     : p    ? "runs on one CPU at a time"
			    : "ran there, and ended");
}

void rule__CPU_IMBALANCE(struct rule_run *r)
{
	const struct system_snap *s = r->facts->system;
	const char *idle = idlest_cpu(r->facts);

	for (u32 i = s->first[FIGURE_CPU_IDLE]; idle && i < s->first[FIGURE_CPU_IDLE + 1]; i++) {
		const char *cpu = s->series[i].instance;
		double busy = facts__busy_pct(r->facts, cpu);

		if (*cpu && finding__counts(r, busy))
			say_imbalance(r, cpu, idle, busy);
	}
}

/* --- who and where --- */

#define BUSY_MIN_PCT 20 /* of a CPU that it has: whoever waits alone is starved */

/* The function a process spends most time in; NULL: not sampled. */
static const struct profile_row *hottest_of(const struct facts *f, u32 pid)
{
	const struct profile_row *top = NULL;

	for (u32 i = 0; f->functions && i < f->functions->nrows; i++) {
		const struct profile_row *row = &f->functions->rows[i];

		if (row->tgid == pid && (!top || row->self_pct > top->self_pct))
			top = row;
	}
	return top;
}

static double all_of(const struct facts *f, u32 pid)
{
	double sum = 0;

	for (u32 i = 0; i < f->functions->nrows; i++)
		if (f->functions->rows[i].tgid == pid)
			sum += f->functions->rows[i].self_pct;
	return sum;
}

/* How much of a CPU it would use beside what it has: its threads wait for that. */
static double waits_pct(const struct facts *f, u32 pid)
{
	u64 sum = 0;

	for (u32 i = 0; f->sched && i < f->sched->ntasks; i++)
		if (f->sched->tasks[i].task.tgid == pid)
			sum += f->sched->tasks[i].sums[WINDOW_LAST].state_ns[TASK_STATE_RUNNABLE];
	return f->sched ? 100 * (double)sum / (double)MAX(f->sched->window_ns[WINDOW_LAST], 1ULL) : 0;
}

static void say_busy(struct rule_run *r, const struct system_process *p, double pct)
{
	double waits = pct >= BUSY_MIN_PCT ? waits_pct(r->facts, p->u.pid) : 0;
	const struct profile_row *hot = hottest_of(r->facts, p->u.pid);
	double all = hot ? all_of(r->facts, p->u.pid) : 0;
	struct who who = who__of_process(p);
	char where[200] = "", more[48] = "";

	if (waits >= 5)
		snprintf(more, sizeof(more), " and waits for %.0f %% more", waits);
	if (hot && hot->self_pct > 0 && all > 0)
		snprintf(where, sizeof(where), ", %.0f %% of it in %.120s", 100 * hot->self_pct / all,
			 hot->name);
	finding__add(r, pct + waits, &who, NULL, "`%s` uses %.0f %% of a CPU%s%s", p->u.comm, pct, more,
		     where);
}

void rule__BUSY_PROCESS(struct rule_run *r)
{
	const struct system_snap *s = r->facts->system;
	double most;
	const struct system_process *top = facts__top(r->facts, usage__cpu, &most);

	if (top)
		say_busy(r, top, of_cpu(most));
	for (u32 i = 0; i < s->nprocesses; i++) {
		const struct usage_sample *u = &s->processes[i].u;
		double pct = 100 * usage__cpu(u) / (double)MAX(u->span_ns, 1ULL);

		if (&s->processes[i] != top && !u->own && pct >= BUSY_MIN_PCT)
			say_busy(r, &s->processes[i], pct);
	}
}

/* Rows of one function in several processes. */
static double of_all_processes(const struct profile_rows *rows, const struct profile_row *row)
{
	double sum = 0;

	for (u32 i = 0; i < rows->nrows; i++)
		if (rows->rows[i].func == row->func)
			sum += rows->rows[i].self_pct;
	return sum;
}

/* What is computed, in % of one CPU: by the rate of the samples where it is known, as a scope leaves others out. */
static double computed_pct(const struct facts *f)
{
	u64 hz = f->frame->feeds[MODEL_PROFILE].health.freq;
	const struct snap *s = f->functions->base.snap;
	double busy = facts__busy_pct(f, "") * f->ncpus;
	double seconds = (double)(s->t1_ns - s->t0_ns) / NSEC_PER_SEC;

	return hz ? MIN(busy, 100 * (double)f->functions->count / ((double)hz * seconds)) : busy;
}

void rule__HOT_FUNCTION(struct rule_run *r)
{
	const struct facts *f = r->facts;
	const struct profile_row *top = f->functions->nrows ? f->functions->rows : NULL;
	double share, cpu;
	struct who who;

	if (!top || !top->func || f->functions->count < 20)
		return;
	share = of_all_processes(f->functions, top);
	cpu = share * computed_pct(f) / 100;
	who = (struct who){top->tgid, top->comm, top->cgroup};
	if (share < 40)
		return;
	finding__add(r, cpu, &who, NULL,
		     "%.120s takes %.0f %% of all that is computed, %.0f %% of a CPU, most of it in `%s` "
		     "(%llu samples)",
		     top->name, share, cpu, top->comm, (unsigned long long)f->functions->count);
}

/* --- the kernel --- */

/* "x64_sys_write", "arm64_sys_write" and the like; NULL: it is no system call's function. */
static const char *syscall_in(const char *name)
{
	static const char *const marks[] = {"_x64_sys_", "_arm64_sys_", "_ia32_sys_", "_se_sys_",
					    "_do_sys_"};

	for (u32 i = 0; i < ARRAY_SIZE(marks); i++) {
		const char *at = strstr(name, marks[i]);

		if (at && at - name <= 3)
			return at + strlen(marks[i]);
	}
	return !strncmp(name, "ksys_", 5) ? name + 5 : NULL;
}

#define CANDIDATE_PCT 0.5 /* of all that is computed: less is not looked for elsewhere */

static bool is_in_kernel(const struct profile_row *row)
{
	return !strcmp(row->kind, "kernel") || !strcmp(row->kind, "bpf");
}

/* What was sampled in the kernel, of a process (0: any) and a name (NULL: any). */
static double kernel_pct(const struct facts *f, u32 pid, const char *comm)
{
	double sum = 0;

	for (u32 i = 0; i < f->functions->nrows; i++) {
		const struct profile_row *row = &f->functions->rows[i];

		if (is_in_kernel(row) && (!pid || row->tgid == pid) && (!comm || !strcmp(row->comm, comm)))
			sum += row->self_pct;
	}
	return sum;
}

/* The name whose processes have most of it, those that have ended too. */
static const char *name_in_kernel(const struct facts *f, double *most)
{
	const char *name = NULL;

	*most = 0;
	for (u32 i = 0; i < f->functions->nrows; i++) {
		const struct profile_row *row = &f->functions->rows[i];
		double pct = is_in_kernel(row) && row->self_pct >= CANDIDATE_PCT
				     ? kernel_pct(f, 0, row->comm) : 0;

		if (pct <= *most)
			continue;
		*most = pct;
		name = row->comm;
	}
	return name;
}

static double total_of_all(const struct facts *f, u32 func)
{
	double sum = 0;

	for (u32 i = 0; i < f->functions->nrows; i++)
		if (f->functions->rows[i].func == func)
			sum += f->functions->rows[i].total_pct;
	return sum;
}

/* The system call that most of it passed in; else, as of kernel threads and faults, the function. */
static const char *place_in_kernel(const struct facts *f, u32 pid, double *most, bool *is_call)
{
	const char *call = NULL, *function = NULL;
	double calls = 0, functions = 0;

	for (u32 i = 0; i < f->functions->nrows; i++) {
		const struct profile_row *row = &f->functions->rows[i];
		const char *name = syscall_in(row->name);
		double pct;

		if (row->total_pct < CANDIDATE_PCT || (pid && row->tgid != pid))
			continue;
		pct = pid ? row->total_pct : total_of_all(f, row->func);
		if (name && pct > calls) {
			calls = pct;
			call = name;
		}
		if (is_in_kernel(row) && row->self_pct > functions) {
			functions = row->self_pct;
			function = row->name;
		}
	}
	*is_call = calls >= functions;
	*most = MAX(calls, functions);
	return *is_call ? call : function;
}

static void where_in_kernel(const struct facts *f, u32 pid, char *buf, size_t size)
{
	double whole = f->functions ? kernel_pct(f, pid, NULL) : 0, named = 0, most;
	const char *name, *place;
	size_t n = 0;
	bool is_call;

	*buf = '\0';
	if (whole < 1 || f->functions->count < 20)
		return;
	name = pid ? NULL : name_in_kernel(f, &named);
	place = place_in_kernel(f, pid, &most, &is_call);
	if (name && named >= whole / 10)
		n += (size_t)snprintf(buf, size, ", %.0f %% of it by `%s`", 100 * named / whole, name);
	if (place && most >= whole / 10 && n < size)
		snprintf(buf + n, size - n, ", %.0f %% of it in %.60s%s", 100 * MIN(most / whole, 1.0), place,
			 is_call ? "()" : "");
}

void rule__KERNEL_TIME(struct rule_run *r)
{
	const struct facts *f = r->facts;
	double pct = facts__cpu_pct(f, FIGURE_CPU_SYSTEM, ""), most;
	const struct system_process *p = facts__top(f, usage__system, &most);
	bool spread = !p || of_cpu(most) < pct * f->ncpus / 4; /* many have a little each */
	struct who who = spread ? (struct who){0} : who__of_process(p);
	char where[160];

	where_in_kernel(f, who.pid, where, sizeof(where));
	if (spread)
		finding__add(r, pct, &who, NULL,
			     "%.0f %% of all CPUs' time is spent in the kernel, by many processes or such "
			     "that have ended%s",
			     pct, where);
	else
		finding__add(r, pct, &who, NULL,
			     "%.0f %% of all CPUs' time is spent in the kernel: `%s` takes %.0f %% of a "
			     "CPU there%s",
			     pct, p->u.comm, of_cpu(most), where);
}

/* Which of them come most often; NULL: not known. */
static const struct system_series *most_often(const struct system_snap *s, enum figure what)
{
	const struct system_series *most = NULL;

	for (u32 i = s->first[what]; i < s->first[what + 1]; i++)
		if (s->series[i].rate > (most ? most->rate : 0))
			most = &s->series[i];
	return most;
}

static void most_text(const struct system_snap *s, char *buf, size_t size)
{
	const struct system_series *hard = most_often(s, FIGURE_INTERRUPTS_OF);
	const struct system_series *soft = most_often(s, FIGURE_SOFTIRQS_OF);
	size_t n = 0;

	*buf = '\0';
	if (hard)
		n = (size_t)snprintf(buf, size, "; most interrupts are `%s`, %.0f a second", hard->instance,
				     hard->rate);
	if (soft && n < size)
		snprintf(buf + n, size - n, "; most softirqs %s, %.0f a second", soft->instance, soft->rate);
}

void rule__INTERRUPTS(struct rule_run *r)
{
	const struct system_snap *s = r->facts->system;
	char most[200];

	most_text(s, most, sizeof(most));
	for (u32 i = s->first[FIGURE_CPU_IDLE]; i < s->first[FIGURE_CPU_IDLE + 1]; i++) {
		const char *cpu = s->series[i].instance;
		double hard = facts__cpu_pct(r->facts, FIGURE_CPU_IRQ, cpu);
		double soft = facts__cpu_pct(r->facts, FIGURE_CPU_SOFTIRQ, cpu);
		char filter[40];

		snprintf(filter, sizeof(filter), "cpu=%.8s", cpu);
		if (*cpu)
			finding__add(r, hard + soft, NULL, filter,
				     "CPU %s spends %.0f %% of its time in interrupts and %.0f %% in softirqs%s",
				     cpu, hard, soft, most);
	}
}

void rule__STOLEN(struct rule_run *r)
{
	double pct = facts__cpu_pct(r->facts, FIGURE_CPU_STEAL, "");

	finding__add(r, pct, NULL, NULL,
		     "%.0f %% of all CPUs' time was stolen: the host gave it to other guests", pct);
}

static double with(const struct facts *f, enum figure what, const char *cgroup)
{
	const struct system_series *v = system__series(f->system, what, cgroup);

	return v ? v->rate : 0;
}

void rule__THROTTLED(struct rule_run *r)
{
	const struct facts *f = r->facts;
	const struct system_snap *s = f->system;

	for (u32 i = s->first[FIGURE_CGROUP_THROTTLED_NS]; i < s->first[FIGURE_CGROUP_THROTTLED_NS + 1];
	     i++) {
		const struct system_series *v = &s->series[i];
		double periods = with(f, FIGURE_CGROUP_PERIODS, v->instance);
		double throttled = with(f, FIGURE_CGROUP_THROTTLED, v->instance);
		const struct system_process *p = v->pid ? system__process(s, v->pid) : NULL;
		struct who who = who__of_process(p);

		if (periods > 0)
			finding__add(r, 100 * throttled / periods, &who, NULL,
				     "`%s` was throttled by its cgroup's CPU limit in %.0f %% of the "
				     "periods, %.0f ms a second over all CPUs (%s)",
				     p ? p->u.comm : "[nobody]", 100 * throttled / periods,
				     v->rate / 1e6, v->instance);
	}
}

static const struct sched_task *switcher(const struct facts *f)
{
	const struct sched_task *top = NULL;

	for (u32 i = 0; f->sched && i < f->sched->ntasks; i++) {
		const struct sched_task *t = &f->sched->tasks[i];

		if (!t->gone && t->task.tgid != f->own_pid &&
		    (!top || t->sums[WINDOW_LAST].runs > top->sums[WINDOW_LAST].runs))
			top = t;
	}
	return top;
}

void rule__SWITCHES(struct rule_run *r)
{
	const struct facts *f = r->facts;
	double rate = system__rate(f->system, FIGURE_SWITCHES, "");
	const struct sched_task *t = switcher(f);
	struct who who = t ? who__of_task(&t->task) : (struct who){0};
	char text[96] = "";

	if (t)
		snprintf(text, sizeof(text), ": %s gets a CPU %.0f times a second", task__said(r, &t->task),
			 (double)t->sums[WINDOW_LAST].runs / f->span_s);
	finding__add(r, rate / f->ncpus, &who, NULL, "CPUs switch between tasks %.0f times a second%s",
		     rate, text);
}
