// SPDX-License-Identifier: GPL-2.0-only
/* Figures of the machine and of processes in a recording. */
#include "recording/types.h"

void code_figure(struct codec *c, union any_sample *s)
{
	struct figure_sample *x = &s->figure;

	code_below(c, &x->figure, FIGURES);
	code_text(c, x->instance, sizeof(x->instance));
	code_u64(c, &x->value);
	code_u64(c, &x->span_ns);
	code_u32(c, &x->pid);
}

void code_usage(struct codec *c, union any_sample *s)
{
	struct usage_sample *x = &s->usage;
	u32 state = (u8)x->state, nice = (u32)(x->nice + 20);
	u32 *const ids[] = {&x->pid, &x->ppid, &x->cpu, &x->cpus, &x->threads, &x->files, &x->files_max};
	u64 *const sums[] = {&x->start,	       &x->span_ns,	 &x->user_ns,	   &x->system_ns,
			     &x->children_ns,  &x->minor_faults, &x->major_faults, &x->read_bytes,
			     &x->write_bytes, &x->rss_bytes};

	code_text(c, x->comm, sizeof(x->comm));
	code_cgroup(c, &x->cgroup);
	code_below(c, &state, 128);
	code_below(c, &nice, 40);
	code_bool(c, &x->kthread);
	code_bool(c, &x->own);
	for (u32 i = 0; i < ARRAY_SIZE(ids); i++)
		code_u32(c, ids[i]);
	for (u32 i = 0; i < ARRAY_SIZE(sums); i++)
		code_u64(c, sums[i]);
	code_u64(c, &x->swapped_bytes);
	x->state = (char)state;
	x->nice = (s32)nice - 20;
}

void usage_subject(const union any_sample *s, struct subject *out)
{
	const struct usage_sample *x = &s->usage;

	*out = (struct subject){.known = true,
				.has_comm = true,
				.has_kind = true,
				.tgid = x->pid,
				.tid = x->pid,
				.cgroup = x->cgroup,
				.comm = x->comm,
				.kthread = x->kthread};
}

void code_notice(struct codec *c, union any_sample *s)
{
	struct notice_sample *x = &s->notice;

	code_below(c, &x->level, 8);
	code_time(c, &x->t_ns);
	code_text(c, x->text, sizeof(x->text));
}
