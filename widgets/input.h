/* SPDX-License-Identifier: GPL-2.0-only */
/* Input events as the terminal backend hands them out; plain values. */
#ifndef WIDGETS_INPUT_H
#define WIDGETS_INPUT_H

#include "core/base.h"

enum input_type { INPUT_NONE, INPUT_KEY, INPUT_MOUSE, INPUT_RESIZE };

/* Keys below KEY_SPECIAL are Unicode code points; control keys are CTRL('x'). */
enum {
	KEY_SPECIAL_BASE = 0x200000,
	KEYCODE_UP, KEYCODE_DOWN, KEYCODE_LEFT, KEYCODE_RIGHT, KEYCODE_PGUP, KEYCODE_PGDN,
	KEYCODE_HOME, KEYCODE_END, KEYCODE_ENTER, KEYCODE_ESC, KEYCODE_BACKSPACE,
	KEYCODE_DELETE, KEYCODE_TAB, KEYCODE_BACKTAB, KEYCODE_F1, KEYCODE_F12 = KEYCODE_F1 + 11,
};
#define KEYCODE_CTRL(c) ((c) & 0x1f)

enum mouse_action { MOUSE_CLICK, MOUSE_DOUBLE, MOUSE_WHEEL_UP, MOUSE_WHEEL_DOWN };

struct input {
	enum input_type type;
	int key;
	enum mouse_action mouse;
	int x, y;
};

/* "Enter", "C-x", "F1", "Space", "a", "é" -> key code; 0 unknown. */
int key__parse(const char *name);
/* The reverse, for help; buf at least 16 bytes. */
const char *key__name(int key, char *buf, size_t size);

#endif
