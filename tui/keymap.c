/* SPDX-License-Identifier: GPL-2.0-only */
#include "tui/keymap.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/embed.h"
#include "tui/own_files.h"
#include "tui/text_file.h"
#include "widgets/input.h"

#define ROWS_MAX 1000

/* The files themselves are the tables: what a person reads is what is in force. */
EMBED(proftop_keys_default, "keymaps/default.keys");
EMBED(proftop_keys_vi, "keymaps/vi.keys");
EMBED(proftop_keys_emacs, "keymaps/emacs.keys");
EMBED(proftop_keys_htop, "keymaps/htop.keys");

static const struct {
	const char *from, *to;
} bases[] = {
	{proftop_keys_default, proftop_keys_default_end},
	{proftop_keys_vi, proftop_keys_vi_end},
	{proftop_keys_emacs, proftop_keys_emacs_end},
	{proftop_keys_htop, proftop_keys_htop_end},
};

const char *const keymap_names[] = {"default", "vi", "emacs", "htop", NULL};

#define BASES "default, vi, emacs, htop"

const struct action_info action_table[ACTIONS] = {
	[ACTION_NONE] = {"none", "does nothing"},
#define ACTION(id, name, help) [ACTION_##id] = {name, help},
#include "tui/actions.def"
#undef ACTION
#define VIEW(key, id, name) [ACTION_SHOW_##id] = {"view-" #name, "view " #name},
#include "tui/views.def"
#undef VIEW
};

/* A file being read. */
struct parser {
	struct text_lines lines;
	char section[sizeof(((struct binding *)0)->section)];
	bool begun; /* something but comments was there */
};

enum action action__by_name(const char *name)
{
	for (u32 a = 0; a < ACTIONS; a++)
		if (!strcmp(action_table[a].name, name))
			return (enum action)a;
	return ACTION_NONE;
}

static int fail(struct parser *p, const char *what, const char *word, const char *right)
{
	return text_lines__fail(&p->lines, what, word, right);
}

static int parse_section(struct parser *p, const struct keymap *k, const char *text)
{
	size_t n = strlen(text);

	if (n < 3 || text[n - 1] != ']' || n - 2 >= sizeof(p->section))
		return fail(p, "wrong section", text, "[global], or a view's name in brackets");
	if (strspn(text + 1, "abcdefghijklmnopqrstuvwxyz0123456789-_") != n - 2)
		return fail(p, "wrong section", text, "small letters, digits and - in brackets");
	copy_str(p->section, n - 1, text + 1);
	if (k->knows_section && !k->knows_section(p->section))
		return fail(p, "no view or screen", text, "see --list-views, and [global]");
	return 0;
}

/* first: 0 of a key alone. */
static struct binding *find(const struct keymap *k, const char *section, int first, int key)
{
	for (u32 i = 0; i < k->n; i++)
		if (k->rows[i].key == key && k->rows[i].first == first &&
		    !strcmp(k->rows[i].section, section))
			return &k->rows[i];
	return NULL;
}

static int bound_twice(struct parser *p, const struct binding *b)
{
	char key[16], first[16], both[40], right[64];

	snprintf(right, sizeof(right), "[%s] has it in line %u already", b->section, b->line);
	snprintf(both, sizeof(both), "%s%s%s",
		 b->first ? key__name(b->first, first, sizeof(first)) : "", b->first ? " " : "",
		 key__name(b->key, key, sizeof(key)));
	return fail(p, "bound twice, key", both, right);
}

/* Rows of a later file win, in place: the help keeps the order of the first. */
static int bind(struct parser *p, struct keymap *k, const struct binding *row)
{
	struct binding *b = find(k, p->section, row->first, row->key);

	if (b && b->line)
		return bound_twice(p, b);
	if (!b) {
		if (k->n >= ROWS_MAX)
			return fail(p, "too many rows in section", p->section, "1000 at most");
		k->rows = xrealloc(k->rows, sizeof(*k->rows) * (k->n + 1));
		b = &k->rows[k->n++];
	}
	*b = *row;
	copy_str(b->section, sizeof(b->section), p->section);
	b->line = p->lines.line;
	return 0;
}

