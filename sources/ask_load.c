// SPDX-License-Identifier: GPL-2.0-only
/* The programs of a question are loaded, with its code in the place that is kept for it. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "sources/ask_links.h"
#include "sources/ask_log.h"
#include "sources/bpf_util.h"
#include "sources/measure.h"
#include "sources/uprobe.h"

/* Whose programs are loaded at the moment. Collector thread only. */
static const struct ask *loading;

/* NULL: the question needs none of that name ("trace_0"). */
static const struct ask_program *program_named(const struct ask *a, const char *name)
{
	const char *end = strrchr(name, '_');
	u32 slot = end ? (u32)(end[1] - '0') : QUESTION_SLOTS;

	if (slot >= a->nprograms || end[2])
		return NULL;
	return strlen(a->programs[slot].type) == (size_t)(end - name) &&
			       !strncmp(a->programs[slot].type, name, (size_t)(end - name))
		       ? &a->programs[slot]
		       : NULL;
}

static int put_code(const void *code, struct bpf_insn *insns, u32 n)
{
	return eval__splice(code, insns, n);
}

static int splice(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	const struct ask_program *p = program_named(loading, bpf_program__name(prog));

	(void)opts, (void)cookie;
	return p ? bpf_util__edit(prog, put_code, &p->code) : -EINVAL;
}

void ask_load__register(void)
{
	static const struct {
		const char *section;
		enum bpf_prog_type type;
	} all[] = {
		{"qtrace", BPF_PROG_TYPE_TRACEPOINT}, {"qraw", BPF_PROG_TYPE_RAW_TRACEPOINT},
		{"qperf", BPF_PROG_TYPE_PERF_EVENT},  {"quser", BPF_PROG_TYPE_KPROBE},
		{"qkernel", BPF_PROG_TYPE_KPROBE},
	};
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .prog_prepare_load_fn = splice);
	static bool done;

	for (u32 i = 0; i < ARRAY_SIZE(all) && !done; i++)
		libbpf_register_prog_handler(all[i].section, all[i].type, 0, &opts);
	done = true;
}

/* A thread that ends leaves what it was in, where threads are what spans are matched by. */
static bool needs_exits(const struct ask *a)
{
	for (u32 i = 0; i < a->nprograms; i++)
		if (a->programs[i].slot.does == QUESTION_ENDS)
			return !a->programs[i].slot.on;
	return a->question->shape == ASK_NEST && !a->question->on;
}

/* The kernel drops what would interrupt another program of these types; a system call neither enters nor returns
 * within another, but is interrupted. */
static u32 may_nest(const struct ask *a)
{
	bool calls = false, others = false;

	for (u32 i = 0; i < a->nprograms; i++) {
		const struct ask_program *p = &a->programs[i];

		if (p->slot.call)
			calls = true;
		else if (!strcmp(p->type, "trace") || !strcmp(p->type, "perf") || !strcmp(p->type, "kernel"))
			others = true;
		else
			return 1;
	}
	return calls && others;
}

/* Of those no event of a thread comes while another one is counted. */
static bool are_functions(const struct ask *a)
{
	for (u32 i = 0; i < a->nprograms; i++)
		if (strcmp(a->programs[i].type, "user"))
			return false;
	return true;
}

static void fill_slots(const struct ask *a, struct question_slot *slots)
{
	bool apart = are_functions(a) || !may_nest(a);

	for (u32 i = 0; i < a->nprograms; i++) {
		slots[i] = a->programs[i].slot;
		slots[i].alone = slots[i].does == QUESTION_COUNTS && slots[i].plain && !slots[i].stack &&
				 !slots[i].call && apart;
	}
}

static bool needs_texts(const struct ask *a)
{
	for (u32 i = 0; i < a->nprograms; i++)
		if (a->programs[i].slot.texts_kept)
			return true;
	return false;
}

/* Which no timer ends. */
static bool fills_slots(const struct ask *a)
{
	return a->programs[0].slot.does == QUESTION_FILLS && !a->programs[0].slot.ticked;
}

static void make_room(struct bpf_object *obj, const char *map)
{
	bpf_map__set_max_entries(bpf_object__find_map_by_name(obj, map), QUESTION_SPANS);
}

void ask_load__prepare(const struct ask *a, struct bpf_object *obj)
{
	struct question_slot slots[QUESTION_SLOTS] = {0};
	u32 nests = may_nest(a);
	struct bpf_program *prog;

	fill_slots(a, slots);
	measure_programs__set(obj, "slots", slots, sizeof(slots));
	measure_programs__set(obj, "may_nest", &nests, sizeof(nests));
	bpf_object__for_each_program(prog, obj) {
		const char *name = bpf_program__name(prog);

		bpf_program__set_autoattach(prog, false);
		if (*bpf_program__section_name(prog) == 'q')
			bpf_program__set_autoload(prog, program_named(a, name) != NULL);
		if (!strncmp(name, "user_", 5) && bpf_program__autoload(prog) && a->uprobe_links)
			bpf_program__set_expected_attach_type(prog, UPROBE_MULTI_TYPE);
		if (!strcmp(name, "question_exit"))
			bpf_program__set_autoload(prog, needs_exits(a));
		if (!strcmp(name, "question_flush"))
			bpf_program__set_autoload(prog, fills_slots(a));
	}
	if (a->question->shape == ASK_SPAN)
		make_room(obj, "spans");
	if (needs_texts(a))
		make_room(obj, "span_texts");
	if (a->question->every_ns)
		measure_programs__set(obj, "burst_ns", &a->question->every_ns, sizeof(u64));
	if (a->question->shape == ASK_NEST)
		make_room(obj, "nests");
	if (a->question->shape != ASK_HOLD)
		ask_log__prepare(a, obj);
	loading = a;
}
