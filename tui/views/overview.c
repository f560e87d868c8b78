// SPDX-License-Identifier: GPL-2.0-only
/*
 * View overview: what is wrong with the machine, in sentences, and around them what it does. Each
 * line is a way into the view that says more. What is read from /proc is cheap and always there;
 * models that trace are asked for while they help.
 */
#include "tui/views/overview.h"

#include <stdio.h>

#include "base/arena.h"
#include "tui/views/listing.h"
#include "widgets/paragraph.h"

/* What helped once goes on for so long: it is dear to attach. */
#define HELPS_NS (30 * NSEC_PER_SEC)

/* Findings that come and go must not move all that is below them: for so long their lines are kept. */
#define KEPT_NS (15 * NSEC_PER_SEC)

#define ALL_HELP                                                                                   \
	(1ULL << MODEL_PROFILE | 1ULL << MODEL_SCHED | 1ULL << MODEL_WAITS | 1ULL << MODEL_IO |   \
	 1ULL << MODEL_LOCKS | 1ULL << MODEL_TCP | 1ULL << MODEL_SOCKETS | 1ULL << MODEL_IRQ |                  \
	 1ULL << MODEL_KVM | 1ULL << MODEL_BPF)

/* After the first figures, as what they trace shows nowhere else; to attach takes a second or two. */
#define BEGINS_WITH                                                                                \
	(1ULL << MODEL_PROFILE | 1ULL << MODEL_SCHED | 1ULL << MODEL_WAITS | 1ULL << MODEL_BPF)

struct overview_screen {
	struct listing list;
	struct overview_query query;
	struct overview_layout layout; /* of the last drawing */
	u64 at; /* key of the entry under the cursor; 0: the first */
	u64 helped_ns[MODEL_COUNT]; /* when it did last */
	u64 began_ns;		    /* when there were figures first */
	u32 first;		    /* finding at the top */
	int kept;		    /* lines of findings */
	u64 kept_ns;		    /* when they were needed last */
	int needed;		    /* the most since then */
};

static struct overview_screen *of(struct screen *s)
{
	return (struct overview_screen *)s;
}

static const struct overview_result *result(const struct listing *l)
{
	return l->result ? container_of(l->result, struct overview_result, base) : NULL;
}

static struct query_result *overview__run(const struct frame *f, const void *query,
					  const struct scope *scope)
{
	return &overview__query(f, query, scope)->base;
}

/* --- what helps --- */

static u64 still_helps(struct overview_screen *s, u64 helps, u64 now_ns)
{
	u64 out = 0;

	for (u32 m = 0; m < MODEL_COUNT; m++) {
		if (helps & 1ULL << m)
			s->helped_ns[m] = now_ns;
		if (s->helped_ns[m] && now_ns < s->helped_ns[m] + HELPS_NS)
			out |= 1ULL << m;
	}
	return out;
}

static void overview__update(struct screen *base)
{
	struct overview_screen *s = of(base);
	const struct overview_result *a = result(&s->list);

	if (a && !a->too_short) {
		u64 now_ns = a->base.snap->t1_ns;

		s->began_ns = s->began_ns ? s->began_ns : now_ns;
		base->helps = still_helps(s, a->helps, now_ns) |
			      (now_ns < s->began_ns + HELPS_NS ? a->affordable & BEGINS_WITH : 0);
	}
	listing__update(base);
}

/* --- findings --- */

static void model_names(u64 models, char *buf, size_t size)
{
	static const struct {
		enum model_id model;
		const char *what;
	} rows[] = {{MODEL_PROFILE, "functions"}, {MODEL_SCHED, "run queue"},
		    {MODEL_WAITS, "locks and waits"}, {MODEL_IO, "requests"}};
	size_t n = 0;

	*buf = '\0';
	for (u32 i = 0; i < ARRAY_SIZE(rows); i++)
		if ((models & 1ULL << rows[i].model) && n < size)
			n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? ", " : "", rows[i].what);
}

