/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The annotated code of one function: disassembly by capstone (AT&T syntax on x86, as perf
 * and objdump show it), names of direct jump and call targets, source lines, the source's
 * text. Worker thread only.
 */
#ifndef SYMBOLS_ANNOTATE_H
#define SYMBOLS_ANNOTATE_H

#include "symbols/symbols.h"

#define ANNOTATE_MAX_CODE (1u << 20) /* bytes of a function; the rest is cut, and note says so */

/* Never NULL: one reference, and the reason in note when there is no code. */
struct annotation *annotate__build(struct symbols *s, u32 func);

#endif
