/* SPDX-License-Identifier: GPL-2.0-only */
/* cgroup v2 ids and paths. Any thread (an internal lock guards the cache). */
#ifndef CORE_CGROUP_H
#define CORE_CGROUP_H

#include "core/base.h"

/* Mount point of cgroup v2, "" when there is none. */
const char *cgroup__mount(void);
/* Path below the mount point for an id ("/system.slice/ssh.service"); buf is filled and
 * returned; "cgroup:ID" when it is gone and was never seen. Ids are looked up by scanning,
 * at most once a second; removed cgroups keep their names. */
const char *cgroup__name(u64 id, char *buf, size_t size);
/* The id of a path below the mount point, 0 when there is none. */
u64 cgroup__id(const char *path);

#endif
