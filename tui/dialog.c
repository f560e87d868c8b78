/* SPDX-License-Identifier: GPL-2.0-only */
/* What lies over a view: prompts at the bottom, the help; pickers are in tui/pick.c. */
#include <stdio.h>
#include <string.h>

#include "base/caret.h"
#include "tui/app.h"

static bool is_prompt(enum dialog d)
{
	return d >= DIALOG_FILTER && d <= DIALOG_ASK;
}

/* --- help: made from the bindings in force --- */

static void help_row__add(struct host *h, const char *key, const char *text)
{
	h->help_rows = xrealloc(h->help_rows, sizeof(*h->help_rows) * (h->nhelp_rows + 1));
	h->help_rows[h->nhelp_rows++] = (struct help_row){
		key ? arena__strdup(&h->help_arena, key) : NULL,
		arena__strdup(&h->help_arena, text)};
}

/* Of a view without a number: its letter, and the key that it comes after. */
static void letter_of(struct host *h, enum action a, char *buf, size_t size)
{
	char pick[16], letter[4];

	if (a < ACTION_SHOW_FIRST || view_keys[view__of_action(a)] <= 9)
		return;
	host__key(h, ACTION_VIEW_PICK, pick, sizeof(pick));
	if (*pick)
		snprintf(buf, size, "%s %s", pick,
			 view__key_text(view__of_action(a), letter, sizeof(letter)));
}

/* All keys of one section that do an action, unless an inner section rebinds them. */
static void keys_of(struct host *h, const char *section, enum action a, char *buf, size_t size)
{
	const char *sections[4];
	char name[16], first[16];
	bool bound;

	*buf = '\0';
	app__sections(h, sections);
	for (u32 i = 0; i < h->keymap.n; i++) {
		const struct binding *b = &h->keymap.rows[i];
		size_t n = strlen(buf);

		if (b->action != a || strcmp(b->section, section) ||
		    keymap__lookup_after(&h->keymap, sections, b->first, b->key, &bound) != a)
			continue;
		if (b->first)
			key__name(b->first, first, sizeof(first));
		snprintf(buf + n, size - n, "%s%s%s%s", !n ? "" : b->first ? "  " : " ",
			 b->first ? first : "", b->first ? " " : "",
			 key__name(b->key, name, sizeof(name)));
	}
	if (!*buf && !strcmp(section, "global"))
		letter_of(h, a, buf, size);
}

/* The n-th label of the view that is shown; NULL: it has none, or one with a key of its own. */
static const char *label_help(struct host *h, u32 n)
{
	static const char *const common[] = {"pid", "tid", "comm", "cgroup", "cpu", "stack"};
	const char *at = view_table[h->view]->groups;
	char text[64];
	int len;

	while (n-- && *at) {
		at += strcspn(at, " ");
		at += strspn(at, " ");
	}
	len = (int)strcspn(at, " ");
	for (u32 i = 0; i < ARRAY_SIZE(common); i++)
		if (!strncmp(at, common[i], (size_t)len) && !common[i][len])
			return NULL;
	snprintf(text, sizeof(text), "group by %.*s", len, at);
	return len ? arena__strdup(&h->help_arena, text) : NULL;
}

/* What a number opens is said by its view; NULL: nothing. */
static const char *action_help(struct host *h, enum action a)
{
	if (a >= ACTION_GROUP_LABEL_1 && a <= ACTION_GROUP_LABEL_6)
		return label_help(h, a - ACTION_GROUP_LABEL_1);
	if (a < ACTION_VIEW_0 || (a > ACTION_VIEW_9 && a < ACTION_SHOW_FIRST))
		return action_table[a].help;
	return view__of_action(a) < VIEW_COUNT ? view_table[view__of_action(a)]->title : NULL;
}

static void help_section(struct host *h, const char *section, const char *heading)
{
	char keys[64];
	bool any = false;

	for (u32 a = 1; a < ACTIONS; a++) {
		const char *text = action_help(h, a);

		if (!text)
			continue;
		keys_of(h, section, a, keys, sizeof(keys));
		if (!keys[0])
			continue;
		if (!any)
			help_row__add(h, NULL, heading);
		any = true;
		help_row__add(h, keys, text);
	}
}

