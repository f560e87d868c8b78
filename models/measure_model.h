/* SPDX-License-Identifier: GPL-2.0-only */
/* Inside of the model of measures: its live entries (measure_entries.c). Collector thread only. */
#ifndef MODELS_MEASURE_MODEL_H
#define MODELS_MEASURE_MODEL_H

#include "models/entries.h"
#include "models/growth.h"
#include "models/lives.h"
#include "models/measure.h"
#include "models/stacks.h"
#include "models/texts.h"
#include "models/windows.h"

struct live_bin {
	u32 bucket, now;
	double decay;
	u64 total;
};

#define LIVE_KEY                                                                                   \
	struct measure_who who;                                                                    \
	struct measure_text keys[MEASURE_OWN_LABELS];                                              \
	u32 stack;   /* position in stacks; NO_STACK */                                            \
	u32 by_value /* a bit for each key that its value distinguishes, not its text */

/* Those of n texts that are not empty are interned anew. */
static inline void measure_texts__intern(struct measure_text *v, u32 n, struct texts *t)
{
	for (u32 i = 0; i < n; i++)
		if (*v[i].text)
			v[i].text = texts__intern(t, v[i].text);
}

struct live_key {
	LIVE_KEY;
};

struct live_entry {
	LIVE_KEY;
	bool waits, ended; /* ended: its process has */
	const struct measure *measure;
	struct measure_values now, total;
	struct measure_held held; /* of this interval */
	double decay[MEASURE_VALUE_SUMS];
	struct window_max max, min; /* min: of UINT64_MAX less the value */
	struct live_bin *bins;	    /* by bucket */
	u32 nbins, bins_cap;
	float trend[TREND_LEN];
	struct growth_series *growth; /* of a holding: bytes held; else NULL */
};

/* The coldest become one of a command's name each, and then the row of the rest. */
struct live_entries {
	struct entries all;    /* struct live_entry */
	const struct measure *measure;
	u32 most_ended;	       /* of processes that ended */
	u32 most_cold;	       /* to which nothing came in the decaying window */
	u64 (*lo)(u32 bucket); /* least value of a bucket */
	u32 by_value;	       /* as in its keys */
	bool holds;	       /* of a holding: trends are of what is held */
	struct growth_clock growth;
	u64 unseen; /* releases of what was acquired before watching began */
	struct growth_series replaced; /* their marks, as what was acquired */
	struct lives lives;
	struct lives_of lives_of;
};

void live_entries__init(struct live_entries *e, const struct measure *m, bool holds);

/* The entry of a sample, with its texts interned; keys: those of s. */
void live_entries__add(struct live_entries *e, const struct measure_sample *s,
		       const struct measure_text *keys, u32 stack);
/* Of SAMPLE_PROC: processes that end. */
void live_entries__consume(struct live_entries *e, const struct sample *s);
/* The same of what is held, beside what came and went. */
void live_entries__hold(struct live_entries *e, const struct measure_sample *s,
			const struct measure_held *held, const struct measure_text *keys, u32 stack);
/* Ends the interval of base. e->all.n of them, in the arena. */
const struct measure_entry *live_entries__snap(struct live_entries *e, const struct window_pace *p,
					       const struct snap *base, const struct stacks *stacks,
					       struct arena *arena);
void live_entries__clear(struct live_entries *e);
/* After positions of stacks changed. */
void live_entries__move(struct live_entries *e, struct stacks *to, const struct stacks *from);
/* Texts are interned anew. */
void live_entries__retext(struct live_entries *e, struct texts *t);
void live_entries__fini(struct live_entries *e);

/*
 * Who has what is waited for (measure_holders.c). Bounded: of HOLDERS_MAX those that were not waited for
 * lately go.
 */
#define HOLDERS_MAX 4096
#define WAITING_MAX 4096


struct live_holder {
	struct measure_text lock;
	u32 tgid, tid;
	char comm[COMM_LEN];
	u32 stack; /* position; NO_STACK */
	u32 open;  /* waits that go on, of this interval */
	u64 now, total;
	double decay;
};

struct live_holders {
	struct live_holder *v;
	u32 n, cap;
	struct hidx index;
	struct measure_waiting *waiting; /* of this interval */
	u32 nwaiting, waiting_cap;
};

/* lock: its text interned. open: of a wait that goes on, see struct measure_waiting. */
void live_holders__add(struct live_holders *h, const struct measure_holder_sample *s,
		       const struct measure_text *lock, u32 stack, u32 open);
/* Ends an interval: fills the snapshot's holders and who waits; what goes on it has already. */
void live_holders__snap(struct live_holders *h, const struct window_pace *p, const struct stacks *stacks,
			struct measure_snap *snap, struct arena *arena);
void live_holders__move(struct live_holders *h, struct stacks *to, const struct stacks *from);
void live_holders__retext(struct live_holders *h, struct texts *t);
void live_holders__clear(struct live_holders *h);
void live_holders__fini(struct live_holders *h);

/*
 * Which lock is waited for while which other one is had (measure_orders.c). Bounded: those that were not seen
 * for ten minutes go, and when there are ORDERS_MAX of them all do.
 */
struct live_order {
	struct measure_text locks[2];
	struct measure_who who; /* who was seen last */
	bool by_several, has_stack;
	bool first_read, second_read;
	u64 t_ns;
	u64 count;
	u32 stack, first_stack; /* positions; NO_STACK */
	char where[64];
	struct measure_guard guards[MEASURE_GUARDS];
};

struct live_orders {
	struct live_order *v;
	u32 n, cap;
	struct hidx index;
};

/* locks: the texts of both interned. */
void live_orders__add(struct live_orders *o, const struct measure_order_sample *s,
		      const struct measure_text *locks, u32 stack, u32 first_stack);
/* Ends an interval: fills the snapshot's orders. */
void live_orders__snap(struct live_orders *o, const struct stacks *stacks, struct measure_snap *snap,
		       struct arena *arena);
void live_orders__move(struct live_orders *o, struct stacks *to, const struct stacks *from);
void live_orders__retext(struct live_orders *o, struct texts *t);
void live_orders__clear(struct live_orders *o);
void live_orders__fini(struct live_orders *o);

/* --- the model, of any measure: those of model_table, and questions (models/asked.c) --- */

struct model;

struct model *measure_model__new(const struct measure *m, struct symbols *symbols);
void measure_model__free(struct model *m);
void measure_model__consume(struct model *m, const struct sample *s);
struct snap *measure_model__tick(struct model *m, u64 t0_ns, u64 t1_ns);
/* The same, with what those need who keep more beside it; and its heat log. */
struct measure_snap *measure_model__snap(struct model *m, u64 t0_ns, u64 t1_ns, struct window_pace *p,
					 struct arena **arena);
struct heat_log *measure_model__heat(struct model *m);
void measure_model__zero(struct model *m);
size_t measure_model__memory(const struct model *m);

#endif
