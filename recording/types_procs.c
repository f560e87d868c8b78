// SPDX-License-Identifier: GPL-2.0-only
/* Samples of samples/procs.h and samples/command.h. */
#include "recording/types.h"

static void code_sums(struct codec *c, struct procs_sums *s)
{
	for (u32 i = 0; i < PROCS_PARTS; i++) {
		u64 ns = s->part_ns[i];

		code_u64(c, &ns);
		s->part_ns[i] = ns;
	}
	u64 n[] = {s->minor_faults, s->major_faults, s->read_bytes, s->write_bytes};

	for (u32 i = 0; i < ARRAY_SIZE(n); i++)
		code_u64(c, &n[i]);
	s->minor_faults = n[0];
	s->major_faults = n[1];
	s->read_bytes = n[2];
	s->write_bytes = n[3];
}

static void code_gauges(struct codec *c, struct procs_sample *x)
{
	u32 nice = (u32)(x->nice + 32);

	code_u64(c, &x->rss_bytes);
	CODE_U32S(c, &x->fds, &x->nthreads, &x->cpu, &x->policy, &x->rt_priority);
	code_below(c, &nice, 64);
	x->nice = (s32)nice - 32;
	code_u32(c, &x->flags);
	codec__kthread(c, x->flags & PROCS_KTHREAD);
	code_below(c, &x->state, 128);
	CODE_ENUM(c, x->rest, PROCS_PARTS);
}

void code_command_fields(struct codec *c, struct command_sample *x)
{
	code_tgid(c, &x->tgid);
	code_time(c, &x->start_ns);
	code_u64(c, &x->end_ns);
	code_shared_text(c, &x->line);
}

void code_thread_name_fields(struct codec *c, struct thread_name_sample *x)
{
	code_tgid(c, &x->tgid);
	code_tid(c, &x->tid);
	code_shared_text(c, &x->name);
}

/* Those of which proc_event__is_life() is true: what is mapped, and names, are the recording's own. */
void code_proc_fields(struct codec *c, struct proc_event *x)
{
	CODE_ENUM(c, x->type, PROC_LIVES);
	code_tgid(c, &x->tgid);
	x->tid = x->tgid;
	code_time(c, &x->t_ns);
	code_host(c, &x->host);
}

void code_procs_fields(struct codec *c, struct procs_sample *x)
{
	CODE_ENUM(c, x->event, PROCS_EVENTS);
	code_tgid(c, &x->tgid);
	codec__known(c, x->event != PROCS_ALL && x->event != PROCS_ROUND);
	code_tid(c, &x->tid);
	CODE_U32S(c, &x->ppid, &x->uid);
	CODE_U64S(c, &x->start_ns, &x->process_ns);
	code_cgroup(c, &x->cgroup);
	code_comm(c, x->comm);
	code_text(c, x->parent_comm, sizeof(x->parent_comm));
	code_shared_text(c, &x->cmdline);
	code_shared_text(c, &x->user);
	code_sums(c, &x->sums);
	CODE_BOOLS(c, &x->unsplit, &x->is_short);
	code_u64(c, &x->starts);
	code_gauges(c, x);
}
