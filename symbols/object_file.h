/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of objects: opened again by whatever leads to them now, and only the very same ones;
 * a few are kept open. Worker thread, except where it says otherwise.
 */
#ifndef SYMBOLS_OBJECT_FILE_H
#define SYMBOLS_OBJECT_FILE_H

#include "symbols/tables.h"

struct debuginfo;

#define FDS_KEPT       32
#define DEBUGINFO_KEPT 4

enum file_role { FILE_MAIN, FILE_DEBUG };

struct open_file {
	u32 object;
	enum file_role role;
	int fd;
	u64 used;
};

struct open_dwarf {
	u32 object;
	struct debuginfo *d; /* NULL: there is none */
	char note[128];
	u64 used;
};

struct object_files {
	u64 clock; /* of use */
	struct open_file fds[FDS_KEPT];
	struct open_dwarf dwarfs[DEBUGINFO_KEPT];
	int kcore;
	bool kcore_tried;
};

/* A descriptor borrowed until the next call, -errno. Opened again when it was closed since,
 * and then the very same file or none. */
int object__fd(struct symbols *s, u32 object, enum file_role role);

struct object_files *object_files__new(void);
void object_files__free(struct object_files *f);
void open_dwarf__close(struct open_dwarf *d); /* empties it for another object */

/* Any thread. The vdso of this process, which is everybody's; NULL when there is none. */
const void *object__vdso(size_t *size);

/* Opens the object's own file: any thread. */
int object__open(struct symbols *s, u32 object);

/* Prefix below which the object's path and its debug files are found: "/proc/PID/root" while
 * that process lives in another root, else "". Fills buf and returns it. Any thread. */
const char *object__root(struct symbols *s, u32 object, char *buf, size_t size);
/* Where a script's text is: one whose name is relative is looked for where its process works now. The script's
 * name where that is not known, or it is not there; or buf. */
const char *object__source(struct symbols *s, u32 object, char *buf, size_t size);

#endif
