/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names that a recording's samples need, on their way into it: texts, cgroups, and stacks as
 * frames of objects with the functions that symbols found. Each is put down once a part, by
 * recording/format.h. Collector thread only. Bounded: what finds no room is left out and counted.
 */
#ifndef RECORDING_NAMES_OUT_H
#define RECORDING_NAMES_OUT_H

#include "base/hidx.h"
#include "recording/bytes.h"
#include "recording/format.h"
#include "samples/sample.h"
#include "symbols/symbols.h"

/* Ids of symbols -> positions in the file. */
struct id_map {
	u32 *v; /* position + 1; 0 none */
	u32 n;
};

struct out_loc {
	u32 loc;  /* of symbols */
	u32 func; /* of symbols, as written last */
};

struct out_frame {
	u32 caller; /* position + 1; 0 outermost */
	u32 loc;    /* position in locs */
};

struct out_stack {
	u32 leaf; /* position + 1 in frames */
	u16 nkernel;
	u8 flags;
};

/* What a part has of stacks; those of the part before are kept to be put down again. */
struct out_stacks {
	struct out_loc *locs;
	struct out_frame *frames;
	struct out_stack *stacks;
	u32 nlocs, nframes, nstacks, locs_cap, frames_cap, stacks_cap;
	struct hidx by_frame, by_stack;
};

/* Fields of samples, as they are coded. */
struct out_kept {
	const u8 *v;
	u32 n;
};

/* What a source's hash means. */
struct out_slot {
	u64 hash;
	u32 tgid;  /* whose addresses; 0 kernel frames or names only */
	u32 epoch; /* of its address space */
	u32 stack; /* position */
	u32 part;
};

/* The newest definitions, and those before them. */
struct out_slots {
	struct out_slot *v;
	u32 n, cap;
	struct hidx index;
};

struct names_out {
	struct symbols *symbols;
	bool local;	  /* locs as symbols has them, and nothing of what they stand for */
	bool quiet;	  /* nothing is written */
	struct bytes out; /* records to be written */
	/* Called when a block is full, with the records in out; it takes them. */
	void (*flush)(void *ctx);
	void *ctx;
	u32 part;
	u32 limit[NAME_TABLES]; /* the whole of it; tests lower it */
	u64 refused;		/* names without room, ever */

	struct arena text_memory; /* of kept fields, too */
	const char **texts;
	u32 ntexts, texts_cap, nobjects, nfuncs, ncgroups;
	struct hidx by_text, by_cgroup, by_kept;
	struct out_kept *kept;
	u32 nkept, kept_cap;
	u32 *met; /* fields that came once, whatever part it was in: OUT_MET words of their hashes */
	u64 *cgroups;
	u32 cgroups_cap;
	struct id_map objects, funcs, locs;
	u32 *unnamed; /* objects of symbols whose build-id is not known yet */
	u32 nunnamed, unnamed_cap;
	u32 *pending; /* positions of locs without a final function */
	u32 npending, pending_cap;
	u64 generation; /* of symbols, when pending was gone through last */
	struct out_stacks now, before;
	struct out_slots newer, older;
	u32 *epochs;
};

void names_out__init(struct names_out *n, struct symbols *symbols, void (*flush)(void *ctx),
		     void *ctx);
void names_out__fini(struct names_out *n);

/* As samples refer to them: position + 1; 0: none, not known, or no room. */
u32 names_out__text(struct names_out *n, const char *text);
/* tgid 0: whosever it is. */
u32 names_out__stack(struct names_out *n, u64 hash, u32 tgid);
void names_out__cgroup(struct names_out *n, u64 id);
/* The same of fields of samples; 0, too, for those that came for the first time. */
u32 names_out__kept(struct names_out *n, const u8 *fields, size_t len);

void names_out__define(struct names_out *n, const struct stack_def *d);
void names_out__proc(struct names_out *n, const struct proc_event *ev);
/* Writes the functions that became known; all: those inlined too, once at the end. */
void names_out__refresh(struct names_out *n, bool all);
/* It is time for a new part. */
bool names_out__full(const struct names_out *n);
/* With everything written and flushed. What sources rely on is kept, whatever part it was in. */
void names_out__new_part(struct names_out *n);

#endif
