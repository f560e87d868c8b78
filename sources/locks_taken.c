// SPDX-License-Identifier: GPL-2.0-only
#include "sources/locks_taken.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "bpf/locks.h"
#include "samples/measure.h"
#include "sources/bpf_globals.h"
#include "sources/bpf_util.h"
#include "sources/lock_graph.h"
#include "sources/locks_taken_file.h"
#include "sources/process_probes.h"
#include "sources/process_scope.h"
#include "sources/rate_guard.h"

#define FILES_MAX  4096 /* that are remembered */
#define PROCESSES  256
#define LOOK_NS	   (50 * NSEC_PER_MSEC)
#define BATCH	   512 /* orders that are read at once */
#define CROWDED	   (TAKEN_ORDERS / 2) /* those of locks that are no more are looked for */

/* An order as the map has it. */
struct order_seen {
	struct taken_order_key key;
	struct taken_order order;
};

/* How often an order was handed out, so far. */
struct reported_order {
	struct taken_order_key key;
	u64 count;
	bool goes_on; /* it was read just now */
};

struct locks_taken {
	bool forced;
	bool multi; /* the kernel has links of the kind uprobe_multi */
	struct bpf_object *obj;
	struct bpf_program *prog;
	volatile u32 *does, *walks;
	struct process_probes probes;
	struct taken_file *files;
	u32 nfiles, files_cap;
	struct probe_links own; /* on proftop's own function */
	u64 cost_ns;		/* of a call */
	struct rate_watch watch;
	char taken_off[200];
	struct order_seen *orders; /* TAKEN_ORDERS */
	struct lock_edge *edges;   /* of them */
	u32 norders;
	struct reported_order *reported;
	u32 nreported, reported_cap;
	struct hidx by_key;
	u64 hits; /* when they were read last */
};

/* --- probes --- */

static const struct taken_file *file_of(struct locks_taken *t, const struct probed_file *of)
{
	struct taken_file *f;

	for (u32 i = 0; i < t->nfiles; i++)
		if (t->files[i].ino == of->ino && t->files[i].dev == of->dev)
			return &t->files[i];
	if (t->nfiles == FILES_MAX)
		return NULL;
	t->files = xgrow(t->files, t->nfiles, &t->files_cap, sizeof(*t->files));
	f = &t->files[t->nfiles++];
	*f = (struct taken_file){.dev = of->dev, .ino = of->ino};
	taken_file__look(f, of->path, of->name);
	return f;
}

static int attach_file(void *ctx, const struct probed_file *of, u32 pid, struct probe_links *links)
{
	struct locks_taken *t = ctx;
	const struct taken_file *f = file_of(t, of);
	struct uprobe_set set = {.path = of->path, .pid = pid};

	if (!f || !f->n)
		return 0;
	set.offsets = f->offsets;
	set.cookies = f->cookies;
	set.n = f->n;
	return probe_links__add(links, t->prog, t->multi, &set);
}

static const struct process_probes_ops probes_ops = {.attach = attach_file};

/* --- what they take --- */

static int attach_own(void *ctx, const char *path, u64 offset)
{
	const u64 cookie = TAKEN_OWN | TAKEN_COOKIE(TAKEN_LOCK, TAKEN_MUTEX_OWNER, 0);
	struct locks_taken *t = ctx;
	const struct uprobe_set set = {
		.path = path, .offsets = &offset, .cookies = &cookie, .n = 1, .pid = (u32)getpid()};

	return probe_links__add(&t->own, t->prog, t->multi, &set);
}

static void detach_own(void *ctx)
{
	probe_links__close(&((struct locks_taken *)ctx)->own);
}

/* Once: it is the machine's. */
static u64 cost_of_call(struct locks_taken *t)
{
	static u64 known;

	if (known)
		return known;
	*t->does = TAKEN_NOTE;
	known = rate_guard__cost(attach_own, detach_own, t);
	*t->does = TAKEN_IDLE;
	log__add(LOG_INFO, "a lock that is taken with a probe on it takes %llu ns more", (unsigned long long)known);
	return known;
}

static u64 hits_of(const struct locks_taken *t)
{
	struct taken_counts now;

	bpf_util__sum_percpu(bpf_object__find_map_fd_by_name(t->obj, "taken_counts"), sizeof(now), (u64 *)&now);
	return now.hits;
}

