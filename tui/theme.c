/* SPDX-License-Identifier: GPL-2.0-only */
#include "tui/theme.h"

#include "tui/term.h"

#define B LOOK_BOLD
#define U LOOK_UNDERLINE
#define R LOOK_REVERSE
#define D LOOK_DIM

struct style {
	struct look many; /* 256 colours */
	struct look few;  /* 8 colours */
};

struct theme {
	const char *name;
	struct style styles[ROLES];
};

/* Numbers of the 256 colours: 16 + 36 r + 6 g + b (0..5), 232.. greys. */
#define LOOK(fg, bg, attrs)                                                                        \
	{                                                                                          \
		fg, bg, attrs                                                                      \
	}
#define PLAIN                                                                                      \
	{                                                                                          \
		LOOK(-1, -1, 0), LOOK(-1, -1, 0)                                                   \
	}

/* Three shades of a hue: the character's colour on the ground's; of 8 colours one has to do. */
#define SHADES(role, fg, a, b, c, fg8, bg8)                                                        \
	[role] = {LOOK(fg, a, 0), LOOK(fg8, bg8, 0)},                                              \
	[(role) + 1] = {LOOK(fg, b, 0), LOOK(fg8, bg8, 0)},                                        \
	[(role) + 2] = {LOOK(fg, c, 0), LOOK(fg8, bg8, 0)}

/* Boxes bring their own ground, so that they are the same in each theme. */
#define FLAME                                                                                      \
	[ROLE_FLAME_ABOVE] = {LOOK(250, 239, 0), LOOK(0, 7, 0)},                                   \
	[ROLE_FLAME_MATCH] = {LOOK(16, 226, B), LOOK(7, 1, B)},                                    \
	SHADES(ROLE_FLAME_PLAIN, 16, 250, 247, 252, 0, 7),                                         \
	SHADES(ROLE_FLAME_USER, 16, 209, 215, 173, 7, 1),                                          \
	SHADES(ROLE_FLAME_LIBRARY, 16, 149, 150, 113, 0, 2),                                       \
	SHADES(ROLE_FLAME_KERNEL, 16, 176, 182, 140, 7, 5),                                        \
	SHADES(ROLE_FLAME_INLINED, 16, 116, 80, 152, 0, 6),                                        \
	SHADES(ROLE_FLAME_JIT, 16, 179, 222, 143, 0, 3),                                           \
	SHADES(ROLE_FLAME_COLD, 231, 67, 61, 68, 7, 4)

/* Mid-tones: at least 3:1 against black as well as white; bars bring their own ground. */
static const struct theme theme_default = {
	"default",
	{
		[ROLE_TEXT] = PLAIN,
		[ROLE_DIM] = {LOOK(244, -1, 0), LOOK(-1, -1, D)},
		[ROLE_STRONG] = {LOOK(-1, -1, B), LOOK(-1, -1, B)},
		[ROLE_TITLE] = {LOOK(31, -1, B), LOOK(6, -1, B)},
		[ROLE_HEADER] = {LOOK(253, 238, 0), LOOK(-1, -1, R)},
		[ROLE_SORTED] = {LOOK(231, 31, B), LOOK(-1, -1, R | B)},
		[ROLE_SELECTED] = {LOOK(231, 25, 0), LOOK(-1, -1, R)},
		[ROLE_TAB] = {LOOK(253, 238, 0), LOOK(-1, -1, R)},
		[ROLE_TAB_ACTIVE] = {LOOK(231, 31, B), LOOK(-1, -1, B | U)},
		[ROLE_KEY] = {LOOK(31, -1, B), LOOK(6, -1, B)},
		[ROLE_OK] = {LOOK(28, -1, 0), LOOK(2, -1, 0)},
		[ROLE_WARN] = {LOOK(166, -1, B), LOOK(3, -1, B)},
		[ROLE_BAD] = {LOOK(196, -1, B), LOOK(1, -1, B)},
		[ROLE_BAR] = {LOOK(31, -1, 0), LOOK(6, -1, 0)},
		[ROLE_HOT] = {LOOK(196, -1, B), LOOK(1, -1, B)},
		[ROLE_WARM] = {LOOK(166, -1, 0), LOOK(3, -1, 0)},
		[ROLE_COOL] = {LOOK(31, -1, 0), LOOK(6, -1, 0)},
		[ROLE_USER] = {LOOK(28, -1, 0), LOOK(2, -1, 0)},
		[ROLE_KERNEL] = {LOOK(133, -1, 0), LOOK(5, -1, 0)},
		[ROLE_INLINED] = {LOOK(31, -1, 0), LOOK(6, -1, 0)},
		[ROLE_JIT] = {LOOK(136, -1, 0), LOOK(3, -1, 0)},
		[ROLE_MATCH] = {LOOK(166, -1, B | U), LOOK(3, -1, B | U)},
		[ROLE_PROMPT] = {LOOK(31, -1, B), LOOK(6, -1, B)},
		[ROLE_ERROR] = {LOOK(231, 160, B), LOOK(7, 1, B)},
		[ROLE_BORDER] = {LOOK(244, -1, 0), LOOK(-1, -1, D)},
		FLAME,
	},
};

