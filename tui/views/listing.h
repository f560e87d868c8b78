/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A listing: the screen that most views are made of. A headline, a table whose rows unfold,
 * and a query that is asked of the newest frame on the query worker, so that nothing waits.
 * It answers the keys of tables, unfolding, searching, grouping, windows and snapshots, and
 * batch mode; a view adds its query, its headline, its drills and its own keys. UI thread
 * only.
 *
 *	struct my_screen { struct listing list; struct my_query query; ... };
 *	s->list.base = (struct screen){.ops = &my_screen_ops, .host = h};
 *	listing__init(&s->list, h, &my_listing, &s->query);
 *
 * my_screen_ops has LISTING_SCREEN in it and the view's own .section, .free, .action, .hints.
 * Its action ends in listing__action, which does not know the view's own keys.
 */
#ifndef TUI_VIEWS_LISTING_H
#define TUI_VIEWS_LISTING_H

#include "models/result_diff.h"
#include "models/profile.h" /* enum time_window */
#include "tui/view.h"
#include "tui/views/query_client.h"
#include "tui/views/fold.h"
#include "tui/views/grouping.h"
#include "tui/views/headline.h"
#include "widgets/table.h"

struct flame_source;
struct heat_view;
struct listing;

/* What the cursor is on. */
struct listing_place {
	u32 row;  /* in the table of listing.answer */
	u32 node; /* in answer.nodes; UINT32_MAX: the row itself */
};

struct listing_ops {
	struct query_client_ops ask; /* the query: its size, its model, what runs on the worker */
	/* Optional, where the query has them, as LISTING_AT says; 0: it has not. */
	struct {
		u16 group;     /* an enum: rows are grouped by one key at a time */
		u16 groups;    /* u32, bits: by several; setting either resets the listing */
		u16 window;    /* for the key that changes it */
		u16 nunfolded; /* u32, and so many keys of RESULT_MAX_UNFOLDED are in ... */
		u16 unfolded;
	} at;
	/* Optional, with at.unfolded: whether something is below a row; all rows otherwise. */
	bool (*unfolds)(const struct listing *l, u32 row);
	/* Optional: whether so little was counted that no share should stand out. */
	bool (*few)(const struct listing *l);
	const struct group_keys *keys; /* with at.group or at.groups */
	/* Optional: choices beyond windows and sorting; as in struct screen_ops. */
	int (*choose)(struct listing *l, enum choice what, const char *value, struct status *st);
	void (*headline)(struct listing *l, struct headline *line);
	const struct flame_source *stacks; /* for the flame graph; NULL: the view has none */
	/* Optional, with stacks: they weigh what is shown in a column, by which rows are sorted. */
	void (*weigh)(const struct listing_ops *ops, void *query, const char *column);
	const struct heat_view *heat;	   /* for the heat map; NULL: the view has none */
	bool events; /* rows are single events: there is nothing to compare with a baseline */
	/* Optional: lines between headline and table; returns how many of `area` they took. */
	int (*above)(struct listing *l, struct canvas *c, struct rect area);
	/* What to say where rows would be; wrapped. */
	void (*empty)(const struct listing *l, char *buf, size_t size);
	/* Optional. Role of a cell; of a node's name (by its kind of code otherwise). */
	enum role (*cell_role)(const struct listing *l, u32 row, u32 column);
	enum role (*node_role)(const struct listing *l, const struct tree_node *n);
	/* Optional. Enter; false: nothing is there. */
	bool (*drill)(struct listing *l, struct listing_place at);
	/* Optional: a click on the row that is under the cursor now; not against a baseline. */
	void (*click)(struct listing *l, const struct input *in);
	/* The whole name of what is selected. */
	void (*selection)(const struct listing *l, struct listing_place at, char *buf, size_t size);
	/* Optional: the function that a row stands for, 0: none. Nodes have theirs. */
	u32 (*function)(const struct listing *l, u32 row);
	/* Optional: the name of the function whose calls a row is of; false: it is of none. */
	bool (*called)(const struct listing *l, u32 row, char *buf, size_t size);
	/* Optional: the address that a row is about, as in struct screen_ops. */
	bool (*watched)(const struct listing *l, u32 row, char *buf, size_t size);
	/* Optional: the term that a filter would have to exclude, without its "!". */
	bool (*term)(const struct listing *l, u32 row, char *buf, size_t size);
	/* What a report of an answer has beyond rows, order, times and scope (r->priv is the
	 * scope): view, window, group, health, summary, folded. Any thread. */
	void (*report)(const struct query_result *a, const struct frame *f, struct report *r);
};

