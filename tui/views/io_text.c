// SPDX-License-Identifier: GPL-2.0-only
/* What the table of block I/O says around its rows, and the same as a report. */
#include <stdio.h>

#include "tui/views/io.h"
#include "tui/views/window.h"

static const char *const show_names[IO_SHOWS] = {
	[IO_SHOW_LATENCY] = "latency",
	[IO_SHOW_PERCENTILES] = "percentiles",
	[IO_SHOW_SHAPE] = "sizes",
};

static const char *key_of(const struct listing *l, enum action a, char buf[16])
{
	return host__key(l->base.host, a, buf, 16);
}

static void headline__rates(const struct io_result *a, struct headline *line)
{
	double s = (double)a->base.window_ns / NSEC_PER_SEC;
	char iops[16], rate[16];

	if (!(s > 0))
		return;
	format__count(iops, sizeof(iops), (u64)((double)a->sums.count / s + 0.5));
	format__bytes(rate, sizeof(rate), (u64)((double)a->sums.bytes / s + 0.5));
	headline__addf(line, ROLE_DIM, " · %s IOPS · %s/s", iops, rate);
}

void io__headline(struct listing *l, struct headline *line)
{
	const struct io_query *q = &io__of(l)->query;
	char key[16];

	headline__addf(line, ROLE_STRONG, "by %s", io_group_names[q->group]);
	headline__addf(line, ROLE_DIM, " [%s]", key_of(l, ACTION_GROUP_NEXT, key));
	if (q->group == IO_BY_DEVICE) {
		headline__addf(line, ROLE_STRONG, " · flags %s", q->joined ? "joined" : "apart");
		headline__addf(line, ROLE_DIM, " [%s]", key_of(l, ACTION_JOIN_FLAGS, key));
		headline__addf(line, ROLE_STRONG, " · %s", show_names[q->show]);
		headline__addf(line, ROLE_DIM, " [%s]", key_of(l, ACTION_COLUMNS, key));
	}
	headline__addf(line, ROLE_STRONG, " · %s", io_stage_names[q->stage]);
	headline__addf(line, ROLE_DIM, " [%s]", key_of(l, ACTION_STAGE, key));
	headline__addf(line, ROLE_DIM, " · %s", window__text(q->window));
	headline__addf(line, ROLE_DIM, " · slowest [%s]", key_of(l, ACTION_SLOW_IO, key));
	if (l->result)
		headline__rates(io__rows(l), line);
}

int io__above(struct listing *l, struct canvas *c, struct rect area)
{
	struct io_panel p = {.result = io__rows(l), .scale = io__of(l)->scale};
	char key[16];

	p.scale_key = key_of(l, ACTION_SCALE, key);
	return io_panel__draw(&p, c, area);
}

bool io__waiting(const struct listing *l, char *buf, size_t size)
{
	static const struct feed_words words = {"to the block layer", "watch block I/O",
						"watching block I/O"};

	return listing__waiting(l, &words, buf, size);
}

void io__empty(const struct listing *l, char *buf, size_t size)
{
	char more[MORE_TEXT];

	if (io__waiting(l, buf, size))
		return;
	snprintf(buf, size,
		 "no block I/O in scope has ended in the window (%s); what the page cache answers "
		 "is "
		 "none",
		 listing__more(l, more));
}

/* --- rows --- */

enum role io__latency_role(u64 ns)
{
	if (ns >= 100 * NSEC_PER_MSEC)
		return ROLE_HOT;
	return ns >= 10 * NSEC_PER_MSEC ? ROLE_WARM : ROLE_TEXT;
}

enum role io__role(const struct listing *l, u32 row, u32 column)
{
	const struct io_row *r = &io__rows(l)->rows[row];
	const struct row_table *t = &l->result->table;
	const struct column *c = &t->columns[column];
	struct value v;

	if (c->flags & COLUMN_KEY) {
		if (r->proc && r->proc->who.kthread)
			return ROLE_KERNEL;
		return r->hists && !r->present ? ROLE_DIM : ROLE_TEXT;
	}
	if (!t->cell(t, row, column, &v))
		return ROLE_TEXT;
	if (v.type == VALUE_NS && v.u)
		return io__latency_role(v.u);
	if ((v.type == VALUE_COUNT || v.type == VALUE_BYTES || v.type == VALUE_NS) && !v.u)
		return ROLE_DIM;
	return v.type == VALUE_TEXT && !strncmp(c->name, "queue", 5) ? ROLE_DIM : ROLE_TEXT;
}

static void select_device(const struct io_row *r, char *buf, size_t size)
{
	char queued[32] = "unknown (no I/O scheduler)", device[16] = "unknown", inflight[16];

	if (r->sums.known[IO_QUEUED])
		format__ns(queued, sizeof(queued), r->p50_ns[IO_QUEUED]);
	if (r->sums.known[IO_DEVICE])
		format__ns(device, sizeof(device), r->p50_ns[IO_DEVICE]);
	format__count(inflight, sizeof(inflight), r->in_flight);
	snprintf(buf, size, "%s%s%s %u:%u  %s %s  queued p50 %s  device p50 %s  %s in flight%s%s%s",
		 r->host ? r->host : "", r->host ? " " : "", r->name, r->device.dev >> 20, r->device.dev & 0xfffff, io_op_names[r->op],
		 r->flags_text ? r->flags_text : "", queued, device, inflight,
		 r->partition ? "  partition of " : "", r->partition ? r->device.disk_name : "",
		 r->present ? "" : "  (the device is gone)");
}

void io__selection(const struct listing *l, struct listing_place at, char *buf, size_t size)
{
	const struct io_row *r = &io__rows(l)->rows[at.row];

	if (r->hists)
		select_device(r, buf, size);
	else if (r->rest)
		snprintf(buf, size, "processes and files that were too many to keep apart");
	else
		snprintf(buf, size, "%s%s%s  on %s  %s%s  cgroup %s", r->name,
			 *r->pid_text ? "  pid" : "", r->pid_text, r->devices,
			 *r->files ? "file " : "", r->files, r->cgroup_name);
}

/* --- reports --- */

static void sum_time(struct report *r, const char *name, const struct io_result *a, double q)
{
	u64 max = a->sums.max_ns[IO_TOTAL];

	report__sum_number(r, name, VALUE_NS, io_hist__quantile(&a->hists[IO_TOTAL], q, max));
}

void io__report(const struct query_result *base, const struct frame *f, struct report *r)
{
	const struct io_result *a = container_of(base, struct io_result, base);

	r->view = "io";
	r->events = io_slow__events;
	r->window = window__text(a->query.window);
	r->group = io_group_names[a->query.group];
	r->health = f->feeds[MODEL_IO].health;
	report__sum_number(r, "count", VALUE_COUNT, a->sums.count);
	report__sum_number(r, "bytes", VALUE_BYTES, a->sums.bytes);
	report__sum(r, "stacks_error_pct",
		    (struct value){
			    .type = VALUE_PCT,
			    .f = io__stacks_error((const void *)a->base.snap, &a->query, r->priv)});
	report__sum_number(r, "in_flight", VALUE_COUNT, a->in_flight);
	sum_time(r, "p50_ns", a, 0.50);
	sum_time(r, "p95_ns", a, 0.95);
	sum_time(r, "p99_ns", a, 0.99);
	report__sum_number(r, "max_ns", VALUE_NS, a->sums.max_ns[IO_TOTAL]);
	report__sum(r, "hist", a->hist);
}
