// SPDX-License-Identifier: GPL-2.0-only
#include "base/command_lines.h"

#include <pthread.h>

#include "base/hidx.h"

#define EARLY_NS (20 * NSEC_PER_MSEC) /* clock ticks are 10 ms, read at slightly other times */
#define ITS_NAME UINT32_MAX	      /* no thread's id */

struct command {
	u32 tgid, tid;	      /* tid 0: of the process; ITS_NAME */
	u32 older;	      /* position + 1 of what had the same ids before; 0: none */
	u64 start_ns, end_ns; /* of the process; end_ns 0: it goes on */
	char *line;	      /* or the thread's name */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct command *commands; /* lock; in the order they were learned */
static u32 ncommands, commands_cap; /* lock */
static struct hidx newest;	    /* lock; by tgid and tid */

static u64 hash_ids(u32 tgid, u32 tid)
{
	return mix64(tgid | (u64)tid << 32);
}

static bool has_ids(const struct command *c, u32 tgid, u32 tid)
{
	return c->tgid == tgid && c->tid == tid;
}

static struct command *newest_of(u32 tgid, u32 tid)
{
	u32 at;

	HIDX_FIND(at, &newest, hash_ids(tgid, tid), pos, has_ids(&commands[pos], tgid, tid));
	return at == HIDX_NONE ? NULL : &commands[at];
}

static struct command *older_than(const struct command *c)
{
	return c->older ? &commands[c->older - 1] : NULL;
}

static void set_newest(u32 tgid, u32 tid, u32 pos)
{
	u64 hash = hash_ids(tgid, tid);

	for (u32 i = (u32)hash & newest.mask; newest.slots && newest.slots[i].pos;
	     i = (i + 1) & newest.mask)
		if (newest.slots[i].hash == (u32)hash &&
		    has_ids(&commands[newest.slots[i].pos - 1], tgid, tid)) {
			newest.slots[i].pos = pos + 1;
			return;
		}
	hidx__add(&newest, hash, pos);
}

static void append(struct command c)
{
	const struct command *older = newest_of(c.tgid, c.tid);

	c.older = older ? (u32)(older - commands) + 1 : 0;
	commands = xgrow(commands, ncommands, &commands_cap, sizeof(*commands));
	commands[ncommands] = c;
	set_newest(c.tgid, c.tid, ncommands++);
}

/* Whose process is over, or has another command line by now. */
static bool has_ended(const struct command *c)
{
	const struct command *process = newest_of(c->tgid, 0);

	return c->end_ns || !process || process->end_ns || process->start_ns != c->start_ns;
}

/* Half of them, those that ended before those that go on. */
static void make_room(void)
{
	u32 n = ncommands, drop = n / 2, ended = 0, other;

	for (u32 i = 0; i < n; i++) {
		if (commands[i].tid && has_ended(&commands[i]))
			commands[i].end_ns = UINT64_MAX;
		ended += commands[i].end_ns != 0;
	}
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

/* What is known already gets another text; else it is appended. */
static void put(struct command *known, struct command c, const char *line)
{
	if (known) {
		free(known->line);
		known->line = xstrdup(line);
		return;
	}
	if (ncommands >= COMMAND_LINES_MAX)
		make_room();
	c.line = xstrdup(line);
	append(c);
}

void command_lines__learn(u32 tgid, u64 start_ns, const char *line)
{
	struct command *c;
	bool same;

	pthread_mutex_lock(&lock);
	c = newest_of(tgid, 0);
	same = c && c->start_ns <= start_ns + EARLY_NS && start_ns <= c->start_ns + EARLY_NS;
	if (c && !same && !c->end_ns)
		c->end_ns = start_ns;
	put(same ? c : NULL, (struct command){.tgid = tgid, .start_ns = start_ns}, line);
	pthread_mutex_unlock(&lock);
}

/* That of a process's life. */
static struct command *thread_of(const struct command *process, u32 tid)
{
	struct command *c = newest_of(process->tgid, tid);

	while (c && c->start_ns != process->start_ns)
		c = older_than(c);
	return c;
}

bool command_lines__has(u32 tgid)
{
	const struct command *c;
	bool has;

	pthread_mutex_lock(&lock);
	c = newest_of(tgid, 0);
	has = c && !c->end_ns;
	pthread_mutex_unlock(&lock);
	return has;
}

void command_lines__learn_thread(u32 tgid, u32 tid, const char *name)
{
	const struct command *process;

	pthread_mutex_lock(&lock);
	process = newest_of(tgid, 0);
	tid = tid ? tid : ITS_NAME;
	if (process)
		put(thread_of(process, tid),
		    (struct command){.tgid = tgid, .tid = tid, .start_ns = process->start_ns}, name);
	pthread_mutex_unlock(&lock);
}

void command_lines__end(u32 tgid, u64 t_ns)
{
	struct command *c;

	pthread_mutex_lock(&lock);
	c = newest_of(tgid, 0);
	if (c && !c->end_ns && t_ns > c->start_ns)
		c->end_ns = t_ns;
	pthread_mutex_unlock(&lock);
}

static bool had_it_at(const struct command *c, u64 t_ns)
{
	return !t_ns || (c->start_ns <= t_ns + EARLY_NS && (!c->end_ns || t_ns < c->end_ns));
}

static const struct command *process_at(u32 tgid, u64 t_ns)
{
	const struct command *c = newest_of(tgid, 0);

	while (c && !had_it_at(c, t_ns))
		c = older_than(c);
	return c;
}

const char *command_lines__copy(struct arena *a, u32 tgid, u64 start_ns)
{
	const struct command *c;
	const char *line = "";

	pthread_mutex_lock(&lock);
	c = process_at(tgid, start_ns);
	if (c)
		line = arena__strdup(a, c->line);
	pthread_mutex_unlock(&lock);
	return line;
}

const char *command_lines__thread(struct arena *a, u32 tgid, u32 tid, u64 start_ns)
{
	const struct command *c;
	const char *name = "";

	pthread_mutex_lock(&lock);
	c = tid ? process_at(tgid, start_ns) : NULL;
	c = c ? thread_of(c, tid) : NULL;
	if (c)
		name = arena__strdup(a, c->line);
	pthread_mutex_unlock(&lock);
	return name;
}

const char *command_lines__process(struct arena *a, u32 tgid, u64 start_ns)
{
	return command_lines__thread(a, tgid, ITS_NAME, start_ns);
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
