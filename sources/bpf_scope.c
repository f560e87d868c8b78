// SPDX-License-Identifier: GPL-2.0-only
#include "sources/bpf_scope.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/clock.h"
#include "sources/bpf_globals.h"
#include "sources/bpf_util.h"
#include "sources/process_scope.h"
#include "sources/scope_check.h"

#define IDS_MAX	  8000 /* half of scope_ids: two generations meet while switching */
#define COMMS_MAX 1000

/* The kinds of the kernel side are those of scope/scope.h. */
_Static_assert((int)SCOPE_BPF_PID == SCOPE_PID && (int)SCOPE_BPF_TID == SCOPE_TID &&
		       (int)SCOPE_BPF_CPU == SCOPE_CPU && (int)SCOPE_BPF_CGROUP == SCOPE_CGROUP,
	       "scope kinds");
_Static_assert((int)SCOPE_BPF_PRIO == SCOPE_PRIO && (int)SCOPE_BPF_POLICY == SCOPE_POLICY &&
		       (int)SCOPE_BPF_NR_RUNNING == SCOPE_NR_RUNNING &&
		       (int)SCOPE_BPF_IRQS_DISABLED == SCOPE_IRQS_DISABLED &&
		       (int)SCOPE_BPF_NEED_RESCHED == SCOPE_NEED_RESCHED &&
		       (int)SCOPE_BPF_MODE == SCOPE_MODE && (int)SCOPE_BPF_LEVELS == SCOPE_LEVELS &&
		       SCOPE_BPF_LEVEL_WORDS == SCOPE_LEVEL_WORDS,
	       "scope levels");

void bpf_scope__init(struct bpf_scope *b, struct bpf_object *obj)
{
	*b = (struct bpf_scope){
		.ids_fd = bpf_object__find_map_fd_by_name(obj, "scope_ids"),
		.comms_fd = bpf_object__find_map_fd_by_name(obj, "scope_comms"),
		.levels_fd = bpf_object__find_map_fd_by_name(obj, "scope_levels"),
		.state = bpf_globals__find(obj, "scope_state", sizeof(u64)),
		.fork = bpf_object__find_program_by_name(obj, "scope_fork"),
		.end = bpf_object__find_program_by_name(obj, "scope_end"),
	};
}

/* --- following children --- */

static void stop_following(struct bpf_scope *b)
{
	bpf_link__destroy(b->fork_link);
	bpf_link__destroy(b->end_link);
	b->fork_link = b->end_link = NULL;
}

static int begin_following(struct bpf_scope *b, struct status *st)
{
	if (!b->end_link)
		b->end_link = bpf_program__attach(b->end);
	if (b->end_link && !b->fork_link)
		b->fork_link = bpf_program__attach(b->fork);
	return b->fork_link ? 0 : bpf_util__failed(-errno, "following child processes", st);
}

/* --- what is in force --- */

void bpf_scope__fini(struct bpf_scope *b)
{
	stop_following(b);
	scope__put(b->scope);
	free(b->keys);
	free(b->comms);
	*b = (struct bpf_scope){0};
}

static void delete_keys(struct bpf_scope *b, const struct scope_bpf_key *keys, u32 n)
{
	for (u32 i = 0; i < n; i++)
		bpf_map_delete_elem(b->ids_fd, &keys[i]);
}

/* A change that is being prepared beside what is in force. */
struct change {
	struct scope_bpf_key *keys;
	u32 nkeys, flags, generation;
};