/* What this kernel, or a container, keeps from us. */
static void missing_names(const struct system_snap *s, char *buf, size_t size)
{
	static const struct {
		enum figure figure;
		const char *file;
	} rows[] = {{FIGURE_CPU_IDLE, "/proc/stat"},	   {FIGURE_MEM_TOTAL, "/proc/meminfo"},
		    {FIGURE_FAULTS, "/proc/vmstat"},	   {FIGURE_PSI_CPU_SOME, "/proc/pressure"},
		    {FIGURE_DISK_BUSY, "/proc/diskstats"}, {FIGURE_NET_RX_BYTES, "/proc/net/dev"},
		    {FIGURE_TCP_OUT, "/proc/net/snmp"}};
	size_t n = 0;

	*buf = '\0';
	for (u32 i = 0; i < ARRAY_SIZE(rows); i++)
		if (!system__has(s, rows[i].figure) && n < size)
			n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? ", " : "", rows[i].file);
}

static void add_out_of_sight(const struct overview_layout *l, u32 n, struct headline *line)
{
	u32 below = n - MIN(n, l->first + l->nshown);

	if (l->first)
		headline__addf(line, ROLE_STRONG, " · %u above", l->first);
	if (below)
		headline__addf(line, ROLE_STRONG, "%s%u below", l->first ? ", " : " · ", below);
}

static void headline(struct overview_screen *s, struct headline *line)
{
	const struct overview_result *a = result(&s->list);
	u32 n[SEVERITIES] = {0};
	char names[96];

	headline__add(line, ROLE_STRONG, "findings");
	if (!a || a->too_short)
		return;
	for (u32 i = 0; i < overview__nshown(a); i++)
		n[a->findings[i].severity]++;
	headline__addf(line, n[SEVERITY_CRITICAL] ? ROLE_BAD : ROLE_DIM, " · %u critical",
		       n[SEVERITY_CRITICAL]);
	headline__addf(line, n[SEVERITY_WARNING] ? ROLE_WARN : ROLE_DIM, " · %u warning%s",
		       n[SEVERITY_WARNING], n[SEVERITY_WARNING] == 1 ? "" : "s");
	headline__addf(line, ROLE_DIM, " · %u note%s", n[SEVERITY_NOTE], n[SEVERITY_NOTE] == 1 ? "" : "s");
	add_out_of_sight(&s->layout, overview__nshown(a), line);
	headline__addf(line, ROLE_DIM, " · %u of %u rules", a->nrules, RULES);
	model_names(a->missing, names, sizeof(names));
	if (*names)
		headline__addf(line, ROLE_DIM, " · not traced: %s", names);
	missing_names(overview__system(a), names, sizeof(names));
	if (*names)
		headline__addf(line, ROLE_WARN, " · not there: %s", names);
}

static const char *reason_for_none(const struct overview_screen *s, char *buf, size_t size)
{
	static const struct feed_words words = {"to /proc", "read the machine's figures",
						"reading the machine's figures"};
	const struct overview_result *a = result(&s->list);
	char names[96];

	if (listing__waiting(&s->list, &words, buf, size))
		return buf;
	if (!a || a->too_short) {
		snprintf(buf, size, "looking; the first interval is not over yet");
		return buf;
	}
	model_names(a->missing, names, sizeof(names));
	snprintf(buf, size,
		 "Nothing is wrong, by %u rules about CPUs, memory, disks, networks, limits and "
		 "messages%s%s.",
		 a->nrules, *names ? "; not traced at present: " : "", names);
	return buf;
}

static void draw_finding(const struct finding *x, struct canvas *c, struct rect r)
{
	static const enum role roles[SEVERITIES] = {ROLE_COOL, ROLE_WARN, ROLE_BAD};
	static const char *const marks[SEVERITIES] = {"· ", "! ", "!!"};
	static const char *const ascii[SEVERITIES] = {"- ", "! ", "!!"};

	draw__text(c, r.x, r.y, 2, roles[x->severity], c->ascii ? ascii[x->severity] : marks[x->severity]);
	draw__paragraph(c, (struct rect){r.x + 2, r.y, r.w - 2, r.h},
			x->severity == SEVERITY_NOTE ? ROLE_TEXT : roles[x->severity], x->text);
}

