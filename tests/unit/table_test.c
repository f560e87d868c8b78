/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/lib/golden.h"
#include "tests/lib/rows.h"
#include "widgets/table.h"

static const struct rect screen = {0, 0, 80, 6}; /* a header and five lines */

struct fixture {
	struct rows rows;
	struct table table;
	struct table_source src;
	u64 open; /* key of the unfolded row */
};

/* Three children below the open row; the second has one of its own. */
static u32 children(void *ctx, u32 row)
{
	struct fixture *f = ctx;

	return f->rows.keys[row] == f->open ? 4 : 0;
}

static bool child(void *ctx, u32 row, u32 n, struct table_child *out)
{
	static const struct table_child all[] = {
		{.key = 101, .depth = 1, .text = "alpha", .pct = 5},
		{.key = 102, .depth = 1, .text = "beta", .has_children = true, .open = true},
		{.key = 103, .depth = 2, .last = true, .text = "gamma", .note = "obj"},
		{.key = 104, .depth = 1, .last = true, .text = "delta"},
	};

	if (n >= ARRAY_SIZE(all))
		return false;
	*out = all[n];
	return true;
}

static bool is_open(void *ctx, u64 key)
{
	return key == ((struct fixture *)ctx)->open;
}

static int setup(void **state)
{
	static struct fixture f;

	f = (struct fixture){0};
	rows__init(&f.rows, ROWS_MAX);
	table__init(&f.table);
	f.src = (struct table_source){.rows = &f.rows.table,
				      .children = children,
				      .child = child,
				      .open = is_open,
				      .ctx = &f};
	table__layout(&f.table, &f.src, screen);
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	table__fini(&((struct fixture *)*state)->table);
	return 0;
}

static u64 selected_key(struct fixture *f)
{
	u32 row, line;

	assert_true(table__selected(&f->table, &f->src, &row, &line));
	return f->rows.keys[row];
}

static void search_for(struct fixture *f, const char *text)
{
	snprintf(f->table.search, sizeof(f->table.search), "%s", text);
}

/* ---- columns that are chosen ---- */

static void chosen_columns_stand_in_their_order(void **state)
{
	struct fixture *f = *state;

	copy_str(f->table.columns, sizeof(f->table.columns), "symbol, nothing self_count,symbol,self_pct");
	table__layout(&f->table, &f->src, screen);
	assert_int_equal(f->table.nplaces, 3);
	assert_int_equal(f->table.places[0].column, ROWS_SYMBOL);
	assert_int_equal(f->table.places[1].column, ROWS_SAMPLES);
	assert_int_equal(f->table.places[2].column, ROWS_SELF);
	for (u32 i = 1; i < 3; i++)
		assert_true(f->table.places[i].x > f->table.places[i - 1].x + f->table.places[i - 1].w);
	/* The header that is clicked is the one that is drawn there. */
	table__mouse(&f->table, &f->src,
		     &(struct input){.type = INPUT_MOUSE, .mouse = MOUSE_CLICK,
				     .x = f->table.places[1].x + f->table.places[1].w - 1});
	assert_int_equal(f->table.sort, ROWS_SAMPLES);
	/* None that there is: as the rows have them. */
	copy_str(f->table.columns, sizeof(f->table.columns), "nothing");
	table__layout(&f->table, &f->src, screen);
	assert_true(f->table.nplaces > 3);
}

static void what_is_hidden_still_sorts(void **state)
{
	struct fixture *f = *state;
	u64 hottest = selected_key(f);

	copy_str(f->table.columns, sizeof(f->table.columns), "symbol");
	table__layout(&f->table, &f->src, screen);
	assert_true(table__sort_by(&f->table, &f->src, ROWS_SYMBOL));
	assert_int_not_equal(selected_key(f), hottest);
	assert_true(table__sort_by(&f->table, &f->src, ROWS_SELF));
	assert_int_equal(selected_key(f), hottest);
	assert_false(table__sort_by(&f->table, &f->src, ROWS_TREND));
	assert_false(table__sort_by(&f->table, &f->src, ROWS_COLUMNS));
}

