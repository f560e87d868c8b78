// SPDX-License-Identifier: GPL-2.0-only
/* BPF programs in a recording. Whose they are is asked by queries: a program may have several
 * owners. */
#include "recording/types.h"

static void code_owner(struct codec *c, struct bpf_owner *x)
{
	code_u32(c, &x->tgid);
	code_cgroup(c, &x->cgroup);
	code_text(c, x->comm, sizeof(x->comm));
}

void code_bpf_prog_fields(struct codec *c, struct bpf_prog_sample *x)
{
	code_u32(c, &x->id);
	code_u64(c, &x->loaded_ns);
	code_u32(c, &x->uid);
	code_text(c, x->name, sizeof(x->name));
	code_text(c, x->type, sizeof(x->type));
	code_text(c, x->tag, sizeof(x->tag));
	code_text(c, x->attached, sizeof(x->attached));
	code_bool(c, &x->own);
	CODE_U64S(c, &x->runs, &x->run_ns, &x->misses);
	CODE_U32S(c, &x->xlated_bytes, &x->jited_bytes, &x->nowners);
	for (u32 i = 0; i < MIN(x->nowners, BPF_OWNERS); i++)
		code_owner(c, &x->owners[i]);
}

static void map_fields(struct codec *c, void *p)
{
	struct bpf_map_sample *x = p;

	CODE_U32S(c, &x->prog, &x->id);
	code_text(c, x->name, sizeof(x->name));
	code_text(c, x->type, sizeof(x->type));
	CODE_U32S(c, &x->key_bytes, &x->value_bytes, &x->max_entries);
	code_bool(c, &x->fill_known);
}

void code_bpf_map_fields(struct codec *c, struct bpf_map_sample *x)
{
	map_fields(c, x);
	CODE_U64S(c, &x->used, &x->bytes);
}

void code_bpf_map_kept_fields(struct codec *c, struct bpf_map_sample *x)
{
	code_kept(c, map_fields, x);
	CODE_U64S(c, &x->used, &x->bytes);
}

void code_bpf_state_fields(struct codec *c, struct bpf_state_sample *x)
{
	code_u32(c, &x->ncpus);
	code_bool(c, &x->by_sysctl);
	code_text(c, x->others, sizeof(x->others));
	CODE_U64S(c, &x->ended, &x->unseen, &x->left_out);
}
