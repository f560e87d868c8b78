// SPDX-License-Identifier: GPL-2.0-only
/* Rules about waiting: for a CPU, for locks, for disks. */
#include <stdio.h>
#include <sys/syscall.h>

#include "models/overview_impl.h"
#include "models/task_text.h"

#define UNFAIR 0.5 /* of what others get of the CPUs: less is being starved */

static double pct_of(u64 part, u64 whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

/* --- for a CPU --- */

static u64 runq_ns(const struct sched_task *t)
{
	return t->sums[WINDOW_LAST].state_ns[TASK_STATE_RUNNABLE];
}

/* Of those that are known one by one: many that have ended are one together. */
static const struct sched_task *longest_waiting(const struct facts *f)
{
	const struct sched_task *top = NULL;

	for (u32 i = 0; i < f->sched->ntasks; i++)
		if (f->sched->tasks[i].n <= 1 && !f->sched->tasks[i].gone &&
		    f->sched->tasks[i].task.tgid != f->own_pid &&
		    (!top || runq_ns(&f->sched->tasks[i]) > runq_ns(top)))
			top = &f->sched->tasks[i];
	return top;
}

double facts__runnable(const struct facts *f)
{
	double waiting = 0;

	for (u32 i = 0; f->sched && i < f->sched->ntasks; i++)
		waiting += (double)runq_ns(&f->sched->tasks[i]);
	return f->sched ? waiting / (double)(f->sched->base.t1_ns - f->sched->base.t0_ns) : 0;
}

void rule__RUN_QUEUE(struct rule_run *r)
{
	const struct facts *f = r->facts;
	const struct sched_task *top = longest_waiting(f);
	double waiting = facts__runnable(f);
	struct who who;

	if (!top || !runq_ns(top))
		return;
	who = who__of_task(&top->task);
	finding__add(r, waiting / f->ncpus, &who, "",
		     "%.1f tasks wait for a CPU at any time, on %u CPUs: %s waits most, %.0f %% of its "
		     "time",
		     waiting, f->ncpus, task__said(r, &top->task),
		     pct_of(runq_ns(top), top->sums[WINDOW_LAST].span_ns));
}

/* Why it gets none, as far as it is known. */
static void why_starved(const struct rule_run *r, const struct sched_task *t, char *buf, size_t size)
{
	const struct facts *f = r->facts;
	const struct system_process *p = system__process(f->system, t->task.tgid);
	const struct sched_cpu *cpu = NULL;
	size_t n = 0;

	*buf = '\0';
	for (u32 i = 0; i < f->sched->ncpus; i++)
		if (f->sched->cpus[i].cpu == t->cpu)
			cpu = &f->sched->cpus[i];
	if (p && p->u.cpus && p->u.cpus < f->ncpus)
		n += (size_t)snprintf(buf + n, size - n, ", as it may run on %u of %u CPUs alone",
				      p->u.cpus, f->ncpus);
	if (p && p->u.nice > 0 && n < size)
		n += (size_t)snprintf(buf + n, size - n, ", with nice %d", p->u.nice);
	if (cpu && cpu->longest[WINDOW_LAST].who.tid && n < size)
		snprintf(buf + n, size - n, "; %s ran longest on CPU %u",
			 task__said(r, &cpu->longest[WINDOW_LAST].who), cpu->cpu);
}

static void say_starved(struct rule_run *r, const struct sched_task *t)
{
	u64 span = t->sums[WINDOW_LAST].span_ns;
	double pct = pct_of(runq_ns(t), span);
	struct who who = who__of_task(&t->task);
	char why[200];

	if (!finding__counts(r, pct))
		return;
	why_starved(r, t, why, sizeof(why));
	finding__add(r, pct, &who, NULL, "%s waits %.0f %% of its time for a CPU%s", task__said(r, &t->task), pct,
		     why);
}

/* Of the time that it could run, what a thread did run; of all of them, what is fair. */
static double share_got(u64 ran_ns, u64 waited_ns)
{
	return ran_ns + waited_ns ? (double)ran_ns / (double)(ran_ns + waited_ns) : 1;
}

static double fair_share(const struct facts *f)
{
	u64 ran = 0, waited = 0;

	for (u32 i = 0; i < f->sched->ntasks; i++) {
		ran += f->sched->tasks[i].sums[WINDOW_LAST].state_ns[TASK_STATE_RUNNING];
		waited += runq_ns(&f->sched->tasks[i]);
	}
	return share_got(ran, waited);
}

static bool gets_fair_share(const struct sched_task *t, double fair)
{
	const u64 *ns = t->sums[WINDOW_LAST].state_ns;

	return share_got(ns[TASK_STATE_RUNNING], ns[TASK_STATE_RUNNABLE]) >= fair * UNFAIR;
}

static bool is_pinned(const struct facts *f, const struct sched_task *t)
{
	const struct system_process *p = system__process(f->system, t->task.tgid);

	return p && p->u.cpus && p->u.cpus < f->ncpus;
}

/* One that lives for a moment alone is not starved, nor is one that gets what the others get: that
 * is a matter of the run queue as a whole. */
static bool may_starve(const struct facts *f, const struct sched_task *t, double fair)
{
	return !t->gone && t->n <= 1 && t->task.tgid != f->own_pid &&
	       (double)t->sums[WINDOW_LAST].span_ns >= f->span_s * 1e9 * 0.8 &&
	       (is_pinned(f, t) || !gets_fair_share(t, fair));
}

void rule__STARVED(struct rule_run *r)
{
	const struct sched_task *top = NULL;
	const struct facts *f = r->facts;
	double fair = fair_share(f);

	for (u32 i = 0; i < f->sched->ntasks; i++)
		if (may_starve(f, &f->sched->tasks[i], fair) &&
		    (!top || runq_ns(&f->sched->tasks[i]) > runq_ns(top)))
			top = &f->sched->tasks[i];
	if (top)
		say_starved(r, top);
	for (u32 i = 0; i < f->sched->ntasks; i++)
		if (&f->sched->tasks[i] != top && may_starve(f, &f->sched->tasks[i], fair))
			say_starved(r, &f->sched->tasks[i]);
}

/* --- for something else --- */

/* Grace periods are waited for as locks are, but nobody holds them. */
static bool is_grace_period(const struct waits_row *row)
{
	return row->woken && !strncmp(row->woken->waker.comm, "rcu", 3);
}

/* Locks of files keep programs from running at once, and are waited for as long as those run. */
static bool is_file_lock(const struct waits_row *row)
{
	return row->why == WAIT_LOCK &&
	       (row->entry->syscall == SYS_flock || row->entry->syscall == SYS_fcntl);
}

/* Whether somebody holds a thread up that is not proftop's: what that waits for is not what is looked for. */
static bool is_held_up(const struct facts *f, const struct waits_row *row)
{
	const struct task_ident *t = &row->entry->task;

	return row->class == CLASS_HARMFUL && !row->merged && !t->kthread && t->tgid != f->own_pid &&
	       !is_grace_period(row);
}

/* The thread that waits longest for it, of those somebody holds up; NULL: none does. */
static const struct waits_row *longest_of(const struct facts *f, enum wait_reason why, bool of_files, u32 not_pid)
{
	const struct waits_row *top = NULL;

	for (u32 i = 0; i < f->reasons->nrows; i++) {
		const struct waits_row *row = &f->reasons->rows[i];

		if (row->why != why || !is_held_up(f, row) || row->entry->task.tgid == not_pid ||
		    is_file_lock(row) != of_files)
			continue;
		if (!top || row->sums.off_ns > top->sums.off_ns)
			top = row;
	}
	return top;
}

static const struct waits_row *longest(const struct facts *f, enum wait_reason why, u32 not_pid)
{
	return longest_of(f, why, false, not_pid);
}

static u32 threads_waiting(const struct facts *f, enum wait_reason why, u32 pid)
{
	u32 n = 0;

	for (u32 i = 0; i < f->reasons->nrows; i++) {
		const struct waits_row *row = &f->reasons->rows[i];

		n += row->why == why && row->class == CLASS_HARMFUL &&
		     row->entry->task.tgid == pid;
	}
	return n;
}

/* Who has a lock of user space, or let go of it; in the kernel it may be another one who wakes. */
static void holder_text(const struct waits_row *row, struct arena *arena, char *buf, size_t size)
{
	const struct wait_holder *h = row->why == WAIT_LOCK ? row->holder : NULL;
	const struct waker *w = row->woken ? &row->woken->waker : NULL;

	if (h)
		snprintf(buf, size, ", held by %s", task__who(arena, h->tgid, h->tid, h->comm));
	else if (w && w->kind == WAKER_TASK)
		snprintf(buf, size, ", %s by %s", row->why == WAIT_LOCK ? "held" : "ended", row->woken_by);
	else if (row->sums.open)
		snprintf(buf, size, "; nobody has let go of it yet");
	else
		*buf = '\0';
}

static void say_lock(struct rule_run *r, const struct waits_row *row, const char *what)
{
	struct who who = who__of_task(&row->entry->task);
	u32 n = threads_waiting(r->facts, row->why, who.pid);
	char holder[96], others[48] = "";
	/* Of one thread: the row is of one. */
	double pct = pct_of(row->sums.off_ns, r->facts->reasons->base.window_ns);

	holder_text(row, r->arena, holder, sizeof(holder));
	if (n > 1)
		snprintf(others, sizeof(others), " (%u of its threads do)", n);
	finding__add(r, pct, &who, NULL, "%s waits %.0f %% of its time for %s%s%s",
		     task__said(r, &row->entry->task), pct, what, holder, others);
}

static void look_at_locks(struct rule_run *r, enum wait_reason why, const char *what)
{
	const struct waits_row *row = longest(r->facts, why, 0);

	if (!row)
		return;
	say_lock(r, row, what);
	row = longest(r->facts, why, row->entry->task.tgid);
	if (row)
		say_lock(r, row, what);
}

void rule__USER_LOCK(struct rule_run *r)
{
	look_at_locks(r, WAIT_LOCK, "a lock");
}

void rule__FILE_LOCK(struct rule_run *r)
{
	const struct waits_row *row = longest_of(r->facts, WAIT_LOCK, true, 0);

	if (row)
		say_lock(r, row, "a lock of a file");
}

void rule__KERNEL_LOCK(struct rule_run *r)
{
	look_at_locks(r, WAIT_KERNEL_LOCK, "a lock in the kernel");
}

static const struct sched_task *task_of(const struct facts *f, u32 tid)
{
	for (u32 i = 0; i < f->sched->ntasks; i++)
		if (f->sched->tasks[i].task.tid == tid)
			return &f->sched->tasks[i];
	return NULL;
}

/* The first of each process whose threads wait for each other. */
static bool is_reported(const struct measure_waiting *const *v, u32 n)
{
	for (u32 i = 0; i < n; i++)
		if (v[i]->waiter.tgid == v[n]->waiter.tgid)
			return true;
	return false;
}

static void say_deadlock(struct rule_run *r, const struct measure_waiting *const *v, u32 n, u32 first)
{
	const struct measure_who *w = &v[first]->waiter;
	const struct who who = {w->tgid, *w->process ? w->process : w->comm, w->cgroup};
	char text[400] = "";
	size_t len = 0;
	u32 threads = 0;

	for (u32 i = first; i < n; i++) {
		if (v[i]->waiter.tgid != w->tgid)
			continue;
		threads++;
		if (len < sizeof(text))
			len += (size_t)snprintf(text + len, sizeof(text) - len,
						"%s%s for %s of %s", len ? ", " : "",
						task__who(r->arena, w->tgid, v[i]->waiter.tid, v[i]->waiter.comm),
						v[i]->lock.text,
						task__who(r->arena, v[i]->tgid, v[i]->tid, v[i]->comm));
	}
	finding__add(r, threads, &who, NULL, "`%s` is in a deadlock: %s", who.comm, text);
}

/* Whoever waits so is looked at when it has waited for a while (overview__helps). */
void rule__DEADLOCK(struct rule_run *r)
{
	const struct facts *f = r->facts;
	const struct measure_waiting *v[32];
	u32 n = f->locks ? measure__deadlock(f->locks, f->scope, v, ARRAY_SIZE(v)) : 0;

	for (u32 i = 0; i < n; i++)
		if (!is_reported(v, i))
			say_deadlock(r, v, n, i);
}

/* All wait for a CPU as long: that is a matter of the run queue, whoever holds what. */
static bool waits_as_others_do(const struct facts *f, const struct sched_task *t)
{
	return facts__busy_pct(f, "") >= 90 && !is_pinned(f, t) && gets_fair_share(t, fair_share(f));
}

struct inversion {
	const struct waits_row *row;
	const struct sched_task *holder;
	double waits, starved; /* of their time, the one for the lock, the other for a CPU */
};

static struct inversion inversion_of(const struct facts *f, const struct waits_row *row)
{
	struct inversion v = {.row = row};

	if (row->why != WAIT_LOCK || !row->holder || !is_held_up(f, row))
		return v;
	v.holder = task_of(f, row->holder->tid);
	if (!v.holder || waits_as_others_do(f, v.holder))
		return v;
	v.waits = pct_of(row->sums.off_ns, f->reasons->base.window_ns);
	v.starved = pct_of(runq_ns(v.holder), v.holder->sums[WINDOW_LAST].span_ns);
	return v;
}

#define STARVED_LEAST 20 /* of the holder's time: less is no reason why others wait */

/* The holder does not run: what it holds is kept for as long as it waits for a CPU. */
void rule__PRIORITY_INVERSION(struct rule_run *r)
{
	const struct facts *f = r->facts;
	struct inversion worst = {0};
	struct who who;

	for (u32 i = 0; i < f->reasons->nrows; i++) {
		struct inversion v = inversion_of(f, &f->reasons->rows[i]);

		if (v.starved >= STARVED_LEAST && MIN(v.waits, v.starved) > MIN(worst.waits, worst.starved))
			worst = v;
	}
	if (!worst.holder)
		return;
	who = who__of_task(&worst.row->entry->task);
	finding__add(r, MIN(worst.waits, worst.starved), &who, NULL,
		     "%s waits %.0f %% of its time for a lock held by %s, which waits %.0f %% of "
		     "its own for a CPU",
		     task__said(r, &worst.row->entry->task), worst.waits,
		     task__who(r->arena, worst.holder->task.tgid, worst.holder->task.tid, worst.holder->task.comm),
		     worst.starved);
}

void rule__DISK_WAIT(struct rule_run *r)
{
	const struct waits_row *row = longest(r->facts, WAIT_DISK, 0);
	struct who who;
	double pct;

	if (!row)
		return;
	who = who__of_task(&row->entry->task);
	pct = pct_of(row->sums.off_ns, r->facts->reasons->base.window_ns);
	finding__add(r, pct, &who, NULL,
		     "%s waits %.0f %% of its time for a disk, %.2f ms at a time",
		     task__said(r, &row->entry->task), pct,
		     row->sums.count ? (double)row->sums.full_ns / (double)row->sums.count / 1e6
				     : pct * r->facts->span_s * 10);
}

/* --- fsync and its like --- */

static const char *sync_name(u32 syscall)
{
	switch (syscall) {
	case SYS_fsync: return "fsync";
	case SYS_fdatasync: return "fdatasync";
	case SYS_sync: return "sync";
	case SYS_syncfs: return "syncfs";
	case SYS_msync: return "msync";
	case SYS_sync_file_range: return "sync_file_range";
	default: return NULL;
	}
}

static u64 sync_ns(const struct facts *f, u32 tid, u64 *count)
{
	u64 ns = 0;

	*count = 0;
	for (u32 i = 0; i < f->waits->nentries; i++) {
		const struct wait_entry *e = &f->waits->entries[i];

		if (e->task.tid != tid || !sync_name(e->syscall))
			continue;
		ns += e->sums[WINDOW_LAST].off_ns;
		*count += e->sums[WINDOW_LAST].count;
	}
	return ns;
}

static const struct wait_entry *longest_sync(const struct facts *f)
{
	const struct wait_entry *top = NULL;

	for (u32 i = 0; i < f->waits->nentries; i++) {
		const struct wait_entry *e = &f->waits->entries[i];

		if (sync_name(e->syscall) && !e->ended &&
		    (!top || e->sums[WINDOW_LAST].off_ns > top->sums[WINDOW_LAST].off_ns))
			top = e;
	}
	return top;
}

static double flushes(const struct system_snap *s)
{
	double sum = 0;

	for (u32 i = s->first[FIGURE_DISK_FLUSHES]; i < s->first[FIGURE_DISK_FLUSHES + 1]; i++)
		sum += s->series[i].rate;
	return sum;
}

void rule__FSYNC(struct rule_run *r)
{
	const struct facts *f = r->facts;
	const struct wait_entry *top = longest_sync(f);
	struct who who;
	double pct;
	u64 count;

	if (!top)
		return;
	who = who__of_task(&top->task);
	pct = pct_of(sync_ns(f, top->task.tid, &count), f->waits->window_ns[WINDOW_LAST]);
	finding__add(r, pct, &who, NULL,
		     "%s waits %.0f %% of its time in %s; disks are flushed %.0f times a second",
		     task__said(r, &top->task), pct, sync_name(top->syscall), flushes(f->system));
}
