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
/* The one that has most memory; likewise. */
u32 usage_scan__largest(const struct usage_scan *s, const u32 *pids, u32 n);
/* How many have ended and are not waited for, as far as they were looked at; *parent: whose most of them are, 0:
 * nobody's in particular. */
u32 usage_scan__zombies(const struct usage_scan *s, u32 *parent);

/* --- system_limits.c: cgroups that have a limit --- */

#define LIMITED_CGROUPS 512

enum limit { LIMIT_CPU, LIMIT_PIDS, LIMIT_MEMORY };

struct limits;

struct limits *limits__new(void);
void limits__free(struct limits *l);
/* Calls out for each; what is in them is asked of it by limits__members. */
void limits__read(struct limits *l, u64 now_ns, const struct figure_out *out);
/* Processes of a cgroup as limits__read named it, up to n; their number. */
u32 limits__members(const struct limits *l, enum limit limit, const char *cgroup, u32 *pids, u32 n);

/* --- system_filesystems.c --- */

struct filesystems;

struct filesystems *filesystems__new(void);
void filesystems__free(struct filesystems *s);
/* mountinfo: that of this process. */
void filesystems__read(struct filesystems *s, const char *mountinfo, u64 now_ns, const struct figure_out *out);

/* --- system_networks.c: network namespaces of others --- */

#define NETWORKS 64 /* that are read; of more the others are left out */

struct networks;

struct networks *networks__new(void);
void networks__free(struct networks *s);
/* Calls out with the name of each as instance: its number where ip-netns(8) has none. text is room to read files into. */
void networks__read(struct networks *s, u64 now_ns, char *text, size_t size, const struct figure_out *out);

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

#endif
