/* SPDX-License-Identifier: GPL-2.0-only */
/* --record and :record. */
#ifndef TUI_TAPE_H
#define TUI_TAPE_H

#include "samples/tape.h"
#include "symbols/symbols.h"
#include "tui/options.h"

/* What records to a file, for the collector; scope: the filter's text. NULL with st. */
struct tap *tape__record(const struct options *o, const char *path, struct symbols *symbols,
			 const char *scope, struct status *st);

#endif
