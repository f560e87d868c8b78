// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bisect.h"
#include "symbols/openfile.h"
#include "symbols/perfmap.h"

#define WALK_MAX 64 /* entries nested in each other that a look-up steps over */

struct entry {
	u64 start;
	u32 size, name; /* name: offset in the file */
	u32 seq;	/* later ones count more */
};

struct perfmap {
	u32 tgid, parent;
	int fd; /* kept: names are read from it */
	ino_t ino;
	u64 done;	       /* bytes read */
	struct entry *entries; /* by start, then seq */
	u32 n, seq;
	u32 max_size;
	char note[128];
};

struct perfmap *perfmap__new(u32 tgid, u32 parent)
{
	struct perfmap *p = xcalloc(1, sizeof(*p));

	p->tgid = tgid;
	p->parent = parent;
	p->fd = -1;
	snprintf(p->note, sizeof(p->note), "no /tmp/perf-%u.map: start it with its perf map option",
		 tgid);
	return p;
}

static void forget(struct perfmap *p)
{
	if (p->fd >= 0)
		close(p->fd);
	free(p->entries);
	p->fd = -1;
	p->entries = NULL;
	p->n = p->seq = p->max_size = 0;
	p->done = 0;
	p->ino = 0;
}

void perfmap__free(struct perfmap *p)
{
	if (!p)
		return;
	forget(p);
	free(p);
}

void perfmap_owner__read(struct perfmap_owner *o, FILE *status)
{
	char line[512];

	while (fgets(line, sizeof(line), status)) {
		char *last = strrchr(line, '\t');

		if (!strncmp(line, "NSpid:", 6) && last)
			o->nspid = (u32)strtoul(last + 1, NULL, 10);
		else if (sscanf(line, "Uid: %u %u", &o->ruid, &o->euid) == 2)
			o->known = true;
	}
}

static struct perfmap_owner owner_of(u32 tgid)
{
	struct perfmap_owner o = {.nspid = tgid, .ruid = geteuid(), .euid = geteuid()};
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/status", tgid);
	f = fopen(path, "re");
	if (!f)
		return o;
	perfmap_owner__read(&o, f);
	fclose(f);
	return o;
}

/* A handle: whatever it is, it is not opened before it is looked at, as opening a device has
 * effects. Links on the way are resolved within the process's root; the file itself must be none.
 */
static int handle_below(int root, const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | O_NOFOLLOW,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));

	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = openat(root, path + 1, (int)how.flags);
	return fd;
}

/* Users put any of root's files in the place of a map by a mount of their own: what others may not
 * read has to be of who began the process, and of who began us. */
static bool may_be_shown(const struct stat *st, const struct perfmap_owner *o)
{
	return st->st_mode & S_IROTH ||
	       (st->st_uid == o->ruid && (!getuid() || st->st_uid == getuid()));
}

static bool trusted(int handle, const struct perfmap_owner *o)
{
	struct stat st;

	return !fstat(handle, &st) && S_ISREG(st.st_mode) &&
	       (st.st_uid == 0 || st.st_uid == o->ruid || st.st_uid == o->euid) &&
	       may_be_shown(&st, o);
}

