/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The app: the UI thread's state and loop. Its parts: loop.c (waits, events), app.c (what screens
 * ask, views, commands to the collector), chrome.c (vital signs, bottom lines), tabs.c, dialog.c (prompts and help over the
 * view), pick.c (pickers), palette.c (the : commands), save.c (snapshots), baseline.c,
 * time_travel.c, guide.c, tour.c, probes.c, hints.c (the last line). Only they see inside.
 */
#ifndef TUI_APP_H
#define TUI_APP_H

#include "base/arena.h"
#include "pipeline/collector.h"
#include "samples/vitals.h"
#include "scope/filter.h"
#include "scope/proclist.h"
#include "sources/event_samples.h"
#include "tui/columns.h"
#include "tui/guide.h"
#include "tui/keymap.h"
#include "tui/options.h"
#include "tui/time_travel.h"
#include "tui/term.h"
#include "tui/tour.h"
#include "tui/view.h"
#include "widgets/help.h"
#include "widgets/picker.h"
#include "widgets/prompt.h"

#define LOOKED_AT 160

enum dialog { DIALOG_NONE, DIALOG_FILTER, DIALOG_SEARCH, DIALOG_PALETTE, DIALOG_SAVE, DIALOG_ASK,
	      DIALOG_PICK_VIEW, DIALOG_PICK_PROCESS, DIALOG_PICK_CGROUP, DIALOG_PICK_PROGRAM, DIALOG_PICK_PROBE,
	      DIALOG_PICK_QUESTION,
	      DIALOG_MENU, DIALOG_PICK_COLUMNS, DIALOG_HELP, DIALOG_GUIDE };

/* A screen's question: items to pick from, or a line of text. */
struct host_menu {
	struct arena arena; /* of the texts */
	const char *title, *text;
	const struct menu_item *items;
	u32 n;
	void (*picked)(struct host *h, void *ctx, u32 value);
	void (*given)(struct host *h, void *ctx, const char *text);
	void *ctx; /* owned */
};

/* A view that was left goes on gathering for so long: who flips between views loses nothing,
 * and what nobody looks at costs nothing. Where memory is little there is room for one at a time. */
#define VIEW_REST_NS (60 * NSEC_PER_SEC)

struct host {
	const struct options *options;
	const struct term_ops *ops;
	struct term *term;
	struct canvas canvas;
	struct keymap keymap;
	struct symbols *symbols;
	struct collector *collector; /* of what is shown */
	struct player *player;	     /* of a replay; NULL live */
	struct time_travel time_travel;
	struct tour tour;
	bool manual; /* a script's clock */
	struct worker *queries; /* what screens ask of models */
	struct worker *lists;	/* what reads /proc and cgroupfs */
	struct child *child;	/* of `-- COMMAND`, NULL none */

	const struct frame *frame; /* shown */
	const struct frame *held;  /* newest while paused */
	bool paused;
	struct baseline baseline; /* frame NULL: none */
	double speed;	   /* of a replay */
	char recording_error[200]; /* as reported last */
	const struct scope *scope;
	struct sampling sampling;
	u64 interval_ns;

	/* As chosen last, for the configuration; "" the default. */
	char keymap_name[256], theme_name[256], window[16];
	char columns[COLUMNS_TEXT]; /* of listings: tui/columns.h */
	bool graphs_chosen; /* what they are drawn with is no default */
	const char *const *commands; /* what is to be done: of --do, or of the tour's step */
	u32 ncommands;
	u32 command;	     /* the next one of those */
	size_t command_at;   /* where its next words begin */
	u64 command_from_ns; /* when the last ones were run; 0 none yet */
	u64 command_view_ns; /* when they changed the view */
	u64 command_rows_ns; /* since when the view has had a frame; 0: it has none */
	u64 began_ns;	  /* when the loop did */

	enum view_id view;
	struct screen *stacks[VIEW_COUNT]; /* top of each; NULL not opened yet */
	u64 left_ns[VIEW_COUNT]; /* time of the frame when it was left */
	enum view_id led_from;	 /* by host__lead; VIEW_COUNT: by nothing */
	char *led_filter;	 /* that was in force then */
	u64 wanted;		 /* by them and the vital signs: bit per model_id */
	u64 always;		 /* of those: whatever is shown */

	enum dialog dialog;
	struct prompt prompt;
	struct prompt_history histories[DIALOG_HELP];
	struct picker picker;
	struct host_menu menu;
	struct pick_list *list; /* NULL until read */
	char probes_of[4096];	/* DIALOG_PICK_PROBE: whose, a path or pid:N */
	struct proc_usage *usage; /* CPU that processes had used by then; NULL not known */
	u64 list_due_ns;
	bool list_asked;
	struct help help;
	struct help_row *help_rows;
	u32 nhelp_rows;
	struct arena help_arena;
	struct arena watch_arena; /* texts that sources of any age refer to: as long as the session */
	struct guide_text guide; /* below the keys, or alone */
	char guide_topic[64];	 /* of pages that were asked for by title; "" those of the view */

