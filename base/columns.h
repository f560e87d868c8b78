/* SPDX-License-Identifier: GPL-2.0-only */
/* How tables of columns are written: a maker for each type, all with the same arguments. */
#ifndef BASE_COLUMNS_H
#define BASE_COLUMNS_H

#include "base/hosts.h"
#include "base/table.h"

#define COLUMN(type_, name_, title_, width_, priority_, flags_, help_)                             \
	{                                                                                          \
		.name = name_, .title = title_, .help = help_, .type = type_, .width = width_,     \
		.priority = priority_, .flags = flags_                                             \
	}
#define COUNT_COLUMN(...) COLUMN(VALUE_COUNT, __VA_ARGS__)
#define TIME_COLUMN(...)  COLUMN(VALUE_NS, __VA_ARGS__)
#define BYTES_COLUMN(...) COLUMN(VALUE_BYTES, __VA_ARGS__)
#define PCT_COLUMN(...)	  COLUMN(VALUE_PCT, __VA_ARGS__)
/* Sorts upward first. */
#define TEXT_COLUMN(name, title, width, priority, flags, help)                                     \
	COLUMN(VALUE_TEXT, name, title, width, priority, (flags) | COLUMN_ASCENDING, help)
/* For programs alone. An id is text on screen, where numbers are shortened. */
#define EXPORT_COLUMN(type, name, help) COLUMN(type, name, name, 0, 0, COLUMN_EXPORT, help)
#define ID_COLUMN(name, help)                                                                      \
	COUNT_COLUMN(name, name, 7, 0, COLUMN_EXPORT | COLUMN_ASCENDING, help)

/* Of a process: that it is there no more, on screen in a column of its own, and how it was started. */
#define END_COLUMN COLUMN(VALUE_TEXT, "end", "", 5, 0, COLUMN_SCREEN, "the process has ended")
#define ENDED_COLUMN                                                                               \
	COLUMN(VALUE_BOOL, "ended", "Ended", 5, 0, COLUMN_EXPORT, "the process has ended")
/* Of many processes that are one row. */
#define STARTS_COLUMN                                                                              \
	COLUMN(VALUE_COUNT, "starts", "Starts", 6, 0, COLUMN_EXPORT,                               \
	       "processes of one name that have ended, where many are one row; null: it is a single one")
#define CMDLINE_COLUMN                                                                             \
	TEXT_COLUMN("cmdline", "Command line", 20, 6, COLUMN_BOTH,                                 \
		    "arguments of the process, joined by blanks")
#define HOST_COLUMN TEXT_COLUMN(HOST_LABEL, "Host", 12, 0, COLUMN_BOTH, "machine, of several recordings")
/* Of a thread. */
#define THREAD_NAME_COLUMN                                                                         \
	TEXT_COLUMN("thread_name", "Thread", 20, 1, COLUMN_BOTH,                                   \
		    "what Python or Java calls the thread, where its command does not say it")

#endif
