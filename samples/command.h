/* SPDX-License-Identifier: GPL-2.0-only */
/* What a process was started as, and what its threads are called. Samples of samples/sample.h; the same
 * rules hold. */
#ifndef SAMPLES_COMMAND_H
#define SAMPLES_COMMAND_H

#include "samples/sample.h"

/* SAMPLE_COMMAND. */
struct command_sample {
	struct sample head;
	u32 tgid;
	u64 start_ns;	  /* when the process began, a clock tick too early at most */
	u64 end_ns;	  /* not 0: it ended then, and line is "" */
	const char *line; /* arguments joined by blanks, printable */
};

/* SAMPLE_THREAD_NAME: what the runtime in a process calls a thread, where comm does not say it. tid 0: what the
 * process is called, as its first thread is. */
struct thread_name_sample {
	struct sample head;
	u32 tgid, tid;
	const char *name; /* printable */
};

#endif
