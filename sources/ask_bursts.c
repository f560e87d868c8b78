// SPDX-License-Identifier: GPL-2.0-only
#include "sources/ask_bursts.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>

#include "base/cpus.h"
#include "bpf/question.h"
#include "sources/bpf_globals.h"

void ask_bursts__flush(struct bpf_object *obj)
{
	struct bpf_program *prog = bpf_object__find_program_by_name(obj, "question_flush");
	int fd = prog ? bpf_program__fd(prog) : -1;
	u32 *cpus = NULL, n = fd < 0 ? 0 : cpus__online(&cpus);

	for (u32 i = 0; i < n; i++) {
		LIBBPF_OPTS(bpf_test_run_opts, opts, .flags = BPF_F_TEST_RUN_ON_CPU, .cpu = cpus[i]);

		/* Of a CPU that went away meanwhile it comes with its next event. */
		bpf_prog_test_run_opts(fd, &opts);
	}
	free(cpus);
}

void ask_bursts__adapt(struct bpf_object *obj)
{
	volatile u64 *least = bpf_globals__find(obj, "burst_least", sizeof(*least));
	volatile u32 *n = bpf_globals__find(obj, "nbursts", sizeof(*n));

	if (!least || !n)
		return;
	if (*n < QUESTION_BURSTS_MAX / 4)
		*least = MAX(*least / 2, 1);
	*n = 0;
}
