// SPDX-License-Identifier: GPL-2.0-only
#include "sources/measures.h"

#include "base/embed.h"

#define MEASURE(id, name, ...) EMBED(proftop_bpf_##name, BUILD "/bpf/" #name ".bpf.o");
#include "measures/measures.def"
#undef MEASURE

static const struct measure_hooks nothing;

extern const struct measure_hooks funcs_hooks;

/* Of those that need some; the others have none. */
static const struct measure_hooks *const hooks[MEASURE_TABLE_SIZE + 1] = {
	[MEASURE_FUNCS] = &funcs_hooks,
};

const struct measure_programs *measures__programs(enum measure_id id)
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
