/* SPDX-License-Identifier: GPL-2.0-only */
/* The whole program behind main(), so that tests can run it on sources of their own. */
#ifndef TUI_PROGRAM_H
#define TUI_PROGRAM_H

#include "sources/source.h"
#include "symbols/symbols.h"

/* Sources in place of the machine's; intervals then end by the script's ticks only. */
struct fixture {
	const struct source_row *sources; /* ends with ops == NULL */
	void (*begin)(struct symbols *symbols); /* before the collector starts */
};

/* fixture: NULL for the live machine. Returns the exit code. */
int program__main(int argc, char **argv, const struct fixture *fixture);

#endif
