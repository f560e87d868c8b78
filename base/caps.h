/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Capabilities (capabilities(7)), by libcap; sets have a bit per CAP_ number. They are a thread's:
 * what the first thread gives up before it starts others, no thread has.
 */
#ifndef BASE_CAPS_H
#define BASE_CAPS_H

#include <linux/capability.h>

#include "base/base.h"

#define CAPS_ALL UINT64_MAX
#define CAP_BIT(c) (1ULL << (c))

/* Headers of older kernels do not name them. */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif
#ifndef CAP_BPF
#define CAP_BPF 39
#endif
#ifndef CAP_CHECKPOINT_RESTORE
#define CAP_CHECKPOINT_RESTORE 40
#endif

/* Those of the calling thread that are in force. Any thread. */
u64 caps__effective(void);
/* Of those that somebody has, what proftop uses once it runs:
 *	bpf perfmon		programs and events
 *	sys_ptrace		/proc/PID/maps, root and mem of other users' processes
 *	checkpoint_restore	/proc/PID/map_files: the file that is mapped, whatever its path is now
 *	dac_read_search		programs that may be run but not read, tracefs
 *	syslog			kernel addresses
 *	ipc_lock		buffers of perf events
 *	dac_override		what root saves in folders of others
 *	kill			the command that was begun (with_command)
 *	sys_resource		memory for maps, on a kernel before 5.11
 *	sys_admin		where the first two are missing, or a kernel before 5.8 lacks them;
 *				types of modules, where ext4, xfs or f2fs are some
 */
u64 caps__needed(u64 have, bool with_command);
/* Those that root needs besides for what it does to processes from a screen: kill for signals,
 * sys_nice for nice values and CPUs. A user who is not root may do to processes what the kernel lets
 * any user, whatever capabilities the binary has. */
u64 caps__for_deeds(u64 have);
/* Gives up all others for good: the calling thread's permitted, effective and inheritable ones.
 * But sys_admin stays where perf events are refused without it, as some distributions' kernels do.
 * 0, or -errno. Before any other thread is started. */
int caps__keep(u64 set);
/* These and no others, for a process that has one thing to do. 0, or -errno. */
int caps__keep_alone(u64 set);
/* What this process had when it gave some up; 0 before. Any thread. */
u64 caps__given_up(void);
/* From now on nothing that is executed has more than this process. For the calling thread and those
 * that it starts. */
void caps__seal(void);
/* Names in the order of their numbers with blanks between, "none" for an empty set; buf is
 * returned. */
const char *caps__names(u64 set, char *buf, size_t size);

/*
 * What a user names, or a file that a user may have written, is opened as whoever called would do
 * it, though proftop may have more rights from its own file (setcap). To root and those without
 * such rights it makes no difference. Any thread.
 */
/* To be read; waits for nobody. Of what is in /proc, that of processes which the kernel lets the
 * caller look into. A descriptor, or -1 with errno. */
int caps__open_for_caller(const char *path);
/* O_PATH below a folder (openat2's resolve flags), AT_FDCWD for our own; -errno. Opening that again by
 * /proc/self/fd gives nothing away. */
int caps__handle_for_caller(int dir, const char *path, u64 resolve);

#endif
