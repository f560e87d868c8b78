/* SPDX-License-Identifier: GPL-2.0-only */
#include "widgets/input.h"

#include <stdio.h>
#include <strings.h>

#include "widgets/text.h"

static const struct {
	const char *name;
	int key;
} special[] = {
	{"Up", KEYCODE_UP},
	{"Down", KEYCODE_DOWN},
	{"Left", KEYCODE_LEFT},
	{"Right", KEYCODE_RIGHT},
	{"PgUp", KEYCODE_PGUP},
	{"PgDn", KEYCODE_PGDN},
	{"Home", KEYCODE_HOME},
	{"End", KEYCODE_END},
	{"Enter", KEYCODE_ENTER},
	{"Esc", KEYCODE_ESC},
	{"Backspace", KEYCODE_BACKSPACE},
	{"Delete", KEYCODE_DELETE},
	{"Tab", KEYCODE_TAB},
	{"BackTab", KEYCODE_BACKTAB},
	{"Space", ' '},
	{"Hash", '#'}, /* '#' begins a comment in keymaps */
};

/* Control keys that terminals send for a key with a name of its own. */
static int control_key(int c)
{
	switch (c) {
	case 'h':
		return KEYCODE_BACKSPACE;
	case 'i':
		return KEYCODE_TAB;
	case 'j':
	case 'm':
		return KEYCODE_ENTER;
	case '[':
		return KEYCODE_ESC;
	case '\\':
	case ']':
	case '^':
	case '_':
		return KEYCODE_CTRL(c);
	}
	return c >= 'a' && c <= 'z' ? KEYCODE_CTRL(c) : 0;
}

static int named_key(const char *name)
{
	int n, end = 0;

	for (u32 i = 0; i < ARRAY_SIZE(special); i++)
		if (!strcasecmp(special[i].name, name))
			return special[i].key;
	if (sscanf(name, "%*1[Ff]%2d%n", &n, &end) == 1 && !name[end] && n >= 1 && n <= 12)
		return KEYCODE_F1 + n - 1;
	return 0;
}

int key__parse(const char *name)
{
	u32 cp, len = utf8__decode(name, &cp);
	int key;

	if (len && !name[len])
		return cp > 0x20 && cp != 0x7f && cp != 0xfffd && !(cp >= 0x80 && cp < 0xa0)
			       ? (int)cp
			       : 0;
	if (!strncasecmp(name, "C-", 2) && name[2] && !name[3])
		return control_key(name[2] >= 'A' && name[2] <= 'Z' ? name[2] | 0x20 : name[2]);
	if (!strncasecmp(name, "M-", 2)) {
		key = key__parse(name + 2);
		return key && !(key & KEYCODE_ALT) ? key | KEYCODE_ALT : 0;
	}
	return named_key(name);
}

static const char *plain_name(int key, char *buf, size_t size)
{
	for (u32 i = 0; i < ARRAY_SIZE(special); i++)
		if (special[i].key == key && key != '#') {
			snprintf(buf, size, "%s", special[i].name);
			return buf;
		}
	if (key >= KEYCODE_F1 && key <= KEYCODE_F12) {
		snprintf(buf, size, "F%d", key - KEYCODE_F1 + 1);
		return buf;
	}
	if (key > 0 && key < 0x20)
		snprintf(buf, size, "C-%c", key < 0x1b ? key | 0x60 : key | 0x40);
	else if (key >= 0x20 && key < KEY_SPECIAL_BASE && size > 4)
		buf[utf8__encode((u32)key, buf)] = '\0';
	else
		snprintf(buf, size, "?");
	return buf;
}

const char *key__name(int key, char *buf, size_t size)
{
	char plain[16];

	if (!(key & KEYCODE_ALT))
		return plain_name(key, buf, size);
	snprintf(buf, size, "M-%s", plain_name(key & ~KEYCODE_ALT, plain, sizeof(plain)));
	return buf;
}
