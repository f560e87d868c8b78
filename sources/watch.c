// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is special to the source of watched addresses: a hardware breakpoint for each place on each
 * thread of the processes that have it, which the threads that they start inherit; and names: of
 * the code that touches a place, and what is there.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/file.h"
#include "bpf/watch.h"
#include "sources/bpf_util.h"
#include "sources/measure.h"
#include "sources/perf_link.h"
#include "sources/process_scope.h"
#include "sources/uprobe.h"
#include "sources/watch_codes.h"
#include "sources/watch_maps.h"
#include "sources/watch_spec.h"

#define PROCESSES_MAX 256

struct process {
	u32 pid, root; /* root: the one that it has its breakpoints from, by way of its parents; else itself */
	bool ended;
	u64 start_ticks, attached_ticks;
	u64 addresses[WATCHES_MAX]; /* 0: it has none */
	struct perf_links links;
	struct watch_maps maps;
};

struct watching {
	struct bpf_object *obj;
	const char *texts[WATCHES_MAX];
	struct watch_spec specs[WATCHES_MAX];
	u64 dev[WATCHES_MAX], ino[WATCHES_MAX];
	u32 nspecs;
	const struct scope *scope;
	struct process *processes;
	u32 nprocesses, processes_cap;
	struct watch_codes codes;
	u64 place; /* the label that was named last: what follows is of its process */
	int err;   /* of the last breakpoint that was refused */
	u32 nrefused;
};

/* --- where places are --- */

/* Through the pointers that are there now; 0: one leads nowhere. */
static u64 follow(const struct process *p, const struct watch_path *way, u64 address)
{
	char path[64];
	int fd;

	for (u32 i = 0; i < way->n && address; i++) {
		address += way->add[i];
		if (i + 1 == way->n)
			break;
		snprintf(path, sizeof(path), "/proc/%u/mem", p->pid);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || pread(fd, &address, sizeof(address), (off_t)address) != sizeof(address))
			address = 0;
		if (fd >= 0)
			close(fd);
	}
	return address;
}

static bool is_of(const struct watching *w, const struct watch_mapping *m, u32 i)
{
	return !strcmp(m->path, w->specs[i].path) || (m->ino && m->ino == w->ino[i] && m->dev == w->dev[i]);
}

/* 0: the process has no such place. */
static u64 address_of(const struct watching *w, const struct process *p, u32 i)
{
	const struct watch_spec *spec = &w->specs[i];
	u64 bias;

	if (spec->pid && spec->pid != p->root)
		return 0;
	if (!*spec->path)
		return spec->at;
	for (u32 k = 0; k < p->maps.n; k++) {
		const struct watch_mapping *m = &p->maps.v[k];

		if (!is_of(w, m, i))
			continue;
		if (spec->is_mapped && spec->at - m->offset < m->end - m->start)
			return m->start + (spec->at - m->offset);
		if (spec->is_mapped || uprobe__bias(spec->path, m->start, m->offset, &bias))
			continue;
		return follow(p, &spec->way, spec->at + bias);
	}
	return 0;
}

/* --- breakpoints --- */

static int attach_thread(struct watching *w, struct process *p, u32 i, int tid)
{
	struct perf_event_attr attr = {.size = sizeof(attr),
				       .type = PERF_TYPE_BREAKPOINT,
				       .sample_period = 1,
				       .inherit = 1,
				       .bp_addr = p->addresses[i],
				       .bp_len = w->specs[i].len,
				       .bp_type = w->specs[i].access};
	struct bpf_program *prog = bpf_object__find_program_by_name(w->obj, "watch_hit");

	return MIN(perf_links__add(&p->links, prog, &attr, tid, -1, i), 0);
}

static void attach_threads(struct watching *w, struct process *p, u32 i)
{
	struct dirent *d;
	char path[64];
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%u/task", p->pid);
	tasks = opendir(path);
	while (tasks && (d = readdir(tasks))) {
		int err = *d->d_name == '.' ? 0 : attach_thread(w, p, i, atoi(d->d_name));

		if (!err || err == -ESRCH)
			continue;
		w->nrefused++;
		w->err = err;
	}
	if (tasks)
		closedir(tasks);
}