#define LISTING_AT(T, member) (u16)(offsetof(T, member) + 1)
#define LISTING_UNFOLDED(T)   .at.nunfolded = LISTING_AT(T, nunfolded), .at.unfolded = LISTING_AT(T, unfolded)

struct listing {
	struct screen base;
	const struct listing_ops *ops;
	void *query; /* the view's, ops->ask.size bytes */
	struct query_client query_client;
	/* The query's; NULL at first. While a view is asked about a row that is gone since the
	 * baseline: the baseline's. */
	struct query_result *result;
	struct query_result *shown; /* that, or joined with the baseline's: `diff`; owns both */
	struct result_diff *diff;   /* NULL: there is no baseline */
	struct table table;
	struct fold fold;
	struct grouping grouping;
	bool reveal;	  /* what was unfolded last has to come into sight */
	bool stale;	  /* an answer came since the table was laid out */
	char sort_next[80]; /* what to sort by as soon as there are rows, as :sort takes it; "" nothing */
	bool begins_open; /* the view's to set: the first rows that come are unfolded */
	char line[96];	    /* of a node that stands for several, while its line is drawn */
	char narrowed[160]; /* what a drilled screen is about: "pid=12"; "" the root */
};

/* Defines, of a screen T whose member `list` is the listing: of(l), the screen, and result(l), what
 * is shown; NULL at first. */
#define LISTING_OF(of, T, result_of, R)                                                            \
	static inline T *of(const struct listing *l)                                               \
	{                                                                                          \
		return container_of(l, T, list);                                                   \
	}                                                                                          \
	static inline const R *result_of(const struct listing *l)                                  \
	{                                                                                          \
		return l->result ? container_of(l->result, R, base) : NULL;                        \
	}

/* For its table; only with an answer. */
struct table_source listing__source(struct listing *l);
/* The screen's ops have to be set by the caller. */
void listing__init(struct listing *l, struct host *h, const struct listing_ops *ops, void *query);
void listing__fini(struct listing *l);
/* False when no row is under the cursor, or one that is gone since the baseline. */
bool listing__at(const struct listing *l, struct listing_place *at);
/* A view that is a listing: its screen struct begins with a struct listing. */
struct listing_view {
	const struct screen_ops *screen;
	const struct listing_ops *list;
	size_t size, query_at; /* of the screen struct; where its query is */
	u32 groups, batch_groups; /* bits, where none are asked for; batch_groups 0: the same */
	enum time_window window;  /* on the screen; batch mode has the last interval */
	const char *pane; /* of a pane: its name in the path of screens */
	/* Optional: what else a new query has. */
	void (*fit)(void *query, bool batch);
};

#define LISTING_VIEW(T, screen_, list_)                                                            \
	.screen = screen_, .list = list_, .size = sizeof(T), .query_at = offsetof(T, query)

/* The query is copied. */
struct listing *listing__new(const struct listing_view *v, struct host *h, const void *query);
/* What a drill leads to: a listing with another query, which is copied, about `what`. narrow: its
 * scope, whose reference it takes; NULL: that of the listing it comes from. */
struct listing *listing__drill_to(const struct listing_view *v, const struct listing *from,
				  const void *query, const char *what, const struct scope *narrow);
/* The listing's scope with more terms, a reference; NULL when they make none. */
const struct scope *listing__narrow(const struct listing *l, const char *terms);
/* The same with the term of a row, which is given, too; NULL when it has none. */
const struct scope *listing__narrow_to_row(const struct listing *l, u32 row, char *term,
					   size_t size);