#define ALL_THE_SAME "--lock-orders=! or :lock-orders !"

/* Counts calls for a moment. */
static int check_rate(struct locks_taken *t, struct status *st)
{
	const struct timespec look = {.tv_nsec = LOOK_NS};
	u64 begin = clock__monotonic_ns(), before = hits_of(t), rate;

	*t->does = TAKEN_COUNT;
	nanosleep(&look, NULL);
	*t->does = TAKEN_IDLE;
	rate = (u64)((double)(hits_of(t) - before) * 1e9 / (double)(clock__monotonic_ns() - begin));
	return rate_guard__check("lock orders", "locks", rate, t->cost_ns,
				 "write " ALL_THE_SAME, st);
}

static double taken_pct(const struct locks_taken *t)
{
	return rate_guard__pct(t->watch.per_second, t->cost_ns);
}

static void take_off(struct locks_taken *t)
{
	snprintf(t->taken_off, sizeof(t->taken_off),
		 "lock orders: %llu locks a second took about %.0f%% of a CPU, their probes are taken off; "
		 ALL_THE_SAME " to have them all the same",
		 (unsigned long long)t->watch.per_second, taken_pct(t));
	process_probes__detach(&t->probes);
	log__add(LOG_WARN, "%s", t->taken_off);
}

/* --- opened and closed --- */

struct locks_taken *locks_taken__new(const struct sampling *how)
{
	struct locks_taken *t;

	if (how->lock_orders == LOCK_ORDERS_OFF)
		return NULL;
	t = xcalloc(1, sizeof(*t));
	t->forced = how->lock_orders == LOCK_ORDERS_FORCED;
	t->multi = probe_links__are_multi();
	process_probes__init(&t->probes, &probes_ops, t, PROCESSES);
	t->orders = xcalloc(TAKEN_ORDERS, sizeof(*t->orders));
	t->edges = xcalloc(TAKEN_ORDERS, sizeof(*t->edges));
	return t;
}

void locks_taken__free(struct locks_taken *t)
{
	if (!t)
		return;
	process_probes__fini(&t->probes);
	probe_links__fini(&t->own);
	hidx__fini(&t->by_key);
	free(t->files);
	free(t->orders);
	free(t->edges);
	free(t->reported);
	free(t);
}

static void make_small(struct bpf_object *obj, const char *name)
{
	bpf_map__set_max_entries(bpf_object__find_map_by_name(obj, name), 1);
}

void locks_taken__prepare(const struct locks_taken *t, struct bpf_object *obj)
{
	struct bpf_program *prog = bpf_object__find_program_by_name(obj, "locks_taken");

	if (t) {
		probe_links__prepare(prog, t->multi);
		return;
	}
	bpf_program__set_autoload(prog, false);
	make_small(obj, "taken_orders");
	make_small(obj, "taken_locks");
	make_small(obj, "taken_sites");
}

int locks_taken__scope(struct locks_taken *t, const struct scope *scope, struct status *st)
{
	if (!t)
		return 0;
	if (!scope || !process_scope__names_somebody(scope))
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "lock orders are those of the programs that are named, as each lock that one takes "
				   "costs it time: -p PID, --comm NAME, -G CGROUP or -- COMMAND (on the screen p, or f "
				   "pid=...)");
	process_probes__set_scope(&t->probes, scope);
	return 0;
}

int locks_taken__attach(struct locks_taken *t, struct bpf_object *obj, struct status *st)
{
	int err;

	if (!t)
		return 0;
	t->obj = obj;
	t->prog = bpf_object__find_program_by_name(obj, "locks_taken");
	t->does = bpf_globals__find(obj, "taken_does", sizeof(u32));
	t->walks = bpf_globals__find(obj, "taken_walks", sizeof(u32));
	t->cost_ns = cost_of_call(t);
	process_probes__look_at_all(&t->probes);
	if (t->probes.nrefused)
		return status__set(st, exit_code__from_errno(t->probes.err), t->probes.err,
				   "lock orders: functions of the C library cannot be attached to: %s",
				   strerror(-t->probes.err));
	err = t->forced ? 0 : check_rate(t, st);
	*t->does = TAKEN_NOTE;
	return err;
}

void locks_taken__detach(struct locks_taken *t)
{
	if (t)
		process_probes__detach(&t->probes);
}

