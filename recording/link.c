// SPDX-License-Identifier: GPL-2.0-only
#include "recording/link.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/log.h"
#include "models/model.h"
#include "recording/block.h"

#define READ_BYTES  (64u << 10)
#define READS	    64	      /* at a time: other things are to be done, too */
#define UNREAD_MAX  (64u << 20) /* beyond, who sends has to wait */
#define RETRY_MAX_S 30
#define HEAD_BYTES  (RECORDING_MAGIC_LEN + BLOCK_HEADER)

struct link {
	char host[128];
	char **command, **again;
	char **lines; /* said first */
	/* What is wanted: */
	char *filter, *sampling;
	u64 interval_ns, wanted;
	/* Who is there: */
	struct child *child;
	int to, from;
	bool up; /* somebody is there */
	bool has_head;
	u32 streams;
	struct feed feeds[MODEL_COUNT];
	char trouble[400], said[160]; /* its last words */
	u32 retry_s;
	/* What came: */
	int file;
	u64 end, released;
	u64 bytes;
	struct bytes in; /* no whole block yet */
	struct packer *packer;
	struct bytes raw;
	int epoll, timer;
};

static char **copy_words(char *const *words)
{
	u32 n = 0;
	char **copy;

	while (words && words[n])
		n++;
	copy = xcalloc(n + 1, sizeof(*copy));
	for (u32 i = 0; i < n; i++)
		copy[i] = xstrdup(words[i]);
	return copy;
}

static void free_words(char **words)
{
	for (u32 i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}

static void listen_to(struct link *l, int fd)
{
	struct epoll_event ev = {.events = EPOLLIN};

	epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &ev);
}

struct link *link__new(const struct link_config *cfg)
{
	struct link *l = xcalloc(1, sizeof(*l));

	copy_str(l->host, sizeof(l->host), cfg->host);
	l->command = copy_words(cfg->command);
	l->again = copy_words(cfg->again);
	l->lines = copy_words((char *const *)cfg->lines);
	l->filter = xstrdup("");
	l->to = l->from = l->file = -1;
	l->packer = packer__new();
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	l->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (l->epoll < 0 || l->timer < 0)
		die("out of descriptors");
	listen_to(l, l->timer);
	return l;
}

/* --- who is there --- */

static void let_go(struct link *l)
{
	if (l->child && child__output_fd(l->child) >= 0)
		epoll_ctl(l->epoll, EPOLL_CTL_DEL, child__output_fd(l->child), NULL);
	if (l->from >= 0)
		epoll_ctl(l->epoll, EPOLL_CTL_DEL, l->from, NULL);
	child__free(l->child);
	l->child = NULL;
	l->to = l->from = -1;
	l->up = false;
	l->has_head = false;
	l->in.n = 0;
	memset(l->feeds, 0, sizeof(l->feeds));
}

void link__free(struct link *l)
{
	if (!l)
		return;
	let_go(l);
	if (l->file >= 0)
		close(l->file);
	close(l->timer);
	close(l->epoll);
	packer__free(l->packer);
	bytes__free(&l->in);
	bytes__free(&l->raw);
	free_words(l->command);
	free_words(l->again);
	free_words(l->lines);
	free(l->filter);
	free(l->sampling);
	free(l);
}

void link__hang_up(struct link *l, const char *why)
{
	struct itimerspec its = {0};

	if (!l->up)
		return;
	l->retry_s = MIN(l->retry_s ? l->retry_s * 2 : 1, (u32)RETRY_MAX_S);
	snprintf(l->trouble, sizeof(l->trouble), "nothing comes from %s: %.90s%s%.90s; it is called again", l->host,
		 why, l->said[0] ? ": " : "", l->said);
	log__add(LOG_WARN, "%s", l->trouble);
	let_go(l);
	its.it_value.tv_sec = l->retry_s;
	timerfd_settime(l->timer, 0, &its, NULL);
}

/* Never waits: whoever does not take a few lines is not there. */
static void say(struct link *l, const char *word, const char *rest)
{
	char *line;
	size_t n;

	if (l->to < 0)
		return;
	line = xasprintf("%s%s%s\n", word, *rest ? " " : "", rest);
	n = strlen(line);
	if (n > LINK_LINE || strchr(line, '\n') != line + n - 1)
		log__add(LOG_WARN, "%s is too long, or has more than one line: %s is not told", word,
			 l->host);
	else if (write(l->to, line, n) != (ssize_t)n)
		link__hang_up(l, "it takes no more commands");
	free(line);
}

static void say_interval(struct link *l)
{
	char ns[24];

	snprintf(ns, sizeof(ns), "%llu", (unsigned long long)l->interval_ns);
	if (l->interval_ns)
		say(l, "interval", ns);
}

