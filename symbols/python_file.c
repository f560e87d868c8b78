// SPDX-License-Identifier: GPL-2.0-only
/* Whether a file is a CPython: by the symbols that it has for its own modules. */
#include "symbols/elf.h"
#include "symbols/python.h"

#define RUNTIME "_PyRuntime"
#define EVAL	"_PyEval_EvalFrameDefault"

static void take(void *ctx, const char *name, const GElf_Sym *sym)
{
	static const struct {
		const char *name;
		size_t at;
	} wanted[] = {
		{RUNTIME, offsetof(struct python_file, runtime)},
		{"PyCode_Type", offsetof(struct python_file, code_type)},
		{EVAL, offsetof(struct python_file, eval)},
		{"Py_Version", offsetof(struct python_file, version)},
	};
	struct python_file *f = ctx;

	for (u32 i = 0; i < ARRAY_SIZE(wanted); i++)
		if (!strcmp(name, wanted[i].name))
			*(u64 *)((char *)f + wanted[i].at) = sym->st_value;
	if (!strcmp(name, EVAL))
		f->eval_size = sym->st_size;
}

/* "libpython3.9.so.1.0", "python3.10": 9, 10. */
static u32 minor_of(const char *path)
{
	const char *name = strrchr(path, '/'), *at = strstr(name ? name : path, "python3.");

	return at ? (u32)strtoul(at + strlen("python3."), NULL, 10) : 0;
}

bool python_file__read(int fd, const char *path, struct python_file *out)
{
	*out = (struct python_file){.minor = minor_of(path)};
	elf__symbols(fd, SHT_DYNSYM, RUNTIME, take, out);
	if (!out->runtime)
		elf__symbols(fd, SHT_SYMTAB, RUNTIME, take, out);
	return out->runtime && out->code_type;
}
