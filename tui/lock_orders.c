// SPDX-License-Identifier: GPL-2.0-only
/* Whether each lock that is taken is seen, as a command and as a key of the view `locks`. */
#include <errno.h>

#include "tui/app.h"

static const char *const names[] = {
	[LOCK_ORDERS_OFF] = "off", [LOCK_ORDERS_ON] = "on", [LOCK_ORDERS_FORCED] = "!"};

static void set(struct host *h, enum lock_orders to)
{
	struct sampling s = h->sampling;

	s.lock_orders = to;
	app__set_sampling(h, &s);
	host__message(h, ROLE_OK, to ? "lock orders: of each mutex that is taken" : "lock orders: of waits");
}

static bool is_live(const struct host *h, struct status *st)
{
	if (h->options->connect)
		status__set(st, EXIT_CODE_USAGE, -EINVAL,
			    "of another machine they are asked for at the start: --connect %.80s --lock-orders",
			    h->options->connect);
	else if (h->player)
		status__set(st, EXIT_CODE_USAGE, -EINVAL,
			    "this is a replay: it has the orders that were seen when it was recorded");
	return !h->options->connect && !h->player;
}

bool lock_orders__run(struct host *h, const char *arg, struct status *st)
{
	if (!is_live(h, st))
		return false;
	for (u32 i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(arg, names[i])) {
			set(h, i);
			return true;
		}
	status__set(st, EXIT_CODE_USAGE, -EINVAL, "lock-orders takes on, off, or ! whatever it takes of a CPU");
	return false;
}

/* What was refused is had all the same when it is asked for once more. */
bool host__toggle_lock_orders(struct host *h)
{
	enum lock_orders now = h->sampling.lock_orders;
	struct status st = {0};

	if (!is_live(h, &st))
		host__message(h, ROLE_ERROR, "%s", st.msg);
	else
		set(h, now == LOCK_ORDERS_ON && h->refused[0] ? LOCK_ORDERS_FORCED
		       : now			      ? LOCK_ORDERS_OFF
						      : LOCK_ORDERS_ON);
	return true;
}
