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
	regex_t re; /* POSIX extended */
	bool negate;
};

struct scope {
	struct id_set include[SCOPE_KINDS], exclude[SCOPE_KINDS];
	struct name_term *comms;   /* comm~ : thread name; evaluated by scope__comm */
	struct name_term *syms;	   /* sym~  : any frame's function; display only */
	struct name_term *objects; /* obj~  : any frame's object; display only */
	struct name_term *cgroups; /* cgroup=GLOB as typed; resolved to SCOPE_CGROUP ids */
	u32 ncomms, nsyms, nobjects, ncgroups;
	u64 min_ns, max_ns; /* durations, for views of time; max 0: no limit */
	u32 states, not_states; /* bit per letter of "RSDTtXZPI", SCOPE_STATES order; 0: all */
	bool follow_children; /* `-- COMMAND`: tasks forked by an included pid are included */
	char *text;	      /* the expression as shown on screen, "" when everything */
};

#define SCOPE_STATES "RSDTtXZPI"

struct scope *scope__get(const struct scope *s);
void scope__put(const struct scope *s);
/* True when a task passes what can be told from ids and name. */
bool scope__task(const struct scope *s, u32 tgid, u32 tid, u32 cpu, u64 cgroup, const char *comm);
bool scope__comm(const struct scope *s, const char *comm);
bool id_set__has(const struct id_set *set, u64 id);

#endif
