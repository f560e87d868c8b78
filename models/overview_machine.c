// SPDX-License-Identifier: GPL-2.0-only
/* Rules about processes, networks, clocks and messages. */
#include <stdio.h>

#include "bpf/sockets.h"
#include "bpf/tcp.h"
#include "models/overview_impl.h"

static double rate_of(const struct facts *f, enum figure what)
{
	return system__rate(f->system, what, "");
}

/* --- processes --- */

#define PARENT_MIN_PCT 10 /* of a CPU that children took: another parent that is worth its name */

/* What its children took in the interval, in % of a CPU. One that had run for longer is charged in full when it is
 * waited for: what is more than all CPUs have is of such ones, which are no storm. */
static double children_pct(const struct facts *f, const struct usage_sample *u)
{
	double pct = 100 * (double)u->children_ns / (double)MAX(u->span_ns, 1ULL);

	return pct <= 100.0 * f->ncpus ? pct : 0;
}

/* p NULL: nobody is known. */
static void say_fork_storm(struct rule_run *r, const struct system_process *p, const char *how)
{
	double rate = rate_of(r->facts, FIGURE_FORKS);
	struct who who = who__of_process(p);
	char filter[24] = "";

	if (p) /* what it starts is what takes the time */
		snprintf(filter, sizeof(filter), "tree=%u", p->u.pid);
	finding__add(r, rate, &who, filter,
		     "%.0f processes or threads a second are started|, %s by `%s`: its children took "
		     "%.0f %% of a CPU",
		     rate, how, who.comm, p ? children_pct(r->facts, &p->u) : 0);
}

/* Whose children they were: it waits for them, and is charged with their CPU time then. */
void rule__FORK_STORM(struct rule_run *r)
{
	const struct system_snap *s = r->facts->system;
	const struct system_process *top = NULL;
	double most = 0;

	for (u32 i = 0; i < s->nprocesses; i++) {
		double pct = children_pct(r->facts, &s->processes[i].u);

		if (pct <= most || !facts__passes(r->facts, &s->processes[i].u))
			continue;
		most = pct;
		top = &s->processes[i];
	}
	say_fork_storm(r, top, "most");
	for (u32 i = 0; top && i < s->nprocesses; i++)
		if (&s->processes[i] != top && children_pct(r->facts, &s->processes[i].u) >= PARENT_MIN_PCT)
			say_fork_storm(r, &s->processes[i], "some");
}

#define MANY_THREADS 1000

void rule__THREAD_STORM(struct rule_run *r)
{
	const struct facts *f = r->facts;
	const struct system_series *v = system__series(f->system, FIGURE_THREADS, "");
	const struct system_process *p = facts__most_threads(f);
	bool behind = v && p && p->u.threads >= (v->rate - v->usual) / 4; /* they may be many processes with one each */
	struct who who = who__of_process(behind ? p : NULL);

	if (!v || v->usual_s < 2 || v->usual < 1 || v->rate - v->usual < MANY_THREADS)
		return;
	finding__add(r, v->rate / v->usual, &who, "",
		     "there are %.0f threads, %.1f times as many as in the minutes before|: `%s` has %u",
		     v->rate, v->rate / v->usual, who.comm, p ? p->u.threads : 0);
}

#define HANGS_NS NSEC_PER_SEC

/* One that waits for disks again and again is found in D at each look, too. Where waits are traced it is known whether
 * one of them went on all the time. */
static bool went_on(const struct facts *f, u32 pid)
{
	bool seen = false;

	for (u32 i = 0; f->waits && i < f->waits->nentries; i++) {
		const struct wait_entry *e = &f->waits->entries[i];

		if (e->task.tid != pid || e->state != TASK_STATE_DISK)
			continue;
		if (e->sums[WINDOW_LAST].open && e->open_full_ns >= HANGS_NS)
			return false;
		seen = true;
	}
	return seen;
}

