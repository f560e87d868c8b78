// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/unwinder.h"

#include <libelf.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/worker.h"
#include "symbols/object_file.h"
#include "symbols/scripts.h"
#include "symbols/spaces.h"
#include "symbols/unwind_pages.h"
#include "symbols/unwind_segments.h"
#include "symbols/unwind_table.h"

#define MAPPINGS_MAX (UNWIND_PARTS * UNWIND_PART)
#define FILES_MAX    256 /* looked at in a drain; others are asked for again */

enum slot_state {
	SLOT_ASKED,
	SLOT_DONE,    /* its table is there, or it is known to have none */
	SLOT_EVICTED, /* its table was there */
};

struct slot {
	u32 object;
	_Atomic u8 state;
	u8 losses;    /* the worker's, as is the next one but in SLOT_EVICTED: how often its table had to go */
	u64 again_ns; /* not made again before then */
	const struct runtime_file *runtime; /* NULL: it is none; the worker's before SLOT_DONE */
};

struct known_process {
	u32 tgid;
	u64 exec_id;
	u64 wanted_ip; /* where something may be mapped that is not known; 0 */
	u64 sum;       /* of what was told; 0: nothing was */
	bool changed;  /* looked at at the next flush */
	bool free;
	u8 script;     /* enum script_kind */
	bool pending;  /* whether one does is not known yet */
	u8 tries;
};

/* A file that programs met. */
struct met {
	struct unwind_file file;
	u32 tgid;
	u64 ip, t_ns;
};

struct unwinder {
	struct symbols *symbols;
	const struct unwind_sink *sink;
	size_t budget;
	struct slot slots[UNWIND_OBJECTS]; /* UNWIND_OBJECT_FP is nobody's */

	/* Collector thread: */
	u32 nslots;
	struct hidx slot_index;
	struct known_process *known; /* UNWIND_PROCESSES_KEPT, in a ring */
	u32 next_known;
	struct hidx known_index; /* rebuilt when it has grown by what is gone */
	struct u32_vec changed; /* of told */
	u32 last_maps_id;	/* number of what was told */
	u32 last_table;		/* the worker's: number of the last one that was made */
	struct met *met;	/* FILES_MAX */
	u32 nmet;
	const char *script_note; /* why an interpreter is not walked, the last one */
	bool full; /* that there were too many objects was said */

	struct worker *worker;

	/* The worker's: */
	struct unwind_pages *pages;
	_Atomic u64 ntables, nrows, nfp, bytes, evictions, build_ns;
};

/* --- processes --- */

static u32 find_known(const struct unwinder *u, u32 tgid)
{
	u32 at;

	HIDX_FIND(at, &u->known_index, mix64(tgid), pos,
		  !u->known[pos].free && u->known[pos].tgid == tgid);
	return at;
}

static void forget(struct unwinder *u, struct known_process *t)
{
	if (!t->free)
		u->sink->forget(t->tgid);
	t->free = true;
}

/* The index keeps what is gone until there is as much of it as of the rest. */
static void index_known(struct unwinder *u, u32 at)
{
	if (u->known_index.used >= 2 * UNWIND_PROCESSES_KEPT) {
		hidx__clear(&u->known_index);
		for (u32 i = 0; i < UNWIND_PROCESSES_KEPT; i++)
			if (!u->known[i].free && i != at)
				hidx__add(&u->known_index, mix64(u->known[i].tgid), i);
	}
	hidx__add(&u->known_index, mix64(u->known[at].tgid), at);
}

static void mark_changed(struct unwinder *u, u32 at)
{
	if (!u->known[at].changed)
		u32_vec__push(&u->changed, at);
	u->known[at].changed = true;
}

static void want_file(struct unwinder *u, const struct unwind_sample *w)
{
	if (u->nmet < FILES_MAX)
		u->met[u->nmet++] = (struct met){
			.file = *w->file, .tgid = w->tgid, .ip = w->ip, .t_ns = w->t_ns};
}