static bool is_placed(const struct fixture *f, u32 column)
{
	for (u32 i = 0; i < f->table.nplaces; i++)
		if (f->table.places[i].column == column)
			return true;
	return false;
}

/* Where it would be dropped for want of room: nobody could tell by what rows come. */
static void what_rows_are_sorted_by_is_in_sight(void **state)
{
	struct fixture *f = *state;
	const struct rect narrow = {0, 0, 40, 6};

	table__layout(&f->table, &f->src, narrow);
	assert_false(is_placed(f, ROWS_SAMPLES));
	assert_true(table__sort_by(&f->table, &f->src, ROWS_SAMPLES));
	table__layout(&f->table, &f->src, narrow);
	assert_true(is_placed(f, ROWS_SAMPLES));
	assert_true(is_placed(f, ROWS_SELF)); /* which they are by as a rule */
}

static void names_of_columns_are_found(void **state)
{
	struct fixture *f = *state;
	char name[16];
	u8 out[ROW_TABLE_COLUMNS];

	assert_int_equal(row_table__named(&f->rows.table, "", out), 0);
	assert_int_equal(row_table__named(&f->rows.table, ",symbol ,, x", out), 1);
	assert_int_equal(out[0], ROWS_SYMBOL);
	assert_true(row_table__unknown(&f->rows.table, "symbol,x,y", name, sizeof(name)));
	assert_string_equal(name, "x");
	assert_false(row_table__unknown(&f->rows.table, "symbol", name, sizeof(name)));
}

/* ---- searches as they are typed ---- */

/* Names of rows by position, so that the test knows where a text is. */
static const char *symbol_at(struct fixture *f, u32 row)
{
	struct value v;

	assert_true(f->rows.table.cell(&f->rows.table, row, ROWS_SYMBOL, &v));
	return v.s;
}

static void a_search_moves_as_it_is_typed(void **state)
{
	struct fixture *f = *state;
	char text[64];

	table__move(&f->table, &f->src, 3);
	search_for(f, "old");
	table__search_begin(&f->table);
	copy_str(text, sizeof(text), symbol_at(f, 7));
	for (size_t n = 1; n <= strlen(text); n++) {
		char part[64];

		copy_str(part, n + 1, text);
		assert_true(table__search_type(&f->table, &f->src, part));
		assert_string_equal(f->table.search, part);
	}
	assert_int_equal(selected_key(f), f->rows.keys[7]);
	/* Shorter again: from where it began, not from where it went. */
	assert_true(table__search_type(&f->table, &f->src, ""));
	assert_int_equal(selected_key(f), f->rows.keys[3]);
	assert_false(table__search_type(&f->table, &f->src, "nowhere at all"));
	assert_int_equal(selected_key(f), f->rows.keys[3]);
	/* The line under the cursor is the first that is looked at. */
	assert_true(table__search_type(&f->table, &f->src, symbol_at(f, 3)));
	assert_int_equal(selected_key(f), f->rows.keys[3]);
	assert_true(table__search_type(&f->table, &f->src, symbol_at(f, 9)));
	table__search_cancel(&f->table, &f->src);
	assert_int_equal(selected_key(f), f->rows.keys[3]);
	assert_string_equal(f->table.search, "old");
}

static void a_cancelled_search_follows_rank_one_again(void **state)
{
	struct fixture *f = *state;

	table__search_begin(&f->table);
	assert_true(table__search_type(&f->table, &f->src, symbol_at(f, 9)));
	assert_int_equal(selected_key(f), f->rows.keys[9]);
	assert_true(f->table.user_moved);
	table__search_cancel(&f->table, &f->src);
	assert_false(f->table.user_moved);
	assert_int_equal(f->table.top, 0);
	assert_int_equal(selected_key(f), f->rows.keys[0]);
}

/* ---- columns ---- */

static u64 next_random(u64 *seed)
{
	return *seed = mix64(*seed + 0x9e3779b97f4a7c15ULL);
}

