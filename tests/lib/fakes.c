// SPDX-License-Identifier: GPL-2.0-only
#include "tests/lib/fakes.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
/* cmocka.h needs the two above it */
#include <cmocka.h>

#include "base/arena.h"

#define PATIENCE_MS 20000

/* --- journal --- */

static pthread_mutex_t journal_lock = PTHREAD_MUTEX_INITIALIZER;
static char journal[16384]; /* journal_lock */

static void PRINTF_LIKE(1, 2) note(const char *fmt, ...)
{
	size_t len;
	va_list ap;

	pthread_mutex_lock(&journal_lock);
	len = strlen(journal);
	if (len && len + 1 < sizeof(journal))
		journal[len++] = ' ';
	va_start(ap, fmt);
	vsnprintf(journal + len, sizeof(journal) - len, fmt, ap);
	va_end(ap);
	pthread_mutex_unlock(&journal_lock);
}

const char *fakes__journal(void)
{
	static char copy[sizeof(journal)];

	pthread_mutex_lock(&journal_lock);
	memcpy(copy, journal, sizeof(copy));
	pthread_mutex_unlock(&journal_lock);
	return copy;
}

/* --- sources --- */

#define FAKE_INIT                                                                                  \
	{                                                                                          \
		.fd = -1, .open_gate = GATE_INIT, .drain_gate = GATE_INIT                          \
	}

struct fake fakes[FAKES] = {FAKE_INIT, FAKE_INIT, FAKE_INIT, FAKE_INIT};

struct source {
	u64 handed;
};

void fakes__reset(void)
{
	for (u32 i = 0; i < FAKES; i++) {
		struct fake *f = &fakes[i];

		gate__open(&f->open_gate);
		gate__open(&f->drain_gate);
		f->fail = 0;
		f->only_freq = f->pending = f->lost = f->freq = 0;
		f->refuse = false;
		f->fd = -1;
		f->opens = f->closes = f->drains = f->urgent = 0;
	}
	pthread_mutex_lock(&journal_lock);
	journal[0] = '\0';
	pthread_mutex_unlock(&journal_lock);
}

static const char *scope_text(const struct scope *s)
{
	return s && s->text[0] ? s->text : "all";
}

static struct source *fake__open(u32 i, const struct sampling *how, const struct scope *scope,
				 struct status *st)
{
	struct fake *f = &fakes[i];

	gate__pass(&f->open_gate);
	if (f->fail || (f->only_freq && f->only_freq != how->freq)) {
		note("fail:%s", fake_ops[i].name);
		status__set(st, f->fail ? f->fail : EXIT_CODE_UNSUPPORTED, -EPERM, "no %s here",
			    fake_ops[i].name);
		return NULL;
	}
	f->opens++;
	f->freq = how->freq;
	note("open:%s:%s", fake_ops[i].name, scope_text(scope));
	return xcalloc(1, sizeof(struct source));
}

static void fake__close(u32 i, struct source *s)
{
	fakes[i].pending = 0; /* what nobody drained is gone, as with a real one */
	fakes[i].closes++;
	note("close:%s", fake_ops[i].name);
	free(s);
}

static int fake__set_scope(u32 i, const struct scope *scope, struct status *st)
{
	if (fakes[i].refuse)
		return status__set(st, EXIT_CODE_FAILURE, -ENOSPC, "filter too long");
	note("scope:%s:%s", fake_ops[i].name, scope_text(scope));
	return 0;
}

static int fake__set_sampling(u32 i, const struct sampling *how, struct status *st)
{
	if (fakes[i].refuse)
		return status__set(st, EXIT_CODE_FAILURE, -EINVAL, "rate too high");
	fakes[i].freq = how->freq;
	note("freq:%s:%llu", fake_ops[i].name, (unsigned long long)how->freq);
	return 0;
}

static void hand_out(struct fake *f, struct source *s, const struct sample_sink *sink)
{
	struct stack_sample sample = {.head.type = SAMPLE_STACK, .tgid = 1, .tid = 1};

	sample.count = sample.weight = atomic_exchange(&f->pending, 0);
	if (!sample.count)
		return;
	s->handed += sample.count;
	sink__put(sink, &sample.head);
}

static void fake__drain(u32 i, struct source *s, bool tick, const struct sample_sink *sink)
{
	const struct proc_event ev = {.head.type = SAMPLE_PROC,
				      .type = PROC_SEEN,
				      .tgid = FAKE_PID,
				      .tid = FAKE_PID,
				      .comm = "seen"};

	gate__pass(&fakes[i].drain_gate);
	if (tick) {
		fakes[i].drains++;
		hand_out(&fakes[i], s, sink);
		return;
	}
	fakes[i].urgent++;
	sink__put(sink, &ev.head);
}

static void fake__health(u32 i, struct source *s, struct health *h)
{
	h->samples_total += s->handed;
	h->lost += fakes[i].lost;
	h->freq = fakes[i].freq;
	h->map_fill_pct = 10.0 * (i + 1);
}

