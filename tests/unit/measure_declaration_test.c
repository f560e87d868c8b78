// SPDX-License-Identifier: GPL-2.0-only
/* Declarations of measures: those that are there are whole, and wrong ones are refused. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "models/measure.h"
#include "models/model.h"
#include "samples/measure.h"

static const struct {
	const char *name, *title, *groups;
	u32 key;
} rows[] = {
#define MEASURE(id, name, key, shape, title, groups) [MEASURE_##id] = {#name, title, groups, key},
#include "measures/measures.def"
#undef MEASURE
};

static void declarations_are_whole(void **state)
{
	char why[200];

	for (u32 i = 0; i < MEASURE_TABLE_SIZE; i++) {
		const struct measure *m = measure_table[i];

		if (!measure__check(m, why, sizeof(why)))
			fail_msg("%s", why);
		assert_string_equal(m->name, rows[i].name);
		assert_string_equal(model_table[measure__model(m)]->name, m->name);
		assert_string_equal(model_table[measure__model(m)]->view, m->name);
		assert_true(rows[i].key <= 9 || isalpha(rows[i].key));
		assert_true(*rows[i].title);
	}
}

/* --group, completion and the man page have them from measures.def. */
static void groups_are_the_labels(void **state)
{
	for (u32 i = 0; i < MEASURE_TABLE_SIZE; i++) {
		const struct measure *m = measure_table[i];
		char names[256] = "";
		u32 groups;

		for (u32 l = 0; l < m->nlabels; l++) {
			size_t len = strlen(names);

			snprintf(names + len, sizeof(names) - len, "%s%s", l ? " " : "",
				 m->labels[l].name);
			assert_int_equal(measure__label(m, m->labels[l].name), l);
			assert_true(measure__parse_groups(m, m->labels[l].name, &groups));
			assert_int_equal(groups, 1u << l);
		}
		assert_string_equal(names, rows[i].groups);
		assert_int_equal(measure__label(m, "nothing"), -1);
	}
}

static void groups_are_read_and_told(void **state)
{
	const struct measure *m = measure_table[MEASURE_SYSCALLS];
	char text[64];
	u32 groups;

	assert_true(measure__parse_groups(m, "pid,syscall", &groups));
	assert_string_equal(measure__groups_text(m, groups, text, sizeof(text)), "syscall+pid");
	assert_true(measure__parse_groups(m, "syscall+pid", &groups));
	assert_false(measure__parse_groups(m, "", &groups));
	assert_false(measure__parse_groups(m, "pid,nothing", &groups));
	assert_int_equal(groups, 0);
	assert_int_equal(strlen(measure__groups_text(m, ~0u, text, 8)), 7);
}

/* Numbers have texts, those that nobody expects too. */
static void values_have_texts(void **state)
{
	static const u64 values[] = {0, 1, 39, 511, 512, 0xffff, 0x10000, 0x1ffff, UINT32_MAX};
	char text[MEASURE_LABEL_TEXT];

	for (u32 i = 0; i < MEASURE_TABLE_SIZE; i++) {
		const struct measure *m = measure_table[i];

		for (u32 l = 0; l < measure__own_labels(m); l++)
			for (u32 v = 0; v < ARRAY_SIZE(values) && m->labels[l].text; v++) {
				u64 value = values[v];

				if (m->labels[l].bits < 64)
					value &= (1ULL << m->labels[l].bits) - 1;
				memset(text, 'x', sizeof(text));
				m->labels[l].text(value, text, sizeof(text));
				assert_non_null(memchr(text, 0, sizeof(text)));
			}
	}
}

static void labels_lie_in_words(void **state)
{
	const struct measure_label l = {.word = 1, .shift = 16, .bits = 4};
	const struct measure_label whole = {.word = 2, .bits = 64};
	const __u64 words[] = {~0ULL, 0xabcd0000, 77};

	assert_int_equal(measure_label__value(&l, words), 0xd);
	assert_int_equal(measure_label__value(&whole, words), 77);
}

/* --- wrong ones --- */

static bool no_parts(const char *text, u32 i, char *buf, size_t size)
{
	return false;
}

static bool waits_never(const __u64 *words)
{
	return false;
}

static void no_text(u64 value, char *buf, size_t size)
{
}

static const struct measure_range values[] = {{0, 9}, {0}};
static struct measure_label labels[MEASURE_MAX_LABELS + 1];
static u32 drills[2];

/* One that is right, to be spoilt. */
static struct measure right(void)
{
	static const struct measure_label good[] = {
		{.name = "call", .title = "Call", .help = "which", .bits = 16},
		{.name = "error", .title = "Error", .help = "how", .kind = LABEL_ERROR, .shift = 16,
		 .bits = 32},
		{.name = "dir", .title = "Dir", .help = "where", .kind = LABEL_DERIVED, .of = 0,
		 .part = no_parts},
		{.name = "pid", .title = "PID", .help = "who", .kind = LABEL_PID},
	};

