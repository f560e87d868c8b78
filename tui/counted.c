// SPDX-License-Identifier: GPL-2.0-only
/* Which events are counted, as a command. */
#include <errno.h>

#include "tui/app.h"

bool counted__run(struct host *h, const char *arg, struct status *st)
{
	struct sampling s = h->sampling;

	if (h->options->connect || h->player) {
		status__set(st, EXIT_CODE_USAGE, -EINVAL, "%.80s: what is counted is chosen at the start, by --counters",
			    h->player ? "this is a replay" : h->options->connect);
		return false;
	}
	if (option__counters(arg, &s, st))
		return false;
	host__message(h, ROLE_OK, "counting %s, from zero", *arg ? arg : "the usual events");
	app__set_sampling(h, &s);
	return true;
}
