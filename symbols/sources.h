/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines of source files that debug information names. The names are hostile: only regular
 * files are read, of bounded size, and as root only those that everybody may read or that
 * belong to whoever's debug information names them, so that no program can have /etc/shadow
 * shown. One thread at a time; lives for one annotation.
 */
#ifndef SYMBOLS_SOURCES_H
#define SYMBOLS_SOURCES_H

#include <sys/types.h>

#include "base/base.h"

struct sources;

/* root: "" or "/proc/PID/root", where files are looked for before our own root; who made that may
 * have put root's files wherever he likes, so with it root's private ones are not read. owner: as
 * debuginfo__owner() has it. */
struct sources *sources__new(const char *root, uid_t owner);
void sources__free(struct sources *s);
/* The text of a line (from 1), tabs expanded, control characters replaced, long ones cut; NULL
 * when it cannot be had. Valid until sources__free. */
const char *sources__line(struct sources *s, const char *file, u32 line);
/* The first file that could not be read, and why in words; NULL none. */
const char *sources__missing(const struct sources *s, const char **why);

#endif
