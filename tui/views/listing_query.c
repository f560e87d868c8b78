// SPDX-License-Identifier: GPL-2.0-only
#include "tui/views/listing.h"

#include "base/arena.h"
#include "base/names.h"
#include "tui/views/terms.h"

static void *member(const void *query, u16 at)
{
	return at ? (char *)query + at - 1 : NULL;
}

u32 listing_query__groups(const struct listing_ops *ops, const void *query)
{
	const u32 *group = member(query, ops->at.group), *groups = member(query, ops->at.groups);

	return group ? 1u << *group : groups ? *groups : 0;
}

void listing_query__set_groups(const struct listing_ops *ops, void *query, u32 groups)
{
	u32 *group = member(query, ops->at.group), *all = member(query, ops->at.groups);

	if (group)
		*group = (u32)__builtin_ctz(groups);
	else
		*all = groups;
}

enum time_window *listing_query__window(const struct listing_ops *ops, void *query)
{
	return member(query, ops->at.window);
}

void listing_query__set_unfolded(const struct listing_ops *ops, void *query, const u64 *keys, u32 n)
{
	*(u32 *)member(query, ops->at.nunfolded) = n;
	memcpy(member(query, ops->at.unfolded), keys, RESULT_MAX_UNFOLDED * sizeof(*keys));
}

void listing_query__init(const struct listing_ops *ops, void *query, const char *group,
			 u32 otherwise, enum time_window window)
{
	u32 groups;

	memset(query, 0, ops->ask.size);
	if (ops->at.window)
		*listing_query__window(ops, query) = window;
	if (!ops->keys)
		return;
	if (!group || !names__parse(ops->keys->names, ops->keys->n, group, &groups) ||
	    (ops->keys->single && groups & (groups - 1)))
		groups = otherwise;
	listing_query__set_groups(ops, query, groups);
}

struct listing *listing__new(const struct listing_view *v, struct host *h, const void *query)
{
	struct listing *l = xcalloc(1, v->size);

	l->base = (struct screen){.ops = v->screen, .host = h};
	memcpy((char *)l + v->query_at, query, v->list->ask.size);
	listing__init(l, h, v->list, (char *)l + v->query_at);
	return l;
}

void listing__free(struct screen *s)
{
	listing__fini(container_of(s, struct listing, base));
	free(s); /* begins with it */
}

const struct scope *listing__narrow(const struct listing *l, const char *terms)
{
	const struct scope *scope = query_client__scope(&l->query_client);
	const struct scope *narrow = terms__scope(scope, terms);

	scope__put(scope);
	return narrow;
}

const struct scope *listing__narrow_to_row(const struct listing *l, u32 row, char *term, size_t size)
{
	return l->ops->term(l, row, term, size) ? listing__narrow(l, term) : NULL;
}

struct listing *listing__drill_to(const struct listing_view *v, const struct listing *from,
				  const void *query, const char *what, const struct scope *narrow)
{
	const struct scope *extra = from->query_client.extra_scope;
	struct listing *l = listing__new(v, from->base.host, query);

	copy_str(l->narrowed, sizeof(l->narrowed), what);
	l->query_client.extra_scope = narrow ? narrow : extra ? scope__get(extra) : NULL;
	return l;
}

struct screen *listing__open(const struct view_ops *view, struct host *h, const struct view_args *args)
{
	const struct listing_view *v = view->of;
	void *query = xmalloc(v->list->ask.size);
	struct listing *l;

	listing_query__init(v->list, query, args->group, v->groups, v->window);
	if (v->fit)
		v->fit(query, false);
	l = listing__new(v, h, query);
	free(query);
	if (v->pane) {
		l->base.pane = view;
		copy_str(l->narrowed, sizeof(l->narrowed), v->pane);
	}
	return &l->base;
}

int listing__batch_of(const struct view_ops *view, const struct frame *f,
		      const struct view_args *args, const struct scope *scope, struct report *r)
{
	const struct listing_view *v = view->of;
	void *query = xmalloc(v->list->ask.size);
	int err;

	listing_query__init(v->list, query, args->group,
			    v->batch_groups ? v->batch_groups : v->groups, WINDOW_LAST);
	if (v->fit)
		v->fit(query, true);
	err = listing__batch(v->list, f, args, query, scope, r);
	free(query);
	return err;
}
