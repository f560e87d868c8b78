/* SPDX-License-Identifier: GPL-2.0-only */
/* The pickers: views, processes, cgroups, questions, functions and static probes. Lists are read on the lists worker. */
#include <limits.h>
#include <stdio.h>

#include "base/clock.h"
#include "questions/library.h"
#include "tui/app.h"
#include "tui/own_questions.h"
#include "tui/probe_list.h"

#define REFRESH_NS	 (2 * NSEC_PER_SEC)
#define FIRST_REFRESH_NS (NSEC_PER_SEC / 2) /* who is busy now is known from two reads */

/* Made on the lists worker, replaced while the picker is open. */
struct pick_list {
	struct arena arena;
	u32 n;
	const struct proc_item *procs;
	const struct cgroup_item *cgroups;
	const struct question_item *questions;
	const struct probe_item *probes;
};

struct question_item {
	const char *name, *help;
};

static void pick_list__free(struct pick_list *l)
{
	if (!l)
		return;
	arena__fini(&l->arena);
	free(l);
}

/* --- items --- */

static void view_item(void *ctx, u32 i, struct picker_item *out)
{
	static char text[64];
	char key[4];

	snprintf(text, sizeof(text), "%s  %s", view__key_text(i, key, sizeof(key)),
		 view_table[i]->name);
	*out = (struct picker_item){.key = i + 1, .text = text, .detail = view_table[i]->title};
}

static void proc_detail(const struct proc_item *p, char *buf, size_t size)
{
	char rss[16], busy[16] = "";

	format__bytes(rss, sizeof(rss), p->rss_bytes);
	if (p->cpu_pct >= 0)
		snprintf(busy, sizeof(busy), "%.0f%%", p->cpu_pct);
	snprintf(buf, size, "%c %4s %8.1fs %5s %-6.10s", p->state, busy, (double)p->cpu_ms / 1000,
		 rss, p->user);
}

/* The strings are remade for each item that is asked for: only visible ones are kept long. */
static void proc_item(void *ctx, u32 i, struct picker_item *out)
{
	struct host *h = ctx;
	const struct proc_item *p = &h->list->procs[i];
	static char text[512], detail[96];

	/* Most command lines begin with the name: once is enough. */
	if (strstr(p->cmdline, p->comm))
		snprintf(text, sizeof(text), "%u %s", p->pid, p->cmdline);
	else
		snprintf(text, sizeof(text), "%u %s: %s", p->pid, p->comm, p->cmdline);
	proc_detail(p, detail, sizeof(detail));
	*out = (struct picker_item){.key = p->pid, .text = text, .detail = detail};
}

static void cgroup_item(void *ctx, u32 i, struct picker_item *out)
{
	struct host *h = ctx;
	const struct cgroup_item *g = &h->list->cgroups[i];
	static char detail[48];

	snprintf(detail, sizeof(detail), "%u processes%s", g->nprocs, g->v1 ? ", v1" : "");
	*out = (struct picker_item){.key = hash_bytes(g->path, strlen(g->path)) | 1,
				    .text = g->path,
				    .detail = detail};
}

static void question_item(void *ctx, u32 i, struct picker_item *out)
{
	const struct question_item *q = &((struct host *)ctx)->list->questions[i];

	*out = (struct picker_item){
		.key = hash_bytes(q->name, strlen(q->name)) | 1, .text = q->name, .detail = q->help};
}

static void probe_item(void *ctx, u32 i, struct picker_item *out)
{
	const struct probe_item *p = &((struct host *)ctx)->list->probes[i];
	static const enum role roles[] = {[PROBE_FUNCTION] = ROLE_TEXT, [PROBE_STATIC] = ROLE_OK,
					  [PROBE_TRACEPOINT] = ROLE_DIM, [PROBE_KERNEL] = ROLE_KERNEL};

	*out = (struct picker_item){
		.key = i + 1ULL, .text = p->text, .detail = p->detail, .role = roles[p->kind]};
}

static struct picker_source source_of(struct host *h)
{
	u32 n = h->list ? h->list->n : 0;

	switch (h->dialog) {
	case DIALOG_PICK_VIEW:
		return (struct picker_source){.n = VIEW_COUNT, .item = view_item, .ctx = h};
	case DIALOG_MENU:
		return menu__source(h);
	case DIALOG_PICK_COLUMNS:
		return pick_columns__source(h);
	case DIALOG_PICK_PROCESS:
	case DIALOG_PICK_PROGRAM:
		return (struct picker_source){.n = n, .item = proc_item, .ctx = h};
	case DIALOG_PICK_PROBE:
		return (struct picker_source){.n = n, .item = probe_item, .ctx = h};
	case DIALOG_PICK_QUESTION:
		return (struct picker_source){.n = n, .item = question_item, .ctx = h};
	default:
		return (struct picker_source){.n = n, .item = cgroup_item, .ctx = h};
	}
}

