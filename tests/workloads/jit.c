/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: all CPU time is in code made at run time, which /tmp/perf-PID.map names
 * "jit_loop<a;b>". A second argument makes the map at least so many bytes long.
 */
#include <sys/mman.h>

#include "work.h"

#if defined(__x86_64__)
/* push rbp; mov rbp,rsp; 1: dec rdi; jnz 1b; pop rbp; ret */
static const uint8_t code[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0xff, 0xcf, 0x75, 0xfb, 0x5d, 0xc3};
#elif defined(__aarch64__)
/* 1: subs x0,x0,#1; b.ne 1b; ret */
static const uint32_t code[] = {0xf1000400, 0x54ffffe1, 0xd65f03c0};
#else
#error "no code for this machine"
#endif

static int write_map(const char *path, const void *at, long bytes)
{
	FILE *f = fopen(path, "w");
	unsigned long filler = 0x10000;

	if (!f)
		return -1;
	fprintf(f, "%lx %zx jit_loop<a;b>\n", (unsigned long)at, sizeof(code));
	for (; ftell(f) < bytes; filler += 64)
		fprintf(f, "%lx 40 made_up_function_of_no_use_%lx\n", filler, filler);
	return fclose(f);
}

int main(int argc, char **argv)
{
	double seconds = work__begin(argc, argv, 10);
	uint8_t *page =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*jit_loop)(uint64_t);
	char path[64];

	if (page == MAP_FAILED)
		return 1;
	memcpy(page, code, sizeof(code));
	if (mprotect(page, 4096, PROT_READ | PROT_EXEC))
		return 1;
	__builtin___clear_cache((char *)page, (char *)page + sizeof(code));
	jit_loop = (void (*)(uint64_t))page;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	if (write_map(path, page, argc > 2 ? atol(argv[2]) : 0))
		return 1;
	work__ready();
	for (uint64_t end = wall_ns() + (uint64_t)(seconds * 1e9); wall_ns() < end;)
		jit_loop(BURN_ROUNDS);
	unlink(path);
	puts("{}");
	return 0;
}
