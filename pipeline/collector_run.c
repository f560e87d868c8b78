// SPDX-License-Identifier: GPL-2.0-only
/* The collector's thread: intervals, commands, sources that open. */
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/thread.h"
#include "pipeline/collector_impl.h"

/* --- intervals --- */

static void arm_timer(struct collector *c)
{
	u64 at = c->play.replay ? play__due(c) : schedule__next(&c->schedule, c->ticked_ns);
	struct itimerspec its = {0};

	if (c->manual)
		return;
	if (at != SCHEDULE_NEVER)
		its.it_value = clock__until(at);
	timerfd_settime(c->timer_fd, TFD_TIMER_ABSTIME, &its, NULL);
}

/* A fake clock has no cost: the same frames in each run. Too short a time gives no share. */
static void measure_self(struct collector *c)
{
	u64 cpu = clock__process_cpu_ns(), wall = clock__monotonic_ns();

	if (c->manual || wall < c->wall_ns + 20 * NSEC_PER_MSEC)
		return;
	c->self_cpu_pct = 100.0 * (double)(cpu - c->cpu_ns) / (double)(wall - c->wall_ns);
	c->cpu_ns = cpu;
	c->wall_ns = wall;
}

static void end_interval(struct collector *c, u64 models, struct health_gap gap, bool final)
{
	collector__resolve_scope(c);
	if (!c->manual) /* as its samples, its processes need not be any here */
		scope__gone(c->feeds.slots.scope, c->feeds.gone, sizeof(c->feeds.gone));
	c->t0_ns = c->t1_ns;
	c->t1_ns = collector__now_ns(c);
	feeds__drain(&c->feeds, models, c->t1_ns);
	measure_self(c);
	feeds__tick(&c->feeds, models, c->t1_ns, c->self_cpu_pct, gap);
	collector__publish(c, final);
	if (memory__is_little())
		malloc_trim(0);
}

static void look_at_cpus(struct collector *c)
{
	struct cpus_news news = cpus_watch__look(&c->cpus);

	feeds__renew(&c->feeds, news.slept_ns || news.changed);
	c->gap.suspended_ns += news.slept_ns;
	c->gap.cpus_changed += news.changed;
}

static void regular_tick(struct collector *c, u64 now)
{
	struct health_gap gap;

	if (collector__live(c))
		look_at_cpus(c);
	gap = c->gap;
	gap.missed_ticks = schedule__missed(&c->schedule, c->ticked_ns, now);
	c->gap = (struct health_gap){0};
	c->ticked_ns = now;
	/* An early tick right after this one would tell nothing. */
	schedule__take_early(&c->schedule, now + schedule_early_ns[SCHEDULE_AT_ONCE] / 2);
	end_interval(c, ALL_MODELS, gap, false);
}

static void on_timer(struct collector *c)
{
	u64 now = collector__now_ns(c), fired;

	if (read(c->timer_fd, &fired, sizeof(fired)) < 0)
		return;
	if (c->play.replay)
		play__tick(c);
	else if (schedule__due(&c->schedule, c->ticked_ns, now))
		regular_tick(c, now);
	else if (schedule__take_early(&c->schedule, now))
		end_interval(c, c->early_models, (struct health_gap){0}, false);
	if (c->schedule.early == SCHEDULE_EARLY)
		c->early_models = 0;
	arm_timer(c);
}

static void hurry(struct collector *c, u64 models)
{
	if (!c->early_frames || !models)
		return;
	c->early_models |= models;
	schedule__hurry(&c->schedule, collector__now_ns(c), models & feeds__asked(&c->feeds));
	arm_timer(c);
}

/* --- opening --- */

static void start_grid(struct collector *c)
{
	if (c->started)
		return;
	c->started = true;
	if (c->play.replay) {
		play__begin(c);
		arm_timer(c);
		return;
	}
	c->ticked_ns = c->t1_ns = collector__now_ns(c);
	schedule__start(&c->schedule, c->ticked_ns, c->interval_ns);
	arm_timer(c);
}