/* For struct view_ops whose .of is a struct listing_view. */
struct screen *listing__open(const struct view_ops *v, struct host *h, const struct view_args *args);
int listing__batch_of(const struct view_ops *v, const struct frame *f,
		      const struct view_args *args, const struct scope *scope, struct report *r);
#define LISTING_VIEW_OPS(view)                                                                     \
	.of = view, .open = listing__open, .report = listing__batch_of,                            \
	.report_free = listing__report_free
/* Zeroes a query but for what --group says (NULL or wrong: `otherwise`) and the window. */
void listing_query__init(const struct listing_ops *ops, void *query, const char *group,
			 u32 otherwise, enum time_window window);
/* Bits of what rows are grouped by; 0: rows are not grouped. */
u32 listing_query__groups(const struct listing_ops *ops, const void *query);
void listing_query__set_groups(const struct listing_ops *ops, void *query, u32 groups);
/* NULL: it has none. */
enum time_window *listing_query__window(const struct listing_ops *ops, void *query);
/* keys: RESULT_MAX_UNFOLDED of them, n of which count, the rest zero. */
void listing_query__set_unfolded(const struct listing_ops *ops, void *query, const u64 *keys, u32 n);
/* struct screen_ops.free of a screen that has nothing else to free. */
void listing__free(struct screen *s);
/* After the query changed so that rows are others: nothing is unfolded or selected, and the
 * order is the rows' own. */
void listing__reset(struct listing *l);

/* What sort_next says, when there are rows. */
void listing__sort_next(struct listing *l);

/* Batch: answers the query of one frame; 0, or -ENODATA when the frame has nothing for it. */
int listing__batch(const struct listing_ops *ops, const struct frame *f,
		   const struct view_args *args, const void *query, const struct scope *scope,
		   struct report *r);
void listing__report_free(struct report *r);

/* Why a view has no rows as long as its feed has not begun, in words of the view's:
 * "attaching the sampler ...", "cannot sample: ...", "sampling; the first ...". */
struct feed_words {
	const char *attaching, *cannot, *doing;
};
/* False when the feed has begun and rows are missing for another reason. */
bool listing__waiting(const struct listing *l, const struct feed_words *words, char *buf,
		      size_t size);

#define MORE_TEXT 120
/* What shows more where there are no rows: "X clears the filter, w widens the window". */
const char *listing__more(const struct listing *l, char buf[MORE_TEXT]);

/* struct screen_ops' functions, for the view's own table of them. */
void listing__update(struct screen *s);
void listing__draw(struct screen *s, struct canvas *c, struct rect area);
bool listing__action(struct screen *s, enum action a);
void listing__mouse(struct screen *s, const struct input *in);
void listing__crumb(const struct screen *s, char *buf, size_t size);
void listing__selection(const struct screen *s, char *buf, size_t size);
bool listing__search(struct screen *s, const char *text, int dir);
bool listing__search_typed(struct screen *s, enum search_step step, const char *text);
bool listing__exclude(const struct screen *s, char *buf, size_t size);
u32 listing__function(const struct screen *s);
bool listing__called(const struct screen *s, char *buf, size_t size);
bool listing__watched(const struct screen *s, char *buf, size_t size);
bool listing__report(struct screen *s, struct report *r);
bool listing__settled(const struct screen *s);
int listing__choose(struct screen *s, enum choice what, const char *value, struct status *st);
const struct scope *listing__scope(const struct screen *s);
const struct row_table *listing__shown(const struct screen *s);
const char *listing__grouped(const struct screen *s);

/* The row of screen_ops that a listing fills; .free, .action and .hints are the view's. */
#define LISTING_SCREEN                                                                             \
	.update = listing__update, .draw = listing__draw, .mouse = listing__mouse,                 \
	.crumb = listing__crumb, .selection = listing__selection, .search = listing__search,       \
	.search_typed = listing__search_typed,                                                     \
	.exclude = listing__exclude, .function = listing__function, .called = listing__called,     \
	.watched = listing__watched, .report = listing__report,                                    \
	.settled = listing__settled, .choose = listing__choose, .rows = listing__shown,            \
	.scope = listing__scope, .grouped = listing__grouped

#endif
