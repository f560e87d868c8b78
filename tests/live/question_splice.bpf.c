// SPDX-License-Identifier: GPL-2.0-only
/* A program with a place for the code of a question, as the source's have it; for
 * question_splice_test.c, which runs it with a frame of its own making. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "bpf/question_eval.bpf.h"

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct question_frame);
} frames SEC(".maps");

SEC("question")
int ask(void *ctx)
{
	__u32 zero = 0;
	struct question_frame *frame = bpf_map_lookup_elem(&frames, &zero);

	return frame ? question__eval(ctx, frame) : -1;
}
