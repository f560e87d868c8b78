/* SPDX-License-Identifier: GPL-2.0-only */
/* A function as its process has it, whichever runtime runs it. */
#ifndef SYMBOLS_SCRIPT_CODE_H
#define SYMBOLS_SCRIPT_CODE_H

#include "base/base.h"

#define SCRIPT_NAME_MAX 256
#define SCRIPT_FILE_MAX 1024

struct script_code {
	u64 print; /* as the programs in the kernel make it: what tells it from others */
	char name[SCRIPT_NAME_MAX]; /* qualified where it is known */
	char file[SCRIPT_FILE_MAX];
	u32 first_line, last_line; /* 0: it has none */
	u8 *lines; /* the caller's; NULL: none */
	u32 nlines;
};

#endif
