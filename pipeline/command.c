// SPDX-License-Identifier: GPL-2.0-only
#include "pipeline/command.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include "base/arena.h"
#include "samples/record_sink.h"

int command_queue__init(struct command_queue *q)
{
	*q = (struct command_queue){.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	if (q->fd < 0)
		return -errno;
	pthread_mutex_init(&q->lock, NULL);
	return 0;
}

void command__free(struct command *cmd)
{
	if (cmd->type == COMMAND_SCOPE)
		scope__put(cmd->scope);
	else if (cmd->type == COMMAND_RECORD && cmd->sink)
		cmd->sink->ops->close(cmd->sink); /* nobody took it */
	else if (cmd->type == COMMAND_PREPARE)
		ask__put(cmd->ask);
	else if (cmd->type == COMMAND_CALL)
		sem_post(&cmd->call->done);
	free(cmd);
}

void command_queue__fini(struct command_queue *q)
{
	struct command *cmd = command_queue__take(q);

	while (cmd) {
		struct command *next = cmd->next;

		command__free(cmd);
		cmd = next;
	}
	pthread_mutex_destroy(&q->lock);
	close(q->fd);
}

static bool replaces(const struct command *cmd, const struct command *last)
{
	return last && cmd->type == last->type && cmd->type <= COMMAND_PREPARE;
}

void command_queue__post(struct command_queue *q, const struct command *cmd)
{
	struct command *mine = xmalloc(sizeof(*mine)), old;

	*mine = *cmd;
	mine->next = NULL;
	pthread_mutex_lock(&q->lock);
	if (replaces(mine, q->last)) {
		old = *q->last;
		*q->last = *mine;
		*mine = old;
	} else {
		if (q->last)
			q->last->next = mine;
		else
			q->head = mine;
		q->last = mine;
		mine = NULL;
	}
	pthread_mutex_unlock(&q->lock);
	command_queue__wake(q);
	if (mine)
		command__free(mine);
}

void command_queue__wake(struct command_queue *q)
{
	eventfd_write(q->fd, 1);
}

bool command_queue__empty(struct command_queue *q)
{
	bool empty;

	pthread_mutex_lock(&q->lock);
	empty = !q->head;
	pthread_mutex_unlock(&q->lock);
	return empty;
}

struct command *command_queue__take(struct command_queue *q)
{
	struct command *all;
	eventfd_t n;

	pthread_mutex_lock(&q->lock);
	eventfd_read(q->fd, &n);
	all = q->head;
	q->head = q->last = NULL;
	pthread_mutex_unlock(&q->lock);
	return all;
}
