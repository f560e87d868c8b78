/* SPDX-License-Identifier: GPL-2.0-only */
/* Network namespaces by their numbers. */
#ifndef BASE_NETNS_H
#define BASE_NETNS_H

#include "base/base.h"

/* That of proftop; 0: not to be had. */
u32 netns__own(void);
/* As ip(8) has it; else its number, as lsns(8) has it. Reads a folder. */
void netns__text(u32 netns, char *buf, size_t size);

#endif
