/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a person's own files lie, $XDG_CONFIG_HOME/proftop or ~/.config/proftop, and how they are written. */
#ifndef TUI_OWN_FILES_H
#define TUI_OWN_FILES_H

#include "base/status.h"

#define OWN_PATH_MAX 4096

/* The path of a file in that folder; false when there is no home, or it is too long. */
bool own_file__path(const char *name, char path[OWN_PATH_MAX]);
/* The same when such a file is there. */
bool own_file__find(const char *name, char path[OWN_PATH_MAX]);
/* NAME.SUFFIX in that folder when NAME is no path and it is there, else NAME itself. True when it
 * is in that folder. */
bool own_file__named(const char *name, const char *suffix, char path[OWN_PATH_MAX]);

/* --- writing; slow (the disk), any thread --- */

/* A message that `what` ("configuration") was not saved, and why; -err. */
int own_file__cannot_save(struct status *st, const char *what, const char *path, int err,
			  const char *why);
/* The folder that the file of this path is in, made where it is not there, as is the one above; what is
 * further up has to be there. A descriptor; -1 with st: among others where the folder is somebody else's, or
 * a link. */
int own_folder__open(const char *path, const char *what, struct status *st);
/* A new file for its owner alone, on the disk when it returns; one of that name is replaced. -errno. */
int own_file__write(int folder, const char *name, const char *text);

#endif
