// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is special to the source of programs' memory: which processes are in scope, and probes on
 * the allocators that each of them maps. Processes are looked at when it is opened, when the
 * programs say that one is new, and once an interval.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/arena.h"
#include "bpf/heap.h"
#include "scope/proc_stat.h"
#include "sources/bpf_util.h"
#include "sources/heap_file.h"
#include "sources/measure.h"
#include "sources/process_scope.h"
#include "sources/uprobe.h"

#define FILES_MAX 4096 /* that are remembered */

/* Of one process and one file. */
struct probe {
	u64 dev, ino;
	int fds[3]; /* links, -1: none */
};

struct process {
	u32 pid, executed; /* executed: as the programs count it, 0: not since it was found */
	u64 start_ticks;
	bool ended;
	struct probe *probes;
	u32 nprobes, probes_cap;
};

struct heap {
	struct bpf_object *obj;
	const struct scope *scope; /* a reference */
	struct process *processes;
	u32 nprocesses, processes_cap;
	struct heap_file *files;
	u32 nfiles, files_cap;
	bool two_probes; /* the kernel has no sessions */
	bool by_pages;	 /* no allocator is asked */
	u32 nrefused, ntoo_many;
	int err; /* of the last one that was refused */
};

/* --- processes --- */

static struct process *process_of(const struct heap *h, u32 pid)
{
	for (u32 i = 0; i < h->nprocesses; i++)
		if (h->processes[i].pid == pid)
			return &h->processes[i];
	return NULL;
}

static void close_probe(const struct probe *p)
{
	for (u32 i = 0; i < ARRAY_SIZE(p->fds); i++)
		if (p->fds[i] >= 0)
			close(p->fds[i]);
}

static void forget(struct heap *h, u32 at)
{
	struct process *p = &h->processes[at];
	int fd = bpf_object__find_map_fd_by_name(h->obj, "executed");

	for (u32 i = 0; i < p->nprobes; i++)
		close_probe(&p->probes[i]);
	bpf_map_delete_elem(fd, &p->pid);
	free(p->probes);
	*p = h->processes[--h->nprocesses];
}

static bool is_ours(void *ctx, u32 pid)
{
	return process_of(ctx, pid);
}

static bool is_in_scope(struct heap *h, u32 pid, const struct proc_stat *stat)
{
	return process_scope__has(h->scope, pid, stat, is_ours, h);
}

/* --- probes --- */

/* What a file has, looked at once. NULL: there are too many. */
static const struct heap_file *file_of(struct heap *h, u64 dev, u64 ino, const char *path,
				       const char *name)
{
	struct heap_file *f;

	for (u32 i = 0; i < h->nfiles; i++)
		if (h->files[i].ino == ino && h->files[i].dev == dev)
			return &h->files[i];
	if (h->nfiles == FILES_MAX)
		return NULL;
	h->files = xgrow(h->files, h->nfiles, &h->files_cap, sizeof(*h->files));
	f = &h->files[h->nfiles++];
	*f = (struct heap_file){.dev = dev, .ino = ino};
	heap_file__look(f, path, name);
	return f;
}

static int program(const struct heap *h, const char *name)
{
	return bpf_program__fd(bpf_object__find_program_by_name(h->obj, name));
}

static int attach_calls(const struct heap *h, const struct heap_file *f, const char *path, u32 pid,
			struct probe *p)
{
	static const enum uprobe_when one[] = {UPROBE_SESSION},
				      two[] = {UPROBE_ENDS, UPROBE_BEGINS};
	const enum uprobe_when *when = h->two_probes ? two : one;
	int prog = program(h, h->two_probes ? "heap_call" : "heap_session");

	for (u32 i = 0; i < (h->two_probes ? 2 : 1); i++) {
		const struct uprobe_set set = {.path = path,
					       .offsets = f->calls,
					       .cookies = f->cookies,
					       .n = f->ncalls,
					       .pid = pid,
					       .when = when[i]};

		p->fds[1 + i] = uprobe__attach_set(prog, &set);
		if (p->fds[1 + i] < 0)
			return p->fds[1 + i];
	}
	return 0;
}

/* Frees first: what is allocated from then on is seen to be freed. */
static int attach_file(struct heap *h, const struct heap_file *f, const char *path, u32 pid,
		       struct probe *p)
{
	const u64 none[HEAP_FILE_FREES] = {0};
	const struct uprobe_set set = {
		.path = path, .offsets = f->frees, .cookies = none, .n = f->nfrees, .pid = pid};
	int err;

	p->fds[0] = uprobe__attach_set(program(h, "heap_free"), &set);
	if (p->fds[0] < 0)
		return p->fds[0];
	err = attach_calls(h, f, path, pid, p);
	if (err)
		close_probe(p);
	return err;
}

