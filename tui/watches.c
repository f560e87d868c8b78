// SPDX-License-Identifier: GPL-2.0-only
/* The commands that say which addresses are watched (sources/watch_spec.h). */
#include "base/arena.h"
#include "sources/watch_spec.h"
#include "tui/app.h"

static u32 count(const struct sampling *s)
{
	u32 n = 0;

	while (n < WATCHES_MAX && s->watches[n])
		n++;
	return n;
}

static bool is_live(const struct host *h, struct status *st)
{
	if (h->player)
		status__set(st, EXIT_CODE_USAGE, -EINVAL, "this is a replay: it has what was watched then");
	return !h->player;
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
