// SPDX-License-Identifier: GPL-2.0-only
/* How many of what is held are followed, as a command and as a key of views heap and kmem. */
#include <errno.h>

#include "tui/app.h"

static bool is_live(const struct host *h, struct status *st)
{
	if (h->options->connect)
		status__set(st, EXIT_CODE_USAGE, -EINVAL,
			    "of another machine that is said at the start: --connect %.80s --sample-bytes N",
			    h->options->connect);
	else if (h->player)
		status__set(st, EXIT_CODE_USAGE, -EINVAL, "this is a replay: it has what was followed when it was recorded");
	return !h->options->connect && !h->player;
}

bool sample_bytes__run(struct host *h, const char *arg, struct status *st)
{
	struct sampling s = h->sampling;

	if (!is_live(h, st))
		return false;
	if (!option__sample_bytes(arg, &s.sample_bytes)) {
		status__set(st, EXIT_CODE_USAGE, -EINVAL, "sample-bytes takes " SAMPLE_BYTES_TAKES);
		return false;
	}
	app__set_sampling(h, &s);
	host__message(h, ROLE_OK, s.sample_bytes & SAMPLE_PAGES	   ? "pages are followed, no call"
				  : s.sample_bytes == SAMPLE_EVERY ? "all objects are followed"
								   : "one object in %s bytes is followed",
		      arg);
	return true;
}

bool host__offer_sample_bytes(struct host *h)
{
	struct status st = {0};

	if (is_live(h, &st))
		dialog__offer(h, "sample-bytes ");
	else
		host__error(h, &st);
	return true;
}
