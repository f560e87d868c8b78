// SPDX-License-Identifier: GPL-2.0-only
/*
 * The last minutes as a file that --replay opens. What is kept in memory has no names, as only this
 * process reads it; so it is played into a recording that has them, by a collector of its own.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/player.h"
#include "tui/serve_impl.h"
#include "tui/record.h"

#define RECORDING_MAX (1ULL << 30)
#define STALL_MS      5000 /* without a frame nothing more comes */

static bool has_final(const struct frame *f)
{
	while (f && !f->final)
		f = f->before;
	return f;
}

/* Plays all of it; each interval is a tick. False: proftop ends meanwhile, or nothing more comes. */
static bool play(struct serve *s, struct collector *c)
{
	struct pollfd fd = {.fd = collector__fd(c), .events = POLLIN};
	bool final = false;

	while (!final) {
		const struct frame *f;

		if (atomic_load(&s->ending))
			return false;
		if (collector__idle(c))
			collector__tick(c);
		if (poll(&fd, 1, STALL_MS) <= 0)
			return false;
		f = collector__take(c);
		final = has_final(f);
		snap__put(f);
	}
	return true;
}

static int record(struct result_job *j, struct player *player, const char *path)
{
	struct serve *s = j->serve;
	struct status *st = &j->st;
	struct collector_config cfg = {.symbols = s->symbols,
				       .borrows_symbols = true,
				       .scope = j->frame ? j->frame->scope : NULL,
				       .sampling = s->options->sampling,
				       .interval_ns = s->options->interval_ns,
				       .manual_tick = true,
				       .every_frame = true,
				       .sources = player__sources()};
	struct recording_summary sum;
	struct collector *c;
	bool whole;

	reader__summary(player__reader(player), &sum);
	cfg.wanted = sum.models;
	cfg.replay = player__replay(player);
	cfg.sinks[SINK_FILE] = record__to_file(s->options, path, s->symbols, "", st);
	if (!cfg.sinks[SINK_FILE])
		return -EINVAL;
	c = collector__start(&cfg, st);
	if (!c) {
		cfg.sinks[SINK_FILE]->ops->close(cfg.sinks[SINK_FILE]);
		return -EINVAL;
	}
	whole = play(s, c);
	collector__stop(c); /* which closes the sink: the file is written */
	return whole ? 0 : status__set(st, EXIT_CODE_FAILURE, -EIO, "the last minutes could not be played");
}

static void read_file(struct result_job *j, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat there;
	size_t n = 0;
	ssize_t got;

	if (fd < 0)
		return;
	if (!fstat(fd, &there) && there.st_size > 0 && (u64)there.st_size <= RECORDING_MAX) {
		j->data = xmalloc((size_t)there.st_size);
		while (n < (size_t)there.st_size &&
		       (got = read(fd, j->data + n, (size_t)there.st_size - n)) > 0)
			n += (size_t)got;
		j->len = n;
		j->code = 200;
	}
	close(fd);
}

/* In a folder of its own, which goes with it. */
static void make_in(struct result_job *j, struct player *player, const char *folder)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/recording", folder);
	if (!record(j, player, path))
		read_file(j, path);
	unlink(path);
	rmdir(folder);
	j->type = "application/octet-stream";
	j->name = "recording.ptr";
}

void serve__make_recording(struct result_job *j)
{
	int fd = fcntl(j->serve->history, F_DUPFD_CLOEXEC, 0);
	struct player *player = fd < 0 ? NULL
				       : player__open_memory(fd, j->serve->symbols, &j->st);
	char folder[] = "/tmp/proftop-serve-XXXXXX";

	j->code = 503;
	if (player && mkdtemp(folder))
		make_in(j, player, folder);
	else if (player)
		status__set(&j->st, EXIT_CODE_FAILURE, -errno, "cannot make a folder in /tmp: %s",
			    strerror(errno));
	player__free(player);
}
