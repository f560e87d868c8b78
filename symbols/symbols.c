// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/symbols.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "symbols/kallsyms.h"
#include "symbols/resolver.h"
#include "symbols/scripts.h"
#include "symbols/spaces.h"
#include "symbols/stack_walker.h"
#include "symbols/thread_names.h"
#include "symbols/address_names.h"
#include "symbols/unwinder.h"
#include "symbols/worker.h"

#define INLINES_MAX (256u << 10)

/* --- life --- */

/* What id 0 means in each table, and the kernel. */
static void add_fixed(struct symbols *s)
{
	static const struct sym_object_info none = {.source = "none"};
	const struct via nowhere = {0};
	u32 id;

	symbols__add_object(s, &(struct sym_object){.name = "[unknown]"}, &nowhere);
	atomic_store(&symbols__obj(s, 0)->info, &none);
	symbols__add_func(s, &(struct sym_func){.name = "[unknown]", .linkage = "[unknown]"});
	symbols__add_func(s, &(struct sym_func){.name = "[too many functions]",
						.linkage = "[too many functions]",
						.flags = FUNC_GUESSED});
	stable__next(&s->locs, &id);
	stable__commit(&s->locs);
	s->kernel_object = symbols__add_object(
		s, &(struct sym_object){.kind = CODE_KERNEL, .name = "[kernel]"}, &nowhere);
}

struct symbols *symbols__new(struct status *st)
{
	struct symbols *s;
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (fd < 0) {
		status__set(st, EXIT_CODE_FAILURE, -errno,
			    "no file descriptor for symbols (%s): raise ulimit -n",
			    strerror(errno));
		return NULL;
	}
	s = xcalloc(1, sizeof(*s));
	s->event_fd = fd;
	stable__init(&s->objects, sizeof(struct object), IDS_MAX_OBJECTS);
	stable__init(&s->locs, sizeof(struct loc), IDS_MAX_LOCS);
	stable__init(&s->funcs, sizeof(struct sym_func), IDS_MAX_FUNCS);
	stable__init(&s->inlines, sizeof(struct inlined), INLINES_MAX);
	arena__init(&s->names);
	pthread_mutex_init(&s->table_lock, NULL);
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->cond, NULL);
	pthread_cond_init(&s->resolved, NULL);
	add_fixed(s);
	s->spaces = spaces__new(s);
	s->scripts = scripts__new(s);
	s->thread_names = thread_names__new(s->scripts);
	worker__start(s);
	return s;
}

const struct sym_object *symbols__reading(const struct symbols *s, u64 *since_ns)
{
	u32 id = atomic_load(&s->reading);

	*since_ns = atomic_load(&s->reading_ns);
	return id ? symbols__object(s, id) : NULL;
}

void symbols__free(struct symbols *s)
{
	if (!s)
		return;
	unwinder__free(s->unwinder);
	walker__free(s->walker);
	namer__free(s->namer);
	worker__stop(s);
	thread_names__free(s->thread_names);
	scripts__free(s->scripts);
	spaces__free(s->spaces);
	for (u32 i = 0; i < ANNOTATIONS_KEPT; i++)
		if (s->annotations[i])
			annotation__put(s->annotations[i]);
	for (u32 i = 0; i < BPF_CODES; i++)
		if (s->bpf_code[i])
			annotation__put(s->bpf_code[i]);
	stable__fini(&s->objects);
	stable__fini(&s->locs);
	stable__fini(&s->funcs);
	stable__fini(&s->inlines);
	hidx__fini(&s->loc_index);
	hidx__fini(&s->named_objects);
	hidx__fini(&s->named_funcs);
	arena__fini(&s->names);
	free(s->asked.v);
	free(s->queue.v);
	free(s->inline_queue.v);
	free(s->annotate_queue.v);
	pthread_mutex_destroy(&s->table_lock);
	pthread_mutex_destroy(&s->lock);
	pthread_cond_destroy(&s->cond);
	pthread_cond_destroy(&s->resolved);
	close(s->event_fd);
	free(s);
}

/* --- collector thread --- */

void symbols__proc_event(struct symbols *s, const struct proc_event *ev)
{
	spaces__event(s->spaces, ev);
	if (s->unwinder)
		unwinder__event(s->unwinder, ev);
}

