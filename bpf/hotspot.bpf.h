/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames of HotSpot's code cache in walks of user stacks: compiled methods, interpreted ones, and
 * the virtual machine's own code between them (bpf/hotspot.h).
 *
 * A block of the cache says itself how large its frame is, so no frame pointers are needed. Of
 * the innermost frame that is not yet, or no longer, there, the instruction tells: what compilers
 * begin and end functions with is little. The interpreter keeps frame pointers, and in its frames
 * the Method and where in it it is.
 *
 * What is read is checked, and where there is doubt the walk ends: counted.
 */
#ifndef BPF_HOTSPOT_BPF_H
#define BPF_HOTSPOT_BPF_H

#include "bpf/runtime.bpf.h"

/* Words of an interpreter's frame, from the one with the instruction on. */
enum { FRAME_BCP, FRAME_METHOD = 5, FRAME_SENDER_SP = 7, FRAME_FP, FRAME_RETURN, FRAME_WORDS };
#define FRAMES_WORDS 64 /* of the stack that are read at once: some such frames */
#define SENDER_MAX (1ULL << 20) /* bytes between a frame and its caller's stack pointer */

/* Bytes of code around an instruction. */
#define CODE_BEFORE 8
#define CODE_BYTES  32

struct hotspot_state {
	struct hotspot_runtime rt;
	u64 block_at; /* the block that is looked at, and what is in it */
	u64 block[HOTSPOT_BLOCK_WORDS];
	u64 frame[16];
	u64 frames[FRAMES_WORDS + 16]; /* the stack from frames_at on; the last ones are there for the verifier alone */
	u64 frames_at;		       /* 0: nothing was read */
	u64 constant_at; /* of the interpreter's method, and what is in it */
	u64 constant[HOTSPOT_CONST_WORDS];
	u8 code[CODE_BYTES];
	struct user_frame f; /* the caller's */
	u64 last;	     /* the word at the stack pointer */
};

PERCPU_MAP(hotspot_states, STACK_SLOTS, struct hotspot_state);

static __always_inline struct hotspot_state *hotspot__state(u32 slot)
{
	return bpf_map_lookup_elem(&hotspot_states, &slot);
}

/* Before a walk: from now on what is in the code cache is known. */
__noinline int hotspot__begin(u32 slot)
{
	struct unwind_state *s = unwind__state(slot);
	struct hotspot_state *x = hotspot__state(slot);
	union runtime *rt;

	if (!s || !x)
		return 0;
	rt = runtime__of(s);
	if (!rt)
		return 0;
	x->rt = rt->hotspot;
	x->frames_at = 0;
	s->cache = x->rt.low;
	s->cache_size = x->rt.high - x->rt.low;
	return 0;
}

/* --- blocks of the code cache --- */

static __always_inline u64 block_word(const struct hotspot_state *x, u32 at)
{
	u32 i = at / 8;

	barrier_var(i);
	return x->block[i & (HOTSPOT_BLOCK_WORDS - 1)] >> (8 * (at & 7));
}

#define SEGMENT_HOPS 16 /* half a MiB */

/* The beginning of the block that has an address; 0: none has. */
__noinline u64 hotspot__block(u32 slot, u64 ip)
{
	struct hotspot_state *x = hotspot__state(slot);
	struct hotspot_heap *h = NULL;
	u64 segment;
	u8 back = 0;

	if (!x)
		return 0;
	for (u32 i = 0; i < HOTSPOT_HEAPS && i < x->rt.nheaps; i++) {
		h = &x->rt.heaps[i];
		if (ip - h->low < h->high - h->low)
			break;
		h = NULL;
	}
	if (!h)
		return 0;
	segment = (ip - h->low) >> (x->rt.segment_shift & 63);
	for (u32 i = 0; i < SEGMENT_HOPS; i++) {
		if (bpf_probe_read_user(&back, 1, (void *)(h->segments + segment)) ||
		    back == HOTSPOT_FREE || back > segment)
			return 0;
		if (!back)
			return h->low + (segment << (x->rt.segment_shift & 63));
		segment -= back;
	}
	return 0;
}

