/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fields of samples to bytes and back. One function a type of sample names its fields in order,
 * and serves both ways, so that what is written is what is read. Writing leaves the sample as it
 * is. Reading trusts nothing: what does not fit makes the codec's cursor broken. The same function
 * tells filters whom the sample is about.
 */
#ifndef RECORDING_CODEC_H
#define RECORDING_CODEC_H

#include "recording/bytes.h"
#include "samples/block.h"
#include "samples/ask.h"
#include "samples/sched.h"

#define CODEC_STACKS (MEASURE_MOMENTS + 1) /* that one sample names, at most */
#define CODEC_ROOM32 1200 /* numbers in its tables */
#define CODEC_ROOM64 128
#define CODEC_TYPES  64 /* numbers of types, and more */

/* Whom a sample is about, as far as it says; what it does not say is 0. */
struct subject {
	bool known; /* it is about somebody: filters apply */
	bool has_tid, has_cpu, has_comm, has_kind;
	u32 tgid, tid, cpu;
	u64 cgroup;
	const char *comm;
	bool kthread;
	u32 state;	/* bit of SCOPE_STATES; 0 none */
	u64 longest_ns; /* of what it lasted; 0 unknown */
};

struct names_out;
struct names_in;

struct codec {
	struct bytes *out;   /* NULL: reading */
	struct subject *who; /* not NULL: neither, fields tell whom the sample is about */
	u32 seen;	     /* of what: the first that is told counts */
	struct names_out *to;
	struct cursor in;
	const struct names_in *from;
	u64 base_ns; /* times are differences to it; in kept fields to 0 */
	bool keeps;  /* within kept fields */
	u32 number;  /* of the type that is written or read */
	u32 last[CODEC_TYPES]; /* kept fields that its last sample had: position + 1; 0 with a new route */
	/* Reading one of several recordings: whose it is, and what its times are behind theirs. */
	u32 host;
	u64 behind_ns;
	/* Reading: the stacks that the sample names, by position. */
	u32 stacks[CODEC_STACKS], nstacks;
	u32 used32, used64;
	u32 room32[CODEC_ROOM32];
	u64 room64[CODEC_ROOM64];
	struct measure_key keys[ASK_FIELDS];
	struct measure_moment moments[MEASURE_MOMENTS];
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
/* Which of several machines it is of: not in the file, but which file it is. */
void code_host(const struct codec *c, u32 *host);
/* A cgroup's id, whose path is taken down. */
void code_cgroup(struct codec *c, u64 *id);
/* Numbers of which most are 0. NULL is all 0, and is read as zeroes. */
void code_table32(struct codec *c, const u32 **table, u32 n);
/* The same, but nothing is read as NULL. */
void code_hist(struct codec *c, const u32 **table, u32 n);
/* Reading: such a table that has 1 at one place. */
const u32 *codec__one(struct codec *c, u32 at, u32 n);
void code_table64(struct codec *c, const u64 **table, u32 n);

/* A route begins: times are differences to this, and no kept fields were named. */
void codec__begin_route(struct codec *c, u64 base_ns);
/* Fields of x that other samples are likely to have again: put down among the names when they come the second
 * time, and named from then on. Their texts and stacks are good as long as the sample's others. */
void code_kept(struct codec *c, void (*fields)(struct codec *c, void *x), void *x);

/* Fields that say whom it is about; of several tasks the first one is meant. */
void code_tgid(struct codec *c, u32 *x);
void code_tid(struct codec *c, u32 *x);
void code_cpu(struct codec *c, u32 *x);
void code_comm(struct codec *c, char comm[COMM_LEN]);
void code_kthread(struct codec *c, bool *x);
/* How long it lasted. */
void code_longest(struct codec *c, u64 *ns);
/* What is no field. Not known: nobody in particular, whom no filter leaves out. */
void codec__known(struct codec *c, bool known);
void codec__kthread(struct codec *c, bool kthread);

/* Several fields of one type, in order. */
#define CODE_EACH(c, code, T, ...)                                                                 \
	do {                                                                                       \
		T *const all_[] = {__VA_ARGS__};                                                   \
		for (u32 i_ = 0; i_ < ARRAY_SIZE(all_); i_++)                                      \
			code(c, all_[i_]);                                                         \
	} while (0)
#define CODE_U64S(c, ...)    CODE_EACH(c, code_u64, u64, __VA_ARGS__)
#define CODE_U32S(c, ...)    CODE_EACH(c, code_u32, u32, __VA_ARGS__)
#define CODE_BOOLS(c, ...)   CODE_EACH(c, code_bool, bool, __VA_ARGS__)
#define CODE_DOUBLES(c, ...) CODE_EACH(c, code_double, double, __VA_ARGS__)

#define CODE_ENUM(c, field, limit)                                                                 \
	do {                                                                                       \
		u32 value_ = (u32)(field);                                                         \
		code_below(c, &value_, limit);                                                     \
		(field) = value_;                                                                  \
	} while (0)

#endif
