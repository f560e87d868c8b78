// SPDX-License-Identifier: GPL-2.0-only
/* CPUs, memory, disks, networks and processes, a line each. */
#include <stdio.h>

#include "tui/views/headline.h"
#include "tui/views/overview.h"
#include "widgets/graph.h"
#include "widgets/meter.h"

#define LABEL_W 6
#define TREND_W 10
#define CPU_FIGURES_W 54 /* behind a CPU's meter, all of them */
#define DEVICES 16

static void label(struct canvas *c, struct rect r, const char *name)
{
	draw__middle(c, r.x, r.y, LABEL_W - 1, ROLE_DIM, name);
}

static enum role level(double value, double warn, double bad)
{
	return value >= bad ? ROLE_BAD : value >= warn ? ROLE_WARN : ROLE_TEXT;
}

static struct headline line_after(struct canvas *c, struct rect r, int w)
{
	return (struct headline){c, {r.x + w, r.y, r.w - w, 1}, r.x + w};
}

/* A word and its figure, dim and as bad as it is; both or neither. */
static void add_figure(struct headline *line, const char *word, enum role role, const char *figure)
{
	char text[64];

	snprintf(text, sizeof(text), " %s ", word);
	if (line->x + text__width(text) + text__width(figure) > line->r.x + line->r.w) {
		line->r.w = 0; /* nor what follows: the first ones say most */
		return;
	}
	headline__add(line, ROLE_DIM, text);
	headline__add(line, role, figure);
}

static void add_pct(struct headline *line, const char *word, double pct, double warn, double bad)
{
	char text[16];

	snprintf(text, sizeof(text), "%3.0f%%", pct);
	add_figure(line, word, level(pct, warn, bad), text);
}

static void add_bytes(struct headline *line, const char *word, double n, const char *unit)
{
	char text[16], all[24];

	format__bytes(text, sizeof(text), (u64)MAX(n, 0.0));
	snprintf(all, sizeof(all), "%6s%s", text, unit);
	add_figure(line, word, ROLE_TEXT, all);
}

/* v NULL: nothing is drawn. */
static void draw_trend(const struct system_series *v, enum role gradient, double max, struct canvas *c,
		       struct rect r)
{
	struct graph g = {.gradient = gradient, .max = (float)max};

	if (!v)
		return;
	g.v = v->trend;
	g.n = v->ntrend;
	graph__draw(&g, c, r);
}

/* --- CPUs --- */

static double cpu_part(const struct system_snap *s, enum figure what, const char *cpu)
{
	double all = 0;

	for (u32 f = FIGURE_CPU_USER; f <= FIGURE_CPU_STEAL; f++)
		all += system__rate(s, f, cpu);
	return all > 0 ? system__rate(s, what, cpu) / all : 0;
}

static void draw_cpu(const struct system_snap *s, const char *cpu, struct canvas *c, struct rect r)
{
	double user = cpu_part(s, FIGURE_CPU_USER, cpu), sys = cpu_part(s, FIGURE_CPU_SYSTEM, cpu);
	double irq = cpu_part(s, FIGURE_CPU_IRQ, cpu) + cpu_part(s, FIGURE_CPU_SOFTIRQ, cpu);
	double steal = cpu_part(s, FIGURE_CPU_STEAL, cpu), io = cpu_part(s, FIGURE_CPU_IOWAIT, cpu);
	double khz = system__rate(s, FIGURE_CPU_KHZ, cpu), busy = 100 * (user + sys + irq + steal);
	const struct meter_part parts[] = {{user, ROLE_USER, '|'}, {sys, ROLE_KERNEL, '#'},
					   {irq, ROLE_WARM, '!'}, {steal, ROLE_BAD, '%'},
					   {io, ROLE_DIM, 'w'}};
	int meter = CLAMP(r.w - LABEL_W - CPU_FIGURES_W, MIN(r.w - LABEL_W - 5, 8), 48);
	struct headline line = line_after(c, r, LABEL_W + meter);
	char name[24], text[24];

	snprintf(name, sizeof(name), "%s%.8s", *cpu ? "cpu" : "cpus", cpu);
	label(c, r, name);
	meter__draw(c, r.x + LABEL_W, r.y, meter, parts, ARRAY_SIZE(parts));
	snprintf(text, sizeof(text), " %3.0f%%", busy);
	headline__add(&line, level(busy, 80, 95), text);
	add_pct(&line, "us", 100 * user, 101, 101);
	add_pct(&line, "sy", 100 * sys, 50, 80);
	add_pct(&line, "io", 100 * io, 20, 50);
	add_pct(&line, "irq", 100 * irq, 20, 50);
	add_pct(&line, "st", 100 * steal, 5, 20);
	if (khz > 0) {
		snprintf(text, sizeof(text), " %.2f GHz", khz / 1e6);
		headline__add(&line, ROLE_DIM, text);
	}
}