	char refused[256]; /* by the collector, as reported last */
	/* The event that was looked at last, when, what is said of it (text "": nothing yet), and what its
	 * fields were. */
	struct {
		char event[LOOKED_AT], text[64];
		enum role role;
		u64 ns;
		struct event_samples samples;
	} look;
	/* The question that is being written, when a key was last pressed, and what was made of it. */
	struct {
		struct worker *worker; /* NULL: not needed yet */
		char *text;	       /* NULL: none is written */
		u64 typed_ns;
		bool begun; /* it was posted to the worker */
		const struct ask *draft;
	} prepare;
	const struct ask_list *asks_before; /* what is in force where the last change was refused */
	const struct func_list *functions_before; /* likewise */
	char message[512];
	enum role message_role;
	enum exit_code message_code; /* of an error without a screen */
	bool dirty, quit;
	bool hints_shown; /* in the last line; else a message is there */
	bool note_cut;	  /* the line of tabs has no room for all that the view's source says of itself */
	u32 count;	     /* as typed before a key; 0: none */
	int first_key;	     /* of two: the next one ends it; 0: none is pressed */
	u64 first_key_ns;    /* when it was */
	/* Names trickle in for each new address: looked at a few times a second, not at each. */
	bool names_due;
	u64 names_seen_ns;
	u64 results_due_ns; /* when the same may be asked again: host__too_soon */
	int exit_code;
};

/* --- loop.c --- */

/* Runs the UI until it is quit; returns the exit code. The terminal is restored. */
int app__run(struct host *h);

/* --- app.c --- */

/* f's reference is taken over. */
void app__show_frame(struct host *h, const struct frame *f);
/* False: the action does not apply here. */
bool app__action(struct host *h, enum action a);
/* Likewise, that often; home and end lead to the line of that number. n 0: no count was given. */
bool app__action_times(struct host *h, enum action a, u32 n);
void app__show_view(struct host *h, enum view_id v);
/* Parses, resolves and applies an expression; in the background, errors as messages. What matches
 * is looked at from the next tick on. `seen`: it is of what is on the screen, which need not be
 * there any more. */
void app__apply_filter(struct host *h, const char *expr, bool seen);
void app__set_sampling(struct host *h, const struct sampling *s);
struct screen *app__screen(const struct host *h);
const struct view_ops *app__view(const struct host *h); /* or pane that is on the screen */
/* Sections to look keys up in; out holds 4. */
void app__sections(const struct host *h, const char **out);

/* --- chrome.c --- */

#define SCREEN_MIN_W  40
#define SCREEN_MIN_H  8

void chrome__draw(struct host *h);
/* What the tab or the hint there does, ACTION_NONE none. */
enum action chrome__action_at(const struct host *h, int x, int y);

/* --- dialog.c --- */

void dialog__open(struct host *h, enum dialog d);
/* The palette, with a line to begin with. */
void dialog__offer(struct host *h, const char *line);
void dialog__close(struct host *h);
/* Pages of the guide whose titles have these letters, "" all; false: there are none. */
bool dialog__open_guide(struct host *h, const char *title);
/* True when the dialog took the event. */
bool dialog__input(struct host *h, const struct input *in);
void dialog__draw(struct host *h);

/* --- pick.c: the dialogs that are pickers --- */

bool pick__is(enum dialog d);
void pick__open(struct host *h);
void pick__close(struct host *h);
/* True when the picker is done with: what was picked is applied. */
bool pick__input(struct host *h, const struct input *in);
void pick__draw(struct host *h, struct rect area);
/* Reads an open picker's list again when it is due. */
void pick__refresh(struct host *h);

/* --- pick_columns.c: those of a listing --- */

/* False: what is shown has no columns to pick from. */
bool pick_columns__open(struct host *h);
/* A menu of the columns that are shown; false: this screen has none. */
bool pick_sort__open(struct host *h);
struct picker_source pick_columns__source(struct host *h);
/* True: it was a key that shows, hides or moves a column. */
bool pick_columns__input(struct host *h, const struct input *in);

/* --- menu.c: questions of screens --- */

struct picker_source menu__source(struct host *h);
void menu__picked(struct host *h, u32 i);
void menu__given(struct host *h, const char *text);
void menu__close(struct host *h);

/* --- baseline.c: what screens compare with --- */

/* Freezes the window that is shown; with one set, takes it off. */
void baseline__toggle(struct host *h);
void baseline__set(struct host *h);
/* A recording, in the background; what is wrong with it is told. */
void baseline__read(struct host *h, const char *path);
void baseline__off(struct host *h);

/* --- palette.c --- */