/* The terms that the view can apply. */
static void help_filter(struct host *h)
{
	static const struct { u32 term; const char *text; } terms[] = {
		{SCOPE_TERM_STATE, "state=DS "}, {SCOPE_TERM_TIME, "min=10ms max=1s "},
		{SCOPE_TERM_TASK, "task=user "}, {SCOPE_TERM_SCHED, "prio=0-99 policy=fifo "},
	};
	const u32 can = view__terms(view_table[h->view]);
	char text[120] = "";
	size_t n = 0;

	for (u32 i = 0; i < ARRAY_SIZE(terms); i++)
		if (can & terms[i].term)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s", terms[i].text);
	help_row__add(h, NULL, "filter expression");
	help_row__add(h, "", "pid=1,2 tid=3 comm~REGEX cgroup=GLOB cpu=0-3");
	if (n)
		help_row__add(h, "", text);
	if (can & SCOPE_TERM_MOMENT)
		help_row__add(h, "", "nr_running=3- irqs_disabled=1 need_resched=1 mode=kernel");
	snprintf(text, sizeof(text), "%sall must hold, ! negates a term",
		 can & SCOPE_TERM_STACK ? "sym~REGEX obj~REGEX lang=java; " : "");
	help_row__add(h, "", text);
	if (view_table[h->view]->labels)
		help_row__add(h, "", "labels of this view, too: LABEL=NAME,GLOB LABEL~REGEX");
}

static void help__make(struct host *h)
{
	const char *sections[4];
	char heading[64];

	arena__fini(&h->help_arena);
	h->nhelp_rows = 0;
	app__sections(h, sections);
	for (u32 i = 0; sections[i]; i++) {
		snprintf(heading, sizeof(heading), "%s",
			 strcmp(sections[i], "global") ? sections[i] : "everywhere");
		help_section(h, sections[i], heading);
	}
	help_row__add(h, NULL, "mouse");
	help_row__add(h, "click", "select a row; a header sorts, a tab switches");
	help_row__add(h, "double", "drill into a row");
	help_row__add(h, "wheel", "scroll");
	help_filter(h);
}

/* The text of the help, for the screen's width; the overview leads everywhere. */
static void make_text(struct host *h)
{
	const bool all = h->dialog == DIALOG_GUIDE || h->view == VIEW_OVERVIEW;

	guide_text__fini(&h->guide);
	guide__add(&h->guide, h, all ? NULL : view_table[h->view]->name,
		   h->dialog == DIALOG_GUIDE ? h->guide_topic : "", h->canvas.w - HELP_FRAME_W);
	h->guide.w = h->canvas.w;
}

/* --- opening and closing --- */

static void open_prompt(struct host *h, const char *label, const char *text)
{
	prompt__open(&h->prompt, label, text);
	h->prompt.history = &h->histories[h->dialog];
	h->prompt.ctx = h;
}

/* Labels that the view has. */
static void complete_labels(const struct view_ops *v, const char *text, size_t typed,
			    struct completions *out)
{
	char term[40];
	size_t len;

	for (const char *l = v->labels ? v->labels : ""; *l; l += len + (l[len] == ' ')) {
		len = strcspn(l, " ");
		snprintf(term, sizeof(term), "%.*s=", (int)len, l);
		if (filter__is_label(l, len) && typed <= len && !strncmp(l, text, typed))
			completions__add(out, term, "names and globs with commas between; ~REGEX");
	}
}

