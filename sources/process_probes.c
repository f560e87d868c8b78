// SPDX-License-Identifier: GPL-2.0-only
#include "sources/process_probes.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>

#include "base/arena.h"
#include "scope/proc_stat.h"
#include "sources/process_scope.h"

void process_probes__init(struct process_probes *p, const struct process_probes_ops *ops, void *ctx, u32 most)
{
	*p = (struct process_probes){.ops = ops, .ctx = ctx, .most = most};
}

void process_probes__fini(struct process_probes *p)
{
	process_probes__detach(p);
	scope__put(p->scope);
}

void process_probes__set_scope(struct process_probes *p, const struct scope *scope)
{
	scope__put(p->scope);
	p->scope = scope__get(scope);
}

struct probed_process *process_probes__find(const struct process_probes *p, u32 pid)
{
	for (u32 i = 0; i < p->n; i++)
		if (p->v[i].pid == pid)
			return &p->v[i];
	return NULL;
}

static void forget(struct process_probes *p, u32 at)
{
	struct probed_process *of = &p->v[at];

	for (u32 i = 0; i < of->nprobes; i++)
		probe_links__fini(&of->probes[i].links);
	if (p->ops->ends)
		p->ops->ends(p->ctx, of->pid);
	free(of->probes);
	*of = p->v[--p->n];
}

static bool is_ours(void *ctx, u32 pid)
{
	return process_probes__find(ctx, pid);
}

static bool is_in_scope(struct process_probes *p, u32 pid, const struct proc_stat *stat)
{
	return process_scope__has(p->scope, pid, stat, is_ours, p);
}

/* --- what it maps --- */

static bool has_probe(const struct probed_process *p, const struct probed_file *f)
{
	for (u32 i = 0; i < p->nprobes; i++)
		if (p->probes[i].dev == f->dev && p->probes[i].ino == f->ino)
			return true;
	return false;
}

/* The process executed or ended meanwhile: what it had mapped is no more. */
static bool is_gone(int err)
{
	return err == -ENOENT || err == -ESRCH;
}

static void look_at_file(struct process_probes *p, struct probed_process *of, const struct probed_file *f)
{
	struct process_probe probe = {.dev = f->dev, .ino = f->ino};
	int err = p->ops->attach(p->ctx, f, of->pid, &probe.links);

	if (err || !probe_links__any(&probe.links)) {
		probe_links__fini(&probe.links);
		if (err && !is_gone(err)) {
			p->nrefused++;
			p->err = err;
		}
		return;
	}
	of->probes = xgrow(of->probes, of->nprobes, &of->probes_cap, sizeof(*of->probes));
	of->probes[of->nprobes++] = probe;
}

/* "START-END r-xp OFFSET MAJOR:MINOR INODE  PATH": one that holds code. */
static void look_at_mapping(struct process_probes *p, struct probed_process *of, const char *line)
{
	unsigned major, minor;
	unsigned long start, end, ino;
	char perms[8], path[64];
	struct probed_file f;
	int at = 0;

	if (sscanf(line, "%lx-%lx %7s %*x %x:%x %lu %n", &start, &end, perms, &major, &minor, &ino, &at) < 6 ||
	    perms[2] != 'x' || !ino || !at)
		return;
	snprintf(path, sizeof(path), "/proc/%u/map_files/%lx-%lx", of->pid, start, end);
	f = (struct probed_file){makedev(major, minor), ino, path, line + at};
	if (!has_probe(of, &f))
		look_at_file(p, of, &f);
}

static void look_at_mappings(struct process_probes *p, struct probed_process *of)
{
	char path[64], *line = NULL;
	size_t size = 0;
	ssize_t len;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/maps", of->pid);
	f = fopen(path, "re");
	while (f && (len = getline(&line, &size, f)) > 0) {
		line[len - 1] = '\0';
		look_at_mapping(p, of, line);
	}
	free(line);
	if (f)
		fclose(f);
}

/* --- which processes --- */

static bool read_stat(u32 pid, struct proc_stat *stat)
{
	char of[16];

	snprintf(of, sizeof(of), "%u", pid);
	return !proc_stat__read(of, stat);
}

static struct probed_process *add_process(struct process_probes *p, u32 pid, u64 start_ticks)
{
	struct probed_process *of;

	if (p->n == p->most) {
		p->ntoo_many++;
		return NULL;
	}
	p->v = xgrow(p->v, p->n, &p->cap, sizeof(*p->v));
	of = &p->v[p->n++];
	*of = (struct probed_process){.pid = pid, .start_ticks = start_ticks};
	if (p->ops->begins)
		p->ops->begins(p->ctx, pid);
	return of;
}

void process_probes__look(struct process_probes *p, u32 pid)
{
	struct probed_process *of = process_probes__find(p, pid);
	struct proc_stat stat;

	if (!read_stat(pid, &stat) || stat.state == 'Z' || (!of && !is_in_scope(p, pid, &stat)))
		return;
	of = of ? of : add_process(p, pid, stat.start_ticks);
	if (of && !p->without)
		look_at_mappings(p, of);
}

static void look(void *ctx, u32 pid)
{
	process_probes__look(ctx, pid);
}

void process_probes__look_at_all(struct process_probes *p)
{
	process_scope__each(p->scope, look, p);
}

static bool has_ended(const struct probed_process *of, bool is_there, const struct proc_stat *stat)
{
	return !is_there || stat->state == 'Z' || stat->start_ticks != of->start_ticks;
}

void process_probes__tick(struct process_probes *p)
{
	for (u32 i = p->n; i-- > 0;) {
		struct probed_process *of = &p->v[i];
		struct proc_stat stat;
		bool is_there = read_stat(of->pid, &stat), was_over = of->ended;

		of->ended = has_ended(of, is_there, &stat);
		if (was_over || (!of->ended && !is_in_scope(p, of->pid, &stat)))
			forget(p, i);
	}
	process_probes__look_at_all(p);
}

void process_probes__detach(struct process_probes *p)
{
	while (p->n)
		forget(p, p->n - 1);
	free(p->v);
	p->v = NULL;
	p->cap = 0;
}
