// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where CPython keeps its threads, frames and code objects. 3.13 says it of itself, in a table at the
 * beginning of its runtime; for the versions before it is in the table below, as their headers have it
 * on 64-bit machines. Neither is believed: a state of a thread has to lead back to its interpreter,
 * and the type of code objects has to be called "code".
 */
#include "symbols/python.h"

#define TYPE_NAME 24 /* PyTypeObject.tp_name */
#define THREAD_INTERP 16 /* in the state of a thread, of all versions */

struct layout {
	u32 minor;
	u32 interpreters; /* in the runtime */
	u32 qualname, ascii_size, text_size;
	struct script_runtime rt;
};

/* clang-format off */
static const struct layout layouts[] = {
	{9, 32, 0, 48, 72, {.how = SCRIPT_OBJECTS, .instr_shift = 1,
		.interp_next = 0, .interp_threads = 8, .thread_next = 8, .thread_id = 176, .thread_frame = 24,
		.frame_bytes = 112, .frame_previous = 24, .frame_code = 32, .frame_instr = 104,
		.code_bytes = 128, .code_line = 40, .code_file = 104, .code_name = 112, .code_lines = 120}},
	{10, 32, 0, 48, 72, {.how = SCRIPT_OBJECTS,
		.interp_next = 0, .interp_threads = 8, .thread_next = 8, .thread_id = 176, .thread_frame = 24,
		.frame_bytes = 112, .frame_previous = 24, .frame_code = 32, .frame_instr = 96,
		.code_bytes = 128, .code_line = 40, .code_file = 104, .code_name = 112, .code_lines = 120}},
	{11, 40, 128, 48, 72, {.how = SCRIPT_ENTRIES,
		.interp_next = 0, .interp_threads = 16, .thread_next = 8, .thread_id = 152, .thread_frame = 56,
		.call_frame = 8, .call_previous = 16,
		.frame_bytes = 72, .frame_previous = 48, .frame_code = 32, .frame_instr = 56, .frame_owner = 68,
		.code_bytes = 144, .code_line = 72, .code_file = 112, .code_name = 120, .code_lines = 136,
		.code_start = 184}},
	{12, 40, 128, 40, 56, {.how = SCRIPT_SHIMS,
		.interp_next = 0, .interp_threads = 72, .thread_next = 8, .thread_id = 136, .thread_frame = 56,
		.call_frame = 0, .call_previous = 8,
		.frame_bytes = 72, .frame_previous = 8, .frame_code = 0, .frame_instr = 56, .frame_owner = 70,
		.code_bytes = 144, .code_line = 68, .code_file = 112, .code_name = 120, .code_lines = 136,
		.code_start = 192}},
};
/* clang-format on */

/* --- 3.13 --- */

/* The words of its table (_Py_DebugOffsets) that are used, by their number. */
enum {
	DEBUG_COOKIE,
	DEBUG_VERSION,
	DEBUG_FREE_THREADED,
	DEBUG_INTERPRETERS = 5,
	DEBUG_INTERP_NEXT = 8,
	DEBUG_INTERP_THREADS,
	DEBUG_THREAD_NEXT = 21,
	DEBUG_THREAD_INTERP,
	DEBUG_THREAD_FRAME,
	DEBUG_THREAD_ID,
	DEBUG_FRAME_PREVIOUS = 29,
	DEBUG_FRAME_CODE,
	DEBUG_FRAME_INSTR,
	DEBUG_FRAME_OWNER = 33,
	DEBUG_CODE_FILE = 35,
	DEBUG_CODE_NAME,
	DEBUG_CODE_QUALNAME,
	DEBUG_CODE_LINES,
	DEBUG_CODE_LINE,
	DEBUG_CODE_START = 43,
	DEBUG_WORDS
};

#define DEBUG_TEXT_SIZE 40 /* PyASCIIObject */

/* All that is used must be within what is read of it at once. */
static bool is_plausible(const struct script_runtime *rt)
{
	const u16 frame[] = {rt->frame_previous, rt->frame_code, rt->frame_instr};
	const u16 code[] = {rt->code_file, rt->code_name, rt->code_lines};

	for (u32 i = 0; i < ARRAY_SIZE(frame); i++)
		if (frame[i] % 8 || frame[i] + 8 > rt->frame_bytes || code[i] % 8 ||
		    code[i] + 8 > rt->code_bytes)
			return false;
	return rt->frame_owner < rt->frame_bytes && rt->code_line + 4 <= rt->code_bytes;
}

