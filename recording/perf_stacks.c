// SPDX-License-Identifier: GPL-2.0-only
#include "recording/perf_stacks.h"

#include "samples/perf_regs.h"

#define FRAMES_EACH (STACKS_MAX_FRAMES / 2 - 1) /* of kernel and user; one may be put before */

/* --- the leaf --- */

static void insert_at(struct perf_stacks *s, u32 at, u64 ip)
{
	u32 n = (u32)s->def.nkernel + s->def.nuser;

	memmove(s->ips + at + 1, s->ips + at, (n - at) * sizeof(*s->ips));
	s->ips[at] = ip;
}

/* What was sampled is the sample's address, whatever the chain begins with: a precise event's
 * chain is taken some instructions later, and chains may leave out its side of the boundary. */
static void set_leaf(struct perf_stacks *s, const struct perf_record *r)
{
	struct stack_def *d = &s->def;

	if (r->kernel && !d->nkernel) {
		insert_at(s, 0, r->ip);
		d->nkernel = 1;
	} else if (!r->kernel && !d->nuser) {
		insert_at(s, d->nkernel, r->ip);
		d->nuser = 1;
	} else {
		s->ips[0] = r->ip;
	}
}

/* --- copies of stacks --- */

static const struct unwind_code *code_at(void *ctx, u64 ip, u64 *offset)
{
	struct perf_stacks *s = ctx;

	return perf_spaces__code(s->spaces, s->def.tgid, ip, offset);
}

static void walk(struct perf_stacks *s, const struct perf_record *r, u64 mask)
{
	struct unwind_walk w = {
		.machine = s->machine,
		.stack = r->stack,
		.nstack = r->nstack,
		.code_at = code_at,
		.ctx = s,
	};
	enum walk_end end;

	if (!perf_regs__read(r, mask, s->machine, &w.regs))
		return;
	w.stack_at = w.regs.sp;
	s->def.nuser = (u16)unwind_walk__frames(&w, s->ips + s->def.nkernel, FRAMES_EACH, &end);
	s->def.whole = end == WALK_WHOLE || end == WALK_GUESSED;
}

/* --- calls that the CPU noted (--call-graph lbr) --- */

/* The newest led into the leaf. Of the others the instruction is known that calls, and what is put here is
 * an address behind it, as of all callers. */
static void take_calls(struct perf_stacks *s, const struct perf_record *r)
{
	struct perf_branch_entry call;
	u64 *ips = s->ips + s->def.nkernel;
	u32 n = 0;

	for (u32 i = 0; i < r->nbranches && n < FRAMES_EACH; i++) {
		memcpy(&call, r->branches + i * sizeof(call), sizeof(call));
		if (!n)
			ips[n++] = call.to;
		if (n < FRAMES_EACH)
			ips[n++] = call.from + 1;
	}
	s->def.nuser = (u16)n;
}

/* --- frames --- */

static u64 hash_frames(const struct perf_stacks *s)
{
	const struct stack_def *d = &s->def;
	u64 hash = d->nkernel;

	if (d->nuser)
		hash = mix64_pair((u64)d->tgid << 32 | perf_spaces__epoch(s->spaces, d->tgid),
				  hash);
	for (u32 i = 0; i < (u32)d->nkernel + d->nuser; i++)
		hash = mix64(hash ^ s->ips[i]) + 0x9e3779b97f4a7c15ULL;
	for (u32 i = 0; i < d->nkernel; i++)
		hash += perf_ksymbols__func(&s->kernel->ksymbols, s->ips[i]);
	return hash ? hash : 1;
}

static void begin(struct perf_stacks *s, const struct perf_record *r)
{
	s->def = (struct stack_def){.head.type = SAMPLE_STACK_DEF,
				    .named = true,
				    .tgid = r->pid,
				    .t_ns = r->t_ns,
				    .ips = s->locs};
}

static bool is_kernel(u64 ip)
{
	return ip >> 63;
}

/* Behind the instruction that branches, as all callers; of the first of user code the address itself is looked up. */
void perf_stacks__branch(struct perf_stacks *s, const struct perf_record *r, u64 from, u64 to)
{
	struct stack_def *d = &s->def;

	begin(s, r);
	d->nkernel = is_kernel(to) ? 1 + is_kernel(from) : 0;
	d->nuser = is_kernel(to) ? !is_kernel(from) : 1 + !is_kernel(from);
	s->ips[0] = to;
	s->ips[1] = from + (is_kernel(from) == is_kernel(to));
	d->whole = true;
	d->hash = hash_frames(s);
}

void perf_stacks__read(struct perf_stacks *s, const struct perf_record *r,
		       const struct perf_format *f)
{
	struct stack_def *d = &s->def;

	begin(s, r);
	if (r->chain)
		perf_record__frames(r, s->ips, FRAMES_EACH, &d->nkernel, &d->nuser);
	if (!d->nuser && r->nbranches && f->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK)
		take_calls(s, r);
	d->cut = d->nkernel == FRAMES_EACH || d->nuser == FRAMES_EACH;
	if (!d->nuser && r->stack)
		walk(s, r, f->regs_user);
	if (f->sample_type & PERF_SAMPLE_IP)
		set_leaf(s, r);
	d->hash = hash_frames(s);
}

/* Of a frame other than the leaf, the address is that behind the call. */
static u64 call_address(u64 ip, bool leaf)
{
	return leaf || !ip ? ip : ip - 1;
}

void perf_stacks__locate(struct perf_stacks *s)
{
	const struct stack_def *d = &s->def;
	u32 n = (u32)d->nkernel + d->nuser;

	for (u32 i = 0; i < n; i++) {
		u64 ip = call_address(s->ips[i], i == 0 || i == d->nkernel);

		s->locs[i] = i < d->nkernel ? perf_kernel__locate(s->kernel, ip)
					    : perf_spaces__locate(s->spaces, d->tgid, ip);
	}
}
