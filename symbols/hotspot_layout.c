// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where HotSpot keeps its code and its methods, by its own description. That is not believed before
 * the interpreter was found with it, in the code cache and by its name.
 */
#include <errno.h>

#include "symbols/hotspot.h"

#define ENTRIES_MAX 8192
#define NAME_SIZE   48
#define LEFT_OUT    UINT32_MAX

/* What is wanted of the description. */
enum what {
	CACHE_HEAPS,
	ARRAY_LENGTH,
	ARRAY_DATA,
	HEAP_MEMORY,
	HEAP_SEGMENTS,
	HEAP_SHIFT,
	SPACE_LOW,
	SPACE_HIGH,
	BLOCK_USED,
	INTERPRETER,
	QUEUE_BUFFER,
	QUEUE_LIMIT,
	VERSION,
	BLOB_NAME,
	BLOB_SIZE,
	BLOB_FRAME,
	BLOB_COMPLETE,
	BLOB_CODE,
	BLOB_CODE_OFFSET,
	BLOB_MUTABLE,
	BLOB_RELOCATION,
	NMETHOD_METHOD,
	NMETHOD_ID,
	NMETHOD_SCOPES,
	NMETHOD_SCOPES_OFFSET,
	NMETHOD_PCS,
	NMETHOD_PCS_END,
	NMETHOD_IMMUTABLE,
	NMETHOD_METADATA,
	METHOD_CONST,
	CONST_CONSTANTS,
	CONST_NAME,
	CONST_CODE_SIZE,
	CONST_FLAGS,
	POOL_TAGS,
	POOL_HOLDER,
	POOL_SOURCE,
	CLASS_SOURCE,
	CLASS_POOL,
	KLASS_NAME,
	SYMBOL_LENGTH,
	SYMBOL_BODY,
	TAGS_DATA,
	SIZE_BLOCK,
	SIZE_NMETHOD,
	SIZE_CONST,
	SIZE_POOL,
	SIZE_PC_DESC,
	SIZE_CONTINUATION,
	HAS_LINES,
	SENDER_SP,
	THREADS_LIST,
	LIST_LENGTH,
	LIST_THREADS,
	THREAD_OBJECT,
	THREAD_OS,
	THREAD_ID,
	NARROW_BASE,
	NARROW_SHIFT,
	WHATS
};

/* An offset within a block is counted from its header on when it is used. */
struct wanted {
	const char *type, *field; /* of a size the type alone, of a constant the field alone */
	enum what what;
};