void rule__D_STATE(struct rule_run *r)
{
	const struct system_snap *s = r->facts->system;
	const struct system_process *longest = NULL;
	u32 looks = (u32)MAX(2.0, ceil(1 / MAX(r->facts->span_s, 0.1)) + 1), n = 0;
	struct who who;

	for (u32 i = 0; i < s->nprocesses; i++) {
		if (s->processes[i].blocked < looks || went_on(r->facts, s->processes[i].u.pid))
			continue;
		n++;
		if (!longest || s->processes[i].blocked > longest->blocked)
			longest = &s->processes[i];
	}
	if (!longest)
		return;
	who = who__of_process(longest);
	finding__add(r, n, &who, NULL,
		     "%u process%s in D, where no signal reaches %s, at each of the last %u looks: `%s`%s", n,
		     n == 1 ? " was" : "es were", n == 1 ? "it" : "them", looks, who.comm,
		     n == 1 ? "" : " for longest");
}

#define ZOMBIE_LOOKS 3 /* fewer at one of them: they are waited for, only late */

/* The least of the last looks; 0 as long as there are too few. */
static double zombies(const struct system_series *v)
{
	float least = INFINITY;

	for (u32 i = 0; v->ntrend >= ZOMBIE_LOOKS && i < ZOMBIE_LOOKS; i++)
		least = MIN(least, v->trend[v->ntrend - 1 - i]);
	return v->ntrend >= ZOMBIE_LOOKS ? (double)least : 0;
}

void rule__ZOMBIES(struct rule_run *r)
{
	const struct facts *f = r->facts;
	const struct system_series *v = system__series(f->system, FIGURE_ZOMBIES, "");
	const struct system_process *p = v && v->pid ? system__process(f->system, v->pid) : NULL;
	struct who who = who__of_process(p);
	char filter[24] = "";

	if (p)
		snprintf(filter, sizeof(filter), "tree=%u", who.pid);
	if (v)
		finding__add(r, zombies(v), &who, filter,
			     "%.0f processes have ended, and nobody waits for them|: `%s` started most of them",
			     zombies(v), who.comm);
}

/* --- networks --- */

static double net(const struct facts *f, enum figure what, const char *name)
{
	return system__rate(f->system, what, name);
}

void rule__NET_DROPS(struct rule_run *r)
{
	const struct facts *f = r->facts;
	const struct system_snap *s = f->system;
	double backlog = rate_of(f, FIGURE_BACKLOG_DROPS);

	for (u32 i = s->first[FIGURE_NET_RX_DROPS]; i < s->first[FIGURE_NET_RX_DROPS + 1]; i++) {
		const char *name = s->series[i].instance;
		double in = s->series[i].rate + net(f, FIGURE_NET_RX_ERRORS, name);
		double out = net(f, FIGURE_NET_TX_DROPS, name) + net(f, FIGURE_NET_TX_ERRORS, name);

		finding__add(r, in + out, NULL, "",
			     "%s drops %.0f packets a second coming in (%.0f received) and %.0f going out (%.0f sent)",
			     name, in, net(f, FIGURE_NET_RX_PACKETS, name), out, net(f, FIGURE_NET_TX_PACKETS, name));
	}
	finding__add(r, backlog, NULL, "",
		     "%.0f packets a second are dropped as a CPU's backlog is full (net.core.netdev_max_backlog)",
		     backlog);
}

/* Of the connections or sockets that are known: what one did most; NULL: none did. */
static const struct measure_entry *entry_with_most(const struct measure_snap *s, u32 sum)
{
	const struct measure_entry *most = NULL;

	for (u32 i = 0; s && i < s->nentries; i++) {
		const struct measure_entry *e = &s->entries[i];

		if (e->who.tgid != MEASURE_MANY && e->v[WINDOW_LAST].sums[sum] &&
		    (!most || e->v[WINDOW_LAST].sums[sum] > most->v[WINDOW_LAST].sums[sum]))
			most = e;
	}
	return most;
}