#define FAKE_CALLS(x, i)                                                                           \
	static struct source *x##_open(const struct sampling *how, const struct scope *scope,      \
				       struct status *st)                                          \
	{                                                                                          \
		return fake__open(i, how, scope, st);                                              \
	}                                                                                          \
	static void x##_close(struct source *s)                                                    \
	{                                                                                          \
		fake__close(i, s);                                                                 \
	}                                                                                          \
	static int x##_fd(struct source *s)                                                        \
	{                                                                                          \
		return fakes[i].fd;                                                                \
	}                                                                                          \
	static void x##_drain(struct source *s, bool tick, const struct sample_sink *sink)         \
	{                                                                                          \
		fake__drain(i, s, tick, sink);                                                     \
	}                                                                                          \
	static void x##_health(struct source *s, struct health *h)                                 \
	{                                                                                          \
		fake__health(i, s, h);                                                             \
	}

#define FAKE_SETTERS(x, i)                                                                         \
	static int x##_set_scope(struct source *s, const struct scope *scope, struct status *st)   \
	{                                                                                          \
		return fake__set_scope(i, scope, st);                                              \
	}                                                                                          \
	static int x##_set_sampling(struct source *s, const struct sampling *how,                  \
				    struct status *st)                                             \
	{                                                                                          \
		return fake__set_sampling(i, how, st);                                             \
	}

FAKE_CALLS(a, FAKE_A)
FAKE_SETTERS(a, FAKE_A)
FAKE_CALLS(b, FAKE_B)
FAKE_SETTERS(b, FAKE_B)
FAKE_CALLS(c, FAKE_C)
FAKE_SETTERS(c, FAKE_C)
FAKE_CALLS(fixed, FAKE_FIXED)

#define FAKE_OPS(x)                                                                                \
	.name = #x, .title = "fake " #x, .open = x##_open, .close = x##_close, .fd = x##_fd,       \
	.drain = x##_drain, .health = x##_health

const struct source_ops fake_ops[FAKES] = {
	[FAKE_A] = {FAKE_OPS(a), .set_scope = a_set_scope, .set_sampling = a_set_sampling},
	[FAKE_B] = {FAKE_OPS(b), .set_scope = b_set_scope, .set_sampling = b_set_sampling},
	[FAKE_C] = {FAKE_OPS(c), .set_scope = c_set_scope, .set_sampling = c_set_sampling},
	[FAKE_FIXED] = {FAKE_OPS(fixed)},
};

/* --- models --- */

struct model {
	u64 count, total;
	u32 ticks;
};

_Atomic u32 fake_models_alive;

static struct model *model__new(struct symbols *symbols)
{
	fake_models_alive++;
	return xcalloc(1, sizeof(struct model));
}

static void model__free(struct model *m)
{
	fake_models_alive--;
	free(m);
}

static void model__consume(struct model *m, const struct sample *s)
{
	if (s->type == SAMPLE_STACK)
		m->count += container_of((struct sample *)s, struct stack_sample, head)->count;
}

static void fake_snap__free(struct snap *s)
{
	free(container_of(s, struct fake_snap, base));
}

static struct snap *model__tick(struct model *m, u64 t0_ns, u64 t1_ns)
{
	struct fake_snap *snap = xcalloc(1, sizeof(*snap));

	m->total += m->count;
	snap->base = (struct snap){.free = fake_snap__free, .t0_ns = t0_ns, .t1_ns = t1_ns};
	atomic_init(&snap->base.refs, 1);
	snap->count = m->count;
	snap->total = m->total;
	snap->ticks = ++m->ticks;
	m->count = 0;
	return &snap->base;
}

static void model__zero(struct model *m)
{
	note("zero");
	m->count = m->total = 0;
}

static size_t model__memory(const struct model *m)
{
	return sizeof(*m);
}

const struct model_ops fake_model = {
	.name = "fake model",
	.new = model__new,
	.free = model__free,
	.consume = model__consume,
	.tick = model__tick,
	.zero = model__zero,
	.memory = model__memory,
};

const struct model_ops *const fake_models[MODEL_COUNT] = {
	[MODEL_VITALS] = &fake_model,
	[MODEL_PROFILE] = &fake_model,
};

/* --- frames --- */

const struct frame *next_frame(struct collector *c)
{
	struct pollfd fd = {.fd = collector__fd(c), .events = POLLIN};
	const struct frame *f;

	do {
		if (poll(&fd, 1, PATIENCE_MS) != 1)
			fail_msg("no frame came; so far: %s", fakes__journal());
		f = collector__take(c);
	} while (!f);
	return f;
}

const struct frame *frame_when(struct collector *c, bool (*is)(const struct frame *f, u64 arg),
			       u64 arg)
{
	for (;;) {
		const struct frame *f = next_frame(c);

		if (is(f, arg))
			return f;
		snap__put(f);
	}
}

bool is_live(const struct frame *f, u64 model)
{
	return f->feeds[model].state == FEED_LIVE;
}

bool is_failed(const struct frame *f, u64 model)
{
	return f->feeds[model].state == FEED_FAILED;
}

bool is_off(const struct frame *f, u64 model)
{
	return f->feeds[model].state == FEED_OFF;
}

bool is_final(const struct frame *f, u64 arg)
{
	return f->final;
}

const struct fake_snap *snap_of(const struct frame *f, enum model_id m)
{
	assert_non_null(f->snaps[m]);
	return container_of(f->snaps[m], struct fake_snap, base);
}

bool ticked(const struct frame *f, u64 ticks)
{
	return f->snaps[MODEL_PROFILE] && snap_of(f, MODEL_PROFILE)->ticks >= ticks;
}
