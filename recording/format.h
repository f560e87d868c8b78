/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording: the file that --record writes and --replay opens. This header is its contract.
 *
 * A file is RECORDING_MAGIC and blocks, one after the other, until it ends; what follows the last
 * whole block is ignored, so a file is readable however its writing ended. All numbers of fixed
 * size are little endian. A block is a header of BLOCK_HEADER bytes and its payload:
 *
 *	 0 u32 BLOCK_MAGIC
 *	 4 u8  enum block_kind; of unknown kinds the payload is skipped
 *	 5 u8  BLOCK_x flags
 *	 6 u16 0
 *	 8 u32 part, counts up from 0
 *	12 u32 bytes of the payload in the file
 *	16 u32 bytes of the payload unpacked, at most BLOCK_RAW_MAX
 *	20 u32 CRC-32C of the payload in the file
 *	24 u64 where the last interval that ends in it ended, 0 none
 *	32 u32 intervals that end in it
 *	36 u64 models whose intervals these are, a bit each
 *	44 u32 CRC-32C of the 44 bytes before
 *
 * A BLOCK_HOLE has no payload: so many bytes of the file were taken away. Its length has no limit.
 *
 * A block with a wrong header ends the file; one with a wrong payload is left out.
 *
 * A payload is records: varint type, varint length, that many bytes. Records of unknown type are
 * skipped. Fields are only ever added, at a record's end: what is missing is 0, what is too much
 * is ignored. A varint has 7 bits a byte, the low ones first, the high bit set but in the last.
 * A signed one is zigzag coded. A text is a varint length and its bytes. A double is its 8 bytes.
 *
 * The first block is BLOCK_HEAD: RECORD_INFO records, a text and a text, tell how the file was
 * made, and RECORD_MODEL records, one text each, name the models that routes and intervals mean
 * by their position.
 *
 * BLOCK_NAMES hold what samples refer to. Tables of one part count from 0; a block of samples
 * comes after the names that it needs, except for functions, which become known later: a reader
 * looks at all names of a part before its samples. When the tables are full a new part begins,
 * with empty ones. Records:
 *
 *	RECORD_BASE	sizes of the tables before this block, in the order of enum name_table
 *	RECORD_TEXT	the bytes: a name, path, or comm
 *	RECORD_OBJECT	its position (one that is there is replaced), kind (enum code_kind), name,
 *			path, build-id, device's major and minor, inode
 *	RECORD_FUNC	object, kind, flags (enum func_flag), start, size, name, linkage
 *	RECORD_LOC	object, offset as symbols__recorded_offset() has it
 *	RECORD_STACK	flags (STACK_x), number of kernel frames, frame + 1 that the new ones were
 *			called from or 0, the locs of new frames, outermost first. Each becomes an
 *			entry of the table of frames; the last one is the stack's leaf. Without new
 *			frames the leaf is the frame named.
 *	RECORD_LOC_FUNC	loc, function; the last one counts
 *	RECORD_INLINED	loc, functions inlined there, innermost first
 *	RECORD_CGROUP	v2 id, path below the mount point
 *	RECORD_KEPT	the bytes: fields that samples have again and again, such as which thread it is,
 *			as their type codes them, but times are differences to 0
 *
 * Where records name objects, functions and texts it is by their position + 1, 0 none; locs are
 * named by their position.
 *
 * BLOCK_SAMPLES hold intervals, which may go on in the next such block. Records:
 *
 *	RECORD_ROUTE	the models (a bit each) that the samples after it are for, up to the next
 *			route or the interval's end, and the time to which theirs are signed
 *			differences
 *	RECORD_SAMPLES + n
 *			samples; recording/types.def lists the types, each with a function
 *			that names its fields
 *	RECORD_INTERVAL ends the interval; see recording/mark.h
 *
 * A stream, as --serve - has it, is the same without an end. It has BLOCK_FEEDS beside: records
 * RECORD_FEED tell of models what is going on with their sources, whenever that changes: a model's
 * name, enum feed_state, an exit code, the reason in words, what was refused.
 *
 * In samples, a text is its position + 1, 0 being ""; a stack is its position + 1, 0 none. Times
 * are nanoseconds of CLOCK_MONOTONIC of the machine. Kept fields are 0 and the fields themselves, or
 * 1 + the signed difference of their position + 1 to that of those which the last sample of the
 * type had since the route began; within kept fields, 0 and the fields, or their position + 1.
 */
#ifndef RECORDING_FORMAT_H
#define RECORDING_FORMAT_H

#include "base/base.h"

#define RECORDING_MAGIC	    "proftop\x1a"
#define RECORDING_MAGIC_LEN 8
#define BLOCK_MAGIC	    0x31425450u /* "PTB1" */
#define BLOCK_HEADER	    48
#define BLOCK_RAW_MAX	    (4u << 20)
#define BLOCK_PACKED	    1 /* the payload is a zstd frame, else it is as it is */
#define BLOCK_CONTINUES	    2 /* it begins within an interval */
/* Of one interval, unpacked; a larger one is not written, and not read. */
#define INTERVAL_RAW_MAX (64u << 20)

enum block_kind { BLOCK_HOLE, BLOCK_HEAD, BLOCK_NAMES, BLOCK_SAMPLES, BLOCK_FEEDS };

enum record_type {
	RECORD_INFO = 1,
	RECORD_MODEL,
	RECORD_BASE,
	RECORD_TEXT,
	RECORD_OBJECT,
	RECORD_FUNC,
	RECORD_LOC,
	RECORD_STACK,
	RECORD_LOC_FUNC,
	RECORD_INLINED,
	RECORD_CGROUP,
	RECORD_ROUTE,
	RECORD_INTERVAL,
	RECORD_FEED,
	RECORD_KEPT,
	RECORD_SAMPLES = 32,
};

#define STACK_CUT	1 /* the outermost frames are missing */
#define STACK_INTERRUPT 2 /* of an interrupt alone */
#define STACK_WHOLE	4 /* the outermost frame is known to be it; recordings of before do not say */

enum name_table {
	TABLE_TEXTS,
	TABLE_OBJECTS,
	TABLE_FUNCS,
	TABLE_LOCS,
	TABLE_FRAMES,
	TABLE_STACKS,
	TABLE_CGROUPS,
	TABLE_KEPT,
	NAME_TABLES
};

/* What a part may hold: a writer begins a new one at half of it, and takes nothing more at the
 * whole; a reader refuses more. */
#define TABLE_MAX                                                                                  \
	{                                                                                          \
		[TABLE_TEXTS] = 512u << 10, [TABLE_OBJECTS] = 64u << 10,                           \
		[TABLE_FUNCS] = 512u << 10, [TABLE_LOCS] = 1u << 20, [TABLE_FRAMES] = 2u << 20,    \
		[TABLE_STACKS] = 1u << 20, [TABLE_CGROUPS] = 64u << 10,                            \
		[TABLE_KEPT] = 512u << 10                                                          \
	}
#define TEXT_BYTES_MAX (64u << 20) /* all texts and kept fields of a part */
#define TEXT_MAX       4096	   /* one; longer ones are cut */
#define KEPT_MAX       1024	   /* one's bytes; longer ones are not kept */
#define INLINED_LIST   11
#define MODELS_MAX     64

#endif