static bool has_probe(const struct process *p, u64 dev, u64 ino)
{
	for (u32 i = 0; i < p->nprobes; i++)
		if (p->probes[i].dev == dev && p->probes[i].ino == ino)
			return true;
	return false;
}

/* "START-END r-xp OFFSET MAJOR:MINOR INODE  PATH": one that holds code. */
static void look_at_mapping(struct heap *h, struct process *p, const char *line)
{
	struct probe probe = {.fds = {-1, -1, -1}};
	const struct heap_file *f;
	unsigned major, minor;
	unsigned long start, end, ino;
	char perms[8], path[64];
	int at = 0, err;

	if (sscanf(line, "%lx-%lx %7s %*x %x:%x %lu %n", &start, &end, perms, &major, &minor, &ino,
		   &at) < 6 ||
	    perms[2] != 'x' || !ino || !at)
		return;
	probe.dev = makedev(major, minor);
	probe.ino = ino;
	if (has_probe(p, probe.dev, probe.ino))
		return;
	snprintf(path, sizeof(path), "/proc/%u/map_files/%lx-%lx", p->pid, start, end);
	f = file_of(h, probe.dev, probe.ino, path, line + at);
	if (!f || !f->ncalls || !f->nfrees)
		return;
	err = attach_file(h, f, path, p->pid, &probe);
	if (err) {
		h->nrefused++;
		h->err = err;
		return;
	}
	p->probes = xgrow(p->probes, p->nprobes, &p->probes_cap, sizeof(*p->probes));
	p->probes[p->nprobes++] = probe;
}

static void look_at_mappings(struct heap *h, struct process *p)
{
	char path[64], *line = NULL;
	size_t size = 0;
	ssize_t len;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/maps", p->pid);
	f = fopen(path, "re");
	while (f && (len = getline(&line, &size, f)) > 0) {
		line[len - 1] = '\0';
		look_at_mapping(h, p, line);
	}
	free(line);
	if (f)
		fclose(f);
}

/* One that may be new, or may have mapped more. */
static void look_at(void *ctx, u32 pid)
{
	struct heap *h = ctx;
	struct process *p = process_of(h, pid);
	struct proc_stat stat;
	char of[16];
	u32 none = 0;

	snprintf(of, sizeof(of), "%u", pid);
	if (proc_stat__read(of, &stat) || stat.state == 'Z' || (!p && !is_in_scope(h, pid, &stat)))
		return;
	if (!p && h->nprocesses == HEAP_PROCESSES) {
		h->ntoo_many++;
		return;
	}
	if (!p) {
		h->processes = xgrow(h->processes, h->nprocesses, &h->processes_cap,
				     sizeof(*h->processes));
		p = &h->processes[h->nprocesses++];
		*p = (struct process){.pid = pid, .start_ticks = stat.start_ticks};
		bpf_map_update_elem(bpf_object__find_map_fd_by_name(h->obj, "executed"), &pid,
				    &none, BPF_ANY);
	}
	if (!h->by_pages)
		look_at_mappings(h, p);
}

/* --- hooks --- */

static void *heap__begin(const struct measure *m, const struct sampling *how)
{
	struct heap *h = xcalloc(1, sizeof(*h));

	h->by_pages = how->sample_bytes == SAMPLE_PAGES;
	return h;
}

static void heap__end(void *ctx)
{
	struct heap *h = ctx;

	scope__put(h->scope);
	free(h->processes);
	free(h->files);
	free(h);
}

static int heap__scope(void *ctx, const struct scope *scope, struct status *st)
{
	struct heap *h = ctx;

	if (!scope || !process_scope__names_somebody(scope))
		return status__set(
			st, EXIT_CODE_USAGE, -EINVAL,
			"heap looks at the programs that it is told to, as probes on malloc "
			"cost each of them time: -p PID, --comm NAME, -G CGROUP or -- COMMAND "
			"(f pid=... on the screen)");
	scope__put(h->scope);
	h->scope = scope__get(scope);
	return 0;
}

static bool has_sessions(void)
{
	unsigned major = 0, minor = 0;
	struct utsname u;

	return !uname(&u) && sscanf(u.release, "%u.%u", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 13));
}

/* Programs of the other way. */
static void leave_out(struct bpf_object *obj, bool by_pages)
{
	static const char *const of_pages[] = {"heap_page_got", "heap_page_used", "heap_page_freed", NULL};
	static const char *const of_calls[] = {"heap_session", "heap_call",	   "heap_free", "heap_mmap",
					       "heap_munmap",  "heap_moves",	   "heap_moved", "heap_brk_begins",
					       "heap_brk",     NULL};

	for (const char *const *name = by_pages ? of_calls : of_pages; *name; name++)
		bpf_program__set_autoload(bpf_object__find_program_by_name(obj, *name), false);
}

