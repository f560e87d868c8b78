// SPDX-License-Identifier: GPL-2.0-only
/* Figures of the machine and of processes in a recording. */
#include "recording/types.h"

void code_figure_fields(struct codec *c, struct figure_sample *x)
{
	code_below(c, &x->figure, FIGURES);
	code_text(c, x->instance, sizeof(x->instance));
	CODE_U64S(c, &x->value, &x->span_ns);
	code_u32(c, &x->pid);
}

void code_usage_fields(struct codec *c, struct usage_sample *x)
{
	u32 state = (u8)x->state, nice = (u32)(x->nice + 20);

	code_comm(c, x->comm);
	code_cgroup(c, &x->cgroup);
	code_below(c, &state, 128);
	code_below(c, &nice, 40);
	code_kthread(c, &x->kthread);
	code_bool(c, &x->own);
	code_tgid(c, &x->pid);
	if (c->who)
		c->who->tid = x->pid;
	CODE_U32S(c, &x->ppid, &x->cpu, &x->cpus, &x->threads, &x->files, &x->files_max);
	CODE_U64S(c, &x->start, &x->span_ns, &x->user_ns, &x->system_ns, &x->children_ns,
		  &x->minor_faults, &x->major_faults, &x->read_bytes, &x->write_bytes,
		  &x->rss_bytes, &x->swapped_bytes, &x->mapped_bytes);
	x->state = (char)state;
	x->nice = (s32)nice - 20;
}

void code_notice_fields(struct codec *c, struct notice_sample *x)
{
	code_below(c, &x->level, 8);
	code_time(c, &x->t_ns);
	code_text(c, x->text, sizeof(x->text));
}

/* Recordings of other versions may have fewer figures, or more, which are passed over. */
void code_percpu_fields(struct codec *c, struct percpu_sample *x)
{
	u32 n = PERCPU_FIGURES;
	u64 value;

	code_cpu(c, &x->cpu);
	code_u64(c, &x->known);
	code_below(c, &n, 65);
	for (u32 i = 0; i < n; i++) {
		value = c->out ? x->values[i] : 0;
		code_u64(c, &value);
		if (!c->out && i < PERCPU_FIGURES)
			x->values[i] = value;
	}
	x->known &= (1ULL << PERCPU_FIGURES) - 1;
}