/* What completes filters and names of files, in prompts of their own and as values. */
void dialog__complete_filter(void *host, const char *text, u32 cursor, struct completions *out);
void dialog__complete_save(void *host, const char *text, u32 cursor, struct completions *out);
void palette__complete(void *host, const char *text, u32 cursor, struct completions *out);
/* False: st says what is wrong. */
bool palette__run(struct host *h, const char *line, struct status *st);
/* All words, a line each, with what they take and do. */
void palette__print(FILE *out);

/* --- ask.c: questions --- */

/* As commands of the palette; false: st says what is wrong. */
bool ask__run(struct host *h, const char *text, struct status *st);
bool ask__drop(struct host *h, const char *number, struct status *st);
bool ask__again(struct host *h, const char *number_and_text, struct status *st);
/* A question, or the name of one: compiled in, or of the user's own unless there is no configuration. What
 * is named twice is said in the log. NULL: st says what is wrong. */
const struct ask *ask__find(const struct options *o, const char *text, struct status *st);
/* Likewise, for whoever only may ask it: a draft of its own. Any thread. */
const struct ask *ask__find_draft(const struct options *o, const char *text, struct status *st);
/* What is asked now, but for what the collector refused. NULL: nothing. */
const struct ask_list *ask__asked(const struct host *h);
/* What follows a word, NULL when the text does not begin with it. */
const char *ask__behind(const char *text, const char *word);
/* The prompt with the question of the row. False: there is none. */
bool ask__edit(struct host *h);
void ask__complete(struct host *h, const char *text, u32 cursor, struct completions *out);
/* Has an event looked at that a question which is being written is about: h->look. */
void ask_look__at(struct host *h, const char *event);
void ask_look__forget(struct host *h);
/* What is known of it, at the right end of the prompt's line, where there is room. */
void ask_look__draw(struct host *h);

/* --- ask_prepare.c: what a question needs is made ready while it is written --- */

/* In each turn of the loop, and milliseconds until it is due again; -1: nothing is. */
void ask_prepare__look(struct host *h);
int ask_prepare__wait_ms(const struct host *h);
/* What was made of this text, asked from now on; NULL: nothing. */
const struct ask *ask_prepare__take(struct host *h, const char *text);
void ask_prepare__fini(struct host *h);

/* --- functions.c: functions whose calls are timed; likewise --- */

bool functions__pick(struct host *h, const char *text, struct status *st);
bool functions__drop(struct host *h, const char *number, struct status *st);
bool functions__set_waits(struct host *h, const char *on, struct status *st);

/* --- counted.c --- */

bool counted__run(struct host *h, const char *arg, struct status *st);

/* --- lock_orders.c --- */

bool lock_orders__run(struct host *h, const char *arg, struct status *st);

/* --- sample_bytes.c --- */

bool sample_bytes__run(struct host *h, const char *arg, struct status *st);

/* --- probes.c: what can be done with a function or a static probe --- */

struct probe_item;
/* A menu for the function under the cursor; where none is, the picker. Always true, as an action is. */
bool probes__offer(struct host *h);
/* The picker for a program, library or pid:N; "": for the process of the filter, or one that is picked first. False: st
 * says why not. */
bool probes__open(struct host *h, const char *where, struct status *st);
void probes__picked(struct host *h, const struct probe_item *p);

/* --- watches.c: addresses that are watched; likewise --- */

bool watches__add(struct host *h, const char *text, struct status *st);
bool watches__drop(struct host *h, const char *number, struct status *st);
/* The command for what the row under the cursor is about, in the prompt, to be changed or run as it is. */
void watches__offer(struct host *h);

/* --- commands.c: what --do says --- */

/* In the place of what there was; the list is borrowed. */
void commands__set(struct host *h, const char *const *list, u32 n);
/* Once a turn of the loop, before the others. */
void commands__look(struct host *h);
/* Something is left, and what has to be there for it is there: `idle` is whether all that is on its
 * way is shown. */
bool commands__due(const struct host *h, bool idle);
/* It is waited for what the last ones led to. */
bool commands__waits(const struct host *h);
/* None is left, and what the last ones led to is there. */
bool commands__over(const struct host *h, bool idle);
/* Runs the next words; when they fail, that is said, and the rest is forgotten. */
void commands__next(struct host *h);

/* --- headless.c: batch mode after --do, on a screen that nobody sees --- */

bool headless__is(const struct host *h);
/* Ends the loop when the words are through, with a report of what they led to in the formats that
 * were asked for; says on stderr what went wrong. */
void headless__step(struct host *h, bool idle);

/* --- save.c --- */

/* path NULL: proftop-VIEW-DATE.txt in the current folder. Says how it went. */
void save__view(struct host *h, const char *path);
/* What is set now, to one's own configuration. Says how it went. */
void save__config(struct host *h);
/* Calls use with the report of what is shown, and behind it those of the other open views; false:
 * what is shown has nothing to report. */
bool save__reports(struct host *h, void (*use)(struct host *h, struct report *r));
/* Each open view to a new file, as options.snapshot says; one file when it takes several. */
void save__snapshots(struct host *h);

#endif
