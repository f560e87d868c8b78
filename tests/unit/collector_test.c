// SPDX-License-Identifier: GPL-2.0-only
/* The collector as its owner sees it: frames, commands, time. */
#include "pipeline/collector.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "scope/filter.h"
#include "tests/lib/fakes.h"

static const struct source_row rows[] = {
	{&fake_ops[FAKE_A], MODEL_VITALS, 0},
	{&fake_ops[FAKE_B], MODEL_PROFILE, 1},
	{0},
};

#define BOTH (1u << MODEL_VITALS | 1u << MODEL_PROFILE)

static struct collector_config config(void)
{
	return (struct collector_config){
		.sampling = {.freq = 99, .user = true, .kernel = true},
		.interval_ns = NSEC_PER_SEC,
		.wanted = BOTH,
		.manual_tick = true,
		.sources = rows,
		.models = fake_models,
	};
}

static struct collector *start(const struct collector_config *cfg)
{
	struct status st;
	struct collector *c;

	c = collector__start(cfg, &st);
	assert_non_null(c);
	return c;
}

static void stop(struct collector *c)
{
	collector__stop(c);
	for (u32 i = 0; i < FAKES; i++)
		assert_int_equal(fakes[i].opens, fakes[i].closes);
	assert_int_equal(fake_models_alive, 0);
}

static int setup(void **state)
{
	fakes__reset();
	return 0;
}

static struct scope *scope(const char *expr)
{
	struct filter_error err;
	struct scope *s = filter__parse(expr, &err);

	assert_non_null(s);
	return s;
}

static bool opening_profile(const struct frame *f, u64 arg)
{
	return f->snaps[MODEL_VITALS] && f->feeds[MODEL_PROFILE].state == FEED_OPENING;
}

/* While a slow source opens, the screen has the vital signs and says what it waits for. */
static void test_slow_open_hides_nothing(void **state)
{
	struct collector_config cfg = config();
	const struct frame *f;
	struct collector *c;

	cfg.manual_tick = false;
	cfg.early_frames = true;
	fakes[FAKE_A].pending = 3;
	gate__close(&fakes[FAKE_B].open_gate);
	c = start(&cfg);
	gate__await(&fakes[FAKE_B].open_gate);
	f = frame_when(c, opening_profile, 0);
	assert_int_equal(f->feeds[MODEL_VITALS].state, FEED_LIVE);
	assert_int_equal(snap_of(f, MODEL_VITALS)->count, 3);
	assert_string_equal(f->feeds[MODEL_PROFILE].reason, "opening fake b");
	assert_null(f->snaps[MODEL_PROFILE]);
	snap__put(f);
	gate__open(&fakes[FAKE_B].open_gate);
	snap__put(frame_when(c, is_live, MODEL_PROFILE));
	stop(c);
}

/* Whoever ends the program learns that a source does not come back, and can give up. */
static void test_a_stuck_source_is_noticed_at_the_end(void **state)
{
	struct collector_config cfg = config();
	struct collector *c;

	gate__close(&fakes[FAKE_B].open_gate);
	c = start(&cfg);
	gate__await(&fakes[FAKE_B].open_gate);
	assert_false(collector__stops_within(c, 20 * NSEC_PER_MSEC));
	gate__open(&fakes[FAKE_B].open_gate);
	assert_true(collector__stops_within(c, 60 * NSEC_PER_SEC));
	assert_true(collector__stops_within(c, 0));
	stop(c);
}

/* A recording that takes 20 s at least to wind through. */
#define LONG_INTERVALS 20000

static struct long_replay {
	struct replay_source base;
	atomic_uint wound;
} long_replay;

static bool long__next(struct replay_source *r, struct record_interval *out)
{
	u32 n = atomic_fetch_add(&long_replay.wound, 1) + 1;

	usleep(1000);
	*out = (struct record_interval){.t1_ns = n * NSEC_PER_MSEC};
	return n < LONG_INTERVALS;
}

