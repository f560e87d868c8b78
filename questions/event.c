// SPDX-License-Identifier: GPL-2.0-only
/* Events as perf writes them, and those of functions and probes that perf has no words for. */
#include <stdio.h>

#include "questions/question.h"
#include "questions/question_impl.h"

#define EVENT_EXPECTED                                                                             \
	"an event is expected here: sched:sched_switch, page-faults, uprobe:PATH:FUNCTION ..."
#define NAME_LEN 4096 /* PATH_MAX: of each part */

/* Kinds that begin with their own word; PERF, TRACEPOINT and BREAKPOINT have none here. */
static const struct {
	const char *word;
	enum question_event_kind kind;
	u8 parts; /* between colons; the last one may have colons in it */
	const char *form;
} kinds[] = {
	{"uprobe", EVENT_UPROBE, 2, "uprobe:PATH:FUNCTION"},
	{"uretprobe", EVENT_URETPROBE, 2, "uretprobe:PATH:FUNCTION"},
	{"usdt", EVENT_USDT, 3, "usdt:PATH:PROVIDER:NAME"},
	{"btf", EVENT_BTF, 1, "btf:NAME"},
	{"kprobe", EVENT_KPROBE, 1, "kprobe:FUNCTION"},
	{"kretprobe", EVENT_KRETPROBE, 1, "kretprobe:FUNCTION"},
};

static bool at_arrow(const struct reader *r)
{
	return reader__peek(r, 0) == '-' && reader__peek(r, 1) == '>';
}

static bool at_end(const struct reader *r)
{
	char c = reader__peek(r, 0);

	return !c || char__is_blank(c) || c == ',' || at_arrow(r);
}

/* Quoted text at the place, taken as it stands. */
static int read_quoted(struct reader *r, char *buf, u32 *n)
{
	u32 at = r->pos;
	char quote = r->text[r->pos++], c;

	for (; (c = reader__peek(r, 0)) != quote; r->pos++) {
		if (!c)
			return expr__fail(r->err, at, r->pos - at,
					  "the quote is not closed: end it with %c", quote);
		if ((u8)c < ' ' || c == 0x7f)
			return expr__fail(r->err, r->pos, 1, "a name has no control characters");
		if (*n + 1 < NAME_LEN)
			buf[(*n)++] = c;
	}
	r->pos++;
	return 0;
}

/* A part up to `stop` (NUL: none) or the event's end. */
static int read_part(struct reader *r, char stop, const char **out)
{
	char buf[NAME_LEN], c;
	u32 n = 0, at = r->pos;

	while (!at_end(r) && ((c = reader__peek(r, 0)) != stop)) {
		if (c == '"' || c == '\'') {
			if (read_quoted(r, buf, &n))
				return -EINVAL;
			continue;
		}
		if ((u8)c < ' ' || c == 0x7f)
			return expr__fail(r->err, r->pos, 1, "a name has no control characters");
		if (n + 1 < NAME_LEN)
			buf[n++] = c;
		r->pos++;
	}
	if (n + 1 >= NAME_LEN)
		return expr__fail(r->err, at, r->pos - at, "a name has less than %d bytes",
				  NAME_LEN);
	buf[n] = '\0';
	*out = arena__strdup(r->arena, buf);
	return 0;
}

/* pid:N in the place of a path, which has a colon in it. */
static int read_process(struct reader *r, const char **path)
{
	const char *number;
	char buf[32];
	u32 at = ++r->pos;

	if (read_part(r, ':', &number))
		return -EINVAL;
	if (!*number || number[strspn(number, "0123456789")] || strlen(number) > 10)
		return expr__fail(r->err, at, r->pos - at, "the number of a process is expected: pid:N");
	snprintf(buf, sizeof(buf), "pid:%s", number);
	*path = arena__strdup(r->arena, buf);
	return 0;
}

