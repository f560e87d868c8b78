// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/stack_walker.h"

#include <stdio.h>
#include <unistd.h>

#include "base/bisect.h"
#include "base/clock.h"
#include "samples/perf_regs.h"
#include "symbols/object_file.h"
#include "symbols/scripts.h"
#include "symbols/spaces.h"
#include "symbols/thread_names.h"
#include "symbols/unwind_walk.h"

#define SLEEPER_WORDS 128 /* at most, of a thread that sleeps in python */
#define RETRY_NS NSEC_PER_SEC /* a file that nobody could open may be seen again elsewhere */

struct stack_space {
	u32 refs; /* the collector thread's */
	u32 tgid;
	u64 version;
	bool is_python;
	struct python python;
	u32 n;
	struct space_mapping v[]; /* by address */
};

/* An object's table. */
struct kept_code {
	u32 object;
	bool read;
	u64 retry_ns; /* its file could not be opened: when to try again */
	u64 used;
	struct unwind_code code;
};

struct walker {
	struct stack_walker ops;
	struct symbols *symbols;
	size_t budget;
	u16 machine;
	struct stack_space *spaces[WALKER_SPACES]; /* the collector thread's; by tgid */

	pthread_mutex_t lock; /* for what follows */
	struct kept_code *codes;
	u32 ncodes, cap_codes;
	struct hidx by_object;
	u64 uses;
	size_t bytes;
	_Atomic u64 ntables, nrows, nbytes, nevictions;
};

static struct walker *walker_of(const struct stack_walker *ops)
{
	return container_of((struct stack_walker *)ops, struct walker, ops);
}

/* --- what is mapped --- */

static void put_space(const struct stack_walker *ops, struct stack_space *s)
{
	if (s && !--s->refs)
		free(s);
}

static const struct python *python_of(const struct walker *w, u32 tgid)
{
	const struct process_runtime *r = w->symbols->scripts ? scripts__runtime(w->symbols->scripts, tgid) : NULL;

	return r && r->kind == SCRIPT_PYTHON ? &r->python : NULL;
}

static struct stack_space *make_space(struct walker *w, u32 tgid, u64 t_ns)
{
	const struct python *python = python_of(w, tgid);
	struct space_mapping *m = xmalloc(WALKER_MAPPINGS * sizeof(*m));
	u32 n = spaces__mapped(w->symbols->spaces, tgid, t_ns, m, WALKER_MAPPINGS);
	struct stack_space *s = xmalloc(sizeof(*s) + n * sizeof(*m));

	*s = (struct stack_space){.refs = 1, .tgid = tgid, .n = n, .is_python = python};
	if (python)
		s->python = *python;
	memcpy(s->v, m, n * sizeof(*m));
	free(m);
	return s;
}

static struct stack_space *get_space(const struct stack_walker *ops, u32 tgid, u64 t_ns)
{
	struct walker *w = walker_of(ops);
	struct stack_space **at = &w->spaces[mix64(tgid) % WALKER_SPACES];
	u64 version = spaces__version(w->symbols->spaces, tgid, t_ns);

	if (!*at || (*at)->tgid != tgid || (*at)->version != version || (*at)->is_python != !!python_of(w, tgid)) {
		put_space(ops, *at);
		*at = make_space(w, tgid, t_ns);
		(*at)->version = version;
	}
	(*at)->refs++;
	return *at;
}

static const struct space_mapping *mapping_at(const struct stack_space *s, u64 ip)
{
	u32 at;

	BISECT(at, 0, s->n, i, s->v[i].end <= ip);
	return at < s->n && ip >= s->v[at].start ? &s->v[at] : NULL;
}

/* --- tables, under lock --- */

static size_t code_bytes(const struct kept_code *k)
{
	return (size_t)k->code.table.nrows * sizeof(struct unwind_row);
}

static void report(struct walker *w, s64 tables, s64 rows)
{
	atomic_fetch_add(&w->ntables, (u64)tables);
	atomic_fetch_add(&w->nrows, (u64)rows);
	atomic_store(&w->nbytes, w->bytes);
}

static void drop_code(struct walker *w, struct kept_code *k)
{
	s64 rows = k->code.table.nrows;

	w->bytes -= code_bytes(k);
	unwind_code__fini(&k->code);
	k->code = (struct unwind_code){0};
	k->read = false;
	k->retry_ns = 0;
	report(w, -1, -rows);
	atomic_fetch_add(&w->nevictions, 1);
}

static struct kept_code *coldest(struct walker *w, const struct kept_code *but)
{
	struct kept_code *old = NULL;

	for (u32 i = 0; i < w->ncodes; i++) {
		struct kept_code *k = &w->codes[i];

		if (k != but && k->code.table.nrows && (!old || k->used < old->used))
			old = k;
	}
	return old;
}

static void make_room(struct walker *w, const struct kept_code *but)
{
	struct kept_code *old;

	while (w->bytes > w->budget && (old = coldest(w, but)))
		drop_code(w, old);
}

