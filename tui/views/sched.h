/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the screens of the sched view share: the table of threads, groups of them and CPUs
 * (sched.c, sched_text.c), the slowest delays (sched_delays.c), one thread (sched_thread.c),
 * and the histograms above their tables (sched_hist.c).
 */
#ifndef TUI_VIEWS_SCHED_H
#define TUI_VIEWS_SCHED_H

#include "models/sched.h"
#include "tui/views/listing.h"

/* The table of threads. */
struct sched_screen {
	struct listing list;
	struct sched_query query;
};

LISTING_OF(sched__of, struct sched_screen, sched__rows, struct sched_result)

/* The slowest delays of the last minute. extra: the scope in the place of the host's, NULL
 * none; a reference is taken. */
struct screen *sched_delays__open(struct host *h, const struct scope *extra);

struct heat_pick;
struct heat_view;

/* Those of a heat map's cell; NULL, with a message, when it is not of delays. */
struct screen *sched_delays__list(const struct heat_view *v, struct host *h, const void *query,
			     const struct heat_pick *pick, const struct scope *extra);
/* One thread, which is watched as long as the screen is there. */
struct screen *sched_thread__open(struct host *h, const struct task_ident *t,
				  enum time_window window);

/* One histogram with its head: what it is, how many, quantiles, the largest. */
struct sched_panel {
	enum sched_hist_kind kind;
	const struct sched_hist *hist;
	u64 max_ns; /* 0: not known */
};

/*
 * Side by side, as many as there is room for, with bars; where r is low each one takes two
 * lines. Returns how many lines were taken.
 */
int sched_panels__draw(const struct sched_panel *p, u32 n, struct canvas *c, struct rect r);

/* Of the table, as in listing_ops. */
void sched__headline(struct listing *l, struct headline *line);
int sched__above(struct listing *l, struct canvas *c, struct rect area);
void sched__empty(const struct listing *l, char *buf, size_t size);
enum role sched__role(const struct listing *l, u32 row, u32 column);
void sched__selection(const struct listing *l, struct listing_place at, char *buf, size_t size);
/* struct report's events of the view itself: the slowest delays. */
void sched_delays__events(const struct report *r, const struct event_sink *out);
void sched__report(const struct query_result *a, const struct frame *f, struct report *r);

/* Numbers of a delay histogram for a report's summary. */
void sched__summary(struct report *r, const struct sched_hist *delays, u64 max_ns,
		    struct value hist);
/* "RD for 12.0ms": where a thread is. */
void sched__state_text(const struct sched_task *t, u64 now_ns, char *buf, size_t size);
/* Why there are no rows as long as the feed has not begun; false when it has. */
bool sched__waiting(const struct listing *l, char *buf, size_t size);

#endif