/* The place of the slash that ends a filter, or 0. */
static u32 filter_end(const struct reader *r)
{
	u32 depth = 0;
	char quote = '\0';

	for (u32 i = r->pos; i < r->end; i++) {
		char c = r->text[i];

		if (quote) {
			i += c == '\\';
			quote = c == quote ? '\0' : quote;
		} else if (c == '"' || c == '\'') {
			quote = c;
		} else if (c == '/' && !depth) {
			return i;
		} else {
			depth += c == '(';
			depth -= c == ')' && depth;
		}
	}
	return 0;
}

static int read_filter(struct reader *r, struct question_event *e)
{
	struct reader inner = *r;
	u32 end;

	inner.pos = r->pos + 1;
	end = filter_end(&inner);
	if (!end)
		return expr__fail(r->err, r->pos, 1, "this filter is not closed: end it with /");
	inner.end = end;
	e->filter = expr__read(&inner);
	if (!e->filter)
		return -EINVAL;
	reader__blanks(&inner);
	if (inner.pos < end)
		return reader__expected(&inner,
					"an operator is expected here, or / at the filter's end");
	r->pos = end + 1;
	return at_end(r) ? 0
			 : expr__fail(r->err, r->pos, 1,
				      "a blank or comma is expected behind a filter");
}

static int read_parts(struct reader *r, struct question_event *e, u32 parts, const char *form)
{
	const char *part[3] = {NULL, NULL, NULL};
	u32 at = r->pos;

	for (u32 i = 0; i < parts; i++) {
		at = r->pos;
		/* Paths, and functions of C++, have slashes; what is the kernel's ends with its filter. */
		if (read_part(r, i + 1 < parts ? ':' : parts == 1 ? '/' : '\0', &part[i]))
			return -EINVAL;
		if (!*part[i])
			return expr__fail(r->err, at, 1, "a part is missing: %s", form);
		if (!i && parts > 1 && !strcmp(part[0], "pid") && reader__peek(r, 0) == ':' &&
		    read_process(r, &part[0]))
			return -EINVAL;
		if (i + 1 < parts && reader__peek(r, 0) != ':')
			return expr__fail(r->err, r->pos, 1, "%s is expected: %s", ":", form);
		r->pos += i + 1 < parts;
	}
	e->name = part[parts - 1];
	e->path = parts > 1 ? part[0] : NULL;
	e->system = parts > 2 ? part[1] : NULL;
	return reader__peek(r, 0) == '/' ? read_filter(r, e) : 0;
}

/* Digits of a number in an event; -EINVAL when there are none, or too many. */
static int read_number(struct reader *r, u64 *out)
{
	u32 at = r->pos, base = 10, digits = 0;

	if (reader__peek(r, 0) == '0' && (reader__peek(r, 1) | 0x20) == 'x') {
		base = 16;
		r->pos += 2;
	}
	for (*out = 0;; r->pos++, digits++) {
		char c = reader__peek(r, 0);
		u32 v = c >= '0' && c <= '9' ? (u32)(c - '0')
			: base == 16 && (c | 0x20) >= 'a' && (c | 0x20) <= 'f'
				? (u32)(c | 0x20) - 'a' + 10
				: base;

		if (v == base)
			break;
		if (__builtin_mul_overflow(*out, (u64)base, out) ||
		    __builtin_add_overflow(*out, v, out))
			return expr__fail(r->err, at, r->pos - at, "the number is too large");
	}
	return digits ? 0 : expr__fail(r->err, at, 1, "a number is expected here: mem:0xADDR/8:w");
}

static int read_access(struct reader *r, struct question_event *e)
{
	static const char letters[] = "rwx";
	u32 at = r->pos;

	for (; !at_end(r); r->pos++) {
		const char *letter = strchr(letters, reader__peek(r, 0));

		if (!letter)
			break;
		e->access |= (u8)(1 << (letter - letters));
	}
	if (!at_end(r) || !e->access || (e->access != BREAK_EXECUTE && (e->access & BREAK_EXECUTE)))
		return expr__fail(r->err, at, r->pos - at, "an access is r, w, rw or x");
	return 0;
}

