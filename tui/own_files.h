/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a person's own files lie: $XDG_CONFIG_HOME/proftop, or ~/.config/proftop. */
#ifndef TUI_OWN_FILES_H
#define TUI_OWN_FILES_H

#include "base/base.h"

#define OWN_PATH_MAX 4096

/* The path of a file in that folder; false when there is no home, or it is too long. */
bool own_file__path(const char *name, char path[OWN_PATH_MAX]);
/* The same when such a file is there. */
bool own_file__find(const char *name, char path[OWN_PATH_MAX]);
/* NAME.SUFFIX in that folder when NAME is no path and it is there, else NAME itself. True when it
 * is in that folder. */
bool own_file__named(const char *name, const char *suffix, char path[OWN_PATH_MAX]);

#endif
