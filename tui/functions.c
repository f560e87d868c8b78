// SPDX-License-Identifier: GPL-2.0-only
#include "tui/functions.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "sources/funcs_args.h"
#include "sources/probe_links.h"
#include "sources/uprobe.h"
#include "symbols/functions.h"
#include "symbols/maps.h"
#include "symbols/openfile.h"
#include "tui/app.h"

struct picking {
	struct func_list *list;
	struct status *st;
	const char *glob;
	const char *by; /* its arguments; "": none are asked for */
	struct status wrong; /* with the first function that has no such arguments */
	u32 cap, matched;
	bool full;
	u32 pid;    /* where libraries are looked through */
	bool mapped; /* a library of pid had some */
	bool missing;
};

/* Lists share what they have, and sources of any age refer to them: they stay. */
struct kept_list {
	struct kept_list *next;
	struct func_list list;
};

static struct func_list *new_list(const struct func_list *old)
{
	static struct kept_list *lists;
	struct kept_list *kept = xcalloc(1, sizeof(*kept));
	struct func_list *l = &kept->list;

	kept->next = lists;
	lists = kept;

	if (old)
		l->waits = old->waits;
	l->links = probe_links__are_multi();
	return l;
}

/* NULL: it is not picked yet. */
static struct function *find(const struct func_list *l, u32 object, u64 offset)
{
	for (u32 i = 0; i < l->n; i++)
		if (l->v[i].offset == offset &&
		    !strcmp(l->objects[l->v[i].object].path, l->objects[object].path))
			return &l->v[i];
	return NULL;
}

/* Of functions that match a glob some may have no such arguments. */
static void pick_args(struct picking *p, struct function *f, const struct function_found *found)
{
	struct func_list *l = p->list;

	if (!*p->by || f->args)
		return;
	if (l->nunits == FUNCTIONS_WITH_ARGS) {
		p->full = true;
		return;
	}
	f->args = func_args__new(l->objects[l->nobjects].path, found->name, found->offset, found->jumps,
				 p->by, &p->wrong);
	if (f->args)
		f->unit = ++l->nunits;
}

