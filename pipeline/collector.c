// SPDX-License-Identifier: GPL-2.0-only
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/thread.h"
#include "pipeline/collector_impl.h"

static int listen_to(struct collector *c, int fd, u32 tag)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.u32 = tag};

	return epoll_ctl(c->epoll_fd, EPOLL_CTL_ADD, fd, &ev) ? -errno : 0;
}

static int open_fds(struct collector *c)
{
	int err;

	c->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (c->epoll_fd < 0)
		return -errno;
	c->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (c->timer_fd < 0)
		return -errno;
	err = listen_to(c, c->commands.fd, TAG_COMMANDS);
	if (!err)
		err = listen_to(c, c->timer_fd, TAG_TIMER);
	if (!err && collector__remote(c))
		err = listen_to(c, c->play.replay->ops->fd(c->play.replay), TAG_REPLAY);
	if (err || !collector__live(c))
		return err;
	cpus_watch__init(&c->cpus);
	return c->cpus.fd < 0 ? 0 : listen_to(c, c->cpus.fd, TAG_CPUS);
}

static void close_fds(struct collector *c)
{
	cpus_watch__fini(&c->cpus);
	if (c->timer_fd >= 0)
		close(c->timer_fd);
	if (c->epoll_fd >= 0)
		close(c->epoll_fd);
}

static u32 count_rows(const struct source_row *rows)
{
	u32 n = 0;

	while (rows[n].ops)
		n++;
	return n;
}

static void init_feeds(struct collector *c, const struct collector_config *cfg)
{
	struct feeds_config fc = {
		.rows = cfg->sources ? cfg->sources : source_table,
		.nrows = cfg->sources ? count_rows(cfg->sources) : SOURCE_COUNT,
		.models = cfg->models ? cfg->models : model_table,
		.symbols = cfg->symbols,
		.borrows_symbols = cfg->borrows_symbols,
		.how = cfg->sampling,
		.scope = collector__scope(cfg->scope),
		.epoll_fd = c->epoll_fd,
		.epoll_tag = TAG_SLOTS,
	};

	fc.how.interval_s = (double)c->interval_ns / NSEC_PER_SEC;
	fc.how.replay = cfg->replay;
	feeds__init(&c->feeds, &fc);
}

static int launch(struct collector *c, const struct collector_config *cfg)
{
	int err = open_fds(c);

	if (!err) {
		init_feeds(c, cfg);
		memcpy(c->feeds.sinks, cfg->sinks, sizeof(cfg->sinks));
		err = thread__start(&c->thread, collector__run, c);
		if (err) {
			memset(c->feeds.sinks, 0, sizeof(c->feeds.sinks));
			feeds__fini(&c->feeds);
		}
	}
	if (err)
		close_fds(c);
	return err;
}

static struct collector *collector__new(const struct collector_config *cfg)
{
	struct collector *c = xcalloc(1, sizeof(*c));

	c->epoll_fd = c->timer_fd = -1;
	c->cpus = (struct cpus_watch)CPUS_WATCH_NONE;
	c->interval_ns = MAX(cfg->interval_ns, COLLECTOR_MIN_INTERVAL_NS);
	c->manual = cfg->manual_tick;
	atomic_init(&c->busy, true);
	c->early_frames = cfg->early_frames && !cfg->manual_tick && !cfg->replay;
	c->play = (struct play){.replay = cfg->replay,
				.merge_ns = cfg->merge_ns,
				.speed = 1,
				.first_ns = cfg->from_ns,
				.last_ns = cfg->to_ns ? cfg->to_ns : UINT64_MAX};
	c->every_frame = cfg->every_frame;
	c->wanted = cfg->wanted;
	c->fake_ns = COLLECTOR_FAKE_START_NS;
	c->schedule.early = SCHEDULE_EARLY;
	return c;
}

struct collector *collector__start(const struct collector_config *cfg, struct status *st)
{
	struct collector *c = collector__new(cfg);
	int err = mailbox__init(&c->mailbox);