static const struct measure_entry *entry_with_most_errors(const struct measure_snap *s)
{
	const struct measure_entry *most = NULL;

	for (u32 i = 0; s && i < s->nentries; i++) {
		const struct measure_entry *e = &s->entries[i];

		if (e->who.tgid != MEASURE_MANY && e->v[WINDOW_LAST].errors &&
		    (!most || e->v[WINDOW_LAST].errors > most->v[WINDOW_LAST].errors))
			most = e;
	}
	return most;
}

static struct who who__of_entry(const struct measure_entry *e)
{
	return e ? (struct who){e->who.tgid, e->who.process, e->who.cgroup} : (struct who){0};
}

static const char *end_of(const struct measure_entry *e, const char *label)
{
	int i = measure__label(measure_table[MEASURE_TCP], label);

	return e && i >= 0 ? e->keys[i].text : "";
}

#define WHERE_LEN (FIGURE_INSTANCE + 32)

/* Where nobody is known yet: in which network namespace, where that is not proftop's own; and the filter for it. */
static const char *where(const struct system_series *most, const struct measure_entry *e, char *text, char *filter)
{
	bool other = !e && most && *most->instance;

	*text = *filter = '\0';
	if (other) {
		snprintf(text, WHERE_LEN, " in network namespace %s", most->instance);
		snprintf(filter, WHERE_LEN, "netns=%s", most->instance);
	}
	return e ? NULL : filter;
}

void rule__RETRANSMITS(struct rule_run *r)
{
	double again = facts__networks(r->facts, FIGURE_TCP_RETRANSMITS), out = facts__networks(r->facts, FIGURE_TCP_OUT);
	const struct measure_entry *e = entry_with_most(r->facts->tcp, TCP_RETRANSMITS);
	struct who who = who__of_entry(e);
	char in[WHERE_LEN], filter[WHERE_LEN];
	const char *leads = where(facts__network(r->facts, FIGURE_TCP_RETRANSMITS), e, in, filter);

	if (again < 2 || out <= 0)
		return;
	finding__add(r, 100 * again / out, &who, leads,
		     "TCP sends %.0f segments a second again, %.1f %% of all: the network loses some%s%s%s%s%s%s",
		     again, 100 * again / out, e ? ", most of `" : "", e ? who.comm : "",
		     e ? "` to " : "", end_of(e, "remote"), *in ? ", most" : "", in);
}

/* Who listens the kernel's own tables say at once; the programs of `tcp`, which come later, where. */
static void full_listener(struct rule_run *r)
{
	const struct facts *f = r->facts;
	const struct system_series *v = facts__network(f, FIGURE_TCP_LISTEN_OVERFLOWS);
	const struct system_process *p = v && v->pid ? system__process(f->system, v->pid) : NULL;
	const struct measure_entry *e = entry_with_most(f->tcp, TCP_DROPS);
	struct who who = e ? who__of_entry(e) : who__of_process(p);
	double rate = facts__networks(f, FIGURE_TCP_LISTEN_OVERFLOWS);
	char in[WHERE_LEN], filter[WHERE_LEN];

	where(v, e, in, filter);
	if (v)
		finding__add(r, rate, &who, who.pid ? NULL : "",
			     "%.0f connections a second found the queue of %s%s%s full: %s%s%s does not "
			     "accept them fast enough",
			     rate, e ? "" : "a listening socket", end_of(e, "local"), in,
			     who.pid ? "`" : "", who.pid ? who.comm : "who listens", who.pid ? "`" : "");
}

/* Whose socket it is /proc tells where it can be found there; the programs of `sockets` know for sure. */
static void full_reader(struct rule_run *r)
{
	const struct facts *f = r->facts;
	const struct system_series *udp = facts__network(f, FIGURE_UDP_FULL);
	const struct system_process *p = udp && udp->pid ? system__process(f->system, udp->pid) : NULL;
	const struct measure_entry *e = entry_with_most(f->sockets, SOCKETS_DROPS);
	bool is_udp = e && !strcmp(e->keys[0].text, "udp");
	struct who who = is_udp ? who__of_entry(e) : who__of_process(p);
	double rate = facts__networks(f, FIGURE_UDP_FULL);
	char in[WHERE_LEN], filter[WHERE_LEN];

	where(udp, is_udp ? e : NULL, in, filter);
	if (udp)
		finding__add(r, rate, &who, who.pid ? NULL : "",
			     "%.0f UDP packets a second found the queue of %s%s%s%s full: it does not read "
			     "them fast enough",
			     rate, who.pid ? "`" : "", who.pid ? who.comm : "their socket",
			     who.pid ? "`" : "", in);
}

