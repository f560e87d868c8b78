/* SPDX-License-Identifier: GPL-2.0-only */
#include "tui/term_sequence.h"

#define COORDINATE_MAX 10000
/* Of a report without mode 1006: button, column and line, each with 32 added. */
#define OLD_REPORT_BYTES 3

/* Shift, Meta and Control may be held. */
#define MODIFIERS 0x1c

static enum sequence_state report(u32 button, u32 column, u32 line, struct input *out)
{
	static const struct {
		u32 code;
		enum mouse_action action;
	} buttons[] = {{0, MOUSE_CLICK}, {64, MOUSE_WHEEL_UP}, {65, MOUSE_WHEEL_DOWN}};

	for (u32 i = 0; i < ARRAY_SIZE(buttons) && column && line; i++) {
		if (buttons[i].code != (button & ~(u32)MODIFIERS))
			continue;
		*out = (struct input){.type = INPUT_MOUSE,
				      .mouse = buttons[i].action,
				      .x = (int)column - 1,
				      .y = (int)line - 1};
		return SEQUENCE_MOUSE;
	}
	return SEQUENCE_UNKNOWN;
}

static bool is_old_report(const struct sequence *s)
{
	return s->n && s->bytes[0] == 'M';
}

/* A coordinate beyond what a byte holds comes as a NUL. */
static enum sequence_state old_report(const struct sequence *s, struct input *out)
{
	const u8 *b = s->bytes + 1;

	if (s->n <= OLD_REPORT_BYTES)
		return SEQUENCE_OPEN;
	if (b[0] < 32 || !b[1] || !b[2])
		return SEQUENCE_UNKNOWN;
	return report(b[0] - 32, b[1] - 32, b[2] - 32, out);
}

/* "<0;10;20M": three numbers; an m in the place of the M is the button's release. */
static enum sequence_state new_report(const struct sequence *s, struct input *out)
{
	u32 v[3] = {0}, field = 0;

	for (u32 i = 1; i + 1 < s->n; i++) {
		u8 c = s->bytes[i];

		if (c == ';' && field < 2)
			field++;
		else if (c >= '0' && c <= '9' && v[field] < COORDINATE_MAX)
			v[field] = v[field] * 10 + (c - '0');
		else
			return SEQUENCE_UNKNOWN;
	}
	return field == 2 ? report(v[0], v[1], v[2], out) : SEQUENCE_UNKNOWN;
}

static enum sequence_state state_after(const struct sequence *s, struct input *out)
{
	u8 last = s->bytes[s->n - 1];

	if (last && last < 0x20)
		return SEQUENCE_BROKEN;
	if (is_old_report(s))
		return old_report(s, out);
	if (!last || last > 0x7e)
		return SEQUENCE_BROKEN;
	if (last < 0x40)
		return s->n < SEQUENCE_MAX ? SEQUENCE_OPEN : SEQUENCE_UNKNOWN;
	return s->bytes[0] == '<' && last == 'M' ? new_report(s, out) : SEQUENCE_UNKNOWN;
}

enum sequence_state sequence__add(struct sequence *s, u8 byte, struct input *out)
{
	enum sequence_state state;

	s->bytes[s->n++] = byte;
	state = state_after(s, out);
	if (state != SEQUENCE_OPEN)
		s->n = 0;
	return state;
}