static int add_set(struct bpf_scope *b, struct change *c, const struct scope *s, u16 kind,
		   u16 exclude, struct status *st)
{
	const struct id_set *set = exclude ? &s->exclude[kind] : &s->include[kind];
	const struct id_set *alone = exclude ? &s->exclude_alone : &s->include_alone;

	if (!set->active && !set->n)
		return 0;
	if (set->n > IDS_MAX - c->nkeys) {
		if (kind == SCOPE_CGROUP)
			return status__set(
				st, EXIT_CODE_USAGE, -E2BIG,
				"the filter matches %u cgroups, at most %u can be watched: "
				"name their parent instead",
				set->n, IDS_MAX);
		return 0; /* bpf_scope__passes() applies it */
	}
	for (u32 i = 0; i < set->n; i++) {
		struct scope_bpf_key key = {c->generation, kind, exclude, set->ids[i]};
		u8 value = kind == SCOPE_CGROUP && id_set__has(alone, key.id) ? SCOPE_BPF_ALONE
									      : SCOPE_BPF_IN;
		int err = bpf_map_update_elem(b->ids_fd, &key, &value, BPF_ANY);

		if (err)
			return status__set(st, EXIT_CODE_FAILURE, err,
					   "the filter could not be set in the kernel: %s",
					   strerror(-err));
		c->keys[c->nkeys++] = key;
	}
	c->flags |= SCOPE_BPF_HAS(kind, exclude);
	return 0;
}

static int set_levels(struct bpf_scope *b, struct change *c, const struct scope *s, struct status *st)
{
	const u32 terms = scope__terms(s), at = c->generation & 1;
	struct scope_bpf_levels levels;
	int err;

	if (!(terms & SCOPE_TERMS_KERNEL))
		return 0;
	memcpy(levels.left_out, s->left_out, sizeof(levels.left_out));
	err = bpf_map_update_elem(b->levels_fd, &at, &levels, BPF_ANY);
	if (err)
		return status__set(st, EXIT_CODE_FAILURE, err,
				   "the filter could not be set in the kernel: %s", strerror(-err));
	c->flags |= (terms & SCOPE_TERM_SCHED ? SCOPE_BPF_SCHED : 0) |
		    (terms & SCOPE_TERM_MOMENT ? SCOPE_BPF_MOMENT : 0);
	return 0;
}

static int prepare(struct bpf_scope *b, struct change *c, const struct scope *s, struct status *st)
{
	int err = 0;

	for (u16 kind = 0; kind < SCOPE_KINDS && !err; kind++) {
		err = add_set(b, c, s, kind, 0, st);
		if (!err)
			err = add_set(b, c, s, kind, 1, st);
	}
	if (!err)
		err = set_levels(b, c, s, st);
	if (s->ncomms)
		c->flags |= SCOPE_BPF_COMMS;
	if (s->follow_children)
		c->flags |= SCOPE_BPF_FOLLOW;
	return err;
}

static void follow(void *ctx, u32 pid)
{
	const struct scope_bpf_key key = {0, SCOPE_BPF_FOLLOWED, 0, pid};
	const struct bpf_scope *b = ctx;
	static const u8 one = 1;

	bpf_map_update_elem(b->ids_fd, &key, &one, BPF_ANY);
}

static void forget_followed(struct bpf_scope *b)
{
	struct scope_bpf_key key = {0}, next, *gone = xcalloc(16384, sizeof(*gone));
	u32 n = 0;
	bool more = !bpf_map_get_next_key(b->ids_fd, NULL, &next);

	while (more && n < 16384) {
		key = next;
		if (key.kind == SCOPE_BPF_FOLLOWED)
			gone[n++] = key;
		more = !bpf_map_get_next_key(b->ids_fd, &key, &next);
	}
	delete_keys(b, gone, n);
	free(gone);
}

/* After the switch nobody looks at the old generation any more. */
static void drop_old(struct bpf_scope *b)
{
	delete_keys(b, b->keys, b->nkeys);
	for (u32 i = 0; i < b->ncomms; i++)
		bpf_map_delete_elem(b->comms_fd, &b->comms[i]);
	free(b->keys);
	free(b->comms);
	b->comms = NULL;
	b->ncomms = 0;
}

