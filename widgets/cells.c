/* SPDX-License-Identifier: GPL-2.0-only */
#include "widgets/cells.h"

#include <stdarg.h>

#include "base/arena.h"

/* No terminal is larger; a hostile or broken size must not take the memory. */
#define CANVAS_MAX 2000

static const struct cell blank = {.ch = {L' '}, .role = ROLE_TEXT};

void canvas__init(struct canvas *c, int w, int h, bool ascii)
{
	*c = (struct canvas){.ascii = ascii};
	canvas__resize(c, w, h);
}

void canvas__fini(struct canvas *c)
{
	free(c->cells);
	*c = (struct canvas){0};
}

void canvas__resize(struct canvas *c, int w, int h)
{
	c->w = CLAMP(w, 0, CANVAS_MAX);
	c->h = CLAMP(h, 0, CANVAS_MAX);
	free(c->cells);
	c->cells = xcalloc((size_t)c->w * (size_t)c->h, sizeof(*c->cells));
	canvas__clear(c);
}

void canvas__clear(struct canvas *c)
{
	for (int i = 0; i < c->w * c->h; i++)
		c->cells[i] = blank;
	c->cursor_x = c->cursor_y = -1;
}

struct rect canvas__rect(const struct canvas *c)
{
	return (struct rect){0, 0, c->w, c->h};
}

/* A half of a wide character never stays behind alone. */
static void cut_wide(struct canvas *c, struct cell *row, int x)
{
	if (x > 0 && x < c->w && row[x].ch[0] == 0) {
		row[x - 1].ch[0] = L' ';
		row[x - 1].ch[1] = row[x - 1].ch[2] = 0;
		row[x].ch[0] = L' ';
	}
}

static void put(struct canvas *c, int x, int y, enum role role, const struct glyph *g)
{
	struct cell *row = c->cells + (size_t)y * (size_t)c->w;
	struct cell cell = {.ch = {g->ch[0], g->ch[1], g->ch[2]}, .role = role};

	cut_wide(c, row, x);
	cut_wide(c, row, x + g->width);
	if (c->ascii)
		cell = (struct cell){.ch = {text__ascii(g->ch[0])}, .role = role};
	row[x] = cell;
	if (g->width == 2)
		row[x + 1] = (struct cell){.ch = {c->ascii ? L'?' : 0}, .role = role};
}

int draw__text(struct canvas *c, int x, int y, int w, enum role role, const char *text)
{
	static const struct glyph space = {.ch = {L' '}, .width = 1};
	int end = MIN(x + MAX(w, 0), c->w), col = x;
	struct glyph g;

	if (y < 0 || y >= c->h)
		return 0;
	for (; col < end && text__glyph(text, &g); text += g.bytes) {
		if (col + g.width > end)
			g = space; /* half of it would not fit */
		if (col >= 0)
			put(c, col, y, role, &g);
		else if (col + g.width > 0)
			put(c, 0, y, role, &space);
		col += g.width;
		if (!g.bytes)
			break;
	}
	return col - x;
}