static u32 cursor(const struct overview_screen *s)
{
	for (u32 i = 0; i < s->layout.n; i++)
		if (s->layout.entries[i].key == s->at)
			return i;
	return 0;
}

/* Which finding the cursor is on, in sight or not; 0 as long as it is on none. */
static u32 finding_at(const struct overview_screen *s, const struct overview_result *a)
{
	for (u32 i = 0; i < overview__nshown(a); i++)
		if (a->base.table.key(&a->base.table, i) == s->at)
			return i;
	return 0;
}

/* The finding under the cursor is in sight; the worst ones are when it is elsewhere. */
static void lay_out(struct overview_screen *s, const struct overview_result *a, struct rect area)
{
	u32 at = finding_at(s, a);

	s->first = MIN(s->first, at);
	overview__layout(&s->layout, a, area, s->kept, s->first);
	while (s->first < at && at >= s->first + s->layout.nshown)
		overview__layout(&s->layout, a, area, s->kept, ++s->first);
}

static void draw_cursor(const struct overview_screen *s, struct canvas *c)
{
	const struct rect *r = s->layout.n ? &s->layout.entries[cursor(s)].r : NULL;

	for (int y = 0; r && y < r->h; y++)
		draw__select(c, r->x, r->y + y, r->w);
}

static void keep_lines(struct overview_screen *s, u64 now_ns)
{
	s->needed = MAX(s->needed, s->layout.needed);
	if (s->layout.needed < s->kept && now_ns < s->kept_ns + KEPT_NS)
		return;
	s->kept = s->needed;
	s->kept_ns = now_ns;
	s->needed = 0;
}

static void overview__draw(struct screen *base, struct canvas *c, struct rect area)
{
	struct overview_screen *s = of(base);
	const struct overview_result *a = result(&s->list);
	struct headline line = {c, {area.x, area.y, area.w, 1}, area.x};
	struct rect body = {area.x, area.y + 1, area.w, area.h - 1};
	char text[700];

	if (area.h < 3)
		return;
	s->layout = (struct overview_layout){0};
	if (!a || !overview__system(a)->nseries) {
		headline(s, &line);
		draw__paragraph(c, body, ROLE_TEXT, reason_for_none(s, text, sizeof(text)));
		return;
	}
	lay_out(s, a, body);
	headline(s, &line);
	keep_lines(s, a->base.snap->t1_ns);
	if (!overview__nshown(a))
		draw__paragraph(c, s->layout.findings, a->too_short ? ROLE_DIM : ROLE_OK,
				reason_for_none(s, text, sizeof(text)));
	for (u32 i = 0; i < s->layout.n; i++)
		if (s->layout.entries[i].kind == ENTRY_FINDING)
			draw_finding(&a->findings[s->layout.entries[i].i], c, s->layout.entries[i].r);
	overview__draw_panels(&s->layout, a, c);
	draw_cursor(s, c);
}

/* --- keys --- */

/* Lines that the cursor may be on: all findings, then what else is in sight. */
static s64 nlines(const struct overview_screen *s, const struct overview_result *a)
{
	return (s64)overview__nshown(a) + s->layout.n - s->layout.nshown;
}

static struct overview_entry line_at(const struct overview_screen *s, const struct overview_result *a, s64 line)
{
	if (line < overview__nshown(a))
		return (struct overview_entry){.kind = ENTRY_FINDING, .i = (u32)line,
					       .key = a->base.table.key(&a->base.table, (u32)line)};
	return s->layout.entries[line - overview__nshown(a) + s->layout.nshown];
}

static s64 cursor_line(const struct overview_screen *s, const struct overview_result *a)
{
	u32 at = cursor(s);

	return at < s->layout.nshown ? (s64)s->layout.entries[at].i
				     : (s64)overview__nshown(a) + at - s->layout.nshown;
}

