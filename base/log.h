/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Log ring: what libraries and threads have to say. Nothing but the terminal backend writes
 * to the terminal; the `log` view shows this ring, and batch mode prints it on stderr.
 * Any thread.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/base.h"

enum log_level { LOG_INFO, LOG_WARN, LOG_ERROR };

struct log_line {
	u64 t_ns;
	enum log_level level;
	char text[240]; /* control characters replaced */
};

#define LOG_LINES 512

void log__add(enum log_level level, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Copies the newest lines, oldest first; returns their number. */
u32 log__copy(struct log_line *out, u32 max);
u64 log__total(void); /* lines ever added: changes when there is something new */
/* Lines also go to stderr from now on (batch mode), warnings and errors only. */
void log__to_stderr(bool on);

/* A message on standard error, with what names of files, or whatever a command line was made of, have in
 * it for a terminal taken out. Lines stay lines. */
void log__complain(const char *msg);

#endif
