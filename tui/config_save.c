// SPDX-License-Identifier: GPL-2.0-only
/* The configuration, written back into what a person may have written by hand. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "tui/config.h"
#include "tui/own_files.h"
#include "tui/text_file.h"

#define TEMP_NAME   ".config.new"

/* One line of a file, as far as it matters here. */
struct found {
	u32 setting; /* SETTINGS: neither has a key nor shows one */
	bool shown;  /* as a comment */
	char value[CONFIG_VALUE_MAX];
	const char *comment; /* behind the value, with the blanks before it; `to` none */
};

static struct found look(const char *from, const char *to)
{
	struct found f = {.setting = SETTINGS, .comment = to};
	const char *equals = memchr(from, '=', (size_t)(to - from)), *at = from, *rest;
	char key[TEXT_WORD_MAX], other[TEXT_WORD_MAX];

	while (at < to && strchr(" \t\r#", *at))
		f.shown |= *at++ == '#';
	if (!equals || equals < at)
		return f;
	rest = text_word(at, equals, key);
	text_word(rest, equals, other);
	if (!other[0] && config__value(equals + 1, to, f.value, sizeof(f.value)))
		f.setting = setting__by_key(key);
	for (at = equals + 1; at < to && f.comment == to; at++)
		if (*at == '#' && strchr(" \t", at[-1]))
			f.comment = at;
	return f;
}

struct merge {
	FILE *out;
	const struct config_values *v;
	bool has[SETTINGS]; /* a line, not a comment */
	bool done[SETTINGS];
};

static bool differs(const struct merge *m, u32 i)
{
	return m->v->text[i][0] && strcmp(m->v->text[i], setting_table[i].initial);
}

static void put(struct merge *m, u32 i)
{
	fprintf(m->out, "%s = %s", setting_table[i].key, m->v->text[i]);
	m->done[i] = true;
}

static void copy_line(struct merge *m, const char *from, const char *to)
{
	fwrite(from, 1, (size_t)(to - from), m->out);
}

static void merge_line(struct merge *m, const char *from, const char *to)
{
	struct found f = look(from, to);
	const char *value = f.setting < SETTINGS ? m->v->text[f.setting] : NULL;

	if (!value ||
	    (f.shown && (m->has[f.setting] || m->done[f.setting] || !differs(m, f.setting)))) {
		copy_line(m, from, to);
	} else if (f.shown) {
		put(m, f.setting);
	} else if (!*value) {
		fputs("# ", m->out);
		copy_line(m, from, to);
	} else if (!strcmp(value, f.value)) {
		copy_line(m, from, to);
		m->done[f.setting] = true;
	} else {
		put(m, f.setting);
		if (f.comment < to)
			fputs("  ", m->out);
		copy_line(m, f.comment, to);
	}
	fputc('\n', m->out);
}

static void explain(FILE *out, u32 i)
{
	const struct setting_row *row = &setting_table[i];

	fprintf(out, "\n# %s (--%s)\n", row->help, row->option);
}

/* What a new file is made from: all keys, as comments. */
static char *blank_file(size_t *len)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, len);

	if (!out)
		die("out of memory (a configuration)");
	fputs("# proftop's configuration: KEY = VALUE # comment. What the command line says is "
	      "stronger.\n# What is a comment here is as it is without it; proftop(1) "
	      "CONFIGURATION "
	      "has more.\n",
	      out);
	for (u32 i = 0; i < SETTINGS; i++) {
		explain(out, i);
		fprintf(out, "# %s = %s\n", setting_table[i].key, setting_table[i].initial);
	}
	fclose(out);
	return text;
}

static void note_lines(struct merge *m, struct text_lines l)
{
	const char *from, *to;

	while (text_lines__next(&l, &from, &to)) {
		struct found f = look(from, to);

		if (f.setting < SETTINGS && !f.shown)
			m->has[f.setting] = true;
	}
}

static void merge_all(struct merge *m, const char *old, size_t len)
{
	struct text_lines l = {.pos = old, .end = old + len};
	const char *from, *to;

	note_lines(m, l);
	while (text_lines__next(&l, &from, &to))
		merge_line(m, from, to);
	for (u32 i = 0; i < SETTINGS; i++) {
		if (m->done[i] || !differs(m, i))
			continue;
		explain(m->out, i);
		put(m, i);
		fputc('\n', m->out);
	}
}

char *config__merge(const char *old, size_t len, const struct config_values *v)
{
	char *text = NULL, *blank = old ? NULL : blank_file(&len);
	struct merge m = {.v = v};
	size_t size;

	m.out = open_memstream(&text, &size);
	if (!m.out)
		die("out of memory (a configuration)");
	merge_all(&m, old ? old : blank, len);
	fclose(m.out);
	free(blank);
	return text;
}

/* --- the file --- */

#define WHAT "configuration"

/* *text NULL: there was none. */
static int read_old(int folder, const char *path, char **text, size_t *len, struct status *st)
{
	struct stat sb;

	*text = NULL;
	*len = 0;
	if (fstatat(folder, "config", &sb, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : own_file__cannot_save(st, WHAT, path, -errno, strerror(errno));
	if (!S_ISREG(sb.st_mode))
		return own_file__cannot_save(st, WHAT, path, -EINVAL,
				   "it is a link, or no file: it is left as it is");
	if (text_file__read(path, WHAT, true, text, len, st))
		return -EINVAL;
	return memchr(*text, '\0', *len)
		       ? own_file__cannot_save(st, WHAT, path, -EINVAL, "it is no text: it is left as it is")
		       : 0;
}

static int replace(int folder, const char *text, bool existed)
{
	int err = own_file__write(folder, TEMP_NAME, text);

	if (!err && existed) {
		unlinkat(folder, "config.bak", 0);
		err = linkat(folder, "config", folder, "config.bak", 0) ? -errno : 0;
	}
	if (!err && renameat(folder, TEMP_NAME, folder, "config"))
		err = -errno;
	if (err)
		unlinkat(folder, TEMP_NAME, 0);
	return err;
}

int config__save(const struct config_values *v, char *path, size_t size, bool *existed,
		 struct status *st)
{
	char own[OWN_PATH_MAX], *old, *text;
	size_t len;
	int folder, err;

	if (!own_file__path("config", own))
		return own_file__cannot_save(st, WHAT, "~/.config", -ENOENT, "no home folder is known");
	copy_str(path, size, own);
	folder = own_folder__open(own, WHAT, st);
	if (folder < 0)
		return -EPERM;
	err = read_old(folder, own, &old, &len, st);
	*existed = old != NULL;
	if (!err) {
		text = config__merge(old, len, v);
		err = replace(folder, text, *existed);
		free(text);
		if (err)
			own_file__cannot_save(st, WHAT, own, err, strerror(-err));
	}
	free(old);
	close(folder);
	return err;
}