static bool long__seek(struct replay_source *r, u64 t_ns)
{
	return true;
}

static void long__state(const struct replay_source *r, struct recording_state *out)
{
	*out = (struct recording_state){.kind = RECORDING_REPLAY};
}

static const struct replay_source_ops long_ops = {.next = long__next, .seek = long__seek, .state = long__state};

/* One interval at a time, or all as one. */
static void test_winding_is_given_up_at_the_end(void **state)
{
	struct collector_config cfg = config();
	struct collector *c;

	cfg.manual_tick = false;
	cfg.replay = &long_replay.base;
	for (u64 from = 0; from < 2; from++) {
		long_replay = (struct long_replay){.base = {.ops = &long_ops}};
		c = start(&cfg);
		collector__seek(c, from, LONG_INTERVALS * NSEC_PER_MSEC);
		while (atomic_load(&long_replay.wound) < 10)
			usleep(1000);
		stop(c);
		assert_in_range(atomic_load(&long_replay.wound), 10, LONG_INTERVALS / 2);
	}
}

static void test_first_frame_comes_before_any_source(void **state)
{
	struct collector_config cfg = config();
	const struct frame *f;
	struct collector *c;

	gate__close(&fakes[FAKE_A].open_gate);
	c = start(&cfg);
	f = next_frame(c);
	assert_int_equal(f->seq, 1);
	assert_int_equal(f->feeds[MODEL_VITALS].state, FEED_OPENING);
	assert_int_equal(f->feeds[MODEL_PROFILE].state, FEED_OPENING);
	snap__put(f);
	gate__open(&fakes[FAKE_A].open_gate);
	stop(c);
}

/* A round in which the machine gave the CPU to somebody else tells nothing about us. */
struct round {
	u64 begin_ns;
	long preempted;
};

static struct round round__begin(void)
{
	struct rusage ru;

	getrusage(RUSAGE_THREAD, &ru);
	return (struct round){clock__monotonic_ns(), ru.ru_nivcsw};
}

static u64 round__took(const struct round *r)
{
	struct round now = round__begin();

	return now.preempted == r->preempted ? now.begin_ns - r->begin_ns : 0;
}

/* A source that stalls must not delay a key: everything a key can cause is asked for while the
 * collector hangs in a drain, and none of it may take 50 ms. */
static void test_stall_delays_no_key(void **state)
{
	struct collector_config cfg = config();
	struct collector *c = start(&cfg);
	struct scope *one = scope("pid=1");
	u64 longest = 0;

	snap__put(frame_when(c, is_live, MODEL_PROFILE));
	gate__close(&fakes[FAKE_B].drain_gate);
	collector__tick(c);
	gate__await(&fakes[FAKE_B].drain_gate);
	for (u32 i = 0; i < 2000; i++) {
		struct round r = round__begin();

		collector__set_scope(c, i % 2 ? one : NULL);
		collector__set_sampling(c, &cfg.sampling);
		collector__set_interval(c, NSEC_PER_SEC);
		collector__want(c, MODEL_VITALS, i % 2);
		collector__zero(c);
		assert_null(collector__take(c));
		longest = MAX(longest, round__took(&r));
	}
	/* the collector did stand still all the while */
	assert_int_equal(fakes[FAKE_B].drains, 0);
	assert_true(longest > 0 && longest < 50 * NSEC_PER_MSEC);
	gate__open(&fakes[FAKE_B].drain_gate);
	scope__put(one);
	stop(c);
}

