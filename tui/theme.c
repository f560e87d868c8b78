// SPDX-License-Identifier: GPL-2.0-only
#include "tui/theme.h"

#include "base/arena.h"
#include "base/embed.h"
#include "tui/own_files.h"
#include "tui/text_file.h"

EMBED(proftop_theme_default, "themes/default.theme");
EMBED(proftop_theme_dark, "themes/dark.theme");
EMBED(proftop_theme_light, "themes/light.theme");
EMBED(proftop_theme_safe, "themes/safe.theme");
EMBED(proftop_theme_mono, "themes/mono.theme");

static const struct {
	const char *from, *to;
} bases[] = {
	{proftop_theme_default, proftop_theme_default_end},
	{proftop_theme_dark, proftop_theme_dark_end},
	{proftop_theme_light, proftop_theme_light_end},
	{proftop_theme_safe, proftop_theme_safe_end},
	{proftop_theme_mono, proftop_theme_mono_end},
};

const char *const theme_names[] = {"default", "dark", "light", "safe", "mono", NULL};

#define BASES "default, dark, light, safe, mono"

static const char *const basic_names[8] = {"black", "red",     "green", "yellow",
					   "blue",  "magenta", "cyan",	"white"};

static const struct {
	const char *name;
	enum look_attr attr;
} attr_names[] = {
	{"bold", LOOK_BOLD},
	{"underline", LOOK_UNDERLINE},
	{"reverse", LOOK_REVERSE},
	{"dim", LOOK_DIM},
};

#define COLOUR_TAKES "own, a name like red or bright-red, 0 to 255, or #rrggbb"

/* A file being read, and the words of its present line. */
struct parser {
	struct text_lines lines;
	const char *at, *to;
	char word[TEXT_WORD_MAX];
	bool begun;
	u32 seen[ROLES]; /* line of each role, 0 none */
};

static int fail(struct parser *p, const char *what, const char *right)
{
	return text_lines__fail(&p->lines, what, p->word, right);
}

/* --- colours --- */

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Length of "#rrggbb" where it stands as a word, else 0. */
static size_t rgb_length(const char *at, const char *to)
{
	size_t n = 1;

	if (at == to || *at != '#')
		return 0;
	while (at + n < to && is_hex(at[n]))
		n++;
	return n == 7 && (at + n == to || strchr(" \t\r|", at[n])) ? n : 0;
}

/* The next word, which may be a colour that begins like a comment. */
static bool next_word(struct parser *p)
{
	size_t n;

	while (p->at < p->to && strchr(" \t\r", *p->at))
		p->at++;
	n = rgb_length(p->at, p->to);
	if (n) {
		copy_str(p->word, n + 1, p->at);
		p->at += n;
	} else {
		p->at = text_word(p->at, p->to, p->word);
	}
	return p->word[0] != '\0';
}

static bool named_colour(const char *name, s32 *out)
{
	static const char bright[] = "bright-";
	bool is_bright = !strncmp(name, bright, strlen(bright));

	name += is_bright ? strlen(bright) : 0;
	for (u32 i = 0; i < ARRAY_SIZE(basic_names); i++) {
		if (strcmp(name, basic_names[i]))
			continue;
		*out = (s32)(i + (is_bright ? 8 : 0));
		return true;
	}
	return false;
}

static bool colour(const char *name, s32 *out)
{
	size_t digits = strspn(name, "0123456789");

	if (!strcmp(name, "own")) {
		*out = LOOK_OWN;
		return true;
	}
	if (name[0] == '#' && rgb_length(name, name + strlen(name))) {
		*out = LOOK_RGB | (s32)strtol(name + 1, NULL, 16);
		return true;
	}
	if (digits && digits <= 3 && !name[digits]) {
		*out = (s32)strtol(name, NULL, 10);
		return *out <= 255;
	}
	return named_colour(name, out);
}

/* 0xrrggbb as xterm has them. */
static u32 rgb_of(s32 colour_number)
{
	static const u32 basic[16] = {0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd,
				      0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00,
				      0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff};
	static const u8 levels[6] = {0, 95, 135, 175, 215, 255};
	u32 n = (u32)colour_number, grey;

	if (n & LOOK_RGB)
		return n & 0xffffff;
	if (n < ARRAY_SIZE(basic))
		return basic[n];
	grey = 8 + 10 * (n - 232);
	if (n >= 232)
		return grey << 16 | grey << 8 | grey;
	n -= 16;
	return (u32)levels[n / 36] << 16 | (u32)levels[n / 6 % 6] << 8 | levels[n % 6];
}

