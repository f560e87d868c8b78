// SPDX-License-Identifier: GPL-2.0-only
#include "pipeline/slots.h"

#include <sys/epoll.h>

#include "base/arena.h"
#include "base/log.h"
#include "base/memory.h"

/* A tier 0 row makes its source a tier 0 one wherever else it is named. */
static void add_row(struct slots *s, const struct source_row *row)
{
	struct slot *slot = slots__of(s, row->ops);

	if (slot)
		slot->tier = MIN(slot->tier, row->tier);
	else
		s->v[s->n++] = (struct slot){.ops = row->ops, .tier = row->tier, .fd = -1};
}

void slots__init(struct slots *s, const struct source_row *rows, u32 nrows, int epoll_fd,
		 u32 epoll_tag, const struct sampling *how, struct scope *scope)
{
	*s = (struct slots){
		.v = xcalloc(nrows + 1, sizeof(*s->v)),
		.epoll_fd = epoll_fd,
		.epoll_tag = epoll_tag,
		.how = *how,
		.scope = scope,
	};
	for (u32 i = 0; i < nrows; i++)
		add_row(s, &rows[i]);
}

void slots__fini(struct slots *s)
{
	for (u32 i = 0; i < s->n; i++)
		slot__close(s, &s->v[i]);
	scope__put(s->scope);
	free(s->v);
}

struct slot *slots__of(const struct slots *s, const struct source_ops *ops)
{
	for (u32 i = 0; i < s->n; i++)
		if (s->v[i].ops == ops)
			return &s->v[i];
	return NULL;
}

/* One shot: silent after it fired until it is listened to again. */
static int listen_to(struct slots *s, struct slot *slot, int op)
{
	struct epoll_event ev = {
		.events = EPOLLIN | EPOLLONESHOT,
		.data.u32 = s->epoll_tag + (u32)(slot - s->v),
	};

	return epoll_ctl(s->epoll_fd, op, slot->fd, &ev);
}

/* Its fd may be another one after each call that changes what it has open. */
static void listen_first(struct slots *s, struct slot *slot)
{
	slot->fd = slot->ops->fd ? slot->ops->fd(slot->src) : -1;
	if (slot->fd < 0 || !listen_to(s, slot, EPOLL_CTL_ADD))
		return;
	log__add(LOG_WARN, "%s: its buffer is read once an interval only (%s): a shorter -d loses "
		 "less", slot->ops->name, strerror(errno));
	slot->fd = -1;
}

static void listen_no_more(struct slots *s, struct slot *slot)
{
	if (slot->fd >= 0)
		epoll_ctl(s->epoll_fd, EPOLL_CTL_DEL, slot->fd, NULL);
	if (slot->muted_until_ns)
		s->nmuted--;
	slot->fd = -1;
	slot->muted_until_ns = 0;
}

static int open_as(struct slots *s, struct slot *slot, const struct sampling *how,
		   const struct scope *scope, struct status *st)
{
	*st = (struct status){0};
	slot->src = slot->ops->open(how, scope, st);
	if (!slot->src) {
		if (st->code == EXIT_CODE_OK)
			st->code = EXIT_CODE_FAILURE;
		return -EIO;
	}
	slot->base = (struct counts){0};
	slot->stale = false;
	listen_first(s, slot);
	slot__set_models(slot, slot->models); /* opened anew, it serves whom it did */
	return 0;
}

int slot__open(struct slots *s, struct slot *slot, struct status *st)
{
	return open_as(s, slot, &s->how, s->scope, st);
}

static u64 since(u64 now, u64 base)
{
	return now > base ? now - base : 0;
}

static struct counts counts__since(const struct slot *slot, const struct health *h)
{
	return (struct counts){
		.samples = slot->past.samples + since(h->samples_total, slot->base.samples),
		.lost = slot->past.lost + since(h->lost, slot->base.lost),
		.map_full = slot->past.map_full + since(h->map_full, slot->base.map_full),
		.stacks_lost =
			slot->past.stacks_lost + since(h->stacks_lost, slot->base.stacks_lost),
	};
}

