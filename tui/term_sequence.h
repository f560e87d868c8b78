/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Escape sequences that a terminal sends and terminfo does not name, byte by byte: none of it waits
 * for a byte that may never come, as curses does in the middle of a mouse's report.
 * CSI sequences as ECMA-48 (5.4) has them; reports of the mouse as xterm sends them in its modes
 * 1000 and 1006 (xterm's ctlseqs, "Mouse Tracking"). Pure; one thread at a time.
 */
#ifndef TUI_TERM_SEQUENCE_H
#define TUI_TERM_SEQUENCE_H

#include "widgets/input.h"

/* Switches reports of presses on and off; the first form for terminals without the second. */
#define MOUSE_REPORTS_ON  "\033[?1000h\033[?1006h"
#define MOUSE_REPORTS_OFF "\033[?1006l\033[?1000l"

/* Bytes of a sequence; longer ones are none. */
#define SEQUENCE_MAX 32

enum sequence_state {
	SEQUENCE_OPEN,	  /* its end has not come yet */
	SEQUENCE_MOUSE,	  /* the left button was pressed, or the wheel was turned */
	SEQUENCE_UNKNOWN, /* over; what it says is nothing to us */
	SEQUENCE_BROKEN,  /* the byte cannot be a part of it, and begins something else */
};

/* What came behind "ESC ["; zeroed: nothing yet. */
struct sequence {
	u8 bytes[SEQUENCE_MAX];
	u32 n;
};

/* The next byte. *out is written with SEQUENCE_MOUSE: a click of the left button, never a double
 * one, or the wheel, at the cell that the terminal says, at least 0. After anything but
 * SEQUENCE_OPEN, it is empty again. */
enum sequence_state sequence__add(struct sequence *s, u8 byte, struct input *out);

#endif
