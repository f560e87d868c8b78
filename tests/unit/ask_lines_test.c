// SPDX-License-Identifier: GPL-2.0-only
/* Lines of lists that are asked for: the last ones are kept, in order, and what is not is counted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "models/asked.h"
#include "models/model.h"
#include "tests/lib/fake_symbols.h"

struct asked {
	struct symbols *symbols;
	struct model *model;
	struct ask_sample turn;
	u64 now_ns;
};

static void begin(struct asked *a, enum ask_list_kind lists)
{
	struct ask_form *f = &a->turn.form;

	*a = (struct asked){.symbols = fake_symbols__new(), .now_ns = 100 * NSEC_PER_SEC};
	a->model = model_events.new(a->symbols);
	a->turn = (struct ask_sample){.head.type = SAMPLE_ASK, .n = 1};
	copy_str(f->text, sizeof(f->text), "list a:b");
	copy_str(f->event, sizeof(f->event), "a:b");
	copy_str(f->noun, sizeof(f->noun), "events");
	f->lists = lists;
	f->nlabels = 1;
	copy_str(f->labels[0].name, sizeof(f->labels[0].name), "event");
	f->labels[0].bits = 16;
	f->by = 1;
	f->nfields = 3;
	f->fields[0] = (struct ask_field){.name = "path", .type = ASK_FIELD_TEXT};
	f->fields[1] = (struct ask_field){.name = "ret", .type = ASK_FIELD_SIGNED};
	f->fields[2] = (struct ask_field){.name = "pid", .type = ASK_FIELD_UNSIGNED};
	model_events.consume(a->model, &a->turn.head);
}

static void end(struct asked *a)
{
	model_events.free(a->model);
	fake_symbols__free(a->symbols);
}

static void put_event(struct asked *a, const char *event, u64 t_ns, const char *path, s64 ret, u64 pid, u32 has)
{
	const struct measure_key values[] = {{0, path}, {(u64)ret, ""}, {pid, ""}};
	struct ask_line_sample s = {
		.head.type = SAMPLE_ASK_LINE,
		.t_ns = t_ns,
		.cpu = 1,
		.who = {.tgid = 12, .tid = 13, .comm = "prog"},
		.event = event,
		.values = values,
		.nvalues = 3,
		.has = has,
	};

	model_events.consume(a->model, &s.head);
}

static void put(struct asked *a, u64 t_ns, const char *path, s64 ret, u64 pid, u32 has)
{
	put_event(a, "a:b", t_ns, path, ret, pid, has);
}

static struct query_result *ask(struct asked *a, enum time_window window, struct snap **snap)
{
	const struct asked_query q = {.window = window, .oldest_first = true};

	*snap = model_events.tick(a->model, a->now_ns, a->now_ns + NSEC_PER_SEC);
	a->now_ns += NSEC_PER_SEC;
	return asked__query(*snap, &q, NULL);
}

static struct value cell(const struct query_result *a, u32 row, const char *name)
{
	struct value v = {.type = VALUE_TEXT, .s = "no such column"};

	for (u32 i = 0; i < a->table.ncolumns; i++)
		if (!strcmp(a->table.columns[i].name, name) &&
		    (a->table.columns[i].flags & COLUMN_EXPORT))
			a->table.cell(&a->table, row, i, &v);
	return v;
}

/* In order of time; a field that the event has not is not known; one that is called as what is
 * known of each line has the name. */
static void lines_have_their_fields(void **state)
{
	struct query_result *result;
	struct snap *snap;
	struct asked a;

	begin(&a, ASK_LINES);
	put(&a, a.now_ns + 20, "/b", -2, 77, 7);
	put(&a, a.now_ns + 10, "/a", 3, 78, 5);
	result = ask(&a, WINDOW_LAST, &snap);
	assert_int_equal(result->table.nrows, 2);
	assert_string_equal(cell(result, 0, "path").s, "/a");
	assert_string_equal(cell(result, 1, "path").s, "/b");
	assert_int_equal(cell(result, 0, "ret").type, VALUE_NONE);
	assert_int_equal(cell(result, 1, "ret").i, -2);
	assert_int_equal(cell(result, 1, "pid").u, 77);
	assert_int_equal(cell(result, 1, "current->pid").u, 12);
	assert_int_equal(cell(result, 1, "tid").u, 13);
	assert_string_equal(cell(result, 1, "comm").s, "prog");
	query_result__free(result);
	snap__put(snap);
	end(&a);
}

