/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Goldens: what is drawn, compared as text with tests/render/NAME.golden. With
 * UPDATE_GOLDENS=1 in the environment the file is rewritten instead; look at the difference
 * before it is committed. Tests run in the project's root. For cmocka tests.
 */
#ifndef TESTS_LIB_GOLDEN_H
#define TESTS_LIB_GOLDEN_H

#include "widgets/cells.h"

/* Widths of characters come from the locale; call it first in main. */
void golden__locale(void);
/* Fails the running test when the canvas is not what the file says. roles: with what each
 * piece of text is, not its characters only. */
void golden__check(const struct canvas *c, const char *name, bool roles);
/* The canvas as text; the caller frees it. */
char *golden__text(const struct canvas *c, bool roles);

#endif
