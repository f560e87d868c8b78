/* SPDX-License-Identifier: GPL-2.0-only */
/* What symbols/scripts.c and the files for single runtimes share. */
#ifndef SYMBOLS_SCRIPTS_IMPL_H
#define SYMBOLS_SCRIPTS_IMPL_H

#include "base/hidx.h"
#include "symbols/scripts.h"
#include "symbols/sym.h"
#include "symbols/v8_code.h"

struct process_entry {
	u32 tgid;
	struct process_runtime runtime;
};

#define CODE_RANGES 1024

/* All executable memory of a process that is in no file. */
struct code_ranges {
	u64 version; /* of what is mapped, of all processes */
	u32 n;
	struct v8_range v[CODE_RANGES];
};

#define FOUND_CODES  1024
#define FOUND_FRAMES 8

/* What was put in the place of a word of V8's compiled code, a moment ago. */
struct found_code {
	u64 word, until_ns;
	u32 tgid;
	bool exact;
	u8 n; /* 0: free */
	u64 frames[FOUND_FRAMES];
};

struct scripts {
	struct symbols *symbols;
	struct process_entry *processes;
	u32 nprocesses, next_process;
	struct code_entry *codes;
	u32 ncodes, cap;
	size_t line_bytes;
	struct hidx by_address, objects, funcs;
	struct java_names *java;
	struct v8_lines *v8_lines;
	struct v8_codes *v8_codes;
	struct found_code *found; /* FOUND_CODES, by what is found */
	struct code_ranges ranges;
	u32 unknown[SCRIPT_KINDS]; /* locs */
	u64 named, gone;
};

/* A stack that is put together. */
struct script_stack {
	u64 *ips;
	u32 n, room;
	bool cut; /* there was no room for all */
};

static inline void script_stack__put(struct script_stack *s, u64 word)
{
	if (s->n < s->room)
		s->ips[s->n++] = word;
	else
		s->cut = true;
}

static inline bool stack_def__is_script(const struct stack_def *d, u32 i)
{
	return i >= d->nkernel && SCRIPT_MARK(d->ips[i]) == SCRIPT_FRAME;
}

/* Whether the word has a check of its own behind it; d is without that of all others. */
static inline bool stack_def__has_own_check(const struct stack_def *d, u32 i)
{
	return i + 1 < (u32)d->nkernel + d->nuser && SCRIPT_MARK(d->ips[i + 1]) == SCRIPT_CHECK;
}

/* Of the file that functions are from, as an object. */
u32 scripts__object(struct scripts *sc, enum script_kind kind, const char *path, u32 tgid);
u32 scripts__function(struct scripts *sc, u32 object, const char *name, u32 first_line,
		      u32 last_line);
/* The loc of what is a function, but not known which. */
u32 scripts__unknown(struct scripts *sc, enum script_kind kind);

struct java_names;
struct java_names *java_names__new(struct scripts *sc);
void java_names__free(struct java_names *j);
/* Puts a stack, whose check word comes behind its frames, with the functions' locs; false: they are
 * not what they were, and unknown. */
bool java_names__name(struct java_names *j, const struct process_entry *p,
		      const struct stack_def *d, struct script_stack *to);

#endif
