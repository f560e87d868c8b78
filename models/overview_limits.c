// SPDX-License-Identifier: GPL-2.0-only
/* Rules about limits: of open files, processes, cgroups, filesystems and tables of the kernel. */
#include <stdio.h>

#include "models/overview_impl.h"

static double rate_of(const struct facts *f, enum figure what)
{
	return system__rate(f->system, what, "");
}

void rule__FILES_NEAR(struct rule_run *r)
{
	const struct facts *f = r->facts;
	double max = rate_of(f, FIGURE_FILES_MAX);

	for (u32 i = 0; i < f->system->nprocesses; i++) {
		const struct usage_sample *u = &f->system->processes[i].u;
		struct who who = who__of_process(&f->system->processes[i]);

		if (u->files_max)
			finding__add(r, 100.0 * u->files / u->files_max, &who, NULL,
				     "`%s` has %u files open of the %u that it may", u->comm, u->files,
				     u->files_max);
	}
	if (max > 0)
		finding__add(r, 100 * rate_of(f, FIGURE_FILES) / max, NULL, NULL,
			     "%.0f files are open on the machine of the %.0f that may be",
			     rate_of(f, FIGURE_FILES), max);
}

/* Whose they are, as it was counted; "" nobody has many. */
static void threads_of(const struct facts *f, struct who *who, char *buf, size_t size)
{
	const struct system_series *most = &f->system->series[f->system->first[FIGURE_THREADS_MOST]];
	const struct system_process *p = facts__most_threads(f);
	const char *words = "has";
	u32 threads = p ? p->u.threads : 0;

	if (system__has(f->system, FIGURE_THREADS_MOST)) {
		p = system__process(f->system, most->pid);
		threads = (u32)most->value;
		words = !strcmp(most->instance, "children") ? "and its children have"
			: !strcmp(most->instance, "group")  ? "and its process group have"
							    : "has";
	}
	*who = who__of_process(p);
	snprintf(buf, size, "`%s` %s %u", who->comm, words, threads);
}

/* What cgroups have of what they may, as systemd and containers limit it. */
static void pids_of_cgroups(struct rule_run *r)
{
	const struct system_snap *s = r->facts->system;

	for (u32 i = s->first[FIGURE_CGROUP_PIDS]; i < s->first[FIGURE_CGROUP_PIDS + 1]; i++) {
		const struct system_series *v = &s->series[i];
		double max = system__rate(s, FIGURE_CGROUP_PIDS_MAX, v->instance);
		struct who who = who__of_process(v->pid ? system__process(s, v->pid) : NULL);

		if (max > 0)
			finding__add(r, 100 * v->rate / max, &who, NULL,
				     "cgroup %s has %.0f of the %.0f threads that it may|: `%s` is in it", v->instance,
				     v->rate, max, who.comm);
	}
}

void rule__PIDS_NEAR(struct rule_run *r)
{
	const struct facts *f = r->facts;
	double pids = rate_of(f, FIGURE_PID_MAX), threads = rate_of(f, FIGURE_THREADS_MAX);
	double limit = pids > 0 && threads > 0 ? MIN(pids, threads) : MAX(pids, threads);
	struct who who;
	char whose[80];

	pids_of_cgroups(r);
	threads_of(f, &who, whose, sizeof(whose));
	if (limit > 0)
		finding__add(r, 100 * rate_of(f, FIGURE_THREADS) / limit, &who, NULL,
			     "there are %.0f threads of the %.0f that may be|: %s",
			     rate_of(f, FIGURE_THREADS), limit, whose);
}

void rule__CGROUP_MEMORY(struct rule_run *r)
{
	const struct system_snap *s = r->facts->system;

	for (u32 i = s->first[FIGURE_CGROUP_MEMORY]; i < s->first[FIGURE_CGROUP_MEMORY + 1]; i++) {
		const struct system_series *v = &s->series[i];
		double max = system__rate(s, FIGURE_CGROUP_MEMORY_MAX, v->instance);
		struct who who = who__of_process(v->pid ? system__process(s, v->pid) : NULL);

		if (max > 0)
			finding__add(r, 100 * v->rate / max, &who, NULL,
				     "cgroup %s uses %.0f of the %.0f MB of memory that it may, without what the page "
				     "cache has|: `%s` is largest in it",
				     v->instance, v->rate / 1e6, max / 1e6, who.comm);
	}
}

void rule__CONNTRACK_NEAR(struct rule_run *r)
{
	double n = rate_of(r->facts, FIGURE_CONNTRACK), max = rate_of(r->facts, FIGURE_CONNTRACK_MAX);

	if (max > 0)
		finding__add(r, 100 * n / max, NULL, "",
			     "the firewall tracks %.0f connections of the %.0f that it may "
			     "(net.netfilter.nf_conntrack_max): beyond, packets are dropped",
			     n, max);
}

/* --- filesystems --- */

#define WRITES_MANY 1e6 /* bytes a second: who writes less does not fill a disk */

static double filesystem(const struct facts *f, enum figure what, const char *path)
{
	return system__rate(f->system, what, path);
}

static void say_full(struct rule_run *r, const char *path, double pct)
{
	double left = filesystem(r->facts, FIGURE_FS_AVAILABLE, path), rate;
	const struct system_process *p = facts__top(r->facts, usage__writes, &rate);
	struct who who = who__of_process(rate >= WRITES_MANY ? p : NULL);

	finding__add(r, pct, &who, NULL, "%s is %.0f %% full, %.0f MB are left|: `%s` writes most, %.1f MB/s to disks",
		     path, floor(pct), left / 1e6, who.comm, rate / 1e6);
}

/* As df(1) has it: what root alone may use is in use. */
void rule__DISK_FULL(struct rule_run *r)
{
	const struct system_snap *s = r->facts->system;

	for (u32 i = s->first[FIGURE_FS_USED]; i < s->first[FIGURE_FS_USED + 1]; i++) {
		const char *path = s->series[i].instance;
		double used = s->series[i].rate, left = filesystem(r->facts, FIGURE_FS_AVAILABLE, path);
		double inodes = filesystem(r->facts, FIGURE_FS_INODES_USED, path);
		double free = filesystem(r->facts, FIGURE_FS_INODES_FREE, path);

		if (used + left > 0)
			say_full(r, path, 100 * used / (used + left));
		if (inodes + free > 0)
			finding__add(r, 100 * inodes / (inodes + free), NULL, "",
				     "%s has %.0f files of the %.0f that it may: it is full, whatever room is left", path,
				     inodes, inodes + free);
	}
}

void rule__READ_ONLY(struct rule_run *r)
{
	const struct system_snap *s = r->facts->system;

	for (u32 i = s->first[FIGURE_FS_READ_ONLY]; i < s->first[FIGURE_FS_READ_ONLY + 1]; i++)
		finding__add(r, s->series[i].rate, NULL, "",
			     "%s is mounted to be written, and the kernel has made it read-only, as it does after errors",
			     s->series[i].instance);
}
