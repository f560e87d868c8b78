/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: all time is in forged_frames, whose callers by frame pointer are words that are no
 * addresses of a user: with each of the upper bits set that bpf/script.h marks words with.
 */
#include "work.h"

/* Pairs as a frame has them: where the next one is, and where to return to. */
static uint64_t frames[][2] = {
	{0, 0xa2bed485f3d60000}, {0, 0x8000000000000001}, {0, 0xffffffffffffffff},
	{0, 0x4000000000000007}, {0, 0xbfffffffffffffff}, {0, 0x7fffffffffffffff},
};
#define NFRAMES (sizeof(frames) / sizeof(frames[0]))

/* forged_frames(frame, rounds): runs with the frame pointer it is given. */
void forged_frames(const void *frame, uint64_t rounds);
#if defined(__x86_64__)
asm(".text\n.globl forged_frames\n.type forged_frames, @function\n"
    "forged_frames:\n\tpush %rbp\n\tmov %rdi, %rbp\n"
    "1:\tdec %rsi\n\tjnz 1b\n\tpop %rbp\n\tret\n"
    ".size forged_frames, .-forged_frames\n");
#elif defined(__aarch64__)
asm(".text\n.globl forged_frames\n.type forged_frames, %function\n"
    "forged_frames:\n\tmov x9, x29\n\tmov x29, x0\n"
    "1:\tsubs x1, x1, #1\n\tb.ne 1b\n\tmov x29, x9\n\tret\n"
    ".size forged_frames, .-forged_frames\n");
#endif

int main(int argc, char **argv)
{
	uint64_t until = wall_ns() + (uint64_t)(work__begin(argc, argv, 10) * SECOND);

	work__ready();
	/* Chains of each length in turn, so that each word is the outermost one at times. */
	for (size_t n = 0; wall_ns() < until; n = (n + 1) % NFRAMES) {
		for (size_t i = 0; i < NFRAMES; i++)
			frames[i][0] = i < n ? (uint64_t)frames[i + 1] : 0;
		forged_frames(frames, 2000000);
	}
	return 0;
}
