// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <stdio.h>
#include <sys/queue.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "symbols/files.h"
#include "symbols/tables.h"
#include "symbols/spaces.h"

#define BUCKETS	     4096
#define SPARES	     64
#define REREAD_MIN   (100 * NSEC_PER_MSEC)
#define REREAD_MAX   (10 * NSEC_PER_SEC)
#define REREAD_SHARE 50 /* reading maps again takes at most 1/50 of the time */

/* What a process ran between two execs. */
struct generation {
	struct maps *maps;
	u64 t0_ns;
	u64 version; /* of the maps: no other ones have it */
	u32 jit;     /* object of its anonymous code, 0 none yet */
};

struct process {
	TAILQ_ENTRY(process) link; /* in live (least recently used first) or exited (by age) */
	struct process *next;	   /* in its bucket */
	u32 tgid, parent;
	bool exited;
	bool known; /* maps hold what there is: read, inherited, or followed from exec on */
	u32 ngens;
	u64 read_ns, next_read_ns, reread_wait_ns;
	struct generation gens[SPACES_GENERATIONS]; /* newest first */
	char comm[COMM_LEN];
};

TAILQ_HEAD(process_list, process);

struct spaces {
	struct symbols *symbols;
	struct files *files;
	struct process *buckets[BUCKETS];
	struct process_list live, exited;
	u32 nlive, nexited, most_exited;
	struct process *spare; /* those that were dropped, by next: short ones come and go as fast */
	u32 nspare;
	u64 versions; /* given out */
	/* while maps are read */
	struct mapping *reading;
	u32 nreading, cap_reading;
};

struct spaces *spaces__new(struct symbols *s)
{
	struct spaces *sp = xcalloc(1, sizeof(*sp));

	sp->symbols = s;
	sp->files = files__new(s);
	sp->most_exited = memory__entries(SPACES_EXITED, SPACES_CPU_EXITED);
	TAILQ_INIT(&sp->live);
	TAILQ_INIT(&sp->exited);
	return sp;
}

static struct process **bucket(struct spaces *sp, u32 tgid)
{
	return &sp->buckets[mix64(tgid) % BUCKETS];
}

static struct process *find(struct spaces *sp, u32 tgid)
{
	struct process *p = *bucket(sp, tgid);

	while (p && p->tgid != tgid)
		p = p->next;
	return p;
}

static void account(struct spaces *sp)
{
	atomic_store_explicit(&sp->symbols->nprocesses, sp->nlive + sp->nexited,
			      memory_order_relaxed);
}

static void unlink_process(struct spaces *sp, struct process *p)
{
	struct process **pp = bucket(sp, p->tgid);

	while (*pp != p)
		pp = &(*pp)->next;
	*pp = p->next;
	if (p->exited) {
		TAILQ_REMOVE(&sp->exited, p, link);
		sp->nexited--;
	} else {
		TAILQ_REMOVE(&sp->live, p, link);
		sp->nlive--;
	}
}

static void free_spare(struct spaces *sp)
{
	struct process *p = sp->spare;

	sp->spare = p->next;
	sp->nspare--;
	free(p);
}

static struct process *take_spare(struct spaces *sp)
{
	struct process *p = sp->spare;

	if (!p)
		return xcalloc(1, sizeof(*p));
	sp->spare = p->next;
	sp->nspare--;
	*p = (struct process){0};
	return p;
}

static void free_process(struct spaces *sp, struct process *p)
{
	unlink_process(sp, p);
	for (u32 i = 0; i < p->ngens; i++)
		maps__put(p->gens[i].maps);
	p->next = sp->spare;
	sp->spare = p;
	if (++sp->nspare > SPARES)
		free_spare(sp);
}

static void make_room(struct spaces *sp)
{
	while (sp->nexited > sp->most_exited)
		free_process(sp, TAILQ_FIRST(&sp->exited));
	if (sp->nlive + sp->nexited < SPACES_MAX)
		return;
	free_process(sp, sp->nexited ? TAILQ_FIRST(&sp->exited) : TAILQ_FIRST(&sp->live));
}

