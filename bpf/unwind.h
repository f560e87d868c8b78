/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Unwind tables as the programs read them; shared by kernel and user side. A table has, for each
 * range of an object's code, where the caller's registers are found: what .eh_frame says, cut
 * down to what compilers really emit, in 8 bytes.
 *
 * The CFA ("canonical frame address") is the stack pointer's value in the caller just before
 * the call. Offsets are in words of 8 bytes.
 */
#ifndef BPF_UNWIND_H
#define BPF_UNWIND_H

#include <linux/types.h>

struct unwind_row {
	__u32 pc;  /* from the table's base on; holds up to the next row's */
	__s16 cfa; /* CFA = base + 8 * cfa */
	__s8 fp;   /* where the caller's frame pointer is, see UNWIND_FP_x */
	__u8 rule; /* UNWIND_CFA_x | UNWIND_FP_x | UNWIND_RA_x */
};

/* What the CFA is counted from. */
#define UNWIND_CFA 0x07
/* No code, or described in a way that is none of these. With a cfa: x86's rbx + 8 * cfa, which is
 * known of the innermost frame alone. */
#define UNWIND_CFA_NONE	    0
#define UNWIND_CFA_SP	    1
#define UNWIND_CFA_FP	    2
#define UNWIND_CFA_PLT	    3 /* x86: sp + 8, and 8 more from byte 11 of each 16 on */
#define UNWIND_CFA_DEREF_FP 4 /* the word at fp + 8 * (cfa / 8) is the CFA: a realigned stack */
#define UNWIND_CFA_DEREF_SP 5 /* the same at sp + 8 * (cfa / 8) */
#define UNWIND_CFA_SIGNAL   6 /* a signal's frame: the registers are in the ucontext at sp */
#define UNWIND_CFA_END	    7 /* the outermost frame: there is no caller */

/* Of a row with one of UNWIND_CFA_DEREF_x. The lowest bits are the words that the CFA is above what
 * is read: OpenSSL's assembly keeps what the stack pointer was behind the call, and what glibc's
 * _dl_runtime_resolve has in rbx is some words below it. */
#define UNWIND_DEREF_ADD_MAX	 7
#define UNWIND_DEREF(words, add) (8 * (words) + (add))
#define UNWIND_DEREF_WORDS(cfa)	 ((cfa) >> 3)
#define UNWIND_DEREF_ADDS(cfa)	 (8 * ((cfa)&UNWIND_DEREF_ADD_MAX))

/* The caller's frame pointer. */
#define UNWIND_FP	0x18
#define UNWIND_FP_SAME	0x00 /* as it is */
#define UNWIND_FP_SAVED 0x08 /* at CFA + 8 * fp */
#define UNWIND_FP_AT_FP 0x10 /* at the frame pointer + 8 * fp: a realigned stack */
#define UNWIND_FP_AT_BASE 0x18 /* aarch64: at what the CFA is counted from + 8 * fp: a large frame */

/* What compilers have no use for: the caller's frame is on another stack, so it may lie below. */
#define UNWIND_OTHER_STACK (UNWIND_CFA_FP | UNWIND_FP_AT_FP)

static inline int unwind_row__is_other_stack(const struct unwind_row *row)
{
	return (row->rule & (UNWIND_CFA | UNWIND_FP)) == UNWIND_OTHER_STACK;
}

/* The return address. */
#define UNWIND_RA	    0x60
#define UNWIND_RA_BELOW_CFA 0x00 /* at CFA - 8: x86, always */
#define UNWIND_RA_ABOVE_FP  0x20 /* aarch64: behind the caller's frame pointer */
#define UNWIND_RA_LR	    0x40 /* aarch64: still in its register: a leaf */
#define UNWIND_RA_AT_FP	    0x60 /* aarch64: at CFA + 8 * fp; the frame pointer is as it is */

/* Where aarch64's pointer authentication keeps its signature in a return address; a user address has
 * nothing there (ptrauth_user_pac_mask() of the kernel, with 48 bits of addresses). */
#define UNWIND_SIGNATURE 0x007f000000000000ULL

/*
 * Tables are trees of pages with 512 entries each, by pc: of rows at the bottom, of struct
 * unwind_child above. What is left of a page is filled with UNWIND_PC_NONE. Pages are numbered;
 * UNWIND_BLOCK_PAGES of them are an array map, so that memory is taken as it is needed.
 */
#define UNWIND_PAGE_ENTRIES 512
#define UNWIND_BLOCK_PAGES  256 /* 1 MiB */
#define UNWIND_BLOCKS	    256
#define UNWIND_DEPTH	    3 /* of pages: 128 Mi rows */
#define UNWIND_PC_NONE	    0xffffffffu

