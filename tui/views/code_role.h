/* SPDX-License-Identifier: GPL-2.0-only */
/* How the kinds of code are distinguished on screens. */
#ifndef TUI_VIEWS_CODE_ROLE_H
#define TUI_VIEWS_CODE_ROLE_H

#include "symbols/symbols.h"
#include "widgets/cells.h"

enum role code__role(enum code_kind kind, bool inlined);

#endif
