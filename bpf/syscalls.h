/* SPDX-License-Identifier: GPL-2.0-only */
/* Labels and settings of the programs on system calls (syscalls.bpf.c); shared by kernel and user
 * side. */
#ifndef BPF_SYSCALLS_H
#define BPF_SYSCALLS_H

#include <linux/types.h>

/* Word 0: number | abi << 16 | errno << 32. Word 1: hash of the path that a failed call named. */
#define SYSCALL_LABEL_CALL  0
#define SYSCALL_LABEL_PATH  1
#define SYSCALL_ABI_SHIFT   16
#define SYSCALL_LABEL_BITS  17
#define SYSCALL_ERROR_SHIFT 32

#define SYSCALLS_MAX 512 /* numbers of calls that settings are kept of */

/* What is known of a call, by number; of compat calls from SYSCALLS_MAX on. */
struct syscall_setting {
	__u8 paths;  /* arguments that are paths, a bit each */
	__u8 fds;    /* arguments that are descriptors */
	__u8 waits;  /* its purpose is to wait for something new */
	__u8 flags;  /* SYSCALL_x */
};

#define SYSCALL_NO_RETURN 1 /* exit: it ends with its thread */
#define SYSCALL_EXECS	  2 /* its arguments are gone when it returns */

/* struct measure_stats.notes */
enum { SYSCALLS_RESTARTED, SYSCALLS_PATHS_LOST };

#endif
