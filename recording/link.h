/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The other end of `proftop --serve -`: a command, such as ssh, that prints a stream (recording/format.h)
 * and takes lines. What is wanted is said in lines; what comes is put into a file in memory, whole blocks
 * at a time, which reader__open_stream reads, and what was read is given back. Nothing that comes is
 * believed. Whoever is not there any more is called again, at growing intervals. One thread at a time.
 *
 * Lines, each ended by a newline, of at most LINK_LINE bytes:
 *	filter EXPR		what is looked at
 *	interval NS
 *	sampling FREQ PERIOD CALL-GRAPH USER KERNEL IDLE WATCH SAMPLE-BYTES STACK-BYTES EVENT
 *	watch TEXT, ask TEXT, function TEXT	as the options; before go alone
 *	early			a few short intervals come first, for a screen
 *	want MODEL, rest MODEL
 *	go			ends what is said at the beginning
 */
#ifndef RECORDING_LINK_H
#define RECORDING_LINK_H

#include "base/status.h"
#include "samples/snap.h"
#include "sources/source.h"

#define LINK_LINE (16u << 10)

struct link;

struct link_config {
	const char *host;	/* for messages */
	char *const *command;	/* to be run; NULL-terminated, copied */
	char *const *again;	/* the same when it is run anew: nobody is there to answer questions */
	const char *const *lines; /* for before go, beside what is set; NULL-terminated, copied */
};

struct link *link__new(const struct link_config *cfg);
void link__free(struct link *l); /* NULL is fine */

/* What is wanted; told at once to who is there, and to who will be. */
void link__filter(struct link *l, const char *expr);
void link__interval(struct link *l, u64 ns);
void link__sampling(struct link *l, const struct sampling *how);
void link__want(struct link *l, enum model_id m, bool on);

/* Runs the command and waits for the head of its stream. -errno with st. */
int link__call(struct link *l, struct status *st);
/* Readable when there is something for link__look. */
int link__fd(const struct link *l);
/* Takes what has come, without waiting; calls again what is to be called again. True: something is new. */
bool link__look(struct link *l);
/* Waits until a model's sources are open or are not, which its feed tells; at most so long. */
void link__await(struct link *l, enum model_id m, u32 timeout_ms);
const struct feed *link__feed(const struct link *l, enum model_id m);
/* How often there was a head: rises when there is another stream. */
u32 link__streams(const struct link *l);
/* The file of the stream, to be read up to `bytes`; the caller's. */
int link__file(const struct link *l, u64 *bytes);
/* What was read of it is not needed any more. */
void link__release(struct link *l, u64 bytes);
/* It is no stream after all. */
void link__hang_up(struct link *l, const char *why);
/* What came, where it does not come from the command. */
void link__take(struct link *l, const void *data, size_t n);
/* Why nothing comes, "" all is well. */
const char *link__trouble(const struct link *l);

#endif
