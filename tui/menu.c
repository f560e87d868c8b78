// SPDX-License-Identifier: GPL-2.0-only
/* Questions of screens: a list to pick from, yes or no, a line of text. */
#include <stdio.h>

#include "tui/app.h"

static void menu_item(void *ctx, u32 i, struct picker_item *out)
{
	const struct menu_item *item = &((struct host *)ctx)->menu.items[i];

	*out = (struct picker_item){
		.key = item->value + 1ULL, .text = item->text, .detail = item->detail};
}

struct picker_source menu__source(struct host *h)
{
	return (struct picker_source){.n = h->menu.n, .item = menu_item, .ctx = h};
}

static void menu__fini(struct host_menu *m)
{
	arena__fini(&m->arena);
	free(m->ctx);
	*m = (struct host_menu){0};
}

void menu__close(struct host *h)
{
	menu__fini(&h->menu);
}

/* What is done may ask the next question. */
void menu__picked(struct host *h, u32 i)
{
	struct host_menu m = h->menu;

	h->menu = (struct host_menu){0};
	dialog__close(h);
	m.picked(h, m.ctx, m.items[i].value);
	menu__fini(&m);
}

void menu__given(struct host *h, const char *text)
{
	struct host_menu m = h->menu;
	char line[PROMPT_MAX];

	copy_str(line, sizeof(line), text);
	h->menu = (struct host_menu){0};
	dialog__close(h);
	m.given(h, m.ctx, line);
	menu__fini(&m);
}

void host__menu(struct host *h, const char *title, const struct menu_item *items, u32 n,
		void (*picked)(struct host *h, void *ctx, u32 value), void *ctx)
{
	struct host_menu m = {.n = n, .picked = picked, .ctx = ctx};
	struct menu_item *own;

	arena__init(&m.arena);
	own = arena__array(&m.arena, struct menu_item, MAX(n, 1U));
	for (u32 i = 0; i < n; i++)
		own[i] = (struct menu_item){
			arena__strdup(&m.arena, items[i].text),
			items[i].detail ? arena__strdup(&m.arena, items[i].detail) : NULL,
			items[i].value};
	m.items = own;
	m.title = arena__strdup(&m.arena, title);
	dialog__close(h);
	h->menu = m;
	dialog__open(h, DIALOG_MENU);
}

void host__confirm(struct host *h, const char *question,
		   void (*picked)(struct host *h, void *ctx, u32 yes), void *ctx)
{
	static const struct menu_item results[] = {{"no", "nothing is done", 0}, {"yes", NULL, 1}};

	host__menu(h, question, results, ARRAY_SIZE(results), picked, ctx);
}

void host__ask(struct host *h, const char *label, const char *text,
	       void (*given)(struct host *h, void *ctx, const char *text), void *ctx)
{
	struct host_menu m = {.given = given, .ctx = ctx};

	arena__init(&m.arena);
	m.title = arena__strdup(&m.arena, label);
	m.text = arena__strdup(&m.arena, text);
	dialog__close(h);
	h->menu = m;
	dialog__open(h, DIALOG_ASK);
}

bool host__look_at(struct host *h, const char *view, const char *names, const char *term)
{
	char *rest, *expr;

	if (view__index(view) == VIEW_COUNT)
		return false;
	rest = filter__without(h->scope->text, names);
	expr = filter__join(rest, term);
	host__lead(h, view, NULL, "", expr);
	free(rest);
	free(expr);
	return true;
}