enum { BLOB_NONE, BLOB_COMPILED, BLOB_SIZED, BLOB_STUBS, BLOB_NO_FRAME };

/* The eight characters that names begin with. */
#define NAME_NMETHOD  0x00646f6874656d6eULL /* nmethod */
#define NAME_NATIVE   0x6e2065766974616eULL /* native nmethod */
#define NAME_ADAPTERS 0x204932432f433249ULL /* I2C/C2I adapters */
#define NAME_VTABLES  0x6320656c62617476ULL /* vtable chunks */
#define NAME_HANDLES  0x6148646f6874654dULL /* MethodHandles adapters */
#define NAME_CACHES   0x6143656e696c6e49ULL /* InlineCacheBuffer */

static __always_inline u32 blob_kind(const struct hotspot_state *x)
{
	u64 name = 0;

	if (bpf_probe_read_user(&name, sizeof(name), (void *)block_word(x, x->rt.blob_name)))
		return BLOB_NONE;
	if ((s32)block_word(x, x->rt.blob_frame) > 0)
		return name == NAME_NMETHOD || name == NAME_NATIVE ? BLOB_COMPILED : BLOB_SIZED;
	return name == NAME_ADAPTERS || name == NAME_VTABLES || name == NAME_HANDLES ||
			       name == NAME_CACHES
		       ? BLOB_NO_FRAME
		       : BLOB_STUBS;
}

/* Reads the blob that has an address, in the block there, and says what it is. */
__noinline u32 hotspot__blob(u32 slot, u64 ip, u64 at)
{
	struct hotspot_state *x = hotspot__state(slot);
	u32 bytes;

	if (!x || !at)
		return BLOB_NONE;
	x->block_at = at;
	bytes = x->rt.block_bytes;
	barrier_var(bytes);
	if (bytes > sizeof(x->block) || bpf_probe_read_user(x->block, bytes, (void *)at))
		return BLOB_NONE;
	if (!(u8)block_word(x, x->rt.block_used) ||
	    ip - (at + x->rt.blob) >= (u32)block_word(x, x->rt.blob_size))
		return BLOB_NONE;
	return blob_kind(x);
}

/* --- compiled code --- */

/* Which part of a frame is there. */
enum {
	LEAF_WHOLE,
	LEAF_NONE,     /* the return address is the last word */
	LEAF_PUSHED,   /* the caller's frame pointer is, before it the return address */
	LEAF_NOT_SAVED /* but for the caller's frame pointer, which is in its register */
};

#define IS_3(c, a, b, d) ((c)[0] == (a) && (c)[1] == (b) && (c)[2] == (d))

/* After the frame is gone there is only a look whether a safepoint is wanted, and the return. */
static __always_inline bool ends_function(const u8 *c)
{
	if (c[0] == 0xc3 || IS_3(c, 0x49, 0x3b, 0xa7)) /* ret; cmp rsp, [r15 + ...] */
		return true;
	if (c[0] == 0x0f && c[1] == 0x87 && IS_3(c - 7, 0x49, 0x3b, 0xa7)) /* ja */
		return true;
	if (c[0] == 0xe9 && c[-1] == 0x5d) /* jmp after pop rbp */
		return true;
	/* Up to 15: mov r10, [r15 + ...]; test [r10], eax; ret */
	if (IS_3(c, 0x4d, 0x8b, 0x97) && IS_3(c + 7, 0x41, 0x85, 0x02) && c[10] == 0xc3)
		return true;
	if (IS_3(c, 0x41, 0x85, 0x02) && c[3] == 0xc3)
		return true;
	return c[0] == 0x85 && c[1] == 0x05 && c[6] == 0xc3;
}

