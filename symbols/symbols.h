/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Symbols: address -> object and offset -> function -> line and inline chain.
 *
 * Three stable id spaces, all append-only while the program runs, 0 is "unknown" in each:
 *   object  an ELF file (by build-id, else by device and inode), the kernel, a module,
 *	     the vdso, one process's JIT code
 *   loc     (object, offset): what a sampled address is, independent of where it was mapped
 *   func    a function of an object
 *
 * An offset counts from the start of the file for ELF objects and of the image for the vdso;
 * of the kernel, its modules, BPF programs and JIT code it is the address itself; of interpreted
 * functions it is a line of their file, which is their object.
 *
 * While a loc has no func its object is what was mapped. With its func it gets that func's
 * object: the module or BPF program instead of "[kernel]", and one object for files that are
 * equal by build-id and segments. After that it changes only from a guess (FUNC_GUESSED) to a
 * name, when a perf map grows, kallsyms is read again, or the file can be read after all;
 * the generation rises then.
 *
 * Threads: the collector calls symbols__proc_event, __locate, __named. A worker of symbols'
 * own reads files and resolves locs to funcs. Readers on any thread use the wait-free
 * getters; what they return is immutable and lives as long as struct symbols.
 *
 * Files are hostile: a broken ELF, DWARF or perf map yields unknown names and a reason in
 * sym_object.note, never a crash or an unbounded read.
 */
#ifndef SYMBOLS_SYMBOLS_H
#define SYMBOLS_SYMBOLS_H

#include "base/status.h"
#include "samples/address_names.h"
#include "samples/sample.h"
#include "samples/unwind.h"
#include "samples/walk.h"
#include "symbols/sym.h"

/* Starts the worker. kallsyms and the like are read there, in the background. */
struct symbols *symbols__new(struct status *st);
void symbols__free(struct symbols *s);

/* --- collector thread --- */

/* Upkeep from the sideband: fork, exec, exit, mmap. Exited processes keep their maps for a
 * bounded time and number. */
void symbols__proc_event(struct symbols *s, const struct proc_event *ev);
/* The id of what lay at a user address of a process at a time, or at a kernel address.
 * Reads /proc/PID/maps at the first sight of a process. Asks the worker to resolve. */
u32 symbols__locate_user(struct symbols *s, u32 tgid, u64 t_ns, u64 ip);
u32 symbols__locate_kernel(struct symbols *s, u64 ip);
/* d, or where there are interpreted functions in it, room: the same with their locs in the place of
 * what the programs in the kernel say of them (SCRIPT_FRAME | loc). ips: room for all frames and some
 * more, as compiled code may have several functions in it. */
const struct stack_def *symbols__name_scripts(struct symbols *s, const struct stack_def *d, u64 *ips,
					      u32 nips, struct stack_def *room);
/* From now on sink is told what is mapped in that process, and has the unwind tables of it. There
 * is one sink. */
void symbols__unwind(struct symbols *s, const struct unwind_sample *wanted,
		     const struct unwind_sink *sink);
/* Once an interval: what runtimes call their threads, as SAMPLE_THREAD_NAME (symbols/thread_names.h). */
void symbols__thread_names(struct symbols *s, const struct sample_sink *sink);
/* Walks copies of user stacks of processes of this machine; lives as long as s. */
const struct stack_walker *symbols__stack_walker(struct symbols *s);
/* Names what is mapped in processes of this machine; lives as long as s. */
const struct address_names *symbols__address_names(struct symbols *s);
/* A loc whose function is known by name already (folded stacks, scripted tests). */
u32 symbols__named(struct symbols *s, const char *object, const char *func, enum code_kind kind);
/* Wakes the worker for what was asked since; once a drain. */
void symbols__kick(struct symbols *s);

/* --- any thread, wait-free --- */

/* The loc's function: 0 while not yet resolved. */
u32 symbols__func_of(const struct symbols *s, u32 loc);
u32 symbols__object_of(const struct symbols *s, u32 loc);
u64 symbols__offset_of(const struct symbols *s, u32 loc);
/* The same for what others will read: in the place of an address that the kernel hides from us,
 * though it came with a sample, a number that is the loc's alone. May read a file, once. */
#define SYM_HIDDEN (1ULL << 62) /* in such a number, and in no address of a kernel */
u64 symbols__recorded_offset(struct symbols *s, u32 loc);
/* NULL while the worker has not looked at it. */
const struct sym_object_info *symbols__object_info(const struct symbols *s, u32 object);
/* Functions inlined at a loc, innermost first, without the containing function itself.
 * Returns their number (0: none), fills funcs; -1: asked for, not there yet. */
int symbols__inlined(struct symbols *s, u32 loc, u32 *funcs, int max);
/* The same without asking: -1 when nobody has, or it is not there yet. */
int symbols__inlined_known(const struct symbols *s, u32 loc, u32 *funcs, int max);
/* Code of this machine and of a recording, or of two recordings, is there side by side: functions are
 * the same by their names and their objects' names, whatever their ids. Set once; what was asked
 * before counts by ids. */
void symbols__set_mixed(struct symbols *s);
bool symbols__is_mixed(const struct symbols *s);
/* Kernel code was met and has no names, as the kernel hides its addresses from us: SYMBOLS_HIDDEN. Any
 * thread. */
bool symbols__are_hidden(const struct symbols *s);
/* Counts up whenever something became resolved: whoever shows names looks again. */
u64 symbols__generation(const struct symbols *s);
/* An eventfd that becomes readable when the generation rises; owned by symbols. */
int symbols__event_fd(const struct symbols *s);
/* Blocks until nothing is pending or the time is over; true when settled. Not for the UI. */
bool symbols__wait(struct symbols *s, u32 timeout_ms);

struct symbols_stats {
	u64 locs, funcs, objects, processes;
	u64 pending; /* locs without a function yet */
	u64 memory_bytes;
	u64 overflow; /* locs refused since the tables are full: shown as [unknown] */
};
void symbols__stats(const struct symbols *s, struct symbols_stats *out);

/* The object whose names and debug information are being read, and since when; NULL: none is. */
const struct sym_object *symbols__reading(const struct symbols *s, u64 *since_ns);

/* As unwinder__settle(); true where no process was asked for. Collector thread. */
bool symbols__unwind_settle(struct symbols *s, u32 timeout_ms);
void symbols__unwind_stats(const struct symbols *s, struct symbols_unwind_stats *out);

/* --- annotate: any thread asks, the worker computes --- */

/* Returns a reference, or NULL: asked for; look again when the generation rises. The last
 * few are cached. */
const struct annotation *symbols__annotate(struct symbols *s, u32 func);
/* The same of a BPF program that is loaded here (symbols/bpf_code.h); the last one is cached. */
const struct annotation *symbols__bpf_code(struct symbols *s, u32 prog, u64 loaded_ns, enum bpf_code which);

#endif
