// SPDX-License-Identifier: GPL-2.0-only
#include "base/kcore.h"

#include <fcntl.h>

static int held = -1;

void kcore__hold(void)
{
	if (held < 0)
		held = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
}

int kcore__open(void)
{
	int fd = held >= 0 ? fcntl(held, F_DUPFD_CLOEXEC, 0)
			   : open("/proc/kcore", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}
