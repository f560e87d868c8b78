/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files that read the command line. */
#ifndef TUI_OPTIONS_IMPL_H
#define TUI_OPTIONS_IMPL_H

#include "tui/options.h"

/* Of those that have no letter. */
enum { OPT_COMM = 256, OPT_CALL_GRAPH, OPT_FILTER, OPT_KEYMAP, OPT_THEME, OPT_GRAPHS, OPT_COLUMNS,
       OPT_ASCII, OPT_GROUP,
       OPT_FORMAT, OPT_DOCTOR, OPT_LIST_VIEWS, OPT_LIST_EVENTS, OPT_VERSION, OPT_SCRIPT,
       OPT_SIZE, OPT_RECORD, OPT_REPLAY, OPT_BASELINE, OPT_SPEED, OPT_NO_CONFIG, OPT_FROM, OPT_TO,
       OPT_HISTORY, OPT_CONFIG, OPT_VIEWS, OPT_WINDOW, OPT_IDLE, OPT_DO, OPT_LIST_WORDS,
       OPT_SNAPSHOT, OPT_STACK_COPY, OPT_ASK, OPT_SAMPLE_BYTES, OPT_WATCH, OPT_COUNTERS, OPT_FUNCTION,
       OPT_FUNCTION_WAITS, OPT_LOCK_ORDERS, OPT_SORT, OPT_PRESET, OPT_LIST_PRESETS, OPT_SYMBOLS,
       OPT_SERVE, OPT_SERVE_INSECURE, OPT_SERVE_TOKEN, OPT_SERVE_CERT, OPT_SERVE_KEY,
       OPT_SERVE_CLIENTS,
       OPT_CONNECT, OPT_REDACT };

#define DEFAULT_FREQ 99

/* Each -EINVAL: what a value has to be; that there are `most` already. */
int option__bad(struct status *st, const char *option, const char *value, const char *takes);
int option__too_many(struct status *st, const char *option, u32 most, const char *instead);
/* One option, a letter or OPT_x, with its value; arg is borrowed. */
int option__take(struct options *o, int opt, char *arg, struct status *st);
/* All of them together; presets and words that follow from them are filled in. */
int options__check(struct options *o, struct status *st);

#endif
