// SPDX-License-Identifier: GPL-2.0-only
/* What the table of the page cache says around its rows, and the same as a report. */
#include <stdio.h>

#include "models/windows.h"
#include "tui/views/cache.h"
#include "tui/views/window.h"

static const char *const show_names[CACHE_SHOWS] = {
	[CACHE_SHOW_HITS] = "hits and misses",
	[CACHE_SHOW_KINDS] = "reads, writes, maps",
	[CACHE_SHOW_AHEAD] = "readahead, evictions",
};

static const char *key_of(const struct listing *l, enum action a, char buf[16])
{
	return host__key(l->base.host, a, buf, 16);
}

void cache__headline(struct listing *l, struct headline *line)
{
	const struct cache_query *q = &cache__of(l)->query;
	char key[16];

	headline__addf(line, ROLE_STRONG, "by %s", cache_group_names[q->group]);
	headline__addf(line, ROLE_DIM, " [%s]", key_of(l, ACTION_GROUP_NEXT, key));
	headline__addf(line, ROLE_STRONG, " · %s", show_names[q->show]);
	headline__addf(line, ROLE_DIM, " [%s]", key_of(l, ACTION_COLUMNS, key));
	headline__addf(line, ROLE_DIM, " · %s", window__text(q->rows.window));
	headline__addf(line, ROLE_DIM, " · ages [%s]", key_of(l, ACTION_AGES, key));
	headline__addf(line, ROLE_DIM, " · dentries [%s]", key_of(l, ACTION_DENTRIES, key));
}

int cache__above(struct listing *l, struct canvas *c, struct rect area)
{
	const struct frame *f = host__frame(l->base.host);
	const struct cache_panel p = {.result = cache__rows(l),
				      .whole = !l->base.below,
				      .ages = cache__of(l)->ages,
				      .tier = f ? f->feeds[MODEL_CACHE].health.tier : ""};

	return cache_panel__draw(&p, c, area);
}

void cache__empty(const struct listing *l, char *buf, size_t size)
{
	static const struct feed_words words = {"to the page cache", "watch the page cache",
						"watching the page cache"};
	char more[MORE_TEXT];

	if (listing__waiting(l, &words, buf, size))
		return;
	snprintf(buf, size,
		 "nothing in scope has read, written or mapped a file in the window (%s); "
		 "direct I/O goes past the page cache",
		 listing__more(l, more));
}

/* --- rows --- */

/* So few that no share of them is worth a look: 256 K a second, which any disk reads at once. */
bool cache__few_misses(const struct cache_result *a, const u64 *n)
{
	return window__per_second(cache__misses(n), a->base->window_ns) < 64;
}

/* Few hits are worth a look where something is missed. */
static enum role hit_role(const struct cache_result *a, const struct cache_row *r, double pct)
{
	if (!cache__misses(r->n))
		return ROLE_DIM;
	if (cache__few_misses(a, r->n))
		return ROLE_TEXT;
	return pct < 50 ? ROLE_HOT : pct < 90 ? ROLE_WARM : ROLE_TEXT;
}

static enum role number_role(const struct column *c, const struct value *v)
{
	if (!v->u)
		return ROLE_DIM;
	if (strcmp(c->name, "miss_rate") != 0)
		return ROLE_TEXT;
	return v->u >= 1000 ? ROLE_HOT : v->u >= 100 ? ROLE_WARM : ROLE_TEXT;
}

enum role cache__role(const struct listing *l, u32 row, u32 column)
{
	const struct cache_row *r = &cache__rows(l)->rows[row];
	const struct row_table *t = &l->result->table;
	const struct column *c = &t->columns[column];
	struct value v;

	if (c->flags & COLUMN_KEY)
		return r->who->kthread ? ROLE_KERNEL : ROLE_TEXT;
	if (!t->cell(t, row, column, &v))
		return ROLE_TEXT;
	if (v.type == VALUE_COUNT || v.type == VALUE_BYTES)
		return number_role(c, &v);
	if (!strcmp(c->name, "miss_share_pct"))
		return cache__misses(r->n) ? ROLE_STRONG : ROLE_DIM;
	if (!strcmp(c->name, "hit_pct") && v.type == VALUE_PCT)
		return hit_role(cache__rows(l), r, v.f);
	return !strncmp(c->name, "top_", 4) ? ROLE_DIM : ROLE_TEXT;
}

