/* SPDX-License-Identifier: GPL-2.0-only */
/* What the page cache's programs begin and end with, and what their arguments mean. */
#ifndef BPF_CACHE_EVENT_BPF_H
#define BPF_CACHE_EVENT_BPF_H

#include "bpf/cache_reason.bpf.h"

volatile u32 ready = 0; /* all programs are attached */

static __always_inline u64 event__clock(struct cache_stats *st)
{
	st->events++;
	return st->events & 15 ? 0 : bpf_ktime_get_ns();
}

/* A look at the clock costs as much as a good part of a run: one in 16 is timed. */
static __always_inline void event__timed(struct cache_stats *st, u64 begin_ns)
{
	if (!begin_ns)
		return;
	st->timed++;
	st->run_ns += bpf_ktime_get_ns() - begin_ns;
}

/* NULL: out of scope, or its state could not be kept. */
static __noinline struct thread *thread__get(struct task_struct *task)
{
	struct thread *t = bpf_task_storage_get(&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	struct cache_stats *st;

	if (t)
		return thread__watched(t, task) ? t : NULL;
	st = stats__get();
	if (st)
		st->tasks_full++;
	return NULL;
}

/* --- pages that come and go --- */

struct pages {
	struct address_space *mapping;
	struct range at;
};

static __always_inline u64 page__count(struct page *page)
{
	struct page *second = (void *)page + bpf_core_type_size(struct page);

	if (!(page->flags & (1UL << bpf_core_enum_value(enum pageflags, PG_head))))
		return 1;
	return bpf_core_field_exists(page->compound_nr) ? BPF_CORE_READ(second, compound_nr) : 1;
}

/* The flags come first, whatever their type. */
static __always_inline u64 folio__count(struct folio *folio)
{
	u64 flags = 0;

	bpf_probe_read_kernel(&flags, sizeof(flags), folio);
	if (!(flags & (1UL << bpf_core_enum_value(enum pageflags, PG_head))))
		return 1;
	if (bpf_core_field_exists(folio->_nr_pages))
		return folio->_nr_pages;
	if (bpf_core_field_exists(((struct folio___old *)folio)->_folio_nr_pages))
		return ((struct folio___old *)folio)->_folio_nr_pages;
	return BPF_CORE_READ((struct page *)((void *)folio + bpf_core_type_size(struct page)),
			     compound_nr);
}

static __always_inline void pages__fill(struct pages *p, void *arg)
{
	if (bpf_core_type_exists(struct folio)) {
		struct folio *folio = arg;

		p->mapping = folio->mapping;
		p->at.first = folio->index;
		p->at.end = p->at.first + folio__count(folio);
	} else {
		struct page *page = arg;

		p->mapping = page->mapping;
		p->at.first = page->index;
		p->at.end = p->at.first + page__count(page);
	}
}

static __always_inline bool operation__holds(const struct operation *o, u64 mapping, u64 token)
{
	return o->token == token && o->mapping == mapping;
}

#endif