static bool move(struct overview_screen *s, s64 by)
{
	const struct overview_result *a = result(&s->list);

	if (a && s->layout.n)
		s->at = line_at(s, a, CLAMP(cursor_line(s, a) + by, 0, nlines(s, a) - 1)).key;
	return true;
}

/* To the first line of the next panel, or of the one before. */
static bool move_panel(struct overview_screen *s, int dir)
{
	u32 at = cursor(s), from = at;

	while (s->layout.n && s->layout.entries[at].kind == s->layout.entries[from].kind) {
		if (dir < 0 ? !at : at + 1 == s->layout.n)
			return true;
		at += (u32)dir;
	}
	if (s->layout.n)
		s->at = s->layout.entries[at].key;
	return true;
}

static bool way_of(const struct overview_screen *s, struct overview_way *w)
{
	const struct overview_result *a = result(&s->list);

	if (!a || !s->layout.n)
		return false;
	overview__way(a, &s->layout.entries[cursor(s)], w);
	return true;
}

static bool enter(struct overview_screen *s)
{
	struct overview_way w;

	if (way_of(s, &w))
		host__lead(s->list.base.host, w.view, w.group, w.sort, w.filter);
	return true;
}

static void overview__leads(const struct screen *base, char *buf, size_t size)
{
	struct overview_way w;

	*buf = '\0';
	if (way_of((const struct overview_screen *)base, &w))
		snprintf(buf, size, "opens %s%s%s", w.view, *w.filter ? " of " : "", w.filter);
}

static bool overview__action(struct screen *base, enum action a)
{
	struct overview_screen *s = of(base);

	switch (a) {
	case ACTION_UP: return move(s, -1);
	case ACTION_DOWN: return move(s, 1);
	case ACTION_PAGE_UP:
	case ACTION_LEFT: return move_panel(s, -1);
	case ACTION_PAGE_DOWN:
	case ACTION_RIGHT: return move_panel(s, 1);
	case ACTION_HOME: return move(s, INT32_MIN);
	case ACTION_END: return move(s, INT32_MAX);
	case ACTION_DRILL: return enter(s);
	default: return false;
	}
}

static bool is_in(const struct rect *r, const struct input *in)
{
	return in->x >= r->x && in->x < r->x + r->w && in->y >= r->y && in->y < r->y + r->h;
}

/* In a box, beside its lines: that of the same height, or the first. */
static const struct overview_entry *entry_in_box(const struct overview_layout *l, const struct input *in)
{
	const struct overview_entry *found = NULL;

	for (u32 i = 0; i < l->n; i++) {
		const struct overview_entry *e = &l->entries[i];

		if (is_in(&l->boxes[e->kind], in) && (!found || e->r.y == in->y))
			found = e;
	}
	return found;
}

static const struct overview_entry *entry_at(const struct overview_layout *l, const struct input *in)
{
	for (u32 i = 0; i < l->n; i++)
		if (is_in(&l->entries[i].r, in))
			return &l->entries[i];
	return entry_in_box(l, in);
}

static void overview__mouse(struct screen *base, const struct input *in)
{
	struct overview_screen *s = of(base);
	const struct overview_entry *e;

	if (in->mouse == MOUSE_WHEEL_UP || in->mouse == MOUSE_WHEEL_DOWN) {
		move(s, in->mouse == MOUSE_WHEEL_UP ? -1 : 1);
		return;
	}
	e = entry_at(&s->layout, in);
	if (!e)
		return;
	s->at = e->key;
	if (in->mouse == MOUSE_DOUBLE)
		enter(s);
}

/* --- what is selected --- */

static void overview__selection(const struct screen *base, char *buf, size_t size)
{
	const struct overview_screen *s = (const struct overview_screen *)base;
	const struct overview_result *a = result(&s->list);

	*buf = '\0';
	if (a && s->layout.n)
		overview__describe(a, &s->layout.entries[cursor(s)], buf, size);
}

