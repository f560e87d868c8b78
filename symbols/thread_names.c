// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/thread_names.h"

#include <dirent.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/command_lines.h"
#include "base/file.h"
#include "base/utf8.h"
#include "samples/command.h"
#include "symbols/scripts_impl.h"

#define BUDGET_NS   (2 * NSEC_PER_MSEC) /* of CPU time, an interval */
#define THREADS_MAX 1024		/* of a process */
#define KNOWN_MAX   16384		/* of all; beyond they are looked at anew */
#define AGAIN	    32			/* of a process that are known, a turn */

struct known_thread {
	u32 tgid, inner, tid; /* inner: as its process counts it; tid 0: it is not there any more */
	u64 hash;	      /* of the name that was sent last; 0: none */
	u64 who;	      /* the runtime's thread and comm then: ids are used again */
};

struct thread_names {
	const struct scripts *scripts;
	struct runtime_thread *threads; /* THREADS_MAX */
	struct known_thread *known;
	u32 nknown, cap;
	struct hidx index; /* by tgid and inner */
	u32 process, thread; /* whose turn it is, and which of its threads is next */
	u32 turn; /* how often all processes had theirs: which of those that are known are read again */
};

struct thread_names *thread_names__new(const struct scripts *sc)
{
	struct thread_names *t = xcalloc(1, sizeof(*t));

	t->scripts = sc;
	t->threads = xcalloc(THREADS_MAX, sizeof(*t->threads));
	return t;
}

void thread_names__free(struct thread_names *t)
{
	if (!t)
		return;
	hidx__fini(&t->index);
	free(t->known);
	free(t->threads);
	free(t);
}

/* --- which thread it is --- */

u32 thread_names__inner_tid(const char *task)
{
	char path[64], text[128], *last;

	snprintf(path, sizeof(path), "/proc/%s/status", task);
	if (!file__field(path, "NSpid", text, sizeof(text)))
		return 0;
	last = strrchr(text, '\t');
	return (u32)strtoul(last ? last : text, NULL, 10);
}

static struct known_thread *find(const struct thread_names *t, u32 tgid, u32 inner)
{
	u32 at;

	HIDX_FIND(at, &t->index, mix64(tgid | (u64)inner << 32), pos,
		  t->known[pos].tgid == tgid && t->known[pos].inner == inner);
	return at == HIDX_NONE ? NULL : &t->known[at];
}

static struct known_thread *add(struct thread_names *t, u32 tgid, u32 inner)
{
	t->known = xgrow(t->known, t->nknown, &t->cap, sizeof(*t->known));
	t->known[t->nknown] = (struct known_thread){.tgid = tgid, .inner = inner, .tid = inner};
	hidx__add(&t->index, mix64(tgid | (u64)inner << 32), t->nknown);
	return &t->known[t->nknown++];
}

/* Of a process that counts in a namespace of its own. */
static void find_tids(struct thread_names *t, u32 tgid, u64 until)
{
	char path[64];
	struct known_thread *k;
	struct dirent *d;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%u/task", tgid);
	tasks = opendir(path);
	for (u32 n = 0; tasks && n < THREADS_MAX && clock__thread_cpu_ns() < until && (d = readdir(tasks));) {
		u32 tid = (u32)strtoul(d->d_name, NULL, 10);

		if (!tid)
			continue;
		snprintf(path, sizeof(path), "%u/task/%u", tgid, tid);
		k = find(t, tgid, thread_names__inner_tid(path));
		if (k)
			k->tid = tid;
		n++;
	}
	if (tasks)
		closedir(tasks);
}

/* --- reading --- */

static void send(struct known_thread *k, const char *raw, const struct sample_sink *sink)
{
	char name[RUNTIME_THREAD_NAME];
	struct thread_name_sample s = {
		.head.type = SAMPLE_THREAD_NAME, .tgid = k->tgid, .tid = k->tid, .name = name};
	size_t used = 0;
	u64 hash;

	while (used + 4 < sizeof(name) && *raw)
		used += utf8__clean(&raw, name + used);
	name[used] = '\0';
	hash = hash_bytes(name, used) | 1;
	if (hash == k->hash)
		return;
	k->hash = hash;
	sink__put(sink, &s.head);
}

/* Of one that has another's id, and no name, that one's goes. */
static void read_one(const struct process_entry *p, u64 at, struct known_thread *k,
		     const struct sample_sink *sink)
{
	const struct process_memory m = process_memory__of(p->tgid);
	char path[64], comm[16], name[RUNTIME_THREAD_NAME];
	u64 who;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", p->tgid, k->tid);
	if (!k->tid || !file__line(path, comm, sizeof(comm)))
		return;
	who = mix64_pair(at, hash_bytes(comm, strlen(comm)));
	if (runtime_thread__name(&p->runtime, &m, at, comm, name) && strcmp(name, comm))
		send(k, name, sink);
	else if (k->hash && k->who != who)
		send(k, "", sink);
	k->who = who;
}

/* Those that were not read yet, and some of the others; tids of all that are new are known first. Names are kept
 * with command lines. False: there was no time for all of them. */
static bool read_process(struct thread_names *t, const struct process_entry *p, u64 until,
			 const struct sample_sink *sink)
{
	const struct process_memory m = process_memory__of(p->tgid);
	u32 n = command_lines__has(p->tgid) ? runtime__threads(&p->runtime, &m, t->threads, THREADS_MAX) : 0;
	u32 before = t->nknown, again = n > AGAIN ? n / AGAIN : 1;
	char own[16];

	for (u32 i = 0; i < n; i++)
		if (!find(t, p->tgid, t->threads[i].tid))
			add(t, p->tgid, t->threads[i].tid);
	snprintf(own, sizeof(own), "%u", p->tgid);
	if (t->nknown > before && thread_names__inner_tid(own) != p->tgid) {
		for (u32 i = before; i < t->nknown; i++)
			t->known[i].tid = 0;
		find_tids(t, p->tgid, until);
	}
	for (u32 i = t->thread; i < n; i++) {
		struct known_thread *k = find(t, p->tgid, t->threads[i].tid);

		t->thread = i;
		if (clock__thread_cpu_ns() >= until)
			return false;
		if (!k->who || i % again == t->turn % again)
			read_one(p, t->threads[i].at, k, sink);
	}
	t->thread = 0;
	return true;
}

void thread_names__tick(struct thread_names *t, const struct sample_sink *sink)
{
	u64 until = clock__thread_cpu_ns() + BUDGET_NS;
	u32 n = t->scripts->nprocesses;

	if (t->nknown > KNOWN_MAX) {
		t->nknown = 0;
		hidx__clear(&t->index);
	}
	for (u32 i = 0; i < n && read_process(t, &t->scripts->processes[t->process % n], until, sink); i++)
		if (!(++t->process % n))
			t->turn++;
}
