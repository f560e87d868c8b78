/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of names whose indices are an enum's, and sets of them as bits. Pure. */
#ifndef BASE_NAMES_H
#define BASE_NAMES_H

#include "base/base.h"

/* "pid+stack" or "pid,stack"; false: one of them is no name, and *bits is 0. */
bool names__parse(const char *const *names, u32 n, const char *text, u32 *bits);
/* "pid+stack", in `order` (n of them); NULL: as they stand. As much as there is room for. */
const char *names__text(const char *const *names, u32 n, const u32 *order, u32 bits, char *buf,
			size_t size);

#endif