static bool overview__search(struct screen *base, const char *text, int dir)
{
	struct overview_screen *s = of(base);
	const struct overview_result *a = result(&s->list);
	s64 from = a ? cursor_line(s, a) : 0, n = a && s->layout.n ? nlines(s, a) : 0;

	for (s64 step = 1; step <= n; step++) {
		struct overview_entry e = line_at(s, a, (from + (dir > 0 ? step : n - step)) % n);
		const char *in = e.kind == ENTRY_FINDING   ? a->findings[e.i].text
				 : e.kind == ENTRY_PROCESS ? a->processes[e.i].comm
							   : "";

		if (!strcasestr(in, text))
			continue;
		s->at = e.key;
		return true;
	}
	return false;
}

static bool overview__exclude(const struct screen *base, char *buf, size_t size)
{
	const struct overview_screen *s = (const struct overview_screen *)base;
	const struct overview_result *a = result(&s->list);
	const struct overview_entry *e = s->layout.n ? &s->layout.entries[cursor(s)] : NULL;
	u32 pid = 0;

	if (a && e && e->kind == ENTRY_FINDING)
		pid = a->findings[e->i].pid;
	else if (a && e && e->kind == ENTRY_PROCESS)
		pid = a->processes[e->i].pid;
	snprintf(buf, size, "!pid=%u", pid);
	return pid != 0;
}

/* --- reports --- */

static void overview__report(const struct query_result *base, const struct frame *f,
			     struct report *r)
{
	const struct overview_result *a = container_of(base, struct overview_result, base);
	u32 n[SEVERITIES] = {0};

	for (u32 i = 0; i < a->nfindings; i++)
		n[a->findings[i].severity]++;
	r->view = "overview";
	r->window = "last";
	r->group = "";
	overview__health(f, &r->health);
	for (u32 s = SEVERITIES; s-- > 0;)
		report__sum_number(r, severity_names[s], VALUE_COUNT, n[s]);
	report__sum_number(r, "rules", VALUE_COUNT, a->nrules);
	report__sum_number(r, "rules_not_looked_at", VALUE_COUNT, RULES - a->nrules);
}

static void no_headline(struct listing *l, struct headline *line)
{
}

static void empty(const struct listing *l, char *buf, size_t size)
{
	*buf = '\0';
}

static void selection(const struct listing *l, struct listing_place at, char *buf, size_t size)
{
	*buf = '\0';
}

static const struct listing_ops overview_listing = {
	.ask = {.size = sizeof(struct overview_query), .model = MODEL_SYSTEM, .run = overview__run},
	.headline = no_headline,
	.events = true, /* sentences are not compared with those of a baseline */
	.empty = empty,
	.selection = selection,
	.report = overview__report,
};

/* --- the screen --- */

static void overview__figures(const struct screen *s, struct health *h)
{
	overview__health(host__frame(s->host), h);
}

static const struct screen_ops overview_ops = {
	.section = "overview",
	.free = listing__free,
	.update = overview__update,
	.draw = overview__draw,
	.action = overview__action,
	.mouse = overview__mouse,
	.rows = listing__shown,
	.crumb = listing__crumb,
	.selection = overview__selection,
	.health = overview__figures,
	.search = overview__search,
	.exclude = overview__exclude,
	.report = listing__report,
	.settled = listing__settled,
	.leads = overview__leads,
	.hints = (const enum action[]){ACTION_DRILL, ACTION_VIEW_PICK, ACTION_FILTER, ACTION_PICK_PROCESS,
				       ACTION_PAUSE, ACTION_SNAPSHOT, ACTION_HELP, ACTION_NONE},
};

static const struct listing_view overview_view = {
	LISTING_VIEW(struct overview_screen, &overview_ops, &overview_listing),
};

/* A view that is not shown is not asked: its tab has no mark of its own. */
const struct view_ops view_overview = {
	.name = "overview",
	.title = "overview: what is wrong, in words, and who is behind it",
	.models = 1ULL << MODEL_SYSTEM,
	.also = ALL_HELP,
	.active_only = true,
	.feed = MODEL_SYSTEM,
	.terms = SCOPE_TERM_TASK,
	.groups = "",
	LISTING_VIEW_OPS(&overview_view),
};
