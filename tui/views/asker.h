/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asking a model from a screen without waiting: the query runs on the query worker over the
 * frame that is shown, the answer comes back on the UI thread. UI thread only.
 */
#ifndef TUI_VIEWS_ASKER_H
#define TUI_VIEWS_ASKER_H

#include "models/answer.h"
#include "tui/view.h"

struct asker_ops {
	size_t size;		/* of the query: a value without padding to care about (zeroed) */
	enum model_id model;	/* nothing is asked while the frame has no snapshot of it */
	/* On the worker: pure. The frame and the scope are borrowed for the call. Never NULL. */
	struct answer *(*run)(const struct frame *f, const void *query, const struct scope *scope);
};

/* Embedded in a screen. */
struct asker {
	const struct asker_ops *ops;
	struct host *host;
	/* Optional, set after asker__init: what is asked instead while there is a baseline that has
	 * the model. On the worker; as ops->run, over both frames. */
	struct answer *(*compare)(const struct asker_ops *ops, const struct frame *now,
				  const struct frame *then, const void *query,
				  const struct scope *scope);
	struct ticket *ticket; /* outlives the screen while jobs are under way */
	const struct scope *extra_scope; /* in the place of the host's; NULL none; owned */
	/* the last question, not to ask it twice: */
	u64 asked_seq, asked_generation;
	const struct scope *asked_scope; /* a reference */
	const struct frame *asked_then;	 /* a reference; NULL none */
	void *asked;
};

/* ready: takes the answer over; called with the screen as owner. */
void asker__init(struct asker *a, struct host *h, const struct asker_ops *ops, void *owner,
		 void (*ready)(void *owner, struct answer *answer));
/* Whatever is still under way is thrown away when it arrives. */
void asker__fini(struct asker *a);
/* Posts the query on the frame that is shown, unless that was the last question, or it is too
 * soon to ask it again (host__too_soon): call it with every frame. */
void asker__ask(struct asker *a, const void *query);
bool asker__busy(const struct asker *a);
/* The scope in force for this screen, one reference. */
const struct scope *asker__scope(const struct asker *a);

#endif
