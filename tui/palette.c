/* SPDX-License-Identifier: GPL-2.0-only */
/* The words of the : palette and of --do: every action by name, and commands that take a value. */
#include <stdio.h>

#include "questions/library.h"
#include "sources/ask.h"
#include "tui/app.h"
#include "tui/presets.h"
#include "tui/record.h"
#include "tui/theme.h"

struct command {
	/* takes: "[" before it when it may be left out; what has a value takes an action's name. */
	const char *name, *takes, *help;
	bool (*run)(struct host *h, const char *arg, struct status *st);
	/* Optional: values that begin with what stands from out->start to the cursor; it may move
	 * the start on. Those that choose among a few are in `values`. */
	void (*complete)(struct host *h, const char *text, u32 cursor, struct completions *out);
};

static bool refuse(struct status *st, const char *what, const char *takes)
{
	status__set(st, EXIT_CODE_USAGE, -EINVAL, "%s takes %s", what, takes);
	return false;
}

static void view_names(char *buf, size_t size)
{
	size_t n = (size_t)snprintf(buf, size, "one of");

	for (u32 v = 0; v < VIEW_COUNT && n < size; v++)
		n += (size_t)snprintf(buf + n, size - n, "%s %s", v ? "," : "", view_table[v]->name);
}

static bool run_view(struct host *h, const char *arg, struct status *st)
{
	const struct view_ops *ops = view__by_name(arg);
	const struct view_args none = {0};
	char names[256];

	if (!ops) {
		view_names(names, sizeof(names));
		return refuse(st, "view", names);
	}
	app__show_view(h, view__index(arg));
	if (ops != view_table[h->view])
		host__push(h, ops->open(ops, h, &none));
	return true;
}

static bool run_filter(struct host *h, const char *arg, struct status *st)
{
	struct filter_error err;
	struct scope *s = filter__parse(arg, &err);

	if (!s) {
		status__set(st, EXIT_CODE_USAGE, -EINVAL, "filter, at \"%.*s\": %s",
			    (int)MIN(err.length, 40u), arg + MIN(err.column, strlen(arg)), err.msg);
		return false;
	}
	scope__put(s);
	app__apply_filter(h, arg, false);
	return true;
}

static bool run_freq(struct host *h, const char *arg, struct status *st)
{
	struct sampling s = h->sampling;

	if (!option__number(arg, 1, FREQ_MAX, &s.freq))
		return refuse(st, "freq", FREQ_TAKES);
	s.period = 0;
	app__set_sampling(h, &s);
	return true;
}

static bool run_period(struct host *h, const char *arg, struct status *st)
{
	struct sampling s = h->sampling;

	if (!option__number(arg, 1, PERIOD_MAX, &s.period))
		return refuse(st, "period", PERIOD_TAKES);
	s.freq = 0;
	app__set_sampling(h, &s);
	return true;
}

static bool run_event(struct host *h, const char *arg, struct status *st)
{
	struct sampling s = h->sampling;

	if (!*arg || strlen(arg) >= sizeof(s.event))
		return refuse(st, "event", "an event's name (proftop --list-events)");
	memset(s.event, 0, sizeof(s.event));
	copy_str(s.event, sizeof(s.event), arg);
	host__message(h, ROLE_OK, "sampling %s, from zero", arg);
	app__set_sampling(h, &s);
	return true;
}

static bool run_delay(struct host *h, const char *arg, struct status *st)
{
	if (!option__delay(arg, &h->interval_ns))
		return refuse(st, "delay", DELAY_TAKES);
	collector__set_interval(time_travel__live(h), h->interval_ns);
	return true;
}

static bool run_save(struct host *h, const char *arg, struct status *st)
{
	save__view(h, *arg ? arg : NULL);
	return true;
}

static bool choose(struct host *h, enum choice what, const char *name, const char *arg,
		   struct status *st)
{
	struct screen *s = app__screen(h);
	int err = s->ops->choose ? s->ops->choose(s, what, arg, st) : -ENOTSUP;