void unwinder__want(struct unwinder *u, const struct unwind_sample *w)
{
	u32 at;

	if (w->file) {
		want_file(u, w);
		return;
	}
	at = find_known(u, w->tgid);
	if (at == HIDX_NONE) {
		at = u->next_known++ % UNWIND_PROCESSES_KEPT;
		forget(u, &u->known[at]);
		u->known[at] =
			(struct known_process){.tgid = w->tgid, .changed = u->known[at].changed};
		index_known(u, at);
	}
	if (u->known[at].exec_id != w->exec_id) {
		u->known[at].sum = 0;
		u->known[at].script = SCRIPT_NOTHING;
		u->known[at].tries = 0;
	}
	u->known[at].exec_id = w->exec_id;
	u->known[at].wanted_ip = w->ip;
	mark_changed(u, at);
}

void unwinder__event(struct unwinder *u, const struct proc_event *ev)
{
	u32 at = find_known(u, ev->tgid);

	if (at == HIDX_NONE)
		return;
	if (ev->type == PROC_MMAP)
		mark_changed(u, at);
	else if (ev->type == PROC_EXEC || (ev->type == PROC_EXIT && ev->tid == ev->tgid))
		forget(u, &u->known[at]);
}

/* --- tables --- */

/* What does not fit all at once must not be made over and over: a table that goes time and again comes back
 * later, after twice as long each time. */
#define LOSSES_FREE 3
#define LOSSES_MOST 10
#define AGAIN_NS    NSEC_PER_SEC

static void on_evict(void *ctx, u32 slot)
{
	struct unwinder *u = ctx;
	struct slot *s = &u->slots[slot];

	s->losses = (u8)MIN(s->losses + 1, LOSSES_MOST);
	s->again_ns = s->losses > LOSSES_FREE
			      ? clock__monotonic_ns() + (AGAIN_NS << (s->losses - LOSSES_FREE - 1))
			      : 0;
	atomic_store(&u->slots[slot].state, SLOT_EVICTED);
	atomic_fetch_add(&u->evictions, 1);
	atomic_fetch_sub(&u->ntables, 1);
}

struct source_file {
	int fd;
	const void *image; /* the vdso; else NULL */
	size_t size;
};

static Elf *open_elf(const struct source_file *f)
{
	elf_version(EV_CURRENT);
	return f->image ? elf_memory((char *)f->image, f->size)
			: elf_begin(f->fd, ELF_C_READ, NULL);
}

static int read_table(struct unwinder *u, u32 object, struct source_file *f, struct unwind_table *t)
{
	const struct sym_object *pub = &symbols__obj(u->symbols, object)->pub;
	char root[64];

	*f = (struct source_file){.fd = -1};
	if (pub->kind == CODE_VDSO) {
		f->image = object__vdso(&f->size);
		return f->image ? unwind_table__read_memory(f->image, f->size, t, NULL) : -ENOENT;
	}
	f->fd = object__open(u->symbols, object);
	if (f->fd < 0)
		return f->fd;
	return unwind_table__read(f->fd, object__root(u->symbols, object, root, sizeof(root)),
				  pub->path, t, NULL);
}

static int put_table(struct unwinder *u, u32 slot, const struct source_file *f,
		     const struct unwind_table *t)
{
	struct unwind_object *o = u->sink->object(slot);
	struct unwind_object made = {.how = UNWIND_BY_TABLE, .used_ns = clock__monotonic_ns()};
	Elf *elf = open_elf(f);
	u32 segments = unwind_segments__read(elf, t->base, made.segments);
	int err;

	elf_end(elf);
	if (!segments || segments > UNWIND_SEGMENTS)
		return -EINVAL;
	err = unwind_pages__put(u->pages, slot, t->rows, t->nrows, &made.root, &made.depth);
	if (err)
		return err;
	/* The programs look at the rest only when `how` says so, which it does not do now. */
	memcpy(o->segments, made.segments, sizeof(o->segments));
	o->root = made.root;
	o->depth = made.depth;
	o->table = ++u->last_table;
	o->used_ns = made.used_ns;
	__atomic_store_n(&o->how, made.how, __ATOMIC_RELEASE);
	return 0;
}

/* A runtime is known by its file. */
static void look_for_runtime(struct unwinder *u, u32 slot, const struct source_file *f)
{
	struct slot *s = &u->slots[slot];
	struct runtime_file found;

	if (s->runtime || f->fd < 0 ||
	    !runtime_file__read(f->fd, symbols__obj(u->symbols, s->object)->pub.path, &found))
		return;
	s->runtime = memcpy(xmalloc(sizeof(found)), &found, sizeof(found));
}

