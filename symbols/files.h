/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mapped files: one small number per (device, inode, path), and from it the object. An inode
 * number is used again after its file is gone (rebuilding a program does it), so an object is
 * told by the inode's generation too, where an event says it, or else by the file's birth time,
 * where that can be asked. Collector thread only.
 */
#ifndef SYMBOLS_FILES_H
#define SYMBOLS_FILES_H

#include "symbols/tables.h"

#define FILES_MAX 65536 /* distinct mapped files */
#define FILES_JIT UINT32_MAX /* instead of an object: anonymous code, one object a process */

struct file_key {
	u32 dev_major, dev_minor;
	u64 inode, generation; /* generation 0: not known */
	const char *path;
};

/* What a path that something is mapped by stands for. */
enum file_kind { FILE_DISK, FILE_ANON, FILE_MEMFD, FILE_VDSO, FILE_SPECIAL };

enum file_kind file_key__kind(const struct file_key *k);

struct files;

struct files *files__new(struct symbols *s);
void files__free(struct files *f);
/* Position of a file; 0 when too many are known (an unnamed one). */
u32 files__intern(struct files *f, const struct file_key *key);
/* The object of a file mapped at via; FILES_JIT, or 0 when there are too many. */
u32 files__object(struct files *f, u32 file, const struct via *via);

#endif