/* What is there before the first hit. */
static void read_value(struct watching *w, const struct process *p, u32 i)
{
	struct watch_value v = {.address = p->addresses[i]};
	u64 place = i | (u64)p->pid << WATCH_TGID_SHIFT;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/mem", p->pid);
	fd = w->specs[i].access == HW_BREAKPOINT_X ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && pread(fd, &v.last, w->specs[i].len, (off_t)v.address) < 0)
		v.last = 0;
	if (fd >= 0)
		close(fd);
	bpf_map_update_elem(bpf_object__find_map_fd_by_name(w->obj, "values"), &place, &v, BPF_ANY);
}

static u64 ticks_now(void)
{
	struct timespec t;
	u64 hz = (u64)sysconf(_SC_CLK_TCK);

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (u64)t.tv_sec * hz + (u64)t.tv_nsec * hz / NSEC_PER_SEC;
}

/* Anew where a place is somewhere else now: the process executed. */
static void attach_places(struct watching *w, struct process *p)
{
	u64 now[WATCHES_MAX] = {0};

	for (u32 i = 0; i < w->nspecs; i++)
		now[i] = address_of(w, p, i);
	if (!memcmp(now, p->addresses, sizeof(now)))
		return;
	perf_links__fini(&p->links);
	memcpy(p->addresses, now, sizeof(now));
	for (u32 i = 0; i < w->nspecs; i++) {
		if (!now[i])
			continue;
		read_value(w, p, i);
		attach_threads(w, p, i);
	}
	p->attached_ticks = p->links.n ? ticks_now() : 0;
}

/* --- processes --- */

static struct process *process_of(const struct watching *w, u32 pid)
{
	for (u32 i = 0; i < w->nprocesses; i++)
		if (w->processes[i].pid == pid)
			return &w->processes[i];
	return NULL;
}

static void forget(struct watching *w, u32 at)
{
	struct process *p = &w->processes[at];
	int fd = bpf_object__find_map_fd_by_name(w->obj, "values");

	for (u32 i = 0; i < w->nspecs; i++) {
		u64 place = i | (u64)p->pid << WATCH_TGID_SHIFT;

		bpf_map_delete_elem(fd, &place);
	}
	perf_links__fini(&p->links);
	watch_maps__fini(&p->maps);
	*p = w->processes[--w->nprocesses];
}

/* A child has the breakpoints that its parent had when it began. */
static bool inherits(const struct watching *w, const struct proc_stat *stat)
{
	const struct process *parent = process_of(w, stat->ppid);

	return parent && parent->attached_ticks && parent->attached_ticks <= stat->start_ticks;
}

static bool follows(void *ctx, u32 parent)
{
	return process_of(ctx, parent);
}

static void look_at(void *ctx, u32 pid)
{
	struct watching *w = ctx;
	struct process *p = process_of(w, pid), new = {.pid = pid, .root = pid};
	struct address_name name;
	struct proc_stat stat;
	char of[16];

	snprintf(of, sizeof(of), "%u", pid);
	if (p || w->nprocesses == PROCESSES_MAX || proc_stat__read(of, &stat) ||
	    stat.state == 'Z' || !process_scope__has(w->scope, pid, &stat, follows, w))
		return;
	watch_maps__read(&new.maps, pid);
	new.start_ticks = stat.start_ticks;
	if (inherits(w, &stat)) {
		new.attached_ticks = stat.start_ticks;
		new.root = process_of(w, stat.ppid)->root;
		for (u32 i = 0; i < w->nspecs; i++)
			new.addresses[i] = address_of(w, &new, i);
	} else {
		attach_places(w, &new);
	}
	if (!new.attached_ticks && !w->scope->include[SCOPE_PID].active) {
		watch_maps__fini(&new.maps);
		return;
	}
	if (w->codes.names) /* so that what is mapped is known when it has ended */
		w->codes.names->find(w->codes.names, pid, new.maps.n ? new.maps.v[0].start : 0, &name);
	w->processes = xgrow(w->processes, w->nprocesses, &w->processes_cap, sizeof(*w->processes));
	w->processes[w->nprocesses++] = new;
}

/* --- names --- */

static bool is_executed(const struct watching *w, u64 place)
{
	return w->specs[place & (WATCHES_MAX - 1)].access == HW_BREAKPOINT_X;
}

