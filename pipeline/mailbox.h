/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One-slot mailbox for snapshots: one atomic exchange, latest wins; an eventfd wakes the
 * taker. One thread publishes, one takes; neither ever waits for the other.
 */
#ifndef PIPELINE_MAILBOX_H
#define PIPELINE_MAILBOX_H

#include "samples/snap.h"

struct mailbox {
	_Atomic(struct snap *) slot;
	int fd; /* readable when something may be waiting; now and then when nothing is */
};

int mailbox__init(struct mailbox *m); /* 0 or -errno */
/* Releases what was not taken. Both threads are done with it. */
void mailbox__fini(struct mailbox *m);
/* Gives the reference away; what was not taken is released. */
void mailbox__publish(struct mailbox *m, struct snap *s);
/* Makes the fd readable without news. */
void mailbox__wake(struct mailbox *m);
/* Nothing waits to be taken. */
bool mailbox__empty(struct mailbox *m);
/* The newest, with its reference, or NULL. */
struct snap *mailbox__take(struct mailbox *m);

#endif
