// SPDX-License-Identifier: GPL-2.0-only
/* The doctor's findings for people and for programs. */
#include <json-c/json.h>
#include <sys/utsname.h>

#include "base/json_line.h"
#include "base/utf8.h"
#include "sources/doctor_checks.h"

static const char *const words[] = {
	[CHECK_OK] = "ok", [CHECK_LIMITED] = "limited", [CHECK_MISSING] = "missing"};
static const char *const colors[] = {
	[CHECK_OK] = "\033[32m", [CHECK_LIMITED] = "\033[33m", [CHECK_MISSING] = "\033[31m"};

/* Missing only where no tier serves any view that needs one; whatever else is not ok in a view is
 * a limit. */
static enum check_state verdict(const struct check *checks, u32 n, char *text, size_t size)
{
	static const char *const says[] = {[CHECK_OK] = "everything works here",
					   [CHECK_LIMITED] = "works here, with limits",
					   [CHECK_MISSING] = "cannot profile here"};
	u32 counts[ARRAY_SIZE(says)] = {0}, served = 0, unserved = 0;
	enum check_state state = CHECK_OK;

	for (u32 i = 0; i < n; i++) {
		const struct check *k = &checks[i];

		counts[k->state]++;
		if (strncmp(k->group, "view ", 5))
			continue;
		if (k->state != CHECK_OK)
			state = CHECK_LIMITED;
		if (strcmp(k->name, DOCTOR_ENGINE) || !strcmp(k->detail, DOCTOR_NO_ENGINE))
			continue;
		served += k->state != CHECK_MISSING;
		unserved += k->state == CHECK_MISSING;
	}
	if (unserved && !served)
		state = CHECK_MISSING;
	snprintf(text, size, "%s: %u ok, %u limited, %u missing", says[state], counts[CHECK_OK],
		 counts[CHECK_LIMITED], counts[CHECK_MISSING]);
	return state;
}

static void print_check(FILE *out, const struct check *k, bool color)
{
	const char *detail = k->detail;
	char c[4];

	fprintf(out, "  %s%-7s%s  %-26s  ", color ? colors[k->state] : "", words[k->state],
		color ? "\033[0m" : "", k->name);
	for (u32 len; (len = utf8__clean(&detail, c));)
		fwrite(c, 1, len, out);
	fputc('\n', out);
}

/* Checks in a row with one remedy share its line, below the last of them. */
static bool remedy_is_due(const struct check *checks, u32 n, u32 i)
{
	const struct check *k = &checks[i], *next = i + 1 < n ? k + 1 : NULL;

	return *k->remedy &&
	       (!next || strcmp(next->remedy, k->remedy) || strcmp(next->group, k->group));
}

void doctor__print(FILE *out, const struct check *checks, u32 n, bool color)
{
	char text[256];
	enum check_state state = verdict(checks, n, text, sizeof(text));

	fprintf(out, "%sproftop %s%s\n", color ? colors[state] : "", text, color ? "\033[0m" : "");
	for (u32 i = 0; i < n; i++) {
		if (!i || strcmp(checks[i].group, checks[i - 1].group))
			fprintf(out, "\n%s\n", checks[i].group);
		print_check(out, &checks[i], color);
		if (remedy_is_due(checks, n, i))
			fprintf(out, "  %-7s  %-26s  -> %s\n", "", "", checks[i].remedy);
	}
}

static void add_text(struct json_object *o, const char *name, const char *s)
{
	char *valid = utf8__dup(s);

	json_object_object_add(o, name, json_object_new_string(valid));
	free(valid);
}

static struct json_object *json_check(const struct check *k)
{
	struct json_object *o = json_object_new_object();

	add_text(o, "group", k->group);
	add_text(o, "name", k->name);
	add_text(o, "state", words[k->state]);
	add_text(o, "detail", k->detail);
	add_text(o, "remedy", k->remedy);
	return o;
}

void doctor__print_json(FILE *out, const struct check *checks, u32 n)
{
	struct json_object *o = json_object_new_object(), *list = json_object_new_array();
	struct utsname u;
	char text[256], *line;

	uname(&u);
	add_text(o, "schema", "proftop-doctor/1");
	add_text(o, "host", u.nodename);
	add_text(o, "kernel", u.release);
	add_text(o, "verdict", words[verdict(checks, n, text, sizeof(text))]);
	add_text(o, "text", text);
	for (u32 i = 0; i < n; i++)
		json_object_array_add(list, json_check(&checks[i]));
	json_object_object_add(o, "checks", list);
	line = json__line(o);
	fprintf(out, "%s\n", line);
	free(line);
}