void symbols__thread_names(struct symbols *s, const struct sample_sink *sink)
{
	thread_names__tick(s->thread_names, sink);
}

/* Where memory is little twice what others take of it: a table that had to go is made again, which costs more. */
static size_t table_budget(void)
{
	return memory__is_little() ? 2 * memory__share(UNWIND_BUDGET / 2) : memory__share(UNWIND_BUDGET);
}

void symbols__unwind(struct symbols *s, const struct unwind_sample *wanted,
		     const struct unwind_sink *sink)
{
	if (!s->unwinder)
		s->unwinder = unwinder__new(s, sink, table_budget());
	unwinder__want(s->unwinder, wanted);
}

bool symbols__unwind_settle(struct symbols *s, u32 timeout_ms)
{
	return !s->unwinder || unwinder__settle(s->unwinder, timeout_ms);
}

const struct stack_walker *symbols__stack_walker(struct symbols *s)
{
	if (!s->walker)
		s->walker = walker__new(s, memory__share(WALKER_BUDGET));
	return walker__ops(s->walker);
}

const struct address_names *symbols__address_names(struct symbols *s)
{
	if (!s->namer)
		s->namer = namer__new();
	return namer__ops(s->namer);
}

void symbols__unwind_stats(const struct symbols *s, struct symbols_unwind_stats *out)
{
	*out = (struct symbols_unwind_stats){0};
	if (s->unwinder)
		unwinder__stats(s->unwinder, out);
	if (s->walker)
		walker__stats(s->walker, out);
	scripts__stats(s->scripts, &out->scripts_named, &out->scripts_gone);
}

const struct stack_def *symbols__name_scripts(struct symbols *s, const struct stack_def *d, u64 *ips,
					      u32 nips, struct stack_def *room)
{
	if (!stack_def__has_scripts(d) || !scripts__knows(s->scripts, d->tgid))
		return d;
	scripts__name(s->scripts, d, ips, nips, room);
	return room;
}

u32 symbols__locate_user(struct symbols *s, u32 tgid, u64 t_ns, u64 ip)
{
	u32 object;
	u64 offset;

	if (!spaces__locate(s->spaces, tgid, t_ns, ip, &object, &offset))
		return SYM_UNKNOWN;
	return symbols__intern_loc(s, object, offset, 0);
}

u32 symbols__locate_kernel(struct symbols *s, u64 ip)
{
	return symbols__intern_loc(s, s->kernel_object, ip, 0);
}

static u32 named_object(struct symbols *s, const char *name, enum code_kind kind)
{
	static const struct sym_object_info none = {.source = "none"};
	u64 hash = mix64_pair(kind, hash_bytes(name, strlen(name)));
	const struct sym_object *o;
	u32 id;

	HIDX_FIND(id, &s->named_objects, hash, pos,
		  (o = symbols__object(s, pos))->kind == kind && symbols__is_kept_as(name, o->name));
	if (id != HIDX_NONE)
		return id;
	id = symbols__add_object(s, &(struct sym_object){.kind = kind, .name = name},
				 &(struct via){0});
	if (id) {
		atomic_store_explicit(&symbols__obj(s, id)->info, &none, memory_order_release);
		hidx__add(&s->named_objects, hash, id);
	}
	return id;
}

static u32 named_func(struct symbols *s, const char *name, u32 object, enum code_kind kind)
{
	u64 hash = mix64_pair(object, hash_bytes(name, strlen(name)));
	const struct sym_func *f;
	u32 id;

	HIDX_FIND(id, &s->named_funcs, hash, pos,
		  (f = symbols__func(s, pos))->object == object && symbols__is_kept_as(name, f->linkage));
	if (id != HIDX_NONE)
		return id;
	id = symbols__add_func(s, &(struct sym_func){.object = object,
						     .kind = kind,
						     .flags = func__flags(name),
						     .linkage = name});
	if (id != FUNC_OVERFLOW)
		hidx__add(&s->named_funcs, hash, id);
	return id;
}

u32 symbols__named(struct symbols *s, const char *object, const char *func, enum code_kind kind)
{
	u32 o = named_object(s, object, kind), f = named_func(s, func, o, kind);

	return symbols__intern_loc(s, o, f, f);
}

