/* SPDX-License-Identifier: GPL-2.0-only */
#include "tui/view.h"

#include <stdio.h>

#include "base/hosts.h"
#include "samples/measure.h"
#include "scope/filter.h"

#define VIEW(key, id, name) extern const struct view_ops view_##name;
#include "tui/views.def"
#undef VIEW

const struct view_ops *const view_table[VIEW_COUNT] = {
#define VIEW(key, id, name) [VIEW_##id] = &view_##name,
#include "tui/views.def"
#undef VIEW
};

const u8 view_keys[VIEW_COUNT] = {
#define VIEW(key, id, name) [VIEW_##id] = key,
#include "tui/views.def"
#undef VIEW
};

#define PANE(of, ops) extern const struct view_ops ops;
#include "tui/panes.def"
#undef PANE

const struct view_ops *const pane_table[PANE_COUNT] = {
#define PANE(of, ops) [PANE_##ops] = &ops,
#include "tui/panes.def"
#undef PANE
};

static const u8 pane_views[PANE_COUNT] = {
#define PANE(of, ops) [PANE_##ops] = VIEW_##of,
#include "tui/panes.def"
#undef PANE
};

/* PANE_COUNT when there is none. */
static u32 pane_index(const char *name)
{
	u32 p = 0;

	while (p < PANE_COUNT && strcmp(pane_table[p]->name, name))
		p++;
	return p;
}

enum view_id view__index(const char *name)
{
	u32 v = 0, p = pane_index(name);

	if (p < PANE_COUNT)
		return pane_views[p];
	while (v < VIEW_COUNT && strcmp(view_table[v]->name, name))
		v++;
	return v;
}

enum view_id view__of_action(enum action a)
{
	if (a >= ACTION_SHOW_FIRST)
		return a - ACTION_SHOW_FIRST;
	return view__of_key((int)(a - ACTION_VIEW_0));
}

enum view_id view__of_key(int key)
{
	u32 v = 0;

	while (v < VIEW_COUNT && view_keys[v] != key)
		v++;
	return v;
}

const char *view__key_text(enum view_id v, char *buf, size_t size)
{
	const u8 key = view_keys[v];

	snprintf(buf, size, "%c", key > 9 ? key : '0' + key);
	return buf;
}

const struct view_ops *view__by_name(const char *name)
{
	enum view_id v = view__index(name);
	u32 p = pane_index(name);

	if (p < PANE_COUNT)
		return pane_table[p];
	return v < VIEW_COUNT ? view_table[v] : NULL;
}

const char *view__names(char *buf, size_t size)
{
	size_t n = 0;

	*buf = '\0';
	for (u32 v = 0; v < VIEW_COUNT + PANE_COUNT && n < size; v++) {
		const struct view_ops *ops =
			v < VIEW_COUNT ? view_table[v] : pane_table[v - VIEW_COUNT];

		n += (size_t)snprintf(buf + n, size - n, "%s%s", v ? " " : "", ops->name);
	}
	return buf;
}

/* Whether a list with any of these separators has the word. */
static bool has_word(const char *words, const char *separators, const char *word, size_t len)
{
	for (size_t n; *words; words += n + (words[n] != '\0')) {
		n = strcspn(words, separators);
		if (n == len && !memcmp(words, word, len))
			return len > 0;
	}
	return false;
}

/* What the samples of several machines have in addition. */
static bool is_host(const char *label, size_t len)
{
	return hosts__several() && has_word(HOST_LABEL " " HOST_LABEL_ELSE, " ", label, len);
}

int view__check_groups(const struct view_ops *v, const char *keys, struct status *st)
{
	for (const char *key = keys;; key++) {
		size_t len = strcspn(key, ",+");

		if (!v->any_group && !is_host(key, len) && !has_word(v->groups, " ", key, len))
			return status__set(st, EXIT_CODE_USAGE, -EINVAL,
					   "\"%.*s\" is no key to group by: view %s has %s",
					   (int)MIN(len, (size_t)80), key, v->name,
					   *v->groups ? v->groups : "none");
		if (key[len] && has_word(key + len + 1, ",+", key, len))
			return status__set(st, EXIT_CODE_USAGE, -EINVAL, "\"%.*s\" is there twice",
					   (int)len, key);
		if (key[len] && v->one_group)
			return status__set(st, EXIT_CODE_USAGE, -EINVAL,
					   "view %s groups by one key at a time: %s", v->name,
					   v->groups);
		key += len;
		if (!*key)
			return 0;
	}
}

static bool has_stack_group(const struct view_ops *v)
{
	return v->groups && has_word(v->groups, " ", "stack", strlen("stack"));
}

/* What rows are grouped by is there to be exported. */
static bool offers(const struct view_ops *v, enum export_need need)
{
	return need == EXPORT_ROWS || v->offers & 1u << need ||
	       (need == EXPORT_STACKS && has_stack_group(v));
}

int view__check_format(const struct view_ops *v, const struct export_format *f, struct status *st)
{
	if (offers(v, f->needs))
		return 0;
	return status__set(
		st, EXIT_CODE_UNSUPPORTED, -EOPNOTSUPP,
		"view %s has no %s for format %s: choose text, json or csv, or another view",
		v->name, export_need__name(f->needs), f->name);
}