/* Of the last hit of that code; empty: it was too long ago, or of execution. */
static void last_text(const struct watching *w, const char *name, const __u64 *words, char *buf, size_t size)
{
	const struct watch_site site = {words[WATCH_LABEL_PLACE], words[WATCH_LABEL_CODE]};
	struct watch_last last;

	*buf = '\0';
	if (bpf_map_lookup_elem(bpf_object__find_map_fd_by_name(w->obj, "lasts"), &site, &last))
		return;
	if (!strcmp(name, "registers"))
		watch_last__regs(&last, buf, size);
	else if (!is_executed(w, site.place))
		snprintf(buf, size, "%llu",
			 (unsigned long long)(strcmp(name, "before") ? last.after : last.before));
}

static void address_text(const struct watching *w, u64 place, char *buf, size_t size)
{
	struct watch_value v = {0};

	bpf_map_lookup_elem(bpf_object__find_map_fd_by_name(w->obj, "values"), &place, &v);
	snprintf(buf, size, "0x%llx", (unsigned long long)v.address);
}

static bool watch__text(void *ctx, u32 label, const struct measure_value *of, char *buf, size_t size)
{
	const char *name = measure_table[MEASURE_WATCH]->labels[label].name;
	struct watching *w = ctx;
	const struct watch_spec *spec;
	u64 value = of->value;

	if (!strcmp(name, "function") || !strcmp(name, "line")) {
		const struct watch_code *c = watch_codes__find(&w->codes, (u32)(w->place >> WATCH_TGID_SHIFT), value,
							       is_executed(w, w->place));

		copy_str(buf, size, *name == 'l' ? c->line : c->name);
		return true;
	}
	w->place = value;
	spec = &w->specs[value & (WATCHES_MAX - 1)];
	if (!strcmp(name, "symbol"))
		copy_str(buf, size, spec->symbol);
	else if (!strcmp(name, "address"))
		address_text(w, value, buf, size);
	else
		last_text(w, name, of->words, buf, size);
	return true;
}

/* --- hooks --- */

static void *watch__begin(const struct measure *m, const struct sampling *how)
{
	struct watching *w = xcalloc(1, sizeof(*w));

	w->codes.names = how->names;
	memcpy(w->texts, how->watches, sizeof(w->texts));
	return w;
}

static void watch__end(void *ctx)
{
	struct watching *w = ctx;

	scope__put(w->scope);
	free(w->processes);
	watch_codes__fini(&w->codes);
	free(w);
}

static int watch__prepare(void *ctx, struct bpf_object *obj, struct status *st)
{
	struct watching *w = ctx;
	struct watch_condition conditions[WATCH_PLACES] = {0};
	u32 lengths[WATCH_PLACES] = {0};
	struct stat file;
	int err;

	for (; w->nspecs < WATCHES_MAX && w->texts[w->nspecs]; w->nspecs++) {
		struct watch_spec *spec = &w->specs[w->nspecs];

		err = watch_spec__parse(spec, w->texts[w->nspecs], st);
		if (err)
			return err;
		if (spec->access != HW_BREAKPOINT_X)
			lengths[w->nspecs] = spec->len;
		conditions[w->nspecs] = spec->condition;
		if (*spec->path && !stat(spec->path, &file)) {
			w->dev[w->nspecs] = file.st_dev;
			w->ino[w->nspecs] = file.st_ino;
		}
	}
	measure_programs__set(obj, "conditions", conditions, sizeof(conditions));
	measure_programs__set(obj, "lengths", lengths, sizeof(lengths));
	bpf_program__set_autoattach(bpf_object__find_program_by_name(obj, "watch_hit"), false);
	return 0;
}

/* The program of a symbol says whom it is about; an address does not. */
static int watch__scope(void *ctx, const struct scope *scope, struct status *st)
{
	struct watching *w = ctx;

	for (u32 i = 0; i < w->nspecs; i++)
		if (!*w->specs[i].path && !w->specs[i].pid && !process_scope__names_somebody(scope))
			return status__set(st, EXIT_CODE_USAGE, -EINVAL,
					   "--watch %.80s: an address is of a process: pid:N:0xADDRESS, or -p PID",
					   w->specs[i].text);
	scope__put(w->scope);
	w->scope = scope__get(scope);
	return 0;
}

