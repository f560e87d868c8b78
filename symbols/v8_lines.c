// SPDX-License-Identifier: GPL-2.0-only
/* Lines of scripts. V8 looks for a script's lines itself only when it has to print one, so what is
 * here counts them in the source. */
#include "base/arena.h"
#include "symbols/v8.h"

#define SCRIPTS	   16
#define SOURCE_MAX (16u << 20) /* bytes; a longer one has no lines */
#define CHUNK	   (64u << 10)

struct script_lines {
	u32 tgid;
	u64 script, source, length;
	u32 *ends; /* where lines end, by place */
	u32 n, cap;
};

struct v8_lines {
	struct script_lines scripts[SCRIPTS];
	u32 next;
	u8 chunk[CHUNK];
};

struct v8_lines *v8_lines__new(void)
{
	return xcalloc(1, sizeof(struct v8_lines));
}

void v8_lines__free(struct v8_lines *l)
{
	for (u32 i = 0; i < SCRIPTS; i++)
		free(l->scripts[i].ends);
	free(l);
}

static u16 char_at(const u8 *chars, u32 i, u32 size)
{
	u16 c = chars[i * size];

	return size == 2 ? (u16)(c | chars[i * size + 1] << 8) : c;
}

/* "\r\n" is one end. */
static bool ends_line(u16 c, u16 before)
{
	return (c == '\n' && before != '\r') || c == '\r' || c == 0x2028 || c == 0x2029;
}

static bool count_lines(struct v8_lines *l, struct script_lines *s,
			const struct process_memory *m, const struct v8_chars *c)
{
	u32 per = CHUNK / c->size;
	u16 now, before = 0;

	for (u64 from = 0; from < c->n; from += per) {
		u32 n = (u32)MIN(c->n - from, (u64)per);

		if (!m->read(m->ctx, c->at + from * c->size, l->chunk, (size_t)n * c->size))
			return false;
		for (u32 i = 0; i < n; i++, before = now) {
			now = char_at(l->chunk, i, c->size);
			if (!ends_line(now, before))
				continue;
			s->ends = xgrow(s->ends, s->n, &s->cap, sizeof(*s->ends));
			s->ends[s->n++] = (u32)from + i;
		}
	}
	return true;
}

static struct script_lines *find_script(struct v8_lines *l, const struct process_memory *m,
					u32 tgid, u64 script, u64 source, const struct v8_chars *c)
{
	struct script_lines *s;

	for (u32 i = 0; i < SCRIPTS; i++) {
		s = &l->scripts[i];
		if (s->script == script && s->tgid == tgid && s->source == source &&
		    s->length == c->n)
			return s;
	}
	s = &l->scripts[l->next++ % SCRIPTS];
	s->n = 0;
	s->script = 0;
	if (c->n * c->size > SOURCE_MAX || !count_lines(l, s, m, c))
		return NULL;
	s->tgid = tgid;
	s->script = script;
	s->source = source;
	s->length = c->n;
	return s;
}

static u32 ends_before(const struct script_lines *s, u32 position)
{
	u32 low = 0, high = s->n;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (s->ends[middle] < position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

u32 v8_lines__find(struct v8_lines *l, const struct v8 *v, const struct process_memory *m,
		   u32 tgid, u64 script, u32 position)
{
	const struct script_lines *s;
	struct v8_chars c;
	u64 source;

	if (!v8__word(m, script, v->of[V8_SCRIPT_SOURCE], &source) ||
	    !v8_text__chars(v, m, source, &c) || position > c.n)
		return 0;
	s = find_script(l, m, tgid, script, source, &c);
	return s ? ends_before(s, position) + 1 : 0;
}
