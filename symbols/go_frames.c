// SPDX-License-Identifier: GPL-2.0-only
/* How callers of Go's functions are found, in DWARF's words (DWARF 5, 6.4.1), so that what makes tables
 * of that makes those of stripped programs as well. */
#include <dwarf.h>
#include <elf.h>

#include "base/arena.h"
#include "symbols/go_table.h"

#define CIE_ID	 0xffffffffu
#define X86_FP	 6
#define X86_SP	 7
#define X86_RA	 16
#define ARM_SP	 31
#define ARM_LR	 30
#define DATA_UNIT (-8)
#define FRAMES_MAX (64u << 20) /* bytes; what is beyond is left out */

struct frames {
	u8 *bytes;
	u32 n, cap;
	u32 entry; /* where the last one begins; its length is not known yet */
	u64 at;	   /* in the function: up to where it is told */
	bool arm, full;
	bool outermost, switches, leaves;
};

static void put(struct frames *f, const void *bytes, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		f->bytes = xgrow(f->bytes, f->n, &f->cap, sizeof(*f->bytes));
		f->bytes[f->n++] = ((const u8 *)bytes)[i];
	}
}

static void put_u8(struct frames *f, u8 byte)
{
	put(f, &byte, sizeof(byte));
}

static void put_u32(struct frames *f, u32 word)
{
	put(f, &word, sizeof(word));
}

static void put_uleb(struct frames *f, u64 value)
{
	for (; value >= 0x80; value >>= 7)
		put_u8(f, (u8)(value | 0x80));
	put_u8(f, (u8)value);
}

static void put_sleb(struct frames *f, s64 value)
{
	for (; value < -64 || value > 63; value >>= 7)
		put_u8(f, (u8)(value | 0x80));
	put_u8(f, (u8)(value & 0x7f));
}

static void begin_entry(struct frames *f, u32 id)
{
	f->entry = f->n;
	put_u32(f, 0);
	put_u32(f, id);
}

static void end_entry(struct frames *f)
{
	u32 length = f->n - f->entry - (u32)sizeof(length);

	memcpy(f->bytes + f->entry, &length, sizeof(length));
}

/* A function that has a frame keeps its caller's frame pointer at the upper end. */
static void put_fp(struct frames *f, bool saved)
{
	put_u8(f, saved ? DW_CFA_offset | X86_FP : DW_CFA_same_value);
	put_uleb(f, saved ? 2 : X86_FP);
}

/* At a function's begin: x86's return address is at the stack pointer, aarch64's in its register. */
static void put_common(struct frames *f)
{
	begin_entry(f, CIE_ID);
	put(f, "\3\0", 2); /* version, augmentation */
	put_uleb(f, 1);
	put_sleb(f, DATA_UNIT);
	put_uleb(f, f->arm ? ARM_LR : X86_RA);
	put_u8(f, DW_CFA_def_cfa);
	put_uleb(f, f->arm ? ARM_SP : X86_SP);
	put_uleb(f, f->arm ? 0 : 8);
	if (!f->arm) {
		put_u8(f, DW_CFA_offset | X86_RA);
		put_uleb(f, 1);
	}
	end_entry(f);
}

/* What a goroutine has done on the system's stack, by Go's code or C's, is called there; its own is left behind,
 * and only the frame pointer leads to it: to the caller of who wanted that, where that is not a frame's own. */
static bool switches(const char *name)
{
	static const char *const those[] = {
		"runtime.systemstack", "runtime.asmcgocall", "runtime.morestack",
		"runtime.nanotime1",   "runtime.walltime",   "time.now",
	};

	for (u32 i = 0; i < ARRAY_SIZE(those); i++)
		if (!strcmp(name, those[i]))
			return true;
	return false;
}

/* What chooses the next goroutine is called on the system's stack as well and never returns: above it is what
 * others left there. On x86 it has a frame from then on, and before that its goroutine's caller is above it. */
static bool leaves(const char *name)
{
	return !strcmp(name, "runtime.mcall");
}

static void put_switched(struct frames *f)
{
	put_u8(f, DW_CFA_def_cfa);
	put_uleb(f, X86_FP);
	put_uleb(f, 16);
	put_u8(f, DW_CFA_expression); /* as UNWIND_OTHER_STACK has it */
	put_uleb(f, X86_FP);
	put_uleb(f, 2);
	put_u8(f, DW_OP_breg0 + X86_FP);
	put_sleb(f, 0);
}

static void put_no_caller(struct frames *f)
{
	put_u8(f, DW_CFA_undefined);
	put_uleb(f, f->arm ? ARM_LR : X86_RA);
}

/* What is outermost is so on aarch64 alone, as the linker has it: on x86 a walk goes on from what handles
 * signals to what it interrupted, and others end in a zero. */
static void begin_function(void *ctx, u64 start, u64 size, const char *name, bool outermost)
{
	struct frames *f = ctx;

	end_entry(f);
	f->full = f->n > FRAMES_MAX;
	if (f->full)
		return;
	begin_entry(f, 0);
	put(f, &start, sizeof(start));
	put(f, &size, sizeof(size));
	f->at = start;
	f->leaves = leaves(name);
	f->outermost = f->arm && (outermost || f->leaves);
	f->switches = !f->arm && switches(name);
	if (f->switches)
		put_switched(f);
	if (f->outermost)
		put_no_caller(f);
}

/* A frame of aarch64 has the return address at its lower end. */
static void put_return(struct frames *f, s32 bytes)
{
	put_u8(f, bytes > 0 ? DW_CFA_offset | ARM_LR : DW_CFA_same_value);
	put_uleb(f, bytes > 0 ? (u32)bytes / 8 : ARM_LR);
}

static void put_depth(void *ctx, u64 from, s32 bytes)
{
	struct frames *f = ctx;

	if (f->full || f->outermost || f->switches)
		return;
	if (from != f->at) {
		put_u8(f, DW_CFA_advance_loc4);
		put_u32(f, (u32)(from - f->at));
	}
	f->at = from;
	put_u8(f, DW_CFA_def_cfa_offset_sf); /* what gives a frame back that is not its own is above it */
	put_sleb(f, (bytes + (f->arm ? 0 : 8)) / DATA_UNIT);
	if (f->arm)
		put_return(f, bytes);
	else
		put_fp(f, bytes > 0);
	if (f->leaves && bytes > 0)
		put_no_caller(f);
}

u8 *go_frames__make(const struct go_table *t, u16 machine, size_t *size)
{
	static const struct go_depths depths = {begin_function, put_depth};
	struct frames f = {.arm = machine == EM_AARCH64};

	put_common(&f);
	go_table__depths(t, &depths, &f);
	if (!f.full)
		end_entry(&f);
	*size = f.n;
	return f.bytes;
}
