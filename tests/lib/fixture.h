/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recorded input for scripted sessions: a text file instead of the live machine.
 *
 *	# comment
 *	cpu COMM PID TID CPU CGROUP COUNT FRAME;FRAME;...     root first
 *	vitals USER_PCT SYSTEM_PCT LOAD1
 *	lost COUNT
 *	log info|warn|error TEXT
 *	tick                                                 ends an interval
 *
 * A frame is NAME, NAME@OBJECT or NAME@OBJECT@KIND with KIND user, kernel or jit; in names
 * \xHH is a byte, so that any name can be had. After the last interval the file begins again.
 * The event "refused" is refused.
 */
#ifndef TESTS_LIB_FIXTURE_H
#define TESTS_LIB_FIXTURE_H

#include "tui/program.h"

/* Reads the file (exits with a message when it is wrong); for program__main. */
const struct fixture *fixture__read(const char *path);

#endif