static u32 distance(u32 a, u32 b)
{
	u32 sum = 0;

	for (u32 shift = 0; shift < 24; shift += 8) {
		s32 d = (s32)(a >> shift & 0xff) - (s32)(b >> shift & 0xff);

		sum += (u32)(d * d);
	}
	return sum;
}

/* The nearest one of colours [from, to). */
static s32 nearest(s32 wanted, s32 from, s32 to)
{
	s32 best = from;

	for (s32 i = from + 1; i < to; i++)
		if (distance(rgb_of(wanted), rgb_of(i)) < distance(rgb_of(wanted), rgb_of(best)))
			best = i;
	return best;
}

static s32 few_colour(s32 c)
{
	return c < 16 ? c : nearest(c, 0, 8);
}

/* What of a look is left of 8 colours. The ground may be black or white, so that neither is a
 * colour to write with. */
static struct look few_of(const struct look *many)
{
	struct look few = {few_colour(many->fg), few_colour(many->bg), many->attrs};

	if (few.bg == LOOK_OWN && ((few.fg & 7) == 0 || (few.fg & 7) == 7))
		few.fg = LOOK_OWN;
	if (few.bg != LOOK_OWN && few.fg != LOOK_OWN && (few.fg & 7) == (few.bg & 7))
		few.fg = (few.bg & 7) == 0 || (few.bg & 7) == 4 ? 7 : 0;
	return few;
}

/* --- lines --- */

static bool attribute(const char *name, u8 *attrs)
{
	for (u32 i = 0; i < ARRAY_SIZE(attr_names); i++) {
		if (strcmp(attr_names[i].name, name))
			continue;
		*attrs |= attr_names[i].attr;
		return true;
	}
	return false;
}

static int parse_colour(struct parser *p, s32 *out, bool few)
{
	if (!next_word(p) || !colour(p->word, out))
		return fail(p, "unknown colour", COLOUR_TAKES);
	if (few && *out > 15)
		return fail(p, "too many colours", "behind | there are the 16 that have names");
	return 0;
}

/* Up to the end of the line, or a |. */
static int parse_look(struct parser *p, struct look *look, bool few, bool *more)
{
	bool ground = false;

	*look = (struct look){LOOK_OWN, LOOK_OWN, 0};
	*more = false;
	if (parse_colour(p, &look->fg, few))
		return -EINVAL;
	while (next_word(p)) {
		*more = !strcmp(p->word, "|");
		if (*more)
			return 0;
		if (!strcmp(p->word, "on") && !ground) {
			ground = true;
			if (parse_colour(p, &look->bg, few))
				return -EINVAL;
		} else if (!attribute(p->word, &look->attrs)) {
			return fail(p, "unknown attribute",
				    "on COLOUR, bold, underline, reverse, dim");
		}
	}
	return 0;
}

static int parse_role(struct parser *p, struct theme *t)
{
	struct style style;
	bool more, again;
	u32 role = 0;

	while (role < ROLES && strcmp(role_names[role], p->word))
		role++;
	if (role == ROLES)
		return fail(p, "unknown role", "proftop(1) has them, and base NAME");
	if (p->seen[role])
		return fail(p, "there twice, role", "a file has each of them once");
	p->seen[role] = p->lines.line;
	if (parse_look(p, &style.many, false, &more))
		return -EINVAL;
	style.few = few_of(&style.many);
	if (more && parse_look(p, &style.few, true, &again))
		return -EINVAL;
	if (more && again)
		return fail(p, "one too many", "there are two looks, for many and for few colours");
	t->styles[role] = style;
	return 0;
}

/* --- gradients --- */

#define STOPS_MAX 6