static const struct wanted fields[] = {
	{"CodeCache", "_heaps", CACHE_HEAPS},
	{"GrowableArrayBase", "_len", ARRAY_LENGTH},
	{"GenericGrowableArray", "_len", ARRAY_LENGTH}, /* 11 */
	{"GrowableArray<int>", "_data", ARRAY_DATA},
	{"CodeHeap", "_memory", HEAP_MEMORY},
	{"CodeHeap", "_segmap", HEAP_SEGMENTS},
	{"CodeHeap", "_log2_segment_size", HEAP_SHIFT},
	{"VirtualSpace", "_low_boundary", SPACE_LOW},
	{"VirtualSpace", "_high_boundary", SPACE_HIGH},
	{"HeapBlock::Header", "_used", BLOCK_USED},
	{"AbstractInterpreter", "_code", INTERPRETER},
	{"StubQueue", "_stub_buffer", QUEUE_BUFFER},
	{"StubQueue", "_buffer_limit", QUEUE_LIMIT},
	{"Abstract_VM_Version", "_vm_major_version", VERSION},
	{"CodeBlob", "_name", BLOB_NAME},
	{"CodeBlob", "_size", BLOB_SIZE},
	{"CodeBlob", "_frame_size", BLOB_FRAME},
	{"CodeBlob", "_frame_complete_offset", BLOB_COMPLETE},
	{"CodeBlob", "_code_begin", BLOB_CODE},
	{"CodeBlob", "_code_offset", BLOB_CODE_OFFSET}, /* 23 on */
	{"CodeBlob", "_mutable_data", BLOB_MUTABLE},	/* 25 on */
	{"CodeBlob", "_relocation_size", BLOB_RELOCATION},
	{"CompiledMethod", "_method", NMETHOD_METHOD},
	{"nmethod", "_method", NMETHOD_METHOD}, /* 23 on */
	{"nmethod", "_compile_id", NMETHOD_ID},
	{"CompiledMethod", "_scopes_data_begin", NMETHOD_SCOPES},
	{"nmethod", "_scopes_data_offset", NMETHOD_SCOPES_OFFSET}, /* 23 on */
	{"nmethod", "_scopes_pcs_offset", NMETHOD_PCS},
	{"nmethod", "_dependencies_offset", NMETHOD_PCS_END},
	{"nmethod", "_immutable_data", NMETHOD_IMMUTABLE}, /* 23 on */
	{"nmethod", "_metadata_offset", NMETHOD_METADATA},
	{"Method", "_constMethod", METHOD_CONST},
	{"ConstMethod", "_constants", CONST_CONSTANTS},
	{"ConstMethod", "_name_index", CONST_NAME},
	{"ConstMethod", "_code_size", CONST_CODE_SIZE},
	{"ConstMethod", "_flags", CONST_FLAGS},
	{"ConstMethod", "_flags._flags", CONST_FLAGS}, /* 21 on */
	{"ConstantPool", "_tags", POOL_TAGS},
	{"ConstantPool", "_pool_holder", POOL_HOLDER},
	{"ConstantPool", "_source_file_name_index", POOL_SOURCE},
	{"InstanceKlass", "_source_file_name_index", CLASS_SOURCE}, /* 11 */
	{"InstanceKlass", "_constants", CLASS_POOL},
	{"Klass", "_name", KLASS_NAME},
	{"Symbol", "_length", SYMBOL_LENGTH},
	{"Symbol", "_body", SYMBOL_BODY},
	{"Array<u1>", "_data", TAGS_DATA},
	{"ThreadsSMRSupport", "_java_thread_list", THREADS_LIST},
	{"ThreadsList", "_length", LIST_LENGTH},
	{"ThreadsList", "_threads", LIST_THREADS},
	{"JavaThread", "_threadObj", THREAD_OBJECT},
	{"JavaThread", "_osthread", THREAD_OS}, /* 17 */
	{"Thread", "_osthread", THREAD_OS},
	{"OSThread", "_thread_id", THREAD_ID},
	{"Universe", "_narrow_oop._base", NARROW_BASE}, /* 11 */
	{"Universe", "_narrow_oop._shift", NARROW_SHIFT},
	{"CompressedOops", "_narrow_oop._base", NARROW_BASE},
	{"CompressedOops", "_narrow_oop._shift", NARROW_SHIFT},
	{"CompressedOops", "_base", NARROW_BASE}, /* 25 */
	{"CompressedOops", "_shift", NARROW_SHIFT},
};

static const struct wanted sizes[] = {
	{"HeapBlock", NULL, SIZE_BLOCK},   {"nmethod", NULL, SIZE_NMETHOD},
	{"ConstMethod", NULL, SIZE_CONST}, {"ConstantPool", NULL, SIZE_POOL},
	{"PcDesc", NULL, SIZE_PC_DESC},	   {"ContinuationEntry", NULL, SIZE_CONTINUATION}, /* 21 on */
};

static const struct wanted constants[] = {
	{NULL, "ConstMethod::_has_linenumber_table", HAS_LINES},
	{NULL, "ConstMethodFlags::_misc_has_linenumber_table", HAS_LINES}, /* 21 on */
	{NULL, "frame::interpreter_frame_sender_sp_offset", SENDER_SP},
};

/* What need not be there: other versions have another in its place, or do without. */
static const enum what optional[] = {
	BLOB_CODE,	  BLOB_CODE_OFFSET,	 BLOB_MUTABLE,	  BLOB_RELOCATION,
	NMETHOD_SCOPES,	  NMETHOD_SCOPES_OFFSET, NMETHOD_PCS_END, NMETHOD_IMMUTABLE,
	NMETHOD_METADATA, POOL_SOURCE,		 CLASS_SOURCE,	  SIZE_CONTINUATION,
	THREADS_LIST,	  LIST_LENGTH,		 LIST_THREADS,	  THREAD_OBJECT,
	THREAD_OS,	  THREAD_ID,		 NARROW_BASE,	  NARROW_SHIFT,
};

struct description {
	const struct process_memory *m;
	u64 value[WHATS]; /* an offset, a size, the address of what is static, a number */
	bool found[WHATS];
};

/* --- reading it --- */

static void take(struct description *d, const struct wanted *w, u32 n, const char *type,
		 const char *field, u64 value)
{
	for (u32 i = 0; i < n; i++) {
		if ((w[i].type && strcmp(w[i].type, type)) ||
		    (w[i].field && strcmp(w[i].field, field)))
			continue;
		d->value[w[i].what] = value;
		d->found[w[i].what] = true;
	}
}

/* False: there is no such text; one that is longer is none of those that are wanted. What is behind
 * its page may not be there. */
