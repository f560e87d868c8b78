// SPDX-License-Identifier: GPL-2.0-only
#include "sources/watch_spec.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sources/uprobe.h"

#define FORM "PROGRAM:SYMBOL[+OFF][/LEN][:ACCESS] or 0xADDRESS/LEN[:ACCESS], then [ if CONDITION]; PROGRAM may be pid:N"

static int refuse(struct status *st, const char *text, const char *why)
{
	return status__set(st, EXIT_CODE_USAGE, -EINVAL, "--watch %.120s: %s; it takes " FORM, text,
			   why);
}

/* "pid:N:" at the beginning is taken off. */
static char *take_process(struct watch_spec *w, char *text)
{
	char *end;
	unsigned long pid;

	if (strncmp(text, "pid:", 4))
		return text;
	pid = strtoul(text + 4, &end, 10);
	if (end == text + 4 || *end != ':' || !pid || pid > INT_MAX)
		return text;
	w->pid = (u32)pid;
	return end + 1;
}

/* What is mapped is called by its path, or "[heap]" and the like. */
static bool is_mapped(const struct watch_spec *w, const char *text)
{
	return w->pid && (*text == '/' || *text == '[');
}

/* ":rw" at the end is taken off. The first colon of "PROGRAM:SYMBOL" is none of an access. */
static u32 take_access(const struct watch_spec *w, char *text)
{
	char *colon = strrchr(text, ':');
	u32 access = 0;

	if (!colon || !colon[1] ||
	    (!w->pid && strncmp(text, "0x", 2) && !memchr(text, ':', (size_t)(colon - text))))
		return HW_BREAKPOINT_W;
	for (const char *c = colon + 1; *c; c++) {
		const char *letters = "rwx", *at = strchr(letters, *c);
		static const u32 bits[] = {HW_BREAKPOINT_R, HW_BREAKPOINT_W, HW_BREAKPOINT_X};

		if (!at)
			return HW_BREAKPOINT_W;
		access |= bits[at - letters];
	}
	*colon = '\0';
	return access;
}

/* "/LEN" behind the symbol; 0: there is none, UINT32_MAX: it is no number. */
static u32 take_len(const struct watch_spec *w, char *text)
{
	char *from = strrchr(text, is_mapped(w, text) ? '+' : ':');
	char *slash = strrchr(from ? from : text, '/'), *end;
	unsigned long len;

	if (!slash)
		return 0;
	len = strtoul(slash + 1, &end, 10);
	if (end == slash + 1 || *end || len > 8)
		return UINT32_MAX;
	*slash = '\0';
	return (u32)len;
}

static int find_program(struct watch_spec *w, const char *name, struct status *st)
{
	if (strchr(name, '/'))
		return realpath(name, w->path) ? 0
					       : refuse(st, w->text, "there is no such program");
	return uprobe__find_file(name, w->path, sizeof(w->path))
		       ? 0
		       : refuse(st, w->text,
				"no program or library of that name is where such are");
}

/* --- conditions --- */

static const char *take_word(const char *at, char *word, size_t size)
{
	size_t n = strcspn(at, " ");

	snprintf(word, size, "%.*s", (int)n, at);
	return at + n + strspn(at + n, " ");
}

static bool take_value(const char *word, u8 *is_before)
{
	*is_before = !strcmp(word, "before");
	return *is_before || !strcmp(word, "after") || !strcmp(word, "value");
}

static bool take_op(const char *word, u8 *op)
{
	static const char *const ops[] = {"==", "!=", "<", "<=", ">", ">="};

	for (u8 i = 0; i < ARRAY_SIZE(ops); i++)
		if (!strcmp(word, ops[i])) {
			*op = i;
			return true;
		}
	return false;
}

/* "changed", "after OP before" or "VALUE OP NUMBER". NULL: it is none. */
static const char *take_test(const char *at, struct watch_test *t)
{
	char word[32], *end;

	*t = (struct watch_test){.with_before = 1, .op = WATCH_NE};
	at = take_word(at, word, sizeof(word));
	if (!strcmp(word, "changed"))
		return at;
	if (!take_value(word, &t->of_before))
		return NULL;
	at = take_word(at, word, sizeof(word));
	if (!take_op(word, &t->op))
		return NULL;
	at = take_word(at, word, sizeof(word));
	if (!strcmp(word, "before"))
		return at;
	t->with_before = 0;
	t->is_signed = *word == '-';
	t->number = t->is_signed ? (u64)strtoll(word, &end, 0) : strtoull(word, &end, 0);
	return end != word && !*end ? at : NULL;
}

/* " if CONDITION" at the end is taken off. */
static int take_condition(struct watch_spec *w, char *text, struct status *st)
{
	char *begin = strstr(text, " if ");
	const char *at;

	if (!begin)
		return 0;
	for (at = begin + 4 + strspn(begin + 4, " ");; at += 2 + strspn(at + 2, " ")) {
		if (w->condition.n == WATCH_TESTS)
			return refuse(st, w->text, "a condition has four tests at most");
		at = take_test(at, &w->condition.v[w->condition.n++]);
		if (!at || (*at && strncmp(at, "&&", 2)))
			return refuse(st, w->text,
				      "a condition is changed, or before, after or value with == != < <= > >= and a "
				      "number, with && between");
		if (!*at)
			break;
	}
	*begin = '\0';
	return 0;
}