static const struct theme theme_dark = {
	"dark",
	{
		[ROLE_TEXT] = {LOOK(252, -1, 0), LOOK(7, -1, 0)},
		[ROLE_DIM] = {LOOK(243, -1, 0), LOOK(7, -1, D)},
		[ROLE_STRONG] = {LOOK(231, -1, B), LOOK(7, -1, B)},
		[ROLE_TITLE] = {LOOK(117, -1, B), LOOK(6, -1, B)},
		[ROLE_HEADER] = {LOOK(250, 236, 0), LOOK(0, 7, 0)},
		[ROLE_SORTED] = {LOOK(231, 24, B), LOOK(0, 6, 0)},
		[ROLE_SELECTED] = {LOOK(231, 24, 0), LOOK(7, 4, B)},
		[ROLE_TAB] = {LOOK(248, 236, 0), LOOK(0, 7, 0)},
		[ROLE_TAB_ACTIVE] = {LOOK(231, 24, B), LOOK(7, 4, B)},
		[ROLE_KEY] = {LOOK(117, -1, B), LOOK(6, -1, B)},
		[ROLE_OK] = {LOOK(114, -1, 0), LOOK(2, -1, 0)},
		[ROLE_WARN] = {LOOK(215, -1, B), LOOK(3, -1, B)},
		[ROLE_BAD] = {LOOK(203, -1, B), LOOK(1, -1, B)},
		[ROLE_BAR] = {LOOK(67, -1, 0), LOOK(4, -1, B)},
		[ROLE_HOT] = {LOOK(203, -1, B), LOOK(1, -1, B)},
		[ROLE_WARM] = {LOOK(215, -1, 0), LOOK(3, -1, 0)},
		[ROLE_COOL] = {LOOK(74, -1, 0), LOOK(6, -1, 0)},
		[ROLE_USER] = {LOOK(114, -1, 0), LOOK(2, -1, 0)},
		[ROLE_KERNEL] = {LOOK(176, -1, 0), LOOK(5, -1, 0)},
		[ROLE_INLINED] = {LOOK(74, -1, 0), LOOK(6, -1, 0)},
		[ROLE_JIT] = {LOOK(179, -1, 0), LOOK(3, -1, 0)},
		[ROLE_MATCH] = {LOOK(221, -1, B | U), LOOK(3, -1, B | U)},
		[ROLE_PROMPT] = {LOOK(117, -1, B), LOOK(6, -1, B)},
		[ROLE_ERROR] = {LOOK(231, 160, B), LOOK(7, 1, B)},
		[ROLE_BORDER] = {LOOK(240, -1, 0), LOOK(7, -1, D)},
		FLAME,
	},
};