int draw__textf(struct canvas *c, int x, int y, int w, enum role role, const char *fmt, ...)
{
	char buf[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	return draw__text(c, x, y, w, role, buf);
}

int draw__right(struct canvas *c, int x, int y, int w, enum role role, const char *text)
{
	int used;

	text__fit(text, w, &used);
	return draw__text(c, x + w - used, y, used, role, text);
}

int draw__cut(struct canvas *c, int x, int y, int w, enum role role, const char *text)
{
	size_t all = text__fit(text, w, NULL);
	int used;

	if (!text[all] || w < 2)
		return draw__text(c, x, y, w, role, text);
	text__fit(text, w - 1, &used);
	used = draw__text(c, x, y, used, role, text);
	return used + draw__text(c, x + used, y, 1, role, "…");
}

int draw__words(struct canvas *c, int x, int y, int w, enum role role, const char *text)
{
	char line[2048];
	size_t fits = text__fit(text, w, NULL), end = text__fit(text, w - 1, NULL);

	if (!text[fits] || w < 2)
		return draw__text(c, x, y, w, role, text);
	for (size_t at = end; at > 0; at--)
		if (text[at] == ' ') {
			end = at;
			break;
		}
	snprintf(line, sizeof(line), "%.*s…", (int)end, text);
	return draw__text(c, x, y, w, role, line);
}

int draw__middle(struct canvas *c, int x, int y, int w, enum role role, const char *text)
{
	int head = w / 2, tail, used;
	size_t all = text__fit(text, w, NULL), end;

	if (!text[all] || w < 4)
		return draw__text(c, x, y, w, role, text);
	text__fit(text, head, &head);
	end = text__fit_end(text, w - head - 1, &tail);
	used = draw__text(c, x, y, head, role, text);
	used += draw__text(c, x + used, y, 1, role, "…");
	return used + draw__text(c, x + used, y, tail, role, text + end);
}

void draw__fill(struct canvas *c, struct rect r, enum role role, wchar_t ch)
{
	struct glyph g = {.ch = {ch}, .width = 1};

	for (int y = MAX(r.y, 0); y < MIN(r.y + r.h, c->h); y++)
		for (int x = MAX(r.x, 0); x < MIN(r.x + r.w, c->w); x++)
			put(c, x, y, role, &g);
}

void draw__select(struct canvas *c, int x, int y, int w)
{
	if (y < 0 || y >= c->h)
		return;
	for (int i = MAX(x, 0); i < MIN(x + w, c->w); i++)
		c->cells[y * c->w + i].selected = true;
}

void draw__box(struct canvas *c, struct rect r, enum role role, const char *title)
{
	int right = r.x + r.w - 1, bottom = r.y + r.h - 1;

	if (r.w < 2 || r.h < 2)
		return;
	draw__fill(c, (struct rect){r.x, r.y, r.w, 1}, role, 0x2500);
	draw__fill(c, (struct rect){r.x, bottom, r.w, 1}, role, 0x2500);
	draw__fill(c, (struct rect){r.x, r.y, 1, r.h}, role, 0x2502);
	draw__fill(c, (struct rect){right, r.y, 1, r.h}, role, 0x2502);
	draw__text(c, r.x, r.y, 1, role, "┌");
	draw__text(c, right, r.y, 1, role, "┐");
	draw__text(c, r.x, bottom, 1, role, "└");
	draw__text(c, right, bottom, 1, role, "┘");
	if (title && title[0] && r.w > 6) {
		int n = draw__middle(c, r.x + 3, r.y, r.w - 6, ROLE_TITLE, title);

		draw__text(c, r.x + 2, r.y, 1, role, " ");
		draw__text(c, r.x + 3 + n, r.y, 1, role, " ");
	}
}

const char *const role_names[ROLES] = {
	[ROLE_TEXT] = "text",	      [ROLE_DIM] = "dim",	  [ROLE_STRONG] = "strong",
	[ROLE_TITLE] = "title",	      [ROLE_HEADER] = "header",	  [ROLE_SORTED] = "sorted",
	[ROLE_SELECTED] = "selected", [ROLE_TAB] = "tab",	  [ROLE_TAB_ACTIVE] = "tab-active",
	[ROLE_KEY] = "key",	      [ROLE_OK] = "ok",		  [ROLE_WARN] = "warn",
	[ROLE_BAD] = "bad",	      [ROLE_BAR] = "bar",	  [ROLE_HOT] = "hot",
	[ROLE_WARM] = "warm",	      [ROLE_COOL] = "cool",	  [ROLE_USER] = "user",
	[ROLE_KERNEL] = "kernel",     [ROLE_INLINED] = "inlined", [ROLE_JIT] = "jit",
	[ROLE_SCRIPT] = "script",     [ROLE_JAVA] = "java",
	[ROLE_JAVASCRIPT] = "javascript", [ROLE_PHP] = "php",
	[ROLE_RUBY] = "ruby",	      [ROLE_PERL] = "perl",
	[ROLE_MATCH] = "match",	      [ROLE_PROMPT] = "prompt",	  [ROLE_ERROR] = "error",
	[ROLE_BORDER] = "border",
	[ROLE_FLAME_ABOVE] = "above",	   [ROLE_FLAME_MATCH] = "found",
	[ROLE_FLAME_PLAIN] = "plain1",	   [ROLE_FLAME_PLAIN_2] = "plain2",
	[ROLE_FLAME_PLAIN_3] = "plain3",   [ROLE_FLAME_USER] = "user1",
	[ROLE_FLAME_USER_2] = "user2",	   [ROLE_FLAME_USER_3] = "user3",
	[ROLE_FLAME_LIBRARY] = "library1", [ROLE_FLAME_LIBRARY_2] = "library2",
	[ROLE_FLAME_LIBRARY_3] = "library3", [ROLE_FLAME_KERNEL] = "kernel1",
	[ROLE_FLAME_KERNEL_2] = "kernel2", [ROLE_FLAME_KERNEL_3] = "kernel3",
	[ROLE_FLAME_INLINED] = "inlined1", [ROLE_FLAME_INLINED_2] = "inlined2",
	[ROLE_FLAME_INLINED_3] = "inlined3", [ROLE_FLAME_JIT] = "jit1",
	[ROLE_FLAME_JIT_2] = "jit2",	   [ROLE_FLAME_JIT_3] = "jit3",
	[ROLE_FLAME_SCRIPT] = "script1",   [ROLE_FLAME_SCRIPT_2] = "script2",
	[ROLE_FLAME_SCRIPT_3] = "script3", [ROLE_FLAME_JAVA] = "java1",
	[ROLE_FLAME_JAVA_2] = "java2",	   [ROLE_FLAME_JAVA_3] = "java3",
	[ROLE_FLAME_JAVASCRIPT] = "javascript1",
	[ROLE_FLAME_JAVASCRIPT_2] = "javascript2",
	[ROLE_FLAME_JAVASCRIPT_3] = "javascript3", [ROLE_FLAME_PHP] = "php1",
	[ROLE_FLAME_PHP_2] = "php2",	   [ROLE_FLAME_PHP_3] = "php3",
	[ROLE_FLAME_RUBY] = "ruby1",	   [ROLE_FLAME_RUBY_2] = "ruby2",
	[ROLE_FLAME_RUBY_3] = "ruby3",	   [ROLE_FLAME_PERL] = "perl1",
	[ROLE_FLAME_PERL_2] = "perl2",	   [ROLE_FLAME_PERL_3] = "perl3",
	[ROLE_FLAME_GO] = "go1",	   [ROLE_FLAME_GO_2] = "go2",
	[ROLE_FLAME_GO_3] = "go3",
	[ROLE_FLAME_COLD] = "cold1",	   [ROLE_FLAME_COLD_2] = "cold2",
	[ROLE_FLAME_COLD_3] = "cold3",
	[ROLE_HEAT_1] = "heat1",	   [ROLE_HEAT_2] = "heat2",
	[ROLE_HEAT_3] = "heat3",	   [ROLE_HEAT_4] = "heat4",
	[ROLE_HEAT_5] = "heat5",	   [ROLE_HEAT_6] = "heat6",
	[ROLE_HEAT_7] = "heat7",	   [ROLE_HEAT_8] = "heat8",
	[ROLE_HEAT_AT] = "here",
	[ROLE_FLAME_GREW] = "grew1",
	[ROLE_FLAME_GREW + 1] = "grew2",
	[ROLE_FLAME_GREW + 2] = "grew3",
	[ROLE_FLAME_GREW + 3] = "grew4",
	[ROLE_FLAME_GREW + 4] = "grew5",
	[ROLE_FLAME_GREW + 5] = "grew6",
	[ROLE_FLAME_SHRANK] = "shrank1",
	[ROLE_FLAME_SHRANK + 1] = "shrank2",
	[ROLE_FLAME_SHRANK + 2] = "shrank3",
	[ROLE_FLAME_SHRANK + 3] = "shrank4",
	[ROLE_FLAME_SHRANK + 4] = "shrank5",
	[ROLE_FLAME_SHRANK + 5] = "shrank6",
	[ROLE_LOAD] = "load1",
	[ROLE_LOAD + 1] = "load2",
	[ROLE_LOAD + 2] = "load3",
	[ROLE_LOAD + 3] = "load4",
	[ROLE_LOAD + 4] = "load5",
	[ROLE_LOAD + 5] = "load6",
	[ROLE_LOAD + 6] = "load7",
	[ROLE_LOAD + 7] = "load8",
	[ROLE_LOAD + 8] = "load9",
	[ROLE_LOAD + 9] = "load10",
	[ROLE_IN] = "in1",
	[ROLE_IN + 1] = "in2",
	[ROLE_IN + 2] = "in3",
	[ROLE_IN + 3] = "in4",
	[ROLE_IN + 4] = "in5",
	[ROLE_IN + 5] = "in6",
	[ROLE_IN + 6] = "in7",
	[ROLE_IN + 7] = "in8",
	[ROLE_IN + 8] = "in9",
	[ROLE_IN + 9] = "in10",
	[ROLE_OUT] = "out1",
	[ROLE_OUT + 1] = "out2",
	[ROLE_OUT + 2] = "out3",
	[ROLE_OUT + 3] = "out4",
	[ROLE_OUT + 4] = "out5",
	[ROLE_OUT + 5] = "out6",
	[ROLE_OUT + 6] = "out7",
	[ROLE_OUT + 7] = "out8",
	[ROLE_OUT + 8] = "out9",
	[ROLE_OUT + 9] = "out10",
};

const char *const graph_style_names[] = {"braille", "blocks", "ascii", NULL};

enum role role__grade(enum role gradient, double part)
{
	return gradient + (enum role)CLAMP(part * GRADES, 0, GRADES - 1);
}

static void dump_cell(const struct cell *cell, FILE *out)
{
	char buf[4];

	for (u32 i = 0; i < ARRAY_SIZE(cell->ch) && cell->ch[i]; i++)
		fwrite(buf, 1, utf8__encode((u32)cell->ch[i], buf), out);
}

static void dump_role(const struct cell *cell, FILE *out)
{
	fprintf(out, "{%s%s", cell->selected ? "*" : "", role_names[cell->role]);
	if (cell->parted)
		fprintf(out, "|%s", role_names[cell->right]);
	fputc(':', out);
}

static bool is_blank(const struct cell *cell, bool roles)
{
	return cell->ch[0] == L' ' && !(roles && (cell->selected || cell->role != ROLE_TEXT));
}

static void dump_row(const struct cell *row, int w, FILE *out, bool roles)
{
	bool open = false;

	while (w > 0 && is_blank(&row[w - 1], roles))
		w--;
	for (int x = 0; x < w; x++) {
		bool starts = x == 0 || row[x].role != row[x - 1].role ||
			      row[x].selected != row[x - 1].selected || row[x].parted ||
			      row[x - 1].parted;

		if (roles && starts) {
			if (open)
				fputc('}', out);
			open = row[x].selected || row[x].parted || row[x].role != ROLE_TEXT;
			if (open)
				dump_role(&row[x], out);
		}
		dump_cell(&row[x], out);
	}
	if (open)
		fputc('}', out);
	fputc('\n', out);
}

void canvas__dump(const struct canvas *c, FILE *out, bool roles)
{
	for (int y = 0; y < c->h; y++)
		dump_row(c->cells + (size_t)y * (size_t)c->w, c->w, out, roles);
}
