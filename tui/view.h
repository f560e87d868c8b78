/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Views and their screens. A view is a tab; it opens a root screen, and drilling in pushes
 * further screens on the view's stack (Esc pops, with the place kept). UI thread only.
 *
 * Screens never collect and never wait: what takes time is posted as a job (base/worker.h)
 * whose result comes back by done() on the UI thread.
 *
 * To add a view over existing models: 1. tui/views/<name>.c with a const struct view_ops;
 * 2. a row in tui/views.def; 3. its keys, if any, in keymaps/default.keys; 4. a golden in
 * tests/render or a script in tests/script; 5. a page of docs/GUIDE.md that names it.
 */
#ifndef TUI_VIEW_H
#define TUI_VIEW_H

#include "base/worker.h"
#include "export/export.h"
#include "samples/snap.h"
#include "scope/scope.h"
#include "models/profile.h" /* enum time_window */
#include "tui/keymap.h"
#include "widgets/cells.h"
#include "widgets/input.h"

struct host; /* the app, as views see it; functions below */
struct symbols;

struct screen;
struct view_ops;

/* What keys step through, and words set by name. */
enum choice {
	CHOICE_GROUP,  /* KEY[,KEY...], which the view has */
	CHOICE_WINDOW, /* last, decaying, total */
	CHOICE_SORT,   /* COLUMN [up|down] */
	CHOICE_MODE,   /* both, user, kernel */
	CHOICE_IDLE,   /* on, off */
	CHOICE_ROW,    /* its number, from 1 */
	CHOICE_COLUMNS, /* names in their order, commas between; "default" */
};

enum search_step { SEARCH_BEGIN, SEARCH_TYPED, SEARCH_CANCELLED };

struct screen_ops {
	const char *section; /* of its keys in the keymap, beside its view's; NULL none */
	u64 models;	     /* bit per model_id it needs beside its view's, as long as it is there */
	void (*free)(struct screen *s);
	/* A new frame, scope or resolved name: post what has to be computed. */
	void (*update)(struct screen *s);
	void (*draw)(struct screen *s, struct canvas *c, struct rect area);
	/* False: not its key (the app says what to press). */
	bool (*action)(struct screen *s, enum action a);
	void (*mouse)(struct screen *s, const struct input *in);
	/* Optional. 0; -ENOTSUP: this screen has no such choice; -EINVAL with st saying what it
	 * takes. */
	int (*choose)(struct screen *s, enum choice what, const char *value, struct status *st);
	/* Optional: the rows that are shown, for the names of their columns; NULL none yet. */
	const struct row_table *(*rows)(const struct screen *s);
	/* One line each, "" none: where one is; the whole name of what is selected. */
	void (*crumb)(const struct screen *s, char *buf, size_t size);
	void (*selection)(const struct screen *s, char *buf, size_t size);
	/* Optional: what it is narrowed to by a drill, borrowed; NULL: the host's scope. */
	const struct scope *(*scope)(const struct screen *s);
	/* Optional: what the screen knows better than the collector (broken stacks need names). */
	void (*health)(const struct screen *s, struct health *h);
	/* Search text was typed; false when nothing matches. */
	bool (*search)(struct screen *s, const char *text, int dir);
	/* Optional: the function that is selected, symbols' id; 0: it is none. */
	u32 (*function)(const struct screen *s);
	/* Optional: the name of the function that the selected row is of, where it is no symbols', after the
	 * process in which it was met ("pid:N:NAME") where that is known; false: it is of none. */
	bool (*called)(const struct screen *s, char *buf, size_t size);
	/* Optional: the address that the selected row is about, as :watch takes it; false: it is about none. */
	bool (*watched)(const struct screen *s, char *buf, size_t size);
	/* Optional: moves while the text is typed, and back when that is cancelled; false when nothing
	 * matches. text: of SEARCH_TYPED. */
	bool (*search_typed)(struct screen *s, enum search_step step, const char *text);
	/* The term that would exclude the selected row, e.g. "!pid=12"; false when none. */
	bool (*exclude)(const struct screen *s, char *buf, size_t size);
	/* Optional: which question (:ask) the selected row answers, or the screen; NULL: none. */
	const struct measure *(*question)(const struct screen *s);
	/* Everything it shows, for the snapshot keys; false when it has nothing. The report
	 * borrows from the screen until the next call into it. */
	bool (*report)(struct screen *s, struct report *r);
	/* Nothing it posted is still under way. */
	bool (*settled)(const struct screen *s);
	/* Optional: where Enter leads from the row under the cursor, as in "callers"; "" nowhere, or
	 * tui/hints.def says it. */
	void (*leads)(const struct screen *s, char *buf, size_t size);
	/* Optional: what rows are grouped by, the first key of several, "" by nothing; NULL: the cursor is
	 * on no row, or of none that could be grouped. */
	const char *(*grouped)(const struct screen *s);
	/* Actions worth a hint in the bottom line, most useful first, ends with ACTION_NONE. */
	const enum action *hints;
};

