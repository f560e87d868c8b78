// SPDX-License-Identifier: GPL-2.0-only
/* Functions of programs: how often they are called, how long they take, from where. */
#include <stdio.h>

#include "bpf/funcs.h"
#include "measures/parts.h"

enum {
	BY_FUNCTION, BY_OBJECT, BY_ARG1, BY_ARG2, BY_ARG3, BY_PID, BY_TID, BY_COMM, BY_CGROUP, BY_STACK,
	LABELS,
};

#define ARG(n)                                                                                     \
	{                                                                                          \
		.name = "arg" #n, .title = "Argument " #n, .width = 20, .bits = 64,                \
		.help = "argument or result, as it was asked for with `by`",                       \
		.word = FUNCS_LABEL_ARG + (n)-1,                                                   \
	}

static const struct measure_label labels[LABELS] = {
	[BY_FUNCTION] = {.name = "function", .title = "Function", .width = 28,
			 .help = "the function that was called", .bits = 32,
			 .word = FUNCS_LABEL_FUNCTION},
	[BY_OBJECT] = {.name = "object", .title = "Object", .width = 16,
		       .help = "program or library that it is in", .bits = 32,
		       .word = FUNCS_LABEL_FUNCTION, .implied_by = 1u << BY_FUNCTION},
	[BY_ARG1] = ARG(1),
	[BY_ARG2] = ARG(2),
	[BY_ARG3] = ARG(3),
	[BY_PID] = {.name = "pid", .title = "PID", .kind = LABEL_PID, .help = "process"},
	[BY_TID] = {.name = "tid", .title = "TID", .kind = LABEL_TID, .help = "thread"},
	[BY_COMM] = {.name = "comm", .title = "Command", .width = 15, .kind = LABEL_COMM,
		     .help = "name of the thread"},
	[BY_CGROUP] = {.name = "cgroup", .title = "Cgroup", .width = 20, .kind = LABEL_CGROUP,
		       .help = "cgroup of the process"},
	[BY_STACK] = {.name = "stack", .title = "Called from", .width = 24, .kind = LABEL_STACK,
		      .help = "where the call returned to"},
};

/* So long is a name without its list of types, which stands in the way where arguments follow: of "f(int) const"
 * it is "f". */
static int bare_length(const char *name)
{
	const char *at = strrchr(name, ')');
	int depth = 0;

	for (; at && at > name; at--) {
		depth += (*at == ')') - (*at == '(');
		if (!depth)
			return (int)(at - name);
	}
	return (int)strlen(name);
}

/* "read_all(fd=3, ret=4096)" */
static void call_text(const struct measure_key *keys, char *buf, size_t size)
{
	const char *name = keys[BY_FUNCTION].text, *before = "(";
	bool has_args = *keys[BY_ARG1].text || *keys[BY_ARG2].text || *keys[BY_ARG3].text;
	size_t len = (size_t)snprintf(buf, size, "%.*s", has_args ? bare_length(name) : (int)strlen(name), name);

	for (u32 i = BY_ARG1; i <= BY_ARG3 && len < size; i++) {
		if (!*keys[i].text)
			continue;
		len += (size_t)snprintf(buf + len, size - len, "%s%s", before, keys[i].text);
		before = ", ";
	}
	if (*before == ',' && len < size)
		snprintf(buf + len, size - len, ")");
}

static void slow_text(const struct measure_slow *slow, const struct measure_key *keys, char *buf,
		      size_t size)
{
	char parts[160], call[384];

	call_text(keys, call, sizeof(call));
	parts__text(slow, parts, sizeof(parts));
	snprintf(buf, size, "%s%s%s", call, *parts ? ": " : "", parts);
}

const struct measure measure_funcs = {
	MEASURE_HERE,
	.name = "funcs",
	.noun = "calls",
	.event = "functions",
	.shape = MEASURE_SHAPE_SPAN,
	.labels = labels,
	.nlabels = LABELS,
	.by = 1u << BY_FUNCTION,
	.kept = FUNCS_LABEL_FUNCTION,
	.sums = {PARTS_SUMS},
	.rest = {.name = "blocked_ns",
		 .title = "Blocked",
		 .help = "of the total: waiting for something; for what the columns behind it say",
		 .type = VALUE_NS},
	.drills = (const u32[]){1u << BY_STACK, 0},
	.notes = {[FUNCS_NOTE_LEFT] = "calls were left without a return, or their threads ended: not timed",
		  [FUNCS_NOTE_DEEP] = "calls were nested too deep to be timed",
		  [FUNCS_NOTE_ARGS] = "arguments could not be read: 0 or empty, or not taken",
		  [FUNCS_NOTE_BUSY] = "calls have no stack: another thread's was taken"},
	.hint = "A picks functions; so does :function PATH:GLOB (PATH a program, a library or pid:N); with \"by A, B\" behind it their arguments",
	.text = slow_text,
};
