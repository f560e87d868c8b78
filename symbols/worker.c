// SPDX-License-Identifier: GPL-2.0-only
/*
 * The symbols worker: takes what was asked for, one object at a time, the cheap and the
 * wanted ones first, so that a huge debug file does not keep the small ones waiting.
 */
#include "symbols/worker.h"

#include <malloc.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "symbols/annotate.h"
#include "symbols/bpf_code.h"
#include "symbols/code.h"
#include "symbols/debuginfo.h"
#include "symbols/object.h"
#include "symbols/object_file.h"
#include "symbols/resolver.h"
#include "symbols/tables.h"

#define RETRY_MIN    NSEC_PER_SEC
#define RETRY_MAX    (60 * NSEC_PER_SEC)
#define READ_ON_MIN  (100 * NSEC_PER_MSEC) /* between two looks at a map that grows */
#define COST_KERNEL  (2u << 20) /* /proc/kallsyms takes about as long as a file of this size */
#define COST_LOADED  1

struct worker_state {
	struct u32_vec locs, inlines, annotates; /* taken from the queues */
	struct bpf_code_wish bpf;
	struct u32_vec active;			 /* objects with locs to resolve */
	struct u32_vec retries;			 /* objects whose map may come to know more */
	u64 trimmed_bytes;			 /* resolver__bytes when memory was given back */
};

static void announce(struct symbols *s)
{
	atomic_store_explicit(&s->memory, resolver__bytes(s->resolver), memory_order_relaxed);
	atomic_fetch_add_explicit(&s->generation, 1, memory_order_release);
	eventfd_write(s->event_fd, 1);
}

/* --- resolving --- */

static void list_object(struct u32_vec *list, bool *listed, u32 object)
{
	if (!*listed)
		u32_vec__push(list, object);
	*listed = true;
}

static void unlist(struct u32_vec *list, u32 i)
{
	list->v[i] = list->v[--list->n];
}

/* The queue's locs go to their objects. */
static void sort_out(struct symbols *s, struct worker_state *w)
{
	for (u32 i = 0; i < w->locs.n; i++) {
		struct loc *l = symbols__loc(s, w->locs.v[i]);
		u32 object = atomic_load_explicit(&l->object, memory_order_relaxed);
		struct object *o = symbols__obj(s, object);

		l->next = o->pending;
		o->pending = w->locs.v[i];
		o->npending++;
		list_object(&w->active, &o->listed, object);
	}
	w->locs.n = 0;
}

static u64 cost_of(struct symbols *s, struct object *o)
{
	struct stat st;
	int fd;

	if (o->code)
		return COST_LOADED;
	if (o->cost)
		return o->cost;
	o->cost = o->pub.kind == CODE_KERNEL ? COST_KERNEL : COST_LOADED;
	if (o->pub.kind == CODE_USER && o->pub.path[0] == '/') {
		fd = object__fd(s, o->pub.id, FILE_MAIN);
		if (fd >= 0 && !fstat(fd, &st))
			o->cost += (u64)st.st_size;
	}
	return o->cost;
}

/* Most locs for the least reading. */
static u32 choose(struct symbols *s, struct worker_state *w)
{
	double best = -1;
	u32 at = 0;

	for (u32 i = 0; i < w->active.n; i++) {
		struct object *o = symbols__obj(s, w->active.v[i]);
		double worth = (double)o->npending / (double)cost_of(s, o);

		if (worth > best) {
			best = worth;
			at = i;
		}
	}
	return at;
}

static void set_func(struct symbols *s, struct loc *l, u32 owner, u32 func)
{
	u32 before = atomic_load_explicit(&l->func, memory_order_relaxed);

	atomic_store_explicit(&l->object, owner, memory_order_relaxed);
	atomic_store_explicit(&l->func, func, memory_order_release);
	if (!before)
		atomic_fetch_add_explicit(&s->nresolved, 1, memory_order_relaxed);
}

static void resolve_loc(struct symbols *s, struct object *o, u32 id)
{
	struct loc *l = symbols__loc(s, id);
	u32 func, owner;
	bool final;

	func = resolver__func(s->resolver, o->pub.id, l->offset, &owner, &final);
	set_func(s, l, owner, func);
	if (!final) {
		l->next = o->retry;
		o->retry = id;
	}
}

static void resolve_chain(struct symbols *s, struct object *o, u32 head)
{
	while (head) {
		u32 next = symbols__loc(s, head)->next;

		resolve_loc(s, o, head);
		head = next;
	}
}

/* Something of it got only a guess: look again soon, later less and less often. */
static void plan_retry(struct worker_state *w, struct object *o, u64 wait_ns)
{
	if (!o->retry)
		return;
	o->retry_wait_ns = wait_ns;
	o->retry_at_ns = clock__monotonic_ns() + wait_ns;
	list_object(&w->retries, &o->retry_listed, o->pub.id);
}