static void open_next(struct collector *c)
{
	u64 opened = feeds__open_next(&c->feeds), upkeep = opened & feeds__upkeep(&c->feeds);

	c->dirty = true;
	if (opened) {
		feeds__begin(&c->feeds, opened, collector__now_ns(c));
		hurry(c, opened);
	}
	if (!c->feeds.opening)
		start_grid(c);
	/* What needs no samples is shown before something slow is opened. */
	if (upkeep && c->early_frames)
		end_interval(c, upkeep, (struct health_gap){0}, false);
}

static void open_all(struct collector *c)
{
	while (c->feeds.opening && !collector__quits(c)) {
		open_next(c);
		collector__publish(c, false);
	}
}

/* The consequences of one command, apart from those of the next: which frames there are does
 * not depend on how many commands came together. */
static void finish_command(struct collector *c)
{
	if (c->dirty && !c->ended)
		collector__publish(c, false);
	open_all(c);
}

/* --- commands --- */

static void set_sampling(struct collector *c, struct sampling how)
{
	const struct ask_list *asks = c->feeds.slots.how.asks;

	how.interval_s = c->feeds.slots.how.interval_s;
	how.replay = c->feeds.slots.how.replay;
	feeds__set_sampling(&c->feeds, &how);
	/* The first count of one more question does not wait for the interval's end. */
	if (c->feeds.slots.how.asks != asks)
		hurry(c, feeds__asked(&c->feeds));
}

static void set_interval(struct collector *c, u64 interval_ns)
{
	c->interval_ns = MAX(interval_ns, COLLECTOR_MIN_INTERVAL_NS);
	c->feeds.slots.how.interval_s = (double)c->interval_ns / NSEC_PER_SEC;
	if (collector__remote(c))
		c->play.replay->ops->interval(c->play.replay, c->interval_ns);
	else
		c->play.merge_ns = c->interval_ns;
	if (!c->started || c->play.replay)
		return;
	schedule__start(&c->schedule, c->ticked_ns, c->interval_ns);
	arm_timer(c);
}

static void zero(struct collector *c, u64 models)
{
	feeds__zero(&c->feeds, models, collector__now_ns(c));
	hurry(c, models);
}

/* What is gathered stays, as what does not pass is left out of answers; but who is of a tree only the sources can
 * tell, when it happens. The machine's own figures are of no scope. */
static void set_scope(struct collector *c, const struct scope *scope)
{
	collector__use_scope(c, scope);
	if (c->feeds.slots.scope->follow_children && !c->play.replay)
		zero(c, ALL_MODELS & ~MODEL_BIT(MODEL_SYSTEM));
}

static void tick_now(struct collector *c)
{
	u64 now;

	if (c->play.replay) {
		play__tick(c);
		return;
	}
	c->fake_ns += c->interval_ns;
	now = collector__now_ns(c);
	if (c->started)
		schedule__start(&c->schedule, now, c->interval_ns);
	regular_tick(c, now);
	arm_timer(c);
}

static void end(struct collector *c)
{
	c->ended = true;
	if (c->play.replay) {
		collector__publish(c, true);
	} else {
		c->fake_ns += c->interval_ns;
		c->ticked_ns = collector__now_ns(c);
		end_interval(c, ALL_MODELS, (struct health_gap){0}, true);
	}
	feeds__stop_recording(&c->feeds);
	feeds__detach(&c->feeds);
	c->play.has_coming = false;
	c->schedule.interval_ns = 0;
	arm_timer(c);
}