bool locks_taken__has(const struct locks_taken *t, u32 tgid)
{
	const struct probed_process *p = t ? process_probes__find(&t->probes, tgid) : NULL;

	return p && p->nprobes;
}

void locks_taken__tick(struct locks_taken *t)
{
	if (!t || *t->taken_off)
		return;
	*t->walks = 0;
	process_probes__tick(&t->probes);
	if (rate_watch__look(&t->watch, clock__monotonic_ns(), hits_of(t)) && !t->forced &&
	    taken_pct(t) > RATE_GUARD_PCT)
		take_off(t);
}

/* --- orders --- */

static void add_orders(struct locks_taken *t, const struct taken_order_key *keys, const struct taken_order *orders,
		       u32 n)
{
	for (u32 i = 0; i < n && t->norders < TAKEN_ORDERS; i++)
		if (orders[i].t_ns)
			t->orders[t->norders++] = (struct order_seen){keys[i], orders[i]};
}

static void read_orders(struct locks_taken *t)
{
	int fd = bpf_object__find_map_fd_by_name(t->obj, "taken_orders"), err = 0;
	struct taken_order_key *keys = xmalloc(BATCH * sizeof(*keys));
	struct taken_order *orders = xmalloc(BATCH * sizeof(*orders));
	u64 at = 0, next = 0;

	t->norders = 0;
	for (bool begun = false; !err; begun = true) {
		u32 n = BATCH;

		err = bpf_map_lookup_batch(fd, begun ? &at : NULL, &next, keys, orders, &n, NULL);
		if (err && err != -ENOENT)
			break;
		add_orders(t, keys, orders, n);
		at = next;
	}
	free(keys);
	free(orders);
}

static void mark_orders(struct locks_taken *t)
{
	for (u32 i = 0; i < t->norders; i++)
		t->edges[i] = (struct lock_edge){t->orders[i].order.first, t->orders[i].order.second, false};
	lock_graph__mark(t->edges, t->norders);
}

static u64 key_hash(const struct taken_order_key *k)
{
	return mix64_pair(mix64_pair(k->first, k->second), mix64_pair(k->beside, k->tgid));
}

static struct reported_order *reported_of(struct locks_taken *t, const struct taken_order_key *key)
{
	u64 hash = key_hash(key);
	u32 at;

	HIDX_FIND(at, &t->by_key, hash, pos, !memcmp(&t->reported[pos].key, key, sizeof(*key)));
	if (at != HIDX_NONE)
		return &t->reported[at];
	t->reported = xgrow(t->reported, t->nreported, &t->reported_cap, sizeof(*t->reported));
	hidx__add(&t->by_key, hash, t->nreported);
	t->reported[t->nreported] = (struct reported_order){.key = *key};
	return &t->reported[t->nreported++];
}

static void forget_reported(struct locks_taken *t)
{
	u32 n = 0;

	for (u32 i = 0; i < t->nreported; i++)
		if (t->reported[i].goes_on)
			t->reported[n++] = t->reported[i];
	if (n < t->nreported) {
		t->nreported = n;
		hidx__clear(&t->by_key);
		for (u32 i = 0; i < n; i++)
			hidx__add(&t->by_key, key_hash(&t->reported[i].key), i);
	}
	for (u32 i = 0; i < n; i++)
		t->reported[i].goes_on = false;
}

static const struct lock_seen *name_lock(struct lock_names *names, const struct lock_seen *fresh, u64 stack)
{
	struct lock_seen *l = lock_names__find(names, fresh->lock);
	struct stack_seen *s = stack ? lock_names__stack(names, stack) : NULL;

	l = l ? l : lock_names__add(names, fresh);
	if (s && !*l->taken_in)
		lock_names__name_where(names, s->tgid, s->ips, s->n, l->taken_in, sizeof(l->taken_in));
	if (!l->kind)
		l->kind = fresh->kind;
	lock_names__name(names, l);
	return l;
}

static u32 kind_of(u32 how)
{
	return how & TAKEN_RWLOCK ? LOCK_KIND_RWLOCK : LOCK_KIND_MUTEX;
}

