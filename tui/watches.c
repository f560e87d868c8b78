// SPDX-License-Identifier: GPL-2.0-only
/* The commands that say which addresses are watched (sources/watch_spec.h). */
#include "base/arena.h"
#include "sources/watch_spec.h"
#include "tui/app.h"

static bool is_live(const struct host *h, struct status *st)
{
	if (h->player)
		status__set(st, EXIT_CODE_USAGE, -EINVAL, "this is a replay: it has what was watched then");
	return !h->player;
}

bool host__code_place(const struct host *h, u32 func, u64 offset, char *buf, size_t size)
{
	const struct sym_func *f = symbols__func(host__symbols(h), func);
	const struct sym_object *o = symbols__object(host__symbols(h), f->object);
	int n;

	if (!f->id || f->kind != CODE_USER || f->flags & FUNC_GUESSED)
		return false;
	n = o->tgid ? snprintf(buf, size, "pid:%u:%s", o->tgid, f->linkage)
		    : snprintf(buf, size, "%s:%s", *o->path ? o->path : o->name, f->linkage);
	if (n > 0 && (size_t)n < size)
		snprintf(buf + n, size - (size_t)n, offset ? "+0x%llx:x" : ":x", (unsigned long long)offset);
	return true;
}

/* The address that the row is about; where it is about none, its function. */
static bool place_of_row(const struct host *h, char *buf, size_t size)
{
	const struct screen *s = app__screen(h);

	if (s->ops->watched && s->ops->watched(s, buf, size))
		return true;
	return s->ops->function && host__code_place(h, s->ops->function(s), 0, buf, size);
}

void watches__offer(struct host *h)
{
	char line[PROMPT_MAX] = "watch ";
	struct status st = {0};

	if (!is_live(h, &st))
		host__error(h, &st);
	else if (place_of_row(h, line + strlen(line), sizeof(line) - strlen(line)))
		dialog__offer(h, line);
	else
		host__message(h, ROLE_WARN, "this row has no address that could be watched");
}

static u32 count(const struct sampling *s)
{
	u32 n = 0;

	while (n < WATCHES_MAX && s->watches[n])
		n++;
	return n;
}

bool watches__add(struct host *h, const char *text, struct status *st)
{
	struct sampling s = h->sampling;
	struct watch_spec spec;
	u32 n = count(&s);

	if (!is_live(h, st) || watch_spec__parse(&spec, text, st))
		return false;
	if (n == WATCHES_MAX) {
		status__set(st, EXIT_CODE_USAGE, -E2BIG, "a CPU has no more breakpoints: :unwatch N makes room");
		return false;
	}
	s.watches[n] = arena__strdup(&h->watch_arena, text);
	app__set_sampling(h, &s);
	host__message(h, ROLE_OK, "watched: %.100s", text);
	app__show_view(h, view__index("watch"));
	return true;
}

bool watches__drop(struct host *h, const char *arg, struct status *st)
{
	struct sampling s = h->sampling;
	u32 have = count(&s);
	u64 n = have;

	if (!is_live(h, st))
		return false;
	if (!have || (*arg && !option__number(arg, 1, have, &n))) {
		status__set(st, EXIT_CODE_USAGE, -EINVAL,
			    have ? "unwatch takes the number of what is watched, 1 to %u; nothing: the last one"
				 : "nothing is watched",
			    have);
		return false;
	}
	host__message(h, ROLE_OK, "not watched any more: %.100s", s.watches[n - 1]);
	for (u64 i = n; i <= have; i++)
		s.watches[i - 1] = i < WATCHES_MAX ? s.watches[i] : NULL;
	app__set_sampling(h, &s);
	return true;
}