static int heap__prepare(void *ctx, struct bpf_object *obj, struct status *st)
{
	static const struct {
		const char *name;
		int type;
	} all[] = {{"heap_session", UPROBE_SESSION_TYPE},
		   {"heap_call", UPROBE_MULTI_TYPE},
		   {"heap_free", UPROBE_MULTI_TYPE}};
	const u32 page = (u32)sysconf(_SC_PAGESIZE);
	struct heap *h = ctx;

	h->two_probes = !has_sessions();
	leave_out(obj, h->by_pages);
	for (u32 i = 0; i < ARRAY_SIZE(all); i++) {
		struct bpf_program *prog = bpf_object__find_program_by_name(obj, all[i].name);

		bpf_program__set_autoattach(prog, false);
		bpf_program__set_expected_attach_type(prog, all[i].type);
	}
	bpf_program__set_autoload(
		bpf_object__find_program_by_name(obj, h->two_probes ? "heap_session" : "heap_call"),
		false);
	measure_programs__set(obj, "page_bytes", &page, sizeof(page));
	return 0;
}

static int heap__attach(void *ctx, struct bpf_object *obj, struct status *st)
{
	struct heap *h = ctx;

	h->obj = obj;
	process_scope__each(h->scope, look_at, h);
	if (!h->nrefused)
		return 0;
	return status__set(
		st, EXIT_CODE_UNSUPPORTED, h->err,
		"probes on malloc: %s; they take links of the kind uprobe_multi, Linux 6.6",
		strerror(-h->err));
}

static void heap__detach(void *ctx)
{
	struct heap *h = ctx;

	while (h->nprocesses)
		forget(h, h->nprocesses - 1);
	free(h->processes);
	h->processes = NULL;
	h->processes_cap = 0;
}

static void heap__record(void *ctx, const void *data, size_t size, const struct sample_sink *sink)
{
	const struct heap_process_record *r = data;
	struct heap *h = ctx;

	if (size >= sizeof(*r) && r->type == RECORD_HEAP_PROCESS && h->scope)
		look_at(h, r->tgid);
}

/* What a process held when it ended is shown once more, in the interval in which it did. */
static bool heap__gone(void *ctx, const struct measure_owner *owner)
{
	const struct process *p = process_of(ctx, owner->who.tgid);

	return !p || p->ended || (p->executed && p->executed != owner->labels[HEAP_LABEL_EXEC]);
}

static bool has_ended(const struct process *p)
{
	struct proc_stat stat;
	char of[16];

	snprintf(of, sizeof(of), "%u", p->pid);
	return proc_stat__read(of, &stat) || stat.state == 'Z' ||
	       stat.start_ticks != p->start_ticks;
}

static bool is_still_in_scope(struct heap *h, u32 pid)
{
	struct proc_stat stat;
	char of[16];

	snprintf(of, sizeof(of), "%u", pid);
	return proc_stat__read(of, &stat) || is_in_scope(h, pid, &stat);
}

static void heap__tick(void *ctx, struct bpf_object *obj)
{
	struct heap *h = ctx;
	int fd = bpf_object__find_map_fd_by_name(obj, "executed");

	for (u32 i = h->nprocesses; i-- > 0;) {
		struct process *p = &h->processes[i];

		if (p->ended) {
			forget(h, i);
			continue;
		}
		bpf_map_lookup_elem(fd, &p->pid, &p->executed);
		p->ended = has_ended(p);
		if (!p->ended && !is_still_in_scope(h, p->pid))
			forget(h, i);
	}
	process_scope__each(h->scope, look_at, h);
}

static void heap__health(void *ctx, struct health *health)
{
	const struct heap *h = ctx;
	u32 without = 0;

	for (u32 i = 0; i < h->nprocesses && !h->by_pages; i++)
		without += !h->processes[i].nprobes;
	if (h->by_pages)
		health__say(health, "by pages: memory without a file that is there, by what touched it first");
	health__note(health, without,
		     "processes have no allocator with a name (static and stripped?): only what they map counts, "
		     "--sample-bytes pages has by what code their memory was touched first");
	health__note(health, h->nrefused, "probes were refused");
	health__note(health, h->ntoo_many, "times there were too many processes");
}

const struct measure_hooks heap_hooks = {
	.begin = heap__begin,
	.end = heap__end,
	.scope = heap__scope,
	.prepare = heap__prepare,
	.attach = heap__attach,
	.detach = heap__detach,
	.record = heap__record,
	.gone = heap__gone,
	.tick = heap__tick,
	.health = heap__health,
};
