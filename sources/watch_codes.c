// SPDX-License-Identifier: GPL-2.0-only
#include "sources/watch_codes.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"

#define CODES_MAX 4096

static void name_code(const struct address_names *names, struct watch_code *c, u64 at)
{
	struct address_name name;

	snprintf(c->name, sizeof(c->name), at >> 63 ? "[kernel]" : "0x%llx", (unsigned long long)at);
	if (at >> 63 || !names || !names->find(names, c->pid, at, &name))
		return;
	if (name.symbol)
		copy_str(c->name, sizeof(c->name), name.text);
	else
		snprintf(c->name, sizeof(c->name), "%.90s+0x%llx", name.text, (unsigned long long)name.offset);
	if (!names->line(names, c->pid, at, c->line, sizeof(c->line)))
		c->line[0] = '\0';
}

const struct watch_code *watch_codes__find(struct watch_codes *c, u32 pid, u64 at, bool executed)
{
	struct watch_code *code;

	for (u32 i = 0; i < c->n; i++)
		if (c->v[i].pid == pid && c->v[i].at == at)
			return &c->v[i];
	if (c->n == CODES_MAX)
		c->n = 0;
	c->v = xgrow(c->v, c->n, &c->cap, sizeof(*c->v));
	code = &c->v[c->n++];
	*code = (struct watch_code){.pid = pid, .at = at};
	/* The processor stops behind what it executed, but before what it is to execute. */
	name_code(c->names, code, executed ? at : at - 1);
	return code;
}

void watch_codes__fini(struct watch_codes *c)
{
	free(c->v);
}

#if defined(__x86_64__)
static const char *const reg_names[] = {"r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10", "r9", "r8", "rax",
					"rcx", "rdx", "rsi", "rdi", NULL, "rip", NULL, "eflags", "rsp", NULL};
#elif defined(__aarch64__)
static const char *const reg_names[] = {"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11",
					"x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22",
					"x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp", "pc", "pstate"};
#else
static const char *const reg_names[] = {NULL};
#endif
_Static_assert(ARRAY_SIZE(reg_names) <= WATCH_REGS, "registers are kept");

void watch_last__regs(const struct watch_last *last, char *buf, size_t size)
{
	size_t n = 0;

	*buf = '\0';
	for (u32 i = 0; i < ARRAY_SIZE(reg_names) && n < size; i++)
		if (reg_names[i])
			n += (size_t)snprintf(buf + n, size - n, "%s%s=0x%llx", n ? " " : "", reg_names[i],
					      (unsigned long long)last->regs[i]);
}