static u32 random_columns(u64 *seed, struct column *cols, u32 *key)
{
	u32 n = 1 + (u32)(next_random(seed) % 12);

	*key = (u32)(next_random(seed) % n);
	for (u32 i = 0; i < n; i++) {
		cols[i] = (struct column){
			.width = (u8)(next_random(seed) % 30),
			.priority = (u8)(next_random(seed) % 4),
			.flags = COLUMN_SCREEN | (next_random(seed) % 4 ? 0 : COLUMN_FLEX),
		};
	}
	cols[*key].flags |= COLUMN_KEY;
	return n;
}

static void check_places(const struct column_place *p, u32 n, u32 key, int w)
{
	bool has_key = false;

	assert_in_range(n, 1, 32);
	for (u32 i = 0; i < n; i++) {
		assert_true(p[i].w >= 1);
		assert_true(p[i].x >= 0 && p[i].x + p[i].w <= w);
		if (i) {
			assert_true(p[i].column > p[i - 1].column);
			assert_true(p[i].x > p[i - 1].x + p[i - 1].w);
		}
		has_key |= p[i].column == key;
	}
	assert_true(has_key);
}

static bool shows(const struct column_place *p, u32 n, u32 column)
{
	for (u32 i = 0; i < n; i++)
		if (p[i].column == column)
			return true;
	return false;
}

/* 400 tables at every width from 1 to 250. */
static void columns_fit_every_width(void **state)
{
	struct column_place now[32], before[32];
	u64 seed = 42;

	for (u32 table = 0; table < 400; table++) {
		struct column cols[12];
		u32 key, n = random_columns(&seed, cols, &key), nbefore = 0;

		for (int w = 1; w <= 250; w++) {
			u32 placed = table__place_columns(cols, n, w, now, 32);

			check_places(now, placed, key, w);
			for (u32 i = 0; i < nbefore; i++)
				assert_true(shows(now, placed, before[i].column));
			memcpy(before, now, sizeof(now));
			nbefore = placed;
		}
	}
}

static void the_least_important_goes_first(void **state)
{
	struct fixture *f = *state;
	const struct column *cols = f->rows.table.columns;
	struct column_place p[32];
	u32 n = table__place_columns(cols, ROWS_COLUMNS, 80, p, 32);

	/* Fixed: 14+7+8+8+14 and five gaps. The key has the rest. */
	assert_int_equal(n, ROWS_COLUMNS);
	assert_int_equal(p[ROWS_SYMBOL].w, 80 - 51 - 5);
	n = table__place_columns(cols, ROWS_COLUMNS, 75, p, 32);
	assert_int_equal(n, 5);
	assert_false(shows(p, n, ROWS_SAMPLES));
	n = table__place_columns(cols, ROWS_COLUMNS, 35, p, 32);
	assert_int_equal(n, 2);
	assert_int_equal(p[0].column, ROWS_SELF);
	assert_int_equal(p[1].w, 20);
	n = table__place_columns(cols, ROWS_COLUMNS, 25, p, 32);
	assert_int_equal(n, 2);
	assert_int_equal(p[1].w, 10);
	n = table__place_columns(cols, ROWS_COLUMNS, 20, p, 32);
	assert_int_equal(n, 1);
	assert_int_equal(p[0].column, ROWS_SYMBOL);
	assert_int_equal(table__place_columns(cols, ROWS_COLUMNS, 0, p, 32), 0);
}

static bool first_two_cells(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	(void)t;
	*out = (struct value){.type = VALUE_COUNT, .u = row};
	return column < 2;
}

/* Rows may be of several kinds: then the first one says nothing of the others' columns. */
static void what_applies_is_asked_of_the_first_row(void **state)
{
	struct column columns[] = {{.flags = COLUMN_SCREEN}, {.flags = COLUMN_EXPORT}, {.flags = COLUMN_SCREEN},
				   {.flags = COLUMN_SCREEN | COLUMN_OF_SOME}};
	struct row_table t = {.columns = columns, .ncolumns = 4, .nrows = 1, .cell = first_two_cells};
	u8 out[ROW_TABLE_COLUMNS];

	(void)state;
	assert_int_equal(row_table__screen(&t, out), 2);
	assert_int_equal(out[0], 0);
	assert_int_equal(out[1], 3);
	t.nrows = 0;
	assert_int_equal(row_table__screen(&t, out), 3);
}

