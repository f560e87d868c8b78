// SPDX-License-Identifier: GPL-2.0-only
/* cgroup globs -> ids (v2) or members (v1). */
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/cgroup.h"
#include "base/log.h"
#include "scope/filter_impl.h"

#define REMOVED_MAX 4096 /* ids; with more of them removed cgroups are forgotten */

/* What one glob stands for. */
struct hits {
	char *glob;
	bool alone;	   /* the matches without what is below them */
	const char *mount; /* v1: whose members are wanted; NULL: ids */
	char *top;	   /* path of the match whose subtree the walk is in */
	struct id_set ids; /* cgroup ids, or pids on v1 */
	u32 matched;
};

/* A glob's end says whether it is about what is below, too. */
static void hits__init(struct hits *h, const char *text)
{
	size_t n = strlen(text);

	*h = (struct hits){.alone = n >= 2 && !strcmp(text + n - 2, "/.")};
	if (h->alone)
		n -= n > 2 ? 2 : 1; /* the root keeps its slash */
	h->glob = xmalloc(n + 1);
	copy_str(h->glob, n + 1, text);
}

static void hits__fini(struct hits *h)
{
	free(h->glob);
	id_set__fini(&h->ids);
}

static bool glob__match(const char *glob, const char *path)
{
	const char *base = strrchr(path, '/') + 1;

	if (!strchr(glob, '/'))
		return *base ? fnmatch(glob, base, 0) == 0 : false;
	if (*glob != '/')
		path++;
	return fnmatch(glob, path, FNM_PATHNAME) == 0;
}

static bool is_below(const char *path, const char *top)
{
	size_t n = strlen(top);

	return !strcmp(top, "/") || (!strncmp(path, top, n) && path[n] == '/');
}

static void add_member(void *ctx, u32 pid)
{
	struct hits *h = ctx;

	if (h->ids.n < CGROUP_MAX)
		id_set__add_range(&h->ids, pid, pid);
}

static bool look_at(void *ctx, const char *path, u64 id)
{
	struct hits *h = ctx;

	if (h->alone || !h->top || !is_below(path, h->top)) {
		if (!glob__match(h->glob, path))
			return true;
		free(h->top);
		h->top = xstrdup(path);
		h->matched++;
	}
	if (h->mount)
		cgroup__procs(h->mount, path, add_member, h);
	else
		id_set__add_range(&h->ids, id, id);
	return true;
}

static bool is_in_match(const struct hits *h, char *path)
{
	if (h->alone)
		return glob__match(h->glob, path);
	for (char *end = path + strlen(path); end > path; end = strrchr(path, '/')) {
		*end = '\0';
		if (glob__match(h->glob, path))
			return true;
	}
	return glob__match(h->glob, "/");
}

struct removed {
	struct hits *hits;
	struct id_set ids;
};

static void look_at_remembered(void *ctx, const char *path, u64 id)
{
	struct removed *r = ctx;
	char copy[PATH_MAX];

	if (strlen(path) >= sizeof(copy) || id_set__has(&r->hits->ids, id))
		return;
	copy_str(copy, sizeof(copy), path);
	if (is_in_match(r->hits, copy))
		id_set__add_range(&r->ids, id, id);
}

/* cgroups that are gone: what ran in them is still on the screen. */
static void add_removed(struct hits *h)
{
	u64 id = cgroup__nameless(h->glob);
	struct removed r = {.hits = h};

	cgroup__remembered(look_at_remembered, &r);
	if (id)
		id_set__add_range(&r.ids, id, id);
	h->matched += r.ids.n;
	id_set__unite(&h->ids, &r.ids);
	id_set__fini(&r.ids);
}

static void walk(struct hits *h, const char *mount)
{
	cgroup__walk(mount, look_at, h);
	free(h->top);
	h->top = NULL;
}

