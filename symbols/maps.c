// SPDX-License-Identifier: GPL-2.0-only
#include <unistd.h>

#include "base/arena.h"
#include "base/bisect.h"
#include "base/log.h"
#include "symbols/maps.h"

#define PAST_LEAST 4u
#define PAST_MAX   64u
#define TAIL_MAX   256
#define TAIL_LEAST 4u	/* what a small program maps */
#define DIRECT_MAX 1024 /* below this many each change is merged when somebody looks */
#define READ_MAX   (64u << 20)

struct past {
	struct mapping map;
	u64 until_ns;
};

struct maps {
	u32 refs;
	u32 n, ntail, tail_cap, npast; /* npast counts on; the ring, which grows to it, holds the newest PAST_MAX */
	struct mapping *base; /* by address, without overlap */
	struct mapping *tail; /* newer than base, by time */
	struct past *past;
	bool refused; /* a mapping, for want of room */
};

struct maps *maps__new(void)
{
	struct maps *m = xcalloc(1, sizeof(*m));

	m->refs = 1;
	return m;
}

struct maps *maps__get(struct maps *m)
{
	m->refs++;
	return m;
}

void maps__put(struct maps *m)
{
	if (!m || --m->refs)
		return;
	free(m->base);
	free(m->tail);
	free(m->past);
	free(m);
}

static void *copy(const void *p, size_t size)
{
	void *q;

	if (!p || !size)
		return NULL;
	q = xmalloc(size);
	memcpy(q, p, size);
	return q;
}

/* Most processes have a few. */
static u32 past_room(const struct maps *m)
{
	u32 room = m->npast ? PAST_LEAST : 0;

	while (room && room < MIN(m->npast, PAST_MAX))
		room *= 2;
	return room;
}

void maps__own(struct maps **pm)
{
	struct maps *old = *pm, *m;

	if (old->refs == 1)
		return;
	m = xmalloc(sizeof(*m));
	*m = *old;
	m->refs = 1;
	m->base = copy(old->base, sizeof(*m->base) * old->n);
	m->past = copy(old->past, sizeof(*m->past) * past_room(old));
	m->tail = copy(old->tail, sizeof(*m->tail) * old->ntail);
	m->tail_cap = old->ntail;
	old->refs--;
	*pm = m;
}

static void remember(struct maps *m, const struct mapping *map, u64 until_ns)
{
	if (m->npast == past_room(m) && m->npast < PAST_MAX)
		m->past = xrealloc(m->past, sizeof(*m->past) * MAX(m->npast * 2, PAST_LEAST));
	m->past[m->npast++ % PAST_MAX] = (struct past){*map, until_ns};
}

static struct mapping piece(const struct mapping *b, u64 start, u64 end)
{
	struct mapping p = *b;

	p.pgoff += start - b->start;
	p.start = start;
	p.end = end;
	return p;
}

/*
 * Lays `over` onto `under`, both by address and without overlap, into out, which has room
 * for nunder + 2 * nover. What is covered is cut and remembered. Returns the number in out.
 */
static u32 merge(struct maps *m, const struct mapping *under, u32 nunder,
		 const struct mapping *over, u32 nover, struct mapping *out)
{
	u64 covered = 0;
	u32 j = 0, n = 0;

	for (u32 i = 0; i < nunder; i++) {
		const struct mapping *b = &under[i];
		u64 s;

		for (; j < nover && over[j].start <= b->start; j++) {
			out[n++] = over[j];
			covered = over[j].end;
		}
		s = MAX(b->start, covered);
		if (s > b->start)
			remember(m, b, over[j - 1].t_ns);
		while (s < b->end) {
			if (j >= nover || over[j].start >= b->end) {
				out[n++] = piece(b, s, b->end);
				break;
			}
			if (over[j].start > s)
				out[n++] = piece(b, s, over[j].start);
			remember(m, b, over[j].t_ns);
			out[n++] = over[j];
			covered = s = over[j++].end;
		}
	}
	while (j < nover)
		out[n++] = over[j++];
	return n;
}

