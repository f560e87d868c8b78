/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Key bindings: text files (keymaps/default.keys is compiled in, --keymap FILE and
 * $XDG_CONFIG_HOME/proftop/keys are read over it by the same parser). Lines:
 *
 *	[section]           global, or a view's or screen's name
 *	KEY  ACTION         '#' begins a comment; ACTION "none" unbinds
 *
 * A key is looked up in the screen's section, then its view's, then global. The help is
 * made from these rows and from actions.def, so it cannot drift.
 */
#ifndef TUI_KEYMAP_H
#define TUI_KEYMAP_H

#include "core/status.h"

enum action {
	ACTION_NONE,
#define ACTION(id, name, help) ACTION_##id,
#include "tui/actions.def"
#undef ACTION
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
	int key;
	enum action action;
};

struct keymap {
	struct binding *rows;
	u32 n;
};

/* The compiled-in rows. */
void keymap__init(struct keymap *k);
void keymap__fini(struct keymap *k);
/* Reads rows over the present ones. Errors name file, line and what is wrong; the keymap is
 * then unchanged. */
int keymap__read(struct keymap *k, const char *path, struct status *st);
int keymap__parse(struct keymap *k, const char *text, size_t len, const char *name,
		  struct status *st);
/* sections: innermost first, NULL-terminated. ACTION_NONE when unbound. */
enum action keymap__lookup(const struct keymap *k, const char *const *sections, int key);
/* First key bound to an action in these sections, 0 none: for hints and help. */
int keymap__key_of(const struct keymap *k, const char *const *sections, enum action a);

#endif