static bool read_text(const struct process_memory *m, u64 from, char text[NAME_SIZE])
{
	size_t all = NAME_SIZE - 1, size = MIN(all, (size_t)(4096 - (from & 4095)));

	memset(text, 0, NAME_SIZE);
	if (!from || !m->read(m->ctx, from, text, size))
		return false;
	if (size < all && !memchr(text, 0, size))
		return m->read(m->ctx, from + size, text + size, all - size);
	return true;
}

/* Entries are of a few words, and their first one ends the table when it is 0. */
#define ENTRY_WORDS 16

static bool is_entry(const struct hotspot_table *t)
{
	const u64 at[] = {t->type, t->name, t->is_static, t->offset, t->address, t->value};

	for (u32 i = 0; i < ARRAY_SIZE(at); i++)
		if (at[i] % 4 || at[i] + sizeof(u64) > t->stride)
			return false;
	return t->stride && t->stride <= ENTRY_WORDS * sizeof(u64);
}

static u64 word_of(const u8 *entry, u64 at)
{
	u64 word;

	memcpy(&word, entry + at, sizeof(word));
	return word;
}

static void take_struct(struct description *d, const struct hotspot_table *t, const u8 *entry)
{
	char type[NAME_SIZE], field[NAME_SIZE];
	bool is_static = (u32)word_of(entry, t->is_static);

	if (read_text(d->m, word_of(entry, t->type), type) &&
	    read_text(d->m, word_of(entry, t->name), field))
		take(d, fields, ARRAY_SIZE(fields), type, field,
		     word_of(entry, is_static ? t->address : t->offset));
}

static void take_size(struct description *d, const struct hotspot_table *t, const u8 *entry)
{
	char type[NAME_SIZE];

	if (read_text(d->m, word_of(entry, t->name), type))
		take(d, sizes, ARRAY_SIZE(sizes), type, "", word_of(entry, t->value));
}

static void take_constant(struct description *d, const struct hotspot_table *t, const u8 *entry)
{
	char name[NAME_SIZE];

	if (read_text(d->m, word_of(entry, t->name), name))
		take(d, constants, ARRAY_SIZE(constants), "", name,
		     (u64)(s64)(s32)word_of(entry, t->value));
}

typedef void take_fn(struct description *d, const struct hotspot_table *t, const u8 *entry);

/* The table of which f has where it and its parts are to be found; 0, -EAGAIN or -EINVAL. */
static int read_table(struct description *d, const struct hotspot_table *f, u64 bias, take_fn *fn)
{
	u8 entry[ENTRY_WORDS * sizeof(u64)];
	struct hotspot_table t = {0};
	const u64 *from = &f->at;
	u64 *to = &t.at;

	for (u32 i = 0; i < sizeof(t) / sizeof(*to); i++)
		if (from[i] && !memory__u64(d->m, from[i] + bias, &to[i]))
			return -EFAULT;
	if (!t.at || !t.stride)
		return -EAGAIN;
	if (!is_entry(&t))
		return -EINVAL;
	for (u32 i = 0; i < ENTRIES_MAX; i++) {
		if (!d->m->read(d->m->ctx, t.at + i * t.stride, entry, t.stride))
			return -EFAULT;
		if (!word_of(entry, f->type ? t.type : t.name))
			return 0;
		fn(d, &t, entry);
	}
	return -EINVAL;
}

static bool is_optional(enum what what)
{
	for (u32 i = 0; i < ARRAY_SIZE(optional); i++)
		if (optional[i] == what)
			return true;
	return false;
}

static bool has_all(const struct description *d)
{
	for (u32 i = 0; i < WHATS; i++)
		if (!d->found[i] && !is_optional(i))
			return false;
	return (d->found[BLOB_CODE] || d->found[BLOB_CODE_OFFSET]) &&
	       (d->found[NMETHOD_SCOPES] || d->found[NMETHOD_SCOPES_OFFSET]) &&
	       (d->found[NMETHOD_METADATA] || d->found[BLOB_MUTABLE]);
}

/* --- what the programs need --- */

static bool read_heap(const struct description *d, u64 heap, struct hotspot_heap *out, u32 *shift)
{
	const u64 *v = d->value;

	return memory__u64(d->m, heap + v[HEAP_MEMORY] + v[SPACE_LOW], &out->low) &&
	       memory__u64(d->m, heap + v[HEAP_MEMORY] + v[SPACE_HIGH], &out->high) &&
	       memory__u64(d->m, heap + v[HEAP_SEGMENTS] + v[SPACE_LOW], &out->segments) &&
	       memory__u32(d->m, heap + v[HEAP_SHIFT], shift) && out->low < out->high &&
	       out->segments && *shift >= 4 && *shift <= 16;
}

