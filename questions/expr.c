// SPDX-License-Identifier: GPL-2.0-only
/* Expressions: what binds how. Reads by precedence; depth and number of terms are bounded. */
#include "questions/expr.h"

#include <stdio.h>

#include "questions/expr_impl.h"

#define PREFIX_EXPECTED                                                                            \
	"a value is expected here: a field, a word such as pid, a number or a \"text\""

static const struct expr *read_if(struct reader *r);
static const struct expr *read_unary(struct reader *r);

static const struct {
	char text[3];
	u8 binds; /* tighter when higher */
	u8 op;
} binaries[] = {
	/* longer ones first */
	{"||", 1, EXPR_EITHER}, {"&&", 2, EXPR_BOTH}, {"==", 6, EXPR_EQ},  {"!=", 6, EXPR_NE},
	{"<=", 7, EXPR_LE},	{">=", 7, EXPR_GE},   {"<<", 8, EXPR_SHL}, {">>", 8, EXPR_SHR},
	{"|", 3, EXPR_OR},	{"^", 4, EXPR_XOR},   {"&", 5, EXPR_AND},  {"~", 6, EXPR_GLOB},
	{"<", 7, EXPR_LT},	{">", 7, EXPR_GT},    {"+", 9, EXPR_ADD},  {"-", 9, EXPR_SUB},
	{"*", 10, EXPR_MUL},	{"/", 10, EXPR_DIV},  {"%", 10, EXPR_MOD},
};

static const char *const casts[] = {"u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64"};

static struct expr *node(struct reader *r, enum expr_op op, u32 at)
{
	struct expr *e;

	if (++r->terms > EXPR_MAX_TERMS) {
		expr__fail(r->err, at, 1, "an expression has at most %d terms", EXPR_MAX_TERMS);
		return NULL;
	}
	e = arena__alloc(r->arena, sizeof(*e));
	e->op = op;
	e->at = at;
	e->length = r->pos - at;
	return e;
}

static const struct expr *unary(struct reader *r, enum expr_op op, u32 at, const struct expr *a)
{
	struct expr *e = a ? node(r, op, at) : NULL;

	if (e)
		e->a = a;
	return e;
}

/* One level deeper; false: too deep, or something else was wrong. */
static bool enter(struct reader *r)
{
	if (r->depth >= EXPR_MAX_DEPTH) {
		expr__fail(r->err, r->pos, 1, "too deep: at most %d levels", EXPR_MAX_DEPTH);
		return false;
	}
	r->depth++;
	return true;
}

/* --- what stands alone --- */

static const struct expr *fail(struct reader *r, u32 at, u32 length, const char *msg)
{
	expr__fail(r->err, at, length, "%s", msg);
	return NULL;
}

/* The digit's value in a base up to 16, or -1. */
static int digit(char c, u32 base)
{
	int v = c >= '0' && c <= '9'   ? c - '0'
		: c >= 'a' && c <= 'f' ? c - 'a' + 10
		: c >= 'A' && c <= 'F' ? c - 'A' + 10
				       : 99;

	return v < (int)base ? v : -1;
}

/* The byte that an escape stands for, or -1; the backslash is taken already. */
static int read_escape(struct reader *r)
{
	static const char from[] = "ntr0\\\"'", to[] = "\n\t\r\0\\\"'";
	char c = reader__peek(r, 0);
	const char *at = c ? strchr(from, c) : NULL;
	int hi, lo;

	if (c)
		r->pos++;
	if (at)
		return (u8)to[at - from];
	if (c != 'x')
		return -1;
	hi = digit(reader__peek(r, 0), 16);
	lo = hi < 0 ? -1 : digit(reader__peek(r, 1), 16);
	if (lo < 0)
		return -1;
	r->pos += 2;
	return hi << 4 | lo;
}

/* A character or escape within quotes; -1 with err filled. */
static int read_quoted(struct reader *r, u32 quote)
{
	u32 at = r->pos;
	u8 c = (u8)reader__peek(r, 0);
	int v = c;

	if (!c) {
		expr__fail(r->err, quote, r->pos - quote, "the quote is not closed: end it with %c",
			   r->text[quote]);
		return -1;
	}
	r->pos++;
	if (c == '\\') {
		v = read_escape(r);
		if (v < 0)
			expr__fail(r->err, at, r->pos - at,
				   "there are the escapes \\n \\t \\r \\0 \\\\ \\\" \\' \\xHH");
	} else if (c < ' ' || c == 0x7f) {
		expr__fail(r->err, at, 1, "control characters are written as \\xHH");
		v = -1;
	}
	return v;
}

