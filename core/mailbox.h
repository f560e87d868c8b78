/* SPDX-License-Identifier: GPL-2.0-only */
/* One-slot mailbox for frames: one atomic exchange, latest wins; an eventfd wakes the taker. */
#ifndef CORE_MAILBOX_H
#define CORE_MAILBOX_H

#include "core/snap.h"

struct mailbox {
	_Atomic(struct snap *) slot;
	int fd;
};

int mailbox__init(struct mailbox *m); /* 0 or -errno */
void mailbox__fini(struct mailbox *m);
/* Gives the reference away; what was not taken is released. */
void mailbox__publish(struct mailbox *m, struct snap *s);
/* The newest, with its reference, or NULL. */
struct snap *mailbox__take(struct mailbox *m);

#endif