	if (err == -ENOTSUP)
		status__set(st, EXIT_CODE_USAGE, err, "%s does nothing on this screen", name);
	h->dirty = true;
	return !err;
}

static bool run_group(struct host *h, const char *arg, struct status *st)
{
	if (view__check_groups(app__view(h), arg, st) || !choose(h, CHOICE_GROUP, "group", arg, st))
		return false;
	host__message(h, ROLE_OK, "grouped by %s", arg);
	return true;
}

static bool run_record(struct host *h, const char *arg, struct status *st)
{
	struct record_sink *sink = NULL;

	if (!*arg)
		return refuse(st, "record", "the name of a new file, or off");
	if (h->options->replay) {
		status__set(st, EXIT_CODE_USAGE, -EINVAL, "this is a replay: what is live can be recorded; :save FILE keeps "
			    "what is shown");
		return false;
	}
	if (strcmp(arg, "off")) {
		sink = record__to_file(h->options, arg, h->symbols, h->scope->text, st);
		if (!sink)
			return false;
	}
	collector__record(time_travel__live(h), sink);
	if (sink)
		host__message(h, ROLE_OK, "recording to %s; :record off ends it", arg);
	else
		host__message(h, ROLE_OK, "nothing is recorded any more");
	return true;
}

static bool run_baseline(struct host *h, const char *arg, struct status *st)
{
	if (!*arg)
		baseline__toggle(h);
	else if (!strcmp(arg, "set"))
		baseline__set(h);
	else if (!strcmp(arg, "off"))
		baseline__off(h);
	else
		baseline__read(h, arg);
	return true;
}

static bool run_keymap(struct host *h, const char *arg, struct status *st)
{
	struct keymap next = {.knows_section = h->keymap.knows_section};

	if (keymap__choose(&next, *arg ? arg : NULL, !h->options->no_config, st))
		return false;
	keymap__fini(&h->keymap);
	h->keymap = next;
	copy_str(h->keymap_name, sizeof(h->keymap_name), arg);
	host__message(h, ROLE_OK, "the keys are those of %s", *arg ? arg : keymap_names[0]);
	return true;
}

static bool run_theme(struct host *h, const char *arg, struct status *st)
{
	struct theme theme;

	if (theme__choose(&theme, *arg ? arg : NULL, !h->options->no_config, st))
		return false;
	h->ops->set_theme(h->term, &theme);
	h->canvas.edges = h->ops->edges(h->term);
	h->canvas.colourless = h->ops->colourless(h->term);
	copy_str(h->theme_name, sizeof(h->theme_name), arg);
	host__message(h, ROLE_OK, "the theme is %s", *arg ? arg : "as it was at first");
	return true;
}

static void add_value(const char *name, const char *help, const char *text, u32 cursor,
		      struct completions *out)
{
	if (!strncmp(name, text + out->start, cursor - out->start))
		completions__add(out, name, help);
}

static void complete_view(struct host *h, const char *text, u32 cursor, struct completions *out)
{
	for (u32 v = 0; v < VIEW_COUNT; v++)
		add_value(view_table[v]->name, view_table[v]->title, text, cursor, out);
	for (u32 p = 0; p < PANE_COUNT; p++)
		add_value(pane_table[p]->name, pane_table[p]->title, text, cursor, out);
}

static void complete_names(const char *const *names, const char *text, u32 cursor,
			   struct completions *out)
{
	for (; *names; names++)
		add_value(*names, "", text, cursor, out);
}

/* The last one of the list. */
static void complete_columns(struct host *h, const char *text, u32 cursor, struct completions *out)
{
	const struct screen *s = app__screen(h);
	const struct row_table *rows = s->ops->rows ? s->ops->rows(s) : NULL;
	u8 columns[ROW_TABLE_COLUMNS];
	u32 n = rows ? row_table__screen(rows, columns) : 0;

	for (u32 i = out->start; i < cursor; i++)
		if (text[i] == ',')
			out->start = i + 1;
	for (u32 i = 0; i < n; i++)
		add_value(rows->columns[columns[i]].name, rows->columns[columns[i]].help, text, cursor,
			  out);
}

