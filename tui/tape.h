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

/* The same to an fd as it comes, for --serve -. */
struct tap *tape__stream(const struct options *o, int fd, struct symbols *symbols, struct status *st);

#endif