/* ---- cursor ---- */

static void follows_rank_one_until_moved(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(selected_key(f), 1);
	f->rows.self[3] = 90;
	table__layout(&f->table, &f->src, screen);
	assert_int_equal(selected_key(f), 4);
	assert_int_equal(f->table.cursor_line, 0);
}

static void follows_its_row_once_moved(void **state)
{
	struct fixture *f = *state;

	table__move(&f->table, &f->src, 2);
	assert_int_equal(selected_key(f), 3);
	f->rows.self[2] = 99;
	table__layout(&f->table, &f->src, screen);
	assert_int_equal(selected_key(f), 3);
	assert_int_equal(f->table.cursor_line, 0);
	f->rows.self[2] = 0.1;
	table__layout(&f->table, &f->src, screen);
	assert_int_equal(selected_key(f), 3);
	table__home(&f->table, &f->src);
	f->rows.self[11] = 99;
	table__layout(&f->table, &f->src, screen);
	assert_int_equal(selected_key(f), 12);
}

/* The row under the cursor stays where it is on the screen while others pass it. */
static void stays_in_place_on_the_screen(void **state)
{
	struct fixture *f = *state;
	u32 offset;

	table__move(&f->table, &f->src, 9);
	table__move(&f->table, &f->src, -2);
	offset = f->table.cursor_line - f->table.top;
	assert_int_equal(offset, 2); /* in the middle: not held by an edge */
	assert_int_equal(selected_key(f), 8);
	f->rows.self[11] = 50;
	f->rows.self[10] = 50;
	table__layout(&f->table, &f->src, screen);
	assert_int_equal(selected_key(f), 8);
	assert_int_equal(f->table.cursor_line, 9);
	assert_int_equal(f->table.cursor_line - f->table.top, offset);
}

static void a_row_that_goes_leaves_the_cursor(void **state)
{
	struct fixture *f = *state;

	table__end(&f->table, &f->src);
	assert_int_equal(selected_key(f), 12);
	f->rows.table.nrows = 4;
	table__layout(&f->table, &f->src, screen);
	assert_int_equal(f->table.cursor_line, 3);
	assert_int_equal(selected_key(f), 4);
	f->rows.table.nrows = 0;
	table__layout(&f->table, &f->src, screen);
	assert_false(table__selected(&f->table, &f->src, &(u32){0}, &(u32){0}));
	table__move(&f->table, &f->src, 1);
	table__end(&f->table, &f->src);
	f->rows.table.nrows = 4;
	table__layout(&f->table, &f->src, screen);
	assert_true(table__selected(&f->table, &f->src, &(u32){0}, &(u32){0}));
}

static void movement_is_clamped(void **state)
{
	struct fixture *f = *state;

	table__move(&f->table, &f->src, -5);
	assert_int_equal(f->table.cursor_line, 0);
	table__move(&f->table, &f->src, 1000000);
	assert_int_equal(f->table.cursor_line, ROWS_MAX - 1);
	assert_int_equal(f->table.top, ROWS_MAX - 5);
	table__move(&f->table, &f->src, -ROWS_MAX + 1);
	assert_int_equal(f->table.top, 0);
}

/* The page has five lines. */
static void what_unfolds_is_revealed(void **state)
{
	struct fixture *f = *state;

	table__move(&f->table, &f->src, 4);
	table__reveal(&f->table, 0);
	assert_int_equal(f->table.top, 0);
	table__reveal(&f->table, 1);
	assert_int_equal(f->table.top, 1);
	table__reveal(&f->table, 1);
	assert_int_equal(f->table.top, 1);
	table__reveal(&f->table, 1000); /* half a page at most */
	assert_int_equal(f->table.top, 2);
	assert_int_equal(f->table.cursor_line, 4);
	table__end(&f->table, &f->src);
	table__reveal(&f->table, 3); /* not beyond the end */
	assert_int_equal(f->table.top, ROWS_MAX - 5);
}

