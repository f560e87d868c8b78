// SPDX-License-Identifier: GPL-2.0-only
#include "tui/views/plumbing.h"

#include <stdio.h>

/* Those whose names end in the system call's come first. */
#define NAMED 5
static const char *const prefixes[] = {
	"__x64_sys_",	  "__arm64_sys_", "__ia32_sys_", "__do_sys_", "ksys_",	    "__se_sys_",
	"entry_SYSCALL_", "do_syscall_",  "x64_sys_call", "ia32_sys_call", "invoke_syscall", "el0_svc",
	"do_el0_svc",	  "el0t_64_sync",
};

static bool begins(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

static bool is_plumbing(const struct tree_node *n)
{
	for (u32 i = 0; n->func && i < ARRAY_SIZE(prefixes); i++)
		if (begins(n->name, prefixes[i]))
			return true;
	return false;
}

bool plumbing__is_hidden(const struct query_result *a, u32 node)
{
	const struct tree_node *n = &a->nodes[node];

	return n->nchildren == 1 && node + 1 < a->nnodes && a->nodes[node + 1].parent == node &&
	       is_plumbing(n) && is_plumbing(&a->nodes[node + 1]);
}

u32 plumbing__first(const struct query_result *a, u32 node)
{
	while (a->nodes[node].parent != UINT32_MAX && plumbing__is_hidden(a, a->nodes[node].parent))
		node = a->nodes[node].parent;
	return node;
}

const char *plumbing__text(const struct query_result *a, u32 node, char *buf, size_t size)
{
	u32 first = plumbing__first(a, node);

	if (first == node)
		return a->nodes[node].name;
	snprintf(buf, size, "system call");
	for (u32 i = first; i <= node; i++)
		for (u32 p = 0; p < NAMED; p++)
			if (begins(a->nodes[i].name, prefixes[p])) {
				snprintf(buf, size, "system call %s",
					 a->nodes[i].name + strlen(prefixes[p]));
				return buf;
			}
	return buf;
}
