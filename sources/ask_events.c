// SPDX-License-Identifier: GPL-2.0-only
#include "sources/ask_events.h"

#include <dirent.h>
#include <fnmatch.h>
#include <limits.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "questions/registers.h"
#include "sources/events.h"
#include "sources/kernel_types.h"
#include "sources/question_btf.h"
#include "sources/uprobe.h"
#include "symbols/arguments.h"
#include "symbols/functions.h"
#include "symbols/openfile.h"

static struct ask_target *add(struct ask_targets *t, const struct question_event *of)
{
	struct ask_target *new;

	if (t->n == ASK_TARGETS)
		return NULL;
	t->v = xgrow(t->v, t->n, &t->cap, sizeof(*t->v));
	new = &t->v[t->n++];
	*new = (struct ask_target){.of = of};
	return new;
}

static int too_many(const struct question_event *e, struct status *st)
{
	return status__set(st, EXIT_CODE_USAGE, -E2BIG,
			   "%.80s stands for more than %u events: make the name narrower", e->text,
			   ASK_TARGETS);
}

/* --- tracepoints --- */

static int visible(const struct dirent *d)
{
	return d->d_name[0] != '.' && d->d_type == DT_DIR;
}

/* Sorted names of folders in a folder; their number. */
static int list_folders(const char *path, struct dirent ***names)
{
	int n;

	*names = NULL;
	n = scandir(path, names, visible, alphasort);
	return MAX(n, 0);
}

