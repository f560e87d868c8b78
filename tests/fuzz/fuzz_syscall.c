// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls of another process: any number, any arguments, any bytes where a path should be. What is
 * written is one line of clean UTF-8 that a buffer of any size holds, and the same each time.
 */
#include "base/utf8.h"
#include "measures/syscall_args.h"
#include "tests/fuzz/fuzz.h"

#define SIZE 4096

/* A call with its two texts behind it, each up to a NUL. */
struct input {
	u8 abi;
	u8 nr[4];
	u64 args[SYSCALL_ARGS];
	u8 arg[SYSCALL_TEXTS];
} __attribute__((packed));

static void expect_clean(const char *text)
{
	u32 cp;

	if (!utf8__valid(text))
		abort();
	while ((cp = utf8__next(&text)))
		if (cp < ' ' || cp == 0x7f || utf8__deceives(cp))
			abort();
}

static void expect_cut(const struct syscall_call *call, const char *whole, size_t size)
{
	char *small = malloc(size); /* so that ASan sees what is beyond */

	syscall_args__text(call, small, size);
	if (!memchr(small, '\0', size) || (strlen(whole) < size && strcmp(whole, small)))
		abort();
	expect_clean(small);
	free(small);
}

static void expect_masks(const struct syscall_call *call)
{
	u8 paths, fds;

	syscall_args__masks(call->abi, call->nr, &paths, &fds);
	if (paths & fds || (paths | fds) >> SYSCALL_ARGS)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in;
	char *texts, *second, whole[SIZE], ret[64];
	struct syscall_call call = {0};

	if (size < sizeof(in))
		return fuzz__through(false);
	memcpy(&in, data, sizeof(in));
	texts = fuzz__string_and(data + sizeof(in), size - sizeof(in), &second);
	call.abi = in.abi;
	memcpy(&call.nr, in.nr, sizeof(call.nr));
	memcpy(call.args, in.args, sizeof(call.args));
	call.texts[0].arg = in.arg[0];
	call.texts[0].text = texts;
	call.texts[1].arg = in.arg[1];
	call.texts[1].text = second;
	syscall_args__text(&call, whole, sizeof(whole));
	expect_clean(whole);
	if (whole[strlen(whole) - 1] != ')')
		abort();
	expect_cut(&call, whole, 1 + call.args[0] % 300);
	expect_masks(&call);
	syscall_ret__text((s64)call.args[1], ret, sizeof(ret));
	expect_clean(ret);
	free(texts);
	return fuzz__through(true);
}
