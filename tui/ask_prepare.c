// SPDX-License-Identifier: GPL-2.0-only
/*
 * While a question is being written, what is there is compiled once no key came for a moment, its events are
 * counted for a moment, and the collector loads its programs: then Enter has only to attach them.
 */
#include "base/clock.h"
#include "sources/ask_rate.h"
#include "tui/app.h"

#define PAUSE_NS (100 * NSEC_PER_MSEC)

struct preparing {
	struct job job;
	struct host *host;
	char *text;	       /* NULL: what is made already is counted */
	const struct ask *ask; /* a reference */
};

static void preparing__run(struct job *job)
{
	struct preparing *p = (struct preparing *)job;
	struct status st = {0};

	if (p->text)
		p->ask = ask__find_draft(p->host->options, p->text, &st);
	else
		ask_rate__try(p->ask);
}

static void preparing__drop(struct job *job)
{
	struct preparing *p = (struct preparing *)job;

	ask__put(p->ask);
	free(p->text);
	free(p);
}

static void preparing__done(struct job *job);

/* Takes both over. */
static void post(struct host *h, char *text, const struct ask *ask)
{
	struct preparing *p = xcalloc(1, sizeof(*p));

	p->job = (struct job){.run = preparing__run, .done = preparing__done, .drop = preparing__drop,
			      .slot = &h->prepare};
	p->host = h;
	p->text = text;
	p->ask = ask;
	worker__post(h->prepare.worker, &p->job);
}

static bool runs_already(const struct host *h, const struct ask *ask)
{
	const struct ask_list *list = ask__asked(h);

	for (u32 i = 0; list && i < list->n; i++)
		if (list->v[i] == ask)
			return true;
	return false;
}

/* Takes it over, in the place of the one before; NULL: none. */
static void set_draft(struct host *h, const struct ask *ask)
{
	if (!ask && !h->prepare.draft)
		return;
	ask__put(h->prepare.draft);
	h->prepare.draft = ask;
	collector__prepare(time_travel__live(h), ask ? ask__get(ask) : NULL);
}

static void take_over(struct host *h, const struct ask *draft)
{
	const struct ask *known = ask__known(draft);

	if (known) {
		ask__put(draft);
		draft = ask__get(known);
	}
	if (runs_already(h, draft)) {
		ask__put(draft);
		draft = NULL;
	}
	set_draft(h, draft);
	if (draft)
		post(h, NULL, ask__get(draft));
}

static void preparing__done(struct job *job)
{
	struct preparing *p = (struct preparing *)job;
	struct host *h = p->host;

	if (p->text && h->prepare.text && !strcmp(p->text, h->prepare.text)) {
		if (p->ask)
			take_over(h, p->ask);
		else
			set_draft(h, NULL);
		p->ask = NULL;
	}
	preparing__drop(job);
}

/* The question that is being written; NULL: none is. */
static const char *written(const struct host *h)
{
	const char *text = h->dialog == DIALOG_PALETTE ? h->prompt.text : "", *question;

	/* A script's machine is made up. */
	if (h->ops->idle || !host__is_live(h))
		return NULL;
	text += strspn(text, " ");
	question = ask__behind(text, "ask");
	if (!question && (question = ask__behind(text, "reask")) != NULL) {
		question += strspn(question, "0123456789");
		question += strspn(question, " ");
	}
	if (!question || ask__behind(question, "save") || ask__behind(question, "delete"))
		return NULL;
	return *question ? question : NULL;
}

static void note_text(struct host *h, const char *text)
{
	free(h->prepare.text);
	h->prepare.text = text ? xstrdup(text) : NULL;
	h->prepare.typed_ns = clock__monotonic_ns();
	h->prepare.begun = false;
	if (!text)
		set_draft(h, NULL);
}

void ask_prepare__look(struct host *h)
{
	const char *text = written(h);

	if (!text != !h->prepare.text || (text && strcmp(text, h->prepare.text)))
		note_text(h, text);
	if (ask_prepare__wait_ms(h))
		return;
	h->prepare.begun = true;
	if (!h->prepare.worker)
		h->prepare.worker = worker__new("proftop-ask");
	post(h, xstrdup(text), NULL);
}

int ask_prepare__wait_ms(const struct host *h)
{
	u64 due = h->prepare.typed_ns + PAUSE_NS, now;

	if (!h->prepare.text || h->prepare.begun)
		return -1;
	now = clock__monotonic_ns();
	return now >= due ? 0 : (int)((due - now) / NSEC_PER_MSEC) + 1;
}

const struct ask *ask_prepare__take(struct host *h, const char *text)
{
	struct status st;

	if (!h->prepare.draft || !h->prepare.text || strcmp(text, h->prepare.text))
		return NULL;
	return ask__keep(ask__get(h->prepare.draft), &st);
}

void ask_prepare__fini(struct host *h)
{
	worker__free(h->prepare.worker);
	free(h->prepare.text);
	ask__put(h->prepare.draft);
}
