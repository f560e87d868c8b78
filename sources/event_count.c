// SPDX-License-Identifier: GPL-2.0-only
#include "sources/event_count.h"

#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <unistd.h>

#include "base/arena.h"
#include "sources/event_links.h"
#include "sources/rate_guard.h"

#define KEY_AT (-4) /* on the stack */

static int load(struct event_count *c, const struct event_link_type *type)
{
	int map_fd = c->map_fd;
	const struct bpf_insn insns[] = {
		{.code = BPF_ST | BPF_MEM | BPF_W, .dst_reg = BPF_REG_10, .off = KEY_AT},
		{.code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = BPF_REG_1, .src_reg = BPF_PSEUDO_MAP_FD,
		 .imm = map_fd},
		{0},
		{.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_10},
		{.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_2, .imm = KEY_AT},
		{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_map_lookup_elem},
		{.code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_0, .off = 2},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1, .imm = 1},
		{.code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = BPF_REG_0, .src_reg = BPF_REG_1,
		 .imm = BPF_ADD},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = type->returns},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = type->attach);

	return bpf_prog_load(type->prog, "events_counted", "GPL", insns, ARRAY_SIZE(insns), &opts);
}

static bool open_map(struct event_count *c)
{
	if (c->map_fd <= 0)
		c->map_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "events_counted", sizeof(u32), sizeof(u64),
					   1, NULL);
	return c->map_fd > 0;
}

bool event_count__open(struct event_count *c)
{
	c->prog_fd = open_map(c) ? load(c, &event_link_calls) : 0;
	if (c->prog_fd > 0)
		return true;
	event_count__close(c);
	return false;
}

static int keep_link(struct event_count *c, int fd)
{
	if (fd < 0)
		return fd;
	c->links = xgrow(c->links, c->n, &c->cap, sizeof(*c->links));
	c->links[c->n++] = fd;
	return 0;
}

static int add_link(struct event_count *c, const struct uprobe_set *set)
{
	return keep_link(c, uprobe__attach_set(c->prog_fd, set));
}

/* Whether there is a program of the type. */
static bool has_program(struct event_count *c, int *fd, const struct event_link_type *type)
{
	if (!*fd && open_map(c))
		*fd = load(c, type);
	return *fd > 0;
}

void event_count__add_tracepoint(struct event_count *c, const char *name)
{
	if (has_program(c, &c->tracepoint_fd, &event_link_tracepoint))
		keep_link(c, event_link__tracepoint(c->tracepoint_fd, name));
}

void event_count__add_raw(struct event_count *c, const char *name)
{
	if (has_program(c, &c->raw_fd, &event_link_raw))
		keep_link(c, event_link__raw(c->raw_fd, name));
}

void event_count__add_kernel(struct event_count *c, const char *function, bool returns)
{
	if (has_program(c, &c->kernel_fd, &event_link_kernel))
		keep_link(c, event_link__kernel(c->kernel_fd, function, returns));
}

void event_count__add(struct event_count *c, const struct uprobe_set *set)
{
	add_link(c, set);
}

u64 event_count__sum(const struct event_count *c)
{
	u32 key = 0;
	u64 n = 0;

	if (c->map_fd > 0)
		bpf_map_lookup_elem(c->map_fd, &key, &n);
	return n;
}

static int attach_own(void *ctx, const char *path, u64 offset)
{
	const struct uprobe_set set = {.path = path, .offsets = &offset, .n = 1, .pid = (u32)getpid()};

	return add_link(ctx, &set);
}

static void detach_own(void *ctx)
{
	struct event_count *c = ctx;

	close(c->links[--c->n]);
}

u64 event_count__cost(struct event_count *c)
{
	static u64 known; /* two threads may measure it */
	u64 cost = __atomic_load_n(&known, __ATOMIC_RELAXED);

	if (!cost && c->prog_fd > 0) {
		cost = rate_guard__cost(attach_own, detach_own, c);
		__atomic_store_n(&known, cost, __ATOMIC_RELAXED);
	}
	return cost;
}

void event_count__close(struct event_count *c)
{
	const int fds[] = {c->prog_fd, c->tracepoint_fd, c->raw_fd, c->kernel_fd, c->map_fd};

	for (u32 i = 0; i < c->n; i++)
		close(c->links[i]);
	free(c->links);
	for (u32 i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] > 0)
			close(fds[i]);
	*c = (struct event_count){0};
}
