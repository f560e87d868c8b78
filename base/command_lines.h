/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Command lines of processes, by pid and time, kept after the process has ended, what they are called, and
 * what runtimes call their threads. Filled by samples (SAMPLE_COMMAND, SAMPLE_THREAD_NAME), read by whoever names rows. Bounded
 * to COMMAND_LINES_MAX of all: the oldest of those that ended make room first. Any thread; an internal
 * lock guards them.
 */
#ifndef BASE_COMMAND_LINES_H
#define BASE_COMMAND_LINES_H

#include "base/arena.h"

#define COMMAND_LINES_MAX 16384
#define COMMAND_LINE_LEN  512 /* of a line, with its NUL */

/* start_ns: when the process began, CLOCK_MONOTONIC, a clock tick too early at most. Replaces what was
 * known of that process. */
void command_lines__learn(u32 tgid, u64 start_ns, const char *line);
/* The process with that pid ended then. */
void command_lines__end(u32 tgid, u64 t_ns);
/* That of the process which had the pid when a thread or process began at start_ns; 0: that has it,
 * or had it last. A copy in the arena; "" not known. */
const char *command_lines__copy(struct arena *a, u32 tgid, u64 start_ns);
/* Whether that of the process that has the pid is known. */
bool command_lines__has(u32 tgid);
/* Of a thread of the process that has the pid now; one without a command line has no threads with names.
 * tid 0: of the process itself, its first thread's comm. */
void command_lines__learn_thread(u32 tgid, u32 tid, const char *name);
/* As command_lines__copy(), of a thread's name. */
const char *command_lines__thread(struct arena *a, u32 tgid, u32 tid, u64 start_ns);
/* As command_lines__copy(), of what the process is called. */
const char *command_lines__process(struct arena *a, u32 tgid, u64 start_ns);
/* While there is one thread. */
void command_lines__forget_all(void);

#endif
