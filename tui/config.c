// SPDX-License-Identifier: GPL-2.0-only
#include "tui/config.h"

#include <stdio.h>
#include <unistd.h>

#include "tui/own_files.h"
#include "tui/text_file.h"

const struct setting_row setting_table[SETTINGS] = {
#define SETTING(id, key, option, prefix, initial, help)                                            \
	[SETTING_##id] = {key, option, prefix, initial, help},
#include "tui/settings.def"
#undef SETTING
};

struct parser {
	struct text_lines lines;
	u32 seen[SETTINGS]; /* line of each, 0 none */
};

u32 setting__by_key(const char *key)
{
	u32 i = 0;

	while (i < SETTINGS && strcmp(setting_table[i].key, key))
		i++;
	return i;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

bool config__value(const char *from, const char *to, char *value, size_t size)
{
	size_t end = 0;

	while (from < to && is_blank(*from))
		from++;
	for (size_t n = 0; from + n < to; n++) {
		if (from[n] == '#' && (!n || is_blank(from[n - 1])))
			break;
		if (is_blank(from[n]))
			continue;
		if ((u8)from[n] < 0x20 || from[n] == 0x7f)
			return false;
		end = n + 1;
	}
	if (end >= size)
		return false;
	memcpy(value, from, end);
	value[end] = '\0';
	return true;
}

/* -d "x": takes ... becomes FILE:LINE: delay "x": takes ... */
static int wrong_value(struct parser *p, const struct setting_row *row, const struct status *why)
{
	return status__set(p->lines.st, EXIT_CODE_USAGE, -EINVAL, "%.200s:%u: %s%.250s",
			   p->lines.name, p->lines.line, row->key,
			   why->msg + strcspn(why->msg, " "));
}

static int set_flag(struct parser *p, struct options *o, const struct setting_row *row,
		    const char *value)
{
	if (strcmp(value, "yes") && strcmp(value, "no"))
		return text_lines__fail(&p->lines, row->key, value, "takes yes or no");
	options__set_flag(o, row->option, value[0] == 'y');
	return 0;
}

static int set_value(struct parser *p, struct options *o, const struct setting_row *row,
		     const char *value)
{
	size_t n = strlen(row->prefix) + strlen(value) + 1;
	struct status why = {0};
	char *whole;

	if (setting__is_flag(row))
		return set_flag(p, o, row, value);
	if (!*value)
		return text_lines__fail(&p->lines, "no value for", row->key,
					"a line is KEY = VALUE # comment");
	/* Parts of a value, each with its own key. */
	if (strcmp(row->key, row->option) && strchr(value, ':'))
		return text_lines__fail(&p->lines, row->key, value, "takes a number");
	whole = arena__alloc(&o->memory, n);
	snprintf(whole, n, "%s%s", row->prefix, value);
	return options__set(o, row->option, whole, &why) ? wrong_value(p, row, &why) : 0;
}

static int parse_line(struct parser *p, struct options *o, const char *from, const char *to)
{
	const char *equals = memchr(from, '=', (size_t)(to - from)), *rest;
	char key[TEXT_WORD_MAX], value[CONFIG_VALUE_MAX];
	u32 i;

	text_word(from, to, key);
	if (!key[0])
		return 0;
	rest = text_word(from, equals ? equals : to, key);
	i = setting__by_key(key);
	if (i == SETTINGS)
		return text_lines__fail(&p->lines, "unknown key", key,
					"proftop(1) CONFIGURATION lists them");
	text_word(rest, equals ? equals : to, key);
	if (!equals || key[0])
		return text_lines__fail(&p->lines, "no = behind", setting_table[i].key,
					"a line is KEY = VALUE # comment");
	if (p->seen[i])
		return text_lines__fail(&p->lines, "there twice, key", setting_table[i].key,
					"a file has each of them once");
	p->seen[i] = p->lines.line;
	if (!config__value(equals + 1, to, value, sizeof(value)))
		return text_lines__fail(&p->lines, "no text behind", setting_table[i].key,
					"it is too long, or has other characters in it");
	return set_value(p, o, &setting_table[i], value);
}

int config__parse(struct options *o, const char *text, size_t len, const char *name,
		  struct status *st)
{
	struct parser p = {.lines = {.name = name, .pos = text, .end = text + len, .st = st}};
	const char *from, *to;
	int err = 0;

	while (!err && text_lines__next(&p.lines, &from, &to))
		err = parse_line(&p, o, from, to);
	return err;
}

static int read_file(struct options *o, const char *path, bool found, struct status *st)
{
	char *text;
	size_t len;
	int err = text_file__read(path, "configuration", found, &text, &len, st);

	if (!err)
		err = config__parse(o, text, len, path, st);
	free(text);
	return err;
}

static int read_files(struct options *o, const char *system, const char *chosen, struct status *st)
{
	char path[OWN_PATH_MAX];
	int err = 0;

	if (!access(system, F_OK))
		err = read_file(o, system, true, st);
	if (!err && chosen)
		err = read_file(o, chosen, false, st);
	else if (!err && own_file__find("config", path))
		err = read_file(o, path, true, st);
	return err;
}

int config__load(struct options *o, const char *system, int argc, char **argv, struct status *st)
{
	struct options next;
	int err;

	if (o->no_config)
		return 0;
	options__init(&next, argv);
	err = read_files(&next, system, o->config, st);
	/* What is usual was not asked for now. */
	next.view_given = next.interval_given = false;
	if (!err)
		err = options__read(&next, argc, argv, st);
	if (err) {
		options__fini(&next);
		return err;
	}
	options__fini(o);
	*o = next;
	return 0;
}
