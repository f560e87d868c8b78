// SPDX-License-Identifier: GPL-2.0-only
#include "tests/lib/gate.h"

static void set_gate(struct gate *g, bool closed)
{
	pthread_mutex_lock(&g->lock);
	g->closed = closed;
	pthread_cond_broadcast(&g->change);
	pthread_mutex_unlock(&g->lock);
}

void gate__close(struct gate *g)
{
	set_gate(g, true);
}

void gate__open(struct gate *g)
{
	set_gate(g, false);
}

void gate__await(struct gate *g)
{
	pthread_mutex_lock(&g->lock);
	while (!g->waiting)
		pthread_cond_wait(&g->change, &g->lock);
	pthread_mutex_unlock(&g->lock);
}

void gate__pass(struct gate *g)
{
	pthread_mutex_lock(&g->lock);
	g->waiting = true;
	pthread_cond_broadcast(&g->change);
	while (g->closed)
		pthread_cond_wait(&g->change, &g->lock);
	g->waiting = false;
	pthread_mutex_unlock(&g->lock);
}