static void say_all(struct link *l)
{
	for (u32 i = 0; l->lines[i]; i++)
		say(l, l->lines[i], "");
	if (l->sampling)
		say(l, "sampling", l->sampling);
	say(l, "filter", l->filter);
	say_interval(l);
	for (u32 m = 0; m < MODEL_COUNT; m++)
		if (l->wanted & 1ULL << m)
			say(l, "want", model_table[m]->name);
	say(l, "go", "");
}

static void begin_stream(struct link *l)
{
	if (l->file >= 0)
		close(l->file);
	l->file = memfd_create("proftop-stream", MFD_CLOEXEC);
	if (l->file < 0)
		die("no memory for what comes");
	l->end = l->released = 0;
	l->said[0] = '\0';
	l->up = true;
}

static int begin_call(struct link *l, char **command, struct status *st)
{
	l->child = child__talk(command, &l->to, &l->from, st);
	if (!l->child)
		return -EINVAL;
	begin_stream(l);
	listen_to(l, l->from);
	listen_to(l, child__output_fd(l->child));
	say_all(l);
	return 0;
}

static void call_again(struct link *l)
{
	struct status st = {0};
	u64 fired;

	if (!*l->again || read(l->timer, &fired, sizeof(fired)) != sizeof(fired) || l->up)
		return;
	if (!begin_call(l, l->again, &st))
		return;
	copy_str(l->trouble, sizeof(l->trouble), st.msg);
	timerfd_settime(l->timer, 0, &(struct itimerspec){.it_value.tv_sec = RETRY_MAX_S}, NULL);
}

/* --- what is wanted --- */

void link__filter(struct link *l, const char *expr)
{
	if (!strcmp(l->filter, expr))
		return;
	free(l->filter);
	l->filter = xstrdup(expr);
	say(l, "filter", l->filter);
}

void link__interval(struct link *l, u64 ns)
{
	if (l->interval_ns == ns)
		return;
	l->interval_ns = ns;
	say_interval(l);
}

void link__sampling(struct link *l, const struct sampling *how)
{
	char *text = xasprintf("%llu %llu %u %u %u %u %u %llu %u %s", (unsigned long long)how->freq,
			       (unsigned long long)how->period, how->call_graph, how->user, how->kernel,
			       how->idle, how->watch, (unsigned long long)how->sample_bytes,
			       how->stack_bytes, how->event);
	bool same = l->sampling && !strcmp(l->sampling, text);

	free(l->sampling);
	l->sampling = text;
	if (!same)
		say(l, "sampling", text);
}

void link__want(struct link *l, enum model_id m, bool on)
{
	if (!(l->wanted & 1ULL << m) == !on)
		return;
	l->wanted ^= 1ULL << m;
	l->feeds[m] = (struct feed){.state = on ? FEED_OPENING : FEED_OFF};
	say(l, on ? "want" : "rest", model_table[m]->name);
}

/* --- what comes --- */

static void read_feed(struct link *l, struct cursor *c)
{
	struct feed f = {0};
	char name[64];

	cursor__text(c, name, sizeof(name));
	f.state = cursor__below(c, FEED_FAILED + 1);
	f.exit_code = (int)cursor__below(c, 256);
	cursor__text(c, f.reason, sizeof(f.reason));
	cursor__text(c, f.refused, sizeof(f.refused));
	for (u32 m = 0; m < MODEL_COUNT && !c->broken; m++)
		if (!strcmp(model_table[m]->name, name))
			l->feeds[m] = f;
}

static void take_feeds(struct link *l, const struct block *b, const u8 *payload)
{
	struct cursor all, record;
	u32 type;

	l->raw.n = 0;
	if (!packer__unpack(l->packer, b, payload, bytes__add(&l->raw, b->raw)))
		return;
	all = (struct cursor){l->raw.v, l->raw.v + b->raw, false};
	while (cursor__record(&all, &type, &record))
		if (type == RECORD_FEED)
			read_feed(l, &record);
}

static bool keep(struct link *l, const u8 *data, size_t n)
{
	while (n) {
		ssize_t done = pwrite(l->file, data, n, (off_t)l->end);

		if (done <= 0)
			return false;
		data += done;
		l->end += (u64)done;
		n -= (size_t)done;
	}
	return true;
}

/* How much of what came is whole; 0 nothing yet, or it is no stream, which hangs up. */
static size_t take_head(struct link *l)
{
	struct block b;
	size_t n;

	if (memcmp(l->in.v, RECORDING_MAGIC, MIN(l->in.n, (size_t)RECORDING_MAGIC_LEN)) != 0) {
		link__hang_up(l, "what it says is no stream of proftop --serve -");
		return 0;
	}
	if (l->in.n < HEAD_BYTES)
		return 0;
	if (!block__read_header(&b, l->in.v + RECORDING_MAGIC_LEN) || b.kind != BLOCK_HEAD) {
		link__hang_up(l, "its stream begins with no head");
		return 0;
	}
	n = HEAD_BYTES + b.stored;
	if (l->in.n < n || !keep(l, l->in.v, n))
		return 0;
	l->has_head = true;
	l->streams++;
	l->retry_s = 0;
	l->trouble[0] = '\0';
	return n;
}

