/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames of V8: JavaScript functions in user stacks, whoever runs them, the interpreter or code of
 * any of its compilers (bpf/v8.h). All of them keep frame pointers, so walks get through by
 * themselves; a function's frame has below its frame pointer the context and the function, where the
 * machine's own frames have a number in the context's place.
 *
 * What is read is checked by the types that objects say they have; where there is doubt the frame
 * stays what it is, an address: counted.
 */
#ifndef BPF_V8_BPF_H
#define BPF_V8_BPF_H

#include "bpf/runtime.bpf.h"

struct v8_state {
	struct v8_runtime rt;
	u64 slots[2]; /* of the frame: the function, the context */
	u64 object[V8_OBJECT_WORDS];
	u64 function_map, shared_map; /* those that were seen to be right */
};

PERCPU_MAP(v8_states, STACK_SLOTS, struct v8_state);

static __always_inline struct v8_state *v8__state(u32 slot)
{
	return bpf_map_lookup_elem(&v8_states, &slot);
}

/* Before a walk. */
__noinline int v8__begin(u32 slot)
{
	struct unwind_state *s = unwind__state(slot);
	struct v8_state *x = v8__state(slot);
	union runtime *rt;

	if (!s || !x)
		return 0;
	rt = runtime__of(s);
	if (!rt) {
		s->script = SCRIPT_NOTHING;
		return 0;
	}
	x->rt = rt->v8;
	x->function_map = x->shared_map = 0;
	return 0;
}

static __always_inline bool is_tagged(u64 word)
{
	return (word & 7) == V8_TAG && !(word >> (SCRIPT_CODE_BITS + 3));
}

static __always_inline u64 object_word(const struct v8_state *x, u32 i)
{
	barrier_var(i);
	return x->object[i & (V8_OBJECT_WORDS - 1)];
}

static __always_inline bool read_words(struct v8_state *x, u64 tagged)
{
	return is_tagged(tagged) &&
	       !bpf_probe_read_user(x->object, sizeof(x->object), (void *)(tagged - V8_TAG));
}

/* While the collector moves objects, the old one has where the new one is in the place of its map. */
static __always_inline bool read_object(struct v8_state *x, u64 *tagged)
{
	if (!read_words(x, *tagged))
		return false;
	if (!(x->object[0] & 7)) {
		*tagged = x->object[0] + V8_TAG;
		if (!read_words(x, *tagged))
			return false;
	}
	return is_tagged(x->object[0]);
}

/* Whether the type that the map says is one of n. */
static __always_inline bool is_type(const struct v8_state *x, u64 map, u32 first, u32 n)
{
	u16 type = 0;

	return !bpf_probe_read_user(&type, sizeof(type), (void *)(map - V8_TAG + x->rt.map_type)) &&
	       (u32)type - first < n;
}

/* What the closures of a function share, which is read then; 0: it is no function. */
static __always_inline u64 read_shared(struct v8_state *x, u64 function)
{
	u64 shared;

	if (!read_object(x, &function))
		return 0;
	if (x->object[0] != x->function_map) {
		if (!is_type(x, x->object[0], x->rt.type_function, V8_FUNCTIONS))
			return 0;
		x->function_map = x->object[0];
	}
	shared = object_word(x, x->rt.function_shared);
	if (!read_object(x, &shared))
		return 0;
	if (x->object[0] != x->shared_map) {
		if (!is_type(x, x->object[0], x->rt.type_shared, 1))
			return 0;
		x->shared_map = x->object[0];
	}
	return shared - V8_TAG;
}

/* Puts the function's word in the place of the frame that was gone over, if it is one's. What has a table, and no row
 * there, is the machine's own code, which runs functions that are not compiled.
 * While the innermost one begins what is below its frame pointer is not its own. */
__noinline int v8__frame(u32 slot, u32 i)
{
	struct unwind_state *s = unwind__state(slot);
	struct v8_state *x = v8__state(slot);
	u64 shared;

	if (!s || !x || !is_frame(s->was_fp, s->was_sp) ||
	    s->was_fp - s->was_sp < sizeof(x->slots) ||
	    bpf_probe_read_user(x->slots, sizeof(x->slots),
				(void *)(s->was_fp - sizeof(x->slots))) ||
	    !is_tagged(x->slots[1]) || !is_tagged(x->slots[0]))
		return 0;
	shared = read_shared(x, x->slots[0]);
	if (!shared) {
		s->doubt = 1;
		return 0;
	}
	s->place = i;
	s->noted = NOTES_NONE; /* more than the words on the stack tell the frames */
	put_word(s, s->guessed ? 0 : s->was_ip & V8_CHUNK_MASK, shared,
		 v8_function_sum(object_word(x, x->rt.shared_name),
				 object_word(x, x->rt.shared_script)));
	return 0;
}

#endif
