// SPDX-License-Identifier: GPL-2.0-only
/* Watched addresses: which code reads, writes or executes them, and what is there then. */
#include "bpf/watch.h"
#include "samples/measure.h"

enum {
	BY_ADDRESS, BY_SYMBOL, BY_FUNCTION, BY_LINE, BEFORE, AFTER, REGISTERS, BY_PID, BY_TID, BY_COMM, BY_CGROUP,
	BY_STACK,
	LABELS,
};

#define OF_PLACE .word = WATCH_LABEL_PLACE, .bits = 64

static const struct measure_label labels[LABELS] = {
	[BY_ADDRESS] = {.name = "address", .title = "Address", .width = 18, .address = true, OF_PLACE,
			.help = "what is watched, in the process"},
	[BY_SYMBOL] = {.name = "symbol", .title = "Symbol", .width = 24, OF_PLACE,
		       .implied_by = 1u << BY_ADDRESS, .help = "what is there, as --watch has it"},
	[BY_FUNCTION] = {.name = "function", .title = "Function", .width = 24,
			 .word = WATCH_LABEL_CODE, .bits = 64,
			 .implied_by = 1u << BY_LINE, .help = "function whose code touches it"},
	[BY_LINE] = {.name = "line", .title = "Line", .width = 20, .word = WATCH_LABEL_CODE, .bits = 64,
		     .help = "line of the code that touches it, by debug information"},
	[BEFORE] = {.name = "before", .title = "Before", .width = 12, OF_PLACE, .number = true,
		    .implied_by = 1u << BY_ADDRESS,
		    .help = "what was there before the row's last hit of the interval"},
	[AFTER] = {.name = "after", .title = "After", .width = 12, OF_PLACE, .number = true,
		   .implied_by = 1u << BY_ADDRESS, .help = "and after it"},
	[REGISTERS] = {.name = "registers", .title = "Registers", .width = 40, OF_PLACE,
		       .implied_by = 1u << BY_ADDRESS, .help = "at the row's last hit of the interval"},
	[BY_PID] = {PID_LABEL("process")},
	[BY_TID] = {TID_LABEL("thread")},
	[BY_COMM] = {COMM_LABEL("name of the thread")},
	[BY_CGROUP] = {CGROUP_LABEL},
	[BY_STACK] = {STACK_LABEL("Touched in", "stack of the code that touches it")},
};

const struct measure measure_watch = {
	MEASURE_HERE,
	.name = "watch",
	.noun = "hits",
	.event = "hardware breakpoints",
	.shape = MEASURE_SHAPE_COUNT,
	.labels = labels,
	.nlabels = LABELS,
	.by = 1u << BY_ADDRESS | 1u << BY_FUNCTION,
	.kept = WATCH_LABEL_PLACE,
	.latest = true,
	.notes = {[WATCH_NOTE_OTHERS] = "hits did not meet the condition"},
	.hint = ":watch PROGRAM:VARIABLE, or --watch, says what to watch",
	.drills = (const u32[]){1u << BY_LINE, 1u << BY_STACK, 0},
};
