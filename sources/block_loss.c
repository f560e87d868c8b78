// SPDX-License-Identifier: GPL-2.0-only
#include "sources/block_loss.h"

#include "base/arena.h"

struct block_loss_disk {
	u32 dev;
	u64 now, ours;	  /* in the interval; since the programs were attached */
	u64 done;	  /* diskstats' count at the last tick */
	bool seen, quiet; /* the latter: at some time; then: */
	u64 quiet_ours, quiet_done;
};

void block_loss__fini(struct block_loss *l)
{
	free(l->items);
	*l = (struct block_loss){0};
}

static struct block_loss_disk *disk_of(struct block_loss *l, u32 dev)
{
	for (u32 i = 0; i < l->n; i++)
		if (l->items[i].dev == dev)
			return &l->items[i];
	if (l->n >= BLOCK_DEVICES_MAX)
		return NULL;
	l->items = xgrow(l->items, l->n, &l->cap, sizeof(*l->items));
	l->items[l->n] = (struct block_loss_disk){.dev = dev};
	return &l->items[l->n++];
}

void block_loss__add(struct block_loss *l, u32 disk, u64 count)
{
	struct block_loss_disk *d = disk_of(l, disk);

	if (d)
		d->now += count;
}

/* Both have counted all there was. Where diskstats has less it does not count at all, or
 * another device has come. */
static void compare(struct block_loss *l, struct block_loss_disk *d)
{
	u64 ours = d->ours - d->quiet_ours, theirs = d->done - d->quiet_done;

	if (d->quiet && d->done >= d->quiet_done && theirs > ours)
		l->missed += theirs - ours;
	d->quiet = true;
	d->quiet_ours = d->ours;
	d->quiet_done = d->done;
}

static void tick_disk(struct block_loss *l, struct block_loss_disk *d,
		      const struct block_device_entry *e)
{
	bool quiet = d->seen && !d->now && e->done == d->done && !e->in_flight;

	/* Nothing had been counted before, as there was nothing. */
	if (!d->seen && e->was_quiet) {
		d->quiet = true;
		d->quiet_ours = d->ours;
		d->quiet_done = e->before;
	}
	d->ours += d->now;
	d->now = 0;
	d->done = e->done;
	d->seen = true;
	if (quiet)
		compare(l, d);
}

void block_loss__tick(struct block_loss *l, const struct block_devices *d, bool whole)
{
	for (u32 i = 0; i < l->n; i++) {
		struct block_loss_disk *disk = &l->items[i];
		const struct block_device_entry *e = block_devices__find(d, disk->dev);

		if (e && e->present && whole)
			tick_disk(l, disk, e);
		else
			disk->seen = disk->quiet = false;
		disk->now = 0;
	}
}