void symbols__kick(struct symbols *s)
{
	if (s->unwinder)
		unwinder__flush(s->unwinder);
	if (!s->asked.n)
		return;
	pthread_mutex_lock(&s->lock);
	for (u32 i = 0; i < s->asked.n; i++)
		u32_vec__push(&s->queue, s->asked.v[i]);
	pthread_cond_signal(&s->cond);
	pthread_mutex_unlock(&s->lock);
	s->asked.n = 0;
}

/* --- any thread --- */

u32 symbols__func_of(const struct symbols *s, u32 loc)
{
	struct loc *l = symbols__loc(s, loc);

	return l ? atomic_load_explicit(&l->func, memory_order_acquire) : 0;
}

u32 symbols__object_of(const struct symbols *s, u32 loc)
{
	struct loc *l = symbols__loc(s, loc);

	return l ? atomic_load_explicit(&l->object, memory_order_acquire) : 0;
}

u64 symbols__offset_of(const struct symbols *s, u32 loc)
{
	struct loc *l = symbols__loc(s, loc);

	return l ? l->offset : 0;
}

const struct sym_object_info *symbols__object_info(const struct symbols *s, u32 object)
{
	struct object *o = symbols__obj(s, object);

	return o ? atomic_load_explicit(&o->info, memory_order_acquire) : NULL;
}

static void ask_inlined(struct symbols *s, struct loc *l, u32 loc)
{
	u32 unasked = INLINED_UNASKED;

	if (!atomic_compare_exchange_strong(&l->inlined, &unasked, INLINED_ASKED))
		return;
	pthread_mutex_lock(&s->lock);
	u32_vec__push(&s->inline_queue, loc);
	pthread_cond_signal(&s->cond);
	pthread_mutex_unlock(&s->lock);
}

/* Only a file with DWARF can have an answer. */
static bool may_be_inlined(const struct symbols *s, const struct loc *l)
{
	u32 object = atomic_load_explicit(&((struct loc *)l)->object, memory_order_acquire);
	const struct sym_object_info *info = symbols__object_info(s, object);

	return symbols__object(s, object)->kind == CODE_USER && (!info || info->has_dwarf);
}

int symbols__inlined_known(const struct symbols *s, u32 loc, u32 *funcs, int max)
{
	struct loc *l = symbols__loc(s, loc);
	const struct inlined *list;
	u32 state;
	int n;

	if (!loc || !l)
		return 0;
	state = atomic_load_explicit(&l->inlined, memory_order_acquire);
	if (state < INLINED_FIRST)
		return state == INLINED_NONE ? 0 : -1;
	list = stable__at(&s->inlines, state - INLINED_FIRST);
	n = MIN((int)list->n, max);
	memcpy(funcs, list->funcs, sizeof(*funcs) * (size_t)MAX(n, 0));
	return n;
}

int symbols__inlined(struct symbols *s, u32 loc, u32 *funcs, int max)
{
	struct loc *l = symbols__loc(s, loc);
	int n = symbols__inlined_known(s, loc, funcs, max);

	if (n >= 0 ||
	    atomic_load_explicit(&l->inlined, memory_order_acquire) != INLINED_UNASKED)
		return n;
	if (!may_be_inlined(s, l))
		return 0;
	ask_inlined(s, l, loc);
	return -1;
}

void symbols__set_mixed(struct symbols *s)
{
	atomic_store_explicit(&s->mixed, true, memory_order_relaxed);
}

bool symbols__is_mixed(const struct symbols *s)
{
	return atomic_load_explicit(&((struct symbols *)s)->mixed, memory_order_relaxed);
}

bool symbols__are_hidden(const struct symbols *s)
{
	return atomic_load_explicit(&((struct symbols *)s)->addresses, memory_order_relaxed) ==
	       ADDRESSES_HIDDEN;
}

/* The worker looks at all of them when it resolves the first; who cannot wait looks at one. */
static bool kernel_hides(struct symbols *s)
{
	u32 known = atomic_load_explicit(&s->addresses, memory_order_relaxed), now;
	int fd;

	if (known != ADDRESSES_UNASKED)
		return known == ADDRESSES_HIDDEN;
	fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	now = kallsyms__hides(fd) ? ADDRESSES_HIDDEN : ADDRESSES_TOLD;
	if (fd >= 0)
		close(fd);
	if (atomic_compare_exchange_strong(&s->addresses, &known, now))
		known = now;
	return known == ADDRESSES_HIDDEN;
}

