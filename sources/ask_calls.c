// SPDX-License-Identifier: GPL-2.0-only
#include "sources/ask_calls.h"

#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <string.h>

#include "samples/syscall_names.h"

#define FEWEST 16 /* that are worth a program at each call of the machine */

#define ENTERS	"sys_enter_"
#define RETURNS "sys_exit_"

/* Kernel functions that are not called as their system calls. */
static const char *const renamed[][2] = {
	{"newstat", "stat"},   {"newlstat", "lstat"},	   {"newfstat", "fstat"},
	{"newuname", "uname"}, {"sendfile64", "sendfile"}, {"umount", "umount2"},
};

static int number_of(const char *function)
{
	int nr = syscall_nr(SYSCALL_NATIVE, function);

	for (u32 i = 0; i < ARRAY_SIZE(renamed) && nr < 0; i++)
		if (!strcmp(renamed[i][0], function))
			nr = syscall_nr(SYSCALL_NATIVE, renamed[i][1]);
	return nr < QUESTION_CALLS ? nr : -1;
}

/* QUESTION_NO_CALL: it is none, or of a call that is not known. */
static u32 side_of(const struct ask_target *t, int *nr)
{
	if (t->of->kind != EVENT_TRACEPOINT || !t->of->glob || strcmp(t->system, "syscalls"))
		return QUESTION_NO_CALL;
	if (!strncmp(t->event, ENTERS, sizeof(ENTERS) - 1)) {
		*nr = number_of(t->event + sizeof(ENTERS) - 1);
		return *nr < 0 ? QUESTION_NO_CALL : QUESTION_CALL_ENTERS;
	}
	if (!strncmp(t->event, RETURNS, sizeof(RETURNS) - 1)) {
		*nr = number_of(t->event + sizeof(RETURNS) - 1);
		return *nr < 0 ? QUESTION_NO_CALL : QUESTION_CALL_RETURNS;
	}
	return QUESTION_NO_CALL;
}

static u32 mark(struct ask *a, bool really)
{
	u32 n = 0;

	for (u32 i = 0; i < a->targets.n; i++) {
		struct ask_target *t = &a->targets.v[i];
		int nr = -1;
		u32 side = side_of(t, &nr);

		n += side != QUESTION_NO_CALL;
		if (really && side != QUESTION_NO_CALL) {
			t->call = (u8)side;
			t->call_nr = (u16)nr;
		}
	}
	return n;
}

void ask_calls__mark(struct ask *a)
{
	if (a->question->shape != ASK_HOLD && mark(a, false) >= FEWEST &&
	    libbpf_probe_bpf_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_FUNC_task_pt_regs, NULL) == 1)
		mark(a, true);
}

const char *ask_call__tracepoint(const struct ask_target *t)
{
	return t->call == QUESTION_CALL_ENTERS ? "sys_enter" : "sys_exit";
}

int ask_calls__add(const struct ask *a, struct bpf_object *obj, u32 target)
{
	const struct ask_target *t = &a->targets.v[target];
	const struct question_call_event e = {.slot = (u16)(1 + a->program_of[target]), .event = (u16)target};
	u32 at = t->call_nr + (t->call == QUESTION_CALL_RETURNS ? QUESTION_CALLS : 0);
	int fd = bpf_object__find_map_fd_by_name(obj, "question_calls");

	return bpf_map_update_elem(fd, &at, &e, BPF_ANY);
}
