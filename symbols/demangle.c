// SPDX-License-Identifier: GPL-2.0-only
#include <demangle.h>
#undef ARRAY_SIZE /* libiberty's and ours are the same */
#include <setjmp.h>

#include "base/arena.h"
#include "symbols/demangle.h"
#include "symbols/haskell_names.h"
#include "symbols/ocaml_names.h"
#include "symbols/rust_v0.h"

/*
 * A name of a few hundred bytes can stand for one of 2^100 (each part says "the last one
 * twice"). The demangler has a limit for depth but none for length, so its output is taken
 * piece by piece and it is left when there is enough. It holds no memory while it prints but
 * for one case: a Rust identifier outside ASCII is built in a buffer and is one piece, so it is
 * never left there. Whatever grows without end has separators, which are ASCII.
 */
struct output {
	jmp_buf full;
	size_t n;
	bool over; /* there was more */
	char text[DEMANGLE_MAX_OUT + 1];
};

static bool ascii(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)s[i] >= 0x80)
			return false;
	}
	return true;
}

static void take(const char *s, size_t len, void *ctx)
{
	struct output *o = ctx;
	size_t room = DEMANGLE_MAX_OUT - o->n, n = MIN(len, room);

	if (!len)
		return;
	memcpy(o->text + o->n, s, n);
	o->n += n;
	if (len <= room)
		return;
	o->over = true;
	if (ascii(s, len))
		longjmp(o->full, 1);
}

static bool run(const char *s, struct output *o)
{
	/* DMGL_NO_RECURSE_LIMIT is not given: depth stays limited. */
	const int flags = DMGL_PARAMS | DMGL_ANSI;
	bool rust = s[1] == 'R' ? rust_v0__is_sound(s) : strstr(s, "17h") != NULL;

	if (rust && rust_demangle_callback(s, DMGL_ANSI, take, o))
		return true;
	o->n = 0;
	o->over = false;
	return cplus_demangle_v3_callback(s, flags, take, o);
}

static char *demangle_whole(const char *s)
{
	struct output *o = xmalloc(sizeof(*o));
	char *text = NULL;

	o->n = 0;
	o->over = false;
	if (setjmp(o->full) || run(s, o)) {
		if (o->over)
			memcpy(o->text + DEMANGLE_MAX_OUT - 3, "...", 3);
		if (o->n)
			text = xasprintf("%.*s", (int)o->n, o->text);
	}
	free(o);
	return text;
}

static bool mangled(const char *s)
{
	/* ___Z: blocks of clang; _R: Rust v0. */
	return !strncmp(s, "_Z", 2) || !strncmp(s, "_R", 2) || !strncmp(s, "___Z", 4);
}

/* The part after the first dot is not mangled: compilers add .cold, .part.0, .isra.0. */
static char *demangle_stem(const char *s)
{
	const char *dot = strchr(s, '.');
	char *stem, *plain, *whole;

	if (!dot)
		return NULL;
	stem = xstrdup(s);
	stem[dot - s] = '\0';
	plain = demangle_whole(stem);
	free(stem);
	if (!plain)
		return NULL;
	whole = xasprintf("%s [%s]", plain, dot);
	free(plain);
	return whole;
}

char *demangle(const char *linkage)
{
	bool is_short = strnlen(linkage, DEMANGLE_MAX_OUT) < DEMANGLE_MAX_OUT;
	char *s;

	if (is_short && ocaml_name__is(linkage))
		return ocaml_name__plain(linkage);
	if (!mangled(linkage))
		return is_short ? haskell_name__plain(linkage) : NULL;
	if (strnlen(linkage, DEMANGLE_MAX_IN + 1) > DEMANGLE_MAX_IN)
		return NULL;
	s = demangle_stem(linkage);
	return s ? s : demangle_whole(linkage);
}
