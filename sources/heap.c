// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is special to the source of programs' memory: which processes are in scope, and probes on
 * the allocators that each of them maps. Processes are looked at when it is opened, when the
 * programs say that one is new, and once an interval.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/log.h"
#include "bpf/heap.h"
#include "sources/heap_file.h"
#include "sources/measure.h"
#include "sources/process_probes.h"
#include "sources/process_scope.h"
#include "sources/rate_guard.h"
#include "sources/uprobe.h"

#define FILES_MAX 4096 /* that are remembered */

struct heap {
	struct bpf_object *obj;
	struct process_probes probes; /* own: how often it has executed, as the programs count; 0: not since it was found */
	struct heap_file *files;
	u32 nfiles, files_cap;
	bool two_probes; /* the kernel has no sessions */
	u64 trap_ns; /* what a probe takes besides its program */
	struct probe_links own;
};

/* --- probes --- */

/* What a file has, looked at once. NULL: there are too many. */
static const struct heap_file *file_of(struct heap *h, const struct probed_file *of)
{
	struct heap_file *f;

	for (u32 i = 0; i < h->nfiles; i++)
		if (h->files[i].ino == of->ino && h->files[i].dev == of->dev)
			return &h->files[i];
	if (h->nfiles == FILES_MAX)
		return NULL;
	h->files = xgrow(h->files, h->nfiles, &h->files_cap, sizeof(*h->files));
	f = &h->files[h->nfiles++];
	*f = (struct heap_file){.dev = of->dev, .ino = of->ino};
	heap_file__look(f, of->path, of->name);
	return f;
}

static struct bpf_program *program(const struct heap *h, const char *name)
{
	return bpf_object__find_program_by_name(h->obj, name);
}

static int attach_calls(const struct heap *h, const struct heap_file *f, const char *path, u32 pid,
			struct probe_links *links)
{
	static const enum uprobe_when one[] = {UPROBE_SESSION}, two[] = {UPROBE_ENDS, UPROBE_BEGINS};
	const enum uprobe_when *when = h->two_probes ? two : one;
	struct bpf_program *prog = program(h, h->two_probes ? "heap_call" : "heap_session");
	int err = 0;

	for (u32 i = 0; i < (h->two_probes ? 2 : 1) && !err; i++) {
		const struct uprobe_set set = {.path = path,
					       .offsets = f->calls,
					       .cookies = f->cookies,
					       .n = f->ncalls,
					       .pid = pid,
					       .when = when[i]};

		err = probe_links__add(links, prog, true, &set);
	}
	return err;
}

/* Frees first: what is allocated from then on is seen to be freed. */
static int attach_file(void *ctx, const struct probed_file *of, u32 pid, struct probe_links *links)
{
	struct heap *h = ctx;
	const struct heap_file *f = file_of(h, of);
	const u64 none[HEAP_FILE_FREES] = {0};
	int err;

	if (!f || !f->ncalls || !f->nfrees)
		return 0;
	err = probe_links__add(links, program(h, "heap_free"), true,
			       &(struct uprobe_set){.path = of->path,
						    .offsets = f->frees,
						    .cookies = none,
						    .n = f->nfrees,
						    .pid = pid});
	return err ? err : attach_calls(h, f, of->path, pid, links);
}

static void begins(void *ctx, u32 pid)
{
	const u32 none = 0;

	bpf_map_update_elem(bpf_object__find_map_fd_by_name(((struct heap *)ctx)->obj, "executed"), &pid, &none,
			    BPF_ANY);
}

static void ends(void *ctx, u32 pid)
{
	bpf_map_delete_elem(bpf_object__find_map_fd_by_name(((struct heap *)ctx)->obj, "executed"), &pid);
}

static const struct process_probes_ops probes_ops = {.attach = attach_file, .begins = begins, .ends = ends};

/* --- what they take --- */

#define DEAR_PCT 5 /* of a CPU: what programs may be slowed down by without a word */

static int attach_own(void *ctx, const char *path, u64 offset)
{
	const u64 none = 0;
	struct heap *h = ctx;

	return probe_links__add(&h->own, program(h, "heap_free"), true,
				&(struct uprobe_set){.path = path,
						     .offsets = &offset,
						     .cookies = &none,
						     .n = 1,
						     .pid = (u32)getpid()});
}

static void detach_own(void *ctx)
{
	probe_links__close(&((struct heap *)ctx)->own);
}

/* Once: it is the machine's. It frees what nobody holds; malloc begins with a push, as a rule (heap_file.c). */
static u64 cost_of_trap(struct heap *h)
{
	static u64 known;

	if (!known) {
		known = rate_guard__cost_of_push(attach_own, detach_own, h);
		log__add(LOG_INFO, "a call of malloc or free with a probe on it takes %llu ns more",
			 (unsigned long long)known);
	}
	return known;
}

