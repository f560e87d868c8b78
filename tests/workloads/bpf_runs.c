// SPDX-License-Identifier: GPL-2.0-only
/*
 * A BPF program whose runs are known: bpf_runs SECONDS. Its map holds 25 of 100 entries. For each
 * line on its standard input, a number, the program runs so often; then a line says how many runs
 * the kernel has counted (it counts while statistics are on).
 */
#include <errno.h>
#include <linux/bpf.h>
#include <sys/syscall.h>

#include "work.h"

#define ENTRIES 100
#define USED	25

static int bpf(enum bpf_cmd cmd, union bpf_attr *attr)
{
	int n = (int)syscall(SYS_bpf, cmd, attr, sizeof(*attr));

	if (n < 0) {
		fprintf(stderr, "bpf(%d): %s\n", cmd, strerror(errno));
		exit(1);
	}
	return n;
}

static int make_map(void)
{
	union bpf_attr attr = {.map_type = BPF_MAP_TYPE_HASH,
			       .key_size = 4,
			       .value_size = 8,
			       .max_entries = ENTRIES,
			       .map_name = "known_fill"};
	int fd = bpf(BPF_MAP_CREATE, &attr);

	for (uint32_t key = 0; key < USED; key++) {
		uint64_t value = key;

		attr = (union bpf_attr){.map_fd = (uint32_t)fd,
					.key = (uint64_t)(uintptr_t)&key,
					.value = (uint64_t)(uintptr_t)&value};
		bpf(BPF_MAP_UPDATE_ELEM, &attr);
	}
	return fd;
}

/* Looks an entry up, so that the map is the program's. */
static int make_program(int map)
{
	const struct bpf_insn insns[] = {
		{.code = BPF_ST | BPF_MEM | BPF_W, .dst_reg = BPF_REG_10, .off = -4},
		{.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_10},
		{.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_2, .imm = -4},
		{.code = BPF_LD | BPF_DW | BPF_IMM,
		 .dst_reg = BPF_REG_1,
		 .src_reg = BPF_PSEUDO_MAP_FD,
		 .imm = map},
		{0},
		{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_map_lookup_elem},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	union bpf_attr attr = {.prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
			       .insns = (uint64_t)(uintptr_t)insns,
			       .insn_cnt = sizeof(insns) / sizeof(insns[0]),
			       .license = (uint64_t)(uintptr_t)"GPL",
			       .prog_name = "known_runs"};

	return bpf(BPF_PROG_LOAD, &attr);
}

static struct bpf_prog_info info_of(int prog)
{
	struct bpf_prog_info info = {0};
	union bpf_attr attr = {.info = {.bpf_fd = (uint32_t)prog,
					.info_len = sizeof(info),
					.info = (uint64_t)(uintptr_t)&info}};

	bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
	return info;
}

static void run(int prog, uint32_t times)
{
	char packet[64] = {0};
	union bpf_attr attr = {.test = {.prog_fd = (uint32_t)prog,
					.repeat = times,
					.data_size_in = sizeof(packet),
					.data_in = (uint64_t)(uintptr_t)packet}};

	bpf(BPF_PROG_TEST_RUN, &attr);
}

int main(int argc, char **argv)
{
	int map = make_map(), prog = make_program(map);
	char line[32];

	(void)argc;
	(void)argv;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	printf("ready %d %u\n", getpid(), info_of(prog).id);
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		run(prog, (uint32_t)strtoul(line, NULL, 10));
		printf("%llu\n", (unsigned long long)info_of(prog).run_cnt);
		fflush(stdout);
	}
	return 0;
}