static void execute(struct collector *c, struct command *cmd)
{
	/* These change nothing that frames have. */
	c->dirty |= cmd->type != COMMAND_CALL && cmd->type != COMMAND_PREPARE;
	switch (cmd->type) {
	case COMMAND_SCOPE:
		set_scope(c, cmd->scope);
		break;
	case COMMAND_SAMPLING:
		set_sampling(c, cmd->how);
		break;
	case COMMAND_PREPARE:
		feeds__prepare(&c->feeds, cmd->ask);
		break;
	case COMMAND_INTERVAL:
		set_interval(c, cmd->interval_ns);
		break;
	case COMMAND_WANT:
		feeds__want(&c->feeds, cmd->want.model, cmd->want.on);
		break;
	case COMMAND_ZERO:
		zero(c, ALL_MODELS);
		break;
	case COMMAND_TICK:
		tick_now(c);
		break;
	case COMMAND_END:
		end(c);
		break;
	case COMMAND_RECORD:
		feeds__record(&c->feeds, SINK_FILE, cmd->sink);
		cmd->sink = NULL;
		break;
	case COMMAND_PLAY:
		play__set(c, cmd->play.paused, cmd->play.speed);
		arm_timer(c);
		break;
	case COMMAND_SEEK:
		if (c->play.replay && !collector__remote(c))
			play__seek(c, cmd->seek.from_ns, cmd->seek.to_ns);
		break;
	case COMMAND_CALL:
		cmd->call->fn(cmd->call->ctx);
		cmd->call->ran = true;
		break;
	}
}

/* Tells whoever waits for collector__idle. */
static void rest(struct collector *c)
{
	if (atomic_exchange(&c->busy, false) && c->manual)
		mailbox__wake(&c->mailbox);
}

static void run_commands(struct collector *c)
{
	struct command *cmd;

	atomic_store(&c->busy, true); /* before the queue is empty */
	cmd = command_queue__take(&c->commands);
	while (cmd) {
		struct command *next = cmd->next;

		if (!collector__quits(c) && !c->ended)
			execute(c, cmd);
		command__free(cmd);
		if (c->manual)
			finish_command(c);
		cmd = next;
	}
	rest(c);
}

/* --- the thread --- */

static void on_slot(struct collector *c, struct slot *slot)
{
	/* Closed since epoll_wait returned. */
	if (!slot->src)
		return;
	feeds__drain_urgent(&c->feeds, slot);
	slot__mute(&c->feeds.slots, slot, clock__monotonic_ns());
}

static int patience_ms(const struct collector *c)
{
	if (c->feeds.opening)
		return 0;
	return c->feeds.slots.nmuted ? (int)(slots__mute_ns() / NSEC_PER_MSEC) : -1;
}

static void wait_and_serve(struct collector *c)
{
	struct epoll_event events[16];
	int n = epoll_wait(c->epoll_fd, events, ARRAY_SIZE(events), patience_ms(c));

	for (int i = 0; i < n && !collector__quits(c); i++) {
		if (events[i].data.u32 == TAG_COMMANDS)
			continue; /* they are looked for in each turn */
		if (events[i].data.u32 == TAG_TIMER)
			on_timer(c);
		else if (events[i].data.u32 == TAG_CPUS)
			look_at_cpus(c);
		else if (events[i].data.u32 == TAG_REPLAY)
			play__look(c);
		else
			on_slot(c, &c->feeds.slots.v[events[i].data.u32 - TAG_SLOTS]);
	}
	if (c->feeds.slots.nmuted)
		slots__unmute(&c->feeds.slots, clock__monotonic_ns());
}

static void begin(struct collector *c)
{
	collector__resolve_scope(c);
	c->cpu_ns = clock__process_cpu_ns();
	c->wall_ns = clock__monotonic_ns();
	for (u32 m = 0; m < MODEL_COUNT; m++)
		if (c->wanted & MODEL_BIT(m))
			feeds__want(&c->feeds, m, true);
	collector__publish(c, false);
	if (!c->feeds.opening)
		start_grid(c);
	if (c->manual)
		open_all(c);
	rest(c);
}

void *collector__run(void *arg)
{
	struct collector *c = arg;

	thread__name("collector");
	begin(c);
	while (!collector__quits(c)) {
		wait_and_serve(c);
		run_commands(c);
		if (c->feeds.opening && !collector__quits(c))
			open_next(c);
		if (c->dirty && !c->ended)
			collector__publish(c, false);
	}
	feeds__fini(&c->feeds);
	return NULL;
}
