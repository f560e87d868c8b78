// SPDX-License-Identifier: GPL-2.0-only
/* One wait: where it is, who ends it and from where, and who wakes those. */
#include "tui/views/offcpu_chain.h"

#include <stdio.h>

#include "base/arena.h"
#include "tui/views/window.h"
#include "widgets/paragraph.h"

struct chain_screen {
	struct listing list;
	struct chain_query query;
};

LISTING_OF(chain__of, struct chain_screen, chain__result, struct chain_result)

static void add_time(struct headline *line, const char *label, u64 ns)
{
	char text[16];

	format__ns(text, sizeof(text), ns);
	headline__addf(line, ROLE_DIM, " · %s %s", label, text);
}

static void chain__headline(struct listing *l, struct headline *line)
{
	const struct chain_result *a = chain__result(l);
	const struct waits_row *r = a ? a->row : NULL;
	char text[16], lock[256];

	if (!r) {
		headline__add(line, ROLE_DIM, window__text(chain__of(l)->query.waits.window));
		return;
	}
	headline__add(line, offcpu__reason_role(r->why, r->class), r->reason);
	if (r->class != CLASS_HARMFUL)
		headline__addf(line, ROLE_DIM, ", %s", wait_class_names[r->class]);
	offcpu__lock_text(r, lock, sizeof(lock));
	if (*lock)
		headline__addf(line, ROLE_STRONG, " · %s", lock);
	headline__addf(line, ROLE_DIM, " · %s", window__text(a->own->query.window));
	format__ns(text, sizeof(text), r->sums.off_ns);
	headline__addf(line, ROLE_STRONG, " · blocked %s", text);
	headline__addf(line, ROLE_DIM, " in %llu waits", (unsigned long long)r->sums.count);
	add_time(line, "longest", r->sums.max_ns);
	if (r->sums.open)
		headline__addf(line, ROLE_WARM, " · %llu go%s on", (unsigned long long)r->sums.open,
			       r->sums.open == 1 ? "es" : "");
	if (r->sums.runq_ns)
		add_time(line, "woken but without a CPU", r->sums.runq_ns);
}

/* Who is at the end of it, before any stack. */
static int chain__above(struct listing *l, struct canvas *c, struct rect area)
{
	const struct chain_result *a = chain__result(l);

	if (!a->sentence[0] || area.h < 6)
		return 0;
	return draw__paragraph(c, (struct rect){area.x, area.y, area.w, 2}, ROLE_STRONG,
			       a->sentence);
}

static void chain__empty(const struct listing *l, char *buf, size_t size)
{
	char key[16];

	if (!listing__waiting(l, &offcpu_words, buf, size))
		snprintf(buf, size, "%s was not seen in this window (%s widens it)", l->narrowed,
			 host__key(l->base.host, ACTION_WINDOW, key, sizeof(key)));
}

static enum role chain__role(const struct listing *l, u32 row, u32 column)
{
	return column == CHAIN_PART ? ROLE_STRONG : ROLE_TEXT;
}

static void chain__selection(const struct listing *l, struct listing_place at, char *buf,
			     size_t size)
{
	const struct chain_part *p = &chain__result(l)->parts[at.row];
	const struct tree_node *n;

	if (at.node == UINT32_MAX) {
		snprintf(buf, size, "%s, %llu times", p->name, (unsigned long long)p->count);
		return;
	}
	n = &l->result->nodes[at.node];
	snprintf(buf, size, "%s  %s", n->name, n->object_name);
}

static void chain__report(const struct query_result *base, const struct frame *f, struct report *r)
{
	const struct chain_result *a = container_of(base, struct chain_result, base);

	r->view = "offcpu-chain";
	r->window = window__text(a->own->query.window);
	r->group = "waker";
	r->health = f->feeds[MODEL_WAITS].health;
}

static const struct listing_ops chain_listing = {
	.ask = {.size = sizeof(struct chain_query), .model = MODEL_WAITS, .run = chain__run},
	.at.window = LISTING_AT(struct chain_query, waits.window),
	.headline = chain__headline,
	.above = chain__above,
	.empty = chain__empty,
	.cell_role = chain__role,
	.selection = chain__selection,
	.report = chain__report,
};

static bool chain__action(struct screen *base, enum action a)
{
	struct chain_screen *s = (struct chain_screen *)base;
	const struct chain_result *result = chain__result(&s->list);

	if (a == ACTION_WALL && result && result->row) {
		const struct task_ident *t = &result->row->entry->task;

		host__push(base->host,
			   offcpu_split__open(base->host, t->tgid, t->tid, s->query.waits.window));
		return true;
	}
	if (a != ACTION_CALL_ORDER)
		return listing__action(base, a);
	s->query.waits.caller_first = !s->query.waits.caller_first;
	return true;
}

static const struct screen_ops chain_ops = {
	LISTING_SCREEN,
	.section = "chain",
	.free = listing__free,
	.action = chain__action,
	.hints = (const enum action[]){ACTION_RIGHT, ACTION_WALL, ACTION_WINDOW, ACTION_PAUSE,
				       ACTION_SNAPSHOT, ACTION_NONE},
};

struct screen *offcpu_chain__open(struct host *h, const struct waits_query *q, u64 key,
				  const char *what, const struct scope *extra)
{
	struct chain_screen *s = xcalloc(1, sizeof(*s));

	s->query.waits = *q;
	memset(s->query.waits.unfolded, 0, sizeof(s->query.waits.unfolded));
	s->query.waits.nunfolded = 0;
	s->query.key = key;
	s->list.base = (struct screen){.ops = &chain_ops, .host = h};
	copy_str(s->list.narrowed, sizeof(s->list.narrowed), what);
	listing__init(&s->list, h, &chain_listing, &s->query);
	s->list.begins_open = true;
	s->list.fold.headings_open = true;
	s->list.query_client.extra_scope = extra ? scope__get(extra) : NULL;
	return &s->list.base;
}
