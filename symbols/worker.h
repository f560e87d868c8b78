/* SPDX-License-Identifier: GPL-2.0-only */
/* The thread that resolves what was asked for: life only, its queues are in symbols/tables.h. */
#ifndef SYMBOLS_WORKER_H
#define SYMBOLS_WORKER_H

struct symbols;

void worker__start(struct symbols *s);
void worker__stop(struct symbols *s);

#endif