/* How busy all CPUs together were, of their time: interval by interval. */
static void draw_cpu_graph(const struct system_snap *s, struct canvas *c, struct rect r)
{
	const struct system_series *idle = system__series(s, FIGURE_CPU_IDLE, "");
	u32 n = idle ? idle->ntrend : 0;
	float busy[SYSTEM_TREND] = {0}, all[SYSTEM_TREND] = {0};
	struct graph g = {.gradient = ROLE_LOAD, .v = busy, .n = n, .most = SYSTEM_TREND, .max = 1};

	for (u32 f = FIGURE_CPU_USER; f <= FIGURE_CPU_STEAL; f++) {
		const struct system_series *v = system__series(s, (enum figure)f, "");
		bool works = f != FIGURE_CPU_IDLE && f != FIGURE_CPU_IOWAIT;

		for (u32 i = 1; v && i <= MIN(n, v->ntrend); i++) {
			busy[n - i] += works ? v->trend[v->ntrend - i] : 0;
			all[n - i] += v->trend[v->ntrend - i];
		}
	}
	for (u32 i = 0; i < n; i++)
		busy[i] = all[i] > 0 ? busy[i] / all[i] : 0;
	graph__draw(&g, c, r);
}

/* The 0th is that of all where there are several. */
static const char *cpu_name(const struct system_snap *s, u32 i)
{
	u32 n = s->first[FIGURE_CPU_IDLE + 1] - s->first[FIGURE_CPU_IDLE];
	u32 at = s->first[FIGURE_CPU_IDLE] + i + (n == 2);

	return at < s->first[FIGURE_CPU_IDLE + 1] ? s->series[at].instance : "";
}

/* --- memory --- */

static void draw_memory(const struct system_snap *s, struct canvas *c, struct rect r)
{
	double total = MAX(system__rate(s, FIGURE_MEM_TOTAL, ""), 1.0);
	double left = system__rate(s, FIGURE_MEM_AVAILABLE, ""), free_ = system__rate(s, FIGURE_MEM_FREE, "");
	double used = (total - left) / total, reclaimable = MAX(left - free_, 0.0) / total;
	double dirty = system__rate(s, FIGURE_MEM_DIRTY, "") + system__rate(s, FIGURE_MEM_WRITEBACK, "");
	const struct meter_part parts[] = {{used, ROLE_USER, '|'}, {reclaimable, ROLE_COOL, 'c'}};
	int meter = CLAMP(r.w / 3, 8, 48);
	struct headline line = line_after(c, r, LABEL_W + meter);
	char text[24];

	label(c, r, "mem");
	if (!system__has(s, FIGURE_MEM_TOTAL)) {
		draw__text(c, r.x + LABEL_W, r.y, r.w - LABEL_W, ROLE_DIM, "not known");
		return;
	}
	meter__draw(c, r.x + LABEL_W, r.y, meter, parts, ARRAY_SIZE(parts));
	meter__fill(c, r.x + LABEL_W, r.y, meter, ROLE_LOAD, used);
	snprintf(text, sizeof(text), " %3.0f%%", 100 * used);
	headline__add(&line, level(100 * used, 85, 95), text);
	add_bytes(&line, "of", total, "");
	add_bytes(&line, "left", left, "");
	add_bytes(&line, "dirty", dirty, "");
}