static void build(struct unwinder *u, u32 slot)
{
	u64 begin = clock__monotonic_ns();
	struct unwind_table t = {0};
	struct source_file f;
	int err = read_table(u, u->slots[slot].object, &f, &t);

	if (!err)
		err = put_table(u, slot, &f, &t);
	if (!err) {
		atomic_fetch_add(&u->ntables, 1);
		atomic_fetch_add(&u->nrows, t.nrows);
	} else {
		u->sink->object(slot)->how = UNWIND_BY_FP;
		atomic_fetch_add(&u->nfp, 1);
	}
	unwind_table__free(&t);
	look_for_runtime(u, slot, &f);
	if (f.fd >= 0)
		close(f.fd);
	atomic_store(&u->slots[slot].state, SLOT_DONE);
	atomic_store(&u->bytes, unwind_pages__bytes(u->pages));
	atomic_fetch_add(&u->build_ns, clock__monotonic_ns() - begin);
}

struct build_job {
	struct job job;
	struct unwinder *unwinder;
	u32 slot;
};

static void run_build(struct job *j)
{
	struct build_job *b = container_of(j, struct build_job, job);

	build(b->unwinder, b->slot);
}

static void free_build(struct job *j)
{
	free(container_of(j, struct build_job, job));
}

static void ask_for_table(struct unwinder *u, u32 slot)
{
	struct build_job *b = xmalloc(sizeof(*b));

	*b = (struct build_job){
		.job = {.run = run_build, .done = free_build, .drop = free_build},
		.unwinder = u,
		.slot = slot,
	};
	worker__post(u->worker, &b->job);
}

/* --- objects --- */

static u32 slot_of(struct unwinder *u, u32 object)
{
	u32 at;

	HIDX_FIND(at, &u->slot_index, mix64(object), pos, u->slots[pos].object == object);
	if (at != HIDX_NONE) {
		if (atomic_load(&u->slots[at].state) == SLOT_EVICTED &&
		    clock__monotonic_ns() >= u->slots[at].again_ns) {
			atomic_store(&u->slots[at].state, SLOT_ASKED);
			ask_for_table(u, at);
		}
		return at;
	}
	if (u->nslots + 1 >= UNWIND_OBJECTS) {
		if (!u->full)
			log__add(LOG_WARN,
				 "more than %d objects: the rest are walked by frame pointers",
				 UNWIND_OBJECTS);
		u->full = true;
		return UNWIND_OBJECT_FP;
	}
	at = ++u->nslots;
	u->slots[at].object = object;
	/* The sink may be older than this unwinder. */
	u->sink->object(at)->how = UNWIND_BY_NOTHING;
	hidx__add(&u->slot_index, mix64(object), at);
	ask_for_table(u, at);
	return at;
}

/* --- files --- */

struct file_job {
	struct job job;
	struct unwinder *unwinder;
	struct unwind_file file;
	u32 object, slot;
};

/* Numbers of inodes and devices are not compared: those of layered file systems depend on who
 * asks. */
static bool is_file(struct symbols *s, u32 object, const struct unwind_file *f)
{
	struct stat st;
	bool same;
	int fd;

	if (symbols__obj(s, object)->pub.kind == CODE_VDSO)
		return f->ino == UNWIND_FILE_VDSO;
	fd = object__open(s, object);
	if (fd < 0)
		return false;
	same = !fstat(fd, &st) && (u64)st.st_size == f->size && st.st_mtim.tv_sec == f->mtime;
	close(fd);
	return same;
}

static void run_file(struct job *j)
{
	struct file_job *f = container_of(j, struct file_job, job);
	struct unwinder *u = f->unwinder;

	if (f->slot == UNWIND_OBJECT_FP || is_file(u->symbols, f->object, &f->file))
		u->sink->file(&f->file, f->slot);
}

static void free_file(struct job *j)
{
	free(container_of(j, struct file_job, job));
}