static int put_in_force(struct bpf_scope *b, const struct scope *s, struct status *st)
{
	struct change c = {.generation = b->generation + 1};
	bool followed = b->scope && b->scope->follow_children;
	int err;

	c.keys = xcalloc(IDS_MAX, sizeof(*c.keys));
	err = prepare(b, &c, s, st);
	if (err) {
		delete_keys(b, c.keys, c.nkeys);
		free(c.keys);
		return err;
	}
	if (followed)
		forget_followed(b);
	/* Before any of them asks: the answer is kept. */
	if (s->follow_children)
		process_scope__descendants(s, follow, b);
	__atomic_store_n(b->state, (u64)c.generation << 32 | c.flags, __ATOMIC_SEQ_CST);
	/* Whom they made meanwhile. */
	if (s->follow_children)
		process_scope__descendants(s, follow, b);
	/* At the first one no program looks at an older one: it would be 10 ms of each start. */
	if (b->scope)
		bpf_util__barrier();
	drop_old(b);
	b->generation = c.generation;
	b->keys = xrealloc(c.keys, MAX(c.nkeys, 1u) * sizeof(*c.keys));
	b->nkeys = c.nkeys;
	b->since_ns = clock__monotonic_ns();
	scope__get(s);
	scope__put(b->scope);
	b->scope = s;
	return 0;
}

int bpf_scope__set(struct bpf_scope *b, const struct scope *s, struct status *st)
{
	int err = 0;

	if (s->follow_children)
		err = begin_following(b, st);
	if (!err)
		err = put_in_force(b, s, st);
	if (!err && !s->follow_children)
		stop_following(b);
	return err;
}

static void drop_name(struct bpf_scope *b, const char *comm)
{
	struct scope_bpf_comm key = {.generation = b->generation};
	static const u8 drop = 1;

	copy_str(key.comm, sizeof(key.comm), comm);
	if (b->ncomms >= COMMS_MAX || bpf_map_update_elem(b->comms_fd, &key, &drop, BPF_NOEXIST))
		return;
	if (!b->comms)
		b->comms = xcalloc(COMMS_MAX, sizeof(*b->comms));
	b->comms[b->ncomms++] = key;
}

static bool is_followed(struct bpf_scope *b, u32 tgid)
{
	struct scope_bpf_key key = {0, SCOPE_BPF_FOLLOWED, 0, tgid};
	u8 value;

	return bpf_map_lookup_elem(b->ids_fd, &key, &value) == 0;
}

static bool in_pids(struct bpf_scope *b, const struct bpf_scope_entry *e, bool stale)
{
	const struct scope *s = b->scope;

	if (scope_check__id(s, SCOPE_PID, e->tgid))
		return true;
	if (!s->follow_children || id_set__has(&s->exclude[SCOPE_PID], e->tgid))
		return false;
	/* A child that has exited is followed no more: what it did since counts all the same. */
	return !stale || is_followed(b, e->tgid);
}

bool bpf_scope__comm(struct bpf_scope *b, const char *comm)
{
	if (!b->scope || !b->scope->ncomms || scope__comm(b->scope, comm))
		return true;
	drop_name(b, comm);
	return false;
}

bool bpf_scope__passes(struct bpf_scope *b, const struct bpf_scope_entry *e)
{
	const struct scope *s = b->scope;
	bool stale = e->first_ns < b->since_ns;

	if (!s)
		return true;
	/* What it was like is not known any more. */
	if (stale && (scope__terms(s) & SCOPE_TERMS_KERNEL))
		return false;
	if (!scope_check__id(s, SCOPE_TID, e->tid) ||
	    (e->cpu != CPU_JUDGED && !scope_check__id(s, SCOPE_CPU, e->cpu)))
		return false;
	if (!in_pids(b, e, stale) || (stale && !scope_check__cgroup(s, e->cgroup)))
		return false;
	return bpf_scope__comm(b, e->comm);
}

bool bpf_scope__may_change(const struct bpf_scope *b)
{
	const struct scope *s = b->scope;

	return s && (s->ncomms || (scope__terms(s) & SCOPE_TERM_SCHED) ||
		     s->include[SCOPE_CGROUP].active || s->exclude[SCOPE_CGROUP].n);
}