static const struct theme theme_light = {
	"light",
	{
		[ROLE_TEXT] = {LOOK(235, -1, 0), LOOK(0, -1, 0)},
		[ROLE_DIM] = {LOOK(245, -1, 0), LOOK(0, -1, D)},
		[ROLE_STRONG] = {LOOK(16, -1, B), LOOK(0, -1, B)},
		[ROLE_TITLE] = {LOOK(24, -1, B), LOOK(4, -1, B)},
		[ROLE_HEADER] = {LOOK(236, 253, 0), LOOK(7, 0, 0)},
		[ROLE_SORTED] = {LOOK(16, 153, B), LOOK(7, 4, B)},
		[ROLE_SELECTED] = {LOOK(16, 153, 0), LOOK(7, 4, B)},
		[ROLE_TAB] = {LOOK(238, 253, 0), LOOK(7, 0, 0)},
		[ROLE_TAB_ACTIVE] = {LOOK(231, 24, B), LOOK(7, 4, B)},
		[ROLE_KEY] = {LOOK(24, -1, B), LOOK(4, -1, B)},
		[ROLE_OK] = {LOOK(22, -1, 0), LOOK(2, -1, 0)},
		[ROLE_WARN] = {LOOK(130, -1, B), LOOK(5, -1, B)},
		[ROLE_BAD] = {LOOK(124, -1, B), LOOK(1, -1, B)},
		[ROLE_BAR] = {LOOK(67, -1, 0), LOOK(4, -1, 0)},
		[ROLE_HOT] = {LOOK(124, -1, B), LOOK(1, -1, B)},
		[ROLE_WARM] = {LOOK(130, -1, 0), LOOK(5, -1, 0)},
		[ROLE_COOL] = {LOOK(24, -1, 0), LOOK(4, -1, 0)},
		[ROLE_USER] = {LOOK(22, -1, 0), LOOK(2, -1, 0)},
		[ROLE_KERNEL] = {LOOK(90, -1, 0), LOOK(5, -1, 0)},
		[ROLE_INLINED] = {LOOK(24, -1, 0), LOOK(4, -1, 0)},
		[ROLE_JIT] = {LOOK(94, -1, 0), LOOK(1, -1, 0)},
		[ROLE_MATCH] = {LOOK(130, -1, B | U), LOOK(1, -1, B | U)},
		[ROLE_PROMPT] = {LOOK(24, -1, B), LOOK(4, -1, B)},
		[ROLE_ERROR] = {LOOK(231, 124, B), LOOK(7, 1, B)},
		[ROLE_BORDER] = {LOOK(249, -1, 0), LOOK(0, -1, D)},
		FLAME,
	},
};

#define MONO(attrs)                                                                                \
	{                                                                                          \
		LOOK(-1, -1, attrs), LOOK(-1, -1, attrs)                                           \
	}

/* No colour and no half intensity either: a vt100 has neither. */
static const struct theme theme_mono = {
	"mono",
	{
		[ROLE_TEXT] = PLAIN,	    [ROLE_DIM] = PLAIN,	     [ROLE_STRONG] = MONO(B),
		[ROLE_TITLE] = MONO(B),	    [ROLE_HEADER] = MONO(U), [ROLE_SORTED] = MONO(B | U),
		[ROLE_SELECTED] = MONO(R),  [ROLE_TAB] = PLAIN,	     [ROLE_TAB_ACTIVE] = MONO(R),
		[ROLE_KEY] = MONO(B),	    [ROLE_OK] = PLAIN,	     [ROLE_WARN] = MONO(B),
		[ROLE_BAD] = MONO(B | U),   [ROLE_BAR] = PLAIN,	     [ROLE_HOT] = MONO(B),
		[ROLE_WARM] = PLAIN,	    [ROLE_COOL] = PLAIN,     [ROLE_USER] = PLAIN,
		[ROLE_KERNEL] = PLAIN,	    [ROLE_INLINED] = PLAIN,  [ROLE_JIT] = PLAIN,
		[ROLE_MATCH] = MONO(B | U), [ROLE_PROMPT] = MONO(B), [ROLE_ERROR] = MONO(R | B),
		[ROLE_BORDER] = PLAIN,	    [ROLE_FLAME_ABOVE] = PLAIN,
		[ROLE_FLAME_MATCH] = MONO(B | U),
		[ROLE_FLAME_PLAIN ... ROLES - 1] = PLAIN,
	},
};

static const struct theme *const themes[] = {
	&theme_default,
	&theme_dark,
	&theme_light,
	&theme_mono,
};

const char *const theme_names[] = {"default", "dark", "light", "mono", NULL};

const struct theme *theme__pick(const char *name, int colors, struct status *st)
{
	const char *no_color = getenv("NO_COLOR");
	const struct theme *found = NULL;

	/* What the user names on the command line is stronger than the environment. */
	if (!name)
		name = no_color && no_color[0] ? "mono" : "default";
	for (u32 i = 0; i < ARRAY_SIZE(themes); i++)
		if (!strcmp(themes[i]->name, name))
			found = themes[i];
	if (!found) {
		status__set(st, EXIT_CODE_USAGE, -EINVAL,
			    "no theme \"%s\": default, dark, light or mono", name);
		return NULL;
	}
	return colors < 8 ? &theme_mono : found;
}

bool theme__has_grounds(const struct theme *t, int colors)
{
	return t != &theme_mono && colors >= 256;
}

struct look theme__look(const struct theme *t, enum role role, bool selected, int colors)
{
	const struct style *own = &t->styles[role], *sel = &t->styles[ROLE_SELECTED];
	struct look look = colors >= 256 ? own->many : own->few;

	if (selected) {
		u8 attrs = look.attrs & (LOOK_BOLD | LOOK_UNDERLINE);

		look = colors >= 256 ? sel->many : sel->few;
		look.attrs |= attrs;
	}
	return look;
}
