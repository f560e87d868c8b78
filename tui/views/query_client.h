/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asking a model from a screen without waiting: the query runs on the query worker over the
 * frame that is shown, the answer comes back on the UI thread. UI thread only.
 */
#ifndef TUI_VIEWS_ASKER_H
#define TUI_VIEWS_ASKER_H

#include "models/query_result.h"
#include "tui/view.h"

struct query_client_ops {
	size_t size;	     /* of the query: a value without padding to care about (zeroed) */
	enum model_id model; /* nothing is asked while the frame has no snapshot of it */
	/* On the worker: pure. The frame and the scope are borrowed for the call. Never NULL. */
	struct query_result *(*run)(const struct frame *f, const void *query,
				    const struct scope *scope);
};

/* Such a function over the snapshot of a model. */
#define QUERY_RUN(name, ask, model)                                                                \
	static struct query_result *name(const struct frame *f, const void *query,                 \
					 const struct scope *scope)                                \
	{                                                                                          \
		return &ask((const void *)f->snaps[model], query, scope)->base;                    \
	}

/* Embedded in a screen. */
struct query_client {
	const struct query_client_ops *ops;
	struct host *host;
	/* Optional, set after query_client__init: what is asked instead while there is a baseline
	 * that has the model. On the worker; as ops->run, over both frames. */
	struct query_result *(*compare)(const struct query_client_ops *ops, const struct frame *now,
					const struct frame *baseline, const void *query,
					const struct scope *scope);
	struct ticket *ticket;		 /* outlives the screen while jobs are under way */
	const struct scope *extra_scope; /* in the place of the host's; NULL none; owned */
	/* the last question, not to ask it twice: */
	u64 asked_seq, asked_generation;
	const struct scope *asked_scope;    /* a reference */
	const struct frame *asked_baseline; /* a reference; NULL none */
	void *asked;
};

/* ready: takes the answer over; called with the screen as owner. */
void query_client__init(struct query_client *a, struct host *h, const struct query_client_ops *ops,
			void *owner, void (*ready)(void *owner, struct query_result *result));
/* Whatever is still under way is thrown away when it arrives. */
void query_client__fini(struct query_client *a);
/* Posts the query on the frame that is shown, unless that was the last question, or it is too
 * soon to ask it again (host__too_soon): call it with every frame. */
void query_client__ask(struct query_client *a, const void *query);
bool query_client__busy(const struct query_client *a);
/* The scope in force for this screen, one reference. */
const struct scope *query_client__scope(const struct query_client *a);

#endif