static void draw_memory_graph(const struct system_snap *s, struct canvas *c, struct rect r)
{
	const struct system_series *left = system__series(s, FIGURE_MEM_AVAILABLE, "");
	double total = system__rate(s, FIGURE_MEM_TOTAL, "");
	float used[SYSTEM_TREND];
	struct graph g = {.gradient = ROLE_LOAD, .v = used, .n = left ? left->ntrend : 0,
			  .most = SYSTEM_TREND, .max = (float)total};

	for (u32 i = 0; i < g.n; i++)
		used[i] = (float)MAX(total - (double)left->trend[i], 0.0);
	graph__draw(&g, c, r);
}

static void draw_swap(const struct system_snap *s, struct canvas *c, struct rect r)
{
	double total = system__rate(s, FIGURE_SWAP_TOTAL, ""), left = system__rate(s, FIGURE_SWAP_FREE, "");
	double used = total > 0 ? (total - left) / total : 0;
	int meter = CLAMP(r.w / 3, 8, 48);
	struct headline line = line_after(c, r, LABEL_W + meter);
	char text[32];

	label(c, r, "swap");
	meter__grade(c, r.x + LABEL_W, r.y, meter, ROLE_LOAD, used);
	if (total <= 0) {
		headline__add(&line, ROLE_DIM, " there is none");
	} else {
		snprintf(text, sizeof(text), " %3.0f%%", 100 * used);
		headline__add(&line, level(100 * used, 50, 90), text);
		add_bytes(&line, "of", total, "");
	}
	snprintf(text, sizeof(text), "%.0f/s", system__rate(s, FIGURE_SWAP_IN, ""));
	add_figure(&line, "in", ROLE_TEXT, text);
	snprintf(text, sizeof(text), "%.0f/s", system__rate(s, FIGURE_SWAP_OUT, ""));
	add_figure(&line, "out", ROLE_TEXT, text);
	snprintf(text, sizeof(text), "%.0f/s", system__rate(s, FIGURE_FAULTS, ""));
	add_figure(&line, "faults", ROLE_TEXT, text);
}

static void draw_pressure(const struct system_snap *s, struct canvas *c, struct rect r)
{
	static const struct {
		const char *name;
		enum figure figure;
	} all[] = {{"cpu", FIGURE_PSI_CPU_SOME},    {"io", FIGURE_PSI_IO_SOME},
		   {"all io", FIGURE_PSI_IO_FULL}, {"mem", FIGURE_PSI_MEMORY_SOME},
		   {"all mem", FIGURE_PSI_MEMORY_FULL}};
	struct headline line = line_after(c, r, LABEL_W);

	label(c, r, "stall");
	for (u32 i = 0; i < ARRAY_SIZE(all); i++) {
		const struct system_series *v = system__series(s, all[i].figure, "");

		if (r.w >= 100 && line.x + TREND_W < r.x + r.w) {
			draw_trend(v, ROLE_LOAD, 1e9, c,
				   (struct rect){line.x + 1, r.y, TREND_W - 2, 1});
			line.x += TREND_W - 1;
		}
		add_pct(&line, all[i].name, v ? MIN(v->rate / 1e7, 100.0) : 0, 10, 40);
	}
}

/* --- devices --- */

static double per(double sum, double n)
{
	return n > 0 ? sum / n : 0;
}

static void draw_disk(const struct system_snap *s, const struct system_series *v, struct canvas *c,
		      struct rect r)
{
	const char *d = v->instance;
	double busy = MIN(v->rate / 1e9, 1.0);
	double reads = system__rate(s, FIGURE_DISK_READS, d), writes = system__rate(s, FIGURE_DISK_WRITES, d);
	double ms = per(system__rate(s, FIGURE_DISK_READ_NS, d) + system__rate(s, FIGURE_DISK_WRITE_NS, d),
			reads + writes) / 1e6;
	int meter = CLAMP(r.w / 6, 6, 20);
	struct headline line = line_after(c, r, LABEL_W + meter);
	char text[32];

