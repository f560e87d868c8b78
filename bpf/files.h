/* SPDX-License-Identifier: GPL-2.0-only */
/* Labels and settings of the programs on files (files.bpf.c); shared by kernel and user side. */
#ifndef BPF_FILES_H
#define BPF_FILES_H

#include <linux/types.h>

#include "bpf/syscalls.h" /* SYSCALLS_MAX */

/* Word 0: the file, by where it is. Word 1: operation | waits << 16 | errno << 32. Word 2: the
 * device of its file system (s_dev); 0: not known, as of names that calls take. */
#define FILES_LABEL_FILE  0
#define FILES_LABEL_OP	  1
#define FILES_LABEL_FS	  2
#define FILES_WAITS	  (1u << 16)
#define FILES_ERROR_SHIFT 32
#define FILES_CACHE_SHIFT 8 /* in word 1: enum files_cache */

/* The names of these files are in brackets; other values have bit 63. */
#define FILES_UNKNOWN 1 /* of a call that takes a path, while it goes on or if it cannot be read */
#define FILES_NONE    2 /* the descriptor stands for nothing */
#define FILES_OTHERS  3 /* when there are too many to count apart */

enum file_op {
	FILE_OP_NONE,
#define OP(id, name) FILE_OP_##id,
#define CALL(...)
#define COPY(...)
#include "bpf/files_calls.def"
#undef OP
#undef CALL
#undef COPY
	FILE_OPS,
};

/* Whether pages came from the disk during a read; of what is no file, and of other calls, neither. */
enum files_cache { FILES_CACHE_NONE, FILES_CACHED, FILES_COLD, FILES_CACHES };

/* What a call names its file by. */
enum file_by {
	FILE_BY_NONE,
	FILE_BY_FD,   /* a descriptor */
	FILE_BY_PATH, /* a path */
	FILE_BY_AT,   /* a descriptor of a directory and a path behind it */
	FILE_BY_COPY, /* two descriptors: from, and to, which is written */
};

/* What is known of a call, by number; of compat calls from SYSCALLS_MAX on. */
struct file_call {
	__u8 op, by;
	__u8 arg; /* the first argument that says so */
	__u8 to;  /* FILE_BY_COPY: the other one */
};

/* struct measure_stats.notes */
enum { FILES_NAMES_LOST };

#endif
