// SPDX-License-Identifier: GPL-2.0-only
#include "sources/watch_spec.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <string.h>

#include "sources/uprobe.h"

#define FORM "PROGRAM:SYMBOL[+OFF][/LEN][:ACCESS] or 0xADDRESS/LEN[:ACCESS]"

static int refuse(struct status *st, const char *text, const char *why)
{
	return status__set(st, EXIT_CODE_USAGE, -EINVAL, "--watch %.120s: %s; it takes " FORM, text,
			   why);
}

/* ":rw" at the end is taken off. The first colon of "PROGRAM:SYMBOL" is none of an access. */
static u32 take_access(char *text)
{
	char *colon = strrchr(text, ':');
	u32 access = 0;

	if (!colon || !colon[1] ||
	    (strncmp(text, "0x", 2) && !memchr(text, ':', (size_t)(colon - text))))
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
static u32 take_len(char *text)
{
	char *colon = strrchr(text, ':'), *slash = strrchr(colon ? colon : text, '/'), *end;
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
	if (uprobe__symbol(w->path, symbol, &w->at, &size))
		return refuse(st, w->text, "the program has no such symbol");
	if (!w->len && !code && size - off != 1 && size - off != 2 && size - off != 4 &&
	    size - off != 8)
		return refuse(st, w->text,
			      "its size is not 1, 2, 4 or 8: say which bytes, as SYMBOL+8/4");
	if (!w->len)
		w->len = (u32)(size - off);
	w->at += off;
	return 0;
}

static int check(const struct watch_spec *w, struct status *st)
{
	if (w->len != 1 && w->len != 2 && w->len != 4 && w->len != 8)
		return refuse(st, w->text, "LEN is 1, 2, 4 or 8");
	if (w->at % w->len)
		return refuse(st, w->text, "a breakpoint's address is a multiple of LEN");
	return 0;
}

int watch_spec__parse(struct watch_spec *w, const char *text, struct status *st)
{
	char rest[PATH_MAX + 256], *colon, *end;
	int err;

	*w = (struct watch_spec){.text = text};
	copy_str(rest, sizeof(rest), text);
	w->access = take_access(rest);
	w->len = take_len(rest);
	if (w->len == UINT32_MAX)
		return refuse(st, text, "LEN is 1, 2, 4 or 8");
	if (!strncmp(rest, "0x", 2)) {
		w->at = strtoull(rest, &end, 16);
		if (*end || end == rest + 2)
			return refuse(st, text, "this is no address");
		if (!w->len)
			w->len = 4;
		copy_str(w->symbol, sizeof(w->symbol), rest);
	} else {
		colon = strrchr(rest, ':');
		if (!colon || colon == rest || !colon[1])
			return refuse(st, text, "there is no PROGRAM:SYMBOL");
		*colon = '\0';
		err = find_program(w, rest, st);
		if (!err)
			err = find_symbol(w, colon + 1, st);
		if (err)
			return err;
	}
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