static int read_heaps(const struct description *d, struct hotspot_runtime *rt)
{
	u64 array = 0, data, heap;
	u32 n, shift;

	if (!memory__u64(d->m, d->value[CACHE_HEAPS], &array) || !array)
		return -EAGAIN;
	if (!memory__u32(d->m, array + d->value[ARRAY_LENGTH], &n) ||
	    !memory__u64(d->m, array + d->value[ARRAY_DATA], &data))
		return -EFAULT;
	if (n > HOTSPOT_HEAPS)
		return -EINVAL;
	rt->low = UINT64_MAX;
	for (u32 i = 0; i < n; i++) {
		struct hotspot_heap *h = &rt->heaps[i];

		if (!memory__u64(d->m, data + i * sizeof(u64), &heap) ||
		    !read_heap(d, heap, h, &shift))
			return -EAGAIN;
		rt->segment_shift = (u16)shift;
		rt->low = MIN(rt->low, h->low);
		rt->high = MAX(rt->high, h->high);
	}
	rt->nheaps = (u16)n;
	return n ? 0 : -EAGAIN;
}

static int read_interpreter(const struct description *d, struct hotspot_runtime *rt)
{
	u64 queue = 0;
	u32 size;

	if (!memory__u64(d->m, d->value[INTERPRETER], &queue) || !queue)
		return -EAGAIN;
	if (!memory__u64(d->m, queue + d->value[QUEUE_BUFFER], &rt->interpreter) ||
	    !memory__u32(d->m, queue + d->value[QUEUE_LIMIT], &size))
		return -EFAULT;
	rt->interpreter_end = rt->interpreter + size;
	return rt->interpreter >= rt->low && rt->interpreter_end <= rt->high ? 0 : -EINVAL;
}

/* What programs read at once, and what they read in it. */
static bool fill_offsets(const struct description *d, struct hotspot_runtime *rt)
{
	const u64 *v = d->value;
	bool is_offset = !d->found[BLOB_CODE];
	const u64 in_block[] = {v[BLOB_NAME],
				v[BLOB_SIZE],
				v[BLOB_FRAME],
				v[BLOB_COMPLETE],
				v[NMETHOD_METHOD],
				v[NMETHOD_ID],
				v[is_offset ? BLOB_CODE_OFFSET : BLOB_CODE]};
	u64 most = 0;

	for (u32 i = 0; i < ARRAY_SIZE(in_block); i++)
		most = MAX(most, in_block[i]);
	most = (v[SIZE_BLOCK] + most + 2 * sizeof(u64) - 1) / sizeof(u64) * sizeof(u64);
	if (most > HOTSPOT_BLOCK_WORDS * sizeof(u64) ||
	    MAX(MAX(v[CONST_CONSTANTS], v[CONST_NAME]), v[CONST_CODE_SIZE]) + sizeof(u64) >
		    HOTSPOT_CONST_WORDS * sizeof(u64) ||
	    v[SIZE_CONST] > 256 || v[SIZE_CONTINUATION] > 256 || v[METHOD_CONST] > 256 || v[CONST_CONSTANTS] % 8)
		return false;
	rt->block_bytes = (u16)most;
	rt->blob = (u16)v[SIZE_BLOCK];
	rt->block_used = (u16)v[BLOCK_USED];
	rt->blob_name = (u16)(rt->blob + v[BLOB_NAME]);
	rt->blob_size = (u16)(rt->blob + v[BLOB_SIZE]);
	rt->blob_frame = (u16)(rt->blob + v[BLOB_FRAME]);
	rt->blob_complete = (u16)(rt->blob + v[BLOB_COMPLETE]);
	rt->blob_code = (u16)(rt->blob + in_block[ARRAY_SIZE(in_block) - 1]);
	rt->code_is_offset = is_offset;
	rt->nmethod_method = (u16)(rt->blob + v[NMETHOD_METHOD]);
	rt->nmethod_id = (u16)(rt->blob + v[NMETHOD_ID]);
	rt->method_const = (u16)v[METHOD_CONST];
	rt->const_bytes = (u16)v[SIZE_CONST];
	rt->const_constants = (u16)v[CONST_CONSTANTS];
	rt->const_names = (u16)(v[CONST_NAME] & ~7ULL);
	rt->const_code_size = (u16)v[CONST_CODE_SIZE];
	rt->continuation = (u16)v[SIZE_CONTINUATION];
	return true;
}