void rule__SOCKET_QUEUES(struct rule_run *r)
{
	full_listener(r);
	full_reader(r);
}

void rule__CONNECT_FAILS(struct rule_run *r)
{
	double rate = facts__networks(r->facts, FIGURE_TCP_CONNECT_FAILS);
	const struct measure_entry *e = entry_with_most_errors(r->facts->tcp);
	struct who who = who__of_entry(e);
	char in[WHERE_LEN], filter[WHERE_LEN];
	const char *leads = where(facts__network(r->facts, FIGURE_TCP_CONNECT_FAILS), e, in, filter);

	finding__add(r, rate, &who, leads,
		     "%.0f TCP connections a second come to nothing: refused, reset or not answered%s%s%s%s%s%s", rate,
		     e ? ", most of `" : "", e ? who.comm : "", e ? "` to " : "", end_of(e, "remote"),
		     *in ? ", most" : "", in);
}

void rule__SYN_FLOOD(struct rule_run *r)
{
	double cookies = facts__networks(r->facts, FIGURE_TCP_SYN_COOKIES);
	double drops = facts__networks(r->facts, FIGURE_TCP_SYN_DROPS);

	finding__add(r, cookies + drops, NULL, "",
		     "%.0f connections a second find the queue of half-open ones full: %.0f are dropped, the others "
		     "get cookies",
		     cookies + drops, drops);
}

void rule__NET_SATURATED(struct rule_run *r)
{
	const struct facts *f = r->facts;
	const struct system_snap *s = f->system;

	for (u32 i = s->first[FIGURE_NET_MBIT]; i < s->first[FIGURE_NET_MBIT + 1]; i++) {
		const char *name = s->series[i].instance;
		double bytes = MAX(net(f, FIGURE_NET_RX_BYTES, name), net(f, FIGURE_NET_TX_BYTES, name));
		double mbit = bytes * 8 / 1e6;

		if (s->series[i].rate > 0)
			finding__add(r, 100 * mbit / s->series[i].rate, NULL, "",
				     "%s carries %.0f Mbit/s of the %.0f that it can", name, mbit,
				     s->series[i].rate);
	}
}

/* --- clocks and messages --- */

void rule__CLOCK_STEP(struct rule_run *r)
{
	const struct facts *f = r->facts;
	const struct system_series *v = system__series(f->system, FIGURE_CLOCK_STEP, "");
	double ms = series__most(v, 60, f->span_s) * f->span_s / 1e6;

	finding__add(r, ms, NULL, "",
		     "the time of day jumped by %.1f s in the last minute: timers and times of files are not "
		     "to be trusted",
		     ms / 1e3);
}

void rule__KERNEL_MESSAGES(struct rule_run *r)
{
	const struct system_snap *s = r->facts->system;
	const struct notice_sample *worst = NULL;
	u32 n = 0;

	for (u32 i = 0; i < s->nnotices; i++) {
		const struct notice_sample *m = &s->notices[i];

		if (m->level > NOTICE_LEVEL || s->base.t1_ns > m->t_ns + 60 * NSEC_PER_SEC)
			continue;
		n++;
		if (!worst || m->level <= worst->level)
			worst = m;
	}
	if (worst)
		finding__add(r, 5.0 - worst->level, NULL, "",
			     "the kernel logged %u error%s in the last minute: \"%.160s\"", n,
			     n == 1 ? "" : "s", worst->text);
}