/* What a JIT compiled since its map was read: the map has grown by it, which costs little to
 * read, and who waits for names gets them now. */
static void read_on(struct symbols *s, struct worker_state *w, struct object *o)
{
	u64 now = clock__monotonic_ns();
	u32 head = o->retry;

	if (o->pub.kind != CODE_JIT || now - o->read_on_ns < READ_ON_MIN)
		return;
	o->read_on_ns = now;
	if (!resolver__refresh(s->resolver, o->pub.id))
		return;
	o->retry = 0;
	resolve_chain(s, o, head);
}

static void resolve_object(struct symbols *s, struct worker_state *w, u32 at)
{
	struct object *o = symbols__obj(s, w->active.v[at]);
	u32 head = o->pending, retry_before = o->retry;

	o->pending = o->npending = 0;
	o->listed = false;
	unlist(&w->active, at);
	atomic_store(&s->reading_ns, clock__monotonic_ns());
	atomic_store(&s->reading, o->pub.id);
	resolve_chain(s, o, head);
	atomic_store(&s->reading, 0);
	if (o->retry != retry_before)
		read_on(s, w, o);
	if (o->retry && o->retry != retry_before)
		plan_retry(w, o, RETRY_MIN);
	announce(s);
}

/* --- looking again --- */

static void retry_object(struct symbols *s, struct worker_state *w, struct object *o)
{
	u32 head = o->retry;

	if (!resolver__refresh(s->resolver, o->pub.id)) {
		plan_retry(w, o, MIN(o->retry_wait_ns * 2, RETRY_MAX));
		return;
	}
	o->retry = 0;
	resolve_chain(s, o, head);
	plan_retry(w, o, RETRY_MIN);
	announce(s);
}

/* One object that is due; true when there was one. Sets when the next one is. */
static bool retry_due(struct symbols *s, struct worker_state *w, u64 *next_ns)
{
	u64 now = clock__monotonic_ns();

	*next_ns = UINT64_MAX;
	for (u32 i = 0; i < w->retries.n; i++) {
		struct object *o = symbols__obj(s, w->retries.v[i]);

		if (o->retry_at_ns <= now) {
			unlist(&w->retries, i);
			o->retry_listed = false;
			retry_object(s, w, o);
			return true;
		}
		*next_ns = MIN(*next_ns, o->retry_at_ns);
	}
	return false;
}

/* --- inline chains and annotations --- */

static void set_inlined(struct symbols *s, struct loc *l, const u32 *funcs, u32 n)
{
	struct inlined *list = NULL;
	u32 id;

	if (n)
		list = stable__next(&s->inlines, &id);
	if (!list) {
		atomic_store_explicit(&l->inlined, INLINED_NONE, memory_order_release);
		return;
	}
	list->n = n;
	memcpy(list->funcs, funcs, sizeof(*funcs) * n);
	stable__commit(&s->inlines);
	atomic_store_explicit(&l->inlined, id + INLINED_FIRST, memory_order_release);
}

static void find_inlined(struct symbols *s, u32 id)
{
	struct loc *l = symbols__loc(s, id);
	u32 object = atomic_load_explicit(&l->object, memory_order_relaxed);
	struct inline_frame frames[INLINED_MAX];
	u32 funcs[INLINED_MAX];
	struct debuginfo *d;
	int n = 0;
	u64 vaddr;

	/* Asked for in any order: the loc's object may not have been looked at yet. */
	if (resolver__load(s->resolver, object)->is_elf &&
	    object__vaddr(s, object, l->offset, &vaddr) &&
	    (d = object__debuginfo(s, object, NULL, 0)))
		n = debuginfo__inlined(d, vaddr, frames, INLINED_MAX);
	n = CLAMP(n, 0, INLINED_MAX);
	for (int i = 0; i < n; i++)
		funcs[i] = resolver__inlined(s->resolver, object, frames[i].name);
	set_inlined(s, l, funcs, (u32)n);
}

#define INLINES_A_TURN 256

static bool result_inlined(struct symbols *s, struct worker_state *w)
{
	u32 n = MIN(w->inlines.n, (u32)INLINES_A_TURN);

	if (!n)
		return false;
	for (u32 i = 0; i < n; i++)
		find_inlined(s, w->inlines.v[w->inlines.n - 1 - i]);
	w->inlines.n -= n;
	announce(s);
	return true;
}

static void keep_annotation(struct symbols *s, const struct annotation *a)
{
	const struct annotation *old;

	pthread_mutex_lock(&s->lock);
	old = s->annotations[ANNOTATIONS_KEPT - 1];
	memmove(&s->annotations[1], &s->annotations[0],
		sizeof(s->annotations) - sizeof(s->annotations[0]));
	s->annotations[0] = a;
	pthread_mutex_unlock(&s->lock);
	if (old)
		annotation__put(old);
}