/* First member of every screen. */
struct screen {
	const struct screen_ops *ops;
	struct host *host;
	struct screen *below; /* what Esc goes back to */
	const struct view_ops *pane; /* which one it is; NULL: none, what it has is its view's */
	u64 helps; /* bit per model_id that would tell it more at present; it may change */
};

/* What is compared with. */
struct baseline {
	const struct frame *frame; /* a reference; frozen, or the last one of a recording */
	const char *file;	   /* the recording, as it was named; NULL: frozen here */
};

/* What batch mode and the options hand to a view; a value. */
struct view_args {
	const char *group; /* --group: keys with ',' or '+' between, NULL default */
	const char *sort;  /* batch: --sort, as it is given; NULL: rows as they come */
	const struct baseline *baseline; /* batch: what to compare with; NULL nothing */
	const struct measure *question; /* views of questions: the screen of this one alone; NULL: all */
};

struct view_ops {
	const char *name;  /* -V NAME, the tab */
	const char *title; /* one line for --list-views and the picker */
	u64 models;	   /* bit per model_id it needs */
	bool active_only; /* threads that sleep all the time say nothing to it (struct sampling) */
	bool rests_at_once; /* its models are not kept for a while when it is left */
	u64 also;	   /* beside those in batch mode, where a screen asks when it helps */
	enum model_id feed; /* whose health the bottom line shows */
	const char *screens; /* keymap sections of what it drills into, blank-separated; NULL none */
	u32 terms; /* SCOPE_TERM_*: those that it can apply, see view__terms() */
	const char *labels; /* those that it applies where they are terms, blank-separated; NULL none */
	const char *groups; /* keys of --group, blank-separated, default first; "" none */
	bool one_group;	    /* by one of them at a time */
	bool any_group;	    /* what else there is questions say: names that none has are ignored */
	u32 offers;	    /* bit per enum export_need: what its reports have beside rows, and stacks
			       where they are a group */
	const void *of; /* what the next two make it of */
	struct screen *(*open)(const struct view_ops *v, struct host *h,
			       const struct view_args *args);
	/* Batch: the report of one frame; synchronous, any thread. 0, or -ENODATA when the
	 * frame has nothing for it. report_free releases it. */
	int (*report)(const struct view_ops *v, const struct frame *f, const struct view_args *args,
		      const struct scope *scope, struct report *r);
	void (*report_free)(struct report *r);
	/* Whether this view's numbers are out of the ordinary: its tab is marked. */
	bool (*alert)(const struct frame *f);
};

enum view_id {
#define VIEW(key, id, name) VIEW_##id,
#include "tui/views.def"
#undef VIEW
	VIEW_COUNT
};
extern const struct view_ops *const view_table[VIEW_COUNT];
extern const u8 view_keys[VIEW_COUNT]; /* 0 to 9, or a letter */

/* Panes: what a view shows on a key, with rows of its own; a view_ops too, for --view and batch
 * mode, but no tab. */
enum pane_id {
#define PANE(of, ops) PANE_##ops,
#include "tui/panes.def"
#undef PANE
	PANE_COUNT
};
extern const struct view_ops *const pane_table[PANE_COUNT];

/* A view or a pane; NULL when there is none of that name. */
const struct view_ops *view__by_name(const char *name);
/* All names, blanks between. */
const char *view__names(char *buf, size_t size);
/* Whether a view groups by these keys ("comm,symbol", '+' does too): -EINVAL with st saying
 * which it does not, which is there twice, or that one is all it takes. */
int view__check_groups(const struct view_ops *v, const char *keys, struct status *st);
/* SCOPE_TERM_*: those that it can apply, all others are refused, or noted. What has rows by stack can be
 * filtered by what is in it. */
u32 view__terms(const struct view_ops *v);
/* Whether a view applies all that a scope asks for: -EINVAL with st naming the terms that it
 * does not, and the views that do. */
int view__check_terms(const struct view_ops *v, const struct scope *s, struct status *st);
/* Names of the terms that a view does not apply, "state= file~"; "" it applies all. */
const char *view__unapplied(const struct view_ops *v, const struct scope *s, char *buf, size_t size);
/* Whether reports of a view have what a format is made from: -EOPNOTSUPP with st saying what is
 * missing. */
int view__check_format(const struct view_ops *v, const struct export_format *f, struct status *st);
/* Of a pane: the view that it is on. VIEW_COUNT when there is none of that name. */
enum view_id view__index(const char *name);
/* The view that ACTION_VIEW_0 and its like, or ACTION_SHOW_FIRST and those after it, open;
 * VIEW_COUNT: none has that number. */
