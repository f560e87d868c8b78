// SPDX-License-Identifier: GPL-2.0-only
/* What a function of JavaScript is called: its name, its script, its lines. */
#include <errno.h>
#include <stdio.h>

#include "symbols/v8.h"

#define BUILTINS "[v8]" /* in the place of a script: the machine's own functions */

struct shared {
	u64 name; /* a text, or its scope */
	u64 script;
};

static bool read_shared(const struct v8 *v, const struct process_memory *m, u64 address,
			struct shared *s)
{
	u64 object = address + V8_TAG;

	return v8__is(v, m, object, V8_TYPE_SHARED) &&
	       v8__word(m, object, v->of[V8_SHARED_NAME], &s->name) &&
	       v8__word(m, object, v->of[V8_SHARED_SCRIPT], &s->script);
}

u64 v8_function__print(const struct v8 *v, const struct process_memory *m, u64 shared)
{
	struct shared s;

	return read_shared(v, m, shared, &s) ? v8_function_sum(s.name, s.script) : 0;
}

/* --- its scope --- */

/* Words of it (ScopeInfo). Behind the variables' names, which are elsewhere where they are many, and
 * what is known of each, comes what the flags say. */
enum { SCOPE_FLAGS = 1, SCOPE_VARIABLES = 3, SCOPE_FIRST = 4, SCOPE_WORDS = 5 };
#define NAMES_MAX  75 /* that are in the scope itself */
#define HAS_SAVED  (1u << 10)
#define HAS_NAME   (3u << 12) /* and a number */
#define HAS_LIKELY (1u << 14) /* what it is as a rule called by */

struct scope {
	char name[SCRIPT_NAME_MAX], likely[SCRIPT_NAME_MAX];
	u32 start, end; /* in the script's source */
};

static bool is_none(const struct v8 *v, const struct process_memory *m, u64 word)
{
	return !word || v8__is(v, m, word, V8_TYPE_ODDBALL);
}

static bool read_name(const struct v8 *v, const struct process_memory *m, u64 word, char *to)
{
	return v8_text__read(v, m, word, to, SCRIPT_NAME_MAX) || is_none(v, m, word);
}

/* Where the part that the flags describe begins. */
static bool scope_part(const struct process_memory *m, u64 object, u32 *flags, u32 *at)
{
	u64 words[SCOPE_WORDS];
	u32 n;

	if ((object & 7) != V8_TAG || !m->read(m->ctx, object - V8_TAG, words, sizeof(words)) ||
	    !v8__number(words[SCOPE_FLAGS], flags) || !v8__number(words[SCOPE_VARIABLES], &n))
		return false;
	*at = SCOPE_FIRST + (n < NAMES_MAX ? 2 * n : n + 1) + !!(*flags & HAS_SAVED);
	return true;
}

/* False: it is not laid out as it should be. */
static bool read_scope(const struct v8 *v, const struct process_memory *m, u64 object,
		       struct scope *s)
{
	u64 words[5];
	u32 flags, at, i = 0;

	*s = (struct scope){0};
	if (!v8__is(v, m, object, V8_TYPE_SCOPE) || !scope_part(m, object, &flags, &at) ||
	    !m->read(m->ctx, object - V8_TAG + at * sizeof(u64), words, sizeof(words)))
		return false;
	if (flags & HAS_NAME) {
		if (!read_name(v, m, words[0], s->name))
			return false;
		i = 2;
	}
	if (flags & HAS_LIKELY && !read_name(v, m, words[i++], s->likely))
		return false;
	return v8__number(words[i], &s->start) && v8__number(words[i + 1], &s->end) &&
	       s->start <= s->end;
}

/* --- its names --- */

/* As modules are called by their address. */
static void put_file(const char *path, char *to)
{
	static const char scheme[] = "file://";

	if (!strncmp(path, scheme, strlen(scheme)))
		path += strlen(scheme);
	snprintf(to, SCRIPT_FILE_MAX, "%s", *path ? path : "[eval]");
}

static void read_script(const struct v8 *v, const struct process_memory *m, u64 script, char *to)
{
	char path[SCRIPT_FILE_MAX];
	u64 name;

	if (!v8__is(v, m, script, V8_TYPE_SCRIPT))
		snprintf(to, SCRIPT_FILE_MAX, "%s", BUILTINS);
	else if (v8__word(m, script, v->of[V8_SCRIPT_NAME], &name) &&
		 v8_text__read(v, m, name, path, sizeof(path)))
		put_file(path, to);
	else
		put_file("", to);
}

static void put_name(struct script_code *out, const struct scope *s)
{
	const char *name = s->name[0] ? s->name : s->likely;

	snprintf(out->name, sizeof(out->name), "%s", *name ? name : "(anonymous)");
}

u32 v8_function__line(const struct v8 *v, const struct process_memory *m, struct v8_lines *l, u32 tgid, u64 shared,
		      s32 position)
{
	struct shared s;

	if (position < 0 || !read_shared(v, m, shared, &s) || !v8__is(v, m, s.script, V8_TYPE_SCRIPT))
		return 0;
	return v8_lines__find(l, v, m, tgid, s.script, (u32)position);
}

int v8_function__read(const struct v8 *v, const struct process_memory *m, struct v8_lines *l,
		      u32 tgid, u64 shared, struct script_code *out)
{
	struct scope scope = {0};
	struct shared s;

	*out = (struct script_code){0};
	if (!read_shared(v, m, shared, &s))
		return -ESTALE;
	out->print = v8_function_sum(s.name, s.script);
	if (read_scope(v, m, s.name, &scope)) {
		out->first_line = v8_lines__find(l, v, m, tgid, s.script, scope.start);
		out->last_line = v8_lines__find(l, v, m, tgid, s.script, scope.end);
	} else if (!read_name(v, m, s.name, scope.name)) {
		return -ESTALE;
	}
	put_name(out, &scope);
	read_script(v, m, s.script, out->file);
	return 0;
}