static void fill_names(const struct description *d, struct hotspot *h)
{
	const u64 *v = d->value;

	h->nmethod_size = (u32)v[SIZE_NMETHOD];
	h->pc_desc_size = (u32)v[SIZE_PC_DESC];
	h->scopes_data = (u32)v[d->found[NMETHOD_SCOPES] ? NMETHOD_SCOPES : NMETHOD_SCOPES_OFFSET];
	h->scopes_pcs = (u32)v[NMETHOD_PCS];
	h->scopes_pcs_end = (u32)v[NMETHOD_PCS_END];
	h->immutable = (u32)v[NMETHOD_IMMUTABLE];
	h->metadata = (u32)v[NMETHOD_METADATA];
	h->mutable_data = (u32)v[BLOB_MUTABLE];
	h->relocation_size = (u32)v[BLOB_RELOCATION];
	h->const_flags = (u32)v[CONST_FLAGS];
	h->has_lines = (u32)v[HAS_LINES];
	h->const_name = (u32)v[CONST_NAME];
	h->pool_tags = (u32)v[POOL_TAGS];
	h->pool_holder = (u32)v[POOL_HOLDER];
	h->pool_size = (u32)v[SIZE_POOL];
	h->source_of_class = !d->found[POOL_SOURCE];
	h->pool_source = (u32)v[h->source_of_class ? CLASS_SOURCE : POOL_SOURCE];
	h->klass_name = (u32)v[KLASS_NAME];
	h->klass_pool = (u32)v[CLASS_POOL];
	h->symbol_length = (u32)v[SYMBOL_LENGTH];
	h->symbol_body = (u32)v[SYMBOL_BODY];
	h->tags_data = (u32)v[TAGS_DATA];
}

/* Names are left out where any of it is not said. */
static void fill_threads(const struct description *d, struct hotspot_threads *t)
{
	const u64 *v = d->value;
	u32 shift;

	for (u32 i = THREADS_LIST; i <= NARROW_SHIFT; i++)
		if (!d->found[i])
			return;
	if (!memory__u64(d->m, v[NARROW_BASE], &t->narrow_base) ||
	    !memory__u32(d->m, v[NARROW_SHIFT], &shift) || shift > 8)
		return;
	*t = (struct hotspot_threads){
		.list = v[THREADS_LIST],
		.length = (u32)v[LIST_LENGTH],
		.threads = (u32)v[LIST_THREADS],
		.object = (u32)v[THREAD_OBJECT],
		.os = (u32)v[THREAD_OS],
		.id = (u32)v[THREAD_ID],
		.narrow_base = t->narrow_base,
		.narrow_shift = shift,
	};
}

/* --- attaching --- */

/* The interpreter is in a block of that name. */
static bool is_right(const struct hotspot *h, const struct process_memory *m)
{
	u64 block = hotspot__block(h, m, h->rt.interpreter), name;
	char text[NAME_SIZE];

	return block && memory__u64(m, block + h->rt.blob_name, &name) &&
	       read_text(m, name, text) && !strcmp(text, "Interpreter");
}

static int fill(const struct description *d, struct hotspot *h)
{
	int err = read_heaps(d, &h->rt);

	if (!err)
		err = read_interpreter(d, &h->rt);
	if (err)
		return err;
	fill_names(d, h);
	fill_threads(d, &h->threads);
	if (!fill_offsets(d, &h->rt) || !is_right(h, d->m))
		return -EINVAL;
	return 0;
}

int hotspot__attach(const struct hotspot_file *f, u64 bias, const struct process_memory *m,
		    struct hotspot *out, const char **why)
{
	struct description d = {.m = m};
	int err = read_table(&d, &f->structs, bias, take_struct);

	*out = (struct hotspot){0};
	*why = "a java virtual machine's description of itself cannot be read: "
	       "-XX:+PreserveFramePointer "
	       "and a perf map help";
	if (!err)
		err = read_table(&d, &f->types, bias, take_size);
	if (!err)
		err = read_table(&d, &f->ints, bias, take_constant);
	if (err)
		return err;
		/* Frames of other machines are laid out in another way. */
#if !defined(__x86_64__)
	*why = "java is walked on x86-64 alone: -XX:+PreserveFramePointer and a perf map help";
	return -EOPNOTSUPP;
#endif
	*why = "a java virtual machine is laid out in a way that is not known (11 to 25 are): "
	       "-XX:+PreserveFramePointer and a perf map help";
	if (!has_all(&d) || (s64)d.value[SENDER_SP] != -1)
		return -EOPNOTSUPP;
	if (!memory__u32(m, d.value[VERSION], &out->version))
		return -EFAULT;
	return fill(&d, out);
}
