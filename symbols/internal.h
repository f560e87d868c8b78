/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * struct symbols from inside: what symbols.c, spaces.c, worker.c and object.c share. Comments
 * say which thread or lock owns what.
 */
#ifndef SYMBOLS_INTERNAL_H
#define SYMBOLS_INTERNAL_H

#include <pthread.h>

#include "base/arena.h"
#include "base/hidx.h"
#include "symbols/annotate.h"
#include "symbols/ids.h"
#include "symbols/object.h"
#include "symbols/symbols.h"

struct code;   /* a loaded object: symbols/code.h */
struct spaces; /* symbols/spaces.h */
struct unwinder; /* symbols/unwinder.h */
struct walker; /* symbols/stack_walker.h */
struct worker_state;

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
	int event_fd;

	/* Collector thread. */
	struct spaces *spaces;
	struct unwinder *unwinder; /* NULL: nobody has asked */
	struct walker *walker;	   /* the same */
	struct hidx loc_index, named_objects, named_funcs;
	struct u32_vec asked; /* locs since the last kick */
	u32 kernel_object;
	_Atomic u32 nprocesses;

	pthread_mutex_t table_lock; /* appends to objects and funcs, and their strings: */
	struct arena names;

	/* Between threads, under lock; cond wakes the worker, settled those who wait for it. */
	pthread_mutex_t lock;
	pthread_cond_t cond, settled;
	struct u32_vec queue;	      /* locs to resolve */
	struct u32_vec inline_queue;  /* locs whose inline chain is asked for */
	struct u32_vec annotate_queue; /* funcs */
	const struct annotation *annotations[ANNOTATIONS_KEPT]; /* newest first */
	bool stop, busy;
	pthread_t thread;
	struct worker_state *worker;
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

/* worker.c */
void worker__start(struct symbols *s);
void worker__stop(struct symbols *s);

/* --- object.c: the worker's files --- */

#define FDS_KEPT       32
#define DEBUGINFO_KEPT 4

enum file_role { FILE_MAIN, FILE_DEBUG };

struct open_file {
	u32 object;
	enum file_role role;
	int fd;
	u64 used;
};

struct open_dwarf {
	u32 object;
	struct debuginfo *d; /* NULL: there is none */
	char note[128];
	u64 used;
};

struct object_files {
	u64 clock; /* of use */
	struct open_file fds[FDS_KEPT];
	struct open_dwarf dwarfs[DEBUGINFO_KEPT];
	int kcore;
	bool kcore_tried;
};

/* A descriptor borrowed until the next call, -errno. Opened again when it was closed since,
 * and then the very same file or none. */
int object__fd(struct symbols *s, u32 object, enum file_role role);
void object_files__init(struct object_files *f);
void object_files__fini(struct object_files *f);
struct object_files *worker__files(struct symbols *s);
/* The vdso of this process, which is everybody's; NULL when there is none. */
const void *object__vdso(size_t *size);

/* Opens the object's own file: any thread. */
int object__open(struct symbols *s, u32 object);
/* The same of a foreign one. */
int object__open_foreign(const struct object *o);

/* --- resolve.c --- */

struct resolver;

struct resolver *resolver__new(struct symbols *s);
void resolver__free(struct resolver *r);
/* Loads the object when that was not done; fills info. */
struct code *resolver__load(struct resolver *r, u32 object);
/* The function at an offset of an object, its object (module, equal file) and whether the
 * name is final (false: a newer map may know better). Never 0. */
u32 resolver__func(struct resolver *r, u32 object, u64 offset, u32 *owner, bool *final);
/* May a newer map of this object know more now? Reads it if so. */
bool resolver__refresh(struct resolver *r, u32 object);
/* A function known by name only: inlined at some place of the object. */
u32 resolver__inlined(struct resolver *r, u32 object, const char *name);
u64 resolver__bytes(const struct resolver *r);
struct resolver *worker__resolver(struct symbols *s);

/* enum func_flag that follow from a name. Any thread. */
u32 func__flags(const char *linkage);

/* The object whose table and funcs serve this one: itself, or an equal file. */
u32 object__canonical(struct symbols *s, u32 object);

#endif
