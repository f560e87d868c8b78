// SPDX-License-Identifier: GPL-2.0-only
#include "recording/folded_in.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/progress.h"
#include "models/stacks.h"
#include "recording/import_out.h"

#define LINE_MAX_LEN (1u << 20)
#define LOOK_AT	     65536 /* bytes, for what it is */
#define LOOK_EVERY   4096 /* lines between two looks for who wants it to end */
#define KERNEL_MARK  "_[k]"

/* The weight behind the last blank, which is cut off; a fraction is left out. 0: it is none. */
static u64 cut_weight(char *line)
{
	char *blank = strrchr(line, ' '), *end;
	u64 weight;

	if (!blank || blank == line || !isdigit((u8)blank[1]))
		return 0;
	errno = 0;
	weight = strtoull(blank + 1, &end, 10);
	if (*end == '.')
		end += 1 + strspn(end + 1, "0123456789");
	if (*end || errno || weight > UINT64_MAX >> 16)
		return 0;
	*blank = '\0';
	return weight;
}

static void cut_end(char *line)
{
	size_t n = strlen(line);

	while (n && isspace((u8)line[n - 1]))
		line[--n] = '\0';
}

/* Comments and empty lines. */
static bool is_nothing(const char *line)
{
	return !*line || *line == '#';
}

bool folded__is(int fd)
{
	char *text = xmalloc(LOOK_AT + 1), *line, *next;
	ssize_t n = pread(fd, text, LOOK_AT, 0);
	bool is = false;

	text[MAX(n, 0)] = '\0';
	/* A line that is cut short tells nothing, unless there is no other. */
	for (line = text; n > 0 && !is && (next = strchr(line, '\n')); line = next + 1) {
		*next = '\0';
		cut_end(line);
		if (is_nothing(line))
			continue;
		is = cut_weight(line) || !strcmp(line, "0");
		break;
	}
	if (n > 0 && n < LOOK_AT && line == text && strlen(text) == (size_t)n)
		is = cut_weight(text);
	free(text);
	return is;
}

struct folded_in {
	struct symbols *symbols;
	struct import_out *out;
	u64 locs[STACKS_MAX_FRAMES], wrong;
	struct stack_def def;
	char comm[COMM_LEN];
};

/* Strips the mark; true: it was there. */
static bool of_kernel(char *frame)
{
	size_t n = strlen(frame), mark = strlen(KERNEL_MARK);

	if (n <= mark || strcmp(frame + n - mark, KERNEL_MARK))
		return false;
	frame[n - mark] = '\0';
	return true;
}

/* The command is no frame, unless it is too long to be one. */
static char *cut_command(struct folded_in *f, char *line)
{
	char *semicolon = strchr(line, ';');

	copy_str(f->comm, sizeof(f->comm), "");
	if (!semicolon)
		return line;
	*semicolon = '\0';
	copy_str(f->comm, sizeof(f->comm), line);
	for (char *c = f->comm; *c; c++)
		if (iscntrl((u8)*c))
			*c = '?';
	if (strlen(line) < COMM_LEN)
		return semicolon + 1;
	*semicolon = ';';
	return line;
}

/* From the leaf on; the kernel's frames are those before the first that is not. */
static void read_frames(struct folded_in *f, char *line)
{
	struct stack_def *d = &f->def;
	bool more = true;
	char *frame;
	u32 n = 0;

	*d = (struct stack_def){.head.type = SAMPLE_STACK_DEF, .named = true, .ips = f->locs};
	while (more && n < STACKS_MAX_FRAMES) {
		char *semicolon = strrchr(line, ';');
		bool kernel;

		more = semicolon;
		frame = more ? semicolon + 1 : line;
		kernel = of_kernel(frame);
		if (*frame) {
			f->locs[n++] = symbols__named(f->symbols, kernel ? "[kernel]" : "", frame,
						      kernel ? CODE_KERNEL : CODE_USER);
			if (kernel && d->nkernel + 1u == n)
				d->nkernel++;
		}
		if (more)
			*semicolon = '\0';
	}
	d->cut = more;
	d->nuser = (u16)(n - d->nkernel);
	d->hash = 1;
	for (u32 i = 0; i < n; i++)
		d->hash = mix64_pair(d->hash, f->locs[i]);
}

