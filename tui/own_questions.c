// SPDX-License-Identifier: GPL-2.0-only
#include "tui/own_questions.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "questions/library.h"
#include "questions/question.h"
#include "tui/own_files.h"
#include "tui/text_file.h"

#define WHAT	  "question"
#define TEMP_NAME ".new"

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
	       c == '-' || c == '.';
}

bool own_question__is_name(const char *name)
{
	size_t len = strlen(name);

	if (!len || len >= OWN_QUESTION_NAME_MAX || *name == '.' || *name == '-')
		return false;
	for (const char *c = name; *c; c++)
		if (!is_letter(*c))
			return false;
	for (u32 i = 0; i < ASK_SHAPES; i++)
		if (!strcmp(name, question_shape__name((enum question_shape)i)))
			return false;
	return strcmp(name, "save") && strcmp(name, "delete");
}

/* False: no home folder is known. */
static bool path_of(const char *name, char path[OWN_PATH_MAX])
{
	char file[OWN_QUESTION_NAME_MAX + 16];

	snprintf(file, sizeof(file), "questions/%s", name);
	return own_file__path(file, path);
}

/* --- reading --- */

static int refuse(struct status *st, const char *name, const char *why)
{
	return status__set(st, EXIT_CODE_USAGE, -EINVAL, "question %s: %s", name, why);
}

/* Blanks around it are left out. Returns the length with it. */
static size_t add_line(char *text, size_t len, const char *from, const char *to)
{
	while (to > from && strchr(" \t\r", to[-1]))
		to--;
	if (from == to)
		return len;
	if (len)
		text[len++] = ' ';
	memcpy(text + len, from, (size_t)(to - from));
	return len + (size_t)(to - from);
}

static void take_help(struct own_question *q, const char *from, const char *to)
{
	while (from < to && *from == '#')
		from++;
	while (from < to && strchr(" \t\r", *from))
		from++;
	while (to > from && strchr(" \t\r", to[-1]))
		to--;
	if (!*q->help && from < to)
		copy_str(q->help, MIN((size_t)(to - from) + 1, sizeof(q->help)), from);
}

static bool is_text(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		bool ends_line = text[i] == '\n' ||
				 (text[i] == '\r' && (i + 1 == len || text[i + 1] == '\n'));

		if (((u8)text[i] < ' ' && text[i] != '\t' && !ends_line) || text[i] == 0x7f)
			return false;
	}
	return true;
}

int own_question__parse(const char *name, const char *text, size_t len, struct own_question *out,
			struct status *st)
{
	struct text_lines l = {.pos = text, .end = text + len};
	const char *from, *to;
	size_t n = 0;

	*out = (struct own_question){0};
	if (!is_text(text, len))
		return refuse(st, name, "its file is no text");
	copy_str(out->name, sizeof(out->name), name);
	out->text = xcalloc(len + 2, 1);
	while (text_lines__next(&l, &from, &to)) {
		while (from < to && strchr(" \t\r", *from))
			from++;
		if (from < to && *from == '#')
			take_help(out, from, to);
		else
			n = add_line(out->text, n, from, to);
	}
	if (*out->text)
		return 0;
	free(out->text);
	out->text = NULL;
	return refuse(st, name, "its file has no question");
}

int own_question__read(const char *name, struct own_question *out, struct status *st)
{
	char path[OWN_PATH_MAX], *text;
	struct stat sb;
	size_t len;
	int err;

	*out = (struct own_question){0};
	if (!own_question__is_name(name) || !path_of(name, path) || lstat(path, &sb))
		return -ENOENT;
	/* A link to nothing is there, too. */
	err = text_file__read(path, WHAT, true, &text, &len, st) ? -EINVAL
								 : own_question__parse(name, text, len, out, st);
	free(text);
	return err;
}

bool own_question__is_shadowed(const char *name)
{
	char path[OWN_PATH_MAX];
	struct stat sb;

	return question_library__find(name) && path_of(name, path) && !lstat(path, &sb);
}

/* --- writing --- */

static int put(int folder, const struct own_question *q, bool replace)
{
	char *text = xasprintf("%s%s%s%s\n", *q->help ? "# " : "", q->help, *q->help ? "\n" : "", q->text);
	int err = own_file__write(folder, TEMP_NAME, text);

	free(text);
	/* A link is refused where there is one already. */
	if (!err && replace)
		err = renameat(folder, TEMP_NAME, folder, q->name) ? -errno : 0;
	else if (!err)
		err = linkat(folder, TEMP_NAME, folder, q->name, 0) ? -errno : 0;
	unlinkat(folder, TEMP_NAME, 0);
	return err;
}

static int check_name(const char *name, struct status *st)
{
	if (!own_question__is_name(name))
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "a question is called by letters, digits, _ - and ., %u at most",
				   OWN_QUESTION_NAME_MAX - 1);
	return 0;
}

int own_question__save(const struct own_question *q, bool replace, struct status *st)
{
	char path[OWN_PATH_MAX], *name;
	int folder, err;

	if (check_name(q->name, st))
		return -EINVAL;
	if (question_library__find(q->name))
		return refuse(st, q->name, "it is one of those that are compiled in: take another name");
	if (!path_of(q->name, path))
		return own_file__cannot_save(st, WHAT, "~/.config", -ENOENT, "no home folder is known");
	/* First the folder that theirs is in. */
	name = strrchr(path, '/');
	*name = '\0';
	folder = own_folder__open(path, WHAT, st);
	*name = '/';
	if (folder < 0)
		return -EPERM;
	close(folder);
	folder = own_folder__open(path, WHAT, st);
	if (folder < 0)
		return -EPERM;
	err = put(folder, q, replace);
	close(folder);
	if (err == -EEXIST)
		return status__set(st, EXIT_CODE_USAGE, err,
				   "there is a question %s already: :ask save !%s replaces it", q->name,
				   q->name);
	return err ? own_file__cannot_save(st, WHAT, path, err, strerror(-err)) : 0;
}

int own_question__delete(const char *name, struct status *st)
{
	char path[OWN_PATH_MAX];

	if (check_name(name, st))
		return -EINVAL;
	if (!path_of(name, path) || unlink(path))
		return status__set(st, EXIT_CODE_USAGE, -errno, "there is no question %s of your own%s", name,
				   question_library__find(name) ? ": it is compiled in" : "");
	return 0;
}

/* --- all of them --- */

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

u32 own_questions__list(char (*names)[OWN_QUESTION_NAME_MAX])
{
	char path[OWN_PATH_MAX];
	DIR *dir = path_of("", path) ? opendir(path) : NULL;
	const struct dirent *e;
	u32 n = 0;

	while (dir && n < OWN_QUESTIONS_MAX && (e = readdir(dir)))
		if (own_question__is_name(e->d_name))
			copy_str(names[n++], OWN_QUESTION_NAME_MAX, e->d_name);
	if (dir)
		closedir(dir);
	qsort(names, n, sizeof(*names), by_name);
	return n;
}