static size_t take_block(struct link *l, const u8 *at, size_t left)
{
	struct block b;

	if (left < BLOCK_HEADER)
		return 0;
	if (!block__read_header(&b, at) || b.kind == BLOCK_HOLE) {
		link__hang_up(l, "its stream is damaged");
		return 0;
	}
	if (left < BLOCK_HEADER + b.stored)
		return 0;
	if (b.kind == BLOCK_FEEDS)
		take_feeds(l, &b, at + BLOCK_HEADER);
	else if (!keep(l, at, BLOCK_HEADER + b.stored))
		link__hang_up(l, "there is no memory for it");
	return BLOCK_HEADER + b.stored;
}

static void take_blocks(struct link *l)
{
	size_t at = l->has_head ? 0 : take_head(l), n;

	while (l->has_head && (n = take_block(l, l->in.v + at, l->in.n - at)))
		at += n;
	if (!l->up)
		return;
	memmove(l->in.v, l->in.v + at, l->in.n - at);
	l->in.n -= at;
}

/* Its complaints are worth a line where it ends, and the log. */
static void take_words(struct link *l)
{
	char buf[512];
	ssize_t n = read(child__output_fd(l->child), buf, sizeof(buf) - 1);
	char *line, *save;

	if (n == 0)
		epoll_ctl(l->epoll, EPOLL_CTL_DEL, child__output_fd(l->child), NULL);
	if (n <= 0)
		return;
	for (ssize_t i = 0; i < n; i++)
		if ((u8)buf[i] < ' ' && buf[i] != '\n')
			buf[i] = ' ';
	buf[n] = '\0';
	for (line = strtok_r(buf, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		log__add(LOG_INFO, "%s: %.300s", l->host, line);
		copy_str(l->said, sizeof(l->said), line);
	}
}

/* False: nothing more is there. */
static bool receive(struct link *l)
{
	ssize_t n;

	if (!l->child || l->end - l->released > UNREAD_MAX)
		return false;
	n = read(l->from, bytes__add(&l->in, READ_BYTES), READ_BYTES);
	l->in.n -= READ_BYTES - (n > 0 ? (size_t)n : 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n <= 0) {
		take_words(l);
		link__hang_up(l, "it ended");
		return false;
	}
	l->bytes += (u64)n;
	take_blocks(l);
	return true;
}

void link__take(struct link *l, const void *data, size_t n)
{
	if (!l->up)
		begin_stream(l);
	bytes__put(&l->in, data, n);
	take_blocks(l);
}

bool link__look(struct link *l)
{
	u32 streams = l->streams, reads = 0;
	u64 bytes = l->bytes;
	bool here = l->up;

	call_again(l);
	if (l->child)
		take_words(l);
	while (reads++ < READS && receive(l))
		;
	return bytes != l->bytes || streams != l->streams || here != l->up;
}

static void wait_a_while(struct link *l, u64 until_ns)
{
	struct pollfd p = {.fd = l->epoll, .events = POLLIN};
	u64 now = clock__monotonic_ns();

	if (now < until_ns && poll(&p, 1, (int)((until_ns - now) / NSEC_PER_MSEC) + 1) > 0)
		link__look(l);
}

void link__await(struct link *l, enum model_id m, u32 timeout_ms)
{
	u64 until = clock__monotonic_ns() + timeout_ms * NSEC_PER_MSEC;

	while (l->from >= 0 && l->feeds[m].state <= FEED_OPENING && clock__monotonic_ns() < until)
		wait_a_while(l, until);
}

int link__call(struct link *l, struct status *st)
{
	if (begin_call(l, l->command, st))
		return -EINVAL;
	while (l->up && !l->has_head)
		wait_a_while(l, clock__monotonic_ns() + NSEC_PER_SEC);
	if (l->up)
		return 0;
	return status__set(st, EXIT_CODE_FAILURE, -EPIPE, "--connect %s: %.*s", l->host,
			   (int)(strcspn(l->trouble, ";")), l->trouble);
}

/* --- for who reads --- */

int link__fd(const struct link *l)
{
	return l->epoll;
}

const struct feed *link__feed(const struct link *l, enum model_id m)
{
	return &l->feeds[m];
}

u32 link__streams(const struct link *l)
{
	return l->streams;
}

int link__file(const struct link *l, u64 *bytes)
{
	*bytes = l->end;
	return l->file;
}

void link__release(struct link *l, u64 bytes)
{
	if (l->file < 0 || bytes <= l->released || bytes > l->end)
		return;
	fallocate(l->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)bytes);
	l->released = bytes;
}

const char *link__trouble(const struct link *l)
{
	return l->trouble;
}
