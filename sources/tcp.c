// SPDX-License-Identifier: GPL-2.0-only
/* TCP connections: those that are there at the begin, names of services and of network namespaces. */
#include <bpf/libbpf.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/netns.h"
#include "bpf/tcp.h"
#include "sources/bpf_util.h"
#include "sources/bpf_visit.h"
#include "sources/measures.h"

#define SERVICES     "/etc/services"
#define PORTS	     65536
#define SERVICE_TEXT 24
#define NAMESPACES   64

struct tcp {
	char (*services)[SERVICE_TEXT]; /* by port; "": it has none */
	/* Of this interval; a namespace may be named at any time. */
	struct {
		u32 netns;
		char text[64];
	} namespaces[NAMESPACES];
	u32 nnamespaces;
};

/* "https 443/tcp ...": the first of a port counts. */
static void read_services(struct tcp *t)
{
	FILE *f = fopen(SERVICES, "re");
	char line[256], name[SERVICE_TEXT], protocol[8];
	u32 port;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%23[^# \t\n] %u/%7[a-z]", name, &port, protocol) == 3 &&
		    !strcmp(protocol, "tcp") && port < PORTS && !*t->services[port])
			copy_str(t->services[port], SERVICE_TEXT, name);
	if (f)
		fclose(f);
}

static void *tcp__begin(const struct measure *m, const struct sampling *how)
{
	struct tcp *t = xcalloc(1, sizeof(*t));

	(void)m;
	(void)how;
	t->services = xcalloc(PORTS, sizeof(*t->services));
	read_services(t);
	return t;
}

static void tcp__end(void *ctx)
{
	struct tcp *t = ctx;

	free(t->services);
	free(t);
}

static int tcp__prepare(void *ctx, struct bpf_object *obj, struct status *st)
{
	(void)ctx;
	(void)st;
	bpf_program__set_autoattach(bpf_object__find_program_by_name(obj, "tcp_files"), false);
	return 0;
}

/* Whose the sockets are that were there before. */
static int tcp__attach(void *ctx, struct bpf_object *obj, struct status *st)
{
	struct bpf_visit visit = {0};
	int err = bpf_visit__attach(&visit, bpf_object__find_program_by_name(obj, "tcp_files"), st);

	(void)ctx;
	if (!err)
		err = bpf_visit__run(&visit);
	if (err && !st->code)
		bpf_util__failed(err, "looking at open sockets", st);
	bpf_visit__fini(&visit);
	return err;
}

static const char *netns_name(struct tcp *t, u32 netns)
{
	u32 at = 0;

	while (at < t->nnamespaces && t->namespaces[at].netns != netns)
		at++;
	if (at < t->nnamespaces)
		return t->namespaces[at].text;
	if (at == NAMESPACES)
		at = t->nnamespaces = 0;
	t->namespaces[at].netns = netns;
	if (netns == netns__own())
		copy_str(t->namespaces[at].text, sizeof(t->namespaces[at].text), "[own]");
	else
		netns__text(netns, t->namespaces[at].text, sizeof(t->namespaces[at].text));
	t->nnamespaces = at + 1;
	return t->namespaces[at].text;
}

static void tcp__tick(void *ctx, struct bpf_object *obj)
{
	(void)obj;
	((struct tcp *)ctx)->nnamespaces = 0;
}

static bool tcp__text(void *ctx, u32 label, const struct measure_value *v, char *buf, size_t size)
{
	const struct measure_label *l = &measure_table[MEASURE_TCP]->labels[label];
	struct tcp *t = ctx;

	if (l->word == TCP_LABEL_NETNS) {
		copy_str(buf, size, netns_name(t, (u32)v->value));
		return true;
	}
	if (l->word != TCP_LABEL_KIND || l->shift != TCP_SERVER_SHIFT)
		return false;
	if (*t->services[v->value & (PORTS - 1)])
		copy_str(buf, size, t->services[v->value & (PORTS - 1)]);
	else
		snprintf(buf, size, "%u", (u32)v->value);
	return true;
}

const struct measure_hooks tcp_hooks = {
	.begin = tcp__begin,
	.end = tcp__end,
	.prepare = tcp__prepare,
	.attach = tcp__attach,
	.tick = tcp__tick,
	.text = tcp__text,
};