/* Of code before the place from which on the frame is there. */
static __always_inline u32 begins_function(const u8 *c)
{
	bool sub = c[0] == 0x48 && (c[1] == 0x83 || c[1] == 0x81) && c[2] == 0xec;
	bool mov = IS_3(c, 0x48, 0x8b, 0xec) || IS_3(c, 0x48, 0x89, 0xe5);

	if ((sub || mov) && c[-1] == 0x55)
		return LEAF_PUSHED;
	if (sub && (IS_3(c - 3, 0x48, 0x8b, 0xec) || IS_3(c - 3, 0x48, 0x89, 0xe5)))
		return LEAF_PUSHED;
	if (IS_3(c, 0x48, 0x89, 0x6c) || IS_3(c, 0x48, 0x89, 0xac))
		return LEAF_NOT_SAVED;
	if (IS_3(c, 0x41, 0x81, 0x7f) || IS_3(c - 8, 0x41, 0x81, 0x7f)) /* a barrier at the entry */
		return LEAF_WHOLE;
	return LEAF_NONE;
}

static __always_inline bool code_read_at(struct hotspot_state *x, u64 ip)
{
	return !bpf_probe_read_user(x->code, sizeof(x->code), (void *)(ip - CODE_BEFORE));
}

/* Of the innermost frame, in a blob with one. */
__noinline u32 hotspot__leaf(u32 slot, u64 ip)
{
	struct hotspot_state *x = hotspot__state(slot);
	s64 into, complete;
	u64 begin;

	if (!x || !code_read_at(x, ip))
		return LEAF_WHOLE;
	if (x->code[CODE_BEFORE] == 0x5d) /* pop rbp */
		return LEAF_PUSHED;
	if (ends_function(x->code + CODE_BEFORE))
		return LEAF_NONE;
	begin = block_word(x, x->rt.blob_code);
	if (x->rt.code_is_offset)
		begin = x->block_at + x->rt.blob + (u32)begin;
	into = ip - begin;
	complete = (__s16)block_word(x, x->rt.blob_complete);
	return into >= 0 && into < complete ? begins_function(x->code + CODE_BEFORE) : LEAF_WHOLE;
}

/* The word of an address in the blob that was read. */
__noinline int hotspot__put(u32 slot, u32 kind)
{
	struct unwind_state *s = unwind__state(slot);
	struct hotspot_state *x = hotspot__state(slot);
	u64 unit, blob, sum;

	if (!s || !x)
		return 0;
	unit = (s->ip & 7) | (s->exact ? HOTSPOT_EXACT : 0);
	blob = x->block_at + x->rt.blob;
	if (kind == BLOB_COMPILED) {
		unit |= HOTSPOT_COMPILED;
		sum = hotspot_code_sum(blob, block_word(x, x->rt.nmethod_method),
				       block_word(x, x->rt.nmethod_id));
	} else {
		unit |= HOTSPOT_STUB;
		sum = hotspot_code_sum(blob, block_word(x, x->rt.blob_name),
				       (u32)block_word(x, x->rt.blob_size));
	}
	put_word(s, unit, s->ip, sum);
	return 0;
}

/* Straight into the state: the stack that all functions share has no room for a window's calls. */
static __always_inline bool read_frame(struct hotspot_state *x, u64 from)
{
	return !bpf_probe_read_user(&x->f, sizeof(x->f), (void *)from);
}

static __always_inline bool read_last(struct hotspot_state *x, u64 from)
{
	return !bpf_probe_read_user(&x->last, sizeof(x->last), (void *)from);
}

static __always_inline bool in_cache(const struct unwind_state *s, u64 ip)
{
	return ip - s->cache < s->cache_size;
}

static __always_inline int step_no_frame(struct unwind_state *s, struct hotspot_state *x)
{
	if (!read_last(x, s->sp))
		return UNWIND_BAD_STACK;
	x->f.next = s->fp;
	x->f.ret = x->last;
	return return_to(s, s->sp + 8, &x->f);
}

/* What compares strings within compiled code keeps a word below the frame meanwhile. Compiled code
 * is called from the code cache alone, so where it returns to tells. */
#define PUSHED_MAX 2

