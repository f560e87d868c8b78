/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/sources.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/hidx.h"
#include "symbols/openfile.h"

#define MAX_FILES     128
#define MAX_FILE_SIZE (8u << 20)
#define MAX_TOTAL     (32u << 20)
#define MAX_COLUMNS   400
#define TAB_WIDTH     8

struct source_file {
	char *path;
	char *text;  /* NULL: cannot be read */
	u32 *starts; /* of lines, in text; one more marks the end */
	u32 nlines;
	const char **shown; /* lines made fit to be shown, NULL not yet */
};

struct sources {
	char *root;
	uid_t owner;
	struct source_file files[MAX_FILES];
	u32 nfiles;
	struct hidx by_path;
	size_t total;
	struct arena lines;
	const char *missing, *why;
};

struct sources *sources__new(const char *root, uid_t owner)
{
	struct sources *s = xcalloc(1, sizeof(*s));

	s->root = xstrdup(root);
	s->owner = owner;
	arena__init(&s->lines);
	return s;
}

void sources__free(struct sources *s)
{
	for (u32 i = 0; i < s->nfiles; i++) {
		free(s->files[i].path);
		free(s->files[i].text);
		free(s->files[i].starts);
		free(s->files[i].shown);
	}
	hidx__fini(&s->by_path);
	arena__fini(&s->lines);
	free(s->root);
	free(s);
}

const char *sources__missing(const struct sources *s, const char **why)
{
	*why = s->why;
	return s->missing;
}

/* --- reading --- */

static bool is_named_by_owner(const struct sources *s, const struct stat *sb)
{
	return sb->st_uid == s->owner && (sb->st_uid || !s->root[0]);
}

static const char *refusal(const struct sources *s, const struct stat *sb)
{
	if (geteuid() == 0 && !(sb->st_mode & S_IROTH) && !is_named_by_owner(s, sb))
		return "is private to another user";
	if (sb->st_size > MAX_FILE_SIZE || s->total + (size_t)sb->st_size > MAX_TOTAL)
		return "is too large";
	return NULL;
}

static char *read_all(int fd, size_t size, size_t *n)
{
	char *text = xmalloc(size + 1);
	ssize_t got = 1;

	for (*n = 0; *n < size && got > 0; *n += (size_t)MAX(got, 0))
		got = pread(fd, text + *n, size - *n, (off_t)*n);
	text[*n] = '\0';
	return text;
}

static int open_source(const struct sources *s, const char *path)
{
	int fd;

	if (path[0] != '/')
		return -ENOENT;
	fd = openfile__regular(s->root, path);
	return fd < 0 && s->root[0] ? openfile__regular("", path) : fd;
}

/* Sets f->text, or returns why not. */
static const char *load(struct sources *s, struct source_file *f, size_t *size)
{
	int fd = open_source(s, f->path);
	const char *bad;
	struct stat sb;

	if (fd < 0)
		return fd == -EACCES || fd == -EPERM ? "may not be read" : "is not there";
	bad = fstat(fd, &sb) ? "is not there" : refusal(s, &sb);
	if (!bad) {
		f->text = read_all(fd, (size_t)sb.st_size, size);
		s->total += *size;
	}
	close(fd);
	return bad;
}

static void find_lines(struct source_file *f, size_t size)
{
	u32 n = 1;

	for (size_t i = 0; i < size; i++)
		n += f->text[i] == '\n';
	f->starts = xmalloc((n + 1) * sizeof(*f->starts));
	f->starts[0] = 0;
	f->nlines = 1;
	for (size_t i = 0; i < size; i++)
		if (f->text[i] == '\n')
			f->starts[f->nlines++] = (u32)i + 1;
	f->starts[f->nlines] = (u32)size + 1;
	f->shown = xcalloc(f->nlines, sizeof(*f->shown));
}

static struct source_file *file_of(struct sources *s, const char *path)
{
	u64 hash = hash_bytes(path, strlen(path));
	struct source_file *f;
	size_t size = 0;
	const char *bad;
	u32 at;

	HIDX_FIND(at, &s->by_path, hash, pos, !strcmp(s->files[pos].path, path));
	if (at != HIDX_NONE)
		return &s->files[at];
	if (s->nfiles == MAX_FILES)
		return NULL;
	f = &s->files[s->nfiles];
	f->path = xstrdup(path);
	hidx__add(&s->by_path, hash, s->nfiles++);
	bad = load(s, f, &size);
	if (!bad)
		find_lines(f, size);
	else if (!s->missing) {
		s->missing = f->path;
		s->why = bad;
	}
	return f;
}

/* --- showing --- */

static const char *fit(struct arena *a, const char *text, size_t n)
{
	char out[MAX_COLUMNS + TAB_WIDTH + 1];
	size_t len = 0;

	for (size_t i = 0; i < n && len < MAX_COLUMNS; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '\t') {
			do
				out[len++] = ' ';
			while (len % TAB_WIDTH);
		} else if (c != '\r') {
			out[len++] = c < ' ' || c == 0x7f ? '?' : (char)c;
		}
	}
	while (len && out[len - 1] == ' ')
		len--;
	out[len] = '\0';
	return arena__dup(a, out, len + 1);
}

const char *sources__line(struct sources *s, const char *file, u32 line)
{
	struct source_file *f = file_of(s, file);

	if (!f || !f->text || !line || line > f->nlines)
		return NULL;
	line--;
	if (!f->shown[line])
		f->shown[line] = fit(&s->lines, f->text + f->starts[line],
				     f->starts[line + 1] - f->starts[line] - 1);
	return f->shown[line];
}