static void ask_health(const struct slot *slot, struct health *h)
{
	*h = (struct health){0};
	if (slot->src && slot->ops->health)
		slot->ops->health(slot->src, h);
}

void slot__health(const struct slot *slot, struct health *h, struct counts *c)
{
	ask_health(slot, h);
	*c = slot->src ? counts__since(slot, h) : slot->past;
	if (!h->tier[0])
		copy_str(h->tier, sizeof(h->tier), slot->ops->name);
}

void slot__zero(struct slot *slot)
{
	struct health h;

	ask_health(slot, &h);
	slot->past = (struct counts){0};
	slot->base = (struct counts){h.samples_total, h.lost, h.map_full, h.stacks_lost};
}

void slot__close(struct slots *s, struct slot *slot)
{
	struct health h;

	if (!slot->src)
		return;
	ask_health(slot, &h);
	slot->past = counts__since(slot, &h);
	listen_no_more(s, slot);
	slot->ops->close(slot->src);
	slot->src = NULL;
}

void slot__set_models(struct slot *slot, u64 models)
{
	slot->models = models;
	if (models && slot->src && slot->ops->serve)
		slot->ops->serve(slot->src, models);
}

u64 slots__mute_ns(void)
{
	return (memory__is_little() ? 20 : 2) * NSEC_PER_MSEC;
}

void slot__mute(struct slots *s, struct slot *slot, u64 now_ns)
{
	if (!slot->muted_until_ns)
		s->nmuted++;
	slot->muted_until_ns = now_ns + slots__mute_ns();
}

void slots__unmute(struct slots *s, u64 now_ns)
{
	for (u32 i = 0; s->nmuted && i < s->n; i++) {
		struct slot *slot = &s->v[i];

		if (!slot->muted_until_ns || slot->muted_until_ns > now_ns)
			continue;
		slot->muted_until_ns = 0;
		s->nmuted--;
		listen_to(s, slot, EPOLL_CTL_MOD);
	}
}

int slot__renew(struct slots *s, struct slot *slot, struct status *st)
{
	int err;

	*st = (struct status){0};
	if (!slot->src || !slot->ops->renew)
		return 0;
	listen_no_more(s, slot);
	err = slot->ops->renew(slot->src, st);
	listen_first(s, slot);
	slot->stale = err;
	return err;
}

/* Closed first: two of a kind may not fit beside each other, and nothing is counted twice. */
static int reopen(struct slots *s, struct slot *slot, const struct sampling *how,
		  const struct scope *scope, const struct sample_sink *salvage, struct status *st)
{
	struct status again;
	int err;

	slot->ops->drain(slot->src, true, salvage);
	slot__close(s, slot);
	err = open_as(s, slot, how, scope, st);
	if (err && slot__open(s, slot, &again))
		log__add(LOG_ERROR, "%s does not open again: %s", slot->ops->name, again.msg);
	return err;
}

int slot__set_scope(struct slots *s, struct slot *slot, const struct scope *scope,
		    const struct sample_sink *salvage, struct status *st)
{
	int err;

	*st = (struct status){0};
	if (!slot->ops->set_scope)
		return slot->tier ? reopen(s, slot, &s->how, scope, salvage, st) : 0;
	listen_no_more(s, slot);
	err = slot->ops->set_scope(slot->src, scope, st);
	listen_first(s, slot);
	return err;
}

int slot__set_sampling(struct slots *s, struct slot *slot, const struct sampling *how,
		       const struct sample_sink *salvage, struct status *st)
{
	int err;

	*st = (struct status){0};
	if (!slot->ops->set_sampling)
		return slot->tier ? reopen(s, slot, how, s->scope, salvage, st) : 0;
	listen_no_more(s, slot);
	err = slot->ops->set_sampling(slot->src, how, st);
	listen_first(s, slot);
	return err;
}