#define CPU_PLACES 4 /* of x86; others have so many at least */

/* Who traces one of the processes, as a debugger that has breakpoints; 0: nobody. */
static u32 tracer_of(const struct watching *w)
{
	char path[64], pid[16];
	u32 tracer = 0;

	for (u32 i = 0; i < w->nprocesses && !tracer; i++) {
		snprintf(path, sizeof(path), "/proc/%u/status", w->processes[i].pid);
		if (file__field(path, "TracerPid", pid, sizeof(pid)))
			tracer = (u32)strtoul(pid, NULL, 10);
	}
	return tracer == (u32)getpid() ? 0 : tracer; /* of the command: it is held at its entry */
}

static const char *why_none_is_free(const struct watching *w)
{
	static _Thread_local char text[160];
	u32 tracer = tracer_of(w), ours = MIN(w->nspecs - 1, (u32)CPU_PLACES);
	int n = snprintf(text, sizeof(text), "no breakpoint of the CPU is free: of %u others have %u", CPU_PLACES,
			 CPU_PLACES - ours);

	if (tracer)
		snprintf(text + n, sizeof(text) - (size_t)n, "; process %u traces it", tracer);
	else
		snprintf(text + n, sizeof(text) - (size_t)n, " (perf, or another proftop)");
	return text;
}

static const char *why_refused(const struct watching *w, int err)
{
	switch (err) {
	case -ENOSPC:
		return why_none_is_free(w);
	case -ENODEV:
	case -EOPNOTSUPP:
	case -ENOENT:
		return "this CPU, or its virtual machine, has no breakpoints for data";
	default:
		return strerror(-err);
	}
}

static int watch__attach(void *ctx, struct bpf_object *obj, struct status *st)
{
	struct watching *w = ctx;
	bool any = false;

	w->obj = obj;
	if (w->nspecs)
		process_scope__each(w->scope, look_at, w);
	for (u32 i = 0; i < w->nprocesses; i++)
		any |= w->processes[i].links.n != 0;
	if (any && !w->nrefused)
		return 0;
	if (w->nrefused)
		return status__set(st, exit_code__from_errno(w->err), w->err, "--watch: %s",
				   why_refused(w, w->err));
	return 0; /* what has it may begin later */
}

static void watch__detach(void *ctx)
{
	struct watching *w = ctx;

	while (w->nprocesses)
		forget(w, w->nprocesses - 1);
}

static bool has_ended(const struct process *p)
{
	struct proc_stat stat;
	char of[16];

	snprintf(of, sizeof(of), "%u", p->pid);
	return proc_stat__read(of, &stat) || stat.state == 'Z' ||
	       stat.start_ticks != p->start_ticks;
}

static void watch__tick(void *ctx, struct bpf_object *obj)
{
	struct watching *w = ctx;

	for (u32 i = w->nprocesses; i-- > 0;) {
		struct process *p = &w->processes[i];

		if (p->ended) { /* its last hits have been named */
			forget(w, i);
			continue;
		}
		p->ended = has_ended(p);
		if (p->ended)
			continue;
		watch_maps__read(&p->maps, p->pid);
		attach_places(w, p);
	}
	if (w->nspecs)
		process_scope__each(w->scope, look_at, w);
}

static void watch__health(void *ctx, struct health *h)
{
	const struct watching *w = ctx;
	bool any = false;

	for (u32 i = 0; i < w->nprocesses; i++)
		any |= w->processes[i].links.n != 0;
	health__note(h, w->nrefused, "threads are not watched: a breakpoint was refused");
	if (!any)
		health__say(h, w->nspecs ? "no process in scope has what is watched" : "nothing is watched");
}

static bool watch__is_other(const struct sampling *was, const struct sampling *wanted)
{
	return memcmp(was->watches, wanted->watches, sizeof(was->watches));
}

const struct measure_hooks watch_hooks = {
	.other = watch__is_other,
	.begin = watch__begin,
	.end = watch__end,
	.scope = watch__scope,
	.prepare = watch__prepare,
	.attach = watch__attach,
	.detach = watch__detach,
	.text = watch__text,
	.tick = watch__tick,
	.health = watch__health,
};
