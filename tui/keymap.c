/* SPDX-License-Identifier: GPL-2.0-only */
#include "tui/keymap.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/arena.h"
#include "widgets/input.h"

#define FILE_MAX  (64 * 1024)
#define ROWS_MAX  1000
#define FIELD_MAX 64

/* The file itself is the table of defaults: what a user reads is what is in force. */
__asm__(".section .rodata\n"
	".global proftop_default_keys, proftop_default_keys_end\n"
	"proftop_default_keys:\n"
	".incbin \"keymaps/default.keys\"\n"
	"proftop_default_keys_end:\n"
	".previous\n");
extern const char proftop_default_keys[], proftop_default_keys_end[];

const struct action_info action_table[ACTIONS] = {
	[ACTION_NONE] = {"none", "does nothing"},
#define ACTION(id, name, help) [ACTION_##id] = {name, help},
#include "tui/actions.def"
#undef ACTION
};

/* A file being read: fields of one line at a time. */
struct parser {
	const char *name;
	const char *pos, *end;
	u32 line;
	char section[sizeof(((struct binding *)0)->section)];
	struct status *st;
};

enum action action__by_name(const char *name)
{
	for (u32 a = 0; a < ACTIONS; a++)
		if (!strcmp(action_table[a].name, name))
			return (enum action)a;
	return ACTION_NONE;
}