static struct process *add(struct spaces *sp, u32 tgid)
{
	struct process *p;

	make_room(sp);
	p = take_spare(sp);
	p->tgid = tgid;
	p->ngens = 1;
	p->gens[0] = (struct generation){.maps = maps__new(), .version = ++sp->versions};
	p->next = *bucket(sp, tgid);
	*bucket(sp, tgid) = p;
	TAILQ_INSERT_TAIL(&sp->live, p, link);
	sp->nlive++;
	account(sp);
	return p;
}

static void set_exited(struct spaces *sp, struct process *p, bool exited)
{
	if (p->exited == exited)
		return;
	TAILQ_REMOVE(p->exited ? &sp->exited : &sp->live, p, link);
	TAILQ_INSERT_TAIL(exited ? &sp->exited : &sp->live, p, link);
	sp->nexited += exited ? 1 : -1;
	sp->nlive += exited ? -1 : 1;
	p->exited = exited;
	make_room(sp);
	account(sp);
}

static void touch(struct spaces *sp, struct process *p)
{
	if (p->exited || TAILQ_NEXT(p, link) == NULL)
		return;
	TAILQ_REMOVE(&sp->live, p, link);
	TAILQ_INSERT_TAIL(&sp->live, p, link);
}

/* From t_ns on the process runs something else. maps is taken over. */
static void new_generation(struct spaces *sp, struct process *p, u64 t_ns, struct maps *maps)
{
	if (p->ngens == SPACES_GENERATIONS)
		maps__put(p->gens[--p->ngens].maps);
	memmove(&p->gens[1], &p->gens[0], sizeof(p->gens[0]) * p->ngens);
	p->gens[0] = (struct generation){.maps = maps, .t0_ns = t_ns, .version = ++sp->versions};
	p->ngens++;
	p->next_read_ns = p->reread_wait_ns = 0;
}

static void add_read_line(void *ctx, const struct maps_line *l)
{
	struct spaces *sp = ctx;
	struct mapping *m;

	if (!l->exec || sp->nreading >= MAPS_MAX)
		return;
	if (sp->nreading == sp->cap_reading) {
		sp->cap_reading = MAX(64u, sp->cap_reading * 2);
		sp->reading = xrealloc(sp->reading, sizeof(*m) * sp->cap_reading);
	}
	m = &sp->reading[sp->nreading++];
	*m = (struct mapping){.start = l->start, .end = l->end, .pgoff = l->pgoff};
	m->file = files__intern(
		sp->files, &(struct file_key){l->dev_major, l->dev_minor, l->inode, 0, l->path});
}

static void read_comm(struct process *p)
{
	char path[64], buf[COMM_LEN + 1];

	snprintf(path, sizeof(path), "/proc/%u/comm", p->tgid);
	if (file__read(AT_FDCWD, path, buf, sizeof(buf)) <= 0)
		return;
	buf[strcspn(buf, "\n")] = '\0';
	copy_str(p->comm, sizeof(p->comm), buf);
}

static void free_reading(struct spaces *sp)
{
	free(sp->reading);
	sp->reading = NULL;
	sp->nreading = sp->cap_reading = 0;
}

static void take_reading(struct spaces *sp, struct process *p, u64 now_ns)
{
	struct generation *g = &p->gens[0];

	/* Found later than at first sight: in force from about now on. */
	for (u32 i = 0; i < sp->nreading && p->read_ns; i++)
		sp->reading[i].t_ns = now_ns;
	maps__own(&g->maps);
	maps__replace(g->maps, sp->reading, sp->nreading, now_ns);
	g->version = ++sp->versions;
}

