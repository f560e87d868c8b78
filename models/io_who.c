// SPDX-License-Identifier: GPL-2.0-only
#include "models/io_who.h"

#include "base/hosts.h"
#include "models/task_text.h"

const char *io_device__host(const struct io_device *d)
{
	return d->host ? hosts__name(d->host) : NULL;
}

bool io_who__passes(const struct io_who *w, u32 tid, const struct scope *scope)
{
	return task__passes(scope, w->tgid, tid, w->cgroup, w->comm) && task__host_passes(scope, w->device.host);
}