static u32 flags_of(const struct query_result *a, const char *name)
{
	for (u32 i = 0; i < a->table.ncolumns; i++)
		if (!strcmp(a->table.columns[i].name, name))
			return a->table.columns[i].flags;
	return 0;
}

/* Which event a line is stands there once there are several, and says which call; numbers are nobody's count. */
static void events_are_told_apart(void **state)
{
	struct query_result *result;
	struct snap *snap;
	struct asked a;

	begin(&a, ASK_LINES);
	copy_str(a.turn.form.fields[1].name, sizeof(a.turn.form.fields[1].name), "__syscall_nr");
	model_events.consume(a.model, &a.turn.head);
	put(&a, a.now_ns + 1, "/a", 3, 47213, 7);
	for (u32 several = 0; several < 2; several++) {
		result = ask(&a, WINDOW_TOTAL, &snap);
		assert_int_equal(flags_of(result, "event") & COLUMN_BOTH,
				 several ? COLUMN_BOTH : COLUMN_EXPORT);
		assert_true(flags_of(result, "pid") & COLUMN_EXACT);
		assert_int_equal(flags_of(result, "__syscall_nr") & COLUMN_BOTH, COLUMN_EXPORT);
		query_result__free(result);
		snap__put(snap);
		put_event(&a, "a:c", a.now_ns + 1, "/b", 3, 1, 7);
	}
	end(&a);
}

/* The window is the interval, or all that are kept. */
static void the_last_are_kept(void **state)
{
	struct query_result *result;
	struct snap *snap;
	struct asked a;

	begin(&a, ASK_LINES);
	for (u32 i = 0; i < ASK_LINES_INTERVAL + 10; i++)
		put(&a, a.now_ns + i, "/x", i, i, 7);
	result = ask(&a, WINDOW_LAST, &snap);
	assert_int_equal(result->table.nrows, ASK_LINES_INTERVAL);
	assert_int_equal(container_of(result, struct asked_result, base)->dropped, 10);
	assert_int_equal(cell(result, 0, "pid").u, 10);
	query_result__free(result);
	snap__put(snap);
	put(&a, a.now_ns + 1, "/y", 1, 1, 7);
	result = ask(&a, WINDOW_DECAY, &snap);
	assert_int_equal(result->table.nrows, 1); /* a chunk goes as a whole */
	query_result__free(result);
	snap__put(snap);
	result = ask(&a, WINDOW_LAST, &snap);
	assert_int_equal(result->table.nrows, 0);
	query_result__free(result);
	snap__put(snap);
	end(&a);
}

static void fullest_slots_come_first(void **state)
{
	struct query_result *result;
	struct snap *snap;
	struct asked a;

	begin(&a, ASK_SLOTS);
	put(&a, a.now_ns + 1, "", 2, 1, 6);
	put(&a, a.now_ns + 2, "", 5, 5, 6);
	put(&a, a.now_ns + 3, "", 1, 0, 6);
	result = ask(&a, WINDOW_LAST, &snap);
	assert_int_equal(cell(result, 0, "count").u, 10);
	assert_int_equal(cell(result, 1, "count").u, 3);
	assert_int_equal(cell(result, 2, "count").u, 1);
	query_result__free(result);
	snap__put(snap);
	end(&a);
}

/* What a recording may say. */
static void forms_that_contradict_themselves(void **state)
{
	struct asked a;
	struct ask_form f;

	begin(&a, ASK_LINES);
	assert_non_null(ask_form__measure(&a.turn.form));
	f = a.turn.form;
	f.nfields = ASK_FIELDS + 1;
	assert_null(ask_form__measure(&f));
	f = a.turn.form;
	f.lists = ASK_SUMS;
	assert_null(ask_form__measure(&f));
	f = a.turn.form;
	f.fields[1].type = ASK_FIELD_TYPES;
	assert_null(ask_form__measure(&f));
	f = a.turn.form;
	memset(f.sums[0].name, 'x', sizeof(f.sums[0].name));
	assert_null(ask_form__measure(&f));
	end(&a);
}

/* Nobody finds one before it is kept; one that is not leaves nothing. */
static void drafts(void **state)
{
	struct asked a;
	struct ask_form f;
	struct measure *draft, *other;

	begin(&a, ASK_LINES);
	f = a.turn.form;
	copy_str(f.text, sizeof(f.text), "list drafts");
	draft = ask_form__draft(&f);
	assert_non_null(draft);
	assert_string_equal(draft->name, f.text);
	other = ask_form__draft(&f);
	assert_ptr_not_equal(draft, other);
	ask_form__drop(other);
	assert_true(ask_form__keep(draft));
	assert_ptr_equal(ask_form__measure(&f), draft);
	f.nfields = ASK_FIELDS + 1;
	assert_null(ask_form__draft(&f));
	ask_form__drop(NULL);
	end(&a);
}

