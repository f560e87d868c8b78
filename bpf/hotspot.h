/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames of Java functions in user stacks; shared by kernel and user side. Where HotSpot runs in a
 * process, each frame in its code cache has a word in the place of its address, marked as those of
 * other interpreted functions are (bpf/script.h), and the check word comes after all others. The
 * unit of a word says what its address is:
 *
 *	bytecode index		a Method, which is interpreted there; of a native one 0
 *	HOTSPOT_COMPILED	an instruction of compiled code, without its three lowest bits,
 *which are in the unit with HOTSPOT_EXACT HOTSPOT_STUB		the same in the virtual machine's
 *own code
 */
#ifndef BPF_HOTSPOT_H
#define BPF_HOTSPOT_H

#include "bpf/script.h"

#define HOTSPOT_BCI_MAX	 0xffff
#define HOTSPOT_COMPILED 0x20000
#define HOTSPOT_STUB	 0x10000
#define HOTSPOT_EXACT	 8 /* the instruction itself, not the one where a call returns to */

#define HOTSPOT_HEAPS	    4
#define HOTSPOT_BLOCK_WORDS 64 /* of what is read of a block of the code cache */
#define HOTSPOT_CONST_WORDS 8  /* and of a method's constant part */

/* A part of the code cache: blocks of whole segments. Each segment has a byte that says by how many
 * segments to go back for the block's beginning; 0: it is there; HOTSPOT_FREE: there is none. */
struct hotspot_heap {
	__u64 low, high;
	__u64 segments; /* the address of those bytes */
};
#define HOTSPOT_FREE 0xff

/* Where things are in a process, as found and checked by user space; offsets in bytes. */
struct hotspot_runtime {
	__u64 exec_id;
	__u64 low, high; /* around all heaps */
	struct hotspot_heap heaps[HOTSPOT_HEAPS];
	__u64 interpreter, interpreter_end;
	__u16 nheaps, segment_shift;
	/* In a block, whose header comes before the blob: */
	__u16 block_bytes; /* that are read, a multiple of 8 */
	__u16 block_used, blob;
	__u16 blob_name, blob_size, blob_frame, blob_complete, blob_code;
	__u16 code_is_offset; /* blob_code is a number, not an address */
	__u16 nmethod_method, nmethod_id;
	__u16 method_const;
	/* In a method's constant part, from the first word on multiples of 8: */
	__u16 const_bytes; /* what comes before the bytecodes */
	__u16 const_constants, const_names, const_code_size;
	__u16 continuation; /* bytes of what a virtual thread's frames begin below; 0: there is none */
};

/* Sums that tell methods and compiled code apart (struct script_runtime's have others). */
static inline __u64 hotspot_method_sum(__u64 constant, __u64 constants, __u64 names)
{
	return script_sum(script_sum(constant, constants), names);
}

static inline __u64 hotspot_code_sum(__u64 blob, __u64 method, __u32 id)
{
	return script_sum(script_sum(blob, method), id);
}

#endif