/* The last of the keys that are there. */
static void complete_group(struct host *h, const char *text, u32 cursor, struct completions *out)
{
	const char *key = app__view(h)->groups;
	char name[64], action[80];

	for (u32 i = out->start; i < cursor; i++)
		if (strchr(",+", text[i]))
			out->start = i + 1;
	for (size_t len; *key; key += len + strspn(key + len, " ")) {
		len = strcspn(key, " ");
		snprintf(name, sizeof(name), "%.*s", (int)len, key);
		snprintf(action, sizeof(action), "group-%s", name);
		add_value(name, action_table[action__by_name(action)].help, text, cursor, out);
	}
}

/* --- what keys step through --- */

static bool run_window(struct host *h, const char *arg, struct status *st)
{
	if (!choose(h, CHOICE_WINDOW, "window", arg, st))
		return false;
	copy_str(h->window, sizeof(h->window), arg);
	return true;
}

static bool run_sort(struct host *h, const char *arg, struct status *st)
{
	return choose(h, CHOICE_SORT, "sort", arg, st);
}

static bool run_columns(struct host *h, const char *arg, struct status *st)
{
	if (!*arg && pick_columns__open(h))
		return true;
	return choose(h, CHOICE_COLUMNS, "columns", arg, st);
}

static bool run_graphs(struct host *h, const char *arg, struct status *st)
{
	u32 style = 0;

	while (graph_style_names[style] && strcmp(graph_style_names[style], arg))
		style++;
	if (style == GRAPH_STYLES)
		return !status__set(st, EXIT_CODE_USAGE, -EINVAL,
				    "\"%.80s\" is none of these: " GRAPHS_TAKE, arg);
	h->canvas.graphs = (enum graph_style)style;
	h->graphs_chosen = true;
	h->dirty = true;
	return true;
}

static bool run_mode(struct host *h, const char *arg, struct status *st)
{
	return choose(h, CHOICE_MODE, "mode", arg, st);
}

static bool run_idle(struct host *h, const char *arg, struct status *st)
{
	return choose(h, CHOICE_IDLE, "idle", arg, st);
}

static bool run_row(struct host *h, const char *arg, struct status *st)
{
	return choose(h, CHOICE_ROW, "row", arg, st);
}

static bool run_search(struct host *h, const char *arg, struct status *st)
{
	struct screen *s = app__screen(h);

	h->dirty = true;
	if (s->ops->search && s->ops->search(s, arg, 1))
		return true;
	status__set(st, EXIT_CODE_USAGE, -ENOENT, "no match for \"%.80s\"", arg);
	return false;
}

static bool run_save_config(struct host *h, const char *arg, struct status *st)
{
	save__config(h);
	return true;
}

static bool run_guide(struct host *h, const char *arg, struct status *st)
{
	if (dialog__open_guide(h, arg))
		return true;
	status__set(st, EXIT_CODE_USAGE, -ENOENT,
		    "the guide has no page with \"%.80s\" in its title; Tab lists them", arg);
	return false;
}

static void complete_guide(struct host *h, const char *text, u32 cursor, struct completions *out)
{
	char title[96];

	for (u32 i = 0; guide__title(i, title, sizeof(title)); i++)
		add_value(title, "", text, cursor, out);
}

static void complete_words(const char *words, const char *text, u32 cursor,
			   struct completions *out)
{
	char word[16];

	for (size_t n; *words; words += n + strspn(words + n, " ")) {
		n = strcspn(words, " ");
		copy_str(word, MIN(n + 1, sizeof(word)), words);
		add_value(word, "", text, cursor, out);
	}
}

static void complete_filter(struct host *h, const char *text, u32 cursor, struct completions *out)
{
	dialog__complete_filter(h, text, cursor, out);
}

static void complete_save(struct host *h, const char *text, u32 cursor, struct completions *out)
{
	dialog__complete_save(h, text, cursor, out);
}