/* Commands are carried out one by one in the order they were given. */
static void test_commands_in_order(void **state)
{
	struct collector_config cfg = config();
	struct collector *c;
	struct scope *one = scope("pid=1");
	struct sampling fast = cfg.sampling;

	fast.freq = 999;
	cfg.wanted = 1u << MODEL_PROFILE;
	c = start(&cfg);
	collector__set_scope(c, one);
	collector__zero(c);
	collector__set_sampling(c, &fast);
	collector__want(c, MODEL_VITALS, true);
	collector__want(c, MODEL_PROFILE, false);
	collector__set_scope(c, NULL);
	collector__end(c);
	snap__put(frame_when(c, is_final, 0));
	scope__put(one);
	stop(c);
	assert_string_equal(fakes__journal(),
			    "open:b:all scope:b:pid=1 zero freq:b:999 open:a:pid=1 "
			    "close:b scope:a:all close:a");
}

/* Settings that follow each other while the collector is busy: the last one stands. */
static void test_settings_of_a_kind_merge(void **state)
{
	struct collector_config cfg = config();
	struct collector *c;

	cfg.wanted = 1u << MODEL_PROFILE;
	c = start(&cfg);
	snap__put(frame_when(c, is_live, MODEL_PROFILE));
	gate__close(&fakes[FAKE_B].drain_gate);
	collector__tick(c);
	gate__await(&fakes[FAKE_B].drain_gate);
	for (u64 f = 100; f <= 200; f++) {
		cfg.sampling.freq = f;
		collector__set_sampling(c, &cfg.sampling);
	}
	gate__open(&fakes[FAKE_B].drain_gate);
	collector__end(c);
	snap__put(frame_when(c, is_final, 0));
	stop(c);
	assert_string_equal(fakes__journal(), "open:b:all freq:b:200 close:b");
}

static void test_want(void **state)
{
	struct collector_config cfg = config();
	struct collector *c;
	const struct frame *f;
	const void *kept;

	cfg.wanted = 1u << MODEL_VITALS;
	c = start(&cfg);
	snap__put(frame_when(c, is_live, MODEL_VITALS));
	assert_int_equal(fakes[FAKE_B].opens, 0);
	collector__want(c, MODEL_PROFILE, true);
	snap__put(frame_when(c, is_live, MODEL_PROFILE));
	assert_int_equal(fakes[FAKE_B].opens, 1);
	fakes[FAKE_B].pending = 7;
	collector__tick(c);
	snap__put(frame_when(c, ticked, 1));
	/* off means detached; what was seen stays in the frames, by reference */
	collector__want(c, MODEL_PROFILE, false);
	f = frame_when(c, is_off, MODEL_PROFILE);
	assert_int_equal(fakes[FAKE_B].closes, 1);
	assert_int_equal(snap_of(f, MODEL_PROFILE)->total, 7);
	kept = f->snaps[MODEL_PROFILE];
	snap__put(f);
	collector__tick(c);
	f = next_frame(c);
	assert_ptr_equal(f->snaps[MODEL_PROFILE], kept);
	snap__put(f);
	/* and goes on when wanted again */
	fakes[FAKE_B].pending = 5;
	collector__want(c, MODEL_PROFILE, true);
	collector__tick(c);
	f = frame_when(c, ticked, 2);
	assert_int_equal(snap_of(f, MODEL_PROFILE)->count, 5);
	assert_int_equal(snap_of(f, MODEL_PROFILE)->total, 12);
	snap__put(f);
	stop(c);
}

static void test_final_frame(void **state)
{
	struct collector_config cfg = config();
	struct collector *c = start(&cfg);
	const struct frame *f;

	snap__put(frame_when(c, is_live, MODEL_PROFILE));
	fakes[FAKE_B].pending = 11;
	cfg.manual_tick = true;
	collector__tick(c);
	f = frame_when(c, ticked, 1);
	assert_false(f->final);
	snap__put(f);
	fakes[FAKE_B].pending = 4;
	collector__end(c);
	collector__tick(c);
	collector__want(c, MODEL_VITALS, false);
	f = frame_when(c, is_final, 0);
	assert_int_equal(f->feeds[MODEL_PROFILE].state, FEED_LIVE);
	assert_int_equal(snap_of(f, MODEL_PROFILE)->total, 15);
	assert_true(f->base.t1_ns > f->base.t0_ns);
	snap__put(f);
	stop(c);
}

