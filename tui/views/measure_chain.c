// SPDX-License-Identifier: GPL-2.0-only
/* Who waits for whom, one below the other, each with where it is: above the rows, where there is room. */
#include <stdio.h>

#include "models/frames.h"
#include "tui/views/measure.h"

#define ROWS_BELOW 8 /* that are left to the table */

/* "lll_lock_wait < pthread_mutex_lock < take_next": the leaf first. */
static void stack_text(const struct callstack *stack, const struct symbols *symbols, char *buf, size_t size)
{
	size_t n = 0;

	*buf = '\0';
	for (u32 i = 0; i < callstack__nlocs(stack) && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, "%s%s", i ? " < " : "",
				      frame__text(symbols, stack->locs[i]).name);
}

/* Each one further in than who waits for it. */
static void draw_line(struct canvas *c, struct rect at, u32 depth, const char *who,
		      const struct callstack *stack, const struct symbols *symbols)
{
	char text[512];
	int used = draw__textf(c, at.x, at.y, at.w, ROLE_WARN, "%*s%s%s", (int)depth * 2, "",
			       depth ? "> " : "", who);

	stack_text(stack, symbols, text, sizeof(text));
	draw__textf(c, at.x + used, at.y, at.w - used, ROLE_DIM, " in %s", *text ? text : "[not known]");
}

static void draw_waiting(struct canvas *c, struct rect at, u32 depth, const struct measure_waiting *w)
{
	char who[256];

	snprintf(who, sizeof(who), "%s/%u waits for %s", w->waiter.comm, w->waiter.tid, w->lock.text);
	draw_line(c, at, depth, who, w->stack, w->symbols);
}

/* Who waits for nobody. */
static void draw_last(struct canvas *c, struct rect at, u32 depth, const struct measure_snap *s,
		      const struct measure_waiting *w)
{
	const struct measure_holder *h = measure__holder(s, &w->lock, WINDOW_LAST);
	char who[64];

	snprintf(who, sizeof(who), "%s/%u has it", w->comm, w->tid);
	draw_line(c, at, depth, who, h && h->tid == w->tid ? h->stack : NULL, s->symbols);
}

int measure_chain__draw(struct listing *l, struct canvas *c, struct rect area)
{
	const struct measure_result *a = measure__rows(l);
	const struct measure_waiting *const *v = a->ndeadlock ? a->deadlock : a->chain;
	u32 n = a->ndeadlock ? a->ndeadlock : a->nchain, depth = 0;
	struct rect line = {area.x, area.y, area.w, 1};

	if (!n || area.h < (int)n + 1 + ROWS_BELOW)
		return 0;
	for (u32 i = 0; i < n; i++, line.y++) {
		depth = i && v[i - 1]->tid == v[i]->waiter.tid ? depth + 1 : 0; /* else another ring */
		draw_waiting(c, line, depth, v[i]);
	}
	if (a->ndeadlock)
		return (int)n;
	draw_last(c, line, depth + 1, container_of(a->base.snap, struct measure_snap, base), v[n - 1]);
	return (int)n + 1;
}
