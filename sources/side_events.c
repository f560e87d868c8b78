// SPDX-License-Identifier: GPL-2.0-only
#include "sources/side_events.h"

static bool convert(struct proc_event *p, const struct perf_record *r)
{
	*p = (struct proc_event){.head.type = SAMPLE_PROC, .t_ns = r->t_ns, .tgid = r->pid, .tid = r->tid};
	switch (r->type) {
	case PERF_RECORD_FORK:
		p->type = PROC_FORK;
		p->parent_tgid = r->ppid;
		return r->pid != r->ppid; /* else a thread */
	case PERF_RECORD_EXIT:
		p->type = PROC_EXIT;
		return r->pid == r->tid;
	case PERF_RECORD_COMM:
		p->type = r->exec ? PROC_EXEC : PROC_COMM;
		copy_str(p->comm, sizeof(p->comm), r->text);
		return true;
	case PERF_RECORD_MMAP2:
		p->type = PROC_MMAP;
		p->start = r->start;
		p->end = r->start + r->len;
		p->file_offset = r->offset;
		p->dev_major = r->dev_major;
		p->dev_minor = r->dev_minor;
		p->inode = r->inode;
		p->generation = r->generation;
		return r->executable && r->len;
	default:
		return false;
	}
}

void side_events__add(struct side_events *e, const struct perf_record *r)
{
	struct proc_event *p;

	if (e->n == e->cap) {
		e->cap = e->cap ? e->cap * 2 : 64;
		e->list = xrealloc(e->list, e->cap * sizeof(*e->list));
		e->order = xrealloc(e->order, e->cap * sizeof(*e->order));
	}
	p = &e->list[e->n];
	if (!convert(p, r))
		return;
	if (p->type == PROC_MMAP)
		p->path = arena__strdup(&e->paths, r->text);
	e->order[e->n] = (struct side_order){p->t_ns, e->n};
	e->n++;
}

/* Equal times keep the order of one CPU's ring, which is that of the list. */
static int by_time(const void *a, const void *b)
{
	const struct side_order *x = a, *y = b;

	if (x->t_ns != y->t_ns)
		return x->t_ns < y->t_ns ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

void side_events__flush(struct side_events *e, const struct sample_sink *sink)
{
	if (e->n > 1)
		qsort(e->order, e->n, sizeof(*e->order), by_time);
	for (u32 i = 0; i < e->n; i++)
		sink__put(sink, &e->list[e->order[i].at].head);
	e->n = 0;
	arena__fini(&e->paths);
}

void side_events__fini(struct side_events *e)
{
	arena__fini(&e->paths);
	free(e->list);
	free(e->order);
	*e = (struct side_events){0};
}
