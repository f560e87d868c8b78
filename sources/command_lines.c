// SPDX-License-Identifier: GPL-2.0-only
#include "sources/command_lines.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/command_lines.h"
#include "base/file.h"
#include "base/hidx.h"
#include "samples/command.h"
#include "scope/proc_stat.h"
#include "scope/proclist.h"

#define PROCESSES_MAX 32768
#define FIRST_NS      (50 * NSEC_PER_MSEC) /* of CPU time, in the first interval */
#define BUDGET_NS     (5 * NSEC_PER_MSEC)
#define AGAIN	      32 /* processes an interval that may have changed their titles */

struct process {
	u32 tgid;
	bool wanted, dead;
	u64 hash; /* of the line that was sent last; 0: none */
	u64 name; /* likewise */
};

struct command_reader {
	struct process *v;
	u32 n, cap;
	struct hidx index; /* by tgid; the dead have left it at the next sweep */
	u32 *queue;	   /* positions of those that are wanted */
	u32 nqueue, queue_cap, done;
	u32 again; /* where the next turn begins */
	u32 ndead;
	u64 budget_ns;
};

static struct process *find(struct command_reader *r, u32 tgid)
{
	u32 at;

	HIDX_FIND(at, &r->index, mix64(tgid), pos, r->v[pos].tgid == tgid && !r->v[pos].dead);
	return at == HIDX_NONE ? NULL : &r->v[at];
}

static void want(struct command_reader *r, u32 tgid)
{
	struct process *p = find(r, tgid);

	if (!p && r->n >= PROCESSES_MAX)
		return;
	if (!p) {
		r->v = xgrow(r->v, r->n, &r->cap, sizeof(*r->v));
		r->v[r->n] = (struct process){.tgid = tgid};
		hidx__add(&r->index, mix64(tgid), r->n);
		p = &r->v[r->n++];
	}
	if (p->wanted)
		return;
	p->wanted = true;
	r->queue = xgrow(r->queue, r->nqueue, &r->queue_cap, sizeof(*r->queue));
	r->queue[r->nqueue++] = (u32)(p - r->v);
}

static void want_all(struct command_reader *r)
{
	DIR *proc = opendir("/proc");
	struct dirent *d;
	u32 tgid;

	while (proc && (d = readdir(proc))) {
		tgid = (u32)strtoul(d->d_name, NULL, 10);
		if (tgid)
			want(r, tgid);
	}
	if (proc)
		closedir(proc);
}

struct command_reader *command_reader__new(void)
{
	struct command_reader *r = xcalloc(1, sizeof(*r));

	r->budget_ns = FIRST_NS;
	want_all(r);
	return r;
}

void command_reader__free(struct command_reader *r)
{
	free(r->v);
	free(r->queue);
	hidx__fini(&r->index);
	free(r);
}

static void end(struct command_reader *r, const struct proc_event *ev, const struct sample_sink *sink)
{
	struct process *p = find(r, ev->tgid);
	struct command_sample s = {
		.head.type = SAMPLE_COMMAND, .tgid = ev->tgid, .end_ns = ev->t_ns, .line = ""};

	if (!p)
		return;
	if (p->hash)
		sink__put(sink, &s.head);
	p->dead = true;
	r->ndead++;
}

static void put_name(struct process *p, const char *name, const struct sample_sink *sink)
{
	struct thread_name_sample s = {.head.type = SAMPLE_THREAD_NAME, .tgid = p->tgid, .name = name};
	u64 hash = hash_bytes(name, strlen(name)) | 1;

	if (hash == p->name)
		return;
	p->name = hash;
	sink__put(sink, &s.head);
}

/* It may be over before it is read again; whose name is not known yet is read. */
static void rename_process(struct command_reader *r, const struct proc_event *ev, const struct sample_sink *sink)
{
	struct process *p = find(r, ev->tgid);
	char name[COMM_LEN];

	if (!p || !p->name)
		return;
	copy_str(name, sizeof(name), ev->comm);
	proc__replace_controls(name);
	put_name(p, name, sink);
}

void command_reader__event(struct command_reader *r, const struct proc_event *ev,
			   const struct sample_sink *sink)
{
	if (ev->type == PROC_EXIT && ev->tid == ev->tgid)
		end(r, ev, sink);
	else if (ev->type == PROC_FORK || ev->type == PROC_EXEC)
		want(r, ev->tgid);
	if ((ev->type == PROC_EXEC || ev->type == PROC_COMM) && ev->tid == ev->tgid)
		rename_process(r, ev, sink);
}

/* --- reading --- */

static u64 start_of(const struct proc_stat *stat)
{
	u64 ns = stat->start_ticks * (NSEC_PER_SEC / (u64)sysconf(_SC_CLK_TCK));
	u64 slept = clock__suspended_ns();

	return ns > slept ? ns - slept : ns;
}

static void put_line(struct process *p, const struct proc_stat *stat, const char *line, const struct sample_sink *sink)
{
	struct command_sample s = {
		.head.type = SAMPLE_COMMAND, .tgid = p->tgid, .start_ns = start_of(stat), .line = line};
	u64 hash = hash_bytes(line, strlen(line)) | 1;

	if (hash == p->hash)
		return;
	p->hash = hash;
	sink__put(sink, &s.head);
}

/* Kernel threads have none. */
static void read_one(struct process *p, const struct sample_sink *sink)
{
	char path[32], line[COMMAND_LINE_LEN];
	struct proc_stat stat;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%u/cmdline", p->tgid);
	n = file__read(AT_FDCWD, path, line, sizeof(line));
	if (n <= 0)
		return;
	proclist__parse_cmdline(line, (size_t)n);
	snprintf(path, sizeof(path), "%u", p->tgid);
	if (proc_stat__read(path, &stat))
		return;
	put_line(p, &stat, line, sink);
	put_name(p, stat.comm, sink);
}

static void sweep(struct command_reader *r)
{
	u32 kept = 0;

	hidx__clear(&r->index);
	for (u32 i = 0; i < r->n; i++)
		if (!r->v[i].dead) {
			hidx__add(&r->index, mix64(r->v[i].tgid), kept);
			r->v[kept++] = r->v[i];
		}
	r->n = kept;
	r->ndead = 0;
}

static void want_again(struct command_reader *r)
{
	for (u32 i = 0; i < MIN((u32)AGAIN, r->n); i++) {
		const struct process *p = &r->v[r->again++ % r->n];

		if (p->hash && !p->dead)
			want(r, p->tgid);
	}
}

/* The next one that lives; most that began since the last tick do not any more. NULL: none is left. */
static struct process *next_wanted(struct command_reader *r)
{
	for (; r->done < r->nqueue; r->done++)
		if (!r->v[r->queue[r->done]].dead)
			return &r->v[r->queue[r->done]];
	return NULL;
}

void command_reader__tick(struct command_reader *r, const struct sample_sink *sink)
{
	u64 until = clock__thread_cpu_ns() + r->budget_ns;
	struct process *p;

	want_again(r);
	while ((p = next_wanted(r)) && clock__thread_cpu_ns() < until) {
		r->done++;
		p->wanted = false;
		read_one(p, sink);
	}
	if (r->done == r->nqueue) {
		r->done = r->nqueue = 0;
		if (r->ndead > r->n / 2)
			sweep(r);
	}
	r->budget_ns = BUDGET_NS;
}
