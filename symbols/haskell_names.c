// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/haskell_names.h"

#include <ctype.h>
#include <stdio.h>

#include "base/arena.h"

#define USUAL "info"
#define PARTS 5 /* package, module, name, and what it is of the function: con_info */
#define TUPLE_MAX 64

static const char *const kinds[] = {USUAL, "con_info", "static_info", "closure", "entry", "fast", "slow", "ret"};

/* What stands behind z or Z for a character. */
static char escaped(char z, char c)
{
	const char *all = z == 'z' ? "a&b|c^d$e=g>h#i.l<m-n!p+q'r\\s/t*u_v%" : "L(R)M[N]C:";

	if (c == z)
		return z;
	for (; *all; all += 2)
		if (all[0] == c)
			return all[1];
	return 0;
}

struct decoded {
	char *text;
	size_t n;
	bool changed, bad;
};

/* "Z3T" is (,,), "Z2H" (#,#). Returns what follows; NULL: it is none. */
static const char *tuple(const char *s, struct decoded *d)
{
	char *end;
	unsigned long n = strtoul(s + 1, &end, 10);

	if (!isdigit((u8)s[1]) || n >= TUPLE_MAX || (*end != 'T' && *end != 'H'))
		return NULL;
	d->n += (size_t)sprintf(d->text + d->n, *end == 'H' ? "(#" : "(");
	for (; n > 1; n--)
		d->text[d->n++] = ',';
	d->n += (size_t)sprintf(d->text + d->n, *end == 'H' ? "#)" : ")");
	return end + 1;
}

/* Encoded texts are as long as what they stand for or longer, but for tuples. */
static struct decoded decode(const char *s, size_t len)
{
	struct decoded d = {.text = xmalloc(len * TUPLE_MAX + 1)};
	const char *end = s + len;

	while (s < end && !d.bad) {
		char c = (*s == 'z' || *s == 'Z') && s + 1 < end ? escaped(*s, s[1]) : 0;
		const char *behind = !c && *s == 'Z' ? tuple(s, &d) : NULL;

		d.bad = !c && !behind && (*s == 'z' || *s == 'Z');
		d.changed |= c || behind;
		if (c)
			d.text[d.n++] = c;
		else if (!behind)
			d.text[d.n++] = *s;
		s = behind ? behind : s + (c ? 2 : 1);
	}
	d.text[d.n] = '\0';
	return d;
}

/* Data.Map.Strict */
static bool is_module(const char *s)
{
	bool begins = true;

	for (; *s; begins = *s++ == '.')
		if (begins ? !isupper((u8)*s) : !isalnum((u8)*s) && !strchr("_'.", *s))
			return false;
	return !begins;
}

/* An identifier, an operator, or what the compiler made of one ($wgo). */
static bool is_function(const char *s)
{
	bool letters = true, signs = true;

	for (const char *p = s; *p; p++) {
		bool letter = isalnum((u8)*p) || *p == '_' || *p == '\'';

		letters &= letter || *p == '#';
		signs &= !letter;
	}
	return *s && (*s == '$' || letters || signs);
}

static const char *kind_of(const char *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(s, kinds[i]))
			return kinds[i];
	return NULL;
}

static char *put_together(const struct decoded *module, const struct decoded *name, const char *kind)
{
	if (module->bad || name->bad || !(module->changed || name->changed) || !is_module(module->text) ||
	    !is_function(name->text))
		return NULL;
	if (!strcmp(kind, USUAL))
		return xasprintf("%s.%s", module->text, name->text);
	return xasprintf("%s.%s [%s]", module->text, name->text, kind);
}

static char *name_of(const char *module, const char *name, const char *kind)
{
	struct decoded m = decode(module, (size_t)(name - module - 1)), n = decode(name, (size_t)(kind - name - 1));
	char *text = put_together(&m, &n, kind_of(kind));

	free(m.text);
	free(n.text);
	return text;
}

char *haskell_name__plain(const char *linkage)
{
	const char *parts[PARTS] = {linkage}, *at = linkage;
	u32 n = 1;

	while ((at = strchr(at, '_'))) {
		if (n == PARTS)
			return NULL;
		parts[n++] = ++at;
	}
	/* The longest of those that say what it is: con_info before info. */
	for (u32 i = 2; i < n; i++)
		if (kind_of(parts[i]))
			return name_of(parts[i - 2], parts[i - 1], parts[i]);
	return NULL;
}