/* Reads what is mapped now; a process that is gone keeps what was known. */
static void read_maps(struct spaces *sp, struct process *p)
{
	u64 t0 = clock__monotonic_ns(), took;
	char path[64];
	int fd, err = -ENOENT;

	snprintf(path, sizeof(path), "/proc/%u/maps", p->tgid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		err = maps__read(fd, add_read_line, sp);
		close(fd);
	}
	if (!err && sp->nreading)
		take_reading(sp, p, t0);
	free_reading(sp);
	if (!p->comm[0])
		read_comm(p);
	/* Events up to t0 are in what was read. */
	p->read_ns = t0;
	p->known = true;
	took = clock__monotonic_ns() - t0;
	p->reread_wait_ns = CLAMP(p->reread_wait_ns * 2, REREAD_MIN, REREAD_MAX);
	p->next_read_ns = t0 + MAX(p->reread_wait_ns, took * REREAD_SHARE);
}

/* The process, read at its first sight. */
static struct process *know(struct spaces *sp, u32 tgid)
{
	struct process *p = find(sp, tgid);

	if (!p)
		p = add(sp, tgid);
	if (!p->known)
		read_maps(sp, p);
	touch(sp, p);
	return p;
}

static void on_fork(struct spaces *sp, const struct proc_event *ev)
{
	struct process *parent, *p;
	struct maps *maps;

	if (ev->tgid == ev->parent_tgid)
		return; /* a thread */
	parent = find(sp, ev->parent_tgid);
	p = find(sp, ev->tgid);
	if (p && p->read_ns >= ev->t_ns)
		return; /* was read after it was born */
	if (!parent || !parent->known) {
		/* Nothing to inherit; an older process of that number is over all the same. */
		if (p) {
			new_generation(sp, p, ev->t_ns, maps__new());
			p->known = false;
			set_exited(sp, p, false);
		}
		return;
	}
	maps = maps__get(parent->gens[0].maps);
	if (p) {
		set_exited(sp, p, false);
		new_generation(sp, p, ev->t_ns, maps);
	} else {
		char comm[COMM_LEN];

		memcpy(comm, parent->comm, sizeof(comm)); /* add() may drop the parent */
		p = add(sp, ev->tgid);
		memcpy(p->comm, comm, sizeof(comm));
		maps__put(p->gens[0].maps);
		p->gens[0].maps = maps;
		p->gens[0].version = ++sp->versions;
	}
	p->parent = ev->parent_tgid;
	p->known = true;
	p->read_ns = 0;
}

static void on_exec(struct spaces *sp, const struct proc_event *ev)
{
	struct process *p = find(sp, ev->tgid);

	if (p && p->read_ns >= ev->t_ns) {
		copy_str(p->comm, sizeof(p->comm), ev->comm);
		return; /* was read after it */
	}
	if (!p)
		p = add(sp, ev->tgid);
	set_exited(sp, p, false);
	new_generation(sp, p, ev->t_ns, maps__new());
	copy_str(p->comm, sizeof(p->comm), ev->comm);
	p->parent = 0;
	p->known = true; /* events tell the rest; a miss reads it */
	p->read_ns = 0;
}

static void on_mmap(struct spaces *sp, const struct proc_event *ev)
{
	struct process *p = find(sp, ev->tgid);
	struct mapping m = {
		.start = ev->start, .end = ev->end, .pgoff = ev->file_offset, .t_ns = ev->t_ns};

	if (!p || !p->known || p->exited || p->read_ns >= ev->t_ns)
		return;
	m.file = files__intern(sp->files, &(struct file_key){ev->dev_major, ev->dev_minor,
							     ev->inode, ev->generation, ev->path});
	maps__own(&p->gens[0].maps);
	maps__add(p->gens[0].maps, &m);
	p->gens[0].version = ++sp->versions;
}

