/* SPDX-License-Identifier: GPL-2.0-only */
/* Code of a question as a program of its own: in front of it what gives it its context and a frame.
 */
#ifndef TESTS_LIB_QUESTION_LOAD_H
#define TESTS_LIB_QUESTION_LOAD_H

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "base/arena.h"
#include "questions/generate.h"

struct question_machine {
	int frame_fd;
	struct question_frame *frame; /* the program's */
};

static inline void question_machine__open(struct question_machine *m)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);

	m->frame_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "question_frame", 4, sizeof(*m->frame), 1,
				     &opts);
	assert_true(m->frame_fd >= 0);
	m->frame =
		mmap(NULL, sizeof(*m->frame), PROT_READ | PROT_WRITE, MAP_SHARED, m->frame_fd, 0);
	assert_true(m->frame != MAP_FAILED);
}

static inline void question_machine__close(struct question_machine *m)
{
	munmap(m->frame, sizeof(*m->frame));
	close(m->frame_fd);
}

/* WORD_TASK is filled; all else in the frame is the caller's. The program, or a message and -1. */
static inline int question__load(const struct question_machine *m, enum bpf_prog_type type,
				 const struct eval_code *code)
{
	static char log[1 << 20];
	LIBBPF_OPTS(bpf_prog_load_opts, opts);
	const struct bpf_insn head[] = {
		{.code = 0xbf, .dst_reg = 6, .src_reg = 1},  /* r6 = ctx */
		{.code = 0x62, .dst_reg = 10, .off = -4},    /* *(u32 *)(r10 - 4) = 0 */
		{.code = 0xbf, .dst_reg = 2, .src_reg = 10}, /* r2 = r10 */
		{.code = 0x07, .dst_reg = 2, .imm = -4},     /* r2 += -4 */
		{.code = 0x18, .dst_reg = 1, .src_reg = 1, .imm = m->frame_fd}, /* r1 = map */
		{.code = 0},
		{.code = 0x85, .imm = BPF_FUNC_map_lookup_elem},
		{.code = 0x55, .off = 1}, /* if r0 != 0 skip the exit */
		{.code = 0x95},
		{.code = 0xbf, .dst_reg = 7, .src_reg = 0}, /* r7 = frame */
		{.code = 0x85, .imm = BPF_FUNC_get_current_task},
		{.code = 0x7b,
		 .dst_reg = 7,
		 .off = offsetof(struct question_frame, words[WORD_TASK])},
	};
	u32 n = ARRAY_SIZE(head) + code->ninsns;
	struct bpf_insn *insns = xcalloc(n, sizeof(*insns));
	size_t len;
	int fd;

	memcpy(insns, head, sizeof(head));
	memcpy(insns + ARRAY_SIZE(head), code->insns, code->ninsns * sizeof(*insns));
	fd = bpf_prog_load(type, "question", "GPL", insns, n, &opts);
	if (fd < 0) {
		opts.log_buf = log;
		opts.log_size = sizeof(log);
		opts.log_level = 1;
		bpf_prog_load(type, "question", "GPL", insns, n, &opts);
		len = strlen(log);
		print_message("%s\n", log + (len > 3000 ? len - 3000 : 0));
	}
	free(insns);
	return fd;
}

#endif