	label(c, r, d);
	meter__grade(c, r.x + LABEL_W, r.y, meter, ROLE_LOAD, busy);
	snprintf(text, sizeof(text), " %3.0f%%", 100 * busy);
	headline__add(&line, level(100 * busy, 80, 101), text);
	add_bytes(&line, "r", system__rate(s, FIGURE_DISK_READ_BYTES, d), "/s");
	add_bytes(&line, "w", system__rate(s, FIGURE_DISK_WRITE_BYTES, d), "/s");
	snprintf(text, sizeof(text), "%6.2f ms", ms);
	add_figure(&line, "takes", level(ms, 20, 100), text);
	snprintf(text, sizeof(text), "%3.0f", system__rate(s, FIGURE_DISK_IN_FLIGHT, d));
	add_figure(&line, "flying", ROLE_TEXT, text);
	snprintf(text, sizeof(text), "%.0f/s", reads + writes);
	add_figure(&line, "requests", ROLE_TEXT, text);
}

static void draw_net(const struct system_snap *s, const struct system_series *v, struct canvas *c,
		     struct rect r)
{
	const char *d = v->instance;
	const struct system_series *tx = system__series(s, FIGURE_NET_TX_BYTES, d);
	double drops = system__rate(s, FIGURE_NET_RX_DROPS, d) + system__rate(s, FIGURE_NET_TX_DROPS, d) +
		       system__rate(s, FIGURE_NET_RX_ERRORS, d) + system__rate(s, FIGURE_NET_TX_ERRORS, d);
	double mbit = system__rate(s, FIGURE_NET_MBIT, d);
	int meter = CLAMP(r.w / 6, 6, 20);
	struct headline line = line_after(c, r, LABEL_W + meter);
	char text[32];

	label(c, r, d);
	draw_trend(v, ROLE_IN, 0, c, (struct rect){r.x + LABEL_W, r.y, meter / 2, 1});
	draw_trend(tx, ROLE_OUT, 0, c,
		   (struct rect){r.x + LABEL_W + meter / 2, r.y, meter - meter / 2, 1});
	add_bytes(&line, "in", v->rate, "/s");
	add_bytes(&line, "out", tx ? tx->rate : 0, "/s");
	snprintf(text, sizeof(text), "%.0f/s",
		 system__rate(s, FIGURE_NET_RX_PACKETS, d) + system__rate(s, FIGURE_NET_TX_PACKETS, d));
	add_figure(&line, "packets", ROLE_TEXT, text);
	snprintf(text, sizeof(text), "%.0f/s", drops);
	add_figure(&line, "dropped", level(drops, 1, 100), text);
	if (mbit > 0)
		add_pct(&line, "full", 100 * MAX(v->rate, tx ? tx->rate : 0) * 8e-6 / mbit, 80, 95);
}

static void draw_device(const struct overview_result *a, const struct overview_entry *e,
			struct canvas *c)
{
	const struct system_snap *s = overview__system(a);
	const struct system_series *v[DEVICES];

	if (e->i >= overview__devices(s, e->kind, v, DEVICES))
		return;
	if (e->kind == ENTRY_DISK)
		draw_disk(s, v[e->i], c, e->r);
	else
		draw_net(s, v[e->i], c, e->r);
}

/* --- processes --- */

#define SPLIT_MIN_W 100

static void draw_process_head(struct canvas *c, struct rect r)
{
	const char *split = "";

	if (r.w <= 0)
		return;
	draw__fill(c, r, ROLE_HEADER, L' ');
	if (r.w >= SPLIT_MIN_W)
		split = c->ascii || c->colourless ? "| user # kernel q waits for a CPU d disk l lock"
						  : "on a CPU, waits for one, for disks, for locks";
	draw__textf(c, r.x, r.y, r.w, ROLE_HEADER, "%7s %-15s %6s %6s %6s %6s %6s %8s  %s", "PID",
		    "Command", "CPU%", "wait%", "disk%", "lock%", "RSS", "disk/s",
		    split);
}

