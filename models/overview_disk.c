// SPDX-License-Identifier: GPL-2.0-only
/* Rules about disks and the page cache. */
#include <stdio.h>

#include "models/overview_impl.h"

#define MIN_REQUESTS 5 /* a second: of fewer a mean says little */

static double disk(const struct facts *f, enum figure what, const char *name)
{
	return system__rate(f->system, what, name);
}

/* Who uses disks most: by requests where those are traced, else by bytes. */
static struct who user_of_disks(const struct facts *f, double *bytes_per_s)
{
	const struct system_process *p = facts__top(f, usage__io, bytes_per_s);

	for (u32 i = 0; f->io_users && i < f->io_users->nrows; i++) {
		const struct io_row *row = &f->io_users->rows[i];

		if (!row->proc || !row->proc->who.tgid || row->proc->who.kthread)
			continue;
		if (p && p->u.pid != row->proc->who.tgid)
			break;
		*bytes_per_s = (double)(row->read_bytes + row->write_bytes) * 1e9 /
			       (double)MAX(f->io_users->base.window_ns, 1ULL);
		return (struct who){row->proc->who.tgid, row->proc->who.comm, row->proc->who.cgroup};
	}
	return who__of_process(p);
}

void rule__IO_PRESSURE(struct rule_run *r)
{
	double full = system__rate(r->facts->system, FIGURE_PSI_IO_FULL, "") / 1e7;
	double bytes;
	struct who who = user_of_disks(r->facts, &bytes);

	finding__add(r, full, &who, NULL,
		     "%.0f %% of the time no task could go on, all waited for I/O|: `%s` moves %.1f MB/s",
		     full, who.comm, bytes / 1e6);
}

/* --- slow --- */

static double mean_ms(const struct facts *f, const char *name)
{
	double n = disk(f, FIGURE_DISK_READS, name) + disk(f, FIGURE_DISK_WRITES, name);
	double ns = disk(f, FIGURE_DISK_READ_NS, name) + disk(f, FIGURE_DISK_WRITE_NS, name);

	return n >= MIN_REQUESTS ? ns / n / 1e6 : 0;
}

static void quantiles(const struct facts *f, const char *name, char *buf, size_t size)
{
	static const char *const verbs[IO_OPS] = {"reads", "writes", "flushes", "discards"};

	*buf = '\0';
	for (u32 i = 0; f->devices && i < f->devices->nrows; i++) {
		const struct io_row *row = &f->devices->rows[i];
		const struct io_hist *h = &row->hists[IO_TOTAL];
		u64 max = row->sums.max_ns[IO_TOTAL];

		if (strcmp(row->device.name, name) || row->op > IO_WRITE)
			continue;
		snprintf(buf, size, "; half of its %s within %.2f ms, 99 %% within %.2f ms",
			 verbs[row->op], (double)io_hist__quantile(h, 0.5, max) / 1e6,
			 (double)io_hist__quantile(h, 0.99, max) / 1e6);
		return;
	}
}

void rule__DISK_SLOW(struct rule_run *r)
{
	const struct facts *f = r->facts;
	const struct system_snap *s = f->system;

	for (u32 i = s->first[FIGURE_DISK_BUSY]; i < s->first[FIGURE_DISK_BUSY + 1]; i++) {
		const char *name = s->series[i].instance;
		double ms = mean_ms(f, name), bytes;
		struct who who = user_of_disks(f, &bytes);
		char spread[120];

		if (!finding__counts(r, ms))
			continue;
		quantiles(f, name, spread, sizeof(spread));
		finding__add(r, ms, &who, "", "%s: a request takes %.1f ms on average, %.0f are in flight%s"
			     "|; `%s` moves %.1f MB/s",
			     name, ms, disk(f, FIGURE_DISK_IN_FLIGHT, name), spread,
			     who.comm, bytes / 1e6);
	}
}

/* Requests in flight on average: what they took together by how long that was. */
static double depth(const struct facts *f, const char *name)
{
	return (disk(f, FIGURE_DISK_READ_NS, name) + disk(f, FIGURE_DISK_WRITE_NS, name)) / 1e9;
}

void rule__DISK_BUSY(struct rule_run *r)
{
	const struct facts *f = r->facts;
	const struct system_snap *s = f->system;

	for (u32 i = s->first[FIGURE_DISK_BUSY]; i < s->first[FIGURE_DISK_BUSY + 1]; i++) {
		const char *name = s->series[i].instance;
		double busy = MIN(s->series[i].rate / 1e7, 100.0), deep = depth(f, name), bytes;
		struct who who = user_of_disks(f, &bytes);

		if (deep < 2)
			continue;
		finding__add(r, busy, &who, NULL,
			     "%s is busy %.0f %% of the time with %.1f requests at once: %.0f reads and "
			     "%.0f writes a second|, `%s` moves %.1f MB/s",
			     name, busy, deep, disk(f, FIGURE_DISK_READS, name),
			     disk(f, FIGURE_DISK_WRITES, name), who.comm,
			     bytes / 1e6);
	}
}

/* --- the page cache --- */

/* Of its time, by the thread that does longest; 0: not traced. */
static double disk_wait_pct(const struct facts *f, u32 pid)
{
	u64 most = 0;

	for (u32 i = 0; f->reasons && i < f->reasons->nrows; i++) {
		const struct waits_row *row = &f->reasons->rows[i];

		if (row->why == WAIT_DISK && !row->merged && row->entry->task.tgid == pid)
			most = MAX(most, row->sums.off_ns);
	}
	return most ? 100 * (double)most / (double)MAX(f->reasons->base.window_ns, 1ULL) : 0;
}

void rule__COLD_READS(struct rule_run *r)
{
	double bytes, waits;
	const struct system_process *p = facts__top(r->facts, usage__reads, &bytes);
	struct who who = who__of_process(p);
	char text[64] = "";

	if (!p)
		return;
	waits = disk_wait_pct(r->facts, p->u.pid);
	if (waits >= 1)
		snprintf(text, sizeof(text), "; it waits %.0f %% of its time for them", waits);
	finding__add(r, bytes / 1e6, &who, NULL, "`%s` reads %.1f MB/s from disks: it is not in the page cache%s",
		     p->u.comm, bytes / 1e6, text);
}

void rule__CACHE_THRASH(struct rule_run *r)
{
	double pages = system__rate(r->facts->system, FIGURE_REFAULTS, ""), bytes;
	const struct system_process *p = facts__top(r->facts, usage__reads, &bytes);
	struct who who = who__of_process(p);

	finding__add(r, pages, &who, NULL,
		     "%.0f pages a second are read again that were in the page cache not long ago"
		     "|: `%s` reads %.1f MB/s",
		     pages, who.comm, bytes / 1e6);
}
