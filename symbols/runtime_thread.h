/* SPDX-License-Identifier: GPL-2.0-only */
/* A thread as the runtime in its process has it. */
#ifndef SYMBOLS_RUNTIME_THREAD_H
#define SYMBOLS_RUNTIME_THREAD_H

#include "base/base.h"

struct runtime_thread {
	u32 tid; /* as the process itself counts them */
	u64 at;	 /* the runtime's own thread */
};

#endif
