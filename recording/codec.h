/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fields of samples to bytes and back. One function a type of sample names its fields in order,
 * and serves both ways, so that what is written is what is read. Writing leaves the sample as it
 * is. Reading trusts nothing: what does not fit makes the codec's cursor broken.
 */
#ifndef RECORDING_CODEC_H
#define RECORDING_CODEC_H

#include "recording/bytes.h"
#include "samples/block.h"
#include "samples/ask.h"
#include "samples/sched.h"

#define CODEC_STACKS 4	  /* that one sample names, at most */
#define CODEC_ROOM32 1200 /* numbers in its tables */
#define CODEC_ROOM64 128

struct names_out;
struct names_in;

struct codec {
	struct bytes *out; /* NULL: reading */
	struct names_out *to;
	struct cursor in;
	const struct names_in *from;
	u64 base_ns; /* times are differences to it */
	/* Reading: the stacks that the sample names, by position. */
	u32 stacks[CODEC_STACKS], nstacks;
	u32 used32, used64;
	u32 room32[CODEC_ROOM32];
	u64 room64[CODEC_ROOM64];
	struct measure_key keys[ASK_FIELDS];
};

void code_u64(struct codec *c, u64 *x);
void code_u32(struct codec *c, u32 *x);
void code_below(struct codec *c, u32 *x, u32 limit);
void code_bool(struct codec *c, bool *x);
void code_double(struct codec *c, double *x);
void code_time(struct codec *c, u64 *t_ns);
/* A name that comes again and again. */
void code_text(struct codec *c, char *text, size_t size);
/* The same, read without a copy: it is good until names of another part are. */
void code_shared_text(struct codec *c, const char **text);
/* The hash by which samples mean a stack; tgid: whose addresses are in it. */
void code_stack(struct codec *c, u64 *hash, u32 tgid);
/* A cgroup's id, whose path is taken down. */
void code_cgroup(struct codec *c, u64 *id);
/* Numbers of which most are 0. NULL is all 0, and is read as zeroes. */
void code_table32(struct codec *c, const u32 **table, u32 n);
/* The same, but nothing is read as NULL. */
void code_hist(struct codec *c, const u32 **table, u32 n);
void code_table64(struct codec *c, const u64 **table, u32 n);

#define CODE_ENUM(c, field, limit)                                                                 \
	do {                                                                                       \
		u32 value_ = (u32)(field);                                                         \
		code_below(c, &value_, limit);                                                     \
		(field) = value_;                                                                  \
	} while (0)

#endif
