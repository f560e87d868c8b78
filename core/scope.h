/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scope: which tasks are looked at, in a normal form that sources can evaluate in the
 * kernel. The command line (-p -t -G -C --comm) and the filter expression compile to it.
 * For each kind there is an optional set to include and a set to exclude; all must hold.
 *
 * A scope is immutable once built and shared by reference count, so any thread may read it.
 */
#ifndef CORE_SCOPE_H
#define CORE_SCOPE_H

#include <regex.h>

#include "core/base.h"
#include "core/status.h"

enum scope_kind { SCOPE_PID, SCOPE_TID, SCOPE_CPU, SCOPE_CGROUP, SCOPE_KINDS };

/* Sorted, without duplicates. `active` tells an empty include set from none. */
struct id_set {
	u64 *ids;
	u32 n;
	bool active;
};

struct name_term {
	char *text; /* as typed */
	regex_t re; /* POSIX extended; not compiled for cgroup globs */
	bool negate;
};

/*
 * cgroups: a glob's ids are those of every match and of all cgroups below it, so that looking
 * up a task's own (leaf) id is enough. A source that can compare ancestors in the kernel
 * gets the same answer and also sees cgroups made since the last scope__resolve. An
 * unresolved include is an empty active set: nothing passes until it is known.
 */
struct scope {
	_Atomic u32 refs; /* scope__get, scope__put */
	struct id_set include[SCOPE_KINDS], exclude[SCOPE_KINDS];
	struct name_term *comms;   /* comm~ : thread name; evaluated by scope__comm */
	struct name_term *syms;	   /* sym~  : any frame's function; display only */
	struct name_term *objects; /* obj~  : any frame's object; display only */
	struct name_term *cgroups; /* cgroup=GLOB as typed; resolved to SCOPE_CGROUP ids */
	u32 ncomms, nsyms, nobjects, ncgroups;
	u64 min_ns, max_ns; /* durations, for views of time; max 0: no limit */
	u32 states, not_states; /* bit per letter of "RSDTtXZPI", SCOPE_STATES order; 0: all */
	/* `-- COMMAND` or tree=PID: tasks forked by an included pid are included. The source
	 * keeps track of them; include[SCOPE_PID] holds only the ancestor. */
	bool follow_children;
	/* The canonical expression: what is shown, and it parses to this scope again. "" when
	 * everything passes. */
	char *text;
};

#define SCOPE_STATES "RSDTtXZPI"

struct scope *scope__get(const struct scope *s);
void scope__put(const struct scope *s);
/* True when a task passes what can be told from ids and name. Includes of pids are not
 * looked at with follow_children (descendants are known to the source alone). An id that is
 * not known (cgroup 0) is in no include. A NULL scope is everything. */
bool scope__task(const struct scope *s, u32 tgid, u32 tid, u32 cpu, u64 cgroup, const char *comm);
bool scope__comm(const struct scope *s, const char *comm);
/* True when the text passes the term, negation included. Any thread. */
bool name_term__match(const struct name_term *t, const char *text);
bool id_set__has(const struct id_set *set, u64 id);

#endif