static const struct expr *read_text(struct reader *r)
{
	char buf[EXPR_MAX_TEXT + 1];
	u32 at = r->pos++, n = 0;
	struct expr *e;

	while (reader__peek(r, 0) != '"') {
		int c = read_quoted(r, at);

		if (c < 0)
			return NULL;
		if (!c)
			return fail(r, r->pos - 2, 2, "a text cannot have a NUL in it");
		if (n == EXPR_MAX_TEXT)
			return fail(r, at, r->pos - at, "a text has at most 127 bytes");
		buf[n++] = (char)c;
	}
	buf[n] = '\0';
	r->pos++;
	e = node(r, EXPR_TEXT, at);
	if (e)
		e->text = arena__strdup(r->arena, buf);
	return e;
}

static const struct expr *read_char(struct reader *r)
{
	u32 at = r->pos++;
	int c = read_quoted(r, at);
	struct expr *e;

	if (c < 0)
		return NULL;
	if (reader__peek(r, 0) != '\'')
		return fail(r, at, r->pos - at,
			    "one character stands between '': texts are in double quotes");
	r->pos++;
	e = node(r, EXPR_NUMBER, at);
	if (e) {
		e->number = (u64)(s64)(signed char)c;
		e->size = 4;
		e->unit = "";
	}
	return e;
}

static const struct expr *read_entry(struct reader *r, u32 at)
{
	const struct expr *a;

	if (!reader__take(r, '('))
		return fail(r, at, r->pos - at,
			    "entry is followed by an expression in (): entry(filename)");
	if (!enter(r))
		return NULL;
	a = read_if(r);
	r->depth--;
	if (!a)
		return NULL;
	if (!reader__take(r, ')')) {
		reader__expected(r, ") is expected here");
		return NULL;
	}
	return unary(r, EXPR_ENTRY, at, a);
}

static const struct expr *read_name(struct reader *r)
{
	u32 at = r->pos, n = reader__name(r);
	struct expr *e;

	r->pos += n;
	if (n == 5 && !memcmp(r->text + at, "entry", 5)) {
		reader__blanks(r);
		if (reader__peek(r, 0) == '(')
			return read_entry(r, at);
		r->pos = at + n;
	}
	e = node(r, EXPR_NAME, at);
	if (e)
		e->text = reader__copy(r, at, at + n);
	return e;
}

static const struct expr *read_parentheses(struct reader *r)
{
	u32 at = r->pos++;
	const struct expr *e;

	if (!enter(r))
		return NULL;
	e = read_if(r);
	r->depth--;
	if (!e)
		return NULL;
	if (!reader__take(r, ')'))
		return fail(r, at, r->pos - at, "this ( is not closed: ) is expected at its end");
	return e;
}

static const struct expr *read_primary(struct reader *r)
{
	char c;

	reader__blanks(r);
	c = reader__peek(r, 0);
	if (c >= '0' && c <= '9')
		return expr__read_number(r);
	if (c == '"')
		return read_text(r);
	if (c == '\'')
		return read_char(r);
	if (c == '(')
		return read_parentheses(r);
	if (char__begins_name(c))
		return read_name(r);
	reader__expected(r, PREFIX_EXPECTED);
	return NULL;
}

/* --- what binds --- */

/* Whether a.b or a->b follows; takes the operator. */
static bool take_member(struct reader *r, bool *dot)
{
	*dot = reader__peek(r, 0) == '.';
	if (!*dot && (reader__peek(r, 0) != '-' || reader__peek(r, 1) != '>'))
		return false;
	r->pos += *dot ? 1 : 2;
	return true;
}

static const struct expr *read_postfix(struct reader *r)
{
	const struct expr *a = read_primary(r);
	u32 before = r->pos, at;
	struct expr *e;
	bool dot;

	for (reader__blanks(r); a && take_member(r, &dot); reader__blanks(r)) {
		reader__blanks(r);
		at = r->pos;
		if (!reader__name(r)) {
			reader__expected(r, "a member's name is expected here");
			return NULL;
		}
		r->pos += reader__name(r);
		e = node(r, EXPR_MEMBER, a->at);
		if (!e)
			return NULL;
		e->a = a;
		e->dot = dot;
		e->text = reader__copy(r, at, r->pos);
		before = r->pos;
		a = e;
	}
	r->pos = before;
	return a;
}

