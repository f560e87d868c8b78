// SPDX-License-Identifier: GPL-2.0-only
/* TCP connections: those that are there at the begin, names of services and of network namespaces. */
#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/netns.h"
#include "base/services.h"
#include "bpf/tcp.h"
#include "sources/bpf_probe.h"
#include "sources/bpf_visit.h"
#include "sources/measures.h"

struct tcp {
	struct services services;
	struct netns_names namespaces; /* of this interval: one may be named at any time */
};

static void *tcp__begin(const struct measure *m, const struct sampling *how)
{
	struct tcp *t = xcalloc(1, sizeof(*t));

	services__read(&t->services, "tcp");
	return t;
}

static void tcp__end(void *ctx)
{
	struct tcp *t = ctx;

	services__fini(&t->services);
	free(t);
}

static int tcp__prepare(void *ctx, struct bpf_object *obj, struct status *st)
{
	bpf_program__set_autoattach(bpf_object__find_program_by_name(obj, "tcp_files"), false);
	return 0;
}

/* Whose the sockets are that were there before. */
static int tcp__attach(void *ctx, struct bpf_object *obj, struct status *st)
{
	return bpf_visit__once(bpf_object__find_program_by_name(obj, "tcp_files"), -1, st);
}

static void tcp__health(void *ctx, struct health *h)
{
	if (!bpf_probe__map_iterators())
		health__say(h, "this kernel refuses iterators over maps: connections that no process has open "
				"are looked at when they end");
}

static void tcp__tick(void *ctx, struct bpf_object *obj)
{
	((struct tcp *)ctx)->namespaces.n = 0;
}

static bool tcp__text(void *ctx, u32 label, const struct measure_value *v, char *buf, size_t size)
{
	const struct measure_label *l = &measure_table[MEASURE_TCP]->labels[label];
	struct tcp *t = ctx;

	if (l->word == TCP_LABEL_NETNS) {
		copy_str(buf, size, netns_names__get(&t->namespaces, (u32)v->value));
		return true;
	}
	if (l->word != TCP_LABEL_KIND || l->shift != TCP_SERVER_SHIFT)
		return false;
	services__text(&t->services, (u32)v->value, buf, size);
	return true;
}

const struct measure_hooks tcp_hooks = {
	.begin = tcp__begin,
	.end = tcp__end,
	.prepare = tcp__prepare,
	.attach = tcp__attach,
	.tick = tcp__tick,
	.health = tcp__health,
	.text = tcp__text,
};