	if (err)
		goto no_mailbox;
	err = command_queue__init(&c->commands);
	if (err)
		goto no_commands;
	err = launch(c, cfg);
	if (!err)
		return c;
	command_queue__fini(&c->commands);
no_commands:
	mailbox__fini(&c->mailbox);
no_mailbox:
	free(c);
	status__set(st, EXIT_CODE_FAILURE, err,
		    "cannot start collecting: %s; raise ulimit -n and ulimit -u", strerror(-err));
	return NULL;
}

static void ask_to_quit(struct collector *c)
{
	atomic_store(&c->quit, true);
	command_queue__wake(&c->commands);
}

bool collector__stops_within(struct collector *c, u64 ns)
{
	struct timespec until;

	ask_to_quit(c);
	clock_gettime(CLOCK_REALTIME, &until);
	ns += (u64)until.tv_nsec;
	until.tv_sec += (time_t)(ns / NSEC_PER_SEC);
	until.tv_nsec = (long)(ns % NSEC_PER_SEC);
	c->joined = c->joined || !pthread_timedjoin_np(c->thread, NULL, &until);
	return c->joined;
}

void collector__stop(struct collector *c)
{
	ask_to_quit(c);
	if (!c->joined)
		pthread_join(c->thread, NULL);
	close_fds(c);
	command_queue__fini(&c->commands);
	mailbox__fini(&c->mailbox);
	free(c);
}

int collector__fd(const struct collector *c)
{
	return c->mailbox.fd;
}

const struct frame *collector__take(struct collector *c)
{
	return (const struct frame *)mailbox__take(&c->mailbox);
}

bool collector__idle(struct collector *c)
{
	return command_queue__empty(&c->commands) && !atomic_load(&c->busy) &&
	       mailbox__empty(&c->mailbox);
}

static void post(struct collector *c, struct command cmd)
{
	command_queue__post(&c->commands, &cmd);
}

void collector__set_scope(struct collector *c, const struct scope *scope)
{
	post(c, (struct command){.type = COMMAND_SCOPE, .scope = scope__get(scope)});
}

void collector__set_sampling(struct collector *c, const struct sampling *how)
{
	post(c, (struct command){.type = COMMAND_SAMPLING, .how = *how});
}

void collector__prepare(struct collector *c, const struct ask *ask)
{
	post(c, (struct command){.type = COMMAND_PREPARE, .ask = ask});
}

void collector__set_interval(struct collector *c, u64 interval_ns)
{
	post(c, (struct command){.type = COMMAND_INTERVAL, .interval_ns = interval_ns});
}

void collector__want(struct collector *c, enum model_id m, bool on)
{
	post(c, (struct command){.type = COMMAND_WANT, .want = {.model = m, .on = on}});
}

void collector__zero(struct collector *c)
{
	post(c, (struct command){.type = COMMAND_ZERO});
}

void collector__record(struct collector *c, struct record_sink *sink)
{
	post(c, (struct command){.type = COMMAND_RECORD, .sink = sink});
}

void collector__play(struct collector *c, bool paused, double speed)
{
	post(c, (struct command){.type = COMMAND_PLAY, .play = {.paused = paused, .speed = speed}});
}

void collector__seek(struct collector *c, u64 from_ns, u64 to_ns)
{
	post(c, (struct command){.type = COMMAND_SEEK, .seek = {from_ns, to_ns}});
}

bool collector__call(struct collector *c, void (*fn)(void *ctx), void *ctx)
{
	struct call call = {.fn = fn, .ctx = ctx};

	sem_init(&call.done, 0, 0);
	post(c, (struct command){.type = COMMAND_CALL, .call = &call});
	while (sem_wait(&call.done))
		;
	sem_destroy(&call.done);
	return call.ran;
}

void collector__tick(struct collector *c)
{
	post(c, (struct command){.type = COMMAND_TICK});
}

void collector__end(struct collector *c)
{
	post(c, (struct command){.type = COMMAND_END});
}

static void rest(void *ctx)
{
	struct collector *c = ctx;

	c->ended = true;
	feeds__detach(&c->feeds);
}

void collector__rest(struct collector *c)
{
	collector__call(c, rest, c);
}
