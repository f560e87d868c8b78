/* SPDX-License-Identifier: GPL-2.0-only */
/* Network namespaces by their numbers. */
#ifndef BASE_NETNS_H
#define BASE_NETNS_H

#include "base/base.h"

/* That of proftop; 0: not to be had. */
u32 netns__own(void);
/* As ip(8) has it; else its number, as lsns(8) has it. Reads a folder. */
void netns__text(u32 netns, char *buf, size_t size);

#define NETNS_NAMES 64

/* Those that were asked for. */
struct netns_names {
	struct {
		u32 netns;
		char text[64];
	} v[NETNS_NAMES];
	u32 n; /* 0: they are asked for anew */
};

/* "[own]": that of proftop. Borrowed from `names` until the next call. */
const char *netns_names__get(struct netns_names *names, u32 netns);

#endif
