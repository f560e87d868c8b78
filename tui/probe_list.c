// SPDX-License-Identifier: GPL-2.0-only
#include "tui/probe_list.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "sources/events.h"
#include "sources/usdt.h"
#include "symbols/arguments.h"
#include "symbols/debuginfo.h"
#include "symbols/functions.h"
#include "symbols/openfile.h"

/* Sources are looked up for so long; the other functions are listed without. */
#define SOURCES_NS NSEC_PER_SEC

struct listing {
	struct arena *arena;
	struct probe_item *v;
	u32 n, cap;
	u32 nfiles;
	char program[PATH_MAX]; /* the first one */
	const char *object; /* the file at hand, as it is shown */
	struct debuginfo *debug; /* of it; NULL: it has none, or time is up */
	u64 until_ns;
};

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* NULL: there are PROBES_MOST. */
static struct probe_item *add(struct listing *l, enum probe_kind kind, const char *name,
			      const char *text, const char *detail)
{
	if (l->n == PROBES_MOST)
		return NULL;
	l->v = xgrow(l->v, l->n, &l->cap, sizeof(*l->v));
	l->v[l->n] = (struct probe_item){
		.kind = kind,
		.file = l->nfiles,
		.name = arena__strdup(l->arena, name),
		.text = arena__strdup(l->arena, text),
		.detail = arena__strdup(l->arena, detail),
	};
	return &l->v[l->n++];
}

/* --- functions --- */

static bool add_function(void *ctx, const struct function_found *f)
{
	struct listing *l = ctx;
	const char *file;
	char text[512];
	u32 line;
	u64 vaddr;

	copy_str(text, sizeof(text), f->name);
	if (l->debug && clock__monotonic_ns() < l->until_ns &&
	    debuginfo__vaddr(l->debug, f->offset, &vaddr) &&
	    debuginfo__line(l->debug, vaddr, &file, &line))
		snprintf(text, sizeof(text), "%.400s  %.80s:%u", f->name, last_part(file), line);
	return add(l, PROBE_FUNCTION, f->linkage, text, l->object);
}

/* --- static probes --- */

static void add_static(void *ctx, const struct usdt_place *place)
{
	struct listing *l = ctx;
	const struct usdt_probe *p = &place->probe;
	const char *file = strchr(p->name, ':'), *name = file ? strchr(file + 1, ':') : NULL;
	char detail[160];
	struct probe_item *new;

	/* It is called usdt:FILE:PROVIDER:NAME; one that is in several places is one. */
	name = name ? name + 1 : p->name;
	if (l->n && l->v[l->n - 1].kind == PROBE_STATIC && !strcmp(l->v[l->n - 1].name, name))
		return;
	snprintf(detail, sizeof(detail), "%u argument%s%s, %.80s", p->nargs, p->nargs == 1 ? "" : "s",
		 place->semaphore ? ", semaphore" : "", l->object);
	new = add(l, PROBE_STATIC, name, name, detail);
	while (new && new->nargs < p->nargs && p->args[new->nargs].known)
		new->nargs++;
}

/* --- tracepoints --- */

static DIR *open_events(const char *tracefs, const char *system)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/events/%s", tracefs, system);
	return opendir(path);
}

static void add_system(struct listing *l, const char *tracefs, const char *system)
{
	DIR *d = open_events(tracefs, system);
	const struct dirent *e;
	char name[512];

	while (d && (e = readdir(d))) {
		if (e->d_type != DT_DIR || *e->d_name == '.')
			continue;
		snprintf(name, sizeof(name), "%.200s:%.200s", system, e->d_name);
		add(l, PROBE_TRACEPOINT, name, name, "tracepoint");
	}
	if (d)
		closedir(d);
}

static void add_tracepoints(struct listing *l)
{
	const char *tracefs = event__tracefs();
	DIR *d = tracefs ? open_events(tracefs, "") : NULL;
	const struct dirent *e;

	while (d && (e = readdir(d)))
		if (e->d_type == DT_DIR && *e->d_name != '.')
			add_system(l, tracefs, e->d_name);
	if (d)
		closedir(d);
}

/* --- functions of the kernel --- */

/* Lines are "name" or "name [module]". */
static void add_kernel(struct listing *l)
{
	const char *tracefs = event__kernel_has_probes() ? event__tracefs() : NULL;
	char path[PATH_MAX], line[512];
	FILE *in;

	if (!tracefs)
		return;
	snprintf(path, sizeof(path), "%s/available_filter_functions", tracefs);
	in = fopen(path, "re");
	while (in && fgets(line, sizeof(line), in)) {
		line[strcspn(line, " \t\n")] = '\0';
		if (*line)
			add(l, PROBE_KERNEL, line, line, "kernel");
	}
	if (in)
		fclose(in);
}

/* --- all of a program --- */

static int by_kind(const void *pa, const void *pb)
{
	static const u8 rank[] = {[PROBE_STATIC] = 0, [PROBE_FUNCTION] = 1, [PROBE_TRACEPOINT] = 2,
				  [PROBE_KERNEL] = 3};
	const struct probe_item *a = pa, *b = pb;

	if (a->kind != b->kind)
		return rank[a->kind] - rank[b->kind];
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return strcmp(a->text, b->text);
}

