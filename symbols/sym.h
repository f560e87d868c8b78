/* SPDX-License-Identifier: GPL-2.0-only */
/* What symbols consist of: the types that its files and those who ask it share, and how an id
 * becomes one. symbols/symbols.h says what the ids are. */
#ifndef SYMBOLS_SYM_H
#define SYMBOLS_SYM_H

#include "base/base.h"

struct symbols;

enum code_kind {
	CODE_UNKNOWN,
	CODE_USER,
	CODE_KERNEL,
	CODE_JIT,
	CODE_VDSO,
	CODE_BPF,
	/* Of languages, whoever runs them; recordings have these numbers, so new ones come last. */
	CODE_PYTHON,
	CODE_JAVA,
	CODE_JAVASCRIPT,
	CODE_PHP,
	CODE_RUBY,
	CODE_PERL,
};
#define CODE_KINDS (CODE_PERL + 1)

/* Its offsets are lines of its source. */
static inline bool code_kind__is_lines(enum code_kind kind)
{
	return kind >= CODE_PYTHON;
}

struct sym_object {
	u32 id;
	enum code_kind kind;
	const char *name; /* short: "libc.so.6", "[kernel]", "[nf_tables]", "[jit] node:4711" */
	const char *path; /* as the process sees it */
	u32 tgid;	  /* a process through whose /proc/PID/root the path is read; 0 none */
	u32 dev_major, dev_minor;
	u64 inode;
};

/* What the worker found out about an object; immutable once returned. */
struct sym_object_info {
	char build_id[41]; /* hex, "" none */
	bool has_symtab, has_dwarf; /* has_dwarf: or Go's table, which tells as much of lines */
	char source[24]; /* where the names come from: symtab dynsym debugdata debuglink gopclntab
			    build-id kallsyms perf-map vdso vsyscall none */
	char note[128]; /* what is wrong or missing, and what to install; "" if nothing */
};

enum func_flag {
	FUNC_OUTERMOST = 1, /* a stack that ends here is whole (_start, thread start ...) */
	FUNC_GUESSED = 2,   /* no symbol covers it: named object+offset */
	FUNC_GO = 4,	    /* Go's runtime knows it as one of its own */
};

struct sym_func {
	u32 id;
	u32 object;
	enum code_kind kind;
	u32 flags;
	u64 start, size; /* offsets in the object, as in struct sym_loc; size 0 unknown */
	const char *name;    /* demangled */
	const char *linkage; /* as in the file; may be the same pointer */
};

#define SYM_UNKNOWN 0u /* loc, func, object 0: no mapping was known; name "[unknown]" */

/* Why code of the kernel has no names. */
#define SYMBOLS_HIDDEN                                                                             \
	"the kernel hides its addresses: run as root, or sysctl kernel.kptr_restrict=0"

/* Any thread, wait-free. */
const struct sym_func *symbols__func(const struct symbols *s, u32 func);       /* never NULL */
const struct sym_object *symbols__object(const struct symbols *s, u32 object); /* never NULL */

struct symbols_unwind_stats {
	u64 files;	      /* objects that tables were asked for of */
	u64 tables, rows;     /* that were built; tables: and are there */
	u64 without;	      /* objects that describe nothing: walked by frame pointers */
	u64 bytes, evictions; /* memory of tables; tables that made room */
	u64 budget;	      /* the most that bytes may be */
	u64 build_ns;	      /* what building took in all */
	/* Stacks with interpreted functions, since start; and those whose functions were others by the
	 * time their names were read. */
	u64 scripts_named, scripts_gone;
	const char *scripts_note; /* why an interpreter is not walked; NULL: there is none such */
};

/* --- annotated code --- */

struct annotated_insn {
	u64 offset;	   /* in the object */
	u32 size;
	const char *text;  /* mnemonic and operands */
	const char *file;  /* of its source line; NULL unknown */
	u32 line, column;  /* 0 unknown; columns of BPF programs alone are known */
	const char *source; /* the text of that line when the file can be read; NULL */
	const char *inlined; /* innermost inlined function here; NULL when none */
	u64 target;	   /* direct jump or call: offset in this object, 0 none */
};

/* One function's code; immutable, one reference per taker. */
struct annotation {
	_Atomic u32 refs;
	u32 func;
	u32 ninsns;
	const struct annotated_insn *insns; /* by offset */
	char note[192]; /* why there is no code or no source, and what would give it; "" fine */
};
void annotation__put(const struct annotation *a);

/* The codes of a BPF program: as the kernel has it, and as it was compiled for the machine. */
enum bpf_code { BPF_BYTECODE, BPF_MACHINE_CODE, BPF_CODES };

#endif
