/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recording and replay as the collector sees them: a sink takes down what sources hand out, a
 * replay source is what sources of a replay are wound on. Both are used on the collector thread alone.
 */
#ifndef SAMPLES_RECORD_SINK_H
#define SAMPLES_RECORD_SINK_H

#include "samples/health.h"
#include "samples/sample.h"
#include "samples/snap.h"

/* The end of an interval, of the models that have one. */
struct record_interval {
	u64 t1_ns;
	u64 models; /* bit per model_id */
	bool goes_on; /* the next one is of the same time, and taken in with it: of another recording */
	double self_cpu_pct;
	struct {
		u64 t0_ns; /* where its interval began */
		struct health health;
	} v[MODEL_COUNT];
};

/* Where the earliest of its models' intervals began. */
static inline u64 record_interval__begin(const struct record_interval *iv)
{
	u64 t = iv->t1_ns;

	for (u32 m = 0; m < MODEL_COUNT; m++)
		if (iv->models & MODEL_BIT(m))
			t = MIN(t, iv->v[m].t0_ns);
	return t;
}

/* What a sink is for; there is one of each at most. */
enum record_sink_use {
	SINK_FILE,    /* --record */
	SINK_HISTORY, /* the last minutes, in memory */
	SINKS
};

/* How much of a recording in memory is kept. */
struct record_ring {
	u64 span_ns, bytes; /* what is older, or too much, is dropped */
};

struct record_sink;

struct record_sink_ops {
	/* A sample on its way to these models. */
	void (*put)(struct record_sink *t, u64 models, const struct sample *s);
	void (*end_interval)(struct record_sink *t, const struct record_interval *iv);
	/* Optional: what is going on with the sources, of MODEL_COUNT models, when it may have
	 * changed. */
	void (*feeds)(struct record_sink *t, const struct feed *feeds);
	void (*state)(const struct record_sink *t, struct recording_state *out);
	/* Puts down what is left, waits until it is, frees. */
	void (*close)(struct record_sink *t);
};

/* First member of each; owned by the collector that it was given to. */
struct record_sink {
	const struct record_sink_ops *ops;
};

struct replay_source;

struct replay_source_ops {
	/* Winds on to the next interval, which its sources hand out when they are drained from now
	 * on; false at the end. */
	bool (*next)(struct replay_source *r, struct record_interval *out);
	/* Winds to where the first interval that ends after t comes next; false: there is none. */
	bool (*seek)(struct replay_source *r, u64 t_ns);
	/* Fills what is about the whole of it. */
	void (*state)(const struct replay_source *r, struct recording_state *out);
	/* Of what is live elsewhere, which has neither seek nor state: readable when there may be
	 * another interval, or something else to tell; and how long intervals are to be. */
	int (*fd)(const struct replay_source *r);
	void (*interval)(struct replay_source *r, u64 ns);
};

struct replay_source {
	const struct replay_source_ops *ops;
	bool handing_out; /* the collector's: sources that are drained hand out the interval */
};

#endif