static const struct gradient {
	const char *name;
	enum role first;
	u32 n;
	bool ground; /* its colours are those of the ground, but for few ones */
} gradients[] = {
	{"load", ROLE_LOAD, GRADES, false},
	{"in", ROLE_IN, GRADES, false},
	{"out", ROLE_OUT, GRADES, false},
	{"heat", ROLE_HEAT_1, ROLE_HEAT_8 - ROLE_HEAT_1 + 1, true},
};

#define GRADIENT_NAMES "load, in, out, heat"

struct stops {
	s32 colours[STOPS_MAX];
	u32 n;
};

/* Up to the end of the line, or a |. */
static int parse_stops(struct parser *p, struct stops *stops, bool few, bool *more)
{
	*more = false;
	for (stops->n = 0; next_word(p); stops->n++) {
		*more = !few && !strcmp(p->word, "|");
		if (*more)
			break;
		if (stops->n == STOPS_MAX)
			return fail(p, "one too many", "a gradient has at most 6 colours");
		if (!colour(p->word, &stops->colours[stops->n]) ||
		    stops->colours[stops->n] == LOOK_OWN)
			return fail(p, "unknown colour", "a name like red, 0 to 255, or #rrggbb");
		if (few && stops->colours[stops->n] > 15)
			return fail(p, "too many colours", "behind | there are the 16 that have names");
	}
	return stops->n ? 0 : fail(p, "no colour", "gradient NAME COLOUR COLOUR...");
}

/* The colour at part of the way (0..1), between the two stops around it. */
static s32 blend(const struct stops *stops, double part)
{
	double at = part * (stops->n - 1);
	u32 i = MIN((u32)at, stops->n > 1 ? stops->n - 2 : 0), out = 0;
	u32 a = rgb_of(stops->colours[i]), b = rgb_of(stops->colours[MIN(i + 1, stops->n - 1)]);

	for (u32 shift = 0; shift < 24; shift += 8) {
		double from = a >> shift & 0xff, to = b >> shift & 0xff;

		out |= (u32)(from + (to - from) * (at - i) + 0.5) << shift;
	}
	return LOOK_RGB | (s32)out;
}

/* Black or white, what is read better on it; of 256, so that no palette changes them. */
static s32 ink_on(s32 ground)
{
	u32 rgb = rgb_of(ground);
	u32 luma = 299 * (rgb >> 16) + 587 * (rgb >> 8 & 0xff) + 114 * (rgb & 0xff);

	return luma > 128000 ? 16 : 231;
}

static struct style grade(const struct gradient *g, u32 i, const struct stops *many,
			  const struct stops *few)
{
	s32 c = blend(many, g->n > 1 ? (double)i / (g->n - 1) : 0);
	struct style out = {.many = {c, LOOK_OWN, 0}};

	if (few->n)
		out.few = (struct look){few->colours[i * few->n / g->n], LOOK_OWN, 0};
	else
		out.few = few_of(&out.many);
	if (g->ground)
		out.many = (struct look){ink_on(c), c, 0};
	return out;
}

static const struct gradient *gradient_of(const char *name)
{
	for (u32 i = 0; i < ARRAY_SIZE(gradients); i++)
		if (!strcmp(gradients[i].name, name))
			return &gradients[i];
	return NULL;
}

static int parse_gradient(struct parser *p, struct theme *t)
{
	struct stops many, few = {.n = 0};
	const struct gradient *g;
	bool more, again;

	next_word(p);
	g = gradient_of(p->word);
	if (!g)
		return fail(p, "unknown gradient", GRADIENT_NAMES);
	for (u32 i = 0; i < g->n; i++) {
		if (p->seen[g->first + i])
			return fail(p, "there twice, gradient", "a file has each role once");
		p->seen[g->first + i] = p->lines.line;
	}
	if (parse_stops(p, &many, false, &more) || (more && parse_stops(p, &few, true, &again)))
		return -EINVAL;
	for (u32 i = 0; i < g->n; i++)
		t->styles[g->first + i] = grade(g, i, &many, &few);
	return 0;
}

static int parse_base(struct parser *p, struct theme *t)
{
	next_word(p);
	if (p->begun)
		return fail(p, "too late for base", "it comes before all else");
	if (!theme__base(t, p->word))
		return fail(p, "unknown base", "one of " BASES ", none");
	return next_word(p) ? fail(p, "text after the base", "a line is base NAME # comment") : 0;
}