void dialog__complete_filter(void *ctx, const char *text, u32 cursor, struct completions *out)
{
	static const struct { const char *term, *help; u32 only; } terms[] = {
		{"pid=", "processes: 1,2,10-20", 0},
		{"tid=", "threads", 0},
		{"comm~", "thread names matching a regular expression", 0},
		{"cgroup=", "cgroups and what is below them: /system.slice/*", 0},
		{"cpu=", "CPUs: 0,2-3", 0},
		{"state=", "states waited in, letters of " SCOPE_STATES, SCOPE_TERM_STATE},
		{"min=", "times as long or longer: 10ms", SCOPE_TERM_TIME},
		{"max=", "times as long or shorter: 1s", SCOPE_TERM_TIME},
		{"task=user", "threads of programs only", SCOPE_TERM_TASK},
		{"task=kernel", "the kernel's threads only", SCOPE_TERM_TASK},
		{"sym~", "stacks with such a function", SCOPE_TERM_STACK},
		{"obj~", "stacks through such an object", SCOPE_TERM_STACK},
		{"lang=", "stacks with such a function: java, python, javascript, php, ruby, perl, go, native, jit, kernel",
		 SCOPE_TERM_STACK},
		{"prio=", "priorities as the kernel has them, 120 is nice 0: 0-99", SCOPE_TERM_SCHED},
		{"policy=", "other, fifo, rr, batch, idle, deadline, ext", SCOPE_TERM_SCHED},
		{"nr_running=", "threads of the CPU's run queue: 3-", SCOPE_TERM_MOMENT},
		{"irqs_disabled=", "interrupts are off: 0 or 1", SCOPE_TERM_MOMENT},
		{"need_resched=", "the thread is to give up its CPU: 0 or 1", SCOPE_TERM_MOMENT},
		{"mode=", "what was interrupted: user, kernel, guest; host: no guest", SCOPE_TERM_MOMENT},
	};
	const u32 other = ~view__terms(view_table[((struct host *)ctx)->view]);
	u32 start = cursor, bang;

	while (start && text[start - 1] != ' ')
		start--;
	bang = text[start] == '!';
	out->start = start + bang;
	for (u32 i = 0; i < ARRAY_SIZE(terms); i++)
		if (!(terms[i].only & other) &&
		    !strncmp(terms[i].term, text + out->start, cursor - out->start))
			completions__add(out, terms[i].term, terms[i].help);
	complete_labels(view_table[((struct host *)ctx)->view], text + out->start,
			cursor - out->start, out);
}

/* A filter that was too long for a prompt would be cut, and mean something else. */
static void open_filter(struct host *h)
{
	char key[16];

	if (strlen(h->scope->text) > FILTER_MAX_LEN) {
		h->dialog = DIALOG_NONE;
		host__message(h, ROLE_WARN, "this filter is too long to be edited; %s clears it",
			      host__key(h, ACTION_CLEAR_FILTER, key, sizeof(key)));
		return;
	}
	open_prompt(h, "filter:", h->scope->text);
	h->prompt.complete = dialog__complete_filter;
}

/* Suffixes for what begins at the first dot of a file's name, with the formats that they mean. */
void dialog__complete_save(void *ctx, const char *text, u32 cursor, struct completions *out)
{
	u32 start = cursor;

	for (u32 i = cursor; i-- > 0 && text[i] != '/';)
		if (text[i] == '.')
			start = i;
	out->start = start;
	for (u32 i = 0; i < export_nformats; i++)
		if (!strncmp(export_formats[i].suffix, text + start, cursor - start))
			completions__add(out, export_formats[i].suffix, export_formats[i].help);
}

static void open_save(struct host *h)
{
	open_prompt(h, "save as (Tab: formats):", "");
	h->prompt.complete = dialog__complete_save;
}

static void open_palette(struct host *h, const char *line)
{
	open_prompt(h, ":", line);
	h->prompt.complete = palette__complete;
}

void dialog__offer(struct host *h, const char *line)
{
	dialog__open(h, DIALOG_PALETTE);
	open_palette(h, line);
}

/* Screens that do not search while it is typed do so behind Enter. */
static bool search_typed(struct host *h, enum search_step step)
{
	struct screen *s = app__screen(h);

	return !s->ops->search_typed || s->ops->search_typed(s, step, h->prompt.text);
}

static void open_search(struct host *h)
{
	open_prompt(h, "/", "");
	search_typed(h, SEARCH_BEGIN);
}

void dialog__open(struct host *h, enum dialog d)
{
	if (h->dialog != DIALOG_NONE)
		dialog__close(h);
	h->dialog = d;
	switch (d) {
	case DIALOG_FILTER: open_filter(h); break;
	case DIALOG_SEARCH: open_search(h); break;
	case DIALOG_SAVE: open_save(h); break;
	case DIALOG_ASK: open_prompt(h, h->menu.title, h->menu.text); break;
	case DIALOG_PALETTE:
		open_palette(h, "");
		prompt__offer(&h->prompt);
		break;
	case DIALOG_PICK_VIEW:
	case DIALOG_PICK_PROCESS:
	case DIALOG_PICK_CGROUP:
	case DIALOG_PICK_PROGRAM:
	case DIALOG_PICK_PROBE:
	case DIALOG_PICK_COLUMNS:
	case DIALOG_PICK_QUESTION:
	case DIALOG_MENU: pick__open(h); break;
	case DIALOG_HELP:
		help__make(h);
		make_text(h);
		help__open(&h->help, "keys, and the guide below them");
		break;
	case DIALOG_GUIDE:
		h->nhelp_rows = 0;
		make_text(h);
		help__open(&h->help, "guide");
		break;
	default: break;
	}
	h->dirty = true;
}