	memset(labels, 0, sizeof(labels));
	memcpy(labels, good, sizeof(good));
	drills[0] = 1;
	return (struct measure){.at = "test.c:1",
				.name = "calls",
				.noun = "calls",
				.event = "sys_enter",
				.shape = MEASURE_SHAPE_SPAN,
				.labels = labels,
				.nlabels = ARRAY_SIZE(good),
				.by = 1,
				.drills = drills};
}

static void refused(const struct measure *m, const char *why)
{
	char said[200] = "";

	if (measure__check(m, said, sizeof(said)))
		fail_msg("it is taken: %s", why);
	if (!strstr(said, why))
		fail_msg("%s, not: %s", said, why);
}

#define REFUSED(why, ...)                                                                          \
	do {                                                                                       \
		struct measure m = right();                                                        \
		__VA_ARGS__;                                                                       \
		refused(&m, why);                                                                  \
	} while (0)

#define SUM(name_, title_, type_)                                                                  \
	((struct measure_sum){.name = name_, .title = title_, .help = "x", .type = type_})

static void wrong_declarations_are_refused(void **state)
{
	struct measure good = right();
	char why[200];

	assert_true(measure__check(&good, why, sizeof(why)));
	REFUSED("MEASURE_HERE", m.at = NULL);
	REFUSED("name, noun and event", m.name = NULL);
	REFUSED("name, noun and event", m.noun = NULL);
	REFUSED("name, noun and event", m.event = NULL);
	REFUSED("value of a span", m.value = "bytes");
	REFUSED("of a holding", m.shape = MEASURE_SHAPE_HOLDING; m.value = "bytes");
	REFUSED("of a holding", m.shape = MEASURE_SHAPE_HOLDING; m.sums[0].name = "bytes");
	REFUSED("of a holding", m.shape = MEASURE_SHAPE_HOLDING; m.waits = waits_never);
	REFUSED("too many labels", m.nlabels = MEASURE_MAX_LABELS + 1);
	REFUSED("no name, title or help", labels[0].name = NULL);
	REFUSED("no name, title or help", labels[1].title = NULL);
	REFUSED("no name, title or help", labels[3].help = NULL);
	REFUSED("one name", labels[3].name = "call");
	REFUSED("one kind", labels[3].kind = LABEL_DERIVED);
	REFUSED("one kind", labels[0].kind = LABEL_ERROR);
	REFUSED("come first", labels[3].kind = LABEL_NAMED);
	REFUSED("outside of its word", labels[0].word = MEASURE_LABELS);
	REFUSED("outside of its word", labels[0].bits = 0);
	REFUSED("outside of its word", labels[1].shift = 33);
	REFUSED("derived label", labels[2].of = 2);
	REFUSED("derived label", labels[2].part = NULL);
	REFUSED("told by", labels[0].implied_by = 1);
	REFUSED("told by", labels[0].implied_by = 1u << MEASURE_MAX_LABELS);
	REFUSED("default grouping", m.by = 0);
	REFUSED("default grouping", m.by = 1u << 4);
	REFUSED("a drill", drills[0] = 1u << 4);
	REFUSED("a sum is", m.sums[0].name = "ns"; m.sums[0].type = VALUE_PCT);
	REFUSED("what is left", m.rest.name = "rest_ns"; m.rest.type = VALUE_NS);
	REFUSED("the same bits", labels[1].shift = 15);
	REFUSED("the same bits", labels[1].shift = 0; labels[1].bits = labels[0].bits);
	REFUSED("have a text", labels[0].values = values);
	REFUSED("beyond the label's bits", labels[0].values = values; labels[0].text = no_text;
		labels[0].bits = 3);
	REFUSED("is called so", m.sums[0] = SUM("bytes", "b/s", VALUE_COUNT));
	REFUSED("is called so", m.sums[0] = SUM("all", "b/s", VALUE_BYTES));
	REFUSED("no title or help", m.sums[0] = SUM("bytes", NULL, VALUE_BYTES));
	REFUSED("kept has no label", m.kept = 1);
	REFUSED("bytes, ns, or plain", m.shape = MEASURE_SHAPE_COUNT; m.value = "us");
}

static void many_own_labels_are_refused(void **state)
{
	static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
	struct measure m = right();

	for (u32 i = 0; i < ARRAY_SIZE(names); i++)
		labels[i] = (struct measure_label){
			.name = names[i], .title = "x", .help = "x", .bits = 1, .shift = (u8)i};
	m.nlabels = ARRAY_SIZE(names);
	refused(&m, "too many labels");
}

/* Who refuses says where it is. */
static void a_refusal_names_the_declaration(void **state)
{
	struct measure m = right();

	m.by = 0;
	refused(&m, "test.c:1: calls: ");
	m.name = NULL;
	refused(&m, "test.c:1: ?: ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(declarations_are_whole),
		cmocka_unit_test(groups_are_the_labels),
		cmocka_unit_test(groups_are_read_and_told),
		cmocka_unit_test(values_have_texts),
		cmocka_unit_test(labels_lie_in_words),
		cmocka_unit_test(wrong_declarations_are_refused),
		cmocka_unit_test(many_own_labels_are_refused),
		cmocka_unit_test(a_refusal_names_the_declaration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