static int read_breakpoint(struct reader *r, struct question_event *e)
{
	u64 len = 0;
	u32 at;

	e->kind = EVENT_BREAKPOINT;
	if (read_number(r, &e->addr))
		return -EINVAL;
	at = r->pos;
	if (reader__peek(r, 0) == '/') {
		r->pos++;
		if (read_number(r, &len))
			return -EINVAL;
		if (len != 1 && len != 2 && len != 4 && len != 8)
			return expr__fail(r->err, at + 1, r->pos - at - 1,
					  "a breakpoint is 1, 2, 4 or 8 bytes long");
	}
	if (reader__peek(r, 0) == ':') {
		r->pos++;
		if (read_access(r, e))
			return -EINVAL;
	} else {
		e->access = BREAK_READ | BREAK_WRITE;
	}
	e->len = len ? (u32)len : e->access == BREAK_EXECUTE ? 8 : 4;
	return at_end(r) ? 0 : expr__fail(r->err, r->pos, 1, "mem:0xADDR/LEN:rwx is expected");
}

/* cycles:u and the like: letters that are modifiers of perf. */
static bool is_modifier(const char *s)
{
	return *s && strlen(s) <= 4 && strspn(s, "ukhGHpPSDWe") == strlen(s);
}

/* pmu/event=1,umask=2/u: up to the second slash and its modifiers. */
static int read_pmu(struct reader *r)
{
	u32 at = r->pos;

	for (r->pos++; reader__peek(r, 0) != '/'; r->pos++)
		if (reader__peek(r, 0) <= ' ' || reader__peek(r, 0) == 0x7f)
			return expr__fail(r->err, at, r->pos - at,
					  "a PMU's event ends with /: cpu/event=0x3c/");
	for (r->pos++; char__in_name(reader__peek(r, 0)) || reader__peek(r, 0) == ':'; r->pos++)
		;
	return at_end(r) ? 0 : expr__fail(r->err, r->pos, 1, "modifiers are letters: u, k, p");
}

static bool is_event_char(char c)
{
	return char__in_name(c) || (c && strchr("*?[].!-:^", c));
}

static int fail_event(struct reader *r, u32 at)
{
	if (r->pos == at)
		return reader__expected(r, EVENT_EXPECTED);
	return expr__fail(r->err, r->pos, 1, "a name of an event has letters, digits and *?[]_-:.");
}

/* A name of perf: a tracepoint when it has one colon that does not stand before modifiers. */
static int read_perf(struct reader *r, struct question_event *e)
{
	u32 at = r->pos;
	char *text, *colon;

	while (!at_end(r) && is_event_char(reader__peek(r, 0)))
		r->pos++;
	text = reader__copy(r, at, r->pos);
	colon = strchr(text, ':');
	if (r->pos == at || (!at_end(r) && reader__peek(r, 0) != '/'))
		return fail_event(r, at);
	e->name = text;
	if (!colon || is_modifier(colon + 1)) {
		if (reader__peek(r, 0) == '/' && read_pmu(r))
			return -EINVAL;
		e->name = reader__copy(r, at, r->pos);
		return 0;
	}
	if (colon == text || !colon[1] || strchr(colon + 1, ':'))
		return expr__fail(r->err, at, r->pos - at, "a tracepoint is SYSTEM:NAME");
	*colon = '\0';
	e->kind = EVENT_TRACEPOINT;
	e->system = text;
	e->name = colon + 1;
	e->glob = text[strcspn(text, "*?[")] || e->name[strcspn(e->name, "*?[")];
	return reader__peek(r, 0) == '/' ? read_filter(r, e) : 0;
}

/* --- as text --- */

static bool needs_quotes(char c)
{
	return !char__in_name(c) && !strchr("./+@%=*?[]~-", c);
}

