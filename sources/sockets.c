// SPDX-License-Identifier: GPL-2.0-only
/* Sockets: whose they are that were there at the begin or were never used, names of services. */
#include <bpf/libbpf.h>
#include <errno.h>
#include <netinet/in.h>

#include "base/arena.h"
#include "base/log.h"
#include "base/services.h"
#include "bpf/sockets.h"
#include "sources/bpf_globals.h"
#include "sources/bpf_probe.h"
#include "sources/bpf_visit.h"
#include "sources/kernel_btf.h"
#include "sources/measures.h"

struct sockets {
	struct services tcp, udp;
	struct bpf_object *obj;
	volatile u32 *orphans;
};

static void *sockets__begin(const struct measure *m, const struct sampling *how)
{
	struct sockets *s = xcalloc(1, sizeof(*s));

	services__read(&s->tcp, "tcp");
	services__read(&s->udp, "udp");
	return s;
}

static void sockets__end(void *ctx)
{
	struct sockets *s = ctx;

	services__fini(&s->tcp);
	services__fini(&s->udp);
	free(s);
}

static struct bpf_program *program(struct bpf_object *obj, const char *name)
{
	return bpf_object__find_program_by_name(obj, name);
}

/* Those on functions that this kernel has are for what its tracepoints do not tell. */
static bool choose_functions(struct bpf_object *obj, const struct btf *btf, bool has_events)
{
	struct bpf_program *prog;
	bool any = false;

	bpf_object__for_each_program(prog, obj)
	{
		const char *function = strchr(bpf_program__section_name(prog), '/') + 1;
		bool wanted = !has_events || !strcmp(function, "inet_sendpage");

		if (bpf_program__expected_attach_type(prog) != BPF_TRACE_FEXIT)
			continue;
		wanted &= btf && kernel_btf__parameters(btf, function);
		bpf_program__set_autoload(prog, wanted);
		any |= wanted;
	}
	return any;
}

static int sockets__prepare(void *ctx, struct bpf_object *obj, struct status *st)
{
	struct btf *btf = kernel_btf__get();
	bool has_events = btf && kernel_btf__arguments(btf, "sock_send_length");
	bool on_functions = choose_functions(obj, btf, has_events);

	kernel_btf__put(btf);
	if (!has_events && (!on_functions || bpf_probe__loads("probe_fentry", NULL)))
		return status__set(st, EXIT_CODE_UNSUPPORTED, -EOPNOTSUPP,
				   "what sockets send and receive is told by tracepoints of Linux 6.3 on, or by "
				   "programs on kernel functions (fentry): this kernel has neither");
	bpf_program__set_autoload(program(obj, "sockets_send"), has_events);
	bpf_program__set_autoload(program(obj, "sockets_receive"), has_events);
	bpf_program__set_autoattach(program(obj, "sockets_files"), false);
	bpf_program__set_autoattach(program(obj, "sockets_rest"), false);
	bpf_program__set_autoload(program(obj, "sockets_rest"), bpf_probe__map_iterators());
	return 0;
}

static int sockets__attach(void *ctx, struct bpf_object *obj, struct status *st)
{
	struct sockets *s = ctx;

	s->obj = obj;
	s->orphans = bpf_globals__find(obj, "orphans", sizeof(*s->orphans));
	return bpf_visit__once(program(obj, "sockets_files"), -1, st);
}

/* Whose the sockets are that dropped something before anybody used them. */
static void sockets__flush(void *ctx)
{
	struct sockets *s = ctx;
	struct bpf_program *rest = program(s->obj, "sockets_rest");
	struct status st = {0};

	if (!s->orphans || !*s->orphans)
		return;
	*s->orphans = 0;
	if (bpf_visit__once(program(s->obj, "sockets_files"), -1, &st) ||
	    (bpf_program__autoload(rest) &&
	     bpf_visit__once(rest, bpf_object__find_map_fd_by_name(s->obj, "owners"), &st)))
		log__add(LOG_WARN, "drops of sockets that nobody has used yet are not known: %s", st.msg);
}

static void sockets__health(void *ctx, struct health *h)
{
	if (!bpf_probe__map_iterators())
		health__say(h, "this kernel refuses iterators over maps: drops of sockets that no process has "
			       "open are not seen");
}

static bool sockets__text(void *ctx, u32 label, const struct measure_value *v, char *buf, size_t size)
{
	const struct measure_label *l = &measure_table[MEASURE_SOCKETS]->labels[label];
	bool is_tcp = (u16)v->words[SOCKETS_LABEL_KIND] == IPPROTO_TCP;
	struct sockets *s = ctx;

	if (l->word != SOCKETS_LABEL_KIND || l->shift != SOCKETS_SERVICE_SHIFT || !v->value)
		return false;
	services__text(is_tcp ? &s->tcp : &s->udp, (u32)v->value, buf, size);
	return true;
}

const struct measure_hooks sockets_hooks = {
	.begin = sockets__begin,
	.end = sockets__end,
	.prepare = sockets__prepare,
	.attach = sockets__attach,
	.flush = sockets__flush,
	.health = sockets__health,
	.text = sockets__text,
};
