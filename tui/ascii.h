/* SPDX-License-Identifier: GPL-2.0-only */
/* Reports for people where nothing beyond ASCII is wanted. */
#ifndef TUI_ASCII_H
#define TUI_ASCII_H

#include "tui/options.h"

/* Whether standard output is to be ASCII: --ascii, or a locale that is not UTF-8. */
bool ascii__wanted(const struct options *o);
/* Look-alikes in the place of what is beyond ASCII, as many as it takes cells; the new length. */
size_t ascii__convert(char *text);
/* As f->write(), converted. */
int ascii__write(const struct export_format *f, FILE *out, const struct report *r, bool first);

#endif
