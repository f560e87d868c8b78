/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * HotSpot from outside: whether a file is one, where things are in a process that runs it, and
 * which methods a frame in its code cache is of. It describes itself in the tables that its own
 * debugger reads (vmStructs). What is in a process is hostile: it is read in bounds and checked,
 * never followed without end. Any thread.
 */
#ifndef SYMBOLS_HOTSPOT_H
#define SYMBOLS_HOTSPOT_H

#include "base/base.h"
#include "bpf/hotspot.h"
#include "symbols/process_memory.h"
#include "symbols/runtime_thread.h"

/* A table of its description: a pointer to it, and numbers that say how an entry looks. */
struct hotspot_table {
	u64 at, stride;
	u64 type, name; /* of a structure's field; else name alone */
	u64 is_static, offset, address, value;
};

/* What a file has; addresses as its symbols have them. */
struct hotspot_file {
	struct hotspot_table structs, types, ints;
};

/* False: it is none. */
bool hotspot_file__read(int fd, struct hotspot_file *out);

/* Where its threads are and what they are called. */
struct hotspot_threads {
	u64 list; /* the address of what leads to it; 0: it is not described */
	u32 length, threads, object, os, id;
	u64 narrow_base, narrow_shift; /* of references of four bytes */
};

/* A process that runs one. Offsets in bytes, from the beginning of what they are named for. */
struct hotspot {
	struct hotspot_runtime rt; /* but for exec_id */
	u32 version;		   /* 17 */
	u32 nmethod_size, pc_desc_size;
	/* Debug information: in the nmethod, or memory of its own that it points to. */
	u32 scopes_data, scopes_pcs, scopes_pcs_end; /* 0: up to the data's end */
	u32 immutable;				     /* 0: in the nmethod */
	u32 metadata, mutable_data, relocation_size; /* mutable_data 0: in the nmethod */
	u32 const_flags, has_lines, const_name;
	u32 pool_tags, pool_holder, pool_size, pool_source;
	bool source_of_class; /* pool_source is in the class */
	u32 klass_name, klass_pool, symbol_length, symbol_body, tags_data;
	struct hotspot_threads threads;
};

/* What its frames look like in that process; bias: to be added to the file's addresses. 0; -EAGAIN:
 * the virtual machine has not begun yet; else -errno and why, which stays. */
int hotspot__attach(const struct hotspot_file *f, u64 bias, const struct process_memory *m,
		    struct hotspot *out, const char **why);

/* --- threads --- */

#define HOTSPOT_COMM 15 /* as much of a name as the kernel has */

/* Their ids and where they are, at most max. */
u32 hotspot_threads__list(const struct hotspot *h, const struct process_memory *m, struct runtime_thread *to,
			  u32 max);
/* The whole of a name that comm is cut from; false: it is not longer, or not found. */
bool hotspot_thread__name(const struct hotspot *h, const struct process_memory *m, u64 thread,
			  const char *comm, char *to, size_t size);

/* --- methods --- */

#define HOTSPOT_NAME_MAX  512
#define HOTSPOT_LINES_MAX (64u << 10) /* bytes of a table of lines; a longer one counts as none */

struct hotspot_method {
	u64 print;		     /* as the programs in the kernel make it */
	char name[HOTSPOT_NAME_MAX]; /* "java.util.HashMap.put" */
	char file[HOTSPOT_NAME_MAX]; /* "java/util/HashMap.java" */
	u32 first_line, last_line;   /* 0: it has none */
	u8 *lines;		     /* the caller's; NULL: none */
	u32 nlines;
};

/* 0 or -errno: it is no method (any more). */
int hotspot_method__read(const struct hotspot *h, const struct process_memory *m, u64 address,
			 struct hotspot_method *out);
/* What the programs would sum up of it now; 0: it is none. */
u64 hotspot_method__print(const struct hotspot *h, const struct process_memory *m, u64 address);
/* The line of a bytecode; 0: it has none. */
u32 hotspot_lines__find(u32 version, const u8 *table, u32 size, u32 bci);

/* A number of the virtual machine's own packing; false: the bytes end before it does. */
struct bytes;
bool hotspot__number(u32 version, struct bytes *b, u32 *out);

/* --- compiled code --- */

#define HOTSPOT_SCOPES 64 /* inlined into each other; further ones are left out */

struct hotspot_scope {
	u64 method;
	u32 bci; /* above HOTSPOT_BCI_MAX: not known */
};

/* A frame in the code cache that is none of the interpreter. */
struct hotspot_frame {
	u64 print;
	char stub[64]; /* what the virtual machine calls its own code; "": it is of a method */
	u32 n;	       /* innermost first; what is not sure is left out */
	struct hotspot_scope scopes[HOTSPOT_SCOPES];
};

struct disasm;
/* word: as of the programs (bpf/hotspot.h); dis: of this machine, or NULL: less is known of what is
 * inlined. 0 or -errno: there is no such code (any more). */
int hotspot_frame__read(const struct hotspot *h, const struct process_memory *m, struct disasm *dis,
			u64 word, struct hotspot_frame *out);
/* The block of the code cache that has an address; 0: none has. */
u64 hotspot__block(const struct hotspot *h, const struct process_memory *m, u64 ip);

#endif