/* How often programs ran is known by what they took. */
static void note_cost(const struct heap *h, struct health *health)
{
	double pct = health->run_pct * (double)sysconf(_SC_NPROCESSORS_ONLN);
	double per_second = health->cost_ns > 0 ? pct * 1e7 / health->cost_ns : 0;

	pct += rate_guard__pct((u64)per_second, h->trap_ns);
	if (pct > DEAR_PCT)
		health__say(health, "probes, met %.0fk times/s, take about %.0f%% of a CPU: --sample-bytes pages has none",
			    per_second / 1e3, pct);
}

/* --- hooks --- */

static void *heap__begin(const struct measure *m, const struct sampling *how)
{
	struct heap *h = xcalloc(1, sizeof(*h));

	process_probes__init(&h->probes, &probes_ops, h, HEAP_PROCESSES);
	h->probes.without = how->sample_bytes & SAMPLE_PAGES; /* no allocator is asked */
	return h;
}

static void heap__end(void *ctx)
{
	struct heap *h = ctx;

	process_probes__fini(&h->probes);
	probe_links__fini(&h->own);
	free(h->files);
	free(h);
}

static int heap__scope(void *ctx, const struct scope *scope, struct status *st)
{
	struct heap *h = ctx;

	if (!scope || !process_scope__names_somebody(scope))
		return status__set(
			st, EXIT_CODE_USAGE, -EINVAL,
			"heap has to be told which programs, as probes on malloc cost each of them "
			"time: -p PID, --comm NAME, -G CGROUP or -- COMMAND (on the screen p, or f "
			"pid=...)");
	process_probes__set_scope(&h->probes, scope);
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
	static const char *const of_pages[] = {"heap_page_got", "heap_page_used", "heap_page_freed", "heap_fault_user",
					       "heap_fault_kernel", NULL};
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
	leave_out(obj, h->probes.without);
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
	h->trap_ns = h->probes.without ? 0 : cost_of_trap(h);
	process_probes__look_at_all(&h->probes);
	if (!h->probes.nrefused)
		return 0;
	return status__set(
		st, EXIT_CODE_UNSUPPORTED, h->probes.err,
		"probes on malloc: %s; they take links of the kind uprobe_multi, Linux 6.6",
		strerror(-h->probes.err));
}

static void heap__detach(void *ctx)
{
	process_probes__detach(&((struct heap *)ctx)->probes);
}

static void heap__record(void *ctx, const void *data, size_t size, const struct sample_sink *sink)
{
	const struct heap_process_record *r = data;
	struct heap *h = ctx;

	if (size >= sizeof(*r) && r->type == RECORD_HEAP_PROCESS && h->probes.scope)
		process_probes__look(&h->probes, r->tgid);
}

/* What a process held when it ended is shown once more, in the interval in which it did. */
static bool heap__gone(void *ctx, const struct measure_owner *owner)
{
	const struct heap *h = ctx;
	const struct probed_process *p = process_probes__find(&h->probes, owner->who.tgid);

	return !p || p->ended || (p->own && p->own != owner->labels[HEAP_LABEL_EXEC]);
}

static void heap__tick(void *ctx, struct bpf_object *obj)
{
	struct heap *h = ctx;
	int fd = bpf_object__find_map_fd_by_name(obj, "executed");

	for (u32 i = 0; i < h->probes.n; i++)
		bpf_map_lookup_elem(fd, &h->probes.v[i].pid, &h->probes.v[i].own);
	process_probes__tick(&h->probes);
}

static void heap__health(void *ctx, struct health *health)
{
	const struct process_probes *p = &((const struct heap *)ctx)->probes;
	u32 without = 0;

	for (u32 i = 0; i < p->n && !p->without; i++)
		without += !p->v[i].nprobes;
	if (!p->without)
		note_cost(ctx, health);
	else
		health__say(health, "by pages: memory without a file that is there, by what touched it first");
	health__note(health, without,
		     "processes have no allocator with a name (static and stripped?): only what they map counts, "
		     "--sample-bytes pages has by what code their memory was touched first");
	health__note(health, p->nrefused, "probes were refused");
	health__note(health, p->ntoo_many, "times there were too many processes");
}

/* Other programs. */
static bool heap__is_other(const struct sampling *was, const struct sampling *wanted)
{
	return (was->sample_bytes ^ wanted->sample_bytes) & SAMPLE_PAGES;
}

const struct measure_hooks heap_hooks = {
	.other = heap__is_other,
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
