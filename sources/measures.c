// SPDX-License-Identifier: GPL-2.0-only
/* The measures of measures/measures.def: their programs, what is special to each, their sources. */
#include "sources/measures.h"

#include "base/embed.h"
#include "sources/bpf_source.h"
#include "sources/unwind_tasks.h"

#define MEASURE(id, name, ...) EMBED(proftop_bpf_##name, BUILD "/bpf/" #name ".bpf.o");
#include "measures/measures.def"
#undef MEASURE

static const struct measure_hooks nothing;

/* Of those that need some; the others have none. */
static const struct measure_hooks *const hooks[MEASURE_TABLE_SIZE + 1] = {
	[MEASURE_NET] = &net_hooks,	  [MEASURE_COUNTERS] = &counters_hooks,
	[MEASURE_KVM] = &kvm_hooks,	  [MEASURE_KVMMMU] = &kvmmmu_hooks, [MEASURE_LOCKS] = &locks_hooks,
	[MEASURE_FAULTS] = &faults_hooks, [MEASURE_HEAP] = &heap_hooks, [MEASURE_KMEM] = &kmem_hooks,
	[MEASURE_WATCH] = &watch_hooks,	  [MEASURE_FUNCS] = &funcs_hooks,
	[MEASURE_QUERIES] = &queries_hooks,
	[MEASURE_TCP] = &tcp_hooks,	  [MEASURE_SOCKETS] = &sockets_hooks, [MEASURE_IRQ] = &irq_hooks,
	[MEASURE_LOOKUPS] = &lookups_hooks, [MEASURE_HWCACHE] = &hwcache_hooks,
	[MEASURE_RECLAIM] = &reclaim_hooks,
};

static const struct measure_programs *programs_of(enum measure_id id)
{
	static struct measure_programs all[MEASURE_TABLE_SIZE] = {
#define MEASURE(id_, name, ...) [MEASURE_##id_] = {.elf = proftop_bpf_##name},
#include "measures/measures.def"
#undef MEASURE
	};
	static const char *const ends[MEASURE_TABLE_SIZE] = {
#define MEASURE(id_, name, ...) [MEASURE_##id_] = proftop_bpf_##name##_end,
#include "measures/measures.def"
#undef MEASURE
	};

	all[id].measure = measure_table[id];
	all[id].elf_size = (size_t)(ends[id] - (const char *)all[id].elf);
	all[id].hooks = hooks[id] ? hooks[id] : &nothing;
	return &all[id];
}

/* Of measures that take stacks of programs, those of the first interval are to be whole, too. */
static bool ask_tables(const struct measure *m, const struct sampling *how, const struct scope *scope,
		       const struct sample_sink *sink)
{
	for (u32 i = 0; i < m->nlabels; i++)
		if (m->labels[i].kind == LABEL_STACK && !m->kernel_stacks)
			return unwind_tasks__ask(how, scope, sink);
	return false;
}

#define MEASURE(id, name_, ...)                                                                    \
	static bool ask_tables_##name_(const struct sampling *how, const struct scope *scope,      \
				       const struct sample_sink *sink)                             \
	{                                                                                          \
		return ask_tables(measure_table[MEASURE_##id], how, scope, sink);                  \
	}                                                                                          \
	static struct source *open_##name_(const struct sampling *how, const struct scope *scope,  \
					   struct status *st)                                      \
	{                                                                                          \
		return measure_source__open(programs_of(MEASURE_##id), how, scope, st);            \
	}                                                                                          \
	static bool other_##name_(const struct sampling *was, const struct sampling *wanted)       \
	{                                                                                          \
		const struct measure_hooks *of = programs_of(MEASURE_##id)->hooks;                 \
                                                                                                   \
		return of->other && of->other(was, wanted);                                        \
	}                                                                                          \
	const struct source_ops source_measure_##name_ = {                                         \
		.name = "bpf",                                                                     \
		.title = "BPF programs of " #name_,                                                \
		.other = other_##name_,                                                            \
		.ask_tables = ask_tables_##name_,                                                  \
		.open = open_##name_,                                                              \
		.held_off = true,                                                                  \
		.begin = measure_source__begin,                                                    \
		BPF_SOURCE_OPS,                                                                    \
	};
#include "measures/measures.def"
#undef MEASURE
