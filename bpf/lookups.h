/* SPDX-License-Identifier: GPL-2.0-only */
/* Labels and settings of the program on names that are looked up (lookups.bpf.c); shared by kernel and user side. */
#ifndef BPF_LOOKUPS_H
#define BPF_LOOKUPS_H

#include "bpf/syscalls.h"

enum { LOOKUPS_LABEL_CALL, LOOKUPS_LABEL_FOUND };
enum { LOOKUPS_IS_FOUND, LOOKUPS_IS_ABSENT, LOOKUPS_OUTCOMES };
enum { LOOKUPS_NEGATIVE };
/* What user space reads of the kernel's cache of names. */
enum { LOOKUPS_DENTRIES, LOOKUPS_UNUSED, LOOKUPS_NEGATIVE_DENTRIES };

/* What is known of a call, by number; of compat calls from SYSCALLS_MAX on. */
struct lookups_setting {
	__u8 path;  /* 1: it names a file by its path */
	__u8 empty; /* the argument with flags that allow an empty one, and 1; 0: there is none */
};

#endif