static void complete_sort(struct host *h, const char *text, u32 cursor, struct completions *out)
{
	const struct screen *s = app__screen(h);
	const struct row_table *rows = s->ops->rows ? s->ops->rows(s) : NULL;

	for (u32 i = out->start; i < cursor; i++)
		if (text[i] == ' ') {
			out->start = i + 1;
			complete_words("down up", text, cursor, out);
			return;
		}
	for (u32 i = 0; rows && i < rows->ncolumns; i++)
		if (rows->columns[i].flags & COLUMN_SCREEN)
			add_value(rows->columns[i].name, rows->columns[i].help, text, cursor, out);
}

static bool run_preset(struct host *h, const char *arg, struct status *st)
{
	const struct preset *p = preset__by_name(arg);

	if (!p && question_library__find(arg))
		return ask__run(h, arg, st);
	if (!p)
		return refuse(st, "preset", "a tool's name (Tab, or proftop --list-presets)");
	if (view__index(p->view) < VIEW_COUNT)
		host__lead(h, p->view, p->group, p->sort, p->filter);
	else if (!run_view(h, p->view, st) || (*p->sort && !run_sort(h, p->sort, st)))
		return false;
	host__message(h, ROLE_OK, "%s: %s", p->name, p->help);
	return true;
}

static void complete_preset(struct host *h, const char *text, u32 cursor, struct completions *out)
{
	const struct known_question *k;

	for (u32 i = 0; i < presets_count; i++)
		add_value(preset_table[i].name, preset_table[i].help, text, cursor, out);
	for (u32 i = 0; (k = question_library__at(i)); i++)
		if (!preset__by_name(k->name))
			add_value(k->name, k->help, text, cursor, out);
}

static void complete_asked(struct host *h, const char *text, u32 cursor, struct completions *out)
{
	const struct ask_list *list = ask__asked(h);
	char number[16];

	for (u32 i = 0; list && i < list->n; i++) {
		snprintf(number, sizeof(number), "%u", i + 1);
		add_value(number, ask__text(list->v[i]), text, cursor, out);
	}
}

static const struct command commands[] = {
	{"view", "NAME", "switch to a view", run_view, complete_view},
	{"preset", "NAME", "what a tool that you know shows: opensnoop, biolatency (Tab)", run_preset,
	 complete_preset},
	{"filter", "[EXPR]", "look only at what matches; empty: everything", run_filter,
	 complete_filter},
	{"group", "KEY[,KEY...]", "group by these keys together: comm,symbol", run_group,
	 complete_group},
	{"freq", "HZ", "samples per second and CPU", run_freq, NULL},
	{"period", "N", "one sample every N events", run_period, NULL},
	{"event", "NAME", "sample another event", run_event, NULL},
	{"counters", "[EVENT,{EVENT,EVENT},...]", "count these, {} in groups; empty: the usual ones", counted__run,
	 NULL},
	{"delay", "SECONDS", "length of an interval", run_delay, NULL},
	{"goto", "TIME", "history: the interval at -90s, +10s, 14:05:33, start, end; live", time_travel__goto,
	 NULL},
	{"range", "FROM TO", "history: sum what is between two times", time_travel__range, NULL},
	{"ask", "[QUESTION]", "ask about events, or by a name; save NAME, delete NAME: of one's own",
	 ask__run, ask__complete},
	{"reask", "N QUESTION", "ask this in the place of the N-th question", ask__again, ask__complete},
	{"unask", "N", "ask the N-th question no more", ask__drop, complete_asked},
	{"function", "PATH:GLOB", "time the calls of functions; PATH: a program, a library or pid:N",
	 functions__pick, NULL},
	{"probes", "[PROGRAM]", "pick a function or static probe of a program, a library or pid:N",
	 probes__open, NULL},
	{"unfunction", "[N]", "the N-th functions that were picked no more; the last ones",
	 functions__drop, NULL},
	{"function-waits", "on|off", "split the time of calls: on CPU, run queue, waits by reason",
	 functions__set_waits, NULL},
	{"lock-orders", "on|off|!", "locks: see each mutex that is taken; !: whatever it takes of a CPU",
	 lock_orders__run, NULL},
	{"sample-bytes", "N|pages[:N]", "heap, kmem: one object every N bytes, 0: all; pages: no call, but memory",
	 sample_bytes__run, NULL},
	{"watch", "PLACE", "watch an address: PROGRAM:VARIABLE[.MEMBER][/LEN][:rwx][ if CONDITION], or 0xADDRESS",
	 watches__add, NULL},
	{"unwatch", "[N]", "the N-th of what is watched no more; the last one", watches__drop, NULL},
	{"record", "FILE|off", "write what is sampled to a new file", run_record, NULL},
	{"baseline", "[set|off|FILE|host=NAME]", "compare with this window, or all of a recording, from now on",
	 run_baseline, NULL},
	{"keymap", "[NAME|FILE]", "other keys", run_keymap, NULL},
	{"theme", "[NAME|FILE]", "other colours", run_theme, NULL},
	{"graphs", "NAME", "braille, blocks or ascii: what graphs are drawn with", run_graphs,
	 NULL},
	{"columns", "[NAME,NAME...|default]", "the columns of this listing, in their order; none: pick them",
	 run_columns, complete_columns},
	{"window", "NAME", "last (interval), decaying or total (since start)", run_window,
	 NULL},
	{"sort", "COLUMN [up|down]", "sort by a column, by its name in JSON", run_sort, complete_sort},
	{"mode", "NAME", "count both user and kernel code, user or kernel", run_mode, NULL},
	{"idle", "on|off", "count the idle task, show who waits idly", run_idle, NULL},
	{"search", "TEXT", "go to the next line that has it", run_search, NULL},
	{"row", "N", "go to the N-th row", run_row, NULL},
	{"tour", "[]", "the way from a finding to its cause, on a recording", tour__begin, NULL},
	{"guide", "[TITLE]", "pages of the guide: what to look at, by question", run_guide, complete_guide},
	{"save-config", "[]", "keep what is set now in ~/.config/proftop/config", run_save_config, NULL},
	{"save", "[FILE]", "save the view; the suffix picks the format", run_save, complete_save},
};

