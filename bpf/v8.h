/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames of JavaScript functions in user stacks; shared by kernel and user side. Where V8 runs in a
 * process, each frame of a function, interpreted or compiled, has a word in the place of its
 * address, marked as those of other interpreted functions are (bpf/script.h): where what all its
 * closures share is (SharedFunctionInfo), which the collector moves rarely and never when it is
 * young. The unit of compiled code is where in a chunk of V8's memory the address is: with the function
 * that tells which code it is, and so what is inlined there. It is 0 where the function is interpreted.
 */
#ifndef BPF_V8_H
#define BPF_V8_H

#include "bpf/script.h"

#define V8_TAG		1 /* of pointers to objects; numbers have none */
#define V8_CHUNK_MASK	((1U << 18) - 1) /* memory comes in aligned chunks; code never is at the beginning of one */
#define V8_OBJECT_WORDS 8 /* of what is read of an object */
#define V8_FUNCTIONS	20 /* kinds of functions have types from one on, about */

/* Where things are in a process, as found and checked by user space: words of objects, whose first
 * one is the map. */
struct v8_runtime {
	__u64 exec_id;
	__u16 function_shared;
	__u16 shared_name, shared_script;
	__u16 map_type; /* in bytes */
	__u16 type_function, type_shared;
};

/* Tells functions apart: what their name and places are in, and their script. */
static inline __u64 v8_function_sum(__u64 name, __u64 script)
{
	return script_sum(name, script);
}

#endif
