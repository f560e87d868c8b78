/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The configuration: what options are where the command line does not say it. /etc/proftop.conf
 * is read first, then $XDG_CONFIG_HOME/proftop/config or --config FILE. Lines:
 *
 *	KEY = VALUE	# comment
 *
 * Each key stands for an option and takes what that takes; a file has each once. They are the
 * rows of one table, tui/settings.def, which the manual and :save-config go by.
 */
#ifndef TUI_CONFIG_H
#define TUI_CONFIG_H

#include "tui/options.h"

#define CONFIG_SYSTEM "/etc/proftop.conf"

enum setting_key {
#define SETTING(id, key, option, prefix, initial, help) SETTING_##id,
#include "tui/settings.def"
#undef SETTING
	SETTINGS
};

struct setting_row {
	const char *key;
	const char *option;  /* the long option, without its dashes */
	const char *prefix;  /* of the value, when it is a part of the option's */
	const char *initial; /* what holds without it */
	const char *help;    /* one line */
};
extern const struct setting_row setting_table[SETTINGS];
u32 setting__by_key(const char *key); /* SETTINGS: none */
/* It takes yes or no, and its option nothing. */
static inline bool setting__is_flag(const struct setting_row *row)
{
	return !strcmp(row->initial, "no");
}

#define CONFIG_VALUE_MAX 512

/* The value in [from, to), which ends where a comment begins, without blanks around it; false when
 * it is too long or has control characters. */
bool config__value(const char *from, const char *to, char *value, size_t size);

/* Over the present options. Errors name file and line, and what the option would say. */
int config__parse(struct options *o, const char *text, size_t len, const char *name,
		  struct status *st);
/* The files, then the command line over them once more; o was parsed from it before, and says
 * which files. system: CONFIG_SYSTEM, but for tests. */
int config__load(struct options *o, const char *system, int argc, char **argv, struct status *st);

/* Values to be saved, by setting; "" none. */
struct config_values {
	char text[SETTINGS][CONFIG_VALUE_MAX];
};
/* `old` with these values: lines that have a key get its value, comments that show one are made
 * lines when it differs from what holds anyway, what is missing comes at the end. All else stays.
 * old NULL: a new file, with all keys and what they mean. For free(). */
char *config__merge(const char *old, size_t len, const struct config_values *v);
/*
 * Merges into one's own file, for its owner alone, in one step; what it was stays beside it as
 * config.bak. path: which file that was, or would have been. *existed: there was one. Slow (it
 * waits for the disk); any thread.
 */
int config__save(const struct config_values *v, char *path, size_t size, bool *existed,
		 struct status *st);

#endif