static int parse_base(struct parser *p, struct keymap *k, const char *name)
{
	struct keymap other = {0};

	if (p->begun)
		return fail(p, "too late for base", name, "it comes before all else");
	if (k->base_named ? !keymap__base(&other, name) : !keymap__base(k, name))
		return fail(p, "unknown base", name, "one of " BASES ", none");
	keymap__fini(&other);
	return 0;
}

static int parse_key(struct parser *p, const char *name, int *key)
{
	*key = key__parse(name);
	if (*key)
		return 0;
	return fail(p, "unknown key", name,
		    "one character, C-x, M-x, F1..F12, or Space Hash Enter Esc Tab BackTab "
		    "Backspace Delete Up Down Left Right PgUp PgDn Home End");
}

/* first_name: NULL where a key stands alone. */
static int parse_binding(struct parser *p, struct keymap *k, const char *first_name,
			 const char *key_name, const char *action_name)
{
	bool inherits = !strcmp(action_name, "inherit");
	enum action a = action__by_name(action_name);
	struct binding row = {.action = a, .inherits = inherits};
	int err = first_name ? parse_key(p, first_name, &row.first) : 0;

	if (!err)
		err = parse_key(p, key_name, &row.key);
	if (err)
		return err;
	if (a == ACTION_NONE && !inherits && strcmp(action_name, "none"))
		return fail(p, action_name[0] ? "unknown action" : "no action for key",
			    action_name[0] ? action_name : key_name,
			    "the palette (:) lists them, \"none\" unbinds");
	if (!p->section[0])
		return fail(p, "no section before key", key_name, "begin with [global]");
	return bind(p, k, &row);
}

static bool is_action(const char *word)
{
	return action__by_name(word) != ACTION_NONE || !strcmp(word, "none") ||
	       !strcmp(word, "inherit");
}

static int parse_line(struct parser *p, struct keymap *k, const char *line, const char *end)
{
	char first[TEXT_WORD_MAX], second[TEXT_WORD_MAX], third[TEXT_WORD_MAX], rest[TEXT_WORD_MAX];
	bool section, two = false;
	int err;

	line = text_word(line, end, first);
	if (!first[0])
		return 0;
	line = text_word(line, end, second);
	line = text_word(line, end, third);
	text_word(line, end, rest);
	/* A lone [ is a key; a section has more within its brackets. */
	section = first[0] == '[' && first[1];
	if (section)
		err = parse_section(p, k, first);
	else if (!strcmp(first, "base"))
		err = parse_base(p, k, second);
	else if ((two = third[0] && !is_action(second)))
		err = parse_binding(p, k, first, second, third);
	else
		err = parse_binding(p, k, NULL, first, second);
	p->begun = true;
	if (!err && (section ? second[0] : two ? rest[0] : third[0]))
		return fail(p, section ? "text after the section" : "text after the action",
			    section ? second : two ? rest : third, "a line is KEY ACTION # comment");
	return err;
}

static int parse_all(struct parser *p, struct keymap *k)
{
	const char *from, *to;
	int err = 0;

	while (!err && text_lines__next(&p->lines, &from, &to))
		err = parse_line(p, k, from, to);
	return err;
}

int keymap__parse(struct keymap *k, const char *text, size_t len, const char *name,
		  struct status *st)
{
	struct parser p = {.lines = {.name = name, .pos = text, .end = text + len, .st = st}};
	struct keymap next = *k;
	int err;

	if (len > TEXT_FILE_MAX)
		return status__set(st, EXIT_CODE_USAGE, -EFBIG, "%s: no keymap: larger than 64 KiB",
				   name);
	next.rows = xmalloc(sizeof(*next.rows) * MAX(k->n, 1U));
	for (u32 i = 0; i < k->n; i++) {
		next.rows[i] = k->rows[i];
		next.rows[i].line = 0;
	}
	err = parse_all(&p, &next);
	if (err) {
		keymap__fini(&next);
		return err;
	}
	free(k->rows);
	*k = next;
	return 0;
}