/* Of a process all files are looked through. */
static bool add_file(void *ctx, const char *file, u32 pid)
{
	struct listing *l = ctx;
	char path[PATH_MAX], root[PATH_MAX], note[160];
	bool missing;
	int fd = openfile__seen(file, path, root, sizeof(path));

	if (fd < 0)
		return false;
	if (l->nfiles && !strcmp(path, l->program)) {
		close(fd); /* of a process, which has mapped it, too */
		return false;
	}
	if (!l->nfiles++)
		copy_str(l->program, sizeof(l->program), path);
	l->object = arena__strdup(l->arena, last_part(path));
	usdt__find(file, "*", "*", add_static, l);
	if (clock__monotonic_ns() < l->until_ns)
		l->debug = debuginfo__open(fd, path, root, note, sizeof(note));
	functions__find(fd, path, root, "*", add_function, l, &missing);
	if (l->debug)
		debuginfo__close(l->debug);
	l->debug = NULL;
	close(fd);
	return !pid;
}

u32 probe_list__read(struct arena *a, const char *where, const struct probe_item **out)
{
	struct listing l = {.arena = a, .until_ns = clock__monotonic_ns() + SOURCES_NS};
	struct probe_item *kept;

	probe_path__find(where, add_file, &l);
	add_tracepoints(&l);
	add_kernel(&l);
	qsort(l.v, l.n, sizeof(*l.v), by_kind);
	kept = arena__array(a, struct probe_item, MAX(l.n, 1u));
	if (l.n)
		memcpy(kept, l.v, l.n * sizeof(*kept));
	free(l.v);
	*out = kept;
	return l.n;
}

/* --- arguments --- */

struct naming {
	const char *name, *file;
	u32 most;
	bool result, found;
	char *buf;
	size_t size;
};

static void add_name(struct naming *n, const char *record, const char *between, const char *name)
{
	size_t len = strlen(n->buf);

	snprintf(n->buf + len, n->size - len, "%s%s%s%s", len ? ", " : "", record, between, name);
	n->most--;
}

static bool is_value(const struct field *f)
{
	return !f->why && (f->type.kind == TYPE_INT || f->type.kind == TYPE_TEXT);
}

/* Two of each record tell most. */
static void add_members(struct naming *n, const struct field_resolver *r, const char *record, const struct field *f)
{
	const char *between = f->type.kind == TYPE_POINTER ? "->" : ".";
	char name[96];
	struct field m;
	u32 added = 0;

	for (u32 i = 0; n->most && added < 2 && r->types->name(r->types, f->type.type_id, i, name, sizeof(name)); i++) {
		if (r->types->member(r->types, f->type.type_id, name, &m) || !is_value(&m))
			continue;
		add_name(n, record, between, name);
		added++;
	}
}

enum naming_pass { NAME_VALUES, NAME_MEMBERS, NAME_ADDRESSES, NAMING_PASSES };

/* What can be a label: nothing that has no place. */
static void add_names(struct naming *n, u64 offset, bool returns)
{
	struct arguments *a = arguments__open(n->file, n->name, offset, returns);
	const struct field_resolver *r = arguments__fields(a);
	char name[128];
	struct field f;

	for (u32 pass = NAME_VALUES; pass < NAMING_PASSES; pass++) {
		if (pass == NAME_ADDRESSES && *n->buf)
			break;
		for (u32 i = 0; n->most && arguments__name(a, i, name, sizeof(name)); i++) {
			if (r->field(r, name, &f) || f.why)
				continue;
			if (pass == NAME_VALUES && is_value(&f))
				add_name(n, "", "", name);
			else if (pass == NAME_MEMBERS && f.type.type_id && r->types && !is_value(&f) &&
				 strcmp(name, "this"))
				add_members(n, r, name, &f);
			else if (pass == NAME_ADDRESSES && f.type.kind == TYPE_POINTER)
				add_name(n, "", "", name);
		}
	}
	arguments__close(a);
}

static bool name_arguments(void *ctx, const struct function_found *f)
{
	struct naming *n = ctx;

	n->found = true;
	n->most -= n->result;
	add_names(n, f->offset, false);
	n->most += n->result;
	if (n->result)
		add_names(n, f->offset, true);
	return false;
}

static bool name_in(void *ctx, const char *file, u32 pid)
{
	struct naming *n = ctx;
	char path[PATH_MAX], root[PATH_MAX];
	int fd = openfile__seen(file, path, root, sizeof(path));
	bool missing;

	if (fd < 0)
		return false;
	n->file = file;
	functions__find(fd, path, root, n->name, name_arguments, n, &missing);
	close(fd);
	return n->found || !pid;
}

void probe_args__by(const char *where, const char *name, u32 most, bool result, char *buf, size_t size)
{
	struct naming n = {.name = name, .most = most, .result = result, .buf = buf, .size = size};

	*buf = '\0';
	probe_path__find(where, name_in, &n);
}