static void select_node(const struct listing *l, u32 node, char *buf, size_t size)
{
	const struct tree_node *n = &l->result->nodes[node];

	snprintf(buf, size, "%s  %s  %llu misses", n->name, n->object_name,
		 (unsigned long long)n->count);
}

void cache__selection(const struct listing *l, struct listing_place at, char *buf, size_t size)
{
	const struct cache_row *r = &cache__rows(l)->rows[at.row];
	enum cache_group by = cache__rows(l)->query.group;
	char misses[16], hits[16];

	if (at.node != UINT32_MAX) {
		select_node(l, at.node, buf, size);
		return;
	}
	format__count(misses, sizeof(misses), cache__misses(r->n));
	format__count(hits, sizeof(hits), cache__hits(r->n));
	snprintf(buf, size, "%s%s%s: %s · %s misses, %s hits%s%s", r->name,
		 by == CACHE_BY_PID && *r->pid_text ? " pid " : "",
		 by == CACHE_BY_PID ? r->pid_text + strspn(r->pid_text, " ") : "",
		 by == CACHE_BY_FILE ? r->comm : r->file, misses, hits,
		 by == CACHE_BY_PID ? " · cgroup " : "", by == CACHE_BY_PID ? r->cgroup_name : "");
}

/* --- reports --- */

static void sum_machine(struct report *r, const struct cache_snap *s, enum time_window w)
{
	const struct cache_totals_sample *t = &s->totals;
	enum value_type bytes = s->totals_known ? VALUE_BYTES : VALUE_NONE;

	report__sum_number(r, "cached_bytes", bytes, t->cached_bytes);
	report__sum_number(r, "buffers_bytes", bytes, t->buffers_bytes);
	report__sum_number(r, "dirty_bytes", bytes, t->dirty_bytes);
	report__sum_number(r, "writeback_bytes", bytes, t->writeback_bytes);
	report__sum_number(r, "refaults", VALUE_COUNT, s->flow[w].refaults);
	report__sum_number(r, "reclaimed", VALUE_COUNT, s->flow[w].evicted);
	report__sum_number(r, "writes_seen", s->totals_known ? VALUE_BOOL : VALUE_NONE,
			   t->writes_seen);
	report__sum(r, "blind", (struct value){.type = VALUE_TEXT, .s = t->blind});
}

void cache__report(const struct query_result *base, const struct frame *f, struct report *r)
{
	const struct cache_result *a = cache_result__of(base);

	r->view = "cache";
	r->window = window__text(a->query.rows.window);
	r->group = cache_group_names[a->query.group];
	r->health = f->feeds[MODEL_CACHE].health;
	report__sum_number(r, "hits", VALUE_COUNT, cache__hits(a->n));
	report__sum_number(r, "misses", VALUE_COUNT, cache__misses(a->n));
	report__sum_number(r, "dirties", VALUE_COUNT, a->n[CACHE_DIRTIED]);
	report__sum(r, "hit_pct", cache__hit_pct(a->n));
	report__sum(r, "disk_pct", cache__disk_pct(a->n));
	report__sum(r, "read_hit_pct", cache__read_hit_pct(a->n));
	report__sum(r, "write_hit_pct", cache__write_hit_pct(a->n));
	report__sum_number(r, "readahead_added", VALUE_COUNT, a->n[CACHE_AHEAD_ADDED]);
	report__sum_number(r, "readahead_used", VALUE_COUNT, a->n[CACHE_AHEAD_USED]);
	report__sum_number(r, "readahead_wasted", VALUE_COUNT, a->n[CACHE_AHEAD_WASTED]);
	report__sum_number(r, "evicted", VALUE_COUNT, a->n[CACHE_EVICTED]);
	report__sum_number(r, "dropped", VALUE_COUNT, a->n[CACHE_DROPPED]);
	report__sum(r, "ages", a->ages);
	sum_machine(r, cache__snap(a), a->query.rows.window);
}
