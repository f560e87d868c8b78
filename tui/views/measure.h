/* SPDX-License-Identifier: GPL-2.0-only */
/* The view of any measure (measure.c), and the list of its slowest (measure_slow.c). UI thread
 * only. */
#ifndef TUI_VIEWS_MEASURE_H
#define TUI_VIEWS_MEASURE_H

#include "models/heat.h"
#include "models/measure.h"
#include "tui/views/heat.h"
#include "tui/views/listing.h"
#include "tui/views/slow.h"

/* What the listings of one measure are made of; there is one of each, made once. */
struct measure_view {
	const struct measure *measure;
	struct listing_ops list, slow;
	struct heat_view heat;
	struct group_keys keys;
	const char *names[MEASURE_MAX_LABELS];
	enum action actions[MEASURE_MAX_LABELS];
	const struct flame_source *stacks;
	/* As in struct query_client_ops. */
	struct query_result *(*run)(const struct frame *f, const void *query,
				    const struct scope *scope);
	struct slow_words words;
	char title[64], none[80];
};

struct measure_screen {
	struct listing list;
	const struct measure_view *view;
	struct measure_query query;
	const u32 *drill; /* what Enter groups by next; at its end the slowest are listed */
	u32 distribution; /* enum measure_distribution: what is above the table */
};

enum measure_distribution { DISTRIBUTION_OFF, DISTRIBUTION_ROW, DISTRIBUTION_ALL, DISTRIBUTIONS };

/* The histogram of what the listing's rows or its cursor are on; for struct listing_ops.above, and
 * the key that changes it: false, the measure has none. */
int measure_dist__draw(struct listing *l, struct canvas *c, struct rect area);
bool measure_dist__next(struct measure_screen *s);
/* Likewise: who waits for whom with the stacks of each, a ring or the longest chain. */
int measure_chain__draw(struct listing *l, struct canvas *c, struct rect area);

/* Of any measure; v zero but for stacks, heat and run. */
void measure_view__init(struct measure_view *v, const struct measure *m, enum model_id model);
/* drill: what Enter leads to, as in struct measure. */
struct screen *measure__new(struct host *h, const struct measure_view *v,
			    const struct measure_query *q, const u32 *drill);

/* Why there are no rows, if that is not known to the listing; false: for another reason. */
bool measure__waiting(const struct listing *l, const struct measure *m, char *buf, size_t size);
enum role measure__time_role(u64 ns);
/* For struct listing_ops.watched: of a row with these texts of labels (NULL: it is not by them). */
/* "pid:N:NAME", or NAME where the process is not known: of a label that is a function's name. */
bool measure__called_of(const struct measure *m, const struct measure_who *who, const char *const *texts, char *buf,
			size_t size);
bool measure__watched(const struct measure *m, const struct measure_who *who, const char *const *texts, char *buf,
		      size_t size);

/* The slowest of what passes; narrowed: in words, "" all. scope: in the place of the host's. */
struct screen *measure_slow__open(struct host *h, const struct measure_view *view,
				  const struct measure_slow_query *q, const char *narrowed,
				  const struct scope *scope);
/* For struct heat_view. */
struct screen *measure_slow__list(const struct heat_view *v, struct host *h, const void *query,
				  const struct heat_pick *pick, const struct scope *extra);
/* For struct report: the slowest of the report's rows. */
void measure_slow__events(const struct report *r, const struct event_sink *out);
void measure_slow__init(struct measure_view *v);

/* --- measure_timeline.c --- */

/* What came within a slow one, which name is that of; everything is copied. */
struct screen *measure_timeline__open(struct host *h, const struct measure *m,
				      const struct measure_slow_entry *slow, const char *name);

LISTING_OF(measure__of, struct measure_screen, measure__rows, struct measure_result)

/* Whether what it counts may come with stacks. */
bool measure__has_stacks(const struct measure *m);

/* --- measure_text.c --- */

/* What is held and grows; false: nothing does. */
bool measure__growth_text(const struct measure_result *a, char *buf, size_t size);
void measure__headline(struct listing *l, struct headline *line);
/* What the machine has, above the rows; returns how many lines of area it took. */
int measure__levels(struct listing *l, struct canvas *c, struct rect area);
void measure__empty(const struct listing *l, char *buf, size_t size);
enum role measure__role(const struct listing *l, u32 row, u32 column);
void measure__selection(const struct listing *l, struct listing_place at, char *buf, size_t size);

/* --- measure_report.c --- */

void measure__report(const struct query_result *base, const struct frame *f, struct report *r);

#endif
