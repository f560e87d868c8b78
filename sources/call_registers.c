// SPDX-License-Identifier: GPL-2.0-only
#include "sources/call_registers.h"

#include <asm/ptrace.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define RING_BYTES (64 * 1024)

#if defined(__x86_64__)
#define WORDS (sizeof(struct pt_regs) / 8)
#else
#define WORDS (sizeof(struct user_pt_regs) / 8)
#endif

/* Each register to the stack, and the whole to the ring. What finds no room is left out. */
static int load(int ring_fd)
{
	const struct bpf_insn tail[] = {
		{.code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = BPF_REG_1, .src_reg = BPF_PSEUDO_MAP_FD,
		 .imm = ring_fd},
		{0},
		{.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_10},
		{.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_2, .imm = -8 * (int)WORDS},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3, .imm = 8 * (int)WORDS},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_4, .imm = BPF_RB_NO_WAKEUP},
		{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_ringbuf_output},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	struct bpf_insn insns[2 * WORDS + ARRAY_SIZE(tail)];
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = UPROBE_MULTI_TYPE);

	for (u32 i = 0; i < WORDS; i++) {
		insns[2 * i] = (struct bpf_insn){.code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_2,
						 .src_reg = BPF_REG_1, .off = (__s16)(8 * i)};
		insns[2 * i + 1] = (struct bpf_insn){.code = BPF_STX | BPF_MEM | BPF_DW,
						     .dst_reg = BPF_REG_10, .src_reg = BPF_REG_2,
						     .off = (__s16)(8 * i - 8 * WORDS)};
	}
	memcpy(insns + 2 * WORDS, tail, sizeof(tail));
	return bpf_prog_load(BPF_PROG_TYPE_KPROBE, "call_registers", "GPL", insns, ARRAY_SIZE(insns), &opts);
}

struct reading {
	void (*each)(void *ctx, const u64 *words, u32 n);
	void *ctx;
};

static int put(void *ctx, void *data, size_t size)
{
	const struct reading *r = ctx;

	r->each(r->ctx, data, (u32)(size / sizeof(u64)));
	return 0;
}

static int watch(int prog_fd, int ring_fd, const struct uprobe_set *set, u64 ns, struct reading *r)
{
	struct ring_buffer *ring = ring_buffer__new(ring_fd, put, r, NULL);
	int link = ring ? uprobe__attach_set(prog_fd, set) : -errno;

	if (link >= 0) {
		nanosleep(&(struct timespec){.tv_nsec = (long)MIN(ns, NSEC_PER_SEC - 1)}, NULL);
		close(link);
		ring_buffer__consume(ring);
	}
	ring_buffer__free(ring);
	return MIN(link, 0);
}

int call_registers__take(const struct uprobe_set *set, u64 ns,
			 void (*each)(void *ctx, const u64 *words, u32 n), void *ctx)
{
	int ring_fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "call_registers", 0, 0, RING_BYTES, NULL);
	int prog_fd = ring_fd < 0 ? ring_fd : load(ring_fd);
	struct reading r = {each, ctx};
	int err = prog_fd < 0 ? prog_fd : watch(prog_fd, ring_fd, set, ns, &r);

	if (prog_fd >= 0)
		close(prog_fd);
	if (ring_fd >= 0)
		close(ring_fd);
	return err;
}