void spaces__event(struct spaces *sp, const struct proc_event *ev)
{
	struct process *p;

	switch (ev->type) {
	case PROC_FORK:
		on_fork(sp, ev);
		break;
	case PROC_EXEC:
		on_exec(sp, ev);
		break;
	case PROC_MMAP:
		on_mmap(sp, ev);
		break;
	case PROC_COMM:
		p = find(sp, ev->tgid);
		if (p && ev->tid == ev->tgid)
			copy_str(p->comm, sizeof(p->comm), ev->comm);
		break;
	case PROC_SEEN:
		p = know(sp, ev->tgid);
		if (!p->comm[0])
			copy_str(p->comm, sizeof(p->comm), ev->comm);
		break;
	case PROC_EXIT:
		p = find(sp, ev->tgid);
		if (p && ev->tid == ev->tgid && p->read_ns < ev->t_ns)
			set_exited(sp, p, true);
		break;
	}
}

static struct generation *generation_at(struct process *p, u64 t_ns)
{
	for (u32 i = 0; i < p->ngens; i++)
		if (p->gens[i].t0_ns <= t_ns)
			return &p->gens[i];
	return &p->gens[p->ngens - 1];
}

static struct mapping *find_mapping(struct spaces *sp, struct process *p, u64 t_ns, u64 ip,
				    struct generation **gen)
{
	struct mapping *m;

	*gen = generation_at(p, t_ns);
	m = maps__find((*gen)->maps, ip, t_ns);
	if (m || p->exited || *gen != &p->gens[0] || clock__monotonic_ns() < p->next_read_ns)
		return m;
	read_maps(sp, p);
	return maps__find((*gen)->maps, ip, t_ns);
}

static u32 jit_object(struct spaces *sp, struct process *p, struct generation *g)
{
	struct via via = {.tgid = p->tgid, .parent = p->parent};
	char name[64];

	if (g->jit)
		return g->jit;
	snprintf(name, sizeof(name), "[jit] %s:%u", p->comm, p->tgid);
	g->jit = symbols__add_object(
		sp->symbols,
		&(struct sym_object){.kind = CODE_JIT, .name = name, .path = "", .tgid = p->tgid},
		&via);
	return g->jit;
}

static u32 object_of(struct spaces *sp, u32 tgid, struct mapping *m)
{
	struct via via = {.tgid = tgid, .start = m->start, .end = m->end};

	if (!m->object)
		m->object = files__object(sp->files, m->file, &via);
	return m->object;
}

bool spaces__locate(struct spaces *sp, u32 tgid, u64 t_ns, u64 ip, u32 *object, u64 *offset)
{
	struct process *p = know(sp, tgid);
	struct generation *g;
	struct mapping *m = find_mapping(sp, p, t_ns, ip, &g);

	if (!m)
		return false;
	if (object_of(sp, tgid, m) == FILES_JIT) {
		*object = jit_object(sp, p, g);
		*offset = ip;
	} else {
		*object = m->object;
		*offset = ip - m->start + m->pgoff;
	}
	return *object != 0;
}

u64 spaces__version(struct spaces *sp, u32 tgid, u64 t_ns)
{
	return generation_at(know(sp, tgid), t_ns)->version;
}

u32 spaces__mapped(struct spaces *sp, u32 tgid, u64 t_ns, struct space_mapping *out, u32 max)
{
	struct process *p = know(sp, tgid);
	u32 n;
	struct mapping *m = maps__all(generation_at(p, t_ns)->maps, &n);

	n = MIN(n, max);
	for (u32 i = 0; i < n; i++) {
		u32 object = object_of(sp, tgid, &m[i]);

		out[i] = (struct space_mapping){.start = m[i].start,
						.end = m[i].end,
						.offset = m[i].pgoff,
						.object = object == FILES_JIT ? 0 : object};
	}
	return n;
}

void spaces__free(struct spaces *sp)
{
	while (!TAILQ_EMPTY(&sp->live))
		free_process(sp, TAILQ_FIRST(&sp->live));
	while (!TAILQ_EMPTY(&sp->exited))
		free_process(sp, TAILQ_FIRST(&sp->exited));
	while (sp->spare)
		free_spare(sp);
	files__free(sp->files);
	free(sp);
}
