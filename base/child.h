/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command of `-- COMMAND`: forked first and held before its exec, so that it is profiled
 * from its first instruction. UI or batch thread.
 */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include "base/status.h"

struct child;

/* Forks a process of our own program that calls serve(fd), which never returns. Before there are
 * other threads. It is reaped by nobody before proftop ends. 0 or -errno. */
int child__serve(void (*serve)(int fd), int fd);

/* Forks and holds. NULL with st when there is no such program; its exit code is a shell's. quiet:
 * its output goes to the log ring instead of our terminal (the UI owns that), its input is
 * /dev/null, and it leads a process group of its own. loaded: it is held behind its exec instead,
 * before its first instruction, so that where its program lies is known; before its exec where we
 * may not trace it. Only the thread that held it may release and free it. */
struct child *child__hold(char **argv, bool quiet, bool loaded, struct status *st);
/* Runs a command that is talked to: what is written to *to is its input, what it prints comes from *from,
 * neither of which waits; what it complains of is child__output_fd. Any thread. The fds are the child's;
 * NULL with st. */
struct child *child__talk(char **argv, int *to, int *from, struct status *st);
u32 child__pid(const struct child *c);
/* Lets it run. -errno with st when the command cannot be executed. */
int child__release(struct child *c, struct status *st);
bool child__released(const struct child *c);
/* Readable when it ended (pidfd); and its output, -1 when not quiet. */
int child__fd(const struct child *c);
int child__output_fd(const struct child *c);
/* Moves what it wrote into the log ring; never waits. */
void child__read_output(struct child *c);
bool child__ended(struct child *c); /* reaps it */
/* Waits for its end. Returns its exit status, 128 + signal when killed. */
int child__wait(struct child *c);
/* How long it took from its release to its end, and the CPU time of it and of the children that it waited
 * for. False: it has not ended. */
struct child_times {
	u64 elapsed_ns, user_ns, system_ns;
};
bool child__times(const struct child *c, struct child_times *out);
/* Ends it (SIGTERM, then SIGKILL after two seconds) when it still runs, a quiet one with its
 * group; frees. */
void child__free(struct child *c);

#endif