/* Values that commands choose among. */
static const struct values {
	const char *command, *words;
	const char *const *names; /* in the place of words; NULL at the end */
} values[] = {
	{"window", .words = "last decaying total"},
	{"mode", .words = "both user kernel"},
	{"idle", .words = "on off"},
	{"function-waits", .words = "on off"},
	{"lock-orders", .words = "on off !"},
	{"sample-bytes", .words = "0 65536 524288 pages pages:65536"},
	{"freq", .words = "49 99 199 499 999"},
	{"delay", .words = "0.1 0.5 1 2 5 10 60"},
	{"goto", .words = "live start end -10s -1m +10s +1m"},
	{"record", .words = "off"},
	{"baseline", .words = "set off"},
	{"keymap", .names = keymap_names},
	{"theme", .names = theme_names},
	{"graphs", .names = graph_style_names},
};

static const struct values *values_of(const struct command *c)
{
	for (u32 i = 0; i < ARRAY_SIZE(values); i++)
		if (!strcmp(values[i].command, c->name))
			return &values[i];
	return NULL;
}

/* False: nothing is known of the command's values. */
static bool complete_value(struct host *h, const struct command *c, const char *text, u32 cursor,
			   struct completions *out)
{
	const struct values *v = values_of(c);

	if (c->complete)
		c->complete(h, text, cursor, out);
	else if (v && v->names)
		complete_names(v->names, text, cursor, out);
	else if (v)
		complete_words(v->words, text, cursor, out);
	return c->complete || v;
}

/* The command whose name the line begins with; *arg is what follows. */
static const struct command *command_of(const char *line, const char **arg)
{
	size_t n = strcspn(line, " ");

	*arg = line + n + strspn(line + n, " ");
	for (u32 i = 0; i < ARRAY_SIZE(commands); i++)
		if (n == strlen(commands[i].name) && !strncmp(commands[i].name, line, n))
			return &commands[i];
	return NULL;
}

/* The only action that begins so, as "q" for quit. */
static enum action short_action(const char *word)
{
	enum action found = ACTION_NONE;