/* Asks v2 first; v1 where v2 is absent or does not know the name. */
static void hits__find(struct hits *h)
{
	const char *const *v1;
	u32 n;

	if (*cgroup__mount())
		walk(h, cgroup__mount());
	id_set__seal(&h->ids);
	add_removed(h);
	if (!h->matched) {
		n = cgroup__v1_mounts(&v1);
		for (u32 i = 0; i < n; i++) {
			h->mount = v1[i];
			walk(h, v1[i]);
		}
		if (!h->matched)
			h->mount = NULL;
	}
	id_set__seal(&h->ids);
}

/* Adds what a glob stands for to the sets; the include of cgroups is rebuilt by the caller. */
static void apply(struct scope *s, const struct name_term *t, const struct hits *h)
{
	enum scope_kind kind = h->mount ? SCOPE_PID : SCOPE_CGROUP;
	const struct id_set none = {.active = true};

	if (t->negate)
		id_set__unite(&s->exclude[kind], &h->ids);
	else if (kind == SCOPE_PID && s->follow_children)
		/* Members of a v1 cgroup among a growing tree cannot be told in the kernel. */
		id_set__intersect(&s->include[SCOPE_CGROUP], &none);
	else
		id_set__intersect(&s->include[kind], &h->ids);
}

bool scope__find_cgroups(struct scope *s, const char **unmatched)
{
	struct id_set whole_in = {0}, whole_out = {0};

	*unmatched = NULL;
	id_set__fini(&s->include[SCOPE_CGROUP]);
	for (u32 i = 0; i < s->ncgroups; i++) {
		struct hits h;

		hits__init(&h, s->cgroups[i].text);
		hits__find(&h);
		apply(s, &s->cgroups[i], &h);
		if (!h.mount && s->cgroups[i].negate)
			id_set__unite(h.alone ? &s->exclude_alone : &whole_out, &h.ids);
		else if (!h.mount)
			id_set__unite(h.alone ? &s->include_alone : &whole_in, &h.ids);
		if (!h.matched && !s->cgroups[i].negate && !*unmatched)
			*unmatched = s->cgroups[i].text;
		hits__fini(&h);
	}
	id_set__subtract(&s->include_alone, &whole_in);
	id_set__subtract(&s->exclude_alone, &whole_out);
	id_set__fini(&whole_in);
	id_set__fini(&whole_out);
	return !*unmatched;
}

static bool same_ids(const struct scope *a, const struct scope *b)
{
	for (u32 k = 0; k < SCOPE_KINDS; k++)
		if (!id_set__equal(&a->include[k], &b->include[k]) ||
		    !id_set__equal(&a->exclude[k], &b->exclude[k]))
			return false;
	return id_set__equal(&a->include_alone, &b->include_alone) &&
	       id_set__equal(&a->exclude_alone, &b->exclude_alone);
}

/* What ran in a cgroup that was removed is still looked at, or still excluded. Ids of cgroups
 * are not used again. */
static void keep_removed(struct scope *fresh, const struct scope *s)
{
	const struct id_set *in = &s->include[SCOPE_CGROUP], *ex = &s->exclude[SCOPE_CGROUP];

	if (in->n + ex->n > REMOVED_MAX)
		return;
	if (in->n && fresh->include[SCOPE_CGROUP].active)
		id_set__unite(&fresh->include[SCOPE_CGROUP], in);
	if (ex->n)
		id_set__unite(&fresh->exclude[SCOPE_CGROUP], ex);
}

struct scope *scope__resolve(const struct scope *s)
{
	struct filter_error err;
	const char *unmatched;
	struct scope *fresh;

	if (!s || !s->ncgroups)
		return NULL;
	/* The text is all that was typed, without what earlier look-ups added. */
	fresh = scope__new();
	if (filter__read(fresh, s->text, NULL, &err)) {
		log__add(LOG_ERROR, "filter %s: %s", s->text, err.msg);
		scope__put(fresh);
		return NULL;
	}
	scope__find_cgroups(fresh, &unmatched);
	keep_removed(fresh, s);
	if (same_ids(s, fresh)) {
		scope__put(fresh);
		return NULL;
	}
	fresh->text = xstrdup(s->text);
	return fresh;
}