/* --- lists --- */

struct list_job {
	struct job job;
	struct host *host;
	enum dialog dialog;
	char probes_of[PATH_MAX];
	struct pick_list *list;
	struct proc_usage *usage; /* on its way from one read to the next */
};

/* Own ones first; of one that cannot be read it is said why. */
static u32 add_own(struct pick_list *l, struct question_item *items)
{
	char (*names)[OWN_QUESTION_NAME_MAX] = xcalloc(OWN_QUESTIONS_MAX, sizeof(*names));
	u32 n = own_questions__list(names), kept = 0;
	struct own_question q;

	for (u32 i = 0; i < n; i++) {
		struct status st = {0};

		if (question_library__find(names[i]))
			continue;
		if (own_question__read(names[i], &q, &st))
			copy_str(q.help, sizeof(q.help), st.msg);
		items[kept].name = arena__strdup(&l->arena, names[i]);
		items[kept++].help = arena__strdup(&l->arena, *q.help || !q.text ? q.help : q.text);
		free(q.text);
	}
	free(names);
	return kept;
}

static u32 read_questions(struct pick_list *l, bool own)
{
	struct question_item *items;
	const struct known_question *k;
	u32 known = 0, n;

	while (question_library__at(known))
		known++;
	items = arena__array(&l->arena, struct question_item, OWN_QUESTIONS_MAX + known);
	n = own ? add_own(l, items) : 0;
	for (u32 i = 0; (k = question_library__at(i)); i++)
		items[n++] = (struct question_item){k->name, k->help};
	l->questions = items;
	return n;
}

static void list_job__run(struct job *job)
{
	struct list_job *j = (struct list_job *)job;
	struct pick_list *l = j->list;

	if (j->dialog == DIALOG_PICK_PROBE)
		l->n = probe_list__read(&l->arena, j->probes_of, &l->probes);
	else if (j->dialog == DIALOG_PICK_PROCESS || j->dialog == DIALOG_PICK_PROGRAM)
		l->n = proclist__read(&l->arena, &j->usage, &l->procs);
	else if (j->dialog == DIALOG_PICK_QUESTION)
		l->n = read_questions(l, !j->host->options->no_config);
	else
		l->n = cgrouplist__read(&l->arena, &l->cgroups);
}

static void list_job__drop(struct job *job)
{
	struct list_job *j = (struct list_job *)job;

	pick_list__free(j->list);
	proc_usage__free(j->usage);
	free(j);
}

static void ask_list(struct host *h);

/* What a program has does not change. */
static u64 next_refresh(const struct host *h)
{
	if (h->dialog == DIALOG_PICK_PROBE)
		return UINT64_MAX;
	return clock__monotonic_ns() + (h->list ? REFRESH_NS : FIRST_REFRESH_NS);
}

/* Another picker was opened meanwhile, or the same one of another program. */
static bool is_wanted(const struct host *h, const struct list_job *j)
{
	return h->dialog == j->dialog && !strcmp(h->probes_of, j->probes_of);
}

static void take_list(struct host *h, struct pick_list *list)
{
	const struct input enter = {.type = INPUT_KEY, .key = KEYCODE_ENTER};
	struct picker_source src;

	h->list_due_ns = next_refresh(h);
	pick_list__free(h->list);
	h->list = list;
	src = source_of(h);
	picker__update(&h->picker, &src);
	h->dirty = true;
	if (picker__accepts(&h->picker))
		dialog__input(h, &enter);
}

static void list_job__done(struct job *job)
{
	struct list_job *j = (struct list_job *)job;
	struct host *h = j->host;

	h->list_asked = false;
	h->usage = j->usage;
	j->usage = NULL;
	if (is_wanted(h, j)) {
		take_list(h, j->list);
		j->list = NULL;
	} else {
		ask_list(h);
	}
	list_job__drop(job);
}

