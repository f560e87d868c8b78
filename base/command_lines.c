// SPDX-License-Identifier: GPL-2.0-only
#include "base/command_lines.h"

#include <pthread.h>

#include "base/hidx.h"

#define EARLY_NS (20 * NSEC_PER_MSEC) /* clock ticks are 10 ms, read at slightly other times */

struct command {
	u32 tgid;
	u32 older; /* position + 1 of what had the same pid before; 0: none */
	u64 start_ns, end_ns; /* end_ns 0: it goes on */
	char *line;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct command *commands; /* lock; in the order they were learned */
static u32 ncommands, commands_cap; /* lock */
static struct hidx newest;	    /* lock; by tgid */

static struct command *newest_of(u32 tgid)
{
	u32 at;

	HIDX_FIND(at, &newest, mix64(tgid), pos, commands[pos].tgid == tgid);
	return at == HIDX_NONE ? NULL : &commands[at];
}

static void set_newest(u32 tgid, u32 pos)
{
	u64 hash = mix64(tgid);

	for (u32 i = (u32)hash & newest.mask; newest.slots && newest.slots[i].pos;
	     i = (i + 1) & newest.mask)
		if (newest.slots[i].hash == (u32)hash && commands[newest.slots[i].pos - 1].tgid == tgid) {
			newest.slots[i].pos = pos + 1;
			return;
		}
	hidx__add(&newest, hash, pos);
}

static void append(struct command c)
{
	const struct command *older = newest_of(c.tgid);

	c.older = older ? (u32)(older - commands) + 1 : 0;
	commands = xgrow(commands, ncommands, &commands_cap, sizeof(*commands));
	commands[ncommands] = c;
	set_newest(c.tgid, ncommands++);
}

/* Half of them, those that ended before those that go on. */
static void make_room(void)
{
	u32 n = ncommands, drop = n / 2, ended = 0, other;

	for (u32 i = 0; i < n; i++)
		ended += commands[i].end_ns != 0;
	ended = MIN(ended, drop);
	other = drop - ended;
	ncommands = 0;
	hidx__clear(&newest);
	for (u32 i = 0; i < n; i++) {
		u32 *left = commands[i].end_ns ? &ended : &other;

		if (*left) {
			(*left)--;
			free(commands[i].line);
		} else {
			append(commands[i]);
		}
	}
}

void command_lines__learn(u32 tgid, u64 start_ns, const char *line)
{
	struct command *c;

	pthread_mutex_lock(&lock);
	c = newest_of(tgid);
	if (c && c->start_ns <= start_ns + EARLY_NS && start_ns <= c->start_ns + EARLY_NS) {
		free(c->line);
		c->line = xstrdup(line);
	} else {
		if (c && !c->end_ns)
			c->end_ns = start_ns;
		if (ncommands >= COMMAND_LINES_MAX)
			make_room();
		append((struct command){.tgid = tgid, .start_ns = start_ns, .line = xstrdup(line)});
	}
	pthread_mutex_unlock(&lock);
}

void command_lines__end(u32 tgid, u64 t_ns)
{
	struct command *c;

	pthread_mutex_lock(&lock);
	c = newest_of(tgid);
	if (c && !c->end_ns && t_ns > c->start_ns)
		c->end_ns = t_ns;
	pthread_mutex_unlock(&lock);
}

static bool had_it_at(const struct command *c, u64 t_ns)
{
	return !t_ns || (c->start_ns <= t_ns + EARLY_NS && (!c->end_ns || t_ns < c->end_ns));
}

const char *command_lines__copy(struct arena *a, u32 tgid, u64 start_ns)
{
	const struct command *c;
	const char *line = "";

	pthread_mutex_lock(&lock);
	c = newest_of(tgid);
	while (c && !had_it_at(c, start_ns))
		c = c->older ? &commands[c->older - 1] : NULL;
	if (c)
		line = arena__strdup(a, c->line);
	pthread_mutex_unlock(&lock);
	return line;
}

void command_lines__forget_all(void)
{
	for (u32 i = 0; i < ncommands; i++)
		free(commands[i].line);
	free(commands);
	commands = NULL;
	ncommands = commands_cap = 0;
	hidx__fini(&newest);
}
