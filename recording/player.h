/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replays a recording: a replay for the collector, and sources that hand out its samples, one for
 * each model. Filters are applied to each sample, as sources apply them in user space.
 */
#ifndef RECORDING_PLAYER_H
#define RECORDING_PLAYER_H

#include <time.h>

#include "recording/link.h"
#include "recording/reader.h"
#include "samples/record_sink.h"
#include "sources/source.h"

struct player;

/* Opens a recording, or what import__open makes one of. From then on the machine and its cgroups are
 * those of the recording. */
struct player *player__open(const char *path, struct symbols *symbols, const char *event,
			    struct status *st);
/* Several side by side, each of a host (base/hosts.h); HOSTS_MAX at most. Only models that tell hosts
 * apart have samples, and vitals, which are those of the first. */
struct player *player__open_several(const char *const *paths, u32 n, struct symbols *symbols,
				    const char *event, struct status *st);
/* The same beside this machine, or another recording, which stay what they are. */
struct player *player__open_beside(const char *path, struct symbols *symbols, const char *event,
				   struct status *st);
/* A recording that is open; the fd is taken. Beside the machine, which is what it is. */
struct player *player__open_fd(int fd, const char *name, struct symbols *symbols, struct status *st);
/* Opens what recorder__memory gave; the fd is taken. Beside the machine, which is what it is. */
struct player *player__open_memory(int fd, struct symbols *symbols, struct status *st);
/* What a link brings that was called; it is taken, also on failure. The machine is the other end's. */
struct player *player__open_link(struct link *link, struct symbols *symbols, struct status *st);
/* When the collector has been stopped. NULL is fine. */
void player__free(struct player *p);
struct replay_source *player__replay(struct player *p);
/* What the time was on the wall when it began; 0 not known. */
time_t player__wall(const struct player *p);
/* Of several, the first one's. */
const struct reader *player__reader(const struct player *p);
/* Of all. */
void player__summary(const struct player *p, struct recording_summary *out);
/* In place of source_table: ends with ops == NULL. They hand out what the replay does that they are
 * opened with (struct sampling), which is a player's. Sources of models without samples fail to
 * open, and say what there is. */
const struct source_row *player__sources(void);

#endif