/* Names are borrowed until the next lock is added: each is copied. */
static void put_order(struct lock_names *names, const struct taken_order *o, u64 count,
		      const struct sample_sink *sink)
{
	const struct lock_seen fresh[2] = {{.lock = o->first,
					    .address = o->first_address,
					    .file = o->first_file,
					    .tgid = o->who.tgid,
					    .kind = kind_of(o->how[0])},
					   {.lock = o->second,
					    .address = o->second_address,
					    .file = o->second_file,
					    .tgid = o->who.tgid,
					    .kind = kind_of(o->how[1])}};
	const u64 stacks[2] = {o->first_stack, o->stack};
	struct measure_order_sample out = {.head.type = SAMPLE_MEASURE_ORDER,
					   .nkeys = 2,
					   .who = o->who,
					   .t_ns = clock__monotonic_ns(),
					   .stack = o->stack,
					   .first_stack = o->first_stack,
					   .exact = true,
					   .by_several = o->by_several,
					   .first_read = o->how[0] & TAKEN_READS,
					   .second_read = o->how[1] & TAKEN_READS,
					   .count = count};
	struct stack_seen *s = o->stack ? lock_names__stack(names, o->stack) : NULL;
	char texts[2][sizeof(((struct lock_seen *)0)->name)];
	struct measure_key keys[2];

	for (u32 i = 0; i < 2; i++) {
		copy_str(texts[i], sizeof(texts[i]), name_lock(names, &fresh[i], stacks[i])->name);
		keys[i] = (struct measure_key){fresh[i].lock, texts[i]};
	}
	out.keys = keys;
	for (u32 i = 0; i < ORDER_GUARDS; i++)
		if (o->guards[i])
			out.guards[out.nguards++] = o->guards[i];
	if (s)
		copy_str(out.where, sizeof(out.where), lock_names__where(names, s));
	sink__put(sink, &out.head);
}

/* --- room for others --- */

/* The lock is no more. */
static bool is_over(int locks_fd, const struct taken_order_key *key, u64 address, u64 then)
{
	const struct taken_lock_key lock = {address, key->tgid, key->exec_id};
	u64 times;

	return !bpf_map_lookup_elem(locks_fd, &lock, &times) && times != then;
}

/* Those of processes that have ended, and, where room is short, of locks that are no more and in no doubt. */
static void make_room(struct locks_taken *t)
{
	int fd = bpf_object__find_map_fd_by_name(t->obj, "taken_orders");
	int locks_fd = bpf_object__find_map_fd_by_name(t->obj, "taken_locks");

	for (u32 i = 0; i < t->norders; i++) {
		const struct taken_order_key *k = &t->orders[i].key;
		const struct taken_order *o = &t->orders[i].order;

		if (!process_probes__find(&t->probes, k->tgid) ||
		    (t->norders > CROWDED && !t->edges[i].in_doubt &&
		     (is_over(locks_fd, k, o->first_address, o->first_times) ||
		      is_over(locks_fd, k, o->second_address, o->second_times))))
			bpf_map_delete_elem(fd, k);
	}
}

void locks_taken__put(struct locks_taken *t, struct lock_names *names, const struct sample_sink *sink)
{
	u64 hits = t ? hits_of(t) : 0;

	if (!t || hits == t->hits)
		return;
	t->hits = hits;
	read_orders(t);
	mark_orders(t);
	for (u32 i = 0; i < t->norders; i++) {
		const struct order_seen *o = &t->orders[i];
		struct reported_order *reported = t->edges[i].in_doubt ? reported_of(t, &o->key) : NULL;

		if (!reported)
			continue;
		reported->goes_on = true;
		if (o->order.count != reported->count)
			put_order(names, &o->order, o->order.count - reported->count, sink);
		reported->count = o->order.count;
	}
	forget_reported(t);
	make_room(t);
}

void locks_taken__health(const struct locks_taken *t, struct health *h)
{
	u32 without = 0;

	if (!t)
		return;
	for (u32 i = 0; i < t->probes.n; i++)
		without += !t->probes.v[i].nprobes;
	if (*t->taken_off)
		health__say(h, "%s", t->taken_off);
	else
		health__say(h, "lock orders: %llu locks a second, %llu ns each, about %.1f%% of a CPU",
			    (unsigned long long)t->watch.per_second, (unsigned long long)t->cost_ns, taken_pct(t));
	health__note(h, without,
		     "processes have none of glibc's or musl's functions by name: orders of their locks are those of waits");
	health__note(h, t->probes.nrefused, "probes were refused");
	health__note(h, t->probes.ntoo_many, "times there were too many processes");
}
