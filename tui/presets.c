// SPDX-License-Identifier: GPL-2.0-only
#include "tui/presets.h"

#include "questions/library.h"

const struct preset preset_table[] = {
#define PRESET(name, view, group, filter, sort, help) {name, view, group, filter, sort, help},
#include "tui/presets.def"
#undef PRESET
};
const u32 presets_count = ARRAY_SIZE(preset_table);

const struct preset *preset__by_name(const char *name)
{
	for (u32 i = 0; i < presets_count; i++)
		if (!strcmp(preset_table[i].name, name))
			return &preset_table[i];
	return NULL;
}

static void print_preset(FILE *out, const char *name, const char *help)
{
	fprintf(out, "%-16s %s\n", name, help);
}

void presets__print(FILE *out)
{
	const struct known_question *k;

	for (u32 i = 0; i < presets_count; i++)
		print_preset(out, preset_table[i].name, preset_table[i].help);
	for (u32 i = 0; (k = question_library__at(i)); i++)
		if (!preset__by_name(k->name))
			print_preset(out, k->name, k->help);
}
