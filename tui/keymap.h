/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Key bindings: text files. Those in keymaps/ are compiled in and have names; a person's own are
 * read over one of them by the same parser. Lines:
 *
 *	base NAME           begin with that keymap instead of what was read before; first of all;
 *	                    NAME is a compiled-in one, or "none"
 *	[section]           global, or a view's or screen's name
 *	KEY  ACTION         '#' begins a comment; ACTION "none" unbinds, "inherit" takes the
 *	                    section's own binding away, so that of the one around it holds
 *	KEY KEY ACTION      the second after the first; what the first one does alone waits for a
 *	                    moment, or is done at once by pressing it again, or Enter
 *
 * A key is looked up in the screen's section, then its view's, then global. A file that binds a
 * key of one section twice is wrong. The help is made from these rows and from actions.def, so it
 * cannot drift.
 */
#ifndef TUI_KEYMAP_H
#define TUI_KEYMAP_H

#include "base/status.h"

enum action {
	ACTION_NONE,
#define ACTION(id, name, help) ACTION_##id,
#include "tui/actions.def"
#undef ACTION
	ACTION_SHOW_FIRST, /* view-NAME of each view, in the order of views.def */
	ACTION_BEFORE_SHOW = ACTION_SHOW_FIRST - 1,
#define VIEW(key, id, name) ACTION_SHOW_##id,
#include "tui/views.def"
#undef VIEW
	ACTIONS
};

struct action_info {
	const char *name; /* in keymaps and the palette: "sort-next" */
	const char *help; /* one line */
};
extern const struct action_info action_table[ACTIONS];

enum action action__by_name(const char *name);

struct binding {
	char section[24];
	int first; /* pressed before the key; 0: the key stands alone */
	int key;
	enum action action;
	bool inherits; /* as if the row was not there */
	u32 line;      /* in the file that was read last; 0: in an earlier one */
};

struct keymap {
	struct binding *rows;
	u32 n;
	/* The caller's to set: whether a section is anybody's; NULL: any is. */
	bool (*knows_section)(const char *section);
	bool base_named; /* the caller's to set: what it begins with was said, `base` is passed over
			  */
};

/* Compiled in, the default first, NULL-terminated. */
extern const char *const keymap_names[];

/* The rows of the default. */
void keymap__init(struct keymap *k);
void keymap__fini(struct keymap *k);
/* The rows of a compiled-in one instead of the present ones, "none": no rows; false for another
 * name. */
bool keymap__base(struct keymap *k, const char *name);
/* Reads rows over the present ones. Errors name file, line and what is wrong; the keymap is
 * then unchanged. found: as in tui/text_file.h. */
int keymap__read(struct keymap *k, const char *path, bool found, struct status *st);
int keymap__parse(struct keymap *k, const char *text, size_t len, const char *name,
		  struct status *st);
/*
 * What a person has: the compiled-in keymap `choice`, or the default, with their own file `keys`
 * read over it; then `choice` when it is a file, or the name of an own one, NAME.keys. choice
 * NULL: none. own false: no own files. On errors the keymap is empty.
 */
int keymap__choose(struct keymap *k, const char *choice, bool own, struct status *st);
/* sections: innermost first, NULL-terminated. ACTION_NONE when unbound. */
enum action keymap__lookup(const struct keymap *k, const char *const *sections, int key);
/* Likewise of a key after another one. *bound: there is such a row, be its action none. */
enum action keymap__lookup_after(const struct keymap *k, const char *const *sections, int first,
				 int key, bool *bound);
/* Whether any key does something after this one. */
bool keymap__has_after(const struct keymap *k, const char *const *sections, int first);
/* First key bound to an action in these sections, 0 none: for hints and help. */
int keymap__key_of(const struct keymap *k, const char *const *sections, enum action a);

#endif