bool keymap__base(struct keymap *k, const char *name)
{
	struct keymap next = {0};
	struct status st;
	u32 i = 0;

	while (keymap_names[i] && strcmp(keymap_names[i], name))
		i++;
	if (!keymap_names[i] && strcmp(name, "none"))
		return false;
	if (keymap_names[i] &&
	    keymap__parse(&next, bases[i].from, (size_t)(bases[i].to - bases[i].from), name, &st))
		die("%s", st.msg);
	for (u32 r = 0; r < next.n; r++)
		next.rows[r].line = 0;
	free(k->rows);
	k->rows = next.rows;
	k->n = next.n;
	return true;
}

void keymap__init(struct keymap *k)
{
	*k = (struct keymap){0};
	keymap__base(k, keymap_names[0]);
}

void keymap__fini(struct keymap *k)
{
	free(k->rows);
	k->rows = NULL;
	k->n = 0;
}

int keymap__read(struct keymap *k, const char *path, bool found, struct status *st)
{
	char *text;
	size_t len;
	int err = text_file__read(path, "keymap", found, &text, &len, st);

	if (!err)
		err = keymap__parse(k, text, len, path, st);
	free(text);
	return err;
}

/* A name that is no file has to be a name. */
static int read_choice(struct keymap *k, const char *choice, bool own, struct status *st)
{
	char path[OWN_PATH_MAX];
	bool found = false;
	int err;

	copy_str(path, sizeof(path), choice);
	if (own)
		found = own_file__named(choice, "keys", path);
	err = keymap__read(k, path, found, st);
	if (err == -ENOENT && !strchr(choice, '/'))
		return status__set(st, EXIT_CODE_USAGE, err,
				   "no keymap \"%.80s\": " BASES ", or a file", choice);
	return err;
}

int keymap__choose(struct keymap *k, const char *choice, bool own, struct status *st)
{
	char path[OWN_PATH_MAX];
	bool named = choice && strcmp(choice, "none") && keymap__base(k, choice);
	int err = 0;

	if (!named)
		keymap__base(k, keymap_names[0]);
	k->base_named = named;
	if (own && own_file__find("keys", path))
		err = keymap__read(k, path, true, st);
	k->base_named = false;
	if (!err && choice && !named)
		err = read_choice(k, choice, own, st);
	if (err)
		keymap__fini(k);
	return err;
}

enum action keymap__lookup_after(const struct keymap *k, const char *const *sections, int first,
				 int key, bool *bound)
{
	*bound = false;
	for (; *sections; sections++) {
		const struct binding *b = find(k, *sections, first, key);

		if (!b || b->inherits)
			continue;
		*bound = true;
		return b->action; /* "none" hides what an outer section binds */
	}
	return ACTION_NONE;
}

enum action keymap__lookup(const struct keymap *k, const char *const *sections, int key)
{
	bool bound;

	return keymap__lookup_after(k, sections, 0, key, &bound);
}

bool keymap__has_after(const struct keymap *k, const char *const *sections, int first)
{
	bool bound;

	for (u32 i = 0; i < k->n; i++)
		if (k->rows[i].first == first &&
		    keymap__lookup_after(k, sections, first, k->rows[i].key, &bound))
			return true;
	return false;
}

int keymap__key_of(const struct keymap *k, const char *const *sections, enum action a)
{
	for (const char *const *s = sections; *s; s++)
		for (u32 i = 0; i < k->n; i++)
			if (k->rows[i].action == a && !k->rows[i].first &&
			    !strcmp(k->rows[i].section, *s) &&
			    keymap__lookup(k, sections, k->rows[i].key) == a)
				return k->rows[i].key;
	return 0;
}