/* Which object it is; unless that is not known any more. */
static void publish_file(struct unwinder *u, const struct met *m)
{
	struct file_job *f;
	u64 offset;
	u32 object;

	if (!spaces__locate(u->symbols->spaces, m->tgid, m->t_ns, m->ip, &object, &offset))
		return;
	f = xmalloc(sizeof(*f));
	*f = (struct file_job){
		.job = {.run = run_file, .done = free_file, .drop = free_file},
		.unwinder = u,
		.file = m->file,
		.object = object,
		.slot = UNWIND_OBJECT_FP,
	};
	if (symbols__obj(u->symbols, object)->pub.kind != CODE_JIT)
		f->slot = slot_of(u, object);
	worker__post(u->worker, &f->job);
}

/* --- telling --- */

static void fill_part(struct unwinder *u, struct unwind_part *part, const struct space_mapping *m,
		      u32 n)
{
	for (u32 i = 0; i < UNWIND_PART; i++)
		part->v[i] = (struct unwind_mapping){.start = UINT64_MAX, .end = UINT64_MAX};
	for (u32 i = 0; i < n; i++)
		part->v[i] = (struct unwind_mapping){
			.start = m[i].start,
			.end = m[i].end,
			.offset = m[i].offset,
			.object = m[i].object ? slot_of(u, m[i].object) : UNWIND_OBJECT_FP,
		};
}

/* What has to be added to the addresses in an object's file where it is mapped there. */
static bool find_bias(struct unwinder *u, const struct unwind_mapping *m, u64 *bias)
{
	int fd = object__open(u->symbols, u->slots[m->object].object);
	bool found = fd >= 0 && unwind_segments__bias(fd, m->offset, m->start, bias);

	if (fd >= 0)
		close(fd);
	return found;
}

#define ATTACH_TRIES 100 /* while the interpreter begins */
#define DOUBT_TRIES  5	 /* what is not as it should be may just be taken down at the end */

static int attach_runtime(struct unwinder *u, struct known_process *t, const struct runtime_file *f,
			  u64 bias, const char **why)
{
	const struct process_memory memory = process_memory__of(t->tgid);
	struct process_runtime found;
	union runtime rt;
	int err = runtime__attach(f, bias, &memory, &found, &rt, why);

	rt.exec_id = t->exec_id;
	if (!err)
		err = u->sink->runtime(t->tgid, &rt);
	if (err)
		return err;
	scripts__attach(u->symbols->scripts, t->tgid, &found);
	t->script = (u8)found.kind;
	return 0;
}

/* One that ends or executes something else while it is read looks like one that is not known. */
static bool is_still_there(const struct known_process *t, const struct unwind_mapping *m)
{
	const struct process_memory memory = process_memory__of(t->tgid);
	u64 word;

	return memory__u64(&memory, m->start, &word);
}

static void attach(struct unwinder *u, struct known_process *t, const struct unwind_mapping *m)
{
	const struct slot *s = &u->slots[m->object];
	const char *why = NULL;
	u64 bias;
	int err;

	if (t->script || t->tries >= ATTACH_TRIES || !find_bias(u, m, &bias))
		return;
	err = attach_runtime(u, t, s->runtime, bias, &why);
	t->tries++;
	t->pending = err == -EAGAIN || (err == -EINVAL && t->tries < DOUBT_TRIES);
	if (!err || t->pending || err == -EAGAIN || err == -EFAULT || !is_still_there(t, m))
		return;
	if (u->script_note != why)
		log__add(LOG_WARN, "%s (process %u)", why, t->tgid);
	u->script_note = why;
	t->tries = ATTACH_TRIES;
}

/* Looks for an interpreter among what is mapped. */
static void look_for_script(struct unwinder *u, struct known_process *t,
			    const struct unwind_part *part)
{
	for (u32 i = 0; i < UNWIND_PART && part->v[i].start != UINT64_MAX; i++) {
		const struct unwind_mapping *m = &part->v[i];

		if (m->object == UNWIND_OBJECT_FP)
			continue;
		if (atomic_load(&u->slots[m->object].state) == SLOT_ASKED)
			t->pending = true;
		else if (u->slots[m->object].runtime)
			attach(u, t, m);
	}
}

/* Tells it unless it was told before. */
static void publish_parts(struct unwinder *u, struct known_process *t, struct unwind_process *p,
			  const struct unwind_part *parts)
{
	u64 sum = mix64_pair(hash_words(parts, p->nparts * sizeof(*parts)), t->script) | 1;

	if (sum == t->sum)
		return;
	t->sum = sum;
	p->script = t->script;
	if (!++u->last_maps_id)
		u->last_maps_id++; /* 0 is nobody's */
	p->maps_id = u->last_maps_id;
	if (u->sink->process(t->tgid, p, parts))
		forget(u, t);
}

