/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the command lines of processes for SAMPLE_COMMAND: of those that are there at the start, and
 * of those that begin later and are still there at the end of an interval. What processes write over
 * their arguments (setproctitle) is read again by turns. Bounded in time an interval and in number.
 * Collector thread only.
 */
#ifndef SOURCES_COMMAND_LINES_H
#define SOURCES_COMMAND_LINES_H

#include "samples/sample.h"

struct command_reader;

struct command_reader *command_reader__new(void);
void command_reader__free(struct command_reader *r);
/* Takes what begins and ends; sink hears of ends. */
void command_reader__event(struct command_reader *r, const struct proc_event *ev,
			   const struct sample_sink *sink);
/* Once an interval. */
void command_reader__tick(struct command_reader *r, const struct sample_sink *sink);

#endif