	for (u32 a = 1; a < ACTIONS; a++) {
		if (strncmp(action_table[a].name, word, strlen(word)))
			continue;
		if (found != ACTION_NONE)
			return ACTION_NONE;
		found = (enum action)a;
	}
	return found;
}

struct typed {
	const char *text;
	u32 n;
	bool within; /* as a part of the name or of what it does */
};

static bool fits(const struct typed *t, const char *name, const char *help)
{
	char part[64];

	if (!t->within)
		return !strncmp(name, t->text, t->n);
	copy_str(part, MIN(sizeof(part), t->n + 1ul), t->text);
	return strcasestr(name, part) || strcasestr(help, part);
}

static void complete_command(const struct typed *t, struct completions *out)
{
	char name[64];

	for (u32 i = 0; i < ARRAY_SIZE(commands); i++) {
		snprintf(name, sizeof(name), "%s%s", commands[i].name,
			 strcmp(commands[i].takes, "[]") ? " " : "");
		if (fits(t, name, commands[i].help))
			completions__add(out, name, commands[i].help);
	}
	for (u32 a = 1; a < ACTIONS; a++)
		if (fits(t, action_table[a].name, action_table[a].help) &&
		    !completions__add(out, action_table[a].name, action_table[a].help))
			return;
}

#define WORD_MIN 3 /* shorter ones are parts of nearly everything */

void palette__complete(void *ctx, const char *text, u32 cursor, struct completions *out)
{
	struct typed typed = {text, cursor, false};
	const char *arg;
	const struct command *c = command_of(text, &arg);

	if (c && cursor >= arg - text && cursor > strlen(c->name)) {
		out->start = (u32)(arg - text);
		if (complete_value(ctx, c, text, cursor, out))
			return;
	}
	out->start = 0;
	complete_command(&typed, out);
	typed.within = true;
	if (!out->n && cursor >= WORD_MIN)
		complete_command(&typed, out);
}

static bool to_line(struct host *h, u32 n, struct status *st)
{
	if (app__action_times(h, ACTION_HOME, n))
		return true;
	status__set(st, EXIT_CODE_USAGE, -EINVAL, "there is no line %u on this screen", n);
	return false;
}

bool palette__run(struct host *h, const char *line, struct status *st)
{
	const struct command *c;
	enum action action;
	const char *arg;
	char word[64];

	line += strspn(line, " ");
	copy_str(word, MIN(strcspn(line, " ") + 1, sizeof(word)), line);
	c = command_of(line, &arg);
	action = action__by_name(word);
	if (!word[0])
		return true;
	if (strspn(word, "0123456789") == strlen(word))
		return to_line(h, (u32)MIN(strtoul(word, NULL, 10), 9999UL), st);
	/* "window" steps on, "window total" sets it. */
	if (c && (*arg || c->takes[0] == '[' || action == ACTION_NONE))
		return c->run(h, arg, st);
	if (action == ACTION_NONE)
		action = short_action(word);
	if (action == ACTION_NONE) {
		status__set(st, EXIT_CODE_USAGE, -EINVAL, "unknown command \"%.40s\"; Tab, or proftop --list-words, lists them",
			    line);
		return false;
	}
	if (app__action(h, action))
		return true;
	status__set(st, EXIT_CODE_USAGE, -EINVAL, "%s does nothing on this screen",
		    action_table[action].name);
	return false;
}

static void print_word(FILE *out, const char *name, const char *takes, const char *help)
{
	char both[64];

	snprintf(both, sizeof(both), "%s%s%s", name, strcmp(takes, "[]") ? " " : "",
		 strcmp(takes, "[]") ? takes : "");
	fprintf(out, "%-26s %s\n", both, help);
}

void palette__print(FILE *out)
{
	for (u32 i = 0; i < ARRAY_SIZE(commands); i++)
		print_word(out, commands[i].name, commands[i].takes, commands[i].help);
	for (u32 a = 1; a < ACTIONS; a++)
		print_word(out, action_table[a].name, "[]", action_table[a].help);
}