static void children_are_lines(void **state)
{
	struct fixture *f = *state;
	u32 row, line;

	f->open = 2;
	table__layout(&f->table, &f->src, screen);
	assert_int_equal(f->table.nlines, ROWS_MAX + 4);
	table__move(&f->table, &f->src, 4);
	assert_true(table__selected(&f->table, &f->src, &row, &line));
	assert_int_equal(f->rows.keys[row], 2);
	assert_int_equal(line, 2);
	assert_int_equal(f->table.selected, 103);
	/* It is followed when its row moves, and the row takes over when it is folded. */
	f->rows.self[1] = 99;
	table__layout(&f->table, &f->src, screen);
	assert_int_equal(f->table.selected, 103);
	assert_int_equal(f->table.cursor_line, 3);
	f->open = 0;
	table__layout(&f->table, &f->src, screen);
	assert_true(table__selected(&f->table, &f->src, &row, &line));
	assert_int_equal(line, UINT32_MAX);
	assert_int_equal(selected_key(f), 2);
}

/* ---- sorting ---- */

static void sorts_by_the_next_column(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(f->table.sort, ROWS_SELF);
	assert_true(f->table.descending);
	table__sort_next(&f->table, &f->src, -1);
	assert_int_equal(f->table.sort, ROWS_OBJECT);
	assert_false(f->table.descending);
	table__sort_next(&f->table, &f->src, 1);
	assert_int_equal(f->table.sort, ROWS_SELF);
	table__sort_next(&f->table, &f->src, 1);
	table__sort_next(&f->table, &f->src, 1);
	table__sort_next(&f->table, &f->src, 1);
	assert_int_equal(f->table.sort, ROWS_SYMBOL); /* not by the trend */
	table__reverse(&f->table, &f->src);
	assert_true(f->table.descending);
	assert_int_equal(selected_key(f), 5); /* the last by name */
}

/* The cursor stays on its row as long as that is among the first. */
static void sorting_shows_the_top(void **state)
{
	struct fixture *f = *state;
	struct rect low = {0, 0, 100, 5};

	table__layout(&f->table, &f->src, low);
	table__move(&f->table, &f->src, 2);
	table__reverse(&f->table, &f->src);
	assert_int_equal(f->table.top, 0);
	assert_int_equal(f->table.cursor_line, 0); /* the third from the top is now near the end */
	table__reverse(&f->table, &f->src);
	table__move(&f->table, &f->src, 1);
	table__sort_next(&f->table, &f->src, 1);
	assert_int_equal(f->table.top, 0);
	assert_int_equal(selected_key(f), f->rows.keys[1]);
}

/* What rows are sorted by has it, and is as wide as it was with it. */
static void the_bar_goes_to_the_sorted_column(void **state)
{
	struct fixture *f = *state;
	int self = f->table.places[ROWS_SELF].w, total = f->table.places[ROWS_TOTAL].w;

	assert_int_equal(f->table.bar, UINT32_MAX);
	table__sort_by(&f->table, &f->src, ROWS_TOTAL);
	assert_int_equal(f->table.bar, ROWS_TOTAL);
	assert_int_equal(f->table.places[ROWS_SELF].w, TABLE_PCT_WIDTH);
	assert_int_equal(f->table.places[ROWS_TOTAL].w, total + self - TABLE_PCT_WIDTH);
	table__sort_by(&f->table, &f->src, ROWS_SYMBOL);
	assert_int_equal(f->table.bar, UINT32_MAX);
	assert_int_equal(f->table.places[ROWS_SELF].w, self);
}

static void the_header_sorts_and_rows_are_hit(void **state)
{
	struct fixture *f = *state;
	struct input in = {.type = INPUT_MOUSE, .mouse = MOUSE_CLICK, .x = 18, .y = 0};

	assert_false(table__mouse(&f->table, &f->src, &in));
	assert_int_equal(f->table.sort, ROWS_TOTAL);
	assert_true(f->table.descending);
	assert_false(table__mouse(&f->table, &f->src, &in));
	assert_false(f->table.descending);
	in.y = 3;
	assert_true(table__mouse(&f->table, &f->src, &in));
	assert_int_equal(f->table.cursor_line, 2);
	in.y = 50;
	assert_false(table__mouse(&f->table, &f->src, &in));
	in.mouse = MOUSE_WHEEL_DOWN;
	assert_false(table__mouse(&f->table, &f->src, &in));
	assert_int_equal(f->table.cursor_line, 5);
	f->rows.table.nrows = 0;
	table__layout(&f->table, &f->src, screen);
	in = (struct input){.type = INPUT_MOUSE, .y = 1};
	assert_false(table__mouse(&f->table, &f->src, &in));
}

