// SPDX-License-Identifier: GPL-2.0-only
/* Rules about memory. */
#include <stdio.h>

#include "models/overview_impl.h"

#define LEAK_MIN_BYTES (8ULL << 20)
#define MINUTE_NS      (61 * NSEC_PER_SEC) /* the kernel logs what it has counted */

static double level(const struct facts *f, enum figure what)
{
	return system__rate(f->system, what, "");
}

static const struct system_process *largest(const struct facts *f)
{
	const struct system_process *top = NULL;

	for (u32 i = 0; i < f->system->nprocesses; i++)
		if (!top || f->system->processes[i].u.rss_bytes > top->u.rss_bytes)
			top = &f->system->processes[i];
	return top;
}

void rule__MEMORY_LOW(struct rule_run *r)
{
	const struct facts *f = r->facts;
	double total = level(f, FIGURE_MEM_TOTAL), left = level(f, FIGURE_MEM_AVAILABLE);
	const struct system_process *p = largest(f);
	struct who who = who__of_process(p);

	if (total > 0)
		finding__add(r, 100 - 100 * left / total, &who, NULL,
			     "%.0f MB of memory are left of %.0f MB|: `%s` is largest, %.0f MB", left / 1e6,
			     total / 1e6, who.comm,
			     p ? (double)p->u.rss_bytes / 1e6 : 0);
}

/* Who waits for memory longest, where that is traced; else who faults most, first from disks. */
static struct who who_needs_memory(const struct facts *f, char *buf, size_t size)
{
	const struct system_process *p;
	const struct waits_row *top = NULL;
	double most;

	for (u32 i = 0; f->reasons && i < f->reasons->nrows; i++) {
		const struct waits_row *row = &f->reasons->rows[i];

		if (row->why == WAIT_FAULT && !row->merged &&
		    (!top || row->sums.off_ns > top->sums.off_ns))
			top = row;
	}
	if (top) {
		snprintf(buf, size, "`%s` waits %.0f %% of its time for memory", top->entry->task.comm,
			 100 * (double)top->sums.off_ns / (double)MAX(f->reasons->base.window_ns, 1ULL));
		return who__of_task(&top->entry->task);
	}
	p = facts__top(f, usage__major, &most);
	if (!p)
		p = facts__top(f, usage__minor, &most);
	snprintf(buf, size, "`%s` faults most, %.0f times a second", p ? p->u.comm : "", most);
	return who__of_process(p);
}

void rule__RECLAIM(struct rule_run *r)
{
	double pages = level(r->facts, FIGURE_SCAN_DIRECT);
	char whose[96];
	struct who who = who_needs_memory(r->facts, whose, sizeof(whose));

	finding__add(r, pages, &who, NULL,
		     "direct reclaim scans %.0f pages a second, %.0f allocations stall|: %s",
		     pages, level(r->facts, FIGURE_ALLOC_STALLS), whose);
}

static void swapped_in(struct rule_run *r, double in, double out)
{
	double most;
	struct who who = who__of_process(facts__top(r->facts, usage__major, &most));

	finding__add(r, in + out, &who, NULL,
		     "swap: %.0f pages a second in, %.0f out|: `%s` faults most of them in, %.0f a second", in, out,
		     who.comm, most);
}

static void swapped_out(struct rule_run *r, double in, double out)
{
	double most;
	struct who who = who__of_process(facts__top(r->facts, usage__swapped, &most));

	finding__add(r, in + out, &who, NULL,
		     "swap: %.0f pages a second in, %.0f out|: `%s` had most of them, %.1f MB a second", in, out,
		     who.comm, most / 1e6);
}

void rule__SWAP(struct rule_run *r)
{
	double in = level(r->facts, FIGURE_SWAP_IN), out = level(r->facts, FIGURE_SWAP_OUT);

	if (in >= out)
		swapped_in(r, in, out);
	else
		swapped_out(r, in, out);
}

/* "Out of memory: Killed process 123 (name) ..." */
static bool killed(const struct notice_sample *n, struct who *who, char comm[COMM_LEN])
{
	const char *at = strstr(n->text, "Killed process ");
	const char *open = at ? strchr(at, '(') : NULL, *close = open ? strstr(open, ") total-vm") : NULL;

	if (!close)
		return false;
	copy_str(comm, MIN((size_t)(close - open), (size_t)COMM_LEN), open + 1);
	*who = (struct who){(u32)strtoul(at + strlen("Killed process "), NULL, 10), comm, 0};
	return true;
}

/* Those that the kernel logged in the last minute; of the last one who and its name. */
static u32 kills(const struct system_snap *s, struct who *who, char comm[COMM_LEN])
{
	u32 n = 0;

	for (u32 i = 0; i < s->nnotices; i++)
		n += s->notices[i].t_ns + MINUTE_NS >= s->base.t1_ns && killed(&s->notices[i], who, comm);
	return n;
}

