// SPDX-License-Identifier: GPL-2.0-only
/* Where findings and panels stand, from 80x24 on; on larger screens panels are boxes side by side. */
#include "tui/views/overview.h"

#include "widgets/paragraph.h"

#define BOXES_MIN_W 100
#define BOXES_MIN_H 24
#define DEVICES	    16
#define MARK_W	    2 /* before a finding */
#define FINDING_MAX 3 /* lines of one */
#define CPU_MIN_W   21 /* a CPU's name, meter and figure */
#define CPU_LINE_W  74 /* with all its figures */
#define GRAPH_MIN_W 16

static u64 key_of(enum overview_kind kind, const char *name)
{
	return mix64_pair(kind + 1, hash_bytes(name, strlen(name)));
}

static bool add(struct overview_layout *l, enum overview_kind kind, u32 i, u64 key, struct rect r)
{
	if (l->n == OVERVIEW_ENTRIES)
		return false;
	l->entries[l->n++] = (struct overview_entry){kind, i, key, r};
	return true;
}

/* --- what there is --- */

static u32 ncpus(const struct system_snap *s)
{
	u32 n = s->first[FIGURE_CPU_IDLE + 1] - s->first[FIGURE_CPU_IDLE];

	return n ? n - 1 : 0; /* the first is that of all */
}

static double activity(const struct system_snap *s, enum overview_kind kind, const char *name)
{
	if (kind == ENTRY_DISK)
		return system__rate(s, FIGURE_DISK_BUSY, name);
	return system__rate(s, FIGURE_NET_RX_BYTES, name) + system__rate(s, FIGURE_NET_TX_BYTES, name);
}

/* Since it was seen first: what never did anything is in the way. */
static bool ever_active(const struct system_series *v)
{
	for (u32 i = 0; i < v->ntrend; i++)
		if (v->trend[i] > 0)
			return true;
	return false;
}

static u32 list_devices(const struct system_snap *s, enum overview_kind kind, bool all,
			const struct system_series **out, u32 max)
{
	enum figure f = kind == ENTRY_DISK ? FIGURE_DISK_BUSY : FIGURE_NET_RX_BYTES;
	u32 n = 0;

	for (u32 i = s->first[f]; i < s->first[f + 1]; i++) {
		double mine = activity(s, kind, s->series[i].instance);
		u32 at;

		if (!all && !ever_active(&s->series[i]))
			continue;
		for (at = n; at && activity(s, kind, out[at - 1]->instance) < mine; at--)
			if (at < max)
				out[at] = out[at - 1];
		if (at < max)
			out[at] = &s->series[i];
		n = MIN(n + 1, max);
	}
	return n;
}

u32 overview__devices(const struct system_snap *s, enum overview_kind kind,
		      const struct system_series **out, u32 max)
{
	u32 n = list_devices(s, kind, false, out, max);

	return n ? n : list_devices(s, kind, true, out, MIN(max, 2u));
}

/* --- panels --- */

static u32 lines_of(const struct overview_result *a, enum overview_kind kind)
{
	const struct system_series *v[DEVICES];
	const struct system_snap *s = overview__system(a);

	switch (kind) {
	case ENTRY_CPU: return ncpus(s) + (ncpus(s) > 1);
	case ENTRY_MEMORY: return 2 + system__has(s, FIGURE_PSI_CPU_SOME);
	case ENTRY_DISK:
	case ENTRY_NET: return overview__devices(s, kind, v, DEVICES);
	default: return a->nprocesses;
	}
}

/* i-th line of a kind: what it is called, so that the cursor stays on it. */
static u64 line_key(const struct overview_result *a, enum overview_kind kind, u32 i)
{
	const struct system_snap *s = overview__system(a);
	const struct system_series *v[DEVICES];

	if (kind == ENTRY_PROCESS)
		return mix64_pair(kind + 1, a->processes[i].pid);
	if (kind != ENTRY_DISK && kind != ENTRY_NET)
		return mix64_pair(kind + 1, i);
	return i < overview__devices(s, kind, v, DEVICES) ? key_of(kind, v[i]->instance) : 0;
}

/* Where there is no room for all of them below each other, they stand in several columns. */
static struct rect line_place(enum overview_kind kind, u32 all, u32 i, struct rect r)
{
	u32 lines = (u32)MAX(r.h, 1), most = (u32)MAX(r.w / CPU_MIN_W, 1);
	u32 columns = kind == ENTRY_CPU ? CLAMP((all + lines - 1) / lines, 1, most) : 1;
	int w = r.w / (int)columns;

	return (struct rect){r.x + (int)(i / lines) * w, r.y + (int)(i % lines),
			     columns > 1 ? w - 1 : w, i < lines * columns};
}

/* The line of all CPUs gives way where there is room for each of them without it. */
static void add_lines(struct overview_layout *l, const struct overview_result *a,
		      enum overview_kind kind, struct rect r)
{
	u32 all = r.h > 0 ? lines_of(a, kind) : 0, n = 0;
	u32 first = kind == ENTRY_CPU && all > 1 && r.h > 1 && (u32)r.h + 1 == all;

	for (; first + n < all; n++) {
		struct rect place = line_place(kind, all - first, n, r);

		if (!place.h || !add(l, kind, first + n, line_key(a, kind, first + n), place))
			break;
	}
}

static void add_processes(struct overview_layout *l, const struct overview_result *a, struct rect r)
{
	if (r.h < 2)
		return;
	l->processes_head = (struct rect){r.x, r.y, r.w, 1};
	add_lines(l, a, ENTRY_PROCESS, (struct rect){r.x, r.y + 1, r.w, r.h - 1});
}