static void share_text(char *buf, size_t size, double pct)
{
	if (pct < 0)
		snprintf(buf, size, "—");
	else
		snprintf(buf, size, "%.1f", pct);
}

static int draw_share(struct canvas *c, struct rect r, int x, double pct, double warn)
{
	char text[16];

	share_text(text, sizeof(text), pct);
	draw__right(c, r.x + x, r.y, 6, pct >= warn ? ROLE_WARN : pct > 0 ? ROLE_TEXT : ROLE_DIM, text);
	return x + 7;
}

static void draw_split(const struct overview_process *p, struct canvas *c, int x, int y, int w)
{
	double all = MAX(p->cpu_pct, 0) + MAX(p->runq_pct, 0) + MAX(p->disk_pct, 0) + MAX(p->lock_pct, 0);
	double whole = MAX(all, 100.0);
	const struct meter_part parts[] = {{MAX(p->cpu_pct - p->system_pct, 0) / whole, ROLE_USER, '|'},
					   {p->system_pct / whole, ROLE_KERNEL, '#'},
					   {MAX(p->runq_pct, 0) / whole, ROLE_WARM, 'q'},
					   {MAX(p->disk_pct, 0) / whole, ROLE_COOL, 'd'},
					   {MAX(p->lock_pct, 0) / whole, ROLE_BAD, 'l'}};

	meter__draw(c, x, y, w, parts, ARRAY_SIZE(parts));
}

static void draw_process(const struct overview_process *p, struct canvas *c, struct rect r)
{
	char text[24];
	int x = 24;

	draw__textf(c, r.x, r.y, 7, ROLE_DIM, "%7u", p->pid);
	draw__middle(c, r.x + 8, r.y, 15, ROLE_TEXT, p->comm);
	x = draw_share(c, r, x, p->cpu_pct, 80);
	x = draw_share(c, r, x, p->runq_pct, 20);
	x = draw_share(c, r, x, p->disk_pct, 20);
	x = draw_share(c, r, x, p->lock_pct, 10);
	format__bytes(text, sizeof(text), p->rss_bytes);
	draw__right(c, r.x + x, r.y, 6, ROLE_TEXT, text);
	format__bytes(text, sizeof(text), (u64)p->io_per_s);
	draw__right(c, r.x + x + 7, r.y, 8, p->io_per_s > 0 ? ROLE_TEXT : ROLE_DIM, text);
	x += 17;
	if (r.w > x + 4)
		draw_split(p, c, r.x + x, r.y, MIN(r.w - x, 60));
}

/* --- all of it --- */

static void draw_boxes(const struct overview_layout *l, struct canvas *c)
{
	static const char *const titles[ENTRY_KINDS] = {
		[ENTRY_CPU] = "CPUs", [ENTRY_MEMORY] = "Memory and stalls", [ENTRY_DISK] = "Disks",
		[ENTRY_NET] = "Network", [ENTRY_PROCESS] = "Processes, by what they want"};

	for (u32 k = 0; k < ENTRY_KINDS; k++)
		if (titles[k] && l->boxes[k].w)
			draw__box(c, l->boxes[k], ROLE_BORDER, titles[k]);
}

static void draw_graphs(const struct overview_layout *l, const struct system_snap *s, struct canvas *c)
{
	if (l->graphs[ENTRY_CPU].w)
		draw_cpu_graph(s, c, l->graphs[ENTRY_CPU]);
	if (l->graphs[ENTRY_MEMORY].w)
		draw_memory_graph(s, c, l->graphs[ENTRY_MEMORY]);
}

static void draw_entry(const struct overview_result *a, const struct overview_entry *e,
		       struct canvas *c)
{
	const struct system_snap *s = overview__system(a);