__noinline int hotspot__sized(u32 slot, u32 leaf)
{
	struct unwind_state *s = unwind__state(slot);
	struct hotspot_state *x = hotspot__state(slot);
	u64 cfa;

	if (!s || !x)
		return UNWIND_BAD_STACK;
	if (leaf == LEAF_NONE)
		return step_no_frame(s, x);
	cfa = s->sp + (leaf == LEAF_PUSHED ? 16 : 8 * (u64)(u32)block_word(x, x->rt.blob_frame));
	for (u32 i = 0; i <= PUSHED_MAX; i++, cfa += 8) {
		if (!read_frame(x, cfa - 16))
			return UNWIND_BAD_STACK;
		if (!s->exact || leaf != LEAF_WHOLE || in_cache(s, x->f.ret))
			break;
	}
	if (leaf == LEAF_NOT_SAVED)
		x->f.next = s->fp;
	return return_to(s, cfa, &x->f);
}

/* --- code without a frame size --- */

/* Where a virtual thread's frames that wait in the heap are put back is a stub in the place of their
 * callers. What is above is the frame that the thread was begun in, behind what describes it; compiled
 * code below need not have left a frame pointer. */
#define NAME_KIND	  14		       /* behind "StubRoutines (" */
#define NAME_CONTINUATION 0x61756e69746e6f63ULL /* continua */

static __always_inline bool is_continued(const struct unwind_state *s, struct hotspot_state *x)
{
	u64 name = 0;

	return x->rt.continuation && !s->exact &&
	       !bpf_probe_read_user(&name, sizeof(name),
				    (void *)(block_word(x, x->rt.blob_name) + NAME_KIND)) &&
	       name == NAME_CONTINUATION && read_frame(x, s->sp + x->rt.continuation) &&
	       in_cache(s, x->f.ret);
}

/* Stubs have frame pointers, or no frame: of the innermost one it is seen by where it leads to.
 * They are called from compiled code as a rule. */
__noinline int hotspot__stub(u32 slot)
{
	struct unwind_state *s = unwind__state(slot);
	struct hotspot_state *x = hotspot__state(slot);
	const u8 *c;
	bool framed;

	if (!s || !x)
		return UNWIND_BAD_STACK;
	if (is_continued(s, x))
		return return_to(s, s->sp + x->rt.continuation + sizeof(x->f), &x->f);
	c = x->code + CODE_BEFORE;
	framed = is_frame(s->fp, s->sp) && read_frame(x, s->fp);
	if (s->exact && code_read_at(x, s->ip) && read_last(x, s->sp)) {
		if (c[0] == 0x55 || c[0] == 0xc3 ||
		    (!(framed && in_cache(s, x->f.ret)) && in_cache(s, x->last)))
			return step_no_frame(s, x);
		if (c[-1] == 0x55 && IS_3(c, 0x48, 0x8b, 0xec))
			return read_frame(x, s->sp) ? return_to(s, s->sp + 16, &x->f)
						    : UNWIND_BAD_STACK;
	}
	return framed ? return_to(s, s->fp + 16, &x->f) : UNWIND_BAD_STACK;
}

/* --- interpreted methods --- */

static __always_inline u64 constant_word(const struct hotspot_state *x, u32 at)
{
	u32 i = at / 8;

	barrier_var(i);
	return x->constant[i & (HOTSPOT_CONST_WORDS - 1)] >> (8 * (at & 7));
}

/* Where in the method it is; above HOTSPOT_BCI_MAX: that is no place in it. */
static __always_inline u64 bytecode_index(const struct hotspot_state *x, u64 bcp)
{
	u64 bci = bcp - x->constant_at - x->rt.const_bytes;

	return bci < (u16)constant_word(x, x->rt.const_code_size) ? bci : HOTSPOT_BCI_MAX + 1;
}

static __always_inline bool read_method(struct hotspot_state *x, u64 method)
{
	return !(method & 7) && !(method >> (SCRIPT_CODE_BITS + 3)) &&
	       !bpf_probe_read_user(&x->constant_at, sizeof(x->constant_at),
				    (void *)(method + x->rt.method_const)) &&
	       x->constant_at && !(x->constant_at & 7) &&
	       !bpf_probe_read_user(x->constant, sizeof(x->constant), (void *)x->constant_at);
}

/* Frames lie close to each other, and it is the call that costs, not the bytes. Where the stack ends soon there are
 * those of the frame alone. */
