/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the doctor's groups (sources/doctor*.c) only. */
#ifndef SOURCES_DOCTOR_CHECKS_H
#define SOURCES_DOCTOR_CHECKS_H

#include "base/caps.h"
#include "sources/doctor.h"

/* Name of each view's check that says which tier serves: the verdict is made from these. */
#define DOCTOR_ENGINE	 "engine"
#define DOCTOR_TABLES	 "user stacks" /* of the group "probes"; so is the next one */
#define DOCTOR_COPIES	 "copies of user stacks"
#define DOCTOR_NO_ENGINE "needs nothing of the kernel" /* its detail then */

struct checks {
	struct check *items;
	u32 n;
};

/* remedy "" when nothing is to be done. */
void checks__add(struct checks *c, const char *group, const char *name, enum check_state state,
		 const char *remedy, const char *fmt, ...) PRINTF_LIKE(6, 7);
/* NULL when there is no such check. */
const struct check *checks__find(const struct checks *c, const char *group, const char *name);

/* CAP_SYS_ADMIN, or CAP_BPF with CAP_PERFMON. */
bool doctor__may_load(void);

void doctor__machine(struct checks *c);
void doctor__probes(struct checks *c);
void doctor__symbols(struct checks *c);
void doctor__terminal(struct checks *c);
void doctor__views(struct checks *c);

#endif
