// SPDX-License-Identifier: GPL-2.0-only
/* Recorded lines about processes. */
#include <stdio.h>

#include "base/arena.h"
#include "samples/procs.h"
#include "tests/lib/fixture_impl.h"

struct procs_line {
	struct procs_sample s;
	char user[32], cmdline[256];
};

static void set_parts(struct procs_sums *sums, const u32 ms[PROCS_PARTS])
{
	for (u32 p = 0; p < PROCS_PARTS; p++)
		sums->part_ns[p] = ms[p] * NSEC_PER_MSEC;
}

static bool parse_proc(struct procs_line *r, const char *text)
{
	struct procs_sample *s = &r->s;
	char comm[64], state;
	u32 ms[PROCS_PARTS], rss;
	int at = 0;

	if (sscanf(text, "proc %63s %u %u %u %31s %c %d %u %u %u %u %u %u %u %u%n", comm, &s->tgid,
		   &s->tid, &s->ppid, r->user, &state, &s->nice, &ms[0], &ms[1], &ms[2], &ms[3],
		   &ms[4], &ms[5], &ms[6], &rss, &at) != 15)
		return false;
	sscanf(text + at, " %255[^\n]", r->cmdline);
	fixture__unescape(r->cmdline);
	copy_str(s->comm, sizeof(s->comm), fixture__unescape(comm));
	set_parts(&s->sums, ms);
	s->event = PROCS_IS;
	s->start_ns = s->tid;
	s->process_ns = s->tgid;
	s->cgroup = 1;
	s->rss_bytes = (u64)rss << 20;
	s->fds = s->tid % 50;
	s->nthreads = 1;
	s->state = (u8)state & 127;
	s->rest = PROCS_SLEEP;
	s->flags = PROCS_HAS_IO | (rss ? PROCS_HAS_RSS | PROCS_HAS_FDS : 0) |
		   (s->ppid == 2 ? PROCS_KTHREAD : 0);
	return true;
}

static bool parse_short(struct procs_line *r, const char *text)
{
	struct procs_sample *s = &r->s;
	unsigned long long starts;
	char comm[64], parent[64];
	u32 ms;

	if (sscanf(text, "short %63s %u %63s %llu %u", comm, &s->ppid, parent, &starts, &ms) != 5)
		return false;
	copy_str(s->comm, sizeof(s->comm), fixture__unescape(comm));
	copy_str(s->parent_comm, sizeof(s->parent_comm), fixture__unescape(parent));
	copy_str(r->user, sizeof(r->user), "root");
	s->event = PROCS_SHORT;
	s->starts = starts;
	s->state = 'X';
	s->rest = PROCS_SLEEP;
	s->sums.part_ns[PROCS_SYSTEM] = ms * NSEC_PER_MSEC;
	return true;
}

struct procs_line *procs_line__parse(const char *text)
{
	struct procs_line *r = xcalloc(1, sizeof(*r));

	r->s.head.type = SAMPLE_PROCS;
	r->s.cmdline = r->cmdline;
	r->s.user = r->user;
	if (parse_proc(r, text) || parse_short(r, text))
		return r;
	free(r);
	return NULL;
}

void procs_line__put(struct procs_line *r, const struct sample_sink *sink)
{
	sink__put(sink, &r->s.head);
}
