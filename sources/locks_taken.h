/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Orders of locks that nobody waits for (--lock-orders): probes on the C library's functions that take mutexes and
 * rwlocks, in the processes that are looked at. The programs keep which lock was taken after which other ones
 * (bpf/locks_taken.bpf.h); those that may contradict each other are handed out. Collector thread only.
 */
#ifndef SOURCES_LOCKS_TAKEN_H
#define SOURCES_LOCKS_TAKEN_H

#include "sources/lock_names.h"
#include "sources/source.h"

struct bpf_object;
struct locks_taken;

/* NULL: they are not asked for. */
struct locks_taken *locks_taken__new(const struct sampling *how);
void locks_taken__free(struct locks_taken *t); /* NULL is fine, as below */

/* Before programs are loaded. */
void locks_taken__prepare(const struct locks_taken *t, struct bpf_object *obj);
/* -EINVAL with st: it says not whose locks. */
int locks_taken__scope(struct locks_taken *t, const struct scope *scope, struct status *st);
/* -EINVAL with st: it would take too much. */
int locks_taken__attach(struct locks_taken *t, struct bpf_object *obj, struct status *st);
void locks_taken__detach(struct locks_taken *t);

/* Whether all locks of a process are seen. */
bool locks_taken__has(const struct locks_taken *t, u32 tgid);
/* Once an interval. */
void locks_taken__tick(struct locks_taken *t);
void locks_taken__put(struct locks_taken *t, struct lock_names *names, const struct sample_sink *sink);
void locks_taken__health(const struct locks_taken *t, struct health *h);

#endif
