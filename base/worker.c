// SPDX-License-Identifier: GPL-2.0-only
#include "base/worker.h"

#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/thread.h"

struct job_queue {
	struct job *head, **tail;
};

struct worker {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	int fd;
	char name[COMM_LEN];
	/* under lock */
	struct job_queue todo, finished;
	bool running, quit;
};

static void queue__init(struct job_queue *q)
{
	q->head = NULL;
	q->tail = &q->head;
}

static void queue__push(struct job_queue *q, struct job *j)
{
	j->next = NULL;
	*q->tail = j;
	q->tail = &j->next;
}

static struct job *queue__pop(struct job_queue *q)
{
	struct job *j = q->head;

	q->head = j->next;
	if (!q->head)
		q->tail = &q->head;
	return j;
}

/* Takes all of it. */
static struct job *queue__take(struct job_queue *q)
{
	struct job *j = q->head;

	queue__init(q);
	return j;
}

static struct job *queue__take_slot(struct job_queue *q, const void *slot)
{
	for (struct job **p = &q->head; slot && *p; p = &(*p)->next) {
		struct job *j = *p;

		if (j->slot != slot)
			continue;
		*p = j->next;
		if (!j->next)
			q->tail = p;
		return j;
	}
	return NULL;
}

static void *worker__run(void *arg)
{
	struct worker *w = arg;

	thread__name(w->name);
	pthread_mutex_lock(&w->lock);
	for (;;) {
		struct job *j;

		while (!w->todo.head && !w->quit)
			pthread_cond_wait(&w->wake, &w->lock);
		if (w->quit)
			break;
		j = queue__pop(&w->todo);
		w->running = true;
		pthread_mutex_unlock(&w->lock);
		j->run(j);
		pthread_mutex_lock(&w->lock);
		w->running = false;
		queue__push(&w->finished, j);
		eventfd_write(w->fd, 1);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

struct worker *worker__new(const char *thread_name)
{
	struct worker *w = xcalloc(1, sizeof(*w));
	int err;

	copy_str(w->name, sizeof(w->name), thread_name);
	queue__init(&w->todo);
	queue__init(&w->finished);
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->wake, NULL);
	w->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->fd < 0)
		die("no eventfd for the worker thread: %s; raise ulimit -n", strerror(errno));
	err = thread__start(&w->thread, worker__run, w);
	if (err)
		die("no worker thread: %s; raise ulimit -u", strerror(-err));
	return w;
}

static void drop_all(struct job *j)
{
	while (j) {
		struct job *next = j->next;

		j->drop(j);
		j = next;
	}
}

void worker__free(struct worker *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->quit = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	drop_all(w->finished.head);
	drop_all(w->todo.head);
	close(w->fd);
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

void worker__post(struct worker *w, struct job *j)
{
	struct job *old;

	pthread_mutex_lock(&w->lock);
	old = queue__take_slot(&w->todo, j->slot);
	queue__push(&w->todo, j);
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
	if (old)
		old->drop(old);
}

int worker__fd(const struct worker *w)
{
	return w->fd;
}

u32 worker__reap(struct worker *w)
{
	struct job *j;
	eventfd_t n;
	u32 count = 0;

	pthread_mutex_lock(&w->lock);
	eventfd_read(w->fd, &n);
	j = queue__take(&w->finished);
	pthread_mutex_unlock(&w->lock);
	while (j) {
		struct job *next = j->next;

		j->done(j);
		j = next;
		count++;
	}
	return count;
}

bool worker__idle(struct worker *w)
{
	bool idle;

	pthread_mutex_lock(&w->lock);
	idle = !w->todo.head && !w->finished.head && !w->running;
	pthread_mutex_unlock(&w->lock);
	return idle;
}
