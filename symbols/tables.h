/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * struct symbols from inside: the tables of objects, locs and functions, and what is asked of the
 * worker. For the files of symbols/ only. Comments say which thread or lock owns what.
 */
#ifndef SYMBOLS_TABLES_H
#define SYMBOLS_TABLES_H

#include <pthread.h>

#include "base/arena.h"
#include "base/hidx.h"
#include "symbols/ids.h"
#include "symbols/sym.h"

struct code;   /* a loaded object: symbols/code.h */
struct spaces; /* symbols/spaces.h */
struct unwinder; /* symbols/unwinder.h */
struct walker; /* symbols/stack_walker.h */
struct scripts; /* symbols/scripts.h */
struct namer; /* symbols/address_names.h */
struct worker_state; /* symbols/worker.c */
struct resolver;     /* symbols/resolver.h */
struct object_files; /* symbols/object_file.h */

/* Where an object is mapped: /proc/TGID/map_files/START-END leads to its inode even when
 * the file was deleted. */
struct via {
	u32 tgid, parent; /* parent: of a JIT's process, whose perf map it may have inherited */
	u64 start, end;
};

struct object {
	struct sym_object pub; /* immutable once committed */
	_Atomic(const struct sym_object_info *) info;
	/* Its build-id in the recording it is from, "" none; NULL: it is of this machine. */
	const char *recorded;
	bool foreign; /* its names come from a file of this machine with that build-id */
	struct via via; /* symbols.lock */
	bool unread;	/* symbols.lock: its file could not be opened, another via may do */
	/* The worker's: */
	struct code *code;     /* NULL: not looked at yet */
	u32 pending, npending; /* locs to resolve, chained by loc.next */
	u32 retry;	       /* locs resolved to a guess; a newer map may know better */
	u64 read_on_ns; /* when a JIT's map was read last for new locs */
	u64 retry_at_ns, retry_wait_ns;
	u64 cost; /* of loading it, about bytes; 0 not asked yet */
	bool listed, retry_listed; /* in the worker's lists */
};

/* Functions inlined at one loc. */
#define INLINED_MAX 11
struct inlined {
	u32 n;
	u32 funcs[INLINED_MAX]; /* innermost first */
};

struct u32_vec {
	u32 *v;
	u32 n, cap;
};

void u32_vec__push(struct u32_vec *v, u32 x);

/* Whether the kernel tells us its own. */
enum kernel_addresses { ADDRESSES_UNASKED, ADDRESSES_TOLD, ADDRESSES_HIDDEN };

#define ANNOTATIONS_KEPT 8

struct symbols {
	struct stable objects, locs, funcs;
	struct stable inlines; /* struct inlined; the worker's */
	_Atomic bool mixed;    /* never false again */
	_Atomic u32 addresses; /* enum kernel_addresses */
	_Atomic u64 generation, overflow, nresolved, memory;
	/* What names are read of, the worker's: an object, 0 nothing; since when. */
	_Atomic u32 reading;
	_Atomic u64 reading_ns;
	int event_fd;

	/* Collector thread. */
	struct spaces *spaces;
	struct unwinder *unwinder; /* NULL: nobody has asked */
	struct walker *walker;	   /* the same */
	struct namer *namer;	   /* the same */
	struct scripts *scripts;
	struct thread_names *thread_names;
	struct hidx loc_index, named_objects, named_funcs;
	struct u32_vec asked; /* locs since the last kick */
	u32 kernel_object;
	_Atomic u32 nprocesses;

	pthread_mutex_t table_lock; /* appends to objects and funcs, and their strings: */
	struct arena names;

	/* Between threads, under lock; cond wakes the worker, settled those who wait for it. */
	pthread_mutex_t lock;
	pthread_cond_t cond, resolved;
	struct u32_vec queue;	      /* locs to resolve */
	struct u32_vec inline_queue;  /* locs whose inline chain is asked for */
	struct u32_vec annotate_queue; /* funcs */
	const struct annotation *annotations[ANNOTATIONS_KEPT]; /* newest first */
	struct bpf_code_wish { /* a program */
		u32 prog; /* 0: none */
		u64 loaded_ns;
	} bpf_asked, bpf_known; /* to do; done: */
	struct annotation *bpf_code[BPF_CODES];
	bool stop, busy;
	pthread_t thread;
	struct worker_state *worker;
	struct resolver *resolver;  /* the worker's */
	struct object_files *files; /* the worker's */
};

static inline struct loc *symbols__loc(const struct symbols *s, u32 loc)
{
	return stable__at(&s->locs, loc);
}

static inline struct object *symbols__obj(const struct symbols *s, u32 object)
{
	return stable__at(&s->objects, object);
}

/* Any thread: a new object; 0 when the table is full. Strings are copied. */
u32 symbols__add_object(struct symbols *s, const struct sym_object *o, const struct via *via);
/* Collector thread: a process that has the object mapped now. Cheap. */
void symbols__seen_via(struct symbols *s, u32 object, const struct via *via);
/* Any thread: a new func, f->id is ignored, f->name may be NULL (then it is made from
 * linkage). Strings are copied, control characters replaced. FUNC_OVERFLOW when the table
 * is full. */
u32 symbols__add_func(struct symbols *s, const struct sym_func *f);
#define FUNC_OVERFLOW 1u /* "[too many functions]" */

/* Whether a name that was kept is this one. */
bool symbols__is_kept_as(const char *text, const char *kept);
/* Collector thread: the loc of an object's offset; a new one is asked for unless it has its func.
 * SYM_UNKNOWN when the table is full. */
u32 symbols__intern_loc(struct symbols *s, u32 object, u64 offset, u32 func);

#endif
