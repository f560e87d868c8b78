/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scope: which tasks are looked at, in a normal form that sources can evaluate in the
 * kernel. The command line (-p -t -G -C --comm) and the filter expression compile to it.
 * For each kind there is an optional set to include and a set to exclude; all must hold.
 *
 * A scope is immutable once built and shared by reference count, so any thread may read it.
 */
#ifndef SCOPE_SCOPE_H
#define SCOPE_SCOPE_H

#include "base/base.h"
#include "base/regex.h"
#include "base/status.h"

enum scope_kind { SCOPE_PID, SCOPE_TID, SCOPE_CPU, SCOPE_CGROUP, SCOPE_KINDS };

/* Sorted, without duplicates. `active` tells an empty include set from none. */
struct id_set {
	u64 *ids;
	u32 n;
	bool active;
};

struct name_term {
	char *text;	   /* as typed */
	struct regex *re;  /* NULL for cgroup globs and lists */
	const char *label; /* of terms by labels: which one; not owned */
	bool negate;
};

/*
 * cgroups: a glob's ids are those of every match and of all cgroups below it, so that looking
 * up a task's own (leaf) id is enough. A source that can compare ancestors in the kernel
 * gets the same answer and also sees cgroups made since the last scope__resolve. An
 * unresolved include is an empty active set: nothing passes until it is known.
 */

/* What tasks and the CPUs they are on are like when something is looked at: small numbers, some of which
 * have names. Only programs in the kernel can tell. */
enum scope_level {
	SCOPE_PRIO,	     /* task_struct.prio: 120 is nice 0, below 100 real time; 0 deadlines, too */
	SCOPE_POLICY,	     /* SCHED_x */
	SCOPE_NR_RUNNING,    /* of the CPU's run queue; the last one stands for more, too */
	SCOPE_IRQS_DISABLED, /* 0 or 1 */
	SCOPE_NEED_RESCHED,  /* 0 or 1 */
	SCOPE_MODE,	     /* of what was interrupted: 0 user, 1 kernel, 2 a guest */
	SCOPE_LEVELS,
};
#define SCOPE_LEVEL_WORDS 4 /* of 64 bits, a power of two: 140 values of prio */

struct scope {
	_Atomic u32 refs; /* scope__get, scope__put */
	struct id_set include[SCOPE_KINDS], exclude[SCOPE_KINDS];
	/* Cgroups in include and in exclude that do not stand for what is below them. */
	struct id_set include_alone, exclude_alone;
	struct name_term *comms;   /* comm~ : thread name; evaluated by scope__comm */
	struct name_term *syms;	   /* sym~  : any frame's function; display only */
	struct name_term *objects; /* obj~  : any frame's object; display only */
	struct name_term *langs;   /* lang= : any frame's language; display only */
	struct name_term *cgroups; /* cgroup=GLOB as typed; resolved to SCOPE_CGROUP ids */
	/* LABEL=LIST, LABEL~REGEX: of what measures count (filter__know_labels); evaluated by
	 * their models, and by their programs where these can. */
	struct name_term *labels;
	u32 ncomms, nsyms, nobjects, nlangs, ncgroups, nlabels;
	u64 min_ns, max_ns;	/* durations, for views of time; max 0: no limit */
	u32 states, not_states; /* bit per letter of "RSDTtXZPI", SCOPE_STATES order; 0: all */
	u8 not_tasks;		/* SCOPE_TASK_*: the sorts of threads that are left out */
	u64 left_out[SCOPE_LEVELS][SCOPE_LEVEL_WORDS]; /* bit a value: those that do not pass */
	/* `-- COMMAND` or tree=PID: tasks that come from an included pid are included. The source
	 * keeps track of them; include[SCOPE_PID] holds only the ancestor. */
	bool follow_children;
	/* The canonical expression: what is shown, and it parses to this scope again. "" when
	 * everything passes. */
	char *text;
};

#define SCOPE_STATES "RSDTtXZPI"

enum { SCOPE_TASK_USER = 1, SCOPE_TASK_KERNEL = 2 };

/* Terms that only some views can apply, as they look at what has no duration, or no stack. */
enum scope_terms {
	SCOPE_TERM_STATE = 1 << 0,
	SCOPE_TERM_TIME = 1 << 1, /* min=, max= */
	SCOPE_TERM_TASK = 1 << 2,
	SCOPE_TERM_STACK = 1 << 3, /* sym~, obj~, lang= */
	SCOPE_TERM_SCHED = 1 << 4,  /* prio=, policy= */
	SCOPE_TERM_MOMENT = 1 << 5, /* irqs_disabled=, need_resched=, nr_running=, mode= */
	SCOPE_TERMS_ALL = (1 << 6) - 1,
	SCOPE_TERMS_KERNEL = SCOPE_TERM_SCHED | SCOPE_TERM_MOMENT, /* that only programs can tell */
};

struct scope *scope__get(const struct scope *s);
void scope__put(const struct scope *s);
/* True when a task passes what can be told from ids and name. Includes of pids are not
 * looked at with follow_children (descendants are known to the source alone). An id that is
 * not known (cgroup 0) is in no include. A NULL scope is everything. */
bool scope__task(const struct scope *s, u32 tgid, u32 tid, u32 cpu, u64 cgroup, const char *comm);
bool scope__comm(const struct scope *s, const char *comm);
/* task=: whether threads of this sort pass; what scope__task() cannot tell. */
bool scope__thread(const struct scope *s, bool kthread);
/* Those of enum scope_terms that it has. */
u32 scope__terms(const struct scope *s);
/* Whether it has a term of this kind. */
bool scope__has_level(const struct scope *s, enum scope_level level);
/* Their names, "state= min=": those of `terms` that it has. */
const char *scope__term_names(const struct scope *s, u32 terms, char *buf, size_t size);
/* True when the text passes the term, negation included. Any thread. */
bool name_term__match(const struct name_term *t, const char *text);
/* Whether a label's text passes all terms by that label; whether there are any. */
bool scope__label(const struct scope *s, const char *label, const char *text);
bool scope__has_label(const struct scope *s, const char *label);
/* Of a term by a label: whether it names this text, negated or not. Any thread. */
bool label_term__names(const struct name_term *t, const char *text);
bool id_set__has(const struct id_set *set, u64 id);
/* "process 4711 is gone": of what it includes by ids and cgroups, what is not there any more, or
 * "". Looks at 64 of a kind at most. */
void scope__gone(const struct scope *s, char *buf, size_t size);

#endif