static int parse_line(struct parser *p, struct theme *t)
{
	int err;

	p->at = text_word(p->at, p->to, p->word);
	if (!p->word[0])
		return 0;
	if (!strcmp(p->word, "base"))
		err = parse_base(p, t);
	else if (!strcmp(p->word, "gradient"))
		err = parse_gradient(p, t);
	else
		err = parse_role(p, t);
	p->begun = true;
	return err;
}

int theme__parse(struct theme *t, const char *text, size_t len, const char *name, struct status *st)
{
	struct parser p = {.lines = {.name = name, .pos = text, .end = text + len, .st = st}};
	struct theme next = *t;
	int err = 0;

	while (!err && text_lines__next(&p.lines, &p.at, &p.to))
		err = parse_line(&p, &next);
	if (!err)
		*t = next;
	return err;
}

/* --- where they come from --- */

bool theme__base(struct theme *t, const char *name)
{
	struct status st;
	u32 i = 0;

	while (theme_names[i] && strcmp(theme_names[i], name))
		i++;
	if (!theme_names[i] && strcmp(name, "none"))
		return false;
	for (u32 role = 0; role < ROLES; role++)
		t->styles[role] = (struct style){{LOOK_OWN, LOOK_OWN, 0}, {LOOK_OWN, LOOK_OWN, 0}};
	if (theme_names[i] &&
	    theme__parse(t, bases[i].from, (size_t)(bases[i].to - bases[i].from), name, &st))
		die("%s", st.msg);
	return true;
}

/* found: as in tui/text_file.h. */
static int theme__read(struct theme *t, const char *path, bool found, struct status *st)
{
	char *text;
	size_t len;
	int err = text_file__read(path, "theme", found, &text, &len, st);

	if (!err)
		err = theme__parse(t, text, len, path, st);
	free(text);
	return err;
}

int theme__choose(struct theme *t, const char *choice, bool own, struct status *st)
{
	const char *no_color = getenv("NO_COLOR");
	char path[OWN_PATH_MAX];
	bool found;
	int err;

	/* What the user names is stronger than the environment. */
	if (!choice)
		choice = no_color && *no_color ? "mono" : theme_names[0];
	if (strcmp(choice, "none") && theme__base(t, choice))
		return 0;
	theme__base(t, theme_names[0]);
	copy_str(path, sizeof(path), choice);
	found = own && own_file__named(choice, "theme", path);
	err = theme__read(t, path, found, st);
	if (err == -ENOENT && !strchr(choice, '/'))
		return status__set(st, EXIT_CODE_USAGE, err,
				   "no theme \"%.80s\": " BASES ", or a file", choice);
	return err;
}

/* --- what a terminal shows --- */

bool theme__has_grounds(const struct theme *t, int colors)
{
	return colors >= 256 && t->styles[ROLE_FLAME_USER].many.bg != LOOK_OWN;
}

/* Terminfo's direct colours are 0xrrggbb, but for the first 8, which are as always. */
static s32 many_colour(s32 c, int colors)
{
	if (c < 8)
		return c;
	if (colors >= LOOK_RGB)
		return (s32)MAX(rgb_of(c), 8u);
	return c & LOOK_RGB ? nearest(c, 16, 256) : c;
}

/* Of 8 colours the bright ones are bold, as terminals show it. */
static s32 dull_colour(s32 c, int colors)
{
	return c >= colors ? c - 8 : c;
}

static struct look shown(const struct style *s, int colors)
{
	struct look look = colors >= 256 ? s->many : s->few;

	if (colors >= 256) {
		look.fg = many_colour(look.fg, colors);
		look.bg = many_colour(look.bg, colors);
		return look;
	}
	if (look.fg >= colors)
		look.attrs |= LOOK_BOLD;
	look.fg = dull_colour(look.fg, colors);
	look.bg = dull_colour(look.bg, colors);
	return look;
}

struct look theme__look(const struct theme *t, enum role role, bool selected, int colors)
{
	struct look own = shown(&t->styles[role], colors), look = own;

	if (selected) {
		look = shown(&t->styles[ROLE_SELECTED], colors);
		look.attrs |= own.attrs & (LOOK_BOLD | LOOK_UNDERLINE);
	}
	return look;
}