struct unwind_child {
	__u32 pc; /* of its first entry */
	__u32 page;
};

struct unwind_page {
	__u64 entry[UNWIND_PAGE_ENTRIES];
};

enum unwind_how {
	UNWIND_BY_NOTHING, /* its table is not there (yet) */
	UNWIND_BY_TABLE,
	UNWIND_BY_FP, /* it has none: frame pointers are the best that is known */
};

/* Executable segments; objects with more than so many have no table. */
#define UNWIND_SEGMENTS 4

struct unwind_segment {
	__u64 offset, end; /* in the file */
	__s64 pc;	   /* what to add to an offset for the table's pc */
};

struct unwind_object {
	__u32 how;	   /* enum unwind_how */
	__u32 root, depth; /* of its pages */
	__u32 page_shift;  /* of this machine; in UNWIND_OBJECT_FP's entry alone */
	__u32 table, pad;  /* a number that no other table had */
	__u64 used_ns;	   /* when it was looked at last; written by the programs */
	struct unwind_segment segments[UNWIND_SEGMENTS];
};

#define UNWIND_OBJECTS	 4096
#define UNWIND_OBJECT_FP 0 /* code without a file: JITs */

/* A file as the kernel knows it, for processes that are walked by the kernel's own list of what is
 * mapped: user space says which object it is. Times and sizes are there since numbers of inodes
 * are used again, and files are written over. */
struct unwind_file {
	__u64 ino; /* 0: none */
	__u64 size;
	__s64 mtime; /* in seconds */
	__u32 dev, generation;
};

#define UNWIND_FILE_VDSO (~0ULL) /* for the number */
#define UNWIND_FILES	 8192

struct unwind_mapping {
	__u64 start, end;
	__u64 offset; /* in the file, of start */
	__u64 object; /* in the map unwind_objects */
};

/* Mappings of a process come in parts, by address. */
#define UNWIND_PART  64
#define UNWIND_PARTS 32

struct unwind_part_key {
	__u32 tgid, part;
};

struct unwind_part {
	struct unwind_mapping v[UNWIND_PART]; /* what is left has start ~0 */
};

struct unwind_process {
	__u64 exec_id; /* task_struct.self_exec_id: which program it runs */
	__u32 maps_id; /* another number whenever what is mapped has changed */
	__u32 nparts;
	__u32 script; /* enum script_kind */
	__u32 pad;
	__u64 begins[UNWIND_PARTS]; /* of the parts */
};

/* What walks go by; the programs' unwind_by_tables. */
#define UNWIND_NO_TABLES   0 /* frame pointers alone */
#define UNWIND_TABLES	   1 /* tables, and frame pointers where there are none */
#define UNWIND_TABLES_ONLY 2
#define UNWIND_OFF	   3 /* user stacks are not wanted */

/* Why a walk ended; in this order in struct unwind_stats. */
enum unwind_end {
	UNWIND_GOES_ON,
	UNWIND_WHOLE,	  /* the outermost frame */
	UNWIND_CUT,	  /* the depth limit */
	UNWIND_UNKNOWN,	  /* the process, or what is mapped there, is not known yet */
	UNWIND_NO_TABLE,  /* the object's table is not there yet */
	UNWIND_NO_ROW,	  /* the table says nothing of that place */
	UNWIND_BAD_STACK, /* memory that is not there, or a frame that is not above the last one */
	UNWIND_FP_END,	  /* frame pointers led no further */
	UNWIND_GONE,	  /* its memory is given back: it ends, or begins to run another program */
	UNWIND_FP_ZERO,	  /* the chain of frame pointers ended properly, in a zero */
	UNWIND_ENDS,
	UNWIND_NO_CODE, /* of a step: none is mapped there */
	UNWIND_JIT,	/* of a step: code in no file, in a process with a JIT that is known */
};

/* Per CPU. */
struct unwind_stats {
	__u64 ends[UNWIND_ENDS];
	__u64 listed; /* walks that looked up the kernel's own list of what is mapped */
	/* In processes with an interpreter: with its frames; that could not be read, or were not what
	 * they should be; of which it was not clear which native frames they belong to. */
	__u64 scripts, scripts_doubt, scripts_astray;
};

/* What is asked for: RECORD_UNWIND of enum record_type. Without a file what is mapped in the
 * process, else which object the file is. */
struct unwind_record {
	__u32 type;
	__u32 tgid;
	__u64 exec_id;
	__u64 ip; /* where nothing is known to be mapped, or the table is not there */
	__u64 t_ns;
	struct unwind_file file; /* what is mapped there */
};

#endif