	switch (e->kind) {
	case ENTRY_CPU: draw_cpu(s, cpu_name(s, e->i), c, e->r); break;
	case ENTRY_MEMORY:
		if (e->i == 0)
			draw_memory(s, c, e->r);
		else if (e->i == 1)
			draw_swap(s, c, e->r);
		else
			draw_pressure(s, c, e->r);
		break;
	case ENTRY_DISK:
	case ENTRY_NET: draw_device(a, e, c); break;
	case ENTRY_PROCESS: draw_process(&a->processes[e->i], c, e->r); break;
	default: break;
	}
}

void overview__draw_panels(const struct overview_layout *l, const struct overview_result *a,
			   struct canvas *c)
{
	draw_boxes(l, c);
	draw_graphs(l, overview__system(a), c);
	draw_process_head(c, l->processes_head);
	for (u32 i = 0; i < l->n; i++)
		if (l->entries[i].kind != ENTRY_FINDING)
			draw_entry(a, &l->entries[i], c);
}

/* --- ways in --- */

/* By what it wants most. */
static struct overview_way way_of_process(const struct overview_process *p)
{
	double most = MAX(MAX(p->cpu_pct, p->runq_pct), MAX(p->disk_pct, p->lock_pct));

	if (most == p->cpu_pct)
		return (struct overview_way){"cpu", "symbol", "", ""};
	if (most == p->runq_pct)
		return (struct overview_way){"sched", "tid", "wait_ns", ""};
	return (struct overview_way){"offcpu", "stack", "", ""};
}

static struct overview_way way_of_finding(const struct finding *x)
{
	struct overview_way way = {x->view, x->group, overview_rules[x->rule].sort, ""};

	copy_str(way.filter, sizeof(way.filter), x->filter);
	return way;
}

void overview__way(const struct overview_result *a, const struct overview_entry *e,
		   struct overview_way *way)
{
	static const struct overview_way ways[ENTRY_KINDS] = {
		[ENTRY_CPU] = {"cpu", "pid", "", ""},
		[ENTRY_MEMORY] = {"procs", "pid", "rss_bytes", ""},
		[ENTRY_DISK] = {"io", "device", "", ""},
		[ENTRY_NET] = {"net", "device", "", ""}};
	const char *cpu;

	*way = ways[e->kind];
	if (e->kind == ENTRY_FINDING) {
		*way = way_of_finding(&a->findings[MIN(e->i, a->nfindings - 1)]);
	} else if (e->kind == ENTRY_CPU) {
		cpu = cpu_name(overview__system(a), e->i);
		if (*cpu)
			snprintf(way->filter, sizeof(way->filter), "cpu=%.8s", cpu);
	} else if (e->kind == ENTRY_PROCESS) {
		*way = way_of_process(&a->processes[e->i]);
		snprintf(way->filter, sizeof(way->filter), "pid=%u", a->processes[e->i].pid);
	} else if (e->kind == ENTRY_MEMORY && e->i == 2) {
		*way = (struct overview_way){"offcpu", "reason", "", ""}; /* who stalls */
	}
}

void overview__describe(const struct overview_result *a, const struct overview_entry *e, char *buf,
			size_t size)
{
	static const char *const what[ENTRY_KINDS] = {
		[ENTRY_CPU] = "CPU time: user, system, interrupts, stolen, waiting for I/O",
		[ENTRY_MEMORY] = "memory in use, what can be reclaimed, and how long tasks stall",
		[ENTRY_DISK] = "a disk: busy, rates, how long a request takes",
		[ENTRY_NET] = "a network interface: rates in and out, and what is dropped",
		[ENTRY_PROCESS] = "a process: its shares of its time"};
	const char *about = what[e->kind];
	struct overview_way way;
	char finding[256];

	if (e->kind == ENTRY_FINDING) {
		const struct overview_rule *rule =
			&overview_rules[a->findings[MIN(e->i, a->nfindings - 1)].rule];

		snprintf(finding, sizeof(finding), "%s: %s", rule->name, rule->basis);
		about = finding;
	}
	overview__way(a, e, &way);
	snprintf(buf, size, "%s · Enter: %s by %s%s%s", about, way.view,
		 *way.group ? way.group : "time", *way.filter ? ", " : "", way.filter);
}