/* Two runs of one script on the fake clock give the same frames, times included. */
static void tell_frame(char *out, size_t size, const struct frame *f)
{
	size_t len = strlen(out);
	const struct fake_snap *s = snap_of(f, MODEL_PROFILE);

	snprintf(out + len, size - len, "%llu@%llu [%llu,%llu) %llu/%llu cpu %g\n",
		 (unsigned long long)f->seq, (unsigned long long)f->t_ns,
		 (unsigned long long)s->base.t0_ns, (unsigned long long)s->base.t1_ns,
		 (unsigned long long)s->count, (unsigned long long)s->total,
		 f->feeds[MODEL_PROFILE].health.self_cpu_pct);
}

static void run_script(char *out, size_t size)
{
	struct collector_config cfg = config();
	struct collector *c = start(&cfg);
	struct scope *one = scope("pid=1");

	snap__put(frame_when(c, is_live, MODEL_PROFILE));
	for (u64 i = 1; i <= 5; i++) {
		const struct frame *f;

		fakes[FAKE_B].pending = i * i;
		if (i == 3)
			collector__set_scope(c, one);
		if (i == 4)
			collector__set_interval(c, 2 * NSEC_PER_SEC);
		collector__tick(c);
		f = frame_when(c, ticked, i);
		tell_frame(out, size, f);
		snap__put(f);
	}
	scope__put(one);
	stop(c);
}

static void test_manual_ticks_are_deterministic(void **state)
{
	char first[2048] = "", again[2048] = "";

	run_script(first, sizeof(first));
	fakes__reset();
	run_script(again, sizeof(again));
	assert_string_equal(first, again);
	assert_non_null(strstr(first, "[1000000000000,1001000000000) 1/1 cpu 0"));
	assert_non_null(strstr(first, "[1003000000000,1005000000000) 16/30 cpu 0"));
}

/* On the real clock: intervals follow each other without a hole, whatever ended them. */
static void test_intervals_are_contiguous(void **state)
{
	struct collector_config cfg = config();
	struct collector *c;
	u64 t = 0;

	cfg.manual_tick = false;
	cfg.interval_ns = 20 * NSEC_PER_MSEC;
	c = start(&cfg);
	for (u32 i = 1; i <= 5; i++) {
		const struct frame *f = frame_when(c, ticked, i);
		const struct fake_snap *s = snap_of(f, MODEL_PROFILE);

		assert_true(s->base.t1_ns > s->base.t0_ns);
		/* a frame that was overtaken has taken its interval with it */
		assert_true(s->ticks > i || !t || s->base.t0_ns == t);
		assert_true(f->base.t1_ns == s->base.t1_ns);
		t = s->base.t1_ns;
		i = s->ticks;
		snap__put(f);
		if (i == 2)
			collector__tick(c);
	}
	stop(c);
}

static void nothing(void *ctx)
{
}

/* Batch mode: who takes frames too late has them all, up to a number; then the oldest are gone. */
static void test_every_frame_waits(void **state)
{
	struct collector_config cfg = config();
	const struct frame *newest, *f;
	struct collector *c;
	u32 n = 0;

	cfg.every_frame = true;
	c = start(&cfg);
	snap__put(frame_when(c, is_live, MODEL_PROFILE));
	for (u32 i = 0; i < 5; i++)
		collector__tick(c);
	assert_true(collector__call(c, nothing, NULL));
	newest = collector__take(c);
	for (f = newest; f; f = f->before) {
		assert_int_equal(snap_of(f, MODEL_PROFILE)->ticks, 5 - n);
		n++;
	}
	assert_int_equal(n, 5);
	snap__put(newest);
	for (u32 i = 0; i < COLLECTOR_FRAMES_WAITING + 4; i++)
		collector__tick(c);
	assert_true(collector__call(c, nothing, NULL));
	newest = collector__take(c);
	n = 0;
	for (f = newest; f; f = f->before)
		assert_int_equal(snap_of(f, MODEL_PROFILE)->ticks,
				 COLLECTOR_FRAMES_WAITING + 9 - n++);
	assert_int_equal(n, COLLECTOR_FRAMES_WAITING + 1);
	snap__put(newest);
	stop(c);
}