static void turn(struct asked *a, u32 index, u32 n, const char *text)
{
	a->turn.index = index;
	a->turn.n = n;
	memset(a->turn.form.text, 0, sizeof(a->turn.form.text));
	copy_str(a->turn.form.text, sizeof(a->turn.form.text), text);
	model_events.consume(a->model, &a->turn.head);
}

/* Lines that there are of each question, by its text. */
static u32 lines_of(const struct query_result *result, const char *text)
{
	u32 n = 0;

	for (u32 i = 0; i < result->table.nrows; i++)
		n += !strcmp(cell(result, i, "ask").s, text);
	return n;
}

/* Others that are asked, or not any more, change nothing of what one has told. */
static void what_was_told_stays(void **state)
{
	const char *const texts[] = {"list a:1", "list a:2", "list a:3"};
	struct query_result *result;
	struct snap *snap;
	struct asked a;

	begin(&a, ASK_LINES);
	for (u32 i = 0; i < 3; i++) {
		turn(&a, i, 3, texts[i]);
		for (u32 k = 0; k <= i; k++)
			put(&a, a.now_ns + 1, "/x", 1, 1, 7);
	}
	query_result__free(ask(&a, WINDOW_DECAY, &snap));
	snap__put(snap);
	turn(&a, 0, 3, "list a:new"); /* in the place of the first, and the second is gone */
	turn(&a, 1, 3, texts[2]);
	turn(&a, 2, 3, "list a:more");
	put(&a, a.now_ns + 1, "/y", 1, 1, 7);
	result = ask(&a, WINDOW_DECAY, &snap);
	assert_int_equal(lines_of(result, texts[0]), 0);
	assert_int_equal(lines_of(result, texts[1]), 0);
	assert_int_equal(lines_of(result, texts[2]), 3);
	assert_int_equal(lines_of(result, "list a:new"), 0);
	assert_int_equal(lines_of(result, "list a:more"), 1);
	query_result__free(result);
	snap__put(snap);
	turn(&a, 0, 1, texts[2]);
	result = ask(&a, WINDOW_DECAY, &snap);
	assert_int_equal(result->table.nrows, 3);
	query_result__free(result);
	snap__put(snap);
	end(&a);
}

/* Of intervals some way back the fullest slots stay, with their values. */
static void fullest_slots_stay(void **state)
{
	enum { SLOTS = 1000 };
	struct query_result *result;
	struct snap *snap;
	struct asked a;

	begin(&a, ASK_SLOTS);
	for (u32 i = 0; i < SLOTS; i++)
		put(&a, a.now_ns + (u64)i * NSEC_PER_MSEC, "", (i * 7) % SLOTS, 1, 6);
	result = ask(&a, WINDOW_DECAY, &snap);
	assert_int_equal(result->table.nrows, SLOTS);
	query_result__free(result);
	snap__put(snap);
	for (u32 i = 0; i < ASK_SLOTS_WHOLE; i++) {
		put(&a, a.now_ns + 1, "", 0, 1, 6);
		result = ask(&a, WINDOW_DECAY, &snap);
		assert_int_equal(result->table.nrows,
				 i + 1 + (i + 1 < ASK_SLOTS_WHOLE ? SLOTS : ASK_SLOTS_FULLEST));
		if (i + 1 < ASK_SLOTS_WHOLE)
			query_result__free(result);
		if (i + 1 < ASK_SLOTS_WHOLE)
			snap__put(snap);
	}
	for (u32 i = 0; i < ASK_SLOTS_FULLEST; i++) {
		assert_int_equal(cell(result, i, "count").u, SLOTS - i);
		assert_int_equal(cell(result, i, "ret").u, SLOTS - 1 - i);
	}
	query_result__free(result);
	snap__put(snap);
	end(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fullest_slots_stay),
		cmocka_unit_test(lines_have_their_fields),
		cmocka_unit_test(events_are_told_apart),
		cmocka_unit_test(the_last_are_kept),
		cmocka_unit_test(fullest_slots_come_first),
		cmocka_unit_test(what_was_told_stays),
		cmocka_unit_test(forms_that_contradict_themselves),
		cmocka_unit_test(drafts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