static int fail(struct parser *p, const char *what, const char *field, const char *allowed)
{
	char seen[FIELD_MAX];

	/* It goes to a terminal: nothing in it may act there. */
	copy_str(seen, sizeof(seen), field);
	for (char *c = seen; *c; c++)
		if ((u8)*c < 0x20 || *c == 0x7f)
			*c = '?';
	return status__set(p->st, EXIT_CODE_USAGE, -EINVAL, "%s:%u: %s \"%s\": %s", p->name,
			   p->line, what, seen, allowed);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* The next field of the line [p, end) into buf, cut to its size; returns what follows. */
static const char *field(const char *p, const char *end, char *buf)
{
	size_t n = 0;

	while (p < end && is_blank(*p))
		p++;
	for (; p < end && !is_blank(*p); p++)
		if (n + 1 < FIELD_MAX)
			buf[n++] = *p ? *p : '?';
	buf[n] = '\0';
	return p;
}

static int parse_section(struct parser *p, const char *text)
{
	size_t n = strlen(text);

	if (n < 3 || text[n - 1] != ']' || n - 2 >= sizeof(p->section))
		return fail(p, "wrong section", text, "[global], or a view's name in brackets");
	if (strspn(text + 1, "abcdefghijklmnopqrstuvwxyz0123456789-_") != n - 2)
		return fail(p, "wrong section", text, "small letters, digits and - in brackets");
	copy_str(p->section, n - 1, text + 1);
	return 0;
}

static struct binding *find(const struct keymap *k, const char *section, int key)
{
	for (u32 i = 0; i < k->n; i++)
		if (k->rows[i].key == key && !strcmp(k->rows[i].section, section))
			return &k->rows[i];
	return NULL;
}

/* Later rows win, in place: the help keeps the order of the defaults. */
static int bind(struct parser *p, struct keymap *k, int key, enum action a)
{
	struct binding *b = find(k, p->section, key);

	if (!b) {
		if (k->n >= ROWS_MAX)
			return fail(p, "too many rows in section", p->section, "1000 at most");
		k->rows = xrealloc(k->rows, sizeof(*k->rows) * (k->n + 1));
		b = &k->rows[k->n++];
		*b = (struct binding){.key = key};
		copy_str(b->section, sizeof(b->section), p->section);
	}
	b->action = a;
	return 0;
}

static int parse_line(struct parser *p, struct keymap *k, const char *line, const char *end)
{
	char key_name[FIELD_MAX], action_name[FIELD_MAX], rest[FIELD_MAX];
	enum action a;
	int key;

	line = field(line, end, key_name);
	if (!key_name[0] || key_name[0] == '#')
		return 0;
	line = field(line, end, action_name);
	field(line, end, rest);
	/* A lone [ is a key; a section has more within its brackets. */
	if (key_name[0] == '[' && key_name[1])
		return parse_section(p, key_name);
	key = key__parse(key_name);
	if (!key)
		return fail(p, "unknown key", key_name,
			    "one character, C-x, M-x, F1..F12, or Space Hash Enter Esc Tab BackTab "
			    "Backspace Delete Up Down Left Right PgUp PgDn Home End");
	a = action__by_name(action_name);
	if (a == ACTION_NONE && strcmp(action_name, "none"))
		return fail(p, action_name[0] ? "unknown action" : "no action for key",
			    action_name[0] ? action_name : key_name,
			    "the palette (:) lists them, \"none\" unbinds");
	if (rest[0] && rest[0] != '#')
		return fail(p, "text after the action", rest, "a line is KEY ACTION # comment");
	if (!p->section[0])
		return fail(p, "no section before key", key_name, "begin with [global]");
	return bind(p, k, key, a);
}

static int parse_all(struct parser *p, struct keymap *k)
{
	int err = 0;

	while (p->pos < p->end && !err) {
		const char *eol = memchr(p->pos, '\n', (size_t)(p->end - p->pos));

		if (!eol)
			eol = p->end;
		p->line++;
		err = parse_line(p, k, p->pos, eol);
		p->pos = eol < p->end ? eol + 1 : eol;
	}
	return err;
}

int keymap__parse(struct keymap *k, const char *text, size_t len, const char *name,
		  struct status *st)
{
	struct parser p = {.name = name, .pos = text, .end = text + len, .st = st};
	struct keymap next = {.n = k->n};
	int err;

	if (len > FILE_MAX)
		return status__set(st, EXIT_CODE_USAGE, -EFBIG, "%s: no keymap: larger than 64 KiB",
				   name);
	next.rows = xmalloc(sizeof(*next.rows) * MAX(k->n, 1U));
	if (k->n)
		memcpy(next.rows, k->rows, sizeof(*next.rows) * k->n);
	err = parse_all(&p, &next);
	if (err) {
		keymap__fini(&next);
		return err;
	}
	free(k->rows);
	*k = next;
	return 0;
}

void keymap__init(struct keymap *k)
{
	struct status st;
	size_t len = (size_t)(proftop_default_keys_end - proftop_default_keys);

	*k = (struct keymap){0};
	if (keymap__parse(k, proftop_default_keys, len, "default.keys", &st))
		die("%s", st.msg);
}

void keymap__fini(struct keymap *k)
{
	free(k->rows);
	*k = (struct keymap){0};
}

/* Reads at most one byte more than allowed; -errno. */
static ssize_t read_file(int fd, char *buf)
{
	size_t len = 0;
	ssize_t n;

	while (len < FILE_MAX + 1) {
		n = read(fd, buf + len, FILE_MAX + 1 - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += (size_t)n;
	}
	return (ssize_t)len;
}

int keymap__read(struct keymap *k, const char *path, struct status *st)
{
	/* Not to wait for the other end of a FIFO. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), err;
	struct stat sb;
	ssize_t len;
	char *buf;

	if (fd < 0)
		return status__set(st, EXIT_CODE_USAGE, -errno, "cannot read keymap %s: %s", path,
				   strerror(errno));
	if (fstat(fd, &sb) || !S_ISREG(sb.st_mode)) {
		close(fd);
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "cannot read keymap %s: not a regular file", path);
	}
	buf = xmalloc(FILE_MAX + 1);
	len = read_file(fd, buf);
	close(fd);
	if (len < 0)
		err = status__set(st, EXIT_CODE_USAGE, (int)len, "cannot read keymap %s: %s", path,
				  strerror((int)-len));
	else
		err = keymap__parse(k, buf, (size_t)len, path, st);
	free(buf);
	return err;
}

enum action keymap__lookup(const struct keymap *k, const char *const *sections, int key)
{
	for (; *sections; sections++) {
		const struct binding *b = find(k, *sections, key);

		if (b)
			return b->action; /* "none" hides what an outer section binds */
	}
	return ACTION_NONE;
}

int keymap__key_of(const struct keymap *k, const char *const *sections, enum action a)
{
	for (const char *const *s = sections; *s; s++)
		for (u32 i = 0; i < k->n; i++)
			if (k->rows[i].action == a && !strcmp(k->rows[i].section, *s) &&
			    keymap__lookup(k, sections, k->rows[i].key) == a)
				return k->rows[i].key;
	return 0;
}
