/* SPDX-License-Identifier: GPL-2.0-only */
/* Input events as the terminal backend hands them out; plain values. */
#ifndef WIDGETS_INPUT_H
#define WIDGETS_INPUT_H

#include "base/base.h"

enum input_type {
	INPUT_NONE,
	INPUT_KEY,    /* key */
	INPUT_MOUSE,  /* mouse, x, y */
	INPUT_RESIZE, /* the size changed, or the screen's content is lost: draw everything */
	INPUT_TICK,   /* script only: end the interval now (collector__tick) */
	INPUT_SETTLE, /* script only, after each event: do not report idle before background
		       * work (commands, frames, symbols) is done and shown */
	INPUT_END,    /* the terminal is gone or the script has ended: leave with exit code
		       * `code` (the script has said on stderr what failed) */
};

/* Keys below KEY_SPECIAL_BASE are Unicode code points; control keys are KEYCODE_CTRL('x').
 * Enter, Tab, Esc and Backspace always come as KEYCODE_ENTER and so on, never as C-m. */
enum {
	KEY_SPECIAL_BASE = 0x200000,
	KEYCODE_UP, KEYCODE_DOWN, KEYCODE_LEFT, KEYCODE_RIGHT, KEYCODE_PGUP, KEYCODE_PGDN,
	KEYCODE_HOME, KEYCODE_END, KEYCODE_ENTER, KEYCODE_ESC, KEYCODE_BACKSPACE,
	KEYCODE_DELETE, KEYCODE_TAB, KEYCODE_BACKTAB, KEYCODE_F1, KEYCODE_F12 = KEYCODE_F1 + 11,
	KEYCODE_ALT = 0x400000, /* a bit: Alt with the key below it */
};
#define KEYCODE_CTRL(c) ((c) & 0x1f)

enum mouse_action { MOUSE_CLICK, MOUSE_DOUBLE, MOUSE_WHEEL_UP, MOUSE_WHEEL_DOWN };

struct input {
	enum input_type type;
	int key;
	enum mouse_action mouse;
	int x, y;
	int code;
};

/* "Enter", "C-x", "M-x", "F1", "Space", "a", "é" -> key code; 0 unknown. Names of special
 * keys are taken without regard to case. */
int key__parse(const char *name);
/* The reverse, for help: writes to buf, at least 16 bytes, and returns it. */
const char *key__name(int key, char *buf, size_t size);

#endif