static bool take_line(struct folded_in *f, char *line)
{
	struct stack_sample s = {.head.type = SAMPLE_STACK, .t_ns = NSEC_PER_SEC};

	cut_end(line);
	if (is_nothing(line))
		return true;
	s.count = s.weight = cut_weight(line);
	if (!s.count) {
		f->wrong++;
		return true;
	}
	read_frames(f, cut_command(f, line));
	memcpy(s.comm, f->comm, sizeof(s.comm));
	s.stack = f->def.hash;
	if (!import_out__knows(f->out, s.stack))
		import_out__define(f->out, &f->def);
	return import_out__put(f->out, &s);
}

/* Tells how far it is; false: somebody had enough of it. */
static bool go_on(FILE *from)
{
	struct stat sb;

	return fstat(fileno(from), &sb) || progress__go_on((u64)MAX(ftell(from), 0L), (u64)sb.st_size);
}

/* Lines that are longer than any stack are wrong. False: it is not read to its end. */
static bool read_lines(struct folded_in *f, FILE *from)
{
	char *line = xmalloc(LINE_MAX_LEN);
	bool within = false, whole_file = true;
	u32 n = 0;

	while (fgets(line, LINE_MAX_LEN, from)) {
		bool whole = strchr(line, '\n') || feof(from);

		if (!whole || within)
			f->wrong += !within;
		else if (!take_line(f, line))
			break;
		within = !whole;
		whole_file = ++n % LOOK_EVERY || go_on(from);
		if (!whole_file)
			break;
	}
	free(line);
	return whole_file;
}

/* From the beginning of the file on. NULL with st. */
static FILE *open_again(int fd, const char *path, struct status *st)
{
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	FILE *f = own < 0 ? NULL : fdopen(own, "r");

	if (f)
		rewind(f);
	else
		status__set(st, EXIT_CODE_FAILURE, -errno, "cannot read %.200s: %s", path,
			    strerror(errno));
	return f;
}

static int refuse(int made, const char *path, bool whole, struct status *st)
{
	if (made >= 0)
		close(made);
	if (whole)
		status__set(st, EXIT_CODE_FAILURE, -ENODATA, "%.200s has no folded stacks", path);
	else
		status__set(st, EXIT_CODE_FAILURE, -EINTR, "%.200s was not read to its end: interrupted", path);
	return -1;
}

static int convert(FILE *from, struct symbols *symbols, const char *path, struct status *st)
{
	const struct recording_note notes[] = {{NOTE_RATE, "folded stacks"}, {NULL, NULL}};
	struct health health = {
		.tier = "another program",
		.note = "folded stacks have no times, and of tasks only the command"};
	struct folded_in *f = xcalloc(1, sizeof(*f));
	bool whole = true;
	u64 samples = 0;
	int fd;

	f->symbols = symbols;
	f->out = import_out__new(symbols, notes, &health, st);
	if (f->out) {
		whole = read_lines(f, from);
		samples = import_out__samples(f->out);
	}
	if (f->wrong && samples)
		log__add(LOG_WARN, "%.200s: %llu lines are no folded stacks and left out", path,
			 (unsigned long long)f->wrong);
	fd = import_out__finish(f->out, st);
	free(f);
	return samples && whole ? fd : refuse(fd, path, whole, st);
}

int folded_import(int fd, struct symbols *symbols, const char *path, const char *event,
		  struct status *st)
{
	FILE *from = open_again(fd, path, st);
	int made;

	if (!from)
		return -1;
	made = convert(from, symbols, path, st);
	fclose(from);
	return made;
}
