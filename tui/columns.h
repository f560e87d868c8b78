/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which columns listings show, and in which order, as one text that the configuration keeps:
 * "procs:process,cpu_pct,text;cpu:self_pct,symbol". A listing is called as its section of keys is, or
 * as its view. Pure functions.
 */
#ifndef TUI_COLUMNS_H
#define TUI_COLUMNS_H

#include "base/base.h"

#define COLUMNS_TEXT 512

/* Whether each part is LISTING:NAME,NAME... */
bool columns__valid(const char *text);
/* The names of one listing; false, and "" in buf, when it has none. */
bool columns__of(const char *text, const char *listing, char *buf, size_t size);
/* Puts names in the place of what the listing had; "" takes them out. False: there is no room, and
 * nothing is changed. */
bool columns__set(char text[COLUMNS_TEXT], const char *listing, const char *names);

#endif