/* ---- search ---- */

static void finds_forwards_backwards_and_around(void **state)
{
	struct fixture *f = *state;

	assert_false(table__search(&f->table, &f->src, 1));
	search_for(f, "SYS");
	assert_true(table__search(&f->table, &f->src, 1));
	assert_int_equal(selected_key(f), 8);
	search_for(f, "comp");
	assert_true(table__search(&f->table, &f->src, 1));
	assert_int_equal(selected_key(f), 1);
	search_for(f, "e");
	assert_true(table__search(&f->table, &f->src, -1));
	assert_int_equal(selected_key(f), 12);
	search_for(f, "gamma");
	assert_false(table__search(&f->table, &f->src, 1));
	f->open = 3;
	table__layout(&f->table, &f->src, screen);
	assert_true(table__search(&f->table, &f->src, 1));
	assert_int_equal(f->table.selected, 103);
}

/* ---- drawing ---- */

static void draws_at_every_size(void **state)
{
	struct fixture *f = *state;
	struct canvas c;

	f->open = 2;
	search_for(f, "e");
	for (int w = 0; w < 130; w += 1 + w / 40)
		for (int h = 0; h < 20; h += 3) {
			canvas__init(&c, w, h, w % 2);
			table__layout(&f->table, &f->src, canvas__rect(&c));
			table__move(&f->table, &f->src, w % 3 - 1);
			table__draw(&f->table, &f->src, &c);
			canvas__fini(&c);
		}
}

static void stays_in_its_area(void **state)
{
	struct fixture *f = *state;
	struct rect area = {5, 2, 40, 6};
	struct canvas c;

	canvas__init(&c, 60, 12, false);
	f->open = 1;
	table__layout(&f->table, &f->src, area);
	table__draw(&f->table, &f->src, &c);
	for (int y = 0; y < c.h; y++)
		for (int x = 0; x < c.w; x++) {
			bool inside = x >= 5 && x < 45 && y >= 2 && y < 8;

			assert_true(inside || c.cells[y * c.w + x].ch[0] == ' ');
		}
	canvas__fini(&c);
}

static u32 cells_with(const struct canvas *c, wchar_t ch, enum role role)
{
	u32 n = 0;

	for (int i = 0; i < c->w * c->h; i++)
		n += c->cells[i].ch[0] == ch && (role == ROLE_TEXT || c->cells[i].role == role);
	return n;
}

/* Each row has a mark, but where a view knows better; little that was counted has no bars. */
static bool only_first(void *ctx, u32 row)
{
	return row == 0;
}

static void marks_and_bars(void **state)
{
	struct fixture *f = *state;
	struct canvas c;

	canvas__init(&c, 100, 20, false);
	table__layout(&f->table, &f->src, canvas__rect(&c));
	table__draw(&f->table, &f->src, &c);
	assert_int_equal(cells_with(&c, L'▸', ROLE_TEXT), ROWS_MAX);
	assert_true(cells_with(&c, L'█', ROLE_HOT) > 0);
	f->src.unfolds = only_first;
	f->src.few = true;
	canvas__clear(&c);
	table__draw(&f->table, &f->src, &c);
	assert_int_equal(cells_with(&c, L'▸', ROLE_TEXT), 1);
	assert_int_equal(cells_with(&c, L'█', ROLE_HOT), 0);
	canvas__fini(&c);
}

static const struct column numbers[] = {
	{.name = "n", .title = "n", .type = VALUE_COUNT, .width = 10, .flags = COLUMN_SCREEN},
	{.name = "id", .title = "id", .type = VALUE_COUNT, .width = 10, .flags = COLUMN_SCREEN | COLUMN_EXACT},
};