static void lay_over_base(struct maps *m, const struct mapping *over, u32 nover)
{
	struct mapping *out = xmalloc(sizeof(*out) * ((size_t)m->n + 2 * nover));
	u32 n = merge(m, m->base, m->n, over, nover, out);

	free(m->base);
	m->base = xrealloc(out, sizeof(*out) * MAX(n, 1u));
	m->n = n;
}

/* Brings the tail into a large base in one pass over it. */
static void merge_layer(struct maps *m)
{
	struct mapping *layer = xmalloc(sizeof(*layer) * TAIL_MAX * 4);
	struct mapping *next = layer + TAIL_MAX * 2;
	u32 n = 0;

	for (u32 i = 0; i < m->ntail; i++) {
		struct mapping *t = next;

		n = merge(m, layer, n, &m->tail[i], 1, next);
		next = layer;
		layer = t;
	}
	lay_over_base(m, layer, n);
	free(MIN(layer, next));
}

static void flush_tail(struct maps *m)
{
	if (m->n >= DIRECT_MAX)
		merge_layer(m);
	else
		for (u32 i = 0; i < m->ntail; i++)
			lay_over_base(m, &m->tail[i], 1);
	m->ntail = 0;
}

static struct mapping *find_base(struct maps *m, u64 ip)
{
	u32 at;

	BISECT(at, 0, m->n, i, m->base[i].end <= ip);
	return at < m->n && m->base[at].start <= ip ? &m->base[at] : NULL;
}

static struct mapping *find_live(struct maps *m, u64 ip)
{
	for (u32 i = m->ntail; i-- > 0;)
		if (ip >= m->tail[i].start && ip < m->tail[i].end)
			return &m->tail[i];
	return find_base(m, ip);
}

static bool same(const struct mapping *a, const struct mapping *b)
{
	return a->start == b->start && a->end == b->end && a->pgoff == b->pgoff &&
	       a->file == b->file;
}

static bool is_there(struct maps *m, const struct mapping *map)
{
	const struct mapping *live = find_live(m, map->start);

	return live && same(live, map);
}

/* Most programs that run for milliseconds are never asked for: of those it is all that is done. */
void maps__add(struct maps *m, const struct mapping *map)
{
	bool there = is_there(m, map);

	if (there && m->ntail && m->n < DIRECT_MAX) { /* something may lie over a part of it */
		flush_tail(m);
		there = is_there(m, map);
	}
	if (map->end <= map->start || there)
		return;
	if (m->n + m->ntail >= MAPS_MAX) {
		if (!m->refused)
			log__add(LOG_WARN,
				 "a process has more than %u mappings: code in the newer ones has "
				 "no names",
				 MAPS_MAX);
		m->refused = true;
		return;
	}
	if (m->ntail == m->tail_cap) {
		m->tail_cap = MIN(MAX(m->tail_cap * 2, TAIL_LEAST), TAIL_MAX);
		m->tail = xrealloc(m->tail, sizeof(*m->tail) * m->tail_cap);
	}
	m->tail[m->ntail++] = *map;
	if (m->ntail == TAIL_MAX)
		flush_tail(m);
}

/* Keeps the age and object of what is still there; the rest becomes past. */
static void carry_over(struct maps *m, struct mapping *now, u32 n, u64 now_ns)
{
	u32 j = 0;

	for (u32 i = 0; i < m->n; i++) {
		while (j < n && now[j].start < m->base[i].start)
			j++;
		if (j < n && same(&now[j], &m->base[i]))
			now[j] = m->base[i];
		else
			remember(m, &m->base[i], now_ns);
	}
}

void maps__replace(struct maps *m, const struct mapping *maps, u32 n, u64 now_ns)
{
	struct mapping *now = copy(maps, sizeof(*maps) * n);

	if (m->ntail)
		flush_tail(m);
	carry_over(m, now, n, now_ns);
	free(m->base);
	m->base = now;
	m->n = n;
}

static struct mapping *find_past(struct maps *m, u64 ip, u64 t_ns)
{
	u32 n = MIN(m->npast, PAST_MAX);

	for (u32 i = 1; i <= n; i++) {
		struct past *p = &m->past[(m->npast - i) % PAST_MAX];

		if (ip >= p->map.start && ip < p->map.end && p->map.t_ns <= t_ns &&
		    t_ns < p->until_ns)
			return &p->map;
	}
	return NULL;
}