/* Batch mode: nothing is published between the attachment and the end of the interval. */
static void test_batch_intervals_are_whole(void **state)
{
	struct collector_config cfg = config();
	const struct fake_snap *s;
	const struct frame *f;
	struct collector *c;
	u64 before = clock__monotonic_ns();

	cfg.manual_tick = false;
	cfg.interval_ns = 400 * NSEC_PER_MSEC;
	c = start(&cfg);
	f = frame_when(c, ticked, 1);
	s = snap_of(f, MODEL_PROFILE);
	assert_int_equal(s->ticks, 1);
	assert_true(s->base.t0_ns >= before);
	assert_true(s->base.t1_ns - s->base.t0_ns >= cfg.interval_ns);
	snap__put(f);
	stop(c);
}

/* Interactive: rows long before the interval is over. */
static void test_early_frames(void **state)
{
	struct collector_config cfg = config();
	const struct fake_snap *s;
	const struct frame *f;
	struct collector *c;

	cfg.manual_tick = false;
	cfg.early_frames = true;
	cfg.interval_ns = 3600 * NSEC_PER_SEC;
	fakes[FAKE_B].pending = 9;
	c = start(&cfg);
	f = frame_when(c, ticked, 3);
	s = snap_of(f, MODEL_PROFILE);
	assert_int_equal(s->total, 9);
	snap__put(f);
	/* zero brings new ones soon, too */
	fakes[FAKE_B].pending = 5;
	collector__zero(c);
	f = frame_when(c, ticked, 4);
	assert_int_equal(snap_of(f, MODEL_PROFILE)->total, 0);
	snap__put(f);
	stop(c);
}

/* A readable fd causes a drain of urgent records before the tick; one that stays readable costs
 * a bounded number of wakeups. */
static void test_urgent_records(void **state)
{
	struct collector_config cfg = config();
	int fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
	u64 begin, ms;
	struct collector *c;

	fakes[FAKE_B].fd = fd;
	begin = clock__monotonic_ns();
	c = start(&cfg);
	while (fakes[FAKE_B].urgent < 20)
		poll(NULL, 0, 1);
	ms = (clock__monotonic_ns() - begin) / NSEC_PER_MSEC;
	assert_true(fakes[FAKE_B].urgent <= ms / 2 + 2);
	assert_int_equal(fakes[FAKE_B].drains, 0);
	stop(c);
	close(fd);
}

static void test_processes_reach_the_symbols(void **state)
{
	struct collector_config cfg = config();
	struct status st;
	int fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
	const struct sym_object *object;
	struct collector *c;
	u32 loc;

	cfg.symbols = symbols__new(&st);
	assert_non_null(cfg.symbols);
	fakes[FAKE_B].fd = fd;
	c = start(&cfg);
	while (!fakes[FAKE_B].urgent)
		poll(NULL, 0, 1);
	stop(c);
	/* its thread is gone: this one may ask */
	symbols__proc_event(cfg.symbols, &(struct proc_event){.type = PROC_MMAP,
							      .t_ns = clock__monotonic_ns(),
							      .tgid = FAKE_PID,
							      .tid = FAKE_PID,
							      .start = 0x1000,
							      .end = 0x2000,
							      .path = "//anon"});
	loc = symbols__locate_user(cfg.symbols, FAKE_PID, clock__monotonic_ns(), 0x1000);
	object = symbols__object(cfg.symbols, symbols__object_of(cfg.symbols, loc));
	assert_non_null(strstr(object->name, "[jit] seen:"));
	symbols__free(cfg.symbols);
	close(fd);
}

/* --- a storm --- */

