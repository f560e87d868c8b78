// SPDX-License-Identifier: GPL-2.0-only
#include "serve/target.h"

#include <stdio.h>

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* %XX and, in parameters, + for a blank. What decodes to a control character is refused. */
static bool decode(const char *s, size_t n, bool plus, char *out, size_t size)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		int c = (u8)s[i];

		if (c == '%') {
			if (n - i < 3 || hex(s[i + 1]) < 0 || hex(s[i + 2]) < 0)
				return false;
			c = hex(s[i + 1]) << 4 | hex(s[i + 2]);
			i += 2;
		} else if (c == '+' && plus) {
			c = ' ';
		}
		if (c < 0x20 || c == 0x7f || at + 1 >= size)
			return false;
		out[at++] = (char)c;
	}
	out[at] = '\0';
	return true;
}

static bool number(const char *s, u64 min, u64 max, u32 *out)
{
	u64 n = 0;

	for (const char *p = s; *p; p++) {
		if (*p < '0' || *p > '9' || n > max)
			return false;
		n = n * 10 + (u64)(*p - '0');
	}
	if (!*s || n < min || n > max)
		return false;
	*out = (u32)n;
	return true;
}

static bool set(struct target *t, const char *name, const char *value, char *why, size_t size)
{
	struct {
		const char *name;
		char *to;
	} texts[] = {{"group", t->group}, {"filter", t->filter}, {"sort", t->sort}};

	for (u32 i = 0; i < ARRAY_SIZE(texts); i++)
		if (!strcmp(name, texts[i].name))
			copy_str(texts[i].to, TARGET_TEXT, value);
	if (!strcmp(name, "seconds") && !number(value, 1, TARGET_SECONDS_MAX, &t->seconds)) {
		snprintf(why, size, "seconds takes 1 to %d", TARGET_SECONDS_MAX);
		return false;
	}
	if (!strcmp(name, "pid") && !number(value, 1, INT32_MAX, &t->pid)) {
		snprintf(why, size, "pid takes the number of a process");
		return false;
	}
	return true;
}

/* name=value, or a name alone. */
static bool parameter(struct target *t, const char *s, size_t n, char *why, size_t size)
{
	const char *is = memchr(s, '=', n);
	size_t name_n = is ? (size_t)(is - s) : n;
	char name[TARGET_TEXT], value[TARGET_TEXT];

	if (!decode(s, name_n, true, name, sizeof(name)) ||
	    !decode(is ? is + 1 : "", is ? n - name_n - 1 : 0, true, value, sizeof(value))) {
		snprintf(why, size, "a parameter is malformed, or longer than %d bytes",
			 TARGET_TEXT - 1);
		return false;
	}
	return set(t, name, value, why, size);
}

/* What follows a folder, if it is one name. */
static const char *below(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	return !strncmp(path, folder, n) && path[n] && !strchr(path + n, '/') ? path + n : NULL;
}

static bool names_view(struct target *t, const char *name)
{
	const char *dot = name ? strchr(name, '.') : NULL;

	if (!dot || dot == name || (size_t)(dot - name) >= sizeof(t->name) ||
	    strlen(dot) >= sizeof(t->suffix))
		return false;
	copy_str(t->name, (size_t)(dot - name) + 1, name);
	copy_str(t->suffix, sizeof(t->suffix), dot);
	return true;
}

static bool names_profile(struct target *t, const char *name)
{
	if (!name || strlen(name) >= sizeof(t->name))
		return false;
	copy_str(t->name, sizeof(t->name), name);
	return true;
}

static enum target_kind kind_of(struct target *t, const char *path)
{
	static const struct {
		const char *path;
		enum target_kind kind;
	} paths[] = {
		{"/", TARGET_INDEX},		   {"/metrics", TARGET_METRICS},
		{"/healthz", TARGET_HEALTH},	   {"/debug/pprof", TARGET_PPROF},
		{"/debug/pprof/", TARGET_PPROF}, {"/recording", TARGET_RECORDING},
	};

	for (u32 i = 0; i < ARRAY_SIZE(paths); i++)
		if (!strcmp(path, paths[i].path))
			return paths[i].kind;
	if (names_profile(t, below(path, "/debug/pprof/")))
		return TARGET_PROFILE;
	return names_view(t, below(path, "/view/")) ? TARGET_VIEW : TARGET_UNKNOWN;
}

bool target__parse(const char *text, struct target *t, char *why, size_t size)
{
	const char *query = strchr(text, '?');
	size_t n = query ? (size_t)(query - text) : strlen(text);
	char path[TARGET_TEXT];

	*t = (struct target){.kind = TARGET_UNKNOWN};
	if (strnlen(text, TARGET_BYTES) == TARGET_BYTES) {
		snprintf(why, size, "the target is longer than %d bytes", TARGET_BYTES - 1);
		return false;
	}
	if (*text != '/' || !decode(text, n, false, path, sizeof(path))) {
		snprintf(why, size, "the path is malformed");
		return false;
	}
	t->kind = kind_of(t, path);
	for (text = query; text && *text; text += 1 + n) {
		n = strcspn(text + 1, "&");
		if (n && !parameter(t, text + 1, n, why, size))
			return false;
		if (!text[1 + n])
			break;
	}
	return true;
}
