/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside of a replay: the recordings (player.c), several of them side by side (player_tracks.c), and
 * what is handed out as sources (player_sources.c). Collector thread only.
 */
#ifndef RECORDING_PLAYER_IMPL_H
#define RECORDING_PLAYER_IMPL_H

#include "recording/player.h"

/* Of a stream; a hostile one may count on, and means its own stacks. */
#define PARTS_MAX (1u << 16)

/* One of several recordings that are played side by side. */
struct track {
	struct reader *reader;
	struct record_interval next; /* where it is; its samples are the reader's */
	bool pending;		     /* that one was not handed out yet */
	bool in_turn;		     /* one of its intervals belongs to what is being taken in */
	struct record_interval now;  /* of each model the last one that was handed out */
};

struct player {
	struct replay_source replay;
	struct reader *reader; /* of the interval that is there */
	struct track *tracks;  /* of several recordings, by host; NULL: there is one */
	u32 ntracks, track;    /* track: whose interval is there */
	u64 serial; /* of the interval that is there */
	struct record_interval now;
	char trouble[200]; /* as logged last */
	/* Of a stream: who sends it, whose settings those of the sources are. NULL: a file. */
	struct link *link;
	struct symbols *symbols;
	u32 stream;    /* which of the link's the reader is of */
	u32 part_base; /* parts before it */
};

/* --- player_tracks.c --- */

/* The next interval of all of them, in the order in which they end; those of one time are taken in
 * as one. */
bool player_tracks__next(struct player *p, struct record_interval *out);
/* Adds to the health of the model's interval that is there what the others have counted. */
void player_tracks__sum_health(struct player *p, u32 model);
/* Says whose recordings they are, and puts their times side by side. */
void player_tracks__join(struct track *tracks, u32 n);

/* How a recording was made, in the log: an imported file tells less. */
void player__log_head(const struct reader *r);

#endif