static void read_file(struct walker *w, struct kept_code *k)
{
	const struct sym_object *pub = &symbols__obj(w->symbols, k->object)->pub;
	int fd = object__open(w->symbols, k->object);
	char root[64];

	k->read = fd >= 0;
	k->retry_ns = clock__monotonic_ns() + RETRY_NS;
	if (fd < 0)
		return;
	unwind_code__read(&k->code, fd, object__root(w->symbols, k->object, root, sizeof(root)),
			  pub->path);
	close(fd);
}

static void read_code(struct walker *w, struct kept_code *k)
{
	if (symbols__obj(w->symbols, k->object)->pub.kind == CODE_VDSO) {
		unwind_code__read_vdso(&k->code);
		k->read = true;
	} else {
		read_file(w, k);
	}
	if (!k->code.table.nrows)
		return;
	w->bytes += code_bytes(k);
	report(w, 1, k->code.table.nrows);
	make_room(w, k);
}

static struct kept_code *code_of(struct walker *w, u32 object)
{
	u32 at;

	HIDX_FIND(at, &w->by_object, mix64(object), pos, w->codes[pos].object == object);
	if (at == HIDX_NONE) {
		w->codes = xgrow(w->codes, w->ncodes, &w->cap_codes, sizeof(*w->codes));
		at = w->ncodes++;
		w->codes[at] = (struct kept_code){.object = object};
		hidx__add(&w->by_object, mix64(object), at);
	}
	return &w->codes[at];
}

/* --- a walk --- */

struct walking {
	struct walker *walker;
	const struct stack_space *space;
};

static const struct unwind_code *code_at(void *ctx, u64 ip, u64 *offset)
{
	static const struct unwind_code none;
	const struct walking *now = ctx;
	const struct space_mapping *m = mapping_at(now->space, ip);
	struct kept_code *k;

	if (!m || !m->object)
		return m ? &none : NULL;
	k = code_of(now->walker, m->object);
	if (!k->read && clock__monotonic_ns() >= k->retry_ns)
		read_code(now->walker, k);
	k->used = ++now->walker->uses;
	*offset = ip - m->start + m->offset;
	return &k->code;
}

/* Puts what it runs between the frames. */
static u32 add_python(const struct stack_space *space, const struct stack_copy *copy, const u64 *sps, u64 *ips, u32 n,
		      u32 max)
{
	const struct process_memory m = process_memory__of(copy->tgid);
	u64 merged[SLEEPER_WORDS];
	char task[16];
	u32 words;

	snprintf(task, sizeof(task), "%u", copy->tid);
	words = python_stack__merge(&space->python, &m, thread_names__inner_tid(task),
				    &(struct native_stack){ips, sps, n}, merged, MIN(max, (u32)SLEEPER_WORDS));
	memcpy(ips, merged, words * sizeof(*ips));
	return words ? words : n;
}

static u32 walk(const struct stack_walker *ops, const struct stack_space *space,
		const struct stack_copy *copy, u64 *ips, u32 max, enum walk_end *end)
{
	struct walking now = {walker_of(ops), space};
	struct unwind_walk w = {
		.regs = copy->regs,
		.machine = now.walker->machine,
		.stack = copy->stack,
		.stack_at = copy->regs.sp,
		.nstack = copy->nstack,
		.code_at = code_at,
		.ctx = &now,
	};
	bool in_python = copy->tid && space->is_python;
	u64 sps[SLEEPER_WORDS];
	u32 n;

	w.sps = in_python ? sps : NULL;
	max = in_python ? MIN(max, (u32)SLEEPER_WORDS) : max;
	pthread_mutex_lock(&now.walker->lock);
	n = unwind_walk__frames(&w, ips, max, end);
	pthread_mutex_unlock(&now.walker->lock);
	return in_python ? add_python(space, copy, sps, ips, n, max) : n;
}

/* --- its life --- */

struct walker *walker__new(struct symbols *s, size_t budget)
{
	struct walker *w = xcalloc(1, sizeof(*w));

	w->ops = (struct stack_walker){get_space, put_space, walk};
	w->symbols = s;
	w->budget = budget;
	w->machine = perf_regs__machine();
	pthread_mutex_init(&w->lock, NULL);
	return w;
}

void walker__free(struct walker *w)
{
	if (!w)
		return;
	for (u32 i = 0; i < WALKER_SPACES; i++)
		put_space(&w->ops, w->spaces[i]);
	for (u32 i = 0; i < w->ncodes; i++)
		unwind_code__fini(&w->codes[i].code);
	free(w->codes);
	hidx__fini(&w->by_object);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

const struct stack_walker *walker__ops(struct walker *w)
{
	return &w->ops;
}

void walker__stats(const struct walker *cw, struct symbols_unwind_stats *out)
{
	struct walker *w = (struct walker *)cw;

	if (!atomic_load(&w->nbytes))
		return;
	out->tables += atomic_load(&w->ntables);
	out->rows += atomic_load(&w->nrows);
	out->bytes += atomic_load(&w->nbytes);
	out->budget += w->budget;
	out->evictions += atomic_load(&w->nevictions);
}
