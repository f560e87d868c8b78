// SPDX-License-Identifier: GPL-2.0-only
/* Maps of BPF programs: how full they are, how much memory they take. */
#include <stdio.h>

#include "base/arena.h"
#include "tui/views/bpf_parts.h"
#include "tui/views/window.h"

struct maps_screen {
	struct listing list;
	struct bpf_maps_query query;
};

static struct maps_screen *of(const struct listing *l)
{
	return container_of(l, struct maps_screen, list);
}

static const struct bpf_maps_result *result(const struct listing *l)
{
	return container_of(l->result, struct bpf_maps_result, base);
}

static struct query_result *maps__run(const struct frame *f, const void *query,
				      const struct scope *scope)
{
	return &bpf_maps__query((const void *)f->snaps[MODEL_BPF], query)->base;
}

/* --- what it says --- */

static void maps__headline(struct listing *l, struct headline *line)
{
	char bytes[16];

	headline__add(line, ROLE_STRONG, of(l)->query.prog ? "maps of the program" : "all maps");
	if (!l->result)
		return;
	format__bytes(bytes, sizeof(bytes), result(l)->bytes);
	headline__addf(line, ROLE_TEXT, " · %u · %s of memory", result(l)->nrows, bytes);
}

static void maps__empty(const struct listing *l, char *buf, size_t size)
{
	if (!bpf__waiting(l, buf, size))
		copy_str(buf, size, of(l)->query.prog ? "this program has no maps"
						      : "no BPF map is on this machine");
}

static enum role maps__role(const struct listing *l, u32 row, u32 column)
{
	const struct bpf_map_sample *m = result(l)->rows[row].map;
	const char *name = l->result->table.columns[column].name;
	double pct;

	if (!strcmp(name, "fill_pct") && bpf_map__fill_pct(m, &pct))
		return pct >= 99 ? ROLE_HOT : pct >= 90 ? ROLE_WARM : ROLE_TEXT;
	return ROLE_TEXT;
}

static void maps__selection(const struct listing *l, struct listing_place at, char *buf,
			    size_t size)
{
	const struct bpf_map_row *r = &result(l)->rows[at.row];

	snprintf(buf, size, "%s (%s): %s%s", r->map->name, r->map->type,
		 *r->progs ? "used by " : "no program uses it", r->progs);
}

static void maps__report(const struct query_result *base, const struct frame *f, struct report *r)
{
	const struct bpf_maps_result *a = container_of(base, struct bpf_maps_result, base);

	r->view = "bpf-maps";
	r->window = window__text(WINDOW_LAST);
	r->group = "map";
	r->health = f->feeds[MODEL_BPF].health;
	report__sum_number(r, "maps", VALUE_COUNT, a->nrows);
	report__sum_number(r, "bytes", VALUE_BYTES, a->bytes);
}

static const struct listing_ops maps_listing = {
	.ask = {.size = sizeof(struct bpf_maps_query), .model = MODEL_BPF, .run = maps__run},
	.headline = maps__headline,
	.empty = maps__empty,
	.cell_role = maps__role,
	.selection = maps__selection,
	.report = maps__report,
};

/* --- the screen --- */

static const struct screen_ops maps_ops = {
	LISTING_SCREEN,
	.section = "bpf-maps",
	.models = 1ULL << MODEL_BPF,
	.free = listing__free,
	.action = listing__action,
	.hints = (const enum action[]){ACTION_SORT_NEXT, ACTION_BACK, ACTION_PAUSE, ACTION_SNAPSHOT,
				       ACTION_NONE},
};

struct screen *bpf_maps__open(struct host *h, const struct bpf_prog_sample *prog)
{
	struct maps_screen *s = xcalloc(1, sizeof(*s));

	s->list.base = (struct screen){
		.ops = &maps_ops, .host = h, .pane = pane_table[PANE_view_bpf_maps]};
	s->query.prog = prog ? prog->id : 0;
	listing__init(&s->list, h, &maps_listing, &s->query);
	if (prog)
		snprintf(s->list.narrowed, sizeof(s->list.narrowed), "maps of %s", prog->name);
	else
		copy_str(s->list.narrowed, sizeof(s->list.narrowed), "maps");
	return &s->list.base;
}

/* --- as a view of its own, for --view and batch mode --- */

static const struct listing_view maps_view = {
	LISTING_VIEW(struct maps_screen, &maps_ops, &maps_listing),
	.pane = "maps",
};

const struct view_ops view_bpf_maps = {
	.name = "bpf-maps",
	.title = "BPF maps: how full, how much memory, who uses them",
	.models = 1ULL << MODEL_BPF,
	.feed = MODEL_BPF,
	.groups = "",
	LISTING_VIEW_OPS(&maps_view),
};
