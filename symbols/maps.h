/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The executable mappings of one address space, with the time each came into force. Forked
 * processes share one by reference until either changes. What is mapped over goes to a small
 * ring of past mappings, so that a sample from before still finds it. Collector thread only.
 */
#ifndef SYMBOLS_MAPS_H
#define SYMBOLS_MAPS_H

#include "base/base.h"

#define MAPS_MAX 131072 /* mappings of one address space; more are refused and counted */

struct mapping {
	u64 start, end;
	u64 pgoff; /* bytes */
	u64 t_ns;  /* since when; 0: was there when the process was first looked at */
	u32 file;  /* whose meaning is the caller's */
	u32 object; /* the caller's: 0 not known yet */
};

struct maps;

struct maps *maps__new(void); /* one reference */
struct maps *maps__get(struct maps *m);
void maps__put(struct maps *m); /* may be NULL */
/* Makes *m the caller's alone, copying when it is shared. */
void maps__own(struct maps **m);
/* Maps over what was there from map->t_ns on; an identical mapping is left as it is. */
void maps__add(struct maps *m, const struct mapping *map);
/* What was read at now_ns is all there is: n mappings by address, without overlap. */
void maps__replace(struct maps *m, const struct mapping *maps, u32 n, u64 now_ns);
/* The mapping in force at an address and time; NULL none. A mapping newer than t_ns serves
 * when nothing older is known. Valid until the next change. */
struct mapping *maps__find(struct maps *m, u64 ip, u64 t_ns);
/* All of them by address; valid until the next change. */
struct mapping *maps__all(struct maps *m, u32 *n);
size_t maps__bytes(const struct maps *m);

/* One line of /proc/PID/maps. path points into the line, escapes undone, without the
 * " (deleted)" suffix. */
struct maps_line {
	u64 start, end, pgoff, inode;
	u32 dev_major, dev_minor;
	bool exec, deleted;
	char *path;
};

/* False when the line is not of that form. The line (without newline) is changed. */
bool maps_line__parse(char *line, struct maps_line *out);
/* Calls fn for each line of fd; stops after 64 MiB. 0 or -errno. */
int maps__read(int fd, void (*fn)(void *ctx, const struct maps_line *l), void *ctx);

#endif
