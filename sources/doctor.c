// SPDX-License-Identifier: GPL-2.0-only
#include "sources/doctor.h"

#include <bpf/libbpf.h>
#include <stdarg.h>

#include "base/arena.h"
#include "sources/doctor_checks.h"

void checks__add(struct checks *c, const char *group, const char *name, enum check_state state,
		 const char *remedy, const char *fmt, ...)
{
	struct check *k;
	va_list ap;

	c->items = xrealloc(c->items, (c->n + 1) * sizeof(*c->items));
	k = &c->items[c->n++];
	*k = (struct check){.group = group, .name = name, .state = state};
	va_start(ap, fmt);
	vsnprintf(k->detail, sizeof(k->detail), fmt, ap);
	va_end(ap);
	copy_str(k->remedy, sizeof(k->remedy), remedy);
}

const struct check *checks__find(const struct checks *c, const char *group, const char *name)
{
	for (u32 i = 0; i < c->n; i++)
		if (!strcmp(c->items[i].group, group) && !strcmp(c->items[i].name, name))
			return &c->items[i];
	return NULL;
}

bool doctor__may_load(void)
{
	u64 caps = caps__effective(), both = 1ULL << CAP_BPF | 1ULL << CAP_PERFMON;

	return caps & 1ULL << CAP_SYS_ADMIN || (caps & both) == both;
}

static int drop_message(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return 0;
}

u32 doctor__run(struct check **out)
{
	libbpf_print_fn_t before = libbpf_set_print(drop_message);
	struct checks c = {0};

	doctor__machine(&c);
	doctor__probes(&c);
	doctor__symbols(&c);
	doctor__terminal(&c);
	doctor__views(&c);
	libbpf_set_print(before);
	*out = c.items;
	return c.n;
}