static __always_inline bool read_interpreted(struct hotspot_state *x, u64 from)
{
	u64 i = from - x->frames_at;

	if (!x->frames_at || (i & 7) || i > (FRAMES_WORDS - FRAME_WORDS) * sizeof(u64)) {
		x->frames_at = 0;
		if (bpf_probe_read_user(x->frames, FRAMES_WORDS * sizeof(u64), (void *)from))
			return !bpf_probe_read_user(x->frame, FRAME_WORDS * sizeof(u64), (void *)from);
		x->frames_at = from;
		i = 0;
	}
	i /= sizeof(u64);
	barrier_var(i);
	i &= FRAMES_WORDS - 1;
	for (u32 k = 0; k < FRAME_WORDS; k++)
		x->frame[k] = x->frames[i + k];
	return true;
}

/* Reads the interpreter's frame and puts its word; 0: it is none. */
__noinline int hotspot__method(u32 slot)
{
	struct unwind_state *s = unwind__state(slot);
	struct hotspot_state *x = hotspot__state(slot);
	u64 bci;

	if (!s || !x || !is_frame(s->fp, s->sp) ||
	    !read_interpreted(x, s->fp - FRAME_FP * sizeof(u64)) ||
	    !read_method(x, x->frame[FRAME_METHOD]))
		return 0;
	/* The register of the innermost one; below, and while it begins, its frame has it. */
	bci = bytecode_index(x, s->exact && !s->steps ? s->bcp : x->frame[FRAME_BCP]);
	if (bci > HOTSPOT_BCI_MAX)
		bci = bytecode_index(x, x->frame[FRAME_BCP]);
	if (bci > HOTSPOT_BCI_MAX && !x->frame[FRAME_BCP])
		bci = 0; /* a native one */
	if (bci > HOTSPOT_BCI_MAX)
		return 0;
	put_word(s, bci, x->frame[FRAME_METHOD],
		 hotspot_method_sum(x->constant_at, constant_word(x, x->rt.const_constants),
				    constant_word(x, x->rt.const_names)));
	return 1;
}

__noinline int hotspot__interpreted(u32 slot, u32 framed)
{
	struct unwind_state *s = unwind__state(slot);
	struct hotspot_state *x = hotspot__state(slot);
	u64 sp;

	if (!s || !x)
		return UNWIND_BAD_STACK;
	if (!framed) {
		/* It begins, called from compiled code. */
		if (s->exact && read_last(x, s->sp) && in_cache(s, x->last))
			return step_no_frame(s, x);
		return UNWIND_BAD_STACK;
	}
	x->f.next = x->frame[FRAME_FP];
	x->f.ret = x->frame[FRAME_RETURN];
	sp = x->frame[FRAME_SENDER_SP];
	/* The trailing argument of a method handle's call is gone from what it was called with. */
	if (sp - (s->fp + 8) >= SENDER_MAX)
		return UNWIND_BAD_STACK;
	return return_to(s, sp, &x->f);
}

/* --- one frame --- */

/* To the caller's frame from an address in the code cache, which is at that place in the scratch.
 */
__noinline int hotspot__step(u32 slot, u32 i)
{
	struct unwind_state *s = unwind__state(slot);
	struct hotspot_state *x = hotspot__state(slot);
	u32 kind, leaf = LEAF_WHOLE;
	u64 ip;

	if (!s || !x)
		return UNWIND_BAD_STACK;
	s->guessed = s->by_fp = 0;
	s->place = i;
	s->noted = NOTES_NONE; /* more than the words on the stack tell the frames */
	ip = s->exact ? s->ip : s->ip - 1;
	if (ip - x->rt.interpreter < x->rt.interpreter_end - x->rt.interpreter)
		return hotspot__interpreted(slot, hotspot__method(slot));
	kind = hotspot__blob(slot, ip, hotspot__block(slot, ip));
	if (kind == BLOB_NONE)
		return UNWIND_BAD_STACK;
	hotspot__put(slot, kind);
	if (kind == BLOB_STUBS)
		return hotspot__stub(slot);
	if (kind == BLOB_NO_FRAME)
		leaf = LEAF_NONE;
	else if (s->exact)
		leaf = hotspot__leaf(slot, ip);
	return hotspot__sized(slot, leaf);
}

#endif
