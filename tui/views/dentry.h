/* SPDX-License-Identifier: GPL-2.0-only */
/* The dentry pane of the cache view: who looks up names, and how many are not there. */
#ifndef TUI_VIEWS_DENTRY_H
#define TUI_VIEWS_DENTRY_H

#include "scope/scope.h"
#include "tui/view.h"

/* extra: the scope in the place of the host's, NULL none; a reference is taken. */
struct screen *dentry__open(struct host *h, const struct scope *extra);

#endif