void rule__CRASHES(struct rule_run *r)
{
	const struct system_snap *s = r->facts->system;
	char comm[COMM_LEN] = "", one[COMM_LEN];
	const char *text = "";
	u32 n = 0, pid;

	for (u32 i = 0; i < s->nnotices; i++) {
		if (s->base.t1_ns > s->notices[i].t_ns + 60 * NSEC_PER_SEC ||
		    !notice__crash(s->notices[i].text, &pid, one))
			continue;
		n++;
		memcpy(comm, one, sizeof(comm));
		text = s->notices[i].text;
	}
	if (n)
		finding__add(r, n, NULL, "", "%u process%s crashed in the last minute, `%s` last: \"%.160s\"", n,
			     n == 1 ? "" : "es", comm, text);
}

/* Each look at the time is a system call then. */
void rule__SLOW_CLOCK(struct rule_run *r)
{
	const struct system_snap *s = r->facts->system;

	if (system__has(s, FIGURE_SLOW_CLOCK))
		finding__add(r, 1, NULL, "",
			     "the kernel's clock is %s, which is slow to read: each look at the time is a system "
			     "call (/sys/devices/system/clocksource)",
			     s->series[s->first[FIGURE_SLOW_CLOCK]].instance);
}

/* --- what we cost --- */

#define COST_LOOKS 3
#define COST_NS	   (8 * NSEC_PER_SEC) /* to attach and to make tables costs once: that is over by then */

/* The least of the last looks; 0 as long as there are too few. */
static double own_pct(const struct facts *f)
{
	const struct system_series *v = system__series(f->system, FIGURE_OWN_CPU, "");
	u64 interval = MAX(f->system->base.t1_ns - f->system->base.t0_ns, 1ull);
	u32 looks = CLAMP((u32)(COST_NS / interval), COST_LOOKS, SYSTEM_TREND);
	float least = INFINITY;

	if (!v || v->ntrend < looks)
		return 0;
	for (u32 i = 0; i < looks; i++)
		least = MIN(least, v->trend[v->ntrend - 1 - i]);
	return (double)least / 1e7 / f->ncpus;
}

/* What traces beside the overview's own source: models that one source serves have the same health, and that of BPF
 * programs is about those of the others. */
static bool traces(const struct frame *f, u32 model)
{
	return f->feeds[model].state == FEED_LIVE && model != MODEL_SYSTEM && model != MODEL_BPF &&
	       !(model == MODEL_SCHED && f->feeds[MODEL_WAITS].state == FEED_LIVE);
}

static double programs_pct(const struct health *h)
{
	return MAX(h->cost_pct, h->run_pct);
}

void overview__health(const struct frame *f, struct health *h)
{
	*h = f->feeds[MODEL_SYSTEM].health;
	for (u32 m = 0; m < MODEL_COUNT; m++) {
		const struct health *of = &f->feeds[m].health;

		if (!traces(f, m))
			continue;
		h->lost += of->lost;
		h->stacks_lost += of->stacks_lost;
		h->map_full += of->map_full;
		h->map_fill_pct = MAX(h->map_fill_pct, of->map_fill_pct);
		h->run_pct += of->run_pct;
		h->cost_pct += programs_pct(of);
	}
}

void rule__TRACING_COST(struct rule_run *r)
{
	const struct frame *frame = r->facts->frame;
	const struct health *dearest = NULL;
	struct health all;
	double own = own_pct(r->facts);

	overview__health(frame, &all);
	for (u32 m = 0; m < MODEL_COUNT; m++) {
		const struct health *h = &frame->feeds[m].health;

		if (traces(frame, m) && programs_pct(h) > (dearest ? programs_pct(dearest) : 0))
			dearest = h;
	}
	finding__add(r, all.cost_pct + own, NULL, "",
		     "proftop itself takes %.1f %% of all CPUs: %.1f %% its threads, %.1f %% its programs in "
		     "the kernel%s%s",
		     all.cost_pct + own, own, all.cost_pct, dearest ? ", most of those at " : "",
		     dearest ? dearest->event : "");
}