static int open_map_of(u32 tgid, char *note, size_t note_size)
{
	struct perfmap_owner o = owner_of(tgid);
	char path[48];
	int root, handle;

	snprintf(path, sizeof(path), "/proc/%u/root", tgid);
	root = open(o.known ? path : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -1;
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", o.nspid);
	handle = handle_below(root, path);
	close(root);
	if (handle < 0)
		return -1;
	if (trusted(handle, &o))
		return openfile__take(handle);
	snprintf(note, note_size,
		 "%s is not read: not a regular file of the process's user, or a private one",
		 path);
	close(handle);
	return -1;
}

static int open_map(struct perfmap *p)
{
	int fd = open_map_of(p->tgid, p->note, sizeof(p->note));

	if (fd < 0 && p->parent)
		fd = open_map_of(p->parent, p->note, sizeof(p->note));
	return fd;
}

static bool take_hex(const char **s, const char *end, u64 max, u64 *out)
{
	const char *p = *s;

	if (end - p > 2 && p[0] == '0' && p[1] == 'x')
		p += 2;
	for (*out = 0; p < end && *p != ' '; p++) {
		u32 d = *p >= '0' && *p <= '9' ? (u32)(*p - '0') : (u32)(*p | 32) - 'a' + 10;

		if (d > 15 || *out > max >> 4)
			return false;
		*out = *out << 4 | d;
	}
	if (p == *s || p + 1 >= end)
		return false;
	*s = p + 1;
	return true;
}

struct batch {
	struct entry *v;
	u32 n, cap;
};

static void take_line(struct perfmap *p, struct batch *b, const char *line, const char *end, u64 at)
{
	const char *s = line;
	u64 start, size;

	if (!take_hex(&s, end, UINT64_MAX, &start) || !take_hex(&s, end, UINT32_MAX, &size) ||
	    !size || p->n + b->n >= PERFMAP_ENTRIES)
		return;
	if (b->n == b->cap) {
		b->cap = MAX(256u, b->cap * 2);
		b->v = xrealloc(b->v, sizeof(*b->v) * b->cap);
	}
	p->max_size = MAX(p->max_size, (u32)size);
	b->v[b->n++] = (struct entry){.start = start,
				      .size = (u32)size,
				      .name = (u32)(at + (u64)(s - line)),
				      .seq = p->seq++};
}

/* Whole lines only: the last one may still be growing. */
static void read_lines(struct perfmap *p, struct batch *b, u64 size)
{
	static const size_t chunk = 64 << 10;
	char *buf = xmalloc(chunk);
	u64 stop = MIN(size, (u64)PERFMAP_BYTES);
	ssize_t n;

	while (p->done < stop &&
	       (n = pread(p->fd, buf, MIN(chunk, stop - p->done), (off_t)p->done)) > 0) {
		char *line = buf, *end = buf + n, *nl;

		for (; (nl = memchr(line, '\n', (size_t)(end - line))); line = nl + 1)
			take_line(p, b, line, nl, p->done + (u64)(line - buf));
		if (line == buf && (size_t)n < chunk)
			break;
		/* A line as long as the buffer is none: step over it. */
		p->done += line == buf ? (u64)n : (u64)(line - buf);
	}
	free(buf);
}

static int by_start(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

static void merge(struct perfmap *p, struct batch *b)
{
	struct entry *out = xmalloc(sizeof(*out) * MAX((size_t)1, (size_t)p->n + b->n));
	u32 i = 0, j = 0, n = 0;

	qsort(b->v, b->n, sizeof(*b->v), by_start);
	while (i < p->n || j < b->n) {
		bool old = j >= b->n || (i < p->n && by_start(&p->entries[i], &b->v[j]) < 0);
		struct entry *e = old ? &p->entries[i++] : &b->v[j++];

		if (n && out[n - 1].start == e->start)
			n--; /* made anew at the same place */
		out[n++] = *e;
	}
	free(p->entries);
	p->entries = out;
	p->n = n;
}

static void say(struct perfmap *p, u64 size)
{
	p->note[0] = '\0';
	if (size > PERFMAP_BYTES || p->n >= PERFMAP_ENTRIES)
		snprintf(p->note, sizeof(p->note),
			 "its perf map is too large: %u entries of the first 64 MiB are used",
			 p->n);
}

bool perfmap__refresh_fd(struct perfmap *p, int fd)
{
	struct batch b = {0};
	struct stat st;

	if (fstat(fd, &st)) {
		close(fd);
		return false;
	}
	if (st.st_ino != p->ino || (u64)st.st_size < p->done)
		forget(p);
	if (p->fd >= 0)
		close(p->fd);
	p->fd = fd;
	p->ino = st.st_ino;
	read_lines(p, &b, (u64)st.st_size);
	if (b.n)
		merge(p, &b);
	say(p, (u64)st.st_size);
	free(b.v);
	return b.n > 0;
}

bool perfmap__refresh(struct perfmap *p)
{
	int fd = open_map(p);

	return fd >= 0 && perfmap__refresh_fd(p, fd);
}

void perfmap__rest(struct perfmap *p)
{
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
}

static bool reopen(struct perfmap *p)
{
	struct stat st;
	int fd = open_map(p);

	if (fd < 0)
		return false;
	if (fstat(fd, &st) || st.st_ino != p->ino) {
		close(fd);
		return false;
	}
	p->fd = fd;
	return true;
}

static void read_name(struct perfmap *p, const struct entry *e, char *buf)
{
	ssize_t n = 0;

	if (p->fd >= 0 || reopen(p))
		n = pread(p->fd, buf, PERFMAP_NAME - 1, e->name);
	buf[MAX(n, 0)] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
}

bool perfmap__find(struct perfmap *p, u64 addr, struct perfmap_hit *out)
{
	const struct entry *best = NULL;
	u32 n;

	BISECT(n, 0, p->n, i, p->entries[i].start <= addr);
	for (u32 walked = 0; n > 0 && walked < WALK_MAX; n--, walked++) {
		const struct entry *e = &p->entries[n - 1];

		if (addr - e->start >= p->max_size)
			break;
		if (addr - e->start < e->size && (!best || e->seq > best->seq))
			best = e;
	}
	if (!best)
		return false;
	out->start = best->start;
	out->size = best->size;
	read_name(p, best, out->name);
	return true;
}

u32 perfmap__count(const struct perfmap *p)
{
	return p->n;
}

const char *perfmap__note(const struct perfmap *p)
{
	return p->note;
}