enum view_id view__of_action(enum action a);
/* By its number or letter; VIEW_COUNT: none. */
enum view_id view__of_key(int key);
const char *view__key_text(enum view_id v, char *buf, size_t size);
/* Whether a keymap section is anybody's: "global", a view's or a screen's. */
bool view__knows_section(const char *section);

/* --- what a screen may ask of the host --- */

const struct frame *host__frame(const struct host *h); /* newest shown; NULL at first */
/* What the view's source says of itself, such as what it cannot see, where the line of tabs has no room for all of
 * it; NULL: nothing, or it stands there. While drawing. */
const char *host__note(const struct host *h);
const struct baseline *host__baseline(const struct host *h); /* NULL: there is none */
bool host__paused(const struct host *h); /* no further frame is shown for now */
bool host__past(const struct host *h);	 /* what is shown is of the history kept in memory */
struct symbols *host__symbols(const struct host *h);
const struct scope *host__scope(const struct host *h);
void host__post(struct host *h, struct job *j);
void host__redraw(struct host *h);
/*
 * What answers cost is bounded. Told what one took, the host says whether it is too soon to ask
 * the same again only because of a newer frame or of names known by now: such answers take
 * HOST_ANSWERS_PCT of a CPU at most. What a key asks for is asked at once.
 */
#define HOST_ANSWERS_PCT 5
void host__answered(struct host *h, u64 cpu_ns);
bool host__too_soon(const struct host *h);
/* A line at the bottom until the next key. */
void host__message(struct host *h, enum role role, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* What failed; without a screen it ends proftop, with st's exit code. */
void host__error(struct host *h, const struct status *st);
/* Drills: the screen is freed by the host when one goes back. */
void host__push(struct host *h, struct screen *s);
void host__pop(struct host *h);
/*
 * Questions over the view. Texts are copied; ctx is malloc'ed and becomes the host's: it is freed
 * behind the answer, or when there is none. The screen may be gone by then.
 */
struct menu_item {
	const char *text, *detail; /* detail: NULL none */
	u32 value;
};
void host__menu(struct host *h, const char *title, const struct menu_item *items, u32 n,
		void (*picked)(struct host *h, void *ctx, u32 value), void *ctx);
/* yes: 1; the first answer is no. */
void host__confirm(struct host *h, const char *question,
		   void (*picked)(struct host *h, void *ctx, u32 yes), void *ctx);
void host__ask(struct host *h, const char *label, const char *text,
	       void (*given)(struct host *h, void *ctx, const char *text), void *ctx);
/* Leads to another view with this term in the place of those of these names; false: there is none. */
bool host__look_at(struct host *h, const char *view, const char *names, const char *term);
/* Whether what is shown is this machine as it is now: no replay, no history. */
bool host__is_live(const struct host *h);
/* What is shown is live on another machine. */
bool host__is_elsewhere(const struct host *h);
/* To another view's rows, grouped (NULL: as they are), sorted ("": likewise) and filtered like that; going
 * back from there leads here again, with the filter as it was. */
void host__lead(struct host *h, const char *view, const char *group, const char *sort,
		const char *filter);
/* The columns that are chosen for a listing, "" none; false: there is no room to keep them. */
#define COLUMN_NAMES 256
void host__columns(const struct host *h, const struct screen *s, char buf[COLUMN_NAMES]);
bool host__set_columns(struct host *h, const struct screen *s, const char *names);
/* Switches the sampling of the idle task. */
bool host__toggle_idle(struct host *h);
bool host__idle(const struct host *h);
/* Has each lock seen that is taken, or no more (lock_orders.c). */
bool host__toggle_lock_orders(struct host *h);
/* The command that says how many of what is held are followed, in the prompt (sample_bytes.c). */
bool host__offer_sample_bytes(struct host *h);
/* A window by what --window and the palette call it, WINDOW_NAMES; WINDOWS: none has that name. */
enum time_window window__by_name(const char *name);
#define WINDOW_NAMES "last, decaying or total"
/* "on" or "off" into *on; -EINVAL with st. */
int choice__on(const char *value, bool *on, struct status *st);
int choice__refuse(struct status *st, const char *value, const char *takes); /* -EINVAL */
/* Asks a question (:ask) and shows its answers, or says why not. */
void host__question(struct host *h, const char *text);
/* Asks this one in its place with one more condition: that @what, an expression of its event, has this value. */
void host__narrow_question(struct host *h, const struct measure *m, const char *what, const char *value,
			   bool is_text);
/* Code of a function, `offset` from its begin, as :watch takes it; false: it is in no file, or has no name there. */
bool host__code_place(const struct host *h, u32 func, u64 offset, char *buf, size_t size);
/* Has every change of one thread's state told, 0: of none. */
void host__watch(struct host *h, u32 tid);
/* Key bound to an action in the present screen, as text; "" none. */
const char *host__key(const struct host *h, enum action a, char *buf, size_t size);

#endif