bool dialog__open_guide(struct host *h, const char *title)
{
	copy_str(h->guide_topic, sizeof(h->guide_topic), title);
	dialog__open(h, DIALOG_GUIDE);
	if (!h->guide.n)
		dialog__close(h);
	return h->guide.n;
}

void dialog__close(struct host *h)
{
	if (pick__is(h->dialog))
		pick__close(h);
	menu__close(h);
	h->dialog = DIALOG_NONE;
	h->dirty = true;
}

/* --- input --- */

/* True when the prompt may close. */
static bool accept_filter(struct host *h)
{
	struct filter_error err;
	struct scope *s = filter__parse(h->prompt.text, &err);

	if (!s) {
		prompt__error(&h->prompt, err.column, err.length, err.msg);
		return false;
	}
	scope__put(s);
	app__apply_filter(h, h->prompt.text, false);
	return true;
}

static bool accept_search(struct host *h)
{
	struct screen *s = app__screen(h);
	bool found;

	if (s->ops->search_typed)
		found = *h->prompt.text && s->ops->search_typed(s, SEARCH_TYPED, h->prompt.text);
	else
		found = s->ops->search && s->ops->search(s, h->prompt.text, 1);
	if (!found)
		host__message(h, ROLE_WARN, "no match for \"%s\"", h->prompt.text);
	return true;
}

/* The line stays to be mended where the fault in it is known. */
static void refuse_line(struct host *h, const char *line, struct status *st)
{
	u32 column, length;

	if (h->dialog != DIALOG_NONE || !caret__find(st->msg, line, &column, &length)) {
		host__error(h, st);
		return;
	}
	dialog__offer(h, line);
	st->msg[strcspn(st->msg, "\n")] = '\0';
	prompt__error(&h->prompt, column, length, st->msg);
}

static bool accept_command(struct host *h)
{
	struct status st = {0};

	/* The command may open another dialog: that one then stays. */
	char line[PROMPT_MAX];

	copy_str(line, sizeof(line), h->prompt.text);
	dialog__close(h);
	if (!palette__run(h, line, &st))
		refuse_line(h, line, &st);
	return false;
}

static bool accept_prompt(struct host *h)
{
	switch (h->dialog) {
	case DIALOG_FILTER: return accept_filter(h);
	case DIALOG_SEARCH: return accept_search(h);
	case DIALOG_SAVE: save__view(h, h->prompt.text); return true;
	case DIALOG_ASK: menu__given(h, h->prompt.text); return false;
	default: return accept_command(h);
	}
}

static void prompt_event(struct host *h, const struct input *in)
{
	enum prompt_result r = prompt__input(&h->prompt, in);

	if (h->dialog == DIALOG_SEARCH && r == PROMPT_CANCELLED)
		search_typed(h, SEARCH_CANCELLED);
	if (h->dialog == DIALOG_SEARCH && r == PROMPT_EDITING && !search_typed(h, SEARCH_TYPED))
		prompt__error(&h->prompt, h->prompt.cursor, 0, "no match");
	if (r == PROMPT_CANCELLED || (r == PROMPT_ACCEPTED && accept_prompt(h)))
		dialog__close(h);
}

bool dialog__input(struct host *h, const struct input *in)
{
	if (h->dialog == DIALOG_NONE)
		return false;
	h->dirty = true;
	if (is_prompt(h->dialog))
		prompt_event(h, in);
	else if (pick__is(h->dialog) ? pick__input(h, in) : help__input(&h->help, in) == HELP_CLOSED)
		dialog__close(h);
	return true;
}

static void draw_help(struct host *h, struct rect area)
{
	struct help_content what;

	if (h->guide.w != area.w)
		make_text(h);
	what = (struct help_content){h->help_rows, h->nhelp_rows, h->guide.lines, h->guide.n};
	help__draw(&h->help, &what, &h->canvas, area);
}

void dialog__draw(struct host *h)
{
	struct rect all = canvas__rect(&h->canvas);

	if (all.w < SCREEN_MIN_W || all.h < SCREEN_MIN_H || h->dialog == DIALOG_NONE)
		return;
	if (is_prompt(h->dialog)) {
		prompt__draw(&h->prompt, &h->canvas, all);
		ask_look__draw(h);
	} else if (pick__is(h->dialog)) {
		pick__draw(h, all);
	} else {
		draw_help(h, all);
	}
}
