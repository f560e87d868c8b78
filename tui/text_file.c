// SPDX-License-Identifier: GPL-2.0-only
#include "tui/text_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/caps.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Reads at most one byte more than allowed; -errno. */
static ssize_t read_all(int fd, char *buf)
{
	size_t len = 0;
	ssize_t n;

	while (len < TEXT_FILE_MAX + 1) {
		n = read(fd, buf + len, TEXT_FILE_MAX + 1 - len);
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

/* Who called sudo: it is their file then, where sudo leaves HOME to them. */
static bool is_caller(uid_t uid)
{
	const char *caller = geteuid() ? NULL : getenv("SUDO_UID");
	char *end;

	return caller && *caller >= '0' && *caller <= '9' && strtoul(caller, &end, 10) == uid &&
	       !*end;
}

static int check_owner(const char *path, const char *kind, const struct stat *sb, struct status *st)
{
	const char *why = NULL;

	if (sb->st_uid && sb->st_uid != geteuid() && !is_caller(sb->st_uid))
		why = "it is neither yours nor root's";
	else if (sb->st_mode & S_IWOTH)
		why = "everybody may write to it (chmod o-w)";
	if (!why)
		return 0;
	return status__set(st, EXIT_CODE_USAGE, -EPERM,
			   "%s %.300s is not read: %s; --no-config goes without", kind, path, why);
}

static int cannot_read(struct status *st, const char *kind, const char *path, int err,
		       const char *why)
{
	return status__set(st, EXIT_CODE_USAGE, err, "cannot read %s %.300s: %s", kind, path, why);
}

static int read_file(int fd, const char *path, const char *kind, bool found, char **text,
		     size_t *len, struct status *st)
{
	struct stat sb;
	ssize_t n;

	if (fstat(fd, &sb) || !S_ISREG(sb.st_mode))
		return cannot_read(st, kind, path, -EINVAL, "not a regular file");
	if (found && check_owner(path, kind, &sb, st))
		return -EPERM;
	*text = xmalloc(TEXT_FILE_MAX + 1);
	n = read_all(fd, *text);
	*len = (size_t)MAX(n, 0);
	if (n >= 0 && n <= TEXT_FILE_MAX)
		return 0;
	free(*text);
	*text = NULL;
	if (n < 0)
		return cannot_read(st, kind, path, (int)n, strerror((int)-n));
	return cannot_read(st, kind, path, -EFBIG, "larger than 64 KiB");
}

int text_file__read(const char *path, const char *kind, bool found, char **text, size_t *len,
		    struct status *st)
{
	/* Not to wait for the other end of a FIFO. */
	int fd = caps__open_for_caller(path), err;

	*text = NULL;
	if (fd < 0)
		return cannot_read(st, kind, path, -errno, strerror(errno));
	err = read_file(fd, path, kind, found, text, len, st);
	close(fd);
	return err;
}

bool text_lines__next(struct text_lines *l, const char **from, const char **to)
{
	const char *eol;

	if (l->pos >= l->end)
		return false;
	eol = memchr(l->pos, '\n', (size_t)(l->end - l->pos));
	*from = l->pos;
	*to = eol ? eol : l->end;
	l->pos = eol ? eol + 1 : l->end;
	l->line++;
	return true;
}

const char *text_word(const char *from, const char *to, char word[TEXT_WORD_MAX])
{
	size_t n = 0;

	while (from < to && is_blank(*from))
		from++;
	if (from < to && *from == '#')
		from = to;
	for (; from < to && !is_blank(*from); from++)
		if (n + 1 < TEXT_WORD_MAX)
			word[n++] = *from ? *from : '?';
	word[n] = '\0';
	return from;
}

int text_lines__fail(struct text_lines *l, const char *what, const char *word, const char *right)
{
	char seen[TEXT_WORD_MAX];

	copy_str(seen, sizeof(seen), word);
	for (char *c = seen; *c; c++)
		if ((u8)*c < 0x20 || *c == 0x7f)
			*c = '?';
	return status__set(l->st, EXIT_CODE_USAGE, -EINVAL, "%.200s:%u: %s \"%s\": %s", l->name,
			   l->line, what, seen, right);
}