static u64 dice(u64 *seed)
{
	return *seed = mix64(*seed + 0x9e3779b97f4a7c15ULL);
}

static void one_command(struct collector *c, u64 r, struct scope *const *scopes)
{
	struct sampling how = {.freq = 1 + r / 7 % 4000, .user = true, .kernel = true};

	switch (r % 7) {
	case 0:
		collector__set_scope(c, scopes[r / 7 % 3]);
		break;
	case 1:
		collector__set_sampling(c, &how);
		break;
	case 2:
		collector__set_interval(c, r / 7 % 30 * NSEC_PER_MSEC);
		break;
	case 3:
	case 4:
		collector__want(c, r / 7 % MODEL_COUNT, r / 70 % 2);
		break;
	case 5:
		collector__zero(c);
		break;
	case 6:
		collector__tick(c);
		break;
	}
}

static void disturb(u64 r)
{
	struct fake *f = &fakes[r % FAKES];

	f->fail = r / 8 % 5 ? 0 : 1 + (int)(r / 64 % 4);
	f->refuse = r / 512 % 4 == 0;
	f->pending += r / 4096 % 100;
}

static void storm(u64 seed, bool early)
{
	static const struct source_row many[] = {
		{&fake_ops[FAKE_A], MODEL_VITALS, 0},  {&fake_ops[FAKE_A], MODEL_PROFILE, 0},
		{&fake_ops[FAKE_B], MODEL_PROFILE, 1}, {&fake_ops[FAKE_FIXED], MODEL_PROFILE, 2},
		{&fake_ops[FAKE_C], MODEL_PROFILE, 3}, {0},
	};
	struct collector_config cfg = config();
	struct scope *scopes[3] = {NULL, scope("pid=1"), scope("comm~^a !cpu=1")};
	int fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
	struct collector *c;
	u64 seq = 0;

	cfg.manual_tick = false;
	cfg.early_frames = early;
	cfg.sources = many;
	cfg.scope = scopes[1];
	fakes[FAKE_C].fd = fd;
	c = start(&cfg);
	for (u32 i = 0; i < 3000; i++) {
		/* waits now and then, so that commands meet a busy and an idle collector */
		const struct frame *f = i % 20 ? NULL : next_frame(c);

		assert_true(!f || f->seq > seq);
		seq = f ? f->seq : seq;
		snap__put(f);
		disturb(dice(&seed));
		one_command(c, dice(&seed), scopes);
	}
	if (early)
		collector__end(c);
	stop(c);
	scope__put(scopes[1]);
	scope__put(scopes[2]);
	close(fd);
}

static void test_storm(void **state)
{
	for (u64 seed = 1; seed <= 4; seed++) {
		fakes__reset();
		storm(seed, seed % 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_a_stuck_source_is_noticed_at_the_end, setup),
		cmocka_unit_test_setup(test_winding_is_given_up_at_the_end, setup),
		cmocka_unit_test_setup(test_first_frame_comes_before_any_source, setup),
		cmocka_unit_test_setup(test_slow_open_hides_nothing, setup),
		cmocka_unit_test_setup(test_stall_delays_no_key, setup),
		cmocka_unit_test_setup(test_commands_in_order, setup),
		cmocka_unit_test_setup(test_settings_of_a_kind_merge, setup),
		cmocka_unit_test_setup(test_want, setup),
		cmocka_unit_test_setup(test_final_frame, setup),
		cmocka_unit_test_setup(test_manual_ticks_are_deterministic, setup),
		cmocka_unit_test_setup(test_every_frame_waits, setup),
		cmocka_unit_test_setup(test_intervals_are_contiguous, setup),
		cmocka_unit_test_setup(test_batch_intervals_are_whole, setup),
		cmocka_unit_test_setup(test_early_frames, setup),
		cmocka_unit_test_setup(test_urgent_records, setup),
		cmocka_unit_test_setup(test_processes_reach_the_symbols, setup),
		cmocka_unit_test_setup(test_storm, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