/* A box, and what stands in it. */
static void add_box(struct overview_layout *l, const struct overview_result *a,
		    enum overview_kind kind, struct rect r)
{
	struct rect in = {r.x + 1, r.y + 1, r.w - 2, r.h - 2};

	l->boxes[kind] = r;
	if (kind == ENTRY_PROCESS)
		add_processes(l, a, in);
	else
		add_lines(l, a, kind, in);
}

static int clamp_lines(const struct overview_result *a, enum overview_kind kind, int max)
{
	return CLAMP((int)lines_of(a, kind), 1, MAX(max, 1));
}

/* The last minutes at the left, each CPU at the right. */
static void add_cpus(struct overview_layout *l, const struct overview_result *a, struct rect r)
{
	int graph = CLAMP(r.w / 2, 0, r.w - 2 - CPU_LINE_W);
	struct rect in = {r.x + 1, r.y + 1, r.w - 2, r.h - 2};

	l->boxes[ENTRY_CPU] = r;
	if (graph >= GRAPH_MIN_W) {
		l->graphs[ENTRY_CPU] = (struct rect){in.x, in.y, graph - 1, in.h};
		in.x += graph;
		in.w -= graph;
	}
	add_lines(l, a, ENTRY_CPU, in);
}

static void add_memory(struct overview_layout *l, const struct overview_result *a, struct rect r)
{
	int lines = (int)lines_of(a, ENTRY_MEMORY), rest = r.h - 2 - lines;

	add_box(l, a, ENTRY_MEMORY, r);
	if (rest > 0)
		l->graphs[ENTRY_MEMORY] = (struct rect){r.x + 1, r.y + 1 + lines, r.w - 2, rest};
}

/* CPUs above; memory at the left, disks and networks at the right; processes below. */
static void lay_boxes(struct overview_layout *l, const struct overview_result *a, struct rect r)
{
	int half = r.w / 2, cpus = MAX(clamp_lines(a, ENTRY_CPU, r.h / 4), CLAMP(r.h / 5, 3, 8)) + 2;
	int memory = clamp_lines(a, ENTRY_MEMORY, 3), most = MAX(r.h / 3, 6);
	int disks = clamp_lines(a, ENTRY_DISK, most - 5) + 2;
	int nets = clamp_lines(a, ENTRY_NET, most - disks - 2) + 2;
	int h = MAX(disks + nets, memory + 2), y = r.y + cpus;

	add_cpus(l, a, (struct rect){r.x, r.y, r.w, cpus});
	add_memory(l, a, (struct rect){r.x, y, half, h});
	add_box(l, a, ENTRY_DISK, (struct rect){r.x + half, y, r.w - half, disks});
	add_box(l, a, ENTRY_NET, (struct rect){r.x + half, y + disks, r.w - half, h - disks});
	add_box(l, a, ENTRY_PROCESS, (struct rect){r.x, y + h, r.w, r.h - cpus - h});
}

/* One below the other: there is no room for frames. */
static void lay_lines(struct overview_layout *l, const struct overview_result *a, struct rect r)
{
	static const enum overview_kind kinds[] = {ENTRY_CPU, ENTRY_MEMORY, ENTRY_DISK, ENTRY_NET};
	const int most[] = {MAX(r.h / 4, 1), r.h >= 9 ? 3 : 1, MAX(r.h / 8, 1), MAX(r.h / 8, 1)};

	for (u32 i = 0; i < ARRAY_SIZE(kinds) && r.h > 0; i++) {
		int n = MIN((int)lines_of(a, kinds[i]), MIN(most[i], r.h));

		add_lines(l, a, kinds[i], (struct rect){r.x, r.y, r.w, n});
		r.y += n;
		r.h -= n;
	}
	add_processes(l, a, r);
}

/* --- findings --- */

static int finding_height(const struct finding *x, int w)
{
	return CLAMP(paragraph__height(x->text, w - MARK_W), 1, FINDING_MAX);
}

static int lay_findings(struct overview_layout *l, const struct overview_result *a, struct rect r)
{
	int y = 0;

	for (u32 i = l->first; i < overview__nshown(a); i++, l->nshown++) {
		int h = MIN(finding_height(&a->findings[i], r.w), r.h);

		if (y + h > r.h)
			break;
		add(l, ENTRY_FINDING, i, a->base.table.key(&a->base.table, i),
		    (struct rect){r.x, r.y + y, r.w, h});
		y += h;
	}
	if (l->nshown < overview__nshown(a))
		return r.h; /* whichever are in sight */
	return MAX(y, 2); /* or why there is none */
}

void overview__layout(struct overview_layout *l, const struct overview_result *a, struct rect area,
		      int kept, u32 first)
{
	bool boxes = area.w >= BOXES_MIN_W && area.h >= BOXES_MIN_H;
	int most = boxes ? area.h / 3 : area.h * 2 / 5, h;
	struct rect rest;

	*l = (struct overview_layout){.first = first};
	l->needed = lay_findings(l, a, (struct rect){area.x, area.y, area.w, MAX(most, 2)});
	h = l->needed;
	if (boxes)
		h = MAX(h, MIN(kept, most));
	h = MIN(h, area.h);
	l->findings = (struct rect){area.x, area.y, area.w, h};
	rest = (struct rect){area.x, area.y + h, area.w, area.h - h};
	if (boxes)
		lay_boxes(l, a, rest);
	else
		lay_lines(l, a, rest);
}
