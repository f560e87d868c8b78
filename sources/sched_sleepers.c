// SPDX-License-Identifier: GPL-2.0-only
#include "sources/sched_sleepers.h"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/hidx.h"
#include "base/memory.h"
#include "bpf/script.h"
#include "sources/sleeping_stack.h"
#include "sources/stack_table.h"
#include "sources/walk_queue.h"

#define QUEUE_BYTES ((size_t)16 << 20)

struct sleeper {
	u64 key, stack;
};

struct sleepers {
	struct walk_queue *queue;
	struct sleeper *items;
	u32 n, cap;
	struct hidx index;		/* by key */
	const struct sample_sink *sink; /* while reaping */
};

/* What is walked, of whom. */
struct note {
	u32 sleeper, tgid, tid;
	u64 t_ns, sp;
};

/* since_ns: when its wait began, of one that is early; 0: before it was watched. */
static u64 key_of(const struct sched_ident *t, u64 since_ns)
{
	return mix64_pair(mix64_pair(t->tid, t->start_ns), since_ns);
}

static u32 find(const struct sleepers *s, u64 key)
{
	u32 at;

	HIDX_FIND(at, &s->index, key, pos, s->items[pos].key == key);
	return at;
}

static void on_walked(void *ctx, const void *data, const u64 *ips, u32 n, enum walk_end end)
{
	struct sleepers *s = ctx;
	const struct note *note = data;
	struct stack_def def = {
		.head.type = SAMPLE_STACK_DEF,
		.tgid = note->tgid,
		.t_ns = note->t_ns,
		.nuser = (u16)n,
		.whole = end == WALK_WHOLE,
		.cut = end == WALK_CUT,
		.ips = ips,
	};

	if (!n || !s->sink || (SCRIPT_MARK(ips[n - 1]) == SCRIPT_CHECK && !sleeping_stack__stays(note->tid, note->sp)))
		return;
	def.hash = stack_hash(ips, 0, n, note->tgid);
	s->items[note->sleeper].stack = def.hash;
	sink__put(s->sink, &def.head);
}

struct sleepers *sleepers__new(const struct stack_walker *walker)
{
	struct sleepers *s;

	if (!walker)
		return NULL;
	s = xcalloc(1, sizeof(*s));
	s->queue = walk_queue__new(walker, memory__share(QUEUE_BYTES), on_walked, s);
	return s;
}

void sleepers__free(struct sleepers *s)
{
	if (!s)
		return;
	walk_queue__free(s->queue);
	free(s->items);
	hidx__fini(&s->index);
	free(s);
}

bool sleepers__take(struct sleepers *s, const struct sched_task_record *r)
{
	u64 key = key_of(&r->task, r->wait.early ? r->off_since_ns : 0);
	u8 stack[SLEEPING_STACK_BYTES];
	struct stack_copy copy = {
		.tgid = r->task.tgid,
		.tid = r->task.tid,
		.t_ns = r->t_ns,
		.regs = {r->regs.ip, r->regs.sp, r->regs.fp, r->regs.lr},
		.stack = stack,
	};
	struct note note = {.tgid = r->task.tgid, .tid = r->task.tid, .t_ns = r->t_ns, .sp = r->regs.sp};

	if (!s || !r->regs.ip || r->gone || s->n == SLEEPERS_MAX || find(s, key) != HIDX_NONE)
		return false;
	copy.nstack = sleeping_stack__copy(r->task.tgid, r->regs.sp, stack);
	/* What may end at any moment. */
	if (r->wait.early && !sleeping_stack__stays(r->task.tid, r->regs.sp))
		return false;
	note.sleeper = s->n;
	if (!walk_queue__put(s->queue, &copy, &note, sizeof(note)))
		return false; /* the next round has room */
	s->items = xgrow(s->items, s->n, &s->cap, sizeof(*s->items));
	s->items[s->n] = (struct sleeper){.key = key};
	hidx__add(&s->index, key, s->n++);
	return true;
}

void sleepers__reap(struct sleepers *s, const struct sample_sink *sink, u32 wait_ms)
{
	if (!s || !walk_queue__count(s->queue))
		return;
	walk_queue__post(s->queue);
	if (!sink)
		return;
	s->sink = sink;
	walk_queue__reap(s->queue, wait_ms);
	s->sink = NULL;
}

u64 sleepers__stack(const struct sleepers *s, const struct sched_ident *task, u64 since_ns)
{
	u32 at = s ? find(s, key_of(task, since_ns)) : HIDX_NONE;

	return at == HIDX_NONE ? 0 : s->items[at].stack;
}

/* --- what they poll --- */

static bool read_memory(u32 tgid, u64 at, void *buf, size_t size)
{
	struct iovec local = {buf, size}, remote = {(void *)at, size};

	return process_vm_readv((pid_t)tgid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

static bool read_poll(const struct sched_task_record *r, struct sched_polled *out)
{
	struct pollfd fds[SCHED_POLLED];
	u32 n = MIN((u32)r->regs.arg[1], (u32)SCHED_POLLED);

	out->n = (u32)r->regs.arg[1];
	if (n && !read_memory(r->task.tgid, r->regs.arg[0], fds, n * sizeof(*fds)))
		return false;
	for (u32 i = 0; i < n; i++)
		out->fds[i] = fds[i].fd;
	return true;
}

/* Only what it wants to read of the first 64. */
static bool read_select(const struct sched_task_record *r, struct sched_polled *out)
{
	u32 n = (u32)r->regs.arg[0];
	u64 bits = 0;

	if (!r->regs.arg[1])
		return !n;
	if (!read_memory(r->task.tgid, r->regs.arg[1], &bits, sizeof(bits)))
		return false;
	for (u32 fd = 0; fd < MIN(n, 64u); fd++) {
		if (!(bits >> fd & 1))
			continue;
		if (out->n < SCHED_POLLED)
			out->fds[out->n] = (s32)fd;
		out->n++;
	}
	return out->n > 0;
}

bool sleeper__polls(const struct sched_task_record *r, struct sched_polled *out)
{
	*out = (struct sched_polled){0};
	switch (r->wait.syscall) {
#ifdef SYS_poll
	case SYS_poll:
#endif
	case SYS_ppoll:
		return read_poll(r, out);
#ifdef SYS_select
	case SYS_select:
#endif
	case SYS_pselect6:
		return read_select(r, out);
	default:
		return false;
	}
}