/* --- places --- */

static bool leads_on(const char *symbol)
{
	return strpbrk(symbol, ".[") || strstr(symbol, "->");
}

/* The symbol itself, or what debug information leads to from there. */
static int look_up(struct watch_spec *w, const char *symbol, u64 *size, struct status *st)
{
	char why[128] = "the program has no such symbol";

	if (!uprobe__symbol(w->path, symbol, &w->at, size))
		return 0;
	if (leads_on(symbol) &&
	    !watch_types__find(w->path, symbol, &w->at, &w->way, size, why, sizeof(why)))
		return 0;
	return refuse(st, w->text, why);
}

static int find_symbol(struct watch_spec *w, char *symbol, struct status *st)
{
	char *plus = strchr(symbol, '+'), *end;
	u64 off = plus ? strtoull(plus + 1, &end, 0) : 0, size;
	bool code = w->access & HW_BREAKPOINT_X;

	if (plus && (end == plus + 1 || *end))
		return refuse(st, w->text, "what is behind + is no number");
	copy_str(w->symbol, sizeof(w->symbol), symbol);
	if (plus)
		*plus = '\0';
	if (look_up(w, symbol, &size, st))
		return -EINVAL;
	if (!w->len && !code && size - off != 1 && size - off != 2 && size - off != 4 &&
	    size - off != 8)
		return refuse(st, w->text,
			      "its size is not 1, 2, 4 or 8: say which bytes, as SYMBOL+8/4");
	if (!w->len)
		w->len = (u32)(size - off);
	*(w->way.n ? &w->way.add[w->way.n - 1] : &w->at) += off;
	return 0;
}

static int find_address(struct watch_spec *w, const char *text, struct status *st)
{
	char *end;

	w->at = strtoull(text, &end, 16);
	if (*end || end == text + 2)
		return refuse(st, w->text, "this is no address");
	if (!w->len)
		w->len = 4;
	copy_str(w->symbol, sizeof(w->symbol), text);
	return 0;
}

/* "[heap]+0x1000" */
static int find_mapped(struct watch_spec *w, char *text, struct status *st)
{
	char *plus = strrchr(text, '+');

	if (!plus || strncmp(plus + 1, "0x", 2))
		return refuse(st, w->text, "behind what is mapped stands +0xOFFSET");
	if (find_address(w, plus + 1, st))
		return -EINVAL;
	copy_str(w->symbol, sizeof(w->symbol), text);
	*plus = '\0';
	copy_str(w->path, sizeof(w->path), text);
	w->is_mapped = true;
	return 0;
}

static int find_in_program(struct watch_spec *w, char *text, struct status *st)
{
	char *symbol = text, *colon;
	int err;

	if (w->pid) {
		snprintf(w->path, sizeof(w->path), "/proc/%u/exe", w->pid);
		return find_symbol(w, symbol, st);
	}
	colon = strrchr(text, ':');
	if (!colon || colon == text || !colon[1])
		return refuse(st, w->text, "there is no PROGRAM:SYMBOL");
	*colon = '\0';
	err = find_program(w, text, st);
	return err ? err : find_symbol(w, colon + 1, st);
}

static int find(struct watch_spec *w, char *text, struct status *st)
{
	if (!strncmp(text, "0x", 2))
		return find_address(w, text, st);
	if (is_mapped(w, text))
		return find_mapped(w, text, st);
	return find_in_program(w, text, st);
}

static int check(const struct watch_spec *w, struct status *st)
{
	if (w->len != 1 && w->len != 2 && w->len != 4 && w->len != 8)
		return refuse(st, w->text, "LEN is 1, 2, 4 or 8");
	if (w->at % w->len && !w->way.n)
		return refuse(st, w->text, "a breakpoint's address is a multiple of LEN");
	return 0;
}

int watch_spec__parse(struct watch_spec *w, const char *text, struct status *st)
{
	char copy[PATH_MAX + 256], *rest;

	*w = (struct watch_spec){.text = text};
	copy_str(copy, sizeof(copy), text);
	if (take_condition(w, copy, st))
		return -EINVAL;
	rest = take_process(w, copy);
	w->access = take_access(w, rest);
	w->len = take_len(w, rest);
	if (w->len == UINT32_MAX)
		return refuse(st, text, "LEN is 1, 2, 4 or 8");
	if (find(w, rest, st))
		return -EINVAL;
	if (w->access == HW_BREAKPOINT_X) {
		w->len = sizeof(long); /* as the kernel wants it */
		return 0;
	}
	if (w->access & HW_BREAKPOINT_X)
		return refuse(st, text, "x goes with no other access");
	if (w->access == HW_BREAKPOINT_R)
		w->access = HW_BREAKPOINT_RW; /* the processor has no other */
	return check(w, st);
}
