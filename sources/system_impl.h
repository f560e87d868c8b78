/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of the source of the machine's figures. Collector thread only. */
#ifndef SOURCES_SYSTEM_IMPL_H
#define SOURCES_SYSTEM_IMPL_H

#include "base/hidx.h"
#include "sources/system_parse.h"

/* --- system_usage.c: what processes use --- */

/* A look at all processes takes so much CPU at most; those that are left wait for the next one. */
#define USAGE_BUDGET_NS (12 * NSEC_PER_MSEC)
#define USAGE_FIRST_NS	(300 * NSEC_PER_MSEC) /* of the first looks, where nothing says who is active */
#define USAGE_PROCESSES 65536

struct usage_scan;

struct usage_scan *usage_scan__new(void);
void usage_scan__free(struct usage_scan *s);
/* Hands out who did something since it was looked at last. */
void usage_scan__run(struct usage_scan *s, u64 now_ns, const struct sample_sink *sink);
/* Hands it out even if it did nothing, as it is behind something: once a look. */
void usage_scan__put(struct usage_scan *s, u32 pid, u64 now_ns, const struct sample_sink *sink);
/* How many did not fit into USAGE_PROCESSES. */
u64 usage_scan__left_out(const struct usage_scan *s);
/* The one of these that used most CPU of late; 0: none is known. */
u32 usage_scan__busiest(const struct usage_scan *s, const u32 *pids, u32 n);

/* --- system_throttle.c: cgroups that have a limit of CPU time --- */

#define THROTTLE_CGROUPS 512 /* with a limit; looked for every few seconds */

struct throttle;

struct throttle *throttle__new(void);
void throttle__free(struct throttle *t);
/* Calls out for each; what is in them is asked of it by throttle__members. */
void throttle__read(struct throttle *t, u64 now_ns, const struct figure_out *out);
/* Processes of a cgroup as throttle__read named it, up to n; their number. */
u32 throttle__members(const struct throttle *t, const char *cgroup, u32 *pids, u32 n);

/* --- system_sockets.c: who does not take what comes for it --- */

#define SOCKETS_WITH_DROPS 256

struct sockets;

struct sockets *sockets__new(void);
void sockets__free(struct sockets *s);
/* The process whose UDP socket dropped most since this was asked last; 0: not known. text is room to
 * read files into. */
u32 sockets__full_one(struct sockets *s, char *text, size_t size);
/* The process that listens on a TCP socket whose queue is full now; 0: not known. */
u32 listeners__full_one(struct sockets *s);

/* --- both --- */

#endif