struct mapping *maps__find(struct maps *m, u64 ip, u64 t_ns)
{
	struct mapping *live, *then;

	if (m->ntail && m->n < DIRECT_MAX)
		flush_tail(m);
	live = find_live(m, ip);
	if (live && live->t_ns <= t_ns)
		return live;
	then = find_past(m, ip, t_ns);
	if (!then && m->ntail)
		then = find_base(m, ip); /* below a tail that is newer than the sample */
	return then ? then : live;
}

struct mapping *maps__all(struct maps *m, u32 *n)
{
	if (m->ntail)
		flush_tail(m);
	*n = m->n;
	return m->base;
}

size_t maps__bytes(const struct maps *m)
{
	return sizeof(*m) + sizeof(*m->base) * m->n + sizeof(*m->tail) * m->tail_cap +
	       sizeof(*m->past) * past_room(m);
}

static bool take_hex(char **p, char stop, u64 *out)
{
	char *s = *p;

	*out = 0;
	for (; *s && *s != stop; s++) {
		u32 digit = *s >= '0' && *s <= '9'   ? (u32)(*s - '0')
			    : *s >= 'a' && *s <= 'f' ? (u32)(*s - 'a' + 10)
						     : 16;

		if (digit > 15 || *out >> 60)
			return false;
		*out = *out << 4 | digit;
	}
	if (*s != stop || s == *p)
		return false;
	*p = s + 1;
	return true;
}

/* The kernel writes a newline within a path as \012. */
static void unescape(char *s)
{
	char *d = s;

	while (*s) {
		if (!strncmp(s, "\\012", 4)) {
			*d++ = '\n';
			s += 4;
		} else {
			*d++ = *s++;
		}
	}
	*d = '\0';
}

bool maps_line__parse(char *line, struct maps_line *out)
{
	static const char suffix[] = " (deleted)";
	u64 major, minor;
	size_t len;
	char *p = line, *perms;

	if (!take_hex(&p, '-', &out->start) || !take_hex(&p, ' ', &out->end))
		return false;
	perms = p;
	if (strnlen(p, 5) < 5 || p[4] != ' ')
		return false;
	p += 5;
	if (!take_hex(&p, ' ', &out->pgoff) || !take_hex(&p, ':', &major) ||
	    !take_hex(&p, ' ', &minor))
		return false;
	out->dev_major = (u32)major;
	out->dev_minor = (u32)minor;
	out->inode = strtoull(p, &p, 10);
	out->exec = perms[2] == 'x';
	while (*p == ' ')
		p++;
	len = strlen(p);
	out->deleted = len > sizeof(suffix) - 1 && !strcmp(p + len - sizeof(suffix) + 1, suffix);
	if (out->deleted)
		p[len - sizeof(suffix) + 1] = '\0';
	unescape(p);
	out->path = p;
	return out->end > out->start;
}

/* Hands out the whole lines of buf[0..len), returns how many bytes they took. */
static size_t take_lines(char *buf, size_t len, void (*fn)(void *, const struct maps_line *),
			 void *ctx)
{
	size_t done = 0;
	char *nl;

	while ((nl = memchr(buf + done, '\n', len - done))) {
		struct maps_line l;

		*nl = '\0';
		if (maps_line__parse(buf + done, &l))
			fn(ctx, &l);
		done = (size_t)(nl - buf) + 1;
	}
	return done;
}

int maps__read(int fd, void (*fn)(void *ctx, const struct maps_line *l), void *ctx)
{
	size_t size = 64 << 10, len = 0, total = 0;
	char *buf = xmalloc(size);
	ssize_t got = 0;

	while (total < READ_MAX && (got = read(fd, buf + len, size - len)) > 0) {
		size_t done;

		len += (size_t)got;
		total += (size_t)got;
		done = take_lines(buf, len, fn, ctx);
		memmove(buf, buf + done, len - done);
		len -= done;
		if (len == size)
			len = 0; /* no line of the kernel is that long */
	}
	free(buf);
	return got < 0 ? -errno : 0;
}