u64 symbols__recorded_offset(struct symbols *s, u32 loc)
{
	const struct object *o = symbols__obj(s, symbols__object_of(s, loc));
	bool of_kernel =
		o && !o->recorded && (o->pub.kind == CODE_KERNEL || o->pub.kind == CODE_BPF);

	return of_kernel && kernel_hides(s) ? SYM_HIDDEN | loc : symbols__offset_of(s, loc);
}

u64 symbols__generation(const struct symbols *s)
{
	return atomic_load_explicit(&((struct symbols *)s)->generation, memory_order_acquire);
}

int symbols__event_fd(const struct symbols *s)
{
	return s->event_fd;
}

static bool is_resolved(const struct symbols *s)
{
	return !s->busy && !s->queue.n && !s->inline_queue.n && !s->annotate_queue.n && !s->bpf_asked.prog;
}

bool symbols__wait(struct symbols *s, u32 timeout_ms)
{
	struct timespec ts = clock__until(clock__monotonic_ns() + timeout_ms * NSEC_PER_MSEC);
	bool resolved;
	int err = 0;

	pthread_mutex_lock(&s->lock);
	while (!is_resolved(s) && !err)
		err = pthread_cond_clockwait(&s->resolved, &s->lock, CLOCK_MONOTONIC, &ts);
	resolved = is_resolved(s);
	pthread_mutex_unlock(&s->lock);
	return resolved;
}

void symbols__stats(const struct symbols *cs, struct symbols_stats *out)
{
	struct symbols *s = (struct symbols *)cs;
	u64 resolved = atomic_load_explicit(&s->nresolved, memory_order_relaxed);

	*out = (struct symbols_stats){
		.locs = stable__count(&s->locs) - 1,
		.funcs = stable__count(&s->funcs),
		.objects = stable__count(&s->objects),
		.processes = atomic_load_explicit(&s->nprocesses, memory_order_relaxed),
		.overflow = atomic_load_explicit(&s->overflow, memory_order_relaxed),
	};
	out->pending = out->locs > resolved ? out->locs - resolved : 0;
	pthread_mutex_lock(&s->table_lock);
	out->memory_bytes = s->names.bytes;
	pthread_mutex_unlock(&s->table_lock);
	out->memory_bytes +=
		s->objects.bytes + s->locs.bytes + s->funcs.bytes + s->inlines.bytes + s->memory;
}

static bool is_same(const struct bpf_code_wish *a, u32 prog, u64 loaded_ns)
{
	return a->prog == prog && a->loaded_ns == loaded_ns;
}

const struct annotation *symbols__bpf_code(struct symbols *s, u32 prog, u64 loaded_ns, enum bpf_code which)
{
	struct annotation *a = NULL;

	pthread_mutex_lock(&s->lock);
	if (is_same(&s->bpf_known, prog, loaded_ns)) {
		a = s->bpf_code[which];
		atomic_fetch_add(&a->refs, 1);
	} else if (!is_same(&s->bpf_asked, prog, loaded_ns)) {
		s->bpf_asked = (struct bpf_code_wish){prog, loaded_ns};
		pthread_cond_signal(&s->cond);
	}
	pthread_mutex_unlock(&s->lock);
	return a;
}

const struct annotation *symbols__annotate(struct symbols *s, u32 func)
{
	const struct annotation *a = NULL;

	pthread_mutex_lock(&s->lock);
	for (u32 i = 0; i < ANNOTATIONS_KEPT && !a; i++)
		if (s->annotations[i] && s->annotations[i]->func == func)
			a = s->annotations[i];
	if (a) {
		atomic_fetch_add(&((struct annotation *)a)->refs, 1);
	} else {
		/* What was asked for before and has not begun is not looked at any more. */
		s->annotate_queue.n = 0;
		u32_vec__push(&s->annotate_queue, func);
		pthread_cond_signal(&s->cond);
	}
	pthread_mutex_unlock(&s->lock);
	return a;
}
