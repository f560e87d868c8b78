// SPDX-License-Identifier: GPL-2.0-only
/* How often an event comes, what it takes to count it, and what its fields are, said while a question about it is
 * being written. The lists worker counts. */
#include <stdio.h>

#include "base/clock.h"
#include "sources/ask_rate.h"
#include "tui/app.h"
#include "widgets/text.h"

#define AGAIN_NS   (2 * NSEC_PER_SEC)
#define SAMPLED_NS (100 * NSEC_PER_MSEC)

struct look {
	struct job job;
	struct host *host;
	char event[LOOKED_AT];
	bool known;
	u64 rate;
	double pct;
	struct event_samples samples;
};

static void look__run(struct job *job)
{
	struct look *l = (struct look *)job;

	l->known = ask_rate__look(l->event, &l->rate, &l->pct);
	/* Records take more than counts. */
	if (l->known && l->pct <= RATE_GUARD_PCT)
		event_samples__take(&l->samples, l->event, SAMPLED_NS);
}

static void look__drop(struct job *job)
{
	event_samples__free(&((struct look *)job)->samples);
	free(job);
}

static void look__show(struct host *h, struct look *l)
{
	char rate[16];

	format__count(rate, sizeof(rate), l->rate);
	h->look.role = l->pct > RATE_GUARD_PCT ? ROLE_WARN : ROLE_DIM;
	snprintf(h->look.text, sizeof(h->look.text), "%s/s: about %.*f%% of a CPU%s", rate,
		 l->pct < 1 ? 3 : 1, l->pct, l->pct > RATE_GUARD_PCT ? ", ask with !" : "");
	event_samples__free(&h->look.samples);
	h->look.samples = l->samples;
	l->samples = (struct event_samples){0};
	/* What is chosen from the list stays. */
	if (h->dialog == DIALOG_PALETTE && !h->prompt.list_pos)
		prompt__offer(&h->prompt);
	host__redraw(h);
}

/* What cannot be counted before it is asked. */
static void look__excuse(struct host *h, const struct look *l)
{
	if (strncmp(l->event, "kprobe:", 7) && strncmp(l->event, "kretprobe:", 10))
		return;
	h->look.role = ROLE_DIM;
	copy_str(h->look.text, sizeof(h->look.text), "no rate: this kernel has no kprobe there, or no links of them");
	host__redraw(h);
}

/* Another one may have been looked at since. */
static void look__done(struct job *job)
{
	struct look *l = (struct look *)job;
	struct host *h = l->host;

	if (!strcmp(l->event, h->look.event)) {
		if (l->known)
			look__show(h, l);
		else
			look__excuse(h, l);
	}
	look__drop(job);
}

void ask_look__forget(struct host *h)
{
	h->look.text[0] = h->look.event[0] = '\0';
	event_samples__free(&h->look.samples);
}

/* Of many events, of a PMU's and with a filter nothing is said; paths have slashes, too. */
static bool is_one_event(const char *event)
{
	bool has_path = !strncmp(event, "uprobe:", 7) || !strncmp(event, "uretprobe:", 10) ||
			!strncmp(event, "usdt:", 5);

	return *event && !strpbrk(event, has_path ? "*?[" : "*?[/") && strlen(event) < LOOKED_AT;
}

void ask_look__at(struct host *h, const char *event)
{
	struct look *l;
	u64 now;

	/* A script's machine is made up. */
	if (!h->lists || h->ops->idle || !host__is_live(h))
		return;
	now = clock__monotonic_ns();
	if (!is_one_event(event) ||
	    (!strcmp(event, h->look.event) && now - h->look.ns < AGAIN_NS))
		return;
	if (strcmp(event, h->look.event))
		ask_look__forget(h);
	copy_str(h->look.event, sizeof(h->look.event), event);
	h->look.ns = now;
	l = xcalloc(1, sizeof(*l));
	l->job = (struct job){.run = look__run, .done = look__done, .drop = look__drop};
	l->host = h;
	copy_str(l->event, sizeof(l->event), event);
	worker__post(h->lists, &l->job);
}

void ask_look__draw(struct host *h)
{
	struct canvas *c = &h->canvas;
	int used = text__width(h->prompt.label) + text__width(h->prompt.text) + 4;

	if (h->dialog == DIALOG_PALETTE && h->look.text[0] && strstr(h->prompt.text, h->look.event) &&
	    c->w - used >= text__width(h->look.text))
		draw__right(c, used, c->h - 1, c->w - used, h->look.role, h->look.text);
}