static bool has_moment(const struct view_ops *v)
{
	u32 i = 0;

	while (i < MEASURE_TABLE_SIZE && strcmp(measure_table[i]->name, v->name))
		i++;
	return i == MEASURE_TABLE_SIZE || !measure_table[i]->no_moment;
}

u32 view__terms(const struct view_ops *v)
{
	u32 terms = v->terms | (has_stack_group(v) ? SCOPE_TERM_STACK : 0);

	return has_moment(v) ? terms : terms & ~SCOPE_TERM_MOMENT;
}

/* A question's own labels come and go. */
static bool has_label(const struct view_ops *v, const char *label)
{
	return v->any_group || !v->models || is_host(label, strlen(label)) || (v->labels && has_word(v->labels, " ", label, strlen(label)));
}

const char *view__unapplied(const struct view_ops *v, const struct scope *s, char *buf, size_t size)
{
	size_t n;

	scope__term_names(s, scope__terms(s) & ~view__terms(v), buf, size);
	n = strlen(buf);
	for (u32 i = 0; s && i < s->nlabels && n < size; i++)
		if (!has_label(v, s->labels[i].label))
			n += (size_t)snprintf(buf + n, size - n, "%s%s%c", n ? " " : "",
					      s->labels[i].label, s->labels[i].re ? '~' : '=');
	return buf;
}

/* Its labels that are terms; "" none. */
static void list_labels(const struct view_ops *v, char *buf, size_t size)
{
	size_t n = 0, len;

	*buf = '\0';
	for (const char *l = v->labels ? v->labels : ""; *l && n < size; l += len + (l[len] == ' ')) {
		len = strcspn(l, " ");
		if (filter__is_label(l, len))
			n += (size_t)snprintf(buf + n, size - n, "%s%.*s", n ? ", " : "", (int)len, l);
	}
}

/* The views that have a label. */
static void list_views_by(const char *label, char *buf, size_t size)
{
	size_t n = 0;

	*buf = '\0';
	for (u32 v = 0; v < VIEW_COUNT && n < size; v++)
		if (view_table[v]->labels && has_label(view_table[v], label))
			n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? ", " : "",
					      view_table[v]->name);
}

static int check_labels(const struct view_ops *v, const struct scope *s, struct status *st)
{
	char there[200];

	for (u32 i = 0; s && i < s->nlabels; i++) {
		if (has_label(v, s->labels[i].label))
			continue;
		list_labels(v, there, sizeof(there));
		if (*there)
			return status__set(st, EXIT_CODE_USAGE, -EINVAL,
					   "view %s has no label %s to filter by: it has %s", v->name,
					   s->labels[i].label, there);
		list_views_by(s->labels[i].label, there, sizeof(there));
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "view %s does not filter by %s: leave that out, or use view %s",
				   v->name, s->labels[i].label, there);
	}
	return 0;
}

/* The views that apply all of these terms, ", or use NAME, NAME"; "" none. */
static void list_views_with(u32 terms, char *buf, size_t size)
{
	size_t n = 0;

	*buf = '\0';
	for (u32 v = 0; v < VIEW_COUNT; v++)
		if (view_table[v]->models && !(terms & ~view__terms(view_table[v])) && n < size)
			n += (size_t)snprintf(buf + n, size - n, "%s%s",
					      n ? ", " : ", or use view ", view_table[v]->name);
}

int view__check_terms(const struct view_ops *v, const struct scope *s, struct status *st)
{
	const u32 other = scope__terms(s) & ~view__terms(v);
	char names[64], views[320];

	if (!other)
		return check_labels(v, s, st);
	list_views_with(other, views, sizeof(views));
	return status__set(st, EXIT_CODE_USAGE, -EINVAL,
			   "view %s does not filter by %s: leave that out%s", v->name,
			   scope__term_names(s, other, names, sizeof(names)), views);
}

enum time_window window__by_name(const char *name)
{
	static const char *const names[WINDOWS] = {
		[WINDOW_LAST] = "last",
		[WINDOW_DECAY] = "decaying",
		[WINDOW_TOTAL] = "total",
	};
	u32 w = 0;

	while (w < WINDOWS && strcmp(names[w], name))
		w++;
	return (enum time_window)w;
}

int choice__refuse(struct status *st, const char *value, const char *takes)
{
	return status__set(st, EXIT_CODE_USAGE, -EINVAL, "\"%.80s\" is none of these: %s", value,
			   takes);
}

int choice__on(const char *value, bool *on, struct status *st)
{
	if (strcmp(value, "on") && strcmp(value, "off"))
		return choice__refuse(st, value, "on, off");
	*on = !strcmp(value, "on");
	return 0;
}

bool view__knows_section(const char *section)
{
	/* Flame graphs and heat maps are of any view. */
	if (!strcmp(section, "global") || !strcmp(section, "flame") || !strcmp(section, "heat"))
		return true;
	for (u32 v = 0; v < VIEW_COUNT; v++)
		if (!strcmp(section, view_table[v]->name) ||
		    (view_table[v]->screens &&
		     has_word(view_table[v]->screens, " ", section, strlen(section))))
			return true;
	return false;
}
