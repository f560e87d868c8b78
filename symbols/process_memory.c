// SPDX-License-Identifier: GPL-2.0-only
#include <sys/uio.h>

#include "symbols/process_memory.h"

bool process_memory__read(void *ctx, u64 from, void *to, size_t size)
{
	struct iovec local = {to, size}, remote = {(void *)(uintptr_t)from, size};

	return process_vm_readv((pid_t)(intptr_t)ctx, &local, 1, &remote, 1, 0) == (ssize_t)size;
}
