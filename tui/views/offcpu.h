/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the screens of the offcpu view share: the table of waits (offcpu.c, offcpu_text.c,
 * offcpu_report.c), one wait with who ended it (offcpu_chain.c), and where a process's or
 * thread's wall-clock time went (offcpu_split.c).
 */
#ifndef TUI_VIEWS_OFFCPU_H
#define TUI_VIEWS_OFFCPU_H

#include "models/waits.h"
#include "tui/views/listing.h"

/* The table of waits. */
struct offcpu_screen {
	struct listing list;
	struct waits_query query;
};

LISTING_OF(offcpu__of, struct offcpu_screen, offcpu__result, struct waits_result)

/* The row `key` of a query: its stack, its wakers with theirs, and who woke those. what: it in
 * words. extra: the scope in the place of the host's, NULL none; a reference is taken. */
struct screen *offcpu_chain__open(struct host *h, const struct waits_query *q, u64 key,
				  const char *what, const struct scope *extra);
/* tid 0: of all the process's threads. */
struct screen *offcpu_split__open(struct host *h, u32 tgid, u32 tid, enum time_window window);

/* Of the table, as in listing_ops. */
void offcpu__headline(struct listing *l, struct headline *line);
int offcpu__above(struct listing *l, struct canvas *c, struct rect area);
void offcpu__empty(const struct listing *l, char *buf, size_t size);
void offcpu__selection(const struct listing *l, struct listing_place at, char *buf, size_t size);
void offcpu__report(const struct query_result *a, const struct frame *f, struct report *r);

/* Which lock is waited for, and who has it now and where; "": no lock. */
void offcpu__lock_text(const struct waits_row *r, char *buf, size_t size);
/* Waits of this reason in a row's or part's colours: red where somebody is held up. */
enum role offcpu__reason_role(enum wait_reason reason, enum wait_class class);
/* Text for screens whose feed has not begun; see listing__waiting. */
extern const struct feed_words offcpu_words;

/* What excludes the row, of these of its groups; as cpu_terms. */
bool offcpu_terms__exclude(const struct waits_row *r, u32 groups, char *buf, size_t size);

#endif
