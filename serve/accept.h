/* SPDX-License-Identifier: GPL-2.0-only */
/* What of two forms of a page a header Accept prefers. Pure. */
#ifndef SERVE_ACCEPT_H
#define SERVE_ACCEPT_H

#include "base/base.h"

/* How much a type is wanted, 0 to 1000; what no range of the header covers is not. NULL or "": all alike. */
u32 accept__quality(const char *header, const char *type);

#endif
