// SPDX-License-Identifier: GPL-2.0-only
/* Expressions as text, with as few parentheses as reading them again takes. */
#include <inttypes.h>
#include <stdio.h>

#include "base/utf8.h"
#include "questions/expr.h"
#include "questions/expr_number.h"
#include "questions/expr_impl.h"

static const struct {
	const char *text;
	u8 binds;
} ops[EXPR_OPS] = {
	[EXPR_NUMBER] = {"", 12}, [EXPR_TEXT] = {"", 12},    [EXPR_NAME] = {"", 12},
	[EXPR_MEMBER] = {"", 12}, [EXPR_ENTRY] = {"", 12},   [EXPR_CAST] = {"", 11},
	[EXPR_NOT] = {"!", 11},	  [EXPR_FLIP] = {"~", 11},   [EXPR_NEG] = {"-", 11},
	[EXPR_PLUS] = {"+", 11},  [EXPR_MUL] = {"*", 10},    [EXPR_DIV] = {"/", 10},
	[EXPR_MOD] = {"%", 10},	  [EXPR_ADD] = {"+", 9},     [EXPR_SUB] = {"-", 9},
	[EXPR_SHL] = {"<<", 8},	  [EXPR_SHR] = {">>", 8},    [EXPR_LT] = {"<", 7},
	[EXPR_LE] = {"<=", 7},	  [EXPR_GT] = {">", 7},	     [EXPR_GE] = {">=", 7},
	[EXPR_EQ] = {"==", 6},	  [EXPR_NE] = {"!=", 6},     [EXPR_GLOB] = {"~", 6},
	[EXPR_AND] = {"&", 5},	  [EXPR_XOR] = {"^", 4},     [EXPR_OR] = {"|", 3},
	[EXPR_BOTH] = {"&&", 2},  [EXPR_EITHER] = {"||", 1}, [EXPR_IF] = {"?", 0},
};

static void add_operand(struct text_buf *b, const struct expr *e, u32 least)
{
	bool wrap = ops[e->op].binds < least;

	text_buf__add(b, wrap ? "(" : "");
	expr__add_text(b, e);
	text_buf__add(b, wrap ? ")" : "");
}

/* Suffixes where the type is not what the digits alone would have. */
static void add_number(struct text_buf *b, const struct expr *e)
{
	bool hex = e->unit[0] == 'x', is_unsigned;
	u8 size;

	if (*e->unit && !hex) {
		text_buf__addf(b, "%" PRIu64 "%s", e->number / expr_number__unit(e->unit), e->unit);
		return;
	}
	if (e->size == 4 && !e->is_unsigned && (s64)e->number < 0) { /* a character */
		text_buf__addf(b, "'\\x%02x'", (u8)e->number);
		return;
	}
	expr_number__type(e->number, !hex, &size, &is_unsigned);
	text_buf__addf(b, hex ? "0x%" PRIx64 : "%" PRIu64, e->number);
	if (e->is_unsigned == is_unsigned && e->size == size)
		return;
	text_buf__add(b, e->is_unsigned ? "u" : "l");
	if (e->is_unsigned && e->size == 8 && e->number <= UINT32_MAX)
		text_buf__add(b, "l");
}

void expr__add_quoted(struct text_buf *b, const char *s)
{
	bool valid = utf8__valid(s);

	text_buf__add(b, "\"");
	for (; *s; s++) {
		u8 c = (u8)*s;

		if (c == '"' || c == '\\')
			text_buf__addf(b, "\\%c", c);
		else if (c == '\n')
			text_buf__add(b, "\\n");
		else if (c < ' ' || c == 0x7f || (c > 0x7f && !valid))
			text_buf__addf(b, "\\x%02x", c);
		else
			text_buf__add(b, (char[]){(char)c, '\0'});
	}
	text_buf__add(b, "\"");
}

static void add_prefixed(struct text_buf *b, const struct expr *e)
{
	if (e->op == EXPR_CAST && e->size) {
		text_buf__add(b, "(");
		text_buf__add(b, e->text);
		text_buf__add(b, ")");
	} else if (e->op == EXPR_CAST) {
		text_buf__add(b, strcmp(e->text, "char") ? "(struct " : "(");
		text_buf__add(b, e->text);
		text_buf__add(b, " *)");
	} else {
		text_buf__add(b, ops[e->op].text);
	}
	add_operand(b, e->a, 11);
}

static void add_binary(struct text_buf *b, const struct expr *e)
{
	add_operand(b, e->a, ops[e->op].binds);
	text_buf__addf(b, " %s ", ops[e->op].text);
	add_operand(b, e->b, ops[e->op].binds + 1u);
}

static void add_alone(struct text_buf *b, const struct expr *e)
{
	if (e->op == EXPR_NUMBER) {
		add_number(b, e);
	} else if (e->op == EXPR_TEXT) {
		expr__add_quoted(b, e->text);
	} else if (e->op == EXPR_NAME) {
		text_buf__add(b, e->text);
	} else if (e->op == EXPR_ENTRY) {
		text_buf__add(b, "entry(");
		expr__add_text(b, e->a);
		text_buf__add(b, ")");
	} else {
		add_operand(b, e->a, 12);
		text_buf__add(b, e->dot ? "." : "->");
		text_buf__add(b, e->text);
	}
}

void expr__add_text(struct text_buf *b, const struct expr *e)
{
	if (ops[e->op].binds == 12) {
		add_alone(b, e);
	} else if (ops[e->op].binds == 11) {
		add_prefixed(b, e);
	} else if (e->op != EXPR_IF) {
		add_binary(b, e);
	} else {
		add_operand(b, e->a, 1);
		text_buf__add(b, " ? ");
		expr__add_text(b, e->b);
		text_buf__add(b, " : ");
		expr__add_text(b, e->c);
	}
}

char *expr__print(const struct expr *e)
{
	struct text_buf b = {0};

	expr__add_text(&b, e);
	return b.s;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

bool expr__equal(const struct expr *a, const struct expr *b)
{
	if (!a || !b)
		return a == b;
	return a->op == b->op && a->number == b->number && a->size == b->size &&
	       a->is_unsigned == b->is_unsigned && a->dot == b->dot &&
	       same_text(a->text, b->text) && same_text(a->unit, b->unit) &&
	       expr__equal(a->a, b->a) && expr__equal(a->b, b->b) && expr__equal(a->c, b->c);
}