/* Each run in quotes of the kind that it has none of. */
static void add_quoted(struct text_buf *b, const char *s)
{
	do {
		char quote = strcspn(s, "\"") < strcspn(s, "'") ? '\'' : '"';
		size_t n = strcspn(s, (char[]){quote, '\0'});

		text_buf__add(b, (char[]){quote, '\0'});
		for (; n; n--)
			text_buf__add(b, (char[]){*s++, '\0'});
		text_buf__add(b, (char[]){quote, '\0'});
	} while (*s);
}

static void add_part(struct text_buf *b, const char *s)
{
	bool quoted = false;

	for (const char *p = s; *p && !quoted; p++)
		quoted = needs_quotes(*p);
	if (quoted)
		add_quoted(b, s);
	else
		text_buf__add(b, s);
}

static void add_breakpoint(struct text_buf *b, const struct question_event *e)
{
	text_buf__addf(b, "mem:0x%llx/%u:%s%s%s", (unsigned long long)e->addr, e->len,
		       e->access & BREAK_READ ? "r" : "", e->access & BREAK_WRITE ? "w" : "",
		       e->access & BREAK_EXECUTE ? "x" : "");
}

static void add_parts(struct text_buf *b, const struct question_event *e, const char *word)
{
	const char *const parts[] = {e->path, e->system, e->name};

	text_buf__add(b, word);
	for (u32 i = 0; i < ARRAY_SIZE(parts); i++)
		if (parts[i]) {
			text_buf__add(b, ":");
			add_part(b, parts[i]);
		}
}

static const char *print_event(struct arena *a, const struct question_event *e)
{
	struct text_buf b = {0};
	const char *text;

	if (e->kind == EVENT_TRACEPOINT) {
		text_buf__add(&b, e->system);
		text_buf__add(&b, ":");
		text_buf__add(&b, e->name);
	} else if (e->kind == EVENT_BREAKPOINT) {
		add_breakpoint(&b, e);
	} else if (e->kind == EVENT_PERF) {
		text_buf__add(&b, e->name);
	} else {
		for (u32 i = 0; i < ARRAY_SIZE(kinds); i++)
			if (kinds[i].kind == e->kind)
				add_parts(&b, e, kinds[i].word);
	}
	text = arena__strdup(a, b.s);
	free(b.s);
	return text;
}

/* --- */

static int read_kind(struct reader *r, struct question_event *e)
{
	u32 n = reader__name(r);

	if (!n || reader__peek(r, n) != ':')
		return read_perf(r, e);
	for (u32 i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strlen(kinds[i].word) == n && !memcmp(kinds[i].word, r->text + r->pos, n)) {
			r->pos += n + 1;
			e->kind = kinds[i].kind;
			return read_parts(r, e, kinds[i].parts, kinds[i].form);
		}
	if (n == 3 && !memcmp(r->text + r->pos, "mem", 3)) {
		r->pos += 4;
		return read_breakpoint(r, e);
	}
	return read_perf(r, e);
}

int question_event__read(struct reader *r, struct question_event *e)
{
	*e = (struct question_event){0};
	reader__blanks(r);
	e->at = r->pos;
	if (read_kind(r, e))
		return -EINVAL;
	e->length = r->pos - e->at;
	e->text = print_event(r->arena, e);
	return 0;
}

const struct question_event *question_event__parse(const char *text, struct arena *a,
						   struct expr_error *err)
{
	struct reader r = {
		.text = text, .end = (u32)strnlen(text, QUESTION_MAX_LEN), .arena = a, .err = err};
	struct question_event e;

	if (question_event__read(&r, &e))
		return NULL;
	reader__blanks(&r);
	if (r.pos < r.end || text[r.end]) {
		reader__expected(&r, "one event is expected here");
		return NULL;
	}
	return arena__dup(a, &e, sizeof(e));
}