void rule__OOM_KILL(struct rule_run *r)
{
	const struct facts *f = r->facts;
	const struct system_series *v = system__series(f->system, FIGURE_OOM_KILLS, "");
	char comm[COMM_LEN] = "";
	struct who who = {0};
	u32 n = kills(f->system, &who, comm);

	if (series__most(v, 60, f->span_s) <= 0)
		return;
	if (n > 1)
		finding__add(r, n, &who, "",
			     "the kernel killed %u processes in the last minute, as memory ran out: `%s` last",
			     n, comm);
	else
		finding__add(r, 1, &who, "", "the kernel killed %s%s%s in the last minute, as memory ran out",
			     n ? "`" : "", n ? comm : "a process", n ? "`" : "");
}

void rule__MEMORY_PRESSURE(struct rule_run *r)
{
	double some = level(r->facts, FIGURE_PSI_MEMORY_SOME) / 1e7;
	char whose[96];
	struct who who = who_needs_memory(r->facts, whose, sizeof(whose));

	finding__add(r, some, &who, NULL,
		     "%.0f %% of the time some task waits for memory, all of them %.0f %%|: %s", some,
		     level(r->facts, FIGURE_PSI_MEMORY_FULL) / 1e7, whose);
}

/* --- faults --- */

#define PAGE_BYTES 4096ULL /* or more: a fault maps a page at least */

void rule__FAULT_STORM(struct rule_run *r)
{
	double rate, usual;
	const struct system_process *p = facts__top(r->facts, usage__minor, &rate);
	const struct system_series *all = system__series(r->facts->system, FIGURE_FAULTS, "");
	struct who who = who__of_process(p);

	usual = all && all->usual_s > 10 ? all->usual : 0;
	if (p && usual > 0 && all->rate > 2 * usual)
		finding__add(r, rate, &who, NULL,
			     "`%s` faults %.0f times a second; the machine has %.1f times as many faults "
			     "as in the minutes before",
			     p->u.comm, rate, all->rate / usual);
	else if (p)
		finding__add(r, rate, &who, NULL,
			     "`%s` faults %.0f times a second%s", p->u.comm, rate,
			     p->u.minor_faults * PAGE_BYTES > p->u.rss_bytes
				     ? ", in more pages than it has: it gives back what it touches"
				     : "");
}

void rule__MAJOR_FAULTS(struct rule_run *r)
{
	double rate;
	const struct system_process *p = facts__top(r->facts, usage__major, &rate);
	struct who who = who__of_process(p);

	if (p)
		finding__add(r, rate, &who, NULL,
			     "`%s` faults %.0f times a second in pages that have to be read from a disk",
			     p->u.comm, rate);
}

/* --- leaks --- */

/* What proftop takes for what it shows is no leak. */
static u64 growth(const struct system_process *p)
{
	return p->grew && !p->u.own ? p->u.rss_bytes - MIN(p->u.rss_bytes, p->grew_from_bytes) : 0;
}

/* Until nothing is left at this rate; beyond a day it says nothing. */
static void lasts_text(char *buf, size_t size, double s)
{
	if (s < 600)
		snprintf(buf, size, ": memory lasts for %.0f s more", s);
	else if (s < 36000)
		snprintf(buf, size, ": memory lasts for %.0f min more", s / 60);
	else if (s < 86400)
		snprintf(buf, size, ": memory lasts for %.0f h more", s / 3600);
	else
		*buf = '\0';
}

void rule__LEAK(struct rule_run *r)
{
	const struct facts *f = r->facts;
	const struct system_process *top = NULL;
	double s, rate;
	char lasts[64];
	struct who who;

	for (u32 i = 0; i < f->system->nprocesses; i++)
		if (!top || growth(&f->system->processes[i]) > growth(top))
			top = &f->system->processes[i];
	if (!top || growth(top) < LEAK_MIN_BYTES || top->grew < 3)
		return;
	s = (double)(top->t_ns - top->grew_since_ns) / 1e9;
	rate = (double)growth(top) / MAX(s, 0.1);
	who = who__of_process(top);
	lasts_text(lasts, sizeof(lasts), level(f, FIGURE_MEM_AVAILABLE) / rate);
	finding__add(r, s, &who, NULL,
		     "`%s` has grown for %.0f s without a break, by %.1f MB a second to %.0f MB%s",
		     top->u.comm, s, rate / 1e6, (double)top->u.rss_bytes / 1e6, lasts);
}

void rule__COMPACTION(struct rule_run *r)
{
	double rate = level(r->facts, FIGURE_COMPACT_STALLS);
	char whose[96];
	struct who who = who_needs_memory(r->facts, whose, sizeof(whose));

	finding__add(r, rate, &who, NULL,
		     "%.0f times a second a task has to wait until memory is compacted|: %s", rate, whose);
}

/* --- nodes --- */

void rule__NUMA_MISSES(struct rule_run *r)
{
	double rate = level(r->facts, FIGURE_NUMA_MISSES);
	const struct system_process *p = largest(r->facts);
	struct who who = who__of_process(p);

	finding__add(r, rate, &who, NULL,
		     "%.0f pages a second come from another node than was wanted, as that is full|: `%s` is largest",
		     rate, who.comm);
}