static int read_debug_offsets(const struct process_memory *m, u64 runtime, struct layout *l,
			      const char **why)
{
	u64 w[DEBUG_WORDS];

	*why = "python 3.13: its table of offsets is not what it should be";
	if (!m->read(m->ctx, runtime, w, sizeof(w)) || memcmp(w, "xdebugpy", 8) ||
	    w[DEBUG_VERSION] >> 16 != 0x030d || w[DEBUG_THREAD_INTERP] != THREAD_INTERP)
		return -EINVAL;
	for (u32 i = DEBUG_INTERPRETERS; i < DEBUG_WORDS; i++)
		if (w[i] > UINT16_MAX && i < DEBUG_CODE_START)
			w[i] = UINT16_MAX; /* sizes, which are not used */
	*l = (struct layout){
		.minor = 13,
		.interpreters = (u32)w[DEBUG_INTERPRETERS],
		.qualname = (u32)w[DEBUG_CODE_QUALNAME],
		.ascii_size = DEBUG_TEXT_SIZE,
		.text_size = DEBUG_TEXT_SIZE + 16,
		.rt = {.how = SCRIPT_SHIMS_DIRECT,
		       .interp_next = (u16)w[DEBUG_INTERP_NEXT],
		       .interp_threads = (u16)w[DEBUG_INTERP_THREADS],
		       .thread_next = (u16)w[DEBUG_THREAD_NEXT],
		       .thread_id = (u16)w[DEBUG_THREAD_ID],
		       .thread_frame = (u16)w[DEBUG_THREAD_FRAME],
		       .frame_bytes = 72,
		       .frame_previous = (u16)w[DEBUG_FRAME_PREVIOUS],
		       .frame_code = (u16)w[DEBUG_FRAME_CODE],
		       .frame_instr = (u16)w[DEBUG_FRAME_INSTR],
		       .frame_owner = (u16)w[DEBUG_FRAME_OWNER],
		       .code_bytes = 144,
		       .code_line = (u16)w[DEBUG_CODE_LINE],
		       .code_file = (u16)w[DEBUG_CODE_FILE],
		       .code_name = (u16)w[DEBUG_CODE_NAME],
		       .code_lines = (u16)w[DEBUG_CODE_LINES],
		       .code_start = (u16)w[DEBUG_CODE_START]},
	};
	if (!is_plausible(&l->rt))
		return -EINVAL;
	if (w[DEBUG_FREE_THREADED]) {
		*why = "python without a global lock is not walked: its frames are kept otherwise";
		return -EOPNOTSUPP;
	}
	return 0;
}

/* --- attaching --- */

static u32 minor_of(const struct python_file *f, u64 bias, const struct process_memory *m)
{
	u64 version = 0;

	if (!f->version)
		return f->minor;
	if (!memory__u64(m, f->version + bias, &version) || version >> 24 != 3)
		return 0;
	return (u32)(version >> 16) & 0xff;
}

static int find_layout(const struct python_file *f, u64 bias, const struct process_memory *m,
		       struct layout *l, const char **why)
{
	u32 minor = minor_of(f, bias, m);

	if (minor == 13)
		return read_debug_offsets(m, f->runtime + bias, l, why);
	for (u32 i = 0; i < ARRAY_SIZE(layouts); i++) {
		if (layouts[i].minor != minor)
			continue;
		*l = layouts[i];
		return 0;
	}
	*why = minor ? "python is walked from 3.9 to 3.13; -X perf of later ones gives names"
		     : "a python of unknown version is not walked: its file's name does not tell it";
	return -EOPNOTSUPP;
}

static bool is_code_type(const struct process_memory *m, u64 type)
{
	char name[8] = "";
	u64 at;

	return memory__u64(m, type + TYPE_NAME, &at) && m->read(m->ctx, at, name, 5) &&
	       !strcmp(name, "code");
}

#define INTERPRETERS_MAX 64 /* that are looked at */

/* The newest interpreter that has a thread: from 3.13 on those that nobody runs have none. 0; -EAGAIN: there is none
 * yet. */
static int find_thread(const struct layout *l, u64 at, const struct process_memory *m, u64 *interp, u64 *thread)
{
	for (u32 i = 0; i < INTERPRETERS_MAX; i++) {
		if (!memory__u64(m, at, interp))
			return -EFAULT;
		if (!*interp)
			return -EAGAIN;
		if (!memory__u64(m, *interp + (u64)l->rt.interp_threads, thread))
			return -EFAULT;
		if (*thread)
			return 0;
		at = *interp + (u64)l->rt.interp_next;
	}
	return -EAGAIN;
}

/* Its thread knows that it has it. */
static int check_threads(const struct layout *l, u64 interpreters, const struct process_memory *m)
{
	u64 interp = 0, thread = 0, back, id;
	int err = find_thread(l, interpreters, m, &interp, &thread);

	if (err)
		return err;
	if (!memory__u64(m, thread + THREAD_INTERP, &back) ||
	    !memory__u64(m, thread + l->rt.thread_id, &id))
		return -EFAULT;
	return back != interp ? -EINVAL : id ? 0 : -EAGAIN;
}

int python__attach(const struct python_file *f, u64 bias, const struct process_memory *m,
		   struct python *out, const char **why)
{
	struct layout l = {0};
	int err = find_layout(f, bias, m, &l, why);

	if (err)
		return err;
	*why = "a python is not laid out as its version says: is it a build of its own?";
	if (!is_code_type(m, f->code_type + bias))
		return -EINVAL;
	l.rt.interpreters = f->runtime + bias + l.interpreters;
	l.rt.code_type = f->code_type + bias;
	l.rt.eval = f->eval + bias;
	l.rt.eval_end = l.rt.eval + f->eval_size;
	l.rt.text_hash = 24;
	err = check_threads(&l, l.rt.interpreters, m);
	if (err)
		return err;
	*out = (struct python){.rt = l.rt,
			       .minor = l.minor,
			       .code_qualname = l.qualname,
			       .ascii_size = l.ascii_size,
			       .text_size = l.text_size};
	return 0;
}