static void ask_list(struct host *h)
{
	struct list_job *j;

	if (h->list_asked || h->dialog < DIALOG_PICK_PROCESS || h->dialog > DIALOG_PICK_QUESTION)
		return;
	j = xcalloc(1, sizeof(*j));
	*j = (struct list_job){
		.job = {.run = list_job__run, .done = list_job__done, .drop = list_job__drop},
		.host = h,
		.dialog = h->dialog,
		.list = xcalloc(1, sizeof(struct pick_list)),
		.usage = h->usage,
	};
	copy_str(j->probes_of, sizeof(j->probes_of), h->probes_of);
	h->usage = NULL;
	h->list_asked = true;
	worker__post(h->lists, &j->job);
}

void pick__refresh(struct host *h)
{
	if (h->list && clock__monotonic_ns() >= h->list_due_ns)
		ask_list(h);
}

/* --- a picker's life --- */

bool pick__is(enum dialog d)
{
	return d >= DIALOG_PICK_VIEW && d <= DIALOG_PICK_COLUMNS;
}

static const char *title_of(enum dialog d)
{
	switch (d) {
	case DIALOG_PICK_VIEW: return "view";
	case DIALOG_PICK_PROCESS: return "process to look at";
	case DIALOG_PICK_PROGRAM: return "process whose functions to pick from";
	case DIALOG_PICK_PROBE: return "function, static probe or tracepoint";
	case DIALOG_PICK_COLUMNS: return "columns: Space shows, < > move";
	case DIALOG_PICK_QUESTION: return "question to ask";
	default: return "cgroup to look at";
	}
}

void pick__open(struct host *h)
{
	struct picker_source src = source_of(h);

	picker__open(&h->picker, h->dialog == DIALOG_MENU ? h->menu.title : title_of(h->dialog),
		     &src);
	ask_list(h);
}

void pick__close(struct host *h)
{
	picker__fini(&h->picker);
	pick_list__free(h->list);
	h->list = NULL;
}

/* What is picked takes the place of what was picked, or excluded, before. */
static void apply_pick(struct host *h, const char *names, const char *term)
{
	char *rest = filter__without(h->scope->text, names), *expr = filter__join(rest, term);

	app__apply_filter(h, expr, false);
	free(rest);
	free(expr);
}

static void pick_question(struct host *h, const char *name)
{
	struct status st = {0};

	if (!ask__run(h, name, &st))
		host__error(h, &st);
}

static void pick_program(struct host *h, const char *pid)
{
	struct status st = {0};

	if (!probes__open(h, pid, &st))
		host__error(h, &st);
}

static void picked(struct host *h)
{
	struct picker_source src = source_of(h);
	char pid[32], *cgroup;
	u32 i;

	if (!picker__selected(&h->picker, &src, &i))
		return;
	if (h->dialog == DIALOG_PICK_VIEW) {
		app__show_view(h, i);
	} else if (h->dialog == DIALOG_PICK_PROCESS) {
		snprintf(pid, sizeof(pid), "pid=%u", h->list->procs[i].pid);
		apply_pick(h, "pid tree", pid);
	} else if (h->dialog == DIALOG_PICK_PROBE) {
		probes__picked(h, &h->list->probes[i]);
	} else if (h->dialog == DIALOG_PICK_PROGRAM) {
		snprintf(pid, sizeof(pid), "pid:%u", h->list->procs[i].pid);
		pick_program(h, pid);
	} else if (h->dialog == DIALOG_PICK_QUESTION) {
		pick_question(h, h->list->questions[i].name);
	} else {
		cgroup = filter__cgroup(h->list->cgroups[i].path, true);
		apply_pick(h, "cgroup", cgroup);
		free(cgroup);
	}
}

bool pick__input(struct host *h, const struct input *in)
{
	struct picker_source src = source_of(h);
	enum picker_result r;
	enum dialog was;
	u32 i;

	if (h->dialog == DIALOG_PICK_COLUMNS && pick_columns__input(h, in))
		return false;
	r = picker__input(&h->picker, &src, in);
	if (r == PICKER_ACCEPTED && h->dialog == DIALOG_PICK_COLUMNS) {
		/* A double click, as Space. */
		pick_columns__input(h, &(struct input){.type = INPUT_KEY, .key = ' '});
		return false;
	}
	if (r == PICKER_ACCEPTED && h->dialog == DIALOG_MENU) {
		if (picker__selected(&h->picker, &src, &i))
			menu__picked(h, i);
		return false;
	}
	was = h->dialog;
	if (r == PICKER_ACCEPTED)
		picked(h);
	return r != PICKER_EDITING && h->dialog == was;
}

void pick__draw(struct host *h, struct rect area)
{
	struct picker_source src = source_of(h);

	picker__draw(&h->picker, &src, &h->canvas, area);
}
