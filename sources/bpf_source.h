/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every source of BPF programs is made of: programs that are opened, sized, loaded and
 * attached, a ring, a scope, halves that take turns, a visit once an interval, figures and health.
 * A source is a struct that begins with a struct bpf_source, and a const struct bpf_subject that
 * says what is special to it; its programs include bpf/source.bpf.h. Collector thread only.
 */
#ifndef SOURCES_BPF_SOURCE_H
#define SOURCES_BPF_SOURCE_H

#include "base/arena.h"
#include "bpf/moment.h"
#include "bpf/unwind.h"
#include "sources/bpf_probe.h"
#include "sources/bpf_ring.h"
#include "sources/bpf_scope.h"
#include "sources/bpf_util.h"
#include "sources/bpf_visit.h"
#include "sources/source.h"

struct bpf_map;
struct bpf_object;
struct bpf_object_skeleton;

/* All hooks but open, drain and unload are optional; they are called in the order in which they stand. */
struct bpf_subject {
	const char *what;  /* in messages: "BPF programs of block I/O" */
	const char *event; /* health.event, unless begin says another */
	u32 needs;	   /* BPF_NEED_x */
	size_t size;	   /* of the source's struct */
	size_t stats_size; /* of its figures: begin with SOURCE_FIGURES */
	size_t sizes_size; /* of base.sizes */
	bool own_stacks;   /* the hook `first` hands stacks out */

	int (*init)(struct source *s, const struct sampling *how, struct status *st);
	/* Sets base.obj, sizes maps and sets constants; base.stacks_max and base.ring_bytes size the
	 * common maps. */
	int (*open)(struct source *s, struct status *st);
	int (*loaded)(struct source *s, struct status *st);
	/* Where its programs are that judge the moment of an event; 0: none do. */
	enum moment_at moment;
	/* Before a scope is put in force: refuses one that does not do. After it. */
	int (*check_scope)(struct source *s, const struct scope *scope, struct status *st);
	void (*scoped)(struct source *s, const struct scope *scope);
	void (*sampled)(struct source *s, const struct sampling *how);
	/* Before what attaches by itself (bpf_program__autoattach) is attached; after it. With a
	 * skeleton, what has a link there already is left out. */
	int (*attach)(struct source *s, struct status *st);
	int (*attached)(struct source *s, struct status *st);
	/* Whether a program may fail to attach. */
	bool (*may_lack)(struct source *s, const char *prog);
	/* It could not be loaded or attached: whether to try once more, with other settings. */
	bool (*retry)(struct source *s, const struct status *why);
	/* The first interval begins. */
	void (*begin)(struct source *s);
	/* An interval ends: before its halves turn, after it. */
	void (*turning)(struct source *s, u64 t1_ns);
	/* Whether they need not: to wait for programs that are in a half takes 5 to 20 ms. */
	bool (*stays)(struct source *s);
	void (*turned)(struct source *s);
	/* Before records are handed out, at a drain of any kind. */
	void (*first)(struct source *s, bool tick);
	/* A record of the ring; stacks and unwind requests are taken care of. */
	void (*record)(struct source *s, const void *data, size_t size);
	/* Hands out what was counted in the half left. Returns how full the fullest map was, in %. */
	double (*drain)(struct source *s);
	/* What base.now says of losses, and what follows from it; base.health.note is empty. */
	void (*note)(struct source *s);
	void (*health)(struct source *s, struct health *h);
	void (*detach)(struct source *s);
	void (*unload)(struct source *s); /* closes what open opened */
	void (*fini)(struct source *s);
};

struct bpf_source {
	const struct bpf_subject *of;
	const char *what; /* as of->what, unless init sets it */
	struct bpf_object *obj;
	struct bpf_object_skeleton *skeleton; /* NULL: there is none */
	struct bpf_link **links;	      /* of what attaches by itself */
	u32 nlinks;
	struct bpf_ring *ring; /* NULL: the programs send nothing */
	struct bpf_scope scope;
	struct bpf_visit visit; /* attached by bpf_source__attach_visit */
	volatile u32 *active, *look_again, *thread_kinds, *by_tables; /* the programs'; NULL: none */
	struct bpf_map *stacks_seen;
	u32 stacks_max, ring_bytes;
	void *sizes; /* a copy of what bpf_source__open was given */
	u32 stacks; /* sent since stacks_seen was emptied */
	bool trimmed; /* it was emptied at this tick */
	bool turning; /* programs may still run in the half that was left */
	bool flipped;
	const struct sample_sink *sink; /* during drain */
	void *now, *before;		/* figures, and those of the last tick */
	u64 before_ns;
	struct unwind_stats before_walks;
	struct health health;
};

