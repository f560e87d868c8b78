// SPDX-License-Identifier: GPL-2.0-only
#include "sources/uprobe_count.h"

#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <unistd.h>

#include "base/arena.h"
#include "sources/rate_guard.h"

#define KEY_AT (-4) /* on the stack */

static int load(int map_fd)
{
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
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = UPROBE_MULTI_TYPE);

	return bpf_prog_load(BPF_PROG_TYPE_KPROBE, "calls_counted", "GPL", insns, ARRAY_SIZE(insns),
			     &opts);
}

bool uprobe_count__open(struct uprobe_count *c)
{
	c->map_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "calls_counted", sizeof(u32), sizeof(u64), 1,
				   NULL);
	c->prog_fd = c->map_fd > 0 ? load(c->map_fd) : 0;
	if (c->prog_fd > 0)
		return true;
	uprobe_count__close(c);
	return false;
}

static int add_link(struct uprobe_count *c, const struct uprobe_set *set)
{
	int fd = uprobe__attach_set(c->prog_fd, set);

	if (fd < 0)
		return fd;
	c->links = xgrow(c->links, c->n, &c->cap, sizeof(*c->links));
	c->links[c->n++] = fd;
	return 0;
}

void uprobe_count__add(struct uprobe_count *c, const struct uprobe_set *set)
{
	add_link(c, set);
}

u64 uprobe_count__sum(const struct uprobe_count *c)
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
	struct uprobe_count *c = ctx;

	close(c->links[--c->n]);
}

u64 uprobe_count__cost(struct uprobe_count *c)
{
	static u64 known;

	if (!known && c->prog_fd > 0)
		known = rate_guard__cost(attach_own, detach_own, c);
	return known;
}

void uprobe_count__close(struct uprobe_count *c)
{
	for (u32 i = 0; i < c->n; i++)
		close(c->links[i]);
	free(c->links);
	if (c->prog_fd > 0)
		close(c->prog_fd);
	if (c->map_fd > 0)
		close(c->map_fd);
	*c = (struct uprobe_count){0};
}
