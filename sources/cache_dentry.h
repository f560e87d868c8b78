/* SPDX-License-Identifier: GPL-2.0-only */
/* Names that are looked up: a source that costs at each system call. */
#ifndef SOURCES_CACHE_DENTRY_H
#define SOURCES_CACHE_DENTRY_H

#include "sources/source.h"

extern const struct source_ops source_cache_dentry;

/* /proc/sys/fs/dentry-state; false: it is not as expected. Its fifth number is that of negative
 * entries since 5.0, and 0 before. */
struct dentry_state_sample;
bool cache_dentry__parse_state(const char *text, struct dentry_state_sample *out);

#endif
