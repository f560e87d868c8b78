// SPDX-License-Identifier: GPL-2.0-only
#include "sources/context_words.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "sources/event_links.h"

#define RING_BYTES (64 * 1024)
#define INSNS_MAX  (2 * CONTEXT_WORDS_MAX + CONTEXT_TEXTS * (CONTEXT_TEXT / 8 + 5) + 12)

/* --- the program --- */

struct program {
	struct bpf_insn v[INSNS_MAX];
	u32 n;
};

static void emit(struct program *p, struct bpf_insn insn)
{
	p->v[p->n++] = insn;
}

static void move(struct program *p, u8 to, u8 from)
{
	emit(p, (struct bpf_insn){.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = to, .src_reg = from});
}

static void set(struct program *p, u8 reg, s32 n)
{
	emit(p, (struct bpf_insn){.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = reg, .imm = n});
}

/* The address of what is on the stack. */
static void point(struct program *p, u8 reg, s32 at)
{
	move(p, reg, BPF_REG_10);
	emit(p, (struct bpf_insn){.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = reg, .imm = at});
}

static void call(struct program *p, s32 helper)
{
	emit(p, (struct bpf_insn){.code = BPF_JMP | BPF_CALL, .imm = helper});
}

static void load_word(struct program *p, u8 reg, u8 from, s32 at)
{
	emit(p, (struct bpf_insn){.code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = reg, .src_reg = from,
				  .off = (__s16)at});
}

static void read_text(struct program *p, s32 at, s32 word_at, bool user)
{
	for (s32 i = 0; i < CONTEXT_TEXT; i += 8)
		emit(p, (struct bpf_insn){.code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10,
					  .off = (__s16)(at + i)});
	point(p, BPF_REG_1, at);
	set(p, BPF_REG_2, CONTEXT_TEXT);
	load_word(p, BPF_REG_3, BPF_REG_10, word_at);
	call(p, user ? BPF_FUNC_probe_read_user_str : BPF_FUNC_probe_read_kernel_str);
}

static u32 bytes_of(const struct context_words *w)
{
	return 8 * w->n + CONTEXT_TEXT * w->ntexts;
}

/* Each word to the stack, the strings behind them, and the whole to the ring. What finds no room is left out. */
static void make(struct program *p, const struct context_words *w, int ring_fd, int returns)
{
	s32 begin = -(s32)bytes_of(w), texts = begin + 8 * (s32)w->n;

	move(p, BPF_REG_6, BPF_REG_1);
	for (u32 i = 0; i < w->n; i++) {
		load_word(p, BPF_REG_2, BPF_REG_6, (s32)(8 * (w->skipped + i)));
		emit(p, (struct bpf_insn){.code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10,
					  .src_reg = BPF_REG_2, .off = (__s16)(begin + 8 * (s32)i)});
	}
	for (u32 i = 0; i < w->ntexts; i++)
		read_text(p, texts + CONTEXT_TEXT * (s32)i, begin + 8 * (s32)w->texts[i].word, w->texts[i].user);
	emit(p, (struct bpf_insn){.code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = BPF_REG_1,
				  .src_reg = BPF_PSEUDO_MAP_FD, .imm = ring_fd});
	emit(p, (struct bpf_insn){0});
	point(p, BPF_REG_2, begin);
	set(p, BPF_REG_3, -begin);
	set(p, BPF_REG_4, BPF_RB_NO_WAKEUP);
	call(p, BPF_FUNC_ringbuf_output);
	set(p, BPF_REG_0, returns);
	emit(p, (struct bpf_insn){.code = BPF_JMP | BPF_EXIT});
}

/* --- its run --- */

/* Where it is attached: by a descriptor that detaches when it is closed, or -errno. */
struct place {
	struct event_link_type type;
	int (*attach)(const struct place *at, int prog_fd);
	const struct uprobe_set *calls;
	const char *name;
	bool returns;
};

struct reading {
	context_words_fn *each;
	void *ctx;
};

static int put(void *ctx, void *data, size_t size)
{
	const struct reading *r = ctx;

	r->each(r->ctx, data, (u32)size);
	return 0;
}

static int watch(int prog_fd, int ring_fd, const struct place *at, u64 ns, struct reading *r)
{
	struct ring_buffer *ring = ring_buffer__new(ring_fd, put, r, NULL);
	int link = ring ? at->attach(at, prog_fd) : -errno;

	if (link >= 0) {
		nanosleep(&(struct timespec){.tv_nsec = (long)MIN(ns, NSEC_PER_SEC - 1)}, NULL);
		close(link);
		ring_buffer__consume(ring);
	}
	ring_buffer__free(ring);
	return MIN(link, 0);
}

static int take(const struct context_words *w, const struct place *at, u64 ns, context_words_fn *each,
		void *ctx)
{
	int ring_fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "context_words", 0, 0, RING_BYTES, NULL);
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = at->type.attach);
	struct reading r = {each, ctx};
	struct program p = {0};
	int prog_fd, err;

	if (ring_fd < 0)
		return ring_fd;
	make(&p, w, ring_fd, at->type.returns);
	prog_fd = bpf_prog_load(at->type.prog, "context_words", "GPL", p.v, p.n, &opts);
	err = prog_fd < 0 ? prog_fd : watch(prog_fd, ring_fd, at, ns, &r);
	if (prog_fd >= 0)
		close(prog_fd);
	close(ring_fd);
	return err;
}

static int attach_calls(const struct place *at, int prog_fd)
{
	return uprobe__attach_set(prog_fd, at->calls);
}

int context_words__of_calls(const struct context_words *w, const struct uprobe_set *set_, u64 ns,
			    context_words_fn *each, void *ctx)
{
	const struct place at = {.type = event_link_calls, .attach = attach_calls, .calls = set_};

	return take(w, &at, ns, each, ctx);
}

static int attach_kernel(const struct place *at, int prog_fd)
{
	return event_link__kernel(prog_fd, at->name, at->returns);
}

int context_words__of_kernel(const struct context_words *w, const char *function, bool returns, u64 ns,
			     context_words_fn *each, void *ctx)
{
	const struct place at = {
		.type = event_link_kernel, .attach = attach_kernel, .name = function, .returns = returns};

	return take(w, &at, ns, each, ctx);
}

static int attach_tracepoint(const struct place *at, int prog_fd)
{
	return event_link__tracepoint(prog_fd, at->name);
}

int context_words__of_tracepoint(const struct context_words *w, const char *name, u64 ns,
				 context_words_fn *each, void *ctx)
{
	const struct place at = {.type = event_link_tracepoint, .attach = attach_tracepoint, .name = name};

	return take(w, &at, ns, each, ctx);
}

static int attach_raw(const struct place *at, int prog_fd)
{
	return event_link__raw(prog_fd, at->name);
}

int context_words__of_raw(const struct context_words *w, const char *name, u64 ns, context_words_fn *each,
			  void *ctx)
{
	const struct place at = {.type = event_link_raw, .attach = attach_raw, .name = name};

	return take(w, &at, ns, each, ctx);
}