static bool is_annotated(struct symbols *s, u32 func)
{
	bool is = false;

	pthread_mutex_lock(&s->lock);
	for (u32 i = 0; i < ANNOTATIONS_KEPT; i++)
		is |= s->annotations[i] && s->annotations[i]->func == func;
	pthread_mutex_unlock(&s->lock);
	return is;
}

static bool result_annotate(struct symbols *s, struct worker_state *w)
{
	u32 func;

	if (!w->annotates.n)
		return false;
	func = w->annotates.v[--w->annotates.n];
	if (!is_annotated(s, func)) {
		keep_annotation(s, annotate__build(s, func));
		announce(s);
	}
	return true;
}

static bool result_bpf_code(struct symbols *s, struct worker_state *w)
{
	struct annotation *code[BPF_CODES], *old[BPF_CODES];
	struct bpf_code_wish asked = w->bpf;

	if (!asked.prog)
		return false;
	w->bpf.prog = 0;
	bpf_code__build(s, asked.prog, asked.loaded_ns, code);
	pthread_mutex_lock(&s->lock);
	memcpy(old, s->bpf_code, sizeof(old));
	memcpy(s->bpf_code, code, sizeof(code));
	s->bpf_known = asked;
	pthread_mutex_unlock(&s->lock);
	for (u32 i = 0; i < BPF_CODES; i++)
		if (old[i])
			annotation__put(old[i]);
	announce(s);
	return true;
}

/* --- the thread --- */

static void take(struct u32_vec *from, struct u32_vec *to)
{
	for (u32 i = 0; i < from->n; i++)
		u32_vec__push(to, from->v[i]);
	from->n = 0;
}

static void take_queues(struct symbols *s, struct worker_state *w)
{
	take(&s->queue, &w->locs);
	take(&s->inline_queue, &w->inlines);
	take(&s->annotate_queue, &w->annotates);
	if (s->bpf_asked.prog)
		w->bpf = s->bpf_asked;
	s->bpf_asked.prog = 0;
}

/* One piece of work; false when there is none. */
static bool do_some(struct symbols *s, struct worker_state *w, u64 *next_ns)
{
	sort_out(s, w);
	if (result_annotate(s, w) || result_bpf_code(s, w))
		return true;
	if (w->active.n) {
		resolve_object(s, w, choose(s, w));
		return true;
	}
	return result_inlined(s, w) || retry_due(s, w, next_ns);
}

static bool is_asked(const struct symbols *s)
{
	return s->queue.n || s->inline_queue.n || s->annotate_queue.n || s->bpf_asked.prog;
}

/* What loading took for the while (string tables, unpacked sections) goes back at once. */
static void give_memory_back(const struct symbols *s, struct worker_state *w)
{
	u64 bytes = resolver__bytes(s->resolver);

	if (bytes != w->trimmed_bytes)
		malloc_trim(0);
	w->trimmed_bytes = bytes;
}

/* Under the lock; returns under the lock. */
static void rest(struct symbols *s, u64 until_ns)
{
	struct timespec ts = clock__until(until_ns);

	s->busy = false;
	pthread_cond_broadcast(&s->resolved);
	if (until_ns == UINT64_MAX)
		pthread_cond_wait(&s->cond, &s->lock);
	else
		pthread_cond_clockwait(&s->cond, &s->lock, CLOCK_MONOTONIC, &ts);
	s->busy = true;
}

static void *worker_main(void *arg)
{
	struct symbols *s = arg;
	struct worker_state *w = s->worker;
	u64 next_ns = UINT64_MAX;
	bool more = true;

	thread__name("symbols");
	pthread_mutex_lock(&s->lock);
	while (!s->stop) {
		if (!more && !is_asked(s))
			rest(s, next_ns);
		take_queues(s, w);
		pthread_mutex_unlock(&s->lock);
		more = do_some(s, w, &next_ns);
		if (!more)
			give_memory_back(s, w);
		pthread_mutex_lock(&s->lock);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

void worker__start(struct symbols *s)
{
	s->worker = xcalloc(1, sizeof(*s->worker));
	s->resolver = resolver__new(s);
	s->files = object_files__new();
	s->busy = true;
	if (thread__start(&s->thread, worker_main, s))
		die("cannot start a thread for symbols: raise the limit of processes (ulimit -u)");
}

static void free_vec(struct u32_vec *v)
{
	free(v->v);
}

void worker__stop(struct symbols *s)
{
	struct worker_state *w = s->worker;

	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_signal(&s->cond);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	resolver__free(s->resolver);
	object_files__free(s->files);
	free_vec(&w->locs);
	free_vec(&w->inlines);
	free_vec(&w->annotates);
	free_vec(&w->active);
	free_vec(&w->retries);
	free(w);
}