static bool add_function(void *ctx, const struct function_found *found)
{
	struct picking *p = ctx;
	struct func_list *l = p->list;
	struct function *f = find(l, l->nobjects, found->offset);

	p->matched++;
	if (f) {
		pick_args(p, f, found);
		return true;
	}
	if (l->n == FUNCTIONS_MAX) {
		p->full = true;
		return false;
	}
	l->v = xgrow(l->v, l->n, &p->cap, sizeof(*l->v));
	f = &l->v[l->n++];
	*f = (struct function){.name = xstrdup(found->name),
			       .offset = found->offset,
			       .object = l->nobjects,
			       .of_go = found->of_go,
			       .nends = found->nends};
	pick_args(p, f, found);
	if (f->nends) {
		f->ends = xmalloc(f->nends * sizeof(u64));
		memcpy(f->ends, found->ends, f->nends * sizeof(u64));
	}
	return true;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Functions of a file that is open; those that match are of a new object. path: as it is known in its
 * root. 0 or -errno. */
static int add_file(struct picking *p, int fd, const char *at, const char *path, const char *root,
		    u32 pid)
{
	struct function_object *o = &p->list->objects[p->list->nobjects];
	u32 before = p->list->n;
	bool missing = false;
	int n;

	if (p->list->nobjects == FUNCTION_TEXTS)
		return -E2BIG;
	*o = (struct function_object){xstrdup(at), xstrdup(last_part(path)), pid};
	n = functions__find(fd, path, root, p->glob, add_function, p, &missing);
	p->missing |= missing;
	if (p->list->n > before)
		p->list->nobjects++;
	else
		free(o->path), free(o->name), *o = (struct function_object){0};
	return n < 0 ? n : 0;
}

static void add_mapped(void *ctx, const struct maps_line *l)
{
	struct picking *p = ctx;
	char at[PATH_MAX + 32], root[32];
	int fd;

	if (l->path[0] != '/' || !l->exec || p->full)
		return;
	for (u32 i = 0; i < p->list->nobjects; i++)
		if (strstr(p->list->objects[i].path, l->path) && p->list->objects[i].pid == p->pid)
			return;
	snprintf(root, sizeof(root), "/proc/%u/root", p->pid);
	snprintf(at, sizeof(at), "%s%s", root, l->path);
	fd = openfile__regular(root, l->path);
	if (fd < 0)
		return;
	add_file(p, fd, at, l->path, root, p->pid);
	close(fd);
}

/* Of its program; where that has none of the name, of its libraries. */
static int pick_process(struct picking *p, u32 pid)
{
	char exe[32], root[32], path[PATH_MAX] = "";
	int fd, err;

	snprintf(exe, sizeof(exe), "/proc/%u/exe", pid);
	snprintf(root, sizeof(root), "/proc/%u/root", pid);
	fd = openfile__link(exe);
	if (fd < 0)
		return status__set(p->st, EXIT_CODE_USAGE, fd, "process %u: %s", pid,
				   fd == -ENOENT ? "there is none of that number" : strerror(-fd));
	if (readlink(exe, path, sizeof(path) - 1) < 0)
		copy_str(path, sizeof(path), exe);
	err = add_file(p, fd, exe, path, root, pid);
	close(fd);
	if (err)
		return status__set(p->st, EXIT_CODE_USAGE, err, "process %u: its program cannot be read",
				   pid);
	if (p->matched)
		return 0;
	p->pid = pid;
	snprintf(exe, sizeof(exe), "/proc/%u/maps", pid);
	fd = open(exe, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		maps__read(fd, add_mapped, p);
		close(fd);
	}
	return 0;
}

static int pick_file(struct picking *p, const char *path)
{
	char found[PATH_MAX], real[PATH_MAX];
	int fd, err;

	if (!strchr(path, '/') && uprobe__find_file(path, found, sizeof(found)))
		path = found;
	if (!realpath(path, real))
		return status__set(p->st, EXIT_CODE_USAGE, -errno,
				   "%.200s: there is no such program or library", path);
	fd = openfile__regular("", real);
	if (fd < 0)
		return status__set(p->st, EXIT_CODE_USAGE, fd, "%.200s: %s", path, strerror(-fd));
	err = add_file(p, fd, real, real, "", 0);
	close(fd);
	return err ? status__set(p->st, EXIT_CODE_USAGE, err, "%.200s: this is no ELF file", path) : 0;
}

/* "pid:N:GLOB": where the glob begins; NULL: it is none. */
static const char *process_of(const char *text, u32 *pid)
{
	char *end;
	unsigned long n;

	if (strncmp(text, "pid:", 4))
		return NULL;
	n = strtoul(text + 4, &end, 10);
	if (end == text + 4 || *end != ':' || !n || n > INT_MAX)
		return NULL;
	*pid = (u32)n;
	return end + 1;
}

/* What a text stands for is added to the list. */
static int pick(struct picking *p, const char *text)
{
	char path[PATH_MAX];
	const char *glob, *plain = text + (*text == '!'), *by = strstr(plain, " by ");
	u32 pid = 0, units = p->list->nunits;
	char name[PATH_MAX];
	int err;

	p->list->forced |= *text == '!';
	glob = process_of(plain, &pid);
	if (!glob) {
		const char *colon = strchr(plain, ':');

		glob = colon ? colon + 1 : "";
		snprintf(path, sizeof(path), "%.*s", (int)strcspn(plain, ":"), plain);
	}
	if (!*glob || (!pid && !*path))
		return status__set(p->st, EXIT_CODE_USAGE, -EINVAL,
				   "%.100s: write it as PATH:FUNCTION, where PATH is a program, a library "
				   "or pid:N, and FUNCTION may have * and ?; `by A, B` behind it names "
				   "arguments", text);
	snprintf(name, sizeof(name), "%.*s", by ? (int)(by - glob) : -1, glob);
	p->glob = name;
	p->by = by ? by + strlen(" by ") : "";
	err = pid ? pick_process(p, pid) : pick_file(p, path);
	if (err)
		return err;
	if (p->full)
		return status__set(p->st, EXIT_CODE_USAGE, -E2BIG,
				   "%.100s: that makes more than %u functions: make the name narrower",
				   text, by ? FUNCTIONS_WITH_ARGS : FUNCTIONS_MAX);
	if (by && p->wrong.code && p->list->nunits == units) {
		*p->st = p->wrong;
		return -EINVAL;
	}
	if (p->matched)
		return 0;
	return status__set(p->st, EXIT_CODE_USAGE, -ENOENT, "%.100s: no function matches%s", text,
			   p->missing ? "; it is stripped: install its -dbgsym package" : "");
}

static int add_text(struct func_list *l, const char *text, struct status *st)
{
	struct picking p = {.list = l, .st = st, .cap = l->v ? MAX(l->n, 1u) : 0};
	int err;

	if (l->ntexts == FUNCTION_TEXTS)
		return status__set(st, EXIT_CODE_USAGE, -E2BIG,
				   "functions are picked by %u globs already: :unfunction N makes room",
				   FUNCTION_TEXTS);
	err = pick(&p, text);
	if (!err)
		l->texts[l->ntexts++] = xstrdup(text);
	return err;
}

/* What was picked before is there for good: it is shared. */
static struct func_list *copy_of(const struct func_list *old)
{
	struct func_list *l = new_list(old);

	if (!old)
		return l;
	*l = *old;
	l->v = xmalloc(MAX(l->n, 1u) * sizeof(*l->v));
	if (l->n)
		memcpy(l->v, old->v, l->n * sizeof(*l->v));
	return l;
}

const struct func_list *func_list__with(const struct func_list *old, const char *text,
					struct status *st)
{
	struct func_list *l = copy_of(old);

	return add_text(l, text, st) ? NULL : l;
}

/* The others are looked for again: a file may have changed meanwhile. */
const struct func_list *func_list__without(const struct func_list *old, u32 at)
{
	struct func_list *l;
	struct status st = {0};

	if (!old || at >= old->ntexts)
		return NULL;
	l = new_list(old);
	for (u32 i = 0; i < old->ntexts; i++)
		if (i != at)
			add_text(l, old->texts[i], &st);
	return l;
}

const struct func_list *func_list__split(const struct func_list *old, bool waits)
{
	struct func_list *l = copy_of(old);

	l->waits = waits;
	return l;
}

/* --- the commands --- */

static const struct func_list *picked(const struct host *h)
{
	return h->refused[0] && h->functions_before ? h->functions_before : h->sampling.functions;
}

static void set_functions(struct host *h, const struct func_list *list)
{
	struct sampling s = h->sampling;

	h->functions_before = picked(h);
	s.functions = list;
	app__set_sampling(h, &s);
}

static bool is_live(const struct host *h, struct status *st)
{
	if (h->options->connect) {
		status__set(st, EXIT_CODE_USAGE, -EINVAL,
			    "functions of another machine are picked at the start: --connect %.80s --function "
			    "PATH:GLOB", h->options->connect);
		return false;
	}
	if (h->player)
		status__set(st, EXIT_CODE_USAGE, -EINVAL,
			    "this is a replay: it has the functions that were picked when it was recorded");
	return !h->player;
}

bool functions__pick(struct host *h, const char *text, struct status *st)
{
	const struct func_list *list;

	if (!is_live(h, st))
		return false;
	list = func_list__with(picked(h), text, st);
	if (!list)
		return false;
	set_functions(h, list);
	host__message(h, ROLE_OK, "%u function%s picked", list->n, list->n == 1 ? " is" : "s are");
	app__show_view(h, view__index("funcs"));
	return true;
}

bool functions__drop(struct host *h, const char *arg, struct status *st)
{
	const struct func_list *list = picked(h);
	u64 n = 1;

	if (!is_live(h, st))
		return false;
	if (!list || !list->ntexts) {
		status__set(st, EXIT_CODE_USAGE, -EINVAL, "no functions are picked");
		return false;
	}
	if (*arg && !option__number(arg, 1, list->ntexts, &n)) {
		status__set(st, EXIT_CODE_USAGE, -EINVAL,
			    "unfunction takes the number of what was picked, 1 to %u; nothing: the last one",
			    list->ntexts);
		return false;
	}
	if (!*arg)
		n = list->ntexts;
	host__message(h, ROLE_OK, "not timed any more: %.100s", list->texts[n - 1]);
	set_functions(h, func_list__without(list, (u32)n - 1));
	return true;
}

bool functions__set_waits(struct host *h, const char *arg, struct status *st)
{
	bool on = !strcmp(arg, "on");

	if (!is_live(h, st))
		return false;
	if (!on && strcmp(arg, "off")) {
		status__set(st, EXIT_CODE_USAGE, -EINVAL, "function-waits takes on or off");
		return false;
	}
	set_functions(h, func_list__split(picked(h), on));
	return true;
}