static void publish(struct unwinder *u, struct known_process *t)
{
	struct space_mapping *m = xmalloc(MAPPINGS_MAX * sizeof(*m));
	struct unwind_process p = {.exec_id = t->exec_id};
	struct unwind_part *parts;
	u64 offset;
	u32 n, object;

	/* What is not known to be mapped is looked for, now and then. */
	if (t->wanted_ip)
		spaces__locate(u->symbols->spaces, t->tgid, clock__monotonic_ns(), t->wanted_ip,
			       &object, &offset);
	t->wanted_ip = 0;
	t->pending = false;
	n = spaces__mapped(u->symbols->spaces, t->tgid, UINT64_MAX, m, MAPPINGS_MAX);
	p.nparts = MAX((n + UNWIND_PART - 1) / UNWIND_PART, 1u);
	parts = xcalloc(p.nparts, sizeof(*parts));
	for (u32 i = 0; i < p.nparts; i++) {
		u32 from = i * UNWIND_PART;

		fill_part(u, &parts[i], m + from, MIN(n - from, (u32)UNWIND_PART));
		p.begins[i] = parts[i].v[0].start;
		look_for_script(u, t, &parts[i]);
	}
	publish_parts(u, t, &p, parts);
	free(parts);
	free(m);
}

void unwinder__flush(struct unwinder *u)
{
	u32 left = 0;

	for (u32 i = 0; i < u->changed.n; i++) {
		struct known_process *t = &u->known[u->changed.v[i]];

		t->changed = t->pending = false;
		if (!t->free)
			publish(u, t);
		/* Once more at the next flush. */
		if (!t->free && t->pending) {
			t->changed = true;
			u->changed.v[left++] = u->changed.v[i];
		}
	}
	u->changed.n = left;
	for (u32 i = 0; i < u->nmet; i++)
		publish_file(u, &u->met[i]);
	u->nmet = 0;
	worker__reap(u->worker);
}

static bool is_resolved(struct unwinder *u)
{
	unwinder__flush(u);
	return !u->changed.n && worker__idle(u->worker);
}

bool unwinder__settle(struct unwinder *u, u32 timeout_ms)
{
	struct pollfd done = {.fd = worker__fd(u->worker), .events = POLLIN};

	if (is_resolved(u))
		return true;
	poll(&done, 1, (int)timeout_ms);
	return is_resolved(u);
}

void unwinder__stats(const struct unwinder *u, struct symbols_unwind_stats *out)
{
	*out = (struct symbols_unwind_stats){
		.files = u->nslots,
		.tables = atomic_load(&u->ntables),
		.rows = atomic_load(&u->nrows),
		.without = atomic_load(&u->nfp),
		.bytes = atomic_load(&u->bytes),
		.budget = u->budget,
		.evictions = atomic_load(&u->evictions),
		.build_ns = atomic_load(&u->build_ns),
		.scripts_note = u->script_note,
	};
}

/* --- its life --- */

struct unwinder *unwinder__new(struct symbols *s, const struct unwind_sink *sink, size_t budget)
{
	struct unwinder *u = xcalloc(1, sizeof(*u));

	u->symbols = s;
	u->sink = sink;
	u->budget = budget;
	u->known = xcalloc(UNWIND_PROCESSES_KEPT, sizeof(*u->known));
	for (u32 i = 0; i < UNWIND_PROCESSES_KEPT; i++)
		u->known[i].free = true;
	u->met = xcalloc(FILES_MAX, sizeof(*u->met));
	sink->begin();
	u->worker = worker__new("unwind");
	u->pages = unwind_pages__new(sink, budget);
	unwind_pages__on_evict(u->pages, on_evict, u);
	return u;
}

void unwinder__free(struct unwinder *u)
{
	if (!u)
		return;
	worker__free(u->worker);
	unwind_pages__free(u->pages);
	for (u32 i = 0; i < UNWIND_OBJECTS; i++)
		free((void *)u->slots[i].runtime);
	hidx__fini(&u->slot_index);
	hidx__fini(&u->known_index);
	free(u->known);
	free(u->met);
	free(u->changed.v);
	free(u);
}
