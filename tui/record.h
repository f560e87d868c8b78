/* SPDX-License-Identifier: GPL-2.0-only */
/* --record and :record. */
#ifndef TUI_RECORD_H
#define TUI_RECORD_H

#include "samples/record_sink.h"
#include "symbols/symbols.h"
#include "tui/options.h"

/* What records to a file, for the collector; scope: the filter's text. NULL with st. */
struct record_sink *record__to_file(const struct options *o, const char *path,
				    struct symbols *symbols, const char *scope, struct status *st);

/* The same to an fd as it comes, for --serve -. */
struct record_sink *record__to_stream(const struct options *o, int fd, struct symbols *symbols,
				      struct status *st);

#endif
