// SPDX-License-Identifier: GPL-2.0-only
/* Whether a file is a V8: by the constants that it has for debuggers. */
#include "symbols/elf.h"
#include "symbols/v8.h"

#define PREFIX	"v8dbg_"
#define VERSION "_ZN2v88internal7Version6"

/* Behind the prefix. What comes after a name and "__" is a type, which versions call differently. */
static const struct {
	const char *name, *other;
} names[V8_CONSTANTS] = {
	[V8_FUNCTION_SHARED] = {.name = "class_JSFunction__shared"},
	[V8_SHARED_NAME] = {.name = "class_SharedFunctionInfo__name_or_scope_info"},
	[V8_SHARED_SCRIPT] = {"class_SharedFunctionInfo__script",
			      "class_SharedFunctionInfo__script_or_debug_info"},
	[V8_MAP_TYPE] = {.name = "class_Map__instance_type"},
	[V8_SCRIPT_NAME] = {.name = "class_Script__name"},
	[V8_SCRIPT_SOURCE] = {.name = "class_Script__source"},
	[V8_CONS_FIRST] = {.name = "class_ConsString__first"},
	[V8_CONS_SECOND] = {.name = "class_ConsString__second"},
	[V8_SLICED_PARENT] = {.name = "class_SlicedString__parent"},
	[V8_SLICED_OFFSET] = {.name = "class_SlicedString__offset"},
	[V8_THIN_ACTUAL] = {.name = "class_ThinString__actual"},
	[V8_EXTERNAL_RESOURCE] = {.name = "class_ExternalString__resource"},
	[V8_TYPE_FUNCTION] = {.name = "type_JSFunction"},
	[V8_TYPE_SHARED] = {.name = "type_SharedFunctionInfo"},
	[V8_TYPE_SCOPE] = {.name = "type_ScopeInfo"},
	[V8_TYPE_SCRIPT] = {.name = "type_Script"},
	[V8_TYPE_ODDBALL] = {.name = "type_Oddball"},
	[V8_TYPE_CODE] = {.name = "type_Code"},
};

/* Pointers are not compressed, frames are as they are, and so are texts. */
static const struct {
	const char *name;
	s32 value;
} known[V8_AS_KNOWN] = {
	{"HeapObjectTag", V8_TAG},
	{"SmiTagMask", 1},
	{"SmiShiftSize", 31},
	{"SmiValueShift", 1},
	{"TaggedSize", 8},
	{"off_fp_context", -8},
	{"off_fp_function", -16},
	{"scopeinfo_idx_ncontextlocals", 2},
	{"scopeinfo_idx_first_vars", 3},
	{"IsNotStringMask", -128},
	{"StringRepresentationMask", 7},
	{"ConsStringTag", 1},
	{"ExternalStringTag", 2},
	{"SlicedStringTag", 3},
	{"ThinStringTag", 5},
	{"OneByteStringTag", 8},
	{"StringEncodingMask", 8},
	{"class_String__length", 12},
	{"class_SeqOneByteString__chars", 16},
	{"class_SeqTwoByteString__chars", 16},
};

static bool is_called(const char *symbol, const char *name)
{
	size_t n = name ? strlen(name) : 0;

	return n && !strncmp(symbol, name, n) && (!symbol[n] || !strncmp(symbol + n, "__", 2));
}

static void take_version(struct v8_file *f, const char *symbol, u64 at)
{
	if (!strcmp(symbol, VERSION "major_E"))
		f->major = at;
	else if (!strcmp(symbol, VERSION "minor_E"))
		f->minor = at;
}

static void take(void *ctx, const char *symbol, const GElf_Sym *sym)
{
	struct v8_file *f = ctx;

	if (strncmp(symbol, PREFIX, strlen(PREFIX))) {
		take_version(f, symbol, sym->st_value);
		return;
	}
	symbol += strlen(PREFIX);
	for (u32 i = 0; i < V8_CONSTANTS; i++)
		if (is_called(symbol, names[i].name) || is_called(symbol, names[i].other))
			f->at[i] = sym->st_value;
	for (u32 i = 0; i < V8_AS_KNOWN; i++)
		if (is_called(symbol, known[i].name))
			f->known[i] = sym->st_value;
}

bool v8_file__read(int fd, struct v8_file *out)
{
	*out = (struct v8_file){0};
	elf__symbols(fd, SHT_DYNSYM, PREFIX, take, out);
	return out->at[V8_FUNCTION_SHARED];
}

bool v8_file__is_known(const struct v8_file *f, u64 bias, const struct process_memory *m)
{
	u32 value;

	for (u32 i = 0; i < V8_AS_KNOWN; i++)
		if (!f->known[i] || !memory__u32(m, f->known[i] + bias, &value) ||
		    (s32)value != known[i].value)
			return false;
	return true;
}