static void free_names(struct dirent **names, int n)
{
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

static bool add_tracepoint(struct ask_targets *t, const struct question_event *e,
			   const char *system, const char *name)
{
	struct ask_target *new = add(t, e);

	if (!new)
		return false;
	copy_str(new->system, sizeof(new->system), system);
	copy_str(new->event, sizeof(new->event), name);
	snprintf(new->name, sizeof(new->name), "%.60s:%.60s", system, name);
	return true;
}

static bool add_matching(struct ask_targets *t, const struct question_event *e, const char *tracefs,
			 const char *system)
{
	char path[512];
	struct dirent **names;
	bool fits = true;
	int n;

	snprintf(path, sizeof(path), "%s/events/%.200s", tracefs, system);
	n = list_folders(path, &names);
	for (int i = 0; i < n && fits; i++)
		if (!fnmatch(e->name, names[i]->d_name, 0))
			fits = add_tracepoint(t, e, system, names[i]->d_name);
	free_names(names, n);
	return fits;
}

static int resolve_glob(struct ask_targets *t, const struct question_event *e, const char *tracefs,
			struct status *st)
{
	char path[512];
	struct dirent **systems;
	u32 before = t->n;
	bool fits = true;
	int n;

	snprintf(path, sizeof(path), "%s/events", tracefs);
	n = list_folders(path, &systems);
	for (int i = 0; i < n && fits; i++)
		if (!fnmatch(e->system, systems[i]->d_name, 0))
			fits = add_matching(t, e, tracefs, systems[i]->d_name);
	free_names(systems, n);
	if (!fits)
		return too_many(e, st);
	if (t->n > before)
		return 0;
	return status__set(st, EXIT_CODE_USAGE, -ENOENT,
			   "no tracepoint matches %.80s: --list-events '%.80s' lists what there is",
			   e->text, "*:*");
}

static int resolve_tracepoint(struct ask_targets *t, const struct question_event *e,
			      struct status *st)
{
	const char *tracefs = event__tracefs();
	struct perf_event_attr attr;
	int err;

	if (!tracefs)
		return status__set(st, EXIT_CODE_UNSUPPORTED, -ENOENT,
				   "tracepoints need tracefs: mount -t tracefs nodev "
				   "/sys/kernel/tracing");
	if (e->glob)
		return resolve_glob(t, e, tracefs, st);
	if (strchr(e->system, '/') || strchr(e->name, '/'))
		return status__set(st, EXIT_CODE_USAGE, -EINVAL, "%.80s is no tracepoint", e->text);
	err = event__resolve(e->text, tracefs, &attr, st); /* for names that are near */
	if (err)
		return err;
	return add_tracepoint(t, e, e->system, e->name) ? 0 : too_many(e, st);
}

/* NULL: it cannot be read. */
static char *read_format(const struct ask_target *t)
{
	char path[512], *text = xmalloc(TRACE_FORMAT_MAX);

	snprintf(path, sizeof(path), "%s/events/%s/%s/format", event__tracefs(), t->system, t->event);
	if (file__read(AT_FDCWD, path, text, TRACE_FORMAT_MAX) > 0)
		return text;
	free(text);
	return NULL;
}

static int tracepoint_fields(struct ask_target *t, const struct field_resolver **out,
			     struct status *st)
{
	char why[256] = "";
	char *text = t->format ? NULL : read_format(t);

	if (!t->format && !text)
		return status__set(st, EXIT_CODE_PERMISSION, -EACCES,
				   "the format of %s cannot be read: run as root", t->name);
	if (text)
		t->format = trace_format__parse(text, &kernel_types, why, sizeof(why));
	free(text);
	if (!t->format)
		return status__set(st, EXIT_CODE_UNSUPPORTED, -EINVAL,
				   "the format of %s is not understood: %s", t->name, why);
	*out = &t->format->resolver;
	return 0;
}

/* --- perf events --- */

static int resolve_perf(struct ask_targets *t, const struct question_event *e, struct status *st)
{
	struct ask_target new = {.of = e};
	struct ask_target *at;
	int err = event__parse(e->name, &new.attr, new.name, sizeof(new.name), st);

	if (err)
		return err;
	at = add(t, e);
	if (!at)
		return too_many(e, st);
	*at = new;
	return 0;
}

static int resolve_breakpoint(struct ask_targets *t, const struct question_event *e,
			      struct status *st)
{
	struct ask_target *new = add(t, e);

	if (!new)
		return too_many(e, st);
	copy_str(new->name, sizeof(new->name), e->text);
	new->attr.type = PERF_TYPE_BREAKPOINT;
	new->attr.bp_addr = e->addr;
	new->attr.bp_len = e->access & BREAK_EXECUTE ? sizeof(long) : e->len;
	new->attr.bp_type = (e->access & BREAK_READ ? HW_BREAKPOINT_R : 0) |
			    (e->access & BREAK_WRITE ? HW_BREAKPOINT_W : 0) |
			    (e->access & BREAK_EXECUTE ? HW_BREAKPOINT_X : 0);
	return 0;
}

/* What is attached to by its name alone. */
static int resolve_named(struct ask_targets *t, const struct question_event *e, struct status *st)
{
	struct ask_target *new = add(t, e);

	if (!new)
		return too_many(e, st);
	copy_str(new->name, sizeof(new->name), e->text);
	copy_str(new->event, sizeof(new->event), e->name);
	return 0;
}

/* --- functions and static probes of programs --- */

struct looking {
	struct ask_targets *t;
	const struct question_event *e;
	const char *file;
	u32 pid;
	bool full;
	bool glob, missing; /* of functions: of a stripped file */
};

static void set_file(struct ask_target *t, const char *file, u32 pid)
{
	t->file = xstrdup(file);
	t->pid = pid;
}

/* A function of this very name, where nothing else has to be known of it. */
static bool has_symbol(struct looking *l, const char *file, u32 pid)
{
	struct ask_target *new;
	u64 offset;

	if (l->e->kind == EVENT_URETPROBE || uprobe__offset(file, l->e->name, &offset))
		return false;
	new = add(l->t, l->e);
	l->full |= !new;
	if (!new)
		return true;
	copy_str(new->name, sizeof(new->name), l->e->text);
	new->place.offset = offset;
	set_file(new, file, pid);
	return true;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Of a glob, the names that it stands for. */
static void name_target(struct ask_target *t, const struct looking *l, const char *function)
{
	const char *kind = l->e->kind == EVENT_UPROBE ? "uprobe" : "uretprobe";

	if (l->glob)
		snprintf(t->name, sizeof(t->name), "%s:%.40s:%.70s", kind, last_part(l->e->path),
			 function);
	else
		copy_str(t->name, sizeof(t->name), l->e->text);
}

static bool add_function(void *ctx, const struct function_found *found)
{
	struct looking *l = ctx;
	struct ask_target *new = add(l->t, l->e);

	l->full |= !new;
	if (!new)
		return false;
	name_target(new, l, found->name);
	set_file(new, l->file, l->pid);
	new->place.offset = found->offset;
	new->place.of_go = found->of_go;
	if (l->e->kind == EVENT_UPROBE || !found->nends)
		return true;
	new->place.nends = found->nends;
	new->place.jumps = found->jumps;
	new->place.ends = xmalloc(found->nends * sizeof(u64));
	memcpy(new->place.ends, found->ends, found->nends * sizeof(u64));
	return true;
}

static bool has_function(void *ctx, const char *file, u32 pid)
{
	struct looking *l = ctx;
	char path[PATH_MAX], root[PATH_MAX];
	u32 before = l->t->n;
	bool missing;
	int fd;

	if (!l->glob && has_symbol(l, file, pid))
		return true;
	fd = openfile__seen(file, path, root, sizeof(path));
	if (fd < 0)
		return false;
	l->file = file;
	l->pid = pid;
	functions__find(fd, path, root, l->e->name, add_function, l, &missing);
	l->missing |= missing;
	close(fd);
	return l->t->n > before;
}

/* By its name as the file has it or demangled, or by a glob over such. */
static int resolve_function(struct ask_targets *t, const struct question_event *e, struct status *st)
{
	struct looking l = {.t = t, .e = e, .glob = e->name[strcspn(e->name, "*?[")] != '\0'};

	if (probe_path__find(e->path, has_function, &l))
		return l.full ? too_many(e, st) : 0;
	return status__set(st, EXIT_CODE_USAGE, -ENOENT, "%.120s: %s%s", e->text,
			   strncmp(e->path, "pid:", 4) ? "the file has no such function, or is not there"
						       : "the process is not there, or neither its program nor "
							 "its libraries have such a function",
			   l.missing ? "; it is stripped: install its -dbgsym package" : "");
}

static void add_usdt(void *ctx, const struct usdt_place *place)
{
	struct looking *l = ctx;
	struct ask_target *new = add(l->t, l->e);

	l->full |= !new;
	if (!new)
		return;
	copy_str(new->name, sizeof(new->name), place->probe.name);
	new->usdt = xmalloc(sizeof(*place));
	*new->usdt = *place;
	new->usdt->probe.resolver.event = new->usdt->probe.name;
	new->file = xstrdup(l->file);
	new->pid = l->pid;
}

static bool has_usdt(void *ctx, const char *file, u32 pid)
{
	struct looking *l = ctx;

	l->file = file;
	l->pid = pid;
	return usdt__find(file, l->e->system, l->e->name, add_usdt, l) > 0;
}

static int resolve_usdt(struct ask_targets *t, const struct question_event *e, struct status *st)
{
	struct looking l = {.t = t, .e = e};

	if (!probe_path__find(e->path, has_usdt, &l))
		return status__set(st, EXIT_CODE_USAGE, -ENOENT,
				   "%.80s: there is no such probe: readelf -n %.80s lists what a file has",
				   e->text, strncmp(e->path, "pid:", 4) ? e->path : "FILE");
	return l.full ? too_many(e, st) : 0;
}

int ask_targets__resolve(struct ask_targets *t, const struct question_event *e, struct status *st)
{
	switch (e->kind) {
	case EVENT_TRACEPOINT:
		return resolve_tracepoint(t, e, st);
	case EVENT_PERF:
		return resolve_perf(t, e, st);
	case EVENT_BREAKPOINT:
		return resolve_breakpoint(t, e, st);
	case EVENT_USDT:
		return resolve_usdt(t, e, st);
	case EVENT_UPROBE:
	case EVENT_URETPROBE:
		return resolve_function(t, e, st);
	default:
		return resolve_named(t, e, st);
	}
}

void ask_targets__forget_fields(struct ask_targets *t)
{
	for (u32 i = 0; i < t->n; i++) {
		arguments__close(t->v[i].arguments);
		t->v[i].arguments = NULL;
	}
}

void ask_targets__fini(struct ask_targets *t)
{
	ask_targets__forget_fields(t);
	for (u32 i = 0; i < t->n; i++) {
		if (t->v[i].format)
			trace_format__free((struct trace_format *)t->v[i].format);
		free(t->v[i].file);
		free(t->v[i].place.ends);
		free(t->v[i].usdt);
	}
	free(t->v);
}

static const struct field_resolver *program_function(struct ask_target *t)
{
	bool returns = t->of->kind == EVENT_URETPROBE;

	if (!t->arguments)
		t->arguments = arguments__open(t->file, t->of->name, t->place.offset, returns);
	return arguments__fields(t->arguments);
}

/* Registers where the kernel does not say what a function's arguments are. */
static const struct field_resolver *kernel_function(const struct ask_target *t, bool returns)
{
	struct question_btf *types = kernel_types__btf();
	const struct field_resolver *f =
		types ? question_btf__function(types, t->event, returns) : NULL;

	return f ? f : registers__fields(returns ? REGISTERS_KERNEL_RETURN : REGISTERS_KERNEL_ENTRY);
}

static int raw_fields(const struct ask_target *t, const struct field_resolver **out,
		      struct status *st)
{
	struct question_btf *types = kernel_types__btf();

	*out = types ? question_btf__tracepoint(types, t->event) : NULL;
	if (*out)
		return 0;
	return status__set(st, EXIT_CODE_UNSUPPORTED, -ENOENT,
			   types ? "the kernel has no raw tracepoint %.80s"
				 : "btf:%.80s needs the kernel's types, /sys/kernel/btf/vmlinux", t->event);
}

int ask_target__fields(struct ask_target *t, const struct field_resolver **out, struct status *st)
{
	*out = NULL;
	switch (t->of->kind) {
	case EVENT_TRACEPOINT:
		return tracepoint_fields(t, out, st);
	case EVENT_BTF:
		return raw_fields(t, out, st);
	case EVENT_USDT:
		*out = &t->usdt->probe.resolver;
		return 0;
	case EVENT_KPROBE:
	case EVENT_KRETPROBE:
		*out = kernel_function(t, t->of->kind == EVENT_KRETPROBE);
		return 0;
	case EVENT_UPROBE:
	case EVENT_URETPROBE:
		*out = program_function(t);
		return 0;
	default:
		*out = registers__fields(REGISTERS_PERF);
		return 0;
	}
}