/* The type of a cast that stands here, NULL: it is no cast; r is moved behind it. */
static const char *take_cast(struct reader *r, bool *is_number)
{
	struct reader old = *r;
	const char *type = NULL;
	u32 at, n;

	if (!reader__take(r, '('))
		return NULL;
	for (u32 i = 0; i < ARRAY_SIZE(casts) && !type; i++)
		if (reader__take_word(r, casts[i]))
			type = casts[i];
	*is_number = type;
	if (!type && (reader__take_word(r, "struct") || reader__take_word(r, "union"))) {
		reader__blanks(r);
		at = r->pos;
		n = reader__name(r);
		r->pos += n;
		type = n && reader__take(r, '*') ? reader__copy(r, at, at + n) : NULL;
	}
	if (!type && reader__take_word(r, "char") && reader__take(r, '*'))
		type = "char";
	if (type && reader__take(r, ')'))
		return type;
	*r = old;
	return NULL;
}

static const struct expr *read_prefixed(struct reader *r, enum expr_op op, const char *type,
					bool is_number, u32 at)
{
	const struct expr *a;
	struct expr *e;

	if (!enter(r))
		return NULL;
	a = read_unary(r);
	r->depth--;
	e = a ? node(r, op, at) : NULL;
	if (!e)
		return NULL;
	e->a = a;
	e->text = type;
	e->size = type && is_number ? (u8)(atoi(type + 1) / 8) : 0;
	e->is_unsigned = e->size && *type == 'u';
	return e;
}

static const struct expr *read_unary(struct reader *r)
{
	static const char signs[] = "!~-+";
	static const u8 ops[] = {EXPR_NOT, EXPR_FLIP, EXPR_NEG, EXPR_PLUS};
	const char *sign, *type;
	bool is_number;
	u32 at;
	char c;

	reader__blanks(r);
	at = r->pos;
	c = reader__peek(r, 0);
	sign = c ? strchr(signs, c) : NULL;
	if (sign) {
		r->pos++;
		return read_prefixed(r, ops[sign - signs], NULL, false, at);
	}
	type = take_cast(r, &is_number);
	return type ? read_prefixed(r, EXPR_CAST, type, is_number, at) : read_postfix(r);
}

/* The operator that stands here, as a row of binaries; -1 none. */
static int binary_here(struct reader *r)
{
	for (u32 i = 0; i < ARRAY_SIZE(binaries); i++) {
		const char *text = binaries[i].text;

		if (reader__peek(r, 0) == text[0] && (!text[1] || reader__peek(r, 1) == text[1]))
			return (int)i;
	}
	return -1;
}

static const struct expr *read_binary(struct reader *r, u32 least)
{
	const struct expr *a = read_unary(r), *b;
	u32 before = r->pos;
	struct expr *e;
	int i;

	while (a) {
		reader__blanks(r);
		i = binary_here(r);
		if (i < 0 || binaries[i].binds < least)
			break;
		r->pos += (u32)strlen(binaries[i].text);
		b = read_binary(r, binaries[i].binds + 1u);
		e = b ? node(r, binaries[i].op, a->at) : NULL;
		if (!e)
			return NULL;
		e->a = a;
		e->b = b;
		a = e;
		before = r->pos;
	}
	r->pos = before;
	return a;
}

/* a ? b : c */
static const struct expr *read_choice(struct reader *r, const struct expr *a)
{
	const struct expr *b, *c;
	struct expr *e;

	if (!enter(r))
		return NULL;
	b = read_if(r);
	if (b && !reader__take(r, ':')) {
		reader__expected(r, ": is expected here, and what holds otherwise");
		b = NULL;
	}
	c = b ? read_if(r) : NULL;
	r->depth--;
	e = c ? node(r, EXPR_IF, a->at) : NULL;
	if (!e)
		return NULL;
	e->a = a;
	e->b = b;
	e->c = c;
	return e;
}

static const struct expr *read_if(struct reader *r)
{
	const struct expr *a = read_binary(r, 1);
	u32 before = r->pos;

	if (!a)
		return NULL;
	if (reader__take(r, '?'))
		return read_choice(r, a);
	r->pos = before;
	return a;
}

const struct expr *expr__read(struct reader *r)
{
	r->terms = 0;
	return read_if(r);
}

const struct expr *expr__parse(const char *text, struct arena *a, struct expr_error *err)
{
	struct reader r = {
		.text = text, .end = (u32)strnlen(text, UINT32_MAX / 2), .arena = a, .err = err};
	const struct expr *e = expr__read(&r);

	if (!e)
		return NULL;
	reader__blanks(&r);
	if (r.pos < r.end) {
		reader__expected(&r, "an operator is expected here, or the end");
		return NULL;
	}
	return e;
}