static bool number(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	static const struct value values[] = {
		{.type = VALUE_COUNT, .u = 4721356},
		{.type = VALUE_COUNT, .u = UINT64_MAX},
		{.type = VALUE_CHANGE, .n = VALUE_COUNT, .i = -4721356},
	};

	*out = values[row];
	return true;
}

static u64 number_key(const struct row_table *t, u32 row)
{
	return row;
}

/* Numbers that may be anybody's have all their digits, where there is room. */
static void digits(void **state)
{
	struct fixture *f = *state;
	struct row_table rows = {numbers, 2, 3, .cell = number, .key = number_key};
	struct table_source src = {.rows = &rows};
	struct canvas c;
	char *text;

	canvas__init(&c, 30, 4, false);
	table__layout(&f->table, &src, canvas__rect(&c));
	table__draw(&f->table, &src, &c);
	text = golden__text(&c, false);
	assert_non_null(strstr(text, "     4.72M    4721356"));
	assert_non_null(strstr(text, "     18.4E      18.4E"));
	assert_non_null(strstr(text, "    -4.72M   -4721356"));
	free(text);
	canvas__fini(&c);
}

/* Titles that are wider than their column show both ends; one that the mark alone has no room beside gets it. */
static void long_titles(void **state)
{
	static const struct column columns[] = {
		{.name = "a", .title = "sk->skc_num", .type = VALUE_COUNT, .width = 8, .flags = COLUMN_SCREEN},
		{.name = "b", .title = "errors/s", .type = VALUE_COUNT, .width = 8, .flags = COLUMN_SCREEN},
	};
	static const char *const headers[] = {"sk-…num▼ errors/s", "sk->…num errors/s▼"};
	struct fixture *f = *state;
	struct row_table rows = {columns, 2, 1, .cell = number, .key = number_key};
	struct table_source src = {.rows = &rows};
	struct canvas c;

	canvas__init(&c, 18, 2, false);
	for (u32 i = 0; i < ARRAY_SIZE(headers); i++) {
		char *text;

		table__layout(&f->table, &src, canvas__rect(&c));
		table__draw(&f->table, &src, &c);
		text = golden__text(&c, false);
		assert_ptr_equal(strstr(text, headers[i]), text);
		free(text);
		table__sort_next(&f->table, &src, 1);
	}
	canvas__fini(&c);
}

static void no_rows_at_all(void **state)
{
	struct fixture *f = *state;
	struct table_source none = {0};
	struct canvas c;

	canvas__init(&c, 20, 5, false);
	table__layout(&f->table, &none, canvas__rect(&c));
	table__draw(&f->table, &none, &c);
	table__move(&f->table, &none, 1);
	table__sort_next(&f->table, &none, 1);
	table__reverse(&f->table, &none);
	assert_false(table__selected(&f->table, &none, &(u32){0}, &(u32){0}));
	canvas__fini(&c);
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_fit_every_width),
		TEST(the_least_important_goes_first),
		TEST(what_applies_is_asked_of_the_first_row),
		TEST(follows_rank_one_until_moved),
		TEST(follows_its_row_once_moved),
		TEST(stays_in_place_on_the_screen),
		TEST(a_row_that_goes_leaves_the_cursor),
		TEST(movement_is_clamped),
		TEST(what_unfolds_is_revealed),
		TEST(children_are_lines),
		TEST(sorts_by_the_next_column),
		TEST(sorting_shows_the_top),
		TEST(the_bar_goes_to_the_sorted_column),
		TEST(the_header_sorts_and_rows_are_hit),
		TEST(finds_forwards_backwards_and_around),
		TEST(draws_at_every_size),
		TEST(stays_in_its_area),
		TEST(marks_and_bars),
		TEST(digits),
		TEST(long_titles),
		TEST(no_rows_at_all),
		TEST(chosen_columns_stand_in_their_order),
		TEST(what_is_hidden_still_sorts),
		TEST(what_rows_are_sorted_by_is_in_sight),
		TEST(names_of_columns_are_found),
		TEST(a_search_moves_as_it_is_typed),
		TEST(a_cancelled_search_follows_rank_one_again),
	};

	golden__locale();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