/* A source's NAME__open_sized(), whose sizes may be told, and NAME__open_source() with its own: `sizes`, or
 * `little` where memory is. */
#define BPF_SOURCE_OPEN(name)                                                                      \
	struct source *name##__open_sized(const struct sampling *how, const struct scope *scope,   \
					  const struct name##_sizes *of, struct status *st)        \
	{                                                                                          \
		return bpf_source__open(&subject, how, scope, of, st);                             \
	}                                                                                          \
	static struct source *name##__open_source(const struct sampling *how,                      \
						  const struct scope *scope, struct status *st)    \
	{                                                                                          \
		return name##__open_sized(how, scope, memory__is_little() ? &little : &sizes, st); \
	}

struct source *bpf_source__open(const struct bpf_subject *of, const struct sampling *how,
				const struct scope *scope, const void *sizes, struct status *st);
/* Its two halves: programs and maps are there, and nothing runs; then it counts. On failure of the second one it is to
 * be closed. */
struct source *bpf_source__load(const struct bpf_subject *of, const struct sampling *how,
				const void *sizes, struct status *st);
int bpf_source__attach(struct source *s, const struct sampling *how, const struct scope *scope,
		       struct status *st);
void bpf_source__close(struct source *s);
int bpf_source__set_scope(struct source *s, const struct scope *scope, struct status *st);
int bpf_source__set_sampling(struct source *s, const struct sampling *how, struct status *st);
int bpf_source__fd(struct source *s);
bool bpf_source__turn(struct source *s, u64 t1_ns);
void bpf_source__fetch(struct source *s, bool tick);
void bpf_source__drain(struct source *s, bool tick, const struct sample_sink *sink);
void bpf_source__health(struct source *s, struct health *h);

#define BPF_SOURCE_OPS                                                                             \
	.close = bpf_source__close, .set_scope = bpf_source__set_scope,                            \
	.set_sampling = bpf_source__set_sampling, .fd = bpf_source__fd,                            \
	.turn = bpf_source__turn, .fetch = bpf_source__fetch, .drain = bpf_source__drain, .health = bpf_source__health

/* The beginning of a hook `open`, of a source with a skeleton in its member skel: 0, or -errno with st. */
#define bpf_source__skeleton(s, name, st)                                                          \
	((s)->skel = xcalloc(1, sizeof(*(s)->skel)),                                                  \
	 bpf_source__open_skeleton(&(s)->base, name##__create_skeleton((s)->skel) ? NULL : (s)->skel->skeleton, st))
int bpf_source__open_skeleton(struct bpf_source *b, struct bpf_object_skeleton *skeleton, struct status *st);
/* The programs' figures as they are now. */
void bpf_source__stats(const struct bpf_source *b, void *out);
/* How many entries a map has room for, or both halves of a pair. Before it is loaded. */
void bpf_source__size(struct bpf_source *b, const char *map, u32 n);
int bpf_source__attach_visit(struct bpf_source *b, struct bpf_program *prog, struct status *st);
/* Runs it: base.visit has what was written. 0, or -errno, which is logged. */
int bpf_source__visit(struct bpf_source *b);
/* Hands out and empties the half of a pair that no program writes to; `what` in a message. Returns
 * how full it was, in %. */
double bpf_source__drain_half(struct bpf_source *b, const char *name, const char *what,
			      void (*each)(void *ctx, const void *key, const void *value));
/* Whether an entry that was drained is in scope. */
#define bpf_source__passes(b, ...)                                                                 \
	bpf_scope__passes(&(b)->scope, &(struct bpf_scope_entry){__VA_ARGS__})
/* health.samples of the interval, from their number since open. */
void bpf_source__note_samples(struct bpf_source *b, u64 total);

#endif
