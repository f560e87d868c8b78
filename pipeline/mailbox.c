// SPDX-License-Identifier: GPL-2.0-only
#include "pipeline/mailbox.h"

#include <sys/eventfd.h>
#include <unistd.h>

int mailbox__init(struct mailbox *m)
{
	atomic_init(&m->slot, NULL);
	m->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return m->fd < 0 ? -errno : 0;
}

void mailbox__fini(struct mailbox *m)
{
	snap__put(atomic_exchange(&m->slot, NULL));
	close(m->fd);
}

void mailbox__publish(struct mailbox *m, struct snap *s)
{
	snap__put(atomic_exchange(&m->slot, s));
	mailbox__wake(m);
}

void mailbox__wake(struct mailbox *m)
{
	eventfd_write(m->fd, 1);
}

bool mailbox__empty(struct mailbox *m)
{
	return !atomic_load(&m->slot);
}

struct snap *mailbox__take(struct mailbox *m)
{
	eventfd_t n;

	/* The fd is reset before the slot is emptied: what comes in between wakes again. */
	eventfd_read(m->fd, &n);
	return atomic_exchange(&m->slot, NULL);
}
