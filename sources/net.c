// SPDX-License-Identifier: GPL-2.0-only
/* Why packets were dropped: what the running kernel calls its reasons. */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdio.h>

#include "base/arena.h"
#include "bpf/net.h"
#include "scope/scope.h"
#include "sources/bpf_visit.h"
#include "sources/kernel_btf.h"
#include "sources/measures.h"

#define REASONS "SKB_DROP_REASON_"

/* The upper half of a reason is the subsystem's number, where it is not the core's. */
#define SUBSYSTEM_SHIFT 16

struct reasons {
	struct reason {
		u32 value;
		char *name;
	} *v;
	u32 n;
};

static void add_reason(void *ctx, const char *name, u32 value)
{
	struct reasons *r = ctx;
	size_t prefix = strlen(REASONS);

	r->v = xrealloc(r->v, (r->n + 1) * sizeof(*r->v));
	r->v[r->n++] = (struct reason){
		value, xstrdup(strncmp(name, REASONS, prefix) ? name : name + prefix)};
}

static void *reasons__begin(const struct measure *m, const struct sampling *how)
{
	struct reasons *r = xcalloc(1, sizeof(*r));
	struct btf *btf = kernel_btf__get();

	if (btf) {
		kernel_btf__each_enumerator(btf, "skb_drop_reason", add_reason, r);
		kernel_btf__put(btf);
	}
	return r;
}

static void reasons__end(void *ctx)
{
	struct reasons *r = ctx;

	for (u32 i = 0; i < r->n; i++)
		free(r->v[i].name);
	free(r->v);
	free(r);
}

static const char *name_of(const struct reasons *r, u32 reason)
{
	for (u32 i = 0; i < r->n; i++)
		if (r->v[i].value == reason)
			return r->v[i].name;
	return NULL;
}

static void reason_text(const struct reasons *r, u32 reason, char *buf, size_t size)
{
	const char *name = name_of(r, reason);

	if (reason == NET_REASON_UNTOLD)
		copy_str(buf, size, "[not told by this kernel]");
	else if (name)
		copy_str(buf, size, name);
	else if (reason >> SUBSYSTEM_SHIFT)
		snprintf(buf, size, "reason %u of subsystem %u",
			 reason & ((1u << SUBSYSTEM_SHIFT) - 1), reason >> SUBSYSTEM_SHIFT);
	else
		snprintf(buf, size, "reason %u", reason);
}

static bool net_text(void *ctx, u32 label, const struct measure_value *v, char *buf, size_t size)
{
	if (measure_table[MEASURE_NET]->labels[label].word != NET_LABEL_REASON || !v->value)
		return false;
	reason_text(ctx, (u32)v->value, buf, size);
	return true;
}

static int net__prepare(void *ctx, struct bpf_object *obj, struct status *st)
{
	struct btf *btf = kernel_btf__get();

	bpf_program__set_autoload(bpf_object__find_program_by_name(obj, "net_send_call"),
				  btf && kernel_btf__arguments(btf, "sock_send_length"));
	kernel_btf__put(btf);
	bpf_program__set_autoattach(bpf_object__find_program_by_name(obj, "net_files"), false);
	return 0;
}

static int net__attach(void *ctx, struct bpf_object *obj, struct status *st)
{
	return bpf_visit__once(bpf_object__find_program_by_name(obj, "net_files"), -1, st);
}

/* Who sent a packet is known when it is counted, and not how it was scheduled. */
static int net__scope(void *ctx, const struct scope *scope, struct status *st)
{
	char names[40];

	if (!(scope__terms(scope) & SCOPE_TERM_SCHED))
		return 0;
	return status__set(st, EXIT_CODE_USAGE, -EINVAL, "packets belong to no thread: leave %s out",
			   scope__term_names(scope, SCOPE_TERM_SCHED, names, sizeof(names)));
}

const struct measure_hooks net_hooks = {
	.begin = reasons__begin,
	.end = reasons__end,
	.prepare = net__prepare,
	.attach = net__attach,
	.scope = net__scope,
	.text = net_text,
};
